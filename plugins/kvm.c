/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kvmmmu events about shadow pages. Their print fmt is code with a bit field, whose layout is not
 * in the format; and is_writable_pte(), which older kernels call.
 */
#include <inttypes.h>
#include <string.h>

#include "ftr/plugin.h"

enum { GEN, GFN, ROLE, ROOTS, UNSYNC, CREATED };
static const char *const fields[] = {
	"mmu_valid_gen", "gfn", "role", "root_count", "unsync", "created?", NULL,
};

/* union kvm_mmu_page_role of x86. Since 5.18 bit 4 says that guest entries have 4 bytes. */
#define LEVEL(role)	((role) & 15)
#define FOUR_BYTE	0x10
#define QUADRANT(role)	((role) >> 5 & 3)
#define DIRECT		0x80
#define ACCESS(role)	((role) >> 8 & 7)
#define INVALID		0x800
#define NX		0x1000
#define AD_DISABLED	0x10000

/* Another layout, another text: then the print fmt has other words. */
static int bind(struct ftr_bind *b, void **priv)
{
	static const char *const words[] = {
		"sp gen %u gfn %llx l%u %u-byte q%u%s %s%s", " %snxe %sad root %u %s%c",
		"role.has_4_byte_gpte ? 4 : 8", "role.ad_disabled ? \"!\" : \"\"",
		"\"---\", \"--x\", \"w--\", \"w-x\", \"-u-\", \"-ux\", \"wu-\", \"wux\"",
	};

	(void)priv;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strstr(ftr_bind_print_fmt(b), words[i]))
			return FTR_PASS;
	return FTR_DONE;
}

static int page(const struct ftr_record *r, struct ftr_out *out, void *priv)
{
	static const char *const access[] = {
		"---", "--x", "w--", "w-x", "-u-", "-ux", "wu-", "wux",
	};
	uint32_t role = ftr_field_u64(r, ROLE);

	(void)priv;
	ftr_out_printf(out,
		       "sp gen %u gfn %" PRIx64 " l%u %u-byte q%u%s %s%s %snxe %sad root %u %s",
		       (unsigned int)ftr_field_u64(r, GEN), ftr_field_u64(r, GFN), LEVEL(role),
		       role & FOUR_BYTE ? 4 : 8, QUADRANT(role), role & DIRECT ? " direct" : "",
		       access[ACCESS(role)], role & INVALID ? " invalid" : "",
		       role & NX ? "" : "!", role & AD_DISABLED ? "!" : "",
		       (unsigned int)ftr_field_u64(r, ROOTS),
		       ftr_field_u64(r, UNSYNC) ? "unsync" : "sync");
	if (ftr_field_present(r, CREATED))
		ftr_out_str(out, ftr_field_u64(r, CREATED) ? " new" : " existing");
	return FTR_DONE;
}

static int is_writable_pte(const struct ftr_record *r, const struct ftr_arg *args,
			   struct ftr_out *out, uint64_t *num)
{
	(void)r;
	(void)out;
	*num = args[0].num & 2;
	return FTR_DONE;
}

static const struct ftr_formatter formatters[] = {
	{ "kvmmmu", "kvm_mmu_get_page", fields, bind, page, NULL },
	{ "kvmmmu", "kvm_mmu_sync_page", fields, bind, page, NULL },
	{ "kvmmmu", "kvm_mmu_unsync_page", fields, bind, page, NULL },
	{ "kvmmmu", "kvm_mmu_prepare_zap_page", fields, bind, page, NULL },
	{ NULL, NULL, NULL, NULL, NULL, NULL },
};

static const struct ftr_function functions[] = {
	{ "is_writable_pte", "i:i", is_writable_pte },
	{ NULL, NULL, NULL },
};

const struct ftr_plugin ftr_plugin = {
	FTR_PLUGIN_HEAD,
	.name = "kvm",
	.description = "shadow pages of x86",
	.formatters = formatters,
	.functions = functions,
};
