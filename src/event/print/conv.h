/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conversions of a print fmt, by the rules of the kernel's lib/vsprintf.c: parsed once, printed
 * without printf and without allocation other than the growth of the output.
 */
#ifndef FTR_EVENT_CONV_H
#define FTR_EVENT_CONV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "event/print/put.h"

struct ev_syms;

/* Larger widths and precisions are taken as these: the file's author chooses them. */
#define CONV_WIDTH_MAX	4096
#define CONV_EXT_MAX	12

struct conv {
	char     kind;		/* d u x X o c s p; 'i' is d; '%' takes no argument */
	bool     left, plus, space, alt, zero;
	bool     width_arg, prec_arg;	/* '*': an int argument each, before the value */
	int16_t  width, prec;	/* -1: none */
	uint8_t  size;		/* d u x X o: bytes of the argument, 1 2 4 8 */
	/*
	 * p: the letters behind it. The kernel swallows every letter and digit behind %p, known or
	 * not; kept are as many as any extension has.
	 */
	char     ext[CONV_EXT_MAX];
};

/* What does not change from one conversion to the next. */
struct conv_env {
	struct ev_syms *syms;	/* for %ps and its kin; NULL: addresses are printed */
	struct symtext *symbols;	/* keeps their texts; may be NULL */
	uint8_t  long_size;	/* 4, 8 */
	bool     big;		/* numbers in CONV_ARG_BYTES are big-endian */
	bool     raw;		/* control bytes of strings are printed as they are */
};

/*
 * Parses the conversion at @p, which is '%'. Returns the bytes it takes, or 0 when the kernel knows
 * no such conversion: it ends the text there. "%%" is one of kind '%'.
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
 * CONV_ARG_BYTES: how many conv_ptr() needs (%pIS: 0, its family decides; %pa: what a long takes).
 */
uint32_t conv_bytes(const struct conv *c, int width, unsigned int long_size);

/*
 * The printers. @width and @prec are c->width and c->prec, or the int that a '*' took. As in the
 * kernel a negative width of a '*' means left, a negative precision of one is 0.
 */
void conv_int(struct buf *out, const struct conv *c, int width, int prec, uint64_t v);
/* %c */
void conv_char(const struct conv_env *env, struct buf *out, const struct conv *c, int width,
	       uint64_t v);
/* @s ends at its first NUL or after @len bytes; NULL is "(null)". */
void conv_str(const struct conv_env *env, struct buf *out, const struct conv *c, int width,
	      int prec, const char *s, size_t len);
/*
 * A pointer by its value. Also what is left of a CONV_ARG_BYTES conversion when only the pointer is
 * known (%pd and other kernel objects never have more offline): zero-padded hex digits.
 */
void conv_value(const struct conv_env *env, struct buf *out, const struct conv *c, int width,
		int prec, uint64_t v);
/*
 * CONV_ARG_BYTES of @p; false, with nothing printed, when @len is too small. Give all the bytes
 * that there are: bitmaps are arrays of longs, socket addresses as long as their family says.
 */
bool conv_ptr(const struct conv_env *env, struct buf *out, const struct conv *c, int width,
	      int prec, const uint8_t *p, uint32_t len);
/* The symbol at or before @addr, "name [mod]" or with @offset "name+0x12/0x34 [mod]"; "0x...". */
void conv_symbol(struct ev_syms *syms, struct buf *out, uint64_t addr, bool offset);

#endif
