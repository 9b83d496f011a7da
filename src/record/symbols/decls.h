/* MOVED */ #include "record/symbols/protos.h"
