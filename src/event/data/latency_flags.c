/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The latency flags: five in reports, up to seven columns in the kernel's text. */
#include "event/data/data.h"

#include <string.h>

#define KERNEL_WITH_LAZY KERNEL_VERSION_OF(6, 14)
#define KERNEL_WITH_BH_OFF KERNEL_VERSION_OF(5, 17)
/* common_preempt_count has two counters; from 5.15 on, and in RHEL 9, which is a 5.14 */
#define KERNEL_COUNTS_MIGRATION KERNEL_VERSION_OF(5, 14)
#define RT_COUNTS_MIGRATION KERNEL_VERSION_OF(5, 15)

/*
 * Bits of common_flags. 0x02 was IRQS_NOSUPPORT up to 6.13. x86 kernels do not set it, except in
 * records with all flags set (uprobe events, by mistake).
 */
enum {
	IRQS_OFF	  = 0x01,
	NEED_RESCHED_LAZY = EV_NEED_RESCHED_LAZY,
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
 * Returns the kernel's letter. libtraceevent knows "d" alone: it prints D and b (bottom halves off)
 * as d and ".", and 0x02 as X.
 */
static char irqs_letter(uint8_t flags)
{
	if (flags & IRQS_OFF)
		return flags & BH_OFF ? 'D' : 'd';
	return flags & BH_OFF ? 'b' : '.';
}

/* Letters by the bits NEED_RESCHED_LAZY, NEED_RESCHED and PREEMPT_RESCHED. */
static const char kernel_letters[8] = {
	'.', 'l', 'n', 'b', 'p', 'L', 'N', 'B',
};
/* Letters of kernels in which the first of these bits has another meaning. */
static const char old_letters[8] = {
	'.', '.', 'n', 'n', 'p', 'p', 'N', 'N',
};
/*
 * libtraceevent knows one letter for NEED_RESCHED, N, with or without PREEMPT_RESCHED, and people
 * compare reports. It lacks p, l, L, b and B.
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

/*
 * Returns the kernel's letter. libtraceevent has no letters for NMIs: it prints z and Z as "." and
 * h.
 */
static char context_letter(uint8_t flags)
{
	if (flags & NMI)
		return flags & HARDIRQ ? 'Z' : 'z';
	if (flags & HARDIRQ)
		return flags & SOFTIRQ ? 'H' : 'h';
	return flags & SOFTIRQ ? 's' : '.';
}

bool ev_latency_parse(const char letters[3], uint8_t *flags)
{
	/* each letter shows other bits */
	const char *resched = memchr(kernel_letters, letters[1], sizeof(kernel_letters));
	const unsigned int at = resched ? resched - kernel_letters : 0;

	*flags = (at & 1 ? NEED_RESCHED_LAZY : 0) | (at & 2 ? NEED_RESCHED : 0) |
		 (at & 4 ? PREEMPT_RESCHED : 0);
	*flags |= letters[0] == 'd' ? IRQS_OFF : letters[0] == 'b' ? BH_OFF :
		  letters[0] == 'D' ? IRQS_OFF | BH_OFF : 0;
	*flags |= letters[2] == 'Z' ? NMI | HARDIRQ : letters[2] == 'z' ? NMI :
		  letters[2] == 'H' ? HARDIRQ | SOFTIRQ : letters[2] == 'h' ? HARDIRQ :
		  letters[2] == 's' ? SOFTIRQ : 0;
	return resched && irqs_letter(*flags) == letters[0] && context_letter(*flags) == letters[2];
}

void ev_latency_letters(uint8_t flags, uint8_t count, char out[6])
{
	static const char depth[] = ".123456789abcdef";

	out[0] = irqs_letter(flags);
	out[1] = resched_letter(flags, report_letters);
	out[2] = context_letter(flags);
	out[3] = depth[count & 0xf];
	out[4] = depth[count >> 4];
	out[5] = 0;
}

void ev_latency_offsets(const struct ev_format *fmt, uint32_t *flags_off, uint32_t *count_off)
{
	*flags_off = common_offset(fmt, "common_flags", 2);
	*count_off = common_offset(fmt, "common_preempt_count", 3);
}

/*
 * PREEMPT_RT's patches ended with 6.12. Their NEED_RESCHED_LAZY was 0x80 until BH_OFF took that in
 * 5.17, and shared 0x20 from then on. RHEL 9 has the field of these patches in a kernel that does
 * not set the bit: only "-rt" does, and an unknown release counts as one.
 */
void ev_latency_of(const struct event_meta *w, const struct ev_format *fmt, struct ev_latency *at)
{
	uint32_t kernel = w ? w->kernel : 0;

	*at = (struct ev_latency){ .unknown = w && w->no_flags };
	ev_latency_offsets(fmt, &at->flags_off, &at->count_off);
	/* type, flags, preempt_count, pid: most kernels have no more */
	if (!fmt || ev_format_ready(fmt) || fmt->nr_fields < 5 || !fmt->fields[4].common)
		return;
	at->migrate_off = common_offset(fmt, "common_migrate_disable", 0);
	at->lazy_off = common_offset(fmt, "common_preempt_lazy_count", 0);
	if (!at->lazy_off)
		return;
	at->rt_bits = NEED_RESCHED_LAZY;
	if (at->migrate_off || (kernel >= RT_COUNTS_MIGRATION && kernel < KERNEL_WITH_BH_OFF))
		at->lazy_bit = BH_OFF;
	else if (!kernel || w->rt)
		at->lazy_bit = PREEMPT_RESCHED;
	at->rt_bits |= at->lazy_bit;
}

uint8_t ev_latency_join(const struct ev_latency *at, const struct ev_rec *r)
{
	uint8_t low = rec_byte(r, at->count_off), high = rec_byte(r, at->migrate_off);

	return (low < 0xf ? low : 0xf) | (high < 0xf ? high : 0xf) << 4;
}

void ev_print_latency(const struct event_meta *w, const struct ev_rec *r, char out[6])
{
	struct ev_latency at;

	ev_latency_of(w, r->fmt, &at);
	*out = 0;
	if (!at.unknown)
		ev_latency_letters(ev_latency_flags(&at, r), ev_latency_count(&at, r), out);
}

/* --- the kernel's columns */

static char *print_depth(char *p, uint8_t depth)
{
	static const char hex[] = "0123456789abcdef";

	if (depth > 0xf)
		*p++ = hex[depth >> 4];
	*p++ = depth ? hex[depth & 0xf] : '.';
	return p;
}

size_t ev_kernel_latency(const struct event_meta *w, const struct ev_rec *r,
			 char out[EV_LATENCY_ROOM])
{
	/* 0x02 is IRQS_NOSUPPORT */
	bool old = w->kernel && w->kernel < KERNEL_WITH_LAZY && !w->rt, joined;
	struct ev_latency at;
	char *p = out, irqs;
	uint8_t flags, count;

	ev_latency_of(w, r->fmt, &at);
	flags = ev_latency_flags(&at, r);
	old = old || at.lazy_off;
	irqs = irqs_letter(flags);
	if (old && irqs == '.' && rec_byte(r, at.flags_off) & NEED_RESCHED_LAZY)
		irqs = 'X';
	*p++ = irqs;
	*p++ = resched_letter(flags, old ? old_letters : kernel_letters);
	if (at.lazy_off)
		*p++ = flags & NEED_RESCHED_LAZY ? 'L' : '.';
	*p++ = context_letter(flags);
	/* preemption, lazy preemption, migration: one column for each that the kernel has */
	count = rec_byte(r, at.count_off);
	joined = !at.migrate_off && (at.lazy_off || !w->kernel ||
				     w->kernel >= KERNEL_COUNTS_MIGRATION);
	p = print_depth(p, joined ? count & 0xf : count);
	if (at.lazy_off)
		p = print_depth(p, rec_byte(r, at.lazy_off));
	if (joined)
		p = print_depth(p, count >> 4);
	else if (at.migrate_off)
		p = print_depth(p, rec_byte(r, at.migrate_off));
	*p = 0;
	return p - out;
}
