/* MOVED */ #include "cmd/frame/tracefs_change.h"
