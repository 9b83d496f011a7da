/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words: nearest candidates, human numbers, escaping of control bytes. */
#ifndef FTR_BASE_TEXT_H
#define FTR_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct buf;

/*
 * The entry of the NULL-terminated vector @candidates that @word most likely meant, or NULL: none
 * is near (edit distance with swapped neighbours, at most a third of the word and four; else it
 * alone begins with the word, or the word with it), @word is one of them, or the nearest may as
 * well be the opposite of what was meant.
 */
const char *text_closest(const char *word, char *const *candidates);

/*
 * "64M", "512K", "1G", "4096": bytes, a plain number counting @unit bytes each. -1 on anything else
 * or overflow.
 */
int text_size(const char *s, uint64_t unit, uint64_t *bytes);
/*
 * "5us", "3ms", "2s", "1.5", "2m", "1h": nanoseconds, a plain number being seconds. -1 on anything
 * else.
 */
int text_duration(const char *s, uint64_t *ns);
/* Decimal (or 0x) number within [min, max]. -1 on anything else. */
int text_number(const char *s, int64_t min, int64_t max, int64_t *v);
/*
 * An unsigned integer as C and the kernel's kstrtoull(.., 0, ..) read it: decimal, 0x, octal;
 * suffixes U and L do not matter. 0, -ERANGE beyond 64 bits, -EINVAL for what is none.
 */
int text_c_integer(const char *p, const char *end, uint64_t *v);
/* "0,2-5" into a bitmap of @nbits. -1 on anything else. */
int text_cpulist(const char *s, uint64_t *bits, unsigned int nbits);
/* Appends a bitmap as the kernel writes cpumasks (lib/vsprintf.c, %*pb): "3", "1,00000000". */
void text_cpumask(struct buf *out, const uint64_t *bits, unsigned int nbits);

/* "98,599" */
void text_grouped(struct buf *out, uint64_t n);
/* "1.2M", "48 MiB". */
void text_count(struct buf *out, uint64_t n);
void text_bytes(struct buf *out, uint64_t n);

/*
 * Appends @n bytes of UTF-8. What a terminal would act on is written as \xNN, byte by byte: control
 * characters (but \t and, with @keep_nl, \n), those beyond ASCII (U+0080 to U+009F) and those that
 * turn the direction of writing among them, and bytes that are no UTF-8.
 */
void text_sanitise(struct buf *out, const char *s, size_t n, bool keep_nl);
/*
 * The length of the character of UTF-8 beyond ASCII at @s, of @n bytes, and which one it is; 0:
 * there is none, as of bytes that are too long a form, a surrogate, or beyond U+10FFFF.
 */
size_t text_utf8(const char *s, size_t n, uint32_t *c);
/* Of a character beyond ASCII: does a terminal act on it instead of showing it? */
bool text_acts(uint32_t c);
/* Prints to @to what text_sanitise() makes of it, with its newlines. */
void __attribute__((format(printf, 2, 0))) text_vprint(FILE *to, const char *fmt, va_list ap);
/*
 * @line and below it a caret under its byte @at, each behind @indent blanks. Bytes that a terminal
 * would act on (tabs, newlines) become blanks, and of a long line only what is around the caret is
 * shown. No newline at the end. @at beyond the line is its end.
 */
void text_caret(struct buf *out, const char *line, size_t n, size_t at, unsigned int indent);
/* True when there is nothing to escape. */
bool text_clean(const char *s, size_t n, bool keep_nl);

#endif
