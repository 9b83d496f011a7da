/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Contexts, rings, ports and doorbells of xHCI events, as kernels 5.10 to 7.2 print them. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "ftr/plugin.h"

/* A bit, and its word. The order is that of the text. */
struct xhci_flag {
	uint32_t mask;
	const char *word;
};

static void words(struct ftr_out *out, uint32_t v, const struct xhci_flag *bits)
{
	for (; bits->word; bits++)
		if (v & bits->mask)
			ftr_out_printf(out, "%s ", bits->word);
}

static int ring_type(const struct ftr_record *r, const struct ftr_arg *args, struct ftr_out *out,
		     uint64_t *num)
{
	static const struct ftr_name types[] = {
		{ 0, "CTRL" }, { 1, "ISOC" }, { 2, "BULK" }, { 3, "INTR" }, { 4, "STREAM" },
		{ 5, "CMD" }, { 6, "EVENT" }, { 0, NULL },
	};

	(void)r;
	(void)num;
	ftr_out_name(out, (uint32_t)args[0].num, types, "UNKNOWN");
	return FTR_DONE;
}

/* --- transfer request blocks: four words, the type in bits 10 to 15 of the last */

#define WORDS 4

static uint32_t part(const uint32_t *w, unsigned int word, unsigned int shift, unsigned int bits)
{
	return w[word] >> shift & ((1u << bits) - 1);
}

/* A number in a block, by the letter that stands for it in the texts below. */
struct xhci_number {
	char letter;
	uint8_t word, shift, bits;
	bool hex;	/* with all its digits */
};

static const struct xhci_number numbers[] = {
	{ 'L', 2, 0, 17, false },	/* length */
	{ 'D', 2, 17, 5, false },	/* size of the rest of the transfer descriptor */
	{ 'I', 2, 22, 10, false },	/* interrupter */
	{ 'l', 2, 0, 24, false },	/* length of an event */
	{ 's', 3, 24, 8, false },	/* slot, or port */
	{ 'e', 3, 16, 5, false },	/* endpoint */
	{ 'p', 3, 23, 1, false },	/* suspend */
	{ 'm', 2, 16, 16, false },	/* stream */
	{ 'v', 3, 16, 8, false },	/* virtual function */
	{ 'b', 3, 16, 12, false },	/* best effort latency tolerance */
	{ 'd', 3, 16, 4, false },	/* speed */
	{ 'k', 0, 0, 5, false },	/* type of a packet */
	{ 'B', 3, 7, 2, false },	/* burst count */
	{ 'P', 3, 16, 4, false },	/* packets of the last burst */
	{ 'f', 3, 20, 11, false },	/* frame */
	{ 't', 0, 0, 8, true }, { 'r', 0, 8, 8, true }, { 'V', 0, 16, 16, true },
	{ 'x', 1, 0, 16, true }, { 'w', 1, 16, 16, false },	/* a USB request */
};

static const struct ftr_name completions[] = {
	{ 0, "Invalid" }, { 1, "Success" }, { 2, "Data Buffer Error" }, { 3, "Babble Detected" },
	{ 4, "USB Transaction Error" }, { 5, "TRB Error" }, { 6, "Stall Error" },
	{ 7, "Resource Error" }, { 8, "Bandwidth Error" }, { 9, "No Slots Available Error" },
	{ 10, "Invalid Stream Type Error" }, { 11, "Slot Not Enabled Error" },
	{ 12, "Endpoint Not Enabled Error" }, { 13, "Short Packet" }, { 14, "Ring Underrun" },
	{ 15, "Ring Overrun" }, { 16, "VF Event Ring Full Error" }, { 17, "Parameter Error" },
	{ 18, "Bandwidth Overrun Error" }, { 19, "Context State Error" },
	{ 20, "No Ping Response Error" }, { 21, "Event Ring Full Error" },
	{ 22, "Incompatible Device Error" }, { 23, "Missed Service Error" },
	{ 24, "Command Ring Stopped" }, { 25, "Command Aborted" }, { 26, "Stopped" },
	{ 27, "Stopped - Length Invalid" }, { 28, "Stopped - Short Packet" },
	{ 29, "Max Exit Latency Too Large Error" }, { 31, "Isoch Buffer Overrun" },
	{ 32, "Event Lost Error" }, { 33, "Undefined Error" }, { 34, "Invalid Stream ID Error" },
	{ 35, "Secondary Bandwidth Error" }, { 36, "Split Transaction Error" }, { 0, NULL },
};

/*
 * The text of a type: %A is the address, %H the header of a packet, %C how it was completed, %T
 * ->name, other letters are one of numbers[]. ->flags has a pair for each: the number of the bit in
 * base 32, and its letter, which is a capital where the bit is set. No text: the words as they are.
 */
struct trb_type {
	const char *name, *text, *flags;
};

#define EVENT "TRB %A status '%C' len %l slot %s ep %e type '%T' flags ", "2E0C"
#define BUFFER "Buffer %A length %L TD size %D intr %I type '%T' flags "
#define COMMAND "%T: "

static const struct trb_type types[] = {
	[1] = { "Normal", BUFFER, "9B6I5I4C3S2I1E0C" },
	[2] = { "Setup Stage", "bRequestType %t bRequest %r wValue %V wIndex %x wLength %w "
		"length %L TD size %D intr %I type '%T' flags ", "6I5I0C" },
	[3] = { "Data Stage", BUFFER, "6I5I4C3S2I1E0C" },
	[4] = { "Status Stage", BUFFER, "5I4C1E0C" },
	[5] = { "Isoch", "Buffer %A length %L TD size/TBC %D intr %I type '%T' TBC %B TLBPC %P "
		"frame_id %f flags ", "vS9B6I5I4C3S2I1E0C" },
	[6] = { "Link", "LINK %A intr %I type '%T' flags ", "5I4C1T0C" },
	[7] = { "Event Data", BUFFER, "9B6I5I4C3S2I1E0C" },
	[8] = { "No-Op", BUFFER, "9B6I5I4C3S2I1E0C" },
	[9] = { "Enable Slot Command", COMMAND "flags ", "0C" },
	[10] = { "Disable Slot Command", COMMAND "slot %s flags ", "0C" },
	[11] = { "Address Device Command", COMMAND "ctx %A slot %s flags ", "9B0C" },
	[12] = { "Configure Endpoint Command", COMMAND "ctx %A slot %s flags ", "9D0C" },
	[13] = { "Evaluate Context Command", COMMAND "ctx %A slot %s flags ", "0C" },
	[14] = { "Reset Endpoint Command", COMMAND "ctx %A slot %s ep %e flags ", "9T0C" },
	[15] = { "Stop Ring Command", COMMAND "slot %s sp %p ep %e flags ", "0C" },
	[16] = { "Set TR Dequeue Pointer Command",
		 COMMAND "deq %A stream %m slot %s ep %e flags ", "0C" },
	[17] = { "Reset Device Command", COMMAND "slot %s flags ", "0C" },
	[18] = { "Force Event Command", COMMAND "event %A vf intr %I vf id %v flags ", "0C" },
	[19] = { "Negotiate Bandwidth Command", COMMAND "slot %s flags ", "0C" },
	[20] = { "Set Latency Tolerance Value Command", COMMAND "belt %b flags ", "0C" },
	[21] = { "Get Port Bandwidth Command", COMMAND "ctx %A slot %s speed %d flags ", "0C" },
	[22] = { "Force Header Command",
		 COMMAND "info %H pkt type %k roothub port %s flags ", "0C" },
	[23] = { "No-Op Command", COMMAND "flags ", "0C" },
	[32] = { "Transfer Event", EVENT }, [33] = { "Command Completion Event", EVENT },
	[34] = { "Port Status Change Event", EVENT }, [35] = { "Bandwidth Request Event", EVENT },
	[36] = { "Doorbell Event", EVENT }, [37] = { "Host Controller Event", EVENT },
	[38] = { "Device Notification Event", EVENT }, [39] = { "MFINDEX Wrap Event", EVENT },
	[48] = { "NEC Command Completion Event", NULL, NULL },
	[49] = { "NET Get Firmware Revision Command", NULL, NULL },
	[63] = { NULL, NULL, NULL },
};

/* Before 6.13 like the other buffers. */
static const struct trb_type isoch_before = { "Isoch", BUFFER, "9B6I5I4C3S2I1E0C" };

static void add_number(struct ftr_out *out, const uint32_t *w, char letter)
{
	const struct xhci_number *n = numbers;

	while (n->letter != letter)
		n++;
	if (n->hex)
		ftr_out_printf(out, "%0*x", n->bits / 4, part(w, n->word, n->shift, n->bits));
	else
		ftr_out_printf(out, "%u", part(w, n->word, n->shift, n->bits));
}

static void add_part(struct ftr_out *out, const uint32_t *w, const struct trb_type *t, char letter)
{
	switch (letter) {
	case 'A':
		ftr_out_printf(out, "%08x%08x", w[1], w[0]);
		break;
	case 'H':
		ftr_out_printf(out, "%08x%08x%08x", w[2], w[1], w[0] & ~0x1fu);
		break;
	case 'C':
		ftr_out_name(out, w[2] >> 24, completions, "Unknown!!");
		break;
	case 'T':
		ftr_out_str(out, t->name);
		break;
	default:
		add_number(out, w, letter);
	}
}

/* "C:i:e" */
static void add_flags(struct ftr_out *out, uint32_t w, const char *flags)
{
	const char *sep = "";

	for (; *flags; flags += 2) {
		unsigned int bit = flags[0] - (flags[0] <= '9' ? '0' : 'a' - 10);

		ftr_out_printf(out, "%s%c", sep, w >> bit & 1 ? flags[1] : flags[1] - 'A' + 'a');
		sep = ":";
	}
}

static void add_type(struct ftr_out *out, const uint32_t *w, const struct trb_type *t)
{
	for (const char *p = t->text; *p; p++) {
		if (*p == '%')
			add_part(out, w, t, *++p);
		else
			ftr_out_bytes(out, p, 1);
	}
	add_flags(out, w[3], t->flags);
}

static int trb(const struct ftr_record *r, const struct ftr_arg *args, struct ftr_out *out,
	       uint64_t *num)
{
	const uint32_t w[WORDS] = { args[2].num, args[3].num, args[4].num, args[5].num };
	uint32_t kernel = ftr_record_kernel(r);
	const struct trb_type *t = &types[part(w, 3, 10, 6)];

	(void)num;
	if (t == &types[5]) {
		if (!kernel)
			return FTR_PASS;
		if (kernel < FTR_KERNEL(6, 13))
			t = &isoch_before;
	}
	if (t->text)
		add_type(out, w, t);
	else
		ftr_out_printf(out, "type '%s' -> raw %08x %08x %08x %08x",
			       t->name ? t->name : "UNKNOWN", w[0], w[1], w[2], w[3]);
	return FTR_DONE;
}

/* --- contexts */

static int slot_context(const struct ftr_record *r, const struct ftr_arg *args,
			struct ftr_out *out, uint64_t *num)
{
	static const struct ftr_name speeds[] = {
		{ 1, "full-speed" }, { 2, "low-speed" }, { 3, "high-speed" }, { 4, "super-speed" },
		{ 5, "super-speed plus" }, { 0, NULL },
	};
	static const struct ftr_name states[] = {
		{ 0, "enabled/disabled" }, { 1, "default" }, { 2, "addressed" },
		{ 3, "configured" }, { 0, NULL },
	};
	uint32_t info = args[1].num, info2 = args[2].num, tt = args[3].num, state = args[4].num;

	(void)r;
	(void)num;
	ftr_out_printf(out, "RS %05x ", info & 0xfffff);
	ftr_out_name(out, info >> 20 & 0xf, speeds, "UNKNOWN speed");
	ftr_out_printf(out, "%s%s Ctx Entries %u MEL %u us Port# %u/%u",
		       info & 1u << 25 ? " multi-TT" : "", info & 1u << 26 ? " Hub" : "",
		       info >> 27, info2 & 0xffff, info2 >> 16 & 0xff, info2 >> 24);
	ftr_out_printf(out, " [TT Slot %u Port# %u TTT %u Intr %u] Addr %u State ", tt & 0xff,
		       tt >> 8 & 0xff, tt >> 16 & 3, tt >> 22, state & 0xff);
	ftr_out_name(out, state >> 27, states, "reserved");
	return FTR_DONE;
}

static int ep_context(const struct ftr_record *r, const struct ftr_arg *args, struct ftr_out *out,
		      uint64_t *num)
{
	static const struct ftr_name states[] = {
		{ 0, "disabled" }, { 1, "running" }, { 2, "halted" }, { 3, "stopped" },
		{ 4, "error" }, { 0, NULL },
	};
	static const struct ftr_name kinds[] = {
		{ 1, "Isoc OUT" }, { 2, "Bulk OUT" }, { 3, "Int OUT" }, { 4, "Ctrl" },
		{ 5, "Isoc IN" }, { 6, "Bulk IN" }, { 7, "Int IN" }, { 0, NULL },
	};
	uint32_t info = args[1].num, info2 = args[2].num, tx = args[4].num;
	/* the kernel shifts an int by 0 to 255, which processors take modulo 32 */
	uint32_t interval = (1u << (info >> 16 & 0x1f)) * 125;

	(void)r;
	(void)num;
	ftr_out_str(out, "State ");
	ftr_out_name(out, info & 7, states, "INVALID");
	ftr_out_printf(out, " mult %u max P. Streams %u %s", (info >> 8 & 3) + 1, info >> 10 & 0x1f,
		       info & 1u << 15 ? "LSA " : "");
	ftr_out_printf(out, "interval %d us max ESIT payload %u CErr %u Type ",
		       (int32_t)interval, info >> 24 << 16 | tx >> 16, info2 >> 1 & 3);
	ftr_out_name(out, info2 >> 3 & 7, kinds, "INVALID");
	ftr_out_printf(out, " %sburst %u maxp %u deq %016" PRIx64 " avg trb len %u",
		       info2 & 1u << 7 ? "HID" : "", info2 >> 8 & 0xff, info2 >> 16, args[3].num,
		       tx & 0xffff);
	return FTR_DONE;
}

static void endpoints(struct ftr_out *out, uint32_t bits)
{
	for (unsigned int i = 0; i < 32; i++)
		if (bits >> i & 1)
			ftr_out_printf(out, " %u%s", i / 2, i % 2 ? "in" : "out");
}

static int ctrl_ctx(const struct ftr_record *r, const struct ftr_arg *args, struct ftr_out *out,
		    uint64_t *num)
{
	uint32_t drop = args[1].num, add = args[2].num;

	(void)r;
	(void)num;
	if (drop) {
		ftr_out_str(out, "Drop:");
		endpoints(out, drop);
		ftr_out_str(out, ", ");
	}
	if (!add)
		return FTR_DONE;
	ftr_out_printf(out, "Add:%s%s", add & 1 ? " slot" : "", add & 2 ? " ep0" : "");
	endpoints(out, add & ~3u);
	return FTR_DONE;
}

/* --- ports */

static const struct ftr_name links[] = {
	{ 0, "U0" }, { 1, "U1" }, { 2, "U2" }, { 3, "U3" }, { 4, "Disabled" }, { 5, "RxDetect" },
	{ 6, "Inactive" }, { 7, "Polling" }, { 8, "Recovery" }, { 9, "Hot Reset" },
	{ 10, "Compliance mode" }, { 11, "Test mode" }, { 15, "Resume" }, { 0, NULL },
};

/* Since 6.19. */
static void port_by_spec(struct ftr_out *out, uint32_t v)
{
	static const struct xhci_flag bits[] = {
		{ 1u << 0, "CCS" }, { 1u << 3, "OCA" }, { 1u << 24, "CAS" }, { 1u << 30, "DR" },
		{ 1u << 9, "PP" }, { 1u << 25, "WCE" }, { 1u << 26, "WDE" }, { 1u << 27, "WOE" },
		{ 1u << 16, "LWS" }, { 1u << 4, "PR" }, { 1u << 31, "WPR" }, { 1u << 1, "PED" },
		{ 1u << 17, "CSC" }, { 1u << 18, "PEC" }, { 1u << 19, "WRC" }, { 1u << 20, "OCC" },
		{ 1u << 21, "PRC" }, { 1u << 22, "PLC" }, { 1u << 23, "CEC" }, { 0, NULL },
	};

	ftr_out_printf(out, "Speed=%u Link=", v >> 10 & 0xf);
	ftr_out_name(out, v >> 5 & 0xf, links, "Unknown");
	ftr_out_str(out, " ");
	words(out, v, bits);
}

static void port_in_words(struct ftr_out *out, uint32_t v)
{
	static const struct xhci_flag now[] = {
		{ 1u << 3, "OverCurrent" }, { 1u << 4, "In-Reset" }, { 0, NULL },
	};
	static const struct xhci_flag changes[] = {
		{ 1u << 17, "CSC" }, { 1u << 18, "PEC" }, { 1u << 19, "WRC" }, { 1u << 20, "OCC" },
		{ 1u << 21, "PRC" }, { 1u << 22, "PLC" }, { 1u << 23, "CEC" }, { 1u << 24, "CAS" },
		{ 0, NULL },
	};
	static const struct xhci_flag wakes[] = {
		{ 1u << 25, "WCE" }, { 1u << 26, "WDE" }, { 1u << 27, "WOE" }, { 0, NULL },
	};

	ftr_out_printf(out, "%s %s %s Link:", v & 1u << 9 ? "Powered" : "Powered-off",
		       v & 1 ? "Connected" : "Not-connected", v & 2 ? "Enabled" : "Disabled");
	ftr_out_name(out, v >> 5 & 0xf, links, "Unknown");
	ftr_out_printf(out, " PortSpeed:%u ", v >> 10 & 0xf);
	words(out, v, now);
	ftr_out_str(out, "Change: ");
	words(out, v, changes);
	ftr_out_str(out, "Wake: ");
	words(out, v, wakes);
}

static int portsc(const struct ftr_record *r, const struct ftr_arg *args, struct ftr_out *out,
		  uint64_t *num)
{
	uint32_t v = args[1].num, kernel = ftr_record_kernel(r);

	(void)num;
	if (!kernel)
		return FTR_PASS;
	if (kernel >= FTR_KERNEL(6, 10)) {
		ftr_out_printf(out, "0x%08x ", v);
		if (v == UINT32_MAX)
			return FTR_DONE;
	}
	if (kernel >= FTR_KERNEL(6, 19))
		port_by_spec(out, v);
	else
		port_in_words(out, v);
	return FTR_DONE;
}

/* --- doorbells */

static int doorbell(const struct ftr_record *r, const struct ftr_arg *args, struct ftr_out *out,
		    uint64_t *num)
{
	uint32_t slot = args[1].num, bell = args[2].num;
	unsigned int ep = bell & 0xff, stream = bell >> 16;
	char text[64];
	int start, n;

	(void)r;
	(void)num;
	if (!slot) {
		ftr_out_printf(out, "Command Ring %d", (int32_t)bell);
		return FTR_DONE;
	}
	start = snprintf(text, sizeof(text), "Slot %d ", (int32_t)slot);
	if (ep && ep < 32)
		n = snprintf(text + start, sizeof(text) - start, "ep%u%s", ep / 2,
			     ep % 2 ? "in" : "out");
	else
		n = snprintf(text + start, sizeof(text) - start, "%s %u",
			     ep < 248 ? "Reserved" : "Vendor Defined", ep);
	/* The kernel forgets the slot's length when it adds the stream: it stands in the middle. */
	if (stream)
		ftr_out_printf(out, "%.*s Stream %u", n, text, stream);
	else
		ftr_out_str(out, text);
	return FTR_DONE;
}

/* The buffer that comes first, and its size, are there since 5.15. */
static const struct ftr_function functions[] = {
	{ "xhci_ring_type_string", "s:i", ring_type },
	{ "xhci_decode_trb", "s:--iiii", trb },
	{ "xhci_decode_slot_context", "s:-iiii", slot_context },
	{ "xhci_decode_ep_context", "s:-iiii", ep_context },
	{ "xhci_decode_ctrl_ctx", "s:-ii", ctrl_ctx },
	{ "xhci_decode_portsc", "s:-i", portsc },
	{ "xhci_decode_doorbell", "s:-ii", doorbell },
	{ NULL, NULL, NULL },
};

FTR_PLUGIN_LATE("");

const struct ftr_plugin ftr_plugin = {
	FTR_PLUGIN_HEAD,
	.name = "xhci",
	.description = "contexts, rings, ports and doorbells of xHCI events",
	.functions = functions,
};
