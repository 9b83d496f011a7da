/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbered traces of a known extent: "mark TAG N USEC" writes the markers "TAG 1" ... "TAG N", USEC
 * apart, until SIGTERM if N is 0, and then says how many; "calls N" calls getpgid() with 1 to N.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t ended;

static void end(int sig)
{
	(void)sig;
	ended = 1;
}

static int mark(const char *tag, long n, unsigned int usec)
{
	int fd = open("/sys/kernel/tracing/trace_marker", O_WRONLY), len;
	char text[64];
	long i = 0;

	signal(SIGTERM, end);
	while (fd >= 0 && !ended && (!n || i < n)) {
		len = snprintf(text, sizeof(text), "%s %ld\n", tag, i + 1);
		if (write(fd, text, len) != len)
			return 1;
		i++;
		if (usec)
			usleep(usec);
	}
	printf("%s %ld\n", tag, i);
	return fd < 0;
}

int main(int argc, char **argv)
{
	long i, n = argc == 3 ? atol(argv[2]) : 0;

	if (argc == 5 && !strcmp(argv[1], "mark"))
		return mark(argv[2], atol(argv[3]), atol(argv[4]));
	for (i = 1; i <= n; i++)
		getpgid(i);
	return argc != 3;
}
