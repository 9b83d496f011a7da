/* MOVED */ #include "output/svg/heat_map.h"
