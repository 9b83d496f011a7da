/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Selects the sub-buffers of one CPU for a new file.
 *
 * A sub-buffer all of whose records are wanted is copied as it is. If the source is not compressed,
 * the writer copies it from there, in runs as long as possible. Only sub-buffers at a border, or
 * with records that a filter leaves out, are rebuilt. Runs of wanted records keep all their bytes,
 * with the time extends and absolute time stamps between them; only the time delta of the first
 * record of a run is a new one.
 */
#include "rewrite/cpu_copy.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/io.h"
#include "file/ring/page.h"

#define FLUSH_BYTES (256u << 10)	/* bytes that are written to the spool file at once */
#define CHUNK_BYTES (128u << 10)	/* of a compressed chunk, see record/file/data_pack.c */
#define DAMAGE_IDS  ((1ULL << 48) - 1)	/* see damage_note_once() */
#define DELTA_MAX   ((1u << 27) - 1)	/* a longer time between two records needs a time extend */

/* --- the spool file */

static void spool_flush(struct copy_spool *s)
{
	if (!s->sys && s->out.len && io_pwrite_all(s->fd, s->out.data, s->out.len, s->at))
		s->sys = errno;
	s->at += s->out.len;
	buf_reset(&s->out);
}

static void spool_add(struct copy_spool *s, const void *mem, size_t len)
{
	buf_add(&s->out, mem, len);
	if (s->out.len >= FLUSH_BYTES)
		spool_flush(s);
}

/* Compresses the chunk that was collected. */
static void spool_pack(struct copy_spool *s)
{
	uint32_t head[2] = { 0, s->chunk.len };

	if (!s->chunk.len)
		return;
	buf_reserve(&s->out, sizeof(head) + packer_room(s->packer, s->chunk.len));
	head[0] = packer_pack(s->packer, s->out.data + s->out.len + sizeof(head), s->chunk.data,
			      s->chunk.len);
	if (!head[0] && !s->sys)
		s->sys = ENOMEM;
	memcpy(s->out.data + s->out.len, head, sizeof(head));
	s->out.len += sizeof(head) + head[0];
	s->chunks++;
	buf_reset(&s->chunk);
	if (s->out.len >= FLUSH_BYTES)
		spool_flush(s);
}

/* Starts the list of the chunks of a CPU: u32 number of chunks, which spool_end() writes. */
static void spool_begin(struct copy_spool *s)
{
	s->list = s->at + s->out.len;
	s->chunks = 0;
	if (s->packer)
		buf_u32(&s->out, 0);
}

static void spool_end(struct copy_spool *s)
{
	if (s->packer) {
		spool_pack(s);
		spool_flush(s);
		if (!s->sys && io_pwrite_all(s->fd, &s->chunks, sizeof(s->chunks), s->list))
			s->sys = errno;
	}
	spool_flush(s);
}

void copy_spool_release(struct copy_spool *s)
{
	if (s->fd >= 0)
		close(s->fd);
	packer_free(s->packer);
	buf_release(&s->out);
	buf_release(&s->chunk);
}

/* --- the state of one CPU */

struct cpu_state {
	const struct rewrite_buffer *b;
	struct rewrite_cpu *c;
	uint64_t *types;		/* bits of the types of records, or NULL */
	struct copy_spool *spool;
	struct copy_list *to;
	struct rewrite_totals *sum;
	const struct ring_layout *layout;
	struct dat_cursor at;
	bool     packed;		/* the source is compressed */
	uint64_t page, page_off;	/* the present sub-buffer, and its place in the file */
	/* raw times: the stamp of the last sub-buffer with data, and that of its last record */
	uint64_t last_page_raw, last_raw;
	uint64_t blanks, blank_off;	/* sub-buffers without data just before, and where */
	uint64_t events, last_ts;	/* records copied so far, and the ts of the last one */
	uint64_t lost;			/* events lost before the next record */
	uint64_t bytes;			/* of data so far */

	uint8_t *shifted;		/* the present sub-buffer with other times, or NULL */
	struct scrub_run *scrub;
	uint8_t *scrubbed;		/* the present sub-buffer with other values, or NULL */

	/* the sub-buffer that is built */
	struct ring_build build;
	uint8_t *mem;
	bool     open;
	uint64_t raw, build_lost;	/* time of its last record; events lost before the first */
	uint64_t last_host;		/* ->host_times: the new raw time of the last record */
};

static uint64_t add_lost(uint64_t a, uint64_t b)
{
	uint64_t sum;

	if (a == RING_LOST_UNKNOWN || b == RING_LOST_UNKNOWN || __builtin_add_overflow(a, b, &sum))
		return RING_LOST_UNKNOWN;
	return sum;
}

/* Several parts may read one sub-buffer, whose damage counts once. */
static void note_damage(struct cpu_state *s, const char *kind, uint32_t off)
{
	struct trace *t = s->b->trace;
	const char *name = s->b->from->name;
	uint64_t at = s->packed ? s->page_off : s->page_off + off;
	/* the sub-buffers of a compressed chunk have one offset */
	uint64_t id = (s->packed ? at << 16 | (s->page & 0xffff) : at) & DAMAGE_IDS;

	damage_note_once(&t->damages, id, kind, t->dat->path, at, s->c->from->cpu,
			 "sub-buffer %" PRIu64 "%s%s%s", s->page, *name ? " of instance '" : "",
			 name, *name ? "'" : "");
}

/* --- output */

/* Adds @len bytes of the file @fd to the CPU's data. */
static void add_run(struct cpu_state *s, int fd, uint64_t off, uint64_t len)
{
	struct copy_list *l = s->to;
	struct dat_write_cpu *last = l->n ? &l->v[l->n - 1] : NULL;

	if (last && last->cpu == s->c->from->cpu && last->fd == fd &&
	    (uint64_t)(last->base + last->size) == off) {
		last->size += len;
		return;
	}
	l->v = xgrow(l->v, &l->cap, l->n + 1, sizeof(*l->v));
	l->v[l->n++] = (struct dat_write_cpu){
		.cpu = s->c->from->cpu, .fd = fd, .base = off, .size = len,
		.consume = fd == s->spool->fd,
	};
}

/* Adds a sub-buffer that is in memory. */
static void add_page(struct cpu_state *s, const uint8_t *mem)
{
	struct copy_spool *spool = s->spool;
	uint32_t len = s->layout->subbuf_size;

	s->bytes += len;
	if (!spool->packer) {
		add_run(s, spool->fd, spool->at + spool->out.len, len);
		spool_add(spool, mem, len);
		return;
	}
	buf_add(&spool->chunk, mem, len);
	if (spool->chunk.len + len > CHUNK_BYTES)
		spool_pack(spool);
}

static void end_build(struct cpu_state *s)
{
	if (!s->open)
		return;
	if (s->build_lost)
		ring_build_commit_lost(&s->build, s->build_lost);
	else
		ring_build_commit(&s->build, 0);
	add_page(s, s->mem);
	s->open = false;
}

static void start_build(struct cpu_state *s, uint64_t raw)
{
	end_build(s);
	ring_build_start(&s->build, s->layout, s->mem, raw);
	s->open = true;
	s->raw = raw;
	s->build_lost = s->lost;
	s->lost = 0;
}

/* Returns true if @len more bytes fit; the number of lost events is stored after the last ones. */
static bool has_room(const struct cpu_state *s, uint32_t len)
{
	uint32_t room = s->layout->subbuf_size - s->layout->data_off - s->build.at;
	uint32_t stored = s->build_lost && s->build_lost != RING_LOST_UNKNOWN ?
			  s->layout->commit_size : 0;

	return room >= len && room - len >= stored;
}

/*
 * Adds a record, which starts at @event and has @len bytes with its header. The bytes from @from on
 * continue the record added last, if that is not NULL.
 */
static void add_record(struct cpu_state *s, uint64_t raw, const uint8_t *from, const uint8_t *event,
		       uint32_t len)
{
	uint32_t between = from ? event - from : 0;
	bool extend;

	if (s->open && from && !s->lost && has_room(s, between + len) &&
	    ring_build_copy(&s->build, from, between + len)) {
		s->raw = raw;
		return;
	}
	extend = s->open && raw >= s->raw && raw - s->raw > DELTA_MAX;
	if (!s->open || s->lost || raw < s->raw || !has_room(s, len + (extend ? 8 : 0)))
		start_build(s, raw);
	else if (extend && ring_build_extend(&s->build, raw - s->raw))
		s->raw = raw;
	ring_build_move(&s->build, event, len, raw - s->raw);
	s->raw = raw;
}

/* Adds a whole sub-buffer, with the losses before it that the source does not have there. */
static void add_whole(struct cpu_state *s, const struct ring_page *pg)
{
	struct ring_build b = { .layout = s->layout, .mem = s->mem, .at = pg->commit };
	uint32_t len = s->layout->subbuf_size;
	int fd = dat_fd(s->at.dat);

	end_build(s);
	if (s->lost) {
		memcpy(s->mem, pg->mem, len);
		ring_build_commit_lost(&b, add_lost(s->lost, pg->lost));
		s->lost = 0;
		add_page(s, s->mem);
	} else if (!s->shifted && !s->scrub && !s->packed && !s->spool->packer && fd >= 0 &&
		   !s->c->from->source && s->page_off == s->c->from->off + s->page * len) {
		s->bytes += len;
		add_run(s, fd, s->page_off, len);
	} else {
		add_page(s, pg->mem);
	}
}

/* --- records */

/* PICK_OTHER: another file may have it. */
enum pick { PICK_YES, PICK_FILTERED, PICK_OTHER };

static enum pick pick_record(struct cpu_state *s, const struct ring_record *r, uint64_t ts)
{
	struct trace *t = s->b->trace;
	struct ev_rec rec = { .data = r->data, .len = r->len, .big = t->dat->big,
			      .long_size = t->meta.long_size };
	bool common = r->len >= 8 && t->type_off <= r->len - 2 && t->pid_off <= r->len - 4;
	uint16_t type = common ? get_u16(r->data + t->type_off, rec.big) : 0;
	int pid = common ? (int32_t)get_u32(r->data + t->pid_off, rec.big) : -1;

	if (ts < s->c->since || ts >= s->c->until)
		return PICK_OTHER;
	if (s->b->filter && !filter_match(s->b->filter, type, pid, s->c->from->cpu, ts, &rec))
		return PICK_FILTERED;
	if (s->types)
		s->types[type / 64] |= 1ULL << type % 64;
	return PICK_YES;
}

/* Counts a record that was picked, at @off. Returns false if it is beyond ->most. */
static bool count_record(struct cpu_state *s, uint64_t ts, uint32_t off)
{
	struct rewrite_cpu *c = s->c;

	if (c->most && s->events >= c->most && ts != s->last_ts) {
		c->stopped = true;
		c->stop_page = s->page;
		c->stop_off = off;
		return false;
	}
	s->events++;
	s->last_ts = ts;
	return true;
}

/*
 * Returns true if all records of the sub-buffer are wanted, and counts them. *end is then at the
 * end of the records, or at damage, with *st.
 */
static bool count_whole(struct cpu_state *s, const struct ring_page *opened, size_t len,
			struct ring_page *end, enum ring_status *st)
{
	struct ring_record r;
	uint64_t n = 0, raw = 0, ts = s->last_ts;

	if (s->b->host_times || len != s->layout->subbuf_size ||
	    (s->c->from_off && s->page == s->c->page))
		return false;
	*end = *opened;
	for (; (*st = ring_page_next(end, &r)) == RING_OK; n++) {
		raw = r.ts;
		ts = trace_raw_time(s->b->trace, s->c->from->cpu, r.ts);
		if (pick_record(s, &r, ts) != PICK_YES)
			return false;
	}
	if (!n || (s->c->most && s->events + n >= s->c->most))
		return false;
	s->last_raw = raw;
	s->events += n;
	s->last_ts = ts;
	return true;
}

/* Returns true for records of earlier or later parts of the CPU. */
static bool is_outside(const struct cpu_state *s, const struct ring_record *r)
{
	return s->c->stopped || (s->page == s->c->page && r->off < s->c->from_off);
}

/*
 * Returns the raw time of a record in the new file. Where samples of a guest's clock step back,
 * records get the time of the one before them.
 */
static uint64_t new_raw(struct cpu_state *s, uint64_t raw)
{
	if (!s->b->host_times)
		return raw;
	raw = trace_host_raw(s->b->trace, s->c->from->cpu, raw) + (uint64_t)s->b->shift;
	s->last_host = raw > s->last_host ? raw : s->last_host;
	return s->last_host;
}

static void rebuild_page(struct cpu_state *s, struct ring_page *pg)
{
	const uint8_t *from = NULL, *event;
	struct ring_record r;
	enum ring_status st;
	enum pick pick;
	uint64_t ts;

	s->lost = add_lost(s->lost, pg->lost);
	while ((st = ring_page_next(pg, &r)) == RING_OK) {
		s->last_raw = r.ts;
		ts = trace_raw_time(s->b->trace, s->c->from->cpu, r.ts);
		pick = is_outside(s, &r) ? PICK_OTHER : pick_record(s, &r, ts);
		if (pick == PICK_YES && !count_record(s, ts, r.off))
			pick = PICK_OTHER;
		event = pg->mem + r.off;
		if (pick == PICK_YES) {
			s->sum->lost_unknown |= s->lost == RING_LOST_UNKNOWN;
			s->sum->lost += s->lost == RING_LOST_UNKNOWN ? 0 : s->lost;
			add_record(s, new_raw(s, r.ts), from, event, pg->data + pg->at - event);
			from = s->b->host_times ? NULL : pg->data + pg->at;
		} else {
			from = NULL;
			s->lost = pick == PICK_FILTERED ? s->lost : 0;
		}
	}
	if (st != RING_END) {
		note_damage(s, ring_status_text(st), s->layout->data_off + pg->at);
		s->lost = RING_LOST_UNKNOWN;
	}
}

/* Notes the damage of a whole sub-buffer, which the copy has, too, and counts its losses. */
static void note_whole(struct cpu_state *s, const struct ring_page *opened,
		       const struct ring_page *end, enum ring_status st)
{
	if (st != RING_END)
		note_damage(s, ring_status_text(st), s->layout->data_off + end->at);
	s->sum->lost_unknown |= opened->lost == RING_LOST_UNKNOWN || s->lost == RING_LOST_UNKNOWN;
	s->sum->lost += opened->lost == RING_LOST_UNKNOWN ? 0 : opened->lost;
	s->sum->lost += s->lost == RING_LOST_UNKNOWN ? 0 : s->lost;
}

/* Sub-buffers without data are left out; those before others are a loss, see cpu_stream.c. */
static bool is_blank(struct cpu_state *s, const struct ring_page *pg)
{
	uint64_t off = s->page_off, next;

	if (!pg->commit) {
		s->blank_off = s->blanks ? s->blank_off : off;
		next = dat_cursor_skip_hole(&s->at, s->page + 1);
		s->blanks += next - s->page;
		s->page = next - 1;
		return true;
	}
	if (s->blanks) {
		s->page_off = s->blank_off;
		note_damage(s, "sub-buffers without data before others", 0);
		s->page_off = off;
		s->lost = RING_LOST_UNKNOWN;
		s->blanks = 0;
	}
	return false;
}

/* Notes times that go back, as a reader of all sub-buffers does. */
static void check_order(struct cpu_state *s, const struct ring_page *pg)
{
	if (pg->ts < s->last_page_raw)
		note_damage(s, "sub-buffer time stamps go back", 0);
	else if (pg->ts < s->last_raw)
		note_damage(s, "time goes backwards between sub-buffers", 0);
	s->last_page_raw = pg->ts;
}

/*
 * Reads the times of the last sub-buffer before @page, which belongs to the part before this one:
 * times may go back at the border, too.
 */
static void read_times_before(struct cpu_state *s, uint64_t page)
{
	struct dat_cursor at = s->at;
	struct ring_record r;
	struct ring_page pg;
	const uint8_t *mem;
	uint64_t off;
	size_t len;

	at.damages = NULL;
	mem = dat_cursor_page(&at, page - 1, &len, &off);
	if (mem && ring_page_open(&pg, s->layout, mem, len) == RING_OK && pg.commit) {
		s->last_page_raw = pg.ts;
		while (ring_page_next(&pg, &r) == RING_OK)
			s->last_raw = r.ts;
	}
	dat_cursor_release(&at);
}

/*
 * Replaces the values of the sub-buffer in a copy, which @pg then is. Records after damage are not
 * copied: then *cut is set. Returns false if no record is left.
 */
static bool scrub_copy(struct cpu_state *s, struct ring_page *pg, size_t len, bool *cut)
{
	enum ring_status st;

	memcpy(s->scrubbed, pg->mem, len);
	st = scrub_page(s->scrub, s->layout, s->scrubbed, len);
	if (st != RING_OK && st != RING_COMMIT_TOO_LARGE)
		note_damage(s, ring_status_text(st), s->layout->data_off);
	*cut = st != RING_OK;
	return ring_page_open(pg, s->layout, s->scrubbed, len) == RING_OK && pg->commit;
}

static void copy_page(struct cpu_state *s, const uint8_t *mem, size_t len)
{
	struct ring_page pg, end;
	enum ring_status st;
	bool opens, cut = false;

	if (s->shifted) {
		memcpy(s->shifted, mem, len);
		ring_page_shift(s->layout, s->shifted, len, s->b->shift);
		mem = s->shifted;
	}
	st = ring_page_open(&pg, s->layout, mem, len);
	opens = st == RING_OK || st == RING_COMMIT_TOO_LARGE;
	if (st == RING_OK)
		st = ring_page_check(&pg);
	if (st != RING_OK)
		note_damage(s, ring_status_text(st), 0);
	if (!opens) {
		s->lost = RING_LOST_UNKNOWN;
		return;
	}
	if (is_blank(s, &pg))
		return;
	check_order(s, &pg);
	if (s->scrub && !scrub_copy(s, &pg, len, &cut)) {
		s->lost = RING_LOST_UNKNOWN;
		return;
	}
	if (count_whole(s, &pg, len, &end, &st)) {
		note_whole(s, &pg, &end, st);
		add_whole(s, &pg);
	} else {
		rebuild_page(s, &pg);
	}
	s->lost = cut ? RING_LOST_UNKNOWN : s->lost;
}

void cpu_copy(const struct rewrite_buffer *b, struct rewrite_cpu *c, struct scrub_run *scrub,
	      uint64_t *types, struct copy_spool *spool, struct copy_list *to,
	      struct rewrite_totals *sum)
{
	struct cpu_state s = {
		.b = b, .c = c, .types = types, .spool = spool, .to = to, .sum = sum,
		.scrub = scrub,
		.layout = &b->from->layout,
		.at = { .dat = b->trace->dat, .buffer = b->from, .cpu = c->from,
			.damages = &b->trace->damages },
		.packed = dat_is_packed(c->from),
	};
	uint64_t first, end;
	const uint8_t *mem;
	size_t len;

	c->stopped = false;
	if (c->page >= c->end)
		return;
	trace_cpu_pages(b->trace, b->from, c->from, c->since, c->until, &first, &end);
	first = first < c->page ? c->page : first;
	end = end > c->end ? c->end : end;
	s.mem = xmalloc(s.layout->subbuf_size);
	s.shifted = b->shift && !b->host_times ? xmalloc(s.layout->subbuf_size) : NULL;
	s.scrubbed = scrub ? xmalloc(s.layout->subbuf_size) : NULL;
	spool_begin(spool);
	if (first && first == c->page && !c->from_off)
		read_times_before(&s, first);
	for (s.page = first; s.page < end && !c->stopped && !spool->sys; s.page++) {
		mem = dat_cursor_page(&s.at, s.page, &len, &s.page_off);
		if (mem)
			copy_page(&s, mem, len);
		else
			s.lost = RING_LOST_UNKNOWN;
	}
	end_build(&s);
	spool_end(spool);
	if (spool->packer && s.bytes)
		add_run(&s, spool->fd, spool->list, spool->at - spool->list);
	sum->events += s.events;
	sum->bytes += s.bytes;
	free(s.mem);
	free(s.shifted);
	free(s.scrubbed);
	dat_cursor_release(&s.at);
}
