/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts that depend on a handle: addresses, task names, strings of trace_printk(), arguments of
 * functions; and the cache of texts by value.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/text.h"
#include "event/btf/btf.h"
#include "event/data/text_tables.h"
#include "event/handle/engine_priv.h"
#include "event/print/conv.h"
#include "event/print/number_text.h"

#define KRETPROBE "[unknown/kretprobe'd]"

void ev_set_style(struct ev_engine *e, const struct ev_style *style)
{
	e->style = style ? *style : (struct ev_style){0};
}

void engine_text(struct ev_engine *e, struct buf *out, const char *s, size_t n, bool keep_nl)
{
	if (e->bytes)
		buf_add(out, s, n);
	else
		text_sanitise(out, s, n, keep_nl);
}

/* --- functions */

enum { WITH_OFFSET = 1, WITH_MODULE = 2 };

static void make_func_text(void *engine, uint64_t addr, unsigned int kind, struct buf *out)
{
	const struct ev_engine *e = engine;
	const char *mod, *name;
	size_t n, mod_n;
	uint64_t off;

	kind -= SYMTEXT_FUNC;
	name = ev_syms_find(e->syms, addr, &n, &mod, &mod_n, &off);
	if (!name) {
		buf_printf(out, "0x%" PRIx64, addr);
		return;
	}
	text_sanitise(out, name, n, false);
	if (kind & WITH_OFFSET)
		buf_printf(out, "+0x%" PRIx64, off);
	if (!mod || !(kind & WITH_MODULE))
		return;
	buf_addstr(out, " [");
	text_sanitise(out, mod, mod_n, false);
	buf_addch(out, ']');
}

void symbol_print(struct ev_engine *e, uint64_t addr, bool with_mod, bool with_off, struct buf *out)
{
	unsigned int kind = (with_mod ? WITH_MODULE : 0) | (with_off ? WITH_OFFSET : 0);

	symtext_add(&e->symbols, e, addr, SYMTEXT_FUNC | kind, make_func_text, out);
}

void func_name(struct ev_engine *e, uint64_t addr, struct buf *out)
{
	symtext_add(&e->symbols, e, addr, SYMTEXT_FUNC, make_func_text, out);
}

void ev_print_func(struct ev_engine *e, uint64_t addr, bool with_offset, struct buf *out)
{
	symbol_print(e, addr, true, with_offset, out);
}

const char *ev_func_text(struct ev_engine *e, uint64_t addr, size_t *len)
{
	return symtext_get(&e->symbols, e, addr, SYMTEXT_FUNC | WITH_MODULE, make_func_text, len);
}

/* --- addresses in the form of the kernel's trace file */

/* A function with a kretprobe seems to return to one of these. */
static bool is_kretprobe(const char *name, size_t n)
{
	static const char *const names[] = { "arch_rethook_trampoline", "__kretprobe_trampoline" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (n == strlen(names[i]) && !memcmp(name, names[i], n))
			return true;
	return false;
}

void kernel_make_ip(void *engine, uint64_t addr, unsigned int kind, struct buf *out)
{
	const struct ev_engine *e = engine;
	const char *mod, *name;
	size_t n, mod_n;
	uint64_t off;

	if (!addr) {
		buf_addch(out, '0');
		return;
	}
	name = ev_syms_find(e->syms, addr, &n, &mod, &mod_n, &off);
	if (name && ev_syms_listed_only(mod, mod_n))
		name = NULL;
	if (name && !off && is_kretprobe(name, n))
		buf_addstr(out, KRETPROBE);
	else if (kind == SYMTEXT_IP_OFFSET)
		conv_symbol(e->syms, out, addr, true);
	else if (name)
		text_sanitise(out, name, n, false);
	else
		buf_add_number(out, addr, 16, NUM_ALT | NUM_ZERO, 10, -1);
}

void kernel_ip_number(struct ev_engine *e, uint64_t addr, struct buf *out)
{
	buf_add(out, " <", 2);
	buf_add_hex_fixed(out, addr, 2 * e->w->long_size);
	buf_addch(out, '>');
}

void ev_print_ip(struct ev_engine *e, uint64_t addr, bool offset, struct buf *out)
{
	kernel_ip_with(e, addr, offset ? SYMTEXT_IP_OFFSET : SYMTEXT_IP, out);
}

/* --- task names by pid from saved_cmdlines */

static const char *find_saved_comm(struct ev_shared *sh, int32_t pid)
{
	const char *text, *p, *comm;
	struct comm_line line;
	size_t len, offset;

	if (!atomic_load_explicit(&sh->comms_built, memory_order_acquire)) {
		pthread_mutex_lock(&sh->printk_lock);
		p = text = event_meta_text(sh->w, EV_CMDLINES, &len);
		while (!sh->comms_built && comm_line_next(&line, &p, text + len))
			if (line.pid >= 0 && line.len)
				comm_table_add(&sh->comm_lines, line.pid, line.name - text);
		atomic_store_explicit(&sh->comms_built, true, memory_order_release);
		pthread_mutex_unlock(&sh->printk_lock);
	}
	if (!comm_table_find(&sh->comm_lines, pid, &offset))
		return NULL;
	pthread_mutex_lock(&sh->printk_lock);
	comm = map_get(&sh->comms, (uint32_t)pid);
	if (!comm) {
		text = event_meta_text(sh->w, EV_CMDLINES, &len);
		comm = texts_add(&sh->texts, text + offset, comm_name_len(text, len, offset));
		map_put(&sh->comms, (uint32_t)pid, (void *)(uintptr_t)comm);
	}
	pthread_mutex_unlock(&sh->printk_lock);
	return comm;
}

const char *comm_find(struct ev_engine *e, int32_t pid)
{
	const struct ev_loader *from = e->w->loader;
	const char *comm = NULL;

	if (pid <= 0)
		return pid ? "<XXX>" : "<idle>";
	if (e->style.comms)
		comm = map_get(e->style.comms, (uint32_t)pid);
	if (!comm && from && from->comm)
		comm = from->comm(from->ctx, pid);
	if (!comm)
		comm = find_saved_comm(e->sh, pid);
	return comm ? comm : "<...>";
}

/* --- the printk_formats table: strings of trace_printk() by their address in the kernel */

const char *ev_printk_at(struct ev_engine *e, uint64_t addr)
{
	struct ev_shared *sh = e->sh;
	struct printk_line line;
	struct buf text = { 0 };
	const char *p, *end;
	size_t len;

	if (!atomic_load_explicit(&sh->printk_built, memory_order_acquire)) {
		pthread_mutex_lock(&sh->printk_lock);
		p = event_meta_text(sh->w, EV_PRINTK, &len);
		end = p + len;
		while (!sh->printk_built && printk_line_next(&line, &p, end)) {
			if (sh->printk.n >= LIMIT_PRINTK) {
				sh->printk_left_out++;
				continue;
			}
			buf_reset(&text);
			printk_line_unescape(&text, &line);
			buf_addch(&text, 0);
			map_put(&sh->printk, line.addr,
				texts_add(&sh->texts, text.data, strlen(text.data)));
		}
		atomic_store_explicit(&sh->printk_built, true, memory_order_release);
		pthread_mutex_unlock(&sh->printk_lock);
		buf_release(&text);
	}
	return map_get(&sh->printk, addr);
}

size_t ev_printk_left_out(struct ev_engine *e)
{
	size_t len;

	/* as few bytes can't be so many lines */
	if (!event_meta_text(e->w, EV_PRINTK, &len) || len / strlen("1\"a\"\n") <= LIMIT_PRINTK)
		return 0;
	ev_printk_at(e, 0);
	return e->sh->printk_left_out;
}

/* --- the arguments of functions that func-args and funcgraph-args record */

#define REGS_MIN	5	/* FTRACE_REGS_MAX_ARGS is 5 on s390, ... */
#define REGS_MAX	8	/* 6 on x86-64, and 8 on arm64 and riscv */
#define HEX_UINTS	KERNEL_VERSION_OF(6, 17)
/* 7.2 has them, 6.19 has not */
#define ENUM_NAMES	KERNEL_VERSION_OF(7, 1)
#define PROTO_BITS	12

/* A direct-mapped cache by address. */
struct proto_slot {
	uint64_t addr;
	const char *line;	/* NULL if the function has no prototype */
	size_t len;
	bool   used;
};

void args_forget(struct ev_engine *e)
{
	free(e->protos);
	e->protos = NULL;
}

bool ev_has_args(const struct ev_rec *r, const struct ev_field *args, uint32_t len)
{
	return len >= (strcmp(args->type, "u64") ? REGS_MIN * r->long_size : sizeof(uint64_t));
}

void ev_print_args(struct ev_engine *e, const struct ev_rec *r, uint64_t func,
		   const uint8_t *regs, uint32_t len, struct buf *out)
{
	struct btf_args a = { .p = regs, .n = len / r->long_size, .size = r->long_size,
			      .big = r->big };
	const char *mod, *name;
	struct proto_slot *s;
	size_t n, mod_n;
	uint64_t off;

	if (a.n > REGS_MAX)
		a.n = REGS_MAX;
	a.text = event_meta_text(e->w, EV_PROTOS, &a.text_len);
	if (!a.text) {
		for (uint32_t i = 0; i < a.n; i++, regs += r->long_size) {
			buf_add(out, i ? ", " : "(", i ? 2 : 1);
			buf_add_0x(out, get_sized(regs, r->long_size, r->big));
		}
		buf_addch(out, ')');
		return;
	}
	a.plain_ints = e->w->kernel && e->w->kernel < HEX_UINTS;
	a.plain_enums = e->w->kernel && e->w->kernel < ENUM_NAMES;
	if (!e->protos)
		e->protos = xcalloc(1u << PROTO_BITS, sizeof(*e->protos));
	/* Fibonacci hashing */
	s = &e->protos[func * 0x9e3779b97f4a7c15ULL >> (64 - PROTO_BITS)];
	if (!s->used || s->addr != func) {
		name = ev_syms_find(e->syms, func, &n, &mod, &mod_n, &off);
		*s = (struct proto_slot){ .addr = func, .used = true };
		if (name)
			s->line = btf_proto_find(a.text, a.text_len, name, n, &s->len);
	}
	if (s->line)
		btf_print_args(s->line, s->len, &a, out);
	else
		buf_add(out, "()", 2);
}

/* --- the cache of texts by value */

_Static_assert(sizeof(struct memo_slot) == 64, "a slot is a cache line");

void memo_init(struct text_cache *m)
{
	size_t line = sizeof(struct memo_slot);

	/* one slot for the alignment, one that may be read after the last text */
	m->mem = xcalloc((1u << MEMO_BITS) + 2, line);
	m->slots = (struct memo_slot *)(((uintptr_t)m->mem + line - 1) / line * line);
}

void memo_release(struct text_cache *m)
{
	free(m->mem);
	*m = (struct text_cache){ 0 };
}

void memo_keep(struct text_cache *m, const void *of, uint64_t v, const char *text, size_t len)
{
	struct memo_slot *s = memo_slot(m, of, v);

	if (len > MEMO_MAX)
		return;
	s->of = of;
	s->v = v;
	s->len = len;
	memcpy(s->text, text, len);
}
