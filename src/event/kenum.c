/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Constants of kernel headers that print fmts name instead of their values. */
#include <string.h>

#include "event/expr.h"

#define V(major, minor) KERNEL_VERSION_OF(major, minor)
#define ANY 0

/*
 * Sorted by name. A value that is not the same in all kernels has a row for each span of them;
 * between two spans it is not known.
 */
static const struct kenum {
	const char *name;
	int32_t  value;
	uint32_t first, last;	/* KERNEL_VERSION_OF(), ANY is open */
} kenums[] = {
#include "event/kenum_table.h"
};
#define NR_KENUMS (sizeof(kenums) / sizeof(*kenums))

/* What kernels have as macros, or as a name of several enums. */
static const struct {
	const char *name;
	int32_t value;
} macros[] = {
	{ "HRTIMER_NORESTART", 0 }, { "HRTIMER_RESTART", 1 }, { "IPPROTO_TCP", 6 },
	{ "NFS4_VERIFIER_SIZE", 8 },
	{ "BLOCK_IOPOLL_SOFTIRQ", 5 },	/* IRQ_POLL_SOFTIRQ before 4.5 */
	/* enum netdev_cmd */
	{ "NETDEV_UP", 1 }, { "NETDEV_CHANGE", 4 }, { "NETDEV_UNREGISTER", 6 },
	{ "NETDEV_CHANGEMTU", 7 }, { "NETDEV_CHANGEADDR", 8 }, { "NETDEV_GOING_DOWN", 10 },
	{ "NETDEV_CHANGENAME", 11 },
	/* swiotlb before 5.18 */
	{ "SWIOTLB_NORMAL", 0 }, { "SWIOTLB_FORCE", 1 }, { "SWIOTLB_NO_FORCE", 2 },
	/* mlx5: bits of the device's interface */
	{ "MLX5_FLOW_CONTEXT_ACTION_ALLOW", 0x1 }, { "MLX5_FLOW_CONTEXT_ACTION_DROP", 0x2 },
	{ "MLX5_FLOW_CONTEXT_ACTION_FWD_DEST", 0x4 }, { "MLX5_FLOW_CONTEXT_ACTION_COUNT", 0x8 },
	{ "MLX5_FLOW_CONTEXT_ACTION_PACKET_REFORMAT", 0x10 },
	{ "MLX5_FLOW_CONTEXT_ACTION_DECAP", 0x20 }, { "MLX5_FLOW_CONTEXT_ACTION_MOD_HDR", 0x40 },
};

static int compare(const char *name, size_t len, const struct kenum *k)
{
	int diff = strncmp(name, k->name, len);

	return diff ? diff : -(k->name[len] != 0);
}

/* The first row of @name, or the end. */
static const struct kenum *search(const char *name, size_t len)
{
	size_t lo = 0, hi = NR_KENUMS, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (compare(name, len, &kenums[mid]) > 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return &kenums[lo];
}

static bool is_in(const struct kenum *k, uint32_t kernel)
{
	return k->first <= kernel && (k->last == ANY || kernel <= k->last);
}

static bool find_macro(const char *name, size_t len, int64_t *v)
{
	for (size_t i = 0; i < sizeof(macros) / sizeof(*macros); i++) {
		if (strlen(macros[i].name) != len || memcmp(macros[i].name, name, len))
			continue;
		*v = macros[i].value;
		return true;
	}
	return false;
}

bool kenum_find(const char *name, size_t len, uint32_t kernel, int64_t *v)
{
	const struct kenum *k = search(name, len), *end = kenums + NR_KENUMS;

	for (; k < end && !compare(name, len, k); k++) {
		if (!is_in(k, kernel))
			continue;
		*v = k->value;
		return true;
	}
	return find_macro(name, len, v);
}
