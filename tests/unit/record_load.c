/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much comes: sums of the kernel's counters, from files that look like its own. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fake_file.h"
#include "record/cpu/buffer_load.h"
#include "record/flight.h"
#include "tap.h"

static char dir[] = "/tmp/ftr-load.XXXXXX";

static void put(const char *instance, int cpu, const char *file, const char *text)
{
	char *path = xasprintf("%s/per_cpu/cpu%d/%s", instance, cpu, file);

	fake_file(dir, path, text, strlen(text));
	free(path);
}

/* As trace_seq has them; @entries are those that were not read. */
static void stats(const char *instance, int cpu, unsigned int entries, unsigned int read,
		  unsigned int overrun, unsigned int dropped, const char *oldest)
{
	char *text = xasprintf("entries: %u\noverrun: %u\ncommit overrun: 1\nbytes: %u\n"
			       "oldest event ts: %s\nnow ts:    50.000000\n"
			       "dropped events: %u\nread events: %u\n",
			       entries, overrun, entries * 100, oldest, dropped, read);

	put(instance, cpu, "stats", text);
	put(instance, cpu, "buffer_size_kb", "40\n");
	free(text);
}

static void lost(const struct buffer_load *l, bool overrun, const char *want, const char *name)
{
	struct buf out = {0};

	buf_add(&out, "", 0);
	load_describe_lost(l, overrun, &out);
	TAP_OK(!strcmp(out.data, want), name);
	if (strcmp(out.data, want))
		printf("# %s\n", out.data);
	buf_release(&out);
}

static void sums(struct buffer_load *l)
{
	struct load_sum s;

	load_sum(l, NULL, &s);
	TAP_EQ(s.events, 0, "nothing has come yet, whatever the counters say");
	TAP_EQ(s.room, 3 * 40 * 1024, "room of all");
	stats("", 0, 110, 40, 20, 3, "   40.000000");
	stats("", 1, 204, 5, 0, 0, "    0.000000");
	stats("/instances/x", 0, 7, 0, 0, 2, "   30.000000");
	load_read(l);
	load_sum(l, NULL, &s);
	TAP_EQ(s.events, 10 + 30 + 15 + 200 + 7, "events: waiting, read and overwritten");
	TAP_EQ(s.overrun, 15, "overwritten ones");
	TAP_EQ(s.dropped, 3 + 2, "dropped ones");
	TAP_EQ(s.waiting, 32100, "bytes that wait");
	TAP_EQ(s.percent, 49, "the fullest: 20,400 of 40,960 bytes");
	load_sum(l, "x", &s);
	TAP_EQ(s.events, 7, "of one instance");
	load_sum(l, "", &s);
	TAP_EQ(s.events, 255, "of the top level");
	/* 240 events that are there have 31,400 + 16,600 bytes: 200 each */
	TAP_EQ(load_bytes(&s, 16600), 48000 + 15 * 200, "overwritten events count as the others");
}

static void words(struct buffer_load *l)
{
	int cpu;

	lost(l, true, "CPU 0 (18), CPU 0 of 'x' (2)", "lost: the worst first");
	lost(l, false, "CPU 0 (3), CPU 0 of 'x' (2)", "lost: without what was overwritten");
	/* emptied: all counters begin anew */
	stats("", 0, 0, 0, 2, 0, "    0.000000");
	load_read(l);
	lost(l, true, "CPU 0 (2), CPU 0 of 'x' (2)", "lost: counters that were reset");
	for (cpu = 0; cpu < 8; cpu++)
		stats("/instances/y", cpu, 0, 0, 0, 0, "    0.000000");
	load_add(l, "y");
	for (cpu = 0; cpu < 8; cpu++)
		stats("/instances/y", cpu, 0, 0, 1000 + cpu, 0, "    0.000000");
	load_read(l);
	lost(l, true, "CPU 7 of 'y' (1,007), CPU 6 of 'y' (1,006), CPU 5 of 'y' (1,005), "
	     "CPU 4 of 'y' (1,004) and 6 others", "lost: the worst four of many");
}

/* The kept time counts from the end of the recording, which was just now. */
static void kept(struct buffer_load *l)
{
	struct timespec ts;
	uint64_t now, ns;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	now = ts.tv_sec * 1000000000ull + ts.tv_nsec;
	ns = flight_kept_ns(l, now);
	TAP_OK(ns > 9900000000ull && ns <= 10000000000ull, "kept: 10 s, of the CPU that overwrote");
	ns = flight_kept_ns(l, now - 3000000000ull);
	TAP_OK(ns > 6900000000ull && ns <= 7000000000ull, "kept: less what passed since the end");
	stats("", 0, 110, 40, 21, 3, "  4242424242");
	TAP_EQ(flight_kept_ns(l, now), 0, "kept: not known by a clock that counts no time");
}

int main(void)
{
	struct buffer_load l = {0};
	struct tfs t = {0};
	char *command;

	if (!mkdtemp(dir))
		return 1;
	t.path = dir;
	t.dirfd = open(dir, O_RDONLY | O_DIRECTORY);
	l.t = &t;
	stats("", 0, 100, 10, 5, 0, "    1.000000");
	stats("", 1, 4, 5, 0, 0, "    1.000000");
	stats("/instances/x", 0, 0, 0, 0, 0, "    0.000000");
	load_add(&l, NULL);
	load_add(&l, "x");
	sums(&l);
	kept(&l);
	words(&l);
	load_release(&l);
	close(t.dirfd);
	command = xasprintf("rm -r '%s'", dir);
	if (system(command))
		return 1;
	free(command);
	return tap_done();
}
