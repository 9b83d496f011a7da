/* MOVED */ #include "file/compress.h"
