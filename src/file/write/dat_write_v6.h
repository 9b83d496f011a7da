/* MOVED */ #include "file/write/dat_join.h"
