/* MOVED */ #include "oops/dump_file.h"
