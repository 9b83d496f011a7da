/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads trace.dat version 6: metadata in a fixed order, then a table of the CPUs' data. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "file/read/dat_priv.h"

#define TAG_BYTES 10		/* with its NUL */
static const char tag_options[] = "options  ", tag_latency[] = "latency  ",
		  tag_data[] = "flyrecord";

static void note_cut_off(struct dat *d, const char *where)
{
	d->truncated = true;
	damage_note(&d->damages, "file is cut off", d->path, d->file_size, -1, "in %s", where);
}

/* One damaged byte does not hide a tag that stands where one must. */
static bool matches_tag(const struct cursor *c, const char *tag)
{
	return !c->bad && cur_left(c) >= TAG_BYTES && dat_bytes_similar(c->p, tag, TAG_BYTES);
}

static bool parse_tag(struct dat *d, struct cursor *c, const char *tag)
{
	if (!matches_tag(c, tag))
		return false;
	if (memcmp(c->p, tag, TAG_BYTES))
		damage_note(&d->damages, "tag damaged", d->path, cur_pos(c), -1, "'%s'", tag);
	c->p += TAG_BYTES;
	return true;
}

static bool is_data_at(const struct dat *d, uint64_t at)
{
	return at < d->file_size && d->file_size - at >= TAG_BYTES &&
	       dat_bytes_similar(d->priv->map + at, tag_data, TAG_BYTES);
}

static bool is_tag_after(const struct cursor *c, uint64_t skip)
{
	struct cursor at = *c;

	cur_bytes(&at, skip);
	return matches_tag(&at, tag_options) || matches_tag(&at, tag_data) ||
	       matches_tag(&at, tag_latency);
}

static bool is_clock_text(const char *text, uint64_t n)
{
	return n < 512 && memchr(text, '[', n) && (text[n - 1] == ']' || text[n - 1] == '\n');
}

static bool cpus_sane(uint32_t n)
{
	return n && n <= LIMIT_CPUS;
}

/* Returns the offset of the CPU count before the first @tag after @from, or 0. */
static uint64_t find_tag(const struct dat *d, const struct cursor *c, uint64_t from,
			 const char *tag)
{
	const uint8_t *p = c->base + from;

	while ((p = memmem(p, c->base + d->file_size - p, tag, TAG_BYTES))) {
		if (p - c->base >= 4 + (ptrdiff_t)from && cpus_sane(get_u32(p - 4, d->big)))
			return p - c->base - 4;
		p++;
	}
	return 0;
}

/* After damaged metadata the CPU count is found by the tag that follows it. */
static bool seek_known_tag(struct dat *d, struct cursor *c, uint64_t from)
{
	uint64_t at = find_tag(d, c, from, tag_options), data = find_tag(d, c, from, tag_data);

	if (!at || (data && data < at))
		at = data;
	if (!at)
		return false;
	c->bad = false;
	return cur_seek(c, at);
}

/* Reads the metadata up to the CPU count. Returns false if there is none. */
static bool read_metas(struct dat *d, struct cursor *c)
{
	static const uint16_t ids[] = {
		DAT_HEADER_INFO, DAT_FTRACE_EVENTS, DAT_EVENT_FORMATS,
		DAT_KALLSYMS,	 DAT_PRINTK,	    DAT_CMDLINES,
	};
	struct dat_src src = { .c = *c, .damages = &d->damages };
	uint64_t from = cur_pos(c);
	bool cut = false;
	size_t i;

	for (i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		if (!dat_read_meta(d, ids[i], &src))
			break;
		from = cur_pos(&src.c);
	}
	*c = src.c;
	if (i == sizeof(ids) / sizeof(ids[0]) && is_tag_after(c, 4))
		return true;
	cut = cur_left(c) < 4 + TAG_BYTES && !c->bad;
	if (!cut && i == sizeof(ids) / sizeof(ids[0]))
		damage_note(&d->damages, "metadata does not fit its place", d->path, from, -1,
			    "no CPU count after it");
	if (!cut && seek_known_tag(d, c, cur_pos(c) < from ? cur_pos(c) : from))
		return true;
	/* a size that was too large may have swallowed the tag */
	if (!cut && seek_known_tag(d, c, 18))
		return true;
	note_cut_off(d, "the metadata");
	return false;
}

static bool read_v6_options(struct dat *d, struct cursor *c)
{
	struct dat_src src = { .c = *c, .damages = &d->damages };
	const uint8_t *p;
	uint16_t id;
	uint32_t n;

	while ((id = cur_u16(&src.c))) {
		n = cur_u32(&src.c);
		p = cur_bytes(&src.c, n);
		if (!p)
			break;
		dat_add_option_entry(d, id, dat_src_blob(&src, p, n));
	}
	if (!is_tag_after(&src.c, 0)) {
		damage_note(&d->damages, "options damaged", d->path, cur_pos(&src.c), -1, NULL);
		/* the data follows the options; that of the instances comes after it */
		p = memmem(c->p, cur_left(c), tag_data, TAG_BYTES);
		if (!p)
			return false;
		src.c.bad = false;
		cur_seek(&src.c, p - c->base);
	}
	*c = src.c;
	return true;
}

/* Reads the clock after the table of CPUs: u64 length, and the text of trace_clock or "[local]". */
static void read_clock(struct dat *d, struct cursor *c, struct dat_buffer *b)
{
	uint64_t at = cur_pos(c), n = cur_u64(c), left = c->bad ? 0 : cur_left(c);
	const char *text = (const char *)c->p;
	bool none;

	free(b->clock);
	/* a length of 0 is right unless a text follows */
	none = !n && !is_clock_text(text, strnlen(text, left < 512 ? left : 511));
	if (none || (!c->bad && n <= cur_left(c) && is_clock_text(text, n))) {
		b->clock = dat_clock_name(text, c->bad ? 0 : n);
		return;
	}
	damage_note(&d->damages, "trace clock damaged", d->path, at, -1, "buffer '%s'", b->name);
	n = cur_left(c) < 64 ? cur_left(c) : 64;
	b->clock = dat_clock_name(n && text[0] == '[' ? text : "", n && text[0] == '[' ? n : 0);
}

/*
 * The length of a table of CPUs by its contents. first: the lowest offset of data, where the table
 * ends at the latest, or the file's end. next: where the data of the next CPU starts, as writers
 * leave no gap.
 */
struct cpu_table {
	uint64_t first, next;
	uint32_t nr_cpus;
};

/*
 * Reads the @i-th entry, which is at @c. Returns false if the table ends before it; @nr_cpus is its
 * length by the file.
 */
static bool walk_table(const struct dat *d, struct cursor *c, uint32_t nr_cpus, uint32_t i,
		       struct cpu_table *t)
{
	uint64_t off = cur_u64(c), size = cur_u64(c), page = d->page_size;
	bool place = off % page == 0 && off >= cur_pos(c) && off < d->file_size;

	if (c->bad || cur_pos(c) > t->first)
		return false;
	if (i >= nr_cpus && (!t->next || off != t->next))
		return false;
	if (size && place && off < t->first)
		t->first = off;
	if (size && place && size <= d->file_size - off)
		t->next = (off + size + page - 1) / page * page;
	return true;
}

/*
 * Finds the length of the table of CPUs at @c, which is @nr_cpus by the file. It ends before the
 * data of the first CPU, and after the last entry in sequence.
 */
static struct cpu_table fit_table(struct dat *d, struct cursor c, uint32_t nr_cpus)
{
	struct cpu_table t = { .first = d->file_size };
	uint64_t at = cur_pos(&c), most = d->file_size / 16 - d->priv->nr_cpu_entries;
	uint32_t known, i = 0;

	while (i < most && i < LIMIT_CPUS && walk_table(d, &c, nr_cpus, i, &t))
		i++;
	t.nr_cpus = i;
	if (i < nr_cpus && t.first == d->file_size) {
		t.nr_cpus = nr_cpus;
	} else if (i < nr_cpus) {
		known = d->nr_buffers > 1 ? d->nr_cpus : dat_cpus_with_stats(d);
		t.nr_cpus = known && known < i ? known : i;
	}
	if (t.nr_cpus != nr_cpus)
		damage_note(&d->damages, "number of CPUs does not fit their table", d->path, at, -1,
			    "%" PRIu32 " instead of %" PRIu32, nr_cpus, t.nr_cpus);
	return t;
}

/* Reads the CPU table at @c and the clock after it. The data ends at @end. */
static void read_buffer(struct dat *d, struct cursor *c, const char *name, uint32_t nr_cpus,
			uint64_t end)
{
	struct dat_extent e = { .end = end, .table = cur_pos(c), .exact = true };
	struct dat_buffer *b = dat_add_buffer(d, name, "", e.table);
	struct cpu_table t = fit_table(d, *c, nr_cpus);
	uint64_t off, size;
	size_t cap = 0;
	uint32_t cpu;

	dat_set_layout(d, b, d->page_size);
	for (cpu = 0; cpu < t.nr_cpus; cpu++) {
		off = cur_u64(c);
		size = cur_u64(c);
		/* overlapping tables would make more entries than the file can hold */
		if (c->bad || (d->priv->nr_cpu_entries + 1) * 16 > d->file_size) {
			note_cut_off(d, "the CPU table");
			break;
		}
		dat_add_cpu(d, b, &cap, cpu, off, size);
	}
	if (dat_option(d, DAT_TRACECLOCK) && !c->bad)
		read_clock(d, c, b);
	e.start = cur_pos(c) < t.first ? cur_pos(c) : t.first;
	dat_bound_buffer(d, b, &e);
}

/*
 * Finds data after the table of the top level at @after that no option refers to: that of an
 * instance with a damaged offset. Each is returned once. Returns 0 if there is none.
 */
static uint64_t find_stray_data(struct dat *d, uint64_t after)
{
	struct dat_priv *p = d->priv;
	const uint8_t *end = p->map + d->file_size, *at;

	at = p->map + (p->stray_from > after ? p->stray_from : after);
	while ((at = memmem(at, end - at, tag_data, TAG_BYTES))) {
		p->stray_from = at++ - p->map + 1;
		if ((p->stray_from - 1) % d->page_size == 0 && !dat_is_place(d, p->stray_from - 1))
			return p->stray_from - 1;
	}
	p->stray_from = d->file_size;
	return 0;
}

/*
 * An instance is an option with u64 offset and name. A CPUCOUNT option right after it overrides the
 * count.
 */
static void read_instance(struct dat *d, size_t i, const struct cursor *file)
{
	struct cursor at = cur_init(file->base, d->file_size, d->big);
	const struct dat_option *o = &d->options[i];
	struct cursor c = cur_init(o->data.p, o->data.len, d->big);
	uint64_t off = cur_u64(&c);
	char *name = xstrndup((const char *)c.p, cur_left(&c));
	uint32_t nr_cpus = d->nr_cpus;

	if (o + 1 < d->options + d->nr_options && o[1].id == DAT_CPUCOUNT && o[1].data.len == 4)
		nr_cpus = get_u32(o[1].data.p, d->big);
	if (!is_data_at(d, off)) {
		damage_note(&d->damages, "no data at the place of an instance", d->path,
			    o->data.off, -1, "instance '%.64s' at 0x%" PRIx64, name, off);
		off = find_stray_data(d, cur_pos(file));
	}
	cur_seek(&at, off);
	if (!cpus_sane(nr_cpus) || (nr_cpus > d->nr_cpus && d->nr_cpus)) {
		damage_note(&d->damages, "impossible number of CPUs", d->path, o[1].data.off, -1,
			    "instance '%.64s'", name);
		nr_cpus = d->nr_cpus;
	}
	if (off && parse_tag(d, &at, tag_data))
		read_buffer(d, &at, name, nr_cpus, dat_place_after(d, off));
	free(name);
}

int dat_v6_open(struct dat *d, struct cursor *c, struct ftr_error *err)
{
	const struct dat_option *o;
	size_t i, n;

	if (!read_metas(d, c))
		return 0;
	d->nr_cpus = cur_u32(c);
	if (!cpus_sane(d->nr_cpus))
		damage_note(&d->damages, "impossible number of CPUs", d->path, cur_pos(c) - 4, -1,
			    NULL);
	if (parse_tag(d, c, tag_options) && !read_v6_options(d, c))
		return 0;
	if (!cpus_sane(d->nr_cpus))
		d->nr_cpus = dat_cpus_with_stats(d);
	if (parse_tag(d, c, tag_latency))
		return err_set(err, FTR_FAILED, "'%s' holds a latency trace as text, not raw data",
			       d->path);
	if (!parse_tag(d, c, tag_data)) {
		note_cut_off(d, "the options");
		return 0;
	}
	dat_check_options(d);
	dat_list_places(d, is_data_at);
	/* a CPUCOUNT that does not follow BUFFER repeats the number before the options */
	for (o = d->options; o < d->options + d->nr_options; o++)
		if (o->id == DAT_CPUCOUNT && o->data.len == 4 &&
		    get_u32(o->data.p, d->big) != d->nr_cpus &&
		    (o == d->options || o[-1].id != DAT_BUFFER))
			damage_note(&d->damages, "numbers of CPUs disagree", d->path, o->data.off,
				    -1, NULL);
	read_buffer(d, c, "", d->nr_cpus, dat_place_after(d, 0));
	d->nr_cpus = d->buffers[0].nr_cpus;
	for (i = 0, n = d->nr_options; i < n; i++)
		if (d->options[i].id == DAT_BUFFER && dat_may_add_buffer(d, d->options[i].data.off))
			read_instance(d, i, c);
	return 0;
}
