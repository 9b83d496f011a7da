/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens a trace file, and makes views of it for other threads. Converts times of the ring buffer's
 * clock to the times that are shown.
 */
#include "trace/trace_priv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/mem.h"
#include "event/data/usermaps.h"

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

static void read_guest(struct trace *t)
{
	const struct dat_option *o = dat_option(t->dat, DAT_TIME_SHIFT);
	bool ok = true;

	t->guest = o ? guest_times_read(o, t->dat->big, &ok) : NULL;
	if (!ok)
		bad_option(t, o);
}

/*
 * Reads "TRACE REALTIME MONOTONIC" of ftr's recorder as the nanoseconds from a scaled raw time to
 * the time of day. Returns false if the file lacks @key.
 */
static bool read_moment(const struct trace *t, const char *key, int64_t *offset)
{
	const char *name = t->dat->nr_buffers ? t->dat->buffers[0].name : "", *value;
	char text[64] = "", *end;
	uint64_t raw;
	size_t len;

	value = dat_ftr_value_of(t->dat, key, name, &len);
	if (!value || len >= sizeof(text))
		return false;
	memcpy(text, value, len);
	raw = strtoull(text, &end, 10);
	if (*end != ' ')
		return false;
	*offset = (int64_t)(strtoull(end + 1, &end, 10) - trace_scaled(t, raw));
	return *end == ' ';
}

/* The moment is noted at the start of a recording, or at its end if it failed at the start. */
static void read_wall(struct trace *t)
{
	t->has_wall = t->clock_is_ns && (read_moment(t, "wall_begin", &t->wall_ns) ||
					 read_moment(t, "wall_end", &t->wall_ns));
}

/* The kernel's text has the trace clock in microseconds. */
#define MOMENT_ERROR_NS 500

bool trace_time_error(const struct trace *t, uint64_t *ns)
{
	int64_t begin, end;

	if (!t->has_wall || !read_moment(t, "wall_begin", &begin) ||
	    !read_moment(t, "wall_end", &end))
		return false;
	*ns = (begin < end ? (uint64_t)end - (uint64_t)begin : (uint64_t)begin - (uint64_t)end) +
	      MOMENT_ERROR_NS;
	return true;
}

void trace_time_init(struct trace *t)
{
	/* the clocks that the kernel's trace_clocks table marks as not counting nanoseconds */
	static const char *const plain[] = { "counter", "uptime", "x86-tsc", "ppc-tb" };
	const char *clock = t->dat->nr_buffers ? t->dat->buffers[0].clock : NULL, *text;
	const struct dat_option *o = dat_option(t->dat, DAT_DATE);
	bool counts_ns = true;
	size_t len, n, i;
	int64_t offset;
	uint64_t *v;

	/* DATE is in microseconds, OFFSET in nanoseconds; a reader adds both */
	if (o && option_number(t, o, &offset) && !__builtin_mul_overflow(offset, 1000, &offset))
		t->ts_add_ns = offset;
	t->date_only_ns = t->ts_add_ns;
	o = dat_option(t->dat, DAT_OFFSET);
	if (o && option_number(t, o, &offset))
		t->ts_add_ns = (int64_t)((uint64_t)t->ts_add_ns + (uint64_t)offset);
	t->date_ns = t->ts_add_ns;
	read_tsc(t);
	read_guest(t);
	for (i = 0; clock && i < sizeof(plain) / sizeof(*plain); i++)
		counts_ns = counts_ns && strcmp(clock, plain[i]);
	t->clock_is_ns = t->tsc_mult || counts_ns;
	read_wall(t);
	/* times of symbols are of the first buffer's clock */
	text = dat_ftr_value(t->dat, "symbol_times", &len);
	v = ev_syms_times(t->meta.syms, text, len, &n);
	for (i = 0; i < n; i++)
		v[i] = trace_scaled(t, v[i]);
	t->meta.ts_add_ns = &t->ts_add_ns;
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

/*
 * Reads the offsets of the common fields from a format of @system. All events start with the same
 * fields, but kernels have moved them. Returns false if no format has both.
 */
static bool find_common_fields(struct trace *t, const char *system)
{
	const struct ev_field *type = NULL, *pid = NULL;
	struct ev_format *v;
	size_t i, n = event_meta_formats(&t->meta, system, &v);

	for (i = 0; i < n && !(type && pid); i++) {
		type = ev_field(&v[i], "common_type");
		pid = ev_field(&v[i], "common_pid");
	}
	if (type && type->size == 2)
		t->type_off = type->offset;
	if (pid && pid->size == 4)
		t->pid_off = pid->offset;
	return type && pid;
}

/* Parses "Linux HOST 6.12.117+deb12-amd64 x86_64". Returns 0 if the version is not known. */
static uint32_t kernel_version(const struct dat *d, bool *rt)
{
	const struct dat_option *o = dat_option(d, DAT_UNAME);
	unsigned int major, minor;
	char text[256] = "", release[128];

	if (!o)
		return 0;
	memcpy(text, o->data.p, o->data.len < sizeof(text) - 1 ? o->data.len : sizeof(text) - 1);
	if (sscanf(text, "%*s %*s %127s", release) != 1)
		return 0;
	*rt = strstr(release, "-rt") != NULL;
	if (sscanf(release, "%u.%u", &major, &minor) != 2 || major > 999 || minor > 9999)
		return 0;
	return KERNEL_VERSION_OF(major, minor);
}

/* Returns true if ftr's own line @key has this value. */
static bool has_value(const struct dat *d, const char *key, const char *value)
{
	size_t len;
	const char *text = dat_ftr_value(d, key, &len);

	return text && len == strlen(value) && !memcmp(text, value, len);
}

static void trace_fill_file_meta(struct trace *t)
{
	const struct dat *d = t->dat;
	struct event_meta *w = &t->meta;

	w->loader = &t->shared->loader;
	w->big = d->big;
	w->long_size = d->nr_buffers ? d->buffers[0].layout.commit_size : d->long_size;
	w->page_size = d->page_size;
	w->header_page = d->header_page.p;
	w->header_page_len = d->header_page.len;
	w->kernel = kernel_version(d, &w->rt);
	w->dynamic = dat_ftr_value(d, "dynamic_events", &w->dynamic_len);
	w->values = dat_ftr_value(d, "kernel_values", &w->values_len);
	w->syms = ev_syms_new_lazy(w->loader);
	w->rt |= has_value(d, "preempt_rt", "1");
	w->no_flags = has_value(d, "flags", "unknown");
	if (has_value(d, "kallsyms_order", "address"))
		ev_syms_sorted(w->syms);
}

/* Reads the address maps, without which addresses of user stacks are of no use. */
static void fill_maps(struct trace *t)
{
	const struct dat *d = t->dat;
	struct ev_maps *m = NULL;
	size_t i;

	for (i = 0; i < d->nr_options; i++) {
		if (d->options[i].id != DAT_PROCMAPS)
			continue;
		if (!m)
			m = ev_maps_new();
		if (!ev_maps_add(m, d->options[i].data.p, d->options[i].data.len))
			damage_note(&t->shared->damages, "too many address ranges", d->path,
				    d->options[i].data.off, -1, "more than %d", LIMIT_RANGES);
	}
	t->shared->maps = m;
	t->meta.maps = m;
}

void trace_caches_init(struct trace *t)
{
	t->by_type = xcalloc(TRACE_TYPES, sizeof(*t->by_type));
	t->comm_cache = xcalloc(TRACE_COMM_SLOTS, sizeof(*t->comm_cache));
}

struct trace *trace_open(const char *path, struct ftr_error *err)
{
	return trace_open_dat(dat_open(path, err), err);
}

struct trace *trace_open_dat(struct dat *d, struct ftr_error *err)
{
	struct trace *t;

	if (!d)
		return NULL;
	t = xcalloc(1, sizeof(*t));
	t->dat = d;
	t->shared = trace_shared_new(t->dat);
	trace_caches_init(t);
	trace_fill_file_meta(t);
	fill_maps(t);
	t->type_off = 0;
	t->pid_off = 4;
	if (!find_common_fields(t, "ftrace"))
		find_common_fields(t, NULL);
	trace_time_init(t);
	t->engine = ev_engine_new(&t->meta, NULL, err);
	if (t->engine)
		return t;
	trace_close(t);
	return NULL;
}

void trace_text_times(struct trace *t)
{
	size_t i;

	for (i = 0; i < t->dat->nr_buffers; i++)
		t->dat->buffers[i].layout.text_times = true;
}

bool trace_lacks_contexts(const struct trace *t)
{
	return t->meta.no_flags && !has_value(t->dat, "contexts", "inferred");
}

struct trace *trace_view(struct trace *t)
{
	struct trace *v = xcalloc(1, sizeof(*v));

	*v = *t;
	v->is_view = true;
	v->damages = v->all_damages = (struct damage_list){0};
	trace_caches_init(v);
	v->engine = ev_engine_share(t->engine);
	if (v->engine)
		return v;
	trace_close(v);
	return NULL;
}

struct trace **trace_views(struct trace *const *traces, size_t n)
{
	struct trace **views = xcalloc(n + 1, sizeof(*views));
	size_t i;

	for (i = 0; i < n; i++) {
		views[i] = trace_view(traces[i]);
		if (!views[i]) {
			trace_views_close(views, i);
			return NULL;
		}
	}
	return views;
}

void trace_views_close(struct trace **views, size_t n)
{
	while (views && n)
		trace_close(views[--n]);
	free(views);
}

void trace_views_forget_damages(struct trace *const *views, size_t n)
{
	for (size_t i = 0; i < n; i++)
		damages_release(&views[i]->damages);
}

static void note_excess(struct trace *t, size_t n, size_t max, uint16_t section,
			const char *kind)
{
	if (n)
		damage_note(&t->all_damages, kind, t->dat->path, dat_text(t->dat, section)->off, -1,
			    "%zu more than %zu", n, max);
}

const struct damage_list *trace_damages(struct trace *t)
{
	struct dat *d = t->dat;
	struct ev_format *v;
	const char *why;
	bool all;
	size_t i, n;

	damages_release(&t->all_damages);
	dat_settle(d);
	trace_nr_comms(t);
	damages_merge(&t->all_damages, &d->damages);
	/* formats without a valid checksum may be broken although no record needs them */
	all = !dat_has_sums(d);
	for (i = 0; i < d->damages.n; i++)
		all |= strstr(d->damages.v[i].kind, "checksum") != NULL;
	n = event_meta_formats(&t->meta, NULL, &v);
	for (i = 0; i < n; i++) {
		why = all ? ev_format_ready(&v[i]) : v[i].text.why;
		if (why)
			damage_note(&t->all_damages, TRACE_BAD_FORMAT, d->path,
				    t->shared->format_offs[i], -1, "%s", why);
	}
	note_excess(t, ev_syms_left_out(t->meta.syms), LIMIT_SYMBOLS, DAT_KALLSYMS,
		    "too many symbols");
	note_excess(t, ev_printk_left_out(t->engine), LIMIT_PRINTK, DAT_PRINTK,
		    "too many trace_printk formats");
	damages_merge(&t->all_damages, &t->shared->damages);
	damages_merge(&t->all_damages, &t->damages);
	return &t->all_damages;
}

int trace_set_engine(struct trace *t, const char *name, struct ftr_error *err)
{
	struct ev_engine *e = ev_engine_new(&t->meta, name, err);

	if (!e)
		return -1;
	ev_engine_free(t->engine);
	t->engine = e;
	return 0;
}

void trace_close(struct trace *t)
{
	if (!t)
		return;
	ev_engine_free(t->engine);
	free(t->by_type);
	free(t->comm_cache);
	damages_release(&t->damages);
	damages_release(&t->all_damages);
	if (!t->is_view) {
		ev_syms_free(t->meta.syms);
		trace_shared_free(t->shared);
		guest_times_free(t->guest);
		dat_close(t->dat);
	}
	free(t);
}
