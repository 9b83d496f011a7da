/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the ring buffer's clock to the time that is shown. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "trace/priv.h"

/*
 * The kernel's trace_clocks table marks these as not counting nanoseconds. An unknown clock is
 * taken for ns, as all others are.
 */
static bool clock_counts_ns(const char *clock)
{
	static const char *const plain[] = { "counter", "uptime", "x86-tsc", "ppc-tb" };
	size_t i;

	for (i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		if (!strcmp(clock, plain[i]))
			return false;
	return true;
}

static void bad_option(struct trace *t, const struct dat_option *o)
{
	damage_note(&t->damages, "option that makes no sense", t->dat->path, o->data.off, -1, "%s",
		    dat_option_name(o->id));
}

/* A number as text with an optional 0x, NUL or the option's end behind it. */
static bool option_number(struct trace *t, const struct dat_option *o, int64_t *v)
{
	char text[32] = "", *end;
	size_t len = strnlen(o->data.p, o->data.len);

	if (len < sizeof(text))
		memcpy(text, o->data.p, len);
	errno = 0;
	*v = strtoll(text, &end, 0);
	if (!errno && end != text && (!*end || *end == '\n'))
		return true;
	bad_option(t, o);
	return false;
}

static void read_offsets(struct trace *t)
{
	const struct dat_option *o = dat_option(t->dat, DAT_DATE);
	int64_t v;

	/* DATE is in microseconds, OFFSET in nanoseconds; a reader adds both */
	if (o && option_number(t, o, &v) && !__builtin_mul_overflow(v, 1000, &v))
		t->ts_add_ns = v;
	t->date_only_ns = t->ts_add_ns;
	o = dat_option(t->dat, DAT_OFFSET);
	if (o && option_number(t, o, &v))
		t->ts_add_ns = (int64_t)((uint64_t)t->ts_add_ns + (uint64_t)v);
	t->date_ns = t->ts_add_ns;
}

static void read_tsc(struct trace *t)
{
	const struct dat_option *o = dat_option(t->dat, DAT_TSC2NSEC);
	struct cursor c;

	if (!o)
		return;
	c = cur_init(o->data.p, o->data.len, t->dat->big);
	t->tsc_mult = cur_u32(&c);
	t->tsc_shift = cur_u32(&c);
	if (!c.bad && t->tsc_mult && t->tsc_shift < 64)
		return;
	bad_option(t, o);
	t->tsc_mult = t->tsc_shift = 0;
}

void trace_time_init(struct trace *t)
{
	const char *clock = t->dat->nr_buffers ? t->dat->buffers[0].clock : "";

	read_offsets(t);
	read_tsc(t);
	t->clock_is_ns = t->tsc_mult || clock_counts_ns(clock ? clock : "");
}
