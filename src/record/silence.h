/* MOVED */ #include "record/summary.h"
