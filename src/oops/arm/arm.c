/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets up a flight recording that is to survive a crash, and puts it back. */
#include "oops/arm/arm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "oops/arm/armed_boots.h"
#include "oops/arm/crash_preview.h"
#include "oops/arm/stop_at_oops.h"
#include "record/flight.h"
#include "tracefs/session/journal.h"
#include "tracefs/session/sysctl.h"

#define INSTANCE   "ftr-oops"
#define DUMP	   "kernel.ftrace_dump_on_oops"
#define COMMAND	   "oops arm"

enum {
	QUIET_KB = 1024,	/* size of a CPU's buffer */
	/* of one that is printed: a console of 115200 baud takes a minute for 6,000 lines */
	DUMP_KB = 64,
	LEAST_KB = 8,		/* the kernel rounds up to two sub-buffers */
	TEXT_TIMES = 4,		/* the dump's text is 3.4 times as long as its records */
};

/* What is recorded unless the user says what. */
static const struct {
	const char *event, *why;
} default_events[] = {
	{ "sched:sched_switch", "which task ran on each CPU, and why it stopped" },
	{ "sched:sched_waking", "who woke a task" },
	{ "sched:sched_wakeup_new", "the first wakeup of a new task" },
	{ "sched:sched_process_fork", "where a task comes from" },
	{ "sched:sched_process_exec", "which program it is" },
	{ "sched:sched_process_exit", "that it is gone" },
	{ "irq:irq_handler_entry", "a device was served" },
	{ "irq:irq_handler_exit", "until here" },
	{ "irq:softirq_entry", "network, timers, block: what interrupts left behind" },
	{ "irq:softirq_exit", "until here" },
	{ "workqueue:workqueue_execute_start", "which function a kworker ran" },
	{ "workqueue:workqueue_execute_end", "until here" },
	{ "block:block_rq_issue", "a request went to a disk" },
	{ "block:block_rq_complete", "and came back, or did not" },
	{ "module:module_load", "new code, often the culprit" },
	{ "module:module_free", "code that is gone, and may be called all the same" },
	{ "signal:signal_generate", "why a task died" },
};

/* --- whether it may be */

static bool is_top(const struct entry *e)
{
	return strncmp(e->path, "instances/", strlen("instances/")) != 0;
}

static bool is_ours(const struct entries *all, const struct entry *e)
{
	return e->by < all->commands.n && strstr(all->commands.v[e->by], COMMAND);
}

static bool stands(void)
{
	struct journal_owner owner;
	struct entries all;
	bool any = false;
	size_t i;

	if (session_standing(&owner, &all, NULL) <= 0)
		return false;
	for (i = 0; i < all.n && !any; i++)
		any = !all.v[i].kept && is_ours(&all, &all.v[i]);
	journal_owner_release(&owner);
	entries_release(&all);
	return any;
}

/* ftr reset puts it back as well, and writes no record of it. */
bool oops_is_armed(void)
{
	struct oops_boot now;
	bool armed = oops_boot_read_now(&now) && !now.ended;

	oops_boot_release(&now);
	return armed && stands();
}

int oops_arm_allowed(const struct oops_arm_plan *p, struct ftr_error *err)
{
	unsigned int n = oops_short_boots();

	if (oops_is_armed()) {
		err_set(err, FTR_FAILED, "this boot is armed already");
		return err_hint(err, "'ftr oops disarm' puts it back; 'ftr oops status' shows it");
	}
	if (n < OOPS_SHORT_BOOTS || p->again)
		return 0;
	err_set(err, FTR_FAILED, "not armed: the last %u armed boots lasted under ten minutes each "
		"and did not end in order", n);
	return err_hint(err, "if tracing is not the cause, --again arms all the same");
}

/* --- what is recorded, and where */

static bool says_what(const struct rec_buffer *b)
{
	return b->tracer || b->nr_events;
}

static void add_default_events(struct rec_plan *p)
{
	for (size_t i = 0; i < sizeof(default_events) / sizeof(*default_events); i++)
		plan_add_event(&p->bufs[0], default_events[i].event);
	/* a kernel without block devices has no such events */
	p->ignore_missing = true;
}

/*
 * mark_oom_victim() of mm/oom_kill.c. A trigger with a filter runs when the record is in the
 * buffer already; one without would lose it.
 */
static void add_oom_stop(struct rec_plan *p)
{
	struct rec_event *e = plan_add_event(&p->bufs[0], "oom:mark_victim");

	strv_add(&e->triggers, "traceoff if pid > 0");
}

/* The settings of the main buffer become those of an instance. */
static void move_main(struct rec_plan *p, const char *instance)
{
	struct rec_buffer *to = plan_add_buffer(p, instance), main_buf = p->bufs[0];
	char *name = to->name;

	*to = main_buf;
	to->name = name;
	p->bufs[0] = (struct rec_buffer){ .name = main_buf.name };
}

/*
 * A dump that is longer than three quarters of the kernel's log would push the text of the oops out
 * of it: pstore, kdump and a machine that lives on have that log only.
 */
static unsigned int dump_kb(const struct oops_armed *a)
{
	long cpus = a->dump == OOPS_DUMP_ALL ? sysconf(_SC_NPROCESSORS_ONLN) : 1;
	uint64_t kb = oops_log_bytes() / 4 * 3 / TEXT_TIMES / 1024 / (cpus > 0 ? cpus : 1);

	return kb < LEAST_KB ? LEAST_KB : kb > DUMP_KB ? DUMP_KB : kb;
}

static int choose_size(const struct oops_armed *a, struct rec_buffer *b, struct ftr_error *err)
{
	if (!a->boot_instance) {
		if (!b->size_kb)
			b->size_kb = a->dump == OOPS_DUMP_NO ? QUIET_KB : dump_kb(a);
		return 0;
	}
	if (!b->size_kb)
		return 0;
	err_set(err, FTR_USAGE, "-b cannot change the buffer of instance '%s': its size was set at "
		"boot", a->boot_instance);
	return err_hint(err, "reserve_mem= of the boot command line gives it");
}

/* Of an earlier boot, or of this one. */
static int check_boot_data(const struct oops_armed *a, const struct tfs *t, struct ftr_error *err)
{
	if (!a->boot_instance || a->p->plan.force || !tfs_has_data(t, a->boot_instance))
		return 0;
	err_set(err, FTR_FAILED, "the buffer of instance '%s' holds records, perhaps of the boot "
		"before", a->boot_instance);
	return err_hint(err, "'ftr oops collect' takes those of the boot before, 'ftr extract -B "
			"%s' any; --force discards them", a->boot_instance);
}

static int choose_what(struct oops_armed *a, struct ftr_error *err)
{
	struct rec_plan *p = &a->p->plan;

	if (choose_size(a, &p->bufs[0], err))
		return -1;
	if (!says_what(&p->bufs[0]))
		add_default_events(p);
	if (a->p->oom)
		add_oom_stop(p);
	if (!a->top)
		move_main(p, a->boot_instance ? a->boot_instance : INSTANCE);
	return plan_check(p, err);
}

/* --- sysctls */

/*
 * 6.1 takes numbers only, for the top level: it refuses the name of an instance, which shows that
 * the recording has to be there. Nothing dumps before there is tracing.
 */
static int set_dump(struct oops_armed *a, struct session *s, struct ftr_error *err)
{
	const char *name = a->boot_instance ? a->boot_instance : INSTANCE;
	bool all = a->dump == OOPS_DUMP_ALL;
	struct ftr_error first = {0};
	char *value;
	int ret;

	if (a->dump == OOPS_DUMP_NO)
		return 0;
	value = xasprintf("%s%s", name, all ? "" : "=orig_cpu");
	ret = session_sysctl(s, DUMP, value, &first);
	free(value);
	if (!ret)
		return 0;
	a->top = first.sys == EINVAL && !a->boot_instance;
	if (a->top)
		return session_sysctl(s, DUMP, all ? "1" : "2", err);
	*err = first;
	return -1;
}

static int set_asked(const struct oops_arm_plan *p, struct session *s, struct ftr_error *err)
{
	const struct {
		const char *sysctl, *value;
	} asked[] = {
		{ "kernel.panic_on_oops", p->panic_on_oops ? "1" : NULL },
		{ "kernel.panic", p->panic_timeout },
		{ "kernel.softlockup_panic", p->softlockup_panic ? "1" : NULL },
		{ "kernel.hung_task_panic", p->hung_task_panic ? "1" : NULL },
		{ "kernel.traceoff_on_warning", p->traceoff_on_warning ? "1" : NULL },
	};
	size_t i;

	for (i = 0; i < sizeof(asked) / sizeof(*asked); i++)
		if (asked[i].value && session_sysctl(s, asked[i].sysctl, asked[i].value, err))
			return -1;
	return 0;
}

/* --- all of it */

/*
 * A dump takes the records out of the buffer. Where the machine lives on, collect takes them, with
 * fields and symbols, from there.
 */
static void decide_dump(struct oops_armed *a)
{
	const struct oops_arm_plan *p = a->p;

	a->dump = p->dump;
	if (a->dump != OOPS_DUMP_CHOOSE)
		return;
	a->dump = OOPS_DUMP_NO;
	if (a->boot_instance || oops_kdump_loaded())
		return;
	a->lives_on = !oops_panics() && !p->panic_on_oops && !p->softlockup_panic &&
		      !p->hung_task_panic;
	if (!a->lives_on)
		a->dump = OOPS_DUMP_ALL;
}

static int set_up_places(struct oops_armed *a, struct session *s, struct ftr_error *err)
{
	const struct rec_plan *p = &a->p->plan;
	struct rec_setup *up = &a->up;

	if (setup_resolve(up, p, session_tfs(s), err) || where_choose(s, p, &up->places, err) ||
	    setup_apply(up, s, 0, err))
		return -1;
	oops_stops_add(s, &up->places, a->p->traceoff_on_warning);
	return flight_prepare(s, p, &up->places, err);
}

static int write_front(struct oops_armed *a, const struct tfs *t, struct ftr_error *err)
{
	a->front_path = oops_front_path(err);
	if (!a->front_path)
		return -1;
	a->front = oops_front_new(t, &a->up);
	return oops_front_write(a->front, a->front_path, err);
}

static int note_boot(const struct oops_armed *a, struct ftr_error *err)
{
	const struct rec_places *pl = &a->up.places;
	struct oops_boot now;
	size_t i;
	int ret = oops_boot_now(&now, err);

	for (i = 0; i < pl->n; i++)
		strv_add(&now.places, pl->v[i].instance ? pl->v[i].instance : "");
	if (!ret)
		ret = oops_boot_write(&now, err);
	oops_boot_release(&now);
	if (!ret)
		oops_boots_prune();
	return ret;
}

int oops_arm_set_up(struct oops_armed *a, struct session *s, struct oops_arm_plan *p,
		    struct ftr_error *err)
{
	const struct tfs *t = session_tfs(s);

	a->p = p;
	a->boot_instance = oops_boot_instance(t);
	decide_dump(a);
	if (check_boot_data(a, t, err) || set_dump(a, s, err) || choose_what(a, err) ||
	    set_up_places(a, s, err) || set_asked(p, s, err) || write_front(a, t, err) ||
	    note_boot(a, err))
		return -1;
	return apply_tracing_on(s, &a->up.places, true, err);
}

void oops_armed_release(struct oops_armed *a)
{
	oops_front_free(a->front);
	free(a->front_path);
	free(a->boot_instance);
	setup_release(&a->up);
	*a = (struct oops_armed){0};
}

/* --- and back */

/* The top level's changes that stand: *ours are by arming, *others are not. */
static void count_top(const struct entries *all, size_t *ours, size_t *others)
{
	const struct entry *e;

	*ours = *others = 0;
	for (e = all->v; e < all->v + all->n; e++)
		if (!e->kept && is_top(e) && e->type != ENTRY_FILE)
			++*(is_ours(all, e) ? ours : others);
}

/* Beside a recording of somebody else at the top level: that stays as it is. */
static int restore_sysctls(const struct entries *all, size_t *n, struct ftr_error *err)
{
	const struct entry *e;

	for (e = all->v + all->n; e-- > all->v;)
		if (e->type == ENTRY_SYSCTL && !e->kept && is_ours(all, e)) {
			if (sysctl_restore(e, err))
				return -1;
			++*n;
		}
	return 0;
}

static int reset_top(struct tfs *t, bool armed, size_t *n, struct strv *left,
		     struct ftr_error *err)
{
	struct journal_owner owner;
	struct entries all;
	size_t ours, others, back = 0;
	int ret = session_standing(&owner, &all, err);

	if (ret <= 0)
		return ret;
	count_top(&all, &ours, &others);
	ret = 0;
	if (armed || (ours && !others))
		ret = session_reset(t, NULL, &back, left, err);
	else if (ours)
		ret = restore_sysctls(&all, &back, err);
	*n += back;
	journal_owner_release(&owner);
	entries_release(&all);
	return ret;
}

static int reset_places(struct tfs *t, const struct oops_boot *b, size_t *n, struct strv *left,
			struct ftr_error *err)
{
	size_t i, back;
	int ret = 0;

	for (i = 0; i < b->places.n && !ret; i++) {
		if (!*b->places.v[i])
			continue;
		ret = session_reset(t, b->places.v[i], &back, left, err);
		*n += ret ? 0 : back;
	}
	return ret ? -1 : reset_top(t, strv_has(&b->places, ""), n, left, err);
}

int oops_disarm(struct tfs *t, size_t *n, struct strv *others, struct ftr_error *err)
{
	int lock = oops_folder_lock(), ret;
	struct oops_boot now;

	*n = 0;
	ret = oops_boot_read_now(&now) ? 0 : reset_top(t, false, n, others, err);
	if (!ret && now.places.n && !now.ended) {
		ret = reset_places(t, &now, n, others, err);
		now.ended = true;
		strv_release(&now.places);
		if (!ret)
			ret = oops_boot_write(&now, err);
	}
	oops_boot_release(&now);
	if (lock >= 0)
		close(lock);
	return ret;
}
