/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events of the tracer mmiotrace; their lines have the time inside and no context before. */
#include "event/builtin/builtin.h"
#include "event/print/number_text.h"

/* enum mm_io_opcode of include/linux/mmiotrace.h */
enum { MMIO_READ = 1, MMIO_WRITE, MMIO_PROBE, MMIO_UNPROBE, MMIO_UNKNOWN_OP };

static void add_time_id(struct buf *out, uint64_t ts, uint64_t map_id)
{
	own_seconds(out, ts, -1);
	buf_addch(out, ' ');
	put_number(out, (int32_t)map_id, 10, PUT_SIGN, -1, -1);
}

static void add_0x(struct buf *out, uint64_t v)
{
	buf_addch(out, ' ');
	put_0x(out, v);
}

static void add_width(struct buf *out, const char *letter, uint64_t width)
{
	buf_addstr(out, letter);
	put_dec(out, width);
	buf_addch(out, ' ');
}

/* Three bytes of an instruction that was not understood. */
static void add_opcode(struct buf *out, uint64_t value)
{
	for (int shift = 16; shift >= 0; shift -= 8) {
		buf_addch(out, shift == 16 ? ' ' : ',');
		put_hex_fixed(out, value >> shift, 2);
	}
}

void own_mmio_rw(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r, uint64_t ts,
		 struct buf *out)
{
	uint64_t op = own_num(s, r, 0);

	(void)e;
	if (op == MMIO_UNKNOWN_OP) {
		buf_addstr(out, "UNKNOWN ");
	} else if (op == MMIO_READ || op == MMIO_WRITE) {
		add_width(out, op == MMIO_READ ? "R " : "W ", own_num(s, r, 1));
	} else {
		buf_addstr(out, "rw what?");
		return;
	}
	add_time_id(out, ts, own_num(s, r, 2));
	add_0x(out, own_num(s, r, 3));
	if (op == MMIO_UNKNOWN_OP)
		add_opcode(out, own_num(s, r, 4));
	else
		add_0x(out, own_num(s, r, 4));
	add_0x(out, own_num(s, r, 5));
	buf_addstr(out, " 0");
}

void own_mmio_map(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r, uint64_t ts,
		  struct buf *out)
{
	uint64_t op = own_num(s, r, 0);

	(void)e;
	if (op != MMIO_PROBE && op != MMIO_UNPROBE) {
		buf_addstr(out, "map what?");
		return;
	}
	buf_addstr(out, op == MMIO_PROBE ? "MAP " : "UNMAP ");
	add_time_id(out, ts, own_num(s, r, 1));
	for (unsigned int i = 2; i < 5 && op == MMIO_PROBE; i++)
		add_0x(out, own_num(s, r, i));
	buf_addstr(out, " 0x0 0");
}
