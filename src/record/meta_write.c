/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the captured metadata and the recorded data as one trace.dat. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.h"
#include "file/spool/dat_join.h"
#include "file/write/dat_write_v6.h"
#include "record/capture/walk.h"
#include "record/capture/clock/wall.h"
#include "record/file/dat_formats.h"
#include "record/meta_priv.h"

#ifndef FTR_VERSION
#define FTR_VERSION "0.1"
#endif

static void take_note(struct meta *m, char *text)
{
	strv_take(&m->notes, text);
}

static void add_totals(struct meta_totals *to, const struct walk_totals *walked,
		       uint64_t kernel_lost, bool flight)
{
	to->events += walked->events;
	/* sub-buffers do not tell overwritten records from those that found no place */
	if (flight) {
		to->lost += kernel_lost;
		return;
	}
	/*
	 * the kernel's counters also know what a sub-buffer had no room to say, and what came after
	 * the last one
	 */
	to->lost += walked->lost > kernel_lost ? walked->lost : kernel_lost;
	to->lost_unknown |= walked->lost_unknown && !kernel_lost;
}

static void total_buffer(struct meta *m, size_t b)
{
	struct meta_out *o = &m->out[b];
	const struct recorder_cpu *cpus;
	const struct walk_totals *sum;
	uint64_t bad = 0;
	size_t i, n;

	cpus = recorder_cpus(o->rec, &n);
	o->totals.cpus = n;
	for (i = 0; i < n; i++) {
		sum = follow_totals(m->follow, b, i);
		errno = follow_failed(m->follow, b, i);
		if (errno)
			take_note(m, xasprintf("cannot read back the data of CPU %d: %m",
					       cpus[i].cpu));
		add_totals(&o->totals, sum, o->lost[i], o->flight);
		o->totals.bytes += cpus[i].size;
		bad += sum->bad_pages;
	}
	if (bad)
		take_note(m, xasprintf("%" PRIu64 " sub-buffers of '%s' are not as they should be",
				       bad,
				       *o->name ? o->name : "top level"));
}

static void keep_called(struct meta *m, const struct map *called)
{
	size_t i;

	for (i = 0; i < called->cap; i++)
		if (called->slots[i].val)
			map_put(&m->called, called->slots[i].key, m);
}

static void note_dropped(struct meta *m, uint64_t bytes)
{
	struct buf b = {0};

	if (!bytes)
		return;
	text_bytes(&b, bytes);
	buf_addstr(&b, " of older data were dropped: -m keeps ");
	text_bytes(&b, m->keep);
	buf_addstr(&b, " of each CPU");
	take_note(m, buf_take(&b));
}

/* Now that all was read, and compressed. Else there is the raw data. */
static void end_packing(struct meta *m)
{
	if (!m->packing.data)
		return;
	errno = m->pack ? pack_finish(m->pack) : ENOTSUP;
	if (!errno)
		errno = follow_sys(m->follow);
	m->packed = !errno;
	if (errno)
		take_note(m, xasprintf("the file is not compressed: %m"));
}

/*
 * Tasks that came too late to be asked with the others. Only if there is no other name: compressing
 * may have taken long, and the number be another task's by now.
 */
static void name_rest(struct meta *m)
{
	const struct walk *w = follow_walk(m->follow);
	int pid = 0;

	while ((pid = walk_next_pid(w, pid)))
		if (!comms_get(&m->comms, pid))
			comms_add_task(&m->comms, COMM_PROC_START, pid);
}

/* What the data says, which is read now as far as it was not while it came. */
static void see_data(struct meta *m)
{
	struct lane_buffer *bufs = xcalloc(m->nr_out + 1, sizeof(*bufs));
	uint64_t dropped = 0;
	size_t i, unnamed;
	int ret = 0;

	for (i = 0; i < m->nr_out; i++)
		bufs[i].rec = m->out[i].rec;
	if (!m->follow)
		ret = meta_trail(m, bufs, m->nr_out);
	free(bufs);
	if (ret)
		return;
	follow_finish(m->follow);
	end_packing(m);
	for (i = 0; i < m->nr_out; i++) {
		total_buffer(m, i);
		dropped += recorder_dropped(m->out[i].rec);
	}
	note_dropped(m, dropped);
	comms_merge(&m->comms, follow_comms(m->follow));
	keep_called(m, walk_called(follow_walk(m->follow)));
	name_rest(m);
	unnamed = walk_unnamed(follow_walk(m->follow), &m->comms);
	if (unnamed)
		take_note(m, xasprintf("%zu tasks in the trace have no known name", unnamed));
}

/*
 * The kernel names a task as saved_cmdlines does, which may be its name of an earlier time: where
 * we know better, the kernel's name is kept too, so that its own text can be told.
 */
static void note_kernel_comms(struct meta *m)
{
	struct strv lines = {0};
	struct buf b = {0};
	const char *ours;
	char *comm;
	size_t i;

	strv_split(&lines, m->saved_comms.data ? m->saved_comms.data : "", "\n");
	for (i = 0; i < lines.n; i++) {
		comm = strchr(lines.v[i], ' ');
		ours = comm ? comms_get(&m->comms, atoi(lines.v[i])) : NULL;
		if (ours && strcmp(ours, comm + 1))
			buf_printf(&b, "%s\n", lines.v[i]);
	}
	if (b.len)
		meta_note(m, "kernel_comms", b.data);
	buf_release(&b);
	strv_release(&lines);
}

static const char *value_of_key(const struct meta *m, const char *what, const char *name)
{
	char *key = xasprintf("%s%s%s", what, *name ? "." : "", name);
	const char *value = NULL;
	size_t i;

	for (i = 0; i < m->nr_keys; i++)
		if (!strcmp(m->keys[i].key, key))
			value = m->keys[i].value;
	free(key);
	return value;
}

/* By the clock of the first buffer, as readers take a file to have one. */
static void note_symbol_times(struct meta *m)
{
	const struct meta_out *o = m->nr_out ? m->out : NULL;
	const struct module_event *events;
	struct buf room = {0}, text = {0};
	struct wall_line line;
	size_t n;

	events = modlog_events(m->modlog, &n);
	if (n && o && !wall_line(&line, value_of_key(m, "wall_begin", o->name),
				 value_of_key(m, "wall_end", o->name), true))
		symtimes_text(&m->symtimes, events, n, symbols_text(&m->symbols, &room),
			      wall_trace, &line, &text);
	if (text.len)
		meta_note(m, "symbol_times", text.data);
	buf_release(&text);
	buf_release(&room);
}

static void add_meta_str(struct dat_writer *w, uint16_t id, const char *s)
{
	dat_add_option(w, id, s, strlen(s) + 1);
}

/* As trace-cmd has it: the top level's CPUs one by one; before those of an instance its name. */
static void write_stats(struct dat_writer *w, const struct meta_out *o)
{
	char *head;
	size_t i;

	if (*o->name) {
		head = xasprintf("\nBuffer: %s\n\n", o->name);
		add_meta_str(w, DAT_CPUSTAT, head);
		free(head);
	}
	for (i = 0; i < o->stats.n; i++)
		add_meta_str(w, DAT_CPUSTAT, o->stats.v[i]);
}

static uint32_t cpu_count(const struct meta *m)
{
	const struct recorder_cpu *cpus;
	uint32_t max = 0;
	size_t i, k, n;

	for (i = 0; i < m->nr_out; i++) {
		cpus = recorder_cpus(m->out[i].rec, &n);
		for (k = 0; k < n; k++)
			if ((uint32_t)cpus[k].cpu + 1 > max)
				max = cpus[k].cpu + 1;
	}
	return max;
}

/* A value is one line: newline and backslash are written as \n and \\. */
static void add_escaped(struct buf *b, const char *value)
{
	for (; *value; value++) {
		if (*value == '\n')
			buf_addstr(b, "\\n");
		else if (*value == '\\')
			buf_addstr(b, "\\\\");
		else
			buf_addch(b, *value);
	}
}

void meta_key_lines(const struct meta *m, struct buf *out)
{
	size_t i;

	for (i = 0; i < m->nr_keys; i++) {
		buf_printf(out, "%s=", m->keys[i].key);
		add_escaped(out, m->keys[i].value);
		buf_addch(out, '\n');
	}
}

static void write_keys(struct dat_writer *w, const struct meta *m)
{
	struct buf b = {0};

	meta_key_lines(m, &b);
	dat_write_meta(w, b.data ? b.data : "", b.len);
	buf_release(&b);
}

static void write_times(struct dat_writer *w, const struct meta *m)
{
	struct buf b = {0};

	if (m->has_date) {
		/* readers take strtoll() with base 0 */
		buf_printf(&b, "0x%" PRIx64, (uint64_t)m->date_us);
		add_meta_str(w, DAT_DATE, b.data);
		buf_reset(&b);
	}
	if (m->has_tsc) {
		buf_u32(&b, m->tsc.mult);
		buf_u32(&b, m->tsc.shift);
		buf_u64(&b, m->tsc.offset_ns);
		dat_add_option(w, DAT_TSC2NSEC, b.data, b.len);
	}
	buf_release(&b);
}

static void write_maps(struct dat_writer *w, const struct meta *m)
{
	size_t i, n = m->maps ? procmaps_n(m->maps) : 0;
	struct buf b = {0};

	for (i = 0; i < n; i++) {
		procmaps_option(m->maps, i, &b);
		dat_add_option(w, DAT_PROCMAPS, b.data, b.len);
		buf_reset(&b);
	}
	buf_release(&b);
}

static void write_meta_options(struct dat_writer *w, const struct meta *m)
{
	uint32_t cpus = cpu_count(m);
	size_t i;

	write_times(w, m);
	for (i = 0; i < m->nr_out; i++)
		write_stats(w, &m->out[i]);
	if (m->nr_out)
		add_meta_str(w, DAT_TRACECLOCK, m->out[0].clock_text.data);
	if (m->uname)
		add_meta_str(w, DAT_UNAME, m->uname);
	dat_add_option(w, DAT_CPUCOUNT, &cpus, sizeof(cpus));
	add_meta_str(w, DAT_VERSION, "ftr " FTR_VERSION);
	dat_add_option(w, DAT_TRACEID, &m->trace_id, sizeof(m->trace_id));
	write_maps(w, m);
}

void meta_write_headers(struct meta *m, struct dat_writer *w)
{
	struct dat_write_format *v;
	size_t n;

	dat_write_header_info(w, m->header_page.data, m->header_page.len, m->header_event.data,
			      m->header_event.len);
	n = dat_formats_list(&m->formats, true, &v);
	dat_write_ftrace_events(w, v, n);
	free(v);
}

void meta_write_formats(struct meta *m, struct dat_writer *w)
{
	struct dat_write_format *v;
	size_t n;

	if (w == m->w && m->formats_written == m->formats.n && !m->packing.name)
		return;
	n = dat_formats_list(&m->formats, false, &v);
	dat_write_event_formats(w, v, n);
	free(v);
	if (w == m->w)
		m->formats_written = m->formats.n;
}

/* Those of the functions in the data only: all of the kernel's would be some megabytes. */
static void write_protos(struct dat_writer *w, struct meta *m, const struct buf *kallsyms)
{
	struct buf b = {0};
	struct ftr_error err;

	if (!m->called.n)
		return;
	buf_add(&b, "", 0);
	if (protos_text(&m->protos, &m->called, kallsyms, &b, &err))
		take_note(m, xasprintf("no names of functions' arguments: %s", err.msg));
	else
		dat_write_protos(w, b.data, b.len);
	buf_release(&b);
}

static void write_latencies(struct dat_writer *w, const struct meta *m)
{
	struct dat_latency *v = xcalloc(m->nr_out + 1, sizeof(*v));
	const struct meta_out *o;
	size_t n = 0;

	for (o = m->out; o < m->out + m->nr_out; o++)
		if (o->latency.text.len)
			v[n++] = (struct dat_latency){ o->name, o->latency.text.data,
						       o->latency.text.len };
	if (n)
		dat_write_latencies(w, v, n);
	free(v);
}

static void write_meta_blobs(struct dat_writer *w, struct meta *m)
{
	struct buf b = {0};
	const struct buf *symbols = symbols_text(&m->symbols, &b);

	meta_write_symbols(w, m, symbols);
	write_protos(w, m, symbols);
	write_latencies(w, m);
	buf_reset(&b);
	history_text(&m->printk, &b);
	dat_write_blob(w, DAT_PRINTK, b.data ? b.data : "", b.len);
	buf_reset(&b);
	comms_text(&m->comms, &b);
	dat_write_blob(w, DAT_CMDLINES, b.data, b.len);
	if (m->btf.len)
		dat_write_btf(w, m->btf.data, m->btf.len);
	buf_release(&b);
}

/* What is copied need not stay where it was, but may while there is room for both. */
static bool room_is_short(const struct meta *m, int fd)
{
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; i < m->nr_out; i++)
		bytes += recorder_bytes(m->out[i].rec);
	return !m->w || !meta_has_room(fd, bytes + bytes / 16);
}

static void copy_buffer(struct dat_writer *w, const struct meta *m, size_t b, bool consume)
{
	const struct meta_out *o = &m->out[b];
	const struct recorder_cpu *from;
	struct dat_write_cpu *cpus;
	size_t i, n;

	from = recorder_cpus(o->rec, &n);
	cpus = xcalloc(n, sizeof(*cpus));
	for (i = 0; i < n; i++)
		cpus[i] = (struct dat_write_cpu){ .cpu = from[i].cpu, .fd = from[i].fd,
						  .base = from[i].base, .size = from[i].size,
						  .consume = consume };
	for (i = 0; i < n && m->packed; i++) {
		cpus[i].base = m->spool.bufs[b].v[i].at;
		cpus[i].size = m->spool.bufs[b].v[i].size;
	}
	dat_write_buffer(w, o->name, o->clock, recorder_subbuf_size(o->rec), cpus, n);
	free(cpus);
}

static void write_sections(struct dat_writer *w, struct meta *m)
{
	meta_write_formats(m, w);
	write_keys(w, m);
	write_meta_blobs(w, m);
	write_meta_options(w, m);
}

void meta_see_all(struct meta *m)
{
	if (m->seen)
		return;
	m->seen = true;
	see_data(m);
	/* of events that somebody else, or a trigger, has enabled */
	if (!m->follow || walk_lacks(follow_walk(m->follow), &m->formats))
		formats_read_all(&m->formats, m->t, false);
	note_kernel_comms(m);
	note_symbol_times(m);
	meta_note(m, "kallsyms_order", "address");	/* write_meta_blobs() */
}

void meta_write_sections(struct meta *m)
{
	if (m->sections_written)
		return;
	meta_see_all(m);
	if (m->packing.name) {
		dat_drop_front(m->w, &m->spool);
		dat_pack(m->w, m->packed);
		meta_write_headers(m, m->w);
	}
	write_sections(m->w, m);
	m->sections_written = true;
}

/* The data is there already. */
static int write_joined(struct meta *m, struct ftr_error *err)
{
	struct dat_writer *w = m->w;
	const struct dat_region_sums *sums;

	meta_write_sections(m);
	meta_seal(m);
	/* raw data has none where it was to be compressed */
	sums = m->packed ? pack_sums(m->pack) : m->pack ? NULL : follow_sums(m->follow);
	dat_join(w, &m->spool, sums);
	meta_write_late_symbols(w, m);
	m->w = NULL;
	return dat_finish(w, err);
}

static int write_copied(struct meta *m, int fd, const char *path, struct ftr_error *err)
{
	uint32_t page_size = m->nr_out ? recorder_subbuf_size(m->out[0].rec) : 4096;
	struct dat_writer *w = dat_create_packed(fd, path, page_size, &m->packing, err);
	bool consume = room_is_short(m, fd);
	size_t i;

	if (!w)
		return -1;
	meta_see_all(m);
	if (m->packing.name)
		dat_pack(w, m->packed);
	meta_write_headers(m, w);
	write_sections(w, m);
	for (i = 0; i < m->nr_out; i++)
		copy_buffer(w, m, i, consume);
	meta_write_late_symbols(w, m);
	return dat_finish(w, err);
}

/*
 * Version 6 has room for one size of sub-buffers, and for the top level first; not for sections of
 * our own.
 */
static bool fits_v6(struct meta *m)
{
	size_t i;

	for (i = 0; i < m->nr_out; i++)
		if (m->out[i].latency.text.len)
			break;
	if (i < m->nr_out) {
		take_note(m, xstrdup("the file is of version 7: version 6 has no place "
				     "for the text of the longest latency"));
		return false;
	}
	for (i = 0; i < m->nr_out; i++)
		if (recorder_subbuf_size(m->out[i].rec) != recorder_subbuf_size(m->out[0].rec))
			break;
	if (i == m->nr_out && i && !*m->out[0].name)
		return true;
	take_note(m, xstrdup("the file is of version 7: "
			     "in version 6 all sub-buffers have one size"));
	return false;
}

/* The buffers, where no region of a file is theirs. */
static void name_buffers(struct meta *m)
{
	const struct recorder_cpu *cpus;
	struct dat_spool_buffer *b;
	size_t i, k, n;

	for (i = 0; i < m->nr_out && !m->w; i++) {
		b = dat_spool_add(&m->spool, m->out[i].name, m->out[i].clock,
				  recorder_subbuf_size(m->out[i].rec));
		cpus = recorder_cpus(m->out[i].rec, &n);
		for (k = 0; k < n; k++)
			dat_spool_add_cpu(b, cpus[k].cpu);
	}
}

/* Its metadata is in @meta. Frees ->w if that is what is joined. */
static int write_v6_data(struct meta *m, const struct dat_writer *meta, int fd, const char *path,
			 struct ftr_error *err)
{
	uint32_t page_size = recorder_subbuf_size(m->out[0].rec);
	struct dat_writer *w = meta_joins(m) ? m->w : dat_create(fd, path, page_size, err);
	bool consume = room_is_short(m, fd), joins = meta_joins(m);
	size_t i;

	if (!w)
		return -1;
	name_buffers(m);
	if (!dat_v6_begin(w, meta, &m->spool)) {
		err_set(err, FTR_DAMAGED, "'%s' has no room for the metadata of version 6", path);
		if (!joins)
			dat_abort(w);
		return -1;
	}
	if (joins) {
		meta_seal(m);
		dat_join(w, &m->spool, follow_sums(m->follow));
		m->w = NULL;
	}
	for (i = 0; i < m->nr_out && !joins; i++)
		copy_buffer(w, m, i, consume);
	return dat_v6_finish(w, meta, &m->spool, err);
}

static int write_v6(struct meta *m, int fd, const char *path, struct ftr_error *err)
{
	int mem = memfd_create("ftr-meta", MFD_CLOEXEC), ret = -1;
	struct dat_writer *meta;

	if (mem < 0)
		return err_sys(err, "cannot get memory for metadata");
	meta_see_all(m);
	meta = dat_create(mem, path, recorder_subbuf_size(m->out[0].rec), err);
	if (meta) {
		meta_write_headers(m, meta);
		write_sections(meta, m);
		ret = write_v6_data(m, meta, fd, path, err);
	}
	dat_abort(meta);
	close(mem);
	return ret;
}

int meta_write(struct meta *m, int fd, const char *path, struct ftr_error *err)
{
	int ret;

	m->fd = fd;
	m->v6 = m->v6 && fits_v6(m);
	if (m->v6)
		ret = write_v6(m, fd, path, err);
	else
		ret = m->w && m->joins ? write_joined(m, err) : write_copied(m, fd, path, err);
	return meta_tell_symbols(m, ret, path, err);
}

void meta_buffer_totals(const struct meta *m, size_t i, struct meta_totals *out)
{
	*out = i < m->nr_out ? m->out[i].totals : (struct meta_totals){0};
}

bool meta_latencies(const struct meta *m, struct buf *out)
{
	size_t i, before = out->len;

	for (i = 0; i < m->nr_out; i++)
		latency_add(out, &m->out[i].latency, m->out[i].name);
	return out->len > before;
}

void meta_totals(const struct meta *m, struct meta_totals *out)
{
	const struct meta_totals *t;
	size_t i;

	*out = (struct meta_totals){0};
	for (i = 0; i < m->nr_out; i++) {
		t = &m->out[i].totals;
		out->events += t->events;
		out->lost += t->lost;
		out->lost_unknown |= t->lost_unknown;
		out->bytes += t->bytes;
		if (t->cpus > out->cpus)
			out->cpus = t->cpus;
	}
}
