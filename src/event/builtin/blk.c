/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of the tracer blk: struct blk_io_trace of include/uapi/linux/blktrace_api.h with the
 * common header in place of its magic, followed by data of the action.
 *
 * The tracer has no format file. Its type is the one before that of bputs (enum trace_type). The
 * struct has 48 bytes and, since Linux 7.0, 64: the form that fits the length of the record is
 * used.
 */
#include <string.h>

#include "base/cursor.h"
#include "event/handle/engine_priv.h"
#include "event/print/number_text.h"

#define OLD_LEN		48
#define NEW_LEN		64
#define CGROUP_BIT	0x100u
#define TC_SHIFT	16
#define MESSAGE		(1ull << 10 << TC_SHIFT | 2)	/* notify, BLK_TN_MESSAGE */

enum {	/* categories of ->action */
	TC_WRITE = 1 << 1, TC_FLUSH = 1 << 2, TC_SYNC = 1 << 3, TC_PC = 1 << 9, TC_AHEAD = 1 << 11,
	TC_META = 1 << 12, TC_DISCARD = 1 << 13, TC_FUA = 1 << 15,
	TC_WRITE_ZEROES = 1 << 22,	/* only in the longer form of 7.0 */
};

struct blk_record {
	uint64_t sector, action;
	uint32_t bytes, device;
	uint16_t error;
	const uint8_t *pdu;	/* without the cgroup's ID */
	uint32_t pdu_len;
	bool     has_cgroup;
	uint64_t cgroup;
	int32_t  pid;
	uint64_t ts;
	int      cpu;
};

/* Returns true if a record of the form with @head bytes and its data has the record's length. */
static bool fits_blk(const struct ev_rec *r, uint32_t head, uint32_t at_pdu_len)
{
	uint32_t len;

	if (r->len < head)
		return false;
	len = head + get_u16(r->data + at_pdu_len, r->big);
	return r->len >= len && r->len - len < 8;
}

static bool blk_decode(const struct ev_rec *r, struct blk_record *b)
{
	bool old = fits_blk(r, OLD_LEN, 46), big = r->big;
	const uint8_t *p = r->data;

	if (!old && !fits_blk(r, NEW_LEN, 50))
		return false;
	b->pid = get_u32(p + 4, big);
	b->sector = get_u64(p + 16, big);
	b->bytes = get_u32(p + 24, big);
	b->action = old ? get_u32(p + 28, big) : get_u64(p + 32, big);
	b->device = get_u32(p + (old ? 36 : 40), big);
	b->error = get_u16(p + (old ? 44 : 48), big);
	b->pdu = p + (old ? OLD_LEN : NEW_LEN);
	b->pdu_len = get_u16(p + (old ? 46 : 50), big);
	b->has_cgroup = b->action & CGROUP_BIT && b->pdu_len >= 8;
	if (b->has_cgroup) {
		b->cgroup = get_u64(b->pdu, big);
		b->pdu += 8;
		b->pdu_len -= 8;
	}
	return true;
}

static bool is_message(const struct blk_record *b)
{
	return (b->action & ~(uint64_t)CGROUP_BIT) == MESSAGE;
}

static size_t make_rwbs(char to[8], const struct blk_record *b)
{
	uint32_t tc = b->action >> TC_SHIFT;
	char *p = to;

	if (is_message(b)) {
		*p++ = 'N';
		return 1;
	}
	if (tc & TC_FLUSH)
		*p++ = 'F';
	if (tc & TC_DISCARD)
		*p++ = 'D';
	else if (tc & (TC_WRITE_ZEROES | TC_WRITE))
		*p++ = 'W';
	else
		*p++ = b->bytes ? 'R' : 'N';
	if (tc & TC_WRITE_ZEROES && !(tc & TC_DISCARD))
		*p++ = 'Z';
	if (tc & TC_FUA)
		*p++ = 'F';
	if (tc & TC_AHEAD)
		*p++ = 'A';
	if (tc & TC_SYNC)
		*p++ = 'S';
	if (tc & TC_META)
		*p++ = 'M';
	return p - to;
}

/*
 * Prints the text before the action's own. If @classic is true (option blk_classic) it has the
 * context, which the kernel then leaves out before the line.
 */
static void print_head(struct buf *out, const struct blk_record *b, const char *act, bool classic)
{
	char rwbs[8];
	size_t n = make_rwbs(rwbs, b);

	buf_add_number(out, b->device >> 20, 10, 0, 3, -1);
	buf_addch(out, ',');
	buf_add_number(out, b->device & 0xfffff, 10, NUM_LEFT, 3, -1);
	buf_addch(out, ' ');
	if (classic) {
		buf_add_number(out, b->cpu, 10, 0, 2, -1);
		buf_addch(out, ' ');
		buf_add_number(out, b->ts / 1000000000, 10, 0, 5, -1);
		buf_addch(out, '.');
		buf_add_number(out, b->ts % 1000000000, 10, NUM_ZERO, 9, -1);
		buf_addch(out, ' ');
		buf_add_number(out, (uint32_t)b->pid, 10, 0, 5, -1);
		buf_addch(out, ' ');
	} else if (b->has_cgroup) {
		buf_add_hex(out, b->cgroup & UINT32_MAX);
		buf_addch(out, ',');
		buf_add_hex(out, b->cgroup >> 32);
		buf_addch(out, ' ');
	}
	buf_add_padded(out, act, strlen(act), 2, false);
	buf_addch(out, ' ');
	buf_add_padded(out, rwbs, n, 3, false);
	buf_addch(out, ' ');
}

/* --- the text after the action */

static void print_comm(struct ev_engine *e, struct buf *out, const struct blk_record *b)
{
	const char *comm = comm_find(e, b->pid);

	buf_addch(out, '[');
	engine_text(e, out, comm, strlen(comm), false);
	buf_addch(out, ']');
}

/* Prints the first sector and the length in sectors of 512 bytes. */
static void add_sectors(struct buf *out, const struct blk_record *b)
{
	buf_add_dec(out, b->sector);
	buf_add(out, " + ", 3);
	buf_add_dec(out, b->bytes >> 9);
	buf_addch(out, ' ');
}

/* Prints the bytes of a command if there are any; zeros at their end become "..". */
static void add_pdu(struct buf *out, const struct blk_record *b)
{
	uint32_t end = b->pdu_len;

	if (!end)
		return;
	while (end && !b->pdu[end - 1])
		end--;
	buf_addch(out, '(');
	for (uint32_t i = 0; i < b->pdu_len; i++) {
		if (i)
			buf_addch(out, ' ');
		buf_add_hex_fixed(out, b->pdu[i], 2);
		if (i == end && end + 1 != b->pdu_len) {
			buf_addstr(out, " ..");
			break;
		}
	}
	buf_addstr(out, ") ");
}

static uint64_t pdu_number(const struct blk_record *b)
{
	return b->pdu_len >= 8 ? get_u64(b->pdu, true) : 0;
}

static void rest_generic(struct ev_engine *e, struct buf *out, const struct blk_record *b)
{
	if (b->action >> TC_SHIFT & TC_PC) {
		buf_add_dec(out, b->bytes);
		buf_addch(out, ' ');
		add_pdu(out, b);
	} else if (b->bytes >> 9) {
		add_sectors(out, b);
	}
	print_comm(e, out, b);
}

static void rest_error(struct ev_engine *e, struct buf *out, const struct blk_record *b)
{
	(void)e;
	if (b->action >> TC_SHIFT & TC_PC) {
		add_pdu(out, b);
	} else if (b->bytes >> 9) {
		add_sectors(out, b);
	} else {
		buf_add_dec(out, b->sector);
		buf_addch(out, ' ');
	}
	buf_addch(out, '[');
	buf_add_dec(out, b->error);
	buf_addch(out, ']');
}

static void rest_unplug(struct ev_engine *e, struct buf *out, const struct blk_record *b)
{
	print_comm(e, out, b);
	buf_addch(out, ' ');
	buf_add_dec(out, pdu_number(b));
}

static void rest_split(struct ev_engine *e, struct buf *out, const struct blk_record *b)
{
	buf_add_dec(out, b->sector);
	buf_add(out, " / ", 3);
	buf_add_dec(out, pdu_number(b));
	buf_addch(out, ' ');
	print_comm(e, out, b);
}

/*
 * Prints struct blk_io_trace_remap, which is big-endian: the device before the remap, the one after
 * it, and the sector before.
 */
static void rest_remap(struct ev_engine *e, struct buf *out, const struct blk_record *b)
{
	uint32_t device = b->pdu_len >= 16 ? get_u32(b->pdu, true) : 0;

	(void)e;
	add_sectors(out, b);
	buf_add(out, "<- (", 4);
	buf_add_dec(out, device >> 20);
	buf_addch(out, ',');
	buf_add_dec(out, device & 0xfffff);
	buf_add(out, ") ", 2);
	buf_add_dec(out, b->pdu_len >= 16 ? get_u64(b->pdu + 8, true) : 0);
}

static void rest_message(struct ev_engine *e, struct buf *out, const struct blk_record *b)
{
	engine_text(e, out, (const char *)b->pdu, b->pdu_len, false);
}

static const struct blk_action {
	const char *name[2];	/* short, and long for the option verbose */
	void (*rest)(struct ev_engine *e, struct buf *out, const struct blk_record *b);
} actions[] = {
	[0] = { { "m", "message" }, rest_message },
	[1] = { { "Q", "queue" }, rest_generic },
	[2] = { { "M", "backmerge" }, rest_generic },
	[3] = { { "F", "frontmerge" }, rest_generic },
	[4] = { { "G", "getrq" }, rest_generic },
	[5] = { { "S", "sleeprq" }, rest_generic },
	[6] = { { "R", "requeue" }, rest_error },
	[7] = { { "D", "issue" }, rest_generic },
	[8] = { { "C", "complete" }, rest_error },
	[9] = { { "P", "plug" }, print_comm },
	[10] = { { "U", "unplug_io" }, rest_unplug },
	[11] = { { "UT", "unplug_timer" }, rest_unplug },
	[12] = { { "I", "insert" }, rest_generic },
	[13] = { { "X", "split" }, rest_split },
	[14] = { { "B", "bounce" }, rest_generic },
	[15] = { { "A", "remap" }, rest_remap },
};

bool ev_render_blk(struct ev_engine *e, const struct ev_rec *r, int cpu, uint64_t ts,
		   struct buf *out)
{
	struct blk_record b = { .cpu = cpu, .ts = ts };
	const struct ev_format *bputs;
	uint32_t code;
	bool message;

	if (r->len < OLD_LEN)
		return false;
	/* enum trace_type has TRACE_BLK just before TRACE_BPUTS, in all kernels that have both. */
	bputs = event_meta_find_name(e->w, "ftrace", "bputs");
	if (!bputs || get_u16(r->data, r->big) + 1u != bputs->id || !blk_decode(r, &b))
		return false;
	message = is_message(&b);
	code = message ? 0 : b.action & 0xffff & ~CGROUP_BIT;
	if ((!code && !message) || code >= sizeof(actions) / sizeof(*actions)) {
		buf_addstr(out, "Unknown action ");
		buf_add_hex(out, code);
		return true;
	}
	print_head(out, &b, actions[code].name[e->style.verbose], e->style.blk_classic);
	actions[code].rest(e, out, &b);
	return true;
}
