/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares tracefs with what a kernel has after boot. */
#include "tracefs/state.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "tracefs/control.h"

struct reader {
	const struct tfs *t;
	const char *instance;	/* NULL = top level */
	struct state *s;
	struct buf text;	/* of the file that is looked at */
};

/* A control file and its value after boot; "|" between several that may be it. */
struct row {
	const char *file;
	const char *fresh;
	void (*look)(struct reader *r, const struct row *row);
};

static struct state_item *add_item(struct state *s, const char *what)
{
	struct state_item *it;

	s->v = xgrow(s->v, &s->cap, s->n + 1, sizeof(*s->v));
	it = &s->v[s->n++];
	*it = (struct state_item){ .what = xstrdup(what) };
	return it;
}

static void add_value(struct reader *r, const char *what, const char *value)
{
	strv_add(&add_item(r->s, what)->values, value);
}

/* What is not there, or not ours to read, is not told. */
static bool get(struct reader *r, const char *file)
{
	if (*file != '/')
		return !tfs_read(r->t, r->instance, file, &r->text, NULL);
	buf_reset(&r->text);
	return !io_read_at(AT_FDCWD, file, &r->text);
}

static char *canon_of(const char *file, const char *text)
{
	return control_of(file)->canon(text);
}

static bool one_of(const char *value, const char *fresh)
{
	size_t n = strlen(value), len;

	for (;; fresh += len + 1) {
		len = strcspn(fresh, "|");
		if (len == n && !strncmp(fresh, value, n))
			return true;
		if (!fresh[len])
			return false;
	}
}

/* --- kinds of files */

static void look_value(struct reader *r, const struct row *row)
{
	char *value;

	if (!get(r, row->file))
		return;
	value = canon_of(row->file, r->text.data);
	if (!one_of(value, row->fresh))
		add_value(r, row->file, value);
	free(value);
}

/*
 * "#### all functions enabled ####" and "no pid" stand for an empty list; below the first there may
 * be function commands.
 */
static void look_list(struct reader *r, const struct row *row)
{
	struct strv lines = {0};
	struct state_item *it = NULL;
	size_t i;

	if (!get(r, row->file))
		return;
	if (strncmp(r->text.data, "no pid", 6))
		strv_split(&lines, r->text.data, "\n");
	for (i = 0; i < lines.n; i++) {
		if (*lines.v[i] == '#')
			continue;
		it = it ? it : add_item(r->s, row->file);
		strv_add(&it->values, lines.v[i]);
	}
	strv_release(&lines);
}

/*
 * Where sched_clock is unstable the kernel itself takes the clock global, for the top level, at
 * boot; then its clock source is not the TSC either.
 */
static void look_clock(struct reader *r, const struct row *row)
{
	static const char source[] =
		"/sys/devices/system/clocksource/clocksource0/current_clocksource";
	char *now = io_line_at(AT_FDCWD, source);
	const struct row unstable = { row->file, "local|global", NULL };
	bool stable = r->instance || !now || !strcmp(now, "tsc");

	free(now);
	look_value(r, stable ? row : &unstable);
}

/* As many bits as there are CPUs: "ff,ffffffff". */
static void look_cpumask(struct reader *r, const struct row *row)
{
	size_t n = 0, bits = 0;
	const char *p;
	int *cpus;

	if (!get(r, row->file) || tfs_cpus(r->t, r->instance, &cpus, &n, NULL))
		return;
	free(cpus);
	for (p = r->text.data; *p; p++)
		if (*p != ',' && *p != '\n')
			bits += __builtin_popcountl(strtoul((char[]){ *p, '\0' }, NULL, 16));
	if (bits < n)
		look_value(r, row);
}

/*
 * 1408 KiB are rounded up to whole sub-buffers when they are allocated. "7" is a buffer that was
 * never used, on kernels that forget the size that it waits for.
 */
static bool is_fresh_size(struct reader *r, unsigned long kb)
{
	unsigned long room = tfs_subbuf_size(r->t, r->instance) - 16;
	unsigned long asked = 1408 * 1024, subbufs = (asked + room - 1) / room;

	return kb == 1408 || kb == subbufs * room / 1024 || (!r->instance && kb == 7);
}

static void cpu_sizes(struct reader *r, const char *what)
{
	struct state_item *it = NULL;
	char file[64], *line;
	size_t i, n;
	int *cpus;

	if (tfs_cpus(r->t, r->instance, &cpus, &n, NULL))
		return;
	for (i = 0; i < n; i++) {
		snprintf(file, sizeof(file), "per_cpu/cpu%d/buffer_size_kb", cpus[i]);
		line = tfs_line(r->t, r->instance, file);
		it = it ? it : add_item(r->s, what);
		strv_take(&it->values, xasprintf("cpu%d: %s", cpus[i], line));
		free(line);
	}
	free(cpus);
}

static void look_size(struct reader *r, const struct row *row)
{
	char *value;

	if (!get(r, row->file))
		return;
	value = canon_of(row->file, r->text.data);
	if (!strcmp(value, "X"))
		cpu_sizes(r, row->file);
	else if (!is_fresh_size(r, strtoul(value, NULL, 10)))
		add_value(r, row->file, value);
	free(value);
}

static void look_subbuf(struct reader *r, const struct row *row)
{
	char fresh[24];
	const struct row page = { row->file, fresh, NULL };

	snprintf(fresh, sizeof(fresh), "%ld", sysconf(_SC_PAGESIZE) / 1024);
	look_value(r, &page);
}

/* Reading takes nothing away; what it says is in the first lines. */
static void look_snapshot(struct reader *r, const struct row *row)
{
	struct buf path = {0};
	char head[4096];
	ssize_t n;
	int fd = openat(r->t->dirfd, tfs_path(&path, r->instance, row->file),
			O_RDONLY | O_CLOEXEC);

	buf_release(&path);
	if (fd < 0)
		return;
	n = read(fd, head, sizeof(head) - 1);
	close(fd);
	head[n > 0 ? n : 0] = '\0';
	if (n > 0 && !strstr(head, row->fresh))
		add_value(r, row->file, strstr(head, "Snapshot is allocated") ?
			  "allocated" : "allocated, holds records");
}

/* --- options */

/* On after boot; all others are off. An instance does not have those at the end. */
static const char *const options_on[] = {
	"annotate", "context-info", "function-trace", "funcgraph-cpu", "funcgraph-duration",
	"funcgraph-irqs", "funcgraph-overhead", "graph-time", "hash-ptr", "irq-info", "markers",
	"overwrite", "print-parent", "record-cmd", "sleep-time", "trace_printk",
	"copy_trace_marker", "trace_printk_dest",
};
enum { TOP_ONLY_ON = 2 };

static bool on_after_boot(const char *name, bool top)
{
	size_t i, n = sizeof(options_on) / sizeof(*options_on) - (top ? 0 : TOP_ONLY_ON);

	for (i = 0; i < n; i++)
		if (!strcmp(options_on[i], name))
			return true;
	return false;
}

static void list_folder(const struct reader *r, const char *folder, struct strv *names)
{
	struct buf path = {0};
	int fd = openat(r->t->dirfd, tfs_path(&path, r->instance, folder),
			O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *d;

	buf_release(&path);
	if (!dir && fd >= 0)
		close(fd);
	while (dir && (d = readdir(dir)))
		if (*d->d_name != '.')
			strv_add(names, d->d_name);
	if (dir)
		closedir(dir);
	strv_sort_unique(names);
}

static void look_options(struct reader *r, const struct row *row)
{
	struct state_item *it = NULL;
	struct strv names = {0};
	struct buf file = {0};
	size_t i;
	bool on;

	list_folder(r, row->file, &names);
	for (i = 0; i < names.n; i++) {
		buf_reset(&file);
		buf_printf(&file, "%s/%s", row->file, names.v[i]);
		if (!get(r, file.data))
			continue;
		on = *r->text.data == '1';
		if (on == on_after_boot(names.v[i], !r->instance))
			continue;
		it = it ? it : add_item(r->s, row->file);
		strv_take(&it->values, xasprintf("%s%s", on ? "" : "no", names.v[i]));
	}
	buf_release(&file);
	strv_release(&names);
}

/* --- events */

/* "events/SYSTEM/EVENT/FILE" of "system:event" */
static const char *event_file(struct buf *b, const char *event, const char *file)
{
	const char *colon = strchr(event, ':');

	buf_reset(b);
	buf_printf(b, "events/%.*s/%s/%s", (int)(colon - event), event, colon + 1, file);
	return b->data;
}

/* set_event also lists what a trigger holds ready ("0*"). */
static void look_events(struct reader *r, const struct row *row)
{
	struct state_item *it = NULL;
	struct strv names = {0};
	struct buf file = {0};
	size_t i;

	if (get(r, row->file))
		strv_split(&names, r->text.data, "\n");
	for (i = 0; i < names.n; i++) {
		if (strchr(names.v[i], ':') && *names.v[i] != ':' &&
		    get(r, event_file(&file, names.v[i], "enable")) && *r->text.data == '0')
			continue;
		it = it ? it : add_item(r->s, "events");
		strv_add(&it->values, names.v[i]);
	}
	buf_release(&file);
	strv_release(&names);
}

static void add_lines(struct reader *r, struct state_item **it, const char *what, const char *event)
{
	struct strv lines = {0};
	size_t i, n;

	strv_split(&lines, r->text.data, "\n");
	/* below a filter that was refused stand a caret and the reason */
	n = strcmp(what, "filter") || lines.n < 2 ? lines.n : 1;
	for (i = 0; i < n; i++) {
		if (*lines.v[i] == '#' || !strcmp(lines.v[i], "none"))
			continue;
		*it = *it ? *it : add_item(r->s, what);
		strv_take(&(*it)->values, xasprintf("%s: %s%s", event, lines.v[i],
						    n < lines.n ? " (refused)" : ""));
	}
	strv_release(&lines);
}

/* row->file is what each event has: "filter" or "trigger". */
static void look_each_event(struct reader *r, const struct row *row)
{
	struct state_item *it = NULL;
	struct strv events = {0};
	struct buf file = {0};
	size_t i;

	tfs_events(r->t, &events, NULL);
	for (i = 0; i < events.n; i++)
		if (strchr(events.v[i], ':') &&
		    get(r, event_file(&file, events.v[i], row->file)))
			add_lines(r, &it, row->file, events.v[i]);
	buf_release(&file);
	strv_release(&events);
}

/* --- content */

static void look_records(struct reader *r, const struct row *row)
{
	struct state_item *it = NULL;
	struct tfs_stats st;
	char *lost;
	size_t i, n;
	int *cpus;

	if (tfs_cpus(r->t, r->instance, &cpus, &n, NULL))
		return;
	for (i = 0; i < n; i++) {
		if (tfs_stats(r->t, r->instance, cpus[i], &st) || !(st.entries + st.overrun))
			continue;
		it = it ? it : add_item(r->s, row->file);
		lost = st.overrun ? xasprintf(", %" PRIu64 " overwritten", st.overrun) : NULL;
		strv_take(&it->values, xasprintf("cpu%d: %" PRIu64 "%s", cpus[i], st.entries,
						 lost ? lost : ""));
		free(lost);
	}
	free(cpus);
}

/*
 * The order of the output. saved_cmdlines_size is 128, and 6552 where the kernel says how many the
 * memory for 128 really holds.
 */
static const struct row of_each[] = {
	{ "current_tracer",         "nop",   look_value },
	{ "tracing_on",             "1",     look_value },
	{ "trace_clock",            "local", look_clock },
	{ "buffer_size_kb",         NULL,    look_size },
	{ "buffer_subbuf_size_kb",  NULL,    look_subbuf },
	{ "buffer_percent",         "50",    look_value },
	{ "tracing_cpumask",        "",      look_cpumask },
	{ "syscall_user_buf_size",  "63",    look_value },
	{ "set_ftrace_filter",      NULL,    look_list },
	{ "set_ftrace_notrace",     NULL,    look_list },
	{ "set_ftrace_pid",         NULL,    look_list },
	{ "set_ftrace_notrace_pid", NULL,    look_list },
	{ "set_event_pid",          NULL,    look_list },
	{ "set_event_notrace_pid",  NULL,    look_list },
	{ "set_event",              NULL,    look_events },
	{ "filter",                 NULL,    look_each_event },
	{ "trigger",                NULL,    look_each_event },
	{ "options",                NULL,    look_options },
	{ "snapshot",               "Snapshot is freed", look_snapshot },
	{ "records",                NULL,    look_records },
};

static const struct row of_kernel[] = {
	{ "set_graph_function",     NULL,    look_list },
	{ "set_graph_notrace",      NULL,    look_list },
	{ "max_graph_depth",        "0",     look_value },
	{ "tracing_thresh",         "0",     look_value },
	{ "saved_cmdlines_size",    "128|6552", look_value },
	{ "dynamic_events",         NULL,    look_list },
	{ "function_profile_enabled", "0",   look_value },
	{ "stack_trace_filter",     NULL,    look_list },
	{ "/proc/sys/kernel/stack_tracer_enabled",  "0", look_value },
	{ "/proc/sys/kernel/ftrace_enabled",        "1", look_value },
	{ "/proc/sys/kernel/ftrace_dump_on_oops",   "0", look_value },
	{ "/proc/sys/kernel/traceoff_on_warning",   "0", look_value },
	{ "/proc/sys/kernel/tracepoint_printk",     "0", look_value },
};

static void look_all(struct reader *r, const struct row *rows, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (rows[i].look)
			rows[i].look(r, &rows[i]);
}

int state_read(const struct tfs *t, const char *instance, struct state *s, struct ftr_error *err)
{
	struct reader r = { .t = t, .instance = instance && *instance ? instance : NULL, .s = s };

	*s = (struct state){ .instance = xstrdup(r.instance ? r.instance : "") };
	if (tfs_check_instance(t, r.instance, err))
		return -1;
	look_all(&r, of_each, sizeof(of_each) / sizeof(*of_each));
	if (!r.instance)
		look_all(&r, of_kernel, sizeof(of_kernel) / sizeof(*of_kernel));
	buf_release(&r.text);
	return 0;
}

void state_release(struct state *s)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		free(s->v[i].what);
		strv_release(&s->v[i].values);
	}
	free(s->v);
	free(s->instance);
	*s = (struct state){0};
}
