/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The build-id of a program or library, which tells its debug information. */
#ifndef FTR_RECORD_BUILDID_H
#define FTR_RECORD_BUILDID_H

#include <stdbool.h>

#include "base/mem.h"

/*
 * Appends the note NT_GNU_BUILD_ID of the ELF file @fd as hexadecimal digits. False, and nothing
 * appended, if it has none that is sound: the file may be anybody's. Of this machine's byte order.
 */
bool build_id_read(int fd, struct buf *out);

#endif
