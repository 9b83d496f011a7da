/* MOVED */ #include "output/json/json_records.h"
