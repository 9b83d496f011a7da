/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conversions of a print fmt, by the rules of the kernel's lib/vsprintf.c. They are parsed once.
 * Printing uses no printf(), and allocates only to grow the output.
 */
#ifndef FTR_EVENT_CONV_H
#define FTR_EVENT_CONV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "event/print/number_text.h"

struct ev_syms;

/* Larger widths and precisions are cut to this, as they come from an untrusted file. */
#define CONV_WIDTH_MAX	4096
#define CONV_EXT_MAX	12

struct conv {
	char     kind;		/* d u x X o c s p; 'i' is d; '%' takes no argument */
	bool     left, plus, space, alt, zero;
	bool     width_arg, prec_arg;	/* '*': an int argument each, before the value */
	int16_t  width, prec;	/* -1: none */
	uint8_t  size;		/* d u x X o: bytes of the argument, 1 2 4 8 */
	/*
	 * p: the letters after it. The kernel skips all letters and digits after %p, known or not.
	 * This has room for the longest extension.
	 */
	char     ext[CONV_EXT_MAX];
};

/* Common to all conversions. */
struct conv_env {
	struct ev_syms *syms;	/* for %ps and the like; NULL: print addresses */
	struct symtext *symbols;	/* cache of their texts; may be NULL */
	uint8_t  long_size;	/* 4, 8 */
	bool     big;		/* numbers in CONV_ARG_BYTES are big-endian */
	bool     raw;		/* control bytes of strings are printed as they are */
};

/*
 * Parses the conversion at @p, which points to '%'. Returns its length in bytes, or 0 if the kernel
 * does not know the conversion and ends the text there. "%%" has kind '%'.
 */
size_t conv_parse(const char *p, const char *end, unsigned int long_size, struct conv *c);

enum conv_arg {
	CONV_ARG_INT,		/* d u x X o c */
	CONV_ARG_STR,		/* s */
	CONV_ARG_VALUE,		/* %p %px %pK %ps %pS %pB %pe ...: the pointer itself is printed */
	CONV_ARG_BYTES,		/* %pM %pI4 %pU %ph %pb %pa %pt ...: what it points to */
};
enum conv_arg conv_arg(const struct conv *c);
/*
 * CONV_ARG_BYTES: number of bytes that conv_ptr() needs (%pa: the size of a long; %pIS: 0, as its
 * family decides).
 */
uint32_t conv_bytes(const struct conv *c, int width, unsigned int long_size);

/*
 * The printers. @width and @prec are c->width and c->prec, or the int that a '*' took. For a '*',
 * as in the kernel, a negative width means left-aligned, and a negative precision is 0.
 */
void conv_int(struct buf *out, const struct conv *c, int width, int prec, uint64_t v);
/* %c */
void conv_char(const struct conv_env *env, struct buf *out, const struct conv *c, int width,
	       uint64_t v);
/* @s ends at its first NUL or after @len bytes; NULL is "(null)". */
void conv_str(const struct conv_env *env, struct buf *out, const struct conv *c, int width,
	      int prec, const char *s, size_t len);
/*
 * Prints a pointer by its value. For a CONV_ARG_BYTES conversion of which only the pointer is known
 * (always so for %pd and other kernel objects) it prints zero-padded hex digits.
 */
void conv_value(const struct conv_env *env, struct buf *out, const struct conv *c, int width,
		int prec, uint64_t v);
/*
 * Prints a CONV_ARG_BYTES conversion of the bytes at @p. False, with nothing printed, if @len is
 * too small. Pass all available bytes: bitmaps are arrays of longs, and the family decides the
 * length of a socket address.
 */
bool conv_ptr(const struct conv_env *env, struct buf *out, const struct conv *c, int width,
	      int prec, const uint8_t *p, uint32_t len);
/* The symbol at or before @addr, "name [mod]" or with @offset "name+0x12/0x34 [mod]"; "0x...". */
void conv_symbol(struct ev_syms *syms, struct buf *out, uint64_t addr, bool offset);

#endif
