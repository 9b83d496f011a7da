/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Helpers for text: the nearest candidate for a word, numbers for people, escaping of control
 * bytes.
 */
#ifndef FTR_BASE_TEXT_H
#define FTR_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct buf;

/*
 * Returns the entry of the NULL-terminated vector @candidates that @word most likely meant. An
 * entry is near if its edit distance, with a swap of neighbours as one step, is at most a third of
 * the word and at most 4. If none is near, the result is the only entry that starts with the word,
 * else the longest one that the word starts with. Returns NULL if no entry is found, @word is one
 * of them, or the opposite of the nearest is as likely.
 */
const char *text_closest(const char *word, char *const *candidates);

/*
 * Parses "64M", "512K", "1G", "4096" to bytes. A number without a suffix counts units of @unit
 * bytes. Returns 0, or -1 on anything else and on overflow.
 */
int text_size(const char *s, uint64_t unit, uint64_t *bytes);
/*
 * Parses "5us", "3ms", "2s", "1.5", "2m", "1h" to nanoseconds. A plain number is in seconds.
 * Returns 0, or -1 on anything else.
 */
int text_duration(const char *s, uint64_t *ns);
/* Parses a decimal (or 0x) number within [min, max]. Returns 0, or -1 on anything else. */
int text_number(const char *s, int64_t min, int64_t max, int64_t *v);
/*
 * Parses an unsigned integer like C and the kernel's kstrtoull(.., 0, ..): decimal, 0x or octal.
 * Suffixes U and L are ignored. Returns 0, -ERANGE beyond 64 bits, -EINVAL if it is no integer.
 */
int text_c_integer(const char *p, const char *end, uint64_t *v);
/*
 * Parses "0,2-5" into a bitmap of @nbits bits, which it zeroes first. Returns 0, or -1 on anything
 * else.
 */
int text_cpulist(const char *s, uint64_t *bits, unsigned int nbits);
/* Appends a bitmap as the kernel writes cpumasks (lib/vsprintf.c, %*pb): "3", "1,00000000". */
void text_cpumask(struct buf *out, const uint64_t *bits, unsigned int nbits);

/* Appends @n with commas: "98,599". */
void text_grouped(struct buf *out, uint64_t n);
/* Append @n in short form: "1.2M" and "48 MiB". */
void text_count(struct buf *out, uint64_t n);
void text_bytes(struct buf *out, uint64_t n);

/*
 * Appends @n bytes of UTF-8. Bytes of these are written as \xNN: control characters of ASCII except
 * \t and, with @keep_nl, \n; C1 control characters (U+0080 to U+009F); characters that change the
 * direction of text; bytes that are no valid UTF-8.
 */
void text_sanitise(struct buf *out, const char *s, size_t n, bool keep_nl);
/*
 * Returns true if a spreadsheet takes a cell of CSV with this text for a formula: it starts with =
 * + - @, a tab or a carriage return, and is no number.
 */
bool text_is_formula(const char *s, size_t n);
/*
 * Appends a word of a command line as a shell takes it: as it is, in single quotes, or, with bytes
 * that a terminal would act on, as $'...' of bash. text_add_file() also keeps the name of a file
 * with a "-" in front from being an option.
 */
void text_add_word(struct buf *out, const char *word);
void text_add_file(struct buf *out, const char *path);
/* Returns the word alone. The caller frees it. */
char *text_word(const char *word);
/*
 * Decodes the UTF-8 character beyond ASCII at @s, where @n bytes can be read, to *@c. Returns its
 * length in bytes, 0 if it is invalid: overlong forms, surrogates, and values beyond U+10FFFF are.
 */
size_t text_utf8(const char *s, size_t n, uint32_t *c);
/* Returns true if a terminal acts on @c, a character beyond ASCII, instead of showing it. */
bool text_acts(uint32_t c);
/* Formats a text and prints it to @to, sanitised by text_sanitise(); newlines are kept. */
void __attribute__((format(printf, 2, 0))) text_vprint(FILE *to, const char *fmt, va_list ap);
/*
 * Appends @line, and below it a caret under its byte @at. Each of the two lines starts with @indent
 * blanks. Bytes that a terminal would act on (tabs, newlines) become blanks. Of a long line only
 * the part around the caret is shown. There is no newline at the end. @at beyond the line means its
 * end.
 */
void text_caret(struct buf *out, const char *line, size_t n, size_t at, unsigned int indent);
/* Returns true if no byte must be escaped. */
bool text_clean(const char *s, size_t n, bool keep_nl);

#endif
