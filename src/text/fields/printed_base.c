/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The base of "name=10" in the text of an event. The tables are those of the print fmts of Linux
 * 3.4 to 7.2, also of modules and of Android: a row has the values that its events print as %x, of
 * which no event with the same prefix prints one as a decimal number. tests/cli/text-bases.sh
 * compares them with the formats of kernels.
 */
#include "text/fields/printed_base.h"

#include <string.h>

/* Events, and those with the prefix before a '*'; and the values that they print as %x. */
static const struct hex_row {
	const char *events, *values;
} hex_rows[] = {
	{ "tcp_*", "sock_cookie" },
	{ "dma_*", "dma_addr phys_addr" },
	{ "mm_* page_cache_*", "ino" },
	{ "mm_khugepaged_* remove_migration_* set_migration_* pagefault_*", "addr" },
	{ "remove_migration_* set_migration_*", "pmd pte" },
	{ "cma_*", "pfn" },
	{ "kfree kmalloc kmalloc_node kmem_cache_*", "call_site" },
	{ "signal_*", "sa_flags sa_handler" },
	{ "task_*", "clone_flags" },
	{ "sched_*", "affine numa_scan_offset vm_end vm_start" },
	{ "tmigr_*", "active child_active childmask group_active groupmask migrator" },
	{ "swiotlb_*", "dev_addr dma_mask" },
	{ "io_uring_*", "addr3" },
	{ "get_mapping_status mptcp_*", "csum" },
	{ "regmap_* snd_soc_preg_* snd_soc_reg_*", "reg val" },
	{ "i2c_* smbus_*", "a f" },
	{ "smbus_*", "c" },
	{ "fscache_*", "C V f os sz" },
	{ "fscache_access* fscache_acquire fscache_cookie fscache_invalidate fscache_relinquish "
	  "fscache_resize", "c" },
	{ "netfs_*", "CR R am c cln col cto f fq frn i ito ix l n ni prg sl sz" },
	{ "netfs_collect* netfs_failure netfs_read netfs_write_iter", "s" },
	{ "netfs_collect*", "r t" },
	{ "netfs_progress", "ct pa s" },
	{ "netfs_write", "by" },
	{ "smb3_*", "R TC" },
	{ "nfs_* nfs4_* nfsd_*", "fsid" },
	{ "nfsd_*", "boot_time" },
	{ "rpc_clnt_*", "client" },
	{ "cxl_*", "device dpa handle head_id hpa hpa_alias0 ld_id nibble_mask related_handle" },
	{ "amdgpu_*", "addr enc eoffs flags last offset pd_addr pe plane soffs src start "
	  "update_flags" },
	{ "adreno_drawctxt_switch adreno_gpu_fault", "IB1 IB2 RB flags status" },
	{ "adreno_cmdbatch_*", "w" },
	{ "rwmmio_*", "addr width" },
	{ "i915_gem_* mlx5_*", "flags" },
	{ "mlx5_fs_*", "bit_mask flow_tag" },
	{ "intel_*", "crc" },
	{ "ion_cp_* ion_secure_*", "align flags len" },
	{ "iommu_sec_*", "va" },
	{ "msm_smem_*", "buffer_size" },
	{ "dmadebug_*", "iova phys" },
	{ "nvhost_* gk20a_*", "mem_id" },
	{ "nvhost_*", "cmdbuf_mem cmdbuf_offset iova op1 op2 restore_mem save_mem target "
	  "target_offset" },
	{ "nvhost_syncpt_*", "offset" },
	{ "display_syncpt_*", "id max min" },
	{ "ucsi_*", "change opmode partner_flags partner_type request_data_obj status" },
	{ "rdev_*", "proto" },
	{ "dvfs_*", "ppc_base" },
	{ "nfcc_*", "vendor_id" },
	{ "sde_*", "fmt" },
	{ "host_ffa_*", "a4" },
	{ "vcpu_*", "esr_el2" },
};

/* Values that are decimal numbers of one kernel, and hexadecimal ones of another. */
static const struct hex_row text_rows[] = {
	{ "fscache_active", "c" },
	{ "netfs_sreq", "s" },
	{ "amdgpu_dm_crtc_*", "conn" },
};

/* Values that all events print as %x or %p, so that those of other events may be so. */
static const char hex_values[] =
	"addr3 buffer_size childmask clone_flags cmdbuf_mem csum daddr dev_addr dma_addr dma_mask "
	"dpa esr_el2 fl_blocker fl_owner groupmask hpa iova nibble_mask pd_addr phys_addr "
	"partner_flags sa_flags sa_handler saddr skaddr skbaddr sock_cookie update_flags";

/* Returns true if @word is one of the words of @words, or starts with one that ends with '*'. */
static bool has_word(const char *words, const char *word, size_t len)
{
	size_t n;

	for (; *words; words += n + (words[n] == ' ')) {
		n = strcspn(words, " ");
		if (words[n - 1] == '*' ? len >= n - 1 && !memcmp(words, word, n - 1)
					: len == n && !memcmp(words, word, n))
			return true;
	}
	return false;
}

static bool find_row(const struct hex_row *rows, size_t n, const char *event, const char *name,
		     size_t len)
{
	size_t event_len = strlen(event);

	for (size_t i = 0; i < n; i++)
		if (has_word(rows[i].values, name, len) &&
		    has_word(rows[i].events, event, event_len))
			return true;
	return false;
}

enum printed_base base_of_event(const char *event, const char *name, size_t len)
{
	if (find_row(hex_rows, sizeof(hex_rows) / sizeof(*hex_rows), event, name, len))
		return BASE_HEX;
	if (find_row(text_rows, sizeof(text_rows) / sizeof(*text_rows), event, name, len) ||
	    has_word(hex_values, name, len))
		return BASE_NONE;
	return BASE_OF_TEXT;
}

static bool is_name_char(char c)
{
	return c == '_' || c == '-' || c == '.' || (c >= '0' && c <= '9') ||
	       ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* Returns the base of a conversion: "%08x". */
static enum printed_base base_of_spec(const char *spec)
{
	const char *letter = spec + 1 + strspn(spec + 1, "-+ #0123456789.hlLqjzt");

	/* it has "0x", or %pS, and those of network addresses */
	if (memchr(spec, '#', letter - spec))
		return BASE_OF_TEXT;
	if (*letter == 'p' && (letter[1] == '_' || is_name_char(letter[1])))
		return BASE_NONE;
	if (strchr("xXp", *letter))
		return BASE_HEX;
	return strchr("diu", *letter) ? BASE_OF_TEXT : BASE_NONE;
}

bool base_of_print(const char *print, const char *name, size_t len, enum printed_base *base)
{
	const char *at = print;

	while ((at = strstr(at, "="))) {
		const char *from = (size_t)(at - print) > len ? at - len : NULL;

		at++;
		if (!from || memcmp(from, name, len) || is_name_char(from[-1]))
			continue;
		if (*at == '%')
			*base = base_of_spec(at);
		else
			*base = strncmp(at, "0x%", 3) ? BASE_NONE : BASE_OF_TEXT;
		return true;
	}
	return false;
}
