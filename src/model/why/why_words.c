/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words of rows in the account of a task's time. */
#include "model/why/why_priv.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <string.h>

#include "base/text.h"

static const struct {
	const char *word, *in, *by;	/* before the label, before the cause */
} why_words[WHY_KINDS] = {
	[WHY_RAN] = { "ran", "in", NULL },
	[WHY_INTERRUPTED] = { "interrupted", NULL, "by" },
	[WHY_PREEMPTED] = { "preempted", NULL, "by" },
	[WHY_WAITED] = { "waited", NULL, "behind" },
	[WHY_CAME_OUT] = { "waited", NULL, "while" },
	[WHY_MOVED] = { "waited and moved to another CPU", NULL, NULL },
	[WHY_NEW] = { "forked and not yet started", NULL, NULL },
	[WHY_READY] = { "waited for a CPU", NULL, NULL },
	[WHY_ASLEEP] = { "asleep", "in", "until" },
	[WHY_BLOCKED] = { "blocked", "in", "until" },
	[WHY_STOPPED] = { "stopped", "in", "until" },
	[WHY_NOT_FOLLOWED] = { "not followed", NULL, NULL },
	[WHY_NOT_KNOWN] = { "not known", NULL, NULL },
};

/* The words of items without a name, and the events that would give them one. */
static const struct {
	const char *text, *hint;
} item_words[] = {
	[ITEM_USER] = { "user space", NULL },
	[ITEM_FAULT] = { "a page fault", NULL },
	[ITEM_TIMER_IRQ] = { "the timer interrupt", "timer:hrtimer_expire_entry" },
	[ITEM_TIMER] = { "a timer", "timer:hrtimer_expire_entry" },
	[ITEM_SOFT_TIMER] = { "a timer", "timer:timer_expire_entry" },
	[ITEM_HARDIRQ] = { "a hard interrupt", "irq:irq_handler_entry and irq_vectors" },
	[ITEM_SOFTIRQ_ANY] = { "a soft interrupt", "irq:softirq_entry" },
	[ITEM_LEFT_SOFTIRQS] = { "softirqs were left to it", NULL },
	[ITEM_NMI] = { "an NMI", NULL },
	[ITEM_UNKNOWN] = { "a waking of unknown origin", NULL },
	[ITEM_NO_WAKING] = { "a waking that is not recorded", "sched:sched_waking" },
	[ITEM_END] = { "the end of the recording", NULL },
	[ITEM_LOST] = { "records are lost", NULL },
	[ITEM_OTHERS] = { "other tasks", NULL },
};

static void add_task(const struct why *w, const struct task *t, struct buf *out)
{
	const char *name = model_task_name(w->m, t);

	if (w->opts.names_only)
		text_sanitise(out, name, strlen(name), false);
	else
		model_add_task(w->m, t, out);
}

static void add_task_by_id(const struct why *w, uint32_t id, struct buf *out)
{
	if (id < w->cap_tasks && w->tasks[id])
		add_task(w, w->tasks[id]->t, out);
}

static void item_add(const struct why *w, uint32_t nr, struct buf *out)
{
	const struct why_item *it = &w->items[nr];
	struct waker top;

	switch (it->kind) {
	case ITEM_SPAN:
		model_add_named(w->m, it->file, it->value, it->how, out);
		break;
	case ITEM_SLEPT_AT:
		if (it->extra) {
			item_add(w, it->extra, out);
			buf_addstr(out, " at ");
		}
		model_add_named(w->m, it->file, it->value, SPAN_NAME_SYMBOL, out);
		break;
	case ITEM_TASK:
		add_task(w, (const struct task *)(uintptr_t)it->value, out);
		break;
	case ITEM_CPU:
		buf_printf(out, "CPU %" PRIu64 " came out of idle", it->value);
		break;
	case ITEM_IRQ:
		top = (struct waker){ .kind = WAKER_IRQ, .number = (int32_t)it->extra,
				      .who = (const void *)(uintptr_t)it->value };
		model_add_waker(w->m, &top, out);
		break;
	case ITEM_VECTOR:
		top = (struct waker){ .kind = WAKER_VECTOR,
				      .who = (const void *)(uintptr_t)it->value };
		model_add_waker(w->m, &top, out);
		break;
	case ITEM_SOFTIRQ:
		top = (struct waker){ .kind = WAKER_SOFTIRQ, .number = (int32_t)it->value };
		model_add_waker(w->m, &top, out);
		break;
	case ITEM_TIMER:
	case ITEM_SOFT_TIMER:
		if (!it->value) {
			buf_addstr(out, item_words[it->kind].text);
			break;
		}
		buf_addstr(out, "timer ");
		model_add_named(w->m, it->file, it->value, SPAN_NAME_SYMBOL, out);
		break;
	case ITEM_WORK:
		buf_addstr(out, "work ");
		model_add_named(w->m, it->file, it->value, SPAN_NAME_SYMBOL, out);
		if (it->extra) {
			buf_addstr(out, ", queued by ");
			add_task_by_id(w, it->extra - 1, out);
		}
		break;
	case ITEM_SIGNAL:
		buf_printf(out, "signal %" PRIu32 " from ", it->extra);
		add_task(w, (const struct task *)(uintptr_t)it->value, out);
		break;
	case ITEM_BLOCK:
		buf_printf(out, "a request to disk %" PRIu64 ",%" PRIu64 " ended", it->value >> 20,
			   it->value & 0xfffff);
		break;
	case ITEM_LOCK:
		add_task_by_id(w, it->extra, out);
		if (w->opts.names_only) {
			buf_addstr(out, " released a lock");
			break;
		}
		buf_addstr(out, " released lock ");
		model_add_named(w->m, it->file, it->value, SPAN_NAME_OBJECT, out);
		break;
	case ITEM_FUTEX:
		add_task_by_id(w, it->extra, out);
		if (w->opts.names_only)
			buf_addstr(out, " woke a futex");
		else
			buf_printf(out, " woke futex 0x%" PRIx64, it->value);
		break;
	default:
		buf_addstr(out, item_words[it->kind].text);
	}
}

struct task *why_cause_task(const struct why *w, uint32_t cause)
{
	const struct why_item *it = &w->items[cause];
	uint32_t id = it->extra;

	switch (it->kind) {
	case ITEM_TASK:
	case ITEM_SIGNAL:
		return (struct task *)(uintptr_t)it->value;
	case ITEM_LOCK:
	case ITEM_FUTEX:
		return id < w->cap_tasks && w->tasks[id] ? w->tasks[id]->t : NULL;
	default:
		return NULL;
	}
}

const struct task *why_waker(const struct why *w, const struct why_row *r)
{
	if (r->worker && r->worker != WHY_WORKERS)
		return w->tasks[r->worker - 1]->t;
	return why_cause_task(w, r->cause);
}

void why_add_waker(const struct why *w, const struct why_row *r, struct buf *out)
{
	const struct task *t = why_waker(w, r);

	if (t)
		add_task(w, t, out);
	else if (r->worker)
		buf_addstr(out, "the workers");
}

bool why_longest_request(const struct why *w, const struct why_row *r, uint64_t *sector,
			 uint64_t *nr_sector)
{
	if (w->items[r->cause].kind != ITEM_BLOCK || !r->request)
		return false;
	*sector = w->done[r->request].sector;
	*nr_sector = w->done[r->request].nr_sector;
	return true;
}

const char *why_word(const struct why_row *r)
{
	return why_words[r->kind].word;
}

bool why_add_label(const struct why *w, const struct why_row *r, struct buf *out)
{
	if (!r->label || !why_words[r->kind].in)
		return false;
	item_add(w, r->label, out);
	return true;
}

bool why_add_cause(const struct why *w, const struct why_row *r, struct buf *out)
{
	if (!r->cause || !why_words[r->kind].by)
		return false;
	item_add(w, r->cause, out);
	return true;
}

void why_add_row(const struct why *w, const struct why_row *r, struct buf *out)
{
	buf_addstr(out, why_words[r->kind].word);
	if (r->label && why_words[r->kind].in) {
		buf_printf(out, " %s ", why_words[r->kind].in);
		item_add(w, r->label, out);
	}
	if (r->cause && why_words[r->kind].by) {
		buf_printf(out, " %s ", why_words[r->kind].by);
		item_add(w, r->cause, out);
	}
}

const char *why_hint(const struct why *w, const struct why_row *r)
{
	const struct why_item *it = &w->items[r->cause];

	if (r->kind == WHY_MOVED)
		return "sched:sched_migrate_task";
	if (r->kind != WHY_ASLEEP && r->kind != WHY_BLOCKED && r->kind != WHY_STOPPED)
		return NULL;
	if ((it->kind == ITEM_TIMER || it->kind == ITEM_SOFT_TIMER) && it->value)
		return NULL;
	return it->kind < sizeof(item_words) / sizeof(*item_words) ? item_words[it->kind].hint :
	       NULL;
}

/* --- the words for tasks */

void why_tasks_parse(struct why_tasks *t, const char *word)
{
	const char *digits = word ? strrchr(word, '-') : NULL;
	int64_t pid;

	*t = (struct why_tasks){ .word = word };
	digits = digits ? digits + 1 : word;
	if (digits && !text_number(digits, 1, INT32_MAX, &pid))
		t->pid = (int32_t)pid;
}

bool why_tasks_have(const struct why_tasks *t, const struct model *m, const struct task *task)
{
	const char *name = model_task_name(m, task);
	struct buf full = {0};
	bool fits;

	if (!t->word)
		return true;
	if (t->pid)
		return task->pid == t->pid;
	buf_printf(&full, "%s-%" PRId32, name, task->pid);
	fits = !fnmatch(t->word, name, 0) || !fnmatch(t->word, full.data, 0);
	buf_release(&full);
	return fits;
}
