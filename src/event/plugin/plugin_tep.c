/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Users' plugins of libtraceevent. Only --engine=traceevent has them, in one thread; they get
 * copies of records with zeroes around.
 *
 * ftr loads them into the library's handle itself. tep_load_plugins() would search $HOME and
 * $TRACEEVENT_PLUGIN_DIR as well.
 */
#include "event/plugin/plugin_priv.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include <traceevent/event-parse.h>

#define LOADER	 "tep_plugin_loader"
#define UNLOADER "tep_plugin_unloader"
#define OPTIONS	 "tep_plugin_options"
#define ALIAS	 "tep_plugin_alias"

bool plug_tep_is(void *dl)
{
	return dlsym(dl, LOADER);
}

static const char *const words[] = { "0", "1", "no", "yes", "off", "on", "false", "true" };

/* Returns true for "kvm" of ".../plugin_kvm.so", "plugin_kvm" and the plugin's alias. */
static bool has_tep_name(const struct ev_plugin *p, const char *alias, const char *word)
{
	const char *base = strrchr(p->path, '/');
	size_t n = strlen(word);

	base = base ? base + 1 : p->path;
	if (alias && !strcmp(alias, word))
		return true;
	if (!strncmp(base, word, n) && !strcmp(base + n, ".so"))
		return true;
	return !strncmp(base, "plugin_", 7) && !strncmp(base + 7, word, n) &&
	       !strcmp(base + 7 + n, ".so");
}

static int set_tep_option(struct tep_plugin_option *o, char *value, struct ftr_error *err)
{
	if (o->value) {
		o->value = value;
		return 0;
	}
	o->set = 1;
	for (size_t i = 0; value && i < sizeof(words) / sizeof(*words); i++) {
		if (strcmp(value, words[i]))
			continue;
		o->set = i & 1;
		return 0;
	}
	return value ? err_set(err, FTR_USAGE, "option '%s' takes yes or no, not '%s'", o->name,
			       value) : 0;
}

int plug_tep_options(struct ev_plugins *s, struct ev_plugin *p, struct ftr_error *err)
{
	const char *alias = dlsym(p->dl, ALIAS);
	struct tep_plugin_option *o;
	struct plug_option *given;
	char *name;

	for (given = s->options; given < s->options + s->nr_options; given++) {
		for (o = dlsym(p->dl, OPTIONS); o && o->name; o++) {
			if (strcmp(o->name, given->name) ||
			    (given->plugin && !has_tep_name(p, o->plugin_alias ? o->plugin_alias :
							    alias, given->plugin)))
				continue;
			given->used = true;
			if (set_tep_option(o, given->value, err))
				return -1;
		}
		if (given->used)
			continue;
		/*
		 * Most plugins register their options with the library when they start, which then
		 * searches the options that it got before. It does not report whether any plugin
		 * wanted them.
		 */
		name = given->plugin ? xasprintf("%s:%s", given->plugin, given->name) :
				       xstrdup(given->name);
		tep_plugin_add_option(name, given->value ? given->value : "1");
		given->used = true;
		free(name);
	}
	return 0;
}

bool plug_tep_attach(const struct ev_plugins *s, struct tep_handle *tep)
{
	tep_plugin_load_func load;
	bool any = false;

	for (size_t i = 0; s && i < s->n; i++) {
		if (!s->v[i]->tep)
			continue;
		*(void **)&load = dlsym(s->v[i]->dl, LOADER);
		load(tep);
		any = true;
	}
	return any;
}

void plug_tep_detach(const struct ev_plugins *s, struct tep_handle *tep)
{
	tep_plugin_unload_func unload;

	for (size_t i = s ? s->n : 0; i--;) {
		if (!s->v[i]->tep)
			continue;
		*(void **)&unload = dlsym(s->v[i]->dl, UNLOADER);
		if (unload)
			unload(tep);
	}
}
