/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses dumps of the trace in a log: where each starts and ends, and its records. */
#include "text/log/log_dump.h"

#include <stdlib.h>

#include "event/data/data.h"
#include "file/ring/page.h"
#include "text/log/oops_text.h"

#define DUMP_CPUS  8192
#define DUMP_DEPTH 512
/* Characters of a task's name in a column: of records ("%8.8s"), of a graph. The kernel has 15. */
#define DUMP_COMM_RECORD 8
#define DUMP_COMM_GRAPH	 7
#define DUMP_COMM_WHOLE	 16

/* An open call of a graph. */
struct dump_call {
	struct span_text name;
	uint64_t at_ns;
	bool     open;
};

/* The state of a CPU while its lines are parsed. */
struct dump_cpu {
	uint64_t last_ns;		/* time of its last record */
	uint64_t lost;			/* events lost before its next record */
	uint32_t drops;			/* the reader's ->drops at its last record */
	size_t   leaf;			/* graph: index + 1 of an exit with a computed time; or 0 */
	uint64_t leaf_ns;		/* time of the entry of that call */
	int      pid;			/* graph: the task that runs */
	bool     pid_known;		/* graph: a switch, or a column of tasks, has shown ->pid */
	size_t   graph;			/* graph: index of the first record before ->pid_known */
	struct dump_call *calls;	/* DUMP_DEPTH, or NULL */
};

struct dump_reader {
	struct log_dump *dump;
	struct dump_cpu *cpus;		/* DUMP_CPUS */
	uint64_t last_ns;		/* time of the last record of all CPUs */
	bool     stack;			/* the last record is a stack: frames may follow */
	bool     graph;			/* there are graph records: the order of lines counts */
	uint32_t drops;			/* places where the kernel's log dropped lines */
	uint8_t  columns;		/* number of columns of flags, 0: none were seen */
	bool     is_file;		/* the text of the file trace: its heads begin with '#' */
};

/* The rest of a line, which is parsed from left to right. */
struct line_scanner {
	const char *p, *end;
};

/* --- words */

static bool scan_word(struct line_scanner *s, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(s->end - s->p) < n || memcmp(s->p, word, n))
		return false;
	s->p += n;
	return true;
}

static void scan_blanks(struct line_scanner *s)
{
	while (s->p < s->end && *s->p == ' ')
		s->p++;
}

/* Parses decimal digits. Returns false if there are none, or more than 18. */
static bool scan_number(struct line_scanner *s, uint64_t *v)
{
	const char *from = s->p;

	for (*v = 0; s->p < s->end && *s->p >= '0' && *s->p <= '9'; s->p++) {
		if (s->p - from == 18)
			return false;
		*v = *v * 10 + *s->p - '0';
	}
	return s->p > from;
}

/* Parses "12.345" as thousandths. The kernel leaves out digits of numbers that are too long. */
static bool scan_thousandths(struct line_scanner *s, uint64_t *v)
{
	uint64_t part = 0;
	const char *from;

	if (!scan_number(s, v) || *v > 1000000000000)
		return false;
	*v *= 1000;
	if (!scan_word(s, "."))
		return true;
	from = s->p;
	if (!scan_number(s, &part) || s->p - from > 3)
		return false;
	*v += part * (s->p - from == 1 ? 100 : s->p - from == 2 ? 10 : 1);
	return true;
}

static struct span_text scan_rest(const struct line_scanner *s)
{
	return (struct span_text){ s->p, s->end - s->p };
}

static struct span_text scan_name(struct line_scanner *s)
{
	const char *from = s->p;

	while (s->p < s->end && (*s->p == '_' || (*s->p >= '0' && *s->p <= '9') ||
				 ((*s->p | 32) >= 'a' && (*s->p | 32) <= 'z')))
		s->p++;
	return (struct span_text){ from, s->p - from };
}

/* --- names of tasks */

static void set_comm(struct log_dump *d, int pid, struct span_text comm)
{
	if (!map_get(&d->comms, pid)) {
		d->pids = xgrow(d->pids, &d->cap_pids, d->nr_pids + 1, sizeof(*d->pids));
		d->pids[d->nr_pids++] = pid;
	}
	map_put(&d->comms, pid, texts_add(&d->texts, comm.p, comm.len));
}

/*
 * Adds a name from the text of an event. If a column has a name it takes precedence, but the kernel
 * cuts those: a longer name with the same start replaces it.
 */
static void add_event_comm(struct log_dump *d, int pid, struct span_text comm)
{
	const char *old;

	if (pid < 0 || (!pid && comm.len && *comm.p != '<'))
		return;
	if (comm.len > 15)
		comm.len = 15;
	old = map_get(&d->comms, pid);
	if (old && (strlen(old) >= comm.len || memcmp(old, comm.p, strlen(old)) ||
		    (uintptr_t)map_get(&d->columns, pid) == DUMP_COLUMN_WHOLE))
		return;
	set_comm(d, pid, comm);
}

/*
 * Adds a name from a column of @width characters. It is the name at the time of the dump, and
 * replaces others.
 */
static void add_column_comm(struct log_dump *d, int pid, struct span_text comm, size_t width)
{
	static const char unknown[] = "<...>";
	enum dump_column how = comm.len < width ? DUMP_COLUMN_WHOLE : DUMP_COLUMN_CUT;
	const char *old;

	if (pid <= 0 || !comm.len || comm.len >= DUMP_COMM_WHOLE ||
	    (comm.len == sizeof(unknown) - 1 && !memcmp(comm.p, unknown, comm.len)))
		return;
	old = map_get(&d->comms, pid);
	if (!old || strncmp(old, comm.p, comm.len) ||
	    (how == DUMP_COLUMN_WHOLE && strlen(old) > comm.len))
		set_comm(d, pid, comm);
	map_put(&d->columns, pid, (void *)(uintptr_t)how);
}

/* Adds the names in the text of an event: "comm=NAME pid=N", "next_comm=a b next_pid=7". */
static void add_text_comms(struct log_dump *d, struct span_text text)
{
	static const char *const pids[] = { " pid=", " prev_pid=", " next_pid=", " child_pid=" };
	const char *p = text.p, *end = p + text.len, *comm, *at, *best;
	struct line_scanner s;
	uint64_t pid;

	while ((p = memmem(p, end - p, "comm=", 5))) {
		p = comm = p + strlen("comm=");
		best = NULL;
		for (size_t i = 0; i < sizeof(pids) / sizeof(*pids); i++) {
			at = memmem(comm, end - comm, pids[i], strlen(pids[i]));
			if (at && (!best || at < best))
				best = at;
		}
		if (!best || best - comm > 15)
			continue;
		s = (struct line_scanner){ (const char *)memchr(best, '=', end - best) + 1, end };
		if (scan_number(&s, &pid) && pid && pid < INT32_MAX)
			add_event_comm(d, pid, (struct span_text){ comm, best - comm });
		p = s.p;
	}
}

/* --- records */

/*
 * Appends a record and sets its time, if it is not in order, and its lost events. Returns the
 * record, borrowed until the next call.
 */
static struct dump_rec *add_record(struct dump_reader *r, const struct dump_rec *rec)
{
	struct dump_cpu *c = &r->cpus[rec->cpu];
	struct log_dump *d = r->dump;
	struct dump_rec *to;

	d->v = xgrow(d->v, &d->cap, d->n + 1, sizeof(*d->v));
	to = &d->v[d->n++];
	*to = *rec;
	/* lines of one microsecond stay in their order: their nanoseconds are not known */
	if (r->is_file && to->ns <= r->last_ns && to->ns / 1000 == r->last_ns / 1000 &&
	    r->last_ns % 1000 != 999)
		to->ns = r->last_ns + 1;
	to->lost = c->drops == r->drops ? c->lost : RING_LOST_UNKNOWN;
	c->lost = 0;
	c->drops = r->drops;
	/*
	 * The exit of a leaf function has no line: its time is the entry's plus the duration. The
	 * next time is the kernel's: if it is earlier, the exit was not later than that.
	 */
	if (c->leaf && to->ns < c->last_ns) {
		c->last_ns = to->ns > c->leaf_ns ? to->ns : c->leaf_ns;
		d->v[c->leaf - 1].ns = c->last_ns;
	}
	c->leaf = 0;
	r->graph |= rec->kind == DUMP_ENTRY || rec->kind == DUMP_EXIT;
	d->disordered += to->ns < c->last_ns;
	if (to->ns < c->last_ns && r->graph)
		to->ns = c->last_ns;
	c->last_ns = to->ns > c->last_ns ? to->ns : c->last_ns;
	if (to->ns > r->last_ns)
		r->last_ns = to->ns;
	r->stack = rec->kind == DUMP_STACK;
	return to;
}

/*
 * The columns of flags. Linux 5.15 came with the one for disabled migration; kernels with the
 * patches for real time had it before, and also those of lazy preemption.
 */
#define FLAGS_WITHOUT_MIGRATION	4	/* irqs-off, need-resched, hardirq/softirq, preempt-depth */
#define FLAGS_USUAL		5	/* and migrate-disable */
#define FLAGS_REALTIME		6	/* need-resched-lazy after need-resched, migrate-disable */
#define FLAGS_REALTIME_LAZY	7	/* and preempt-lazy-depth before migrate-disable */

static bool flag_depth(char c, unsigned int *v)
{
	static const char hex[] = "0123456789abcdef";
	const char *at = c == '.' ? hex : memchr(hex, c, 16);

	*v = at ? at - hex : 0;
	return at;
}

/* Returns need-resched with the letter of lazy preemption, as kernels have it in one column. */
static char flag_resched(char resched, char lazy)
{
	if (lazy == '.')
		return resched;
	return resched == 'N' ? 'B' : resched == 'n' ? 'b' : resched == 'p' ? 'L' : 'l';
}

/*
 * Parses "d..2." to common_flags and common_preempt_count. ->columns is the number of columns in
 * this dump, or 0: as many as there are here; it becomes their number here.
 */
static bool scan_flags(struct line_scanner *s, struct dump_rec *rec)
{
	unsigned int n = 0, at = 2, low, high = 0;
	char letters[3];

	while (s->p + n < s->end && s->p[n] != ' ' && n <= FLAGS_REALTIME_LAZY)
		n++;
	if (n < FLAGS_WITHOUT_MIGRATION || n > FLAGS_REALTIME_LAZY)
		return false;
	letters[0] = s->p[0];
	letters[1] = s->p[1];
	if (n >= FLAGS_REALTIME)
		letters[1] = flag_resched(s->p[1], s->p[at++]);
	letters[2] = s->p[at++];
	if (!ev_latency_parse(letters, &rec->flags) || !flag_depth(s->p[at++], &low))
		return false;
	rec->lazy_depth = 0;
	if (n == FLAGS_REALTIME_LAZY && !flag_depth(s->p[at++], &rec->lazy_depth))
		return false;
	if (n > FLAGS_WITHOUT_MIGRATION && !flag_depth(s->p[at], &high))
		return false;
	/* without that column a depth may have two digits */
	rec->count = rec->columns == FLAGS_WITHOUT_MIGRATION && n == FLAGS_USUAL ?
		     low << 4 | high : low | high << 4;
	rec->columns = n;
	s->p += n;
	return true;
}

/* --- text after the context */

/* Parses "sys_openat(dfd: ffffff9c, ...)" and "sys_openat -> 0x3". */
static bool parse_syscall(struct line_scanner s, struct dump_rec *rec)
{
	if (!scan_word(&s, "sys_"))
		return false;
	rec->name = scan_name(&s);
	if (!rec->name.len)
		return false;
	if (scan_word(&s, " -> ")) {
		rec->kind = DUMP_SYSRET;
		rec->text = scan_rest(&s);
		return true;
	}
	if (!scan_word(&s, "(") || s.p == s.end || s.end[-1] != ')')
		return false;
	rec->kind = DUMP_SYSCALL;
	rec->text = (struct span_text){ s.p, s.end - 1 - s.p };
	return true;
}

/* Parses "name: text". The text may be empty. */
static bool parse_event(struct line_scanner s, struct dump_rec *rec)
{
	rec->kind = DUMP_EVENT;
	rec->name = scan_name(&s);
	if (!rec->name.len || rec->name.len > 200 || !scan_word(&s, ":"))
		return false;
	scan_word(&s, " ");
	rec->text = scan_rest(&s);
	return true;
}

/* Parses "function <-parent", since 6.15 with arguments: "function(a=1) <-parent". */
static bool parse_function(struct line_scanner s, struct dump_rec *rec)
{
	static const char arrow[] = " <-";
	const char *at = memmem(s.p, s.end - s.p, arrow, sizeof(arrow) - 1);

	if (!at || at == s.p || at + sizeof(arrow) - 1 == s.end)
		return false;
	rec->kind = DUMP_FUNCTION;
	rec->name = (struct span_text){ s.p, at - s.p };
	s.p = at + sizeof(arrow) - 1;
	rec->text = scan_rest(&s);
	return true;
}

/* Parses the text after the context. Returns false if it is nothing that the kernel prints. */
static bool parse_text(struct line_scanner s, struct dump_rec *rec)
{
	static const char stack[] = "<stack trace>", user[] = "<user stack trace>";

	if ((size_t)(s.end - s.p) == sizeof(stack) - 1 && scan_word(&s, stack)) {
		rec->kind = DUMP_STACK;
		rec->name = (struct span_text){ "kernel_stack", 12 };
		return true;
	}
	if (scan_word(&s, user)) {
		rec->kind = DUMP_STACK;
		rec->name = (struct span_text){ "user_stack", 10 };
		return true;
	}
	return parse_syscall(s, rec) || parse_event(s, rec) || parse_function(s, rec);
}

/* Appends a record whose text was parsed. */
static void add_text_record(struct dump_reader *r, struct dump_rec *rec)
{
	if (rec->kind == DUMP_STACK)
		rec->frames = r->dump->nr_frames;
	if (rec->kind == DUMP_EVENT)
		add_text_comms(r->dump, rec->text);
	add_record(r, rec);
}

/* --- contexts */

/*
 * Parses the context of a dump after "comm-pid": "   0dNs4. 1542219us : ". If the clock does not
 * count nanoseconds there is only the number.
 */
static bool scan_latency(struct line_scanner *s, struct dump_rec *rec)
{
	uint64_t cpu, v;

	scan_blanks(s);
	if (!scan_number(s, &cpu) || cpu >= DUMP_CPUS)
		return false;
	rec->cpu = cpu;
	rec->has_flags = scan_flags(s, rec);
	if (!rec->has_flags)
		return false;
	scan_blanks(s);
	if (!scan_number(s, &v))
		return false;
	rec->ns = v;
	if (scan_word(s, "us")) {
		rec->ns = v * 1000;
		if (s->p == s->end || !strchr(" $@*#!+", *s->p++))
			return false;
	}
	return scan_word(s, ": ");
}

/* Parses the context of the file trace: " (tgid)  [000] d..2.    12.345678: ". */
static bool scan_plain(struct line_scanner *s, struct dump_rec *rec)
{
	const char *tgid, *from;
	uint64_t cpu, sec, us;

	scan_blanks(s);
	if (scan_word(s, "(")) {
		tgid = memchr(s->p, ')', s->end - s->p < 9 ? s->end - s->p : 9);
		if (!tgid)
			return false;
		s->p = tgid + 1;
		scan_blanks(s);
	}
	if (!scan_word(s, "[") || !scan_number(s, &cpu) || cpu >= DUMP_CPUS || !scan_word(s, "] "))
		return false;
	rec->cpu = cpu;
	scan_blanks(s);
	/* the option irq-info may be off */
	rec->has_flags = scan_flags(s, rec);
	scan_blanks(s);
	if (!scan_number(s, &sec) || sec > 10000000000)
		return false;
	rec->ns = sec;
	if (!scan_word(s, "."))
		return scan_word(s, ": ");
	from = s->p;
	if (!scan_number(s, &us) || s->p - from != 6)
		return false;
	rec->ns = sec * 1000000000 + us * 1000;
	return scan_word(s, ": ");
}

/*
 * Parses the context after the minus of "comm-pid". *absolute is true for the form of the file
 * trace, whose times are those of the trace clock.
 */
static bool scan_after_minus(struct line_scanner *s, struct dump_rec *rec, bool *absolute)
{
	struct line_scanner at = *s;
	uint64_t pid;

	if (!scan_number(&at, &pid) || pid > INT32_MAX)
		return false;
	rec->pid = pid;
	*s = at;
	*absolute = false;
	if (scan_latency(s, rec))
		return true;
	*s = at;
	*absolute = true;
	return scan_plain(s, rec);
}

/*
 * Finds the minus of "comm-pid" that a context follows: names may have minus signs, too. Returns
 * it, with @s after the context, or NULL.
 */
static const char *find_context(struct line_scanner *s, struct dump_rec *rec, bool *absolute)
{
	struct line_scanner at = *s;
	const char *begin = s->p, *limit;

	limit = s->end - begin < 24 ? s->end : begin + 24;
	for (const char *p = begin; p < limit; p++) {
		if (*p != '-')
			continue;
		at.p = p + 1;
		if (!scan_after_minus(&at, rec, absolute))
			continue;
		*s = at;
		return p;
	}
	return NULL;
}

/* --- function_graph */

struct graph_line {
	uint64_t cpu, ns, duration;
	bool     has_time, has_task, has_duration;
	int      pid;
	struct span_text comm;
};

/* Parses "   49.119013 |  ". If there is no time @s does not move. */
static void scan_graph_time(struct line_scanner *s, struct graph_line *g)
{
	struct line_scanner at = *s;
	uint64_t sec, us;
	const char *from;

	scan_blanks(&at);
	if (!scan_number(&at, &sec) || sec > 10000000000 || !scan_word(&at, "."))
		return;
	from = at.p;
	if (!scan_number(&at, &us) || at.p - from != 6 || !scan_word(&at, " |"))
		return;
	g->has_time = true;
	g->ns = sec * 1000000000 + us * 1000;
	*s = at;
}

/* Parses "  python3-356  " before the end of a column. Names may have blanks and minus signs. */
static bool scan_graph_task(struct line_scanner *s, struct graph_line *g, const char *end)
{
	const char *last = end, *minus;
	struct line_scanner at;
	uint64_t pid;

	scan_blanks(s);
	while (last > s->p && last[-1] == ' ')
		last--;
	minus = last > s->p ? memrchr(s->p, '-', last - s->p) : NULL;
	if (!minus)
		return false;
	at = (struct line_scanner){ minus + 1, last };
	if (!scan_number(&at, &pid) || at.p != last || pid > INT32_MAX)
		return false;
	g->pid = pid;
	g->comm = (struct span_text){ s->p, minus - s->p };
	g->has_task = true;
	s->p = last;
	return true;
}

/* Parses "! 362.129 us  ", or blanks up to the bar. */
static bool scan_graph_duration(struct line_scanner *s, struct graph_line *g)
{
	scan_blanks(s);
	if (s->p < s->end && strchr("$@*#!+", *s->p))
		s->p++;
	scan_blanks(s);
	if (s->p < s->end && *s->p == '|')
		return true;
	if (s->p < s->end && *s->p == '=')
		return false;
	g->has_duration = scan_thousandths(s, &g->duration) && scan_word(s, " us");
	scan_blanks(s);
	return g->has_duration;
}

static struct dump_call *graph_call_at(struct dump_cpu *c, uint32_t depth)
{
	if (depth >= DUMP_DEPTH)
		return NULL;
	if (!c->calls)
		c->calls = xcalloc(DUMP_DEPTH, sizeof(*c->calls));
	return &c->calls[depth];
}

/* Adds the end of a call. Its time is the start plus the duration, if that is later. */
static void add_exit(struct dump_reader *r, struct dump_rec *rec, const struct graph_line *g)
{
	struct dump_call *call = graph_call_at(&r->cpus[rec->cpu], rec->depth);

	rec->kind = DUMP_EXIT;
	rec->duration_ns = g->duration;
	if (!g->has_time && call && call->open && call->at_ns + g->duration > rec->ns)
		rec->ns = call->at_ns + g->duration;
	if (call && call->open && !rec->name.len)
		rec->name = call->name;
	if (call)
		call->open = false;
	add_record(r, rec);
}

static void add_entry(struct dump_reader *r, struct dump_rec *rec)
{
	struct dump_call *call = graph_call_at(&r->cpus[rec->cpu], rec->depth);
	struct dump_rec *to;

	rec->kind = DUMP_ENTRY;
	to = add_record(r, rec);
	if (call)
		*call = (struct dump_call){ to->name, to->ns, true };
}

/*
 * Adds entry and exit of a leaf function. The next line of another CPU may have a time between the
 * two.
 */
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

/* If @t ends with @tail, sets *before to the text before that and returns true. */
static bool cut_tail(struct span_text t, const char *tail, struct span_text *before)
{
	size_t n = strlen(tail);

	if (t.len < n || memcmp(t.p + t.len - n, tail, n))
		return false;
	*before = (struct span_text){ t.p, t.len - n };
	return before->len > 0;
}

/* Parses a record within a graph: "/ * sched_switch: prev_comm=... * /". */
static bool parse_comment(struct dump_reader *r, struct line_scanner s, struct dump_rec *rec)
{
	if (!scan_word(&s, "/* ") || s.end - s.p < 3 || memcmp(s.end - 3, " */", 3))
		return false;
	s.end -= 3;
	if (!parse_text(s, rec))
		return false;
	add_text_record(r, rec);
	return true;
}

/* Parses "} / * name * /". Newer kernels add "(ret=0x0)". */
static bool parse_close(struct dump_reader *r, struct line_scanner s, struct dump_rec *rec,
			const struct graph_line *g)
{
	const char *end;

	if (!scan_word(&s, "}"))
		return false;
	if (scan_word(&s, " /* ")) {
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

/* Parses the text after the last column: two blanks, two more for each open call. */
static bool parse_call(struct dump_reader *r, struct line_scanner s, struct dump_rec *rec,
		       const struct graph_line *g)
{
	const char *from = s.p;
	struct span_text t;

	scan_blanks(&s);
	rec->depth = s.p - from > 2 ? (s.p - from - 2) / 2 : 0;
	if (parse_comment(r, s, rec) || parse_close(r, s, rec, g))
		return true;
	t = scan_rest(&s);
	if (cut_tail(t, "() {", &rec->name)) {
		add_entry(r, rec);
		return true;
	}
	if (!cut_tail(t, "();", &rec->name))
		return false;
	add_leaf(r, rec, g);
	return true;
}

/* Sets the pid of the CPU's earlier records, which are of the task that a switch shows to leave. */
static void set_earlier_pids(struct dump_reader *r, int cpu, int pid)
{
	struct dump_cpu *c = &r->cpus[cpu];

	for (size_t i = c->graph; !c->pid_known && i < r->dump->n; i++)
		if (r->dump->v[i].cpu == cpu && r->dump->v[i].pid == DUMP_NO_PID)
			r->dump->v[i].pid = pid;
	c->pid_known = true;
}

/* Parses a switch: " 0)    <idle>-0    =>  python3-379  ". */
static bool parse_switch(struct dump_reader *r, struct line_scanner s, struct graph_line *g)
{
	const char *arrow = memmem(s.p, s.end - s.p, " => ", 4);

	if (!arrow || !scan_graph_task(&s, g, arrow))
		return false;
	add_column_comm(r->dump, g->pid, g->comm, DUMP_COMM_GRAPH);
	set_earlier_pids(r, g->cpu, g->pid);
	s.p = arrow + 4;
	if (!scan_graph_task(&s, g, s.end))
		return false;
	add_column_comm(r->dump, g->pid, g->comm, DUMP_COMM_GRAPH);
	r->cpus[g->cpu].pid = g->pid;
	return true;
}

/* Parses the column of tasks, up to a bar, which is there with funcgraph-proc. */
static void parse_task_column(struct dump_reader *r, struct line_scanner *s, struct graph_line *g)
{
	const char *bar = memchr(s->p, '|', s->end - s->p);
	struct line_scanner at = *s;

	if (!bar || !memchr(bar + 1, '|', s->end - bar - 1) || !scan_graph_task(&at, g, bar))
		return;
	at.p = bar;
	scan_word(&at, "|");
	*s = at;
	add_column_comm(r->dump, g->pid, g->comm, DUMP_COMM_GRAPH);
	set_earlier_pids(r, g->cpu, g->pid);
	r->cpus[g->cpu].pid = g->pid;
}

/* Parses a line of function_graph. Returns false if it is none. */
static bool parse_graph(struct dump_reader *r, struct line_scanner s, uint32_t line)
{
	static const char rule[] = " ------------------------------------------";
	struct dump_rec rec = { .line = line };
	struct graph_line g = {0};
	struct line_scanner from = s;

	if ((size_t)(s.end - s.p) == sizeof(rule) - 1 && scan_word(&from, rule))
		return true;
	scan_graph_time(&s, &g);
	scan_blanks(&s);
	if (!scan_number(&s, &g.cpu) || g.cpu >= DUMP_CPUS || !scan_word(&s, ")"))
		return false;
	if (parse_switch(r, s, &g))
		return true;
	if (!r->cpus[g.cpu].pid_known && !r->cpus[g.cpu].pid)
		r->cpus[g.cpu].pid = DUMP_NO_PID;
	parse_task_column(r, &s, &g);
	/* the option latency-format adds "d..1. | " */
	from = s;
	scan_blanks(&from);
	if (scan_flags(&from, &rec) && scan_word(&from, " |"))
		s = from;
	else
		rec.flags = rec.count = 0;
	rec.cpu = g.cpu;
	rec.pid = r->cpus[g.cpu].pid;
	if (!scan_graph_duration(&s, &g) || !scan_word(&s, "|"))
		return false;
	if (g.has_time) {
		rec.ns = g.ns;
		r->dump->absolute = true;
	} else {
		/* lines stand in the order of their times, also of different CPUs */
		rec.ns = r->last_ns + 1;
		r->dump->made_times = true;
	}
	return parse_call(r, s, &rec, &g);
}

/* --- lines of a dump */

/* Parses "CPU:0 [LOST 7951 EVENTS]". */
static bool scan_lost(struct line_scanner s, uint64_t *cpu, uint64_t *lost)
{
	if (!scan_word(&s, "CPU:") || !scan_number(&s, cpu) || *cpu >= DUMP_CPUS ||
	    !scan_word(&s, " [LOST "))
		return false;
	if (!scan_number(&s, lost))
		*lost = RING_LOST_UNKNOWN;
	else if (!scan_word(&s, " "))
		return false;
	return scan_word(&s, "EVENTS]");
}

static bool parse_lost(struct dump_reader *r, struct line_scanner s)
{
	uint64_t cpu, lost;

	if (!scan_lost(s, &cpu, &lost))
		return false;
	r->cpus[cpu].lost = lost;
	r->stack = false;
	return true;
}

/* Parses "** 117 printk messages dropped **". Any CPU may have lost records there. */
static bool parse_dropped(struct dump_reader *r, struct line_scanner s)
{
	uint64_t n;

	if (!scan_word(&s, "** ") || !scan_number(&s, &n) ||
	    !scan_word(&s, " printk messages dropped **"))
		return false;
	r->dump->dropped += n;
	r->drops++;
	r->stack = false;
	return true;
}

static bool parse_frame(struct dump_reader *r, struct line_scanner s)
{
	struct log_dump *d = r->dump;

	if (!r->stack || !d->n || !scan_word(&s, " => ") || s.p == s.end)
		return false;
	d->frames = xgrow(d->frames, &d->cap_frames, d->nr_frames + 1, sizeof(*d->frames));
	d->frames[d->nr_frames++] = scan_rest(&s);
	d->v[d->n - 1].nr_frames++;
	return true;
}

static bool parse_record(struct dump_reader *r, struct line_scanner s, uint32_t line)
{
	struct dump_rec rec = { .line = line, .columns = r->columns };
	struct line_scanner comm = s;
	const char *minus;
	bool absolute;

	minus = find_context(&s, &rec, &absolute);
	if (!minus)
		return false;
	scan_blanks(&comm);
	add_column_comm(r->dump, rec.pid,
			(struct span_text){ comm.p, minus > comm.p ? minus - comm.p : 0 },
			absolute ? DUMP_COMM_WHOLE : DUMP_COMM_RECORD);
	r->dump->absolute |= absolute;
	if (!parse_text(s, &rec))
		return false;
	r->dump->lazy_depths += rec.lazy_depth > 0;
	r->dump->without_flags += !rec.has_flags;
	add_text_record(r, &rec);
	return true;
}

/* Returns true for lines that the kernel prints between records. */
static bool is_dump_remark(struct line_scanner s)
{
	static const char *const begins[] = {
		"##### CPU ", "# WARNING: FUNCTION TRACING IS CORRUPTED",
		"#          MAY BE MISSING FUNCTION EVENTS", "   (ftrace buffer empty)",
	};

	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++)
		if (scan_word(&s, begins[i]))
			return true;
	return s.p == s.end;
}

static void parse_dump_line(struct dump_reader *r, const struct log_line *l)
{
	struct line_scanner s = { l->p, l->p + l->len };

	if (r->is_file && l->len && *l->p == '#')
		return;
	if (l->len <= DUMP_LINE_MAX &&
	    (parse_frame(r, s) || parse_lost(r, s) || parse_dropped(r, s) ||
	     parse_graph(r, s, l->no) || parse_record(r, s, l->no) || is_dump_remark(s)))
		return;
	/* lines of a record that the log has lost */
	if (r->dump->headless && !r->dump->n)
		return;
	if (!r->dump->unknown++)
		r->dump->first_unknown = l->no;
}

/* --- dumps */

/* Parses "Dumping ftrace buffer:" and "Dumping ftrace instance NAME buffer:". */
static bool is_head(const struct log_line *l, struct span_text *instance)
{
	static const char tail[] = " buffer:";
	struct line_scanner s = { l->p, l->p + l->len };

	*instance = (struct span_text){ "", 0 };
	if (!scan_word(&s, "Dumping ftrace "))
		return false;
	if (scan_word(&s, "instance ")) {
		if ((size_t)(s.end - s.p) < sizeof(tail))
			return false;
		*instance = (struct span_text){ s.p, s.end - s.p - (sizeof(tail) - 1) };
		s.p += instance->len;
		return scan_word(&s, tail) && s.p == s.end && instance->len < 256;
	}
	return scan_word(&s, "buffer:") && s.p == s.end;
}

/* Returns true for the first line of the file trace: "# tracer: nop". */
static bool is_file_head(const struct log_line *l)
{
	static const char begin[] = "# tracer: ";

	return l->len >= sizeof(begin) && !memcmp(l->p, begin, sizeof(begin) - 1);
}

static struct log_dump *add_dump(struct log_dumps *d, const struct log_line *l,
				 struct span_text instance)
{
	d->v = xgrow(d->v, &d->cap, d->n + 1, sizeof(*d->v));
	d->v[d->n] = (struct log_dump){
		.instance = xstrndup(instance.p, instance.len), .head_ns = l->ns, .timed = l->timed,
	};
	return &d->v[d->n++];
}

/* Returns true for a record and for a loss before one. */
static bool line_in_dump(const struct log_line *l)
{
	struct line_scanner s = { l->p, l->p + l->len };
	struct dump_rec rec = {0};
	uint64_t cpu, lost;
	bool absolute;

	return l->len <= DUMP_LINE_MAX &&
	       (scan_lost(s, &cpu, &lost) || find_context(&s, &rec, &absolute));
}

/*
 * Parses the lines of a dump from @at on, which follows its head, or its first row of dashes if
 * @started. Returns the index of the first line that does not belong to it.
 */
static size_t read_dump(struct dump_reader *r, const struct log_lines *lines, size_t at,
			bool started)
{
	struct span_text instance;
	bool more;

	for (; at < lines->n; at++) {
		const struct log_line *l = &lines->v[at];

		if (is_head(l, &instance) || is_file_head(l))
			break;
		if (log_line_is_dashes(l) && !r->is_file) {
			/*
			 * If lines are lost, or out of order, records stand before the first row of
			 * dashes, and this may be the last one.
			 */
			more = !r->dump->n ||
			       (at + 1 < lines->n && line_in_dump(&lines->v[at + 1]));
			if (started || !more) {
				r->dump->ended = true;
				return at + 1;
			}
			started = true;
		} else if (!started && l->len > 22 &&
			   !memcmp(l->p, "   (ftrace buffer empty)", 22)) {
			r->dump->ended = true;
			return at + 1;
		} else if (started || line_in_dump(l) ||
			   is_dump_remark((struct line_scanner){ l->p, l->p + l->len })) {
			if (at + 1 == lines->n && !l->whole)
				continue;
			parse_dump_line(r, l);
		} else if (l->begun || !r->dump->timed) {
			break;
		}
	}
	return at;
}

/* Returns the least number of columns of flags in the lines from @at on, or 0. */
static uint8_t count_columns(const struct log_lines *lines, size_t at)
{
	struct span_text instance;
	uint8_t least = 0;

	for (; at < lines->n && !is_head(&lines->v[at], &instance) &&
	       !is_file_head(&lines->v[at]); at++) {
		struct line_scanner s = { lines->v[at].p, lines->v[at].p + lines->v[at].len };
		struct dump_rec rec = {0};
		bool absolute;

		if (lines->v[at].len <= DUMP_LINE_MAX && find_context(&s, &rec, &absolute) &&
		    (!least || rec.columns < least))
			least = rec.columns;
		if (least == FLAGS_WITHOUT_MIGRATION)
			break;
	}
	return least;
}

static int compare_times(const void *a, const void *b)
{
	const struct dump_rec *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

/* The place from which on a dump is parsed. */
enum dump_start { AFTER_HEAD, AFTER_DASHES, IN_FILE };

static size_t parse_dump(struct log_dump *d, const struct log_lines *lines, size_t at,
			 enum dump_start start)
{
	struct dump_reader r = { .dump = d, .cpus = xcalloc(DUMP_CPUS, sizeof(*r.cpus)),
				 .is_file = start == IN_FILE };
	uint64_t *last;
	size_t i;

	r.columns = count_columns(lines, at);
	at = read_dump(&r, lines, at, start != AFTER_HEAD);
	d->ended |= r.is_file;
	if (d->disordered && r.graph) {
		/* events before the first line of the graph, whose lines follow their order */
		for (i = 0; i < DUMP_CPUS; i++)
			r.cpus[i].last_ns = 0;
		for (i = 0; i < d->n; i++) {
			last = &r.cpus[d->v[i].cpu].last_ns;
			d->v[i].ns = d->v[i].ns > *last ? d->v[i].ns : *last;
			*last = d->v[i].ns;
		}
	} else if (d->disordered) {
		/* a console or a logger has changed the order of lines */
		qsort(d->v, d->n, sizeof(*d->v), compare_times);
		d->sorted = true;
	}
	for (i = 0; i < DUMP_CPUS; i++)
		free(r.cpus[i].calls);
	free(r.cpus);
	return at;
}

static void dump_release(struct log_dump *d)
{
	free(d->instance);
	free(d->v);
	free(d->frames);
	free(d->pids);
	map_release(&d->comms);
	map_release(&d->columns);
	buf_release(&d->oops);
	texts_release(&d->texts);
}

/*
 * Parses the rest of a dump whose head is lost: the kernel's log is a ring, and a long dump
 * overwrites its head. If most of the lines before the first row of dashes are records, they are
 * that dump. Returns the index after it, or 0.
 */
static size_t find_rest_of_dump(struct log_dumps *d, const struct log_lines *lines)
{
	struct span_text instance;
	size_t end = 0, at;
	struct log_dump *rest;

	while (end < lines->n && !log_line_is_dashes(&lines->v[end]) &&
	       !is_head(&lines->v[end], &instance) && !is_file_head(&lines->v[end]))
		end++;
	if (!end || end == lines->n || !log_line_is_dashes(&lines->v[end]))
		return 0;
	/* the first line may be cut, within its time */
	rest = add_dump(d, &lines->v[end > 1 && !lines->v[0].timed], (struct span_text){ "", 0 });
	rest->headless = true;
	at = parse_dump(rest, lines, 0, AFTER_DASHES);
	if (rest->ended && rest->n > rest->unknown)
		return at;
	dump_release(rest);
	d->n--;
	return 0;
}

/* Parses a text without any head, as trace_pipe has it, if most of its lines are records. */
static void find_pipe(struct log_dumps *d, const struct log_lines *lines)
{
	struct log_dump *all = add_dump(d, &lines->v[0], (struct span_text){ "", 0 });

	parse_dump(all, lines, 0, IN_FILE);
	if (all->n > all->unknown)
		return;
	dump_release(all);
	d->n--;
}

/* --- the kernel's other lines */

/* Adds a line to ->oops. If the end of the log cuts it, it may have a partial name or number. */
static void keep_line(struct log_dump *d, const struct log_line *l, size_t max)
{
	if (!l->whole || d->oops.len + l->len + 1 > max)
		return;
	buf_add(&d->oops, l->p, l->len);
	buf_addch(&d->oops, '\n');
}

void dumps_find(struct log_dumps *d, const struct log_lines *lines)
{
	struct span_text instance;
	size_t at = find_rest_of_dump(d, lines), other = at;
	bool is_file;

	while (at < lines->n) {
		const struct log_line *l = &lines->v[at];
		struct log_dump *next;

		is_file = is_file_head(l);
		instance = (struct span_text){ "", 0 };
		if (!is_file && !is_head(l, &instance)) {
			if (d->n)
				keep_line(&d->v[d->n - 1], l, DUMP_OOPS_MAX);
			at++;
			continue;
		}
		if (d->n == DUMPS_MAX) {
			dump_release(&d->v[0]);
			memmove(&d->v[0], &d->v[1], --d->n * sizeof(*d->v));
			d->left_out++;
		}
		next = add_dump(d, l, instance);
		/* of the lines before a dump keep those from the nearest crash on */
		if (at - other > DUMP_BEFORE_LINES)
			other = at - DUMP_BEFORE_LINES;
		while (other < at && !oops_text_begins(lines->v[other].p, lines->v[other].len))
			other++;
		for (; other < at; other++)
			keep_line(next, &lines->v[other], DUMP_OOPS_MAX / 2);
		at = parse_dump(next, lines, at + 1, is_file ? IN_FILE : AFTER_HEAD);
		other = at;
	}
	if (!d->n && lines->n)
		find_pipe(d, lines);
}

void dumps_release(struct log_dumps *d)
{
	for (size_t i = 0; i < d->n; i++)
		dump_release(&d->v[i]);
	free(d->v);
	*d = (struct log_dumps){0};
}
