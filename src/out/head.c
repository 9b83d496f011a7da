/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The columns of an event line before the event: label, task-pid, [cpu], flags, time. */
#include "out/head.h"

#include <stdlib.h>

#include "base/poke.h"

#define TASK_BITS  8
#define TASK_TEXT  44
#define FLAGS_LEN  5
#define SECOND_NS  1000000000u
#define TIME_ROOM  48		/* a blank, 20 digits, a point, 9 digits, a colon; copied by 16 */

/* Label, task-pid and [cpu] of one task on one CPU: a cache line. */
struct task {
	int      cpu, pid;
	uint16_t file, buffer;
	uint8_t  used, len;
	char     text[TASK_TEXT + 6];
};

/* The text of the second that the last time stamp was in. */
struct second {
	uint64_t start, end;	/* in ns; 0 and 0: none */
	uint32_t len;
	char     text[32];	/* " 12345." */
};

struct heads {
	struct task tasks[1u << TASK_BITS];
	const struct labels *labels;
	bool   latency, nanoseconds;
	char   flags[256][4];		/* three letters each */
	char   counts[256][4];		/* two */
	struct second second;
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

static void add_pid(struct buf *b, int pid)
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
	add_pid(b, r->pid);
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

static void add_task(struct heads *h, struct buf *b, const struct trace_rec *r)
{
	uint32_t hash = ((uint32_t)r->pid * 8 + (uint32_t)r->cpu) * 0x9e3779b1u;
	struct task *t = &h->tasks[hash >> (32 - TASK_BITS)];

	if (task_is(t, r)) {
		buf_poked(b, poke_text(buf_poke(b, POKE_TEXT_ROOM(TASK_TEXT)), t->text, t->len));
		return;
	}
	buf_reset(&h->text);
	make_task(h, r, &h->text);
	buf_add(b, h->text.data, h->text.len);
	if (h->text.len <= TASK_TEXT)
		keep_task(t, r, &h->text);
}

/* --- flags */

static uint8_t byte_at(const struct ev_rec *r, uint32_t off)
{
	return off < r->len ? r->data[off] : 0;
}

static char *poke_flags(const struct heads *h, char *p, const struct ev_rec *r,
			const struct head_flags *at)
{
	memcpy(p, h->flags[byte_at(r, at->flags_off)], 4);
	memcpy(p + 3, h->counts[byte_at(r, at->count_off)], 4);
	return p + FLAGS_LEN;
}

/* --- time */

/* At least @width places, filled with blanks. */
static char *poke_wide(char *p, uint64_t v, size_t width)
{
	char text[POKE_DEC_ROOM];
	size_t len = poke_dec(text, v) - text;

	for (; width > len; width--)
		*p++ = ' ';
	memcpy(p, text, len);
	return p + len;
}

static void new_second(struct second *s, uint64_t ns)
{
	uint64_t v = ns / SECOND_NS;
	char *p = s->text;

	s->start = v * SECOND_NS;
	s->end = s->start + SECOND_NS;
	*p++ = ' ';
	p = poke_wide(p, v, 5);
	*p++ = '.';
	s->len = p - s->text;
}

static char *poke_time(struct heads *h, char *p, uint64_t ns)
{
	struct second *s = &h->second;
	uint32_t part;

	/* trace-cmd rounds; a time stamp that would wrap is damage anyway */
	if (!h->nanoseconds && ns < UINT64_MAX - 500)
		ns += 500;
	if (ns - s->start >= s->end - s->start)
		new_second(s, ns);
	part = ns - s->start;
	p = poke_text(p, s->text, s->len);
	p = poke_6(p, part / 1000);
	return h->nanoseconds ? poke_3(p, part % 1000) : p;
}

void heads_add(struct heads *h, struct buf *b, const struct trace_rec *r,
	       const struct head_flags *flags)
{
	static const struct head_flags usual = { 2, 3 };
	char *p;

	add_task(h, b, r);
	p = buf_poke(b, FLAGS_LEN + 8 + TIME_ROOM);
	p = poke_flags(h, p, &r->rec, flags ? flags : &usual);
	if (r->trace->clock_is_ns) {
		p = poke_time(h, p, r->ts);
	} else {
		*p++ = ' ';
		p = poke_wide(p, r->ts, 12);
	}
	*p++ = ':';
	buf_poked(b, p);
}
