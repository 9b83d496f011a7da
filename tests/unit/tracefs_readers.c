/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who reads a buffer's trace_pipe: processes that have files of these names open, on a tree that looks like tracefs. */
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake_file.h"
#include "tap.h"
#include "tracefs/files/tfs.h"

static char root[] = "/tmp/ftr-readers.XXXXXX";
static struct tfs tfs;

/* Has @path open until it is killed. */
static pid_t start_reader(const char *path)
{
	char *full = xasprintf("%s/%s", root, path), byte = 0;
	int ready[2];
	pid_t pid;

	if (pipe(ready))
		abort();
	pid = fork();
	if (!pid) {
		close(ready[0]);
		if (open(full, O_RDONLY) < 0 || write(ready[1], &byte, 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		abort();
	close(ready[0]);
	free(full);
	return pid;
}

/* How @pid is described among the readers of @instance; NULL: it is none. Others on this file system may be. */
static char *described(const char *instance, pid_t pid)
{
	char *own = xasprintf(" (pid %d) reads ", pid), *found = NULL;
	struct strv v = {0};

	tfs_readers(&tfs, instance, 1000, &v);
	for (size_t i = 0; i < v.n && !found; i++)
		found = strstr(v.v[i], own) ? xstrdup(strstr(v.v[i], own) + strlen(own)) : NULL;
	strv_release(&v);
	free(own);
	return found;
}

/* @of: the instance whose reader it is; NULL: the top level; "": none's. */
static const struct { const char *path, *of, *file; } cases[] = {
	{ "trace_pipe", NULL, "trace_pipe" },
	{ "per_cpu/cpu0/trace_pipe", NULL, "trace_pipe" },
	{ "per_cpu/cpu1/trace_pipe_raw", NULL, "trace_pipe_raw" },
	{ "instances/a/trace_pipe", "a", "trace_pipe" },
	{ "instances/a/per_cpu/cpu3/trace_pipe_raw", "a", "trace_pipe_raw" },
	{ "instances/ab/trace_pipe", "ab", "trace_pipe" },
	{ "trace", "", NULL },
	{ "instances/a/trace", "", NULL },
	{ "saved_trace_pipe", "", NULL },
};

static bool is_as(const char *got, const char *want)
{
	return want ? got && !strcmp(got, want) : !got;
}

static void test_reader(size_t i)
{
	static const char *const buffers[] = { NULL, "a", "ab", "b" };
	pid_t pid = start_reader(cases[i].path);
	const char *of = cases[i].of;
	char *got, *name;

	for (size_t k = 0; k < sizeof(buffers) / sizeof(*buffers); k++) {
		const char *b = buffers[k];
		bool reads = of ? b && !strcmp(of, b) : !b;

		got = described(b, pid);
		name = xasprintf("%s: %s '%s'", cases[i].path, reads ? "reads" : "does not read", b ? b : "the top level");
		TAP_OK(is_as(got, reads ? cases[i].file : NULL), name);
		free(name);
		free(got);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	got = described(of && *of ? of : NULL, pid);
	TAP_OK(!got, "and no more when it is gone");
	free(got);
}

static void test_limits(void)
{
	pid_t pids[3];
	struct strv v = {0};
	char *full = xasprintf("%s/trace_pipe", root), *own;
	int fd = open(full, O_RDONLY), i;

	own = described(NULL, getpid());
	TAP_OK(fd >= 0 && !own, "we ourselves are none");
	close(fd);
	for (i = 0; i < 3; i++)
		pids[i] = start_reader("trace_pipe");
	tfs_readers(&tfs, NULL, 2, &v);
	TAP_EQ(v.n, 2, "no more than wanted");
	for (i = 0; i < 3; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	strv_release(&v);
	free(full);
}

int main(void)
{
	struct ftr_error err = {0};
	char *command;

	if (!mkdtemp(root))
		return 1;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		fake_file(root, cases[i].path, "", 0);
	fake_file(root, "current_tracer", "", 0);
	setenv("FTR_TRACEFS", root, 1);
	if (!TAP_OK(!tfs_open(&tfs, &err), "open"))
		return 1;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		test_reader(i);
	test_limits();
	tfs_close(&tfs);
	command = xasprintf("rm -rf '%s'", root);
	if (system(command))
		return 1;
	free(command);
	return tap_done();
}
