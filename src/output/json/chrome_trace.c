/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Spans and states as trace events: "B" and "E" for the ends of spans that nest, "b" and "e" for
 * spans that may cross, "M" for names. One "X" with a duration would be shorter, but viewers add
 * that to the time as floating point, and spans that touch then cross. Arguments are left out, as
 * speedscope shows them as a part of the name. A track is a thread of a process to the viewers:
 * here a task, or a CPU, of a group. Each kind of span is a group, as spans of two kinds need not
 * nest.
 */
#include "output/json/json_records.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/io.h"
#include "base/map.h"
#include "base/text.h"
#include "model/markers.h"

#define FLUSH_AT (64u << 10)
#define PIDS_MAX (4 << 20)		/* the kernel's PID_MAX_LIMIT */

/* Groups of tracks of a file: one for each kind of span, then these. */
enum {
	GROUP_STATES = SPAN_KINDS_MAX, GROUP_CPUS, GROUP_INTERRUPTS, GROUP_COUNTERS, GROUP_INSTANTS,
	GROUPS = 64
};

struct chrome_trace {
	struct chrome_choice choice;
	const struct model *m;
	int  fd;
	int  sys;			/* errno of a write that failed, or 0 */
	bool failed;
	uint64_t nr_events, nr_spans;
	struct map tracks;		/* the tracks whose names were written */
	struct buf out, text;
};

struct chrome_trace *chrome_new(int fd, const struct chrome_choice *choice)
{
	struct chrome_trace *c = xcalloc(1, sizeof(*c));

	c->fd = fd;
	c->choice = *choice;
	buf_addstr(&c->out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
	return c;
}

void chrome_bind(struct chrome_trace *c, const struct model *m)
{
	c->m = m;
}

void chrome_free(struct chrome_trace *c)
{
	if (!c)
		return;
	map_release(&c->tracks);
	buf_release(&c->out);
	buf_release(&c->text);
	free(c);
}

const bool *chrome_failed(const struct chrome_trace *c)
{
	return &c->failed;
}

uint64_t chrome_nr_events(const struct chrome_trace *c)
{
	return c->nr_events;
}

/* --- the parts of an event */

static void flush_out(struct chrome_trace *c)
{
	if (!c->failed && io_write_all(c->fd, c->out.data, c->out.len)) {
		c->sys = errno;
		c->failed = true;
	}
	buf_reset(&c->out);
}

static void start_event(struct chrome_trace *c, const char *phase, uint64_t group, int track)
{
	if (c->out.len >= FLUSH_AT)
		flush_out(c);
	buf_printf(&c->out, "%s\n{\"ph\":\"%s\",\"pid\":%" PRIu64 ",\"tid\":%d",
		   c->nr_events++ ? "," : "", phase, group + 1, track);
}

/* Viewers use microseconds. */
static void add_time(struct chrome_trace *c, const char *key, uint64_t ns)
{
	buf_printf(&c->out, ",\"%s\":%" PRIu64 ".%03" PRIu64, key, ns / 1000, ns % 1000);
}

static void add_text(struct chrome_trace *c, const char *key, const char *text, size_t len)
{
	buf_printf(&c->out, ",\"%s\":", key);
	json_add_string(&c->out, text, len);
}

static void end_event(struct chrome_trace *c)
{
	buf_addch(&c->out, '}');
}

/* Names a group, its "process_name", or a track, its "thread_name". */
static void name_track(struct chrome_trace *c, const char *what, uint64_t group, int track,
		       const char *name)
{
	start_event(c, "M", group, track);
	buf_printf(&c->out, ",\"name\":\"%s\",\"args\":{\"name\":", what);
	json_add_string(&c->out, name, strlen(name));
	buf_addch(&c->out, '}');
	end_event(c);
}

/* --- tracks */

/* Writes the names of the group and the track once. Returns the number of the group of a file. */
static uint64_t get_track(struct chrome_trace *c, uint32_t file, unsigned int group, int track,
			  const char *name)
{
	static const char *const names[] = {
		[GROUP_STATES - SPAN_KINDS_MAX] = "states of tasks",
		[GROUP_CPUS - SPAN_KINDS_MAX] = "CPUs",
		[GROUP_INTERRUPTS - SPAN_KINDS_MAX] = "calls in interrupts",
		[GROUP_COUNTERS - SPAN_KINDS_MAX] = "counters",
		[GROUP_INSTANTS - SPAN_KINDS_MAX] = "instants",
	};
	uint64_t g = (uint64_t)file * GROUPS + group;

	if (!map_get(&c->tracks, g << 32 | 0xffffffff)) {
		map_put(&c->tracks, g << 32 | 0xffffffff, c);
		name_track(c, "process_name", g, 0, group < SPAN_KINDS_MAX ?
			   model_kind_name(c->m, group) : names[group - SPAN_KINDS_MAX]);
	}
	if (!map_get(&c->tracks, g << 32 | (uint32_t)track)) {
		map_put(&c->tracks, g << 32 | (uint32_t)track, c);
		name_track(c, "thread_name", g, track, name);
	}
	return g;
}

static uint64_t get_cpu_track(struct chrome_trace *c, uint32_t file, unsigned int group, int cpu)
{
	char name[32];

	snprintf(name, sizeof(name), "CPU %d", cpu);
	return get_track(c, file, group, cpu, name);
}

/* --- spans */

/*
 * Returns the group of a span; *@track is the task, or the CPU. Calls in an interrupt have the
 * track of the interrupted task, but in a separate group.
 */
static uint64_t get_span_track(struct chrome_trace *c, const struct span *s, int *track)
{
	const struct task *t = s->task;
	unsigned int group = s->kind;

	if (!t || s->kind == SPAN_IRQ || s->kind == SPAN_SOFTIRQ) {
		*track = s->cpu_begin;
		return get_cpu_track(c, s->file, group, *track);
	}
	/* the idle tasks of all CPUs have pid 0: their tracks have numbers that no task has */
	*track = t->pid ? t->pid : PIDS_MAX + t->cpu;
	if (s->kind == SPAN_FUNCTION_GRAPH && s->context != SPAN_IN_TASK)
		group = GROUP_INTERRUPTS;
	return get_track(c, s->file, group, *track, model_task_name(c->m, t));
}

/* Adds one end of a span: categories are its kind and, at its end, its marks. */
static void add_end(struct chrome_trace *c, const struct span *s, bool begins)
{
	uint64_t ts = begins ? s->begin : s->end > s->begin ? s->end : s->begin, group;
	/* a task may release its locks in any order, and pairs may be anything */
	bool crosses = s->is_beside || s->kind == SPAN_LOCK || s->kind >= SPAN_PAIR;
	unsigned int marks = begins ? 0 : s->marks;
	const char *kind = model_kind_name(c->m, s->kind);
	int track;

	group = get_span_track(c, s, &track);
	start_event(c, crosses ? begins ? "b" : "e" : begins ? "B" : "E", group, track);
	buf_reset(&c->text);
	model_add_name(c->m, s, &c->text);
	add_text(c, "name", c->text.len ? c->text.data : "", c->text.len);
	/* the name of a pair is the user's: it is escaped */
	buf_reset(&c->text);
	json_add_string(&c->text, kind, strlen(kind));
	buf_addstr(&c->out, ",\"cat\":");
	buf_add(&c->out, c->text.data, c->text.len - 1);
	for (size_t i = 0; i < SPAN_MARKS; i++)
		if (marks & 1u << i)
			buf_printf(&c->out, ",%s", span_mark_names[i]);
	buf_addch(&c->out, '"');
	add_time(c, "ts", ts);
	/* a number that is common to both ends distinguishes spans that cross */
	if (crosses)
		buf_printf(&c->out, ",\"id\":%" PRIu64, s->user);
	end_event(c);
}

static void chrome_span_begin(void *ctx, struct span *s, const struct trace_rec *r)
{
	struct chrome_trace *c = ctx;

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

/* --- counters and instants of markers */

/* Adds the name and the time, and ends the name with the track where a mark has one. */
static void add_marker(struct chrome_trace *c, const struct marker_fields *k, uint64_t ts)
{
	buf_reset(&c->text);
	if (k->track) {
		text_sanitise(&c->text, k->track, k->track_len, false);
		buf_addstr(&c->text, ": ");
	}
	text_sanitise(&c->text, k->name, k->len, false);
	add_text(c, "name", c->text.len ? c->text.data : "", c->text.len);
	add_time(c, "ts", ts);
}

static void chrome_marked(void *ctx, struct task *t, const struct marker_fields *k,
			  const struct trace_rec *r)
{
	struct chrome_trace *c = ctx;
	int track = t->pid ? t->pid : PIDS_MAX + t->cpu;
	uint64_t group;

	if (!c->choice.record(c->choice.ctx, r))
		return;
	if (k->letter != 'C') {
		group = get_track(c, t->file, GROUP_INSTANTS, track, model_task_name(c->m, t));
		start_event(c, "i", group, track);
		add_marker(c, k, r->ts);
		buf_addstr(&c->out, ",\"s\":\"t\"");
		end_event(c);
		return;
	}
	/* a series has the same name and id: any thread of the process may set the counter */
	group = get_track(c, t->file, GROUP_COUNTERS, 0, "counters");
	start_event(c, "C", group, 0);
	add_marker(c, k, r->ts);
	buf_printf(&c->out, ",\"id\":\"%d\",\"args\":{\"value\":", k->tgid);
	if (k->is_real)
		buf_printf(&c->out, "%.17g}", k->real);
	else
		buf_printf(&c->out, "%" PRId64 "}", k->number);
	end_event(c);
}

/* --- states */

static void add_interval(struct chrome_trace *c, uint64_t group, int track, const char *name,
			 const char *kind, uint64_t from, uint64_t to)
{
	for (unsigned int end = 0; end < 2; end++) {
		start_event(c, end ? "E" : "B", group, track);
		add_text(c, "name", name, strlen(name));
		add_text(c, "cat", kind, strlen(kind));
		add_time(c, "ts", end ? to : from);
		end_event(c);
	}
}

static void chrome_stayed(void *ctx, struct task *t, uint64_t from, uint64_t to)
{
	struct chrome_trace *c = ctx;
	uint64_t group;

	if (!t->pid || from == to || t->state == TASK_UNKNOWN || t->state == TASK_DEAD ||
	    !c->choice.task(c->choice.ctx, c->m, t))
		return;
	group = get_track(c, t->file, GROUP_STATES, t->pid, model_task_name(c->m, t));
	add_interval(c, group, t->pid, model_state_name(c->m, t->state), "state", from, to);
}

static void chrome_cpu_stayed(void *ctx, struct model_cpu *cpu, uint64_t from, uint64_t to)
{
	struct chrome_trace *c = ctx;
	const struct task *t = cpu->task;

	if (!t || !t->pid || cpu->lost || from == to || !c->choice.task(c->choice.ctx, c->m, t))
		return;
	add_interval(c, get_cpu_track(c, cpu->file, GROUP_CPUS, cpu->cpu), cpu->cpu,
		     model_task_name(c->m, t), "running", from, to);
}

const struct span_ops *chrome_ops(void)
{
	static const struct span_ops ops = {
		.begin = chrome_span_begin, .end = chrome_span_end,
		.stayed = chrome_stayed, .cpu_stayed = chrome_cpu_stayed,
		.marked = chrome_marked,
	};

	return &ops;
}

int chrome_end(struct chrome_trace *c, struct ftr_error *err)
{
	buf_addstr(&c->out, "\n]}\n");
	flush_out(c);
	if (!c->failed)
		return 0;
	errno = c->sys;
	return err_write(err, "cannot write to standard output");
}
