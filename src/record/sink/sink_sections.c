/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes what was captured as sections and options of a trace file. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "file/write/dat_join.h"
#include "record/file/dat_formats.h"
#include "record/sink/sink_priv.h"

#ifndef FTR_VERSION
#define FTR_VERSION "0.1"
#endif

static void add_text_option(struct dat_writer *w, uint16_t id, const char *s)
{
	dat_add_option(w, id, s, strlen(s) + 1);
}

/* As trace-cmd has it: the top level's CPUs one by one; before those of an instance its name. */
static void write_stats(struct dat_writer *w, const struct captured_buffer *o)
{
	char *head;
	size_t i;

	if (*o->name) {
		head = xasprintf("\nBuffer: %s\n\n", o->name);
		add_text_option(w, DAT_CPUSTAT, head);
		free(head);
	}
	for (i = 0; i < o->stats.n; i++)
		add_text_option(w, DAT_CPUSTAT, o->stats.v[i]);
}

static uint32_t cpu_count(const struct captured *c)
{
	const struct recorder_cpu *cpus;
	uint32_t max = 0;
	size_t i, k, n;

	for (i = 0; i < c->n; i++) {
		cpus = recorder_cpus(c->bufs[i].rec, &n);
		for (k = 0; k < n; k++)
			if ((uint32_t)cpus[k].cpu + 1 > max)
				max = cpus[k].cpu + 1;
	}
	return max;
}

static void write_keys(struct dat_writer *w, const struct keys *captured, const struct keys *seen)
{
	struct buf b = {0};

	keys_text(captured, &b);
	keys_text(seen, &b);
	dat_write_meta(w, b.data ? b.data : "", b.len);
	buf_release(&b);
}

static void write_times(struct dat_writer *w, const struct captured *c)
{
	struct buf b = {0};

	if (c->has_date) {
		/* readers take strtoll() with base 0 */
		buf_printf(&b, "0x%" PRIx64, (uint64_t)c->date_us);
		add_text_option(w, DAT_DATE, b.data);
		buf_reset(&b);
	}
	if (c->has_tsc) {
		buf_u32(&b, c->tsc.mult);
		buf_u32(&b, c->tsc.shift);
		buf_u64(&b, c->tsc.offset_ns);
		dat_add_option(w, DAT_TSC2NSEC, b.data, b.len);
	}
	buf_release(&b);
}

static void write_maps(struct dat_writer *w, const struct captured *c)
{
	size_t i, n = c->maps ? procmaps_n(c->maps) : 0;
	struct buf b = {0};

	for (i = 0; i < n; i++) {
		procmaps_option(c->maps, i, &b);
		dat_add_option(w, DAT_PROCMAPS, b.data, b.len);
		buf_reset(&b);
	}
	buf_release(&b);
}

static void write_options(struct dat_writer *w, const struct captured *c)
{
	uint32_t cpus = cpu_count(c);
	size_t i;

	write_times(w, c);
	for (i = 0; i < c->n; i++)
		write_stats(w, &c->bufs[i]);
	if (c->n)
		add_text_option(w, DAT_TRACECLOCK, c->bufs[0].clock_text.data);
	if (c->front.uname)
		add_text_option(w, DAT_UNAME, c->front.uname);
	dat_add_option(w, DAT_CPUCOUNT, &cpus, sizeof(cpus));
	add_text_option(w, DAT_VERSION, "ftr " FTR_VERSION);
	dat_add_option(w, DAT_TRACEID, &c->trace_id, sizeof(c->trace_id));
	write_maps(w, c);
}

void sink_write_headers(struct dat_writer *w, const struct capture_front *front,
			const struct formats *f)
{
	struct dat_write_format *v;
	size_t n;

	dat_write_header_info(w, front->header_page.data, front->header_page.len,
			      front->header_event.data, front->header_event.len);
	n = dat_formats_list(f, true, &v);
	dat_write_ftrace_events(w, v, n);
	free(v);
}

void sink_write_formats(struct sink *s, struct dat_writer *w, const struct formats *f)
{
	struct dat_write_format *v;
	size_t n;

	if (w == s->w && s->formats_written == f->n && !s->packing.name)
		return;
	n = dat_formats_list(f, false, &v);
	dat_write_event_formats(w, v, n);
	free(v);
	if (w == s->w)
		s->formats_written = f->n;
}

/* Those of the functions in the data only: all of the kernel's would be some megabytes. */
static void write_protos(struct sink *s, struct dat_writer *w, const struct protos *protos,
			 const struct buf *kallsyms)
{
	struct buf b = {0};
	struct ftr_error err;

	if (!s->seen.called.n)
		return;
	buf_add(&b, "", 0);
	if (protos_text(protos, &s->seen.called, kallsyms, &b, &err))
		strv_take(&s->seen.notes,
			  xasprintf("no names of functions' arguments: %s", err.msg));
	else
		dat_write_protos(w, b.data, b.len);
	buf_release(&b);
}

static void write_latencies(struct dat_writer *w, const struct captured *c)
{
	struct dat_latency *v = xcalloc(c->n + 1, sizeof(*v));
	const struct captured_buffer *o;
	size_t n = 0;

	for (o = c->bufs; o < c->bufs + c->n; o++)
		if (o->latency.text.len)
			v[n++] = (struct dat_latency){ o->name, o->latency.text.data,
						       o->latency.text.len };
	if (n)
		dat_write_latencies(w, v, n);
	free(v);
}

static void write_blobs(struct sink *s, struct dat_writer *w, const struct captured *c)
{
	struct buf b = {0};
	const struct buf *symbols = symbols_text(&c->symbols, &b);

	sink_write_symbols(s, w, &c->symbols, symbols);
	write_protos(s, w, &c->protos, symbols);
	write_latencies(w, c);
	buf_reset(&b);
	history_text(&c->printk, &b);
	dat_write_blob(w, DAT_PRINTK, b.data ? b.data : "", b.len);
	buf_reset(&b);
	comms_text(&s->seen.comms, &b);
	dat_write_blob(w, DAT_CMDLINES, b.data, b.len);
	if (c->btf.len)
		dat_write_btf(w, c->btf.data, c->btf.len);
	buf_release(&b);
}

void sink_write_captured(struct sink *s, struct dat_writer *w, const struct captured *c)
{
	sink_write_formats(s, w, seen_formats(&s->seen, c));
	write_keys(w, &c->front.keys, &s->seen.keys);
	write_blobs(s, w, c);
	write_options(w, c);
}

void sink_write_sections(struct sink *s, const struct captured *c)
{
	if (s->sections_written)
		return;
	seen_read(s, c);
	if (s->packing.name) {
		dat_drop_front(s->w, &s->spool);
		dat_pack(s->w, s->packed);
		sink_write_headers(s->w, &c->front, seen_formats(&s->seen, c));
	}
	sink_write_captured(s, s->w, c);
	s->sections_written = true;
}
