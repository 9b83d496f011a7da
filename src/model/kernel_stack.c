/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the addresses of kernel_stack records, and finds the function that a task slept in. */
#include "model/kernel_stack.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "event/event.h"

enum stack_word { WORD_UNKNOWN, WORD_OTHER, WORD_TRACER, WORD_SCHED };

/*
 * The functions that record an event are above the one with the event: trace_events.h and
 * tracepoint.h in include/trace make their names from that of the event. The kernel has the
 * functions of its scheduler and locks in the section .sched.text, which a file does not show
 * (in_sched_functions()). These are the names of Linux 6.1 to 7.2; a name ends where the pattern
 * does, unless that ends with '*'.
 */
static const struct {
	const char *pattern;
	enum stack_word word;
} stack_patterns[] = {
	{ "__traceiter_*", WORD_TRACER },
	{ "trace_event_raw_event_*", WORD_TRACER },
	{ "trace_event_buffer_*", WORD_TRACER },
	{ "perf_trace_*", WORD_TRACER },
	{ "__bpf_trace_*", WORD_TRACER },
	{ "bpf_trace_run*", WORD_TRACER },
	/* kernel/sched/core.c */
	{ "__schedule", WORD_SCHED },
	{ "__schedule_loop", WORD_SCHED },
	{ "schedule", WORD_SCHED },
	{ "schedule_preempt_disabled", WORD_SCHED },
	{ "schedule_rtlock", WORD_SCHED },
	{ "preempt_schedule*", WORD_SCHED },
	{ "__cond_resched*", WORD_SCHED },
	{ "io_schedule*", WORD_SCHED },
	{ "yield", WORD_SCHED },
	{ "yield_to", WORD_SCHED },
	/* kernel/time/timer.c, sleep_timeout.c, hrtimer.c */
	{ "schedule_timeout*", WORD_SCHED },
	{ "schedule_hrtimeout*", WORD_SCHED },
	{ "usleep_range_state", WORD_SCHED },
	{ "do_nanosleep", WORD_SCHED },
	/* kernel/sched/completion.c, wait_bit.c */
	{ "wait_for_completion*", WORD_SCHED },
	{ "wait_for_common*", WORD_SCHED },
	{ "__wait_for_common", WORD_SCHED },
	{ "do_wait_for_common", WORD_SCHED },
	{ "__wait_on_bit*", WORD_SCHED },
	{ "out_of_line_wait_on_*", WORD_SCHED },
	{ "bit_wait*", WORD_SCHED },
	/* kernel/locking */
	{ "mutex_lock*", WORD_SCHED },
	{ "__mutex_lock*", WORD_SCHED },
	{ "ww_mutex_lock*", WORD_SCHED },
	{ "__ww_mutex_lock*", WORD_SCHED },
	{ "down_read*", WORD_SCHED },
	{ "down_write*", WORD_SCHED },
	{ "down", WORD_SCHED },
	{ "down_interruptible", WORD_SCHED },
	{ "down_killable", WORD_SCHED },
	{ "down_timeout", WORD_SCHED },
	{ "__down*", WORD_SCHED },
	{ "rwsem_down_*", WORD_SCHED },
	{ "rwbase_read_lock", WORD_SCHED },
	{ "rwbase_write_lock", WORD_SCHED },
	{ "__percpu_down_read", WORD_SCHED },
	{ "percpu_down_write", WORD_SCHED },
	{ "percpu_rwsem_wait", WORD_SCHED },
	{ "rt_mutex_*", WORD_SCHED },
	{ "__rt_mutex_*", WORD_SCHED },
	{ "rtlock_*", WORD_SCHED },
	{ "rt_spin_lock*", WORD_SCHED },
	{ "rt_read_lock*", WORD_SCHED },
	{ "rt_write_lock*", WORD_SCHED },
};

bool kernel_stack_read(const struct trace_rec *r, struct kernel_stack *s)
{
	const struct ev_field *caller = ev_format_ready(r->rec.fmt) ? NULL :
					ev_field(r->rec.fmt, "caller");
	uint32_t size = r->rec.long_size, len;
	uint64_t end = size == 8 ? UINT64_MAX : UINT32_MAX;

	*s = (struct kernel_stack){ .r = r };
	if (!caller || !ev_get_bytes(&r->rec, caller, &s->data, &len))
		return false;
	/* ~0 ends a stack early */
	while ((s->n + 1) * size <= len && kernel_stack_addr(s, s->n) != end)
		s->n++;
	return s->n;
}

uint64_t kernel_stack_addr(const struct kernel_stack *s, uint32_t i)
{
	const struct ev_rec *r = &s->r->rec;
	const uint8_t *p = s->data + i * r->long_size;
	uint64_t v = 0;

	for (unsigned int k = 0; k < r->long_size; k++)
		v = v << 8 | p[r->big ? k : r->long_size - 1u - k];
	return v;
}

static enum stack_word judge_name(const char *name)
{
	size_t len;

	for (size_t i = 0; i < sizeof(stack_patterns) / sizeof(*stack_patterns); i++) {
		const char *pattern = stack_patterns[i].pattern;

		len = strlen(pattern);
		if (pattern[len - 1] == '*' ? !strncmp(name, pattern, len - 1) :
		    !strcmp(name, pattern))
			return stack_patterns[i].word;
	}
	return WORD_OTHER;
}

static enum stack_word judge(struct stack_words *w, struct model *m, const struct kernel_stack *s,
			     uint32_t i)
{
	uint64_t addr = kernel_stack_addr(s, i);
	uint64_t key = hash_two(&addr, sizeof(addr), &s->r->file, sizeof(s->r->file));
	enum stack_word word = (uintptr_t)map_get(&w->verdicts, key);
	struct buf name = {0};

	if (word != WORD_UNKNOWN)
		return word;
	model_add_named(m, s->r->file, addr, SPAN_NAME_SYMBOL, &name);
	word = judge_name(name.len ? name.data : "");
	map_put(&w->verdicts, key, (void *)(uintptr_t)word);
	buf_release(&name);
	return word;
}

uint32_t kernel_stack_skip_tracer(struct stack_words *w, struct model *m,
				  const struct kernel_stack *s)
{
	uint32_t i = 0;

	while (i < s->n && judge(w, m, s, i) == WORD_TRACER)
		i++;
	return i;
}

uint32_t kernel_stack_skip_sched(struct stack_words *w, struct model *m,
				 const struct kernel_stack *s)
{
	uint32_t i = kernel_stack_skip_tracer(w, m, s);

	while (i < s->n && (kernel_stack_addr(s, i) == STACK_TRAMPOLINE ||
			    judge(w, m, s, i) == WORD_SCHED))
		i++;
	return i;
}

void stack_words_release(struct stack_words *w)
{
	map_release(&w->verdicts);
}
