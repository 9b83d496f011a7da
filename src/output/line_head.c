/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The columns of an event line before the event: label, task-pid, [cpu], flags, time. */
#include "output/line_head.h"

#include <stdlib.h>

#include "base/poke.h"

#define TASK_BITS  8
#define TASK_TEXT  44
#define FLAGS_LEN  5
#define MS_NS	   1000000u
#define OTHERS_ROOM 48		/* flags, a blank, 20 digits of time and a colon; copied by 16 */

/* Label, task-pid and [cpu] of one task on one CPU: a cache line. */
struct task {
	int      cpu, pid;
	uint16_t file, buffer;
	uint8_t  used, len;
	char     text[TASK_TEXT + 6];
};

/* The text of the millisecond that the last time stamp was in. */
struct ms {
	uint64_t start, span;	/* in ns; a span of 0: none */
	uint32_t len;
	char     text[16];	/* " 12345.678" */
};

struct heads {
	struct task tasks[1u << TASK_BITS];
	const struct labels *labels;
	bool   latency, nanoseconds;
	char   flags[256][4];		/* three letters each */
	char   counts[256][4];		/* two */
	struct ms ms;
	struct buf text;		/* a task that does not fit its slot */
};
_Static_assert(sizeof(struct task) == 64, "a slot is a cache line");

struct heads *heads_new(const struct out *o, const struct labels *labels)
{
	struct heads *h = xcalloc(1, sizeof(*h));
	char letters[6];

	h->labels = labels;
	h->latency = o->opts.latency;
	h->nanoseconds = o->opts.nanoseconds;
	for (int i = 0; i < 256; i++) {
		ev_latency_letters(i, i, letters);
		memcpy(h->flags[i], letters, 3);
		memcpy(h->counts[i], letters + 3, 2);
	}
	return h;
}

void heads_free(struct heads *h)
{
	if (h)
		buf_release(&h->text);
	free(h);
}

/* --- label, task, CPU */

static void add_blanks(struct buf *b, size_t n)
{
	static const char blanks[] = "                                ";

	buf_add(b, blanks, n < sizeof(blanks) ? n : sizeof(blanks) - 1);
}

static void add_pid_padded(struct buf *b, int pid)
{
	size_t before = b->len, width;

	buf_printf(b, "-%d", pid);
	width = b->len - before;
	add_blanks(b, width < 6 ? 6 - width : 0);
}

static void make_task(const struct heads *h, const struct trace_rec *r, struct buf *b)
{
	const char *comm = trace_comm(r->trace, r->pid);
	size_t len = strlen(comm), width = h->latency ? 8 : 16;

	labels_add(h->labels, b, r);
	if (h->latency && len > width)
		len = width;
	add_blanks(b, len < width ? width - len : 0);
	buf_add(b, comm, len);
	add_pid_padded(b, r->pid);
	buf_printf(b, h->latency ? " %3u" : " [%03u] ", (unsigned int)r->cpu);
}

static bool task_is(const struct task *t, const struct trace_rec *r)
{
	return t->pid == r->pid && t->cpu == r->cpu && t->file == r->file &&
	       t->buffer == r->buffer && t->used;
}

static void keep_task(struct task *t, const struct trace_rec *r, const struct buf *text)
{
	*t = (struct task){
		.cpu = r->cpu, .pid = r->pid, .file = r->file, .buffer = r->buffer,
		.used = r->file <= UINT16_MAX && r->buffer <= UINT16_MAX, .len = text->len,
	};
	memcpy(t->text, text->data, text->len);
}

static __attribute__((noinline)) const char *new_task(struct heads *h, struct task *t,
						      const struct trace_rec *r, size_t *len)
{
	buf_reset(&h->text);
	make_task(h, r, &h->text);
	buf_reserve(&h->text, POKE_TEXT_ROOM(0));
	*len = h->text.len;
	if (h->text.len <= TASK_TEXT)
		keep_task(t, r, &h->text);
	return h->text.data;
}

/* For poke_text(). */
static inline const char *task_text(struct heads *h, const struct trace_rec *r, size_t *len)
{
	uint32_t hash = ((uint32_t)r->pid * 8 + (uint32_t)r->cpu) * 0x9e3779b1u;
	struct task *t = &h->tasks[hash >> (32 - TASK_BITS)];

	if (__builtin_expect(!task_is(t, r), 0))
		return new_task(h, t, r, len);
	*len = t->len;
	return t->text;
}

/* --- flags */

static char *poke_flags(const struct heads *h, char *p, const struct ev_rec *r,
			const struct ev_latency *at)
{
	memcpy(p, h->flags[ev_latency_flags(at, r)], 4);
	memcpy(p + 3, h->counts[ev_latency_count(at, r)], 4);
	return p + FLAGS_LEN;
}

/* --- time */

/* At least @width places, filled with blanks. */
static char *poke_padded(char *p, uint64_t v, size_t width)
{
	char text[POKE_DEC_ROOM];
	size_t len = poke_dec(text, v) - text;

	for (; width > len; width--)
		*p++ = ' ';
	memcpy(p, text, len);
	return p + len;
}

static __attribute__((noinline)) void new_ms(struct ms *m, uint64_t ns)
{
	uint64_t v = ns / MS_NS;
	char text[32] = "", *p = text;

	m->start = v * MS_NS;
	m->span = MS_NS;
	*p++ = ' ';
	p = poke_padded(p, v / 1000, 5);
	*p++ = '.';
	p = poke_3(p, v % 1000);
	/* the seconds of 2^64 ns have 11 digits */
	m->len = p - text;
	memcpy(m->text, text, sizeof(m->text));
}

static inline char *poke_time(struct heads *h, char *p, uint64_t ns)
{
	struct ms *m = &h->ms;
	uint32_t part;

	/* trace-cmd rounds; a time stamp that would wrap is damage anyway */
	if (!h->nanoseconds && ns < UINT64_MAX - 500)
		ns += 500;
	if (__builtin_expect(ns - m->start >= m->span, 0))
		new_ms(m, ns);
	part = ns - m->start;
	memcpy(p, m->text, sizeof(m->text));
	p = poke_3(p + m->len, part / 1000);
	return h->nanoseconds ? poke_3(p, part % 1000) : p;
}

char *heads_poke(struct heads *h, struct buf *b, const struct trace_rec *r,
		 const struct ev_latency *flags, size_t room)
{
	size_t len;
	const char *task = task_text(h, r, &len);
	char *p = buf_poke(b, POKE_TEXT_ROOM(len) + OTHERS_ROOM + room);

	p = poke_text(p, task, len);
	p = poke_flags(h, p, &r->rec, flags);
	if (r->trace->clock_is_ns) {
		p = poke_time(h, p, r->ts);
	} else {
		*p++ = ' ';
		p = poke_padded(p, r->ts, 12);
	}
	*p++ = ':';
	return p;
}
