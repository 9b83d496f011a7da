/* MOVED */ #include "tracefs/session/session.h"
