/* MOVED */ #include "tracefs/files/tfs.h"
