/* MOVED */ #include "event/btf/btf.h"
