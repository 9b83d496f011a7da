/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Damage found in data: named, counted and located, while reading goes on. */
#include "base/damage.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static bool same_text(const char *a, const char *b)
{
	return a == b || !strcmp(a, b);
}

static struct file_damage *damage_find(struct damage_list *d, const char *kind, const char *file)
{
	size_t i;

	for (i = 0; i < d->n; i++)
		if (same_text(d->v[i].kind, kind) && same_text(d->v[i].file, file))
			return &d->v[i];
	return NULL;
}

static struct file_damage *damage_add(struct damage_list *d, const struct file_damage *one)
{
	d->v = xgrow(d->v, &d->cap, d->n + 1, sizeof(*d->v));
	d->v[d->n] = *one;
	return &d->v[d->n++];
}

static void damage_vnote(struct damage_list *d, struct file_damage *one, const char *fmt,
			 va_list ap)
{
	struct file_damage *had = damage_find(d, one->kind, one->file);

	if (had) {
		had->count++;
		return;
	}
	if (fmt)
		vsnprintf(one->detail, sizeof(one->detail), fmt, ap);
	damage_add(d, one);
}

void damage_note(struct damage_list *d, const char *kind, const char *file, uint64_t offset,
		 int cpu, const char *fmt, ...)
{
	struct file_damage one = { kind, file, offset, cpu, 1, "" };
	va_list ap;

	va_start(ap, fmt);
	damage_vnote(d, &one, fmt, ap);
	va_end(ap);
}

#define ID_BITS 48

/* Notes @id for the damage @one of @d. Returns true the first time. */
static bool note_id(struct damage_list *d, const struct file_damage *one, uint64_t id)
{
	return !map_put(&d->once, (uint64_t)(one - d->v) << ID_BITS | id, d);
}

void damage_note_once(struct damage_list *d, uint64_t id, const char *kind, const char *file,
		      uint64_t offset, int cpu, const char *fmt, ...)
{
	struct file_damage one = { kind, file, offset, cpu, 1, "" }, *had;
	va_list ap;

	had = damage_find(d, kind, file);
	if (had) {
		had->count += note_id(d, had, id);
		return;
	}
	va_start(ap, fmt);
	damage_vnote(d, &one, fmt, ap);
	va_end(ap);
	note_id(d, &d->v[d->n - 1], id);
}

void damages_merge(struct damage_list *to, const struct damage_list *from)
{
	const struct map_slot *s;
	struct file_damage *had;
	bool has_ids;
	size_t i, k;

	for (i = 0; i < from->n; i++) {
		had = damage_find(to, from->v[i].kind, from->v[i].file);
		if (!had) {
			had = damage_add(to, &from->v[i]);
			had->count = 0;
		}
		/* damage with ids counts each id once, whichever list has it */
		for (k = 0, has_ids = false; k < from->once.cap; k++) {
			s = &from->once.slots[k];
			if (!s->val || s->key >> ID_BITS != i)
				continue;
			has_ids = true;
			had->count += note_id(to, had, s->key & ((1ULL << ID_BITS) - 1));
		}
		if (!has_ids)
			had->count += from->v[i].count;
	}
}

void damages_release(struct damage_list *d)
{
	free(d->v);
	map_release(&d->once);
	*d = (struct damage_list){0};
}

void damage_describe(const struct file_damage *d, struct buf *out)
{
	buf_printf(out, "'%s': %s", d->file, d->kind);
	if (d->offset != DAMAGE_NO_OFFSET)
		buf_printf(out, " at offset 0x%" PRIx64, d->offset);
	if (d->cpu >= 0)
		buf_printf(out, " (CPU %d)", d->cpu);
	if (d->detail[0])
		buf_printf(out, "%s%s", d->detail[0] == ';' ? "" : ", ", d->detail);
	if (d->count > 1)
		buf_printf(out, "; %" PRIu64 " times, this is the first", d->count);
}
