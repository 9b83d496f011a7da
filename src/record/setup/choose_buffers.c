/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chooses the buffers of a recording so that nobody else's tracing is disturbed. */
#include "record/setup/choose_buffers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracefs/state/buffer_idle.h"
#include "tracefs/state/last_boot.h"
#include "tracefs/verbs/snapshot_buffer.h"
#include "tracefs/verbs/triggers.h"

#define HOLDS "the buffer holds "	/* a reason of tfs_idle(), if only data is in the way */

/* Sets @err: the top level is in use because of @why, with a hint how to use it. Returns -1. */
static int places_refuse_top(const char *why, bool data, struct ftr_error *err)
{
	struct strv dead = {0};
	bool killed = !session_dead_journals(&dead, NULL) && dead.n;

	strv_release(&dead);
	err_set(err, FTR_FAILED, "the top level is in use: %s", why);
	if (killed)
		return err_hint(err, "a run was killed and left this: 'ftr reset --recover' undoes "
				"its changes");
	if (!strncmp(why, HOLDS, strlen(HOLDS)))
		return err_hint(err, "'ftr extract' saves the data; 'ftr clear' discards it, as "
				"--force does; -B NAME takes an instance");
	return err_hint(err, data ? "'ftr set' changes a running setup, 'ftr reset' ends one; "
			"-B NAME takes an instance; --force discards the data" :
			"'ftr set' changes a running setup, 'ftr reset' ends one; -B NAME takes "
			"an instance; --force sets it aside until ftr reset");
}

static struct rec_place *places_add(struct rec_places *pl, const struct rec_buffer *buf,
				    const char *instance)
{
	struct rec_place *at;

	pl->v = xgrow(pl->v, &pl->cap, pl->n + 1, sizeof(*pl->v));
	at = &pl->v[pl->n++];
	memset(at, 0, sizeof(*at));
	at->buf = buf;
	at->instance = instance ? xstrdup(instance) : NULL;
	return at;
}

static int places_lock(struct session *s, struct rec_places *pl, struct ftr_error *err)
{
	if (!pl->locked && session_lock_global(s, err))
		return -1;
	pl->locked = true;
	return 0;
}

static bool instance_has_tracer(const struct tfs *t, const char *instance, const char *tracer)
{
	struct strv names = {0};
	bool has = !tfs_tracers(t, instance, &names, NULL) && strv_has(&names, tracer);

	strv_release(&names);
	return has;
}

/*
 * Returns true if the tracer works at the top level only: function_graph before 6.12; blk,
 * mmiotrace and branch always.
 */
static bool tracer_is_top_only(const struct tfs *t, const char *instance, const char *tracer)
{
	return tracer && instance_has_tracer(t, NULL, tracer) &&
	       !instance_has_tracer(t, instance, tracer);
}

static int places_take_over_top(struct session *s, const struct rec_plan *p, struct rec_places *pl,
				const char *why, struct ftr_error *err)
{
	const struct rec_buffer *main_buf = &p->bufs[0];
	bool data = tfs_has_data(session_tfs(s), NULL);
	struct rec_place *at;

	if (places_lock(s, pl, err))
		return -1;
	if (!p->force) {
		err_set(err, FTR_FAILED, "tracer '%s' works at the top level only on this kernel, "
			"and that is in use: %s", main_buf->tracer, why);
		return err_hint(err, data ?
				"--force sets it aside and puts it back, but discards the data" :
				"--force sets it aside and puts it back afterwards");
	}
	p->notice("taking over the top level: %s", why);
	at = places_add(pl, main_buf, NULL);
	at->take_over = true;
	at->discard = data;
	return 0;
}

/*
 * Returns words for the records of an earlier boot in the buffer, or NULL if it has none. *sure:
 * they are certainly from an earlier boot.
 */
static const char *describe_earlier_boot(const struct tfs *t, const char *instance, bool *sure)
{
	if (!last_boot_holds(t, instance, sure))
		return NULL;
	return *sure ? "of the boot before this one" : "perhaps of the boot before this one";
}

static int places_discard_data(const struct rec_plan *p, const struct tfs *t, const char *instance,
			       struct ftr_error *err)
{
	bool sure;
	const char *left = describe_earlier_boot(t, instance, &sure);

	if (left && p->force)
		p->warn("the buffer of instance '%s' holds records, %s: they are discarded; 'ftr "
			"oops collect' would have saved them", instance, left);
	if (p->force)
		return 0;
	if (left) {
		err_set(err, FTR_FAILED, "the buffer of instance '%s' holds records, %s", instance,
			left);
		return err_hint(err, "'ftr oops collect' saves them; --force discards them");
	}
	err_set(err, FTR_FAILED, "the buffer of instance '%s' holds data", instance);
	return err_hint(err, "--force discards it");
}

static int places_add_named(struct session *s, const struct rec_plan *p,
			    const struct rec_buffer *buf, struct rec_places *pl,
			    struct ftr_error *err)
{
	const struct tfs *t = session_tfs(s);
	struct rec_place *at;
	const char *left;
	bool made, sure;

	if (session_instance(s, buf->name, &made, err))
		return -1;
	if (tracer_is_top_only(t, buf->name, buf->tracer)) {
		err_set(err, FTR_FAILED, "tracer '%s' does not work in an instance ('%s') on this "
			"kernel", buf->tracer, buf->name);
		return err_hint(err, "give -p %s before the first -B", buf->tracer);
	}
	at = places_add(pl, buf, buf->name);
	at->fresh = made;
	at->discard = !made && plan_clears(p) && tfs_has_data(t, buf->name);
	if (at->discard)
		return places_discard_data(p, t, buf->name, err);
	/* since 7.2 the kernel empties such a buffer as soon as something is traced there */
	left = made ? NULL : describe_earlier_boot(t, buf->name, &sure);
	if (left && sure && p->purpose != PLAN_SET)
		p->warn("the buffer of instance '%s' holds records, %s: the kernel discards them "
			"now; 'ftr oops collect' would have saved them", buf->name, left);
	return 0;
}

/*
 * Sends trace_printk to @instance, which kernels can do since 6.12, if it goes to the top level: it
 * goes there by default, not on purpose, and again when our instance is removed.
 */
static bool places_redirect_printk(struct session *s, struct rec_places *pl, const char *instance)
{
	const char *file = "options/trace_printk_dest";
	char *line;
	bool on;

	if (!tfs_exists(session_tfs(s), instance, file))
		return false;
	line = tfs_line(session_tfs(s), NULL, file);
	on = !strcmp(line, "1");
	free(line);
	return on && !places_lock(s, pl, NULL) &&
	       !session_option(s, instance, "trace_printk_dest", true, NULL);
}

/*
 * Returns true, with the lock held, if the top level's buffer has no data, no reader, and no other
 * recording, which would hold the lock: data that we read would be missing in its file.
 */
static bool places_top_is_unused(struct session *s, struct rec_places *pl)
{
	struct strv readers = {0};
	bool busy;

	tfs_readers(session_tfs(s), NULL, 1, &readers);
	busy = readers.n || tfs_has_data(session_tfs(s), NULL);
	strv_release(&readers);
	return !busy && !places_lock(s, pl, NULL);
}

/*
 * Gets trace_marker and trace_printk, which write to the top level, into a recording of @instance;
 * if that is not possible, records the top level's buffer as well, unless it is somebody else's.
 */
static void places_record_markers(struct session *s, const struct rec_plan *p,
				  struct rec_places *pl, const char *instance)
{
	/* since 7.2 an instance can have a copy of markers; apply_tracing_on() asks for it */
	bool markers = tfs_exists(session_tfs(s), instance, "options/copy_trace_marker"), printk;
	const char *missed;
	size_t i;

	for (i = 0; i < pl->n && markers; i++)
		if (pl->v[i].instance && !strcmp(pl->v[i].instance, instance))
			pl->v[i].copies_markers = true;
	printk = places_redirect_printk(s, pl, instance);
	if (markers && printk)
		return;
	missed = markers ? "trace_printk" : printk ? "trace_marker" :
		 "trace_marker and trace_printk";
	if (places_top_is_unused(s, pl)) {
		places_add(pl, NULL, NULL);
		p->notice("the top level's buffer is recorded as well, for %s", missed);
		return;
	}
	p->notice("%s of the top level will be missing: its buffer belongs to somebody else",
		  missed);
}

/*
 * Returns true if the main buffer is recorded. If the plan has settings for instances alone,
 * nothing is set at the top level, as by trace-cmd.
 */
static bool plan_has_main(const struct rec_plan *p)
{
	return p->nr_bufs == 1 || plan_buffer_used(&p->bufs[0]);
}

/*
 * Chooses the place of the main buffer: the top level if it is idle, else a private instance. Then
 * *why is the reason, which the caller frees.
 */
static int places_choose_main(struct session *s, const struct rec_plan *p, struct rec_places *pl,
			      char **why, struct ftr_error *err)
{
	struct ftr_error busy = {0};
	char name[32];
	bool made;

	if (!plan_has_main(p)) {
		/*
		 * markers of all tasks are written there, so skip it if only some tasks are traced
		 */
		if (!p->only_command && !p->pids.n && places_top_is_unused(s, pl))
			places_add(pl, NULL, NULL);
		return 0;
	}
	/* another recording may start between this check and our first change: the lock decides */
	if (tfs_idle(session_tfs(s), NULL, why)) {
		if (!places_lock(s, pl, &busy)) {
			places_add(pl, &p->bufs[0], NULL);
			return 0;
		}
		*why = xstrdup(busy.msg);
	}
	snprintf(name, sizeof(name), "ftr-%d", getpid());
	if (session_instance(s, name, &made, err))
		return -1;
	if (tracer_is_top_only(session_tfs(s), name, p->bufs[0].tracer))
		return places_take_over_top(s, p, pl, *why, err);
	places_add(pl, &p->bufs[0], name)->fresh = true;
	p->notice("recording in the instance '%s': the top level is in use (%s)", name, *why);
	return 0;
}

/*
 * Chooses the top level for the main buffer: in any case with -K and for ftr set, otherwise only if
 * it is free.
 */
static int places_choose_top(struct session *s, const struct rec_plan *p, struct rec_places *pl,
			     struct ftr_error *err)
{
	bool data = tfs_has_data(session_tfs(s), NULL);
	struct rec_place *at;
	char *why = NULL;
	int ret = 0;

	if (!plan_has_main(p))
		return 0;
	if (places_lock(s, pl, err))
		return -1;
	at = places_add(pl, &p->bufs[0], NULL);
	if (plan_clears(p) && !tfs_idle_but_ours(session_tfs(s), NULL, &why)) {
		at->take_over = p->force;
		at->discard = data;
		ret = p->force ? 0 : places_refuse_top(why, data, err);
	}
	free(why);
	return ret;
}

static bool buffer_has_clock_trigger(const struct rec_buffer *b)
{
	size_t i, j;

	for (i = 0; i < b->nr_events; i++)
		for (j = 0; j < b->events[i].triggers.n; j++)
			if (trigger_sets_clock(b->events[i].triggers.v[j]))
				return true;
	return false;
}

/* Returns the option that makes the kernel empty the buffer and its snapshot, or NULL. */
static const char *places_emptying_option(const struct tfs *t, const struct rec_place *at)
{
	const struct rec_buffer *b = at->buf;
	struct strv names = {0};
	bool clock = false;
	char *now = NULL;

	if (b->clock && !tfs_clocks(t, at->instance, &names, &now, NULL) && now)
		clock = strcmp(now, b->clock);
	strv_release(&names);
	free(now);
	if (clock)
		return "-C";
	if (buffer_has_clock_trigger(b))
		return "-R";
	return b->subbuf_kb && tfs_subbuf_size(t, at->instance) != b->subbuf_kb * 1024 ?
	       "--subbuf-size" : NULL;
}

/*
 * Checks that options do not discard data that --force does not give up. Returns 0, or -1 with
 * @err.
 */
static int places_check_held(struct session *s, const struct rec_plan *p,
			     const struct rec_place *at, struct ftr_error *err)
{
	const struct tfs *t = session_tfs(s);
	const char *option, *held;

	if (!at->buf || at->fresh || at->discard)
		return 0;
	option = places_emptying_option(t, at);
	held = option ? snapshot_what_is_held(t, at->instance) : NULL;
	if (!held)
		return 0;
	if (!p->force)
		return snapshot_refuse_emptying(option, held, at->instance, err);
	if (at->instance)
		p->notice("%s empties the %s of instance '%s'", option, held, at->instance);
	else
		p->notice("%s empties the %s of the top level", option, held);
	return 0;
}

int where_choose(struct session *s, const struct rec_plan *p, struct rec_places *pl,
		 struct ftr_error *err)
{
	bool as_it_is = p->purpose != PLAN_RECORD || p->no_reset;
	bool global = p->ftrace_off || p->graph_funcs.n || p->max_graph_depth >= 0 ||
		      p->cmdlines_size || p->nograph_funcs.n || p->settings.n;
	char *why = NULL;
	size_t i;
	int ret = -1;

	memset(pl, 0, sizeof(*pl));
	if (global && places_lock(s, pl, err))
		goto out;
	if (as_it_is ? places_choose_top(s, p, pl, err) : places_choose_main(s, p, pl, &why, err))
		goto out;
	for (i = 1; i < p->nr_bufs; i++)
		if (places_add_named(s, p, &p->bufs[i], pl, err))
			goto out;
	for (i = 0; i < pl->n; i++)
		if (places_check_held(s, p, &pl->v[i], err))
			goto out;
	/* if the main buffer is not the top level */
	if (why && !(pl->n && pl->v[0].buf && !pl->v[0].instance))
		places_record_markers(s, p, pl, pl->v[0].instance);
	ret = 0;
out:
	free(why);
	return ret;
}

/*
 * If a latency is longer than all before, these tracers swap the buffer that is read with that of
 * the longest latency: data that we read would go back in time, and be missing in the kernel's
 * text.
 */
void where_find_swaps(struct rec_places *pl, const struct tfs *t,
		      void (*notice)(const char *fmt, ...) __attribute__((format(printf, 1, 2))))
{
	struct rec_place *at;
	char *tracer;

	for (at = pl->v; at < pl->v + pl->n; at++) {
		at->swaps = snapshot_is_tracers(t, at->instance);
		if (!at->swaps || !notice)
			continue;
		tracer = tfs_line(t, at->instance, "current_tracer");
		notice("tracer '%s' keeps the longest latency only: the kernel's text of it is "
		       "recorded", tracer);
		free(tracer);
	}
}

void where_release(struct rec_places *pl)
{
	size_t i;

	for (i = 0; i < pl->n; i++)
		free(pl->v[i].instance);
	free(pl->v);
	memset(pl, 0, sizeof(*pl));
}
