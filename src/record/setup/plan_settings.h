/* MOVED */ #include "record/setup/plan.h"
