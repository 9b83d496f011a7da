/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keys that are typed ahead of what goes on: they wait for its result, in their order. */
#include <string.h>

#include "browse/browser_priv.h"
#include "browse/screen/key_names.h"

/* Is the row there that a key acts on? What stands in its place until then is none. */
static bool has_row(const struct browse *b, bool time_alone)
{
	switch (b->kinds[b->active]) {
	case VIEW_EVENTS:
		return b->panes[b->active].any || !browse_is_late(b);
	case VIEW_GRAPH:
		return !browse_seeks_calls(b);
	case VIEW_TIMELINE:
		return !b->lanes_job.run && (time_alone || !b->pass_job.run);
	case VIEW_SHOWN:
		return b->counts || !b->scan_job.run;
	case VIEW_LOG:
		return b->logged || !browse_is_busy(b);
	default:
		return true;
	}
}

static bool must_wait(const struct browse *b, int key)
{
	enum key_acts acts = browse_key_acts(b, key);

	if (acts == AT_ONCE)
		return false;
	return browse_is_asked(b) || (acts != ON_PLACE && !has_row(b, acts == ON_TIME));
}

static void press_key(struct browse *b, int key)
{
	browse_begin_rows(b);
	browse_key(b, key);
	browse_take_key_results(b);
}

/* Esc and Ctrl-C end what others wait for. */
void browse_press(struct browse *b, int key)
{
	struct keys_ahead *a = &b->ahead;

	if (key == TUI_ESC || key == KEY_CTRL_C || (!a->n && !must_wait(b, key)))
		return press_key(b, key);
	a->v = xgrow(a->v, &a->cap, a->n + 1, sizeof(*a->v));
	a->v[a->n++] = key;
	buf_reset(&b->message);		/* the line below it tells how many wait */
}

/* A result may have gone to rows that take longer: these come first, too. */
bool browse_ahead_is_ready(const struct browse *b)
{
	return b->ahead.n && !browse_is_late(b) && !must_wait(b, b->ahead.v[0]);
}

void browse_press_ahead(struct browse *b)
{
	struct keys_ahead *a = &b->ahead;
	int key;

	if (!browse_ahead_is_ready(b))
		return;
	key = a->v[0];
	memmove(a->v, a->v + 1, --a->n * sizeof(*a->v));
	press_key(b, key);
}
