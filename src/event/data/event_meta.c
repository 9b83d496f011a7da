/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Access to what a file holds, whether it is there already or is read when first asked for. */
#include <string.h>

#include "event/data/data.h"

size_t ev_world_formats(const struct ev_world *w, const char *system, struct ev_format **v)
{
	if (w->loader)
		return w->loader->formats(w->loader->ctx, system, v);
	*v = w->formats;
	return w->nr_formats;
}

static const struct ev_format *search_id(const struct ev_world *w, uint16_t id)
{
	size_t i;

	for (i = 0; i < w->nr_formats; i++)
		if (w->formats[i].id == id)
			return &w->formats[i];
	return NULL;
}

const struct ev_format *ev_world_by_id(const struct ev_world *w, uint16_t id)
{
	if (w->loader)
		return w->loader->by_id(w->loader->ctx, id);
	return w->by_id.n ? map_get(&w->by_id, id) : search_id(w, id);
}

const struct ev_format *ev_world_by_name(const struct ev_world *w, const char *system,
					 const char *name)
{
	struct ev_format *v;
	size_t i, n = ev_world_formats(w, system, &v);

	for (i = 0; i < n; i++)
		if (!strcmp(v[i].name, name) && !strcmp(v[i].system, system))
			return &v[i];
	return NULL;
}

const char *ev_world_text(const struct ev_world *w, enum ev_text which, size_t *len)
{
	const char *const p[] = {
		[EV_KALLSYMS] = w->kallsyms, [EV_PRINTK] = w->printk, [EV_CMDLINES] = w->cmdlines,
		[EV_PROTOS] = w->protos,
	};
	const size_t n[] = {
		[EV_KALLSYMS] = w->kallsyms_len, [EV_PRINTK] = w->printk_len,
		[EV_CMDLINES] = w->cmdlines_len, [EV_PROTOS] = w->protos_len,
	};

	if (w->loader)
		return w->loader->text(w->loader->ctx, which, len);
	*len = p[which] ? n[which] : 0;
	return p[which];
}
