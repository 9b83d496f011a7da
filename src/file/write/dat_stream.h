/* MOVED */ #include "file/write/dat_write.h"
