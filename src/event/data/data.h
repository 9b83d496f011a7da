/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What records and files hold: parsed formats, typed access, symbols, texts. */
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
	uint32_t offset, size;	/* bytes; for arrays of the whole */
	uint32_t elem_size;	/* arrays, data_loc: of one element, 0 unknown */
	enum ev_field_kind kind;
	bool     is_signed, is_string, common;
	/* private to format.c */
	uint16_t nr_same;	/* the last number of those of this name */
	uint32_t hash;		/* of the name */
};

struct ev_format {
	const char *system;	/* borrowed */
	char    *name;
	uint16_t id;
	struct ev_field *fields;/* common ones first */
	size_t   nr_fields, cap_fields;
	char    *print_fmt;	/* text after "print fmt: ", or "" */
	uint32_t min_len;	/* largest offset + size of the fields that are always there */
	/* private to format.c */
	struct {
		const char *p;	/* borrowed; what is still to be parsed */
		size_t  len;
		uint8_t state;
		bool    moved;	/* a field is larger than the format says */
		char   *why;	/* it can't be parsed */
	} text;
};

/*
 * Parses one events/SYSTEM/EVENT/format file. Limits are in format.c. -1 with @err when it is
 * none; afterwards all offsets and sizes are sane (offset + size <= 65536) and names unique: a
 * second "type" (real formats have such) is "type_2".
 */
int ev_format_parse(struct ev_format *f, const char *system, const char *text, size_t len,
		    struct ftr_error *err);
/*
 * The same for later: takes the name and the id only, the rest is parsed on first need. @text is
 * borrowed. Until ev_format_ready(), or ev_field(), only ->system, ->name and ->id may be used.
 */
int ev_format_slice(struct ev_format *f, const char *system, const char *text, size_t len,
		    struct ftr_error *err);
/* Parses now what was not yet, in any thread. NULL, or why it can't be parsed (borrowed). */
const char *ev_format_ready(const struct ev_format *f);
void ev_format_release(struct ev_format *f);
const struct ev_field *ev_field(const struct ev_format *f, const char *name);	/* NULL if none */

/* A record's bytes with what is needed to read them. */
struct ev_rec {
	const struct ev_format *fmt;
	const uint8_t *data;
	uint32_t len;
	uint32_t behind;	/* readable bytes after these: most likely the next record's */
	bool     big;
	uint8_t  long_size;
};

/*
 * Number in @f, sign-extended if signed; false if the record is too short or the field no number.
 */
bool ev_get_num(const struct ev_rec *r, const struct ev_field *f, uint64_t *v);
/*
 * Bytes of @f (fixed, array, data_loc, rel_loc, rest), borrowed, checked; false if out of the
 * record.
 */
bool ev_get_bytes(const struct ev_rec *r, const struct ev_field *f, const uint8_t **p,
		  uint32_t *len);

/* Symbols from a kallsyms text ("ADDR T name [mod]"); may be asked by several threads. */
struct ev_syms;
struct ev_syms *ev_syms_new(const char *kallsyms, size_t len);	/* text is borrowed */
struct ev_loader;
struct ev_syms *ev_syms_new_lazy(const struct ev_loader *from);	/* asks for the text when used */
/* Says that the text is sorted by address: it need not be read whole. It may not be true. */
void ev_syms_sorted(struct ev_syms *s);
/*
 * Says when symbols were there, as "symbol_times" of trace.dat(5), before anything is looked up;
 * @text is borrowed. Returns the *n moments at which something changes, in order, which the caller
 * may turn into another unit; NULL and 0: there are none.
 */
uint64_t *ev_syms_times(struct ev_syms *s, const char *text, size_t len, size_t *n);
bool ev_syms_timed(const struct ev_syms *s);	/* does it know such times? */
/*
 * Of symbols that are timed: the same as they were at one time, for one thread; at first that of
 * the end. ev_syms_turn() goes to another time; true if any symbol may be another then.
 */
struct ev_syms *ev_syms_view(struct ev_syms *of);
bool ev_syms_turn(struct ev_syms *view, uint64_t ts);
/* False if what is at @addr is the same at any time; else ev_syms_find_at() is to be asked. */
bool ev_syms_moving(const struct ev_syms *s, uint64_t addr);
const char *ev_syms_find_at(struct ev_syms *s, uint64_t ts, uint64_t addr, size_t *name_len,
			    uint64_t *off);
/*
 * Name of the symbol that holds @addr, or NULL; *mod is NULL or the module, *off the distance.
 * They are *name_len and *mod_len bytes, not NUL-terminated.
 */
const char *ev_syms_find(struct ev_syms *s, uint64_t addr, size_t *name_len, const char **mod,
			 size_t *mod_len, uint64_t *off);
/*
 * Bytes of the symbol that ev_syms_find() gives for @addr: kallsyms has no sizes, so the next
 * symbol's address ends it, as in the kernel. 0 if there is none.
 */
uint64_t ev_syms_size(struct ev_syms *s, uint64_t addr);
/*
 * Of ev_syms_find(): code that the kernel made itself, "[__builtin__ftrace]" and its like. It lists
 * such names in kallsyms but prints the address when it formats one.
 */
bool ev_syms_listed_only(const char *mod, size_t mod_len);
/* Lines that are beyond LIMIT_SYMBOLS, and so are left out of what was asked for. */
size_t ev_syms_left_out(struct ev_syms *s);
void ev_syms_free(struct ev_syms *s);

/* The texts of a file that may be large. */
/* EV_PROTOS are prototypes of functions, in the form of event/btf.h. */
enum ev_text { EV_KALLSYMS, EV_PRINTK, EV_CMDLINES, EV_PROTOS };

/* Lines of a sorted EV_KALLSYMS. */
struct ev_near {
	const char *p;
	size_t      len;
	bool        begins, ends;	/* there are no lines before or behind these */
};

/* Reads parts of a file when they are first asked for; in any thread. */
struct ev_loader {
	void *ctx;
	/*
	 * All formats loaded so far, which include those of @system, or all of the file if it is
	 * NULL. They stay where they are.
	 */
	size_t (*formats)(void *ctx, const char *system, struct ev_format **v);
	const struct ev_format *(*by_id)(void *ctx, uint16_t id);
	const char *(*text)(void *ctx, enum ev_text which, size_t *len);
	/*
	 * Of EV_KALLSYMS the lines around @addr, and the larger @more, the more; they stay where
	 * they are. False, or a function that is NULL: text() has to be asked.
	 */
	bool (*near)(void *ctx, uint64_t addr, size_t more, struct ev_near *out);
	/*
	 * The name of a task where names come as time goes, in place of EV_CMDLINES; good until the
	 * next one comes. NULL, or a function that is NULL: no name is known so.
	 */
	const char *(*comm)(void *ctx, int pid);
};

/*
 * Everything of a file that rendering needs; the pointers stay the caller's. What a file may have
 * much of is asked for by the functions below, as it may not be loaded yet.
 */
struct ev_world {
	const struct ev_loader *loader;	/* NULL: formats, by_id and texts are all here */
	bool     big;
	uint8_t  long_size;
	uint32_t page_size;
	struct ev_format *formats;	/* parsed ones */
	size_t   nr_formats;
	struct map by_id;		/* id -> struct ev_format * */
	struct ev_syms *syms;
	const int64_t *ts_add_ns;	/* what times have more than their clock; NULL: nothing */
	const struct ev_maps *maps;	/* of processes, usermaps.h; or NULL */
	const struct ev_plugins *plugins;	/* or NULL; before anything is rendered */
	const char *header_page; size_t header_page_len;
	const char *printk; size_t printk_len;	/* printk_formats text */
	const char *kallsyms; size_t kallsyms_len;
	const char *cmdlines; size_t cmdlines_len;
	const char *values; size_t values_len;		/* "NAME=VALUE;...", see known.h */
	const char *protos; size_t protos_len;
	const char *dynamic; size_t dynamic_len;	/* dynamic_events text; ";" ends lines */
	/* KERNEL_VERSION_OF() it, 0 unknown; for what neither formats nor records tell */
	uint32_t kernel;
	bool     rt;			/* PREEMPT_RT, by the name: its patches came earlier */
};
#define KERNEL_VERSION_OF(major, minor) ((uint32_t)(major) << 16 | (minor))

/* A record's time by its clock. */
static inline uint64_t ev_world_clock(const struct ev_world *w, uint64_t ts)
{
	return w->ts_add_ns ? ts - (uint64_t)*w->ts_add_ns : ts;
}

/* All formats of the file; those of one system only need not load the others. */
size_t ev_world_formats(const struct ev_world *w, const char *system, struct ev_format **v);
/* Not parsed, if not used before: see ev_format_ready(). NULL if there is none. */
const struct ev_format *ev_world_by_id(const struct ev_world *w, uint16_t id);
const struct ev_format *ev_world_by_name(const struct ev_world *w, const char *system,
					 const char *name);
/* Borrowed for as long as the world; NULL and 0 if the file has none. */
const char *ev_world_text(const struct ev_world *w, enum ev_text which, size_t *len);

/* "name=value ..." of the fields that are not common. */
void fields_print(const struct ev_rec *r, struct buf *out);
/* One field as --raw shows it, without its name. */
void ev_render_field(const struct ev_rec *r, const struct ev_field *f, struct buf *out);

/*
 * The five latency flags "d..2." of common_flags and common_preempt_count, in trace-cmd's letters
 * and the kernel's (7.2) where trace-cmd has none.
 */
void ev_print_latency(const struct ev_rec *r, char out[6]);
/* The same from the two bytes, and where the records of @fmt have these. */
void ev_latency_letters(uint8_t flags, uint8_t count, char out[6]);
void ev_latency_offsets(const struct ev_format *fmt, uint32_t *flags_off, uint32_t *count_off);
/* The kernel's own, which differ in one letter: "n" for a reschedule that is only needed. */
void ev_kernel_latency(const struct ev_world *w, const struct ev_rec *r, char out[6]);

#endif
