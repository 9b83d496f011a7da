/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* scsi_trace_parse_cdb(): what kernels 5.10 to 7.2 say of a SCSI command descriptor block. */
#include <inttypes.h>
#include <stdbool.h>

#include "ftr/plugin.h"

/* A block, big-endian by the standard; what is beyond its end counts as missing. */
struct cdb {
	const uint8_t *p;
	size_t len;
	bool   cut;
	uint32_t kernel;	/* that said it, or 0 */
};

static uint64_t be(struct cdb *c, size_t at, unsigned int bytes)
{
	uint64_t v = 0;

	if (at + bytes > c->len) {
		c->cut = true;
		return 0;
	}
	while (bytes--)
		v = v << 8 | c->p[at++];
	return v;
}

static unsigned int byte(struct cdb *c, size_t at)
{
	return be(c, at, 1);
}

struct scsi_action {
	unsigned int code;
	const char *name;
};

static const char *action_name(const struct scsi_action *a, unsigned int code)
{
	for (; a->name; a++)
		if (a->code == code)
			return a->name;
	return NULL;
}

/* --- reading and writing; they differ in where address, length and protection stand */

struct scsi_transfer {
	uint8_t opcode, lba, lba_bytes, len, len_bytes;
	bool unmap;
};

static const struct scsi_transfer transfers[] = {
	{ 0x28, 2, 4, 7, 2, false },	/* READ_10 */
	{ 0x2a, 2, 4, 7, 2, false },	/* WRITE_10 */
	{ 0x2f, 2, 4, 7, 2, false },	/* VERIFY */
	{ 0x41, 2, 4, 7, 2, true },	/* WRITE_SAME */
	{ 0xa8, 2, 4, 6, 4, false },	/* READ_12 */
	{ 0xaa, 2, 4, 6, 4, false },	/* WRITE_12 */
	{ 0xaf, 2, 4, 6, 4, false },	/* VERIFY_12 */
	{ 0x88, 2, 8, 10, 4, false },	/* READ_16 */
	{ 0x8a, 2, 8, 10, 4, false },	/* WRITE_16 */
	{ 0x8f, 2, 8, 10, 4, false },	/* VERIFY_16 */
	{ 0x93, 2, 8, 10, 4, true },	/* WRITE_SAME_16 */
};

static bool transfer(struct cdb *c, struct ftr_out *out)
{
	for (size_t i = 0; i < sizeof(transfers) / sizeof(*transfers); i++) {
		const struct scsi_transfer *t = &transfers[i];

		if (t->opcode != c->p[0])
			continue;
		ftr_out_printf(out, "lba=%" PRIu64 " txlen=%" PRIu64 " protect=%u",
			       be(c, t->lba, t->lba_bytes), be(c, t->len, t->len_bytes),
			       byte(c, 1) >> 5);
		if (t->unmap)
			ftr_out_printf(out, " unmap=%u", byte(c, 1) >> 3 & 1);
		return true;
	}
	return false;
}

/* READ_6, WRITE_6: a length of 0 means 256 blocks (said so since 5.5). */
static void six(struct cdb *c, struct ftr_out *out)
{
	unsigned int len = byte(c, 4);

	ftr_out_printf(out, "lba=%u txlen=%u", (unsigned int)be(c, 1, 3) & 0x1fffff,
		       len ? len : 256);
}

static void variable(struct cdb *c, struct ftr_out *out)
{
	static const struct scsi_action names[] = {
		{ 0x09, "READ" }, { 0x0a, "VERIFY" }, { 0x0b, "WRITE" }, { 0x0d, "WRITE_SAME" },
		{ 0, NULL },
	};
	unsigned int action = be(c, 8, 2);
	const char *name = action_name(names, action);

	if (!name) {
		ftr_out_str(out, "-");
		return;
	}
	ftr_out_printf(out, "%s_32 lba=%" PRIu64 " txlen=%u protect=%u ei_lbrt=%u", name,
		       be(c, 12, 8), (unsigned int)be(c, 28, 4), byte(c, 10) >> 5,
		       (unsigned int)be(c, 20, 4));
	if (action == 0x0d)
		ftr_out_printf(out, " unmap=%u", byte(c, 10) >> 3 & 1);
}

/* Unknown before 6.11. */
static void atomic_write(struct cdb *c, struct ftr_out *out)
{
	if (c->kernel && c->kernel < FTR_KERNEL(6, 11)) {
		ftr_out_str(out, "-");
		return;
	}
	ftr_out_printf(out, "lba=%" PRIu64 " txlen=%u boundary_size=%u", be(c, 2, 8),
		       (unsigned int)be(c, 12, 2), (unsigned int)be(c, 10, 2));
}

static void unmap(struct cdb *c, struct ftr_out *out)
{
	ftr_out_printf(out, "regions=%u", ((unsigned int)be(c, 7, 2) - 8) / 16);
}

/* --- commands with a service action in the second byte */

static const char *service(struct cdb *c, const struct scsi_action *names, struct ftr_out *out)
{
	const char *name = action_name(names, byte(c, 1) & 0x1f);

	ftr_out_str(out, name ? name : "UNKNOWN");
	return name;
}

static void service_in(struct cdb *c, struct ftr_out *out)
{
	static const struct scsi_action names[] = {
		{ 0x10, "READ_CAPACITY_16" }, { 0x12, "GET_LBA_STATUS" }, { 0, NULL },
	};

	if (service(c, names, out))
		ftr_out_printf(out, " lba=%" PRIu64 " alloc_len=%u", be(c, 2, 8),
			       (unsigned int)be(c, 10, 4));
}

static void maintenance_in(struct cdb *c, struct ftr_out *out)
{
	static const struct scsi_action names[] = {
		{ 0x05, "REPORT_IDENTIFYING_INFORMATION" }, { 0x0a, "REPORT_TARGET_PORT_GROUPS" },
		{ 0x0b, "REPORT_ALIASES" }, { 0x0c, "REPORT_SUPPORTED_OPERATION_CODES" },
		{ 0x0d, "REPORT_SUPPORTED_TASK_MANAGEMENT_FUNCTIONS" },
		{ 0x0e, "REPORT_PRIORITY" }, { 0x0f, "REPORT_TIMESTAMP" },
		{ 0x10, "MANAGEMENT_PROTOCOL_IN" }, { 0, NULL },
	};

	if (service(c, names, out))
		ftr_out_printf(out, " alloc_len=%u", (unsigned int)be(c, 6, 4));
}

static void maintenance_out(struct cdb *c, struct ftr_out *out)
{
	static const struct scsi_action names[] = {
		{ 0x06, "SET_IDENTIFYING_INFORMATION" }, { 0x0a, "SET_TARGET_PORT_GROUPS" },
		{ 0x0b, "CHANGE_ALIASES" }, { 0x0e, "SET_PRIORITY" }, { 0x0f, "SET_TIMESTAMP" },
		{ 0x10, "MANAGEMENT_PROTOCOL_OUT" }, { 0, NULL },
	};

	if (service(c, names, out))
		ftr_out_printf(out, " alloc_len=%u", (unsigned int)be(c, 6, 4));
}

static void zones_in(struct cdb *c, struct ftr_out *out)
{
	static const struct scsi_action names[] = { { 0x00, "REPORT_ZONES" }, { 0, NULL } };

	if (service(c, names, out))
		ftr_out_printf(out, " zone=%" PRIu64 " alloc_len=%u options=%u partial=%u",
			       be(c, 2, 8), (unsigned int)be(c, 10, 4), byte(c, 14) & 0x3f,
			       byte(c, 14) >> 7);
}

static void zones_out(struct cdb *c, struct ftr_out *out)
{
	static const struct scsi_action names[] = {
		{ 0x01, "CLOSE_ZONE" }, { 0x02, "FINISH_ZONE" }, { 0x03, "OPEN_ZONE" },
		{ 0x04, "RESET_WRITE_POINTER" }, { 0, NULL },
	};

	if (service(c, names, out))
		ftr_out_printf(out, " zone=%" PRIu64 " all=%u", be(c, 2, 8), byte(c, 14) & 1);
}

static const struct {
	uint8_t opcode;
	void (*print)(struct cdb *c, struct ftr_out *out);
} others[] = {
	{ 0x08, six }, { 0x0a, six },
	{ 0x42, unmap },
	{ 0x7f, variable },
	{ 0x94, zones_out }, { 0x95, zones_in },
	{ 0x9c, atomic_write },
	{ 0x9e, service_in },
	{ 0xa3, maintenance_in }, { 0xa4, maintenance_out },
};

static void other(struct cdb *c, struct ftr_out *out)
{
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		if (others[i].opcode != c->p[0])
			continue;
		others[i].print(c, out);
		return;
	}
	ftr_out_str(out, "-");
}

static int parse_cdb(const struct ftr_record *r, const struct ftr_arg *args, struct ftr_out *out,
		     uint64_t *num)
{
	struct cdb c = { args[1].data, args[1].len, false, ftr_record_kernel(r) };

	(void)num;
	if (args[2].num < c.len)
		c.len = args[2].num;
	if (!c.len)
		return FTR_PASS;
	if (!transfer(&c, out))
		other(&c, out);
	return c.cut ? FTR_PASS : FTR_DONE;
}

static const struct ftr_function functions[] = {
	{ "scsi_trace_parse_cdb", "s:-bi", parse_cdb },
	{ NULL, NULL, NULL },
};

static const struct ftr_constant constants[] = {
	{ "SCSI_PROT_NORMAL", 0 }, { "SCSI_PROT_READ_INSERT", 1 }, { "SCSI_PROT_WRITE_STRIP", 2 },
	{ "SCSI_PROT_READ_STRIP", 3 }, { "SCSI_PROT_WRITE_INSERT", 4 },
	{ "SCSI_PROT_READ_PASS", 5 }, { "SCSI_PROT_WRITE_PASS", 6 },
	{ NULL, 0 },
};

FTR_PLUGIN_LATE("");

const struct ftr_plugin ftr_plugin = {
	FTR_PLUGIN_HEAD,
	.name = "scsi",
	.description = "SCSI commands as the kernel prints them",
	.functions = functions,
	.constants = constants,
};
