/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Information from the recorded data, besides the captured metadata. */
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
	/* sub-buffers do not distinguish overwritten records from those that found no room */
	if (flight) {
		to->lost += kernel_lost;
		to->overwritten += walked->lost || walked->lost_unknown ? overwritten : 0;
		return;
	}
	/*
	 * the kernel's counters also contain losses that had no room in a sub-buffer, and those
	 * after the last one
	 */
	to->lost += walked->lost > kernel_lost ? walked->lost : kernel_lost;
	to->lost_unknown |= walked->lost_unknown && !kernel_lost;
}

static void total_buffer(struct record_sink *s, const struct captured_buffer *o, size_t b)
{
	struct sink_totals *t = &s->data.totals;
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
			strv_take(&s->data.notes,
				  xasprintf("cannot read back the data of CPU %d: %m",
					    cpus[i].cpu));
		add_totals(t, sum, o->lost[i], o->flight, o->overwritten[i]);
		t->bytes += cpus[i].size;
		bad += sum->bad_pages;
	}
	if (bad)
		strv_take(&s->data.notes,
			  xasprintf("%" PRIu64 " sub-buffers of '%s' are not valid",
				    bad, *o->name ? o->name : "top level"));
}

/* Reads the rest of the data: totals, names of tasks, called functions. */
static void read_all_data(struct record_sink *s, const struct captured_meta *c)
{
	struct recorded_data *data = &s->data;
	const struct data_walk *walk;
	const struct map *called;
	struct buf text = {0};
	uint64_t dropped = 0;
	size_t i, unnamed;
	int pid = 0;

	if (!s->follow && sink_make_follow(s, &c->headers)) {
		data->totals.unread = true;
		return;
	}
	follow_finish(s->follow);
	if (s->packing.data) {
		/* if the data could not be compressed, the raw data is still there */
		errno = s->pack ? pack_finish(s->pack) : ENOTSUP;
		if (!errno)
			errno = follow_sys(s->follow);
		s->packed = !errno;
		if (errno)
			strv_take(&data->notes, xasprintf("the file is not compressed: %m"));
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
		strv_take(&data->notes, buf_take(&text));
	}
	data->totals.unread |= dropped > 0;
	walk = follow_walk(s->follow);
	data->totals.calls = walk_met_calls(walk, &c->headers.formats);
	comms_merge(&data->comms, follow_comms(s->follow));
	called = walk_called(walk);
	for (i = 0; i < called->cap; i++)
		if (called->slots[i].val)
			map_put(&data->called, called->slots[i].key, data);
	/*
	 * Tasks that came too late to be asked for with the others, unless they have another name:
	 * compressing may have taken long, and the pid may be another task's by now.
	 */
	while ((pid = walk_next_pid(walk, pid)))
		if (!comms_get(&data->comms, pid))
			comms_add_task(&data->comms, COMM_PROC_START, pid);
	unnamed = walk_unnamed(walk, &data->comms);
	if (unnamed)
		strv_take(&data->notes,
			  xasprintf("%zu tasks in the trace have no known name", unnamed));
}

/*
 * The kernel's text has the name of saved_cmdlines, which may be an earlier name of the task. If we
 * know a newer one, the kernel's name is kept, too, so that its text can be reproduced.
 */
static void note_kernel_comms(struct recorded_data *data, const struct captured_meta *c)
{
	const char *p = c->saved_comms.data, *end = p + c->saved_comms.len, *ours;
	struct comm_line line;
	struct buf b = {0};

	while (comm_line_next(&line, &p, end)) {
		ours = line.pid < 0 ? NULL : comms_get(&data->comms, line.pid);
		if (ours && (strlen(ours) != line.len || memcmp(ours, line.name, line.len)))
			buf_printf(&b, "%d %.*s\n", line.pid, (int)line.len, line.name);
	}
	if (b.len)
		keys_set(&data->keys, "kernel_comms", b.data);
	buf_release(&b);
}

static const char *keys_of_buffer(const struct captured_meta *c, const char *what, const char *name)
{
	char *key = keys_name_of(what, name);
	const char *value = keys_get(&c->headers.keys, key);

	free(key);
	return value;
}

/*
 * Notes when symbols changed, by the clock of the first buffer: readers assume that a file has one
 * clock.
 */
static void note_symbol_times(struct recorded_data *data, const struct captured_meta *c)
{
	const struct captured_buffer *o = c->n ? c->bufs : NULL;
	const struct module_event *events;
	struct buf room = {0}, text = {0};
	struct wall_line line;
	size_t n;

	events = modlog_events(c->modlog, &n);
	if (n && o && !wall_line(&line, keys_of_buffer(c, "wall_begin", o->name),
				 keys_of_buffer(c, "wall_end", o->name), true))
		symtimes_text(&c->symtimes, events, n, symbols_text(&c->symbols, &room),
			      wall_trace, &line, &text);
	if (text.len)
		keys_set(&data->keys, "symbol_times", text.data);
	buf_release(&text);
	buf_release(&room);
}

void recorded_data_read(struct record_sink *s, const struct captured_meta *c)
{
	struct recorded_data *data = &s->data;

	if (data->done)
		return;
	data->done = true;
	comms_merge(&data->comms, &c->comms);
	read_all_data(s, c);
	if (!s->follow || walk_lacks(follow_walk(s->follow), &c->headers.formats))
		captured_read_formats(c, &data->formats);
	note_kernel_comms(data, c);
	note_symbol_times(data, c);
	keys_set(&data->keys, "kallsyms_order", "address");	/* as in write_symbols() */
}

const struct format_files *recorded_data_formats(const struct recorded_data *data,
						 const struct captured_meta *c)
{
	return data->formats.n ? &data->formats : &c->headers.formats;
}

void recorded_data_release(struct recorded_data *data)
{
	comms_release(&data->comms);
	formats_release(&data->formats);
	keys_release(&data->keys);
	map_release(&data->called);
	strv_release(&data->notes);
}
