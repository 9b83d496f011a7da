/* MOVED */ #include "event/data/text_tables.h"
