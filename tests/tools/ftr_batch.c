/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "ftr_batch": ftr many times over in one process, for tests that run it hundreds of times. Its own
 * program is ftr's; each run is a fork that begins at main(), so that nothing is loaded and
 * relocated again, and nothing is left of the run before.
 *
 * On standard input a request is words, each ended by a NUL: how many follow, settings, "--", the
 * arguments. Settings: cwd=FOLDER, in=FILE, out=FILE, err=FILE (/dev/null without, and "&" for
 * standard error that goes with the output), env=NAME=VALUE, seconds=N (60), as=datwalk, which runs
 * the program of datwalk.c beside this instead, and stop=N, which kills the run as its first thread enters or leaves a system call for the N-th time, and only counts
 * these with 0. The answer is a line: the status (128 and the signal, 124 for one that took too
 * long), KiB of memory, microseconds of CPU, the number of stops.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int ftr_main(int argc, char **argv);
int walk_main(int argc, char **argv);

#define main ftr_main
#include "../../src/ftr.c"
#undef main
#define main walk_main
#include "datwalk.c"
#undef main

struct request {
	const char *cwd, *in, *out, *err;
	int seconds;
	bool walks;
	long stop;
	char **argv;
	int argc;
};

static char **words_read(FILE *from, int *count)
{
	char *word = NULL, **words;
	size_t room = 0;
	int i;

	if (getdelim(&word, &room, 0, from) <= 0) {
		free(word);
		return NULL;
	}
	*count = atoi(word);
	free(word);
	words = calloc(*count + 2, sizeof(*words));
	for (i = 0; i < *count; i++) {
		room = 0;
		if (getdelim(&words[i], &room, 0, from) <= 0)
			exit(2);
	}
	return words;
}

/* What follows the "--" are the arguments of the run. */
static void request_parse(struct request *r, char **words, int count)
{
	char *value;
	int i;

	*r = (struct request){NULL, "/dev/null", "/dev/null", "/dev/null", 60, false, -1, NULL, 0};
	for (i = 0; i < count && strcmp(words[i], "--"); i++) {
		value = strchr(words[i], '=');
		if (!value++)
			exit(2);
		if (!strncmp(words[i], "cwd=", 4))
			r->cwd = value;
		else if (!strncmp(words[i], "in=", 3))
			r->in = value;
		else if (!strncmp(words[i], "out=", 4))
			r->out = value;
		else if (!strncmp(words[i], "err=", 4))
			r->err = value;
		else if (!strncmp(words[i], "seconds=", 8))
			r->seconds = atoi(value);
		else if (!strcmp(words[i], "as=datwalk"))
			r->walks = true;
		else if (!strncmp(words[i], "stop=", 5))
			r->stop = atol(value);
	}
	if (i == count)
		exit(2);
	r->argv = words + i;
	r->argc = count - i;
}

static void set_fd(int to, const char *path, int flags)
{
	int fd = open(path, flags, 0666);

	if (fd < 0) {
		fprintf(stderr, "ftr_batch: '%s': %s\n", path, strerror(errno));
		_exit(126);
	}
	if (fd != to) {
		dup2(fd, to);
		close(fd);
	}
}

static void run_child(const struct request *r, char **words, const sigset_t *mask)
{
	static char name[] = "ftr";
	int i;

	if (r->cwd && chdir(r->cwd))
		_exit(126);
	for (i = 0; words + i != r->argv; i++)
		if (!strncmp(words[i], "env=", 4))
			putenv(words[i] + 4);
	free(r->argv[0]);
	set_fd(STDIN_FILENO, r->in, O_RDONLY);
	set_fd(STDOUT_FILENO, r->out, O_WRONLY | O_CREAT | O_TRUNC);
	if (!strcmp(r->err, "&"))
		dup2(STDOUT_FILENO, STDERR_FILENO);
	else
		set_fd(STDERR_FILENO, r->err, O_WRONLY | O_CREAT | O_TRUNC);
	if (r->stop >= 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
	}
	r->argv[0] = name;
	sigprocmask(SIG_SETMASK, mask, NULL);
	exit(r->walks ? walk_main(r->argc, r->argv) : ftr_main(r->argc, r->argv));
}

/* Stop by stop; false once it has ended. */
static bool stops_follow(pid_t pid, const struct request *r, long *stops, int *status, struct rusage *used)
{
	long deliver = 0;
	bool called;

	if (wait4(pid, status, 0, used) != pid || !WIFSTOPPED(*status))
		return false;
	ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD);
	for (;;) {
		ptrace(PTRACE_SYSCALL, pid, NULL, deliver);
		if (wait4(pid, status, 0, used) != pid || !WIFSTOPPED(*status))
			return false;
		called = WSTOPSIG(*status) == (SIGTRAP | 0x80);
		deliver = called ? 0 : WSTOPSIG(*status);
		*stops += called;
		if (called && *stops == r->stop) {
			kill(pid, SIGKILL);
			return true;
		}
	}
}

/* Whether it has ended within its seconds; SIGCHLD is blocked. */
static bool ends_in_time(pid_t pid, int seconds, int *status, struct rusage *used)
{
	struct timespec left = {1, 0};
	time_t until = time(NULL) + seconds + 1;
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	while (!wait4(pid, status, WNOHANG, used)) {
		if (time(NULL) > until)
			return false;
		sigtimedwait(&child, NULL, &left);
	}
	return true;
}

static void run_wait(pid_t pid, const struct request *r, FILE *to)
{
	struct rusage used = {0};
	int status = 0, code;
	long stops = 0;
	bool late = false;

	if (r->stop < 0) {
		late = !ends_in_time(pid, r->seconds, &status, &used);
		if (late) {
			kill(pid, SIGKILL);
			wait4(pid, &status, 0, &used);
		}
	} else if (stops_follow(pid, r, &stops, &status, &used)) {
		wait4(pid, &status, 0, &used);
	}
	code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	fprintf(to, "%d %ld %lld %ld\n", late ? 124 : code, used.ru_maxrss,
		(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000ll + used.ru_utime.tv_usec +
		used.ru_stime.tv_usec, stops);
	fflush(to);
}

int main(void)
{
	FILE *from = fdopen(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10), "r");
	FILE *to = fdopen(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10), "w");
	sigset_t child, mask;
	struct request r;
	char **words;
	int count, i;
	pid_t pid;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, &mask);
	while ((words = words_read(from, &count))) {
		request_parse(&r, words, count);
		pid = fork();
		if (!pid) {
			close(fileno(from));
			close(fileno(to));
			run_child(&r, words, &mask);
		}
		if (pid < 0)
			return 1;
		run_wait(pid, &r, to);
		for (i = 0; i < count; i++)
			free(words[i]);
		free(words);
	}
	return 0;
}
