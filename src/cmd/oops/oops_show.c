/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr oops show: the facts in the text of an oops, and the records that led to it. */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/search.h"
#include "base/sig.h"
#include "base/term.h"
#include "base/text.h"
#include "cmd/frame/command.h"
#include "cmd/frame/selection.h"
#include "cmd/oops/oops_verbs.h"
#include "model/model.h"
#include "text/log/oops_text.h"

#define LAST_MAX	1000
#define CHECK_EACH	(1u << 16)	/* records between two checks of signals */
#define AROUND_NS	50000000
#define KINDS		((1u << SPAN_PAIR) - 1)
#define SHOW_FEW	5	/* wakeups, waits for locks, requests */
#define SHOW_OPEN	64	/* spans that are open */
#define SHOW_LINE	1024	/* bytes of a line of the oops: LOG_LINE_MAX of printk */

struct show_args {
	struct selection select;	/* first: its own rows */
	uint64_t around_ns;
	int64_t  last;
	bool     json, text, quiet;
};

struct show_span {
	unsigned int kind;		/* as of model_kind_name(), or SPAN_WAKEUP */
	uint64_t begin, duration;	/* SPAN_UNKNOWN: not known */
	bool     is_open;
	bool     is_most;		/* an upper limit: records are lost inside of it */
	uint32_t depth;
	char    *name;			/* sanitised; for a wakeup the waker, or NULL */
};

/* The last spans of a kind. ->v is a ring: ->next is the oldest once it is full. */
struct show_list {
	struct show_span v[SHOW_OPEN];
	size_t n, next, room;
};

enum show_list_kind { SHOW_OPENS, SHOW_WAKEUPS, SHOW_LOCKS, SHOW_BLOCKS, SHOW_LISTS };

struct show_cpu {
	int      cpu;
	uint64_t lost;
	bool     lost_unknown, has_records;
	const struct task *task;	/* the task that runs at the end, or NULL */
	uint64_t all;			/* number of records */
	uint64_t count;			/* number of records in the time that is shown */
	uint64_t shown, skip;		/* the last ones of them are shown, ->skip are not */
};

struct oops_show {
	const struct show_args *args;
	struct trace *trace;
	struct oops_text oops;
	bool     has_oops;
	bool     text_has_task, text_has_cpu;	/* the text has them, not only the last record */
	int      cpu, pid;		/* the CPU and the task of the oops; -1: unknown */
	struct model *model;
	const struct task *task;	/* the task in the records, or NULL */
	uint64_t since;			/* start of the task's last state */
	struct show_list lists[SHOW_LISTS];
	struct show_cpu *cpus;		/* by number */
	size_t   nr_cpus;
	uint64_t last_ts;
	int      signal;
};

static int set_last(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct show_args *a = ctx;

	(void)o;
	if (!text_number(arg, 1, LAST_MAX, &a->last))
		return 0;
	err_set(err, FTR_USAGE, "--last does not take '%s'", arg);
	return err_hint(err, "it is a number of records, 1 to %d", LAST_MAX);
}

static int set_around(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct show_args *a = ctx;

	(void)o;
	if (!text_duration(arg, &a->around_ns))
		return 0;
	err_set(err, FTR_USAGE, "--around does not take '%s'", arg);
	return err_hint(err, "it is a time, as 50ms or 1s");
}

#define AT(member) offsetof(struct show_args, member)
const struct opt oops_show_options[] = {
	OPT_GROUP("What to show"),
	{ 0, "last", "N", "print the last N records of each CPU (20)", set_last, 0 },
	{ 0, "around", "TIME", "of other CPUs: records of the last TIME, as 1s (50ms)",
	  set_around, 0 },
	OPT_GROUP("Output"),
	{ 0, "text", NULL, "print only the text of the oops, all of it", opt_flag, AT(text) },
	{ 0, "json", NULL, "print JSON, times in nanoseconds", opt_flag, AT(json) },
	{ 'q', "quiet", NULL, "print no remarks on standard error", cmd_set_quiet, AT(quiet) },
	OPT_END
};

/* --- shared by both outputs */

/* Returns "insmod-136", sanitised; "<idle>-0" for an idle task. The caller frees it. */
static char *show_task_text(const struct oops_show *s)
{
	const char *name = s->has_oops && s->text_has_task && s->pid ? s->oops.comm : "";
	struct buf b = {0};

	if (!*name)
		name = s->task ? model_task_name(s->model, s->task) : trace_comm(s->trace, s->pid);
	text_sanitise(&b, name, strlen(name), false);
	buf_printf(&b, "-%d", s->pid);
	return buf_take(&b);
}

static const struct show_span *show_span_at(const struct show_list *l, size_t i)
{
	return &l->v[(l->n < l->room ? i : l->next + i) % l->room];
}

static struct show_cpu *show_find_cpu(const struct oops_show *s, int cpu)
{
	size_t at = SEARCH_LAST(i, 0, s->nr_cpus, s->cpus[i].cpu <= cpu);

	return s->nr_cpus && s->cpus[at].cpu == cpu ? &s->cpus[at] : NULL;
}

/* Returns the task that a CPU runs at the end, sanitised; NULL: unknown. The caller frees it. */
static char *show_cpu_task(const struct oops_show *s, const struct show_cpu *c)
{
	struct buf b = {0};
	const char *name;

	if (!c->task)
		return NULL;
	name = model_task_name(s->model, c->task);
	text_sanitise(&b, name, strlen(name), false);
	buf_printf(&b, "-%d", c->task->pid);
	return buf_take(&b);
}

/* Adds a part of the oops text, at most SHOW_LINE bytes of it. */
static void show_add_part(struct buf *b, const struct oops_part *p)
{
	text_sanitise(b, p->p, p->len < SHOW_LINE ? p->len : SHOW_LINE, false);
}

/* --- lists of spans */

/* Returns a new entry for @p, which may replace the oldest one. */
static struct show_span *list_add(const struct oops_show *s, struct show_list *l,
				  const struct span *p)
{
	struct show_span *to = &l->v[l->next];
	struct buf b = {0};

	if (l->n == l->room)
		free(to->name);
	else
		l->n++;
	l->next = (l->next + 1) % l->room;
	*to = (struct show_span){
		.kind = p->kind, .begin = p->begin, .duration = p->duration,
		.is_open = p->marks & SPAN_OPEN,
		.is_most = p->kind == SPAN_WAKEUP && p->marks & SPAN_LOSS, .depth = p->depth,
	};
	if (p->kind == SPAN_WAKEUP)
		return to;
	model_add_name(s->model, p, &b);
	buf_addstr(&b, "");
	to->name = buf_take(&b);
	return to;
}

static void lists_clear(struct oops_show *s)
{
	for (size_t i = 0; i < SHOW_LISTS; i++) {
		for (size_t k = 0; k < s->lists[i].n; k++)
			free(s->lists[i].v[k].name);
		s->lists[i].n = s->lists[i].next = 0;
	}
}

static int compare_spans(const void *a, const void *b)
{
	const struct show_span *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return (x->depth > y->depth) - (x->depth < y->depth);
}

/* --- the pass over all records */

/*
 * Returns true for the task of the oops: the last one that had the pid. The idle tasks of CPUs are
 * different tasks.
 */
static bool is_oops_task(struct oops_show *s, const struct task *t)
{
	if (!t || t->pid != s->pid || (!t->pid && t->cpu != s->cpu))
		return false;
	if (t == s->task)
		return true;
	if (s->task && t->nr <= s->task->nr)
		return false;
	s->task = t;
	lists_clear(s);
	return true;
}

static void span_ended(void *ctx, struct span *p, const struct trace_rec *r)
{
	struct oops_show *s = ctx;
	bool ours = is_oops_task(s, p->task);

	(void)r;
	if (p->marks & SPAN_NO_BEGIN)
		return;
	if ((p->marks & SPAN_OPEN) && (p->by_task || p->is_beside ? ours :
						    p->cpu_begin == s->cpu))
		list_add(s, &s->lists[SHOW_OPENS], p);
	if (ours && p->kind == SPAN_LOCK)
		list_add(s, &s->lists[SHOW_LOCKS], p);
	if (ours && p->kind == SPAN_BLOCK)
		list_add(s, &s->lists[SHOW_BLOCKS], p);
}

static void task_waited(void *ctx, struct span *p, const struct trace_rec *r)
{
	struct oops_show *s = ctx;
	struct show_span *to;
	struct buf b = {0};

	(void)r;
	/* a preempted task waits as well, but nobody woke it */
	if (!is_oops_task(s, p->task) || (p->marks & SPAN_NO_BEGIN) ||
	    p->task->state == TASK_PREEMPTED)
		return;
	to = list_add(s, &s->lists[SHOW_WAKEUPS], p);
	if (model_add_waker(s->model, &p->task->waker, &b))
		to->name = buf_take(&b);
}

static int compare_cpus(const void *a, const void *b)
{
	const struct show_cpu *x = a, *y = b;

	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

/* Merges the streams, each one CPU of one buffer, into s->cpus, with each CPU once. */
static void merge_cpus(struct oops_show *s, const struct show_cpu *streams, size_t n)
{
	struct show_cpu *c;
	size_t i;

	s->cpus = xcalloc(n + 1, sizeof(*s->cpus));
	for (i = 0; i < n; i++)
		if (streams[i].has_records)
			s->cpus[s->nr_cpus++] = streams[i];
	if (!s->nr_cpus)
		return;
	qsort(s->cpus, s->nr_cpus, sizeof(*s->cpus), compare_cpus);
	for (c = s->cpus, i = 1; i < s->nr_cpus; i++) {
		if (s->cpus[i].cpu != c->cpu) {
			*++c = s->cpus[i];
			continue;
		}
		c->all += s->cpus[i].all;
		c->lost += s->cpus[i].lost;
		c->lost_unknown |= s->cpus[i].lost_unknown;
	}
	s->nr_cpus = c + 1 - s->cpus;
}

static void read_all(struct oops_show *s)
{
	size_t n = trace_nr_streams(&s->trace, 1);
	struct show_cpu *streams = xcalloc(n + 1, sizeof(*streams)), *c;
	struct trace_iter *it = trace_iter_new(&s->trace, 1, NULL);
	struct show_list *opens = &s->lists[SHOW_OPENS];
	const struct trace_rec *r;
	uint32_t seen = 0;

	while ((r = trace_iter_next(it))) {
		c = &streams[r->stream];
		c->cpu = r->cpu;
		c->has_records = true;
		c->all += r->rec.data != NULL;
		if (r->lost == RING_LOST_UNKNOWN)
			c->lost_unknown = true;
		else
			c->lost += r->lost;
		if (r->rec.data && r->ts > s->last_ts)
			s->last_ts = r->ts;
		model_feed(s->model, r);
		if (++seen % CHECK_EACH)
			continue;
		s->signal = sig_held();
		if (s->signal)
			break;
	}
	trace_iter_free(it);
	/* before the end of the model, which counts times up to the last record */
	for (const struct task *t = model_tasks(s->model); t; t = t->next)
		is_oops_task(s, t);
	s->since = s->task ? s->task->since : 0;
	model_end(s->model);
	merge_cpus(s, streams, n);
	free(streams);
	/* open spans are shown by their starts, the oldest first */
	if (opens->n)
		qsort(opens->v, opens->n, sizeof(*opens->v), compare_spans);
	opens->next = opens->n % opens->room;
	if (model_refused(s->model))
		cmd_warn("%" PRIu64 " spans are missing: too many were open at once",
			 model_refused(s->model));
}

/* --- lines of a CPU */

/* Returns the start of --around; 0 if the clock does not count nanoseconds. */
static uint64_t window_start(const struct oops_show *s)
{
	uint64_t back = s->args->around_ns;

	if (!s->trace->clock_is_ns)
		return 0;
	return s->last_ts > back ? s->last_ts - back : 0;
}

/* A separate sink: it prints no loss before a record that is not shown. */
struct lines_out {
	struct out_state out;			/* first */
	const struct oops_show *show;
	bool others;
};

static void lines_lost(struct out_state *out, const struct trace_rec *r)
{
	const struct lines_out *l = (const struct lines_out *)out;
	const struct show_cpu *c = show_find_cpu(l->show, r->cpu);

	if (c && !c->skip && (r->cpu != l->show->cpu) == l->others)
		out_text.lost(out, r);
}

static bool is_shown(void *ctx, const struct trace_rec *r)
{
	const struct lines_out *l = ctx;
	struct show_cpu *c = show_find_cpu(l->show, r->cpu);

	if (!c || (r->cpu != l->show->cpu) != l->others)
		return false;
	if (!c->skip)
		return true;
	c->skip--;
	return false;
}

/*
 * Writes the last records to @fd, once each: those of the CPU in question, or with @others merged
 * those of all other CPUs in the time of --around.
 */
static int show_lines_write(const struct oops_show *s, bool others, int fd, struct ftr_error *err)
{
	struct trace *t = s->trace;
	uint64_t bits[TRACE_CPU_BITS / 64] = {0};
	struct out_range range = { .since = others ? window_start(s) : 0, .until = UINT64_MAX,
				   .threads = 1 };
	struct out_ops ops = out_text;
	struct lines_out l = {
		.out = { .ops = &ops, .traces = &t, .nr_traces = 1, .fd = fd },
		.show = s, .others = others,
	};
	struct out_match which = { .match = is_shown, .ctx = &l };

	/* is_shown() finds a CPU that has no bit */
	if (!others && s->cpu >= 0 && s->cpu < TRACE_CPU_BITS) {
		bits[s->cpu / 64] = 1ULL << s->cpu % 64;
		range.cpus = bits;
	}
	ops.lost = lines_lost;
	l.out.opts.colour = !s->args->json && term_colour(fd);
	return out_render(&l.out, &range, &which, err);
}

/* Counts the records to show: the last of each CPU, those of other CPUs within --around. */
static void count_lines(struct oops_show *s)
{
	uint64_t last = s->args->last;
	struct trace_iter *it = trace_iter_new_range(&s->trace, 1, NULL, window_start(s),
						     UINT64_MAX);
	const struct trace_rec *r;
	struct show_cpu *c;

	while ((r = trace_iter_next(it))) {
		c = show_find_cpu(s, r->cpu);
		if (c && r->rec.data)
			c->count++;
	}
	trace_iter_free(it);
	for (c = s->cpus; c < s->cpus + s->nr_cpus; c++) {
		if (c->cpu == s->cpu)
			c->count = c->all;
		c->shown = c->count < last ? c->count : last;
		c->skip = c->count - c->shown;
	}
}

/* --- the CPU and the task in question */

/*
 * Finds CPU and task of the last record, of CPU @only unless it is -1. Returns false if there is no
 * record.
 */
static bool find_last(const struct oops_show *s, int only, int *cpu, int *pid)
{
	uint64_t first, last, since = 0;
	struct dat *d = s->trace->dat;
	struct trace *t = s->trace;
	struct trace_iter *it;
	const struct trace_rec *r;
	bool found = false;

	for (size_t i = 0; i < d->nr_buffers; i++)
		for (size_t k = 0; k < d->buffers[i].nr_cpus; k++)
			if ((only < 0 || d->buffers[i].cpus[k].cpu == only) &&
			    trace_cpu_bounds(t, &d->buffers[i], &d->buffers[i].cpus[k], &first,
					     &last) && last > since)
				since = last;
	it = trace_iter_new_range(&t, 1, NULL, since, UINT64_MAX);
	while ((r = trace_iter_next(it))) {
		if (!r->rec.data || (only >= 0 && r->cpu != only))
			continue;
		found = true;
		*cpu = r->cpu;
		*pid = r->pid;
	}
	trace_iter_free(it);
	return found;
}

/* --- text */

#define KEY_WIDTH 9

/* Prints and empties @b, and flushes: lines of records do not go through stdio. */
static void print_buf(struct buf *b)
{
	fwrite(b->len ? b->data : "", 1, b->len, stdout);
	fflush(stdout);
	buf_release(b);
}

static void add_key(struct buf *b, const char *key)
{
	buf_printf(b, "%-*s", KEY_WIDTH, key);
}

static void add_time(const struct oops_show *s, struct buf *b, uint64_t ts)
{
	trace_add_time(b, s->trace, ts, false);
}

/* Adds milliseconds; units of the clock if it does not count nanoseconds. */
static void add_duration(const struct oops_show *s, struct buf *b, uint64_t v)
{
	if (v == SPAN_UNKNOWN)
		buf_addstr(b, "?");
	else if (s->trace->clock_is_ns)
		buf_printf(b, "%.3f ms", v / 1e6);
	else
		buf_printf(b, "%" PRIu64, v);
}


static void add_oops(const struct oops_show *s, struct buf *b)
{
	add_key(b, "oops:");
	if (!s->has_oops) {
		buf_addstr(b, dat_text(s->trace->dat, DAT_FTR_OOPS)->len ?
			   "no line of the text is known to begin one; what follows is of the "
			   "last record\n" :
			   "the file has no text of one; what follows is of the last record\n");
		return;
	}
	show_add_part(b, &s->oops.head);
	buf_addch(b, '\n');
	if (!s->oops.place.p)
		return;
	add_key(b, "place:");
	show_add_part(b, &s->oops.place);
	buf_addstr(b, s->oops.is_top ? ", on top of its stack" : "");
	buf_addstr(b, s->oops.is_irq ? ", in an interrupt\n" : "\n");
}

static void add_task(const struct oops_show *s, struct buf *b)
{
	const struct task *t = s->task;
	char *name;

	add_key(b, "task:");
	if (s->pid < 0) {
		buf_addstr(b, "not known\n");
		return;
	}
	name = show_task_text(s);
	if (s->has_oops && !s->text_has_task)
		buf_printf(b, "not told; %s is that of the last record%s", name,
			   s->text_has_cpu ? " on that CPU" : "");
	else
		buf_addstr(b, name);
	free(name);
	if (!t) {
		buf_addstr(b, ", which has no records\n");
		return;
	}
	if (model_has_states(s->model, 0)) {
		buf_printf(b, ", %s for ", model_state_name(s->model, t->state));
		add_duration(s, b, s->last_ts > s->since ? s->last_ts - s->since : 0);
	}
	buf_addch(b, '\n');
}


static void add_span(const struct oops_show *s, struct buf *b, const struct show_span *p)
{
	buf_addstr(b, "  ");
	add_time(s, b, p->begin);
	buf_addstr(b, "  ");
	if (p->kind == SPAN_WAKEUP)
		buf_printf(b, "%s%s%swaited for a CPU ", p->name ? "by " : "",
			   p->name ? p->name : "", p->name ? ", " : "");
	else
		buf_printf(b, "%s %s, ", model_kind_name(s->model, p->kind), p->name);
	buf_addstr(b, p->is_most ? "up to " : "");
	add_duration(s, b, p->is_open ? s->last_ts - p->begin : p->duration);
	buf_addstr(b, p->is_open ? " until the end\n" : "\n");
}

static void add_count(const struct oops_show *s, struct buf *b, const struct show_cpu *c)
{
	char *task = show_cpu_task(s, c);

	buf_printf(b, "CPU %d", c->cpu);
	if (task)
		buf_printf(b, ", at the end %s", task);
	buf_printf(b, ": the last %" PRIu64 " of %" PRIu64 " records\n", c->shown, c->count);
	free(task);
}

static int print_others(const struct oops_show *s, struct ftr_error *err)
{
	const struct show_cpu *c;
	struct buf b = {0};

	buf_addstr(&b, "\nOther CPUs");
	if (s->trace->clock_is_ns) {
		buf_addstr(&b, " in the last ");
		add_duration(s, &b, s->args->around_ns);
	}
	buf_addstr(&b, ":\n");
	for (c = s->cpus; c < s->cpus + s->nr_cpus; c++) {
		if (c->cpu == s->cpu)
			continue;
		buf_addstr(&b, "  ");
		add_count(s, &b, c);
	}
	print_buf(&b);
	return show_lines_write(s, true, STDOUT_FILENO, err);
}

static int show_print_text(const struct oops_show *s, struct ftr_error *err)
{
	static const char *const titles[SHOW_LISTS] = {
		"Open at the end:", "Last wakeups:", "Last waits for locks:", "Last block I/O:",
	};
	const struct show_cpu *ours = show_find_cpu(s, s->cpu), *c;
	const struct show_list *l;
	const char *before = "";
	struct buf b = {0};

	term_pager_start();
	add_oops(s, &b);
	add_task(s, &b);
	add_key(&b, "CPU:");
	if (s->cpu < 0)
		buf_addstr(&b, "not known\n");
	else if (s->text_has_cpu || !s->has_oops)
		buf_printf(&b, "%d\n", s->cpu);
	else if (s->text_has_task && s->task && s->task->cpu == s->cpu)
		buf_printf(&b, "%d, where the task ran last\n", s->cpu);
	else
		buf_printf(&b, "%d, that of the last record\n", s->cpu);
	add_key(&b, "end:");
	if (s->nr_cpus)
		add_time(s, &b, s->last_ts);
	else
		buf_addstr(&b, "no records");
	buf_addch(&b, '\n');
	add_key(&b, "losses:");
	for (c = s->cpus; c < s->cpus + s->nr_cpus; c++) {
		if (!c->lost && !c->lost_unknown)
			continue;
		buf_printf(&b, "%sCPU %d: ", before, c->cpu);
		before = ", ";
		if (c->lost)
			buf_printf(&b, "%" PRIu64 " events", c->lost);
		if (c->lost_unknown)
			buf_addstr(&b, c->lost ? " and more" : "an unknown number");
	}
	buf_addstr(&b, *before ? "\n" : "none\n");
	if (ours) {
		buf_addch(&b, '\n');
		add_count(s, &b, ours);
	}
	print_buf(&b);
	if (ours && show_lines_write(s, false, STDOUT_FILENO, err))
		return -1;
	for (l = s->lists; l < s->lists + SHOW_LISTS; l++) {
		if (l->n)
			buf_printf(&b, "\n%s\n", titles[l - s->lists]);
		for (size_t i = 0; i < l->n; i++)
			add_span(s, &b, show_span_at(l, i));
	}
	print_buf(&b);
	return s->nr_cpus > (ours != NULL) ? print_others(s, err) : 0;
}

/* --- JSON */

/* Bytes of the lines of a list; with more it is empty, as a record may have 256 KiB of text. */
#define LINES_MAX (64u << 20)

static json_t *text_or_null(const char *text)
{
	return text ? json_string(text) : json_null();
}

static json_t *part_or_null(const struct oops_part *p)
{
	struct buf b = {0};
	json_t *o = json_null();

	if (p->p) {
		show_add_part(&b, p);
		o = json_string(b.data);
		buf_release(&b);
	}
	return o;
}

static json_t *number_or_null(bool known, uint64_t v)
{
	return known ? json_integer(v) : json_null();
}

static json_t *oops_object(const struct oops_show *s)
{
	json_t *o;

	if (!s->has_oops)
		return json_null();
	o = json_object();
	json_object_set_new(o, "head", part_or_null(&s->oops.head));
	json_object_set_new(o, "place", part_or_null(&s->oops.place));
	json_object_set_new(o, "place_told", json_boolean(s->oops.place.p && !s->oops.is_top));
	json_object_set_new(o, "interrupt", json_boolean(s->oops.is_irq));
	json_object_set_new(o, "hung", json_boolean(s->oops.is_hung));
	return o;
}

static json_t *task_object(const struct oops_show *s)
{
	bool known = s->task && model_has_states(s->model, 0);
	char *name;
	json_t *o;

	if (s->pid < 0)
		return json_null();
	o = json_object();
	name = show_task_text(s);
	json_object_set_new(o, "task", json_string(name));
	free(name);
	json_object_set_new(o, "pid", json_integer(s->pid));
	json_object_set_new(o, "told", json_boolean(s->text_has_task));
	json_object_set_new(o, "recorded", json_boolean(s->task));
	json_object_set_new(o, "state", text_or_null(known ?
						      model_state_name(s->model, s->task->state) :
						      NULL));
	json_object_set_new(o, "since", number_or_null(known, s->since));
	return o;
}

static json_t *span_object(const struct oops_show *s, const struct show_span *p)
{
	json_t *o = json_object();

	if (p->kind != SPAN_WAKEUP)
		json_object_set_new(o, "kind", json_string(model_kind_name(s->model, p->kind)));
	json_object_set_new(o, p->kind == SPAN_WAKEUP ? "by" : "name", text_or_null(p->name));
	json_object_set_new(o, "begin", json_integer(p->begin));
	json_object_set_new(o, "duration", number_or_null(p->duration != SPAN_UNKNOWN,
							  p->duration));
	json_object_set_new(o, "open", json_boolean(p->is_open));
	return o;
}

static void add_lines(json_t *list, const char *p, size_t len)
{
	const char *end = p + len, *nl;
	struct buf b = {0};

	for (; p < end; p = nl + 1) {
		nl = memchr(p, '\n', end - p);
		if (!nl)
			nl = end;
		buf_reset(&b);
		text_sanitise(&b, p, nl - p, false);
		json_array_append_new(list, json_string(b.len ? b.data : ""));
	}
	buf_release(&b);
}

/* Makes the list of the lines, which the sink writes to a file without a name. */
static json_t *line_list(const struct oops_show *s, bool others, struct ftr_error *err)
{
	int fd = io_unnamed(), ret;
	json_t *list = json_array();
	struct buf text = {0};

	if (fd < 0) {
		err_sys(err, "cannot make a file in '%s'", io_tmpdir());
		return list;
	}
	ret = show_lines_write(s, others, fd, err);
	if (!ret && lseek(fd, 0, SEEK_SET) == 0 && io_read_max(fd, LINES_MAX, &text))
		err_sys(err, "cannot read a file of '%s'", io_tmpdir());
	close(fd);
	if (text.len)
		add_lines(list, text.data, text.len);
	buf_release(&text);
	return list;
}

static int show_print_json(const struct oops_show *s, struct ftr_error *err)
{
	static const char *const names[SHOW_LISTS] = { "open", "wakeups", "locks", "blocks" };
	json_t *all = json_object(), *losses = json_array(), *cpus = json_array(), *list, *o;
	const struct show_list *l;
	const struct show_cpu *c;
	char *task;

	for (c = s->cpus; c < s->cpus + s->nr_cpus; c++) {
		task = show_cpu_task(s, c);
		o = json_object();
		json_object_set_new(o, "cpu", json_integer(c->cpu));
		json_object_set_new(o, "task", text_or_null(task));
		json_object_set_new(o, "count", json_integer(c->count));
		json_object_set_new(o, "shown", json_integer(c->shown));
		json_array_append_new(cpus, o);
		free(task);
		if (!c->lost && !c->lost_unknown)
			continue;
		o = json_object();
		json_object_set_new(o, "cpu", json_integer(c->cpu));
		json_object_set_new(o, "events", json_integer(c->lost));
		json_object_set_new(o, "more", json_boolean(c->lost_unknown));
		json_array_append_new(losses, o);
	}
	json_object_set_new(all, "oops", oops_object(s));
	json_object_set_new(all, "task", task_object(s));
	json_object_set_new(all, "cpu", number_or_null(s->cpu >= 0, s->cpu));
	json_object_set_new(all, "cpu_told", json_boolean(s->text_has_cpu));
	json_object_set_new(all, "end", number_or_null(s->nr_cpus, s->last_ts));
	json_object_set_new(all, "losses", losses);
	for (l = s->lists; l < s->lists + SHOW_LISTS; l++) {
		list = json_array();
		for (size_t i = 0; i < l->n; i++)
			json_array_append_new(list, span_object(s, show_span_at(l, i)));
		json_object_set_new(all, names[l - s->lists], list);
	}
	json_object_set_new(all, "cpus", cpus);
	json_object_set_new(all, "records", line_list(s, false, err));
	json_object_set_new(all, "others", line_list(s, true, err));
	if (!err->code) {
		json_dumpf(all, stdout, JSON_INDENT(1) | JSON_ENSURE_ASCII);
		putchar('\n');
	}
	json_decref(all);
	return err->code ? -1 : 0;
}

/* --- the command */

static int show_trace(struct oops_show *s, struct ftr_error *err)
{
	static const struct span_ops ops = { .end = span_ended, .waited = task_waited };
	const struct dat_blob *text = dat_text(s->trace->dat, DAT_FTR_OOPS);
	struct model_opts o = { .kinds = KINDS };
	int cpu, pid, ret;
	struct show_cpu *c;

	/* the text of a hung task has no CPU, that of a dead CPU perhaps no task */
	s->has_oops = text->len && oops_text_read(text->p, text->len, &s->oops);
	s->cpu = s->has_oops ? s->oops.cpu : -1;
	s->pid = s->has_oops ? s->oops.pid : -1;
	s->text_has_cpu = s->cpu >= 0;
	s->text_has_task = s->pid >= 0;
	if (!s->text_has_task && find_last(s, s->cpu, &cpu, &pid)) {
		s->pid = pid;
		s->cpu = cpu;
	}
	for (size_t i = 0; i < SHOW_LISTS; i++)
		s->lists[i].room = i == SHOW_OPENS ? SHOW_OPEN : SHOW_FEW;
	s->model = model_new(&s->trace, 1, &o, &ops, s, err);
	if (!s->model)
		return -1;
	read_all(s);
	/* a task that hangs has been on a CPU, if it is in the records at all */
	if (s->cpu < 0 && s->task)
		s->cpu = s->task->cpu;
	if (s->cpu < 0)
		find_last(s, -1, &s->cpu, &pid);
	for (const struct model_cpu *m = model_cpus(s->model); m; m = m->next) {
		c = show_find_cpu(s, m->cpu);
		if (c && !m->lost)
			c->task = m->task;
	}
	count_lines(s);
	ret = s->args->json ? show_print_json(s, err) : show_print_text(s, err);
	lists_clear(s);
	model_free(s->model);
	free(s->cpus);
	return ret;
}

static int print_oops(const struct trace *t, struct ftr_error *err)
{
	const struct dat_blob *text = dat_text(t->dat, DAT_FTR_OOPS);
	struct buf b = {0};

	if (!text->len) {
		err_set(err, FTR_FAILED, "'%s' has no text of an oops", t->dat->path);
		return err_hint(err, "'ftr oops parse' and 'ftr oops collect' make files with one");
	}
	text_sanitise(&b, text->p, text->len, true);
	fwrite(b.data, 1, b.len, stdout);
	if (b.data[b.len - 1] != '\n')
		putchar('\n');
	buf_release(&b);
	return 0;
}

static int show_file(struct show_args *a, struct ftr_error *err)
{
	struct oops_show s = { .args = a };
	int ret;

	if (selection_open(&a->select, err) || selection_compile(&a->select, err))
		return cmd_fail(err);
	sig_hold();
	s.trace = a->select.traces[0];
	ret = a->text ? print_oops(s.trace, err) : show_trace(&s, err);
	if (s.signal)
		cmd_warn("interrupted: only the records read until then are shown");
	if (s.signal)
		return 128 + s.signal;
	if (ret)
		return err->sys == EPIPE ? FTR_OK : cmd_fail(err);
	return FTR_OK;
}

int oops_show(const struct cmd *self, int argc, char **argv)
{
	struct show_args a = { .last = 20, .around_ns = AROUND_NS };
	struct ftr_error err = {0};
	int damaged, status, first = cmd_parse(self, argc, argv, &a, &status);

	if (first >= 0 && argc - first != 1) {
		err_set(&err, FTR_USAGE, "show takes one file");
		err_hint(&err, "ftr oops show FILE");
		status = cmd_fail(&err);
	} else if (first >= 0 && a.json && a.text) {
		err_set(&err, FTR_USAGE, "--text and --json exclude each other");
		err_hint(&err, "leave out one of them");
		status = cmd_fail(&err);
	} else if (first >= 0) {
		strv_add(&a.select.files, argv[first]);
		status = show_file(&a, &err);
		damaged = selection_report_damages(&a.select);
		status = status ? status : damaged;
	}
	selection_release(&a.select);
	return status;
}
