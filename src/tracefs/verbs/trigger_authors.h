/* MOVED */ #include "tracefs/verbs/triggers.h"
