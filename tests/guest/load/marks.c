/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbered markers, for recordings of which the numbers are known: marks CPU FROM TO WHO [PAUSE]; so many
 * us of pause behind each hundred.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FILLING "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

int main(int argc, char **argv)
{
	int fd = open("/sys/kernel/tracing/trace_marker", O_WRONLY), n;
	char text[128];
	cpu_set_t set;
	long i;

	if (argc < 5 || fd < 0)
		return 2;
	CPU_ZERO(&set);
	CPU_SET(atoi(argv[1]), &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		return 1;
	for (i = atol(argv[2]); i <= atol(argv[3]); i++) {
		n = snprintf(text, sizeof(text), "mark %s %ld " FILLING, argv[4], i);
		/* refused while tracing is off */
		if (write(fd, text, n) != n && i < 0)
			return 1;
		if (argc > 5 && !(i % 100))
			usleep(atoi(argv[5]));
	}
	return 0;
}
