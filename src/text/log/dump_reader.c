/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes the records of a dump from its lines. */
#include "text/log/dump_reader.h"

#include <stdlib.h>

#include "base/map.h"
#include "file/ring/page.h"
#include "text/log/graph_times.h"

#define DUMP_DEPTH  512
/* For the functions that each line calls: the calls alone were a sixth of the instructions. */
#define HOT	    __attribute__((always_inline))
#define SEEN_SLOTS  1024	/* a power of two */
#define COMM_BYTES  16
#define QUOTES_MAX  512		/* bytes of a text in which quotes are counted at each line */
/* Marks a call of a CPU without a known task, in the key of a call. */
#define KEY_OF_CPU  (1ULL << 40)

/* An open call of a graph. */
struct dump_call {
	struct span_text name;
	uint64_t at_ns;
	bool     open;
};

/* The state of a CPU while its lines are read. */
struct dump_cpu {
	uint64_t last_ns;		/* time of its last record */
	uint64_t lost;			/* events lost before its next record */
	uint32_t drops;			/* the reader's ->drops at its last record */
	size_t   leaf;			/* graph: index + 1 of an exit with a computed time; or 0 */
	uint64_t leaf_ns;		/* time of the entry of that call */
	int      pid;			/* graph: the task that runs */
	bool     pid_known;		/* graph: a switch, or a column of tasks, has shown ->pid */
	int      first_pid;		/* and its first value, which earlier records have, too */
};

/* The last names of a task: most are those of the line before. */
struct seen_names {
	int32_t pid;
	uint8_t event_len;		/* bytes; UINT8_MAX: none was seen */
	char    event[COMM_BYTES];
	uint64_t column[2];		/* the bytes of the name; 0: none was seen */
};

struct dump_reader {
	struct log_dump *dump;
	struct dump_cpu *cpus;		/* DUMP_CPUS */
	struct seen_names *seen;	/* SEEN_SLOTS, by pid */
	struct map call_at;		/* key of task and depth -> index + 1 of ->calls */
	struct dump_call *calls;
	size_t   nr_calls, cap_calls;
	struct flag_columns flags;
	struct textmap names;		/* names of events that are made of their own */
	uint64_t last_ns;		/* time of the last record of all CPUs */
	bool     stack;			/* the last record is a stack: frames may follow */
	bool     user_stack;		/* and it is one of user space */
	bool     event;			/* the last record is an event: its text may go on */
	bool     comment;		/* its text goes on to the end of a comment */
	bool     graph;			/* there are graph records: the order of lines counts */
	uint32_t drops;			/* places where the kernel's log dropped lines */
	bool     is_file;
	bool     is_perf;		/* frames of stacks follow events, names need repair */
};

/* --- names of tasks */

static void set_comm(struct log_dump *d, int pid, struct span_text comm)
{
	if (!map_get(&d->comms, pid)) {
		d->pids = xgrow(d->pids, &d->cap_pids, d->nr_pids + 1, sizeof(*d->pids));
		d->pids[d->nr_pids++] = pid;
	}
	map_put(&d->comms, pid, texts_add(&d->texts, comm.p, comm.len));
}

/* Returns the names that were seen last of the task, empty ones if there are none. */
static struct seen_names *seen_of(struct dump_reader *r, int32_t pid)
{
	struct seen_names *s = &r->seen[pid & (SEEN_SLOTS - 1)];

	if (s->pid != pid) {
		s->pid = pid;
		s->event_len = UINT8_MAX;
		s->column[0] = 0;
	}
	return s;
}

/*
 * Adds a name from the text of an event. If a column has a name it takes precedence, but the kernel
 * cuts those: a longer name with the same start replaces it.
 */
static void add_event_comm(struct dump_reader *r, const struct line_name *n)
{
	struct log_dump *d = r->dump;
	struct span_text comm = n->comm;
	struct seen_names *seen;
	const char *old;

	if (n->pid <= 0)
		return;
	seen = seen_of(r, n->pid);
	if (seen->event_len == comm.len && !memcmp(seen->event, comm.p, comm.len))
		return;
	seen->event_len = comm.len;
	memcpy(seen->event, comm.p, comm.len);
	old = map_get(&d->comms, n->pid);
	if (old && (strlen(old) >= comm.len || memcmp(old, comm.p, strlen(old)) ||
		    (uintptr_t)map_get(&d->columns, n->pid) == DUMP_COLUMN_WHOLE))
		return;
	set_comm(d, n->pid, comm);
}

static void add_event_comm_of(void *ctx, const struct line_name *n)
{
	add_event_comm(ctx, n);
}

/* Sets the bytes of a name of 1 to 15 bytes. At least 16 bytes stand at @p. */
static inline void comm_key(const char *p, size_t len, uint64_t key[2])
{
	memcpy(key, p, 16);
	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__) {
		key[0] = __builtin_bswap64(key[0]);
		key[1] = __builtin_bswap64(key[1]);
	}
	if (len < 8) {
		key[0] &= ~(~0ULL << 8 * len);
		key[1] = 0;
	} else {
		key[1] &= ~(~0ULL << 8 * (len - 8));
	}
}

/*
 * Adds a name from a column of @width characters. It is the name at the time of the dump, and
 * replaces others.
 */
static void set_column_comm(struct dump_reader *r, int pid, struct span_text comm, size_t width)
{
	enum dump_column how = comm.len < width ? DUMP_COLUMN_WHOLE : DUMP_COLUMN_CUT;
	struct log_dump *d = r->dump;
	const char *old;

	old = map_get(&d->comms, pid);
	if (!old || strncmp(old, comm.p, comm.len) ||
	    (how == DUMP_COLUMN_WHOLE && strlen(old) > comm.len))
		set_comm(d, pid, comm);
	map_put(&d->columns, pid, (void *)(uintptr_t)how);
}

/* The same, unless it is the last one of the task. @end is the end of the line. */
static inline HOT void add_column_comm(struct dump_reader *r, int pid, struct span_text comm,
				       size_t width, const char *end)
{
	struct seen_names *seen;
	uint64_t key[2] = {0};

	if (pid <= 0 || !comm.len || comm.len >= COMM_BYTES)
		return;
	if (end - comm.p >= COMM_BYTES)
		comm_key(comm.p, comm.len, key);
	seen = seen_of(r, pid);
	if (key[0] && seen->column[0] == key[0] && seen->column[1] == key[1])
		return;
	if (span_is(comm, "<...>"))
		return;
	seen->column[0] = key[0];
	seen->column[1] = key[1];
	seen->event_len = UINT8_MAX;
	set_column_comm(r, pid, comm, width);
}

static const char *line_end(const struct text_line *l)
{
	return l->line.p + l->line.len;
}

static void add_names(struct dump_reader *r, const struct text_line *l)
{
	if (l->more_names) {
		text_line_names(l->rec.text, add_event_comm_of, r);
		return;
	}
	for (unsigned int i = 0; i < l->nr_names; i++)
		add_event_comm(r, &l->names[i]);
}

/* --- records */

/*
 * Sets the time of the last record, if it is not in order. Lines of one microsecond stay in their
 * order: their nanoseconds are not known.
 */
static inline void order_record(struct dump_reader *r, struct dump_rec *to, bool exact)
{
	struct dump_cpu *c = &r->cpus[to->cpu];
	struct log_dump *d = r->dump;

	if (r->is_file && !exact && to->ns <= r->last_ns && to->ns / 1000 == r->last_ns / 1000)
		to->ns = r->last_ns + (r->last_ns % 1000 != 999);
	/*
	 * The exit of a leaf function has no line: its time is the entry's plus the duration. The
	 * next time is the kernel's: if it is earlier, the exit was not later than that.
	 */
	if (c->leaf && to->ns < c->last_ns) {
		c->last_ns = to->ns > c->leaf_ns ? to->ns : c->leaf_ns;
		d->v[c->leaf - 1].ns = c->last_ns;
	}
	c->leaf = 0;
	if (to->ns < c->last_ns) {
		d->disordered++;
		if (r->graph)
			to->ns = c->last_ns;
	} else {
		c->last_ns = to->ns;
	}
	if (to->ns > r->last_ns)
		r->last_ns = to->ns;
}

/*
 * Appends a record and sets its time and its lost events. Returns the record, borrowed until the
 * next call.
 */
static inline HOT struct dump_rec *add_record(struct dump_reader *r, const struct dump_rec *rec,
					      bool exact)
{
	struct dump_cpu *c = &r->cpus[rec->cpu];
	struct log_dump *d = r->dump;
	struct dump_rec *to;

	if (d->n == d->cap)
		d->v = xgrow(d->v, &d->cap, d->n + 1, sizeof(*d->v));
	to = &d->v[d->n++];
	*to = *rec;
	to->lost = c->drops == r->drops ? c->lost : RING_LOST_UNKNOWN;
	c->lost = 0;
	c->drops = r->drops;
	r->graph |= rec->kind >= DUMP_ENTRY;
	order_record(r, to, exact);
	if (to->columns)
		flag_columns_add(&r->flags, to);
	r->stack = rec->kind == DUMP_STACK;
	r->user_stack = r->stack && *rec->name.p == 'u';
	r->event = rec->kind == DUMP_EVENT;
	r->comment = false;
	return to;
}

/*
 * Replaces a name that a format cannot have, as "cpu-clock" of perf: other characters become '_'.
 */
static void repair_name(struct dump_reader *r, struct span_text *name)
{
	const char *known;
	char *copy;
	size_t i;

	for (i = 0; i < name->len && scan_is_name[(unsigned char)name->p[i]]; i++)
		;
	if (i == name->len)
		return;
	known = textmap_get(&r->names, name->p, name->len);
	if (!known) {
		copy = texts_add(&r->dump->texts, name->p, name->len);
		for (i = 0; i < name->len; i++)
			if (!scan_is_name[(unsigned char)copy[i]])
				copy[i] = '_';
		textmap_put(&r->names, name->p, name->len, copy);
		known = copy;
	}
	name->p = known;
}

/* Adds an event, a function or a stack. */
static inline HOT void add_event(struct dump_reader *r, const struct text_line *l,
				 const struct dump_rec *rec, uint32_t no)
{
	struct dump_rec *to = add_record(r, rec, l->exact);

	to->line = no;
	if (l->nr_names)
		add_names(r, l);
	if (rec->kind == DUMP_STACK)
		to->frames = r->dump->nr_frames;
	else if (rec->kind == DUMP_FUNCTION)
		r->dump->with_args += rec->args.len > 0;
	else if (rec->system.len || r->is_perf) {
		repair_name(r, &to->name);
		repair_name(r, &to->system);
	}
}

static inline void add_context_record(struct dump_reader *r, const struct text_line *l,
				      uint32_t no)
{
	add_column_comm(r, l->rec.pid, l->comm, l->comm_width, line_end(l));
	r->dump->absolute |= l->absolute;
	r->dump->without_cpu += !l->has_cpu;
	add_event(r, l, &l->rec, no);
}

/* Adds a record of the tracer blk. Its text is as without blk_classic: "7,0    Q  RM 3472 + 2". */
static bool add_classic(struct dump_reader *r, const struct text_line *l, uint32_t no)
{
	struct dump_rec rec = l->rec;
	struct buf text = {0};

	buf_add(&text, l->next_comm.p, l->next_comm.len);
	buf_addch(&text, ' ');
	buf_add(&text, rec.text.p, rec.text.len);
	rec.text = span_trim((struct span_text){ text.data, text.len });
	rec.text.p = texts_add(&r->dump->texts, rec.text.p, rec.text.len);
	buf_release(&text);
	add_column_comm(r, rec.pid, l->comm, l->comm_width, line_end(l));
	r->dump->absolute = true;
	add_event(r, l, &rec, no);
	return true;
}

/* --- graphs */

/*
 * Returns the call at the depth of @l, or NULL if it is too deep. The kernel keeps the function of
 * each depth for each CPU, and prints the name of an end only if it is another one
 * (print_graph_return() in kernel/trace/trace_functions_graph.c). Programs whose lines have a
 * context keep the calls of tasks.
 */
static struct dump_call *call_at(struct dump_reader *r, const struct text_line *l,
				 const struct dump_rec *rec)
{
	bool of_task = l->has_context && rec->pid > 0;
	uint64_t key = of_task ? (uint64_t)rec->pid : KEY_OF_CPU | rec->cpu;
	uintptr_t at;

	if (rec->depth >= DUMP_DEPTH)
		return NULL;
	key = key << 10 | rec->depth;
	at = (uintptr_t)map_get(&r->call_at, key);
	if (!at) {
		r->calls = xgrow(r->calls, &r->cap_calls, r->nr_calls + 1, sizeof(*r->calls));
		r->calls[r->nr_calls++] = (struct dump_call){0};
		at = r->nr_calls;
		map_put(&r->call_at, key, (void *)at);
	}
	return &r->calls[at - 1];
}

bool dump_result(const struct dump_rec *exit, uint64_t *v)
{
	struct line_scanner s = { exit->args.p, exit->args.p + exit->args.len };
	bool minus;

	if (!exit->args.len)
		return false;
	/* trace-cmd has "(ret=0x0)" */
	if (s.end[-1] == ')')
		s.end--;
	if (scan_word(&s, "0x"))
		return scan_hex(&s, v) && s.p == s.end;
	minus = scan_char(&s, '-');
	if (!scan_number(&s, v) || s.p != s.end)
		return false;
	if (minus)
		*v = -*v;
	return true;
}

/* Adds the end of a call. Its time is the start plus the duration, if that is later. */
static void add_exit(struct dump_reader *r, const struct text_line *l, struct dump_rec *rec)
{
	struct dump_call *call = call_at(r, l, rec);
	bool open = call && call->open;
	uint64_t result;

	rec->kind = DUMP_EXIT;
	rec->duration_ns = l->count;
	if (!l->has_time && open && call->at_ns + l->count > rec->ns)
		rec->ns = call->at_ns + l->count;
	if (open && !rec->name.len)
		rec->name = call->name;
	if (call)
		call->open = false;
	r->dump->ends++;
	r->dump->results += dump_result(rec, &result);
	add_record(r, rec, l->exact);
}

static void add_entry(struct dump_reader *r, const struct text_line *l, struct dump_rec *rec)
{
	struct dump_call *call = call_at(r, l, rec);
	struct dump_rec *to;

	rec->kind = DUMP_ENTRY;
	to = add_record(r, rec, l->exact);
	if (call)
		*call = (struct dump_call){ to->name, to->ns, true };
}

/*
 * Adds entry and exit of a leaf function. The next line of another CPU may have a time between the
 * two.
 */
static void add_leaf(struct dump_reader *r, const struct text_line *l, struct dump_rec *rec)
{
	struct dump_cpu *c = &r->cpus[rec->cpu];
	uint64_t last, at;

	add_entry(r, l, rec);
	last = r->last_ns;
	at = c->last_ns;
	rec->ns = at + l->count;
	rec->args = l->next_comm;
	add_exit(r, l, rec);
	r->last_ns = last;
	if (!l->has_time)
		return;
	c->leaf = r->dump->n;
	c->leaf_ns = at;
}

/* Notes the task that a CPU had from the start of the text on, when a line first shows it. */
static void set_first_pid(struct dump_cpu *c, int pid)
{
	if (!c->pid_known)
		c->first_pid = pid;
	c->pid_known = true;
}

static bool add_switch(struct dump_reader *r, const struct text_line *l)
{
	add_column_comm(r, l->rec.pid, l->comm, DUMP_COMM_GRAPH, line_end(l));
	add_column_comm(r, l->next_pid, l->next_comm, DUMP_COMM_GRAPH, line_end(l));
	set_first_pid(&r->cpus[l->rec.cpu], l->rec.pid);
	r->cpus[l->rec.cpu].pid = l->next_pid;
	return true;
}

/* Sets the task and the time of a line of function_graph, which may lack both. */
static void complete_graph(struct dump_reader *r, const struct text_line *l, struct dump_rec *rec)
{
	struct dump_cpu *c = &r->cpus[rec->cpu];

	if (!c->pid_known && !c->pid)
		c->pid = DUMP_NO_PID;
	if (l->has_task) {
		add_column_comm(r, rec->pid, l->comm, l->comm_width, line_end(l));
		set_first_pid(c, rec->pid);
		c->pid = rec->pid;
	}
	rec->pid = c->pid;
	if (!l->has_cpu && !l->has_task) {
		/* switches have a CPU, but not the lines between them */
		rec->pid = DUMP_UNKNOWN_PID;
		r->dump->without_task++;
	}
	if (l->has_time) {
		r->dump->absolute |= l->absolute;
	} else {
		/* lines stand in the order of their times, also of different CPUs */
		rec->ns = r->last_ns + 1;
		rec->made_time = true;
		r->dump->made_times = true;
	}
	r->dump->without_cpu += !l->has_cpu;
}

static bool add_graph(struct dump_reader *r, const struct text_line *l, struct dump_rec *rec)
{
	if (l->has_context) {
		add_column_comm(r, rec->pid, l->comm, l->comm_width, line_end(l));
		r->dump->absolute |= l->absolute;
	} else {
		complete_graph(r, l, rec);
	}
	r->dump->with_args += rec->args.len > 0 && l->class != LINE_EXIT;
	r->dump->without_duration += !l->has_duration && (l->class == LINE_LEAF ||
							  l->class == LINE_EXIT);
	if (l->class == LINE_COMMENT || l->class == LINE_OPEN_COMMENT) {
		add_event(r, l, rec, rec->line);
		r->comment = l->class == LINE_OPEN_COMMENT;
	} else if (l->class == LINE_ENTRY) {
		add_entry(r, l, rec);
	} else if (l->class == LINE_LEAF) {
		add_leaf(r, l, rec);
	} else {
		r->dump->closings++;
		r->dump->tails += rec->name.len > 0;
		add_exit(r, l, rec);
	}
	return true;
}

/* --- stacks, losses, texts of several lines */

/* Adds the record of a stack after an event of perf, whose frames have no head. */
static void start_stack(struct dump_reader *r, bool is_user)
{
	static const struct span_text names[] = { { "kernel_stack", 12 }, { "user_stack", 10 } };
	struct dump_rec rec = r->dump->v[r->dump->n - 1];

	rec.kind = DUMP_STACK;
	rec.name = names[is_user];
	rec.text = rec.system = (struct span_text){0};
	rec.frames = r->dump->nr_frames;
	rec.nr_frames = 0;
	add_record(r, &rec, true);
}

static bool add_frame(struct dump_reader *r, const struct text_line *l)
{
	struct log_dump *d = r->dump;

	if (d->n && r->is_perf && (r->event || r->stack) &&
	    (!r->stack || r->user_stack != l->is_user))
		start_stack(r, l->is_user);
	if (!r->stack || !d->n || d->nr_frames == UINT32_MAX)
		return false;
	d->frames = xgrow(d->frames, &d->cap_frames, d->nr_frames + 1, sizeof(*d->frames));
	d->frames[d->nr_frames++] = l->rec.text;
	d->v[d->n - 1].nr_frames++;
	return true;
}

static bool add_lost(struct dump_reader *r, const struct text_line *l)
{
	r->cpus[l->rec.cpu].lost = l->count;
	r->stack = r->event = false;
	return true;
}

/* Any CPU may have lost records where the log dropped lines. */
static bool add_dropped(struct dump_reader *r, const struct text_line *l)
{
	r->dump->dropped += l->count;
	r->drops++;
	r->stack = r->event = false;
	return true;
}

/* Returns true for bytes in hexadecimal, "11 00 0a". */
static bool is_hex_bytes(struct span_text t)
{
	for (size_t i = 0; i < t.len; i++)
		if (i % 3 == 2 ? t.p[i] != ' ' : !strchr("0123456789abcdef", t.p[i]) || !t.p[i])
			return false;
	return t.len > 1 && t.len % 3 != 1;
}

/* Returns the last line of a text. */
static struct span_text last_line(struct span_text t)
{
	const char *nl = t.len ? memrchr(t.p, '\n', t.len) : NULL;
	const char *from = nl ? nl + 1 : t.p;

	return (struct span_text){ from, t.p + t.len - from };
}

/* Returns true if the last quote of a text is open: a probe prints characters as they are. */
static bool has_open_quote(struct span_text t)
{
	char open = '\0';

	for (size_t i = 0; i < t.len; i++)
		if (open ? t.p[i] == open : t.p[i] == '\'' || t.p[i] == '"')
			open = open ? '\0' : t.p[i];
	return open;
}

/*
 * Returns true if the text of @rec goes on in the line @l. A marker may have any lines. A stack in
 * a synthetic event has its frames, and then the next field. Some events of 9p have bytes.
 */
static bool has_more_lines(const struct dump_rec *rec, const struct text_line *l)
{
	struct span_text last = last_line(rec->text), before;

	if (text_line_is_mark(rec->name))
		return true;
	if (span_cut_tail(last, "=STACK:", &before))
		return l->class == LINE_FRAME;
	if (last.len > 3 && !memcmp(last.p, "=> ", 3))
		return l->class == LINE_FRAME || memchr(l->line.p, '=', l->line.len);
	if (rec->text.len && rec->text.len < QUOTES_MAX && *rec->text.p == '(' &&
	    has_open_quote(rec->text))
		return true;
	return span_is(rec->name, "9p_protocol_dump") && is_hex_bytes(span_trim(l->line));
}

/* Adds a line that follows the text of an event to it. */
static bool add_text_line(struct dump_reader *r, const struct text_line *l)
{
	struct dump_rec *last = r->dump->n ? &r->dump->v[r->dump->n - 1] : NULL;
	const char *end = l->line.p + l->line.len, *from;

	if (!r->event || !r->is_file || !last || !(r->comment || has_more_lines(last, l)))
		return false;
	from = last->text.p + last->text.len;
	if (from > l->line.p || l->line.p - from > 2 || end - last->text.p > DUMP_LINE_MAX)
		return false;
	if (r->comment && l->line.len >= 3 && !memcmp(end - 3, " */", 3)) {
		end -= 3;
		r->event = false;
	}
	last->text.len = end - last->text.p;
	return true;
}

/* --- */

bool dump_reader_add(struct dump_reader *r, const struct text_line *l, uint32_t no)
{
	bool known = true;

	if (l->class == LINE_RECORD) {
		add_context_record(r, l, no);
		return true;
	}
	if (l->class >= LINE_ENTRY && l->class <= LINE_OPEN_COMMENT) {
		struct dump_rec rec = l->rec;

		rec.line = no;
		return add_graph(r, l, &rec);
	}
	switch (l->class) {
	case LINE_CLASSIC:
		return add_classic(r, l, no);
	case LINE_SWITCH:
		return add_switch(r, l);
	case LINE_FRAME:
		known = add_frame(r, l) || add_text_line(r, l);
		break;
	case LINE_LOST:
		return add_lost(r, l);
	case LINE_DROPPED:
		return add_dropped(r, l);
	case LINE_HEADER:
		known = r->is_file;
		flag_columns_header(&r->flags, l->line);
		break;
	case LINE_UNKNOWN:
		known = add_text_line(r, l);
		break;
	}
	/* lines of a record that the log has lost */
	if (known || (r->dump->headless && !r->dump->n))
		return true;
	if (!r->dump->unknown++)
		r->dump->first_unknown = no;
	return false;
}

struct flag_columns *dump_reader_flags(struct dump_reader *r)
{
	return &r->flags;
}

struct dump_reader *dump_reader_new(struct log_dump *d, bool is_file)
{
	struct dump_reader *r = xcalloc(1, sizeof(*r));

	r->dump = d;
	r->is_file = is_file;
	r->is_perf = d->type && d->type->body == body_perf;
	r->cpus = xcalloc(DUMP_CPUS, sizeof(*r->cpus));
	r->seen = xcalloc(SEEN_SLOTS, sizeof(*r->seen));
	return r;
}

static int compare_times(const void *a, const void *b)
{
	const struct dump_rec *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

/*
 * Restores the order of times for each CPU. Events before the first line of a graph, whose lines
 * follow their order, get the times of later ones; other records are sorted: a console or a logger
 * has changed the order of lines.
 */
static void sort_records(struct dump_reader *r)
{
	struct log_dump *d = r->dump;
	uint64_t *last;

	if (!r->graph) {
		qsort(d->v, d->n, sizeof(*d->v), compare_times);
		d->sorted = true;
		return;
	}
	for (size_t i = 0; i < DUMP_CPUS; i++)
		r->cpus[i].last_ns = 0;
	for (size_t i = 0; i < d->n; i++) {
		last = &r->cpus[d->v[i].cpu].last_ns;
		d->v[i].ns = d->v[i].ns > *last ? d->v[i].ns : *last;
		*last = d->v[i].ns;
	}
}

static void set_first_pids(struct dump_reader *r)
{
	struct log_dump *d = r->dump;

	for (size_t i = 0; r->graph && i < d->n; i++) {
		const struct dump_cpu *c = &r->cpus[d->v[i].cpu];

		if (d->v[i].pid != DUMP_NO_PID)
			continue;
		d->without_task += !c->pid_known;
		d->v[i].pid = c->pid_known ? c->first_pid : DUMP_UNKNOWN_PID + d->v[i].cpu;
	}
}

/* Returns true if there is a task that runs timers in softirqs: ktimers/N, ktimersoftd/N before. */
static bool has_timer_task(const struct log_dump *d)
{
	const char *name;

	for (size_t i = 0; i < d->nr_pids; i++) {
		name = map_get(&d->comms, d->pids[i]);
		if (name && (!strncmp(name, "ktimers/", 8) || !strncmp(name, "ktimersoftd/", 12)))
			return true;
	}
	return false;
}

void dump_reader_end(struct dump_reader *r)
{
	r->dump->is_rt = r->flags.is_rt || has_timer_task(r->dump);
	set_first_pids(r);
	flag_columns_apply(&r->flags, r->dump);
	if (r->dump->disordered)
		sort_records(r);
	if (r->dump->made_times)
		r->dump->long_calls = graph_times_make(r->dump->v, r->dump->n);
	if (dump_lacks_flags(r->dump))
		contexts_infer(r->dump);
	free(r->cpus);
	free(r->seen);
	free(r->calls);
	map_release(&r->call_at);
	textmap_release(&r->names);
	free(r);
}

void dump_release(struct log_dump *d)
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
