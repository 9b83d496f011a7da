/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Words that print fmts of small drivers call for: memory errors, USB Type-C, sound, IOMMU. */
#include <inttypes.h>

#include "ftr/plugin.h"

static int word(struct ftr_out *out, const char *const *words, size_t n, uint64_t i,
		const char *other)
{
	if (i >= n && !other)
		return FTR_PASS;
	ftr_out_str(out, i < n ? words[i] : other);
	return FTR_DONE;
}

#define WORD(out, words, i, other) word(out, words, sizeof(words) / sizeof(*(words)), i, other)

/* --- ras: include/linux/edac.h, drivers/firmware/efi/cper.c */

static int edac_type(const struct ftr_record *r, const struct ftr_arg *args, struct ftr_out *out,
		     uint64_t *num)
{
	static const char *const words[] = { "Corrected", "Uncorrected", "Deferred", "Fatal" };

	(void)r;
	(void)num;
	return WORD(out, words, (uint32_t)args[0].num, "Info");
}

static int severity(const struct ftr_record *r, const struct ftr_arg *args, struct ftr_out *out,
		    uint64_t *num)
{
	static const char *const words[] = { "recoverable", "fatal", "corrected", "info" };

	(void)r;
	(void)num;
	return WORD(out, words, (uint32_t)args[0].num, "unknown");
}

static int memory_type(const struct ftr_record *r, const struct ftr_arg *args, struct ftr_out *out,
		       uint64_t *num)
{
	static const char *const words[] = {
		"unknown", "no error", "single-bit ECC", "multi-bit ECC",
		"single-symbol chipkill ECC", "multi-symbol chipkill ECC", "master abort",
		"target abort", "parity error", "watchdog timeout", "invalid address",
		"mirror Broken", "memory sparing", "scrub corrected error",
		"scrub uncorrected error", "physical memory map-out event",
	};

	(void)r;
	(void)num;
	return WORD(out, words, (uint32_t)args[0].num, "unknown");
}

#define VALID_ROW	0x000100
#define VALID_HANDLE	0x020000	/* of the module: its name is in the live machine's DMI */
#define VALID_ROW_EXT	0x040000
#define COMPACT_LEN	55
#define EXTENDED	54		/* row's bits 16 and 17, chip's number from bit 5 on */

/* Members of struct cper_mem_err_compact, which is packed, in the order of the text. */
static const struct cper_field {
	uint32_t valid;
	uint8_t at, size, shift;
	uint16_t mask;
	const char *name;
} places[] = {
	{ 0x000008, 8, 2, 0, 0xffff, "node" }, { 0x000010, 10, 2, 0, 0xffff, "card" },
	{ 0x000020, 12, 2, 0, 0xffff, "module" }, { 0x008000, 48, 2, 0, 0xffff, "rank" },
	{ 0x000040, 14, 2, 0, 0xffff, "bank" }, { 0x080000, 14, 2, 8, 0xff, "bank_group" },
	{ 0x100000, 14, 2, 0, 0xff, "bank_address" }, { 0x000080, 16, 2, 0, 0xffff, "device" },
	{ VALID_ROW | VALID_ROW_EXT, 18, 2, 0, 0xffff, "row" },
	{ 0x000200, 20, 2, 0, 0xffff, "column" }, { 0x000400, 22, 2, 0, 0xffff, "bit_position" },
	{ 0x000800, 24, 8, 0, 0, "requestor_id" }, { 0x001000, 32, 8, 0, 0, "responder_id" },
	{ 0x002000, 40, 8, 0, 0, "target_id" }, { 0x200000, EXTENDED, 1, 5, 0x7, "chip_id" },
};

static void print_place(const struct ftr_record *r, struct ftr_out *out, const struct cper_field *p,
			const uint8_t *data, uint64_t valid)
{
	uint64_t v = ftr_record_num(r, data + p->at, p->size);

	if (!p->mask) {
		ftr_out_printf(out, "%s:0x%016" PRIx64 " ", p->name, v);
		return;
	}
	v = v >> p->shift & p->mask;
	if (p->valid & valid & VALID_ROW_EXT)
		v |= (uint64_t)(data[EXTENDED] & 3) << 16;
	ftr_out_printf(out, "%s:%" PRIu64 " ", p->name, v);
}

static int memory_place(const struct ftr_record *r, const struct ftr_arg *args, struct ftr_out *out,
			uint64_t *num)
{
	const uint8_t *data = args[1].data;
	uint64_t valid;

	(void)num;
	/* kernels before 5.18 have other words and a shorter structure */
	if (!data || args[1].len < COMPACT_LEN || ftr_record_kernel(r) < FTR_KERNEL(6, 1))
		return FTR_PASS;
	valid = ftr_record_num(r, data, 8);
	if (valid & VALID_HANDLE)
		return FTR_PASS;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (valid & places[i].valid)
			print_place(r, out, &places[i], data, valid);
	return FTR_DONE;
}

/* --- ucsi: drivers/usb/typec/ucsi/trace.c */

static int ucsi_command(const struct ftr_record *r, const struct ftr_arg *args, struct ftr_out *out,
			uint64_t *num)
{
	static const char *const words[] = {
		"Unknown command", "PPM_RESET", "CANCEL", "CONNECTOR_RESET", "ACK_CC_CI",
		"SET_NOTIFICATION_ENABLE", "GET_CAPABILITY", "GET_CONNECTOR_CAPABILITY", "SET_UOM",
		"SET_UOR", "SET_PDM", "SET_PDR", "GET_ALTERNATE_MODES", "GET_CAM_SUPPORTED",
		"GET_CURRENT_CAM", "SET_NEW_CAM", "GET_PDOS", "GET_CABLE_PROPERTY",
		"GET_CONNECTOR_STATUS", "GET_ERROR_STATUS",
	};
	uint32_t kernel = ftr_record_kernel(r);
	uint8_t command = args[0].num;

	(void)num;
	if (command == 8 && kernel >= FTR_KERNEL(7, 2))
		ftr_out_str(out, "SET_CCOM");
	else if (command == 8 && (!kernel || kernel > FTR_KERNEL(6, 12)))
		return FTR_PASS;
	else
		return WORD(out, words, command, words[0]);
	return FTR_DONE;
}

static int ucsi_recipient(const struct ftr_record *r, const struct ftr_arg *args,
			  struct ftr_out *out, uint64_t *num)
{
	static const char *const words[] = {
		"port", "partner", "plug (prime)", "plug (double prime)",
	};

	(void)r;
	(void)num;
	return WORD(out, words, (uint8_t)args[0].num, NULL);
}

/* --- asoc: include/sound/pcm.h */

static int pcm_direction(const struct ftr_record *r, const struct ftr_arg *args,
			 struct ftr_out *out, uint64_t *num)
{
	(void)r;
	(void)num;
	ftr_out_str(out, (uint32_t)args[0].num ? "Capture" : "Playback");
	return FTR_DONE;
}

/* --- intel_iommu: drivers/iommu/intel/iommu.h. Room for the text, its size, four words. */

static uint64_t bits(uint64_t v, unsigned int high, unsigned int low)
{
	return v << (63 - high) >> (63 - high + low);
}

static int page_request(const struct ftr_record *r, const struct ftr_arg *args, struct ftr_out *out,
			uint64_t *num)
{
	uint64_t dw0 = args[2].num, dw1 = args[3].num;

	(void)r;
	(void)num;
	ftr_out_printf(out, "rid=0x%" PRIx64 " addr=0x%" PRIx64 " %c%c%c%c%c",
		       bits(dw0, 31, 16), bits(dw1, 63, 12), dw1 & 1 ? 'r' : '-',
		       dw1 & 2 ? 'w' : '-', dw0 & 1ULL << 52 ? 'x' : '-',
		       dw0 & 1ULL << 53 ? 'p' : '-', dw1 & 4 ? 'l' : '-');
	ftr_out_printf(out, " pasid=0x%" PRIx64 " index=0x%" PRIx64, bits(dw0, 51, 32),
		       bits(dw1, 11, 3));
	if (dw0 & 1 << 9)
		ftr_out_printf(out, " private=0x%" PRIx64 "/0x%" PRIx64 "\n", args[4].num,
			       args[5].num);
	return FTR_DONE;
}

static const struct ftr_function functions[] = {
	{ "mc_event_error_type", "s:i", edac_type },
	{ "cper_severity_str", "s:i", severity },
	{ "cper_mem_err_type_str", "s:i", memory_type },
	{ "cper_mem_err_unpack", "s:-b", memory_place },
	{ "ucsi_cmd_str", "s:i", ucsi_command },
	{ "ucsi_recipient_str", "s:i", ucsi_recipient },
	{ "snd_pcm_direction_name", "s:i", pcm_direction },
	{ "decode_prq_descriptor", "s:--iiii", page_request },
	{ NULL, NULL, NULL },
};

FTR_PLUGIN_LATE("");

const struct ftr_plugin ftr_plugin = {
	FTR_PLUGIN_HEAD,
	.name = "drivers",
	.description = "words of ras, ucsi, asoc and intel_iommu events",
	.functions = functions,
};
