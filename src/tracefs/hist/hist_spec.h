/* MOVED */ #include "tracefs/hist/hist_live.h"
