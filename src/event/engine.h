/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the engine: the scratch record, events by format, and the pieces that share them. */
#ifndef FTR_EVENT_ENGINE_H
#define FTR_EVENT_ENGINE_H

#include <traceevent/event-parse.h>

#include "event/event.h"
#include "event/vet.h"

/*
 * A copy of the record with zeros before and behind it. libtraceevent reads at 16-bit offsets for
 * 16-bit lengths (and half of that once more behind a __rel_loc) without looking at the record's
 * size: all of it stays inside.
 */
struct scratch {
	uint8_t *mem;
	size_t   cap, dirty;	/* bytes; how many from ->data on are not zero */
	uint8_t *data;
	uint32_t len;
};

/*
 * Copies @r, moving strings without a NUL to the end, where they get one. @host_loc writes their
 * locations in the host's byte order. False if the record is shorter than its fields or says that
 * data lies outside of it.
 */
bool scratch_fill(struct scratch *s, const struct ev_rec *r, bool host_loc);
void scratch_release(struct scratch *s);

typedef void (*own_fn)(struct ev_engine *e, const struct ev_rec *r, uint64_t ts, struct buf *out);

/* What is known of one format; made at its first record. */
struct ev_slot {
	const struct ev_format *fmt;
	own_fn   own;			/* our renderer, or NULL */
	struct tep_event *ev;		/* libtraceevent's, or NULL */
	struct vet_arg *want;
	size_t   nr_want;
	bool     dry, offsets, lines;	/* ->lines: the print fmt itself has line breaks inside */
	char    *why;			/* neither: the reason */
};

struct ev_engine {
	const struct ev_world *w;
	struct tep_handle *tep;
	struct trace_seq   seq;
	struct scratch     scratch;
	struct map         slots;	/* struct ev_format * -> struct ev_slot * */
	struct map         printk;	/* address -> char * */
	bool               printk_built;
	bool               strings_given;	/* libtraceevent has printk_formats */
	bool               plain_symbols;	/* an offset may follow: see resolve() */
	char               symbol[512];	/* what the resolver last gave to libtraceevent */
	struct ev_style    style;
	bool               bytes;	/* ev_render_kernel(): control bytes as they are */
	struct map         kinds;	/* struct ev_format * -> how kernel.c prints it */
};

struct ev_slot *engine_slot(struct ev_engine *e, const struct ev_format *fmt);
/* Byte order, sizes, symbols. */
struct tep_handle *engine_new_tep(struct ev_engine *e);

/* fields.c: "name=value ..." of the fields that are not common. */
void fields_print(const struct ev_rec *r, struct buf *out);
/* builtin.c: our renderer of @fmt, or NULL. */
own_fn builtin_find(const struct ev_format *fmt);
/* The function's name without module and offset, as the function tracer shows it. */
void func_name(struct ev_engine *e, uint64_t addr, struct buf *out);
/* kernel.c */
void kernel_release(struct ev_engine *e);
/* An address as the options of e->style have it: "0", "f", "f+0x1/0x20 [m] <00..>". */
void kernel_ip(struct ev_engine *e, uint64_t addr, struct buf *out);
void kernel_ip_offset(struct ev_engine *e, uint64_t addr, bool offset, struct buf *out);
/* Text from a record: sanitised, or as it is when e->bytes says so. */
void engine_text(struct ev_engine *e, struct buf *out, const char *s, size_t n, bool keep_nl);
/* printk.c: the text at @addr in printk_formats, or NULL. */
const char *printk_find(struct ev_engine *e, uint64_t addr);
void printk_release(struct ev_engine *e);
/* bprint.c: what trace_printk() was given, from its format and packed arguments. */
void bprint_format(struct ev_engine *e, const char *fmt, const uint8_t *args, uint32_t len,
		   bool big,
		   struct buf *out);

#endif
