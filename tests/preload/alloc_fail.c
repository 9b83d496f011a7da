/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preloaded into a process: the allocation number $ALLOC_FAIL of those that the library
 * $ALLOC_FAIL_LIBRARY (a part of its path) asks for itself returns NULL, and, with
 * $ALLOC_FAIL_REST=1, so do all that follow. At the end the number of them is printed on standard
 * error, "allocations: N".
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);

static uintptr_t first, last;	/* addresses of the library, 0: not loaded yet */
static unsigned long count, fail_at;
static bool fail_rest;
static const char *library;

static __attribute__((constructor)) void start(void)
{
	const char *at = getenv("ALLOC_FAIL"), *rest = getenv("ALLOC_FAIL_REST");

	fail_at = at ? strtoul(at, NULL, 10) : 0;
	fail_rest = rest && *rest == '1';
	library = getenv("ALLOC_FAIL_LIBRARY");
}

static __attribute__((destructor)) void end(void)
{
	fprintf(stderr, "allocations: %lu\n", count);
}

static int find_library(struct dl_phdr_info *info, size_t size, void *ctx)
{
	(void)size;
	(void)ctx;
	if (!info->dlpi_name || !strstr(info->dlpi_name, library))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

		if (info->dlpi_phdr[i].p_type != PT_LOAD)
			continue;
		first = !first || from < first ? from : first;
		if (from + info->dlpi_phdr[i].p_memsz > last)
			last = from + info->dlpi_phdr[i].p_memsz;
	}
	return 1;
}

static bool fails(const void *caller)
{
	uintptr_t at = (uintptr_t)caller;

	if (!first && library)
		dl_iterate_phdr(find_library, NULL);
	if (at < first || at >= last)
		return false;
	count++;
	if (count != fail_at && !(fail_rest && fail_at && count > fail_at))
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t n)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(p, n);
}

char *strdup(const char *s)
{
	size_t n = strlen(s) + 1;
	char *p = fails(__builtin_return_address(0)) ? NULL : __libc_malloc(n);

	return p ? memcpy(p, s, n) : NULL;
}

char *strndup(const char *s, size_t most)
{
	size_t n = strnlen(s, most);
	char *p = fails(__builtin_return_address(0)) ? NULL : __libc_malloc(n + 1);

	if (!p)
		return NULL;
	p[n] = '\0';
	return memcpy(p, s, n);
}

int vasprintf(char **out, const char *fmt, va_list ap)
{
	va_list again;
	int n;

	if (fails(__builtin_return_address(0)))
		return -1;
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	*out = n < 0 ? NULL : __libc_malloc(n + 1);
	return *out ? vsnprintf(*out, n + 1, fmt, ap) : -1;
}
