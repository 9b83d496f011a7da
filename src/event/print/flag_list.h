/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Helpers that print fmts call for flags, symbols, bytes, arrays and bit masks. The text is that of
 * kernel/trace/trace_output.c.
 */
#ifndef FTR_EVENT_PRINT_FLAG_LIST_H
#define FTR_EVENT_PRINT_FLAG_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/print/conv.h"

/* {mask, "NAME"} in a print fmt. Names are not escaped: sanitise them first. */
struct list_entry {
	uint64_t    value;
	const char *name;
	uint32_t    len;
};

/*
 * __print_flags(): the names of the masks whose bits are all set; each bit is used once. The rest
 * is in hex. Nothing for 0. @delim may be NULL or "". Truncate @v to a long of the recorded machine
 * first, except for __print_flags_u64().
 */
void list_flags(struct buf *out, uint64_t v, const char *delim, const struct list_entry *t,
		size_t n);
/* __print_symbolic(): the name of the first equal value, or hex. */
void list_symbolic(struct buf *out, uint64_t v, const struct list_entry *t, size_t n);

/* __print_hex() "aa bb" and __print_hex_str() "aabb". */
void list_hex(struct buf *out, const uint8_t *p, uint32_t len, bool joined);
/* __print_array(): {0x1,0x2} for @count elements of @elem bytes, at most @len bytes. */
void list_array(struct buf *out, const uint8_t *p, uint32_t len, uint32_t count, uint32_t elem,
		bool big);
/*
 * __print_hex_dump(): a newline, then a line for each @rowsize (16 or 32) bytes in groups of
 * @groupsize (1 2 4 8). @type is 0 none, 1 address (@addr, as far as it is known), 2 offset. Each
 * line ends in a newline, as in the kernel, where another one ends the event.
 */
void list_hex_dump(const struct conv_env *env, struct buf *out, const char *prefix,
		   unsigned int type, unsigned int rowsize, unsigned int groupsize,
		   const uint8_t *p, uint32_t len, bool ascii, uint64_t addr);
/*
 * __get_bitmask() and __get_cpumask(): hex in groups of 32 bits; with option bitmask-list of 7.2
 * "0-3,5".
 */
void list_bitmask(const struct conv_env *env, struct buf *out, const uint8_t *p, uint32_t len,
		  bool ranges);

#endif
