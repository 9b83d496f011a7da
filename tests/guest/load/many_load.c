/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbered traces of a known extent: "mark TAG N USEC" writes the markers "TAG 1" ... "TAG N", USEC
 * apart, until SIGTERM if N is 0, and then says how many; "calls N" calls getpgid() with 1 to N;
 * "tree 0" calls it with 1, a thread with 2, a child with 3, a thread of the child with 4, and a
 * program that the child becomes with 5; "tree 1" does so after the first line of standard input, and lives to its
 * end; it says when it has made its calls.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
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

static void *call(void *number)
{
	getpgid(*(pid_t *)number);
	return NULL;
}

static int in_thread(pid_t number)
{
	pthread_t thread;

	return pthread_create(&thread, NULL, call, &number) || pthread_join(thread, NULL);
}

static int tree(const char *self, int wait_first)
{
	int c = wait_first ? getchar() : 0, status;
	pid_t child;

	getpgid(1);
	if (c == EOF || in_thread(2))
		return 1;
	child = fork();
	if (!child) {
		getpgid(3);
		if (!in_thread(4))
			execl(self, self, "call", "5", NULL);
		_exit(1);
	}
	if (waitpid(child, &status, 0) != child || status)
		return 1;
	if (wait_first) {
		puts("called");
		fflush(stdout);
	}
	while (wait_first && getchar() != EOF)
		;
	return 0;
}

int main(int argc, char **argv)
{
	long i, n = argc == 3 ? atol(argv[2]) : 0;

	if (argc == 3 && !strcmp(argv[1], "tree"))
		return tree(argv[0], n);
	if (argc == 3 && !strcmp(argv[1], "call"))
		return getpgid(n) < 0;
	if (argc == 5 && !strcmp(argv[1], "mark"))
		return mark(argv[2], atol(argv[3]), atol(argv[4]));
	for (i = 1; i <= n; i++)
		getpgid(i);
	return argc != 3;
}
