/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values of names in print fmts: constants of kernel headers, arrays of strings, and values of the
 * recorded boot.
 *
 * Some arguments depend on the build or the boot of a kernel. HZ is a number in a print fmt of
 * writeback, where the source has a macro. vmemmap_base, memstart_addr and the size of struct
 * page, which VMCOREINFO contains, are read from /proc/kcore while recording
 * (record/symbols/kvalues.c). They are not assumed if they are missing: x86 chooses vmemmap_base
 * at boot. jiffies stays unknown, as the age that writeback prints is relative to the moment of
 * printing, not to the record.
 */
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "event/data/data.h"
#include "event/data/kernel_values.h"

#define V(major, minor) KERNEL_VERSION_OF(major, minor)
#define ANY 0

/*
 * A value that is not the same in all kernels has a row for each range of versions; between two
 * ranges it is unknown.
 */
struct kernel_enum {
	const char *name;
	int32_t  value;
	uint32_t first, last;	/* KERNEL_VERSION_OF(), ANY is open */
};

/* Sorted by name. */
static const struct kernel_enum kenums[] = {
#include "event/tables/kenum_table.h"
};
#define NR_KENUMS (sizeof(kenums) / sizeof(*kenums))

/* Macros, names of several enums, and values of kernels before those of the table. */
static const struct kernel_enum others[] = {
	{ "HRTIMER_NORESTART", 0, ANY, ANY }, { "HRTIMER_RESTART", 1, ANY, ANY },
	{ "IPPROTO_TCP", 6, ANY, ANY }, { "NFS4_VERIFIER_SIZE", 8, ANY, ANY },
	{ "BLOCK_IOPOLL_SOFTIRQ", 5, ANY, ANY },	/* IRQ_POLL_SOFTIRQ before 4.5 */
	/* swiotlb before 5.18 */
	{ "SWIOTLB_NORMAL", 0, ANY, ANY }, { "SWIOTLB_FORCE", 1, ANY, ANY },
	{ "SWIOTLB_NO_FORCE", 2, ANY, ANY },
	/* fs/erofs/internal.h: BH_PrivateStart, one less since BH_Uptodate_Lock is gone */
	{ "BH_Zipped", 16, V(5, 5), V(5, 15) },
	/* include/linux/writeback.h; later kernels lack two of them */
	{ "WB_REASON_BACKGROUND", 0, V(3, 2), V(4, 0) },
	{ "WB_REASON_TRY_TO_FREE_PAGES", 1, V(3, 2), V(4, 0) },
	{ "WB_REASON_SYNC", 2, V(3, 2), V(4, 0) },
	{ "WB_REASON_PERIODIC", 3, V(3, 2), V(4, 0) },
	{ "WB_REASON_LAPTOP_TIMER", 4, V(3, 2), V(4, 0) },
	{ "WB_REASON_FREE_MORE_MEM", 5, V(3, 2), V(4, 0) },
	{ "WB_REASON_FS_FREE_SPACE", 6, V(3, 2), V(4, 0) },
	{ "WB_REASON_FORKER_THREAD", 7, V(3, 2), V(4, 0) },
	/* include/linux/migrate_mode.h, migrate.h */
	{ "MIGRATE_ASYNC", 0, ANY, ANY }, { "MIGRATE_SYNC_LIGHT", 1, ANY, ANY },
	{ "MIGRATE_SYNC", 2, ANY, ANY },
	{ "MR_COMPACTION", 0, ANY, ANY }, { "MR_MEMORY_FAILURE", 1, ANY, ANY },
	{ "MR_MEMORY_HOTPLUG", 2, ANY, ANY }, { "MR_SYSCALL", 3, ANY, ANY },
	{ "MR_MEMPOLICY_MBIND", 4, ANY, ANY }, { "MR_NUMA_MISPLACED", 5, V(3, 8), ANY },
	{ "MR_CMA", 6, V(3, 8), V(4, 15) },
	/* enum cpu_idle_type, where 0 has another name since 6.8 */
	{ "CPU_IDLE", 0, V(3, 0), V(4, 19) }, { "CPU_NOT_IDLE", 1, V(3, 0), V(4, 19) },
	{ "CPU_NEWLY_IDLE", 2, V(3, 0), V(4, 19) },
};

/* Names of one system, before TRACE_DEFINE_ENUM(); other systems may have them, too. */
static const struct system_kenum {
	const char *system;
	struct kernel_enum k;
} system_kenums[] = {
	/* fs/f2fs/f2fs.h, segment.h */
	{ "f2fs", { "DATA", 0, ANY, ANY } }, { "f2fs", { "NODE", 1, ANY, ANY } },
	{ "f2fs", { "META", 2, ANY, ANY } }, { "f2fs", { "META_FLUSH", 4, ANY, ANY } },
	{ "f2fs", { "CURSEG_HOT_DATA", 0, ANY, ANY } },
	{ "f2fs", { "CURSEG_WARM_DATA", 1, ANY, ANY } },
	{ "f2fs", { "CURSEG_COLD_DATA", 2, ANY, ANY } },
	{ "f2fs", { "CURSEG_HOT_NODE", 3, ANY, ANY } },
	{ "f2fs", { "CURSEG_WARM_NODE", 4, ANY, ANY } },
	{ "f2fs", { "CURSEG_COLD_NODE", 5, ANY, ANY } },
	{ "f2fs", { "NO_CHECK_TYPE", 6, V(3, 8), V(5, 7) } },
	{ "f2fs", { "BG_GC", 0, ANY, ANY } }, { "f2fs", { "FG_GC", 1, ANY, ANY } },
	{ "f2fs", { "LFS", 0, ANY, ANY } }, { "f2fs", { "SSR", 1, ANY, ANY } },
	{ "f2fs", { "GC_CB", 0, ANY, ANY } }, { "f2fs", { "GC_GREEDY", 1, ANY, ANY } },
};

static int compare_kenum(const char *name, size_t len, const struct kernel_enum *k)
{
	int diff = strncmp(name, k->name, len);

	return diff ? diff : -(k->name[len] != 0);
}

static bool matches_kenum(const struct kernel_enum *k, const char *name, size_t len,
			  uint32_t kernel)
{
	return !compare_kenum(name, len, k) && k->first <= kernel &&
	       (k->last == ANY || kernel <= k->last);
}

bool kenum_find(const char *system, const char *name, size_t len, uint32_t kernel, int64_t *v)
{
	size_t i = SEARCH_ABOVE(i, 0, NR_KENUMS, compare_kenum(name, len, &kenums[i]) > 0);
	const struct kernel_enum *found = NULL;

	for (; !found && i < NR_KENUMS && !compare_kenum(name, len, &kenums[i]); i++)
		if (matches_kenum(&kenums[i], name, len, kernel))
			found = &kenums[i];
	for (i = 0; !found && i < sizeof(others) / sizeof(*others); i++)
		if (matches_kenum(&others[i], name, len, kernel))
			found = &others[i];
	for (i = 0; !found && i < sizeof(system_kenums) / sizeof(*system_kenums); i++)
		if (!strcmp(system_kenums[i].system, system) &&
		    matches_kenum(&system_kenums[i].k, name, len, kernel))
			found = &system_kenums[i].k;
	if (found)
		*v = found->value;
	return found;
}

/* --- arrays of strings that print fmts index: formats have only their names */

/*
 * drivers/android/binder.c. Kernels only added entries: the commands that an older kernel would
 * print as unknown are those that it refuses.
 */
static const char *const binder_commands[] = {
	"BC_TRANSACTION", "BC_REPLY", "BC_ACQUIRE_RESULT", "BC_FREE_BUFFER", "BC_INCREFS",
	"BC_ACQUIRE", "BC_RELEASE", "BC_DECREFS", "BC_INCREFS_DONE", "BC_ACQUIRE_DONE",
	"BC_ATTEMPT_ACQUIRE", "BC_REGISTER_LOOPER", "BC_ENTER_LOOPER", "BC_EXIT_LOOPER",
	"BC_REQUEST_DEATH_NOTIFICATION", "BC_CLEAR_DEATH_NOTIFICATION", "BC_DEAD_BINDER_DONE",
	"BC_TRANSACTION_SG", "BC_REPLY_SG", "BC_REQUEST_FREEZE_NOTIFICATION",
	"BC_CLEAR_FREEZE_NOTIFICATION", "BC_FREEZE_NOTIFICATION_DONE",
};

static const char *const binder_returns[] = {
	"BR_ERROR", "BR_OK", "BR_TRANSACTION", "BR_REPLY", "BR_ACQUIRE_RESULT", "BR_DEAD_REPLY",
	"BR_TRANSACTION_COMPLETE", "BR_INCREFS", "BR_ACQUIRE", "BR_RELEASE", "BR_DECREFS",
	"BR_ATTEMPT_ACQUIRE", "BR_NOOP", "BR_SPAWN_LOOPER", "BR_FINISHED", "BR_DEAD_BINDER",
	"BR_CLEAR_DEATH_NOTIFICATION_DONE", "BR_FAILED_REPLY", "BR_FROZEN_REPLY",
	"BR_ONEWAY_SPAM_SUSPECT", "BR_TRANSACTION_PENDING_FROZEN", "BR_FROZEN_BINDER",
	"BR_CLEAR_FREEZE_NOTIFICATION_DONE",
};

/* Qualcomm's window-based load tracking (WALT), the same in all kernels that have it */
static const char *const task_events[] = {
	"PUT_PREV_TASK", "PICK_NEXT_TASK", "TASK_WAKE", "TASK_MIGRATE", "TASK_UPDATE", "IRQ_UPDATE",
};

static const struct {
	const char *name;
	const char *const *words;
	size_t n;
} arrays[] = {
	{ "binder_command_strings", binder_commands,
	  sizeof(binder_commands) / sizeof(*binder_commands) },
	{ "binder_return_strings", binder_returns,
	  sizeof(binder_returns) / sizeof(*binder_returns) },
	{ "task_event_names", task_events, sizeof(task_events) / sizeof(*task_events) },
};

const char *const *kwords_find(const char *name, size_t len, size_t *n)
{
	for (size_t i = 0; i < sizeof(arrays) / sizeof(*arrays); i++) {
		if (strlen(arrays[i].name) != len || memcmp(arrays[i].name, name, len))
			continue;
		*n = arrays[i].n;
		return arrays[i].words;
	}
	return NULL;
}

/* --- values of one kernel: addresses of its boot, sizes and ticks of its configuration */

/* The types of arch/x86 and arch/arm64. */
static const struct {
	const char *name;
	bool is_signed;
} values[] = {
	{ "vmemmap_base", false }, { "memstart_addr", true },
};

/* Finds the value of @name in "NAME=VALUE;NAME=VALUE". Returns false if it is missing. */
static bool kvalue_parse(const struct event_meta *w, const char *name, size_t len, uint64_t *v)
{
	const char *p = w->values, *end = p + w->values_len, *semi;
	char digits[24];
	size_t n;

	for (; p && p < end; p = semi + 1) {
		semi = memchr(p, ';', end - p);
		semi = semi ? semi : end;
		n = semi - p;
		if (n <= len + 1 || n - len > sizeof(digits) || memcmp(p, name, len) ||
		    p[len] != '=')
			continue;
		memcpy(digits, p + len + 1, n - len - 1);
		digits[n - len - 1] = 0;
		*v = strtoull(digits, NULL, 0);
		return true;
	}
	return false;
}

bool kvalue_find(const struct event_meta *w, const char *name, size_t len, uint64_t *v,
		 bool *is_signed)
{
	for (size_t i = 0; w && i < sizeof(values) / sizeof(*values); i++) {
		if (strlen(values[i].name) != len || memcmp(values[i].name, name, len))
			continue;
		*is_signed = values[i].is_signed;
		return kvalue_parse(w, name, len, v);
	}
	return false;
}

uint32_t kvalue_page_struct(const struct event_meta *w)
{
	static const char name[] = "sizeof(struct page)";
	uint64_t v;

	return w && kvalue_parse(w, name, sizeof(name) - 1, &v) && v <= 4096 ? v : 0;
}

/* "(jiffies - REC->dirtied_when) / 250": HZ is a macro, so the format has its number. */
uint32_t kvalue_hz(const struct event_meta *w)
{
	static const char before[] = "(jiffies - REC->dirtied_when) / ";
	const struct ev_format *f = w ? event_meta_find_name(w, "writeback",
							     "writeback_single_inode") :
		NULL;
	const char *at;
	unsigned long hz;

	if (!f || ev_format_ready(f) || !f->print_fmt)
		return 0;
	at = strstr(f->print_fmt, before);
	hz = at ? strtoul(at + sizeof(before) - 1, NULL, 10) : 0;
	return hz <= 100000 ? hz : 0;
}
