/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts that lose lines when a module goes: the last reading, and what earlier ones had. */
#include "record/symbols.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"

struct merge {
	bool (*counts)(const char *line, size_t len);
	struct map present;		/* hashes of the lines that need not be kept */
	struct buf kept;
};

typedef void (*line_fn)(struct merge *m, const char *line, size_t len);

/* FNV-1a */
static uint64_t line_hash(const char *p, size_t n)
{
	uint64_t h = 0xcbf29ce484222325ull;

	while (n--)
		h = (h ^ (uint8_t)*p++) * 0x100000001b3ull;
	return h;
}

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
	map_put(&m->present, line_hash(line, len), m);
}

static void keep_line(struct merge *m, const char *line, size_t len)
{
	if (!map_put(&m->present, line_hash(line, len), m))
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

	for (; at && at < end; at = nl + 1) {
		nl = memchr(at, '\n', end - at);
		if (!nl)
			return false;
		if (*at != '\n' && at[strspn(at, "0")] != ' ')
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
	history_release(h);
	h->gone = m.kept;
	h->last = *reading;
	*reading = (struct buf){0};
	map_release(&m.present);
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

void symbols_update(struct symbols *s, struct buf *reading)
{
	s->hidden = reading->len && !has_addresses(reading);
	if (reading->len && !s->hidden)
		history_update(&s->h, reading, is_module_line);
	buf_release(reading);
}

struct sym_line {
	uint64_t addr;
	const char *at;
	size_t len;		/* with the newline */
};

static int by_address(const void *a, const void *b)
{
	const struct sym_line *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

/* The kernel's own symbols are sorted in /proc/kallsyms, those of modules, bpf and kprobes not. */
void symbols_sort(struct buf *text)
{
	const char *at = text->data, *end = at + text->len, *nl;
	struct sym_line *v = NULL;
	size_t n = 0, cap = 0;
	struct buf out = {0};

	for (; at < end; at = nl + 1) {
		nl = memchr(at, '\n', end - at);
		if (!nl)
			break;
		v = xgrow(v, &cap, n + 1, sizeof(*v));
		v[n++] = (struct sym_line){ strtoull(at, NULL, 16), at, nl + 1 - at };
	}
	if (n)
		qsort(v, n, sizeof(*v), by_address);
	buf_reserve(&out, text->len);
	for (size_t i = 0; i < n; i++)
		buf_add(&out, v[i].at, v[i].len);
	free(v);
	buf_release(text);
	*text = out;
}
