/* MOVED */ #include "record/setup/plan_apply.h"
