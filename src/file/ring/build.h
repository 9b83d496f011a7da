/* MOVED */ #include "file/ring/page.h"
