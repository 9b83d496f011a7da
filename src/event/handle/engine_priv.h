/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to the engines: the handle, the state of each format, and the renderers of a record. */
#ifndef FTR_EVENT_HANDLE_ENGINE_PRIV_H
#define FTR_EVENT_HANDLE_ENGINE_PRIV_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "event/data/symtext.h"
#include "event/data/text_tables.h"
#include "event/handle/handle.h"

struct ev_slot;
struct plug_bind;
struct prog;
struct tep_engine;
struct tep_slot;

/* Renders a record without its print fmt. */
typedef void (*builtin_fn)(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r,
			   uint64_t ts, struct buf *out);

#define BUILTIN_FIELDS 10

/*
 * The renderers of one format. A slot is made at the first record of the format and is constant
 * from then on.
 */
struct ev_slot {
	struct ev_slot *next;
	const struct ev_format *fmt;
	const struct plug_bind *bind;	/* a plugin's formatter, or NULL */
	builtin_fn builtin;		/* built-in renderer, or NULL */
	bool     builtin_only;		/* no ->bind and no ->prog */
	/* fields of ->builtin; NULL if this kernel lacks the field */
	const struct ev_field *f[BUILTIN_FIELDS];
	struct prog *prog;		/* the compiled print fmt, or NULL */
	struct tep_slot *tep;		/* one allocation of tep.c, or NULL */
	char    *why;			/* why the print fmt is not used, or NULL */
};

/*
 * Shared by the handles of one engine. Slots and the printk table are made under the lock,
 * published with release, and constant from then on.
 */
struct ev_shared {
	pthread_mutex_t lock, printk_lock;	/* the second may be taken inside the first */
	unsigned int refs;
	const struct event_meta *w;
	_Atomic(struct ev_slot *) *slots;	/* by ID */
	struct ev_slot *all;			/* list of all slots, to free them */
	struct map others;			/* further formats of an ID; under the lock */
	struct map printk;			/* address -> char *, of ->texts */
	struct comm_table comm_lines;		/* offsets of the task names by pid */
	struct map comms;			/* pid -> char *, of ->texts: names looked up */
	struct string_pool texts;
	size_t printk_left_out;			/* lines beyond the limit */
	atomic_bool printk_built, comms_built;
};

/*
 * State that an engine handle keeps for the plugins. It starts zeroed and is released before the
 * set is freed.
 */
struct plug_thread {
	const struct ev_plugins *set;
	void **states;			/* by ev_plugin.index */
	struct strv strings;		/* copies that live for one call */
};

#define MEMO_BITS 10
#define MEMO_MAX  47	/* longest text in bytes; longer texts are made each time */

/* A cache line. */
struct memo_slot {
	const void *of;		/* the operation that prints the value; NULL: an empty slot */
	uint64_t v;
	uint8_t  len;
	char     text[MEMO_MAX];
};

/*
 * A direct-mapped cache, of one thread, for texts that depend on one field: names of flags, states
 * and numbers. A trace has few different values of such a field, so each text is made once and then
 * found by the value.
 */
struct text_cache {
	struct memo_slot *slots;	/* aligned to cache lines, inside ->mem */
	void *mem;
};

/* The handle of one thread. */
struct ev_engine {
	const struct event_meta *w;
	struct ev_shared *sh;
	struct ev_syms *syms;		/* the world's, or a view of them */
	unsigned int turns;		/* number of changes of that view */
	struct plug_thread plug;
	struct buf   text;		/* scratch of the program's runner */
	struct ev_style    style;
	bool               bytes;	/* ev_render_kernel(): keep control bytes unchanged */
	struct map         kinds;	/* struct ev_format * -> enum line_kind of kernel_text.c */
	struct symtext     symbols;	/* texts of addresses */
	struct text_cache        memo;
	struct proto_slot *protos;	/* handle_texts.c: prototypes of functions by address */
	struct tep_engine *tep;		/* --engine=traceevent: never shared; else NULL */
};

/* --- handle_texts.c */

/* Appends "name", with "+0x12" and " [mod]" if wanted; 0x... if there is no symbol. */
void symbol_print(struct ev_engine *e, uint64_t addr, bool with_mod, bool with_off,
		  struct buf *out);
/* Returns the name of a task as in the kernel's trace file, "<...>" if it is unknown. */
const char *comm_find(struct ev_engine *e, int32_t pid);
/* Appends the function's name without module and offset, as the function tracer does. */
void func_name(struct ev_engine *e, uint64_t addr, struct buf *out);
/* Appends text of a record: sanitised, or unchanged if e->bytes is set. */
void engine_text(struct ev_engine *e, struct buf *out, const char *s, size_t n, bool keep_nl);
/* Frees the cache of prototypes. */
void args_forget(struct ev_engine *e);

/* Appends the text of an address for symtext_add(); @kind is SYMTEXT_IP or SYMTEXT_IP_OFFSET. */
void kernel_make_ip(void *engine, uint64_t addr, unsigned int kind, struct buf *out);
/* Appends the address in angle brackets, for the trace option sym-addr. */
void kernel_ip_number(struct ev_engine *e, uint64_t addr, struct buf *out);

static inline void kernel_ip_with(struct ev_engine *e, uint64_t addr, unsigned int kind,
				  struct buf *out)
{
	symtext_add(&e->symbols, e, addr, kind, kernel_make_ip, out);
	if (__builtin_expect(e->style.sym_addr, 0) && addr)
		kernel_ip_number(e, addr, out);
}

/* Appends an address in the form of e->style: "0", "f", "f+0x1/0x20 [m] <00..>". */
static inline void kernel_ip(struct ev_engine *e, uint64_t addr, struct buf *out)
{
	kernel_ip_with(e, addr, e->style.sym_offset ? SYMTEXT_IP_OFFSET : SYMTEXT_IP, out);
}

void memo_init(struct text_cache *m);
void memo_release(struct text_cache *m);
/* Keeps @text of @len bytes if it is at most MEMO_MAX bytes long. */
void memo_keep(struct text_cache *m, const void *of, uint64_t v, const char *text, size_t len);

static inline struct memo_slot *memo_slot(const struct text_cache *m, const void *of, uint64_t v)
{
	/* Fibonacci hashing */
	return &m->slots[((uintptr_t)of + v) * 0x9e3779b97f4a7c15ULL >> (64 - MEMO_BITS)];
}

/*
 * Returns the slot of a kept text, or NULL. The text may be read up to POKE_TEXT_ROOM() beyond its
 * length.
 */
static inline const struct memo_slot *memo_find(const struct text_cache *m, const void *of,
						uint64_t v)
{
	const struct memo_slot *s = memo_slot(m, of, v);

	return s->of == of && s->v == v ? s : NULL;
}

/* --- builtin.c */

/* Sets ->builtin and ->f of @s if there is a renderer for its format. */
void builtin_bind(struct ev_slot *s);

/* --- prog.c, prog_run.c: print fmts as flat, immutable programs, run by any number of threads */

/*
 * Compiles the print fmt of @fmt; limits are in expr.h. Returns NULL if no part of it can be used.
 * *why (the caller frees) is set if an argument needs something that only the running kernel knows:
 * that argument is printed as name(raw values).
 */
struct prog *prog_compile(const struct ev_format *fmt, const struct event_meta *w, char **why);
void prog_free(struct prog *g);
/* Returns false, with nothing printed, if the record is too short for the program's reads. */
bool prog_run(const struct prog *g, struct ev_engine *e, const struct ev_rec *r, struct buf *out);

/* --- tep.c: libtraceevent as the second engine, for handles made for it */

/* Sets e->tep. Returns -1 with @err on failure. */
int tep_engine_init(struct ev_engine *e, struct ftr_error *err);
/* Frees e->tep, which may be NULL. */
void tep_engine_free(struct ev_engine *e);
/* Sets ->tep of @s if libtraceevent may render the format, else ->why. */
void tep_slot_init(struct ev_engine *e, struct ev_slot *s);
/*
 * Appends the text of a record. Returns false, with nothing printed, if this record must not go to
 * libtraceevent, or that failed.
 */
bool tep_slot_render(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r, int cpu,
		     uint64_t ts, struct buf *out);

#endif
