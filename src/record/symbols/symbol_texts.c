/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts that lose lines when a module goes: the last reading, and what earlier ones had. */
#include "record/symbols/symbol_texts.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/sym_lines.h"

enum { STEP = 256 };			/* bytes in which the begin of a line is looked for */

struct merge {
	bool (*counts)(const char *line, size_t len);
	struct textmap present;		/* lines that need not be kept */
	struct buf kept;
};

typedef void (*line_fn)(struct merge *m, const char *line, size_t len);

/* @len goes without the newline. A last line without one is half a line: left out. */
static void each_line(const struct buf *text, line_fn fn, struct merge *m)
{
	const char *at = text->data, *end = at + text->len, *nl;

	for (; at && at < end; at = nl + 1) {
		nl = memchr(at, '\n', end - at);
		if (!nl)
			break;
		if (!m->counts || m->counts(at, nl - at))
			fn(m, at, nl - at);
	}
}

static void note_line(struct merge *m, const char *line, size_t len)
{
	textmap_put_borrowed(&m->present, line, len, m);
}

static void keep_line(struct merge *m, const char *line, size_t len)
{
	if (!textmap_put_borrowed(&m->present, line, len, m))
		buf_add(&m->kept, line, len + 1);
}

/* "ffffffffc0401000 t nfs_read\t[nfs]" */
static bool is_module_line(const char *line, size_t len)
{
	return len && line[len - 1] == ']' && memchr(line, '\t', len);
}

/* On x86 the per-CPU symbols at the start of the file are at 0 for everybody. */
static bool has_addresses(const struct buf *text)
{
	const char *at = text->data, *end = at + text->len, *nl;
	uint64_t addr;

	for (; at && at < end; at = nl + 1) {
		nl = memchr(at, '\n', end - at);
		if (!nl)
			return false;
		sym_line_addr(at, nl, &addr);
		if (addr)
			return true;
	}
	return false;
}

void history_update(struct history *h, struct buf *reading,
		    bool (*counts)(const char *line, size_t len))
{
	struct merge m = { .counts = counts };

	if (h->last.len) {
		each_line(reading, note_line, &m);
		each_line(&h->gone, keep_line, &m);
		each_line(&h->last, keep_line, &m);
	}
	textmap_release(&m.present);	/* borrows lines of what goes now */
	history_release(h);
	h->gone = m.kept;
	h->last = *reading;
	*reading = (struct buf){0};
}

void history_text(const struct history *h, struct buf *out)
{
	if (h->last.len)
		buf_add(out, h->last.data, h->last.len);
	if (h->gone.len)
		buf_add(out, h->gone.data, h->gone.len);
}

void history_release(struct history *h)
{
	buf_release(&h->last);
	buf_release(&h->gone);
}

/* A line that is lower than one before it. */
struct stray {
	uint64_t addr;
	size_t at, len;		/* in a text of its own; with the newline */
};

static int by_stray_address(const void *a, const void *b)
{
	const struct stray *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

static uint64_t line_addr_value(const char *at, const char *end)
{
	uint64_t addr;

	sym_line_addr(at, end, &addr);
	return addr;
}

/* Moves the strays to @out, and the other lines together. Returns the number of strays, *v. */
static size_t take_strays(struct buf *text, struct stray **v, struct buf *out)
{
	char *at = text->data, *end = at + text->len, *run = at, *to = at, *next;
	uint64_t addr, highest = 0;
	size_t n = 0, cap = 0;

	for (; at < end; at = next) {
		next = (char *)memchr(at, '\n', end - at) + 1;
		addr = line_addr_value(at, end);
		if (addr >= highest) {
			highest = addr;
			continue;
		}
		memmove(to, run, at - run);
		to += at - run;
		run = next;
		*v = xgrow(*v, &cap, n + 1, sizeof(**v));
		(*v)[n++] = (struct stray){ addr, out->len, next - at };
		buf_add(out, at, next - at);
	}
	memmove(to, run, end - run);
	text->len = to + (end - run) - text->data;
	return n;
}

/* The begin of the line that ends before @at; in steps, as a file may have few and long ones. */
static char *line_before(char *text, char *at)
{
	char *nl = NULL;
	size_t n;

	for (at--; at > text && !nl; at = nl ? nl + 1 : at - n) {
		n = at - text < STEP ? at - text : STEP;
		nl = memrchr(at - n, '\n', n);
	}
	return at;
}

/* From the end, so that each line moves once. There is room for @strays behind @text. */
static void put_strays(struct buf *text, const struct stray *v, size_t n, const struct buf *strays)
{
	char *from = text->data + text->len, *to = from + strays->len, *at = from;
	char *line = text->len ? line_before(text->data, at) : at;

	while (n--) {
		while (line < at && line_addr_value(line, from) > v[n].addr) {
			at = line;
			line = at > text->data ? line_before(text->data, at) : at;
		}
		to -= from - at;
		memmove(to, at, from - at);
		from = at;
		to -= v[n].len;
		memcpy(to, strays->data + v[n].at, v[n].len);
	}
	text->len += strays->len;
}

/*
 * In /proc/kallsyms most is sorted already: not all of the per-CPU symbols of x86, nor the modules'
 * and those of bpf and kprobes, which stand behind the kernel's own and may be lower.
 */
void symbols_sort(struct buf *text)
{
	const char *nl = text->len ? memrchr(text->data, '\n', text->len) : NULL;
	struct stray *v = NULL;
	struct buf strays = {0};
	size_t n;

	text->len = nl ? nl + 1 - text->data : 0;
	if (!text->len)
		return;
	n = take_strays(text, &v, &strays);
	if (n) {
		qsort(v, n, sizeof(*v), by_stray_address);
		put_strays(text, v, n, &strays);
	}
	text->data[text->len] = '\0';
	free(v);
	buf_release(&strays);
}

void symbols_update(struct symbols *s, struct buf *reading)
{
	s->hidden = reading->len && !has_addresses(reading);
	if (reading->len && !s->hidden) {
		symbols_sort(reading);
		history_update(&s->h, reading, is_module_line);
		s->readings++;
	}
	buf_release(reading);
}

const struct buf *symbols_text(const struct symbols *s, struct buf *room)
{
	if (!s->h.gone.len)
		return &s->h.last;
	history_text(&s->h, room);
	symbols_sort(room);
	return room;
}
