/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of function_graph, and times for those that have none. */
#include <stdlib.h>

#include "oops/log/log_dump_priv.h"

struct graph_line {
	uint64_t cpu, ns, duration;
	bool     has_time, has_task, has_duration;
	int      pid;
	struct span_text comm;
};

/* "   49.119013 |  " */
static void take_time(struct scan *s, struct graph_line *g)
{
	struct scan at = *s;
	uint64_t sec, us;
	const char *from;

	line_blanks(&at);
	if (!line_number(&at, &sec) || sec > 10000000000 || !line_word(&at, "."))
		return;
	from = at.p;
	if (!line_number(&at, &us) || at.p - from != 6 || !line_word(&at, " |"))
		return;
	g->has_time = true;
	g->ns = sec * 1000000000 + us * 1000;
	*s = at;
}

/* "0) " */
static bool take_cpu(struct scan *s, struct graph_line *g)
{
	line_blanks(s);
	return line_number(s, &g->cpu) && g->cpu < DUMP_CPUS && line_word(s, ")");
}

/* "  python3-356  " before a column's end; the name of a task may have blanks and minus signs. */
static bool take_task(struct scan *s, struct graph_line *g, const char *end)
{
	const char *last = end, *minus;
	struct scan at;
	uint64_t pid;

	line_blanks(s);
	while (last > s->p && last[-1] == ' ')
		last--;
	minus = last > s->p ? memrchr(s->p, '-', last - s->p) : NULL;
	if (!minus)
		return false;
	at = (struct scan){ minus + 1, last };
	if (!line_number(&at, &pid) || at.p != last || pid > INT32_MAX)
		return false;
	g->pid = pid;
	g->comm = (struct span_text){ s->p, minus - s->p };
	g->has_task = true;
	s->p = last;
	return true;
}

/* "! 362.129 us  ", or blanks */
static bool take_duration(struct scan *s, struct graph_line *g)
{
	line_blanks(s);
	if (s->p < s->end && strchr("$@*#!+", *s->p))
		s->p++;
	line_blanks(s);
	if (s->p < s->end && *s->p == '|')
		return true;
	if (s->p < s->end && *s->p == '=')
		return false;
	g->has_duration = line_thousandths(s, &g->duration) && line_word(s, " us");
	line_blanks(s);
	return g->has_duration;
}

/* --- what happened */

static struct dump_call *call_at(struct dump_cpu *c, uint32_t depth)
{
	if (depth >= DUMP_DEPTH)
		return NULL;
	if (!c->calls)
		c->calls = xcalloc(DUMP_DEPTH, sizeof(*c->calls));
	return &c->calls[depth];
}

/* Lines stand in the order of their times, those of all CPUs too. */
static void set_time(struct dump_reader *r, const struct graph_line *g, struct dump_rec *rec)
{
	if (g->has_time) {
		rec->ns = g->ns;
		r->dump->absolute = true;
		return;
	}
	rec->ns = r->last_ns + 1;
	r->dump->made_times = true;
}

/* A call that ends: at its begin and its duration, if that is behind what is there. */
static void add_exit(struct dump_reader *r, struct dump_rec *rec, const struct graph_line *g)
{
	struct dump_call *call = call_at(&r->cpus[rec->cpu], rec->depth);

	rec->kind = DUMP_EXIT;
	rec->duration_ns = g->duration;
	if (!g->has_time && call && call->open && call->at_ns + g->duration > rec->ns)
		rec->ns = call->at_ns + g->duration;
	if (call && call->open && !rec->name.len)
		rec->name = call->name;
	if (call)
		call->open = false;
	dump_add(r, rec);
}

static void add_entry(struct dump_reader *r, struct dump_rec *rec)
{
	struct dump_call *call = call_at(&r->cpus[rec->cpu], rec->depth);
	struct dump_rec *to;

	rec->kind = DUMP_ENTRY;
	to = dump_add(r, rec);
	if (call)
		*call = (struct dump_call){ to->name, to->ns, true };
}

/* Its exit is behind its entry; the next line of another CPU may lie in between. */
static void add_leaf(struct dump_reader *r, struct dump_rec *rec, const struct graph_line *g)
{
	struct dump_cpu *c = &r->cpus[rec->cpu];
	uint64_t last, at;

	add_entry(r, rec);
	last = r->last_ns;
	at = c->last_ns;
	rec->ns = at + g->duration;
	add_exit(r, rec, g);
	r->last_ns = last;
	if (!g->has_time)
		return;
	c->leaf = r->dump->n;
	c->leaf_ns = at;
}

static bool is_behind(struct span_text t, const char *tail, struct span_text *before)
{
	size_t n = strlen(tail);

	if (t.len < n || memcmp(t.p + t.len - n, tail, n))
		return false;
	*before = (struct span_text){ t.p, t.len - n };
	return before->len > 0;
}

/* "/ * sched_switch: prev_comm=... * /" */
static bool take_comment(struct dump_reader *r, struct scan s, struct dump_rec *rec)
{
	if (!line_word(&s, "/* ") || s.end - s.p < 3 || memcmp(s.end - 3, " */", 3))
		return false;
	s.end -= 3;
	if (!dump_text(r, s, rec))
		return false;
	if (rec->kind == DUMP_STACK)
		rec->frames = r->dump->nr_frames;
	if (rec->kind == DUMP_EVENT)
		dump_text_comms(r->dump, rec->text);
	dump_add(r, rec);
	return true;
}

/* "} / * name * /", newer kernels add "(ret=0x0)". */
static bool take_close(struct dump_reader *r, struct scan s, struct dump_rec *rec,
		       const struct graph_line *g)
{
	const char *end;

	if (!line_word(&s, "}"))
		return false;
	if (line_word(&s, " /* ")) {
		end = memmem(s.p, s.end - s.p, " */", 3);
		if (!end)
			return false;
		rec->name = (struct span_text){ s.p, end - s.p };
	} else if (s.p != s.end) {
		return false;
	}
	add_exit(r, rec, g);
	return true;
}

/* Behind the last column: two blanks, two more for each call that is open. */
static bool take_call(struct dump_reader *r, struct scan s, struct dump_rec *rec,
		      const struct graph_line *g)
{
	const char *from = s.p;
	struct span_text t;

	line_blanks(&s);
	rec->depth = s.p - from > 2 ? (s.p - from - 2) / 2 : 0;
	if (take_comment(r, s, rec) || take_close(r, s, rec, g))
		return true;
	t = line_rest(&s);
	if (is_behind(t, "() {", &rec->name)) {
		add_entry(r, rec);
		return true;
	}
	if (!is_behind(t, "();", &rec->name))
		return false;
	add_leaf(r, rec, g);
	return true;
}

/* --- tasks */

/* The lines before it were those of the task that left. */
static void told_before(struct dump_reader *r, int cpu, int pid)
{
	struct dump_cpu *c = &r->cpus[cpu];

	for (size_t i = c->graph; !c->told && i < r->dump->n; i++)
		if (r->dump->v[i].cpu == cpu && r->dump->v[i].pid == DUMP_NO_PID)
			r->dump->v[i].pid = pid;
	c->told = true;
}

/* " 0)    <idle>-0    =>  python3-379  " */
static bool take_switch(struct dump_reader *r, struct scan s, struct graph_line *g)
{
	const char *arrow = memmem(s.p, s.end - s.p, " => ", 4);

	if (!arrow || !take_task(&s, g, arrow))
		return false;
	dump_column_comm(r->dump, g->pid, g->comm, DUMP_COMM_GRAPH);
	told_before(r, g->cpu, g->pid);
	s.p = arrow + 4;
	if (!take_task(&s, g, s.end))
		return false;
	dump_column_comm(r->dump, g->pid, g->comm, DUMP_COMM_GRAPH);
	r->cpus[g->cpu].pid = g->pid;
	return true;
}

/* What @s has up to the bar that ends a column is a task: with funcgraph-proc. */
static void take_proc(struct dump_reader *r, struct scan *s, struct graph_line *g)
{
	const char *bar = memchr(s->p, '|', s->end - s->p);
	struct scan at = *s;

	if (!bar || !memchr(bar + 1, '|', s->end - bar - 1) || !take_task(&at, g, bar))
		return;
	at.p = bar;
	line_word(&at, "|");
	*s = at;
	dump_column_comm(r->dump, g->pid, g->comm, DUMP_COMM_GRAPH);
	told_before(r, g->cpu, g->pid);
	r->cpus[g->cpu].pid = g->pid;
}

/* With the option latency-format: "d..1. | ". */
static void take_flags(struct scan *s, struct dump_rec *rec)
{
	struct scan at = *s;

	line_blanks(&at);
	if (dump_flags(&at, rec) && line_word(&at, " |"))
		*s = at;
	else
		rec->flags = rec->count = 0;
}

bool dump_graph(struct dump_reader *r, struct scan s, uint32_t line)
{
	static const char rule[] = " ------------------------------------------";
	struct dump_rec rec = { .line = line };
	struct graph_line g = {0};
	struct scan from = s;

	if ((size_t)(s.end - s.p) == sizeof(rule) - 1 && line_word(&from, rule))
		return true;
	take_time(&s, &g);
	if (!take_cpu(&s, &g))
		return false;
	from = s;
	if (take_switch(r, from, &g))
		return true;
	if (!r->cpus[g.cpu].told && !r->cpus[g.cpu].pid)
		r->cpus[g.cpu].pid = DUMP_NO_PID;
	take_proc(r, &s, &g);
	take_flags(&s, &rec);
	rec.cpu = g.cpu;
	rec.pid = r->cpus[g.cpu].pid;
	if (!take_duration(&s, &g) || !line_word(&s, "|"))
		return false;
	set_time(r, &g, &rec);
	return take_call(r, s, &rec, &g);
}
