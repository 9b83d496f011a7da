/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Constants of kernel headers that print fmts name instead of their values. */
#include <string.h>

#include "base/search.h"
#include "event/data/known.h"
#include "event/data/data.h"

#define V(major, minor) KERNEL_VERSION_OF(major, minor)
#define ANY 0

/*
 * A value that is not the same in all kernels has a row for each span of them; between two spans it
 * is not known.
 */
struct kenum {
	const char *name;
	int32_t  value;
	uint32_t first, last;	/* KERNEL_VERSION_OF(), ANY is open */
};

/* Sorted by name. */
static const struct kenum kenums[] = {
#include "event/data/kenum_table.h"
};
#define NR_KENUMS (sizeof(kenums) / sizeof(*kenums))

/* What kernels have as macros, as a name of several enums, or had before those of the table. */
static const struct kenum others[] = {
	{ "HRTIMER_NORESTART", 0, ANY, ANY }, { "HRTIMER_RESTART", 1, ANY, ANY },
	{ "IPPROTO_TCP", 6, ANY, ANY }, { "NFS4_VERIFIER_SIZE", 8, ANY, ANY },
	{ "BLOCK_IOPOLL_SOFTIRQ", 5, ANY, ANY },	/* IRQ_POLL_SOFTIRQ before 4.5 */
	/* swiotlb before 5.18 */
	{ "SWIOTLB_NORMAL", 0, ANY, ANY }, { "SWIOTLB_FORCE", 1, ANY, ANY },
	{ "SWIOTLB_NO_FORCE", 2, ANY, ANY },
	/* fs/erofs/internal.h: BH_PrivateStart, one less since BH_Uptodate_Lock is gone */
	{ "BH_Zipped", 16, V(5, 5), V(5, 15) },
	/* include/linux/writeback.h; two of them are gone since then */
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

/* Names that other systems may give to something else, before these had TRACE_DEFINE_ENUM(). */
static const struct system_kenum {
	const char *system;
	struct kenum k;
} of_systems[] = {
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

static int compare_kenum(const char *name, size_t len, const struct kenum *k)
{
	int diff = strncmp(name, k->name, len);

	return diff ? diff : -(k->name[len] != 0);
}

/* The first row of @name, or the end. */
static const struct kenum *search_kenums(const char *name, size_t len)
{
	return &kenums[SEARCH_ABOVE(i, 0, NR_KENUMS, compare_kenum(name, len, &kenums[i]) > 0)];
}

static bool is_in(const struct kenum *k, uint32_t kernel)
{
	return k->first <= kernel && (k->last == ANY || kernel <= k->last);
}

static bool find_other(const char *name, size_t len, uint32_t kernel, int64_t *v)
{
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		if (compare_kenum(name, len, &others[i]) || !is_in(&others[i], kernel))
			continue;
		*v = others[i].value;
		return true;
	}
	return false;
}

static bool find_of_system(const char *system, const char *name, size_t len, uint32_t kernel,
			   int64_t *v)
{
	for (size_t i = 0; i < sizeof(of_systems) / sizeof(*of_systems); i++) {
		const struct kenum *k = &of_systems[i].k;

		if (strcmp(of_systems[i].system, system) || compare_kenum(name, len, k) ||
		    !is_in(k, kernel))
			continue;
		*v = k->value;
		return true;
	}
	return false;
}

bool kenum_find(const char *system, const char *name, size_t len, uint32_t kernel, int64_t *v)
{
	const struct kenum *k = search_kenums(name, len), *end = kenums + NR_KENUMS;

	for (; k < end && !compare_kenum(name, len, k); k++) {
		if (!is_in(k, kernel))
			continue;
		*v = k->value;
		return true;
	}
	return find_other(name, len, kernel, v) || find_of_system(system, name, len, kernel, v);
}
