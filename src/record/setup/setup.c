/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Resolves a plan, carries it out buffer by buffer, and says what was done. */
#include "record/setup/setup.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

int setup_resolve(struct rec_setup *u, const struct rec_plan *p, const struct tfs *t,
		  struct ftr_error *err)
{
	size_t i;

	u->p = p;
	u->sel = xcalloc(p->nr_bufs, sizeof(*u->sel));
	for (i = 0; i < p->nr_bufs; i++) {
		const struct rec_buffer *b = &p->bufs[i];

		if (b->tracer && apply_check_tracer(t, b->tracer, err))
			return -1;
		if (select_events(t, p, b, &u->sel[i], err))
			return -1;
	}
	return 0;
}

static struct rec_selection *place_selection(const struct rec_setup *u, const struct rec_place *at)
{
	return at->buf ? &u->sel[at->buf - u->p->bufs] : NULL;
}

int setup_apply(struct rec_setup *u, struct session *s, pid_t child, struct ftr_error *err)
{
	size_t i;

	if (apply_global(s, u->p, &u->places, err))
		return -1;
	for (i = 0; i < u->places.n; i++) {
		const struct rec_place *at = &u->places.v[i];

		if (apply_place(s, u->p, at, place_selection(u, at), child, &u->applied, err))
			return -1;
	}
	return 0;
}

void setup_matched(const struct rec_setup *u, struct buf *out)
{
	size_t i;

	for (i = 0; i < u->applied.n; i++) {
		const struct rec_matched *m = &u->applied.v[i];

		buf_printf(out, "%s -l '%s' matched ", i ? "," : ";", m->pattern);
		text_grouped(out, m->functions);
		buf_printf(out, " function%s%s", m->functions == 1 ? "" : "s",
			   m->pending ? " at the start" : "");
	}
}

static void describe_events(const struct rec_selection *sel, struct buf *out)
{
	size_t i, on = 0, off;

	for (i = 0; i < sel->n; i++)
		on += sel->v[i].on;
	off = sel->n - on;
	if (on == 1 && !off)
		for (i = 0; i < sel->n; i++)
			buf_printf(out, ", event %s", sel->v[i].path);
	else if (on)
		buf_printf(out, ", %zu events", on);
	if (off)
		buf_printf(out, ", %zu event%s off", off, off == 1 ? "" : "s");
	for (i = 0; i < sel->of_modules.n; i++)
		buf_printf(out, ", events %s", sel->of_modules.v[i]);
}

void setup_describe(const struct rec_setup *u, struct buf *out)
{
	const struct rec_place *at;
	struct buf what = {0};
	size_t i;

	for (i = 0; i < u->places.n; i++) {
		at = &u->places.v[i];
		buf_reset(&what);
		if (at->buf && at->buf->tracer)
			buf_printf(&what, ", tracer %s", at->buf->tracer);
		if (at->buf)
			describe_events(place_selection(u, at), &what);
		buf_addstr(out, i ? "; " : "");
		if (at->instance)
			buf_printf(out, "instance '%s'", at->instance);
		else
			buf_addstr(out, "the top level");
		if (what.len)
			buf_printf(out, ": %s", what.data + 2);
	}
	setup_matched(u, out);
	buf_release(&what);
}

void setup_release(struct rec_setup *u)
{
	size_t i;

	for (i = 0; u->sel && i < u->p->nr_bufs; i++)
		select_release(&u->sel[i]);
	free(u->sel);
	where_release(&u->places);
	apply_release(&u->applied);
	memset(u, 0, sizeof(*u));
}
