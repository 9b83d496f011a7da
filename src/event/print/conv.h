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

/* Larger widths and precisions are reduced to this, as they come from an untrusted file. */
#define CONV_WIDTH_MAX	4096
#define CONV_EXT_MAX	12

struct printf_conv {
	char     kind;		/* d u x X o c s p; 'i' is d; '%' has no argument */
	bool     left, plus, space, alt, zero;
	bool     width_arg, prec_arg;	/* '*': an int argument each, before the value */
	int16_t  width, prec;	/* -1: none */
	uint8_t  size;		/* d u x X o: bytes of the argument, 1 2 4 8 */
	/*
	 * p: the letters after it. The kernel skips all letters and digits after %p, even if they
	 * are unknown. This has room for the longest extension.
	 */
	char     ext[CONV_EXT_MAX];
};

/* The environment of all conversions. */
struct conv_env {
	struct ev_syms *syms;	/* for %ps and the like; if NULL print addresses */
	struct symtext *symbols;	/* cache of the texts of addresses; may be NULL */
	uint8_t  long_size;	/* 4, 8 */
	bool     big;		/* numbers in CONV_ARG_BYTES are big-endian */
	bool     raw;		/* control bytes of strings are printed unchanged */
};

/*
 * Parses the conversion at @p, which points to '%'. Returns its length in bytes, or 0 if the kernel
 * does not know the conversion and ends the text there. "%%" has kind '%'.
 */
size_t conv_parse(const char *p, const char *end, unsigned int long_size, struct printf_conv *c);

enum conv_arg {
	CONV_ARG_INT,		/* d u x X o c */
	CONV_ARG_STR,		/* s */
	CONV_ARG_VALUE,		/* %p %px %pK %ps %pS %pB %pe ...: the pointer itself is printed */
	CONV_ARG_BYTES,		/* %pM %pI4 %pU %ph %pb %pa %pt ...: the memory at the pointer */
};
enum conv_arg conv_arg(const struct printf_conv *c);
/*
 * Returns the number of bytes that conv_ptr() needs for a CONV_ARG_BYTES conversion (%pa: the size
 * of a long; %pIS: 0, as it depends on the address family).
 */
uint32_t conv_bytes(const struct printf_conv *c, int width, unsigned int long_size);

/*
 * Prints an integer. For all printers @width and @prec are c->width and c->prec, or the int of a
 * '*'. If a '*' is negative, as in the kernel, a width means left-aligned, and a precision is 0.
 */
void conv_int(struct buf *out, const struct printf_conv *c, int width, int prec, uint64_t v);
/* Prints %c. */
void conv_char(const struct conv_env *env, struct buf *out, const struct printf_conv *c, int width,
	       uint64_t v);
/* Prints %s. @s ends at its first NUL or after @len bytes; "(null)" is printed if it is NULL. */
void conv_str(const struct conv_env *env, struct buf *out, const struct printf_conv *c, int width,
	      int prec, const char *s, size_t len);
/*
 * Prints a pointer by its value. If only the pointer of a CONV_ARG_BYTES conversion is known
 * (always so for %pd and other kernel objects) it prints zero-padded hex digits.
 */
void conv_value(const struct conv_env *env, struct buf *out, const struct printf_conv *c, int width,
		int prec, uint64_t v);
/*
 * Prints a CONV_ARG_BYTES conversion of the bytes at @p. Returns false, with nothing printed, if
 * @len is too small. Pass all available bytes: bitmaps are arrays of longs, and the family decides
 * the length of a socket address.
 */
bool conv_ptr(const struct conv_env *env, struct buf *out, const struct printf_conv *c, int width,
	      int prec, const uint8_t *p, uint32_t len);
/*
 * Prints the symbol at or before @addr, "name [mod]" or with @offset "name+0x12/0x34 [mod]". Prints
 * "0x..." if there is none.
 */
void conv_symbol(struct ev_syms *syms, struct buf *out, uint64_t addr, bool offset);

/* Returns the kind for struct symtext of %ps and the like, 0 if the conversion prints no symbol. */
unsigned int ptr_symbol_kind(const char *ext);

/*
 * --- helpers that print fmts call for flags, symbols, bytes, arrays and bit masks; the text is
 * that of kernel/trace/trace_output.c
 */

/* {mask, "NAME"} in a print fmt. Names are not escaped: sanitise them first. */
struct list_entry {
	uint64_t    value;
	const char *name;
	uint32_t    len;
};

/*
 * __print_flags(): prints the names of the masks whose bits are all set; each bit is used once. The
 * rest is in hex. Prints nothing if @v is 0. @delim may be NULL or "". Truncate @v to a long of the
 * recorded machine first, except for __print_flags_u64().
 */
void list_flags(struct buf *out, uint64_t v, const char *delim, const struct list_entry *t,
		size_t n);
/* __print_symbolic(): prints the name of the first equal value, or hex if there is none. */
void list_symbolic(struct buf *out, uint64_t v, const struct list_entry *t, size_t n);

/* __print_hex() "aa bb", or if @joined is true __print_hex_str() "aabb". */
void list_hex(struct buf *out, const uint8_t *p, uint32_t len, bool joined);
/* __print_array(): prints {0x1,0x2} for @count elements of @elem bytes, at most @len bytes. */
void list_array(struct buf *out, const uint8_t *p, uint32_t len, uint32_t count, uint32_t elem,
		bool big);
/*
 * __print_hex_dump(): prints a newline, then a line for each @rowsize (16 or 32) bytes in groups of
 * @groupsize (1 2 4 8). @type is 0 none, 1 address (@addr, as far as it is known), 2 offset. Each
 * line ends in a newline, as in the kernel, where another one ends the event.
 */
void list_hex_dump(const struct conv_env *env, struct buf *out, const char *prefix,
		   unsigned int type, unsigned int rowsize, unsigned int groupsize,
		   const uint8_t *p, uint32_t len, bool ascii, uint64_t addr);
/*
 * __get_bitmask() and __get_cpumask(): print hex in groups of 32 bits, or "0-3,5" if @ranges is
 * true (option bitmask-list of 7.2).
 */
void list_bitmask(const struct conv_env *env, struct buf *out, const uint8_t *p, uint32_t len,
		  bool ranges);

/* --- between conv.c and conv_pointer.c */

/*
 * Return the width, the precision and the NUM_ flags for buf_add_number() and buf_add_padded().
 * *left is set for '-' and for a negative '*'.
 */
int conv_width(const struct printf_conv *c, int width, bool *left);
int conv_prec(const struct printf_conv *c, int prec);
unsigned int conv_flags(const struct printf_conv *c, bool left);

/* Append @bits bits as %*pb and %*pbl. Missing bytes count as 0. */
void bitmap_hex(const struct conv_env *env, struct buf *out, const uint8_t *b, uint32_t len,
		uint32_t bits);
void bitmap_ranges(const struct conv_env *env, struct buf *out, const uint8_t *b, uint32_t len,
		   uint32_t bits);

#endif
