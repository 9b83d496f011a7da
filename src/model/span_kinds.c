/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kinds of spans and their events: interrupts, softirqs, work, locks, requests to block
 * devices, probes, and the pairs of events that users define. Calls are in call_spans.c, system
 * calls in syscalls.c, events of the scheduler in states.c and tasks.c.
 */
#include <stdlib.h>

#include "base/text.h"
#include "model/model_priv.h"

#define NO_SECTOR	UINT64_MAX
#define PAIRS_MAX	(SPAN_KINDS_MAX - SPAN_PAIR)

static uint64_t task_key(const struct task *t)
{
	return (uintptr_t)t;
}

static uint64_t cpu_key(const struct model_rec *at)
{
	return (uint64_t)at->r->file << 32 | (uint32_t)at->r->cpu;
}

/* Opens a span on @list. Its end is the record that has the same @id. */
static void begin_with_id(struct model *m, struct span_list *list, const struct model_bind *b,
			  uint64_t name, enum span_name how, bool by_task, uint64_t id,
			  const struct model_rec *at)
{
	struct span *s = span_begin(m, list, b->kind, name, how, by_task, at);

	if (!s)
		return;
	s->end_id = id;
	span_begun(m, s, at);
}

/*
 * Ends the youngest span of @key with @id, and the younger ones without that id as "no end". If
 * there is none, makes a span with this name and without a start.
 */
static void end_with_id(struct model *m, const struct model_bind *b, uint64_t key, uint64_t id,
			enum span_name how, uint64_t name, bool by_task, const struct model_rec *at)
{
	struct span_list *list = span_list_of(m, b->kind, key, 0, false);
	struct span *s = list ? list->young : NULL;

	while (s && s->end_id != id)
		s = s->below;
	if (!s) {
		list = list ? list : span_list_of(m, b->kind, key, 0, true);
		span_lone_end(m, list, b->kind, name, how, by_task, at);
		return;
	}
	spans_cut(m, list, s, at);
	span_end_now(m, s, 0, at);
}

/* --- irq: fields irq, name */

static void irq_entry(struct model *m, const struct model_bind *b, const struct model_rec *at)
{
	uint64_t irq;
	const char *name;
	size_t len;

	if (!at_num(at, b->f[0], &irq) || !at_text(at, b->f[1], &name, &len))
		return;
	begin_with_id(m, span_list_of(m, b->kind, cpu_key(at), 0, true), b,
		      (uintptr_t)model_text(m, name, len), SPAN_NAME_TEXT, false, irq, at);
}

static void irq_exit(struct model *m, const struct model_bind *b, const struct model_rec *at)
{
	uint64_t irq;

	if (at_num(at, b->f[0], &irq))
		end_with_id(m, b, cpu_key(at), irq, SPAN_NAME_IRQ, irq, false, at);
}

/* --- softirq: field vec. With PREEMPT_RT softirqs run in tasks, which may migrate. */

static bool is_rt(const struct model *m, const struct model_rec *at)
{
	return m->files[at->r->file].trace->meta.rt;
}

static uint64_t softirq_key(const struct model *m, const struct model_rec *at)
{
	return is_rt(m, at) ? task_key(at->task) : cpu_key(at);
}

static void softirq_entry(struct model *m, const struct model_bind *b, const struct model_rec *at)
{
	uint64_t vec;

	if (at_num(at, b->f[0], &vec))
		begin_with_id(m, span_list_of(m, b->kind, softirq_key(m, at), 0, true), b, vec,
			      SPAN_NAME_VEC, is_rt(m, at), vec, at);
}

static void softirq_exit(struct model *m, const struct model_bind *b, const struct model_rec *at)
{
	uint64_t vec;

	if (at_num(at, b->f[0], &vec))
		end_with_id(m, b, softirq_key(m, at), vec, SPAN_NAME_VEC, vec, is_rt(m, at), at);
}

/* --- work: fields work, function; workqueue_execute_end has the function since 5.6 */

static void work_start(struct model *m, const struct model_bind *b, const struct model_rec *at)
{
	uint64_t work, function;

	if (at_num(at, b->f[0], &work) && at_num(at, b->f[1], &function))
		begin_with_id(m, span_list_of(m, b->kind, task_key(at->task), 0, true), b, function,
			      SPAN_NAME_SYMBOL, true, work, at);
}

static void work_end(struct model *m, const struct model_bind *b, const struct model_rec *at)
{
	uint64_t work, name;

	if (!at_num(at, b->f[0], &work))
		return;
	if (!b->f[1] || !at_num(at, b->f[1], &name))
		name = work;
	end_with_id(m, b, task_key(at->task), work, SPAN_NAME_SYMBOL, name, true, at);
}

/* --- lock: field lock_addr. A mutex has two contention_begin: to spin, then to sleep. */

static void lock_begin(struct model *m, const struct model_bind *b, const struct model_rec *at)
{
	uint64_t lock;

	if (!at_num(at, b->f[0], &lock) ||
	    span_list_of(m, b->kind, task_key(at->task), lock, false))
		return;
	begin_with_id(m, span_list_of(m, b->kind, task_key(at->task), lock, true), b, lock,
		      SPAN_NAME_OBJECT, true, lock, at);
}

static void lock_end(struct model *m, const struct model_bind *b, const struct model_rec *at)
{
	struct span_list *list;
	uint64_t lock;

	if (!at_num(at, b->f[0], &lock))
		return;
	list = span_list_of(m, b->kind, task_key(at->task), lock, true);
	if (list->young)
		span_end_now(m, list->young, 0, at);
	else
		span_lone_end(m, list, b->kind, lock, SPAN_NAME_OBJECT, true, at);
}

/* --- block: from the issue to the driver to the completion by the device */

struct block_request {
	uint64_t dev, sector, nr;
};

/*
 * Reads the fields. Returns false if one is missing. A request without sectors, such as a flush, is
 * identified by its device alone.
 */
static bool request_read(const struct model_bind *b, const struct model_rec *at,
			 struct block_request *q)
{
	if (!at_num(at, b->f[0], &q->dev) || !at_num(at, b->f[1], &q->sector) ||
	    !at_num(at, b->f[2], &q->nr))
		return false;
	q->nr &= UINT32_MAX;
	q->dev |= (uint64_t)at->r->file << 32;
	if (!q->nr)
		q->sector = NO_SECTOR;
	return true;
}

static struct span_list *request_list(struct model *m, const struct block_request *q, bool make)
{
	return span_list_of(m, SPAN_BLOCK, q->dev, q->sector, make);
}

static const char *request_name(struct model *m, const struct model_bind *b,
				const struct model_rec *at)
{
	const char *p;
	size_t len;

	return at_text(at, b->f[3], &p, &len) ? model_text(m, p, len) : "";
}

static void block_issue(struct model *m, const struct model_bind *b, const struct model_rec *at)
{
	struct span_list *list;
	struct block_request q;
	struct span *s;

	if (!request_read(b, at, &q))
		return;
	/* the oldest request that was requeued is issued again */
	list = request_list(m, &q, false);
	s = list ? list->old : NULL;
	while (s && !s->form)
		s = s->above;
	if (s) {
		s->form = 0;
		return;
	}
	s = span_begin(m, request_list(m, &q, true), SPAN_BLOCK,
		       (uintptr_t)request_name(m, b, at), SPAN_NAME_TEXT, false, at);
	if (!s)
		return;
	s->left = q.nr;
	span_begun(m, s, at);
}

static void block_complete(struct model *m, const struct model_bind *b, const struct model_rec *at)
{
	struct span_list *list;
	struct block_request q;
	struct span *s;

	if (!request_read(b, at, &q))
		return;
	list = request_list(m, &q, true);
	s = list->old;
	if (!s) {
		span_lone_end(m, list, SPAN_BLOCK, (uintptr_t)request_name(m, b, at),
			      SPAN_NAME_TEXT, false, at);
	} else if (q.nr < s->left) {
		s->left -= q.nr;
		span_rekey(m, s, q.dev, q.sector + q.nr);
	} else {
		span_end_now(m, s, 0, at);
	}
}

static void block_requeue(struct model *m, const struct model_bind *b, const struct model_rec *at)
{
	struct block_request q;
	struct span_list *list;
	struct span *s;

	if (!request_read(b, at, &q))
		return;
	/* the oldest request that is not requeued yet */
	list = request_list(m, &q, false);
	s = list ? list->old : NULL;
	while (s && s->form)
		s = s->above;
	if (!s)
		return;
	s->form = 1;
	s->marks |= SPAN_REQUEUED;
}

/*
 * --- probes: a span starts at a kprobe or uprobe and ends at the return probe of the same
 * function. Fields (kernel/trace/trace_probe.h): __probe_ip of a probe; __probe_func,
 * __probe_ret_ip of a return probe.
 */

/* Returns the start of the function that contains @addr; an address of user space itself. */
static uint64_t function_start(const struct model *m, const struct model_rec *at, uint64_t addr)
{
	const char *mod;
	size_t len, mod_len;
	uint64_t off;

	if (!ev_syms_find(m->files[at->r->file].trace->meta.syms, addr, &len, &mod, &mod_len,
			  &off) || ev_syms_listed_only(mod, mod_len))
		return addr;
	return addr - off;
}

static void probe_begin(struct model *m, const struct model_bind *b, const struct model_rec *at)
{
	struct span *s;
	uint64_t addr;

	if (!at_num(at, b->f[0], &addr))
		return;
	addr = function_start(m, at, addr);
	s = span_begin(m, span_list_of(m, SPAN_PROBE, (uintptr_t)at->task, addr, true), SPAN_PROBE,
		       addr, SPAN_NAME_SYMBOL, true, at);
	if (s)
		span_begun(m, s, at);
}

static void probe_return(struct model *m, const struct model_bind *b, const struct model_rec *at)
{
	struct span_list *list;
	uint64_t addr;

	if (!at_num(at, b->f[0], &addr))
		return;
	addr = function_start(m, at, addr);
	list = span_list_of(m, SPAN_PROBE, (uintptr_t)at->task, addr, true);
	if (list->young)
		span_end_now(m, list->young, 0, at);
	else
		span_lone_end(m, list, SPAN_PROBE, addr, SPAN_NAME_SYMBOL, true, at);
}

bool probe_has_spans(const struct event_meta *meta, const struct ev_format *fmt)
{
	struct ev_format *v;
	size_t n;

	if (ev_field(fmt, "__probe_func"))
		return true;
	if (!ev_field(fmt, "__probe_ip"))
		return false;
	n = event_meta_formats(meta, NULL, &v);
	for (size_t i = 0; i < n; i++)
		if (!ev_format_ready(&v[i]) && ev_field(&v[i], "__probe_ret_ip"))
			return true;
	return false;
}

bool probe_bind(struct model *m, struct model_bind *b, const struct ev_format *fmt)
{
	b->kind = SPAN_PROBE;
	b->f[0] = ev_field(fmt, "__probe_func");
	b->on = probe_return;
	if (b->f[0])
		return true;
	b->f[0] = ev_field(fmt, "__probe_ip");
	b->on = probe_begin;
	return probe_has_spans(&m->files[b->file].trace->meta, fmt);
}

#define SCHED_FORM(name, on, form, ...) \
	{ "sched", name, MODEL_KIND_SCHED, on, form, { __VA_ARGS__ } }
#define SCHED(name, on, ...) SCHED_FORM(name, on, 0, __VA_ARGS__)

const struct kind_event kind_events[] = {
	{ "ftrace", "funcgraph_entry", SPAN_FUNCTION_GRAPH, call_entry, 0, { "func", "depth" } },
	{ "ftrace", "fgraph_retaddr_entry", SPAN_FUNCTION_GRAPH, call_entry, 0,
	  { "func", "depth" } },
	{ "ftrace", "funcgraph_exit", SPAN_FUNCTION_GRAPH, call_exit, 0, { "func", "depth" } },
	{ "raw_syscalls", "sys_enter", SPAN_SYSCALL, syscall_enter, 0, { "id" } },
	{ "raw_syscalls", "sys_exit", SPAN_SYSCALL, syscall_exit, 0, { "id", "ret" } },
	{ "syscalls", "sys_enter_*", SPAN_SYSCALL, syscall_enter, 1, { "__syscall_nr" } },
	{ "syscalls", "sys_exit_*", SPAN_SYSCALL, syscall_exit, 1, { "__syscall_nr", "ret" } },
	{ "irq", "irq_handler_entry", SPAN_IRQ, irq_entry, 0, { "irq", "name" } },
	{ "irq", "irq_handler_exit", SPAN_IRQ, irq_exit, 0, { "irq" } },
	{ "irq", "softirq_entry", SPAN_SOFTIRQ, softirq_entry, 0, { "vec" } },
	{ "irq", "softirq_exit", SPAN_SOFTIRQ, softirq_exit, 0, { "vec" } },
	{ "workqueue", "workqueue_execute_start", SPAN_WORK, work_start, 0,
	  { "work", "function" } },
	{ "workqueue", "workqueue_execute_end", SPAN_WORK, work_end, 0, { "work", "?function" } },
	{ "lock", "contention_begin", SPAN_LOCK, lock_begin, 0, { "lock_addr" } },
	{ "lock", "contention_end", SPAN_LOCK, lock_end, 0, { "lock_addr" } },
	{ "block", "block_rq_issue", SPAN_BLOCK, block_issue, 0,
	  { "dev", "sector", "nr_sector", "rwbs" } },
	{ "block", "block_rq_complete", SPAN_BLOCK, block_complete, 0,
	  { "dev", "sector", "nr_sector", "rwbs" } },
	{ "block", "block_rq_requeue", SPAN_BLOCK, block_requeue, 0,
	  { "dev", "sector", "nr_sector" } },
	SCHED("sched_switch", state_switch, "prev_pid", "prev_state", "next_pid", "?prev_comm",
	      "?next_comm"),
	SCHED_FORM("sched_waking", state_waking, WAKING, "pid"),
	SCHED_FORM("sched_wakeup", state_wakeup, WAKEUP, "pid", "?target_cpu"),
	SCHED_FORM("sched_wakeup_new", state_wakeup, WAKEUP_NEW, "pid", "?target_cpu"),
	SCHED("sched_migrate_task", state_migrate, "pid", "dest_cpu"),
	SCHED("sched_process_fork", task_fork, "child_pid", "?child_comm"),
	SCHED("sched_process_exec", task_exec, "pid", "old_pid", "?filename"),
	{ "task", "task_rename", MODEL_KIND_SCHED, task_rename, 0, { "pid", "newcomm" } },
	{ 0 }
};

const struct kind_event cpu_events[] = {
	{ "irq", "irq_handler_entry", MODEL_KIND_CPU, cpu_irq_entry, 0, { NULL } },
	{ "irq", "irq_handler_exit", MODEL_KIND_CPU, cpu_irq_exit, 0, { NULL } },
	{ "irq", "softirq_entry", MODEL_KIND_CPU, cpu_softirq_entry, 0, { NULL } },
	{ "irq", "softirq_exit", MODEL_KIND_CPU, cpu_softirq_exit, 0, { NULL } },
	{ "power", "cpu_idle", MODEL_KIND_CPU, cpu_enter_idle, 0, { "cpu_id", "state" } },
	{ "power", "cpu_frequency", MODEL_KIND_CPU, cpu_set_frequency, 0, { "cpu_id", "state" } },
	{ 0 }
};

/* --- pairs of events: --pair NAME=BEGIN,END[,KEY] */

enum { PAIR_BEGIN, PAIR_END };

static struct span_list *pair_list(struct model *m, const struct model_bind *b,
				   const struct model_rec *at, uint64_t *key)
{
	uint64_t a = (uintptr_t)at->task;

	*key = 0;
	if (b->f[0]) {
		if (!at_num(at, b->f[0], key))
			return NULL;
		a = at->r->file;
	}
	return span_list_of(m, b->kind, a, *key, true);
}

static uint64_t pair_name(const struct model *m, const struct model_bind *b)
{
	return (uintptr_t)m->pairs[b->kind - SPAN_PAIR].name;
}

static void pair_begin(struct model *m, const struct model_bind *b, const struct model_rec *at)
{
	uint64_t key;
	struct span_list *list = pair_list(m, b, at, &key);
	struct span *s;

	if (!list)
		return;
	if (list->young) {
		span_end_now(m, list->young, SPAN_NO_END, at);
		list = pair_list(m, b, at, &key);
	}
	s = span_begin(m, list, b->kind, pair_name(m, b), SPAN_NAME_TEXT, !b->f[0], at);
	if (s)
		span_begun(m, s, at);
}

static void pair_end(struct model *m, const struct model_bind *b, const struct model_rec *at)
{
	uint64_t key;
	struct span_list *list = pair_list(m, b, at, &key);

	if (!list)
		return;
	if (list->young)
		span_end_now(m, list->young, 0, at);
	else
		span_lone_end(m, list, b->kind, pair_name(m, b), SPAN_NAME_TEXT, !b->f[0], at);
}

/*
 * An event may both end and start spans: its ends are done first, as bind_add() puts each action
 * before the previous one.
 */
void pairs_bind(struct model *m, uint32_t file, const struct ev_format *fmt, uint32_t *nr)
{
	for (int which = PAIR_BEGIN; which <= PAIR_END; which++) {
		for (size_t i = 0; i < m->nr_pairs; i++) {
			const struct model_pair *p = &m->pairs[i];
			struct model_bind b = { .file = file, .kind = SPAN_PAIR + i };

			if (strcmp(p->system[which], fmt->system) ||
			    strcmp(p->event[which], fmt->name))
				continue;
			b.on = which == PAIR_BEGIN ? pair_begin : pair_end;
			b.f[0] = p->key[which] ? ev_field(fmt, p->key[which]) : NULL;
			if (p->key[which] && !b.f[0])
				continue;
			bind_add(m, &b, nr);
		}
	}
}

static int pair_err_form(const char *text, struct ftr_error *err)
{
	err_set(err, FTR_USAGE, "'%s' is not a pair of events", text);
	return err_hint(err, "write it as NAME=SYSTEM:EVENT,SYSTEM:EVENT[,FIELD] or "
			"[,BEGINFIELD=ENDFIELD]");
}

static bool pair_parse_event(struct model_pair *p, int which, const char *word)
{
	const char *colon = strchr(word, ':');

	if (!colon || colon == word || !colon[1])
		return false;
	p->system[which] = xstrndup(word, colon - word);
	p->event[which] = xstrdup(colon + 1);
	return true;
}

static bool pair_parse_key(struct model_pair *p, const char *word)
{
	const char *equal = strchr(word, '=');

	if (equal == word || (equal && !equal[1]))
		return false;
	p->key[PAIR_BEGIN] = equal ? xstrndup(word, equal - word) : xstrdup(word);
	p->key[PAIR_END] = xstrdup(equal ? equal + 1 : word);
	return true;
}

static int pair_parse(struct model *m, const char *text, struct ftr_error *err)
{
	const char *equal = strchr(text, '=');
	struct model_pair *p = &m->pairs[m->nr_pairs];
	struct strv words = {0};
	bool fine;

	if (!equal || equal == text)
		return pair_err_form(text, err);
	m->nr_pairs++;
	p->name = xstrndup(text, equal - text);
	strv_split(&words, equal + 1, ",");
	fine = (words.n == 2 || words.n == 3) &&
	       pair_parse_event(p, PAIR_BEGIN, words.v[0]) &&
	       pair_parse_event(p, PAIR_END, words.v[1]) &&
	       (words.n == 2 || pair_parse_key(p, words.v[2]));
	strv_release(&words);
	return fine ? 0 : pair_err_form(text, err);
}

static int pair_err_no_event(const struct model *m, const struct model_pair *p, int which,
			     struct ftr_error *err)
{
	struct strv names = {0};
	struct buf word = {0};
	struct ev_format *v;
	const char *near;

	for (size_t i = 0; i < m->nr_files; i++)
		for (size_t k = event_meta_formats(&m->files[i].trace->meta, NULL, &v); k--;) {
			buf_printf(&word, "%s:%s", v[k].system, v[k].name);
			strv_take(&names, buf_take(&word));
		}
	buf_printf(&word, "%s:%s", p->system[which], p->event[which]);
	err_set(err, FTR_FAILED, "no event '%s' for --pair", word.data);
	near = names.n ? text_closest(word.data, names.v) : NULL;
	if (near)
		err_hint(err, "did you mean '%s'?", near);
	else
		err_hint(err, "'ftr report -E FILE' lists the events that a file knows");
	buf_release(&word);
	strv_release(&names);
	return -1;
}

/* Fails if no file has the event or its key field: it is most likely mistyped. */
static int pair_check_event(const struct model *m, const struct model_pair *p, int which,
			    struct ftr_error *err)
{
	const struct ev_format *fmt = NULL;

	for (size_t i = 0; i < m->nr_files && !fmt; i++)
		fmt = event_meta_find_name(&m->files[i].trace->meta, p->system[which],
					   p->event[which]);
	if (!fmt)
		return pair_err_no_event(m, p, which, err);
	if (!p->key[which] || ev_format_ready(fmt) || ev_field(fmt, p->key[which]))
		return 0;
	err_set(err, FTR_FAILED, "event '%s:%s' has no field '%s'", p->system[which],
		p->event[which], p->key[which]);
	return err_hint(err, "'ftr report --events FILE' prints the formats of events");
}

int pairs_parse(struct model *m, const struct strv *pairs, struct ftr_error *err)
{
	if (pairs->n > PAIRS_MAX)
		return err_set(err, FTR_USAGE, "--pair was given more than %d times", PAIRS_MAX);
	m->pairs = xcalloc(pairs->n + 1, sizeof(*m->pairs));
	for (size_t i = 0; i < pairs->n; i++) {
		if (pair_parse(m, pairs->v[i], err))
			return -1;
		for (int which = PAIR_BEGIN; which <= PAIR_END; which++)
			if (pair_check_event(m, &m->pairs[i], which, err))
				return -1;
	}
	return 0;
}

void pairs_release(struct model *m)
{
	for (size_t i = 0; i < m->nr_pairs; i++) {
		free(m->pairs[i].name);
		for (int which = PAIR_BEGIN; which <= PAIR_END; which++) {
			free(m->pairs[i].system[which]);
			free(m->pairs[i].event[which]);
			free(m->pairs[i].key[which]);
		}
	}
	free(m->pairs);
}
