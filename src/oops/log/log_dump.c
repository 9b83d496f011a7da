/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where dumps begin and end in a log, and the contexts of their records. */
#include "oops/log/log_dump_priv.h"

#include <stdlib.h>

#include "event/data/data.h"
#include "file/ring/page.h"
#include "oops/log/oops_text.h"

static const char dashes[] = "---------------------------------";

/* --- words */

bool line_word(struct scan *s, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(s->end - s->p) < n || memcmp(s->p, word, n))
		return false;
	s->p += n;
	return true;
}

void line_blanks(struct scan *s)
{
	while (s->p < s->end && *s->p == ' ')
		s->p++;
}

bool line_number(struct scan *s, uint64_t *v)
{
	const char *from = s->p;

	for (*v = 0; s->p < s->end && *s->p >= '0' && *s->p <= '9'; s->p++) {
		if (s->p - from == 18)
			return false;
		*v = *v * 10 + *s->p - '0';
	}
	return s->p > from;
}

bool line_thousandths(struct scan *s, uint64_t *v)
{
	uint64_t part = 0;
	const char *from;

	if (!line_number(s, v) || *v > 1000000000000)
		return false;
	*v *= 1000;
	if (!line_word(s, "."))
		return true;
	from = s->p;
	if (!line_number(s, &part) || s->p - from > 3)
		return false;
	*v += part * (s->p - from == 1 ? 100 : s->p - from == 2 ? 10 : 1);
	return true;
}

/* --- records */

static void set_comm(struct dump *d, int pid, struct span_text comm)
{
	if (!map_get(&d->comms, pid)) {
		d->pids = xgrow(d->pids, &d->cap_pids, d->nr_pids + 1, sizeof(*d->pids));
		d->pids[d->nr_pids++] = pid;
	}
	map_put(&d->comms, pid, texts_add(&d->texts, comm.p, comm.len));
}

/* The kernel cuts names in columns: the longest that begins so is taken. */
void dump_add_comm(struct dump *d, int pid, struct span_text comm)
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

void dump_column_comm(struct dump *d, int pid, struct span_text comm, size_t width)
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

/*
 * The exit of a leaf has no line and no time: it is its duration behind the entry. Where the next
 * time is an earlier one it is the kernel's, and the exit was before it.
 */
static void end_leaf(struct dump *d, struct dump_cpu *c, uint64_t ns)
{
	if (c->leaf && ns < c->last_ns) {
		c->last_ns = ns > c->leaf_ns ? ns : c->leaf_ns;
		d->v[c->leaf - 1].ns = c->last_ns;
	}
	c->leaf = 0;
}

struct dump_rec *dump_add(struct dump_reader *r, const struct dump_rec *rec)
{
	struct dump_cpu *c = &r->cpus[rec->cpu];
	struct dump *d = r->dump;
	struct dump_rec *to;

	d->v = xgrow(d->v, &d->cap, d->n + 1, sizeof(*d->v));
	to = &d->v[d->n++];
	*to = *rec;
	to->lost = c->drops == r->drops ? c->lost : RING_LOST_UNKNOWN;
	c->lost = 0;
	c->drops = r->drops;
	end_leaf(d, c, to->ns);
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

/* The letters of each value of common_flags, by the reader of records. */
bool dump_flags(struct scan *s, struct dump_rec *rec)
{
	static const char hex[] = "0123456789abcdef";
	struct ev_world world = {0};
	uint8_t common[8] = {0};
	struct ev_rec bytes = { .data = common, .len = sizeof(common) };
	const char *low, *high;
	char have[EV_LATENCY_ROOM];

	if (s->end - s->p < 5)
		return false;
	low = s->p[3] == '.' ? hex : memchr(hex, s->p[3], 16);
	high = s->p[4] == '.' ? hex : memchr(hex, s->p[4], 16);
	if (!low || !high)
		return false;
	rec->count = (low - hex) | (high - hex) << 4;
	for (unsigned int f = 0; f < 256; f++) {
		common[2] = f;
		ev_kernel_latency(&world, &bytes, have);
		if (memcmp(have, s->p, 3))
			continue;
		rec->flags = f;
		s->p += 5;
		return true;
	}
	return false;
}

/* --- contexts */

/* "1234567us+: ", or the number alone of a clock that does not count nanoseconds. */
static bool scan_delta(struct scan *s, struct dump_rec *rec)
{
	uint64_t v;

	line_blanks(s);
	if (!line_number(s, &v))
		return false;
	rec->ns = v;
	if (!line_word(s, "us"))
		return line_word(s, ": ");
	rec->ns = v * 1000;
	if (s->p == s->end || !strchr(" $@*#!+", *s->p++))
		return false;
	return line_word(s, ": ");
}

/* "   0dNs4. 1542219us : ", behind "comm-pid". */
static bool scan_latency(struct scan *s, struct dump_rec *rec)
{
	uint64_t cpu;

	line_blanks(s);
	if (!line_number(s, &cpu) || cpu >= DUMP_CPUS)
		return false;
	rec->cpu = cpu;
	return dump_flags(s, rec) && scan_delta(s, rec);
}

/* "12.345678: " */
static bool scan_stamp(struct scan *s, struct dump_rec *rec)
{
	uint64_t sec, us;
	const char *from;

	line_blanks(s);
	if (!line_number(s, &sec) || sec > 10000000000)
		return false;
	rec->ns = sec;
	if (!line_word(s, "."))
		return line_word(s, ": ");
	from = s->p;
	if (!line_number(s, &us) || s->p - from != 6)
		return false;
	rec->ns = sec * 1000000000 + us * 1000;
	return line_word(s, ": ");
}

/* " (tgid)  [000] d..2.    12.345678: ", as the file trace has it. */
static bool scan_plain(struct scan *s, struct dump_rec *rec)
{
	const char *tgid;
	uint64_t cpu;

	line_blanks(s);
	if (line_word(s, "(")) {
		tgid = memchr(s->p, ')', s->end - s->p < 9 ? s->end - s->p : 9);
		if (!tgid)
			return false;
		s->p = tgid + 1;
		line_blanks(s);
	}
	if (!line_word(s, "[") || !line_number(s, &cpu) || cpu >= DUMP_CPUS || !line_word(s, "] "))
		return false;
	rec->cpu = cpu;
	line_blanks(s);
	return dump_flags(s, rec) && scan_stamp(s, rec);
}

/* Behind the blank or minus of "comm-pid": names of tasks may have both. */
static bool scan_behind(struct scan *s, struct dump_rec *rec, bool *absolute)
{
	struct scan at = *s;
	uint64_t pid;

	if (!line_number(&at, &pid) || pid > INT32_MAX)
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

/* The minus of "comm-pid context", or NULL; @s is behind all of it then. */
static const char *find_context(struct scan *s, struct dump_rec *rec, bool *absolute)
{
	struct scan at = *s;
	const char *begin = s->p, *limit;

	limit = s->end - begin < 24 ? s->end : begin + 24;
	for (const char *p = begin; p < limit; p++) {
		if (*p != '-')
			continue;
		at.p = p + 1;
		if (!scan_behind(&at, rec, absolute))
			continue;
		*s = at;
		return p;
	}
	return NULL;
}

static bool scan_context(struct dump_reader *r, struct scan *s, struct dump_rec *rec)
{
	struct scan comm = *s;
	bool absolute;
	const char *minus = find_context(s, rec, &absolute);

	if (!minus)
		return false;
	line_blanks(&comm);
	dump_column_comm(r->dump, rec->pid,
			 (struct span_text){ comm.p, minus > comm.p ? minus - comm.p : 0 },
			 absolute ? DUMP_COMM_WHOLE : DUMP_COMM_RECORD);
	r->dump->absolute |= absolute;
	return true;
}

/* --- lines of a dump */

/* "CPU:0 [LOST 7951 EVENTS]" */
static bool scan_lost(struct scan s, uint64_t *cpu, uint64_t *lost)
{
	if (!line_word(&s, "CPU:") || !line_number(&s, cpu) || *cpu >= DUMP_CPUS ||
	    !line_word(&s, " [LOST "))
		return false;
	if (!line_number(&s, lost))
		*lost = RING_LOST_UNKNOWN;
	else if (!line_word(&s, " "))
		return false;
	return line_word(&s, "EVENTS]");
}

static bool take_lost(struct dump_reader *r, struct scan s)
{
	uint64_t cpu, lost;

	if (!scan_lost(s, &cpu, &lost))
		return false;
	r->cpus[cpu].lost = lost;
	r->stack = false;
	return true;
}

/* "** 117 printk messages dropped **": of which CPUs those were is not known. */
static bool take_dropped(struct dump_reader *r, struct scan s)
{
	uint64_t n;

	if (!line_word(&s, "** ") || !line_number(&s, &n) ||
	    !line_word(&s, " printk messages dropped **"))
		return false;
	r->dump->dropped += n;
	r->drops++;
	r->stack = false;
	return true;
}

static bool take_frame(struct dump_reader *r, struct scan s)
{
	struct dump *d = r->dump;

	if (!r->stack || !d->n || !line_word(&s, " => ") || s.p == s.end)
		return false;
	d->frames = xgrow(d->frames, &d->cap_frames, d->nr_frames + 1, sizeof(*d->frames));
	d->frames[d->nr_frames++] = line_rest(&s);
	d->v[d->n - 1].nr_frames++;
	return true;
}

static bool take_record(struct dump_reader *r, struct scan s, uint32_t line)
{
	struct dump_rec rec = { .line = line };

	if (!scan_context(r, &s, &rec) || !dump_text(r, s, &rec))
		return false;
	if (rec.kind == DUMP_STACK)
		rec.frames = r->dump->nr_frames;
	if (rec.kind == DUMP_EVENT)
		dump_text_comms(r->dump, rec.text);
	dump_add(r, &rec);
	return true;
}

/* What the kernel writes between records, and is none. */
static bool is_remark(struct scan s)
{
	static const char *const begins[] = {
		"##### CPU ", "# WARNING: FUNCTION TRACING IS CORRUPTED",
		"#          MAY BE MISSING FUNCTION EVENTS", "   (ftrace buffer empty)",
	};

	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++)
		if (line_word(&s, begins[i]))
			return true;
	return s.p == s.end;
}

static void take_line(struct dump_reader *r, const struct log_line *l)
{
	struct scan s = { l->p, l->p + l->len };

	if (l->len <= DUMP_LINE_MAX &&
	    (take_frame(r, s) || take_lost(r, s) || take_dropped(r, s) ||
	     dump_graph(r, s, l->no) || take_record(r, s, l->no) || is_remark(s)))
		return;
	/* of the record that these lines belong to nothing is left */
	if (r->dump->headless && !r->dump->n)
		return;
	if (!r->dump->unknown++)
		r->dump->first_unknown = l->no;
}

/* --- dumps */

/* "Dumping ftrace buffer:", "Dumping ftrace instance NAME buffer:" */
static bool is_head(const struct log_line *l, struct span_text *instance)
{
	static const char tail[] = " buffer:";
	struct scan s = { l->p, l->p + l->len };

	*instance = (struct span_text){ "", 0 };
	if (!line_word(&s, "Dumping ftrace "))
		return false;
	if (line_word(&s, "instance ")) {
		if ((size_t)(s.end - s.p) < sizeof(tail))
			return false;
		*instance = (struct span_text){ s.p, s.end - s.p - (sizeof(tail) - 1) };
		s.p += instance->len;
		return line_word(&s, tail) && s.p == s.end && instance->len < 256;
	}
	return line_word(&s, "buffer:") && s.p == s.end;
}

static struct dump *add_dump(struct dumps *d, const struct log_line *l, struct span_text instance)
{
	d->v = xgrow(d->v, &d->cap, d->n + 1, sizeof(*d->v));
	d->v[d->n] = (struct dump){
		.instance = xstrndup(instance.p, instance.len), .head_ns = l->ns, .timed = l->timed,
	};
	return &d->v[d->n++];
}

static bool is_dashes(const struct log_line *l)
{
	return l->len == sizeof(dashes) - 1 && !memcmp(l->p, dashes, l->len);
}

/* A record, or a loss before one. */
static bool is_of_dump(const struct log_line *l)
{
	struct scan s = { l->p, l->p + l->len };
	struct dump_rec rec;
	uint64_t cpu, lost;
	bool absolute;

	return l->len <= DUMP_LINE_MAX &&
	       (scan_lost(s, &cpu, &lost) || find_context(&s, &rec, &absolute));
}

/*
 * Where the order of lines is not the kernel's, or some are lost, records may stand before the row
 * of dashes, or the row is the one behind them.
 */
static bool begins_here(const struct dump *d, const struct log_lines *lines, size_t at)
{
	return !d->n || (at + 1 < lines->n && is_of_dump(&lines->v[at + 1]));
}

/*
 * Lines of the dump from @at on, @begun or just behind its head; the index of the first that is
 * not one.
 */
static size_t read_dump(struct dump_reader *r, const struct log_lines *lines, size_t at, bool begun)
{
	struct span_text instance;

	for (; at < lines->n; at++) {
		const struct log_line *l = &lines->v[at];

		if (is_head(l, &instance))
			break;
		if (is_dashes(l)) {
			if (begun || !begins_here(r->dump, lines, at)) {
				r->dump->ended = true;
				return at + 1;
			}
			begun = true;
		} else if (!begun && l->len > 22 && !memcmp(l->p, "   (ftrace buffer empty)", 22)) {
			r->dump->ended = true;
			return at + 1;
		} else if (begun || is_of_dump(l) ||
			   is_remark((struct scan){ l->p, l->p + l->len })) {
			if (at + 1 == lines->n && !l->whole)
				continue;
			take_line(r, l);
		} else if (l->begun || !r->dump->timed) {
			break;
		}
	}
	return at;
}

static int compare_times(const void *a, const void *b)
{
	const struct dump_rec *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

/* Something between the kernel and the log has changed the order of lines. */
static void sort_records(struct dump *d)
{
	qsort(d->v, d->n, sizeof(*d->v), compare_times);
	d->sorted = true;
}

/* Events before the first line of a graph, which made its times from them on. */
static void raise_times(struct dump_reader *r)
{
	struct dump *d = r->dump;

	for (size_t i = 0; i < DUMP_CPUS; i++)
		r->cpus[i].last_ns = 0;
	for (size_t i = 0; i < d->n; i++) {
		uint64_t *last = &r->cpus[d->v[i].cpu].last_ns;

		d->v[i].ns = d->v[i].ns > *last ? d->v[i].ns : *last;
		*last = d->v[i].ns;
	}
}

static size_t take_dump(struct dump *d, const struct log_lines *lines, size_t at, bool begun)
{
	struct dump_reader r = { .dump = d, .cpus = xcalloc(DUMP_CPUS, sizeof(*r.cpus)) };

	at = read_dump(&r, lines, at, begun);
	if (d->disordered && r.graph)
		raise_times(&r);
	else if (d->disordered)
		sort_records(d);
	for (size_t i = 0; i < DUMP_CPUS; i++)
		free(r.cpus[i].calls);
	free(r.cpus);
	return at;
}

static void dump_release(struct dump *d)
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
 * The kernel's log is a ring: a dump that is longer than it has pushed its own head out. What
 * stands before the first row of dashes is one if most of its lines are records. The index behind
 * it.
 */
static size_t find_rest_of_dump(struct dumps *d, const struct log_lines *lines)
{
	struct span_text instance;
	size_t end = 0, at;
	struct dump *rest;

	while (end < lines->n && !is_dashes(&lines->v[end]) && !is_head(&lines->v[end], &instance))
		end++;
	if (!end || end == lines->n || !is_dashes(&lines->v[end]))
		return 0;
	/* the first line may be cut, within its time */
	rest = add_dump(d, &lines->v[end > 1 && !lines->v[0].timed], (struct span_text){ "", 0 });
	rest->headless = true;
	at = take_dump(rest, lines, 0, true);
	if (rest->ended && rest->n > rest->unknown)
		return at;
	dump_release(rest);
	d->n--;
	return 0;
}

/* --- the kernel's other lines */

/* A line that the log's end cut may have a part of a name, or of a number. */
static void keep_line(struct dump *d, const struct log_line *l, size_t max)
{
	if (!l->whole || d->oops.len + l->len + 1 > max)
		return;
	buf_add(&d->oops, l->p, l->len);
	buf_addch(&d->oops, '\n');
}

/* Of what stands before a dump, from @from on: it begins with the crash that is nearest. */
static void take_before(struct dump *d, const struct log_lines *lines, size_t from, size_t to)
{
	size_t at;

	if (to - from > DUMP_BEFORE_LINES)
		from = to - DUMP_BEFORE_LINES;
	for (at = from; at < to && !oops_text_begins(lines->v[at].p, lines->v[at].len);)
		at++;
	for (; at < to; at++)
		keep_line(d, &lines->v[at], DUMP_OOPS_MAX / 2);
}

/* The last moments are what counts. */
static void leave_out_first(struct dumps *d)
{
	dump_release(&d->v[0]);
	memmove(&d->v[0], &d->v[1], --d->n * sizeof(*d->v));
	d->left_out++;
}

void dumps_find(struct dumps *d, const struct log_lines *lines)
{
	struct span_text instance;
	size_t at = find_rest_of_dump(d, lines), other = at;

	while (at < lines->n) {
		const struct log_line *l = &lines->v[at];
		struct dump *next;

		if (!is_head(l, &instance)) {
			if (d->n)
				keep_line(&d->v[d->n - 1], l, DUMP_OOPS_MAX);
			at++;
			continue;
		}
		if (d->n == DUMPS_MAX)
			leave_out_first(d);
		next = add_dump(d, l, instance);
		take_before(next, lines, other, at);
		at = take_dump(next, lines, at + 1, false);
		other = at;
	}
}

void dumps_release(struct dumps *d)
{
	for (size_t i = 0; i < d->n; i++)
		dump_release(&d->v[i]);
	free(d->v);
	*d = (struct dumps){0};
}
