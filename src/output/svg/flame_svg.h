/* MOVED */ #include "output/svg.h"
