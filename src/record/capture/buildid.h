/* MOVED */ #include "record/capture/procmaps.h"
