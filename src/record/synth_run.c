/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs a synthetic event or a histogram in a private instance. */
#include "record/synth_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/now.h"
#include "record/child_command.h"
#include "tracefs/verbs/triggers.h"

/* Reads a file without the lines of its head, which start with '#'. Returns 0, or -1 with @err. */
static int synth_read_lines(const struct tfs *t, const char *instance, const char *file,
			    struct buf *out, struct ftr_error *err)
{
	struct buf text = {0};
	const char *line, *next;
	int ret = tfs_read(t, instance, file, &text, err);

	buf_reserve(out, 1);
	for (line = ret ? NULL : text.data; line && *line; line = next) {
		next = line + strcspn(line, "\n");
		next += *next == '\n';
		if (*line != '#' && *line != '\n')
			buf_add(out, line, next - line);
	}
	buf_release(&text);
	return ret;
}

static uint64_t synth_lost_events(const struct tfs *t, const char *instance)
{
	struct tfs_stats st;
	uint64_t lost = 0;
	size_t i, n = 0;
	int *cpus = NULL;

	if (tfs_cpus(t, instance, &cpus, &n, NULL))
		return 0;
	for (i = 0; i < n; i++)
		if (!tfs_stats(t, instance, cpus[i], &st))
			lost += st.overrun + st.dropped;
	free(cpus);
	return lost;
}

static bool synth_plan_traces(const struct synth_plan *p)
{
	return p->name && (p->handler == SYNTH_MATCH || p->trace);
}

static int synth_set_up(struct session *s, const char *instance, const struct synth_plan *p,
			struct ftr_error *err)
{
	bool made;
	char *file;
	int ret;

	if (synth_define_plan(s, p, err) || session_instance(s, instance, &made, err))
		return -1;
	if (p->snapshot && !tfs_exists(session_tfs(s), instance, "snapshot") && errno == ENOENT) {
		err_set(err, FTR_FAILED, "this kernel has no 'snapshot' in instances");
		return err_hint(err, "it was built without CONFIG_TRACER_SNAPSHOT");
	}
	if (synth_attach(s, instance, p, err))
		return -1;
	/* a snapshot contains the buffer: it needs this event at least */
	if (!p->name || (!synth_plan_traces(p) && !p->snapshot))
		return 0;
	file = xasprintf("events/synthetic/%s/enable", p->name);
	ret = session_set(s, instance, file, "1", err);
	free(file);
	return ret;
}

static int synth_read_results(struct session *s, const char *instance, struct synth_run *r,
			      struct ftr_error *err)
{
	const struct synth_plan *p = r->plan;
	const struct tfs *t = session_tfs(s);
	int ret = session_set(s, instance, "tracing_on", "0", err);
	char *text;

	/* pause it if it counts alone: variables of other triggers hold joined histograms */
	if (!ret && !p->name) {
		text = synth_start_trigger(p);
		triggers_pause_hist(s, instance, p->start_event, text);
		free(text);
	}
	if (!ret && synth_plan_traces(p))
		ret = synth_read_lines(t, instance, "trace", &r->events, err);
	r->hist_event = !p->name ? p->start_event : p->save.n ? p->end_event : NULL;
	if (!ret && r->hist_event) {
		text = xasprintf("events/%s/hist", r->hist_event);
		ret = tfs_read(t, instance, text, &r->hist, err);
		free(text);
	}
	if (!ret && p->snapshot)
		ret = synth_read_lines(t, instance, "snapshot", &r->snapshot, err);
	r->lost = synth_lost_events(t, instance);
	return ret;
}

static int synth_run_command(struct synth_run *r, struct child_command *child,
			     struct ftr_error *err)
{
	enum child_event ev;
	int signo = 0;

	uint64_t begin_ns = now_ns();

	if (r->begun)
		r->begun();
	if (r->argv && child_release(child, err))
		return -1;
	ev = child_wait(child, r->duration_ns, 0, &r->status, &signo);
	r->ran_ns = now_ns() - begin_ns;
	if (ev == CHILD_STOP && r->argv)
		r->status = 128 + signo;
	/* the time is over, but the command still runs */
	if (ev == CHILD_TIMEOUT && r->argv)
		r->status = -1;
	return 0;
}

int synth_run(struct session *s, struct synth_run *r, struct ftr_error *err)
{
	char *instance = xasprintf("ftr-%d", (int)getpid());
	struct child_command child = {0};
	int ret, signo;

	ret = child_signals_init(err);
	if (!ret && r->argv)
		ret = child_fork(&child, r->argv, NULL, err);
	if (!ret)
		ret = synth_set_up(s, instance, r->plan, err);
	if (!ret)
		ret = synth_run_command(r, &child, err);
	if (!ret)
		ret = synth_read_results(s, instance, r, err);
	if (ret && r->argv)
		child_cancel(&child);
	else if (r->status < 0 && child_wait(&child, 0, 0, &r->status, &signo) == CHILD_STOP)
		r->status = 128 + signo;
	free(instance);
	return ret;
}

void synth_run_release(struct synth_run *r)
{
	buf_release(&r->events);
	buf_release(&r->hist);
	buf_release(&r->snapshot);
}
