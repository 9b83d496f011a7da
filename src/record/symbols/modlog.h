/* MOVED */ #include "record/symbols/symtimes.h"
