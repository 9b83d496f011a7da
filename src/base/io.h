/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole reads and writes of files. */
#ifndef FTR_BASE_IO_H
#define FTR_BASE_IO_H

#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

struct buf;

/*
 * Appends everything up to end of file. It does not rely on st_size, which is 0 for files of /proc
 * and tracefs.
 */
int io_read_fd(int fd, struct buf *out);				/* 0, or -1 with errno */
/* The same, but fails with EFBIG when there are more than @max bytes. */
int io_read_max(int fd, size_t max, struct buf *out);
/*
 * Appends the text at @path, a name from the user; "-" is standard input. Fails with EFBIG beyond
 * 64 MiB.
 */
int io_read_input(const char *path, struct buf *out);
/* As io_read_fd(), by name below the folder @dirfd (AT_FDCWD for none). 0, or -1 with errno. */
int io_read_at(int dirfd, const char *path, struct buf *out);
/* Writes all; retries short writes and EINTR. 0, or -1 with errno. */
int io_write_all(int fd, const void *p, size_t n);
/* Writes all at offset @at, 64 KiB a call: other writers of the file get its lock in between. */
int io_pwrite_all(int fd, const void *p, size_t n, off_t at);

/*
 * The folder for files that do not outlive the process: $TMPDIR, else /var/tmp, which has room for
 * large files.
 */
const char *io_tmpdir(void);
/* Opens a file without a name in io_tmpdir(). Returns its descriptor, or -1 with errno. */
int io_unnamed(void);

/* First line of a small file without its newline, or NULL; the caller frees. */
char *io_line_at(int dirfd, const char *path);
/* mkdir -p for one path. Folders that it makes get @mode. 0, or -1 with errno. */
int io_mkdirs(const char *path, mode_t mode);

#endif
