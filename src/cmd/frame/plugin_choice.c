/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options --plugin, -N and -O of the commands that render events. */
#include "cmd/frame/plugin_choice.h"

#include <string.h>

#include "cmd/frame/command.h"
#include "event/plugin/plugin.h"

static bool is_missing(const struct ev_plugin *p, bool late)
{
	return p->why && !p->asked && !p->replaced && (p->late || !late);
}

/* Those that have a reason in common, such as their folder's rights, in one line. */
static void say_missing(const struct ev_plugins *s, bool late)
{
	size_t i, k, same, n = ev_plugins_count(s);

	for (i = 0; i < n; i++) {
		const struct ev_plugin *p = ev_plugins_get(s, i), *other;
		bool said = false;

		if (!is_missing(p, late))
			continue;
		for (k = same = 0; k < n && !said; k++) {
			other = ev_plugins_get(s, k);
			if (!is_missing(other, late) || strcmp(p->why, other->why))
				continue;
			said = k < i;
			same++;
		}
		if (!said && same == 1)
			cmd_warn("cannot load plugin '%s': %s", p->path, p->why);
		else if (!said)
			cmd_warn("cannot load %zu plugins, such as '%s': %s", same, p->path,
				 p->why);
	}
}

struct ev_plugins *plugins_load(const struct plugin_args *a, enum plugins_when when,
				struct ftr_error *err)
{
	struct ev_plugins *s = ev_plugins_new(when == PLUGINS_TRACEEVENT);
	size_t i;

	for (i = 0; i < a->options.n; i++)
		if (ev_plugins_option(s, a->options.v[i], err))
			goto fail;
	for (i = 0; i < a->paths.n; i++)
		if (ev_plugins_load(s, a->paths.v[i], err))
			goto fail;
	if (when == PLUGINS_LATE)
		ev_plugins_late(s);
	if (!a->none)
		ev_plugins_load_default(s);
	if (ev_plugins_check(s, err))
		goto fail;
	say_missing(s, false);
	return s;
fail:
	ev_plugins_free(s);
	return NULL;
}

void plugins_say_late(const struct ev_plugins *s)
{
	if (s && ev_plugins_are_late(s))
		say_missing(s, true);
}

void plugin_args_release(struct plugin_args *a)
{
	strv_release(&a->paths);
	strv_release(&a->options);
}
