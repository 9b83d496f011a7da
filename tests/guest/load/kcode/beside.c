/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs functions of a kernel's module, as they are in its file, beside those of a plugin of ours, with random
 * arguments. Linked, at low addresses as kernel code wants it, with the module and the plugin's object; what of the
 * module's symbols has no meaning here stays unresolved. kernel-code.sh does that.
 *
 * beside TIMES: prints the first texts that differ; exit status 1 if one does, 77 if there was nothing to compare.
 */
#include <asm/prctl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ftr/plugin.h"

#define TEXT 4096
#define COUNT(a) (sizeof(a) / sizeof(*(a)))
/* Kernel code keeps the stack aligned to 8 bytes only. */
#define FROM_KERNEL __attribute__((force_align_arg_pointer, used))

/* What both sides print. */
static char kernels[TEXT], ours[TEXT];
static size_t kernels_len, ours_len;

/* --- what the plugin wants of ftr */

struct ftr_record {
	int unused;
};

struct ftr_out {
	int unused;
};

uint32_t ftr_record_kernel(const struct ftr_record *r)
{
	(void)r;
	return KERNEL;
}

int ftr_record_long_size(const struct ftr_record *r)
{
	(void)r;
	return 8;
}

uint64_t ftr_record_num(const struct ftr_record *r, const void *p, unsigned int size)
{
	uint64_t v = 0;

	(void)r;
	memcpy(&v, p, size);
	return v;
}

void ftr_out_bytes(struct ftr_out *out, const void *p, size_t len)
{
	(void)out;
	memcpy(ours + ours_len, p, len);
	ours_len += len;
	ours[ours_len] = 0;
}

void ftr_out_str(struct ftr_out *out, const char *s)
{
	ftr_out_bytes(out, s, strlen(s));
}

void ftr_out_printf(struct ftr_out *out, const char *fmt, ...)
{
	char text[TEXT];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	ftr_out_str(out, text);
}

void ftr_out_name(struct ftr_out *out, uint64_t v, const struct ftr_name *names, const char *other)
{
	while (names->name && names->value != v)
		names++;
	ftr_out_str(out, names->name ? names->name : other);
}

/* --- what the module wants of the kernel. Its calls of printf's family are renamed to kernel_... */

__asm__(".globl __fentry__, __x86_return_thunk, __ubsan_handle_shift_out_of_bounds\n"
	"__fentry__:\n__x86_return_thunk:\n__ubsan_handle_shift_out_of_bounds:\n\tret\n");

static int add(char *to, size_t size, const char *fmt, va_list ap)
{
	int n = vsnprintf(to, size, fmt, ap);

	return (size_t)n < size ? n : (int)size - 1;
}

FROM_KERNEL int kernel_sprintf(char *to, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = add(to, TEXT, fmt, ap);
	va_end(ap);
	return n;
}

FROM_KERNEL int kernel_snprintf(char *to, size_t size, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = add(to, size, fmt, ap);
	va_end(ap);
	return n;
}

FROM_KERNEL int kernel_scnprintf(char *to, size_t size, const char *fmt, ...)
	__attribute__((alias("kernel_snprintf")));

static void kernel_word(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	kernels_len += add(kernels + kernels_len, sizeof(kernels) - kernels_len, fmt, ap);
	va_end(ap);
}

/* What only the kernel's printf has: bytes as hex, addresses of hosts, plain ones as with no_hash_pointers. */
static const struct conversion {
	const char *name, *form;
	unsigned int n, step;
	char between;
} conversions[] = {
	{ "%*ph", "%02x", 0, 1, ' ' }, { "%pM", "%02x", 6, 1, ':' }, { "%pI4", "%u", 4, 1, '.' },
	{ "%pI6", "%02x%02x", 16, 2, ':' }, { "%p", "%016lx", 0, 0, 0 },
};

/* @fmt has one conversion, at @at. */
static void print_special(const char *fmt, const char *at, const struct conversion *c, va_list ap)
{
	unsigned int n = c->step && !c->n ? va_arg(ap, unsigned int) : c->n;
	const uint8_t *p = va_arg(ap, const uint8_t *);

	kernel_word("%.*s", (int)(at - fmt), fmt);
	if (!c->step)
		kernel_word(c->form, (unsigned long)p);
	for (unsigned int i = 0; i < n; i += c->step) {
		if (i)
			kernel_word("%c", c->between);
		kernel_word(c->form, p[i], p[i + 1]);
	}
	kernel_word("%s", at + strlen(c->name));
}

FROM_KERNEL void trace_seq_printf(void *seq, const char *fmt, ...)
{
	const char *at = NULL;
	size_t i = 0;
	va_list ap;

	(void)seq;
	va_start(ap, fmt);
	while (i < COUNT(conversions) && !(at = strstr(fmt, conversions[i].name)))
		i++;
	if (at)
		print_special(fmt, at, &conversions[i], ap);
	else
		kernels_len += add(kernels + kernels_len, sizeof(kernels) - kernels_len, fmt, ap);
	va_end(ap);
}

FROM_KERNEL void trace_seq_puts(void *seq, const char *s)
{
	trace_seq_printf(seq, "%s", s);
}

FROM_KERNEL void trace_seq_putc(void *seq, char c)
{
	if (c)
		trace_seq_printf(seq, "%c", c);
}

/* The buffer of __get_buf(). */
FROM_KERNEL void *trace_seq_acquire(void *seq, unsigned int len)
{
	static char room[TEXT];

	(void)seq;
	memset(room, 0, len);
	return room;
}

FROM_KERNEL int trace_raw_output_prep(void *iter, void *event)
{
	(void)iter;
	(void)event;
	return 1;	/* TRACE_TYPE_HANDLED */
}

FROM_KERNEL int trace_handle_return(void *seq)
{
	(void)seq;
	return 1;
}

/* Addresses are left out, which are printed by a %p of the kernel: "%pa: " in front, "@%pad " in the middle. */
FROM_KERNEL void trace_event_printf(void *iter, const char *fmt, ...)
{
	const char *ring;
	va_list ap;

	(void)iter;
	va_start(ap, fmt);
	if (!strncmp(fmt, "%pa: ", 5)) {
		va_arg(ap, void *);
		fmt += 5;
	}
	if (!strcmp(fmt, "%s: @%pad %s\n")) {
		ring = va_arg(ap, const char *);
		va_arg(ap, void *);
		kernels_len = kernel_sprintf(kernels, "%s: %s", ring, va_arg(ap, const char *));
	} else {
		kernels_len = add(kernels, sizeof(kernels), fmt, ap);
	}
	va_end(ap);
	if (kernels_len && kernels[kernels_len - 1] == '\n')
		kernels[--kernels_len] = 0;
}

/* --- arguments */

static uint32_t any(void)
{
	static uint64_t s = 88172645463325252;

	s ^= s << 13;
	s ^= s >> 7;
	s ^= s << 17;
	return s >> 16;
}

/* Often a small one. */
static uint32_t some(uint32_t n)
{
	return any() % 3 ? any() % n : any();
}

static uint8_t entry[2048];	/* an event's record */

/* As the iterator's ->ent stands at another place in each kernel, all of it points to the record. */
static uint8_t *iterator[4096];

static void put(unsigned int at, const uint32_t *v, size_t n)
{
	memcpy(entry + at, v, n * sizeof(*v));
}

/* A dynamic field: where it is, and how long. Before 6.2 such buffers are the last field of an event. */
static void write_string(unsigned int at, const char *s)
{
	uint32_t loc = 1024 | 500 << 16;

	strcpy((char *)entry + 1024, s);
	put(at, &loc, 1);
}

extern const struct ftr_plugin ftr_plugin;

/* Adds what a function of the plugin says of @v, behind @skip arguments that it does not look at. */
static bool print_call(const char *name, size_t skip, const uint32_t *v, size_t n)
{
	const struct ftr_function *f = ftr_plugin.functions;
	struct ftr_arg args[8] = { { 0 } };
	struct ftr_record r = { 0 };
	struct ftr_out out = { 0 };
	uint64_t num;

	for (size_t i = 0; i < n; i++)
		args[skip + i].num = v[i];
	while (strcmp(f->name, name))
		f++;
	return f->call(&r, args, &out, &num) == FTR_DONE;
}

#define PRINT_CALL(name, skip, ...) \
	print_call(name, skip, (uint32_t []){ __VA_ARGS__ }, COUNT(((uint32_t []){ __VA_ARGS__ })))

static void words(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	ours_len += add(ours + ours_len, sizeof(ours) - ours_len, fmt, ap);
	va_end(ap);
}

/* --- functions: a module has some of them */

#define PRINTER(name) \
	extern int trace_raw_output_##name(void *iter, int flags, void *event) __attribute__((weak))
#define PRINT(name) trace_raw_output_##name(iterator, 0, NULL)

PRINTER(xhci_log_trb);
PRINTER(xhci_log_ep_ctx);
PRINTER(xhci_log_slot_ctx);
PRINTER(xhci_log_ctrl_ctx);
PRINTER(xhci_log_portsc);
PRINTER(xhci_log_doorbell);
PRINTER(dwc3_log_event);
PRINTER(dwc3_log_generic_cmd);
PRINTER(dwc3_log_gadget_ep_cmd);
PRINTER(dwc3_log_trb);
PRINTER(dwc3_log_set_prtcap);

#define FIRST 8		/* behind the common fields */

static bool xhci_trb(void)
{
	unsigned int at = KERNEL >= FTR_KERNEL(7, 0) ? FIRST + 8 : FIRST;	/* its address is first */
	uint32_t w[5] = { some(8), any(), any(), any(), any() };

	if (any() & 1)
		w[3] = (w[3] & 0xffffff) | any() % 38 << 24;
	put(at, w, 5);
	write_string(at + 20, "");
	PRINT(xhci_log_trb);
	PRINT_CALL("xhci_ring_type_string", 0, w[0]);
	words(": ");
	return print_call("xhci_decode_trb", 2, w + 1, 4);
}

static bool xhci_ep_ctx(void)
{
	const struct ftr_function *f = ftr_plugin.functions;
	uint32_t w[5] = { any(), any(), any(), any(), any() };
	uint64_t deq = (uint64_t)w[3] << 32 | w[2];
	struct ftr_arg args[5] = {
		{ 0 }, { .num = w[0] }, { .num = w[1] }, { .num = deq }, { .num = w[4] },
	};

	put(FIRST, w, 5);
	write_string(FIRST + 20, "");
	PRINT(xhci_log_ep_ctx);
	while (strcmp(f->name, "xhci_decode_ep_context"))
		f++;
	return f->call(NULL, args, NULL, NULL) == FTR_DONE;
}

static bool xhci_slot_ctx(void)
{
	uint32_t w[4] = { any(), any(), any(), any() };

	if (any() & 1) {
		w[0] = (w[0] & ~0xf00000u) | any() % 7 << 20;
		w[3] &= 0x1fffffff;
	}
	put(FIRST, w, 4);
	write_string(FIRST + 16, "");
	PRINT(xhci_log_slot_ctx);
	return print_call("xhci_decode_slot_context", 1, w, 4);
}

static bool xhci_ctrl_ctx(void)
{
	uint32_t w[2] = { any() & 1 ? any() : 0, some(8) };

	put(FIRST, w, 2);
	write_string(FIRST + 8, "");
	PRINT(xhci_log_ctrl_ctx);
	return print_call("xhci_decode_ctrl_ctx", 1, w, 2);
}

static bool xhci_portsc(void)
{
	bool bus = KERNEL >= FTR_KERNEL(6, 8);
	unsigned int at = bus ? FIRST + 8 : FIRST + 4;
	uint32_t v = any() % 1000 ? any() : UINT32_MAX;

	put(FIRST, (uint32_t []){ 1, 2 }, 2);
	put(at, &v, 1);
	write_string(at + 4, "");
	PRINT(xhci_log_portsc);
	words(bus ? "port 1-2: " : "port-1: ");
	return print_call("xhci_decode_portsc", 1, &v, 1);
}

static bool xhci_doorbell(void)
{
	uint32_t w[2] = { some(70), any() & 1 ? any() : any() & 0x3001f };

	put(FIRST, w, 2);
	write_string(FIRST + 8, "");
	PRINT(xhci_log_doorbell);
	words("Ring doorbell for ");
	return print_call("xhci_decode_doorbell", 1, w, 2);
}

/* The device's address is first since 7.0. */
#define DWC3 (KERNEL >= FTR_KERNEL(7, 0) ? FIRST + 8 : FIRST)
#define ETIMEDOUT 110

static uint32_t status(void)
{
	return any() & 1 ? any() % 4 : -ETIMEDOUT;
}

static bool dwc3_event(void)
{
	uint32_t w[2] = { any(), some(6) };

	if (any() & 1)
		w[0] &= ~0x3cu;		/* endpoint 0 */
	put(DWC3, w, 2);
	PRINT(dwc3_log_event);
	words("event (%08x): ", w[0]);
	return print_call("dwc3_decode_event", 2, w, 2);
}

static bool dwc3_generic_cmd(void)
{
	uint32_t w[3] = { some(20), any(), status() };

	put(DWC3, w, 3);
	PRINT(dwc3_log_generic_cmd);
	words("cmd '");
	PRINT_CALL("dwc3_gadget_generic_cmd_string", 0, w[0]);
	words("' [%x] param %08x --> status: ", w[0], w[1]);
	return PRINT_CALL("dwc3_gadget_generic_cmd_status_string", 0, w[2]);
}

static bool dwc3_ep_cmd(void)
{
	uint32_t w[5] = { some(12), any(), any(), any(), status() };

	write_string(DWC3, "ep1in");
	put(DWC3 + 4, w, 5);
	PRINT(dwc3_log_gadget_ep_cmd);
	words("ep1in: cmd '");
	PRINT_CALL("dwc3_gadget_ep_cmd_string", 0, w[0]);
	words("' [%x] params %08x %08x %08x --> status: ", w[0], w[1], w[2], w[3]);
	return PRINT_CALL("dwc3_ep_cmd_status_string", 0, w[4]);
}

/* Its type is the last word. */
static bool dwc3_trb(void)
{
	uint32_t ctrl = any();
	char *type;

	write_string(DWC3, "ep1in");
	put(DWC3 + 28, &ctrl, 1);
	PRINT(dwc3_log_trb);
	type = strrchr(kernels, ':');
	memmove(kernels, type, strlen(type) + 1);
	words(":");
	PRINT_CALL("dwc3_trb_type_string", 0, ctrl & 0x3f << 4);
	words(")");
	return true;
}

static bool dwc3_mode(void)
{
	uint32_t mode = any() % 6;

	put(DWC3, &mode, 1);
	PRINT(dwc3_log_set_prtcap);
	words("mode ");
	return PRINT_CALL("dwc3_mode_string", 0, mode);
}

extern const char *usb_decode_ctrl(char *to, size_t size, uint8_t type, uint8_t request, uint16_t value,
				   uint16_t index, uint16_t length) __attribute__((weak));

static bool usb_request(void)
{
	uint8_t type = any() & 1 ? any() & 0x83 : any(), request = any() & (any() & 1 ? 0x3f : 0xf);
	uint16_t value = any() & (any() & 1 ? 0x1133 : 0xffff), index = any() & (any() & 1 ? 0x8f : 0xffff);
	uint16_t length = any();

	usb_decode_ctrl(kernels, 500, type, request, value, index, length);
	return PRINT_CALL("usb_decode_ctrl", 2, type, request, value, index, length);
}

#define ATA(name) \
	extern const char *libata_trace_parse_##name(void *seq, unsigned int v) __attribute__((weak)); \
	static bool ata_##name(void) \
	{ \
		uint32_t v = any() & (any() & 1 ? 0xff : ~0u); \
		\
		libata_trace_parse_##name(iterator, v); \
		return PRINT_CALL("libata_trace_parse_" #name, 1, v); \
	}
ATA(status)
ATA(host_stat)
ATA(eh_action)
ATA(eh_err_mask)
ATA(qc_flags)
ATA(tf_flags)

extern const char *libata_trace_parse_subcmd(void *seq, uint8_t cmd, uint8_t feature, uint8_t hob_nsect)
	__attribute__((weak));

static bool ata_subcmd(void)
{
	static const uint8_t cmds[] = { 0x63, 0x64, 0x65, 0x4a, 0x9f };
	uint8_t cmd = any() & 7 ? cmds[any() % COUNT(cmds)] : any();
	uint8_t feature = any() & (any() & 1 ? 0xf : 0xff), hob_nsect = any() & (any() & 1 ? 0xa3 : 0xff);

	libata_trace_parse_subcmd(iterator, cmd, feature, hob_nsect);
	return PRINT_CALL("libata_trace_parse_subcmd", 1, cmd, feature, hob_nsect);
}

extern const char *scsi_trace_parse_cdb(void *seq, unsigned char *cdb, int len) __attribute__((weak));

static bool scsi_cdb(void)
{
	static const uint8_t ops[] = {
		0x08, 0x0a, 0x28, 0x2a, 0x2f, 0x41, 0x42, 0x7f, 0x88, 0x8a, 0x8f, 0x93, 0x94, 0x95, 0x9c, 0x9e, 0xa3,
		0xa4, 0xa8, 0xaa, 0xaf,
	};
	const struct ftr_function *f = ftr_plugin.functions;
	uint8_t cdb[32];
	struct ftr_arg args[3] = { { 0 }, { .data = cdb, .len = sizeof(cdb) }, { .num = sizeof(cdb) } };

	for (size_t i = 0; i < sizeof(cdb); i++)
		cdb[i] = any();
	if (any() & 15)
		cdb[0] = ops[any() % COUNT(ops)];
	if (any() & 1)
		cdb[1] &= 0xe0 | any() % 0x20;
	if (cdb[0] == 0x7f) {
		cdb[8] = 0;
		cdb[9] = any() % 0x10;
	}
	scsi_trace_parse_cdb(iterator, cdb, sizeof(cdb));
	return f->call(NULL, args, NULL, NULL) == FTR_DONE;
}

/* The plugin's function with arguments of any kind. */
static bool ask(const char *name, const struct ftr_arg *args)
{
	const struct ftr_function *f = ftr_plugin.functions;
	struct ftr_record r = { 0 };
	struct ftr_out out = { 0 };
	uint64_t num;

	while (strcmp(f->name, name))
		f++;
	return f->call(&r, args, &out, &num) == FTR_DONE;
}

/* Some bytes, of which some are none. */
static void fill(uint8_t *to, size_t n, unsigned int zeros)
{
	for (size_t i = 0; i < n; i++)
		to[i] = any() % 8 < zeros ? 0 : any() >> 8;
}

#define NVME(name) \
	extern const char *nvme_trace_parse_##name(void *seq, uint8_t opcode, uint8_t *cdw10) \
		__attribute__((weak)); \
	static bool nvme_##name(void) \
	{ \
		uint8_t cdw[24], opcode = any() & 3 ? any() % 0x16 : any(); \
		struct ftr_arg args[3] = { { 0 }, { .num = opcode }, { .data = cdw, .len = sizeof(cdw) } }; \
		\
		fill(cdw, sizeof(cdw), 2); \
		cdw[12] &= any() & 1 ? 0x1f : 0xff; \
		cdw[13] &= any() & 1 ? 0xf : 0xff; \
		nvme_trace_parse_##name(iterator, opcode, cdw); \
		return ask("nvme_trace_parse_" #name, args); \
	}
NVME(admin_cmd)
NVME(nvm_cmd)
NVME(fabrics_cmd)

extern const char *parse_fs_hdrs(void *seq, uint8_t enabled, const uint8_t *mask_outer, const uint8_t *mask_misc,
				 const uint8_t *mask_inner, const uint8_t *value_outer, const uint8_t *value_misc,
				 const uint8_t *value_inner) __attribute__((weak));
extern const char *parse_fs_dst(void *seq, const void *destination, uint32_t counter) __attribute__((weak));

static bool mlx5_hdrs(void)
{
	static const uint8_t types[][2] = { { 0x08, 0 }, { 0x86, 0xdd } };
	uint8_t h[6][64] __attribute__((aligned(8)));
	struct ftr_arg args[8] = { { 0 }, { .num = any() & 0xf } };

	for (size_t i = 0; i < 6; i++) {
		fill(h[i], 64, i < 3 ? any() % 9 : 2);
		args[2 + i] = (struct ftr_arg){ .data = h[i], .len = 64 };
	}
	for (size_t i = 0; i < 3; i++) {
		h[i][0] = 0xa5;		/* bytes that differ, or nothing tells that this machine is little-endian */
		h[i][1] = 0x5a;
		if (any() & 1) {
			memset(h[i] + 6, 0xff, 2);
			memcpy(h[3 + i] + 6, types[any() & 1], 2);
		}
		if (any() & 1) {
			h[i][18] |= 0x1e;
			h[3 + i][18] = (h[3 + i][18] & 0xe1) | (any() & 1 ? 4 : 6) << 1;
		}
		if (any() & 1)
			memset(h[i] + 32 + 16 * (any() & 1), 0xff, 16);
	}
	parse_fs_hdrs(iterator, args[1].num, h[0], h[1], h[2], h[3], h[4], h[5]);
	return ask("parse_fs_hdrs", args);
}

static bool mlx5_dst(void)
{
	uint32_t d[10] __attribute__((aligned(8)));
	/* not those that follow pointers */
	uint32_t type = any() % (KERNEL >= FTR_KERNEL(6, 12) ? 10 : 9);
	struct ftr_arg args[3] = {
		{ 0 }, { .data = d, .len = KERNEL >= FTR_KERNEL(6, 12) ? 40 : 32 }, { .num = any() },
	};

	for (size_t i = 0; i < COUNT(d); i++)
		d[i] = i == 6 ? any() % 3 : any();
	d[0] = type;
	parse_fs_dst(iterator, d, args[2].num);
	return ask("parse_fs_dst", args);
}

extern const char *ucsi_cmd_str(uint64_t command) __attribute__((weak));
extern const char *ucsi_recipient_str(uint8_t recipient) __attribute__((weak));

static bool ucsi_command(void)
{
	struct ftr_arg arg = { .num = (uint64_t)any() << 32 | some(0x18) };

	kernel_word("%s", ucsi_cmd_str(arg.num));
	return ask("ucsi_cmd_str", &arg);
}

static bool ucsi_recipient(void)
{
	struct ftr_arg arg = { .num = any() & 3 };

	kernel_word("%s", ucsi_recipient_str(arg.num));
	return ask("ucsi_recipient_str", &arg);
}

static const struct {
	const char *what;
	void *function;		/* NULL: the module has not got it */
	bool (*run)(void);	/* both sides; false: ours can't know */
} checks[] = {
#define KERNELS(name) (void *)trace_raw_output_##name
	{ "xhci_log_trb", KERNELS(xhci_log_trb), xhci_trb },
	{ "xhci_log_ep_ctx", KERNELS(xhci_log_ep_ctx), xhci_ep_ctx },
	{ "xhci_log_slot_ctx", KERNELS(xhci_log_slot_ctx), xhci_slot_ctx },
	{ "xhci_log_ctrl_ctx", KERNELS(xhci_log_ctrl_ctx), xhci_ctrl_ctx },
	{ "xhci_log_portsc", KERNELS(xhci_log_portsc), xhci_portsc },
	{ "xhci_log_doorbell", KERNELS(xhci_log_doorbell), xhci_doorbell },
	{ "dwc3_log_event", KERNELS(dwc3_log_event), dwc3_event },
	{ "dwc3_log_generic_cmd", KERNELS(dwc3_log_generic_cmd), dwc3_generic_cmd },
	{ "dwc3_log_gadget_ep_cmd", KERNELS(dwc3_log_gadget_ep_cmd), dwc3_ep_cmd },
	{ "dwc3_log_trb", KERNELS(dwc3_log_trb), dwc3_trb },
	{ "dwc3_log_set_prtcap", KERNELS(dwc3_log_set_prtcap), dwc3_mode },
	{ "usb_decode_ctrl", (void *)usb_decode_ctrl, usb_request },
	{ "libata_trace_parse_status", (void *)libata_trace_parse_status, ata_status },
	{ "libata_trace_parse_host_stat", (void *)libata_trace_parse_host_stat, ata_host_stat },
	{ "libata_trace_parse_eh_action", (void *)libata_trace_parse_eh_action, ata_eh_action },
	{ "libata_trace_parse_eh_err_mask", (void *)libata_trace_parse_eh_err_mask, ata_eh_err_mask },
	{ "libata_trace_parse_qc_flags", (void *)libata_trace_parse_qc_flags, ata_qc_flags },
	{ "libata_trace_parse_tf_flags", (void *)libata_trace_parse_tf_flags, ata_tf_flags },
	{ "libata_trace_parse_subcmd", (void *)libata_trace_parse_subcmd, ata_subcmd },
	{ "scsi_trace_parse_cdb", (void *)scsi_trace_parse_cdb, scsi_cdb },
	{ "nvme_trace_parse_admin_cmd", (void *)nvme_trace_parse_admin_cmd, nvme_admin_cmd },
	{ "nvme_trace_parse_nvm_cmd", (void *)nvme_trace_parse_nvm_cmd, nvme_nvm_cmd },
	{ "nvme_trace_parse_fabrics_cmd", (void *)nvme_trace_parse_fabrics_cmd, nvme_fabrics_cmd },
	{ "parse_fs_hdrs", (void *)parse_fs_hdrs, mlx5_hdrs },
	{ "parse_fs_dst", (void *)parse_fs_dst, mlx5_dst },
	{ "ucsi_cmd_str", (void *)ucsi_cmd_str, ucsi_command },
	{ "ucsi_recipient_str", (void *)ucsi_recipient_str, ucsi_recipient },
};

/* Whether @times texts of one function are equal. */
static bool compare(size_t which, long times)
{
	long differ = 0, unknown = 0;

	for (long i = 0; i < times; i++) {
		ours_len = kernels_len = 0;
		ours[0] = kernels[0] = 0;
		if (!checks[which].run())
			unknown++;
		else if (strcmp(ours, kernels) && differ++ < 5)
			printf("kernel: %s\nours:   %s\n", kernels, ours);
	}
	printf("%s: %ld of %ld differ, %ld can't be known\n", checks[which].what, differ, times, unknown);
	return !differ && unknown < times / 2;
}

int main(int argc, char **argv)
{
	static char percpu[4096];	/* the stack protector's canary is there */
	int status = 77;

	if (syscall(SYS_arch_prctl, ARCH_SET_GS, percpu))
		return 2;
	for (size_t i = 0; i < COUNT(iterator); i++)
		iterator[i] = entry;
	for (size_t i = 0; i < COUNT(checks); i++) {
		if (!checks[i].function)
			continue;
		if (status == 77)
			status = 0;
		if (!compare(i, argc > 1 ? atol(argv[1]) : 1000))
			status = 1;
	}
	return status;
}
