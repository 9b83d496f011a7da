/* MOVED */ #include "cmd/frame/listing.h"
