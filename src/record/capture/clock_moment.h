/* MOVED */ #include "record/capture/clock_offset.h"
