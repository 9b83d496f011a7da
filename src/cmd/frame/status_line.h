/* MOVED */ #include "cmd/frame/command.h"
