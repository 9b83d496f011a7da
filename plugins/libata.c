/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the kernel (6.1 to 7.2) says of ATA registers, commands and error handling. */
#include "ftr/plugin.h"

/* A bit, or several of which one is enough, and its word. The order is that of the text. */
struct ata_flag {
	uint32_t mask;
	const char *word;
};

/* "{ DRDY DSC }" */
static void braces(struct ftr_out *out, uint32_t v, const struct ata_flag *bits)
{
	ftr_out_str(out, "{ ");
	for (; bits->word; bits++)
		if (v & bits->mask)
			ftr_out_printf(out, "%s ", bits->word);
	ftr_out_str(out, "}");
}

/* "5{ DEV TIMEOUT }", and "0" for nothing. */
static int number_and_braces(const struct ftr_arg *arg, struct ftr_out *out,
			     const struct ata_flag *bits)
{
	uint32_t v = arg->num;

	ftr_out_printf(out, "%x", v);
	if (v)
		braces(out, v, bits);
	return FTR_DONE;
}

static int status(const struct ftr_record *r, const struct ftr_arg *args, struct ftr_out *out,
		  uint64_t *num)
{
	static const struct ata_flag bits[] = {
		{ 0x80, "BUSY" }, { 0x40, "DRDY" }, { 0x20, "DF" }, { 0x10, "DSC" },
		{ 0x08, "DRQ" }, { 0x04, "CORR" }, { 0x02, "SENSE" }, { 0x01, "ERR" }, { 0, NULL },
	};

	(void)r;
	(void)num;
	braces(out, args[1].num, bits);
	return FTR_DONE;
}

/* Of the bus master's DMA engine. */
static int host_stat(const struct ftr_record *r, const struct ftr_arg *args, struct ftr_out *out,
		     uint64_t *num)
{
	static const struct ata_flag bits[] = {
		{ 4, "INTR" }, { 2, "ERR" }, { 1, "ACTIVE" }, { 0, NULL },
	};

	(void)r;
	(void)num;
	braces(out, args[1].num, bits);
	return FTR_DONE;
}

/* Soft and hard resets are one word in the kernel's text. */
static int eh_action(const struct ftr_record *r, const struct ftr_arg *args, struct ftr_out *out,
		     uint64_t *num)
{
	static const struct ata_flag bits[] = {
		{ 0x01, "REVALIDATE" }, { 0x06, "RESET" }, { 0x08, "ENABLE_LINK" },
		{ 0x20, "PARK" }, { 0, NULL },
	};

	(void)r;
	(void)num;
	return number_and_braces(&args[1], out, bits);
}

static int err_mask(const struct ftr_record *r, const struct ftr_arg *args, struct ftr_out *out,
		    uint64_t *num)
{
	static const struct ata_flag bits[] = {
		{ 0x001, "DEV" }, { 0x002, "HSM" }, { 0x004, "TIMEOUT" }, { 0x008, "MEDIA" },
		{ 0x010, "ATA_BUS" }, { 0x020, "HOST_BUS" }, { 0x040, "SYSTEM" },
		{ 0x080, "INVALID" }, { 0x100, "OTHER" }, { 0x200, "NODEV_HINT" }, { 0x400, "NCQ" },
		{ 0, NULL },
	};

	(void)r;
	(void)num;
	return number_and_braces(&args[1], out, bits);
}

static int qc_flags(const struct ftr_record *r, const struct ftr_arg *args, struct ftr_out *out,
		    uint64_t *num)
{
	static const struct ata_flag bits[] = {
		{ 0x00001, "ACTIVE" }, { 0x00002, "DMAMAP" }, { 0x00008, "IO" },
		{ 0x00010, "RESULT_TF" }, { 0x00020, "CLEAR_EXCL" }, { 0x00040, "QUIET" },
		{ 0x00080, "RETRY" }, { 0x10000, "FAILED" }, { 0x20000, "SENSE_VALID" },
		{ 0x40000, "EH_SCHEDULED" }, { 0, NULL },
	};

	(void)r;
	(void)num;
	return number_and_braces(&args[1], out, bits);
}

static int tf_flags(const struct ftr_record *r, const struct ftr_arg *args, struct ftr_out *out,
		    uint64_t *num)
{
	static const struct ata_flag bits[] = {
		{ 0x01, "LBA48" }, { 0x02, "ISADDR" }, { 0x04, "DEV" }, { 0x08, "WRITE" },
		{ 0x10, "LBA" }, { 0x20, "FUA" }, { 0x40, "POLL" }, { 0, NULL },
	};

	(void)r;
	(void)num;
	return number_and_braces(&args[1], out, bits);
}

/* Commands whose subcommand stands in the feature register, or in the upper sector count. */
static const struct {
	uint8_t cmd;
	enum { FEATURE, HOB_NSECT } where;
	uint8_t sub;
	const char *word;
} subcommands[] = {
	{ 0x65, HOB_NSECT, 0x01, " READ_LOG_DMA_EXT" }, { 0x65, HOB_NSECT, 0x02, " ZAC_MGMT_IN" },
	{ 0x64, HOB_NSECT, 0x02, " WRITE_LOG_DMA_EXT" },
	{ 0x64, HOB_NSECT, 0x00, " DATASET_MANAGEMENT" },
	{ 0x63, FEATURE, 0x00, " ABORT_QUEUE" }, { 0x63, FEATURE, 0x05, " SET_FEATURES" },
	{ 0x63, FEATURE, 0x06, " ZERO_EXT" }, { 0x63, FEATURE, 0x07, " ZAC_MGMT_OUT" },
	{ 0x4a, FEATURE, 0x00, " REPORT_ZONES" },
	{ 0x9f, FEATURE, 0x01, " CLOSE_ZONE" }, { 0x9f, FEATURE, 0x02, " FINISH_ZONE" },
	{ 0x9f, FEATURE, 0x03, " OPEN_ZONE" }, { 0x9f, FEATURE, 0x04, " RESET_WRITE_POINTER" },
};

static int subcmd(const struct ftr_record *r, const struct ftr_arg *args, struct ftr_out *out,
		  uint64_t *num)
{
	uint8_t cmd = args[1].num, feature = args[2].num, hob_nsect = args[3].num & 0x5f;

	(void)r;
	(void)num;
	for (size_t i = 0; i < sizeof(subcommands) / sizeof(*subcommands); i++)
		if (subcommands[i].cmd == cmd &&
		    subcommands[i].sub == (subcommands[i].where == FEATURE ? feature : hob_nsect))
			ftr_out_str(out, subcommands[i].word);
	return FTR_DONE;
}

static const struct ftr_function functions[] = {
	{ "libata_trace_parse_status", "s:-i", status },
	{ "libata_trace_parse_host_stat", "s:-i", host_stat },
	{ "libata_trace_parse_eh_action", "s:-i", eh_action },
	{ "libata_trace_parse_eh_err_mask", "s:-i", err_mask },
	{ "libata_trace_parse_qc_flags", "s:-i", qc_flags },
	{ "libata_trace_parse_tf_flags", "s:-i", tf_flags },
	{ "libata_trace_parse_subcmd", "s:-iii", subcmd },
	{ NULL, NULL, NULL },
};

FTR_PLUGIN_LATE("");

const struct ftr_plugin ftr_plugin = {
	FTR_PLUGIN_HEAD,
	.name = "libata",
	.description = "registers, commands and error handling of ATA events",
	.functions = functions,
};
