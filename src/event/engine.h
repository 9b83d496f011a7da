/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the engine: the scratch record, events by format, and the pieces that share them. */
#ifndef FTR_EVENT_ENGINE_H
#define FTR_EVENT_ENGINE_H

#include <pthread.h>
#include <stdatomic.h>

#include <traceevent/event-parse.h>

#include "event/data/symtext.h"
#include "event/event.h"
#include "event/plugin/plugin.h"
#include "event/prog/memo.h"
#include "event/tep/vet.h"

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

struct ev_slot;
typedef void (*own_fn)(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r,
		       uint64_t ts, struct buf *out);

struct prog;
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
	struct map         kinds;	/* struct ev_format * -> how kernel.c prints it */
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

const struct ev_slot *engine_make_slot(struct ev_engine *e, const struct ev_format *fmt);

/* NULL if it has to be made. */
static inline const struct ev_slot *engine_made_slot(struct ev_engine *e,
						     const struct ev_format *fmt)
{
	const struct ev_slot *s;

	s = atomic_load_explicit(&e->sh->slots[fmt->id], memory_order_acquire);
	return __builtin_expect(s && s->fmt == fmt, 1) ? s : NULL;
}

static inline const struct ev_slot *engine_slot(struct ev_engine *e, const struct ev_format *fmt)
{
	const struct ev_slot *s = engine_made_slot(e, fmt);

	return s ? s : engine_make_slot(e, fmt);
}

/* ev_render() without the formatters of plugins. */
void engine_render_default(struct ev_engine *e, const struct ev_rec *r, int cpu, uint64_t ts,
			   struct buf *out);

/* tep.c */
int tep_engine_init(struct ev_engine *e, struct ftr_error *err);
void tep_engine_release(struct ev_engine *e);
void tep_slot_init(struct ev_engine *e, struct ev_slot *s);
/* False, with nothing printed, when this record must not go to libtraceevent, or it failed. */
bool tep_slot_render(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r, int cpu,
		     uint64_t ts, struct buf *out);
/* "name", "name+0x12", " [mod]" behind it; 0x... without a symbol. */
void symbol_print(struct ev_engine *e, uint64_t addr, bool with_mod, bool with_off,
		  struct buf *out);

/* fields.c: "name=value ..." of the fields that are not common. */
void fields_print(const struct ev_rec *r, struct buf *out);
/* builtin.c: sets ->own and ->f of @s if we have a renderer for its format. */
void builtin_bind(struct ev_slot *s);
/* comm.c: the name in saved_cmdlines, as the kernel's trace file gives it. */
const char *comm_find(struct ev_engine *e, int32_t pid);
/* The function's name without module and offset, as the function tracer shows it. */
void func_name(struct ev_engine *e, uint64_t addr, struct buf *out);
/* kernel.c */
void kernel_release(struct ev_engine *e);
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
/* printk.c: the text at @addr in printk_formats, or NULL. */
const char *printk_find(struct ev_engine *e, uint64_t addr);
/*
 * bprint.c: what trace_printk() was given, from its format and packed arguments; as it is, not
 * sanitised.
 */
void bprint_format(struct ev_engine *e, const char *fmt, const uint8_t *args, uint32_t len,
		   bool big, struct buf *out);

#endif
