/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * send_file ADDRESS FILE [MS]: sends it as ftr record -N sends a recording, in pieces from memory and
 * from the file, with pauses of MS milliseconds. Ends with 0 when the listener has all, 1 with a word why not.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/sig.h"
#include "record/net/send_recording.h"

#define CHUNK 7000

static void give(struct send_queue *s, int fd, off_t size, long pause_ms)
{
	struct timespec pause = { .tv_nsec = pause_ms * 1000000 };
	char mem[CHUNK];
	struct buf b = {0};
	off_t at;
	ssize_t n;

	for (at = 0; at < size; at += CHUNK) {
		n = size - at < CHUNK ? size - at : CHUNK;
		if (at / CHUNK % 2) {
			send_range(s, at, n);
			continue;
		}
		n = pread(fd, mem, n, at);
		buf_add(&b, mem, n);
		send_mem(s, &b);
		send_some(s, 10);
		nanosleep(&pause, NULL);
	}
	send_end(s);
}

int main(int argc, char **argv)
{
	struct ftr_error err = {0};
	struct stat st;
	struct send_queue *s;
	int fd, ret;

	if (argc < 3)
		return 2;
	sig_write_errors();
	fd = open(argv[2], O_RDONLY);
	s = fd < 0 || fstat(fd, &st) ? NULL : send_to_listener(fd, argv[1], &err);
	if (!s) {
		printf("%s\n", err.msg);
		return 1;
	}
	give(s, fd, st.st_size, argc > 3 ? atol(argv[3]) : 0);
	while (!send_done(s) && !send_failed(s) && send_stuck_ms(s) < 15000)
		send_some(s, 50);
	ret = !send_done(s);
	if (ret)
		printf("%s\n", send_error(s)->msg);
	send_free(s);
	return ret;
}
