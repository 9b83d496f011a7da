/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Damage found in data: named, counted and located, while reading goes on. */
#include "base/damage.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static struct damage *damage_find(struct damages *d, const char *kind, const char *file)
{
	size_t i;

	for (i = 0; i < d->n; i++)
		if (!strcmp(d->v[i].kind, kind) && !strcmp(d->v[i].file, file))
			return &d->v[i];
	return NULL;
}

void damage_note(struct damages *d, const char *kind, const char *file, uint64_t offset, int cpu,
		 const char *fmt, ...)
{
	struct damage *one = damage_find(d, kind, file);
	va_list ap;

	if (one) {
		one->count++;
		return;
	}
	d->v = xgrow(d->v, &d->cap, d->n + 1, sizeof(*d->v));
	one = &d->v[d->n++];
	*one = (struct damage){
		.kind = kind, .file = file, .offset = offset, .cpu = cpu, .count = 1
	};
	if (!fmt)
		return;
	va_start(ap, fmt);
	vsnprintf(one->detail, sizeof(one->detail), fmt, ap);
	va_end(ap);
}

void damages_release(struct damages *d)
{
	free(d->v);
	*d = (struct damages){0};
}

void damage_describe(const struct damage *d, struct buf *out)
{
	buf_printf(out, "'%s': %s", d->file, d->kind);
	if (d->offset != DAMAGE_NO_OFFSET)
		buf_printf(out, " at offset 0x%" PRIx64, d->offset);
	if (d->cpu >= 0)
		buf_printf(out, " (CPU %d)", d->cpu);
	if (d->detail[0])
		buf_printf(out, ", %s", d->detail);
	if (d->count > 1)
		buf_printf(out, "; %" PRIu64 " times, this is the first", d->count);
}
