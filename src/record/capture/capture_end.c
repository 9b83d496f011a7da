/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Captures the rest when the recorders have ended, while tracefs is as it was recorded with. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/limits.h"
#include "file/read/dat.h"
#include "record/capture/capture_priv.h"
#include "record/capture/clock_moment.h"
#include "record/symbols/modlog.h"

enum {
	FEW_TASKS = 4096,		/* whose names are asked for one by one */
	LATENCY_HEADS = LIMIT_BUFFERS * (LIMIT_NAME + 8),
};

/* "[local] global counter" -> "local" */
char *capture_clock_name(const char *text)
{
	const char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;

	return close ? xstrndup(open + 1, close - open - 1) : xstrdup("");
}

static void capture_options(struct capture *c, const char *name, const char *instance)
{
	struct buf text = {0};
	char *p;

	capture_text(c, instance, "trace_options", &text);
	for (p = text.data; *p; p++)
		if (*p == '\n')
			*p = p[1] ? ' ' : '\0';
	capture_note_of(c, "trace_options", name, text.data);
	buf_release(&text);
}

static uint64_t stats_lost(const struct tfs_stats *st, bool flight)
{
	return (flight ? 0 : st->overrun) + st->commit_overrun + st->dropped;
}

/* CPUSTAT text, and what was lost by the kernel's own count since the recorder was made. */
static void capture_stats(struct capture *c, struct captured_buffer *o, const char *instance,
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
		else if (tfs_stats(c->got.front.t, instance, cpus[i].cpu, &st))
			continue;
		was = stats_lost(&cpus[i].before, o->flight);
		is = stats_lost(&st, o->flight);
		/* less than before: the buffer was reset in between */
		o->lost[i] = is >= was ? is - was : is;
		o->overwritten[i] = o->flight ? st.overrun : 0;
	}
	buf_release(&text);
}

/*
 * Notes the kernel's counts of each CPU: of records that were lost, for which the sub-buffers may
 * not have had room, and of those that were overwritten, which they do not tell from the former.
 */
static void note_counts(struct capture *c, const struct captured_buffer *o, const char *key,
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

void capture_wall(struct capture *c, const char *what, const char *name, const char *instance)
{
	struct buf text = {0};

	if (!wall_read(c->got.front.t, instance, &text))
		capture_note_of(c, what, name, text.data);
	buf_release(&text);
}

/* Where the tracer swaps its buffers. The file has room for so much of all of them. */
static void capture_latency(struct capture *c, struct captured_buffer *o, const char *instance)
{
	size_t most = LIMIT_BYTES_LATENCY - LATENCY_HEADS;
	struct latency *l = &o->latency;
	const struct captured_buffer *other;

	for (other = c->got.bufs; other < o; other++)
		most -= other->latency.text.len;
	latency_read(c->got.front.t, instance, most, l);
	if (!l->tracer)
		return;
	capture_note_of(c, DAT_LATENCY_KEY, o->name, l->tracer);
	if (!l->measured)
		capture_lacks(c, "tracer '%s' measured no latency", l->tracer);
	else if (*l->max)
		capture_note_of(c, "max_latency", o->name, l->max);
	if (l->cut)
		capture_lacks(c, "there is no room for all of the text of tracer '%s': it ends "
			      "early", l->tracer);
}

static void capture_buffer(struct capture *c, struct captured_buffer *o,
			   const struct lane_buffer *from)
{
	const char *instance;
	char *tracer;

	o->name = xstrdup(from->name ? from->name : "");
	instance = from->instance ? from->instance : o->name;
	o->rec = from->rec;
	o->flight = from->flight;
	capture_text(c, instance, "trace_clock", &o->clock_text);
	o->clock = capture_clock_name(o->clock_text.data);
	tracer = tfs_line(c->got.front.t, instance, "current_tracer");
	capture_note_of(c, "tracer", o->name, tracer ? tracer : "");
	capture_note_of(c, "clock", o->name, o->clock);
	if (from->earlier_boot)
		capture_lacks(c, "no time of day for the events of '%s': they may be from an "
			      "earlier boot", o->name);
	else
		capture_wall(c, "wall_end", o->name, instance);
	capture_options(c, o->name, instance);
	capture_latency(c, o, instance);
	capture_stats(c, o, instance, from->no_stats);
	note_counts(c, o, "lost", o->lost);
	if (!from->swaps)
		note_counts(c, o, "overwritten", o->overwritten);
	free(tracer);
}

/* A text of lines as one line, with semicolons; nothing if it is empty. */
static void note_lines(struct capture *c, const char *key, const char *file)
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

/* The tasks that are in the data, as far as it was read; where it was not, all. */
static void capture_living(struct capture *c)
{
	const struct walk *w = c->hooks.walked ? c->hooks.walked(c->hooks.ctx) : NULL;
	int pid = 0;

	if (!w || walk_pids(w) > FEW_TASKS) {
		comms_add_proc(&c->got.comms, COMM_PROC_END);
		return;
	}
	while ((pid = walk_next_pid(w, pid)))
		comms_add_task(&c->got.comms, COMM_PROC_END, pid);
}

static void capture_tasks(struct capture *c)
{
	capture_text(c, NULL, "saved_cmdlines", &c->got.saved_comms);
	comms_add_saved(&c->got.comms, c->got.saved_comms.data);
	capture_living(c);
	note_lines(c, "saved_tgids", "saved_tgids");
	note_lines(c, "dynamic_events", "dynamic_events");
}

static void note_list(struct capture *c, const char *key, const struct strv *lines)
{
	struct buf text = {0};
	size_t i;

	for (i = 0; i < lines->n; i++)
		buf_printf(&text, "%s%s", i ? "\n" : "", lines->v[i]);
	if (text.len)
		capture_note(c, key, text.data);
	buf_release(&text);
}

static void capture_maps(struct capture *c)
{
	if (!c->got.maps)
		return;
	procmaps_stop(c->got.maps);
	note_list(c, "build_ids", procmaps_files(c->got.maps));
	if (procmaps_missing(c->got.maps))
		capture_lacks(c, "address maps of %zu processes are missing: there were too many",
			      procmaps_missing(c->got.maps));
	else if (!procmaps_n(c->got.maps))
		capture_lacks(c, "no address maps: the processes ended before they could be read");
}

static void capture_btf(struct capture *c)
{
	if (c->wants_btf && io_read_at(AT_FDCWD, "/sys/kernel/btf/vmlinux", &c->got.btf))
		capture_lacks(c, "no BTF: cannot read '/sys/kernel/btf/vmlinux': %m");
}

static void tell_hidden(struct capture *c)
{
	if (c->got.symbols.hidden)
		capture_lacks(c, "no kernel symbols: "
			      "/proc/kallsyms hides the addresses (kptr_restrict)");
	else if (!c->got.symbols.h.last.len)
		capture_lacks(c, "no kernel symbols: /proc/kallsyms cannot be read");
}

const struct captured *capture_end(struct capture *c, const struct lane_buffer *bufs, size_t n,
				   bool last)
{
	size_t i;

	capture_maps(c);
	c->got.bufs = xcalloc(n, sizeof(*c->got.bufs));
	c->got.n = n;
	for (i = 0; i < n; i++)
		capture_buffer(c, &c->got.bufs[i], &bufs[i]);
	capture_tasks(c);
	worker_stop(&c->worker);
	capture_read(c);
	tell_hidden(c);
	if (c->values.len)
		capture_note(c, "kernel_values", c->values.data);
	capture_btf(c);
	note_list(c, "modules", &c->modules);
	if (last)
		modlog_end(c->got.modlog);
	return &c->got;
}

void captured_read_formats(const struct captured *c, struct formats *all)
{
	formats_copy(all, &c->front.formats);
	formats_read_all(all, c->front.t, false);
}

bool captured_latencies(const struct captured *c, struct buf *out)
{
	size_t i, before = out->len;

	for (i = 0; i < c->n; i++)
		latency_add(out, &c->bufs[i].latency, c->bufs[i].name);
	return out->len > before;
}
