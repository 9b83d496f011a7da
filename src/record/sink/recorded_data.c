/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the recorded data says, beside what was captured. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "event/data/text_tables.h"
#include "record/capture/clock_offset.h"
#include "record/sink/sink_priv.h"
#include "record/symbols/symtimes.h"

static void add_totals(struct sink_totals *to, const struct walk_totals *walked,
		       uint64_t kernel_lost, bool flight, uint64_t overwritten)
{
	to->events += walked->events;
	/* sub-buffers do not tell overwritten records from those that found no place */
	if (flight) {
		to->lost += kernel_lost;
		to->overwritten += walked->lost || walked->lost_unknown ? overwritten : 0;
		return;
	}
	/*
	 * the kernel's counters also know what a sub-buffer had no room to say, and what came after
	 * the last one
	 */
	to->lost += walked->lost > kernel_lost ? walked->lost : kernel_lost;
	to->lost_unknown |= walked->lost_unknown && !kernel_lost;
}

static void total_buffer(struct sink *s, const struct captured_buffer *o, size_t b)
{
	struct sink_totals *t = &s->seen.totals;
	const struct recorder_cpu *cpus;
	const struct walk_totals *sum;
	uint64_t bad = 0;
	size_t i, n;

	cpus = recorder_cpus(o->rec, &n);
	t->cpus = n > t->cpus ? n : t->cpus;
	for (i = 0; i < n; i++) {
		sum = follow_totals(s->follow, b, i);
		errno = follow_failed(s->follow, b, i);
		t->unread |= errno || sum->bad_pages;
		if (errno)
			strv_take(&s->seen.notes,
				  xasprintf("cannot read back the data of CPU %d: %m",
					    cpus[i].cpu));
		add_totals(t, sum, o->lost[i], o->flight, o->overwritten[i]);
		t->bytes += cpus[i].size;
		bad += sum->bad_pages;
	}
	if (bad)
		strv_take(&s->seen.notes,
			  xasprintf("%" PRIu64 " sub-buffers of '%s' are not valid",
				    bad, *o->name ? o->name : "top level"));
}

/* Reads the rest of the data: totals, names of tasks, called functions. */
static void read_data(struct sink *s, const struct captured *c)
{
	struct seen *seen = &s->seen;
	const struct walk *walk;
	const struct map *called;
	struct buf text = {0};
	uint64_t dropped = 0;
	size_t i, unnamed;
	int pid = 0;

	if (!s->follow && sink_trail(s, &c->front)) {
		seen->totals.unread = true;
		return;
	}
	follow_finish(s->follow);
	if (s->packing.data) {
		/* the raw data is still there, if it could not be compressed */
		errno = s->pack ? pack_finish(s->pack) : ENOTSUP;
		if (!errno)
			errno = follow_sys(s->follow);
		s->packed = !errno;
		if (errno)
			strv_take(&seen->notes, xasprintf("the file is not compressed: %m"));
	}
	for (i = 0; i < c->n; i++) {
		total_buffer(s, &c->bufs[i], i);
		dropped += recorder_dropped(c->bufs[i].rec);
	}
	if (dropped) {
		text_bytes(&text, dropped);
		buf_addstr(&text, " of older data were dropped: -m keeps ");
		text_bytes(&text, s->plan.keep_bytes);
		buf_addstr(&text, " of each CPU");
		strv_take(&seen->notes, buf_take(&text));
	}
	seen->totals.unread |= dropped > 0;
	walk = follow_walk(s->follow);
	seen->totals.calls = walk_met_calls(walk, &c->front.formats);
	comms_merge(&seen->comms, follow_comms(s->follow));
	called = walk_called(walk);
	for (i = 0; i < called->cap; i++)
		if (called->slots[i].val)
			map_put(&seen->called, called->slots[i].key, seen);
	/*
	 * Tasks that came too late to be asked for with the others, unless they have another name:
	 * compressing may have taken long, and the pid may be another task's by now.
	 */
	while ((pid = walk_next_pid(walk, pid)))
		if (!comms_get(&seen->comms, pid))
			comms_add_task(&seen->comms, COMM_PROC_START, pid);
	unnamed = walk_unnamed(walk, &seen->comms);
	if (unnamed)
		strv_take(&seen->notes,
			  xasprintf("%zu tasks in the trace have no known name", unnamed));
}

/*
 * The kernel names a task as saved_cmdlines does, which may be its name of an earlier time: where
 * we know better, the kernel's name is kept too, so that its own text can be told.
 */
static void note_kernel_comms(struct seen *seen, const struct captured *c)
{
	const char *p = c->saved_comms.data, *end = p + c->saved_comms.len, *ours;
	struct comm_line line;
	struct buf b = {0};

	while (comm_line_next(&line, &p, end)) {
		ours = line.pid < 0 ? NULL : comms_get(&seen->comms, line.pid);
		if (ours && (strlen(ours) != line.len || memcmp(ours, line.name, line.len)))
			buf_printf(&b, "%d %.*s\n", line.pid, (int)line.len, line.name);
	}
	if (b.len)
		keys_set(&seen->keys, "kernel_comms", b.data);
	buf_release(&b);
}

static const char *value_of(const struct captured *c, const char *what, const char *name)
{
	char *key = keys_name_of(what, name);
	const char *value = keys_get(&c->front.keys, key);

	free(key);
	return value;
}

/* By the clock of the first buffer, as readers take a file to have one. */
static void note_symbol_times(struct seen *seen, const struct captured *c)
{
	const struct captured_buffer *o = c->n ? c->bufs : NULL;
	const struct module_event *events;
	struct buf room = {0}, text = {0};
	struct wall_line line;
	size_t n;

	events = modlog_events(c->modlog, &n);
	if (n && o && !wall_line(&line, value_of(c, "wall_begin", o->name),
				 value_of(c, "wall_end", o->name), true))
		symtimes_text(&c->symtimes, events, n, symbols_text(&c->symbols, &room),
			      wall_trace, &line, &text);
	if (text.len)
		keys_set(&seen->keys, "symbol_times", text.data);
	buf_release(&text);
	buf_release(&room);
}

void seen_read(struct sink *s, const struct captured *c)
{
	struct seen *seen = &s->seen;

	if (seen->done)
		return;
	seen->done = true;
	comms_merge(&seen->comms, &c->comms);
	read_data(s, c);
	if (!s->follow || walk_lacks(follow_walk(s->follow), &c->front.formats))
		captured_read_formats(c, &seen->formats);
	note_kernel_comms(seen, c);
	note_symbol_times(seen, c);
	keys_set(&seen->keys, "kallsyms_order", "address");	/* sink_write_symbols() */
}

const struct formats *seen_formats(const struct seen *seen, const struct captured *c)
{
	return seen->formats.n ? &seen->formats : &c->front.formats;
}

void seen_release(struct seen *seen)
{
	comms_release(&seen->comms);
	formats_release(&seen->formats);
	keys_release(&seen->keys);
	map_release(&seen->called);
	strv_release(&seen->notes);
}
