/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses the lines of kallsyms: "ADDR TYPE NAME", followed by "\t[MODULE]" for a symbol of a
 * module. Everything is inline, as a reading has half a million lines.
 */
#ifndef FTR_BASE_SYM_LINES_H
#define FTR_BASE_SYM_LINES_H

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"

#define SYM_BYTES(b) (0x0101010101010101ULL * (b))

/* Parses eight digits at once: 0-9 and a-f, the form of nearly all lines of 64-bit kernels. */
static inline bool sym_parse_hex8(const char *p, uint64_t *v)
{
	uint64_t x = get_u64(p, false), letters = x >> 6 & SYM_BYTES(1);
	uint64_t n = (x & SYM_BYTES(0x0f)) + letters * 9;

	/*
	 * only letters are 10 or more, nothing is above 15, and the bytes are the codes of the
	 * digits
	 */
	if (((n + SYM_BYTES(6)) >> 4 & SYM_BYTES(0x0f)) != letters ||
	    n + SYM_BYTES('0') + letters * ('a' - 10 - '0') != x)
		return false;
	n = (n << 4 | n >> 8) & 0x00ff00ff00ff00ff;
	n = (n << 8 | n >> 16) & 0x0000ffff0000ffff;
	*v = *v << 32 | ((n << 16 | n >> 32) & 0xffffffff);
	return true;
}

static inline int sym_addr_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/*
 * Parses the address at @p. Returns its end, whose distance the caller must check as
 * sym_line_head() does.
 */
static inline const char *sym_line_addr(const char *p, const char *end, uint64_t *addr)
{
	*addr = 0;
	if (end - p > 16 && sym_parse_hex8(p, addr) && sym_parse_hex8(p + 8, addr))
		p += 16;
	else
		*addr = 0;
	for (; p < end && sym_addr_digit(*p) >= 0; p++)
		*addr = *addr << 4 | sym_addr_digit(*p);
	return p;
}

/* Parses "ADDR T " at @p. Returns the start of the name, or NULL. */
static inline const char *sym_line_head(const char *p, const char *end, uint64_t *addr, char *type)
{
	const char *start = p;

	p = sym_line_addr(p, end, addr);
	if (p == start || p - start > 16 || end - p < 4 || p[0] != ' ' || p[2] != ' ')
		return NULL;
	*type = p[1];
	return p + 3;
}

static inline bool sym_is_type(char type, char this, char that)
{
	type &= ~0x20;	/* lower case for local symbols */
	return type == this || type == that;
}

/*
 * Returns true for symbols by which assemblers of arm, arm64 and riscv mark code and data ("$x",
 * "$d.4", ".L12", "L0^A"): include/linux/module_symbol.h, is_mapping_symbol(). /proc/kallsyms lists
 * those of modules, but the kernel names nothing by them.
 */
static inline bool sym_is_mapping(const char *name, const char *end)
{
	return *name == '$' || (end - name > 1 && ((name[0] == '.' && name[1] == 'L') ||
						  (name[0] == 'L' && name[1] == '0')));
}

/*
 * Returns the name of the line's symbol; NULL if the line has no usable address or no symbol's
 * name. Absolute symbols (per-CPU offsets on x86) are no addresses. Data symbols count: the
 * kernel's %ps names pointers to data, too. Addresses read as 0 when kptr_restrict hides them.
 */
static inline const char *sym_line_name(const char *p, const char *end, uint64_t *addr, char *type)
{
	const char *name = sym_line_head(p, end, addr, type);

	if (!name || !*addr || !*type || sym_is_type(*type, 'A', 'U') ||
	    !isgraph((unsigned char)*name) || sym_is_mapping(name, end))
		return NULL;
	return name;
}

/* Returns the length of the word at @p: a name or a module. */
static inline size_t sym_word_len(const char *p, const char *end)
{
	const char *start = p;

	while (p < end && isgraph((unsigned char)*p))
		p++;
	return p - start;
}

/*
 * Finds the module in "\t[nfs]" after the name, without brackets; NULL and 0 for a symbol of the
 * kernel itself.
 */
static inline void sym_line_module(const char *p, const char *end, const char **mod,
				   size_t *mod_len)
{
	size_t n;

	*mod = NULL;
	*mod_len = 0;
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	n = sym_word_len(p, end);
	if (n > 2 && p[0] == '[' && p[n - 1] == ']') {
		*mod = p + 1;
		*mod_len = n - 2;
	}
}

/*
 * Returns the address of the first symbol @name of the kernel itself, not of a module; 0 if there
 * is none. It is in syms.c.
 */
uint64_t sym_text_find(const char *text, size_t len, const char *name);

#endif
