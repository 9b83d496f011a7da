/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads of known sizes, for histograms: hist_load SIZE... reads each size once, and -1 a bad descriptor. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static char room[1 << 20];

int main(int argc, char **argv)
{
	int fd = open("/dev/zero", O_RDONLY), i;
	long size;

	for (i = 1; i < argc; i++) {
		size = atol(argv[i]);
		/* descriptor 77: what a filter finds these reads by */
		if (size >= 0 && (dup2(fd, 77) != 77 || read(77, room, size) != size))
			return 1;
		close(77);
		if (size < 0 && read(77, room, 1) != -1)
			return 1;
	}
	return 0;
}
