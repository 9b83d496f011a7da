/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording without a file, to estimate its load from the kernel's counters. */
#include "record/dry_run.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "event/data/format_lines.h"
#include "file/ring/page.h"
#include "record/capture/capture_formats.h"
#include "record/cpu/buffer_load.h"

#define EVERY_NS 100000000ull
enum { NR_IDS = 1 << 16, TOP = 10 };

/* A buffer, and how often it held an event of each id at the end. */
struct dry_buffer {
	char *name, *instance;
	uint32_t *counts;
	uint64_t total;
};

struct record_dry_run {
	const struct tfs *t;
	struct buffer_load load;
	struct format_files formats;
	struct dry_buffer *bufs;
	size_t n;
};

static int dry_begin(void *ctx, const struct tfs *t, const struct live_buffer *bufs, size_t n,
		     const struct strv *enabled, struct ftr_error *err)
{
	struct record_dry_run *d = ctx;
	size_t i;

	(void)err;
	d->t = d->load.t = t;
	d->n = n;
	d->bufs = xcalloc(n, sizeof(*d->bufs));
	formats_read_system(&d->formats, t, "ftrace", false);
	for (i = 0; i < enabled->n; i++)
		formats_read(&d->formats, t, enabled->v[i]);
	for (i = 0; i < n; i++) {
		d->bufs[i].name = xstrdup(bufs[i].name);
		d->bufs[i].instance = xstrdup(bufs[i].instance ? bufs[i].instance : "");
		d->bufs[i].counts = xcalloc(NR_IDS, sizeof(*d->bufs[i].counts));
		load_add(&d->load, bufs[i].instance);
	}
	return 0;
}

static void dry_count_page(struct dry_buffer *b, const struct ring_layout *layout,
			   const uint8_t *mem)
{
	struct ring_record rec;
	struct ring_page pg;
	uint16_t id;

	if (ring_page_open(&pg, layout, mem, layout->subbuf_size) != RING_OK)
		return;
	while (ring_page_next(&pg, &rec) == RING_OK) {
		if (rec.len < sizeof(id))
			continue;
		memcpy(&id, rec.data, sizeof(id));
		b->counts[id]++;
		b->total++;
	}
}

/* Counts the events that the buffer holds. If that fails, the totals are still known. */
static void dry_count_buffer(const struct record_dry_run *d, struct dry_buffer *b,
			     const struct buf *header)
{
	struct raw_reader *raw = raw_open(d->t, b->instance, NULL);
	struct ring_layout layout;
	const int *cpus;
	uint8_t *mem;
	size_t i, n, left;

	if (!raw)
		return;
	n = raw_cpus(raw, &cpus);
	mem = xmalloc(raw_subbuf_size(raw));
	if (ring_layout_parse(&layout, header->data, header->len, RING_HOST_BIG, sizeof(long),
			      raw_subbuf_size(raw)))
		n = 0;
	for (i = 0; i < n; i++)
		/* bounded by the buffer's size, in case that somebody turns tracing on again */
		for (left = raw_subbufs(raw) + 8; left && raw_read(raw, i, mem, NULL) > 0; left--)
			dry_count_page(b, &layout, mem);
	free(mem);
	raw_close(raw);
}

static int dry_round(void *ctx, bool last, struct ftr_error *err)
{
	struct record_dry_run *d = ctx;
	struct buf header = {0};
	size_t i;

	(void)err;
	if (!last)
		return 0;
	load_read(&d->load);
	if (!tfs_read(d->t, NULL, "events/header_page", &header, NULL))
		for (i = 0; i < d->n; i++)
			dry_count_buffer(d, &d->bufs[i], &header);
	buf_release(&header);
	return 0;
}

static void dry_end(void *ctx)
{
	(void)ctx;			/* nothing stays open */
}

struct record_dry_run *dry_new(struct rec_live *live)
{
	struct record_dry_run *d = xcalloc(1, sizeof(*d));

	*live = (struct rec_live){ .ctx = d, .every_ns = EVERY_NS, .begin = dry_begin,
				   .round = dry_round, .end = dry_end };
	return d;
}

/* ---- the report */

static const struct format_file *dry_find_format(const struct record_dry_run *d, unsigned int id)
{
	uint16_t its;
	size_t i;

	for (i = 0; i < d->formats.n; i++)
		if (format_id(d->formats.v[i].text, &its) && its == id)
			return &d->formats.v[i];
	return NULL;
}

/*
 * Appends the most frequent events. Their rates are shares of @rate, the buffer's events per
 * second, as in the data that it held at the end. Clears their counts.
 */
static void dry_report_events(const struct record_dry_run *d, struct dry_buffer *b, double rate,
			      struct buf *out)
{
	const struct format_file *f;
	unsigned int id, most;
	struct buf text = {0};
	double share;
	int i;

	for (i = 0; i < TOP; i++) {
		for (id = 1, most = 0; id < NR_IDS; id++)
			if (b->counts[id] > b->counts[most])
				most = id;
		if (!b->counts[most])
			break;
		share = (double)b->counts[most] / b->total;
		b->counts[most] = 0;
		f = dry_find_format(d, most);
		buf_reset(&text);
		text_grouped(&text, rate * share);
		buf_printf(out, "%14s %3.0f%%  ", text.data, share * 100);
		if (f)
			buf_printf(out, "%s:%s\n", f->system, f->event);
		else
			buf_printf(out, "event %u\n", most);
	}
	buf_release(&text);
}

static void dry_report_buffer(const struct record_dry_run *d, struct dry_buffer *b, uint64_t ns,
			      struct buf *out)
{
	const struct load_cpu *c, *busiest = NULL;
	double s = ns ? ns / 1e9 : 1;
	struct load_sum sum;
	size_t n = 0;

	for (c = d->load.v; c < d->load.v + d->load.n; c++) {
		if (strcmp(c->instance, b->instance))
			continue;
		n++;
		if (!busiest || load_events(c) > load_events(busiest))
			busiest = c;
	}
	load_sum(&d->load, b->instance, &sum);
	buf_printf(out, "%s: ", *b->name ? b->name : "trace");
	text_grouped(out, sum.events / s);
	/* if events were overwritten, their bytes can only be estimated */
	buf_printf(out, " events/s, %s%.1f MB/s", sum.overrun ? "about " : "",
		   load_bytes(&sum, 0) / s / 1e6);
	buf_printf(out, ", %zu CPU%s", n, n == 1 ? "" : "s");
	if (sum.events && n > 1)
		buf_printf(out, ", %.0f%% on CPU %d", load_events(busiest) * 100.0 / sum.events,
			   busiest->cpu);
	buf_addstr(out, "\n");
	dry_report_events(d, b, sum.events / s, out);
}

void dry_report(const struct record_dry_run *d, uint64_t ns, struct buf *out)
{
	struct load_sum sum;
	size_t i;

	for (i = 0; i < d->n; i++)
		dry_report_buffer(d, &d->bufs[i], ns, out);
	load_sum(&d->load, NULL, &sum);
	if (d->n > 1)
		buf_printf(out, "all: %.0f events/s, %.1f MB/s\n", sum.events / (ns / 1e9),
			   load_bytes(&sum, 0) / (ns / 1e9) / 1e6);
}

void dry_free(struct record_dry_run *d)
{
	size_t i;

	if (!d)
		return;
	for (i = 0; i < d->n; i++) {
		free(d->bufs[i].name);
		free(d->bufs[i].instance);
		free(d->bufs[i].counts);
	}
	free(d->bufs);
	formats_release(&d->formats);
	load_release(&d->load);
	free(d);
}
