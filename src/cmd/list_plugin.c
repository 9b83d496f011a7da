/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr list plugins: lists the plugins that would be loaded, with their options and events. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/frame/command.h"
#include "cmd/list.h"
#include "event/plugin/plugin.h"

/* Appends a text of a plugin, which may contain any bytes. */
static void add_plugin_text(struct buf *out, const char *s)
{
	text_sanitise(out, s ? s : "", s ? strlen(s) : 0, false);
}

static void print_option_value(const struct ftr_option *o, struct buf *out)
{
	if (o->type == FTR_BOOL)
		buf_addstr(out, *(const int *)o->value ? "yes" : "no");
	else if (o->type == FTR_INT)
		buf_printf(out, "%jd", (intmax_t)*(const int64_t *)o->value);
	else
		add_plugin_text(out, *(const char *const *)o->value);
}

static void print_options(const struct ev_plugin *p, struct buf *out)
{
	struct ftr_option o;
	size_t start;

	for (size_t i = 0; ev_plugin_option(p, i, &o); i++) {
		start = out->len;
		buf_printf(out, "  option   %s:", p->desc->name);
		add_plugin_text(out, o.name);
		buf_addch(out, '=');
		print_option_value(&o, out);
		buf_printf(out, "%*s  ", (int)(out->len - start) < 36 ?
			   36 - (int)(out->len - start) : 0, "");
		add_plugin_text(out, o.help);
		buf_addch(out, '\n');
	}
}

static void print_plugin(const struct ev_plugin *p, struct buf *out)
{
	struct ftr_formatter f;
	struct ftr_function fn;

	if (p->desc) {
		buf_printf(out, "%s - ", p->desc->name);
		add_plugin_text(out, p->desc->description);
		buf_addstr(out, "\n  file     ");
	} else {
		buf_addstr(out, p->tep ? "(libtraceevent's)\n  file     " :
			   p->replaced ? "(replaced)\n  file     " : "(not loaded)\n  file     ");
	}
	add_plugin_text(out, p->path);
	buf_addch(out, '\n');
	if (p->why) {
		buf_addstr(out, "  because  ");
		add_plugin_text(out, p->why);
		buf_addch(out, '\n');
	}
	if (!p->desc)
		return;
	print_options(p, out);
	for (size_t i = 0; ev_plugin_formatter(p, i, &f); i++) {
		buf_addstr(out, "  event    ");
		add_plugin_text(out, f.system ? f.system : "*");
		buf_addch(out, ':');
		add_plugin_text(out, f.event);
		buf_addch(out, '\n');
	}
	for (size_t i = 0; ev_plugin_function(p, i, &fn); i++) {
		buf_addstr(out, "  function ");
		add_plugin_text(out, fn.name);
		buf_addstr(out, "()\n");
	}
}

static json_t *clean_json(const char *s)
{
	struct buf b = {0};
	json_t *v;

	if (!s)
		return json_null();
	add_plugin_text(&b, s);
	v = json_string(b.data ? b.data : "");
	buf_release(&b);
	return v ? v : json_null();
}

static json_t *json_options(const struct ev_plugin *p)
{
	json_t *list = json_array(), *o;
	struct ftr_option opt;
	struct buf value = {0};

	for (size_t i = 0; ev_plugin_option(p, i, &opt); i++) {
		buf_reset(&value);
		print_option_value(&opt, &value);
		o = json_pack("{s:o, s:s, s:o}", "name", clean_json(opt.name), "value",
			      value.data ? value.data : "", "help", clean_json(opt.help));
		json_array_append_new(list, o);
	}
	buf_release(&value);
	return list;
}

static json_t *json_plugin(const struct ev_plugin *p)
{
	json_t *o = json_object(), *list;
	struct ftr_formatter f;
	struct ftr_function fn;
	char *name;

	json_object_set_new(o, "name", clean_json(p->desc ? p->desc->name : NULL));
	json_object_set_new(o, "file", clean_json(p->path));
	json_object_set_new(o, "because", clean_json(p->why));
	if (!p->desc)
		return o;
	json_object_set_new(o, "description", clean_json(p->desc->description));
	json_object_set_new(o, "options", json_options(p));
	list = json_array();
	for (size_t i = 0; ev_plugin_formatter(p, i, &f); i++) {
		name = xasprintf("%s:%s", f.system ? f.system : "*", f.event);
		json_array_append_new(list, clean_json(name));
		free(name);
	}
	json_object_set_new(o, "events", list);
	list = json_array();
	for (size_t i = 0; ev_plugin_function(p, i, &fn); i++)
		json_array_append_new(list, clean_json(fn.name));
	json_object_set_new(o, "functions", list);
	return o;
}

static void print_plugins_json(const struct ev_plugins *s)
{
	json_t *items = json_array(), *all;

	for (size_t i = 0; i < ev_plugins_count(s); i++)
		json_array_append_new(items, json_plugin(ev_plugins_get(s, i)));
	all = json_pack("{s:s, s:n, s:I, s:o}", "list", "plugins", "instance", "total",
			(json_int_t)ev_plugins_count(s), "items", items);
	json_dumpf(all, stdout, JSON_INDENT(1) | JSON_ENSURE_ASCII);
	putchar('\n');
	json_decref(all);
}

static void print_plugins_text(const struct ev_plugins *s)
{
	struct buf out = { 0 };

	for (size_t i = 0; i < ev_plugins_count(s); i++) {
		if (i)
			buf_addch(&out, '\n');
		print_plugin(ev_plugins_get(s, i), &out);
	}
	fwrite(out.data ? out.data : "", 1, out.len, stdout);
	buf_release(&out);
}

int list_plugins(struct list_args *l, struct ftr_error *err)
{
	struct ev_plugins *s = plugins_load(&l->plugins, PLUGINS_NOW, err);

	if (!s)
		return -1;
	if (!ev_plugins_count(s) && !l->plugins.none)
		cmd_notice("no plugin is in '%s'", ev_plugins_dir(s));
	(l->json ? print_plugins_json : print_plugins_text)(s);
	ev_plugins_free(s);
	return 0;
}
