/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of plugins: "-O plugin:option=value", checked against the tables of the plugins. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "event/plugin/plugin_priv.h"

int ev_plugins_option(struct ev_plugins *s, const char *text, struct ftr_error *err)
{
	size_t name_len = strcspn(text, "="), plugin_len = strcspn(text, ":=");
	const char *name = text[plugin_len] == ':' ? text + plugin_len + 1 : text;
	struct plug_option o = { 0 };

	name_len -= name - text;
	if (!name_len || name == text + 1) {
		err_set(err, FTR_USAGE, "'%s' is not an option of a plugin", text);
		return err_hint(err, "write it as PLUGIN:OPTION=VALUE; 'ftr list --plugins' shows "
				"them");
	}
	if (name != text)
		o.plugin = xstrndup(text, plugin_len);
	o.name = xstrndup(name, name_len);
	if (name[name_len])
		o.value = xstrdup(name + name_len + 1);
	s->options = xgrow(s->options, &s->cap_options, s->nr_options + 1, sizeof(o));
	s->options[s->nr_options++] = o;
	return 0;
}

/* Sets the plugin's variable. @value must stay valid for as long as the plugin is loaded. */
static int set_plug_value(const struct ftr_plugin *d, const struct ftr_option *o, const char *value,
			  struct ftr_error *err)
{
	static const char *const words[] = { "0", "1", "no", "yes", "off", "on", "false", "true" };
	const char *wants = "a number";
	size_t i;

	switch (o->type) {
	case FTR_BOOL:
		for (i = 0; i < sizeof(words) / sizeof(*words) && strcmp(value, words[i]); i++)
			;
		wants = "yes or no";
		if (i == sizeof(words) / sizeof(*words))
			break;
		*(int *)o->value = i & 1;
		return 0;
	case FTR_INT:
		if (text_number(value, INT64_MIN, INT64_MAX, o->value))
			break;
		return 0;
	default:
		*(const char **)o->value = value;
		return 0;
	}
	return err_set(err, FTR_USAGE, "option '%s:%s' takes %s, not '%s'", d->name, o->name, wants,
		       value);
}

int plug_options_check(const struct ev_plugin *p, struct ftr_error *err)
{
	struct ftr_option o;

	for (size_t i = 0; ev_plugin_option(p, i, &o); i++) {
		if (!*o.name || strpbrk(o.name, ":= ") || o.type > FTR_STRING || !o.value)
			return err_set(err, FTR_FAILED, "its option %zu has a bad name, type or "
				       "value", i + 1);
		if (set_plug_value(p->desc, &o, o.def ? o.def : o.type == FTR_STRING ? "" : "0",
				   err))
			return -1;
	}
	return 0;
}

static int fail_unknown_option(const struct ev_plugin *p, const char *name, struct ftr_error *err)
{
	struct strv names = { 0 };
	struct ftr_option has;
	const char *near;

	for (size_t i = 0; ev_plugin_option(p, i, &has); i++)
		strv_add(&names, has.name);
	near = names.n ? text_closest(name, names.v) : NULL;
	err_set(err, FTR_USAGE, "plugin '%s' has no option '%s'", p->desc->name, name);
	if (near)
		err_hint(err, "did you mean '%s:%s'?", p->desc->name, near);
	else
		err_hint(err, "'ftr list --plugins' shows the options");
	strv_release(&names);
	return -1;
}

int plug_options_apply(struct ev_plugins *s, const struct ev_plugin *p, struct ftr_error *err)
{
	struct ftr_option o;

	for (size_t i = 0; i < s->nr_options; i++) {
		struct plug_option *given = &s->options[i];
		const char *value = given->value;
		size_t k = 0;

		if (given->plugin && strcmp(given->plugin, p->desc->name))
			continue;
		while (ev_plugin_option(p, k, &o) && strcmp(o.name, given->name))
			k++;
		if (!o.name && given->plugin)
			return fail_unknown_option(p, given->name, err);
		if (!o.name)
			continue;
		if (!value && o.type != FTR_BOOL)
			return err_set(err, FTR_USAGE, "option '%s:%s' needs a value",
				       p->desc->name, o.name);
		if (set_plug_value(p->desc, &o, value ? value : "1", err))
			return -1;
		given->used = true;
	}
	return 0;
}

int ev_plugins_check(const struct ev_plugins *s, struct ftr_error *err)
{
	const struct plug_option *o = s->options, *end = o + s->nr_options;
	struct strv names = { 0 };
	const char *near;

	if (s->wrong_option.code) {
		*err = s->wrong_option;
		return -1;
	}
	while (o < end && o->used)
		o++;
	if (o == end)
		return 0;
	if (o->plugin)
		err_set(err, FTR_USAGE, "no plugin '%s' is loaded", o->plugin);
	else
		err_set(err, FTR_USAGE, "no plugin has an option '%s'", o->name);
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i]->desc)
			strv_add(&names, s->v[i]->desc->name);
	near = names.n ? text_closest(o->plugin ? o->plugin : o->name, names.v) : NULL;
	if (near)
		err_hint(err, "did you mean '%s'?", near);
	else
		err_hint(err, "'ftr list --plugins' shows the loaded plugins");
	strv_release(&names);
	return -1;
}
