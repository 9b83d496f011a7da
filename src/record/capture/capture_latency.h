/* MOVED */ #include "record/capture/capture.h"
