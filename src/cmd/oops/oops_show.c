/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr oops show: what the text of an oops says, and what led to it. */
#include "cmd/oops/oops_show.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "base/sig.h"
#include "base/term.h"
#include "base/text.h"
#include "cmd/oops/oops_verbs.h"

#define LAST_MAX	1000
#define LOOK_EACH	(1u << 16)	/* records between two looks at signals */
#define AROUND_NS	50000000
#define KINDS		((1u << SPAN_PAIR) - 1)

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

/* --- what both outputs need */

char *show_task_text(const struct show *s)
{
	const char *name = s->has_oops && s->told_task && s->pid ? s->oops.comm : "";
	struct buf b = {0};

	if (!*name)
		name = s->task ? model_task_name(s->model, s->task) : trace_comm(s->trace, s->pid);
	text_sanitise(&b, name, strlen(name), false);
	buf_printf(&b, "-%d", s->pid);
	return buf_take(&b);
}

const struct show_span *show_span_at(const struct show_list *l, size_t i)
{
	return &l->v[(l->n < l->room ? i : l->next + i) % l->room];
}

struct show_cpu *show_find_cpu(const struct show *s, int cpu)
{
	size_t at = SEARCH_LAST(i, 0, s->nr_cpus, s->cpus[i].cpu <= cpu);

	return s->nr_cpus && s->cpus[at].cpu == cpu ? &s->cpus[at] : NULL;
}

char *show_cpu_task(const struct show *s, const struct show_cpu *c)
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

void show_add_part(struct buf *b, const struct oops_part *p)
{
	text_sanitise(b, p->p, p->len < SHOW_LINE ? p->len : SHOW_LINE, false);
}

/* --- lists of spans */

static void list_clear(struct show_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i].name);
	l->n = l->next = 0;
}

static struct show_span *list_add(struct show_list *l)
{
	struct show_span *at = &l->v[l->next];

	if (l->n == l->room)
		free(at->name);
	else
		l->n++;
	l->next = (l->next + 1) % l->room;
	*at = (struct show_span){0};
	return at;
}

static void lists_init(struct show *s)
{
	for (size_t i = 0; i < SHOW_LISTS; i++)
		s->lists[i].room = i == SHOW_OPENS ? SHOW_OPEN : SHOW_FEW;
}

static void lists_clear(struct show *s)
{
	for (size_t i = 0; i < SHOW_LISTS; i++)
		list_clear(&s->lists[i]);
}

static int by_begin(const void *a, const void *b)
{
	const struct show_span *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return (x->depth > y->depth) - (x->depth < y->depth);
}

/* At the end the youngest are told first. */
static void sort_opens(struct show_list *l)
{
	if (l->n)
		qsort(l->v, l->n, sizeof(*l->v), by_begin);
	l->next = l->n % l->room;
}

/* --- the pass over all records */

/* Of several that had the pid the last; the idle task of another CPU is another. */
static bool is_ours(struct show *s, const struct task *t)
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

static struct show_span *remember(const struct show *s, struct show_list *l, const struct span *p)
{
	struct show_span *to = list_add(l);
	struct buf b = {0};

	to->kind = p->kind;
	to->begin = p->begin;
	to->duration = p->duration;
	to->is_open = p->marks & SPAN_OPEN;
	to->is_most = p->kind == SPAN_WAKEUP && p->marks & SPAN_LOSS;
	to->depth = p->depth;
	if (p->kind == SPAN_WAKEUP)
		return to;
	model_add_name(s->model, p, &b);
	buf_addstr(&b, "");
	to->name = buf_take(&b);
	return to;
}

static void span_ended(void *ctx, struct span *p, const struct trace_rec *r)
{
	struct show *s = ctx;
	bool ours = is_ours(s, p->task);

	(void)r;
	if (p->marks & SPAN_NO_BEGIN)
		return;
	if ((p->marks & SPAN_OPEN) && (p->by_task || p->kind == SPAN_BLOCK ? ours :
						    p->cpu_begin == s->cpu))
		remember(s, &s->lists[SHOW_OPENS], p);
	if (ours && p->kind == SPAN_LOCK)
		remember(s, &s->lists[SHOW_LOCKS], p);
	if (ours && p->kind == SPAN_BLOCK)
		remember(s, &s->lists[SHOW_BLOCKS], p);
}

static void task_waited(void *ctx, struct span *p, const struct trace_rec *r)
{
	struct show *s = ctx;
	struct show_span *to;
	struct buf b = {0};

	(void)r;
	/* who was preempted waits as well, but nobody woke it */
	if (!is_ours(s, p->task) || (p->marks & SPAN_NO_BEGIN) ||
	    p->task->state == TASK_PREEMPTED)
		return;
	to = remember(s, &s->lists[SHOW_WAKEUPS], p);
	if (model_add_waker(s->model, &p->task->waker, &b))
		to->name = buf_take(&b);
}

static int by_number(const void *a, const void *b)
{
	const struct show_cpu *x = a, *y = b;

	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

/* One stream is one CPU of one buffer: their CPUs, each once. */
static void collect_cpus(struct show *s, const struct show_cpu *streams, size_t n)
{
	struct show_cpu *c;
	size_t i;

	s->cpus = xcalloc(n + 1, sizeof(*s->cpus));
	for (i = 0; i < n; i++)
		if (streams[i].has_records)
			s->cpus[s->nr_cpus++] = streams[i];
	if (!s->nr_cpus)
		return;
	qsort(s->cpus, s->nr_cpus, sizeof(*s->cpus), by_number);
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

static void count_record(struct show *s, struct show_cpu *stream, const struct trace_rec *r)
{
	stream->cpu = r->cpu;
	stream->has_records = true;
	stream->all += r->rec.data != NULL;
	if (r->lost == RING_LOST_UNKNOWN)
		stream->lost_unknown = true;
	else
		stream->lost += r->lost;
	if (r->rec.data && r->ts > s->last_ts)
		s->last_ts = r->ts;
}

/* Before the model ends, which counts times up to the last record. */
static void find_task(struct show *s)
{
	for (const struct task *t = model_tasks(s->model); t; t = t->next)
		is_ours(s, t);
	s->since = s->task ? s->task->since : 0;
}

static void read_all(struct show *s)
{
	size_t n = trace_nr_streams(&s->trace, 1);
	struct show_cpu *streams = xcalloc(n + 1, sizeof(*streams));
	struct trace_iter *it = trace_iter_new(&s->trace, 1, NULL);
	const struct trace_rec *r;
	uint32_t seen = 0;

	while ((r = trace_iter_next(it))) {
		count_record(s, &streams[r->stream], r);
		model_feed(s->model, r);
		if (++seen % LOOK_EACH)
			continue;
		s->signal = sig_held();
		if (s->signal)
			break;
	}
	trace_iter_free(it);
	find_task(s);
	model_end(s->model);
	collect_cpus(s, streams, n);
	free(streams);
	sort_opens(&s->lists[SHOW_OPENS]);
	if (model_refused(s->model))
		cmd_warn("%" PRIu64 " spans are missing: too many were open at once",
			 model_refused(s->model));
}

/* --- lines of a CPU */

/* All of it where the clock counts no nanoseconds. */
static uint64_t window_start(const struct show *s)
{
	uint64_t back = s->args->around_ns;

	if (!s->trace->clock_is_ns)
		return 0;
	return s->last_ts > back ? s->last_ts - back : 0;
}

/* A sink of its own: a loss before what is not shown is not shown. */
struct lines_out {
	struct out out;			/* first */
	const struct show *show;
	bool others;
};

static bool is_looked_at(const struct show *s, bool others, int cpu)
{
	return (cpu != s->cpu) == others;
}

static void lines_lost(struct out *out, const struct trace_rec *r)
{
	const struct lines_out *l = (const struct lines_out *)out;
	const struct show_cpu *c = show_find_cpu(l->show, r->cpu);

	if (c && !c->skip && is_looked_at(l->show, l->others, r->cpu))
		out_text.lost(out, r);
}

static bool is_shown(void *ctx, const struct trace_rec *r)
{
	const struct lines_out *l = ctx;
	struct show_cpu *c = show_find_cpu(l->show, r->cpu);

	if (!c || !is_looked_at(l->show, l->others, r->cpu))
		return false;
	if (!c->skip)
		return true;
	c->skip--;
	return false;
}

/* A CPU beyond all lists is found by its number alone. */
static const uint64_t *one_cpu(int cpu, uint64_t *bits)
{
	if (cpu < 0 || cpu >= TRACE_CPU_BITS)
		return NULL;
	memset(bits, 0, TRACE_CPU_BITS / 8);
	bits[cpu / 64] = 1ULL << cpu % 64;
	return bits;
}

int show_lines_write(const struct show *s, bool others, int fd, struct ftr_error *err)
{
	struct trace *t = s->trace;
	uint64_t bits[TRACE_CPU_BITS / 64];
	struct out_range range = { .cpus = others ? NULL : one_cpu(s->cpu, bits),
				   .since = others ? window_start(s) : 0, .until = UINT64_MAX,
				   .threads = 1 };
	struct out_ops ops = out_text;
	struct lines_out l = {
		.out = { .ops = &ops, .traces = &t, .nr_traces = 1, .fd = fd },
		.show = s, .others = others,
	};
	struct out_match which = { .match = is_shown, .ctx = &l };

	ops.lost = lines_lost;
	l.out.opts.colour = !s->args->json && term_colour(fd);
	return out_render(&l.out, &range, &which, err);
}

/* Which records are the last of each CPU, of other CPUs of the last moments. */
static void count_lines(struct show *s)
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

static void find_tasks_of_cpus(struct show *s)
{
	struct show_cpu *c;

	for (const struct model_cpu *m = model_cpus(s->model); m; m = m->next) {
		c = show_find_cpu(s, m->cpu);
		if (c && !m->lost)
			c->task = m->task;
	}
}

/* --- who is in question */

/* The last record, of @cpu or of all: its CPU and its task. */
static bool find_last(const struct show *s, int only, int *cpu, int *pid)
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

/* Of a hung task the text has no CPU, of a dead CPU perhaps no task. */
static void find_question(struct show *s)
{
	const struct dat_blob *text = dat_text(s->trace->dat, DAT_FTR_OOPS);
	int cpu, pid;

	s->has_oops = text->len && oops_text_read(text->p, text->len, &s->oops);
	s->cpu = s->has_oops ? s->oops.cpu : -1;
	s->pid = s->has_oops ? s->oops.pid : -1;
	s->told_cpu = s->cpu >= 0;
	s->told_task = s->pid >= 0;
	if (s->told_task || !find_last(s, s->cpu, &cpu, &pid))
		return;
	s->pid = pid;
	s->cpu = cpu;
}

/* A task that hangs has been on a CPU, if it is in the records at all. */
static void find_cpu(struct show *s)
{
	int pid;

	if (s->cpu < 0 && s->task)
		s->cpu = s->task->cpu;
	if (s->cpu < 0)
		find_last(s, -1, &s->cpu, &pid);
}

/* --- the command */

static int show_trace(struct show *s, struct ftr_error *err)
{
	static const struct span_ops ops = { .end = span_ended, .waited = task_waited };
	struct model_opts o = { .kinds = KINDS };
	int ret;

	find_question(s);
	lists_init(s);
	s->model = model_new(&s->trace, 1, &o, &ops, s, err);
	if (!s->model)
		return -1;
	read_all(s);
	find_cpu(s);
	find_tasks_of_cpus(s);
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

static int check_usage(struct show_args *a, int nr_files, struct ftr_error *err)
{
	if (nr_files != 1) {
		err_set(err, FTR_USAGE, "show takes one file");
		return err_hint(err, "ftr oops show FILE");
	}
	if (a->json && a->text) {
		err_set(err, FTR_USAGE, "--text and --json exclude each other");
		return err_hint(err, "leave out one of them");
	}
	return 0;
}

static int show_file(struct show_args *a, struct ftr_error *err)
{
	struct show s = { .args = a };
	int ret;

	if (selection_open(&a->select, err) || selection_compile(&a->select, err))
		return cmd_fail(err);
	sig_hold();
	s.trace = a->select.traces[0];
	ret = a->text ? print_oops(s.trace, err) : show_trace(&s, err);
	if (s.signal)
		cmd_warn("interrupted: only what was read until then is shown");
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

	if (first >= 0 && check_usage(&a, argc - first, &err)) {
		status = cmd_fail(&err);
	} else if (first >= 0) {
		strv_add(&a.select.files, argv[first]);
		status = show_file(&a, &err);
		damaged = selection_say_damages(&a.select);
		status = status ? status : damaged;
	}
	selection_release(&a.select);
	return status;
}
