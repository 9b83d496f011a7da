/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr list: what there is to choose from; so far, the event plugins. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/plugins.h"
#include "event/plugin.h"

struct list {
	struct plugin_args plugins;
	bool show_plugins;
};

#define AT(member) offsetof(struct list, member)
static const struct opt options[] = {
	OPT_GROUP("What"),
	{ 0, "plugins", NULL, "event plugins: where from, options, events", opt_flag,
	  AT(show_plugins) },
	OPT_GROUP("Plugins"),
	{ 0, "plugin", "PATH", "load a plugin, or all of a folder (repeatable)", opt_strv,
	  AT(plugins.paths) },
	{ 'N', "no-plugins", NULL, "not the plugins that came with ftr", opt_flag,
	  AT(plugins.none) },
	{ 'O', NULL, "PLUGIN:OPTION[=VALUE]", "set an option of a plugin (repeatable)", opt_strv,
	  AT(plugins.options) },
	OPT_END
};

static const char *const examples[] = {
	"ftr list --plugins                      what 'ftr report' loads",
	"ftr list --plugins --plugin ./mine.so   with one of your own",
	"ftr list --plugins -O function:indent   with an option",
	NULL
};

/* All that a plugin says about itself goes through here: it may be anybody's. */
static void clean(struct buf *out, const char *s)
{
	text_sanitise(out, s ? s : "", s ? strlen(s) : 0, false);
}

static void print_value(const struct ftr_option *o, struct buf *out)
{
	if (o->type == FTR_BOOL)
		buf_addstr(out, *(const int *)o->value ? "yes" : "no");
	else if (o->type == FTR_INT)
		buf_printf(out, "%jd", (intmax_t)*(const int64_t *)o->value);
	else
		clean(out, *(const char *const *)o->value);
}

static void print_options(const struct ev_plugin *p, struct buf *out)
{
	struct ftr_option o;
	size_t start;

	for (size_t i = 0; ev_plugin_option(p, i, &o); i++) {
		start = out->len;
		buf_printf(out, "  option   %s:", p->desc->name);
		clean(out, o.name);
		buf_addch(out, '=');
		print_value(&o, out);
		buf_printf(out, "%*s  ", (int)(out->len - start) < 36 ?
			   36 - (int)(out->len - start) : 0, "");
		clean(out, o.help);
		buf_addch(out, '\n');
	}
}

static void print_uses(const struct ev_plugin *p, struct buf *out)
{
	struct ftr_formatter f;
	struct ftr_function fn;

	for (size_t i = 0; ev_plugin_formatter(p, i, &f); i++) {
		buf_addstr(out, "  event    ");
		clean(out, f.system ? f.system : "*");
		buf_addch(out, ':');
		clean(out, f.event);
		buf_addch(out, '\n');
	}
	for (size_t i = 0; ev_plugin_function(p, i, &fn); i++) {
		buf_addstr(out, "  function ");
		clean(out, fn.name);
		buf_addstr(out, "()\n");
	}
}

static void print_plugin(const struct ev_plugin *p, struct buf *out)
{
	if (p->desc) {
		buf_printf(out, "%s - ", p->desc->name);
		clean(out, p->desc->description);
		buf_addstr(out, "\n  file     ");
	} else {
		buf_addstr(out, p->tep ? "(libtraceevent's)\n  file     " :
			   p->replaced ? "(replaced)\n  file     " : "(not loaded)\n  file     ");
	}
	clean(out, p->path);
	buf_addch(out, '\n');
	if (p->why) {
		buf_addstr(out, "  because  ");
		clean(out, p->why);
		buf_addch(out, '\n');
	}
	if (!p->desc)
		return;
	print_options(p, out);
	print_uses(p, out);
}

static int print_plugins(struct list *l, struct ftr_error *err)
{
	struct ev_plugins *s = plugins_load(&l->plugins, PLUGINS_NOW, err);
	struct buf out = { 0 };

	if (!s)
		return -1;
	for (size_t i = 0; i < ev_plugins_count(s); i++) {
		if (i)
			buf_addch(&out, '\n');
		print_plugin(ev_plugins_get(s, i), &out);
	}
	if (!ev_plugins_count(s) && !l->plugins.none)
		cmd_say("no plugin is in '%s'", ev_plugins_folder(s));
	fwrite(out.data ? out.data : "", 1, out.len, stdout);
	buf_release(&out);
	ev_plugins_free(s);
	return 0;
}

static int run_list(const struct cmd *self, int argc, char **argv)
{
	struct ftr_error err = { 0 };
	struct list l = { 0 };
	int status, first = cmd_parse(self, argc, argv, &l, &status);

	if (first < 0)
		goto out;
	if (first < argc)
		err_set(&err, FTR_USAGE, "unexpected word '%s'", argv[first]);
	else if (!l.show_plugins)
		err_set(&err, FTR_USAGE, "nothing to list was named");
	if (err.code)
		err_hint(&err, "'ftr list --plugins' lists event plugins");
	if (err.code || print_plugins(&l, &err))
		status = cmd_fail(&err);
out:
	plugin_args_release(&l.plugins);
	return status;
}

const struct cmd cmd_list = {
	.name = "list",
	.usage = "--plugins [OPTIONS]",
	.summary = "list what there is to choose from: event plugins",
	.examples = examples,
	.options = options,
	.flags = CMD_PAGER,
	.run = run_list,
};
