/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists the sections of a file, and puts the values of its options in words. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "file/read/dat_priv.h"

#define V6_HEADER 18		/* bytes of the initial header of version 6 */
#define V6_TAG	  10		/* bytes of "options  " and "flyrecord" with their NUL */

struct section_list {
	struct dat_section_info *v;
	size_t n, cap;
	uint64_t end;		/* of the last section */
};

static struct dat_section_info *list_section(struct section_list *l, int id, uint64_t off,
					    uint64_t end)
{
	l->v = xgrow(l->v, &l->cap, l->n + 1, sizeof(*l->v));
	l->v[l->n] = (struct dat_section_info){
		.id = id, .off = off, .end = end,
		.name = id < 0 ? "initial header" : id == DAT_DONE ? "OPTIONS" :
			dat_section_text(id),
	};
	l->end = end;
	return &l->v[l->n++];
}

/* --- version 7 */

static void list_v7(const struct dat *d, struct section_list *l)
{
	const struct dat_priv *p = d->priv;
	const struct dat_section *s;
	struct dat_section_info *to;

	list_section(l, -1, 0, p->nr_sections ? p->sections[0].off : d->file_size);
	for (s = p->sections; s < p->sections + p->nr_sections; s++) {
		to = list_section(l, s->id, s->off, s->end);
		to->cut = s->cut;
		/* the data of a buffer is compressed in chunks, metadata as a whole */
		to->packed = s->flags & DAT_FLAG_COMPRESSED;
		if (to->packed && s->id != DAT_BUFFER && s->end - s->body >= 8)
			to->unpacked = get_u32(p->map + s->body + 4, d->big);
	}
}

/* --- version 6: what was read tells where the sections, which have no header, are */

/* Adds a section from the end of the last one to @end, if @end is known. */
static void list_next(struct section_list *l, const struct dat *d, int id, uint64_t end)
{
	if (end > l->end && end <= d->file_size)
		list_section(l, id, l->end, end);
}

static uint64_t formats_end(struct dat *d, uint16_t id)
{
	const struct dat_format *v;
	size_t n = dat_formats(d, id, &v);

	return n ? v[n - 1].text.off + v[n - 1].text.len : 0;
}

/* Returns the offset at which a text's section ends: its size is before it, in @size bytes. */
static uint64_t start_of_text(struct dat *d, uint16_t id, unsigned int size)
{
	const struct dat_blob *text = dat_text(d, id);

	return text->off >= size ? text->off - size : 0;
}

static void list_v6(struct dat *d, struct section_list *l)
{
	const struct dat_option *last = d->options + d->nr_options;
	const struct dat_blob *comms = dat_text(d, DAT_CMDLINES);
	uint64_t first = UINT64_MAX;

	for (size_t b = 0; b < d->nr_buffers; b++)
		for (size_t i = 0; i < d->buffers[b].nr_cpus; i++)
			if (d->buffers[b].cpus[i].size && d->buffers[b].cpus[i].off < first)
				first = d->buffers[b].cpus[i].off;
	list_section(l, -1, 0, V6_HEADER);
	list_next(l, d, DAT_HEADER_INFO, d->header_event.off + d->header_event.len);
	list_next(l, d, DAT_FTRACE_EVENTS, formats_end(d, DAT_FTRACE_EVENTS));
	list_next(l, d, DAT_EVENT_FORMATS, formats_end(d, DAT_EVENT_FORMATS));
	list_next(l, d, DAT_KALLSYMS, start_of_text(d, DAT_PRINTK, 4));
	list_next(l, d, DAT_PRINTK, start_of_text(d, DAT_CMDLINES, 8));
	list_next(l, d, DAT_CMDLINES, comms->off + comms->len);
	if (d->nr_options)
		list_next(l, d, DAT_DONE, last[-1].data.off + last[-1].data.len + 2);
	if (first < d->file_size)
		list_next(l, d, DAT_BUFFER, d->file_size);
}

size_t dat_list_sections(struct dat *d, struct dat_section_info **v)
{
	struct section_list l = {0};

	if (d->version == 6)
		list_v6(d, &l);
	else
		list_v7(d, &l);
	*v = l.v;
	return l.n;
}

/* --- the values of options */

typedef void (*value_fn)(const struct dat *d, struct cursor *c, struct buf *out);

static void words_of_count(const struct dat *d, struct cursor *c, struct buf *out)
{
	(void)d;
	buf_printf(out, "%" PRIu32, cur_u32(c));
}

static void words_of_trace_id(const struct dat *d, struct cursor *c, struct buf *out)
{
	(void)d;
	buf_printf(out, "%016" PRIx64, cur_u64(c));
}

static void words_of_place(const struct dat *d, struct cursor *c, struct buf *out)
{
	(void)d;
	buf_printf(out, "at %" PRIu64, cur_u64(c));
}

static void words_of_buffer(const struct dat *d, struct cursor *c, struct buf *out)
{
	const char *name, *clock;

	words_of_place(d, c, out);
	if (d->version == 6) {
		buf_printf(out, ", instance '%.*s'", (int)strnlen((const char *)c->p, cur_left(c)),
			   (const char *)c->p);
		cur_bytes(c, cur_left(c));
		return;
	}
	name = cur_str(c);
	clock = cur_str(c);
	if (c->bad)
		return;
	if (*name)
		buf_printf(out, ", instance '%s'", name);
	buf_printf(out, ", clock %s, sub-buffers of %" PRIu32 " bytes", clock, cur_u32(c));
	buf_printf(out, ", %" PRIu32 " CPUs", cur_u32(c));
	while (cur_left(c) >= DAT_CPU_ENTRY)
		cur_bytes(c, DAT_CPU_ENTRY);
}

static void words_of_tsc(const struct dat *d, struct cursor *c, struct buf *out)
{
	uint32_t mult = cur_u32(c), shift = cur_u32(c);

	(void)d;
	buf_printf(out, "multiplier %" PRIu32 ", shift %" PRIu32 ", offset %" PRIu64, mult, shift,
		   cur_u64(c));
}

static void words_of_guest(const struct dat *d, struct cursor *c, struct buf *out)
{
	const char *name = cur_str(c);
	uint32_t n, cpu;

	if (c->bad)
		return;
	buf_printf(out, "'%s', ", name);
	words_of_trace_id(d, c, out);
	n = cur_u32(c);
	buf_printf(out, ", %" PRIu32 " CPUs, their tasks:", n);
	while (!c->bad && n-- && cur_left(c) >= 8) {
		cpu = cur_u32(c);
		buf_printf(out, " %" PRIu32 "=%" PRIu32, cpu, cur_u32(c));
	}
}

/* The arrays of times, offsets and scalings follow; they are not listed. */
static void words_of_time_shift(const struct dat *d, struct cursor *c, struct buf *out)
{
	words_of_trace_id(d, c, out);
	buf_printf(out, ", flags %" PRIx32, cur_u32(c));
	buf_printf(out, ", %" PRIu32 " CPUs", cur_u32(c));
	cur_bytes(c, cur_left(c));
}

static value_fn value_of(uint16_t id)
{
	static const value_fn values[] = {
		[DAT_BUFFER] = words_of_buffer, [DAT_CPUCOUNT] = words_of_count,
		[DAT_TRACEID] = words_of_trace_id, [DAT_TIME_SHIFT] = words_of_time_shift,
		[DAT_GUEST] = words_of_guest, [DAT_TSC2NSEC] = words_of_tsc,
		[DAT_HEADER_INFO] = words_of_place, [DAT_FTRACE_EVENTS] = words_of_place,
		[DAT_EVENT_FORMATS] = words_of_place, [DAT_KALLSYMS] = words_of_place,
		[DAT_PRINTK] = words_of_place, [DAT_CMDLINES] = words_of_place,
		[DAT_BTF_FILE] = words_of_place, [DAT_MODULES_FILE] = words_of_place,
	};

	return id < sizeof(values) / sizeof(*values) ? values[id] : NULL;
}

static bool is_text_value(const struct dat_blob *b)
{
	size_t len = strnlen(b->p, b->len);

	for (size_t i = 0; i < len; i++)
		if ((unsigned char)b->p[i] < ' ' && b->p[i] != '\n' && b->p[i] != '\t')
			return false;
	return len && b->len - len <= 1;
}

static void words_of_bytes(const uint8_t *p, size_t n, struct buf *out)
{
	for (size_t i = 0; i < n && i < 16; i++)
		buf_printf(out, "%s%02x", i ? " " : "", p[i]);
	if (n > 16)
		buf_addstr(out, " ...");
}

void dat_option_words(const struct dat *d, const struct dat_option *o, struct buf *out)
{
	struct cursor c = cur_init(o->data.p, o->data.len, d->big);
	const char *text = o->data.p;
	value_fn value = value_of(o->id);
	size_t from = out->len, len;

	if (value) {
		value(d, &c, out);
		if (!c.bad && !cur_left(&c))
			return;
		/* it has not the form of its kind */
		out->len = from;
	}
	if (!value && is_text_value(&o->data)) {
		len = strnlen(text, o->data.len);
		for (; len && *text == '\n'; len--)
			text++;
		while (len && text[len - 1] == '\n')
			len--;
		buf_add(out, text, len);
		return;
	}
	words_of_bytes((const uint8_t *)o->data.p, o->data.len, out);
}
