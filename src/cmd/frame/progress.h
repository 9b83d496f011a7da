/* MOVED */ #include "cmd/frame/selection.h"
