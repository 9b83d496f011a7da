/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Constants of kernel headers that print fmts name instead of their values. */
#include <string.h>

#include "event/expr.h"

static const struct {
	const char *name;
	int64_t value;
} kenums[] = {
	{ "HI_SOFTIRQ", 0 }, { "TIMER_SOFTIRQ", 1 },
};

bool kenum_find(const char *system, const char *name, size_t len, int64_t *v)
{
	(void)system;
	for (size_t i = 0; i < sizeof(kenums) / sizeof(*kenums); i++) {
		if (strlen(kenums[i].name) != len || memcmp(kenums[i].name, name, len))
			continue;
		*v = kenums[i].value;
		return true;
	}
	return false;
}
