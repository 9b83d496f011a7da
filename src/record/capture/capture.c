/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Captures what a trace file has beside its data, before tracing and meanwhile. */
#include "record/capture/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/io.h"
#include "base/now.h"
#include "record/capture/capture_priv.h"
#include "record/capture/clock_moment.h"
#include "record/symbols/kvalues.h"
#include "record/symbols/modlog.h"

enum {
	WATCH_MS = 200,
	KALLSYMS_BYTES = 16 << 20,	/* more than it has: a text that grows is copied */
};

void capture_lacks(struct capture *c, const char *fmt, ...)
{
	struct buf b = {0};
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&b, fmt, ap);
	va_end(ap);
	strv_take(&c->got.notes, buf_take(&b));
}

void capture_text(const struct capture *c, const char *instance, const char *file, struct buf *out)
{
	if (tfs_read(c->got.front.t, instance, file, out, NULL))
		buf_reset(out);
	buf_add(out, "", 0);
}

/*
 * What tells that formats or symbols may have changed: each module with its state (it is listed
 * before it is live) and address (it may have been replaced meanwhile), and the dynamic events.
 */
static void read_state(const struct capture *c, struct buf *out)
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

/* Which code was where: kallsyms tells the functions of modules, but not their ends. */
static void see_modules(struct capture *c)
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
static void capture_protos(struct capture *c)
{
	struct strv instances = {0};
	bool wanted = args_wanted(c->got.front.t, NULL);
	size_t i;

	if (!wanted)
		tfs_instances(c->got.front.t, &instances, NULL);
	for (i = 0; i < instances.n && !wanted; i++)
		wanted = args_wanted(c->got.front.t, instances.v[i]);
	if (wanted)
		protos_update(&c->got.protos);
	strv_release(&instances);
}

/* Root alone may, and not everywhere (lockdown): what needs these values is shown by their name. */
static void read_values(struct capture *c)
{
	const struct buf *syms = &c->got.symbols.h.last;
	int fd = syms->len && sizeof(long) == 8 ? open("/proc/kcore", O_RDONLY | O_CLOEXEC) : -1;

	if (fd < 0)
		return;
	buf_reset(&c->values);
	kvalues_read(fd, syms->data, syms->len, &c->values);
	close(fd);
}

static void take_symbols(struct capture *c, struct buf *reading)
{
	const struct module_event *events;
	uint64_t ns = now_ns();
	size_t n;

	modlog_read(c->got.modlog);
	events = modlog_events(c->got.modlog, &n);
	symtimes_note(&c->got.symtimes, events, n, &c->got.symbols.h.last, reading, ns);
	symbols_update(&c->got.symbols, reading);
}

/*
 * Everything that modules and dynamic events bring; @state is what it is true of. Formats that were
 * there from the start and are not known are read if the data asks for them:
 * captured_read_formats().
 */
static void capture_state(struct capture *c, struct buf *state)
{
	struct buf kallsyms = {0}, printk = {0};
	bool again = lost_line(&c->state, state);

	see_modules(c);
	buf_reserve(&kallsyms, KALLSYMS_BYTES);
	if (!io_read_at(AT_FDCWD, "/proc/kallsyms", &kallsyms))
		take_symbols(c, &kallsyms);
	buf_release(&kallsyms);
	if (!c->values.len)
		read_values(c);
	if (c->all_formats || c->state.data)
		formats_read_all(&c->got.front.formats, c->got.front.t, again);
	capture_text(c, NULL, "printk_formats", &printk);
	history_update(&c->got.printk, &printk, NULL);
	capture_protos(c);
	buf_release(&c->state);
	c->state = *state;
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
static void watch_once(struct capture *c, struct buf *last)
{
	struct buf now = {0};

	modlog_read(c->got.modlog);
	read_state(c, &now);
	if (!state_is(&now, &c->state) && state_is(&now, last)) {
		buf_release(last);
		capture_state(c, &now);
		return;
	}
	buf_release(last);
	*last = now;
}

static void watch_run(void *arg)
{
	struct capture *c = arg;
	struct buf last = {0};

	read_state(c, &last);
	if (!c->state.len || !state_is(&last, &c->state))
		capture_state(c, &last);
	if (c->got.symbols.readings && c->hooks.take_symbols)
		c->hooks.take_symbols(c->hooks.ctx, &c->got.symbols);
	while (!worker_wait(&c->worker, WATCH_MS))
		watch_once(c, &last);
	buf_release(&last);
}

/*
 * The watch may not have seen the last change, or never have run. printk_formats come with modules,
 * but the strings of trace_printk() can be registered at any time.
 */
void capture_read(struct capture *c)
{
	struct buf now = {0}, printk = {0};

	modlog_read(c->got.modlog);
	read_state(c, &now);
	if (!state_is(&now, &c->state) || !c->got.front.formats.n || !c->got.printk.last.data) {
		capture_state(c, &now);
	} else {
		capture_text(c, NULL, "printk_formats", &printk);
		history_update(&c->got.printk, &printk, NULL);
		capture_protos(c);
	}
	buf_release(&now);
}

/* Without these the data names nobody. */
static void read_naming_formats(struct capture *c)
{
	struct strv events = {0};
	size_t i;

	walk_events(&events);
	for (i = 0; i < events.n; i++)
		formats_read(&c->got.front.formats, c->got.front.t, events.v[i]);
	strv_release(&events);
}

static void capture_uname(struct capture *c)
{
	struct utsname u;

	if (!uname(&u))
		c->got.front.uname = xasprintf("%s %s %s %s", u.sysname, u.nodename, u.release,
					       u.machine);
}

struct capture *capture_new(const struct tfs *t, const struct strv *enabled, struct ftr_error *err)
{
	struct capture *c = xcalloc(1, sizeof(*c));
	struct capture_front *front = &c->got.front;
	size_t i;

	c->got.front.t = t;
	if (tfs_read(t, NULL, "events/header_page", &front->header_page, err) ||
	    tfs_read(t, NULL, "events/header_event", &front->header_event, err))
		goto fail;
	if (getrandom(&c->got.trace_id, sizeof(c->got.trace_id), 0) != sizeof(c->got.trace_id))
		c->got.trace_id = (uint64_t)getpid() << 32;
	capture_uname(c);
	formats_read_system(&front->formats, t, "ftrace", false);
	for (i = 0; enabled && i < enabled->n; i++)
		if (formats_read(&front->formats, t, enabled->v[i]) && errno != ENOENT)
			capture_lacks(c, "cannot read the format of '%s': %m", enabled->v[i]);
	c->all_formats = !enabled;
	if (enabled)
		read_naming_formats(c);
	comms_add_proc(&c->got.comms, COMM_PROC_START);
	return c;
fail:
	capture_free(c);
	return NULL;
}

const struct capture_front *capture_front(const struct capture *c)
{
	return &c->got.front;
}

int capture_start(struct capture *c, const struct capture_hooks *hooks, struct ftr_error *err)
{
	if (hooks)
		c->hooks = *hooks;
	if (c->got.maps && procmaps_start(c->got.maps, err))
		return -1;
	if (!c->got.modlog)
		c->got.modlog = modlog_new(c->got.front.t);
	return worker_start(&c->worker, "ftr-meta", 10, watch_run, c, "reads formats and symbols",
			    err);
}

void capture_want_maps(struct capture *c)
{
	if (!c->got.maps)
		c->got.maps = procmaps_new();
}

void capture_follow(struct capture *c, const pid_t *pids, size_t n, bool children)
{
	if (c->got.maps)
		procmaps_follow(c->got.maps, pids, n, children);
}

void capture_want_btf(struct capture *c)
{
	c->wants_btf = true;
}

void capture_begin(struct capture *c, const char *name, const char *instance)
{
	capture_wall(c, "wall_begin", name, instance);
}

void capture_note(struct capture *c, const char *key, const char *value)
{
	keys_set(&c->got.front.keys, key, value);
}

void capture_note_of(struct capture *c, const char *what, const char *name, const char *value)
{
	char *key = keys_name_of(what, name);

	if (!keys_get(&c->got.front.keys, key))
		capture_note(c, key, value);
	free(key);
}

void capture_comm(struct capture *c, int pid, const char *comm)
{
	comms_set(&c->got.comms, pid, COMM_TOLD, 0, comm, strnlen(comm, 15));
}

void capture_name_tasks(struct capture *c)
{
	comms_add_proc(&c->got.comms, COMM_PROC_START);
}

void capture_date(struct capture *c, int64_t offset_us)
{
	c->got.has_date = true;
	c->got.date_us = offset_us;
}

void capture_tsc2nsec(struct capture *c, const struct tsc_scale *scale)
{
	c->got.has_tsc = true;
	c->got.tsc = *scale;
}

/* What the capture of a next file takes over. */
static void release_learnt(struct capture *c)
{
	history_release(&c->got.symbols.h);
	symtimes_release(&c->got.symtimes);
	history_release(&c->got.printk);
	protos_release(&c->got.protos);
	formats_release(&c->got.front.formats);
	buf_release(&c->state);
	buf_release(&c->values);
	strv_release(&c->modules);
}

void capture_inherit(struct capture *c, const struct captured *captured)
{
	struct capture *from = (struct capture *)captured;

	comms_merge(&c->got.comms, &from->got.comms);
	release_learnt(c);
	c->got.symbols = from->got.symbols;
	c->got.symtimes = from->got.symtimes;
	c->got.modlog = from->got.modlog;
	c->got.printk = from->got.printk;
	c->got.protos = from->got.protos;
	c->got.front.formats = from->got.front.formats;
	c->state = from->state;
	c->values = from->values;
	c->modules = from->modules;
	memset(&from->got.symbols, 0, sizeof(from->got.symbols));
	memset(&from->got.symtimes, 0, sizeof(from->got.symtimes));
	from->got.modlog = NULL;
	memset(&from->got.printk, 0, sizeof(from->got.printk));
	memset(&from->got.protos, 0, sizeof(from->got.protos));
	memset(&from->got.front.formats, 0, sizeof(from->got.front.formats));
	memset(&from->state, 0, sizeof(from->state));
	memset(&from->values, 0, sizeof(from->values));
	memset(&from->modules, 0, sizeof(from->modules));
	capture_free(from);
}

void capture_learn(struct capture *c, const struct comms *comms, struct formats *formats)
{
	comms_merge(&c->got.comms, comms);
	if (!formats->n)
		return;
	formats_release(&c->got.front.formats);
	c->got.front.formats = *formats;
	*formats = (struct formats){0};
}

static void release_buffer(struct captured_buffer *o)
{
	free(o->name);
	free(o->clock);
	free(o->lost);
	free(o->overwritten);
	latency_release(&o->latency);
	buf_release(&o->clock_text);
	strv_release(&o->stats);
}

void capture_free(struct capture *c)
{
	size_t i;

	if (!c)
		return;
	worker_stop(&c->worker);
	for (i = 0; i < c->got.n; i++)
		release_buffer(&c->got.bufs[i]);
	free(c->got.bufs);
	keys_release(&c->got.front.keys);
	free(c->got.front.uname);
	buf_release(&c->got.front.header_page);
	buf_release(&c->got.front.header_event);
	release_learnt(c);
	modlog_free(c->got.modlog);
	procmaps_free(c->got.maps);
	buf_release(&c->got.btf);
	comms_release(&c->got.comms);
	buf_release(&c->got.saved_comms);
	strv_release(&c->got.notes);
	free(c);
}

/* ->got is what a capture begins with. */
void captured_free(const struct captured *c)
{
	capture_free((struct capture *)c);
}
