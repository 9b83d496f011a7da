/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the metadata of a trace file to another one: sections, ftr's own sections, options. */
#include <stdlib.h>
#include <string.h>

#include "file/write/dat_write.h"
#include "rewrite/joined_meta.h"
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

uint32_t format_text_id(const struct dat_blob *text)
{
	const char *at = text->len ? memmem(text->p, text->len, "\nID: ", 5) : NULL;
	uint32_t id = 0;

	for (at = at ? at + 5 : NULL; at && at < text->p + text->len && *at >= '0' && *at <= '9' &&
	     id < REWRITE_TYPES; at++)
		id = id * 10 + (*at - '0');
	return id;
}

/* Returns true if a bit of @types is set for a format, or if its ID is not known. */
static bool is_used(const uint64_t *types, const struct dat_blob *text)
{
	uint32_t id = format_text_id(text);

	return !id || id >= REWRITE_TYPES || types[id / 64] >> id % 64 & 1;
}

/*
 * Lists formats for the writer; those of one system become adjacent. @types: the used ones alone,
 * or NULL. *n is first the number of all, then that of the result, which the caller frees.
 */
static struct dat_write_format *list_formats(const struct dat_format *from, const uint64_t *types,
					     size_t *n)
{
	struct indexed_format *sorted = xcalloc(*n + 1, sizeof(*sorted));
	struct dat_write_format *v = xcalloc(*n + 1, sizeof(*v));
	size_t i, all = *n;

	*n = 0;
	for (i = 0; i < all; i++)
		if (!types || is_used(types, &from[i].text))
			sorted[(*n)++] = (struct indexed_format){
				{ from[i].system, from[i].text.p, from[i].text.len }, i
			};
	qsort(sorted, *n, sizeof(*sorted), compare_by_system);
	for (i = 0; i < *n; i++)
		v[i] = sorted[i].f;
	free(sorted);
	return v;
}

static void copy_formats(struct dat_writer *w, const struct rewrite_plan *p)
{
	const struct joined_meta *j = p->joined;
	struct dat *d = p->meta->dat;
	const struct dat_format *from;
	struct dat_write_format *v;
	size_t n = dat_formats(d, DAT_FTRACE_EVENTS, &from);

	n = j ? j->builtin.n : n;
	v = list_formats(j ? j->builtin.v : from, NULL, &n);
	dat_write_ftrace_events(w, v, n);
	free(v);
	n = dat_formats(d, DAT_EVENT_FORMATS, &from);
	n = j ? j->events.n : n;
	v = list_formats(j ? j->events.v : from, p->drop.formats ? p->types : NULL, &n);
	dat_write_event_formats(w, v, n);
	free(v);
}

/* --- texts */

static void copy_texts(struct dat_writer *w, const struct rewrite_plan *p)
{
	struct dat_blob b;

	for (enum joined_text i = 0; i < JOINED_TEXTS; i++) {
		uint16_t id = joined_text_id(i);

		b = *dat_text(p->meta->dat, id);
		if (p->joined) {
			b.p = p->joined->texts[i].data;
			b.len = p->joined->texts[i].len;
		}
		if (p->scrub)
			b = scrub_section(p->scrub, id, &b);
		if (i == JOINED_SYMBOLS && p->drop.symbols)
			b.len = 0;
		dat_write_blob(w, id, b.len ? b.p : "", b.len);
	}
}

/* Writes ftr's own lines, with one about the parts that are dropped. */
static void copy_lines(struct dat_writer *w, const struct rewrite_plan *p)
{
	const struct rewrite_drop *drop = &p->drop;
	struct dat_blob from = p->meta->dat->ftr_meta;
	const char *names[] = {
		drop->formats ? "formats of events without records" : NULL,
		drop->symbols ? "symbols" : NULL, drop->btf ? "BTF" : NULL,
	};
	struct buf b = {0}, what = {0};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i])
			buf_printf(&what, "%s%s", what.len ? ", " : "", names[i]);
	if (p->scrub)
		from = scrub_section(p->scrub, DAT_FTR_META, &from);
	buf_add(&b, from.p ? from.p : "", from.len);
	if (b.len && b.data[b.len - 1] != '\n')
		buf_addch(&b, '\n');
	if (p->joined)
		buf_add(&b, p->joined->lines.data, p->joined->lines.len);
	if (what.len)
		buf_printf(&b, "dropped=%s\n", what.data);
	if (p->scrub)
		scrub_add_mark(p->scrub, &b);
	buf_release(&what);
	if (b.len || from.p)
		dat_write_meta(w, b.data ? b.data : "", b.len);
	buf_release(&b);
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
static void copy_own(struct dat_writer *w, const struct rewrite_plan *p)
{
	struct dat *d = p->meta->dat;
	const struct dat_blob *b;
	struct dat_blob oops = *dat_text(d, DAT_FTR_OOPS);

	copy_lines(w, p);
	b = dat_text(d, DAT_FTR_PROTOS);
	if (b->len)
		dat_write_protos(w, b->p, b->len);
	if (!p->scrub || scrub_latencies(p->scrub))
		copy_latencies(w, d);
	if (p->scrub)
		oops = scrub_section(p->scrub, DAT_FTR_OOPS, &oops);
	if (oops.len)
		dat_write_oops(w, oops.p, oops.len);
	b = dat_text(d, DAT_BTF_FILE);
	if (b->len && !p->drop.btf)
		dat_write_btf(w, b->p, b->len);
}

/* --- options */

/* Returns true for options that have the offset of a section, or that describe the layout. */
static bool is_layout(uint16_t id)
{
	return id == DAT_DONE || id == DAT_BUFFER || id == DAT_CPUCOUNT ||
	       (id >= DAT_STRINGS && id <= DAT_BTF_FILE) || id == DAT_MODULES_FILE;
}

static void copy_options(struct dat_writer *w, const struct rewrite_plan *p)
{
	const struct dat *d = p->meta->dat;
	uint32_t cpus = rewrite_nr_cpus(p);
	bool v6 = p->format.version == 6;
	struct buf clock = {0};
	struct dat_blob value;
	size_t i;

	dat_add_option(w, DAT_CPUCOUNT, &cpus, sizeof(cpus));
	for (i = 0; i < d->nr_options; i++) {
		value = d->options[i].data;
		if (!is_layout(d->options[i].id) &&
		    !(p->joined && d->options[i].id == DAT_TIME_SHIFT) &&
		    (!p->scrub || scrub_option(p->scrub, &d->options[i], &value)))
			dat_add_option(w, d->options[i].id, value.p, value.len);
	}
	/* version 6 has the clock of the buffers only if there is this option */
	if (v6 && !dat_option(d, DAT_TRACECLOCK) && d->nr_buffers && *d->buffers[0].clock) {
		buf_printf(&clock, "[%s]", d->buffers[0].clock);
		dat_add_option(w, DAT_TRACECLOCK, clock.data, clock.len + 1);
		buf_release(&clock);
	}
}

void meta_copy(struct dat_writer *w, const struct rewrite_plan *p)
{
	struct dat *d = p->meta->dat;

	dat_set_long_size(w, d->long_size);
	dat_write_header_info(w, d->header_page.p ? d->header_page.p : "", d->header_page.len,
			      d->header_event.p ? d->header_event.p : "", d->header_event.len);
	copy_formats(w, p);
	copy_texts(w, p);
	if (p->format.version != 6)
		copy_own(w, p);
	copy_options(w, p);
}

bool rewrite_v6_lacks(struct dat *d, struct buf *out)
{
	static const struct { uint16_t id; const char *name; } parts[] = {
		{ DAT_FTR_PROTOS, "prototypes of functions" }, { DAT_FTR_OOPS, "text of the oops" },
		{ DAT_BTF_FILE, "BTF" },
	};
	struct dat_latency latency;
	size_t i, at = 0, before = out->len;

	if (d->ftr_meta.p)
		buf_addstr(out, "notes of the recording");
	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (dat_text(d, parts[i].id)->len)
			buf_printf(out, "%s%s", out->len > before ? ", " : "", parts[i].name);
	if (dat_latency_next(d, &at, &latency))
		buf_printf(out, "%stext of the longest latency", out->len > before ? ", " : "");
	return out->len > before;
}
