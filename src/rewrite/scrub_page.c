/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replaces values in the records of a sub-buffer.
 *
 * Lengths and times stay, so the sub-buffer remains one that a reader can walk. Bytes outside of
 * records are cleared: the ring buffer has there what earlier records left.
 */
#include <string.h>

#include "base/cursor.h"
#include "file/ring/page.h"
#include "rewrite/scrub_priv.h"

/* --- one field */

static inline uint64_t scrub_read_number(const uint8_t *p, uint32_t size)
{
	uint64_t wide;
	uint32_t narrow;

	if (size == 8) {
		memcpy(&wide, p, 8);
		return wide;
	}
	memcpy(&narrow, p, 4);
	return narrow;
}

static inline void scrub_write_number(uint8_t *p, uint64_t v, uint32_t size)
{
	uint32_t narrow = v;

	if (size == 8)
		memcpy(p, &v, 8);
	else
		memcpy(p, &narrow, 4);
}

static uint64_t scrub_number(struct scrub_run *s, const struct scrub_op *op, uint64_t v)
{
	switch (op->how) {
	case SCRUB_PID_RET:
		if ((op->elem == 4 ? (int32_t)v : (int64_t)v) < 0)
			return v;
		return scrub_pid(s, op->place, v);
	case SCRUB_PID:
		/* system calls have a pid_t in a long, without its sign */
		if (v >> 32)
			return scrub_pid(s, op->place, v);
		v = scrub_pid(s, op->place, (int32_t)v);
		return (uint32_t)v;
	case SCRUB_USER:
		return scrub_user(s, op->place, v, op->elem);
	case SCRUB_WIDE:
		return v >> 32 ? scrub_address(s, op->place, v, op->elem) : v;
	case SCRUB_FMT:
		return map_get(&s->printk, v) ? v : scrub_address(s, op->place, v, op->elem);
	default:
		return scrub_address(s, op->place, v, op->elem);
	}
}

/* Bytes after the NUL of a text are of an earlier one. */
static void scrub_text(struct scrub_run *s, const struct scrub_op *op, char *p, uint32_t len)
{
	uint32_t n = strnlen(p, len);

	if (op->how == SCRUB_NAME && op->class == SCRUB_TASKS)
		scrub_task(s, op->place, p, n);
	else if (op->how == SCRUB_NAME)
		scrub_word(s, op->place, op->class, p, n);
	else
		scrub_words(s, op->place, op->class, p, n);
	scrub_clear(s, op->place, SCRUB_REST, p + n, len - n);
}

void scrub_apply(struct scrub_run *s, const struct scrub_op *op, uint8_t *p, uint32_t len)
{
	uint32_t at;

	if (op->how == SCRUB_KEEP)
		return;
	if (op->how == SCRUB_NAME || op->how == SCRUB_TEXT) {
		scrub_text(s, op, (char *)p, len);
		return;
	}
	if (op->how == SCRUB_BLANK || (op->elem != 4 && op->elem != 8)) {
		scrub_clear(s, op->place, op->class, p, len);
		return;
	}
	for (at = 0; len - at >= op->elem; at += op->elem)
		scrub_write_number(p + at, scrub_number(s, op, scrub_read_number(p + at, op->elem)),
				   op->elem);
	scrub_clear(s, op->place, SCRUB_REST, p + at, len - at);
}

/* --- one record */

static inline void clear_rest(struct scrub_run *s, struct scrub_place *at, uint8_t *p, uint32_t len)
{
	if (len)
		scrub_clear(s, at, SCRUB_REST, p, len);
}

/* A record that ends within its fixed part: a field that is cut is cleared. */
static void scrub_short_record(struct scrub_run *s, const struct scrub_plan *p, uint8_t *data,
			       uint32_t len)
{
	const struct scrub_op *op;

	for (op = p->fixed; op < p->fixed + p->nr_fixed; op++) {
		if (op->off >= len)
			continue;
		if (op->off + op->len <= len)
			scrub_apply(s, op, data + op->off, op->len);
		else
			scrub_clear(s, op->place, op->class, data + op->off, len - op->off);
	}
	op = &p->call;
	if (p->is_call && op->off < len)
		scrub_clear(s, op->place, op->class, data + op->off,
			    op->len < len - op->off ? op->len : len - op->off);
	for (size_t i = 0; i < p->nr_holes; i++)
		if (p->holes[i].off < len)
			clear_rest(s, p->place, data + p->holes[i].off,
				   p->holes[i].off + p->holes[i].len <= len ? p->holes[i].len :
				   len - p->holes[i].off);
}

/*
 * Arrays are in the order of their fields. One that lies elsewhere is not copied, unless it is in
 * bytes of others, which are replaced as theirs.
 */
static uint32_t scrub_arrays(struct scrub_run *s, const struct scrub_plan *p, uint8_t *data,
			     uint32_t len)
{
	const struct scrub_op *op;
	uint32_t word, off, n, at = p->end;

	for (op = p->dynamic; op < p->dynamic + p->nr_dynamic; op++) {
		if (op->off + 4 > len)
			continue;
		memcpy(&word, data + op->off, 4);
		off = (word & 0xffff) + (op->relative ? op->off + 4 : 0);
		n = word >> 16;
		if (!n || off < at || off > len || n > len - off)
			continue;
		clear_rest(s, p->place, data + at, off - at);
		scrub_apply(s, op, data + off, n);
		at = off + n;
	}
	return at;
}

/* A call whose number is cut off or has an odd size is none of those with pids. */
static void scrub_raw_call(struct scrub_run *s, const struct scrub_plan *p, uint8_t *data,
			   uint32_t len)
{
	bool has_nr = (p->nr.elem == 4 || p->nr.elem == 8) && p->nr.off + p->nr.elem <= len;
	uint64_t nr = has_nr ? scrub_read_number(data + p->nr.off, p->nr.elem) : UINT64_MAX;

	if (p->call.off + p->call.len <= len)
		scrub_call(s, &p->call, nr, data + p->call.off, p->call.len);
}

static void scrub_known(struct scrub_run *s, const struct scrub_plan *p, uint8_t *data,
			uint32_t len)
{
	const struct scrub_op *op;
	uint32_t at = p->end;
	size_t i;

	if (len < p->end) {
		scrub_short_record(s, p, data, len);
		return;
	}
	for (op = p->fixed; op < p->fixed + p->nr_fixed; op++)
		if (op->off + op->len <= len)
			scrub_apply(s, op, data + op->off, op->len);
	if (p->is_call)
		scrub_raw_call(s, p, data, len);
	for (i = 0; i < p->nr_holes; i++)
		clear_rest(s, p->place, data + p->holes[i].off, p->holes[i].len);
	if (p->nr_dynamic)
		at = scrub_arrays(s, p, data, len);
	if (p->has_rest && p->rest.off >= at) {
		clear_rest(s, p->place, data + at, p->rest.off < len ? p->rest.off - at : len - at);
		if (p->rest.off < len)
			scrub_apply(s, &p->rest, data + p->rest.off, len - p->rest.off);
	} else {
		clear_rest(s, p->place, data + at, len - at);
	}
}

/* A record without a format: only the fields that all records have can be kept. */
static void scrub_unknown(struct scrub_run *s, uint8_t *data, uint32_t len)
{
	const struct trace *t = s->t;
	uint32_t from = 8, pid;

	if (len >= 8 && t->pid_off <= 4) {
		memcpy(&pid, data + t->pid_off, 4);
		pid = scrub_pid(s, s->unknown, (int32_t)pid);
		memcpy(data + t->pid_off, &pid, 4);
	} else {
		from = t->type_off + 2 < len ? t->type_off + 2 : len;
		scrub_clear(s, s->unknown, SCRUB_USERDATA, data, t->type_off < len ? t->type_off :
			    len);
	}
	if (from < len)
		scrub_clear(s, s->unknown, SCRUB_USERDATA, data + from, len - from);
}

static void scrub_record(struct scrub_run *s, uint8_t *data, uint32_t len)
{
	struct scrub_plan *p;
	uint16_t type;

	if (len < s->t->type_off + 2) {
		scrub_clear(s, s->unknown, SCRUB_USERDATA, data, len);
		return;
	}
	memcpy(&type, data + s->t->type_off, 2);
	p = s->plans[type];
	if (__builtin_expect(!p, 0))
		s->plans[type] = p = scrub_plan_new(s, type);
	if (p->place)
		scrub_known(s, p, data, len);
	else
		scrub_unknown(s, data, len);
}

/* --- the sub-buffer */

#define TYPE_TIME 30	/* time extends, and 31: absolute time stamps */

static inline uint32_t event_type(uint32_t word)
{
	return RING_HOST_BIG ? word >> 27 : word & 31;
}

static inline uint32_t event_delta(uint32_t word)
{
	return RING_HOST_BIG ? word & 0x7ffffff : word >> 5;
}

/*
 * Clears the contents of the discarded events in [at, end), which has no records, and of the
 * padding at the end, which is a header without a time. Time extends and absolute time stamps stay.
 */
static void scrub_between(struct scrub_run *s, uint8_t *data, uint32_t at, uint32_t end)
{
	uint32_t word, len;

	while (end - at >= 4) {
		memcpy(&word, data + at, 4);
		if (event_type(word) >= TYPE_TIME && end - at >= 8) {
			at += 8;
			continue;
		}
		if (event_type(word) >= TYPE_TIME || end - at < 8 || !event_delta(word)) {
			at += 4;
			break;
		}
		memcpy(&len, data + at + 4, 4);
		if (len < 4 || len > end - at - 4)
			break;
		clear_rest(s, s->gaps, data + at + 8, len - 4);
		at += 4 + len;
	}
	clear_rest(s, s->gaps, data + at, end - at);
}

/* Clears the bits of the commit word that no kernel sets, and bytes before the first record. */
static void scrub_head(struct scrub_run *s, const struct ring_layout *l, uint8_t *mem)
{
	uint8_t *high = mem + l->commit_off + (RING_HOST_BIG ? 0 : 4);
	uint32_t used = l->commit_off + l->commit_size, bits;

	clear_rest(s, s->gaps, mem + 8, l->commit_off - 8);
	clear_rest(s, s->gaps, mem + used, l->data_off - used);
	if (l->commit_size != 8)
		return;
	memcpy(&bits, high, 4);
	/* the sign of an int */
	if (bits != UINT32_MAX)
		clear_rest(s, s->gaps, high, 4);
}

/* Removes the committed bytes from @at on. */
static void cut_page(const struct ring_layout *l, uint8_t *mem, uint32_t at)
{
	uint32_t commit;
	uint8_t *word = mem + l->commit_off + (RING_HOST_BIG ? l->commit_size - 4 : 0);

	memcpy(&commit, word, 4);
	commit = (commit & 0x80000000) | at;
	memset(mem + l->commit_off, 0, l->commit_size);
	memcpy(word, &commit, 4);
}

enum ring_status scrub_page(struct scrub_run *s, const struct ring_layout *layout, uint8_t *mem,
			    size_t len)
{
	struct ring_page pg;
	struct ring_record r;
	enum ring_status opened = ring_page_open(&pg, layout, mem, len), st;
	uint8_t *data = mem + layout->data_off;
	uint32_t at = 0, used, room;

	if (opened != RING_OK && opened != RING_COMMIT_TOO_LARGE) {
		memset(mem, 0, len);
		return opened;
	}
	scrub_head(s, layout, mem);
	while ((st = ring_page_next(&pg, &r)) == RING_OK) {
		scrub_between(s, data, at, r.off - layout->data_off);
		scrub_record(s, data + (r.data - pg.data), r.len);
		at = pg.at;
	}
	room = pg.len - layout->data_off;
	used = pg.commit;
	if (st == RING_END && opened == RING_OK) {
		scrub_between(s, data, at, used);
		/* the number of lost events */
		if (pg.lost && pg.lost != RING_LOST_UNKNOWN)
			used += layout->commit_size;
	} else {
		cut_page(layout, mem, at);
		used = at;
	}
	if (used < room)
		clear_rest(s, s->gaps, data + used, room - used);
	return opened != RING_OK || st == RING_END ? opened : st;
}
