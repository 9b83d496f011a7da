/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a trace file needs beside the data: formats, symbols, comms, clock, statistics. */
#include "record/meta.h"

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
#include "record/capture/comms.h"
#include "record/capture/formats.h"
#include "record/capture/symbols/kvalues.h"
#include "record/capture/symbols/symbols.h"
#include "record/capture/walk.h"
#include "record/capture/clock/wall.h"
#include "record/meta_priv.h"

enum {
	WATCH_MS = 200,
	FEW_TASKS = 4096,		/* whose names are asked for one by one */
	LATENCY_HEADS = LIMIT_BUFFERS * (LIMIT_NAME + 8),
	KALLSYMS_BYTES = 16 << 20,	/* more than it has: a text that grows is copied */
};

static void add_note(struct meta *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add_note(struct meta *m, const char *fmt, ...)
{
	struct buf b = {0};
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&b, fmt, ap);
	va_end(ap);
	strv_take(&m->notes, buf_take(&b));
}

static struct meta_key *find_key(struct meta *m, const char *key)
{
	size_t i;

	for (i = 0; i < m->nr_keys; i++)
		if (!strcmp(m->keys[i].key, key))
			return &m->keys[i];
	return NULL;
}

/* "tracer" of the top level, "tracer.NAME" of an instance; what the caller has noted stays. */
static void note_of_buffer(struct meta *m, const char *what, const char *instance,
			   const char *value)
{
	char *key = xasprintf("%s%s%s", what, *instance ? "." : "", instance);

	if (!find_key(m, key))
		meta_note(m, key, value);
	free(key);
}

static void read_text(const struct meta *m, const char *instance, const char *file, struct buf *out)
{
	if (tfs_read(m->t, instance, file, out, NULL))
		buf_reset(out);
	buf_add(out, "", 0);
}

/*
 * What tells that formats or symbols may have changed: each module with its state (it is listed
 * before it is live) and address (it may have been replaced meanwhile), and the dynamic events.
 */
static void read_state(const struct meta *m, struct buf *out)
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
	read_text(m, NULL, "dynamic_events", &events);
	buf_addstr(out, events.data);
	strv_release(&lines);
	buf_release(&modules);
	buf_release(&events);
}

/* Which code was where: kallsyms tells the functions of modules, but not their ends. */
static void see_modules(struct meta *m)
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
		if (line && !strv_has(&m->modules, line))
			strv_add(&m->modules, line);
		free(line);
		strv_release(&f);
	}
	strv_release(&lines);
	buf_release(&text);
}

/* Is a line of @old missing in @now? Then an event may be back under another id. */
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

/* Modules take their BTF with them: it is read while they are there, if it may be needed. */
static void capture_protos(struct meta *m)
{
	struct strv instances = {0};
	bool wanted = args_wanted(m->t, NULL);
	size_t i;

	if (!wanted)
		tfs_instances(m->t, &instances, NULL);
	for (i = 0; i < instances.n && !wanted; i++)
		wanted = args_wanted(m->t, instances.v[i]);
	if (wanted)
		protos_update(&m->protos);
	strv_release(&instances);
}

/* Root alone may, and not everywhere (lockdown): what needs these values is shown by their name. */
static void read_values(struct meta *m)
{
	const struct buf *syms = &m->symbols.h.last;
	int fd = syms->len && sizeof(long) == 8 ? open("/proc/kcore", O_RDONLY | O_CLOEXEC) : -1;

	if (fd < 0)
		return;
	buf_reset(&m->values);
	kvalues_read(fd, syms->data, syms->len, &m->values);
	close(fd);
}

static void take_symbols(struct meta *m, struct buf *reading)
{
	const struct module_event *events;
	uint64_t ns = now_ns();
	size_t n;

	modlog_read(m->modlog);
	events = modlog_events(m->modlog, &n);
	symtimes_note(&m->symtimes, events, n, &m->symbols.h.last, reading, ns);
	symbols_update(&m->symbols, reading);
}

/*
 * Everything that modules and dynamic events bring; @state is what it is true of. Formats that were
 * there from the start and are not known are read if the data asks for them, meta_see_all().
 */
static void capture_state(struct meta *m, struct buf *state)
{
	struct buf kallsyms = {0}, printk = {0};
	bool again = lost_line(&m->state, state);

	see_modules(m);
	buf_reserve(&kallsyms, KALLSYMS_BYTES);
	if (!io_read_at(AT_FDCWD, "/proc/kallsyms", &kallsyms))
		take_symbols(m, &kallsyms);
	buf_release(&kallsyms);
	if (!m->values.len)
		read_values(m);
	if (m->all_formats || m->state.data)
		formats_read_all(&m->formats, m->t, again);
	read_text(m, NULL, "printk_formats", &printk);
	history_update(&m->printk, &printk, NULL);
	capture_protos(m);
	buf_release(&m->state);
	m->state = *state;
	*state = (struct buf){0};
}

static bool state_is(const struct buf *a, const struct buf *b)
{
	return a->len == b->len && (!a->len || !memcmp(a->data, b->data, a->len));
}

/*
 * One look; a change is taken once it has lasted from one look to the next, as modules come in
 * groups.
 */
static void watch_once(struct meta *m, struct buf *last)
{
	struct buf now = {0};

	modlog_read(m->modlog);
	read_state(m, &now);
	if (!state_is(&now, &m->state) && state_is(&now, last)) {
		buf_release(last);
		capture_state(m, &now);
		return;
	}
	buf_release(last);
	*last = now;
}

static void watch_run(void *arg)
{
	struct meta *m = arg;
	struct buf last = {0};

	read_state(m, &last);
	if (!m->state.len || !state_is(&last, &m->state))
		capture_state(m, &last);
	meta_begin_symbols(m);
	while (!worker_wait(&m->worker, WATCH_MS))
		watch_once(m, &last);
	buf_release(&last);
}

/* Without these the data names nobody. */
static void read_naming_formats(struct meta *m)
{
	struct strv events = {0};
	size_t i;

	walk_events(&events);
	for (i = 0; i < events.n; i++)
		formats_read(&m->formats, m->t, events.v[i]);
	strv_release(&events);
}

static void capture_uname(struct meta *m)
{
	struct utsname u;

	if (!uname(&u))
		m->uname = xasprintf("%s %s %s %s", u.sysname, u.nodename, u.release, u.machine);
}

/* "[local] global counter" -> "local" */
char *meta_clock_name(const char *text)
{
	const char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;

	return close ? xstrndup(open + 1, close - open - 1) : xstrdup("");
}

static void capture_options(struct meta *m, const char *name, const char *instance)
{
	struct buf text = {0};
	char *p;

	read_text(m, instance, "trace_options", &text);
	for (p = text.data; *p; p++)
		if (*p == '\n')
			*p = p[1] ? ' ' : '\0';
	note_of_buffer(m, "trace_options", name, text.data);
	buf_release(&text);
}

static uint64_t stats_lost(const struct tfs_stats *st, bool flight)
{
	return (flight ? 0 : st->overrun) + st->commit_overrun + st->dropped;
}

/* CPUSTAT text, and what was lost by the kernel's own count since the recorder was made. */
static void capture_stats(struct meta *m, struct meta_out *o, const char *instance, bool none)
{
	const struct recorder_cpu *cpus;
	struct buf text = {0}, b = {0};
	struct tfs_stats st;
	uint64_t was, is;
	size_t i, n;
	char *file;

	cpus = recorder_cpus(o->rec, &n);
	o->lost = xcalloc(n, sizeof(*o->lost));
	for (i = 0; i < n && !none; i++) {
		file = xasprintf("per_cpu/cpu%d/stats", cpus[i].cpu);
		read_text(m, instance, file, &text);
		buf_printf(&b, "CPU: %d\n%s", cpus[i].cpu, text.data);
		strv_take(&o->stats, buf_take(&b));
		free(file);
		if (cpus[i].left)
			st = cpus[i].after;
		else if (tfs_stats(m->t, instance, cpus[i].cpu, &st))
			continue;
		was = stats_lost(&cpus[i].before, o->flight);
		is = stats_lost(&st, o->flight);
		/* less than before: the buffer was reset in between */
		o->lost[i] = is >= was ? is - was : is;
	}
	buf_release(&text);
}

/* What was lost of each CPU where the sub-buffers may not have had room to say how many. */
static void note_lost(struct meta *m, const struct meta_out *o)
{
	const struct recorder_cpu *cpus;
	struct buf text = {0};
	size_t i, n;

	cpus = recorder_cpus(o->rec, &n);
	for (i = 0; i < n && !o->flight; i++)
		if (o->lost[i])
			buf_printf(&text, "%s%d:%" PRIu64, text.len ? " " : "", cpus[i].cpu,
				   o->lost[i]);
	if (text.len)
		note_of_buffer(m, "lost", o->name, text.data);
	buf_release(&text);
}

static void note_wall(struct meta *m, const char *what, const char *name, const char *instance)
{
	struct buf text = {0};

	if (!wall_read(m->t, instance, &text))
		note_of_buffer(m, what, name, text.data);
	buf_release(&text);
}

/* Where the tracer swaps its buffers. The file has room for so much of all of them. */
static void capture_latency(struct meta *m, struct meta_out *o, const char *instance)
{
	size_t most = LIMIT_BYTES_LATENCY - LATENCY_HEADS;
	struct latency *l = &o->latency;
	const struct meta_out *other;

	for (other = m->out; other < o; other++)
		most -= other->latency.text.len;
	latency_read(m->t, instance, most, l);
	if (!l->tracer)
		return;
	note_of_buffer(m, DAT_LATENCY_KEY, o->name, l->tracer);
	if (!l->measured)
		add_note(m, "tracer '%s' measured no latency", l->tracer);
	else if (*l->max)
		note_of_buffer(m, "max_latency", o->name, l->max);
	if (l->cut)
		add_note(m, "the text of tracer '%s' is longer than there is room for: "
			    "it ends early", l->tracer);
}

static void capture_buffer(struct meta *m, struct meta_out *o, const struct lane_buffer *from)
{
	const char *instance;
	char *tracer;

	o->name = xstrdup(from->name ? from->name : "");
	instance = from->instance ? from->instance : o->name;
	o->rec = from->rec;
	o->flight = from->flight;
	read_text(m, instance, "trace_clock", &o->clock_text);
	o->clock = meta_clock_name(o->clock_text.data);
	tracer = tfs_line(m->t, instance, "current_tracer");
	note_of_buffer(m, "tracer", o->name, tracer ? tracer : "");
	note_of_buffer(m, "clock", o->name, o->clock);
	if (from->earlier_boot)
		add_note(m, "no time of day for the events of '%s': they may be of an earlier boot",
			 o->name);
	else
		note_wall(m, "wall_end", o->name, instance);
	capture_options(m, o->name, instance);
	capture_latency(m, o, instance);
	capture_stats(m, o, instance, from->no_stats);
	note_lost(m, o);
	free(tracer);
}

/* A text of lines as one line, with semicolons; nothing if it is empty. */
static void note_lines(struct meta *m, const char *key, const char *file)
{
	struct buf text = {0};
	char *nl;

	read_text(m, NULL, file, &text);
	for (nl = text.data; (nl = strchr(nl, '\n')); )
		*nl = nl[1] ? ';' : '\0';
	if (text.len)
		meta_note(m, key, text.data);
	buf_release(&text);
}

/* The tasks that are in the data, as far as it was read; where it was not, all. */
static void capture_living(struct meta *m)
{
	const struct walk *w = NULL;
	int pid = 0;

	if (m->w && !m->stream && !m->pack) {
		follow_pause(m->follow);
		w = follow_walk(m->follow);
	}
	if (!w || walk_pids(w) > FEW_TASKS) {
		comms_add_proc(&m->comms, COMM_PROC_END);
		return;
	}
	while ((pid = walk_next_pid(w, pid)))
		comms_add_task(&m->comms, COMM_PROC_END, pid);
}

static void capture_tasks(struct meta *m)
{
	read_text(m, NULL, "saved_cmdlines", &m->saved_comms);
	comms_add_saved(&m->comms, m->saved_comms.data);
	capture_living(m);
	note_lines(m, "saved_tgids", "saved_tgids");
	note_lines(m, "dynamic_events", "dynamic_events");
}

/* Before the last reading: the watch may not have seen the last change, or never have run. */
static void capture_rest(struct meta *m)
{
	struct buf now = {0}, printk = {0};

	modlog_read(m->modlog);
	read_state(m, &now);
	if (!state_is(&now, &m->state) || !m->formats.n || !m->printk.last.data) {
		capture_state(m, &now);
	} else {
		/*
		 * trace_printk formats come with modules, but its strings can be registered at any
		 * time
		 */
		read_text(m, NULL, "printk_formats", &printk);
		history_update(&m->printk, &printk, NULL);
		capture_protos(m);
	}
	buf_release(&now);
	if (m->symbols.hidden)
		add_note(m, "no kernel symbols: "
			    "/proc/kallsyms hides the addresses (kptr_restrict)");
	else if (!m->symbols.h.last.len)
		add_note(m, "no kernel symbols: /proc/kallsyms cannot be read");
}

static void note_list(struct meta *m, const char *key, const struct strv *lines)
{
	struct buf text = {0};
	size_t i;

	for (i = 0; i < lines->n; i++)
		buf_printf(&text, "%s%s", i ? "\n" : "", lines->v[i]);
	if (text.len)
		meta_note(m, key, text.data);
	buf_release(&text);
}

static void capture_maps(struct meta *m)
{
	if (!m->maps)
		return;
	procmaps_stop(m->maps);
	note_list(m, "build_ids", procmaps_files(m->maps));
	if (procmaps_missing(m->maps))
		add_note(m, "address maps of %zu processes are missing: there were too many",
			 procmaps_missing(m->maps));
	else if (!procmaps_n(m->maps))
		add_note(m, "no address maps: the processes ended before they could be read");
}

static void capture_btf(struct meta *m)
{
	if (m->wants_btf && io_read_at(AT_FDCWD, "/sys/kernel/btf/vmlinux", &m->btf))
		add_note(m, "no BTF: cannot read '/sys/kernel/btf/vmlinux': %m");
}

struct meta *meta_new(const struct tfs *t, const struct strv *enabled, struct ftr_error *err)
{
	struct meta *m = xcalloc(1, sizeof(*m));
	size_t i;

	m->t = t;
	if (tfs_read(t, NULL, "events/header_page", &m->header_page, err) ||
	    tfs_read(t, NULL, "events/header_event", &m->header_event, err))
		goto fail;
	if (getrandom(&m->trace_id, sizeof(m->trace_id), 0) != sizeof(m->trace_id))
		m->trace_id = (uint64_t)getpid() << 32;
	capture_uname(m);
	formats_read_system(&m->formats, t, "ftrace", false);
	for (i = 0; enabled && i < enabled->n; i++)
		if (formats_read(&m->formats, t, enabled->v[i]) && errno != ENOENT)
			add_note(m, "cannot read the format of '%s': %m", enabled->v[i]);
	m->all_formats = !enabled;
	if (enabled)
		read_naming_formats(m);
	comms_add_proc(&m->comms, COMM_PROC_START);
	return m;
fail:
	meta_free(m);
	return NULL;
}

int meta_start(struct meta *m, struct ftr_error *err)
{
	if (m->maps && procmaps_start(m->maps, err))
		return -1;
	if (!m->modlog)
		m->modlog = modlog_new(m->t);
	if (worker_start(&m->worker, "ftr-meta", 10, watch_run, m, "reads formats and symbols",
			 err))
		return -1;
	if (m->stream && meta_stream_start(m, err))
		return -1;
	return m->w && !meta_stream_follows(m) ? follow_start(m->follow, err) : 0;
}

void meta_finish(struct meta *m, const struct lane_buffer *bufs, size_t n)
{
	size_t i;

	capture_maps(m);
	m->out = xcalloc(n, sizeof(*m->out));
	m->nr_out = n;
	for (i = 0; i < n; i++)
		capture_buffer(m, &m->out[i], &bufs[i]);
	capture_tasks(m);
	worker_stop(&m->worker);
	capture_rest(m);
	if (m->values.len)
		meta_note(m, "kernel_values", m->values.data);
	capture_btf(m);
	note_list(m, "modules", &m->modules);
}

void meta_last(struct meta *m)
{
	modlog_end(m->modlog);
}

void meta_maps(struct meta *m)
{
	if (!m->maps)
		m->maps = procmaps_new();
}

void meta_follow(struct meta *m, const pid_t *pids, size_t n, bool children)
{
	if (m->maps)
		procmaps_follow(m->maps, pids, n, children);
}

void meta_pack(struct meta *m, const struct packing *how)
{
	m->packing = *how;
}

void meta_v6(struct meta *m)
{
	m->v6 = true;
}

void meta_btf(struct meta *m)
{
	m->wants_btf = true;
}

void meta_begin(struct meta *m, const char *name, const char *instance)
{
	note_wall(m, "wall_begin", name, instance);
}

void meta_note(struct meta *m, const char *key, const char *value)
{
	struct meta_key *k = find_key(m, key);

	if (!k) {
		m->keys = xgrow(m->keys, &m->cap_keys, m->nr_keys + 1, sizeof(*m->keys));
		k = &m->keys[m->nr_keys++];
		*k = (struct meta_key){ .key = xstrdup(key) };
	}
	free(k->value);
	k->value = xstrdup(value);
}

void meta_comm(struct meta *m, int pid, const char *comm)
{
	comms_set(&m->comms, pid, COMM_TOLD, 0, comm, strnlen(comm, 15));
}

void meta_name_tasks(struct meta *m)
{
	comms_add_proc(&m->comms, COMM_PROC_START);
}

void meta_date(struct meta *m, int64_t offset_us)
{
	m->has_date = true;
	m->date_us = offset_us;
}

void meta_tsc2nsec(struct meta *m, const struct tsc_scale *scale)
{
	m->has_tsc = true;
	m->tsc = *scale;
}

const struct strv *meta_notes(const struct meta *m)
{
	return &m->notes;
}

void meta_inherit(struct meta *m, struct meta *from)
{
	comms_merge(&m->comms, &from->comms);
	history_release(&m->symbols.h);
	symtimes_release(&m->symtimes);
	history_release(&m->printk);
	protos_release(&m->protos);
	formats_release(&m->formats);
	buf_release(&m->state);
	buf_release(&m->values);
	buf_release(&m->symbols_packed);
	strv_release(&m->modules);
	m->symbols = from->symbols;
	m->symtimes = from->symtimes;
	m->modlog = from->modlog;
	m->printk = from->printk;
	m->protos = from->protos;
	m->formats = from->formats;
	m->state = from->state;
	m->values = from->values;
	m->symbols_packed = from->symbols_packed;
	m->symbols_packed_of = from->symbols_packed_of;
	m->modules = from->modules;
	/* in another order than those in front */
	m->formats_written = SIZE_MAX;
	memset(&from->symbols, 0, sizeof(from->symbols));
	memset(&from->symtimes, 0, sizeof(from->symtimes));
	from->modlog = NULL;
	memset(&from->printk, 0, sizeof(from->printk));
	memset(&from->protos, 0, sizeof(from->protos));
	memset(&from->formats, 0, sizeof(from->formats));
	memset(&from->state, 0, sizeof(from->state));
	memset(&from->values, 0, sizeof(from->values));
	memset(&from->symbols_packed, 0, sizeof(from->symbols_packed));
	memset(&from->modules, 0, sizeof(from->modules));
}

void meta_free(struct meta *m)
{
	size_t i;

	if (!m)
		return;
	worker_stop(&m->worker);
	for (i = 0; i < m->nr_out; i++) {
		free(m->out[i].name);
		free(m->out[i].clock);
		free(m->out[i].lost);
		latency_release(&m->out[i].latency);
		buf_release(&m->out[i].clock_text);
		strv_release(&m->out[i].stats);
	}
	for (i = 0; i < m->nr_keys; i++) {
		free(m->keys[i].key);
		free(m->keys[i].value);
	}
	meta_stream_free(m->stream);
	follow_free(m->follow);
	pack_free(m->pack);
	dat_abort(m->w);
	dat_spool_release(&m->spool);
	free(m->layouts);
	free(m->out);
	free(m->keys);
	free(m->uname);
	buf_release(&m->header_page);
	buf_release(&m->header_event);
	buf_release(&m->state);
	buf_release(&m->values);
	buf_release(&m->symbols_packed);
	history_release(&m->symbols.h);
	symtimes_release(&m->symtimes);
	modlog_free(m->modlog);
	history_release(&m->printk);
	protos_release(&m->protos);
	procmaps_free(m->maps);
	strv_release(&m->modules);
	buf_release(&m->btf);
	map_release(&m->called);
	formats_release(&m->formats);
	comms_release(&m->comms);
	buf_release(&m->saved_comms);
	strv_release(&m->notes);
	free(m);
}
