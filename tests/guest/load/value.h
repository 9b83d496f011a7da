/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The value of a file, as statedump and statewalk read and print it. */
#ifndef FTR_GUEST_VALUE_H
#define FTR_GUEST_VALUE_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A sysctl refuses to be read with megabytes of room (ENOMEM). */
#define READ_MAX 65536

static char value[32 << 20];

/*
 * Without the line ends at its end; "!" and the reason where it can't be read. @flags: O_NONBLOCK
 * or 0. False when there is no such file.
 */
static bool value_read(int dir, const char *name, int flags)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | flags);
	size_t len = 0;
	ssize_t n = 0;

	if (fd < 0) {
		snprintf(value, sizeof(value), "!%s", strerror(errno));
		return errno != ENOENT;
	}
	while (len < sizeof(value) - READ_MAX && (n = read(fd, value + len, READ_MAX)) > 0)
		len += n;
	if (n < 0)
		len = snprintf(value, sizeof(value), "!%s", strerror(errno));
	close(fd);
	while (len && value[len - 1] == '\n')
		len--;
	value[len] = '\0';
	return true;
}

/* On one line. */
static void value_print(const char *prefix, const char *path)
{
	const char *p;

	printf("%s%s: ", prefix, path);
	for (p = value; *p; p++) {
		if (*p == '\n')
			fputs("\\n", stdout);
		else if (*p == '\\')
			fputs("\\\\", stdout);
		else
			putchar(*p);
	}
	putchar('\n');
}

/* For scandirat(). */
static int no_dots(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

#endif
