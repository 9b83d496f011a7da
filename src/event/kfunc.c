/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of the kernel whose result follows from their arguments, as tables. */
#include "event/kfunc.h"

#include <string.h>

#include "event/put.h"

struct kfunc {
	const char *name;
	unsigned int args;
	void (*print)(const uint64_t *args, struct buf *out);
};

/* @names[i], or @other. */
static void pick(struct buf *out, const char *const *names, size_t n, uint64_t i, const char *other)
{
	buf_addstr(out, i < n && names[i] ? names[i] : other);
}

#define PICK(out, names, i, other) pick(out, names, sizeof(names) / sizeof(*(names)), i, other)

/* --- xHCI: words of the specification */

static void ring_type(const uint64_t *v, struct buf *out)
{
	static const char *const names[] = {
		"CTRL", "ISOC", "BULK", "INTR", "STREAM", "CMD", "EVENT",
	};

	PICK(out, names, (uint32_t)v[0], "UNKNOWN");
}

/* info, info2, tt_info, state */
static void slot_context(const uint64_t *v, struct buf *out)
{
	static const char *const speeds[] = {
		NULL, "full-speed", "low-speed", "high-speed", "super-speed", "super-speed plus",
	};
	static const char *const states[] = {
		"enabled/disabled", "default", "addressed", "configured",
	};
	uint32_t info = v[0], info2 = v[1], tt = v[2], state = v[3];

	buf_printf(out, "RS %05x ", info & 0xfffff);
	PICK(out, speeds, info >> 20 & 0xf, "UNKNOWN speed");
	buf_addstr(out, info & 1u << 25 ? " multi-TT" : "");
	buf_addstr(out, info & 1u << 26 ? " Hub" : "");
	buf_printf(out, " Ctx Entries %u MEL %u us Port# %u/%u", info >> 27, info2 & 0xffff,
		   info2 >> 16 & 0xff, info2 >> 24);
	buf_printf(out, " [TT Slot %u Port# %u TTT %u Intr %u] Addr %u State ", tt & 0xff,
		   tt >> 8 & 0xff, tt >> 16 & 3, tt >> 22 & 0x3ff, state & 0xff);
	PICK(out, states, state >> 27, "reserved");
}

static void endpoints(struct buf *out, uint32_t bits)
{
	for (unsigned int i = 0; i < 32; i++)
		if (bits >> i & 1)
			buf_printf(out, " %u%s", i / 2, i % 2 ? "in" : "out");
}

/* drop, add */
static void ctrl_ctx(const uint64_t *v, struct buf *out)
{
	uint32_t drop = v[0], add = v[1];

	if (drop) {
		buf_addstr(out, "Drop:");
		endpoints(out, drop);
		buf_addstr(out, ", ");
	}
	if (!add)
		return;
	buf_addstr(out, "Add:");
	buf_addstr(out, add & 1 ? " slot" : "");
	buf_addstr(out, add & 2 ? " ep0" : "");
	endpoints(out, add & ~3u);
}

/* --- libata: "{ BUSY DRDY }" */

static void ata_status(const uint64_t *v, struct buf *out)
{
	static const char *const bits[] = {
		"ERR ", "SENSE ", "CORR ", "DRQ ", "DSC ", "DF ", "DRDY ", "BUSY ",
	};

	buf_addstr(out, "{ ");
	for (unsigned int i = 8; i-- > 0;)
		if (v[0] >> i & 1)
			buf_addstr(out, bits[i]);
	buf_addch(out, '}');
}

static const struct kfunc kfuncs[] = {
	{ "xhci_ring_type_string", 1, ring_type },
	{ "xhci_decode_slot_context", 4, slot_context },
	{ "xhci_decode_ctrl_ctx", 2, ctrl_ctx },
	{ "libata_trace_parse_status", 1, ata_status },
};

const struct kfunc *kfunc_find(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(kfuncs) / sizeof(*kfuncs); i++)
		if (strlen(kfuncs[i].name) == len && !memcmp(kfuncs[i].name, name, len))
			return &kfuncs[i];
	return NULL;
}

unsigned int kfunc_args(const struct kfunc *f)
{
	return f->args;
}

void kfunc_print(const struct kfunc *f, const uint64_t *args, struct buf *out)
{
	f->print(args, out);
}
