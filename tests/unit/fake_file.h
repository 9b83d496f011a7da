/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of a tree that looks like tracefs. */
#ifndef TESTS_FAKE_FILE_H
#define TESTS_FAKE_FILE_H

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"

/* Writes the file @path below @root, with the directories that it needs; it replaces an older one. */
static inline void fake_file(const char *root, const char *path, const void *data, size_t n)
{
	char *full = xasprintf("%s/%s", root, path), *slash = strrchr(full, '/');
	int fd;

	*slash = '\0';
	io_mkdirs(full, 0700);
	*slash = '/';
	fd = open(full, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || io_write_all(fd, data, n))
		abort();
	close(fd);
	free(full);
}

#endif
