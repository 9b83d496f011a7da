/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Applies a plan to control files: each step is one function, the table has their order. */
#include "record/setup/plan_apply.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "tracefs/files/control.h"
#include "tracefs/files/tfs.h"
#include "tracefs/session/sysctl.h"
#include "tracefs/state/setting_table.h"
#include "tracefs/verbs/pid_lists.h"
#include "tracefs/verbs/triggers.h"

/*
 * The number of entries of saved_cmdlines that holds every task of a usual run: the kernel's map
 * has a slot for 32768 pids.
 */
#define CMDLINES_ENOUGH 32768

/* The arguments of the steps. */
struct plan_apply_args {
	struct session *s;
	const struct tfs *t;
	const struct rec_plan *p;
	const struct rec_place *at;	/* the place that is set up */
	struct rec_selection *sel;	/* its events */
	pid_t child;			/* pid of the command, for -F */
	struct rec_applied *done;
};

static int apply_set(struct plan_apply_args *a, const char *file, const char *value,
		     struct ftr_error *err)
{
	return session_set(a->s, a->at->instance, file, value, err);
}

static int session_set_number(struct session *s, const char *instance, const char *file,
			      uint64_t value, struct ftr_error *err)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	return session_set(s, instance, file, text, err);
}

char *apply_clock(const struct tfs *t, const struct rec_buffer *b)
{
	struct strv names = {0};
	char *now = NULL;

	if (b->clock)
		return xstrdup(b->clock);
	tfs_clocks(t, NULL, &names, &now, NULL);
	strv_release(&names);
	return now ? now : xstrdup("");
}

static int step_off(struct plan_apply_args *a, struct ftr_error *err)
{
	const struct strv none = {0};

	if (a->p->purpose == PLAN_SET)
		return 0;
	if (apply_set(a, "tracing_on", "0", err))
		return -1;
	/* the session puts the events and the tracer of others back */
	if (a->at->take_over &&
	    (session_set_list(a->s, a->at->instance, "set_event", &none, err) ||
	     apply_set(a, "current_tracer", "nop", err)))
		return -1;
	if (a->at->discard && clear_buffer(a->t, a->at->instance, -1, err))
		return -1;
	/*
	 * Records from here on are ours, and are removed with the setup, including those that a
	 * killed recording has not read.
	 */
	return a->at->fresh ? 0 : session_empty(a->s, a->at->instance, err);
}

/*
 * The kernel chooses the top level's clock: "global" if the TSC turned out unstable at boot. New
 * instances start with "local" even then, but all buffers of a file are merged by time.
 */
static int step_clock(struct plan_apply_args *a, struct ftr_error *err)
{
	const char *wanted = a->at->buf->clock;
	char *top = NULL;
	int ret = 0;

	if (!wanted && a->at->fresh)
		wanted = top = apply_clock(a->t, a->at->buf);
	if (wanted && *wanted)
		ret = apply_set(a, "trace_clock", wanted, err);
	free(top);
	return ret;
}

/*
 * Returns true if the buffer has its size of boot. Before 6.12, the use of an instance leaves the
 * top level with these few KiB, and it no longer expands by itself.
 */
static bool apply_is_unexpanded(const struct plan_apply_args *a)
{
	char *line = tfs_line(a->t, a->at->instance, "buffer_size_kb");
	uint64_t bytes;
	bool small = !text_size(line, 1024, &bytes) && bytes <= 16 << 10;

	free(line);
	return small;
}

/*
 * Gives the top level, if it is recorded as it is, the size that its first use would give it. Since
 * 7.2, tracing in an instance is no such use, and writing to trace_marker never is.
 */
static int apply_grow_top(struct plan_apply_args *a, struct ftr_error *err)
{
	char *line = tfs_line(a->t, NULL, "buffer_size_kb");
	char *size = control_of("buffer_size_kb")->canon(line);
	bool waits = strcmp(size, line);
	int ret = 0;

	if (waits || apply_is_unexpanded(a))
		ret = apply_set(a, "buffer_size_kb", waits ? size : SETTING_SIZE_KB, err);
	free(size);
	free(line);
	return ret;
}

static int step_subbuf(struct plan_apply_args *a, struct ftr_error *err)
{
	if (!a->at->buf->subbuf_kb)
		return 0;
	if (!tfs_exists(a->t, a->at->instance, "buffer_subbuf_size_kb"))
		return err_set(err, FTR_FAILED, "this kernel has sub-buffers of one page only (no "
			       "buffer_subbuf_size_kb), so --subbuf-size does not work");
	return session_set_number(a->s, a->at->instance, "buffer_subbuf_size_kb",
				  a->at->buf->subbuf_kb, err);
}

static int step_size(struct plan_apply_args *a, struct ftr_error *err)
{
	const struct rec_settings *settings = &a->at->buf->settings;
	bool waits, sizes_cpus = false;
	char *line;
	size_t i;

	if (a->at->buf->size_kb)
		return session_set_number(a->s, a->at->instance, "buffer_size_kb",
					  a->at->buf->size_kb, err);
	for (i = 0; i < settings->n; i++)
		sizes_cpus |= settings->v[i].setting->kind == KIND_CPU_SIZE;
	if (sizes_cpus) {
		/*
		 * A buffer that waits for its first use grows by itself, but not once one CPU's
		 * buffer has a size: the other CPUs would stay small.
		 */
		line = tfs_line(a->t, a->at->instance, "buffer_size_kb");
		waits = strstr(line, "expanded: ");
		free(line);
		if (waits || apply_is_unexpanded(a))
			return apply_set(a, "buffer_size_kb", SETTING_SIZE_KB, err);
	}
	if (!a->at->instance && plan_clears(a->p) && apply_is_unexpanded(a))
		return apply_set(a, "buffer_size_kb", SETTING_SIZE_KB, err);
	return 0;
}

static int setting_explain_missing(const struct rec_setting *r, struct ftr_error *err)
{
	static const struct {
		const char *begin, *config;
	} needs[] = {
		{ "osnoise/timerlat", "CONFIG_TIMERLAT_TRACER" },
		{ "osnoise/", "CONFIG_OSNOISE_TRACER" },
		{ "hwlat_detector/", "CONFIG_HWLAT_TRACER" },
	};
	size_t i;

	err_set(err, FTR_FAILED, "this kernel has no '%s', so --%s does not work", r->file,
		r->setting->option);
	for (i = 0; i < sizeof(needs) / sizeof(*needs); i++)
		if (!strncmp(r->file, needs[i].begin, strlen(needs[i].begin)))
			return err_hint(err, "it needs %s", needs[i].config);
	return -1;
}

/* Adds a hint if the kernel refused a setting because of another one. */
static void setting_hint_bound(const struct tfs *t, const struct rec_setting *r,
			       struct ftr_error *err)
{
	static const char *const pairs[][2] = {
		{ "osnoise/period_us", "osnoise/runtime_us" },
		{ "hwlat_detector/window", "hwlat_detector/width" },
	};
	size_t i;
	char *line;
	int is;

	for (i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		is = !strcmp(r->file, pairs[i][1]);
		if (!is && strcmp(r->file, pairs[i][0]))
			continue;
		line = tfs_line(t, NULL, pairs[i][!is]);
		err_hint(err, "'%s' is %s: '%s' must not be more than '%s'", pairs[i][!is], line,
			 pairs[i][1], pairs[i][0]);
		free(line);
	}
}

static int setting_apply(struct session *s, const char *instance, const struct rec_setting *r,
			 struct ftr_error *err)
{
	bool sysctl = *r->file == '/';
	char *name;
	int ret;

	if (sysctl) {
		name = setting_sysctl_name(r->setting);
		ret = session_sysctl(s, name, r->value, err);
		free(name);
		return ret;
	}
	if (!tfs_exists(session_tfs(s), instance, r->file))
		return setting_explain_missing(r, err);
	ret = session_set(s, instance, r->file, r->value, err);
	if (ret && err && err->sys == EINVAL)
		setting_hint_bound(session_tfs(s), r, err);
	return ret;
}

/*
 * Writes the settings. If one is refused, it is tried again after the others, as some limit each
 * other. Returns 0, or -1 with the first one that is still refused.
 */
static int settings_apply(struct session *s, const char *instance,
			  const struct rec_settings *list, struct ftr_error *err)
{
	bool *done = xcalloc(list->n + 1, sizeof(*done));
	size_t i, failed = list->n + 1, before;
	struct ftr_error first, later;

	do {
		before = failed;
		failed = 0;
		for (i = 0; i < list->n; i++) {
			if (done[i])
				continue;
			done[i] = !setting_apply(s, instance, &list->v[i],
						 failed ? &later : &first);
			failed += !done[i];
		}
	} while (failed && failed < before);
	if (failed && err)
		*err = first;
	free(done);
	return failed ? -1 : 0;
}

static int step_settings(struct plan_apply_args *a, struct ftr_error *err)
{
	return settings_apply(a->s, a->at->instance, &a->at->buf->settings, err);
}

/* Returns true if settings of others in this buffer must be removed. */
static bool apply_needs_clearing(const struct plan_apply_args *a)
{
	return !a->at->fresh && plan_clears(a->p);
}

static int step_cpumask(struct plan_apply_args *a, struct ftr_error *err)
{
	char *full, *now;
	int ret = 0;

	if (a->at->buf->cpumask)
		return apply_set(a, "tracing_cpumask", a->at->buf->cpumask, err);
	if (!apply_needs_clearing(a))
		return 0;
	full = setting_boot_cpumask(a->t, a->at->instance);
	now = tfs_line(a->t, a->at->instance, "tracing_cpumask");
	if (full && strcmp(now + strspn(now, "0,"), full))
		ret = apply_set(a, "tracing_cpumask", full, err);
	free(now);
	free(full);
	return ret;
}

static int apply_set_pids(struct plan_apply_args *a, const char *file, const char *fork_option,
			  const struct strv *pids, struct ftr_error *err)
{
	char *line;
	bool set_already;

	if (!tfs_exists(a->t, a->at->instance, file))
		return 0;
	line = tfs_line(a->t, a->at->instance, file);
	/* an empty line may be a list whose tasks have all ended, which no event passes */
	set_already = strcmp(line, "no pid");
	free(line);
	if (!pids->n)
		return set_already && apply_needs_clearing(a) ?
			session_set_list(a->s, a->at->instance, file, pids, err) : 0;
	if (session_option(a->s, a->at->instance, fork_option, a->p->children, err))
		return -1;
	return session_set_list(a->s, a->at->instance, file, pids, err);
}

/* Removes tasks that others have hidden; our threads are added to these lists later. */
static int apply_clear_hidden(struct plan_apply_args *a, struct ftr_error *err)
{
	static const enum pid_list lists[] = { PIDS_EVENT_NOTRACE, PIDS_FUNCTION_NOTRACE };
	struct pids_change none = { .instance = a->at->instance, .how = PIDS_SET };
	struct strv pids = {0};
	bool any = false;
	size_t i;

	for (i = 0; i < sizeof(lists) / sizeof(*lists) && apply_needs_clearing(a); i++) {
		pids_read(a->t, a->at->instance, lists[i], &pids, NULL);
		none.lists[lists[i]] = pids.n;
		any |= pids.n;
		strv_release(&pids);
	}
	return any ? pids_change(a->s, &none, err) : 0;
}

static int step_pids(struct plan_apply_args *a, struct ftr_error *err)
{
	struct strv pids = {0};
	size_t i;
	int ret;

	if (a->p->only_command)
		strv_take(&pids, xasprintf("%d", (int)a->child));
	for (i = 0; i < a->p->pids.n; i++) {
		if (kill(atoi(a->p->pids.v[i]), 0) && errno == ESRCH)
			a->p->warn("there is no process %s now", a->p->pids.v[i]);
		strv_add(&pids, a->p->pids.v[i]);
	}
	ret = apply_set_pids(a, "set_event_pid", "event-fork", &pids, err);
	if (!ret && tfs_opens(a->t, a->at->instance, "set_ftrace_pid"))
		ret = apply_set_pids(a, "set_ftrace_pid", "function-fork", &pids, err);
	if (!ret)
		ret = apply_clear_hidden(a, err);
	strv_release(&pids);
	return ret;
}

static int step_functions(struct plan_apply_args *a, struct ftr_error *err)
{
	return functions_filter(a->s, a->p, a->at, a->done, err);
}

static int apply_set_event_file(struct plan_apply_args *a, const struct rec_chosen *c,
				const char *name, const char *value, struct ftr_error *err)
{
	struct buf file = {0};
	int ret;

	buf_printf(&file, "events/%s/%s", c->path, name);
	ret = apply_set(a, file.data, value, err);
	buf_release(&file);
	return ret;
}

/*
 * Writes the filter of an -e to its events. As in the kernel for a whole system, it must fit at
 * least one of them.
 */
static int apply_set_filter(struct plan_apply_args *a, const struct rec_event *e,
			    struct ftr_error *err)
{
	struct ftr_error first = {0}, *next = &first;
	size_t i, n = 0, refused = 0;

	for (i = 0; i < a->sel->n; i++) {
		const struct rec_chosen *c = &a->sel->v[i];

		if (c->by != e)
			continue;
		n++;
		if (apply_set_event_file(a, c, "filter", e->filter, next)) {
			refused++;
			next = NULL;
		}
	}
	if (n && refused == n) {
		if (err)
			*err = first;
		return -1;
	}
	if (refused)
		a->p->notice("filter '%s' does not fit %zu of the %zu events of '%s'; these are "
			     "recorded without it", e->filter, refused, n, e->pattern);
	return 0;
}

static int step_filters(struct plan_apply_args *a, struct ftr_error *err)
{
	const struct rec_buffer *b = a->at->buf;
	char *file, *line;
	size_t i;
	int ret = 0;

	/* a filter that somebody left on an event that we enable would hide records */
	for (i = 0; i < a->sel->n && apply_needs_clearing(a) && !ret; i++) {
		const struct rec_chosen *c = &a->sel->v[i];

		if (!c->on || c->by->filter)
			continue;
		file = xasprintf("events/%s/filter", c->path);
		line = tfs_line(a->t, a->at->instance, file);
		if (*line && strcmp(line, "none"))
			ret = apply_set(a, file, "0", err);
		free(line);
		free(file);
	}
	if (ret)
		return -1;
	for (i = 0; i < b->nr_events; i++)
		if (b->events[i].filter && apply_set_filter(a, &b->events[i], err))
			return -1;
	return 0;
}

static int step_triggers(struct plan_apply_args *a, struct ftr_error *err)
{
	size_t i, j;

	for (i = 0; i < a->sel->n; i++) {
		const struct rec_chosen *c = &a->sel->v[i];

		for (j = 0; j < c->by->triggers.n; j++) {
			if (!session_trigger(a->s, a->at->instance, c->path,
					     c->by->triggers.v[j], err))
				continue;
			triggers_explain(a->s, a->at->instance, c->path, c->by->triggers.v[j], err);
			return -1;
		}
	}
	return 0;
}

static size_t event_system_len(const char *path)
{
	return strcspn(path, "/:");
}

static bool event_same_system(const char *a, const char *b)
{
	size_t len = event_system_len(a);

	return len == event_system_len(b) && !strncmp(a, b, len);
}

/*
 * Enables the system of the events from @from to @to by one write instead of hundreds, if all of
 * its events are wanted.
 */
static void apply_enable_system(struct plan_apply_args *a, const struct strv *all, size_t from,
				size_t to)
{
	struct buf file = {0};
	size_t i, total = 0, on = 0;
	char *line;

	for (i = 0; i < all->n; i++)
		total += event_same_system(all->v[i], a->sel->v[from].path);
	for (i = from; i < to; i++)
		on += a->sel->v[i].on;
	if (on < total || on < to - from || on < 2)
		return;
	buf_printf(&file, "events/%.*s/enable", (int)event_system_len(a->sel->v[from].path),
		   a->sel->v[from].path);
	line = tfs_line(a->t, a->at->instance, file.data);
	if (!strcmp(line, "0") && !apply_set(a, file.data, "1", NULL))
		for (i = from; i < to; i++)
			a->sel->v[i].done = true;
	free(line);
	buf_release(&file);
}

static void apply_enable_systems(struct plan_apply_args *a)
{
	struct strv all = {0};
	size_t from, to;

	if (!tfs_events(a->t, &all, NULL)) {
		for (from = 0; from < a->sel->n; from = to) {
			for (to = from + 1; to < a->sel->n; to++)
				if (!event_same_system(a->sel->v[from].path, a->sel->v[to].path))
					break;
			apply_enable_system(a, &all, from, to);
		}
	}
	strv_release(&all);
}

static int step_events(struct plan_apply_args *a, struct ftr_error *err)
{
	struct ftr_error first = {0};
	size_t i, refused = 0;

	apply_enable_systems(a);
	for (i = 0; i < a->sel->n; i++) {
		const struct rec_chosen *c = &a->sel->v[i];

		if (c->done || (!c->on && a->at->fresh))
			continue;
		if (!apply_set_event_file(a, c, "enable", c->on ? "1" : "0",
					  refused ? NULL : &first))
			continue;
		/* some events need a device or a right that is missing */
		if (strcmp(c->by->pattern, "all") && !a->p->ignore_missing) {
			if (err)
				*err = first;
			return -1;
		}
		refused++;
	}
	if (refused)
		a->p->notice("%zu events could not be enabled: %s", refused, first.msg);
	return 0;
}

static int step_module_events(struct plan_apply_args *a, struct ftr_error *err)
{
	const struct strv *words = &a->sel->of_modules;

	if (!words->n || !session_append(a->s, a->at->instance, "set_event", words, err))
		return 0;
	if (err->sys == EINVAL && words->n == 1) {
		err_set(err, FTR_FAILED, "no event matches '%s'", words->v[0]);
		err_hint(err, "the module is loaded, and has no such event");
	}
	return -1;
}

static int step_tracer(struct plan_apply_args *a, struct ftr_error *err)
{
	return a->at->buf->tracer ? apply_set(a, "current_tracer", a->at->buf->tracer, err) : 0;
}

/*
 * Writes a trace option. An option that only the top level has acts on all buffers: it is set
 * there, under the lock.
 */
static int apply_set_trace_option(struct plan_apply_args *a, const struct strv *here,
				  const struct strv *top, const char *option, struct ftr_error *err)
{
	bool known = strv_has(here, option) || strv_has(top, option);
	bool on = known || strncmp(option, "no", 2);
	const char *name = on ? option : option + 2, *near;
	bool no = !strncmp(option, "no", 2);

	if (strv_has(here, name))
		return session_option(a->s, a->at->instance, name, on, err);
	if (strv_has(top, name))
		return session_lock_global(a->s, err) ? -1 :
		       session_option(a->s, NULL, name, on, err);
	if (a->p->ignore_missing) {
		a->p->notice("unknown trace option '%s', going on without", option);
		return 0;
	}
	near = text_closest(option + (no ? 2 : 0), top->v);
	err_set(err, FTR_FAILED, "unknown trace option '%s'", option);
	if (near)
		return err_hint(err, "did you mean '%s%s'?", no ? "no" : "", near);
	return err_hint(err, "trace_options lists them; a tracer's own are there with -p TRACER");
}

/*
 * Writes the trace options. Call it after the tracer is set: its options exist in an instance from
 * then on.
 */
static int step_options(struct plan_apply_args *a, struct ftr_error *err)
{
	const struct strv *options = &a->at->buf->options;
	struct strv here = {0}, top = {0};
	size_t i;
	int ret = 0;

	if (!options->n)
		return 0;
	ret = tfs_options(a->t, a->at->instance, &here, err) || tfs_options(a->t, NULL, &top, err);
	for (i = 0; i < options->n && !ret; i++)
		ret = apply_set_trace_option(a, &here, &top, options->v[i], err);
	strv_release(&here);
	strv_release(&top);
	return ret ? -1 : 0;
}

/*
 * The order of the steps: trace_clock empties the buffer, and its size is cheapest to change while
 * it is empty; filters are set before the events and functions; the tracer is set late, as it
 * patches the functions that the filters left.
 */
static int (*const steps[])(struct plan_apply_args *a, struct ftr_error *err) = {
	step_off, step_clock, step_subbuf, step_size, step_settings, step_cpumask, step_pids,
	step_functions, step_filters, step_triggers, step_events, step_module_events, step_tracer,
	step_options,
};

/*
 * The kernel writes a marker to one buffer after the other, and ends at the first that refuses it,
 * as tracing is off there: trace.c, tracing_mark_write(). So a buffer has copies only while it is
 * on; the top level's markers would be lost.
 */
int apply_tracing_on(struct session *s, const struct rec_places *pl, bool on,
		     struct ftr_error *err)
{
	const struct rec_place *at;
	size_t i;
	int ret = 0;

	for (i = 0; i < pl->n; i++) {
		at = &pl->v[i];
		if (!at->buf)
			continue;
		if (on && session_set(s, at->instance, "tracing_on", "1", ret ? NULL : err))
			ret = -1;
		if (at->copies_markers && session_option(s, at->instance, "copy_trace_marker", on,
							 ret ? NULL : err))
			ret = -1;
		if (!on && session_set(s, at->instance, "tracing_on", "0", ret ? NULL : err))
			ret = -1;
	}
	return ret;
}

/*
 * Returns true if a buffer has data. A change of saved_cmdlines_size empties saved_cmdlines, which
 * has the names of its tasks.
 */
static bool tfs_any_data(const struct tfs *t)
{
	struct strv names = {0};
	bool has = tfs_has_data(t, NULL);
	size_t i;

	if (!has && !tfs_instances(t, &names, NULL))
		for (i = 0; i < names.n && !has; i++)
			has = tfs_has_data(t, names.v[i]);
	strv_release(&names);
	return has;
}

/* Makes room for all comms. They are wanted but not requested, so failures are no errors. */
static void apply_enlarge_comms(struct session *s)
{
	const struct tfs *t = session_tfs(s);
	char *size = tfs_line(t, NULL, "saved_cmdlines_size");
	char *on = tfs_line(t, NULL, "options/record-cmd");
	int64_t now = 0;
	bool small = !text_number(size, 0, INT64_MAX, &now) && now < CMDLINES_ENOUGH;

	if ((small || !strcmp(on, "0")) && !session_lock_global(s, NULL)) {
		if (small && !tfs_any_data(t))
			session_set_number(s, NULL, "saved_cmdlines_size", CMDLINES_ENOUGH, NULL);
		session_option(s, NULL, "record-cmd", true, NULL);
	}
	free(size);
	free(on);
}

static bool plan_has_graph_tracer(const struct rec_plan *p)
{
	size_t i;

	for (i = 0; i < p->nr_bufs; i++)
		if (p->bufs[i].tracer && !strcmp(p->bufs[i].tracer, "function_graph"))
			return true;
	return false;
}

/*
 * Makes the settings that exist once for the kernel: -g, --max-graph-depth, --cmdlines-size, and
 * enough room for comms if that disturbs nobody.
 */
static int apply_global(struct session *s, const struct rec_plan *p, const struct rec_places *pl,
			struct rec_applied *done, struct ftr_error *err)
{
	uint64_t depth = p->max_graph_depth > 0 ? p->max_graph_depth : 0;

	if (p->cmdlines_size) {
		if (session_set_number(s, NULL, "saved_cmdlines_size", p->cmdlines_size, err))
			return -1;
	} else if (p->purpose == PLAN_RECORD && pl->v[0].buf == &p->bufs[0]) {
		/* a recording of instances alone sets nothing for others */
		apply_enlarge_comms(s);
	}
	if (p->ftrace_off && session_sysctl(s, "kernel.ftrace_enabled", "0", err))
		return -1;
	if (plan_has_graph_tracer(p) && pl->locked && plan_clears(p) &&
	    tfs_exists(session_tfs(s), NULL, "tracing_thresh") &&
	    session_set_number(s, NULL, "tracing_thresh", 0, err))
		return -1;
	if (settings_apply(s, NULL, &p->settings, err))
		return -1;
	if (!pl->locked || (plan_clears(p) && !plan_has_graph_tracer(p)))
		return 0;
	if (!plan_clears(p) && p->max_graph_depth < 0)
		return functions_graph(s, p, done, err);
	if (session_set_number(s, NULL, "max_graph_depth", depth, err))
		return -1;
	return functions_graph(s, p, done, err);
}

/* Checks that the kernel has @tracer. Returns -1 with a list and a did-you-mean hint if not. */
static int check_tracer(const struct tfs *t, const char *tracer, struct ftr_error *err)
{
	struct strv names = {0};
	struct buf list = {0};
	const char *near;
	size_t i;
	int ret = tfs_tracers(t, NULL, &names, err);

	if (!ret && !strv_has(&names, tracer)) {
		for (i = 0; i < names.n; i++)
			buf_printf(&list, " %s", names.v[i]);
		near = text_closest(tracer, names.v);
		err_set(err, FTR_FAILED, "this kernel has no tracer '%s'; it has:%s", tracer,
			list.len ? list.data : " none");
		ret = near ? err_hint(err, "did you mean '%s'?", near) :
			     err_hint(err, "others need a kernel that was built with them");
	}
	strv_release(&names);
	buf_release(&list);
	return ret;
}

/* ---- the setup of a whole plan */

int setup_resolve(struct rec_setup *u, const struct rec_plan *p, const struct tfs *t,
		  struct ftr_error *err)
{
	size_t i;

	u->p = p;
	u->sel = xcalloc(p->nr_bufs, sizeof(*u->sel));
	for (i = 0; i < p->nr_bufs; i++) {
		const struct rec_buffer *b = &p->bufs[i];

		if (b->tracer && check_tracer(t, b->tracer, err))
			return -1;
		if (select_events(t, p, b, &u->sel[i], err))
			return -1;
	}
	return 0;
}

static struct rec_selection *place_selection(const struct rec_setup *u, const struct rec_place *at)
{
	return at->buf ? &u->sel[at->buf - u->p->bufs] : NULL;
}

int setup_apply(struct rec_setup *u, struct session *s, pid_t child, struct ftr_error *err)
{
	struct plan_apply_args a = { .s = s, .t = session_tfs(s), .p = u->p, .child = child,
			      .done = &u->applied };
	size_t i, k;

	if (apply_global(s, u->p, &u->places, &u->applied, err))
		return -1;
	for (i = 0; i < u->places.n; i++) {
		a.at = &u->places.v[i];
		a.sel = place_selection(u, a.at);
		/* the top level without settings is recorded as it is, but with its full size */
		if (!a.at->buf && apply_grow_top(&a, err))
			return -1;
		for (k = 0; a.at->buf && k < sizeof(steps) / sizeof(*steps); k++)
			if (steps[k](&a, err))
				return -1;
	}
	return 0;
}

void setup_matched(const struct rec_setup *u, struct buf *out)
{
	size_t i;

	for (i = 0; i < u->applied.n; i++) {
		const struct rec_matched *m = &u->applied.v[i];

		buf_printf(out, "%s -l '%s' matched ", i ? "," : ";", m->pattern);
		text_grouped(out, m->functions);
		buf_printf(out, " function%s%s", m->functions == 1 ? "" : "s",
			   m->pending ? " at the start" : "");
	}
}

static void describe_events(const struct rec_selection *sel, struct buf *out)
{
	size_t i, on = 0, off;

	for (i = 0; i < sel->n; i++)
		on += sel->v[i].on;
	off = sel->n - on;
	if (on == 1 && !off)
		for (i = 0; i < sel->n; i++)
			buf_printf(out, ", event %s", sel->v[i].path);
	else if (on)
		buf_printf(out, ", %zu events", on);
	if (off)
		buf_printf(out, ", %zu event%s off", off, off == 1 ? "" : "s");
	for (i = 0; i < sel->of_modules.n; i++)
		buf_printf(out, ", events %s", sel->of_modules.v[i]);
}

void setup_describe(const struct rec_setup *u, struct buf *out)
{
	const struct rec_place *at;
	struct buf what = {0};
	size_t i;

	for (i = 0; i < u->places.n; i++) {
		at = &u->places.v[i];
		buf_reset(&what);
		if (at->buf && at->buf->tracer)
			buf_printf(&what, ", tracer %s", at->buf->tracer);
		if (at->buf)
			describe_events(place_selection(u, at), &what);
		buf_addstr(out, i ? "; " : "");
		if (at->instance)
			buf_printf(out, "instance '%s'", at->instance);
		else
			buf_addstr(out, "the top level");
		if (what.len)
			buf_printf(out, ": %s", what.data + 2);
	}
	setup_matched(u, out);
	buf_release(&what);
}

void setup_release(struct rec_setup *u)
{
	size_t i;

	for (i = 0; u->sel && i < u->p->nr_bufs; i++)
		select_release(&u->sel[i]);
	free(u->sel);
	where_release(&u->places);
	free(u->applied.v);
	buf_release(&u->applied.functions);
	memset(u, 0, sizeof(*u));
}
