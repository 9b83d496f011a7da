/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps texts that lose lines when a module is unloaded: the last reading, and lines of earlier
 * ones.
 */
#include "record/symbols/symbol_texts.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/sym_lines.h"

enum { STEP = 256 };			/* bytes that are searched at once for a newline */

struct text_merge {
	bool (*counts)(const char *line, size_t len);
	struct textmap present;		/* lines that are not kept */
	struct buf kept;
};

typedef void (*line_fn)(struct text_merge *m, const char *line, size_t len);

/*
 * Calls @fn for each line, with @len without the newline. If the last line has no newline it is not
 * complete, and is left out.
 */
static void for_each_line(const struct buf *text, line_fn fn, struct text_merge *m)
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

static void note_line(struct text_merge *m, const char *line, size_t len)
{
	textmap_put_borrowed(&m->present, line, len, m);
}

static void keep_line(struct text_merge *m, const char *line, size_t len)
{
	if (!textmap_put_borrowed(&m->present, line, len, m))
		buf_add(&m->kept, line, len + 1);
}

/* Returns true for lines like "ffffffffc0401000 t nfs_read\t[nfs]". */
static bool is_module_line(const char *line, size_t len)
{
	return len && line[len - 1] == ']' && memchr(line, '\t', len);
}

/*
 * Returns true if an address is not 0. On x86 the first ones may be 0 for root, too: those of
 * per-CPU symbols.
 */
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

void history_update(struct text_history *h, struct buf *reading,
		    bool (*counts)(const char *line, size_t len))
{
	struct text_merge m = { .counts = counts };

	if (h->last.len) {
		for_each_line(reading, note_line, &m);
		for_each_line(&h->gone, keep_line, &m);
		for_each_line(&h->last, keep_line, &m);
	}
	textmap_release(&m.present);	/* it borrows lines of the texts that are released next */
	history_release(h);
	h->gone = m.kept;
	h->last = *reading;
	*reading = (struct buf){0};
}

void history_text(const struct text_history *h, struct buf *out)
{
	if (h->last.len)
		buf_add(out, h->last.data, h->last.len);
	if (h->gone.len)
		buf_add(out, h->gone.data, h->gone.len);
}

void history_release(struct text_history *h)
{
	buf_release(&h->last);
	buf_release(&h->gone);
}

/* A line whose address is lower than that of an earlier line. */
struct stray_line {
	uint64_t addr;
	size_t at, len;		/* position in a separate text; length with the newline */
};

static int by_stray_address(const void *a, const void *b)
{
	const struct stray_line *x = a, *y = b;

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

/*
 * Moves the strays to @out, and the other lines together. *v gets the strays. Returns their number.
 */
static size_t remove_strays(struct buf *text, struct stray_line **v, struct buf *out)
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
		(*v)[n++] = (struct stray_line){ addr, out->len, next - at };
		buf_add(out, at, next - at);
	}
	memmove(to, run, end - run);
	text->len = to + (end - run) - text->data;
	return n;
}

/*
 * Returns the start of the line that ends before @at. It searches in steps, as lines may be long.
 */
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

/*
 * Inserts the strays, for which there is room after @text. It starts from the end, so that each
 * line moves once.
 */
static void insert_strays(struct buf *text, const struct stray_line *v, size_t n,
			  const struct buf *strays)
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
 * Most of /proc/kallsyms is sorted already, except some per-CPU symbols of x86, and the symbols of
 * modules, bpf and kprobes, which follow the kernel's symbols and may be lower.
 */
void symbols_sort(struct buf *text)
{
	const char *nl = text->len ? memrchr(text->data, '\n', text->len) : NULL;
	struct stray_line *v = NULL;
	struct buf strays = {0};
	size_t n;

	text->len = nl ? nl + 1 - text->data : 0;
	if (!text->len)
		return;
	n = remove_strays(text, &v, &strays);
	if (n) {
		qsort(v, n, sizeof(*v), by_stray_address);
		insert_strays(text, v, n, &strays);
	}
	text->data[text->len] = '\0';
	free(v);
	buf_release(&strays);
}

void symbols_update(struct kallsyms_history *s, struct buf *reading)
{
	s->hidden = reading->len && !has_addresses(reading);
	if (reading->len && !s->hidden) {
		symbols_sort(reading);
		history_update(&s->h, reading, is_module_line);
		s->readings++;
	}
	buf_release(reading);
}

const struct buf *symbols_text(const struct kallsyms_history *s, struct buf *room)
{
	if (!s->h.gone.len)
		return &s->h.last;
	history_text(&s->h, room);
	symbols_sort(room);
	return room;
}
