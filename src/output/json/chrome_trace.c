/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Spans and states as trace events: "B" and "E" for the ends of what nests, "b" and "e" for what
 * may cross, "M" for names. One "X" with a duration would be shorter, but viewers add that to the
 * time as floating point, and what touches then crosses. Arguments are left out, as speedscope
 * takes them for a part of the name. A track is a thread of a process to the viewers: here a task,
 * or a CPU, of a group, and each kind of span is one, as those of two kinds need not nest.
 */
#include "output/json/chrome_trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/io.h"
#include "base/map.h"
#include "output/json/json_records.h"

#define FLUSH_AT (64u << 10)
#define PIDS_MAX (4 << 20)		/* the kernel's PID_MAX_LIMIT */

/* Groups of tracks of a file: a kind of span each, then these. */
enum { GROUP_STATES = SPAN_KINDS_MAX, GROUP_CPUS, GROUP_INTERRUPTS, GROUPS = 64 };

struct chrome {
	struct chrome_choice choice;
	const struct model *m;
	int  fd;
	int  sys;			/* errno of a write that failed, or 0 */
	bool failed;
	uint64_t nr_events, nr_spans;
	struct map tracks;		/* those that have their names */
	struct buf out, text;
};

struct chrome *chrome_new(int fd, const struct chrome_choice *choice)
{
	struct chrome *c = xcalloc(1, sizeof(*c));

	c->fd = fd;
	c->choice = *choice;
	buf_addstr(&c->out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
	return c;
}

void chrome_bind(struct chrome *c, const struct model *m)
{
	c->m = m;
}

void chrome_free(struct chrome *c)
{
	if (!c)
		return;
	map_release(&c->tracks);
	buf_release(&c->out);
	buf_release(&c->text);
	free(c);
}

const bool *chrome_failed(const struct chrome *c)
{
	return &c->failed;
}

uint64_t chrome_nr_events(const struct chrome *c)
{
	return c->nr_events;
}

/* --- pieces of an event */

static void flush(struct chrome *c)
{
	if (!c->failed && io_write_all(c->fd, c->out.data, c->out.len)) {
		c->sys = errno;
		c->failed = true;
	}
	buf_reset(&c->out);
}

static void begin_event(struct chrome *c, const char *phase, uint64_t group, int track)
{
	if (c->out.len >= FLUSH_AT)
		flush(c);
	buf_printf(&c->out, "%s\n{\"ph\":\"%s\",\"pid\":%" PRIu64 ",\"tid\":%d",
		   c->nr_events++ ? "," : "", phase, group + 1, track);
}

/* Viewers count microseconds. */
static void add_time(struct chrome *c, const char *key, uint64_t ns)
{
	buf_printf(&c->out, ",\"%s\":%" PRIu64 ".%03" PRIu64, key, ns / 1000, ns % 1000);
}

static void add_text(struct chrome *c, const char *key, const char *text, size_t len)
{
	buf_printf(&c->out, ",\"%s\":", key);
	json_add_string(&c->out, text, len);
}

static void end_event(struct chrome *c)
{
	buf_addch(&c->out, '}');
}

static void name_it(struct chrome *c, const char *what, uint64_t group, int track,
		    const char *name)
{
	begin_event(c, "M", group, track);
	buf_printf(&c->out, ",\"name\":\"%s\",\"args\":{\"name\":", what);
	json_add_string(&c->out, name, strlen(name));
	buf_addch(&c->out, '}');
	end_event(c);
}

/* --- tracks */

static const char *group_name(const struct chrome *c, unsigned int group)
{
	static const char *const names[] = {
		[GROUP_STATES - SPAN_KINDS_MAX] = "states of tasks",
		[GROUP_CPUS - SPAN_KINDS_MAX] = "CPUs",
		[GROUP_INTERRUPTS - SPAN_KINDS_MAX] = "calls in interrupts",
	};

	return group < SPAN_KINDS_MAX ? model_kind_name(c->m, group)
				      : names[group - SPAN_KINDS_MAX];
}

/* The number of a group of a file, after its name and that of the track were told. */
static uint64_t track_of(struct chrome *c, uint32_t file, unsigned int group, int track,
			 const char *name)
{
	uint64_t g = (uint64_t)file * GROUPS + group;

	if (!map_get(&c->tracks, g << 32 | 0xffffffff)) {
		map_put(&c->tracks, g << 32 | 0xffffffff, c);
		name_it(c, "process_name", g, 0, group_name(c, group));
	}
	if (!map_get(&c->tracks, g << 32 | (uint32_t)track)) {
		map_put(&c->tracks, g << 32 | (uint32_t)track, c);
		name_it(c, "thread_name", g, track, name);
	}
	return g;
}

static uint64_t cpu_track(struct chrome *c, uint32_t file, unsigned int group, int cpu)
{
	char name[32];

	snprintf(name, sizeof(name), "CPU %d", cpu);
	return track_of(c, file, group, cpu, name);
}

/* Each CPU has an idle task, of the same pid: they have numbers that no task has. */
static int task_number(const struct task *t)
{
	return t->pid ? t->pid : PIDS_MAX + t->cpu;
}

/* --- spans */

/* A pair's name is the user's. */
static void add_kind(struct chrome *c, unsigned int kind)
{
	const char *name = model_kind_name(c->m, kind);

	buf_reset(&c->text);
	json_add_string(&c->text, name, strlen(name));
	buf_add(&c->out, c->text.data + 1, c->text.len - 2);
}

/* The kind, and of its end what is to be said of it: categories, by comma. */
static void add_category(struct chrome *c, const struct span *s, unsigned int marks)
{
	buf_addstr(&c->out, ",\"cat\":\"");
	add_kind(c, s->kind);
	for (size_t i = 0; i < SPAN_MARKS; i++)
		if (marks & 1u << i)
			buf_printf(&c->out, ",%s", span_mark_names[i]);
	buf_addch(&c->out, '"');
}

static void add_head(struct chrome *c, const struct span *s, uint64_t ts, unsigned int marks)
{
	buf_reset(&c->text);
	model_add_name(c->m, s, &c->text);
	add_text(c, "name", c->text.len ? c->text.data : "", c->text.len);
	add_category(c, s, marks);
	add_time(c, "ts", ts);
}

/*
 * Its track; *track is the task, or the CPU. Calls of an interrupt are those of the task that it
 * came upon, but not part of what that does.
 */
static uint64_t span_track(struct chrome *c, const struct span *s, int *track)
{
	unsigned int group = s->kind;

	if (!s->task || s->kind == SPAN_IRQ || s->kind == SPAN_SOFTIRQ) {
		*track = s->cpu_begin;
		return cpu_track(c, s->file, group, *track);
	}
	*track = task_number(s->task);
	if (s->kind == SPAN_FUNCTION_GRAPH && s->context != SPAN_IN_TASK)
		group = GROUP_INTERRUPTS;
	return track_of(c, s->file, group, *track, model_task_name(c->m, s->task));
}

/* A task may give back its locks in any order; what the user named may be anything. */
static bool may_cross(const struct span *s)
{
	return s->is_beside || s->kind == SPAN_LOCK || s->kind >= SPAN_PAIR;
}

/* One of its ends. Two of what may cross are told apart by a number that both have. */
static void add_end(struct chrome *c, const struct span *s, bool begins)
{
	uint64_t ts = begins ? s->begin : s->end > s->begin ? s->end : s->begin, group;
	bool crosses = may_cross(s);
	int track;

	group = span_track(c, s, &track);
	begin_event(c, crosses ? begins ? "b" : "e" : begins ? "B" : "E", group, track);
	add_head(c, s, ts, begins ? 0 : s->marks);
	if (crosses)
		buf_printf(&c->out, ",\"id\":%" PRIu64, s->user);
	end_event(c);
}

static void chrome_span_begin(void *ctx, struct span *s, const struct trace_rec *r)
{
	struct chrome *c = ctx;

	s->is_shown = !r || c->choice.record(c->choice.ctx, r);
	if (!s->is_shown)
		return;
	s->user = ++c->nr_spans;
	add_end(c, s, true);
}

static void chrome_span_end(void *ctx, struct span *s, const struct trace_rec *r)
{
	(void)r;
	if (s->is_shown)
		add_end(ctx, s, false);
}

/* --- states */

static void add_interval(struct chrome *c, uint64_t group, int track, const char *name,
			 const char *kind, uint64_t from, uint64_t to)
{
	for (unsigned int end = 0; end < 2; end++) {
		begin_event(c, end ? "E" : "B", group, track);
		add_text(c, "name", name, strlen(name));
		add_text(c, "cat", kind, strlen(kind));
		add_time(c, "ts", end ? to : from);
		end_event(c);
	}
}

static void chrome_stayed(void *ctx, struct task *t, uint64_t from, uint64_t to)
{
	struct chrome *c = ctx;
	uint64_t group;

	if (!t->pid || from == to || t->state == TASK_UNKNOWN || t->state == TASK_DEAD ||
	    !c->choice.task(c->choice.ctx, c->m, t))
		return;
	group = track_of(c, t->file, GROUP_STATES, t->pid, model_task_name(c->m, t));
	add_interval(c, group, t->pid, model_state_name(c->m, t->state), "state", from, to);
}

static void chrome_cpu_stayed(void *ctx, struct model_cpu *cpu, uint64_t from, uint64_t to)
{
	struct chrome *c = ctx;
	const struct task *t = cpu->task;

	if (!t || !t->pid || cpu->lost || from == to || !c->choice.task(c->choice.ctx, c->m, t))
		return;
	add_interval(c, cpu_track(c, cpu->file, GROUP_CPUS, cpu->cpu), cpu->cpu,
		     model_task_name(c->m, t), "running", from, to);
}

const struct span_ops *chrome_ops(void)
{
	static const struct span_ops ops = {
		.begin = chrome_span_begin, .end = chrome_span_end,
		.stayed = chrome_stayed, .cpu_stayed = chrome_cpu_stayed,
	};

	return &ops;
}

int chrome_end(struct chrome *c, struct ftr_error *err)
{
	buf_addstr(&c->out, "\n]}\n");
	flush(c);
	if (!c->failed)
		return 0;
	errno = c->sys;
	return err_write(err, "cannot write to standard output");
}
