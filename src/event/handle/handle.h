/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The public part of an engine's handle: its style, and the texts of addresses and arguments. */
#ifndef FTR_EVENT_HANDLE_H
#define FTR_EVENT_HANDLE_H

#include "event/data/data.h"

struct ev_engine;

/*
 * The trace_options of the kernel that change the text of an event. A zeroed style is their
 * default.
 */
struct ev_style {
	bool sym_offset, sym_addr;	/* for ip, parent and stacks: "f+0x10/0x90", "f <ff..>" */
	bool no_parent;			/* noprint-parent: "f" instead of "f <-g" */
	bool verbose;			/* syscalls with the types of their arguments */
	bool bitmask_list;		/* bitmasks as "0-3,7" */
	bool fields;			/* every field by its type, not the print fmt */
	bool message;			/* markers and trace_printk() without "caller: " */
	bool user_addrs;		/* user stacks: addresses, not "FILE[+0x10]" */
	bool blk_classic;		/* blk: device, CPU, time, pid at the start of a line */
	const struct map *comms;	/* pid -> char *, before the file's names; or NULL */
};
/* Sets the style, borrowed until it is replaced. NULL is a zeroed one. */
void ev_set_style(struct ev_engine *e, const struct ev_style *style);
/* Returns the text at @addr in printk_formats, or NULL. */
const char *ev_printk_at(struct ev_engine *e, uint64_t addr);
/* Returns the number of lines of printk_formats beyond LIMIT_PRINTK, which are left out. */
size_t ev_printk_left_out(struct ev_engine *e);
/* Appends an address as a function name: "symbol", "symbol [mod]" or 0x... */
void ev_print_func(struct ev_engine *e, uint64_t addr, bool with_offset, struct buf *out);
/*
 * Returns the same text without an offset, for poke_text(). It is valid until something else is
 * rendered.
 */
const char *ev_func_text(struct ev_engine *e, uint64_t addr, size_t *len);
/*
 * Appends the arguments of a call of @func, "(file=0xffff888004be2c00, count=4096)", from the @len
 * bytes of registers at @regs in record @r. If the file lacks the function's prototype it is "()",
 * as in the kernel. If the file has no prototypes at all it is the numbers alone.
 */
void ev_print_args(struct ev_engine *e, const struct ev_rec *r, uint64_t func,
		   const uint8_t *regs, uint32_t len, struct buf *out);
/*
 * Returns true if @len bytes of the field @args are registers. A kernel records all of them, or
 * none. A file that ftr made of a text has those that the text shows: there the type is u64.
 */
bool ev_has_args(const struct ev_rec *r, const struct ev_field *args, uint32_t len);
/* Appends an address in the form of the style: "0", "f", "f+0x1/0x20 [m] <ff..>". */
void ev_print_ip(struct ev_engine *e, uint64_t addr, bool with_offset, struct buf *out);
/*
 * Renders a record of the tracer blk, whose type has no format file (->fmt is NULL). Returns false,
 * with nothing appended, if it is another record.
 */
bool ev_render_blk(struct ev_engine *e, const struct ev_rec *r, int cpu, uint64_t ts,
		   struct buf *out);

#endif
