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

bool kenum_find(const char *name, size_t len, uint32_t kernel, int64_t *v)
{
	const struct kenum *k = search_kenums(name, len), *end = kenums + NR_KENUMS;

	for (; k < end && !compare_kenum(name, len, k); k++) {
		if (!is_in(k, kernel))
			continue;
		*v = k->value;
		return true;
	}
	return find_other(name, len, kernel, v);
}
