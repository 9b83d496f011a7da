/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the engine: what its pieces share, the handle and what is known of each format. */
#ifndef FTR_EVENT_ENGINE_H
#define FTR_EVENT_ENGINE_H

#include <pthread.h>
#include <stdatomic.h>

#include <traceevent/event-parse.h>

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

/* What is known of one format; made at its first record, constant from then on. */
struct ev_slot {
	struct ev_slot *next;
	const struct ev_format *fmt;
	const struct plug_bind *bind;	/* a plugin's formatter, or NULL */
	own_fn   own;			/* our renderer, or NULL */
	bool     own_only;		/* nobody is asked before that */
	const struct ev_field *f[BUILTIN_FIELDS];	/* its fields; NULL: this kernel has none */
	struct prog *prog;		/* the compiled print fmt, or NULL */
	struct tep_event *ev;		/* libtraceevent's, or NULL */
	struct vet_arg *want;
	size_t   nr_want;
	bool     dry, offsets, lines;	/* ->lines: the print fmt itself has line breaks inside */
	char    *why;			/* why the text is not the print fmt's, or NULL */
};

/*
 * What the handles of one engine have in common. Slots and the printk table are made under the
 * lock and published with release; they do not change afterwards.
 */
struct ev_shared {
	pthread_mutex_t lock, printk_lock;	/* the second may be taken inside the first */
	unsigned int refs;
	const struct ev_world *w;
	_Atomic(struct ev_slot *) *slots;	/* by ID */
	struct ev_slot *all;			/* to free them */
	struct map others;			/* second ones of an ID; with the lock */
	struct map printk;			/* address -> char *, of ->texts */
	struct map comms;			/* pid -> char *, of ->texts */
	struct texts texts;
	size_t printk_left_out;			/* lines that are too many */
	atomic_bool printk_built, comms_built;
};

/* What one engine handle keeps for the plugins: zeroed, then released before the set is freed. */
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
	unsigned int turns;		/* of that view, so far */
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
	bool               plugins_told;	/* to libtraceevent */
	bool               tep_plugins;		/* it has some */
	bool               strings_given;	/* libtraceevent has printk_formats */
	bool               plain_symbols;	/* an offset may follow: see resolve() */
	char               symbol[8][512];	/* what the resolver gave to libtraceevent last */
	unsigned int       next_symbol;
};

/* "name", "name+0x12", " [mod]" behind it; 0x... without a symbol. */
void symbol_print(struct ev_engine *e, uint64_t addr, bool with_mod, bool with_off,
		  struct buf *out);

/* comm.c: the name that the column of tasks has, as the kernel's trace file gives it. */
const char *comm_find(struct ev_engine *e, int32_t pid);
/* The function's name without module and offset, as the function tracer shows it. */
void func_name(struct ev_engine *e, uint64_t addr, struct buf *out);
/* symbols.c */
void kernel_make_ip(void *engine, uint64_t addr, unsigned int kind, struct buf *out);
void kernel_ip_number(struct ev_engine *e, uint64_t addr, struct buf *out);

static inline void kernel_ip_with(struct ev_engine *e, uint64_t addr, unsigned int kind,
				  struct buf *out)
{
	symtext_add(&e->symbols, e, addr, kind, kernel_make_ip, out);
	if (__builtin_expect(e->style.sym_addr, 0) && addr)
		kernel_ip_number(e, addr, out);
}

/* An address as the options of e->style have it: "0", "f", "f+0x1/0x20 [m] <00..>". */
static inline void kernel_ip(struct ev_engine *e, uint64_t addr, struct buf *out)
{
	kernel_ip_with(e, addr, e->style.sym_offset ? SYMTEXT_IP_OFFSET : SYMTEXT_IP, out);
}

/* Text from a record: sanitised, or as it is when e->bytes says so. */
void engine_text(struct ev_engine *e, struct buf *out, const char *s, size_t n, bool keep_nl);
/* args.c: the prototypes of addresses. */
void args_forget(struct ev_engine *e);
#endif
