/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the metadata of a trace file to another one: sections, ftr's own sections, options. */
#include <stdlib.h>
#include <string.h>

#include "file/write/dat_write.h"
#include "rewrite/rewrite.h"

/* --- formats */

struct indexed_format {
	struct dat_write_format f;
	size_t nr;
};

static int compare_by_system(const void *a, const void *b)
{
	const struct indexed_format *x = a, *y = b;
	int order = strcmp(x->f.system, y->f.system);

	return order ? order : (x->nr > y->nr) - (x->nr < y->nr);
}

/* Lists the formats of a section; those of one system become adjacent. The caller frees it. */
static struct dat_write_format *list_formats(struct dat *d, uint16_t id, size_t *n)
{
	const struct dat_format *from;
	struct indexed_format *sorted;
	struct dat_write_format *v;
	size_t i;

	*n = dat_formats(d, id, &from);
	sorted = xcalloc(*n + 1, sizeof(*sorted));
	v = xcalloc(*n + 1, sizeof(*v));
	for (i = 0; i < *n; i++)
		sorted[i] = (struct indexed_format){
			{ from[i].system, from[i].text.p, from[i].text.len }, i
		};
	qsort(sorted, *n, sizeof(*sorted), compare_by_system);
	for (i = 0; i < *n; i++)
		v[i] = sorted[i].f;
	free(sorted);
	return v;
}

static void copy_formats(struct dat_writer *w, struct dat *d)
{
	struct dat_write_format *v;
	size_t n;

	v = list_formats(d, DAT_FTRACE_EVENTS, &n);
	dat_write_ftrace_events(w, v, n);
	free(v);
	v = list_formats(d, DAT_EVENT_FORMATS, &n);
	dat_write_event_formats(w, v, n);
	free(v);
}

/* --- texts */

static void copy_texts(struct dat_writer *w, struct dat *d)
{
	static const enum dat_id ids[] = { DAT_KALLSYMS, DAT_PRINTK, DAT_CMDLINES };
	const struct dat_blob *b;
	size_t i;

	for (i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
		b = dat_text(d, ids[i]);
		dat_write_blob(w, ids[i], b->p ? b->p : "", b->len);
	}
}

static void copy_latencies(struct dat_writer *w, struct dat *d)
{
	struct dat_latency *v = NULL, one;
	size_t at = 0, n = 0, cap = 0;

	while (dat_latency_next(d, &at, &one)) {
		v = xgrow(v, &cap, n + 1, sizeof(*v));
		v[n++] = one;
	}
	if (n)
		dat_write_latencies(w, v, n);
	free(v);
}

/* ftr's own sections and the kernel's BTF. */
static void copy_own(struct dat_writer *w, struct dat *d)
{
	const struct dat_blob *b;

	if (d->ftr_meta.p)
		dat_write_meta(w, d->ftr_meta.p, d->ftr_meta.len);
	b = dat_text(d, DAT_FTR_PROTOS);
	if (b->len)
		dat_write_protos(w, b->p, b->len);
	copy_latencies(w, d);
	b = dat_text(d, DAT_FTR_OOPS);
	if (b->len)
		dat_write_oops(w, b->p, b->len);
	b = dat_text(d, DAT_BTF_FILE);
	if (b->len)
		dat_write_btf(w, b->p, b->len);
}

/* --- options */

/* Returns true for options that have the offset of a section, or that describe the layout. */
static bool is_layout(uint16_t id)
{
	return id == DAT_DONE || id == DAT_BUFFER || id == DAT_CPUCOUNT ||
	       (id >= DAT_STRINGS && id <= DAT_BTF_FILE) || id == DAT_MODULES_FILE;
}

static void copy_options(struct dat_writer *w, const struct dat *d, bool v6)
{
	uint32_t cpus = d->nr_cpus;
	struct buf clock = {0};
	size_t i;

	dat_add_option(w, DAT_CPUCOUNT, &cpus, sizeof(cpus));
	for (i = 0; i < d->nr_options; i++)
		if (!is_layout(d->options[i].id))
			dat_add_option(w, d->options[i].id, d->options[i].data.p,
				       d->options[i].data.len);
	/* version 6 has the clock of the buffers only if there is this option */
	if (v6 && !dat_option(d, DAT_TRACECLOCK) && d->nr_buffers && *d->buffers[0].clock) {
		buf_printf(&clock, "[%s]", d->buffers[0].clock);
		dat_add_option(w, DAT_TRACECLOCK, clock.data, clock.len + 1);
		buf_release(&clock);
	}
}

void meta_copy(struct dat_writer *w, struct trace *t, bool v6)
{
	struct dat *d = t->dat;

	dat_set_long_size(w, d->long_size);
	dat_write_header_info(w, d->header_page.p ? d->header_page.p : "", d->header_page.len,
			      d->header_event.p ? d->header_event.p : "", d->header_event.len);
	copy_formats(w, d);
	copy_texts(w, d);
	if (!v6)
		copy_own(w, d);
	copy_options(w, d, v6);
}
