/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which time stamps the records of a selection get. */
#include "base/text.h"
#include "cmd/frame/command.h"
#include "cmd/frame/selection.h"

/* Behind an -i it is for that file, before all of them for the others, as in trace-cmd. */
int selection_set_ts_offset(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct selection *s = ctx;
	int64_t ns;

	(void)o;
	if (text_number(arg, INT64_MIN, INT64_MAX, &ns))
		return err_set(err, FTR_USAGE, "--ts-offset takes nanoseconds, not '%s'", arg);
	if (!s->files.n) {
		s->ts_offset_ns = ns;
		return 0;
	}
	s->offsets = xgrow(s->offsets, &s->cap_offsets, s->nr_offsets + 1, sizeof(*s->offsets));
	s->offsets[s->nr_offsets++] = (struct file_offset){ s->files.n - 1, ns };
	return 0;
}

static int64_t file_offset_ns(const struct selection *s, size_t file)
{
	int64_t ns = s->ts_offset_ns;

	for (size_t i = 0; i < s->nr_offsets; i++)
		if (s->offsets[i].file == file)
			ns = s->offsets[i].ns;
	return ns;
}

/* Time stamps may be anything: they wrap. */
static void shift_trace(struct trace *t, uint64_t by)
{
	t->ts_add_ns = (int64_t)((uint64_t)t->ts_add_ns + by);
}

static void set_raw_time(struct trace *t)
{
	t->ts_add_ns = t->date_ns = t->date_only_ns = 0;
	t->tsc_mult = t->tsc_shift = 0;
	t->clock_is_ns = false;
}

static void no_date(struct trace *t)
{
	shift_trace(t, -(uint64_t)t->date_only_ns);
	t->date_ns -= t->date_only_ns;
	t->date_only_ns = 0;
}

/* A recording with --date has it already. */
static void add_date(struct trace *t)
{
	if (t->date_only_ns)
		return;
	if (!t->has_wall) {
		cmd_warn("'%s' has no time of day, so --date changes nothing", t->dat->path);
		return;
	}
	shift_trace(t, t->wall_ns);
	t->date_ns += t->wall_ns;
	t->date_only_ns = t->wall_ns;
}

static void align_traces(struct selection *s)
{
	uint64_t first = UINT64_MAX, last = 0;
	size_t i;

	for (i = 0; i < s->nr_traces; i++)
		trace_bounds(s->traces[i], &first, &last);
	for (i = 0; first <= last && i < s->nr_traces; i++)
		shift_trace(s->traces[i], -first);
}

void selection_shift_times(struct selection *s)
{
	for (size_t i = 0; i < s->nr_traces; i++) {
		if (s->raw_ts) {
			set_raw_time(s->traces[i]);
			continue;
		}
		if (s->date)
			add_date(s->traces[i]);
		if (s->nodate)
			no_date(s->traces[i]);
		shift_trace(s->traces[i], (uint64_t)file_offset_ns(s, i));
	}
	if (s->align_ts)
		align_traces(s);
}
