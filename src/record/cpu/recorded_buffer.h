/* MOVED */ #include "record/cpu/recorder.h"
