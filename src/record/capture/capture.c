/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Captures the metadata of a trace file: before tracing, in a thread meanwhile, and at the end. */
#include "record/capture/capture.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/io.h"
#include "base/limits.h"
#include "base/now.h"
#include "file/read/dat.h"
#include "record/capture/clock_offset.h"
#include "record/setup/worker_thread.h"
#include "record/symbols/kvalues.h"
#include "tracefs/state/setting_table.h"
#include "tracefs/verbs/snapshot_buffer.h"

enum {
	WATCH_MS = 200,
	KALLSYMS_BYTES = 16 << 20,	/* larger than the file: a text that grows is copied */
	FEW_TASKS = 4096,		/* limit up to which names are read one by one */
	LATENCY_READ_BYTES = 64 << 10,
	LATENCY_HEADS = LIMIT_BUFFERS * (LIMIT_NAME + 8),
};

struct meta_capture {
	struct captured_meta got;		/* must be the first member: captured_free() */

	bool     all_formats;		/* any event may be in the data: read every format */
	bool     wants_btf;
	struct capture_hooks hooks;

	/* the thread owns these while it runs, and the formats and symbols in ->got */
	struct buf state;		/* modules and dynamic events of the last reading */
	struct buf values;		/* text of kvalues_read() */
	struct strv modules;		/* "NAME SIZE ADDRESS" of every module seen so far */
	struct worker_thread worker;
};

/* --- keys */

static struct meta_key *find_key(const struct meta_keys *k, const char *name)
{
	size_t i;

	for (i = 0; i < k->n; i++)
		if (!strcmp(k->v[i].name, name))
			return &k->v[i];
	return NULL;
}

void keys_set(struct meta_keys *k, const char *name, const char *value)
{
	struct meta_key *at = find_key(k, name);

	if (!at) {
		k->v = xgrow(k->v, &k->cap, k->n + 1, sizeof(*k->v));
		at = &k->v[k->n++];
		*at = (struct meta_key){ .name = xstrdup(name) };
	}
	free(at->value);
	at->value = xstrdup(value);
}

const char *keys_get(const struct meta_keys *k, const char *name)
{
	const struct meta_key *at = find_key(k, name);

	return at ? at->value : NULL;
}

char *keys_name_of(const char *what, const char *instance)
{
	return xasprintf("%s%s%s", what, *instance ? "." : "", instance);
}

void keys_text(const struct meta_keys *k, struct buf *out)
{
	const char *p;
	size_t i;

	for (i = 0; i < k->n; i++) {
		buf_printf(out, "%s=", k->v[i].name);
		for (p = k->v[i].value; *p; p++) {
			if (*p == '\n')
				buf_addstr(out, "\\n");
			else if (*p == '\\')
				buf_addstr(out, "\\\\");
			else
				buf_addch(out, *p);
		}
		buf_addch(out, '\n');
	}
}

void keys_release(struct meta_keys *k)
{
	size_t i;

	for (i = 0; i < k->n; i++) {
		free(k->v[i].name);
		free(k->v[i].value);
	}
	free(k->v);
	*k = (struct meta_keys){0};
}

void capture_note(struct meta_capture *c, const char *key, const char *value)
{
	keys_set(&c->got.headers.keys, key, value);
}

void capture_note_of(struct meta_capture *c, const char *what, const char *name, const char *value)
{
	char *key = keys_name_of(what, name);

	if (!keys_get(&c->got.headers.keys, key))
		capture_note(c, key, value);
	free(key);
}

/* Adds a note to ->got.notes: a part of the metadata that is missing, and the reason. */
static void __attribute__((format(printf, 2, 3)))
capture_note_missing(struct meta_capture *c, const char *fmt, ...)
{
	struct buf b = {0};
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&b, fmt, ap);
	va_end(ap);
	strv_take(&c->got.notes, buf_take(&b));
}

/* Reads a file of tracefs to @out, which is empty, but not NULL, if the file can't be read. */
static void capture_text(const struct meta_capture *c, const char *instance, const char *file,
			 struct buf *out)
{
	if (tfs_read(c->got.headers.t, instance, file, out, NULL))
		buf_reset(out);
	buf_add(out, "", 0);
}

/* --- modules and dynamic events, in the thread or at the end */

/*
 * Appends the state of modules and dynamic events. If it changes, formats and symbols are read
 * again. It has the state of each module, which is listed before it is live, and the address, as
 * the module may have been replaced meanwhile.
 */
static void read_state(const struct meta_capture *c, struct buf *out)
{
	struct buf modules = {0}, events = {0};
	struct strv lines = {0}, f = {0};
	size_t i;

	buf_add(out, "", 0);
	if (!io_read_at(AT_FDCWD, "/proc/modules", &modules))
		strv_split(&lines, modules.data, "\n");
	for (i = 0; i < lines.n; i++) {
		strv_split(&f, lines.v[i], " ");
		if (f.n >= 6)
			buf_printf(out, "%s %s %s\n", f.v[0], f.v[4], f.v[5]);
		strv_release(&f);
	}
	capture_text(c, NULL, "dynamic_events", &events);
	buf_addstr(out, events.data);
	strv_release(&lines);
	buf_release(&modules);
	buf_release(&events);
}

/* Adds the modules to ->modules, as kallsyms has the functions of modules, but not their ends. */
static void note_modules(struct meta_capture *c)
{
	struct strv lines = {0}, f = {0};
	struct buf text = {0};
	size_t i;
	char *line;

	if (!io_read_at(AT_FDCWD, "/proc/modules", &text))
		strv_split(&lines, text.data, "\n");
	for (i = 0; i < lines.n; i++) {
		strv_split(&f, lines.v[i], " ");
		line = f.n < 6 ? NULL : xasprintf("%s %s %s", f.v[0], f.v[1], f.v[5]);
		if (line && !strv_has(&c->modules, line))
			strv_add(&c->modules, line);
		free(line);
		strv_release(&f);
	}
	strv_release(&lines);
	buf_release(&text);
}

/* Returns true if a line of @old is missing in @now. An event may then be back with another id. */
static bool lost_line(const struct buf *old, const struct buf *now)
{
	struct strv was = {0}, is = {0};
	bool lost = false;
	size_t i;

	if (old->len)
		strv_split(&was, old->data, "\n");
	strv_split(&is, now->data, "\n");
	for (i = 0; i < was.n && !lost; i++)
		lost = !strv_has(&is, was.v[i]);
	strv_release(&was);
	strv_release(&is);
	return lost;
}

static bool args_wanted(const struct tfs *t, const char *instance)
{
	struct buf text = {0};
	struct strv options = {0};
	bool on;

	if (!tfs_read(t, instance, "trace_options", &text, NULL))
		strv_split(&options, text.data, "\n");
	on = strv_has(&options, "func-args") || strv_has(&options, "funcgraph-args");
	strv_release(&options);
	buf_release(&text);
	return on;
}

/*
 * Reads the BTF of new modules if func-args or funcgraph-args is set anywhere: the kernel drops it
 * when a module is unloaded.
 */
static void capture_protos(struct meta_capture *c)
{
	struct strv instances = {0};
	bool wanted = args_wanted(c->got.headers.t, NULL);
	size_t i;

	if (!wanted)
		tfs_instances(c->got.headers.t, &instances, NULL);
	for (i = 0; i < instances.n && !wanted; i++)
		wanted = args_wanted(c->got.headers.t, instances.v[i]);
	if (wanted)
		protos_update(&c->got.protos);
	strv_release(&instances);
}

/*
 * Reads everything that modules and dynamic events change, and makes @state the last known state;
 * *state is empty afterwards. Formats of events that existed at the start and are not enabled are
 * read later, if the data has their records: captured_read_formats().
 */
static void capture_state(struct meta_capture *c, struct buf *state)
{
	const struct buf *last = &c->got.symbols.h.last;
	struct buf kallsyms = {0}, printk = {0};
	bool again = lost_line(&c->state, state);
	const struct module_event *events;
	int fd = -1;
	uint64_t ns;
	size_t n;

	note_modules(c);
	buf_reserve(&kallsyms, KALLSYMS_BYTES);
	if (!io_read_at(AT_FDCWD, "/proc/kallsyms", &kallsyms)) {
		ns = now_ns();
		modlog_read(c->got.modlog);
		events = modlog_events(c->got.modlog, &n);
		symtimes_note(&c->got.symtimes, events, n, last, &kallsyms, ns);
		symbols_update(&c->got.symbols, &kallsyms);
	}
	buf_release(&kallsyms);
	/* only root may open it, and not under lockdown: without values their names are printed */
	if (!c->values.len && last->len && sizeof(long) == 8)
		fd = open("/proc/kcore", O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		buf_reset(&c->values);
		kvalues_read(fd, last->data, last->len, &c->values);
		close(fd);
	}
	if (c->all_formats || c->state.data)
		formats_read_all(&c->got.headers.formats, c->got.headers.t, again);
	capture_text(c, NULL, "printk_formats", &printk);
	history_update(&c->got.printk, &printk, NULL);
	capture_protos(c);
	buf_release(&c->state);
	c->state = *state;
	*state = (struct buf){0};
}

static bool same_state(const struct buf *a, const struct buf *b)
{
	return a->len == b->len && (!a->len || !memcmp(a->data, b->data, a->len));
}

/*
 * Runs in the thread. It reads everything at once, and again after each change. A change must last
 * from one reading to the next before it counts, as modules are loaded in groups.
 */
static void watch_run(void *arg)
{
	struct meta_capture *c = arg;
	struct buf last = {0}, now = {0};
	bool changed;

	read_state(c, &last);
	if (!c->state.len || !same_state(&last, &c->state))
		capture_state(c, &last);
	if (c->got.symbols.readings && c->hooks.on_symbols)
		c->hooks.on_symbols(c->hooks.ctx, &c->got.symbols);
	while (!worker_wait(&c->worker, WATCH_MS)) {
		modlog_read(c->got.modlog);
		read_state(c, &now);
		changed = !same_state(&now, &c->state) && same_state(&now, &last);
		buf_release(&last);
		if (changed) {
			capture_state(c, &now);
		} else {
			last = now;
			now = (struct buf){0};
		}
	}
	buf_release(&last);
}

/*
 * The thread may not have seen the last change, or may never have run. printk_formats is read
 * without a change, too: strings of trace_printk() can be registered at any time.
 */
void capture_read(struct meta_capture *c)
{
	struct buf now = {0}, printk = {0};

	modlog_read(c->got.modlog);
	read_state(c, &now);
	if (!same_state(&now, &c->state) || !c->got.headers.formats.n || !c->got.printk.last.data) {
		capture_state(c, &now);
	} else {
		capture_text(c, NULL, "printk_formats", &printk);
		history_update(&c->got.printk, &printk, NULL);
		capture_protos(c);
	}
	buf_release(&now);
}

/* --- start */

struct meta_capture *capture_new(const struct tfs *t, const struct strv *enabled,
				 struct ftr_error *err)
{
	struct meta_capture *c = xcalloc(1, sizeof(*c));
	struct capture_headers *headers = &c->got.headers;
	struct strv naming = {0};
	struct utsname u;
	size_t i;

	c->got.headers.t = t;
	if (tfs_read(t, NULL, "events/header_page", &headers->header_page, err) ||
	    tfs_read(t, NULL, "events/header_event", &headers->header_event, err))
		goto fail;
	if (getrandom(&c->got.trace_id, sizeof(c->got.trace_id), 0) != sizeof(c->got.trace_id))
		c->got.trace_id = (uint64_t)getpid() << 32;
	if (!uname(&u))
		headers->uname = xasprintf("%s %s %s %s", u.sysname, u.nodename, u.release,
					   u.machine);
	formats_read_system(&headers->formats, t, "ftrace", false);
	for (i = 0; enabled && i < enabled->n; i++)
		if (formats_read(&headers->formats, t, enabled->v[i]) && errno != ENOENT)
			capture_note_missing(c, "cannot read the format of '%s': %m",
					     enabled->v[i]);
	c->all_formats = !enabled;
	if (enabled)
		walk_events(&naming);
	for (i = 0; i < naming.n; i++)
		formats_read(&headers->formats, t, naming.v[i]);
	strv_release(&naming);
	comms_add_proc(&c->got.comms, COMM_PROC_START);
	return c;
fail:
	capture_free(c);
	return NULL;
}

const struct capture_headers *capture_headers(const struct meta_capture *c)
{
	return &c->got.headers;
}

int capture_start(struct meta_capture *c, const struct capture_hooks *hooks, struct ftr_error *err)
{
	if (hooks)
		c->hooks = *hooks;
	if (c->got.maps && procmaps_start(c->got.maps, err))
		return -1;
	if (!c->got.modlog)
		c->got.modlog = modlog_new(c->got.headers.t);
	return worker_start(&c->worker, "ftr-meta", 10, watch_run, c, "reads formats and symbols",
			    err);
}

void capture_want_maps(struct meta_capture *c)
{
	if (!c->got.maps)
		c->got.maps = procmaps_new();
}

void capture_follow(struct meta_capture *c, const pid_t *pids, size_t n, bool children)
{
	if (c->got.maps)
		procmaps_follow(c->got.maps, pids, n, children);
}

void capture_want_btf(struct meta_capture *c)
{
	c->wants_btf = true;
}

/* Notes the time of day and the clock of a buffer at one moment, as "@what" or "@what.@name". */
static void capture_wall(struct meta_capture *c, const char *what, const char *name,
			 const char *instance)
{
	struct buf text = {0};

	if (!wall_read(c->got.headers.t, instance, &text))
		capture_note_of(c, what, name, text.data);
	buf_release(&text);
}

void capture_begin(struct meta_capture *c, const char *name, const char *instance)
{
	capture_wall(c, "wall_begin", name, instance);
}

void capture_comm(struct meta_capture *c, int pid, const char *comm)
{
	comms_set(&c->got.comms, pid, COMM_CAPTURED, 0, comm, strnlen(comm, 15));
}

void capture_name_tasks(struct meta_capture *c)
{
	comms_add_proc(&c->got.comms, COMM_PROC_START);
}

void capture_date(struct meta_capture *c, int64_t offset_us)
{
	c->got.has_date = true;
	c->got.date_us = offset_us;
}

void capture_tsc2nsec(struct meta_capture *c, const struct tsc_scale *scale)
{
	c->got.has_tsc = true;
	c->got.tsc = *scale;
}

/* --- pids and CPUs that a buffer records */

static void note_filter(struct meta_capture *c, const char *what, const char *name,
			const char *value)
{
	char *key = keys_name_of(what, name);

	capture_note(c, key, value);
	free(key);
}

/*
 * Notes a pid list, which has a pid on each line. If there is no list the file has no digits
 * (p_start() in trace_events.c). If all tasks of the list have ended it is empty, and nothing is
 * recorded.
 */
static void note_pids(struct meta_capture *c, const char *name, const char *instance,
		      const char *file)
{
	const struct tfs *t = capture_headers(c)->t;
	struct buf text = {0};

	if (tfs_exists(t, instance, file) && !tfs_read(t, instance, file, &text, NULL) &&
	    text.len && isdigit((unsigned char)text.data[0])) {
		while (text.len && text.data[text.len - 1] == '\n')
			text.data[--text.len] = '\0';
		for (size_t i = 0; i < text.len; i++)
			if (text.data[i] == '\n')
				text.data[i] = ' ';
		note_filter(c, file, name, text.data);
	}
	buf_release(&text);
}

void filters_note(struct meta_capture *c, const char *name, const char *instance)
{
	const struct tfs *t = capture_headers(c)->t;
	char *fork = tfs_line(t, instance, "options/event-fork");
	char *mask = tfs_line(t, instance, "tracing_cpumask"), *full = setting_boot_cpumask(t,
			      instance);
	const char *digits = mask + strspn(mask, "0,");

	note_pids(c, name, instance, DAT_EVENT_PID_KEY);
	note_pids(c, name, instance, DAT_EVENT_NOTRACE_PID_KEY);
	if (*fork == '1')
		note_filter(c, DAT_EVENT_FORK_KEY, name, fork);
	if (full && *mask && strcmp(digits, full))
		note_filter(c, DAT_CPUMASK_KEY, name, *digits ? digits : "0");
	free(fork);
	free(mask);
	free(full);
}

/*
 * --- the longest latency
 *
 * wakeup, irqsoff and similar tracers swap the buffer with the snapshot whenever a latency is
 * longer than all before. The file trace then shows the snapshot, from the start of that latency on
 * (iter->trace->print_max in __tracing_open(), kernel/trace/trace.c). There is no other way to it:
 * snapshot_raw is busy while the tracer is set, and empty after it.
 */

/*
 * Reads the text of the file trace up to @most bytes, as whole lines. The limit is needed because
 * functions may fill a buffer.
 */
static void read_latency_text(int fd, size_t most, struct tracer_latency *l)
{
	struct buf *text = &l->text;
	const char *nl;
	ssize_t n;

	do {
		buf_reserve(text, LATENCY_READ_BYTES);
		n = read(fd, text->data + text->len, LATENCY_READ_BYTES);
		text->len += n > 0 ? n : 0;
	} while (n > 0 && text->len <= most);
	l->cut = text->len > most;
	if (l->cut) {
		nl = memrchr(text->data, '\n', most);
		text->len = nl ? (size_t)(nl - text->data) + 1 : most;
	}
}

void latency_read(const struct tfs *t, const char *instance, size_t most,
		  struct tracer_latency *out)
{
	const char *p, *end, *nl;
	struct buf path = {0};
	int fd;

	*out = (struct tracer_latency){0};
	if (!snapshot_is_tracers(t, instance))
		return;
	out->tracer = tfs_line(t, instance, "current_tracer");
	out->max = tfs_line(t, instance, "tracing_max_latency");
	fd = openat(t->dirfd, tfs_path(&path, instance, "trace"), O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		read_latency_text(fd, most, out);
		close(fd);
	}
	/* without a measurement there are only comments */
	end = out->text.data + out->text.len;
	for (p = out->text.data; p < end && !out->measured; p = nl + 1) {
		nl = memchr(p, '\n', end - p);
		if (!nl)
			nl = end;
		out->measured = nl > p && *p != '#';
	}
	buf_release(&path);
}

void latency_add(struct buf *b, const struct tracer_latency *l, const char *name)
{
	if (!l->measured)
		return;
	buf_printf(b, ", max latency %s us", *l->max ? l->max : "?");
	if (*name)
		buf_printf(b, " of '%s'", name);
}

void latency_release(struct tracer_latency *l)
{
	free(l->tracer);
	free(l->max);
	buf_release(&l->text);
	*l = (struct tracer_latency){0};
}

/* --- the end, while tracefs still has the settings of the recording */

char *capture_clock_name(const char *text)
{
	const char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;

	return close ? xstrndup(open + 1, close - open - 1) : xstrdup("");
}

static uint64_t stats_lost(const struct tfs_stats *st, bool flight)
{
	return (flight ? 0 : st->overrun) + st->commit_overrun + st->dropped;
}

/*
 * Reads the CPUSTAT text of each CPU, and the number of events lost since the recorder was made, by
 * the kernel's counters.
 */
static void capture_stats(struct meta_capture *c, struct captured_buffer *o, const char *instance,
			  bool none)
{
	const struct recorder_cpu *cpus;
	struct buf text = {0}, b = {0};
	struct tfs_stats st;
	uint64_t was, is;
	size_t i, n;
	char *file;

	cpus = recorder_cpus(o->rec, &n);
	o->lost = xcalloc(n, sizeof(*o->lost));
	o->overwritten = xcalloc(n, sizeof(*o->overwritten));
	for (i = 0; i < n && !none; i++) {
		file = xasprintf("per_cpu/cpu%d/stats", cpus[i].cpu);
		capture_text(c, instance, file, &text);
		buf_printf(&b, "CPU: %d\n%s", cpus[i].cpu, text.data);
		strv_take(&o->stats, buf_take(&b));
		free(file);
		if (cpus[i].left)
			st = cpus[i].after;
		else if (tfs_stats(c->got.headers.t, instance, cpus[i].cpu, &st))
			continue;
		was = stats_lost(&cpus[i].before, o->flight);
		is = stats_lost(&st, o->flight);
		/* if the number is smaller the buffer was reset in between */
		o->lost[i] = is >= was ? is - was : is;
		o->overwritten[i] = o->flight ? st.overrun : 0;
	}
	buf_release(&text);
}

/*
 * Notes a counter of each CPU. Lost events are counted here as well as in the sub-buffers, which
 * may have no room for the count. In the sub-buffers overwritten events can't be distinguished from
 * lost ones.
 */
static void note_counts(struct meta_capture *c, const struct captured_buffer *o, const char *key,
			const uint64_t *counts)
{
	const struct recorder_cpu *cpus;
	struct buf text = {0};
	size_t i, n;

	cpus = recorder_cpus(o->rec, &n);
	for (i = 0; i < n; i++)
		if (counts[i])
			buf_printf(&text, "%s%d:%" PRIu64, text.len ? " " : "", cpus[i].cpu,
				   counts[i]);
	if (text.len)
		capture_note_of(c, key, o->name, text.data);
	buf_release(&text);
}

/*
 * Reads the text of a latency tracer, which swaps its buffers. LIMIT_BYTES_LATENCY is the limit for
 * the texts of all buffers together.
 */
static void capture_latency(struct meta_capture *c, struct captured_buffer *o, const char *instance)
{
	size_t most = LIMIT_BYTES_LATENCY - LATENCY_HEADS;
	struct tracer_latency *l = &o->latency;
	const struct captured_buffer *other;

	for (other = c->got.bufs; other < o; other++)
		most -= other->latency.text.len;
	latency_read(c->got.headers.t, instance, most, l);
	if (!l->tracer)
		return;
	capture_note_of(c, DAT_LATENCY_KEY, o->name, l->tracer);
	if (!l->measured)
		capture_note_missing(c, "tracer '%s' measured no latency", l->tracer);
	else if (*l->max)
		capture_note_of(c, "max_latency", o->name, l->max);
	if (l->cut)
		capture_note_missing(c, "there is no room for all of the text of tracer '%s': it "
				     "ends early", l->tracer);
}

static void capture_buffer(struct meta_capture *c, struct captured_buffer *o,
			   const struct recorded_buffer *from)
{
	struct buf options = {0};
	const char *instance;
	char *tracer, *p;

	o->name = xstrdup(from->name ? from->name : "");
	instance = from->instance ? from->instance : o->name;
	o->rec = from->rec;
	o->flight = from->flight;
	capture_text(c, instance, "trace_clock", &o->clock_text);
	o->clock = capture_clock_name(o->clock_text.data);
	tracer = tfs_line(c->got.headers.t, instance, "current_tracer");
	capture_note_of(c, "tracer", o->name, tracer ? tracer : "");
	free(tracer);
	capture_note_of(c, "clock", o->name, o->clock);
	if (from->earlier_boot)
		capture_note_missing(c, "no time of day for the events of '%s': they may be from "
				     "an earlier boot", o->name);
	else
		capture_wall(c, "wall_end", o->name, instance);
	capture_text(c, instance, "trace_options", &options);
	for (p = options.data; *p; p++)
		if (*p == '\n')
			*p = p[1] ? ' ' : '\0';
	capture_note_of(c, "trace_options", o->name, options.data);
	buf_release(&options);
	capture_latency(c, o, instance);
	capture_stats(c, o, instance, from->no_stats);
	note_counts(c, o, "lost", o->lost);
	if (!from->swaps)
		note_counts(c, o, "overwritten", o->overwritten);
}

/* Notes the lines of a file as one line, with semicolons, unless the file is empty. */
static void note_lines(struct meta_capture *c, const char *key, const char *file)
{
	struct buf text = {0};
	char *nl;

	capture_text(c, NULL, file, &text);
	for (nl = text.data; (nl = strchr(nl, '\n')); )
		*nl = nl[1] ? ';' : '\0';
	if (text.len)
		capture_note(c, key, text.data);
	buf_release(&text);
}

static void capture_tasks(struct meta_capture *c)
{
	const struct data_walk *w = c->hooks.walked ? c->hooks.walked(c->hooks.ctx) : NULL;
	int pid = 0;

	capture_text(c, NULL, "saved_cmdlines", &c->got.saved_comms);
	comms_add_saved(&c->got.comms, c->got.saved_comms.data);
	if (!w || walk_pids(w) > FEW_TASKS)
		comms_add_proc(&c->got.comms, COMM_PROC_END);
	else
		while ((pid = walk_next_pid(w, pid)))
			comms_add_task(&c->got.comms, COMM_PROC_END, pid);
	note_lines(c, "saved_tgids", "saved_tgids");
	note_lines(c, "dynamic_events", "dynamic_events");
}

static void note_list(struct meta_capture *c, const char *key, const struct strv *lines)
{
	struct buf text = {0};
	size_t i;

	for (i = 0; i < lines->n; i++)
		buf_printf(&text, "%s%s", i ? "\n" : "", lines->v[i]);
	if (text.len)
		capture_note(c, key, text.data);
	buf_release(&text);
}

const struct captured_meta *capture_end(struct meta_capture *c, const struct recorded_buffer *bufs,
					size_t n, bool last)
{
	struct procmaps *maps = c->got.maps;
	size_t i;

	if (maps) {
		procmaps_stop(maps);
		note_list(c, "build_ids", procmaps_files(maps));
		if (procmaps_missing(maps))
			capture_note_missing(c, "address maps of %zu processes are missing: there "
					     "were too many", procmaps_missing(maps));
		else if (!procmaps_n(maps))
			capture_note_missing(c, "no address maps: the processes ended before they "
					     "could be read");
	}
	c->got.bufs = xcalloc(n, sizeof(*c->got.bufs));
	c->got.n = n;
	for (i = 0; i < n; i++)
		capture_buffer(c, &c->got.bufs[i], &bufs[i]);
	capture_tasks(c);
	worker_stop(&c->worker);
	capture_read(c);
	if (c->got.symbols.hidden)
		capture_note_missing(c, "no kernel symbols: "
				     "/proc/kallsyms hides the addresses (kptr_restrict)");
	else if (!c->got.symbols.h.last.len)
		capture_note_missing(c, "no kernel symbols: /proc/kallsyms cannot be read");
	if (c->values.len)
		capture_note(c, "kernel_values", c->values.data);
	if (c->wants_btf && io_read_at(AT_FDCWD, "/sys/kernel/btf/vmlinux", &c->got.btf))
		capture_note_missing(c, "no BTF: cannot read '/sys/kernel/btf/vmlinux': %m");
	note_list(c, "modules", &c->modules);
	if (last)
		modlog_end(c->got.modlog);
	return &c->got;
}

void captured_read_formats(const struct captured_meta *c, struct format_files *all)
{
	formats_copy(all, &c->headers.formats);
	formats_read_all(all, c->headers.t, false);
}

bool captured_latencies(const struct captured_meta *c, struct buf *out)
{
	size_t i, before = out->len;

	for (i = 0; i < c->n; i++)
		latency_add(out, &c->bufs[i].latency, c->bufs[i].name);
	return out->len > before;
}

/* --- the next file of the same recording */

/* Releases the members that capture_inherit() replaces. */
static void release_inherited(struct meta_capture *c)
{
	history_release(&c->got.symbols.h);
	symtimes_release(&c->got.symtimes);
	history_release(&c->got.printk);
	protos_release(&c->got.protos);
	formats_release(&c->got.headers.formats);
	buf_release(&c->state);
	buf_release(&c->values);
	strv_release(&c->modules);
}

void capture_inherit(struct meta_capture *c, const struct captured_meta *captured)
{
	struct meta_capture *from = (struct meta_capture *)captured;

	comms_merge(&c->got.comms, &from->got.comms);
	release_inherited(c);
	c->got.symbols = from->got.symbols;
	c->got.symtimes = from->got.symtimes;
	c->got.modlog = from->got.modlog;
	c->got.printk = from->got.printk;
	c->got.protos = from->got.protos;
	c->got.headers.formats = from->got.headers.formats;
	c->state = from->state;
	c->values = from->values;
	c->modules = from->modules;
	memset(&from->got.symbols, 0, sizeof(from->got.symbols));
	memset(&from->got.symtimes, 0, sizeof(from->got.symtimes));
	from->got.modlog = NULL;
	memset(&from->got.printk, 0, sizeof(from->got.printk));
	memset(&from->got.protos, 0, sizeof(from->got.protos));
	memset(&from->got.headers.formats, 0, sizeof(from->got.headers.formats));
	memset(&from->state, 0, sizeof(from->state));
	memset(&from->values, 0, sizeof(from->values));
	memset(&from->modules, 0, sizeof(from->modules));
	capture_free(from);
}

void capture_learn(struct meta_capture *c, const struct task_comms *comms,
		   struct format_files *formats)
{
	comms_merge(&c->got.comms, comms);
	if (!formats->n)
		return;
	formats_release(&c->got.headers.formats);
	c->got.headers.formats = *formats;
	*formats = (struct format_files){0};
}

void capture_free(struct meta_capture *c)
{
	struct captured_buffer *o;

	if (!c)
		return;
	worker_stop(&c->worker);
	for (o = c->got.bufs; o < c->got.bufs + c->got.n; o++) {
		free(o->name);
		free(o->clock);
		free(o->lost);
		free(o->overwritten);
		latency_release(&o->latency);
		buf_release(&o->clock_text);
		strv_release(&o->stats);
	}
	free(c->got.bufs);
	keys_release(&c->got.headers.keys);
	free(c->got.headers.uname);
	buf_release(&c->got.headers.header_page);
	buf_release(&c->got.headers.header_event);
	release_inherited(c);
	modlog_free(c->got.modlog);
	procmaps_free(c->got.maps);
	buf_release(&c->got.btf);
	comms_release(&c->got.comms);
	buf_release(&c->got.saved_comms);
	strv_release(&c->got.notes);
	free(c);
}

/* ->got is the first member of a struct meta_capture. */

void captured_free(const struct captured_meta *c)
{
	capture_free((struct meta_capture *)c);
}
