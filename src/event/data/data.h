/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Contents of records and files: parsed formats, typed access to fields, symbols, texts. */
#ifndef FTR_EVENT_DATA_H
#define FTR_EVENT_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/map.h"
#include "base/mem.h"

enum ev_field_kind {
	EV_FIXED,		/* number, or bytes of ->size */
	EV_ARRAY,		/* type name[N] */
	EV_DATA_LOC,		/* u32: offset low, length high 16 bits; from the record's start */
	EV_REL_LOC,		/* the same, offset from the end of this field */
	EV_REST,		/* size 0: from ->offset to the record's end */
};

struct ev_field {
	char    *type;		/* "unsigned long", "__data_loc char[]" */
	char    *name;
	uint32_t offset, size;	/* bytes; ->size is that of a whole array */
	uint32_t elem_size;	/* arrays, data_loc: bytes of one element, 0 = unknown */
	enum ev_field_kind kind;
	bool     is_signed, is_string, common;
	/* private to format.c */
	uint16_t nr_same;	/* the last number appended to this name */
	uint32_t hash;		/* of the name */
};

struct ev_format {
	const char *system;	/* borrowed */
	char    *name;
	uint16_t id;
	struct ev_field *fields;/* common ones first */
	size_t   nr_fields, cap_fields;
	char    *print_fmt;	/* text after "print fmt: ", or "" */
	uint32_t min_len;	/* largest offset + size of all fields with a fixed size */
	/* private to format.c */
	struct {
		const char *p;	/* borrowed; the part not parsed yet */
		size_t  len;
		uint8_t state;
		bool    moved;	/* a field is larger than its size in the format */
		char   *why;	/* why it can't be parsed, or NULL */
	} text;
};

/*
 * Parses one events/SYSTEM/EVENT/format file. Limits are in format.c. Returns -1 with @err if the
 * text is no format. On success all offsets and sizes are sane (offset + size <= 65536) and all
 * names are unique: a second field "type", as some kernel formats have, becomes "type_2".
 */
int ev_format_parse(struct ev_format *f, const char *system, const char *text, size_t len,
		    struct ftr_error *err);
/*
 * The same, but parses only the name and the id now, the rest on first use. @text is borrowed.
 * Before ev_format_ready() or ev_field() only ->system, ->name and ->id may be used.
 */
int ev_format_slice(struct ev_format *f, const char *system, const char *text, size_t len,
		    struct ftr_error *err);
/*
 * Parses what ev_format_slice() left; any thread may call it. Returns NULL, or the reason why the
 * format can't be parsed (borrowed).
 */
const char *ev_format_ready(const struct ev_format *f);
void ev_format_release(struct ev_format *f);
/* Returns the field called @name, or NULL. */
const struct ev_field *ev_field(const struct ev_format *f, const char *name);

/* The bytes of a record, their byte order and format. */
struct ev_rec {
	const struct ev_format *fmt;
	const uint8_t *data;
	uint32_t len;
	uint32_t behind;	/* readable bytes after ->len, most likely of the next record */
	bool     big;
	uint8_t  long_size;
};

/*
 * Reads the number in @f, sign-extended if signed. Returns false if the record is too short or @f
 * is no number.
 */
bool ev_get_num(const struct ev_rec *r, const struct ev_field *f, uint64_t *v);
/*
 * Finds the bytes of @f, of any kind, borrowed. Returns false if they are not all inside the
 * record.
 */
bool ev_get_bytes(const struct ev_rec *r, const struct ev_field *f, const uint8_t **p,
		  uint32_t *len);

/* Symbols from a kallsyms text ("ADDR T name [mod]"). Several threads may search them. */
struct ev_syms;
struct ev_syms *ev_syms_new(const char *kallsyms, size_t len);	/* text is borrowed */
struct ev_loader;
struct ev_syms *ev_syms_new_lazy(const struct ev_loader *from);	/* loads the text on first use */
/*
 * Marks the text as sorted by address, so that it need not be read completely. The claim may be
 * wrong.
 */
void ev_syms_sorted(struct ev_syms *s);
/*
 * Sets the times at which symbols existed, @text being "symbol_times" of trace.dat(5), borrowed.
 * Call it before any lookup. Returns the *n times at which something changes, in order; the caller
 * may convert them to another unit in place. NULL and 0: there are none.
 */
uint64_t *ev_syms_times(struct ev_syms *s, const char *text, size_t len, size_t *n);
bool ev_syms_timed(const struct ev_syms *s);	/* true if there are such times */
/*
 * Returns a view of timed symbols at one time, for one thread. The time is at first the end of the
 * trace. ev_syms_turn() changes the time and returns true if any symbol may differ.
 */
struct ev_syms *ev_syms_view(struct ev_syms *of);
bool ev_syms_turn(struct ev_syms *view, uint64_t ts);
/* Returns true if the symbol at @addr depends on the time. Then use ev_syms_find_at(). */
bool ev_syms_moving(const struct ev_syms *s, uint64_t addr);
const char *ev_syms_find_at(struct ev_syms *s, uint64_t ts, uint64_t addr, size_t *name_len,
			    uint64_t *off);
/*
 * Returns the name of the symbol that contains @addr, or NULL. *mod is its module or NULL, *off the
 * offset of @addr in bytes. The names have *name_len and *mod_len bytes and no NUL.
 */
const char *ev_syms_find(struct ev_syms *s, uint64_t addr, size_t *name_len, const char **mod,
			 size_t *mod_len, uint64_t *off);
/*
 * Returns the size in bytes of the symbol that ev_syms_find() finds for @addr, 0 if there is none.
 * kallsyms has no sizes, so the next symbol's address ends it, as in the kernel.
 */
uint64_t ev_syms_size(struct ev_syms *s, uint64_t addr);
/*
 * Returns true if the module @mod of ev_syms_find() is code that the kernel generated, as in
 * "[__builtin__ftrace]". The kernel lists such names in kallsyms, but prints the address instead.
 */
bool ev_syms_listed_only(const char *mod, size_t mod_len);
/* Returns the number of lines beyond LIMIT_SYMBOLS, which lookups so far could not use. */
size_t ev_syms_left_out(struct ev_syms *s);
void ev_syms_free(struct ev_syms *s);

/* Texts of a file that may be large. */
/* EV_PROTOS are prototypes of functions, in the form of event/btf/btf.h. */
enum ev_text { EV_KALLSYMS, EV_PRINTK, EV_CMDLINES, EV_PROTOS };

/* Lines of a sorted EV_KALLSYMS. */
struct ev_near {
	const char *p;
	size_t      len;
	bool        begins, ends;	/* there are no lines before or after these */
};

/* Loads parts of a file on first use; any thread may call the functions. */
struct ev_loader {
	void *ctx;
	/*
	 * All formats loaded so far. It first loads those of @system, or all of the file if @system
	 * is NULL. The formats are never moved.
	 */
	size_t (*formats)(void *ctx, const char *system, struct ev_format **v);
	const struct ev_format *(*by_id)(void *ctx, uint16_t id);
	const char *(*text)(void *ctx, enum ev_text which, size_t *len);
	/*
	 * Lines of EV_KALLSYMS around @addr, more of them for a larger @more. The lines are never
	 * moved. If this returns false, or is NULL, use text().
	 */
	bool (*near)(void *ctx, uint64_t addr, size_t more, struct ev_near *out);
	/*
	 * Returns the name of a task if names arrive during the trace; replaces EV_CMDLINES. Valid
	 * until the next name arrives. NULL, or if this is NULL: no name is known this way.
	 */
	const char *(*comm)(void *ctx, int pid);
};

/*
 * All data of a file that rendering needs. The caller owns the memory of the pointers. Use the
 * functions below for formats and texts, which may not be loaded yet.
 */
struct event_meta {
	const struct ev_loader *loader;	/* NULL: formats, by_id and texts are all here */
	bool     big;
	uint8_t  long_size;
	uint32_t page_size;
	struct ev_format *formats;	/* parsed ones; those without a name are not there */
	size_t   nr_formats;
	struct map by_id;		/* id -> struct ev_format * */
	struct ev_syms *syms;
	const int64_t *ts_add_ns;	/* offset of ->ts from the trace clock; NULL: 0 */
	const struct ev_maps *maps;	/* mappings of processes, or NULL */
	const struct ev_plugins *plugins;	/* or NULL; set before anything is rendered */
	const char *header_page; size_t header_page_len;
	const char *printk; size_t printk_len;	/* printk_formats text */
	const char *kallsyms; size_t kallsyms_len;
	const char *cmdlines; size_t cmdlines_len;
	const char *values; size_t values_len;		/* "NAME=VALUE;...", see kernel_values.h */
	const char *protos; size_t protos_len;
	const char *dynamic; size_t dynamic_len;	/* dynamic_events text; ";" ends lines */
	/*
	 * KERNEL_VERSION_OF() of the kernel, 0 if unknown; for facts that formats and records lack
	 */
	uint32_t kernel;
	/*
	 * PREEMPT_RT, by the release name or ftr's own line of a text: its patches had features
	 * before mainline
	 */
	bool     rt;
	bool     no_flags;		/* the records were a text without flags */
};
#define KERNEL_VERSION_OF(major, minor) ((uint32_t)(major) << 16 | (minor))

/* Converts a record's ->ts to a time of the trace clock. */
static inline uint64_t event_meta_clock(const struct event_meta *w, uint64_t ts)
{
	return w->ts_add_ns ? ts - (uint64_t)*w->ts_add_ns : ts;
}

/* Returns all formats of the file. With @system those of other systems need not be loaded. */
size_t event_meta_formats(const struct event_meta *w, const char *system, struct ev_format **v);
/* Return NULL if there is none. The format may not be parsed yet, see ev_format_ready(). */
const struct ev_format *event_meta_find_id(const struct event_meta *w, uint16_t id);
const struct ev_format *event_meta_find_name(const struct event_meta *w, const char *system,
					     const char *name);
/*
 * Returns a text of *len bytes, borrowed as long as the world exists. NULL and 0 if the file lacks
 * it.
 */
const char *event_meta_text(const struct event_meta *w, enum ev_text which, size_t *len);

/*
 * Returns true if @f is shown as a field of its record. False for the common fields that a line or
 * object shows elsewhere: type, flags, preempt_count, pid; and for padding. Kernels with
 * PREEMPT_RT's patches have more common fields.
 */
bool ev_field_shown(const struct ev_field *f);
/* Appends "name=value ..." of the fields for which ev_field_shown() is true. */
void fields_print(const struct ev_rec *r, struct buf *out);
/* Appends the value of one field in the form of --raw. */
void ev_render_field(const struct ev_rec *r, const struct ev_field *f, struct buf *out);

#define EV_NEED_RESCHED_LAZY 0x02
/* The latency flags in the records of one format: their offsets and their meaning. */
struct ev_latency {
	uint32_t flags_off, count_off;
	uint32_t migrate_off, lazy_off;	/* in kernels with PREEMPT_RT's patches; 0: none */
	uint8_t  rt_bits;	/* bits of common_flags with another meaning */
	uint8_t  lazy_bit;	/* the bit of them that is EV_NEED_RESCHED_LAZY, or 0 */
	bool     unknown;	/* event_meta.no_flags */
};
/* Sets *at for @fmt. @w may be NULL if the kernel is unknown. */
void ev_latency_of(const struct event_meta *w, const struct ev_format *fmt, struct ev_latency *at);
/* Returns both counters in one byte, each up to 15, if the kernel has a field for each. */
uint8_t ev_latency_join(const struct ev_latency *at, const struct ev_rec *r);
/* Return common_flags and common_preempt_count as a kernel without these patches has them. */
static inline uint8_t ev_latency_flags(const struct ev_latency *at, const struct ev_rec *r)
{
	uint8_t flags = at->flags_off < r->len ? r->data[at->flags_off] : 0;

	return (flags & ~at->rt_bits) | (flags & at->lazy_bit ? EV_NEED_RESCHED_LAZY : 0);
}
static inline uint8_t ev_latency_count(const struct ev_latency *at, const struct ev_rec *r)
{
	if (__builtin_expect(at->migrate_off, 0))
		return ev_latency_join(at, r);
	return at->count_off < r->len ? r->data[at->count_off] : 0;
}
/*
 * Writes the five latency flags, as "d..2.", from common_flags and common_preempt_count. The
 * letters are those of trace-cmd, or of the kernel (7.2) if trace-cmd has none. @w may be NULL. If
 * the flags are unknown, @out is "".
 */
void ev_print_latency(const struct event_meta *w, const struct ev_rec *r, char out[6]);
/* Writes the five latency flags from the two bytes. */
void ev_latency_letters(uint8_t flags, uint8_t count, char out[6]);
/*
 * Parses the kernel's first three letters, irqs-off, need-resched and hardirq/softirq, to flags.
 * Returns false if it has no such letters.
 */
bool ev_latency_parse(const char letters[3], uint8_t *flags);
/* Sets the offsets of the two bytes in the records of @fmt. */
void ev_latency_offsets(const struct ev_format *fmt, uint32_t *flags_off, uint32_t *count_off);
/*
 * Writes the flags as the recorded kernel prints them, with the columns that its header has: four
 * before 5.14, five, or seven with the lazy preemption of PREEMPT_RT. Returns their length in
 * bytes; they end with a NUL.
 */
#define EV_LATENCY_ROOM 12
size_t ev_kernel_latency(const struct event_meta *w, const struct ev_rec *r,
			 char out[EV_LATENCY_ROOM]);

#endif
