/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What led to an oops, as text. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/term.h"
#include "cmd/frame/command.h"
#include "cmd/oops/oops_show.h"

#define KEY_WIDTH 9

/* Before lines that go past stdio. */
static void put_buf(struct buf *b)
{
	fwrite(b->len ? b->data : "", 1, b->len, stdout);
	fflush(stdout);
	buf_release(b);
}

static void add_key(struct buf *b, const char *key)
{
	buf_printf(b, "%-*s", KEY_WIDTH, key);
}

static void add_time(const struct show *s, struct buf *b, uint64_t ts)
{
	trace_add_time(b, s->trace, ts, false);
}

/* Milliseconds; of a clock that counts no nanoseconds its units. */
static void add_duration(const struct show *s, struct buf *b, uint64_t v)
{
	if (v == SPAN_UNKNOWN)
		buf_addstr(b, "?");
	else if (s->trace->clock_is_ns)
		buf_printf(b, "%.3f ms", v / 1e6);
	else
		buf_printf(b, "%" PRIu64, v);
}

/* --- the first lines */

static void add_oops(const struct show *s, struct buf *b)
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

static void add_task(const struct show *s, struct buf *b)
{
	const struct task *t = s->task;
	char *name;

	add_key(b, "task:");
	if (s->pid < 0) {
		buf_addstr(b, "not known\n");
		return;
	}
	name = show_task_text(s);
	if (s->has_oops && !s->told_task)
		buf_printf(b, "not told; %s is that of the last record%s", name,
			   s->told_cpu ? " on that CPU" : "");
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

static void add_cpu(const struct show *s, struct buf *b)
{
	add_key(b, "CPU:");
	if (s->cpu < 0)
		buf_addstr(b, "not known\n");
	else if (s->told_cpu || !s->has_oops)
		buf_printf(b, "%d\n", s->cpu);
	else
		buf_printf(b, s->told_task && s->task && s->task->cpu == s->cpu ?
			   "%d, where the task ran last\n" : "%d, that of the last record\n",
			   s->cpu);
}

static void add_losses(const struct show *s, struct buf *b)
{
	const char *before = "";

	add_key(b, "losses:");
	for (const struct show_cpu *c = s->cpus; c < s->cpus + s->nr_cpus; c++) {
		if (!c->lost && !c->lost_unknown)
			continue;
		buf_printf(b, "%sCPU %d: ", before, c->cpu);
		before = ", ";
		if (c->lost)
			buf_printf(b, "%" PRIu64 " events", c->lost);
		if (c->lost_unknown)
			buf_addstr(b, c->lost ? " and more" : "an unknown number");
	}
	buf_addstr(b, *before ? "\n" : "none\n");
}

static void add_end(const struct show *s, struct buf *b)
{
	add_key(b, "end:");
	if (s->nr_cpus)
		add_time(s, b, s->last_ts);
	else
		buf_addstr(b, "no records");
	buf_addch(b, '\n');
}

/* --- what the task did */

static void add_span(const struct show *s, struct buf *b, const struct show_span *p)
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

static void add_lists(const struct show *s, struct buf *b)
{
	static const char *const titles[SHOW_LISTS] = {
		"Open at the end:", "Last wakeups:", "Last waits for locks:", "Last block I/O:",
	};

	for (size_t i = 0; i < SHOW_LISTS; i++) {
		if (!s->lists[i].n)
			continue;
		buf_printf(b, "\n%s\n", titles[i]);
		for (size_t k = 0; k < s->lists[i].n; k++)
			add_span(s, b, show_span_at(&s->lists[i], k));
	}
}

/* --- records */

static void add_count(const struct show *s, struct buf *b, const struct show_cpu *c)
{
	char *task = show_cpu_task(s, c);

	buf_printf(b, "CPU %d", c->cpu);
	if (task)
		buf_printf(b, ", at the end %s", task);
	buf_printf(b, ": the last %" PRIu64 " of %" PRIu64 " records\n", c->shown, c->count);
	free(task);
}

static int print_cpu(const struct show *s, struct ftr_error *err)
{
	const struct show_cpu *c = show_find_cpu(s, s->cpu);
	struct buf b = {0};

	if (!c)
		return 0;
	buf_addch(&b, '\n');
	add_count(s, &b, c);
	put_buf(&b);
	return show_lines_write(s, false, STDOUT_FILENO, err);
}

static int print_others(const struct show *s, struct ftr_error *err)
{
	struct buf b = {0};

	buf_addstr(&b, "\nOther CPUs");
	if (s->trace->clock_is_ns) {
		buf_addstr(&b, " in the last ");
		add_duration(s, &b, s->args->around_ns);
	}
	buf_addstr(&b, ":\n");
	for (size_t i = 0; i < s->nr_cpus; i++) {
		if (s->cpus[i].cpu == s->cpu)
			continue;
		buf_addstr(&b, "  ");
		add_count(s, &b, &s->cpus[i]);
	}
	put_buf(&b);
	return show_lines_write(s, true, STDOUT_FILENO, err);
}

int show_print_text(const struct show *s, struct ftr_error *err)
{
	bool has_others = s->nr_cpus > (show_find_cpu(s, s->cpu) != NULL);
	struct buf b = {0};

	term_pager_start();
	add_oops(s, &b);
	add_task(s, &b);
	add_cpu(s, &b);
	add_end(s, &b);
	add_losses(s, &b);
	put_buf(&b);
	if (print_cpu(s, err))
		return -1;
	add_lists(s, &b);
	put_buf(&b);
	return has_others ? print_others(s, err) : 0;
}
