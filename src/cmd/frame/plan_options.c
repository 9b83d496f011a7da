/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Setters of the options that set up tracing: from the words of a command line to the plan. */
#include "cmd/frame/plan_options.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/wall_time.h"
#include "file/compress.h"
#include "record/setup/purposes.h"

static struct rec_buffer *current_buffer(struct rec_plan *p)
{
	return &p->bufs[p->nr_bufs - 1];
}

static struct rec_event *last_event(struct rec_plan *p, const struct opt *o, struct ftr_error *err)
{
	struct rec_buffer *b = current_buffer(p);

	if (!b->nr_events || plan_negates_nothing(p)) {
		err_set(err, FTR_USAGE, "'-%c' needs an event before it", o->letter);
		err_hint(err, "-e EVENT -%c ...", o->letter);
		return NULL;
	}
	return &b->events[b->nr_events - 1];
}

static int bad_opt_value(struct ftr_error *err, const struct opt *o, const char *arg,
			 const char *want)
{
	char name[64] = { '-', o->letter, '\0' };

	if (!o->letter) {
		strcpy(name, "--");
		strncat(name, o->name, sizeof(name) - 3);
	}
	return err_set(err, FTR_USAGE, "%s takes %s, not '%s'", name, want, arg);
}

int plan_instance(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct rec_plan *p = ctx;
	char *word;
	size_t i;

	if (plan_negates_nothing(p)) {
		err_set(err, FTR_USAGE, "-v before -B '%s': instances are not removed here", arg);
		word = text_word(arg);
		err_hint(err, "'ftr reset -B %s' removes one that ftr made", word);
		free(word);
		return -1;
	}
	if (!*arg || *arg == '.' || strchr(arg, '/') || strlen(arg) > NAME_MAX)
		return bad_opt_value(err, o, arg, "the name of an instance");
	for (i = 1; i < p->nr_bufs; i++)
		if (!strcmp(p->bufs[i].name, arg))
			return err_set(err, FTR_USAGE, "instance '%s' is given twice", arg);
	p->negate = false;
	plan_add_buffer(p, arg);
	return 0;
}

int plan_event(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct rec_plan *p = ctx;

	if (!*arg)
		return bad_opt_value(err, o, arg, "an event");
	plan_add_event(current_buffer(p), arg)->negated = p->negate;
	return 0;
}

int plan_purpose(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	(void)o;
	return plan_add_purpose(current_buffer(ctx), arg, err);
}

int plan_all_events(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	(void)arg;
	return plan_event(ctx, o, "all", err);
}

int plan_filter(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct rec_event *e = last_event(ctx, o, err);
	char *joined;

	if (!e)
		return -1;
	if (e->negated)
		return err_set(err, FTR_USAGE, "'-%c' cannot follow the disabled event '%s'",
			       o->letter, e->pattern);
	joined = e->filter ? xasprintf("(%s)&&(%s)", e->filter, arg) : xstrdup(arg);
	free(e->filter);
	e->filter = joined;
	return 0;
}

int plan_trigger(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct rec_event *e = last_event(ctx, o, err);

	if (!e)
		return -1;
	strv_add(&e->triggers, arg);
	return 0;
}

int plan_buf_str(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	return opt_str(current_buffer(ctx), o, arg, err);
}

int plan_buf_strv(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	if (!*arg)
		return bad_opt_value(err, o, arg, o->arg);
	return opt_strv(current_buffer(ctx), o, arg, err);
}

/*
 * Refuses words that set_ftrace_filter accepts besides functions: '!' removes some from the list,
 * which is empty here, and "FUNC:COMMAND" is a trigger, which leaves the list empty: then all
 * functions are traced.
 */
static int check_function(const struct opt *o, const char *arg, struct ftr_error *err)
{
	const char *colon = strchr(arg, ':');
	char *where, *words[2];

	if (*arg == '^' || (*arg && arg[strlen(arg) - 1] == '$')) {
		err_set(err, FTR_USAGE, "-%c '%s': a pattern is a glob, not a regular expression",
			o->letter, arg);
		return err_hint(err, "'vfs_*' matches what begins with vfs_, '*_read' what ends "
				"with _read");
	}
	if (*arg == '!') {
		err_set(err, FTR_USAGE, "-%c '%s' would take functions off a list that is empty",
			o->letter, arg);
		return o->letter == 'l' ? err_hint(err, "-n '%s' leaves them out", arg + 1)
					: err_hint(err, "leave it out");
	}
	if (!colon || !strncmp(colon, ":mod:", 5))
		return 0;
	err_set(err, FTR_USAGE, "-%c '%s': that is a trigger, not a function", o->letter, arg);
	where = xstrndup(arg, colon - arg);
	words[0] = text_word(where);
	words[1] = text_word(colon + 1);
	err_hint(err, "ftr trigger add --func %s %s", words[0], words[1]);
	free(words[0]);
	free(words[1]);
	free(where);
	return -1;
}

int plan_functions(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	return check_function(o, arg, err) ? -1 : plan_buf_strv(ctx, o, arg, err);
}

int plan_graph_functions(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	return check_function(o, arg, err) ? -1 : opt_strv(ctx, o, arg, err);
}

int plan_modules(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct strv *modules = &current_buffer(ctx)->modules;
	size_t i, before = modules->n;

	strv_split(modules, arg, ", ");
	for (i = before; i < modules->n; i++)
		if (strpbrk(modules->v[i], ":!"))
			return bad_opt_value(err, o, arg, "names of modules, or globs");
	return modules->n > before ? 0 : bad_opt_value(err, o, arg, "names of modules, or globs");
}

int plan_clock(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct rec_buffer *b = current_buffer(ctx);

	(void)o;
	(void)err;
	b->tsc2nsec = !strcmp(arg, "tsc2nsec");
	b->clock = b->tsc2nsec ? "x86-tsc" : arg;
	return 0;
}

int plan_size(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	uint64_t bytes;

	if (text_size(arg, 1024, &bytes) || !bytes)
		return bad_opt_value(err, o, arg, "a size a CPU (4M, 512K; a plain number is KiB)");
	current_buffer(ctx)->size_kb = bytes / 1024 + (bytes % 1024 != 0);
	return 0;
}

int plan_subbuf(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	uint64_t bytes;

	if (text_size(arg, 1024, &bytes) || !bytes)
		return bad_opt_value(err, o, arg, "a size (64K; a plain number is KiB)");
	current_buffer(ctx)->subbuf_kb = bytes / 1024 + (bytes % 1024 != 0);
	return 0;
}

static void set_cpus(struct rec_buffer *b, const uint64_t *cpus)
{
	struct buf mask = {0};

	text_cpumask(&mask, cpus, LIMIT_CPUS);
	free(b->cpumask);
	b->cpumask = buf_take(&mask);
}

int plan_cpumask(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	const char *digits = !strncasecmp(arg, "0x", 2) ? arg + 2 : arg;
	uint64_t cpus[LIMIT_CPUS / 64];

	/* trace-cmd accepts -1 for all */
	if (!strcmp(arg, "-1")) {
		if (!plan_possible_cpus(cpus))
			return err_set(err, FTR_FAILED,
				       "the kernel does not report which CPUs there are");
		set_cpus(current_buffer(ctx), cpus);
		return 0;
	}
	if (!*digits || digits[strspn(digits, "0123456789abcdefABCDEF,")])
		return bad_opt_value(err, o, arg, "a mask of CPUs in hexadecimal");
	if (!digits[strspn(digits, "0,")])
		return err_set(err, FTR_USAGE, "the mask '%s' names no CPU", arg);
	free(current_buffer(ctx)->cpumask);
	current_buffer(ctx)->cpumask = xstrdup(digits);
	return 0;
}

int plan_cpus(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	uint64_t cpus[LIMIT_CPUS / 64];
	int missing;

	if (text_cpulist(arg, cpus, LIMIT_CPUS))
		return bad_opt_value(err, o, arg, "a list of CPUs (0,2-5)");
	missing = plan_cpu_missing(cpus);
	if (missing >= 0)
		return err_set(err, FTR_USAGE, "this machine has no CPU %d", missing);
	set_cpus(current_buffer(ctx), cpus);
	return 0;
}

int plan_stacks(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	(void)o;
	(void)arg;
	(void)err;
	strv_add(&current_buffer(ctx)->options, "stacktrace");
	return 0;
}

int plan_func_stack(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	(void)o;
	(void)arg;
	(void)err;
	strv_add(&current_buffer(ctx)->options, "func_stack_trace");
	return 0;
}

int plan_no_functions(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	(void)o;
	(void)arg;
	(void)err;
	strv_add(&current_buffer(ctx)->options, "nofunction-trace");
	return 0;
}

int plan_stop_ftrace(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	((struct rec_plan *)ctx)->ftrace_off = true;
	return plan_no_functions(ctx, o, arg, err);
}

int plan_no_reset(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct rec_plan *p = ctx;

	(void)o;
	(void)arg;
	(void)err;
	p->no_reset = p->keep = true;
	return 0;
}

int plan_pids(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct rec_plan *p = ctx;
	size_t i, before = p->pids.n;
	int64_t pid;

	strv_split(&p->pids, arg, ", ");
	for (i = before; i < p->pids.n; i++)
		if (!isdigit((unsigned char)p->pids.v[i][0]) ||
		    text_number(p->pids.v[i], 0, 1 << 22, &pid))
			return bad_opt_value(err, o, arg, "process ids");
	return p->pids.n > before ? 0 : bad_opt_value(err, o, arg, "process ids");
}

int plan_depth(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct rec_plan *p = ctx;

	return text_number(arg, 0, INT_MAX, &p->max_graph_depth) ?
		bad_opt_value(err, o, arg, "a number of levels (0 = all)") : 0;
}

int plan_cmdlines(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct rec_plan *p = ctx;

	return text_number(arg, 1, 1 << 22, &p->cmdlines_size) ?
		bad_opt_value(err, o, arg, "a number of tasks") : 0;
}

int plan_prio(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct rec_plan *p = ctx;

	return text_number(arg, 1, 99, &p->rt_prio) ?
		bad_opt_value(err, o, arg, "a real-time priority (1 to 99)") : 0;
}

int plan_sleep(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct rec_plan *p = ctx;
	int64_t us;

	if (text_number(arg, 0, INT_MAX, &us))
		return bad_opt_value(err, o, arg, "microseconds");
	p->sleep_ns = us * 1000;
	return 0;
}

int plan_sync(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	return text_duration(arg, &((struct rec_plan *)ctx)->sync_ns) ?
		bad_opt_value(err, o, arg, "a time (5, 500ms; 0: never; plain: seconds)") : 0;
}

int plan_at(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct rec_plan *p = ctx;
	uint64_t now = wall_now();

	if (wall_time_parse(arg, now, &p->at_ns))
		return bad_opt_value(err, o, arg, "a time (+10s, 12:00:00.000, "
				     "'2026-11-28 12:00:00', @SECONDS)");
	if (p->at_ns >= now)
		return 0;
	err_set(err, FTR_USAGE, "--at %s is over: it was %g s ago", arg, (now - p->at_ns) / 1e9);
	return err_hint(err, "without --at a recording begins at once");
}

int plan_duration(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct rec_plan *p = ctx;

	if (text_duration(arg, &p->duration_ns) || !p->duration_ns)
		return bad_opt_value(err, o, arg, "a time (10, 500ms, 2m; plain: seconds)");
	return 0;
}

/* Parses "EVENT" or "EVENT if FILTER": names of events have no blanks. */
int plan_stop_event(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	size_t n = strcspn(arg, " \t");
	const char *rest = arg + n + strspn(arg + n, " \t");

	(void)o;
	if (!n || (*rest && (strncmp(rest, "if", 2) || !strchr(" \t", rest[2]) ||
			     !rest[2 + strspn(rest + 2, " \t")]))) {
		err_set(err, FTR_USAGE, "--stop-on takes an event and a filter, not '%s'", arg);
		return err_hint(err, "--stop-on 'sched:sched_switch if prev_pid == 5'");
	}
	strv_add(&((struct rec_plan *)ctx)->stop_events, arg);
	return 0;
}

int plan_stop_func(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	if (!*arg || strpbrk(arg, ": \t!"))
		return bad_opt_value(err, o, arg, "a function");
	strv_add(&((struct rec_plan *)ctx)->stop_funcs, arg);
	return 0;
}

int plan_flight(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct rec_plan *p = ctx;
	uint64_t bytes;

	if (text_size(arg, 1024, &bytes) || !bytes)
		return bad_opt_value(err, o, arg, "a size a CPU (4M, 512K; a plain number is KiB)");
	p->flight_kb = bytes / 1024 + (bytes % 1024 != 0);
	return 0;
}

int plan_keep(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct rec_plan *p = ctx;

	return text_size(arg, 1024, &p->keep_bytes) || !p->keep_bytes ?
		bad_opt_value(err, o, arg, "a size a CPU (4M, 512K; a plain number is KiB)") : 0;
}

int plan_max_size(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct rec_plan *p = ctx;

	return text_size(arg, 1024, &p->max_size) || !p->max_size ?
		bad_opt_value(err, o, arg, "a size (100M, 2G; a plain number is KiB)") : 0;
}

int plan_rotate(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	return text_number(arg, 1, 1000000, &((struct rec_plan *)ctx)->rotate) ?
		bad_opt_value(err, o, arg, "a number of files") : 0;
}

int plan_max_rate(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct rec_plan *p = ctx;

	return text_size(arg, 1024, &p->max_rate) || !p->max_rate ?
		bad_opt_value(err, o, arg, "a size a second (50M; a plain number is KiB)") : 0;
}

int plan_file_version(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct rec_plan *p = ctx;

	if (strcmp(arg, "6") && strcmp(arg, "7"))
		return bad_opt_value(err, o, arg, "6 or 7");
	p->file_version = arg[0] - '0';
	return 0;
}

int plan_compression(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct rec_plan *p = ctx;

	p->packing_given = strcmp(arg, "any") != 0;
	if (!p->packing_given)
		return 0;
	if (!strncmp(arg, "zstd", 4) && !packing_known("zstd"))
		return err_set(err, FTR_USAGE, "'%s': this ftr was built without zstd", arg);
	return packing_parse(arg, &p->packing) ?
		bad_opt_value(err, o, arg, "none, zstd, zlib, zstd:LEVEL (1 to 22), zlib:LEVEL "
			      "(1 to 9) or any") : 0;
}
