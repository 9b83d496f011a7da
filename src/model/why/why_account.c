/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The account of a task's time. The model reports each stay of a task in a state when it ends. A
 * running task is divided by the system call or function that it is in and by the interrupts on top
 * of it; a waiting one by the tasks and interrupts of its CPU; a sleeping one has the cause of its
 * waking, and inside of it the waker's time.
 *
 * For the last two, the stays of all tasks and the segments of all CPUs are kept from the start of
 * the oldest stay on that is not accounted, within a bound of memory. Beyond it, the time of a
 * waker is WHY_NOT_FOLLOWED.
 */
#include "model/why/why_priv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "event/event.h"

#define WHY_MEMORY	(64u << 20)
#define WHY_SWEEP	(1u << 20)	/* bytes of history that may be added between two sweeps */
#define WHY_STAYS_MAX	4096		/* stays of a waker that are looked at for one sleep */
#define WHY_REQUESTS	(1u << 16)	/* block requests that are remembered */

/* --- items */

static uint32_t item_number(struct why *w, const struct why_item *it)
{
	uint64_t a = it->kind | it->how << 8 | (uint64_t)it->file << 16 | (uint64_t)it->extra << 32;
	uint32_t nr = slots_find(&w->item_slots, a, it->value);

	if (nr)
		return nr;
	w->items = xgrow(w->items, &w->cap_items, w->nr_items + 1, sizeof(*w->items));
	nr = w->nr_items++;
	w->items[nr] = *it;
	slots_add(&w->item_slots, a, it->value, nr);
	return nr;
}

static uint32_t item_of(struct why *w, enum item_kind kind, uint64_t value, uint32_t extra)
{
	return item_number(w, &(struct why_item){ .kind = kind, .value = value, .extra = extra });
}

/* Returns an item whose value is an address in the kernel of @file. */
static uint32_t item_at(struct why *w, enum item_kind kind, uint32_t file, uint64_t value,
			uint32_t extra)
{
	return item_number(w, &(struct why_item){ .kind = kind, .file = (uint16_t)file,
						  .value = value, .extra = extra });
}

static uint32_t item_of_task(struct why *w, const struct task *t)
{
	return item_of(w, ITEM_TASK, (uintptr_t)t, 0);
}

static uint32_t item_of_span(struct why *w, const struct span *s)
{
	return item_number(w, &(struct why_item){ .kind = ITEM_SPAN, .how = s->how,
						  .file = s->file, .value = s->name });
}

/* Returns the item of an interrupt, timer or softirq. */
static uint32_t item_of_top(struct why *w, uint32_t file, const struct waker *top)
{
	switch (top->kind) {
	case WAKER_IRQ:
		return item_of(w, ITEM_IRQ, (uintptr_t)top->who, (uint32_t)top->number);
	case WAKER_SOFTIRQ:
		return item_of(w, ITEM_SOFTIRQ, (uint32_t)top->number, 0);
	case WAKER_VECTOR:
		return item_of(w, ITEM_VECTOR, (uintptr_t)top->who, 0);
	case WAKER_TIMER:
		if (top->form == FORM_TIMER_IRQ)
			return item_of(w, ITEM_TIMER_IRQ, 0, 0);
		return item_at(w, ITEM_TIMER, file, top->func, 0);
	case WAKER_SOFT_TIMER:
		return item_at(w, ITEM_SOFT_TIMER, file, top->func, 0);
	case WAKER_HARDIRQ:
		return item_of(w, ITEM_HARDIRQ, 0, 0);
	case WAKER_SOFTIRQ_ANY:
		return item_of(w, ITEM_SOFTIRQ_ANY, 0, 0);
	case WAKER_NMI:
		return item_of(w, ITEM_NMI, 0, 0);
	default:
		return item_of(w, ITEM_UNKNOWN, 0, 0);
	}
}

/* --- tasks and CPUs */

struct why_task *why_task_known(const struct why *w, const struct task *t)
{
	return t->id < w->cap_tasks ? w->tasks[t->id] : NULL;
}

static struct why_task *why_task_of(struct why *w, struct task *t)
{
	struct why_task *wt = why_task_known(w, t);
	size_t had = w->cap_tasks;

	if (wt)
		return wt;
	if (t->id >= w->cap_tasks) {
		w->tasks = xgrow(w->tasks, &w->cap_tasks, t->id + 1, sizeof(*w->tasks));
		memset(w->tasks + had, 0, (w->cap_tasks - had) * sizeof(*w->tasks));
	}
	wt = xcalloc(1, sizeof(*wt));
	wt->t = t;
	wt->left_cpu = -1;
	w->tasks[t->id] = wt;
	if (t->pid)
		why_account_add(w, wt);
	return wt;
}

static struct why_cpu *cpu_known(const struct why *w, uint32_t file, int32_t cpu)
{
	uint32_t nr = (uintptr_t)map_get(&w->cpu_map, (uint64_t)file << 32 | (uint32_t)cpu);

	return nr ? &w->cpus[nr - 1] : NULL;
}

static struct why_cpu *cpu_of(struct why *w, struct model_cpu *c)
{
	if (!c->user) {
		w->cpus = xgrow(w->cpus, &w->cap_cpus, w->nr_cpus + 1, sizeof(*w->cpus));
		w->cpus[w->nr_cpus++] = (struct why_cpu){ .c = c };
		c->user = w->nr_cpus;
		map_put(&w->cpu_map, (uint64_t)c->file << 32 | (uint32_t)c->cpu,
			(void *)(uintptr_t)c->user);
	}
	return &w->cpus[c->user - 1];
}

static uint32_t task_label(const struct why_task *wt)
{
	return wt->syscall ? wt->syscall : wt->function ? wt->function :
	       wt->work ? wt->work : wt->base;
}

/* --- history */

static void stays_forget(struct why *w, struct why_task *wt, uint64_t horizon)
{
	size_t keep = 0;

	while (keep < wt->n && wt->v[keep].to <= horizon && (!wt->account || keep < wt->accounted))
		keep++;
	memmove(wt->v, wt->v + keep, (wt->n - keep) * sizeof(*wt->v));
	wt->n -= keep;
	wt->accounted -= keep < wt->accounted ? keep : wt->accounted;
	w->bytes += wt->n * sizeof(*wt->v);
}

static void segments_forget(struct why *w, struct why_cpu *wc, uint64_t horizon)
{
	size_t keep = 0;

	while (keep + 1 < wc->n && wc->v[keep + 1].from <= horizon)
		keep++;
	memmove(wc->v, wc->v + keep, (wc->n - keep) * sizeof(*wc->v));
	wc->n -= keep;
	w->bytes += wc->n * sizeof(*wc->v);
}

/* Returns the start of the oldest stay of an account that is not in its rows. */
static uint64_t oldest_needed(const struct why *w)
{
	uint64_t oldest = w->now;

	for (size_t i = 0; i < w->nr_accounts; i++) {
		const struct why_task *wt = w->accounts[i].task ?
					    why_task_known(w, w->accounts[i].task) : NULL;
		uint64_t from = oldest;

		if (!wt || !wt->account || wt->t->state == TASK_DEAD)
			continue;
		from = wt->accounted < wt->n ? wt->v[wt->accounted].from : wt->t->since;
		oldest = from < oldest ? from : oldest;
	}
	return oldest;
}

static void history_forget(struct why *w, uint64_t horizon)
{
	w->bytes = 0;
	for (size_t i = 0; i < w->cap_tasks; i++)
		if (w->tasks[i])
			stays_forget(w, w->tasks[i], horizon);
	for (size_t i = 0; i < w->nr_cpus; i++)
		segments_forget(w, &w->cpus[i], horizon);
	if (horizon > w->forgotten)
		w->forgotten = horizon;
	w->swept = w->bytes;
}

/* Removes all that no account needs, and while the rest exceeds the bound its older half. */
static void history_sweep(struct why *w)
{
	uint64_t horizon = oldest_needed(w);

	history_forget(w, horizon);
	while (w->bytes > w->opts.memory / 2 && w->now - horizon > 1) {
		horizon += (w->now - horizon) / 2;
		history_forget(w, horizon);
	}
}

static void history_added(struct why *w, size_t bytes)
{
	w->bytes += bytes;
	if (w->bytes > w->swept + WHY_SWEEP && w->bytes > 2 * w->swept)
		history_sweep(w);
	else if (w->bytes > w->opts.memory)
		history_sweep(w);
}

static void segment_add(struct why *w, struct why_cpu *wc, const struct why_segment *s)
{
	struct why_segment *last = wc->n ? &wc->v[wc->n - 1] : NULL;

	if (last && s->from <= last->from) {
		last->task = s->task;
		last->label = s->label;
		last->top = s->top;
		return;
	}
	wc->v = xgrow(wc->v, &wc->cap, wc->n + 1, sizeof(*wc->v));
	wc->v[wc->n++] = *s;
	history_added(w, sizeof(*s));
}

static uint32_t top_of(struct why *w, const struct model_cpu *c)
{
	return c->nr_tops ? item_of_top(w, c->file, &c->tops[c->nr_tops - 1]) : 0;
}

/* Notes that the task of @c is in something else, or that another interrupt is on top, from @ts. */
static void cpu_note(struct why *w, struct model_cpu *c, struct task *t, uint64_t ts)
{
	const struct why_task *wt = t ? why_task_known(w, t) : NULL;
	struct why_segment s = { .from = ts, .task = t, .label = wt ? task_label(wt) : 0,
				 .top = top_of(w, c) };

	segment_add(w, cpu_of(w, c), &s);
}

/* Returns the index of the segment of @ts, or of the first one. */
static size_t segment_at(const struct why_cpu *wc, uint64_t ts)
{
	size_t low = 0, high = wc->n, mid;

	while (low + 1 < high) {
		mid = (low + high) / 2;
		if (wc->v[mid].from <= ts)
			low = mid;
		else
			high = mid;
	}
	return low;
}

/* --- rows */

/* Returns the number of a row, or 0. */
static uint32_t row_find(const struct why *w, uint32_t account, uint32_t parent, enum why_kind kind,
			 uint32_t label, uint32_t cause)
{
	return slots_find(&w->row_slots, (uint64_t)account << 40 | (uint64_t)parent << 8 | kind,
			  (uint64_t)label << 32 | cause);
}

static struct why_row *row_of(struct why *w, uint32_t account, uint32_t parent, enum why_kind kind,
			      uint32_t label, uint32_t cause)
{
	uint64_t a = (uint64_t)account << 40 | (uint64_t)parent << 8 | kind;
	uint64_t b = (uint64_t)label << 32 | cause;
	uint32_t nr = slots_find(&w->row_slots, a, b), *first;

	if (nr)
		return &w->rows[nr];
	w->rows = xgrow(w->rows, &w->cap_rows, w->nr_rows + 1, sizeof(*w->rows));
	nr = w->nr_rows++;
	first = parent ? &w->rows[parent].first : &w->accounts[account - 1].first;
	w->rows[nr] = (struct why_row){ .kind = kind, .label = label, .cause = cause,
					.parent = parent, .next = *first,
					.depth = parent ? w->rows[parent].depth + 1 : 0 };
	*first = nr;
	slots_add(&w->row_slots, a, b, nr);
	return &w->rows[nr];
}

/* Adds the time to a row. Returns its number. */
static uint32_t row_add(struct why *w, const struct why_place *at, enum why_kind kind,
			uint32_t label, uint32_t cause, uint64_t from, uint64_t to)
{
	struct why_row *r = row_of(w, at->account, at->parent, kind, label, cause);

	r->time += to - from;
	/* the part of a stay in which its CPU did the same in another call */
	if (!r->count || r->last_to != from) {
		r->count++;
		r->last_from = from;
	}
	r->last_to = to;
	if (to - r->last_from > r->longest || r->count == 1) {
		r->longest = to - r->last_from;
		r->longest_at = r->last_from;
	}
	return r - w->rows;
}

static void task_account(struct why *w, const struct why_place *at, struct task *t, uint64_t from,
			 uint64_t to);

/* Adds a run: the calls of the task, and the interrupts on top of it. */
static void run_account(struct why *w, const struct why_place *at, const struct task *t,
			const struct why_stay *s, uint64_t from, uint64_t to)
{
	const struct why_cpu *wc = cpu_known(w, t->file, s->cpu);
	size_t i = wc ? segment_at(wc, from) : 0;

	for (; wc && i < wc->n && from < to; i++) {
		const struct why_segment *g = &wc->v[i];
		uint64_t end = i + 1 < wc->n && wc->v[i + 1].from < to ? wc->v[i + 1].from : to;

		if (g->from > from) {
			end = g->from < to ? g->from : to;
			row_add(w, at, WHY_RAN, 0, 0, from, end);
			i--;
		} else if (end <= from) {
			continue;
		} else if (g->top) {
			row_add(w, at, WHY_INTERRUPTED, 0, g->top, from, end);
		} else {
			row_add(w, at, WHY_RAN, g->label, 0, from, end);
		}
		from = end;
	}
	if (from < to)
		row_add(w, at, WHY_RAN, 0, 0, from, to);
}

#define AHEAD_MAX 256		/* rows of an account that name a task which had the CPU */

/* Returns the bit of ->ahead that is set if @t may have a row. */
static uint32_t ahead_bit(const struct task *t)
{
	return t->id * 2654435769u >> 22;
}

static enum why_kind wait_kind(const struct why_stay *s)
{
	return s->state == TASK_PREEMPTED ? WHY_PREEMPTED : WHY_WAITED;
}

/*
 * Returns true if the CPU had a task that has no row and gets none. Where each of many tasks waits
 * for all others, the rows would be as many as the square of the tasks: beyond AHEAD_MAX the others
 * have one row.
 */
static bool is_others(struct why *w, const struct why_place *at, const struct task *t,
		      const struct why_stay *s, const struct why_segment *g)
{
	const struct why_account *a = &w->accounts[at->account - 1];
	uint32_t bit;

	if (a->nr_ahead < AHEAD_MAX || g->top || !g->task || g->task == t || !g->task->pid)
		return false;
	/* most of many tasks have no row, which is seen without a search for it */
	bit = ahead_bit(g->task);
	return !(a->ahead[bit / 64] & 1ull << bit % 64) ||
	       !row_find(w, at->account, at->parent, wait_kind(s), 0, item_of_task(w, g->task));
}

/* Returns the item of the task that had the CPU, which has a row or gets one. */
static uint32_t task_ahead(struct why *w, const struct why_place *at, enum why_kind kind,
			   struct task *t)
{
	struct why_account *a = &w->accounts[at->account - 1];
	uint32_t bit = ahead_bit(t), item = item_of_task(w, t);

	if (!row_find(w, at->account, at->parent, kind, 0, item)) {
		a->nr_ahead++;
		a->ahead[bit / 64] |= 1ull << bit % 64;
	}
	return item;
}

/* Adds a part of a wait, in which the CPU did @g. */
static void wait_part(struct why *w, const struct why_place *at, const struct task *t,
		      const struct why_stay *s, const struct why_segment *g, uint64_t from,
		      uint64_t to)
{
	enum why_kind kind = wait_kind(s);

	if (g->top)
		row_add(w, at, WHY_WAITED, 0, g->top, from, to);
	else if (!g->task || g->task == t)
		row_add(w, at, WHY_READY, 0, 0, from, to);
	else if (!g->task->pid)
		row_add(w, at, WHY_CAME_OUT, 0, item_of(w, ITEM_CPU, (uint32_t)s->cpu, 0), from,
			to);
	else
		row_add(w, at, kind, 0, task_ahead(w, at, kind, g->task), from, to);
}

/*
 * Returns the number of segments from @i on, up to @to, whose tasks share the row of the others; 0
 * if the first one's task has a row or gets one.
 */
static size_t count_others(struct why *w, const struct why_place *at, const struct task *t,
			   const struct why_stay *s, const struct why_cpu *wc, size_t i,
			   uint64_t to)
{
	size_t n = 0;

	while (i + n < wc->n && (!n || wc->v[i + n].from < to) &&
	       is_others(w, at, t, s, &wc->v[i + n]))
		n++;
	return n;
}

/* Adds a wait for a CPU, divided by the activities of that CPU. */
static void wait_account(struct why *w, const struct why_place *at, const struct task *t,
			 const struct why_stay *s, uint64_t from, uint64_t to)
{
	const struct why_cpu *wc = cpu_known(w, t->file, s->cpu);
	size_t others, next;
	uint64_t end;

	if (s->is_moved) {
		row_add(w, at, WHY_MOVED, 0, 0, from, to);
		return;
	}
	for (size_t i = wc ? segment_at(wc, from) : 0; wc && i < wc->n && from < to; i = next) {
		if (wc->v[i].from > from)
			break;
		others = count_others(w, at, t, s, wc, i, to);
		next = i + (others ? others : 1);
		end = next < wc->n && wc->v[next].from < to ? wc->v[next].from : to;
		if (end <= from)
			continue;
		if (others)
			row_add(w, at, wait_kind(s), 0, item_of(w, ITEM_OTHERS, 0, 0), from, end);
		else
			wait_part(w, at, t, s, &wc->v[i], from, end);
		from = end;
	}
	if (from < to)
		row_add(w, at, WHY_READY, 0, 0, from, to);
}

static enum why_kind sleep_kind(const struct why *w, unsigned int state)
{
	const char *name = model_state_name(w->m, state);

	return *name == 'D' ? WHY_BLOCKED : *name == 'T' || *name == 't' ? WHY_STOPPED : WHY_ASLEEP;
}

static void sleep_account(struct why *w, const struct why_place *at, const struct why_stay *s,
			  uint64_t from, uint64_t to)
{
	uint32_t row = row_add(w, at, sleep_kind(w, s->state), s->label, s->cause, from, to);
	struct why_row *r = &w->rows[row];
	struct why_place in = { .account = at->account, .parent = row, .depth = at->depth + 1 };
	bool is_work = w->items[s->cause].kind == ITEM_WORK && s->worker;
	struct task *t = is_work ? w->tasks[s->worker - 1]->t : why_cause_task(w, s->cause);

	if (!is_work && r->longest_at == from && r->longest == to - from)
		r->request = s->request;
	if (is_work)
		r->worker = r->worker && r->worker != s->worker ? WHY_WORKERS : s->worker;
	if (t && at->depth < w->opts.depth)
		task_account(w, &in, t, from, to);
}

/* Adds the part of a stay of @t from @from to @to. */
void why_rows_add(struct why *w, const struct why_place *at, const struct task *t,
		  const struct why_stay *s, uint64_t from, uint64_t to)
{
	switch (s->state) {
	case TASK_DEAD:
		break;
	case TASK_UNKNOWN:
		row_add(w, at, WHY_NOT_KNOWN, 0, 0, from, to);
		break;
	case TASK_RUNNING:
		run_account(w, at, t, s, from, to);
		break;
	case TASK_NEW:
		row_add(w, at, WHY_NEW, 0, 0, from, to);
		break;
	case TASK_RUNNABLE:
	case TASK_PREEMPTED:
		wait_account(w, at, t, s, from, to);
		break;
	default:
		sleep_account(w, at, s, from, to);
	}
}

/* Adds the time of @t, which woke a sleeper at @to, from @from on. */
static void task_account(struct why *w, const struct why_place *at, struct task *t, uint64_t from,
			 uint64_t to)
{
	const struct why_task *wt = why_task_known(w, t);
	size_t low = 0, high = wt ? wt->n : 0, mid;
	struct why_stay now = { .from = t->since, .to = to, .state = t->state,
				.label = wt ? wt->slept_in : 0 };
	uint64_t end;

	if (t->state < TASK_ASLEEP)
		now.cpu = t->cpu;
	if (from < w->forgotten) {
		end = w->forgotten < to ? w->forgotten : to;
		row_add(w, at, WHY_NOT_FOLLOWED, 0, 0, from, end);
		from = end;
	}
	while (low < high) {
		mid = (low + high) / 2;
		if (wt->v[mid].to <= from)
			low = mid + 1;
		else
			high = mid;
	}
	high = wt && wt->n - low > WHY_STAYS_MAX ? low + WHY_STAYS_MAX : wt ? wt->n : 0;
	for (; low < high && from < to; low++) {
		const struct why_stay *s = &wt->v[low];

		if (s->from > from) {
			end = s->from < to ? s->from : to;
			row_add(w, at, WHY_NOT_KNOWN, 0, 0, from, end);
			from = end;
		}
		end = s->to < to ? s->to : to;
		if (end > from) {
			if (s->state == TASK_DEAD)
				row_add(w, at, WHY_NOT_KNOWN, 0, 0, from, end);
			else
				why_rows_add(w, at, t, s, from, end);
			from = end;
		}
	}
	if (from < to && wt && low < wt->n) {
		row_add(w, at, WHY_NOT_FOLLOWED, 0, 0, from, to);
	} else if (from < to) {
		if (now.from > from) {
			end = now.from < to ? now.from : to;
			row_add(w, at, WHY_NOT_KNOWN, 0, 0, from, end);
			from = end;
		}
		if (from < to && now.state == TASK_DEAD)
			row_add(w, at, WHY_NOT_KNOWN, 0, 0, from, to);
		else if (from < to)
			why_rows_add(w, at, t, &now, from, to);
	}
}

/* --- stays */

/* Returns the number of the request that has ended on this CPU, or 0. */
static uint32_t request_number(struct why *w, const struct why_cpu *wc)
{
	if (!wc->done.nr_sector || w->nr_done > WHY_REQUESTS)
		return 0;
	w->done = xgrow(w->done, &w->cap_done, w->nr_done + 1, sizeof(*w->done));
	w->done[w->nr_done] = wc->done;
	return w->nr_done++;
}

/*
 * Returns true if @wt runs softirqs and @by_what left them to it: handle_softirqs(), after the last
 * softirq_exit. With PREEMPT_RT irq_exit_rcu() does, which is not in the interrupt any more, so
 * that the interrupted task seems to be the waker. There it may also wait for a lock.
 */
static bool is_left_softirqs(struct why *w, const struct why_task *wt, const struct waker *by_what)
{
	const struct task *t = wt->t;
	const char *name = model_task_name(w->m, t);
	bool is_timers = !strncmp(name, "ktimers/", 8);

	w->is_rt |= is_timers;
	if (!is_timers && strncmp(name, "ksoftirqd/", 10))
		return false;
	if (wt->lock || (t->state >= TASK_ASLEEP && sleep_kind(w, t->state) != WHY_ASLEEP))
		return false;
	return w->is_rt || by_what->kind == WAKER_SOFTIRQ_ANY;
}

/* Returns the interrupt that woke @t, its thread, after the irq_handler_exit; NULL: none did. */
static const struct waker *irq_of_thread(const struct why *w, const struct task *t,
					 const struct why_cpu *wc, const struct waker *by_what)
{
	int number;

	if (by_what->kind == WAKER_TASK || !wc || wc->irq.kind != WAKER_IRQ ||
	    sscanf(model_task_name(w->m, t), "irq/%d-", &number) != 1)
		return NULL;
	return number == wc->irq.number ? &wc->irq : NULL;
}

/*
 * Returns the cause of a waking by @by_what, of which this is the moment. Sets *number to that of
 * the request, or the worker's id + 1; else to 0.
 */
static uint32_t waking_cause(struct why *w, struct why_task *wt, const struct waker *by_what,
			     uint32_t *number)
{
	const struct task *t = wt->t;
	const struct why_task *by;
	const struct why_cpu *wc;
	const struct waker *irq;
	struct task *waker;

	*number = 0;
	if (is_left_softirqs(w, wt, by_what))
		return item_of(w, ITEM_LEFT_SOFTIRQS, 0, 0);
	if (by_what->kind != WAKER_TASK) {
		wc = cpu_known(w, t->file, by_what->cpu);
		irq = irq_of_thread(w, t, wc, by_what);
		if (irq)
			return item_of_top(w, t->file, irq);
		if (wc && wc->done_task == t->id + 1 && wc->done_tops == wc->c->nr_tops) {
			*number = request_number(w, wc);
			return item_of(w, ITEM_BLOCK, wc->done_dev, 0);
		}
		return item_of_top(w, t->file, by_what);
	}
	waker = (struct task *)by_what->who;
	by = why_task_of(w, waker);
	if (by->work) {
		*number = waker->id + 1;
		return item_at(w, ITEM_WORK, t->file, w->items[by->work].value, by->queued_by);
	}
	if (wt->lock)
		return item_at(w, ITEM_LOCK, t->file, wt->lock, waker->id);
	if (wt->futex)
		return item_of(w, ITEM_FUTEX, wt->futex, waker->id);
	return item_of_task(w, waker);
}

/* Returns the cause of the end of a sleep; *number is as for waking_cause(). */
static uint32_t sleep_cause(struct why *w, struct why_task *wt, uint32_t *number)
{
	const struct task *t = wt->t;

	*number = 0;
	if (!t->is_woken && w->next == t)
		return item_of(w, ITEM_NO_WAKING, 0, 0);
	if (!t->is_woken)
		return item_of(w, model_has_ended(w->m) ? ITEM_END : ITEM_LOST, 0, 0);
	if (!t->woken_early)
		return waking_cause(w, wt, &t->waker, number);
	*number = wt->early_number;
	return wt->early;
}

static void why_woken_early(void *ctx, struct task *t, const struct trace_rec *r)
{
	struct why *w = ctx;
	struct why_task *wt;

	w->now = r->ts;
	if (!t->pid)
		return;
	wt = why_task_of(w, t);
	wt->early = waking_cause(w, wt, &t->early, &wt->early_number);
}

static void stay_add(struct why *w, struct why_task *wt, const struct why_stay *s)
{
	struct why_stay *last = wt->n > wt->accounted ? &wt->v[wt->n - 1] : NULL;

	/* the model may report a stay in parts */
	if (last && last->state == s->state && last->to == s->from && s->state >= TASK_ASLEEP) {
		last->to = s->to;
		last->cause = s->cause;
		last->request = s->request;
		return;
	}
	wt->v = xgrow(wt->v, &wt->cap, wt->n + 1, sizeof(*wt->v));
	wt->v[wt->n++] = *s;
	/* the cause of the last sleep may become known after it, when the task runs again */
	why_account_stays(w, wt, s->state >= TASK_ASLEEP ? 1 :
		      s->state != TASK_RUNNING && wt->n > 1 && wt->n - wt->accounted > 1 ? 2 : 0);
	if (!wt->account)
		wt->accounted = wt->n;
	history_added(w, sizeof(*s));
}

static bool is_waiting(const struct task *t)
{
	return t->state == TASK_RUNNABLE || t->state == TASK_PREEMPTED;
}

static void why_stayed(void *ctx, struct task *t, uint64_t from, uint64_t to)
{
	struct why *w = ctx;
	struct why_task *wt;
	struct why_stay s = { .from = from, .to = to, .cpu = t->cpu, .state = t->state };

	w->now = to;
	if (!t->pid)
		return;
	wt = why_task_of(w, t);
	if (t->state >= TASK_ASLEEP) {
		s.label = wt->slept_in;
		s.cause = sleep_cause(w, wt, &s.request);
	} else if (is_waiting(t)) {
		for (uint32_t i = 0; i < wt->nr_moves; i++) {
			s.to = wt->moves[i].at;
			s.cpu = wt->moves[i].from;
			if (s.to <= s.from || s.to >= to)
				continue;
			stay_add(w, wt, &s);
			s.from = s.to;
		}
		s.is_moved = t->state == TASK_PREEMPTED && !w->has_migrations &&
			     wt->left_cpu != t->cpu;
		s.to = to;
		s.cpu = t->cpu;
	}
	wt->nr_moves = 0;
	stay_add(w, wt, &s);
}

static void why_cpu_stayed(void *ctx, struct model_cpu *c, uint64_t from, uint64_t to)
{
	struct task *t = c->lost ? NULL : c->task;
	struct why *w = ctx;
	struct why_cpu *wc = cpu_of(w, c);
	size_t i = wc->n;
	struct why_segment *g;

	/* the segments since @from are those of this task */
	while (i && wc->v[i - 1].from >= from) {
		i--;
		if (wc->v[i].from < to)
			wc->v[i].task = t;
	}
	if (i < wc->n && wc->v[i].from == from)
		return;
	if (i && wc->v[i - 1].task == t)
		return;
	wc->v = xgrow(wc->v, &wc->cap, wc->n + 1, sizeof(*wc->v));
	g = &wc->v[i];
	memmove(g + 1, g, (wc->n++ - i) * sizeof(*g));
	*g = (struct why_segment){ .from = from, .task = t };
	history_added(w, sizeof(*g));
}

static void why_switched(void *ctx, struct task *prev, struct task *next, const struct trace_rec *r)
{
	struct why *w = ctx;
	struct why_task *wt = why_task_of(w, prev);
	struct why_segment s = { .from = r->ts, .task = next };

	w->now = r->ts;
	wt->slept_in = task_label(wt);
	/* in user space it sleeps in a page fault, whose end has no event */
	if (wt->is_faulting && wt->slept_in == wt->base)
		wt->slept_in = item_of(w, ITEM_FAULT, 0, 0);
	wt->left_cpu = r->cpu;
	wt->nr_moves = 0;
	w->next = next;
	s.label = task_label(why_task_of(w, next));
	segment_add(w, cpu_of(w, model_cpu_of(w->m, r->file, r->cpu)), &s);
}

static void why_interrupted(void *ctx, struct model_cpu *c, uint64_t ts)
{
	struct why *w = ctx;
	struct why_cpu *wc;

	w->now = ts;
	cpu_note(w, c, c->lost ? NULL : c->task, ts);
	wc = cpu_of(w, c);
	if (c->nr_tops && c->tops[c->nr_tops - 1].kind == WAKER_IRQ)
		wc->irq = c->tops[c->nr_tops - 1];
	/* what ended in a task, or in an interrupt without its event, is over, too */
	if (!wc->done_tops || c->nr_tops < wc->done_tops)
		wc->done_task = 0;
}

/* --- spans */

static void span_note(struct why *w, const struct span *s, const struct trace_rec *r)
{
	struct model_cpu *c = r ? model_cpu_of(w->m, r->file, r->cpu) : NULL;

	if (c && c->task == s->task && !c->lost)
		cpu_note(w, c, s->task, r->ts);
}

/* Returns the address of the futex in the record of the system call, or 0. */
static uint64_t futex_address(const struct trace_rec *r)
{
	const struct ev_field *f = ev_field(r->rec.fmt, "uaddr");
	uint64_t value;

	if (f && ev_get_num(&r->rec, f, &value))
		return value;
	f = ev_field(r->rec.fmt, "args");
	if (!f || f->elem_size != 8 || f->offset + 8 > r->rec.len)
		return 0;
	memcpy(&value, r->rec.data + f->offset, 8);
	return r->rec.big == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? value :
	       __builtin_bswap64(value);
}

static bool is_futex(struct why *w, uint32_t item, const struct span *s)
{
	struct why_item *it = &w->items[item];
	struct buf name = {0};

	if (it->futex == FUTEX_UNKNOWN) {
		model_add_name(w->m, s, &name);
		it->futex = name.len && !strncmp(name.data, "futex", 5) ? FUTEX_YES : FUTEX_NO;
		buf_release(&name);
	}
	return it->futex == FUTEX_YES;
}

/* Returns the id + 1 of the task that queued the work whose start @r is, or 0. */
static uint32_t work_queued_by(const struct why *w, const struct trace_rec *r)
{
	const struct ev_field *f = ev_field(r->rec.fmt, "work");
	uint64_t work;

	return f && ev_get_num(&r->rec, f, &work) ? (uintptr_t)map_get(&w->works, work + 1) : 0;
}

static void why_begin(void *ctx, struct span *s, const struct trace_rec *r)
{
	struct why *w = ctx;
	struct why_task *wt;
	uint32_t item;

	/* a begin without a record is that of a span that ends at once */
	if (s->marks & SPAN_NO_BEGIN || !s->task || (s->kind == SPAN_FUNCTION_GRAPH &&
						     (s->context || s->below)))
		return;
	wt = why_task_of(w, s->task);
	wt->is_faulting = false;
	item = s->kind == SPAN_LOCK ? 0 : item_of_span(w, s);
	switch (s->kind) {
	case SPAN_SYSCALL:
		wt->syscall = item;
		wt->futex = r && is_futex(w, item, s) ? futex_address(r) : 0;
		break;
	case SPAN_FUNCTION_GRAPH:
		wt->function = item;
		break;
	case SPAN_WORK:
		wt->work = item;
		wt->queued_by = r ? work_queued_by(w, r) : 0;
		break;
	case SPAN_LOCK:
		wt->lock = s->name;
		return;
	default:
		return;
	}
	span_note(w, s, r);
}

static void why_end(void *ctx, struct span *s, const struct trace_rec *r)
{
	struct why *w = ctx;
	struct why_task *wt;

	if (!s->task || (s->kind == SPAN_FUNCTION_GRAPH && (s->context || s->below)))
		return;
	wt = why_task_of(w, s->task);
	wt->is_faulting = false;
	switch (s->kind) {
	case SPAN_SYSCALL:
		wt->syscall = 0;
		wt->futex = 0;
		wt->base = item_of(w, ITEM_USER, 0, 0);
		break;
	case SPAN_FUNCTION_GRAPH:
		wt->function = 0;
		break;
	case SPAN_WORK:
		wt->work = 0;
		wt->queued_by = 0;
		break;
	case SPAN_LOCK:
		wt->lock = 0;
		return;
	default:
		return;
	}
	span_note(w, s, r);
}

/* --- other events */

static const struct {
	const char *system, *name, *a, *b;
	enum why_action action;
} why_events[] = {
	{ "sched", "sched_migrate_task", "pid", "orig_cpu", ACTION_MIGRATE },
	{ "block", "block_rq_issue", "dev", "sector", ACTION_ISSUE },
	{ "block", "block_rq_complete", "dev", "sector", ACTION_COMPLETE },
	{ "signal", "signal_generate", "pid", "sig", ACTION_SIGNAL },
	{ "exceptions", "page_fault_user", "address", "ip", ACTION_FAULT },
	{ "workqueue", "workqueue_queue_work", "work", "function", ACTION_QUEUE },
	{ "ftrace", "kernel_stack", "size", "size", ACTION_STACK },
};

static void event_init(struct why_event *e, const struct ev_format *fmt)
{
	e->action = ACTION_NONE;
	if (!fmt)
		return;
	for (size_t i = 0; i < sizeof(why_events) / sizeof(*why_events); i++) {
		if (strcmp(fmt->name, why_events[i].name) ||
		    strcmp(fmt->system, why_events[i].system) || ev_format_ready(fmt))
			continue;
		e->a = ev_field(fmt, why_events[i].a);
		e->b = ev_field(fmt, why_events[i].b);
		e->c = ev_field(fmt, "nr_sector");
		if (e->a && e->b)
			e->action = why_events[i].action;
	}
}

/* Returns the action for the records of this type. */
static const struct why_event *event_of(struct why *w, const struct trace_rec *r)
{
	size_t had = w->nr_files;

	if (r->file >= had) {
		w->events = xgrow(w->events, &w->nr_files, r->file + 1, sizeof(*w->events));
		memset(w->events + had, 0, (w->nr_files - had) * sizeof(*w->events));
	}
	if (!w->events[r->file])
		w->events[r->file] = xcalloc(UINT16_MAX + 1u, sizeof(**w->events));
	if (w->events[r->file][r->type].action == ACTION_UNKNOWN)
		event_init(&w->events[r->file][r->type], r->rec.fmt);
	return &w->events[r->file][r->type];
}

static uint64_t request_key(uint32_t file, uint64_t dev, uint64_t sector)
{
	return hash_number(dev ^ (uint64_t)file << 48) ^ sector;
}

/* Returns the task that has the pid now. */
static struct why_task *task_by_pid(struct why *w, uint32_t file, uint64_t pid)
{
	return why_task_of(w, task_of(w->m, file, (int32_t)pid, 0));
}

/* Notes that a waiting task is moved to another CPU. */
static void wait_moved(struct why_task *wt, const struct trace_rec *r, int32_t from)
{
	if (!is_waiting(wt->t))
		return;
	if (wt->nr_moves == WHY_MOVES_MAX)
		wt->nr_moves--;
	wt->moves[wt->nr_moves++] = (struct why_move){ r->ts, from };
}

/* Makes a signal the cause of the sleep that its sender has just ended. */
static void signal_sent(struct why *w, struct why_task *wt, const struct task *by, uint64_t sig)
{
	size_t i = wt->n;

	if (wt->t->state == TASK_RUNNING && wt->t->early.kind == WAKER_TASK &&
	    wt->t->early.who == by)
		wt->early = item_of(w, ITEM_SIGNAL, (uintptr_t)by, (uint32_t)sig);
	/* its sleep is the last stay, or the one before if it runs already */
	while (i && wt->v[i - 1].state < TASK_ASLEEP && wt->n - i < 2)
		i--;
	if (!i || wt->v[i - 1].state < TASK_ASLEEP || i - 1 < wt->accounted ||
	    wt->t->waker.who != by)
		return;
	wt->v[i - 1].cause = item_of(w, ITEM_SIGNAL, (uintptr_t)by, (uint32_t)sig);
}

/*
 * Names the function that @t sleeps in, if the stack is that of its switch: the only record of a
 * task that has left its CPU.
 */
static void sleep_name(struct why *w, const struct task *t, const struct trace_rec *r)
{
	struct why_task *wt = why_task_known(w, t);
	struct kernel_stack s;
	uint32_t i;

	if (!wt || t->state < TASK_ASLEEP || wt->left_cpu != r->cpu ||
	    !model_reads_stack(w->m, r) || !kernel_stack_read(r, &s))
		return;
	i = kernel_stack_skip_sched(&w->words, w->m, &s);
	if (i < s.n)
		wt->slept_in = item_at(w, ITEM_SLEPT_AT, r->file, kernel_stack_addr(&s, i),
				       wt->slept_in);
}

static void why_event(void *ctx, struct task *t, const struct trace_rec *r)
{
	struct why *w = ctx;
	const struct why_event *e;
	struct why_cpu *wc;
	uint64_t a, b;

	if (r->file < w->nr_files && w->events[r->file] &&
	    w->events[r->file][r->type].action == ACTION_NONE)
		return;
	e = event_of(w, r);
	w->now = r->ts;
	if (e->action == ACTION_NONE || !ev_get_num(&r->rec, e->a, &a) ||
	    !ev_get_num(&r->rec, e->b, &b))
		return;
	wc = cpu_of(w, model_cpu_of(w->m, r->file, r->cpu));
	switch (e->action) {
	case ACTION_MIGRATE:
		w->has_migrations = true;
		wait_moved(task_by_pid(w, r->file, a), r, (int32_t)b);
		break;
	case ACTION_ISSUE:
		if (w->requests.n < WHY_REQUESTS)
			map_put(&w->requests, request_key(r->file, a, b),
				(void *)(uintptr_t)(t->id + 1));
		break;
	case ACTION_COMPLETE:
		wc->done_task = (uintptr_t)map_get(&w->requests, request_key(r->file, a, b));
		wc->done_dev = a;
		wc->done = (struct why_request){ .sector = b };
		if (e->c)
			ev_get_num(&r->rec, e->c, &wc->done.nr_sector);
		wc->done_tops = wc->c->nr_tops;
		break;
	case ACTION_SIGNAL:
		signal_sent(w, task_by_pid(w, r->file, a), t, b);
		break;
	case ACTION_FAULT:
		why_task_of(w, t)->is_faulting = true;
		break;
	case ACTION_STACK:
		sleep_name(w, t, r);
		break;
	default:
		if (w->works.n < WHY_REQUESTS)
			map_put(&w->works, a + 1, (void *)(uintptr_t)(t->id + 1));
	}
}

/* --- the pass */

const struct span_ops *why_ops(void)
{
	static const struct span_ops ops = {
		.begin = why_begin, .end = why_end, .event = why_event, .switched = why_switched,
		.stayed = why_stayed, .cpu_stayed = why_cpu_stayed, .interrupted = why_interrupted,
		.woken_early = why_woken_early,
	};

	return &ops;
}

uint32_t why_kinds(void)
{
	return 1u << SPAN_FUNCTION_GRAPH | 1u << SPAN_SYSCALL | 1u << SPAN_WORK | 1u << SPAN_LOCK;
}

struct why *why_new(const struct why_opts *o)
{
	struct why *w = xcalloc(1, sizeof(*w));

	w->opts = *o;
	if (!w->opts.memory)
		w->opts.memory = WHY_MEMORY;
	slots_init(&w->item_slots);
	slots_init(&w->row_slots);
	w->items = xgrow(NULL, &w->cap_items, 1, sizeof(*w->items));
	w->items[w->nr_items++] = (struct why_item){0};
	w->rows = xgrow(NULL, &w->cap_rows, 1, sizeof(*w->rows));
	w->rows[w->nr_rows++] = (struct why_row){0};
	w->done = xgrow(NULL, &w->cap_done, 1, sizeof(*w->done));
	w->done[w->nr_done++] = (struct why_request){0};
	return w;
}

void why_bind(struct why *w, struct model *m)
{
	w->m = m;
}

void why_free(struct why *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->cap_tasks; i++) {
		if (w->tasks[i]) {
			free(w->tasks[i]->v);
			free(w->tasks[i]->todo);
		}
		free(w->tasks[i]);
	}
	for (size_t i = 0; i < w->nr_cpus; i++)
		free(w->cpus[i].v);
	for (size_t i = 0; i < w->nr_accounts; i++)
		if (!w->accounts[i].original)
			free(w->accounts[i].in);
	for (size_t i = 0; i < w->nr_files; i++)
		free(w->events[i]);
	slots_release(&w->item_slots);
	slots_release(&w->row_slots);
	map_release(&w->cpu_map);
	map_release(&w->spans);
	map_release(&w->requests);
	map_release(&w->works);
	stack_words_release(&w->words);
	free(w->events);
	free(w->items);
	free(w->tasks);
	free(w->cpus);
	free(w->accounts);
	free(w->rows);
	free(w->done);
	free(w);
}

/* --- results */

const struct why_row *why_row(const struct why *w, uint32_t nr)
{
	return nr ? &w->rows[nr] : NULL;
}

static int compare_rows(const void *a, const void *b)
{
	const struct why_row *x = *(const struct why_row *const *)a;
	const struct why_row *y = *(const struct why_row *const *)b;

	if (x->time != y->time)
		return x->time < y->time ? 1 : -1;
	if (x->longest_at != y->longest_at)
		return x->longest_at < y->longest_at ? -1 : 1;
	return (x > y) - (x < y);
}

uint32_t why_sort(struct why *w, uint32_t first)
{
	struct why_row **v = NULL;
	size_t n = 0, cap = 0;

	for (uint32_t nr = first; nr; nr = w->rows[nr].next) {
		v = xgrow(v, &cap, n + 1, sizeof(*v));
		v[n++] = &w->rows[nr];
	}
	if (n)
		qsort(v, n, sizeof(*v), compare_rows);
	for (size_t i = 0; i < n; i++)
		v[i]->next = i + 1 < n ? v[i + 1] - w->rows : 0;
	first = n ? v[0] - w->rows : 0;
	free(v);
	for (uint32_t nr = first; nr; nr = w->rows[nr].next)
		w->rows[nr].first = why_sort(w, w->rows[nr].first);
	return first;
}
