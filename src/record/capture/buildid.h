/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The build-id of a program or library, which identifies its debug information. */
#ifndef FTR_RECORD_BUILDID_H
#define FTR_RECORD_BUILDID_H

#include <stdbool.h>

#include "base/mem.h"

/*
 * Appends the note NT_GNU_BUILD_ID of the ELF file @fd as hexadecimal digits. The file is
 * untrusted, and must have this machine's byte order. False, with nothing appended, if it has no
 * valid note.
 */
bool build_id_read(int fd, struct buf *out);

#endif
