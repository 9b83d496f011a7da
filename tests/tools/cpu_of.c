/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "cpu_of FILE COMMAND...": runs it, and writes to FILE: when it began and ended by the monotonic
 * clock, its user and system time with its descendants', all in seconds; blocks of 512 bytes that
 * they wrote; the number of this process; the most memory of one of them in KiB, and it is small
 * itself, as what a process had before exec counts. No write(), which would be counted as the command's.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static double seconds(struct timeval tv)
{
	return tv.tv_sec + tv.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
	struct rusage used;
	double begun = now(), ended;
	char text[128];
	int status, fd;
	pid_t pid;

	if (argc < 3)
		return 2;
	pid = vfork();
	if (!pid) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &used) != pid || status)
		return 1;
	ended = now();
	snprintf(text, sizeof(text), "%.6f %.6f %.6f %.6f %ld %d %ld\n", begun, ended,
		 seconds(used.ru_utime), seconds(used.ru_stime), used.ru_oublock, (int)getpid(), used.ru_maxrss);
	fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	return fd < 0 || pwrite(fd, text, strlen(text), 0) != (ssize_t)strlen(text);
}
