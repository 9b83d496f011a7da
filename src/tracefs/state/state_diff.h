/* MOVED */ #include "tracefs/state/fresh_state.h"
