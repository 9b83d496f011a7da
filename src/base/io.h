/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole reads and writes of files. */
#ifndef FTR_BASE_IO_H
#define FTR_BASE_IO_H

#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

struct buf;

/*
 * Appends everything that read() gives until end of file (files of /proc and tracefs state no
 * size).
 */
int io_read_fd(int fd, struct buf *out);				/* 0, or -1 with errno */
/* The same; -1 with EFBIG when more than @max bytes come. */
int io_read_max(int fd, size_t max, struct buf *out);
/* A text that the user named, "-" being standard input; EFBIG beyond 64 MiB. */
int io_read_input(const char *path, struct buf *out);
/* As io_read_fd(), by name below the folder @dirfd (AT_FDCWD for none). 0, or -1 with errno. */
int io_read_at(int dirfd, const char *path, struct buf *out);
/* Writes all; retries short writes and EINTR. 0, or -1 with errno. */
int io_write_all(int fd, const void *p, size_t n);
/* In pieces: others may write to the file between them. */
int io_pwrite_all(int fd, const void *p, size_t n, off_t at);

/* The folder for files that end with us: $TMPDIR, else /var/tmp, where much has room. */
const char *io_tmpdir(void);
/* A file without a name there. -1 with errno. */
int io_unnamed(void);

/* First line of a small file without its newline, or NULL; the caller frees. */
char *io_line_at(int dirfd, const char *path);
/* mkdir -p for one path, with @mode for what is made. 0, or -1 with errno. */
int io_mkdirs(const char *path, mode_t mode);

#endif
