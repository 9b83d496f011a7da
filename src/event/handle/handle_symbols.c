/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts that depend on a handle: of addresses, and of what records say. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "event/handle/engine_priv.h"
#include "event/print/conv.h"

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

/* --- as functions are shown */

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

/* --- as the kernel's trace file has addresses */

/* Functions whose return a kretprobe took seem to return here. */
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
		put_number(out, addr, 16, PUT_ALT | PUT_ZERO, 10, -1);
}

void kernel_ip_number(struct ev_engine *e, uint64_t addr, struct buf *out)
{
	buf_add(out, " <", 2);
	put_hex_fixed(out, addr, 2 * e->w->long_size);
	buf_addch(out, '>');
}

void ev_print_ip(struct ev_engine *e, uint64_t addr, bool offset, struct buf *out)
{
	kernel_ip_with(e, addr, offset ? SYMTEXT_IP_OFFSET : SYMTEXT_IP, out);
}
