/* MOVED */ #include "base/map.h"
