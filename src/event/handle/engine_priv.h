/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to the engine: its handle, and what it knows of each format. */
#ifndef FTR_EVENT_HANDLE_ENGINE_PRIV_H
#define FTR_EVENT_HANDLE_ENGINE_PRIV_H

#include <pthread.h>
#include <stdatomic.h>

#include <traceevent/event-parse.h>

#include "event/data/comm_table.h"
#include "event/data/scratch.h"
#include "event/data/symtext.h"
#include "event/handle/handle.h"
#include "event/handle/memo.h"

struct ev_slot;
typedef void (*own_fn)(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r,
		       uint64_t ts, struct buf *out);

struct plug_bind;
struct prog;
struct vet_arg;
#define BUILTIN_FIELDS 10

/* What the engine knows of one format. It is made at the first record and constant from then on. */
struct ev_slot {
	struct ev_slot *next;
	const struct ev_format *fmt;
	const struct plug_bind *bind;	/* a plugin's formatter, or NULL */
	own_fn   own;			/* built-in renderer, or NULL */
	bool     own_only;		/* no ->bind and no ->prog */
	/* fields of ->own; NULL: this kernel lacks the field */
	const struct ev_field *f[BUILTIN_FIELDS];
	struct prog *prog;		/* the compiled print fmt, or NULL */
	struct tep_event *ev;		/* event of libtraceevent, or NULL */
	struct vet_arg *want;
	size_t   nr_want;
	bool     dry, offsets, lines;	/* ->lines: the print fmt has newlines inside the text */
	char    *why;			/* why the print fmt is not used, or NULL */
};

/*
 * Shared by the handles of one engine. Slots and the printk table are made under the lock,
 * published with release, and constant from then on.
 */
struct ev_shared {
	pthread_mutex_t lock, printk_lock;	/* the second may be taken inside the first */
	unsigned int refs;
	const struct ev_world *w;
	_Atomic(struct ev_slot *) *slots;	/* by ID */
	struct ev_slot *all;			/* to free them */
	struct map others;			/* further formats of an ID; under the lock */
	struct map printk;			/* address -> char *, of ->texts */
	struct comm_table comm_lines;		/* where the name of each pid stands */
	struct map comms;			/* pid -> char *, of ->texts: those asked for */
	struct texts texts;
	size_t printk_left_out;			/* lines beyond the limit */
	atomic_bool printk_built, comms_built;
};

/*
 * What an engine handle keeps for the plugins. It starts zeroed and is released before the set is
 * freed.
 */
struct plug_thread {
	const struct ev_plugins *set;
	void **states;			/* by ev_plugin.index */
	struct strv strings;		/* copies that live for one call */
};

/* The handle of one thread. */
struct ev_engine {
	const struct ev_world *w;
	struct ev_shared *sh;
	struct ev_syms *syms;		/* the world's, or a view of them */
	unsigned int turns;		/* number of changes of that view */
	struct plug_thread plug;
	struct buf   text;		/* scratch of the program's runner */
	struct ev_style    style;
	bool               bytes;	/* ev_render_kernel(): control bytes as they are */
	struct map         kinds;	/* struct ev_format * -> how the kernel prints it */
	struct symtext     symbols;	/* texts of addresses */
	struct memo        memo;	/* of values, by operations of programs */
	struct proto_slot *protos;	/* args.c: prototypes of addresses */
	/* --engine=traceevent: libtraceevent is not shared */
	struct tep_handle *tep;
	struct trace_seq   seq;
	struct scratch     scratch;
	bool               plugins_told;	/* they are loaded into libtraceevent */
	bool               tep_plugins;		/* libtraceevent has plugins */
	bool               strings_given;	/* libtraceevent has printk_formats */
	bool               plain_symbols;	/* an offset may follow: see resolve() */
	char               symbol[8][512];	/* last results of the resolver */
	unsigned int       next_symbol;
};

/* Appends "name", with "+0x12" and " [mod]" if wanted; 0x... if there is no symbol. */
void symbol_print(struct ev_engine *e, uint64_t addr, bool with_mod, bool with_off,
		  struct buf *out);

/* handle_comms.c: the name of a task as in the kernel's trace file. */
const char *comm_find(struct ev_engine *e, int32_t pid);
/* Appends the function's name without module and offset, as the function tracer does. */
void func_name(struct ev_engine *e, uint64_t addr, struct buf *out);
/* handle_symbols.c */
void kernel_make_ip(void *engine, uint64_t addr, unsigned int kind, struct buf *out);
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

/* Appends text of a record: sanitised, or unchanged if e->bytes is set. */
void engine_text(struct ev_engine *e, struct buf *out, const char *s, size_t n, bool keep_nl);
/* args.c: the prototypes of addresses. */
void args_forget(struct ev_engine *e);
#endif
