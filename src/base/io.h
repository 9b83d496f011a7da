/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole reads and writes of files. */
#ifndef FTR_BASE_IO_H
#define FTR_BASE_IO_H

#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

struct buf;

/*
 * Appends everything up to the end of the file. Returns 0, or -1 with errno. It does not rely on
 * st_size, which is 0 for files of /proc and tracefs.
 */
int io_read_fd(int fd, struct buf *out);
/* Like io_read_fd(), but fails with EFBIG if there are more than @max bytes. */
int io_read_max(int fd, size_t max, struct buf *out);
/*
 * Appends the text at @path, a name from the user; "-" is standard input. Returns 0, or -1 with
 * errno: EFBIG if there are more than 64 MiB.
 */
int io_read_input(const char *path, struct buf *out);
/* The same, but EFBIG if there are more than @max bytes. */
int io_read_text(const char *path, size_t max, struct buf *out);
/*
 * Like io_read_fd(), for a file below the directory @dirfd (AT_FDCWD: the current one). Returns 0,
 * or -1 with errno.
 */
int io_read_at(int dirfd, const char *path, struct buf *out);
/* Writes all bytes; retries short writes and EINTR. Returns 0, or -1 with errno. */
int io_write_all(int fd, const void *p, size_t n);
/*
 * Writes all bytes at offset @at, 64 KiB per call: other writers of the file get its lock in
 * between. Returns 0, or -1 with errno.
 */
int io_pwrite_all(int fd, const void *p, size_t n, off_t at);

/*
 * Returns the directory for files that do not outlive the process: $TMPDIR, else /var/tmp, which
 * has room for large files.
 */
const char *io_tmpdir(void);
/* Opens a file without a name in io_tmpdir(). Returns its descriptor, or -1 with errno. */
int io_unnamed(void);

/* Returns the first line of a small file without its newline, or NULL. The caller frees it. */
char *io_line_at(int dirfd, const char *path);
/* Like mkdir -p. Directories that it makes get @mode. Returns 0, or -1 with errno. */
int io_mkdirs(const char *path, mode_t mode);

#endif
