/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Allocation that does not return NULL, a growable byte buffer and a vector of strings. */
#ifndef FTR_BASE_MEM_H
#define FTR_BASE_MEM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * These end the program with status 1 if there is no memory: nothing useful can be done then. Never
 * call them with a size that was read from a file before it was compared with the size of the file.
 */
void *xmalloc(size_t n);
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t n);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/*
 * Sets a function that is called before that end, in any thread. It must not allocate. NULL: none.
 */
void mem_on_failure(void (*fn)(void));

/*
 * A place to which this thread jumps instead of that end, for code in a process that is not ours:
 *
 *	mem_guard_enter(&g);
 *	if (setjmp(g.env))
 *		return -1;	(the guard is left; what ran is half done, and its memory is lost)
 *	...
 *	mem_guard_leave(&g);
 *
 * Guards nest, and the innermost one counts. No code between the two may allocate with a lock that
 * outlives the objects of the caller.
 */
struct mem_guard {
	jmp_buf env;
	struct mem_guard *outer;
};
void mem_guard_enter(struct mem_guard *g);
void mem_guard_leave(struct mem_guard *g);

/*
 * Makes malloc() map all large blocks: a table that is used in parts then costs only the pages that
 * are used, instead of being cleared in the heap. Call it once, at the start.
 */
void mem_init(void);
/*
 * Makes malloc() keep freed memory for the next allocation, up to the next mem_trim_grown(). For
 * repeated similar work: page faults took up to a third of the time of a step of ftr browse.
 */
void mem_keep(void);

/*
 * pages_new() returns zeroed memory for data that is written from its start on, in huge pages if
 * the kernel has them: a page fault takes as long as decompressing the page. Returns NULL if there
 * is no memory. pages_trim() frees the memory after the first @keep bytes; pages_free() then gets
 * the size that is left. Both accept NULL.
 */
void *pages_new(size_t bytes);
void pages_trim(void *p, size_t bytes, size_t keep);
void pages_free(void *p, size_t bytes);

/*
 * Returns the free memory of all threads to the kernel, as far as the C library can, if the process
 * has grown by @most bytes since the last time.
 */
void mem_trim_grown(size_t most);

/* Returns true if all @n bytes are zero, and for 0 bytes. */
static inline bool mem_is_zero(const void *p, size_t n)
{
	const uint8_t *b = p;

	return !n || (!b[0] && !memcmp(b, b + 1, n - 1));
}

/*
 * Grows an array to at least @want elements of @size bytes; *cap is their number. Returns the
 * array, which may have moved.
 */
void *xgrow(void *p, size_t *cap, size_t want, size_t size);

/*
 * A growable buffer. ->data is NUL-terminated after each call that adds (->len excludes the NUL).
 */
struct buf {
	char  *data;
	size_t len, cap;
};

void buf_release(struct buf *b);		/* zeroed buffers are fine */
void buf_reset(struct buf *b);			/* keeps the memory */
char *buf_take(struct buf *b);			/* the caller owns the string; b is empty then */
void buf_grow(struct buf *b, size_t more);

/* Makes room for @more bytes and a NUL. */
static inline void buf_reserve(struct buf *b, size_t more)
{
	if (more >= b->cap - b->len)
		buf_grow(b, more);
}

static inline void buf_add(struct buf *b, const void *p, size_t n)
{
	buf_reserve(b, n);
	if (n)
		memcpy(b->data + b->len, p, n);
	b->len += n;
	b->data[b->len] = '\0';
}

static inline void buf_addstr(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

static inline void buf_addch(struct buf *b, char c)
{
	buf_reserve(b, 1);
	b->data[b->len++] = c;
	b->data[b->len] = '\0';
}

/*
 * For lines that are written at once: buf_poke() makes room for @room bytes, the poke_*() of
 * base/poke.h write to it without further checks and return the end, which buf_poked() sets.
 */
static inline char *buf_poke(struct buf *b, size_t room)
{
	buf_reserve(b, room);
	return b->data + b->len;
}

static inline void buf_poked(struct buf *b, char *end)
{
	b->len = end - b->data;
	*end = '\0';
}

void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_vprintf(struct buf *b, const char *fmt, va_list ap);
/* Append an integer in the byte order of the host, for files. */
void buf_u16(struct buf *b, uint16_t v);
void buf_u32(struct buf *b, uint32_t v);
void buf_u64(struct buf *b, uint64_t v);

/* Many strings that never move and are freed together. Zeroed it is empty. */
struct string_pool {
	struct texts_block *last;
	size_t left;			/* free bytes at its end */
};

char *texts_add(struct string_pool *p, const char *s, size_t n);	/* a copy, with a NUL */
void texts_release(struct string_pool *p);

/* A vector of owned strings, NULL-terminated: ->v[->n] == NULL. */
struct strv {
	char **v;
	size_t n, cap;
};

void strv_release(struct strv *s);
void strv_add(struct strv *s, const char *str);
void strv_take(struct strv *s, char *str);		/* takes ownership */
int strv_has(const struct strv *s, const char *str);
/* Splits at any of the characters of @seps, dropping empty parts. */
void strv_split(struct strv *s, const char *str, const char *seps);
void strv_sort_unique(struct strv *s);

#endif
