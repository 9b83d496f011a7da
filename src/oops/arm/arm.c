/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arms a flight recording that survives a crash, with a skeleton of its file, and disarms it. */
#include "oops/arm/arm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dir_file.h"
#include "base/io.h"
#include "oops/arm/armed_boots.h"
#include "oops/arm/crash_preview.h"
#include "record/capture/capture.h"
#include "record/cpu/recorder.h"
#include "record/file/outfile.h"
#include "record/flight.h"
#include "record/sink/sink.h"
#include "tracefs/session/journal.h"
#include "tracefs/session/sysctl.h"
#include "tracefs/verbs/triggers.h"

#define INSTANCE   "ftr-oops"
#define DUMP	   "kernel.ftrace_dump_on_oops"
#define COMMAND	   "oops arm"

#define OOPS_FUNCTION	 "oops_enter"
#define WARNING_FUNCTION "__warn"
#define STOP		 "traceoff"

enum {
	QUIET_KB = 1024,	/* size of a CPU's buffer */
	/* if it is printed: a console of 115200 baud needs a minute for 6,000 lines */
	DUMP_KB = 64,
	LEAST_KB = 8,		/* the kernel rounds up to two sub-buffers */
	TEXT_TIMES = 4,		/* the text of a dump is 3.4 times as long as its records */
};

/* The events to record by default. */
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
	{ "irq:softirq_entry", "network, timers, block: work that interrupts deferred" },
	{ "irq:softirq_exit", "until here" },
	{ "workqueue:workqueue_execute_start", "which function a kworker ran" },
	{ "workqueue:workqueue_execute_end", "until here" },
	{ "block:block_rq_issue", "a request went to a disk" },
	{ "block:block_rq_complete", "and came back, or did not" },
	{ "module:module_load", "new code, often the culprit" },
	{ "module:module_free", "code that is gone, and may be called all the same" },
	{ "signal:signal_generate", "why a task died" },
};

/* --- the state */

static bool is_ours(const struct journal_entries *all, const struct journal_entry *e)
{
	return e->by < all->commands.n && strstr(all->commands.v[e->by], COMMAND);
}

bool oops_is_armed(void)
{
	struct journal_owner owner;
	struct oops_boot now;
	struct journal_entries all;
	bool armed = oops_boot_read_now(&now) && !now.ended, any = false;
	size_t i;

	oops_boot_release(&now);
	/* if ftr reset restored the settings, the record of the boot has not changed */
	if (!armed || session_standing(&owner, &all, NULL) <= 0)
		return false;
	for (i = 0; i < all.n && !any; i++)
		any = !all.v[i].kept && is_ours(&all, &all.v[i]);
	journal_owner_release(&owner);
	entries_release(&all);
	return any;
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

/* --- the plan */

/*
 * Chooses the size of the buffer. If a dump is longer than three quarters of the kernel's log, it
 * pushes the text of the oops out of it: pstore, kdump and a machine that lives on have only that
 * log. Returns 0, or -1 with @err.
 */
static int choose_size(const struct oops_armed *a, struct rec_buffer *b, struct ftr_error *err)
{
	long cpus = a->dump == OOPS_DUMP_ALL ? sysconf(_SC_NPROCESSORS_ONLN) : 1;
	uint64_t kb = oops_log_bytes() / 4 * 3 / TEXT_TIMES / 1024 / (cpus > 0 ? cpus : 1);

	if (!a->boot_instance) {
		if (!b->size_kb && a->dump == OOPS_DUMP_NO)
			b->size_kb = QUIET_KB;
		else if (!b->size_kb)
			b->size_kb = kb < LEAST_KB ? LEAST_KB : kb > DUMP_KB ? DUMP_KB : kb;
		return 0;
	}
	if (!b->size_kb)
		return 0;
	err_set(err, FTR_USAGE, "-b cannot change the buffer of instance '%s': its size was set at "
		"boot", a->boot_instance);
	return err_hint(err, "reserve_mem= of the boot command line gives it");
}

/*
 * Refuses to overwrite data in the instance of the boot command line, whether it is of this boot or
 * an earlier one.
 */
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
	struct rec_buffer *to, main_buf;
	struct rec_event *e;
	char *name;

	if (choose_size(a, &p->bufs[0], err))
		return -1;
	if (!p->bufs[0].tracer && !p->bufs[0].nr_events) {
		for (size_t i = 0; i < sizeof(default_events) / sizeof(*default_events); i++)
			plan_add_event(&p->bufs[0], default_events[i].event);
		/* if the kernel has no block devices, it has no events of them */
		p->ignore_missing = true;
	}
	if (a->p->oom) {
		/*
		 * mark_oom_victim() of mm/oom_kill.c. A trigger with a filter runs after the record
		 * is written, one without a filter before: it would lose the record.
		 */
		e = plan_add_event(&p->bufs[0], "oom:mark_victim");
		strv_add(&e->triggers, "traceoff if pid > 0");
	}
	if (!a->top) {
		/* the settings of the main buffer become those of an instance */
		to = plan_add_buffer(p, a->boot_instance ? a->boot_instance : INSTANCE);
		main_buf = p->bufs[0];
		name = to->name;
		*to = main_buf;
		to->name = name;
		p->bufs[0] = (struct rec_buffer){ .name = main_buf.name };
	}
	return plan_check(p, err);
}

/* --- sysctls */

/*
 * Sets ftrace_dump_on_oops. 6.1 accepts only numbers, for the top level: if it refuses the name of
 * an instance, the recording must be at the top level. Nothing is dumped before tracing is on.
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

static int set_requested(const struct oops_arm_plan *p, struct session *s, struct ftr_error *err)
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

/* --- stops of instances */

/*
 * Adds commands that stop instances. oops_enter() calls tracing_off(), and __warn() does so with
 * traceoff_on_warning, but that stops only the top level. Each instance can have a command at these
 * functions. If the kernel has no function tracing nothing is done; ftr oops status reports that.
 */
static void add_stops(struct session *s, const struct rec_places *pl, bool on_warning)
{
	struct ftr_error err = {0};
	const char *instance;
	size_t i, n;

	for (i = 0; i < pl->n; i++) {
		instance = pl->v[i].instance;
		if (!instance || !tfs_exists(session_tfs(s), instance, "set_ftrace_filter"))
			continue;
		triggers_add_functions(s, instance, OOPS_FUNCTION, STOP, &n, &err);
		if (on_warning)
			triggers_add_functions(s, instance, WARNING_FUNCTION, STOP, &n, &err);
	}
}

bool oops_stops(const struct tfs *t, const char *instance)
{
	struct triggers l = {0};
	bool stops = !*instance;
	size_t i;

	if (!stops)
		triggers_of_functions(t, instance, OOPS_FUNCTION, &l, NULL);
	for (i = 0; i < l.n && !stops; i++)
		stops = !strcmp(l.v[i].command, STOP) && l.v[i].state == TRIGGER_ACTIVE;
	triggers_release(&l);
	return stops;
}

/* --- the skeleton: metadata of the recording on the disk, before anything is recorded */

struct oops_skeleton {
	const struct tfs *t;
	const struct rec_setup *up;
	const struct captured_meta *known; /* the last capture; NULL if nothing was written yet */
	struct buf modules;		/* modules at the last writing */
};

/* The state of one writing of the skeleton. */
struct skeleton_file {
	struct outfile out;
	struct meta_capture *capture;
	struct record_sink *sink;
	struct recorder **recs;
	struct recorded_buffer *bufs;
	size_t n;
};

static void no_message(const char *fmt, ...)
{
	(void)fmt;
}

/* Reads name, state and address of each module. Use counts are left out, as they change often. */
static void read_modules(struct buf *out)
{
	struct strv lines = {0}, f = {0};
	struct buf text = {0};
	size_t i;

	buf_reset(out);
	buf_addstr(out, "");
	if (!io_read_at(AT_FDCWD, "/proc/modules", &text) && text.len)
		strv_split(&lines, text.data, "\n");
	for (i = 0; i < lines.n; i++) {
		strv_split(&f, lines.v[i], " ");
		if (f.n >= 6)
			buf_printf(out, "%s %s %s\n", f.v[0], f.v[4], f.v[5]);
		strv_release(&f);
	}
	strv_release(&lines);
	buf_release(&text);
}

/*
 * The skeleton of a recording, on the disk before anything is recorded: a trace file without data
 * that is not finished (dat_regions.h), with regions for the data of each CPU, the formats of
 * enabled events, symbols, modules, clocks and options. The main buffer is the file's main buffer,
 * in any instance; the key "oops_instance" has its name. Both arguments are borrowed.
 */
static struct oops_skeleton *oops_skeleton_new(const struct tfs *t, const struct rec_setup *up)
{
	struct oops_skeleton *f = xcalloc(1, sizeof(*f));

	f->t = t;
	f->up = up;
	return f;
}

void oops_skeleton_move(struct oops_skeleton *f, const struct tfs *t)
{
	f->t = t;
}

/*
 * Returns the index of the main buffer: the first if it is at the top level, else the last
 * (choose_what()).
 */
static size_t main_place(const struct rec_setup *up)
{
	return up->places.v[0].buf == &up->p->bufs[0] ? 0 : up->places.n - 1;
}

/* Makes recorders that read nothing: they provide the CPUs and the sizes of sub-buffers. */
static int make_recorders(const struct oops_skeleton *f, struct skeleton_file *w,
			  struct ftr_error *err)
{
	const struct recorder_opts opts = { .no_splice = true };
	const struct rec_places *pl = &f->up->places;
	size_t i, first = main_place(f->up);

	w->recs = xcalloc(pl->n + 1, sizeof(*w->recs));
	w->bufs = xcalloc(pl->n + 1, sizeof(*w->bufs));
	for (i = 0; i < pl->n; i++) {
		w->recs[i] = recorder_new(f->t, pl->v[i].instance, w->out.path, &opts, err);
		if (!w->recs[i])
			return -1;
		w->bufs[i] = (struct recorded_buffer){
			.name = i == first ? "" : pl->v[i].instance,
			.instance = pl->v[i].instance ? pl->v[i].instance : "",
			.rec = w->recs[i], .flight = true,
		};
		w->n++;
	}
	return 0;
}

static int start_skeleton_capture(struct oops_skeleton *f, struct skeleton_file *w,
				  struct ftr_error *err)
{
	const struct rec_selection *sel;
	struct strv enabled = {0};
	size_t i, k;

	for (i = 0; i < f->up->p->nr_bufs; i++) {
		sel = &f->up->sel[i];
		for (k = 0; k < sel->n; k++)
			if (sel->v[k].on)
				strv_add(&enabled, sel->v[k].path);
	}
	strv_sort_unique(&enabled);
	w->capture = capture_new(f->t, &enabled, err);
	strv_release(&enabled);
	if (!w->capture)
		return -1;
	if (f->known)
		capture_inherit(w->capture, f->known);
	f->known = NULL;
	capture_note(w->capture, "oops_instance", w->bufs[main_place(f->up)].instance);
	for (i = 0; i < w->n; i++)
		capture_begin(w->capture, w->bufs[i].name, w->bufs[i].instance);
	return 0;
}

static int commit_skeleton(struct skeleton_file *w, struct ftr_error *err)
{
	struct stat old;
	bool is = !fstatat(w->out.at.dir, w->out.at.name, &old, AT_SYMLINK_NOFOLLOW);

	if (fsync(w->out.fd))
		return err_write(err, "cannot write '%s' to the disk", w->out.path);
	if (is ? outfile_replace(&w->out, &old, false, err) : outfile_commit(&w->out, err))
		return -1;
	return place_sync(&w->out.at) ?
		err_sys(err, "cannot write the directory of '%s' to the disk", w->out.path) : 0;
}

static void release_skeleton(struct skeleton_file *w)
{
	size_t i;

	capture_free(w->capture);
	sink_free(w->sink);
	for (i = 0; w->recs && i <= w->n; i++)
		recorder_free(w->recs[i]);
	free(w->recs);
	free(w->bufs);
	outfile_release(&w->out);
}

int oops_skeleton_write(struct oops_skeleton *f, const char *path, struct ftr_error *err)
{
	struct skeleton_file w = { .out = { .fd = -1 } };
	const struct compress_opts plain = {0};
	struct sink_plan plan = { .out = &w.out, .path = path, .packing = &plain, .flight = true,
				  .warn = no_message };
	int ret = -1;

	read_modules(&f->modules);
	if (outfile_open(&w.out, path, err) || make_recorders(f, &w, err) ||
	    start_skeleton_capture(f, &w, err))
		goto out;
	w.sink = sink_new(&plan);
	/* the capture's thread reads everything at least once */
	if (sink_place(w.sink, w.capture, w.bufs, w.n, err) || capture_start(w.capture, NULL, err))
		goto out;
	f->known = capture_end(w.capture, w.bufs, w.n, false);
	w.capture = NULL;
	if (!sink_leave_skeleton(w.sink, f->known, err))
		ret = commit_skeleton(&w, err);
out:
	release_skeleton(&w);
	return ret;
}

bool oops_skeleton_is_old(const struct oops_skeleton *f)
{
	struct buf now = {0};
	bool old;

	read_modules(&now);
	old = now.len != f->modules.len || memcmp(now.data, f->modules.data, now.len);
	buf_release(&now);
	return old;
}

static void oops_skeleton_free(struct oops_skeleton *f)
{
	if (!f)
		return;
	captured_free(f->known);
	buf_release(&f->modules);
	free(f);
}

/* --- arming */

/*
 * Chooses whether an oops dumps the buffer. A dump takes the records out of the buffer. If the
 * machine lives on, collect reads them from there, with fields and symbols.
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
	add_stops(s, &up->places, a->p->traceoff_on_warning);
	return flight_prepare(s, p, &up->places, err);
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
	    set_up_places(a, s, err) || set_requested(p, s, err))
		return -1;
	a->skeleton_path = oops_skeleton_path(err);
	if (!a->skeleton_path)
		return -1;
	a->skeleton = oops_skeleton_new(t, &a->up);
	if (oops_skeleton_write(a->skeleton, a->skeleton_path, err) || note_boot(a, err))
		return -1;
	return apply_tracing_on(s, &a->up.places, true, err);
}

void oops_armed_release(struct oops_armed *a)
{
	oops_skeleton_free(a->skeleton);
	free(a->skeleton_path);
	free(a->boot_instance);
	setup_release(&a->up);
	*a = (struct oops_armed){0};
}

/* --- disarming */

/*
 * Restores the sysctls that arming changed, if there is another recording at the top level. Returns
 * -1 with @err.
 */
static int restore_sysctls(const struct journal_entries *all, size_t *n, struct ftr_error *err)
{
	const struct journal_entry *e;

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
	size_t ours = 0, others = 0, back = 0;
	struct journal_owner owner;
	const struct journal_entry *e;
	struct journal_entries all;
	int ret = session_standing(&owner, &all, err);

	if (ret <= 0)
		return ret;
	for (e = all.v; e < all.v + all.n; e++)
		if (!e->kept && strncmp(e->path, "instances/", strlen("instances/")) &&
		    e->type != ENTRY_FILE)
			++*(is_ours(&all, e) ? &ours : &others);
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
	int lock = oops_dir_lock(), ret;
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
