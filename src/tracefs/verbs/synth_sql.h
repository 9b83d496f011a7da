/* MOVED */ #include "tracefs/verbs/synth_event.h"
