/* MOVED */ #include "tracefs/files/control.h"
