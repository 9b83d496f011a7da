/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr list tracers, options, clocks, instances and compressions. */
#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/list.h"
#include "file/packer.h"

#define NR(a) (sizeof(a) / sizeof(*(a)))

/* What a name stands for. */
struct meaning {
	const char *name, *text;
};

static const char *meaning_of(const struct meaning *v, size_t n, const char *name)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!strcmp(v[i].name, name))
			return v[i].text;
	return NULL;
}

static const struct column choice_columns[] = {
	{ "name", COL_TEXT, NULL }, { "current", COL_FLAG, NULL }, { "meaning", COL_TEXT, NULL },
};

/* @names become the listing's. */
static void fill_choices(struct listing *out, struct strv *names, const char *current,
			 const struct meaning *meanings, size_t nr_meanings)
{
	const char *row[3];
	size_t i;

	out->columns = choice_columns;
	out->nr_columns = NR(choice_columns);
	for (i = 0; i < names->n; i++) {
		row[0] = names->v[i];
		row[1] = strcmp(names->v[i], current) ? NULL : "current";
		row[2] = meaning_of(meanings, nr_meanings, names->v[i]);
		listing_add(out, row);
	}
	out->owned = *names;
}

static const struct meaning tracers[] = {
	{ "nop", "none: events alone" },
	{ "function", "calls of kernel functions" },
	{ "function_graph", "calls and returns of kernel functions, with durations" },
	{ "irqsoff", "the longest time with interrupts off" },
	{ "preemptoff", "the longest time without preemption" },
	{ "preemptirqsoff", "the longest time with either off" },
	{ "wakeup", "the longest way of a task from wakeup to CPU" },
	{ "wakeup_rt", "the same of real-time tasks" },
	{ "wakeup_dl", "the same of deadline tasks" },
	{ "blk", "requests of block devices" },
	{ "mmiotrace", "accesses to device memory" },
	{ "hwlat", "time that the hardware takes away" },
	{ "osnoise", "time that the system takes away from a CPU" },
	{ "timerlat", "how late timers wake threads" },
	{ "branch", "likely() and unlikely() that were wrong" },
};

int list_fill_tracers(struct list *l, struct listing *out, struct ftr_error *err)
{
	struct strv names = {0};
	char *current;

	if (tfs_tracers(&l->t, l->instance, &names, err))
		return -1;
	current = tfs_line(&l->t, l->instance, "current_tracer");
	fill_choices(out, &names, current, tracers, NR(tracers));
	free(current);
	return 0;
}

static const struct meaning clocks[] = {
	{ "local", "fast, of each CPU: may differ by some us between CPUs" },
	{ "global", "in order over all CPUs, slower" },
	{ "counter", "no time: counts records" },
	{ "uptime", "jiffies since boot" },
	{ "perf", "the clock of perf" },
	{ "mono", "CLOCK_MONOTONIC" },
	{ "mono_raw", "CLOCK_MONOTONIC_RAW: not adjusted" },
	{ "boot", "CLOCK_BOOTTIME: goes on while suspended" },
	{ "tai", "CLOCK_TAI: wall-clock time without leap seconds" },
	{ "x86-tsc", "cycles of the processor" },
	{ "ppc-tb", "ticks of the time base" },
};

int list_fill_clocks(struct list *l, struct listing *out, struct ftr_error *err)
{
	struct strv names = {0};
	char *current = NULL;

	if (tfs_clocks(&l->t, l->instance, &names, &current, err))
		return -1;
	fill_choices(out, &names, current, clocks, NR(clocks));
	free(current);
	return 0;
}

/* --- options */

/* Nothing in tracefs says whose an option is. */
static const struct meaning owners[] = {
	{ "funcgraph-*", "function_graph" }, { "sleep-time", "function_graph" },
	{ "graph-time", "function_graph" }, { "func_stack_trace", "function" },
	{ "func-no-repeats", "function" }, { "func-args", "function" }, { "blk_*", "blk" },
	{ "test_nop_*", "nop" },
};

/* The place in trace_options where those of the current tracer begin, behind everybody's. */
static size_t first_own(const struct strv *words)
{
	size_t i, k;

	for (i = 0; i < words->n; i++)
		for (k = 0; k < NR(owners); k++)
			if (strcmp(owners[k].name, "graph-time") &&
			    !fnmatch(owners[k].name, words->v[i], 0))
				return i;
	return words->n;
}

/* graph-time became everybody's at some time: then it stands before the current tracer's. */
static const char *option_owner(const struct strv *words, const char *option)
{
	size_t i, end = first_own(words);

	for (i = 0; i < end; i++)
		if (!strcmp(words->v[i], option))
			return NULL;
	for (i = 0; i < NR(owners); i++)
		if (!fnmatch(owners[i].name, option, 0))
			return owners[i].text;
	return NULL;
}

/* Those of all tracers have files, trace_options has the current one's. */
static int option_files(struct list *l, struct strv *names, struct ftr_error *err)
{
	struct buf path = {0};
	int fd = openat(l->t.dirfd, tfs_path(&path, l->instance, "options"),
			O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	int ret = 0;

	if (!dir)
		ret = err_sys(err, "cannot list '%s/%s'", l->t.path, path.data);
	while (dir && (e = readdir(dir)))
		if (e->d_name[0] != '.')
			strv_add(names, e->d_name);
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
	buf_release(&path);
	return ret;
}

static bool option_on(const struct list *l, const char *all, const char *name)
{
	struct strv words = {0};
	char *file = xasprintf("options/%s", name), *line = tfs_line(&l->t, l->instance, file);
	bool on = !strcmp(line, "1");

	if (!*line) {
		strv_split(&words, all, "\n");
		on = strv_has(&words, name);
		strv_release(&words);
	}
	free(line);
	free(file);
	return on;
}

int list_fill_options(struct list *l, struct listing *out, struct ftr_error *err)
{
	static const struct column columns[] = {
		{ "option", COL_TEXT, NULL }, { "value", COL_TEXT, NULL },
		{ "tracer", COL_TEXT, NULL },
	};
	struct strv words = {0};
	struct buf all = {0};
	const char *row[3];
	int ret = -1;
	size_t i;

	out->columns = columns;
	out->nr_columns = NR(columns);
	if (tfs_read(&l->t, l->instance, "trace_options", &all, err) ||
	    tfs_options(&l->t, l->instance, &words, err) ||
	    /* an instance's trace_options names some that are of the top level alone */
	    (!l->instance && tfs_options(&l->t, NULL, &out->owned, err)) ||
	    option_files(l, &out->owned, err))
		goto out;
	strv_sort_unique(&out->owned);
	for (i = 0; i < out->owned.n; i++) {
		row[0] = out->owned.v[i];
		row[1] = option_on(l, all.data, row[0]) ? "on" : "off";
		row[2] = option_owner(&words, row[0]);
		listing_add(out, row);
	}
	ret = 0;
out:
	strv_release(&words);
	buf_release(&all);
	return ret;
}

/* --- instances */

static const char *own_number(struct listing *out, char *line)
{
	char *end = line + strspn(line, "0123456789");

	*end = '\0';
	return *listing_own(out, line) ? line : NULL;
}

int list_fill_instances(struct list *l, struct listing *out, struct ftr_error *err)
{
	static const struct column columns[] = {
		{ "instance", COL_TEXT, NULL }, { "tracer", COL_TEXT, NULL },
		{ "tracing", COL_TEXT, NULL }, { "size_kb", COL_NUMBER, "KiB" },
	};
	struct strv names = {0};
	const char *row[4];
	char *on;
	size_t i;

	out->columns = columns;
	out->nr_columns = NR(columns);
	if (tfs_instances(&l->t, &names, err))
		return -1;
	for (i = 0; i < names.n; i++) {
		on = tfs_line(&l->t, names.v[i], "tracing_on");
		row[0] = listing_own(out, xstrdup(names.v[i]));
		row[1] = listing_own(out, tfs_line(&l->t, names.v[i], "current_tracer"));
		row[2] = !strcmp(on, "1") ? "on" : "off";
		row[3] = own_number(out, tfs_line(&l->t, names.v[i], "buffer_total_size_kb"));
		listing_add(out, row);
		free(on);
	}
	strv_release(&names);
	return 0;
}

int list_fill_compressions(struct list *l, struct listing *out, struct ftr_error *err)
{
	static const struct column columns[] = {
		{ "name", COL_TEXT, NULL }, { "read", COL_FLAG, NULL }, { "write", COL_FLAG, NULL },
	};
	static const char *const rows[][3] = {
		{ "none", "read", "write" }, { "zlib", "read", "write" },
		{ "zstd", "read", "write" },
	};
	size_t i;

	(void)l;
	(void)err;
	out->columns = columns;
	out->nr_columns = NR(columns);
	for (i = 0; i < NR(rows); i++)
		if (packing_known(rows[i][0]))
			listing_add(out, rows[i]);
	return 0;
}
