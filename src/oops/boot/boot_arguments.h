/* MOVED */ #include "oops/boot/boot_install.h"
