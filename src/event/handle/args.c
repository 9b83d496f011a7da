/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The arguments of functions that func-args and funcgraph-args record. */
#include <stdlib.h>

#include "base/cursor.h"
#include "event/btf/btf.h"
#include "event/handle/engine_priv.h"
#include "event/print/number_text.h"

#define REGS_MIN	5	/* FTRACE_REGS_MAX_ARGS is 5 on s390, ... */
#define REGS_MAX	8	/* 6 on x86-64, and 8 on arm64 and riscv */
#define HEX_UINTS	KERNEL_VERSION_OF(6, 17)
/* 7.2 has them, 6.19 has not */
#define ENUM_NAMES	KERNEL_VERSION_OF(7, 1)
#define PROTO_BITS	12

/* A direct-mapped cache by address. */
struct proto_slot {
	uint64_t addr;
	const char *line;	/* NULL: the function has no prototype */
	size_t len;
	bool   used;
};

static void fill_proto_slot(struct ev_engine *e, const char *text, size_t text_len,
			    struct proto_slot *s)
{
	const char *mod, *name;
	size_t n, mod_n;
	uint64_t off;

	name = ev_syms_find(e->syms, s->addr, &n, &mod, &mod_n, &off);
	s->used = true;
	s->len = 0;
	s->line = name ? btf_proto_find(text, text_len, name, n, &s->len) : NULL;
}

static const struct proto_slot *proto_of(struct ev_engine *e, const char *text, size_t text_len,
					 uint64_t func)
{
	struct proto_slot *s;

	if (!e->protos)
		e->protos = xcalloc(1u << PROTO_BITS, sizeof(*e->protos));
	/* Fibonacci hashing */
	s = &e->protos[func * 0x9e3779b97f4a7c15ULL >> (64 - PROTO_BITS)];
	if (!s->used || s->addr != func) {
		s->addr = func;
		fill_proto_slot(e, text, text_len, s);
	}
	return s;
}

void args_forget(struct ev_engine *e)
{
	free(e->protos);
	e->protos = NULL;
}

static void print_registers(const struct ev_rec *r, const uint8_t *p, uint32_t n, struct buf *out)
{
	for (uint32_t i = 0; i < n; i++, p += r->long_size) {
		buf_add(out, i ? ", " : "(", i ? 2 : 1);
		put_0x(out, get_sized(p, r->long_size, r->big));
	}
	buf_addch(out, ')');
}

bool ev_has_args(const struct ev_rec *r, uint32_t len)
{
	return len >= REGS_MIN * r->long_size;
}

void ev_print_args(struct ev_engine *e, const struct ev_rec *r, uint64_t func,
		   const uint8_t *regs, uint32_t len, struct buf *out)
{
	struct btf_args a = { .p = regs, .n = len / r->long_size, .size = r->long_size,
			      .big = r->big };
	const struct proto_slot *s;
	const char *text;
	size_t text_len;

	if (a.n > REGS_MAX)
		a.n = REGS_MAX;
	text = ev_world_text(e->w, EV_PROTOS, &text_len);
	if (!text) {
		print_registers(r, regs, a.n, out);
		return;
	}
	a.text = text;
	a.text_len = text_len;
	a.plain_ints = e->w->kernel && e->w->kernel < HEX_UINTS;
	a.plain_enums = e->w->kernel && e->w->kernel < ENUM_NAMES;
	s = proto_of(e, text, text_len, func);
	if (s->line)
		btf_print_args(s->line, s->len, &a, out);
	else
		buf_add(out, "()", 2);
}
