/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report of a recording: totals, lost events, the causes of missing events. */
#include "record/summary.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/text.h"
#include "tracefs/session/sysctl.h"
#include "tracefs/state/setting_table.h"
#include "tracefs/verbs/triggers.h"

#define KPROBES "/sys/kernel/debug/kprobes/enabled"

void summary_totals(const struct record_sink *s, const struct captured_meta *c, const char *path,
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

/*
 * Appends the CPUs that lost events and advice. In a flight recorder of any size some events may be
 * dropped, so a larger buffer is no help.
 */
static void summary_advise_on_lost(const struct summary_input *r, struct buf *out)
{
	uint64_t kb = r->p->bufs[0].size_kb ? r->p->bufs[0].size_kb :
			strtoull(SETTING_SIZE_KB, NULL, 10);
	struct buf cpus = {0};

	load_describe_lost(r->load, !r->p->flight_kb, &cpus);
	buf_printf(out, "events were lost%s%s", cpus.len ? " on " : "",
		   cpus.len ? cpus.data : "");
	if (!r->p->flight_kb)
		buf_printf(out, ": try a larger buffer, -b %lluM",
			   (unsigned long long)(kb / 256 > 4 ? kb / 256 : 4));
	buf_release(&cpus);
}

bool summary_write(const struct summary_input *r, struct record_result *res)
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
	summary_advise_on_lost(r, &res->advice);
	return true;
}

bool summary_is_empty(const struct summary_input *r)
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

bool summary_lacks_calls(const struct summary_input *r)
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

/* ---- the causes of missing events */

__attribute__((format(printf, 2, 3)))
static void add_cause(struct buf *out, const char *fmt, ...)
{
	va_list ap;

	if (out->len)
		buf_addstr(out, "; ");
	va_start(ap, fmt);
	buf_vprintf(out, fmt, ap);
	va_end(ap);
}

static bool line_is_0(char *line)
{
	bool is = line && !strcmp(line, "0");

	free(line);
	return is;
}

/*
 * Returns the traceoff trigger that fired, else one that exists, or NULL. *n gets the number of
 * triggers that may have fired.
 */
static const struct trigger *triggers_find_traceoff(const struct triggers *l, size_t *n)
{
	const struct trigger *at, *found = NULL;

	*n = 0;
	for (at = l->v; at < l->v + l->n; at++) {
		if (strcmp(at->command, "traceoff"))
			continue;
		++*n;
		if (!found || at->state == TRIGGER_SPENT)
			found = at;
	}
	if (found && found->state == TRIGGER_SPENT)
		*n = 1;
	return found;
}

static void silence_check_tracing(const struct tfs *t, const char *instance, struct buf *out)
{
	const struct trigger *by;
	struct triggers l = {0};
	struct buf where = {0};
	size_t n;

	if (!line_is_0(tfs_line(t, instance, "tracing_on")))
		return;
	if (instance)
		buf_printf(&where, " in instance '%s'", instance);
	triggers_of_events(t, instance, NULL, &l, NULL);
	triggers_of_functions(t, instance, NULL, &l, NULL);
	by = triggers_find_traceoff(&l, &n);
	if (n > 1)
		add_cause(out,
			  "tracing%s was turned off during the recording, by one of %zu traceoff "
			  "triggers", where.len ? where.data : "", n);
	else
		add_cause(out, "tracing%s was turned off during the recording, by %s%s%s",
			  where.len ? where.data : "",
			  !by ? "others" : by->function ? "the traceoff trigger of function '" :
						    "the traceoff trigger of event '",
			  by ? by->where : "", by ? "'" : "");
	triggers_release(&l);
	buf_release(&where);
}

/* Returns true if a line "p:GROUP/NAME place ..." of kprobe_events defines @event. */
static bool kprobes_define(const char *kprobes, const char *event)
{
	const char *at = kprobes;
	size_t n = strlen(event);

	while ((at = strstr(at, event))) {
		if (at > kprobes && at[-1] == ':' && (at[n] == ' ' || at[n] == '\n'))
			return true;
		at += n;
	}
	return false;
}

static bool setup_has_kprobes(const struct tfs *t, const struct rec_setup *up)
{
	struct buf kprobes = {0};
	bool has = false;
	size_t i, k;

	if (!tfs_read(t, NULL, "kprobe_events", &kprobes, NULL) && kprobes.len)
		for (i = 0; i < up->p->nr_bufs; i++)
			for (k = 0; k < up->sel[i].n && !has; k++)
				has = up->sel[i].v[k].on &&
				      kprobes_define(kprobes.data, up->sel[i].v[k].path);
	buf_release(&kprobes);
	return has;
}

void silence_look(const struct tfs *t, const struct rec_setup *up, bool stopped, struct buf *out)
{
	const struct rec_place *at;

	for (at = up->places.v; !stopped && at < up->places.v + up->places.n; at++)
		if (at->buf)
			silence_check_tracing(t, at->instance, out);
	if (plan_function_tracer(up->p) && line_is_0(sysctl_read("kernel.ftrace_enabled")))
		add_cause(out, "the function tracers are off (sysctl kernel.ftrace_enabled is 0)");
	if (line_is_0(io_line_at(AT_FDCWD, KPROBES)) && setup_has_kprobes(t, up))
		add_cause(out, "kprobes are off (" KPROBES " is 0)");
}

/* ---- tasks and functions that the plan leaves out */

bool silence_of_tasks(const struct rec_plan *p, bool had_children, struct buf *out)
{
	if (p->children || (!p->only_command && !p->pids.n))
		return false;
	if (!p->only_command)
		add_cause(out, "-P follows the tasks that it names alone, -c their children, too");
	else if (had_children)
		add_cause(out, "-F follows the command alone, which had children: -c follows them, "
			  "too");
	else
		add_cause(out, "-F follows the command alone, -c its children, too");
	return true;
}

/*
 * Returns true if -l matched functions and no other option excludes some: then none of them was
 * called.
 */
static bool setup_functions_matched(const struct rec_setup *up)
{
	const struct rec_plan *p = up->p;
	bool matched = false;
	size_t i;

	for (i = 0; i < up->applied.n; i++)
		matched |= up->applied.v[i].functions > 0;
	for (i = 0; i < p->nr_bufs; i++)
		matched &= !p->bufs[i].notrace.n;
	return matched && !p->graph_funcs.n && !p->nograph_funcs.n;
}

void silence_of_tracer(const struct rec_setup *up, bool had_children, bool off, struct buf *out)
{
	const struct rec_plan *p = up->p;
	bool children = p->only_command && !p->children && had_children, threshold = false;
	struct buf why = {0};
	size_t i;

	for (i = 0; i < p->settings.n; i++)
		threshold |= !strcmp(p->settings.v[i].file, "tracing_thresh");
	if (!off && threshold)
		add_cause(&why, "no traced call took as long as --time-filter");
	else if (!off && !children && setup_functions_matched(up))
		add_cause(&why, "nothing that is traced called a function that -l matched");
	if (!off)
		silence_of_tasks(p, had_children, &why);
	buf_printf(out, "the tracer '%s' recorded nothing%s%s", plan_function_tracer(p),
		   why.len ? ": " : "", why.len ? why.data : "");
	buf_release(&why);
}
