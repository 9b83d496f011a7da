/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of plugins: "-O plugin:option=value" against the tables that the plugins bring. */
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

static int refuse_value(const struct ftr_plugin *d, const struct ftr_option *o, const char *value,
			const char *wants, struct ftr_error *err)
{
	return err_set(err, FTR_USAGE, "option '%s:%s' takes %s, not '%s'", d->name, o->name, wants,
		       value);
}

static int set_bool(const struct ftr_option *o, const char *value)
{
	static const char *const words[] = { "0", "1", "no", "yes", "off", "on", "false", "true" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strcmp(value, words[i]))
			continue;
		*(int *)o->value = i & 1;
		return 0;
	}
	return -1;
}

/* @value stays where it is for as long as the plugin is loaded. */
static int set_plug_value(const struct ftr_plugin *d, const struct ftr_option *o, const char *value,
			  struct ftr_error *err)
{
	switch (o->type) {
	case FTR_BOOL:
		return set_bool(o, value) ? refuse_value(d, o, value, "yes or no", err) : 0;
	case FTR_INT:
		return text_number(value, INT64_MIN, INT64_MAX, o->value) ?
			refuse_value(d, o, value, "a number", err) : 0;
	default:
		*(const char **)o->value = value;
		return 0;
	}
}

static const char *default_value(const struct ftr_option *o)
{
	return o->def ? o->def : o->type == FTR_STRING ? "" : "0";
}

int plug_options_check(const struct ev_plugin *p, struct ftr_error *err)
{
	struct ftr_option o;

	for (size_t i = 0; ev_plugin_option(p, i, &o); i++) {
		if (!*o.name || strpbrk(o.name, ":= ") || o.type > FTR_STRING || !o.value)
			return err_set(err, FTR_FAILED, "its option %zu has a bad name, type or "
				       "value", i + 1);
		if (set_plug_value(p->desc, &o, default_value(&o), err))
			return -1;
	}
	return 0;
}

static bool find_plug_option(const struct ev_plugin *p, const char *name, struct ftr_option *o)
{
	for (size_t i = 0; ev_plugin_option(p, i, o); i++)
		if (!strcmp(o->name, name))
			return true;
	return false;
}

static int refuse_unknown(const struct ev_plugin *p, const char *name, struct ftr_error *err)
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

		if (given->plugin && strcmp(given->plugin, p->desc->name))
			continue;
		if (!find_plug_option(p, given->name, &o)) {
			if (given->plugin)
				return refuse_unknown(p, given->name, err);
			continue;
		}
		if (!value && o.type != FTR_BOOL)
			return err_set(err, FTR_USAGE, "option '%s:%s' needs a value",
				       p->desc->name, o.name);
		if (set_plug_value(p->desc, &o, value ? value : "1", err))
			return -1;
		given->used = true;
	}
	return 0;
}

static void add_hint(const struct ev_plugins *s, const char *word, struct ftr_error *err)
{
	struct strv names = { 0 };
	const char *near;

	for (size_t i = 0; i < s->n; i++)
		if (s->v[i]->desc)
			strv_add(&names, s->v[i]->desc->name);
	near = names.n ? text_closest(word, names.v) : NULL;
	if (near)
		err_hint(err, "did you mean '%s'?", near);
	else
		err_hint(err, "'ftr list --plugins' shows what is loaded");
	strv_release(&names);
}

int ev_plugins_check(const struct ev_plugins *s, struct ftr_error *err)
{
	if (s->wrong_option.code) {
		*err = s->wrong_option;
		return -1;
	}
	for (size_t i = 0; i < s->nr_options; i++) {
		const struct plug_option *o = &s->options[i];

		if (o->used)
			continue;
		if (o->plugin)
			err_set(err, FTR_USAGE, "no plugin '%s' is loaded", o->plugin);
		else
			err_set(err, FTR_USAGE, "no plugin has an option '%s'", o->name);
		add_hint(s, o->plugin ? o->plugin : o->name, err);
		return -1;
	}
	return 0;
}
