/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr report: which time stamps the records get. */
#include "base/text.h"
#include "cmd/report/report.h"

/* Behind an -i it is for that file, before all of them for the others, as in trace-cmd. */
int report_ts_offset(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct report *r = ctx;
	int64_t ns;

	(void)o;
	if (text_number(arg, INT64_MIN, INT64_MAX, &ns))
		return err_set(err, FTR_USAGE, "--ts-offset takes nanoseconds, not '%s'", arg);
	if (!r->files.n) {
		r->ts_offset_ns = ns;
		return 0;
	}
	r->offsets = xgrow(r->offsets, &r->cap_offsets, r->nr_offsets + 1, sizeof(*r->offsets));
	r->offsets[r->nr_offsets++] = (struct report_offset){ r->files.n - 1, ns };
	return 0;
}

static int64_t file_offset_ns(const struct report *r, size_t file)
{
	int64_t ns = r->ts_offset_ns;

	for (size_t i = 0; i < r->nr_offsets; i++)
		if (r->offsets[i].file == file)
			ns = r->offsets[i].ns;
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
		cmd_warn("'%s' does not tell the time of day: --date changes nothing",
			 t->dat->path);
		return;
	}
	shift_trace(t, t->wall_ns);
	t->date_ns += t->wall_ns;
	t->date_only_ns = t->wall_ns;
}

static void align_traces(struct report *r)
{
	uint64_t first = UINT64_MAX, last = 0;
	size_t i;

	for (i = 0; i < r->nr_traces; i++)
		trace_bounds(r->traces[i], &first, &last);
	for (i = 0; first <= last && i < r->nr_traces; i++)
		shift_trace(r->traces[i], -first);
}

void report_times(struct report *r)
{
	for (size_t i = 0; i < r->nr_traces; i++) {
		if (r->raw_ts) {
			set_raw_time(r->traces[i]);
			continue;
		}
		if (r->date)
			add_date(r->traces[i]);
		if (r->nodate)
			no_date(r->traces[i]);
		shift_trace(r->traces[i], (uint64_t)file_offset_ns(r, i));
	}
	if (r->align_ts)
		align_traces(r);
}
