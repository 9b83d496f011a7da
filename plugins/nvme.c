/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Commands of NVMe as the kernel spells them (drivers/nvme/host/trace.c). */
#include <inttypes.h>

#include "ftr/plugin.h"

#define CDW_LEN 24		/* from command dword 10 on; "specific" of Fabrics */

enum form { DEC, HEX, BYTE };

/* A value: (bytes [at, at + size), little-endian) >> shift & mask; with a word if it has some. */
struct nvme_field {
	const char *name;	/* NULL ends them */
	uint8_t at, size, shift, mask;		/* mask 0: all of it */
	enum form form;
	const char *const *words;
	uint8_t nr_words;
};

#define WORDS(w) (w), sizeof(w) / sizeof(*(w))
#define IEKEY { "iekey", 0, 1, 3, 1, DEC, NULL, 0 }
#define END { NULL, 0, 0, 0, 0, DEC, NULL, 0 }

static const char *const zsa[] = {
	[1] = "close zone", [2] = "finish zone", [3] = "open zone", [4] = "reset zone",
	[5] = "offline zone", [16] = "set zone descriptor extension",
};
static const char *const zrasf[] = {
	[0] = "list all zones",
	[1] = "list the zones in the ZSE: Empty state",
	[2] = "list the zones in the ZSIO: Implicitly Opened state",
	[3] = "list the zones in the ZSEO: Explicitly Opened state",
	[4] = "list the zones in the ZSC: Closed state",
	[5] = "list the zones in the ZSF: Full state",
	[6] = "list the zones in the ZSRO: Read Only state",
	[7] = "list the zones in the ZSO: Offline state",
	[9] = "list the zones that have the zone attribute",
};
static const char *const rrega[] = { "register", "unregister", "replace" };
static const char *const racqa[] = { "acquire", "preempt", "preempt and abort" };
static const char *const rrela[] = { "release", "clear" };
static const char *const rtype[] = {
	"reserved", "write exclusive", "exclusive access", "write exclusive registrants only",
	"exclusive access registrants only", "write exclusive all registrants",
	"exclusive access all registrants",
};

static const struct nvme_field
	delete_sq[] = { { "sqid", 0, 2, 0, 0, DEC, NULL, 0 }, END },
	create_sq[] = {
		{ "sqid", 0, 2, 0, 0, DEC, NULL, 0 }, { "qsize", 2, 2, 0, 0, DEC, NULL, 0 },
		{ "sq_flags", 4, 2, 0, 0, HEX, NULL, 0 }, { "cqid", 6, 2, 0, 0, DEC, NULL, 0 }, END
	},
	delete_cq[] = { { "cqid", 0, 2, 0, 0, DEC, NULL, 0 }, END },
	create_cq[] = {
		{ "cqid", 0, 2, 0, 0, DEC, NULL, 0 }, { "qsize", 2, 2, 0, 0, DEC, NULL, 0 },
		{ "cq_flags", 4, 2, 0, 0, HEX, NULL, 0 },
		{ "irq_vector", 6, 2, 0, 0, DEC, NULL, 0 }, END
	},
	identify[] = {
		{ "cns", 0, 1, 0, 0, DEC, NULL, 0 }, { "ctrlid", 2, 2, 0, 0, DEC, NULL, 0 }, END
	},
	set_features[] = {
		{ "fid", 0, 1, 0, 0, HEX, NULL, 0 }, { "sv", 3, 1, 0, 8, HEX, NULL, 0 },
		{ "cdw11", 4, 4, 0, 0, HEX, NULL, 0 }, END
	},
	get_features[] = {
		{ "fid", 0, 1, 0, 0, HEX, NULL, 0 }, { "sel", 1, 1, 0, 7, HEX, NULL, 0 },
		{ "cdw11", 4, 4, 0, 0, HEX, NULL, 0 }, END
	},
	get_lba_status[] = {
		{ "slba", 0, 8, 0, 0, HEX, NULL, 0 }, { "mndw", 8, 4, 0, 0, HEX, NULL, 0 },
		{ "rl", 12, 2, 0, 0, HEX, NULL, 0 }, { "atype", 15, 1, 0, 0, DEC, NULL, 0 }, END
	},
	format_nvm_short[] = {
		{ "lbaf", 0, 1, 0, 0xf, DEC, NULL, 0 }, { "mset", 0, 1, 4, 1, DEC, NULL, 0 },
		{ "pi", 0, 1, 5, 7, DEC, NULL, 0 }, { "pil", 1, 1, 0, 1, DEC, NULL, 0 },
		{ "ses", 1, 1, 1, 7, DEC, NULL, 0 }, END
	},
	/* behind lbaf, which is in two pieces */
	format_nvm[] = {
		{ "mset", 0, 1, 4, 1, DEC, NULL, 0 }, { "pi", 0, 1, 5, 7, DEC, NULL, 0 },
		{ "pil", 1, 1, 0, 1, DEC, NULL, 0 }, { "ses", 1, 1, 1, 7, DEC, NULL, 0 }, END
	},
	read_write[] = {
		{ "slba", 0, 8, 0, 0, DEC, NULL, 0 }, { "len", 8, 2, 0, 0, DEC, NULL, 0 },
		{ "ctrl", 10, 2, 0, 0, HEX, NULL, 0 }, { "dsmgmt", 12, 4, 0, 0, DEC, NULL, 0 },
		{ "reftag", 16, 4, 0, 0, DEC, NULL, 0 }, END
	},
	dsm[] = {
		{ "nr", 0, 4, 0, 0, DEC, NULL, 0 }, { "attributes", 4, 4, 0, 0, DEC, NULL, 0 }, END
	},
	zone_send_numbers[] = {
		{ "slba", 0, 8, 0, 0, DEC, NULL, 0 }, { "zsa", 12, 1, 0, 0, DEC, NULL, 0 },
		{ "all", 13, 1, 0, 0, DEC, NULL, 0 }, END
	},
	zone_send[] = {
		{ "slba", 0, 8, 0, 0, DEC, NULL, 0 }, { "zsa", 12, 1, 0, 0, DEC, WORDS(zsa) },
		{ "all", 13, 1, 0, 0, DEC, NULL, 0 }, END
	},
	zone_recv_numbers[] = {
		{ "slba", 0, 8, 0, 0, DEC, NULL, 0 }, { "numd", 8, 4, 0, 0, DEC, NULL, 0 },
		{ "zra", 12, 1, 0, 0, DEC, NULL, 0 }, { "zrasf", 13, 1, 0, 0, DEC, NULL, 0 },
		{ "pr", 14, 1, 0, 0, DEC, NULL, 0 }, END
	},
	zone_recv[] = {
		{ "slba", 0, 8, 0, 0, DEC, NULL, 0 }, { "numd", 8, 4, 0, 0, DEC, NULL, 0 },
		{ "zra", 12, 1, 0, 0, DEC, NULL, 0 }, { "zrasf", 13, 1, 0, 0, DEC, WORDS(zrasf) },
		{ "pr", 14, 1, 0, 0, DEC, NULL, 0 }, END
	},
	resv_register_numbers[] = {
		{ "rrega", 0, 1, 0, 7, DEC, NULL, 0 }, IEKEY, { "ptpl", 3, 1, 6, 3, DEC, NULL, 0 },
		END
	},
	resv_register[] = {
		{ "rrega", 0, 1, 0, 7, DEC, WORDS(rrega) }, IEKEY,
		{ "ptpl", 3, 1, 6, 3, DEC, NULL, 0 }, END
	},
	resv_acquire_numbers[] = {
		{ "racqa", 0, 1, 0, 7, DEC, NULL, 0 }, IEKEY, { "rtype", 1, 1, 0, 0, DEC, NULL, 0 },
		END
	},
	resv_acquire[] = {
		{ "racqa", 0, 1, 0, 7, DEC, WORDS(racqa) }, IEKEY,
		{ "rtype", 1, 1, 0, 0, DEC, WORDS(rtype) }, END
	},
	resv_release_numbers[] = {
		{ "rrela", 0, 1, 0, 7, DEC, NULL, 0 }, IEKEY, { "rtype", 1, 1, 0, 0, DEC, NULL, 0 },
		END
	},
	resv_release[] = {
		{ "rrela", 0, 1, 0, 7, DEC, WORDS(rrela) }, IEKEY,
		{ "rtype", 1, 1, 0, 0, DEC, WORDS(rtype) }, END
	},
	resv_report[] = {
		{ "numd", 0, 4, 0, 0, DEC, NULL, 0 }, { "eds", 4, 1, 0, 1, DEC, NULL, 0 }, END
	},
	property_set[] = {
		{ "attrib", 0, 1, 0, 0, DEC, NULL, 0 }, { "ofst", 4, 4, 0, 0, HEX, NULL, 0 },
		{ "value", 8, 8, 0, 0, HEX, NULL, 0 }, END
	},
	connect[] = {
		{ "recfmt", 0, 2, 0, 0, DEC, NULL, 0 }, { "qid", 2, 2, 0, 0, DEC, NULL, 0 },
		{ "sqsize", 4, 2, 0, 0, DEC, NULL, 0 }, { "cattr", 6, 1, 0, 0, DEC, NULL, 0 },
		{ "kato", 8, 4, 0, 0, DEC, NULL, 0 }, END
	},
	property_get[] = {
		{ "attrib", 0, 1, 0, 0, DEC, NULL, 0 }, { "ofst", 4, 4, 0, 0, HEX, NULL, 0 }, END
	},
	auth_send[] = {
		{ "spsp0", 1, 1, 0, 0, BYTE, NULL, 0 }, { "spsp1", 2, 1, 0, 0, BYTE, NULL, 0 },
		{ "secp", 3, 1, 0, 0, BYTE, NULL, 0 }, { "tl", 4, 4, 0, 0, DEC, NULL, 0 }, END
	},
	auth_receive[] = {
		{ "spsp0", 1, 1, 0, 0, BYTE, NULL, 0 }, { "spsp1", 2, 1, 0, 0, BYTE, NULL, 0 },
		{ "secp", 3, 1, 0, 0, BYTE, NULL, 0 }, { "al", 4, 4, 0, 0, DEC, NULL, 0 }, END
	},
	as_bytes[] = { END };

enum set { ADMIN, NVM, FABRICS };

#define K(major, minor) FTR_KERNEL(major, minor)
#define ANY 0

/*
 * What each command is decoded to, and by which kernels: 6.1, 6.12 and 7.2 were looked at, so
 * between two spans nothing is known. Commands without a row are bytes in all of them.
 */
static const struct nvme_command {
	enum set set;
	uint8_t opcode;
	uint32_t first, last;
	const struct nvme_field *parts;
} commands[] = {
	{ ADMIN, 0x00, K(6, 1), ANY, delete_sq }, { ADMIN, 0x01, ANY, ANY, create_sq },
	{ ADMIN, 0x04, K(6, 1), ANY, delete_cq }, { ADMIN, 0x05, ANY, ANY, create_cq },
	{ ADMIN, 0x06, ANY, ANY, identify }, { ADMIN, 0x09, K(6, 1), ANY, set_features },
	{ ADMIN, 0x0a, K(6, 1), ANY, get_features },
	{ ADMIN, 0x80, K(6, 1), K(6, 1), format_nvm_short },
	{ ADMIN, 0x80, K(6, 12), ANY, format_nvm },
	{ ADMIN, 0x86, K(6, 1), ANY, get_lba_status },
	{ NVM, 0x01, ANY, ANY, read_write }, { NVM, 0x02, ANY, ANY, read_write },
	{ NVM, 0x08, ANY, ANY, read_write }, { NVM, 0x09, ANY, ANY, dsm },
	{ NVM, 0x0d, ANY, K(6, 1), as_bytes },
	{ NVM, 0x0d, K(6, 12), K(6, 12), resv_register_numbers },
	{ NVM, 0x0d, K(7, 2), ANY, resv_register },
	{ NVM, 0x0e, ANY, K(6, 1), as_bytes }, { NVM, 0x0e, K(6, 12), ANY, resv_report },
	{ NVM, 0x11, ANY, K(6, 1), as_bytes },
	{ NVM, 0x11, K(6, 12), K(6, 12), resv_acquire_numbers },
	{ NVM, 0x11, K(7, 2), ANY, resv_acquire },
	{ NVM, 0x15, ANY, K(6, 1), as_bytes },
	{ NVM, 0x15, K(6, 12), K(6, 12), resv_release_numbers },
	{ NVM, 0x15, K(7, 2), ANY, resv_release },
	{ NVM, 0x79, K(6, 1), K(6, 1), zone_send_numbers }, { NVM, 0x79, K(6, 12), ANY, zone_send },
	{ NVM, 0x7a, K(6, 1), K(6, 1), zone_recv_numbers }, { NVM, 0x7a, K(6, 12), ANY, zone_recv },
	{ NVM, 0x7d, K(6, 1), ANY, read_write },
	{ FABRICS, 0x00, ANY, ANY, property_set }, { FABRICS, 0x01, ANY, ANY, connect },
	{ FABRICS, 0x04, ANY, ANY, property_get }, { FABRICS, 0x05, K(6, 1), ANY, auth_send },
	{ FABRICS, 0x06, K(6, 1), ANY, auth_receive },
};

static uint64_t value(const uint8_t *p, const struct nvme_field *part)
{
	uint64_t v = 0;

	for (unsigned int i = part->size; i-- > 0;)
		v = v << 8 | p[part->at + i];
	return part->mask ? v >> part->shift & part->mask : v;
}

static void print(struct ftr_out *out, const struct nvme_field *part, uint64_t v)
{
	static const char *const forms[] = {
		[DEC] = "%s=%" PRIu64, [HEX] = "%s=0x%" PRIx64, [BYTE] = "%s=%02" PRIx64,
	};

	ftr_out_printf(out, forms[part->form], part->name, v);
	if (part->words)
		ftr_out_printf(out, ":%s", v < part->nr_words && part->words[v] ?
			       part->words[v] : "reserved");
}

static void print_bytes(struct ftr_out *out, const char *name, const uint8_t *p)
{
	ftr_out_printf(out, "%s=", name);
	for (unsigned int i = 0; i < CDW_LEN; i++)
		ftr_out_printf(out, "%s%02x", i ? " " : "", p[i]);
}

static void decode(struct ftr_out *out, const struct nvme_field *parts, const uint8_t *p)
{
	if (parts == format_nvm)
		ftr_out_printf(out, "lbaf=%u, ", (p[1] & 0x30) | (p[0] & 0xf));
	for (; parts->name; parts++) {
		print(out, parts, value(p, parts));
		ftr_out_str(out, parts[1].name ? ", " : "");
	}
}

static int command_in_kernel(const struct nvme_command *c, uint32_t kernel)
{
	if (!kernel)
		return !c->first && !c->last;
	return c->first <= kernel && (!c->last || kernel <= c->last);
}

static int command(const struct ftr_record *r, enum set set, const struct ftr_arg *args,
		   struct ftr_out *out)
{
	const struct nvme_command *c = commands, *end = c + sizeof(commands) / sizeof(*commands);
	const char *name = set == FABRICS ? "specific" : "cdw10";
	uint8_t opcode = args[1].num;
	int known = 1;

	if (!args[2].data || args[2].len < CDW_LEN)
		return FTR_PASS;
	for (; c < end; c++) {
		if (c->set != set || c->opcode != opcode)
			continue;
		known = command_in_kernel(c, ftr_record_kernel(r));
		if (known)
			break;
	}
	if (!known)
		return FTR_PASS;
	if (c < end && c->parts != as_bytes)
		decode(out, c->parts, args[2].data);
	else
		print_bytes(out, name, args[2].data);
	return FTR_DONE;
}

static int admin(const struct ftr_record *r, const struct ftr_arg *args, struct ftr_out *out,
		 uint64_t *num)
{
	(void)num;
	return command(r, ADMIN, args, out);
}

static int nvm(const struct ftr_record *r, const struct ftr_arg *args, struct ftr_out *out,
	       uint64_t *num)
{
	(void)num;
	return command(r, NVM, args, out);
}

static int fabrics(const struct ftr_record *r, const struct ftr_arg *args, struct ftr_out *out,
		   uint64_t *num)
{
	(void)num;
	return command(r, FABRICS, args, out);
}

static int disk(const struct ftr_record *r, const struct ftr_arg *args, struct ftr_out *out,
		uint64_t *num)
{
	(void)r;
	(void)num;
	if (args[1].len)
		ftr_out_printf(out, "disk=%s, ", (const char *)args[1].data);
	return FTR_DONE;
}

static const struct ftr_function functions[] = {
	{ "nvme_trace_disk_name", "s:-s", disk },
	{ "nvme_trace_parse_admin_cmd", "s:-ib", admin },
	{ "nvme_trace_parse_nvm_cmd", "s:-ib", nvm },
	{ "nvme_trace_parse_fabrics_cmd", "s:-ib", fabrics },
	{ NULL, NULL, NULL },
};

FTR_PLUGIN_LATE("");

const struct ftr_plugin ftr_plugin = {
	FTR_PLUGIN_HEAD,
	.name = "nvme",
	.description = "commands of NVMe and NVMe over Fabrics",
	.functions = functions,
};
