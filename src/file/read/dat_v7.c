/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads trace.dat version 7: sections, found by a chain of options or, if that is broken, by
 * walking their headers.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "file/read/dat_priv.h"

/*
 * The data of one CPU follows that of another. Time stamps of a CPU never go back, so the next CPU
 * starts where they do. (Two CPUs count as one if the second happens to start later than the first
 * ended.)
 */
static void scan_raw(struct dat *d, struct dat_buffer *b, const struct dat_extent *e)
{
	uint64_t subbuf = b->layout.subbuf_size, at = e->start, start = at, last = 0, left;
	struct ring_page pg;
	enum ring_status st;
	size_t cap = 0;

	for (; at < e->end; at += subbuf) {
		left = e->end - at;
		st = ring_page_open(&pg, &b->layout, d->priv->map + at,
				    left < subbuf ? left : subbuf);
		if (st == RING_SHORT_PAGE)
			break;
		if (st != RING_OK || !pg.commit)
			continue;
		if (pg.ts < last && b->nr_cpus + 1 < LIMIT_CPUS) {
			dat_add_cpu(d, b, &cap, b->nr_cpus, start, at - start);
			start = at;
		}
		last = pg.ts;
	}
	if (start < e->end)
		dat_add_cpu(d, b, &cap, b->nr_cpus, start, e->end - start);
}

static void scan_buffer(struct dat *d, struct dat_buffer *b, const struct dat_section *sec)
{
	uint64_t page = d->page_size, at, end;
	struct dat_extent e = { .table = sec->off, .end = sec->end };
	size_t cap = 0;

	e.start = dat_align_up(sec->body, page);
	e.packed = sec->flags & DAT_FLAG_COMPRESSED;
	damage_note(&d->damages, "table of CPUs is lost", d->path, sec->off, -1,
		    "data is found by its shape, CPUs are numbered in the order found");
	if (!e.packed)
		scan_raw(d, b, &e);
	for (at = e.start; e.packed && at < e.end && b->nr_cpus < LIMIT_CPUS;) {
		end = dat_chunks_end(d, b, at, e.end);
		if (end)
			dat_add_cpu(d, b, &cap, b->nr_cpus, at, end - at);
		at = end ? end : at + 1;
		at = dat_align_up(at, page);
	}
	dat_bound_buffer(d, b, &e);
}

#define DONE_BYTES   (DAT_OPTION_HEADER + 8)
#define PAGES_FROM   (256u << 10)	/* larger sections get separate pages */

static void note_in(struct damage_list *to, const struct dat *d, const char *kind, uint64_t off,
		    uint16_t id)
{
	damage_note(to, kind, d->path, off, -1, "section '%s'", dat_section_text(id));
}

static void note_section(struct dat *d, const char *kind, uint64_t off, uint16_t id)
{
	note_in(&d->damages, d, kind, off, id);
}

/* Reads the section header at @off. Returns false if there can be none. */
static bool read_section(const struct dat *d, uint64_t off, struct dat_section *s)
{
	const struct dat_priv *p = d->priv;
	struct cursor c = cur_init(p->map, p->size, d->big);
	uint64_t size;

	*s = (struct dat_section){ .off = off };
	cur_seek(&c, off);
	s->id = cur_u16(&c);
	s->flags = cur_u16(&c);
	cur_u32(&c);
	size = cur_u64(&c);
	if (c.bad)
		return false;
	s->body = off + DAT_SECTION_HEADER;
	s->cut = size > p->size - s->body;
	s->end = s->cut ? p->size : s->body + size;
	/* an OPTIONS section has at least DONE; this ends walks over zeroes */
	return s->id != DAT_DONE || s->end - s->body >= DONE_BYTES || s->cut;
}

static struct dat_section *push_section(struct dat *d, const struct dat_section *s)
{
	struct dat_priv *p = d->priv;

	p->sections =
		xgrow(p->sections, &p->cap_sections, p->nr_sections + 1, sizeof(*p->sections));
	p->sections[p->nr_sections++] = *s;
	map_put(&p->by_off, s->off, (void *)(uintptr_t)p->nr_sections);
	return &p->sections[p->nr_sections - 1];
}

static bool may_add_section(struct dat *d, uint64_t off)
{
	if (d->priv->nr_sections < LIMIT_SECTIONS)
		return true;
	damage_note(&d->damages, "too many sections", d->path, off, -1, "more than %d",
		    LIMIT_SECTIONS);
	return false;
}

static void sections_reset(struct dat_priv *p)
{
	p->nr_sections = p->nr_chunks = 0;
	map_release(&p->by_off);
}

static void walk_sections(struct dat *d, uint64_t at)
{
	struct dat_section s = { .cut = true };
	struct dat_priv *p = d->priv;

	while (at < d->file_size && !dat_is_hole(d, at) &&
	       !dat_is_hole(d, at + DAT_SECTION_HEADER - 1) && read_section(d, at, &s) &&
	       (s.id == DAT_FTR_CHUNK || may_add_section(d, at))) {
		if (s.id != DAT_FTR_CHUNK) {
			push_section(d, &s);
		} else if (s.end - s.body >= 512) {
			/* a long recording has many; one without data is of no use */
			p->chunks = xgrow(p->chunks, &p->cap_chunks, p->nr_chunks + 1,
					  sizeof(*p->chunks));
			p->chunks[p->nr_chunks++] = s;
		}
		at = s.end;
		if (s.cut || s.id == DAT_FTR_END)
			break;
	}
	p->walked = at == d->file_size && !s.cut;
}

static struct dat_section *find_section(struct dat *d, uint64_t off)
{
	uintptr_t at = (uintptr_t)map_get(&d->priv->by_off, off);

	return at ? &d->priv->sections[at - 1] : NULL;
}

/* Returns the next section with @id that is not used. *from is where the search starts. */
static struct dat_section *next_unused(struct dat *d, uint16_t id, size_t *from)
{
	struct dat_priv *p = d->priv;
	struct dat_section *s;

	while (*from < p->nr_sections) {
		s = &p->sections[(*from)++];
		if (s->id == id && !s->used)
			return s;
	}
	return NULL;
}

static struct dat_section *find_unused(struct dat *d, uint16_t id)
{
	size_t from = 0;

	return next_unused(d, id, &from);
}

/*
 * Returns the section with @id that an option claims to be at @off. The offset in the option or the
 * id in the header may be wrong; the result of the walk decides. NULL if there is none.
 */
static struct dat_section *section_for(struct dat *d, uint16_t id, uint64_t off)
{
	struct dat_section *s = find_section(d, off), fresh, *other;

	if (s && s->id == id && !s->used)
		return s;
	if (!s && !d->priv->walked && read_section(d, off, &fresh) && fresh.id == id &&
	    may_add_section(d, off))
		return push_section(d, &fresh);
	note_section(d, "section and its option disagree", off, id);
	/* each BUFFER has a separate option: a section with another one does not count */
	if (id != DAT_BUFFER)
		other = find_unused(d, id);
	else
		do
			other = next_unused(d, id, &d->priv->stray_at);
		while (other && dat_is_place(d, other->off));
	return other ? other : s && !s->used ? s : NULL;
}

/*
 * The sizes and the first bytes, too, show that a section is one compressed block. A text has its
 * length in eight bytes, where a block has both sizes: "802 bash" starts as zlib does.
 */
static bool has_packed_body(const struct dat *d, const struct dat_section *s)
{
	const uint8_t *body = d->priv->map + s->body;
	uint64_t len = s->end - s->body;

	return len > 12 && get_u32(body, d->big) == len - 8 && get_u32(body + 4, d->big) &&
	       compressed_start(body + 8);
}

/* Starts to decompress; dat_src_more() goes on. Returns false if the section is too short. */
static bool unpack_section(struct dat *d, const struct dat_section *s, struct dat_src *src)
{
	const uint8_t *body = d->priv->map + s->body;
	uint64_t len = s->end - s->body, usize;
	struct dat_priv *p = d->priv;
	struct dat_owned o;

	if (len < 8)
		return false;
	usize = get_u32(body + 4, d->big);
	if (!p->walked && get_u32(body, d->big) < len - 8)
		len = get_u32(body, d->big) + 8ULL;
	/* @usize may be wrong; memory that is not used costs nothing */
	o = (struct dat_owned){ .room = usize > len * 32 ? usize : len * 32 };
	if (o.room > UINT32_MAX)
		o.room = UINT32_MAX;
	o.pages = o.room > PAGES_FROM;
	o.p = o.pages ? pages_new(o.room) : malloc(o.room);
	if (!o.p)
		return false;
	p->owned = xgrow(p->owned, &p->cap_owned, p->nr_owned + 1, sizeof(*p->owned));
	p->owned[p->nr_owned++] = o;
	src->mem = p->nr_owned;
	src->usize = usize;
	unpack_start(&src->more, p->unpacker, o.p, o.room, body + 8, len - 8);
	src->more.limit = dat_section_max(s->id) - (s->id == DAT_DONE ? p->options_bytes : 0);
	p->unpacker = NULL;
	src->c = cur_init(o.p, 0, d->big);
	src->off = s->off;
	src->id = s->id;
	src->unpacked = src->bounded = true;
	return true;
}

bool dat_src_more(struct dat_src *src)
{
	if (!src->mem || !unpack_step(&src->more))
		return false;
	src->c.end = src->c.base + src->more.done;
	return true;
}

void dat_src_all(struct dat *d, struct dat_src *src)
{
	struct dat_priv *p = d->priv;
	struct dat_owned *o;
	void *ctx;

	if (!src->mem)
		return;
	while (dat_src_more(src))
		;
	o = &p->owned[src->mem - 1];
	if (src->more.done >= src->more.limit && src->more.limit < src->usize)
		note_in(src->damages, d, "section is too large", src->off, src->id);
	else if (src->more.bad || src->more.done != src->usize)
		note_in(src->damages, d, "compressed section damaged", src->off, src->id);
	if (src->id == DAT_DONE)
		p->options_bytes += src->more.done < src->more.limit ? src->more.done :
				    src->more.limit;
	ctx = unpack_end(&src->more);
	if (p->unpacker)
		decompress_release(ctx);
	else
		p->unpacker = ctx;
	if (o->pages) {
		pages_trim(o->p, o->room, src->more.done);
		o->room = src->more.done;
	}
	src->mem = 0;
}

/* Opens the content of a section with metadata. Damage is noted in @to. */
static bool section_src(struct dat *d, const struct dat_section *s, struct damage_list *to,
			struct dat_src *src)
{
	bool packed = s->flags & DAT_FLAG_COMPRESSED, looks = has_packed_body(d, s);
	uint64_t end = d->priv->walked ? s->end : d->file_size;

	if (s->flags & ~DAT_FLAG_COMPRESSED || (packed != looks && !s->cut && d->priv->walked))
		note_in(to, d, "section header damaged", s->off, s->id);
	*src = (struct dat_src){ .off = s->body, .bounded = d->priv->walked, .damages = to };
	if (looks || (packed && strcmp(d->compression, "none")))
		return unpack_section(d, s, src);
	src->c = cur_init(d->priv->map + s->body, end - s->body, d->big);
	return true;
}

/*
 * Reads the options of one section; *next is the offset of the next such section. Returns false if
 * it is damaged.
 */
static bool read_v7_options(struct dat *d, const struct dat_section *s, uint64_t *next)
{
	struct dat_src src;
	const uint8_t *p;
	uint32_t size;
	uint16_t id;

	*next = 0;
	if (!section_src(d, s, &d->damages, &src))
		return false;
	dat_src_all(d, &src);
	for (;;) {
		id = cur_u16(&src.c);
		size = cur_u32(&src.c);
		p = cur_bytes(&src.c, size);
		if (!p || (id == DAT_DONE && size != 8)) {
			note_section(d, "options damaged", s->off, s->id);
			return false;
		}
		if (id == DAT_DONE)
			break;
		dat_add_option_entry(d, id, dat_src_blob(&src, p, size));
	}
	*next = get_u64(p, d->big);
	if (src.bounded && cur_left(&src.c))
		note_section(d, "options damaged", s->off, s->id);
	return true;
}

void dat_v7_read_options(struct dat *d, const struct dat_section *s)
{
	uint64_t next;

	read_v7_options(d, s, &next);
}

static bool follow_options(struct dat *d, uint64_t at)
{
	struct dat_section *s, fresh;

	do {
		s = find_section(d, at);
		if (!s && !d->priv->walked && read_section(d, at, &fresh) && may_add_section(d, at))
			s = push_section(d, &fresh);
		if (!s || s->id != DAT_DONE || s->used)
			return false;
		s->used = true;
		if (!read_v7_options(d, s, &at))
			return false;
	} while (at);
	return true;
}

static void load_options(struct dat *d, uint64_t first)
{
	bool linked = follow_options(d, first), loose = false;
	struct dat_section *s;
	size_t from = 0;
	uint64_t next;

	/* OPTIONS sections that the chain does not reach */
	while ((s = next_unused(d, DAT_DONE, &from))) {
		s->used = loose = true;
		read_v7_options(d, s, &next);
	}

	if (d->priv->walked && linked && !loose)
		return;
	if (!d->priv->walked && !linked) {
		d->truncated = true;
		damage_note(&d->damages, "file is cut off", d->path, d->file_size, -1,
			    "its contents are found by walking the sections");
	} else if (!d->priv->walked) {
		damage_note(&d->damages, "section sizes do not add up to the file", d->path,
			    d->priv->nr_sections ? d->priv->sections[d->priv->nr_sections - 1].off
						 : 0,
			    -1, NULL);
	} else {
		damage_note(&d->damages, "chain of options is broken", d->path, first, -1, NULL);
	}
}

/* Only for a section without damage, as none is noted here. */
struct text_chunks *dat_v7_text_chunks(struct dat *d, const struct dat_part *part)
{
	const struct dat_section *s = &part->sec;
	const uint8_t *body = d->priv->map + s->body;
	uint64_t size;

	if (!d->priv->walked || s->flags != DAT_FLAG_COMPRESSED || !has_packed_body(d, s))
		return NULL;
	size = get_u32(body + 4, d->big);
	/* if lines may have to be left out, all of them must be counted */
	if (size / strlen("1 T a\n") > LIMIT_SYMBOLS)
		return NULL;
	return text_chunks_open(body + 8, s->end - s->body - 8, size, sizeof(uint32_t));
}

bool dat_v7_part(struct dat *d, struct dat_part *part, struct dat_src *src)
{
	const uint8_t *text;
	size_t len;
	bool bad;

	if (part->text_chunks) {
		/* some chunks were read: the others are added, unless anything is damaged */
		text = text_chunks_all(part->text_chunks, &len, &bad);
		*src = (struct dat_src){
			.c = cur_init(text, len, d->big), .off = part->sec.off, .unpacked = true,
			.bounded = true, .damages = &part->damages,
		};
		if (!bad)
			return true;
	}
	if (section_src(d, &part->sec, &part->damages, src))
		return true;
	note_in(&part->damages, d, "compressed section damaged", part->sec.off, part->id);
	return false;
}

void dat_v7_read_meta(struct dat *d, const struct dat_section *s, uint16_t id)
{
	struct dat_src src;

	if (!section_src(d, s, &d->damages, &src)) {
		note_section(d, "compressed section damaged", s->off, id);
		return;
	}
	dat_src_all(d, &src);
	dat_read_meta(d, id, &src);
}

/* Finds a section. Most sections are read on first use. */
static void load_meta(struct dat *d, uint16_t id)
{
	const struct dat_option *o = dat_option(d, id);
	struct dat_part *part = dat_part(d, id);
	struct dat_section *s = NULL;

	if (o && o->data.len == 8)
		s = section_for(d, id, get_u64(o->data.p, d->big));
	else
		s = find_unused(d, id);
	if (!s)
		return;
	/* ftr writes BTF without one, see dat_write.h */
	if (!o && !d->truncated && id != DAT_BTF_FILE)
		note_section(d, "no option names this section", s->off, id);
	s->used = true;
	if (!part) {
		dat_v7_read_meta(d, s, id);
		return;
	}
	part->found = true;
	part->sec = *s;
}

/* Loads ftr's own text: the last such section, which no option names. It is never compressed. */
static void load_ftr_meta(struct dat *d)
{
	struct dat_section *s = NULL, *next;
	size_t from = 0;
	const char *p;

	while ((next = next_unused(d, DAT_FTR_META, &from))) {
		s = next;
		s->used = true;
	}
	if (!s)
		return;
	p = (const char *)d->priv->map + s->body;
	d->ftr_meta =
		(struct dat_blob){ .p = p, .len = strnlen(p, s->end - s->body), .off = s->body };
}

static void load_ftr_section(struct dat *d, uint16_t id)
{
	struct dat_section *s = find_unused(d, id);
	struct dat_part *part = dat_part(d, id);

	if (!s)
		return;
	s->used = part->found = true;
	part->sec = *s;
}

/* The contents of a BUFFER option. */
struct buffer_option {
	uint64_t off;
	const char *name, *clock;
	uint32_t page_size, nr_cpus;
	struct cursor table;
	char text[64];		/* ->name when the strings are damaged */
	bool sane;		/* the table has ->nr_cpus entries */
};

static bool parse_buffer_option(const struct dat_blob *data, bool big, struct buffer_option *o)
{
	struct cursor c = cur_init(data->p, data->len, big);

	o->off = cur_u64(&c);
	o->name = cur_str(&c);
	o->clock = cur_str(&c);
	o->page_size = cur_u32(&c);
	o->nr_cpus = cur_u32(&c);
	o->table = c;
	o->sane = !c.bad && cur_left(&c) == o->nr_cpus * (uint64_t)DAT_CPU_ENTRY;
	return !c.bad;
}

/*
 * Handles damaged strings: the table at the end is recognised by its form, the bytes before it are
 * the names.
 */
static bool guess_table(const struct dat *d, const struct dat_blob *data, struct buffer_option *o)
{
	size_t at, left;

	for (at = 8; at + 8 <= data->len; at++) {
		left = data->len - at - 8;
		if (!left || left % DAT_CPU_ENTRY ||
		    get_u32(data->p + at + 4, d->big) != left / DAT_CPU_ENTRY ||
		    !dat_page_size_ok(get_u32(data->p + at, d->big)))
			continue;
		o->off = get_u64(data->p, d->big);
		snprintf(o->text, sizeof(o->text), "%.*s", (int)(at - 8), data->p + 8);
		o->name = o->text;
		o->clock = "";
		o->page_size = get_u32(data->p + at, d->big);
		o->nr_cpus = left / DAT_CPU_ENTRY;
		o->table = cur_init(data->p + at + 8, left, d->big);
		return true;
	}
	return false;
}

/*
 * trace-cmd does not convert the numbers of this option, so they may have either byte order in a
 * file of the other byte order.
 */
static bool read_buffer_option(struct dat *d, const struct dat_blob *data, struct buffer_option *o)
{
	bool read = parse_buffer_option(data, d->big, o);
	struct buffer_option other;

	if (read && o->sane && dat_page_size_ok(o->page_size))
		return true;
	if (parse_buffer_option(data, !d->big, &other) && other.sane) {
		other.off = find_section(d, get_u64(data->p, d->big)) ? get_u64(data->p, d->big)
								      : other.off;
		*o = other;
		return true;
	}
	damage_note(&d->damages, "CPU table damaged", d->path, data->off, -1, "in option 'BUFFER'");
	return guess_table(d, data, o) || read;
}

static void read_cpu_table(struct dat *d, struct dat_buffer *b, struct cursor *c, uint64_t at)
{
	uint64_t off, size;
	size_t cap = 0;
	uint32_t cpu;

	while (cur_left(c) >= DAT_CPU_ENTRY) {
		cpu = cur_u32(c);
		if (d->nr_cpus && cpu >= d->nr_cpus)
			damage_note(&d->damages, "CPU table damaged", d->path, at, -1,
				    "buffer '%s' has CPU %" PRIu32 " of %u", b->name, cpu,
				    d->nr_cpus);
		off = cur_u64(c);
		size = cur_u64(c);
		if (cpu >= LIMIT_CPUS || b->nr_cpus >= LIMIT_CPUS ||
		    (b->nr_cpus && (int)cpu <= b->cpus[b->nr_cpus - 1].cpu)) {
			damage_note(&d->damages, "CPU table damaged", d->path, at, -1,
				    "buffer '%s' has CPU %" PRIu32, b->name, cpu);
			cpu = b->nr_cpus ? b->cpus[b->nr_cpus - 1].cpu + 1 : 0;
			if (cpu >= LIMIT_CPUS)
				return;
		}
		dat_add_cpu(d, b, &cap, cpu, off, size);
	}
}

/* In a file with a compression all metadata is compressed, and the data may be. */
static bool is_packed(struct dat *d, const struct dat_buffer *b, const struct dat_section *s)
{
	bool compressed = s->flags & DAT_FLAG_COMPRESSED, packed = strcmp(d->compression, "none");
	const struct dat_cpu *c = b->cpus, *end = c + b->nr_cpus;

	if (packed && !compressed) {
		while (c < end && !c->size)
			c++;
		packed = c < end && dat_chunks_plausible(d, b, c->off);
	}
	if (s->flags & ~DAT_FLAG_COMPRESSED || compressed != packed)
		note_section(d, "section header damaged", s->off, s->id);
	return packed;
}

static void load_v7_buffer(struct dat *d, const struct dat_blob *data)
{
	struct dat_extent e = { .end = d->file_size, .table = data->off };
	struct buffer_option o;
	struct dat_section *s;
	struct dat_buffer *b;
	uint32_t subbuf;

	if (!read_buffer_option(d, data, &o)) {
		note_section(d, "options damaged", data->off, DAT_BUFFER);
		return;
	}
	s = section_for(d, DAT_BUFFER, o.off);
	if (!s)
		return;
	s->used = true;
	e.start = s->body;
	e.end = d->priv->walked ? s->end : d->file_size;
	e.exact = d->priv->walked;
	b = dat_add_buffer(d, o.name, o.clock, data->off);
	subbuf = o.page_size;
	if (!dat_page_size_ok(subbuf) || subbuf < d->page_size) {
		damage_note(&d->damages, "impossible sub-buffer size", d->path, data->off, -1,
			    "buffer '%s'", o.name);
		subbuf = d->page_size;
	}
	dat_set_layout(d, b, subbuf);
	read_cpu_table(d, b, &o.table, data->off);
	e.packed = is_packed(d, b, s);
	dat_bound_buffer(d, b, &e);
}

static void read_cpu_count(struct dat *d)
{
	const struct dat_option *o = dat_option(d, DAT_CPUCOUNT);

	d->nr_cpus = dat_cpus_with_stats(d);
	/* trace-cmd convert writes 0 when its source had no such option */
	if (!o || o->data.len != 4 || !get_u32(o->data.p, d->big))
		return;
	d->nr_cpus = get_u32(o->data.p, d->big);
	if (d->nr_cpus - 1 >= LIMIT_CPUS)
		d->nr_cpus = __builtin_bswap32(d->nr_cpus);
	if (d->nr_cpus - 1 < LIMIT_CPUS)
		return;
	damage_note(&d->damages, "impossible number of CPUs", d->path, o->data.off, -1, NULL);
	d->nr_cpus = 0;
}

static void load_buffers(struct dat *d)
{
	struct dat_section *s;
	struct dat_buffer *b;
	char name[32] = "";
	size_t i, from = 0;

	dat_list_places(d, NULL);
	for (i = 0; i < d->nr_options; i++)
		if (d->options[i].id == DAT_BUFFER && dat_may_add_buffer(d, d->options[i].data.off))
			load_v7_buffer(d, &d->options[i].data);
	while ((s = next_unused(d, DAT_BUFFER, &from))) {
		/* its option was one too many */
		if ((d->nr_buffers >= LIMIT_BUFFERS && dat_is_place(d, s->off)) ||
		    !dat_may_add_buffer(d, s->off))
			continue;
		s->used = true;
		if (d->nr_buffers)
			snprintf(name, sizeof(name), "lost-%zu", d->nr_buffers);
		b = dat_add_buffer(d, name, "", s->off);
		dat_set_layout(d, b, d->page_size);
		scan_buffer(d, b, s);
	}
}

/* A section that no option names is damaged, or of an unknown kind. */
static void check_sections(struct dat *d)
{
	const struct dat_priv *p = d->priv;
	const struct dat_section *s;
	bool strings = false;

	for (s = p->sections; s < p->sections + p->nr_sections; s++) {
		strings |= s->id == DAT_STRINGS;
		if (s->flags & ~DAT_FLAG_COMPRESSED || !dat_section_plausible(s->id) ||
		    (s->flags && !strcmp(d->compression, "none")))
			note_section(d, "section header damaged", s->off, s->id);
	}
	if (p->walked && !strings)
		damage_note(&d->damages, "section 'STRINGS' is missing", d->path, d->file_size,
			    -1, NULL);
}

/* Flags and data show the compression of each section; the name is only for people. */
static void name_compression(struct dat *d, const char *name, uint64_t off)
{
	static const char *const known[] = { "none", "zlib", "zstd" };
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(name, known[i])) {
			d->compression = known[i];
			return;
		}
	if (!strcmp(name, DAT_NAME_OPEN)) {
		d->compression = "none";
		return;
	}
	d->compression = "unknown";
	damage_note(&d->damages, "unknown compression", d->path, off, -1, "'%.16s'", name);
}

/*
 * A damaged name or version of the compression hides the start of the sections: it is where a walk
 * ends exactly with the file. Returns the offset of the first options.
 */
static uint64_t find_start(struct dat *d, uint64_t first, uint64_t from, uint64_t start)
{
	struct dat_section s;
	uint64_t at;

	if (read_section(d, first, &s) && s.id == DAT_DONE)
		return first;
	for (at = from + 2; at < from + 64 && at + 8 < d->file_size; at++) {
		sections_reset(d->priv);
		walk_sections(d, at + 8);
		if (!d->priv->walked || d->priv->nr_sections < 4)
			continue;
		damage_note(&d->damages, "initial header damaged", d->path, from, -1,
			    "name of the compression");
		return get_u64(d->priv->map + at, d->big);
	}
	sections_reset(d->priv);
	walk_sections(d, start);
	return first;
}

int dat_v7_open(struct dat *d, struct cursor *c, struct ftr_error *err)
{
	static const uint16_t metas[] = {
		DAT_HEADER_INFO, DAT_FTRACE_EVENTS, DAT_EVENT_FORMATS,
		DAT_KALLSYMS,	 DAT_PRINTK,	    DAT_CMDLINES,      DAT_BTF_FILE,
	};
	uint64_t first, at = cur_pos(c);
	const char *name = cur_str(c);
	size_t i;

	cur_str(c);
	first = cur_u64(c);
	if (c->bad)
		return err_set(err, FTR_DAMAGED, "'%s' ends in its first bytes", d->path);
	name_compression(d, name, at);
	if (!strcmp(d->compression, "zstd") && !packing_known("zstd")) {
		err_set(err, FTR_FAILED,
			"'%s' is compressed with zstd, and this ftr was built without it", d->path);
		return err_hint(err, "build ftr again where libzstd's headers are installed");
	}
	walk_sections(d, cur_pos(c));
	if (!first && dat_unfinished_open(d))
		return 0;
	if (!d->priv->walked)
		first = find_start(d, first, at, cur_pos(c));
	load_options(d, first);
	load_ftr_meta(d);
	load_ftr_section(d, DAT_FTR_PROTOS);
	load_ftr_section(d, DAT_FTR_LATENCY);
	load_ftr_section(d, DAT_FTR_OOPS);
	dat_sums_walked(d);
	check_sections(d);
	dat_check_options(d);
	read_cpu_count(d);
	for (i = 0; i < sizeof(metas) / sizeof(metas[0]); i++)
		load_meta(d, metas[i]);
	load_buffers(d);
	return 0;
}
