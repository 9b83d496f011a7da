/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the recorder knew by the kernel's counters, and the sub-buffers do not say. */
#include <stdlib.h>

#include "cmd/info.h"

static bool take_decimal(const char **p, const char *end, uint64_t *v)
{
	const char *start = *p;

	for (*v = 0; *p < end && **p >= '0' && **p <= '9'; (*p)++)
		*v = *v * 10 + (**p - '0');
	return *p > start;
}

/* The kernel's own count is the larger one where a sub-buffer had no room for it. */
static void know_lost(struct tally *t, uint64_t n)
{
	if (!n || t->lost > n)
		return;
	t->lost = n;
	t->lost_unknown = false;
}

/* A mark in the sub-buffers says only that there was more before. */
static void know_overwritten(struct tally *t, uint64_t n)
{
	if (!t->lost && !t->lost_unknown)
		return;
	t->overwritten = n;
	t->lost = 0;
	t->lost_unknown = false;
}

/* Calls @know for "0:46716 3:12", which is in the order of @b's CPUs. */
static void know_counts(struct buffer_info *bi, const struct dat_buffer *b, const char *p,
			const char *end, void (*know)(struct tally *t, uint64_t n))
{
	uint64_t cpu, n;
	size_t i = 0;

	while (take_decimal(&p, end, &cpu) && p < end && *p++ == ':' && take_decimal(&p, end, &n)) {
		while (i < b->nr_cpus && (uint64_t)b->cpus[i].cpu != cpu)
			i++;
		if (i < b->nr_cpus)
			know(&bi->cpus[i], n);
		p += p < end && *p == ' ';
	}
}

static void sum_lost(struct buffer_info *bi, const struct dat_buffer *b)
{
	bi->sum.lost = bi->sum.overwritten = 0;
	bi->sum.lost_unknown = false;
	for (size_t i = 0; i < b->nr_cpus; i++) {
		bi->sum.lost += bi->cpus[i].lost;
		bi->sum.lost_unknown |= bi->cpus[i].lost_unknown;
		bi->sum.overwritten += bi->cpus[i].overwritten;
	}
}

void info_apply_counters(struct buffer_info *v, const struct dat *d)
{
	static const struct {
		const char *key;
		void (*know)(struct tally *t, uint64_t n);
	} keys[] = { { "overwritten", know_overwritten }, { "lost", know_lost } };
	const char *name, *text;
	size_t i, k, len;
	char *key;

	for (i = 0; i < d->nr_buffers; i++) {
		name = d->buffers[i].name;
		for (k = 0; k < sizeof(keys) / sizeof(*keys); k++) {
			key = xasprintf("%s%s%s", keys[k].key, *name ? "." : "", name);
			text = dat_ftr_value(d, key, &len);
			if (text) {
				know_counts(&v[i], &d->buffers[i], text, text + len, keys[k].know);
				sum_lost(&v[i], &d->buffers[i]);
			}
			free(key);
		}
	}
}
