/* MOVED */ #include "event/print/conv.h"
