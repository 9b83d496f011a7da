/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Converts times of the ring buffer's clock to the times that are shown. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/mem.h"
#include "trace/trace_priv.h"

static void bad_option(struct trace *t, const struct dat_option *o)
{
	damage_note(&t->damages, "option that makes no sense", t->dat->path, o->data.off, -1, "%s",
		    dat_option_name(o->id));
}

/* Parses a number as text with an optional 0x, up to a NUL, a newline or the option's end. */
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

/*
 * Reads "TRACE REALTIME MONOTONIC" of ftr's recorder, which is noted at the start of a recording,
 * or at its end if it failed at the start.
 */
static void read_wall(struct trace *t)
{
	const char *name = t->dat->nr_buffers ? t->dat->buffers[0].name : "", *value = NULL;
	static const char *const keys[] = { "wall_begin", "wall_end" };
	char text[64] = "", *end;
	uint64_t raw;
	size_t i, len;

	for (i = 0; i < 2 && !value; i++)
		value = dat_ftr_value_of(t->dat, keys[i], name, &len);
	if (!value || len >= sizeof(text) || !t->clock_is_ns)
		return;
	memcpy(text, value, len);
	raw = strtoull(text, &end, 10);
	if (*end != ' ')
		return;
	t->wall_ns = (int64_t)(strtoull(end + 1, &end, 10) - trace_scaled(t, raw));
	t->has_wall = *end == ' ';
}

void trace_time_init(struct trace *t)
{
	/* the clocks that the kernel's trace_clocks table marks as not counting nanoseconds */
	static const char *const plain[] = { "counter", "uptime", "x86-tsc", "ppc-tb" };
	const char *clock = t->dat->nr_buffers ? t->dat->buffers[0].clock : NULL, *text;
	bool counts_ns = true;
	size_t len, n, i;
	uint64_t *v;

	read_offsets(t);
	read_tsc(t);
	for (i = 0; clock && i < sizeof(plain) / sizeof(*plain); i++)
		counts_ns = counts_ns && strcmp(clock, plain[i]);
	t->clock_is_ns = t->tsc_mult || counts_ns;
	read_wall(t);
	/* times of symbols are of the first buffer's clock */
	text = dat_ftr_value(t->dat, "symbol_times", &len);
	v = ev_syms_times(t->world.syms, text, len, &n);
	for (i = 0; i < n; i++)
		v[i] = trace_scaled(t, v[i]);
	t->world.ts_add_ns = &t->ts_add_ns;
}

void trace_add_time(struct buf *b, const struct trace *t, uint64_t ts, bool nanoseconds)
{
	if (!t->clock_is_ns) {
		buf_printf(b, "%" PRIu64, ts);
	} else if (nanoseconds) {
		buf_printf(b, "%" PRIu64 ".%09u", ts / 1000000000,
			   (unsigned int)(ts % 1000000000));
	} else {
		ts = ts / 1000 + (ts % 1000 >= 500);
		buf_printf(b, "%" PRIu64 ".%06u", ts / 1000000, (unsigned int)(ts % 1000000));
	}
}

bool trace_time_of_day(const struct trace *t, uint64_t ts, uint64_t *ns)
{
	int64_t add = t->has_wall ? t->wall_ns : t->date_ns;

	*ns = ts - (uint64_t)t->ts_add_ns + (uint64_t)add;
	return t->clock_is_ns && (t->has_wall || t->date_only_ns);
}
