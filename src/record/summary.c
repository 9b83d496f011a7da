/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is said of a recording when it is over. */
#include "record/summary.h"

#include <stdlib.h>

#include "base/text.h"
#include "tracefs/state/setting_table.h"

void summary_totals(const struct sink *s, const struct captured *c, const char *path,
		    struct buf *out)
{
	struct sink_totals sum;

	sink_totals(s, &sum);
	buf_printf(out, "%s: %u CPU%s, ", path, sum.cpus, sum.cpus == 1 ? "" : "s");
	text_grouped(out, sum.events);
	buf_printf(out, " event%s, ", sum.events == 1 ? "" : "s");
	text_bytes(out, sum.bytes);
	buf_addstr(out, sum.lost_unknown ? ", at least " : ", ");
	text_grouped(out, sum.lost);
	buf_addstr(out, " lost");
	if (sum.overwritten) {
		buf_addstr(out, ", ");
		text_grouped(out, sum.overwritten);
		buf_addstr(out, " overwritten");
	}
	captured_latencies(c, out);
}

/* In a flight recorder of any size some may find no place: not for want of space. */
static void advise_on_lost(const struct recorded *r, struct buf *out)
{
	uint64_t kb = r->p->bufs[0].size_kb ? r->p->bufs[0].size_kb :
			strtoull(KNOB_SIZE_KB, NULL, 10);
	struct buf cpus = {0};

	load_describe_lost(r->load, !r->p->flight_kb, &cpus);
	buf_printf(out, "events were lost%s%s", cpus.len ? " on " : "",
		   cpus.len ? cpus.data : "");
	if (!r->p->flight_kb)
		buf_printf(out, ": try a larger buffer, -b %lluM",
			   (unsigned long long)(kb / 256 > 4 ? kb / 256 : 4));
	buf_release(&cpus);
}

bool summary_write(const struct recorded *r, struct record_result *res)
{
	struct buf *out = &res->summary;
	struct sink_totals sum;

	sink_totals(r->sink, &sum);
	summary_totals(r->sink, r->captured, r->name, out);
	buf_printf(out, ", %.2fs", res->ns / 1e9);
	if (r->kept_ns)
		buf_printf(out, " of which the last %.2fs are kept", r->kept_ns / 1e9);
	setup_matched(r->up, out);
	if (!sum.lost && !sum.lost_unknown && !r->lost)
		return false;
	advise_on_lost(r, &res->advice);
	return true;
}

bool summary_is_empty(const struct recorded *r)
{
	struct sink_totals written;
	struct buf latencies = {0};
	struct load_sum came;
	bool measured = captured_latencies(r->captured, &latencies);

	buf_release(&latencies);
	load_sum(r->load, NULL, &came);
	sink_totals(r->sink, &written);
	return !came.events && !written.events && !measured;
}

bool summary_lacks_calls(const struct recorded *r)
{
	struct sink_totals sum;

	if (!plan_function_tracer(r->p) || r->calls || r->lost)
		return false;
	sink_totals(r->sink, &sum);
	return !sum.calls && !sum.unread && !sum.lost && !sum.lost_unknown && !sum.overwritten;
}

bool summary_left_out(struct recorder *const *recs, size_t n, struct buf *out)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += recorder_left_out(recs[i]);
	if (!sum)
		return false;
	buf_addstr(out, "the last ");
	text_bytes(out, sum);
	buf_addstr(out, " are not in the file: --max-size was reached");
	return true;
}

void record_result_release(struct record_result *res)
{
	buf_release(&res->summary);
	buf_release(&res->advice);
}
