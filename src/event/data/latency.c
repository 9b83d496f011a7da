/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The five latency flags. */
#include "event/data/data.h"

#include <string.h>

#define KERNEL_WITH_LAZY KERNEL_VERSION_OF(6, 14)

/*
 * Bits of common_flags; 0x02 was IRQS_NOSUPPORT up to 6.13, which x86 kernels do not set but where
 * all flags are (uprobe events, by mistake).
 */
enum {
	IRQS_OFF	  = 0x01,
	NEED_RESCHED_LAZY = 0x02,
	NEED_RESCHED	  = 0x04,
	HARDIRQ		  = 0x08,
	SOFTIRQ		  = 0x10,
	PREEMPT_RESCHED	  = 0x20,
	NMI		  = 0x40,
	BH_OFF		  = 0x80,
};

static uint32_t common_offset(const struct ev_format *fmt, const char *name, uint32_t usual)
{
	const struct ev_field *f = fmt ? ev_field(fmt, name) : NULL;

	return f && f->size == 1 ? f->offset : usual;
}

static uint8_t rec_byte(const struct ev_rec *r, uint32_t at)
{
	return at < r->len ? r->data[at] : 0;
}

/*
 * The kernel's letters. libtraceevent knows "d" alone: D and b (bottom halves off) are d and "."
 * there, and 0x02 is X.
 */
static char irqs_letter(uint8_t flags)
{
	if (flags & IRQS_OFF)
		return flags & BH_OFF ? 'D' : 'd';
	return flags & BH_OFF ? 'b' : '.';
}

/* By NEED_RESCHED_LAZY, NEED_RESCHED, PREEMPT_RESCHED. */
static const char kernel_letters[8] = {
	'.', 'l', 'n', 'b', 'p', 'L', 'N', 'B',
};
/* The first of these bits meant something else. */
static const char old_letters[8] = {
	'.', '.', 'n', 'n', 'p', 'p', 'N', 'N',
};
/*
 * libtraceevent knows one letter for NEED_RESCHED, N, whether or not PREEMPT_RESCHED is set, and
 * reports are compared by people. p, l, L, b, B it does not have.
 */
static const char report_letters[8] = {
	'.', 'l', 'N', 'b', 'p', 'L', 'N', 'B',
};

static char resched_letter(uint8_t flags, const char letters[8])
{
	unsigned int lazy = !!(flags & NEED_RESCHED_LAZY), need = !!(flags & NEED_RESCHED);
	unsigned int preempt = !!(flags & PREEMPT_RESCHED);

	return letters[lazy | need << 1 | preempt << 2];
}

/* The kernel's; libtraceevent has no letters for NMIs: z and Z are "." and h there. */
static char context_letter(uint8_t flags)
{
	if (flags & NMI)
		return flags & HARDIRQ ? 'Z' : 'z';
	if (flags & HARDIRQ)
		return flags & SOFTIRQ ? 'H' : 'h';
	return flags & SOFTIRQ ? 's' : '.';
}

static void print_letters(uint8_t flags, uint8_t count, const char resched[8], char out[6])
{
	static const char depth[] = ".123456789abcdef";

	out[0] = irqs_letter(flags);
	out[1] = resched_letter(flags, resched);
	out[2] = context_letter(flags);
	out[3] = depth[count & 0xf];
	out[4] = depth[count >> 4];
	out[5] = 0;
}

void ev_latency_letters(uint8_t flags, uint8_t count, char out[6])
{
	print_letters(flags, count, report_letters, out);
}

void ev_latency_offsets(const struct ev_format *fmt, uint32_t *flags_off, uint32_t *count_off)
{
	*flags_off = common_offset(fmt, "common_flags", 2);
	*count_off = common_offset(fmt, "common_preempt_count", 3);
}

void ev_print_latency(const struct ev_rec *r, char out[6])
{
	uint32_t flags, count;

	ev_latency_offsets(r->fmt, &flags, &count);
	print_letters(rec_byte(r, flags), rec_byte(r, count), report_letters, out);
}

void ev_kernel_latency(const struct ev_world *w, const struct ev_rec *r, char out[6])
{
	bool old = w->kernel && w->kernel < KERNEL_WITH_LAZY && !w->rt;
	uint32_t flags, count;

	ev_latency_offsets(r->fmt, &flags, &count);
	print_letters(rec_byte(r, flags), rec_byte(r, count), old ? old_letters : kernel_letters,
		      out);
	if (old && out[0] == '.' && rec_byte(r, flags) & NEED_RESCHED_LAZY)
		out[0] = 'X';
}
