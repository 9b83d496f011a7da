/* MOVED */ #include "file/read/dat.h"
