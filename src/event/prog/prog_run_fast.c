/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loop of the runner, with the fast operations inline: room for their output is reserved once,
 * and again after each operation of prog_run.c.
 */
#include "base/cursor.h"
#include "base/poke.h"
#include "event/prog/prog_priv.h"

/* Writes @v with @fill before it, up to @width places, at most 16. NULL if it is negative. */
static inline char *poke_filled(char *to, int64_t v, unsigned int width, char fill)
{
	char text[POKE_DEC_ROOM];
	unsigned int len = poke_dec(text, v) - text, blank = width > len ? width - len : 0;

	if (v < 0)
		return NULL;
	memset(to, fill, 16);
	memcpy(to + blank, text, sizeof(text));
	return to + blank + len;
}

static inline char *poke_signed(char *to, int64_t v)
{
	*to = '-';
	return poke_dec(to + (v < 0), v < 0 ? -(uint64_t)v : (uint64_t)v);
}

/* --- texts */

static inline char *poke_symbol(char *to, const struct prog_run *r, uint64_t addr,
				unsigned int kind)
{
	const struct symtext_slot *s = symtext_slot(&r->e->symbols, addr, kind);

	if (s->addr != addr || s->used != 1 + kind)
		return NULL;
	return poke_text(to, s->text, s->len);
}

/*
 * Returns the top bits of bytes that are not printable ASCII. Bits above the lowest of them may be
 * set wrongly.
 */
static inline uint64_t control_bits(uint64_t v)
{
	const uint64_t ones = 0x0101010101010101, tops = ones << 7;
	uint64_t del = v ^ ones * 0x7f;

	return ((v - ones * ' ') | v | ((del - ones) & ~del)) & tops;
}

static inline uint64_t bytes_at(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, 8);
	return le64toh(v);
}

/*
 * Copies up to a NUL. Returns NULL if the string has other bytes than printable ASCII, which
 * prog_run.c prints. Eight bytes before @s are read as well: the last bytes of @len are the top
 * ones of eight.
 */
static inline char *poke_string(char *to, const uint8_t *s, uint32_t len)
{
	uint64_t v, stop;

	for (;; to += 8, s += 8, len -= 8) {
		if (len >= 8)
			v = bytes_at(s);
		else
			v = len ? bytes_at(s + len - 8) >> (64 - 8 * len) : 0;
		poke_8(to, v);
		stop = control_bits(v);
		if (stop)
			break;
	}
	stop = (unsigned int)__builtin_ctzll(stop) / 8;
	return v >> 8 * stop & 0xff ? NULL : to + stop;
}

static inline char *poke_dynamic(char *to, const struct prog_run *r, uint32_t at)
{
	uint32_t loc = get_u32(r->data + at, r->big), off = loc & 0xffff, len = loc >> 16;

	if (off < 8 || off > r->len || len > r->len - off)
		return NULL;
	return poke_string(to, r->data + off, len);
}

/* --- operations */

/* Returns NULL if prog_run.c has to do it. */
static inline char *poke_op(char *to, const struct prog_run *r, const struct prog_op *op)
{
	const struct memo_slot *memo;
	unsigned int digits;
	uint64_t v;

	switch (op->code) {
	case OP_DEC:
		return poke_signed(to, run_signed(r, op));
	case OP_UDEC:
		return poke_dec(to, run_value(r, op));
	case OP_HEX:
		v = run_value(r, op);
		digits = poke_hex_len(v);
		return poke_hex(to, v, digits > op->arg ? digits : op->arg);
	case OP_WIDE:
		return poke_filled(to, run_signed(r, op), op->arg, op->fill);
	case OP_HEX0:
		v = run_value(r, op);
		memcpy(to, "0x", 2);
		return poke_hex(to + 2, v, poke_hex_len(v));
	case OP_SYMBOL:
		return poke_symbol(to, r, run_value(r, op), op->arg);
	case OP_MEMO:
		memo = memo_find(&r->e->memo, op, run_value(r, op));
		return memo ? poke_text(to, memo->text, memo->len) : NULL;
	case OP_FIXED:
		return poke_string(to, r->data + op->at, op->arg);
	case OP_DYN:
		return poke_dynamic(to, r, op->at);
	default:
		return NULL;
	}
}

static bool cut_output(struct buf *out, size_t start)
{
	if (out->len - start <= PROG_OUT_MAX)
		return false;
	out->len = start + PROG_OUT_MAX;
	buf_addstr(out, " <cut>");
	return true;
}

/* Reserves room for all fast operations and for one string of the record. */
static inline char *reserve_room(const struct prog_run *r, struct buf *out)
{
	return buf_poke(out, r->g->room + r->len);
}

void run_ops(const struct prog_run *r, const struct prog_op *op, struct buf *out)
{
	const char *text = r->g->code.text.data;
	size_t start = out->len;
	char *to = reserve_room(r, out), *end;

	for (;; op++) {
		to = poke_text(to, text + op->lit, op->lit_len);
		end = poke_op(to, r, op);
		if (end && op->code != OP_DYN) {
			to = end;
			continue;
		}
		buf_poked(out, end ? end : to);
		if (op->code == OP_END)
			break;
		if (!end)
			run_op(r, op, out);
		if (cut_output(out, start))
			return;
		to = reserve_room(r, out);
	}
	cut_output(out, start);
}
