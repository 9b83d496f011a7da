/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz target: any records in any order through the model of spans. Each begin has one end,
 * durations are made of what is inside of them, what is open stays within its limit, and a copy is
 * what the model was. Flame graphs have all selves, and all time that tasks slept.
 */
#include <string.h>

#include "event/event.h"
#include "fuzz.h"
#include "model/flame/flame_data.h"
#include "model/markers.h"
#include "model/span_blocks.h"
#include "model/span_profile.h"
#include "model/state_lanes.h"
#include "trace/trace_priv.h"

#define HEADER	8u		/* of a record: common_type, flags, preempt_count, pid */
#define REC_MAX	64u

/* Fields as "NAME SIZE", behind each other from offset 8 on; "s" in front: signed, "t": a text. */
static const struct event {
	const char *system, *name, *fields;
} events[] = {
	{ "ftrace", "funcgraph_entry", "func 8 sdepth 4" },
	{ "ftrace", "funcgraph_exit",
	  "func 8 sdepth 4 overrun 4 calltime 8 rettime 8" },
	{ "raw_syscalls", "sys_enter", "sid 8" },
	{ "raw_syscalls", "sys_exit", "sid 8 sret 8" },
	{ "syscalls", "sys_enter_read", "s__syscall_nr 4" },
	{ "syscalls", "sys_exit_read", "s__syscall_nr 4 sret 8" },
	{ "irq", "irq_handler_entry", "sirq 4 tname 8" },
	{ "irq", "irq_handler_exit", "sirq 4 sret 4" },
	{ "irq", "softirq_entry", "vec 4" },
	{ "irq", "softirq_exit", "vec 4" },
	{ "workqueue", "workqueue_execute_start", "work 8 function 8" },
	{ "workqueue", "workqueue_execute_end", "work 8 function 8" },
	{ "lock", "contention_begin", "lock_addr 8" },
	{ "lock", "contention_end", "lock_addr 8" },
	{ "block", "block_rq_issue", "dev 4 sector 8 nr_sector 4 trwbs 8" },
	{ "block", "block_rq_complete", "dev 4 sector 8 nr_sector 4 trwbs 8" },
	{ "block", "block_rq_requeue", "dev 4 sector 8 nr_sector 4" },
	{ "sched", "sched_switch", "tprev_comm 16 sprev_pid 4 sprev_prio 4 sprev_state 8 snext_pid 4" },
	{ "sched", "sched_waking", "spid 4" },
	{ "sched", "sched_wakeup", "spid 4" },
	{ "sched", "sched_wakeup_new", "spid 4" },
	{ "sched", "sched_migrate_task", "spid 4 sdest_cpu 4" },
	{ "sched", "sched_process_fork", "schild_pid 4 tchild_comm 16" },
	{ "sched", "sched_process_exec", "spid 4 sold_pid 4 tfilename 16" },
	{ "task", "task_rename", "spid 4 tnewcomm 16" },
	{ "kprobes", "begins", "__probe_ip 8" },
	{ "kprobes", "returns", "__probe_func 8 __probe_ret_ip 8" },
	{ "user", "on", "key 4" },
	{ "user", "off", "key 4" },
	{ "ftrace", "kernel_stack", "ssize 4 caller 32" },
	{ "ftrace", "user_stack", "tgid 4 caller 32" },
	{ "power", "cpu_idle", "state 4 cpu_id 4" },
	{ "power", "cpu_frequency", "state 4 cpu_id 4" },
	{ "ftrace", "print", "ip 8 tbuf 0" },
	{ "dpu", "tracing_mark_write", "type 4 spid 4 tname 8 svalue 4" },
	{ "mdss", "tracing_mark_write", "spid 4 ttrace_name 8 trace_begin 4" },
};
#define NR_EVENTS (sizeof(events) / sizeof(*events))
#define STATE_FMT "\"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_pid=%d\", " \
	"REC->prev_comm, REC->prev_pid, REC->prev_prio, (REC->prev_state & 255) ? " \
	"__print_flags(REC->prev_state & 255, \"|\", { 1, \"S\" }, { 2, \"D\" }, { 16, \"X\" }, " \
	"{ 32, \"Z\" }) : \"R\", REC->prev_state & 256 ? \"+\" : \"\", REC->next_pid"

static struct ev_format formats[NR_EVENTS];
static struct dat_cpu cpus[2][2] = { { { .cpu = 0 }, { .cpu = 1 } }, { { .cpu = 0 }, { .cpu = 1 } } };
static char no_name[] = "", instance_name[] = "one";
static struct dat_buffer buffers[2] = {
	{ .name = no_name, .cpus = cpus[0], .nr_cpus = 2 },
	{ .name = instance_name, .cpus = cpus[1], .nr_cpus = 2 },
};
static char path[] = "fuzz";
static struct dat dat = { .path = path, .big = RING_HOST_BIG, .long_size = 8, .page_size = 4096,
			  .buffers = buffers, .nr_buffers = 2, .nr_cpus = 2 };
/* no names of tasks */
static struct trace_shared shared = { .dat = &dat, .comms_built = 1 };
static struct trace_comm_slot comms[TRACE_COMM_SLOTS];
static struct trace trace = { .dat = &dat, .clock_is_ns = true, .shared = &shared,
			      .comm_cache = comms };

static void add_field(struct buf *b, const char *name, size_t len, unsigned int off, unsigned int size)
{
	bool text = *name == 't', is_signed = *name == 's' && len > 1;

	/* "sector", "system" and their like are no marks */
	if (len > 6 && !strncmp(name, "sector", 6))
		is_signed = false;
	name += text || is_signed;
	len -= text || is_signed;
	if (len == 6 && !strncmp(name, "caller", 6))
		buf_printf(b, "\tfield:unsigned long caller[4];\toffset:%u;\tsize:%u;\tsigned:0;\n",
			   off, size);
	else if (text)
		buf_printf(b, "\tfield:char %.*s[%u];\toffset:%u;\tsize:%u;\tsigned:0;\n", (int)len,
			   name, size, off, size);
	else
		buf_printf(b, "\tfield:%s %.*s;\toffset:%u;\tsize:%u;\tsigned:%d;\n",
			   size == 8 ? "long" : "int", (int)len, name, off, size, is_signed);
}

static void add_fields(struct buf *b, const char *fields)
{
	unsigned int off = HEADER, size;
	const char *p = fields;

	while (*p) {
		size_t len = strcspn(p, " ");

		size = strtoul(p + len, NULL, 10);
		add_field(b, p, len, off, size);
		off += size;
		p += len + 1;
		p += strcspn(p, " ");
		p += *p == ' ';
	}
}

static const char *print_fmt_of(const struct event *e)
{
	if (!strcmp(e->name, "sched_switch"))
		return STATE_FMT;
	if (!strcmp(e->system, "dpu"))
		return "\"%c|%d|%s|%d\", REC->type, REC->pid, REC->name, REC->value";
	if (!strcmp(e->system, "mdss"))
		return "\"%s|%d|%s\", REC->trace_begin ? \"B\" : \"E\", REC->pid, "
		       "REC->trace_name";
	return "\"\"";
}

static void make_format(size_t i)
{
	static const char common[] =
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";
	struct buf b = {0};
	struct ftr_error err = {0};
	char *text;
	size_t len;

	buf_printf(&b, "name: %s\nID: %zu\nformat:\n%s", events[i].name, i + 1, common);
	add_fields(&b, events[i].fields);
	buf_printf(&b, "\nprint fmt: %s\n", print_fmt_of(&events[i]));
	len = b.len;
	text = buf_take(&b);
	FUZZ_ASSERT(!ev_format_parse(&formats[i], events[i].system, text, len, &err));
	free(text);
}

static void make_formats(void)
{
	struct ftr_error err = {0};

	for (size_t i = 0; i < NR_EVENTS; i++) {
		make_format(i);
		map_put(&trace.meta.by_id, i + 1, &formats[i]);
	}
	trace.meta.big = RING_HOST_BIG;
	trace.meta.long_size = 8;
	trace.meta.page_size = 4096;
	trace.meta.formats = formats;
	trace.meta.nr_formats = NR_EVENTS;
	trace.meta.syms = ev_syms_new("", 0);
	trace.engine = ev_engine_new(&trace.meta, NULL, &err);
	FUZZ_ASSERT(trace.engine);
}

/* --- what is checked */

struct check {
	size_t open;
	uint64_t self;			/* of all that counts */
	uint64_t bytes;			/* of marks: all are read */
	struct span_profile *profile;
	struct span_blocks *blocks;
};

static void span_begins(void *ctx, struct span *s, const struct trace_rec *r)
{
	struct check *c = ctx;

	c->open++;
	s->is_shown = true;
	blocks_begin(c->blocks, s, r);
}

static void span_ends(void *ctx, struct span *s, const struct trace_rec *r)
{
	struct check *c = ctx;

	(void)r;
	FUZZ_ASSERT(c->open);
	c->open--;
	if (!(s->marks & ~SPAN_REQUEUED) && !s->below_0) {
		FUZZ_ASSERT(s->duration == s->self + s->irq + s->children);
		FUZZ_ASSERT(s->kind == SPAN_FUNCTION_GRAPH || s->end - s->begin == s->duration);
	}
	FUZZ_ASSERT(s->duration == SPAN_UNKNOWN || (int64_t)s->duration >= 0);
	if (span_counts(s) && s->self != SPAN_UNKNOWN)
		c->self += s->self;
	profile_end(c->profile, s);
	blocks_end(c->blocks, s);
}

static void event_comes(void *ctx, struct task *t, const struct trace_rec *r)
{
	struct check *c = ctx;

	blocks_event(c->blocks, t, r);
}

static void mark_comes(void *ctx, struct task *t, const struct marker_fields *k,
		       const struct trace_rec *r)
{
	struct check *c = ctx;

	(void)t;
	(void)r;
	for (size_t i = 0; i < k->len; i++)
		c->bytes += (uint8_t)k->name[i];
	for (size_t i = 0; i < k->track_len; i++)
		c->bytes += (uint8_t)k->track[i];
	FUZZ_ASSERT(strchr("CIN", k->letter));
}

static const struct span_ops check_ops = {
	.begin = span_begins, .end = span_ends, .event = event_comes, .marked = mark_comes,
};

static void check_block(void *ctx, const struct span_block *b)
{
	(void)ctx;
	FUZZ_ASSERT(b->n && b->nodes[0].size <= b->n);
	for (size_t i = 0; i < b->n; i++)
		FUZZ_ASSERT(b->nodes[i].size && i + b->nodes[i].size <= b->n);
}

/* --- records: event, pid, CPU and buffer, time, loss, flags, length, bytes */

#define COMMAND 7u

static void feed_one(struct model *m, const uint8_t *p, size_t len, uint64_t *ts)
{
	uint8_t data[REC_MAX] = {0};
	size_t event = p[0] % NR_EVENTS;
	struct trace_rec r = {
		.trace = &trace, .buffer = p[2] >> 1 & 1, .cpu = p[2] & 1, .stream = p[2] & 3,
		.pid = p[1] % 8, .type = event + 1, .lost = p[4] & 1,
		.rec = { .fmt = &formats[event], .data = data, .long_size = 8,
			 .big = RING_HOST_BIG },
	};

	*ts += (uint64_t)p[3] << (p[4] >> 4);
	r.ts = *ts;
	memcpy(data, &r.type, sizeof(r.type));
	data[2] = p[5];
	data[4] = r.pid;
	memcpy(data + HEADER, p + COMMAND, len);
	r.rec.len = HEADER + len;
	if (p[4] & 2)
		r.rec.data = NULL;
	model_feed(m, &r);
}

static size_t command_len(const uint8_t *p, size_t left)
{
	size_t len = p[6] % (REC_MAX - HEADER);

	return len < left - COMMAND ? len : left - COMMAND;
}

static void feed_all(struct model *m, const uint8_t *p, size_t size)
{
	uint64_t ts = 1000;
	size_t len;

	while (size > COMMAND) {
		len = command_len(p, size);
		feed_one(m, p, len, &ts);
		FUZZ_ASSERT(model_live(m) <= 1u << 20);
		p += COMMAND + len;
		size -= COMMAND + len;
	}
}

static uint64_t time_of_levels(const struct cpu_levels *l)
{
	uint64_t sum = 0;

	for (const struct cpu_value *v = l->first; v; v = v->next)
		sum += v->t.time;
	return sum;
}

/* What is on top of a CPU's time is no more than that. */
static void check_cpus(const struct model *m)
{
	for (const struct model_cpu *c = model_cpus(m); c; c = c->next) {
		uint64_t all = c->busy + c->idle + c->unknown;

		FUZZ_ASSERT(c->irq + c->softirq <= all);
		FUZZ_ASSERT(time_of_levels(&c->idle_state) <= all);
		FUZZ_ASSERT(time_of_levels(&c->frequency) <= all);
	}
}

/* Views keep something of spans: a copy is checked by a model without one. */
static void check_copy(const uint8_t *data, size_t size, struct model_opts *o)
{
	static const struct span_ops none;
	struct ftr_error err = {0};
	struct trace *traces[] = { &trace };
	struct model *m = model_new(traces, 1, o, &none, NULL, &err);
	struct model_copy *copy;
	size_t half = size / 2, live[2];

	feed_all(m, data, half);
	copy = model_save(m);
	for (size_t i = 0; i < 2; i++) {
		feed_all(m, data + half, size - half);
		live[i] = model_live(m);
		model_end(m);
		FUZZ_ASSERT(!model_live(m));
		model_restore(m, copy);
	}
	FUZZ_ASSERT(live[0] == live[1]);
	model_copy_free(copy);
	model_free(m);
}

/* --- flame graphs */

static bool select_all(void *ctx, const struct trace_rec *r)
{
	(void)ctx;
	(void)r;
	return true;
}

/* Time asleep or preempted is all counted, time that tasks were runnable as far as they had run. */
static void check_off_cpu(const struct model *m, uint64_t sum)
{
	uint64_t least = 0, most = 0;

	for (const struct task *t = model_tasks(m); t; t = t->next) {
		if (!t->pid)
			continue;
		least += task_time(t, TASK_PREEMPTED)->time;
		for (unsigned int i = TASK_ASLEEP; i < model_nr_states(m); i++)
			least += task_time(t, i)->time;
		most += task_time(t, TASK_RUNNABLE)->time;
	}
	FUZZ_ASSERT(sum >= least && sum <= least + most);
}

static uint64_t sum_lines(const struct folded_stacks *w)
{
	struct buf lines = {0};
	uint64_t sum = 0;

	folded_print(w, 1, &lines);
	for (char *p = lines.data, *end; p && *p; p = end + 1) {
		end = strchr(p, '\n');
		*end = '\0';
		sum += strtoull(strrchr(p, ' '), NULL, 10);
	}
	buf_release(&lines);
	return sum;
}

static void check_flame(const uint8_t *data, size_t size, struct model_opts *mo,
			const struct flame_opts *o, uint64_t self)
{
	struct trace *traces[] = { &trace };
	struct folded_stacks *w = folded_new(), *turned;
	struct flame_data *f = flame_new(o, w);
	struct ftr_error err = {0};
	struct model *m = model_new(traces, 1, mo, flame_ops(f), f, &err);

	flame_bind(f, m);
	feed_all(m, data, size);
	model_end(m);
	flame_end(f);
	turned = folded_reverse(w);
	folded_sort(w);
	folded_sort(turned);
	FUZZ_ASSERT(o->weight || sum_lines(w) == folded_root(w)->all[0]);
	FUZZ_ASSERT(o->weight || sum_lines(w) == sum_lines(turned));
	FUZZ_ASSERT(o->of != FLAME_SELF || folded_root(w)->all[0] == self);
	if (o->of == FLAME_OFF_CPU)
		check_off_cpu(m, folded_root(w)->all[0]);
	folded_free(turned);
	flame_free(f);
	folded_free(w);
	model_free(m);
}

static void check_flames(const uint8_t *data, size_t size, struct model_opts *o, uint64_t self)
{
	struct flame_opts fo = { .of = FLAME_SELF, .is_selected = select_all };
	struct model_opts none = {0};

	check_flame(data, size, o, &fo, self);
	fo.of = FLAME_OFF_CPU;
	check_flame(data, size, &none, &fo, 0);
	fo.of = FLAME_STACKS;
	fo.weight = size & 1 ? "key" : NULL;
	check_flame(data, size, &none, &fo, 0);
}

/* --- lanes */

static void task_stays(void *ctx, struct task *t, uint64_t from, uint64_t to)
{
	FUZZ_ASSERT(from < to);
	lanes_stayed(ctx, t, from, to);
}

static void cpu_stays(void *ctx, struct model_cpu *c, uint64_t from, uint64_t to)
{
	FUZZ_ASSERT(from < to);
	lanes_cpu_stayed(ctx, c, from, to);
}

static void gap_comes(void *ctx, struct model_cpu *c, struct task *t, uint64_t from, uint64_t to)
{
	lanes_gap(ctx, c, t, from, to);
}

/* A task has run where a CPU was busy, nowhere else. */
static void check_cpu(const struct state_lanes *l, const struct state_lane *lane)
{
	for (uint32_t i = 0; lane && i < lanes_width(l); i++) {
		FUZZ_ASSERT(lane->states[i] <= LANE_CPU_STATES);
		FUZZ_ASSERT(lane->states[i] != 1 + LANE_BUSY || lane->tasks[i]);
		FUZZ_ASSERT(lane->states[i] || !lane->tasks[i]);
	}
}

/* The range is another than that of the records, and may be a moment. */
static void check_lanes(const uint8_t *data, size_t size)
{
	static const struct span_ops ops = {
		.stayed = task_stays, .cpu_stayed = cpu_stays, .gap = gap_comes,
	};
	struct state_lanes *l = lanes_new(2000, 2000 + size * (size % 100), 1 + size % 50);
	struct model_opts o = { .cpus = true };
	struct trace *traces[] = { &trace };
	struct ftr_error err = {0};
	struct model *m = model_new(traces, 1, &o, &ops, l, &err);

	lanes_bind(l, m);
	feed_all(m, data, size);
	model_end(m);
	lanes_end(l);
	for (uint32_t i = 0; i < lanes_width(l); i++)
		FUZZ_ASSERT(lanes_column(l, lanes_begin(l, i)) == i);
	for (const struct model_cpu *c = model_cpus(m); c; c = c->next)
		check_cpu(l, lanes_of_cpu(l, c));
	lanes_free(l);
	model_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile_opts po = { .by = size % 5, .buckets = size & 1, .on_cpu = size & 2 };
	struct strv pairs = {0};
	struct model_opts o = { .cpus = true, .kinds = (1u << SPAN_PAIR) - 1, .pairs = &pairs };
	struct trace *traces[] = { &trace };
	struct ftr_error err = {0};
	struct check c = {0};
	struct model *m;

	if (!trace.engine)
		make_formats();
	strv_add(&pairs, "one=user:on,user:off,key");
	strv_add(&pairs, "two=user:on,user:on");
	c.profile = profile_new(&po);
	c.blocks = blocks_new(true, check_block, NULL);
	m = model_new(traces, 1, &o, &check_ops, &c, &err);
	FUZZ_ASSERT(m);
	profile_bind(c.profile, m);
	feed_all(m, data, size);
	FUZZ_ASSERT(c.open == model_live(m));
	model_end(m);
	FUZZ_ASSERT(!c.open && !model_live(m));
	check_cpus(m);
	check_copy(data, size, &o);
	check_flames(data, size, &o, c.self);
	check_lanes(data, size);
	profile_free(c.profile);
	blocks_free(c.blocks);
	model_free(m);
	strv_release(&pairs);
	return 0;
}
