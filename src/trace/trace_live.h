/* MOVED */ #include "trace/trace.h"
