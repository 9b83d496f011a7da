/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Allocation that does not return NULL, a growable byte buffer and a vector of strings. */
#include "base/mem.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#define MAP_AT	  (192 << 10)	/* bytes of a block that is mapped */
#define TRIM_AT	  (4 << 20)	/* free bytes at the heap's end */
#define KEEP_MAP_AT  (4 << 20)	/* the same after mem_keep() */
#define KEEP_TRIM_AT (64 << 20)
#define HUGE_PAGE ((size_t)2 << 20)	/* bytes, on x86 and arm64 with pages of 4 KiB */

static void (*on_failure)(void);

void mem_on_failure(void (*fn)(void))
{
	on_failure = fn;
}

/*
 * Returns the approximate bytes of anonymous memory, 0 if that is not known. statm is in pages, and
 * its counters are summed over the processors only now and then (proc(5)).
 */
static size_t anon_bytes(void)
{
	size_t resident = 0, shared = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	if (!f)
		return 0;
	if (fscanf(f, "%*u %zu %zu", &resident, &shared) != 2)
		resident = shared = 0;
	fclose(f);
	return resident > shared ? (resident - shared) * (size_t)sysconf(_SC_PAGESIZE) : 0;
}

void mem_trim_grown(size_t most)
{
	static _Atomic size_t before;
#ifdef __GLIBC__
	static pthread_mutex_t trimming = PTHREAD_MUTEX_INITIALIZER;
#endif

	if (anon_bytes() < before + most)
		return;
#ifdef __GLIBC__
	/*
	 * Sanitizers replace malloc(), so the first malloc_trim() sets up that of glibc, without
	 * a lock: a second thread would walk an arena that does not exist yet.
	 */
	pthread_mutex_lock(&trimming);
	malloc_trim(0);
	pthread_mutex_unlock(&trimming);
#endif
	before = anon_bytes();
}

/* A guard is entered for each value that a library returns. glibc has room for such variables. */
#ifdef __GLIBC__
__attribute__((tls_model("initial-exec")))
#endif
static _Thread_local struct mem_guard *innermost;

void mem_guard_enter(struct mem_guard *g)
{
	g->outer = innermost;
	innermost = g;
}

void mem_guard_leave(struct mem_guard *g)
{
	innermost = g->outer;
}

static void *alloc_or_die(void *p)
{
	if (!p) {
		if (innermost) {
			struct mem_guard *g = innermost;

			mem_guard_leave(g);
			longjmp(g->env, 1);
		}
		if (on_failure)
			on_failure();
		fputs("ftr: out of memory\n", stderr);
		_Exit(1);
	}
	return p;
}

void *xmalloc(size_t n)
{
	return alloc_or_die(malloc(n ? n : 1));
}

void *xcalloc(size_t n, size_t size)
{
	return alloc_or_die(calloc(n ? n : 1, size ? size : 1));
}

void *xrealloc(void *p, size_t n)
{
	return alloc_or_die(realloc(p, n ? n : 1));
}

char *xstrdup(const char *s)
{
	return alloc_or_die(strdup(s));
}

char *xstrndup(const char *s, size_t n)
{
	return alloc_or_die(strndup(s, n));
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	return alloc_or_die(n < 0 ? NULL : s);
}

void mem_init(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, MAP_AT);
	mallopt(M_TRIM_THRESHOLD, TRIM_AT);
#endif
}

void mem_keep(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, KEEP_MAP_AT);
	mallopt(M_TRIM_THRESHOLD, KEEP_TRIM_AT);
#endif
}

static size_t whole_pages(size_t bytes)
{
	return (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
}

void *pages_new(size_t bytes)
{
	size_t want = whole_pages(bytes), before;
	char *p = mmap(NULL, want + HUGE_PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	before = -(uintptr_t)p % HUGE_PAGE;
	if (before)
		munmap(p, before);
	munmap(p + before + want, HUGE_PAGE - before);
	if (bytes > HUGE_PAGE / 2)
		madvise(p + before, want, MADV_HUGEPAGE);
	return p + before;
}

void pages_trim(void *p, size_t bytes, size_t keep)
{
	if (p && whole_pages(keep) < whole_pages(bytes))
		munmap((char *)p + whole_pages(keep), whole_pages(bytes) - whole_pages(keep));
}

void pages_free(void *p, size_t bytes)
{
	pages_trim(p, bytes, 0);
}

void *xgrow(void *p, size_t *cap, size_t want, size_t size)
{
	size_t n = *cap ? *cap : 8, bytes;

	if (want <= *cap)
		return p;
	while (n < want)
		n *= 2;
	if (__builtin_mul_overflow(n, size, &bytes))
		alloc_or_die(NULL);
	*cap = n;
	return xrealloc(p, bytes);
}

void buf_release(struct buf *b)
{
	free(b->data);
	*b = (struct buf){0};
}

void buf_reset(struct buf *b)
{
	b->len = 0;
	if (b->data)
		b->data[0] = '\0';
}

char *buf_take(struct buf *b)
{
	char *s = b->data ? b->data : xstrdup("");

	*b = (struct buf){0};
	return s;
}

void buf_grow(struct buf *b, size_t more)
{
	size_t want;

	if (__builtin_add_overflow(b->len, more + 1, &want))
		alloc_or_die(NULL);
	b->data = xgrow(b->data, &b->cap, want, 1);
}

void buf_vprintf(struct buf *b, const char *fmt, va_list ap)
{
	va_list again;
	int n;

	va_copy(again, ap);
	buf_reserve(b, 64);
	n = vsnprintf(b->data + b->len, b->cap - b->len, fmt, ap);
	if (n > 0 && (size_t)n >= b->cap - b->len) {
		buf_reserve(b, n);
		vsnprintf(b->data + b->len, b->cap - b->len, fmt, again);
	}
	va_end(again);
	if (n > 0)
		b->len += n;
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(b, fmt, ap);
	va_end(ap);
}

void buf_u16(struct buf *b, uint16_t v)
{
	buf_add(b, &v, sizeof(v));
}

void buf_u32(struct buf *b, uint32_t v)
{
	buf_add(b, &v, sizeof(v));
}

void buf_u64(struct buf *b, uint64_t v)
{
	buf_add(b, &v, sizeof(v));
}

#define TEXTS_BLOCK (32 << 10)

struct texts_block {
	struct texts_block *before;
	size_t size;
	char   mem[];
};

char *texts_add(struct string_pool *p, const char *s, size_t n)
{
	size_t size = n < TEXTS_BLOCK ? TEXTS_BLOCK : n + 1;
	struct texts_block *b = p->last;
	char *at;

	if (n >= p->left) {
		b = xmalloc(sizeof(*b) + size);
		*b = (struct texts_block){ .before = p->last, .size = size };
		p->last = b;
		p->left = size;
	}
	at = b->mem + b->size - p->left;
	p->left -= n + 1;
	memcpy(at, s, n);
	at[n] = '\0';
	return at;
}

void texts_release(struct string_pool *p)
{
	struct texts_block *b, *before;

	for (b = p->last; b; b = before) {
		before = b->before;
		free(b);
	}
	*p = (struct string_pool){0};
}

void strv_release(struct strv *s)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		free(s->v[i]);
	free(s->v);
	*s = (struct strv){0};
}

void strv_take(struct strv *s, char *str)
{
	s->v = xgrow(s->v, &s->cap, s->n + 2, sizeof(*s->v));
	s->v[s->n++] = str;
	s->v[s->n] = NULL;
}

void strv_add(struct strv *s, const char *str)
{
	strv_take(s, xstrdup(str));
}

int strv_has(const struct strv *s, const char *str)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (!strcmp(s->v[i], str))
			return 1;
	return 0;
}

void strv_split(struct strv *s, const char *str, const char *seps)
{
	size_t n;

	for (;; str += n) {
		str += strspn(str, seps);
		n = strcspn(str, seps);
		if (!n)
			return;
		strv_take(s, xstrndup(str, n));
	}
}

static int by_string(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void strv_sort_unique(struct strv *s)
{
	size_t i, n = 0;

	if (!s->n)
		return;
	qsort(s->v, s->n, sizeof(*s->v), by_string);
	for (i = 1; i < s->n; i++) {
		if (!strcmp(s->v[n], s->v[i]))
			free(s->v[i]);
		else
			s->v[++n] = s->v[i];
	}
	s->n = n + 1;
	s->v[s->n] = NULL;
}
