/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unpacks whole files that gzip, xz or zstd made, of untrusted origin, to a file without a name. */
#ifndef FTR_FILE_UNPACK_FILE_H
#define FTR_FILE_UNPACK_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define UNPACK_HEAD 6		/* bytes that tell the methods apart */

/*
 * Limits of the unpacked size: UNPACK_RATIO times the packed size, but no less than UNPACK_LEAST
 * and no more than UNPACK_MOST. Texts of traces shrink to a tenth up to a fiftieth.
 */
#define UNPACK_LEAST (64ull << 20)
#define UNPACK_MOST  (4ull << 30)
#define UNPACK_RATIO 500

/*
 * Returns the name of the program that packs files which begin with these bytes, a static string;
 * NULL if there is none, or if ftr was built without its library.
 */
const char *unpack_program(const void *head, size_t len);
/*
 * Unpacks the file @fd, from its first byte on, to a file without a name in $TMPDIR or /var/tmp.
 * @path is for messages. Returns the descriptor of that file, which the caller closes, or -1 with
 * @err. *cut is true if the data is damaged or ends too early: the file has the bytes before.
 */
int unpack_file(int fd, const char *path, bool *cut, struct ftr_error *err);

#endif
