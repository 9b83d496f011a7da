/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of kinds: which events begin and end what; interrupts, work and locks. */
#include "model/model_priv.h"

static uint64_t text_name(const char *text)
{
	return (uintptr_t)text;
}

static uint64_t task_key(const struct task *t)
{
	return (uintptr_t)t;
}

/* The youngest of @list that has @id in common with its end. */
static struct span *find_begin(const struct span_list *list, uint64_t id)
{
	struct span *s = list ? list->young : NULL;

	while (s && s->end_id != id)
		s = s->below;
	return s;
}

static void begin_with_id(struct model *m, struct span_list *list, const struct bind *b,
			  uint64_t name, enum span_name how, bool by_task, uint64_t id,
			  const struct at *at)
{
	struct span *s = span_begin(m, list, b->kind, name, how, by_task, at);

	if (!s)
		return;
	s->end_id = id;
	span_begun(m, s, at);
}

/* --- irq: fields irq, name */

static uint64_t cpu_key(const struct at *at)
{
	return (uint64_t)at->r->file << 32 | (uint32_t)at->r->cpu;
}

static void irq_entry(struct model *m, const struct bind *b, const struct at *at)
{
	uint64_t irq;
	const char *name;
	size_t len;

	if (!at_num(at, b->f[0], &irq) || !at_text(at, b->f[1], &name, &len))
		return;
	begin_with_id(m, list_of(m, b->kind, cpu_key(at), 0, true), b,
		      text_name(model_text(m, name, len)), SPAN_NAME_TEXT, false, irq, at);
}

static void end_with_id(struct model *m, const struct bind *b, uint64_t key, uint64_t id,
			enum span_name how, uint64_t name, bool by_task, const struct at *at)
{
	struct span_list *list = list_of(m, b->kind, key, 0, false);
	struct span *s = find_begin(list, id);

	if (!s) {
		list = list ? list : list_of(m, b->kind, key, 0, true);
		span_lone_end(m, list, b->kind, name, how, by_task, at);
		return;
	}
	spans_cut(m, list, s, at);
	span_end_now(m, s, 0, at);
}

static void irq_exit(struct model *m, const struct bind *b, const struct at *at)
{
	uint64_t irq;

	if (at_num(at, b->f[0], &irq))
		end_with_id(m, b, cpu_key(at), irq, SPAN_NAME_IRQ, irq, false, at);
}

/* --- softirq: field vec. With PREEMPT_RT they run in tasks, which may move. */

static bool is_rt(const struct model *m, const struct at *at)
{
	return m->files[at->r->file].trace->world.rt;
}

static uint64_t softirq_key(const struct model *m, const struct at *at)
{
	return is_rt(m, at) ? task_key(at->task) : cpu_key(at);
}

static void softirq_entry(struct model *m, const struct bind *b, const struct at *at)
{
	uint64_t vec;

	if (at_num(at, b->f[0], &vec))
		begin_with_id(m, list_of(m, b->kind, softirq_key(m, at), 0, true), b, vec,
			      SPAN_NAME_VEC, is_rt(m, at), vec, at);
}

static void softirq_exit(struct model *m, const struct bind *b, const struct at *at)
{
	uint64_t vec;

	if (at_num(at, b->f[0], &vec))
		end_with_id(m, b, softirq_key(m, at), vec, SPAN_NAME_VEC, vec, is_rt(m, at), at);
}

/* --- work: fields work, function; the end has its function since 5.6 */

static void work_start(struct model *m, const struct bind *b, const struct at *at)
{
	uint64_t work, function;

	if (at_num(at, b->f[0], &work) && at_num(at, b->f[1], &function))
		begin_with_id(m, list_of(m, b->kind, task_key(at->task), 0, true), b, function,
			      SPAN_NAME_SYMBOL, true, work, at);
}

static void work_end(struct model *m, const struct bind *b, const struct at *at)
{
	uint64_t work, name;

	if (!at_num(at, b->f[0], &work))
		return;
	if (!b->f[1] || !at_num(at, b->f[1], &name))
		name = work;
	end_with_id(m, b, task_key(at->task), work, SPAN_NAME_SYMBOL, name, true, at);
}

/* --- lock: field lock_addr. A mutex begins twice: spinning, then asleep. */

static void lock_begin(struct model *m, const struct bind *b, const struct at *at)
{
	uint64_t lock;

	if (!at_num(at, b->f[0], &lock) ||
	    list_of(m, b->kind, task_key(at->task), lock, false))
		return;
	begin_with_id(m, list_of(m, b->kind, task_key(at->task), lock, true), b, lock,
		      SPAN_NAME_OBJECT, true, lock, at);
}

static void lock_end(struct model *m, const struct bind *b, const struct at *at)
{
	struct span_list *list;
	uint64_t lock;

	if (!at_num(at, b->f[0], &lock))
		return;
	list = list_of(m, b->kind, task_key(at->task), lock, true);
	if (list->young)
		span_end_now(m, list->young, 0, at);
	else
		span_lone_end(m, list, b->kind, lock, SPAN_NAME_OBJECT, true, at);
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
	{ "power", "cpu_idle", MODEL_KIND_CPU, cpu_idles, 0, { "cpu_id", "state" } },
	{ "power", "cpu_frequency", MODEL_KIND_CPU, cpu_gets_frequency, 0, { "cpu_id", "state" } },
	{ 0 }
};
