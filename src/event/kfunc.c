/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of the kernel whose result follows from their arguments, as tables. */
#include "event/kfunc.h"

#include <string.h>

struct kfunc {
	const char *name;
	unsigned int args;
	void (*print)(const uint64_t *args, struct buf *out);
};

static const struct kfunc kfuncs[] = {
	{ "", 0, NULL },
};

const struct kfunc *kfunc_find(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(kfuncs) / sizeof(*kfuncs); i++)
		if (strlen(kfuncs[i].name) == len && !memcmp(kfuncs[i].name, name, len))
			return &kfuncs[i];
	return NULL;
}

unsigned int kfunc_args(const struct kfunc *f)
{
	return f->args;
}

void kfunc_print(const struct kfunc *f, const uint64_t *args, struct buf *out)
{
	f->print(args, out);
}
