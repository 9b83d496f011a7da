/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The data of all CPUs in one file is bounded: recorders of files that look like a kernel's buffers. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "record/cpu/recorder.h"
#include "tap.h"

enum { CPUS = 4, PAGES = 100, SUBBUF = 4096 };

static char dir[] = "/var/tmp/ftr-budget.XXXXXX";

static void put(int cpu, const char *file, const void *data, size_t n)
{
	char *path = xasprintf("%s/per_cpu/cpu%d/%s", dir, cpu, file);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || io_write_all(fd, data, n))
		exit(1);
	close(fd);
	free(path);
}

/* @waiting bytes are unread by the kernel's count, of the 400 KiB that have room. */
static void make_cpus(unsigned int waiting)
{
	static uint8_t pages[PAGES * SUBBUF];
	char *stats = xasprintf("entries: 1\noverrun: 7\nbytes: %u\n", waiting);
	char *path = xasprintf("%s/per_cpu", dir), *sub;
	size_t i;
	int cpu;

	/* half full would be the last one */
	for (i = 0; i < PAGES; i++)
		memcpy(pages + i * SUBBUF + 8, (uint64_t[]){ SUBBUF - 16 }, 8);
	mkdir(path, 0700);
	for (cpu = 0; cpu < CPUS; cpu++) {
		sub = xasprintf("%s/cpu%d", path, cpu);
		if (mkdir(sub, 0700) && errno != EEXIST)
			exit(1);
		free(sub);
		put(cpu, "trace_pipe_raw", pages, sizeof(pages));
		put(cpu, "stats", stats, strlen(stats));
		put(cpu, "buffer_size_kb", "400\n", 4);
	}
	free(path);
	free(stats);
}

struct outcome {
	uint64_t bytes, left_out;
	unsigned int cut;		/* CPUs whose counters ended with the budget */
};

static void record(const struct tfs *t, struct file_budget *b, bool no_splice, struct outcome *out)
{
	struct recorder_opts opts = { .budget = b, .no_splice = no_splice };
	const struct recorder_cpu *cpus;
	char *path = xasprintf("%s/t.dat", dir);
	struct ftr_error err = {0};
	struct recorder *r = recorder_new(t, NULL, path, &opts, &err);
	size_t i, n;

	*out = (struct outcome){0};
	if (!r || recorder_start(r, &err) || recorder_stop(r, &err)) {
		printf("# %s\n", err.msg);
		exit(1);
	}
	out->bytes = recorder_bytes(r);
	out->left_out = recorder_left_out(r);
	cpus = recorder_cpus(r, &n);
	for (i = 0; i < n; i++)
		out->cut += cpus[i].left && cpus[i].after.overrun == 7;
	recorder_free(r);
	free(path);
}

/* @cut: CPUs that find nothing left; -1 = it depends on who comes first. */
static void test(const char *what, const struct tfs *t, uint64_t max, bool spills, unsigned int waiting, uint64_t want,
		 int cut)
{
	struct outcome is;
	struct file_budget *b;
	int i;

	for (i = 0; i < 2; i++) {
		make_cpus(waiting);
		b = budget_new(max, spills);
		record(t, b, i, &is);
		TAP_EQ(is.bytes, want, what);
		if (cut >= 0) {
			TAP_EQ(is.cut, cut, "lost events are counted until then");
			TAP_EQ(is.left_out, (uint64_t)cut * waiting, "what is left out");
		}
		budget_free(b);
	}
}

/* Until the next file is there: what the kernel's buffers have room for waits, more does not. */
static void test_late(const char *what, const struct tfs *t, unsigned int waiting, uint64_t want)
{
	char *path = xasprintf("%s/t.dat", dir);
	struct recorder_opts opts = {0};
	struct ftr_error err = {0};
	struct recorder *r;
	struct file_budget *b;
	int i;

	make_cpus(waiting);
	b = budget_new(300 << 10, true);
	opts.budget = b;
	r = recorder_new(t, NULL, path, &opts, &err);
	if (!r || recorder_start(r, &err))
		exit(1);
	for (i = 0; i < 100 && recorder_bytes(r) < want; i++)
		usleep(10000);
	usleep(100000);
	TAP_EQ(recorder_bytes(r), want, what);
	TAP_OK(budget_spent(b), "the next file is to begin");
	recorder_free(r);
	budget_free(b);
	free(path);
}

/* What one thread may return is waited for. */
static void *return_later(void *arg)
{
	usleep(100000);
	budget_return(arg, 90);
	return NULL;
}

static void test_account(void)
{
	pthread_t thread;
	struct file_budget *b;

	b = budget_new(100, false);
	TAP_EQ(budget_reserve(b, 1000, 10, false), 100, "all that there is");
	TAP_OK(!budget_spent(b), "something may come back");
	if (pthread_create(&thread, NULL, return_later, b))
		exit(1);
	TAP_EQ(budget_reserve(b, 1000, 20, false), 80, "whole sub-buffers of what came back");
	pthread_join(thread, NULL);
	budget_return(b, 0);
	TAP_EQ(budget_reserve(b, 1000, 20, false), 0, "less than a sub-buffer is nothing");
	TAP_EQ(budget_reserve(b, 1000, 20, true), 1000, "beyond");
	budget_return(b, 990);
	TAP_EQ(budget_reserve(b, 10, 10, false), 0, "what was beyond does not come back");
	TAP_OK(budget_spent(b), "it is spent");
	budget_free(b);
	b = budget_new(10, false);
	budget_add(b, 20, 3);
	TAP_OK(!budget_spent(b), "not yet");
	TAP_EQ(budget_reserve(b, 80, 20, false), 60, "one for each CPU");
	budget_return(b, 0);
	TAP_OK(budget_spent(b), "nobody has to ask once more");
	budget_free(b);
}

int main(void)
{
	struct tfs t = { .path = dir };
	char *clean;

	if (!mkdtemp(dir))
		return 1;
	make_cpus(0);
	t.dirfd = open(dir, O_RDONLY | O_DIRECTORY);
	test_account();
	test("room for all", &t, 4 << 20, false, 100, CPUS * PAGES * SUBBUF, 0);
	test("room for all, exactly", &t, CPUS * PAGES * SUBBUF, false, 100, CPUS * PAGES * SUBBUF, -1);
	test("room for all but one", &t, (CPUS * PAGES - 1) * SUBBUF, false, 100, (CPUS * PAGES - 1) * SUBBUF, -1);
	test("300 KiB", &t, 300 << 10, false, 100, 75 * SUBBUF, CPUS);
	test("not in whole sub-buffers", &t, (300 << 10) + 4095, false, 100, 75 * SUBBUF, CPUS);
	test("less than a sub-buffer of each CPU", &t, 1, false, 100, CPUS * SUBBUF, CPUS);
	test("with a file that follows: the end is in the last", &t, 300 << 10, true, 100, CPUS * PAGES * SUBBUF, 0);
	test_late("the next file is late", &t, 199 << 10, 75 * SUBBUF);
	test_late("it is later than the kernel's buffers have room for", &t, 200 << 10, CPUS * PAGES * SUBBUF);
	close(t.dirfd);
	clean = xasprintf("rm -rf %s", dir);
	if (system(clean))
		return 1;
	free(clean);
	return tap_done();
}
