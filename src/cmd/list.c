/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr list: what there is to choose from on this kernel, and what stands of it. */
#include "cmd/list.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/frame/command.h"

static const struct list_kind kinds[] = {
	{ .name = "events", .one = "event", .fill = list_fill_events,
	  .wanted = list_wanted_event, .names = list_event_names, .by_instance = true },
	{ .name = "systems", .one = "system", .fill = list_fill_systems },
	{ .name = "tracers", .one = "tracer", .fill = list_fill_tracers, .by_instance = true },
	{ .name = "functions", .one = "function", .fill = list_fill_functions,
	  .wanted = list_wanted_function, .finish = list_finish_functions },
	{ .name = "options", .one = "option", .fill = list_fill_options, .by_instance = true },
	{ .name = "clocks", .one = "clock", .fill = list_fill_clocks, .by_instance = true },
	{ .name = "instances", .one = "instance", .fill = list_fill_instances },
	{ .name = "probes", .one = "probe", .fill = list_fill_probes },
	{ .name = "compressions", .one = "compression", .fill = list_fill_compressions,
	  .no_tracefs = true },
	{ .name = "plugins", .one = "plugin", .no_tracefs = true },
};
#define NR_KINDS (sizeof(kinds) / sizeof(*kinds))

static const struct list_kind *find_list_kind(const char *name)
{
	size_t i;

	for (i = 0; i < NR_KINDS; i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	return NULL;
}

static int set_kind(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct list *l = ctx;
	const struct list_kind *k = find_list_kind(o->name);

	(void)arg;
	if (l->chosen && l->kind != k) {
		err_set(err, FTR_USAGE, "%s and %s cannot be listed together",
			l->kind->name, k->name);
		return err_hint(err, "ask for them one after the other");
	}
	l->kind = k;
	l->chosen = true;
	return 0;
}

#define AT(member) offsetof(struct list, member)
static const struct opt options[] = {
	OPT_GROUP("What (default: the first word names it)"),
	{ 'e', "events", NULL, "list events", set_kind, 0 },
	{ 's', "systems", NULL, "list event systems, with the number of their events",
	  set_kind, 0 },
	{ 't', "tracers", NULL, "list tracers, the current one marked", set_kind, 0 },
	{ 'f', "functions", NULL, "list functions that can be traced, and their modules",
	  set_kind, 0 },
	{ 'o', "options", NULL, "list trace options: value, the tracer they belong to",
	  set_kind, 0 },
	{ 'C', "clocks", NULL, "list trace clocks, the current one marked", set_kind, 0 },
	{ 0, "instances", NULL, "list instances: tracer, tracing, size (also: -B at the end)",
	  set_kind, 0 },
	{ 0, "probes", NULL, "list dynamic events: probes, synthetic and user events",
	  set_kind, 0 },
	{ 'c', "compressions", NULL, "list compressions of trace files", set_kind, 0 },
	{ 'P', "plugins", NULL, "list event plugins: where from, options, events", set_kind, 0 },
	OPT_GROUP("Events"),
	{ 'F', "fields", NULL, "print their fields", opt_flag, AT(fields) },
	{ 0, "full", NULL, "print their fields, common ones too, and the print fmt", opt_flag,
	  AT(full) },
	{ 'l', "filters", NULL, "list only those that have a filter, and the filter",
	  opt_flag, AT(filters) },
	{ 'R', "triggers", NULL, "list only those that have triggers, and the triggers",
	  opt_flag, AT(triggers) },
	OPT_GROUP("Functions"),
	{ 0, "address", NULL, "print their addresses too", opt_flag, AT(address) },
	{ 0, "proto", NULL, "print their prototypes, by the kernel's BTF", opt_flag, AT(proto) },
	OPT_GROUP("Plugins"),
	{ 0, "plugin", "PATH", "load a plugin, or all of a folder (repeatable)", opt_strv,
	  AT(plugins.paths) },
	{ 'N', "no-plugins", NULL, "do not load the plugins that came with ftr", opt_flag,
	  AT(plugins.none) },
	{ 'O', NULL, "PLUGIN:OPTION[=VALUE]", "set an option of a plugin (repeatable)", opt_strv,
	  AT(plugins.options) },
	OPT_GROUP("All"),
	{ 'B', NULL, "INSTANCE", "use INSTANCE, not the top level", opt_str, AT(instance) },
	{ 0, "regex", NULL, "take patterns as regular expressions, not as globs",
	  opt_flag, AT(regex) },
	{ 0, "json", NULL, "print JSON: list, instance, total, items", opt_flag, AT(json) },
	OPT_END
};

static const char *const examples[] = {
	"ftr list events 'sched:*_switch' -F   fields of events that match a glob",
	"ftr list --proto '/^tcp_(send|recv)msg$/'",
	"ftr list options -B work              options of an instance, their values",
	NULL
};

/* What options say that are of one kind. */
static const struct list_kind *implied_kind(const struct list *l)
{
	if (l->fields || l->full || l->filters || l->triggers)
		return find_list_kind("events");
	return l->proto || l->address ? find_list_kind("functions") : NULL;
}

/* The kind is an option, the first word, or what others say: -F of events, --proto of functions. */
static int choose_kind(struct list *l, int argc, char **argv, int *first, struct ftr_error *err)
{
	const char *near;
	char *names[NR_KINDS + 1] = {0};
	size_t i;

	if (l->chosen)
		return 0;
	if (*first < argc)
		l->kind = find_list_kind(argv[*first]);
	if (l->kind) {
		(*first)++;
		return 0;
	}
	l->kind = implied_kind(l);
	if (l->kind)
		return 0;
	if (*first == argc) {
		err_set(err, FTR_USAGE, "nothing to list was named");
		return err_hint(err, "events, systems, tracers, functions, options, clocks, "
				"instances, probes, compressions or plugins");
	}
	err_set(err, FTR_USAGE, "'%.200s' cannot be listed", argv[*first]);
	for (i = 0; i < NR_KINDS; i++)
		names[i] = (char *)kinds[i].name;
	near = text_closest(argv[*first], names);
	if (near)
		return err_hint(err, "did you mean 'ftr list %s'?", near);
	return err_hint(err, "name a list first, as in: ftr list events '%.200s'", argv[*first]);
}

static int check_usage(const struct list *l, const char *word, struct ftr_error *err)
{
	bool events = l->fields || l->full || l->filters || l->triggers;
	bool plugins = l->plugins.paths.n || l->plugins.none || l->plugins.options.n;

	if (events && strcmp(l->kind->name, "events"))
		return err_set(err, FTR_USAGE, "-F, --full, -l and -R work with events, not with "
			       "%s", l->kind->name);
	if ((l->proto || l->address) && strcmp(l->kind->name, "functions"))
		return err_set(err, FTR_USAGE, "--%s works with functions, not with %s",
			       l->proto ? "proto" : "address", l->kind->name);
	if (plugins && strcmp(l->kind->name, "plugins"))
		return err_set(err, FTR_USAGE, "--plugin, -N and -O work with plugins, not with %s",
			       l->kind->name);
	if (l->instance && !l->kind->by_instance)
		return err_set(err, FTR_USAGE, "-B makes no difference for %s", l->kind->name);
	if (word && !l->kind->fill)
		return err_set(err, FTR_USAGE, "unexpected word '%.200s'", word);
	return 0;
}

static int find_instance(struct list *l, struct ftr_error *err)
{
	struct strv names = {0};
	const char *near;
	int ret = 0;

	if (!l->instance)
		return 0;
	if (tfs_instances(&l->t, &names, err)) {
		ret = -1;
	} else if (!strv_has(&names, l->instance)) {
		ret = err_set(err, FTR_FAILED, "no instance '%s'", l->instance);
		near = names.n ? text_closest(l->instance, names.v) : NULL;
		if (near)
			err_hint(err, "did you mean '%s'?", near);
		else
			err_hint(err, "'ftr list instances' shows them");
	}
	strv_release(&names);
	return ret;
}

static bool row_wanted(struct list *l, const char *const *row)
{
	return l->kind->wanted ? l->kind->wanted(l, row) : pick_name(&l->pick, row[0]);
}

/* How many rows @pattern matches as a regular expression, as trace-cmd's list takes it. */
static size_t regex_hits(const char *pattern, const struct listing *all, size_t rows)
{
	char *const patterns[] = { (char *)pattern };
	struct ftr_error bad = {0};
	struct pick pick;
	size_t i, hits = 0;

	if (!pick_init(&pick, patterns, 1, true, &bad))
		for (i = 0; i < rows; i++)
			hits += pick_name(&pick, all->cells[i * all->nr_columns]);
	pick_release(&pick);
	return hits;
}

static void hint_missed(const struct list *l, const char *missed, const struct strv *names,
			size_t as_regex, struct ftr_error *err)
{
	const char *near = names->n && !l->regex ? text_closest(missed, names->v) : NULL;
	char *word = text_word(missed);

	if (as_regex)
		err_hint(err, "as a regular expression it matches %zu: ftr list %s --regex %s",
			 as_regex, l->kind->name, word);
	else if (near)
		err_hint(err, "did you mean '%s'?", near);
	else
		err_hint(err, "'ftr list %s' shows all of them", l->kind->name);
	free(word);
}

/* Each pattern without a hit is an error by itself; the others' hits are listed all the same. */
static void say_missed(const struct list *l, const struct listing *all, size_t rows)
{
	struct ftr_error err;
	struct strv names = {0};
	const char *missed, *const *row;
	size_t i;

	if (!pick_missed(&l->pick, 0))
		return;
	for (i = 0; i < rows; i++) {
		row = all->cells + i * all->nr_columns;
		if (l->kind->names)
			l->kind->names(row, &names);
		else
			strv_add(&names, row[0]);
	}
	strv_sort_unique(&names);
	for (i = 0; (missed = pick_missed(&l->pick, i)); i++) {
		err = (struct ftr_error){0};
		err_set(&err, FTR_FAILED, "no %s matches '%s'", l->kind->one, missed);
		hint_missed(l, missed, &names,
			    l->regex ? 0 : regex_hits(missed, all, rows), &err);
		cmd_fail(&err);
	}
	strv_release(&names);
}

/* Nobody asked for less: nothing has to be looked at. */
static bool all_wanted(const struct list *l)
{
	return !l->pick.n && l->kind->wanted != list_wanted_event;
}

/* Leaves the rows that are wanted. False if a pattern has no hit. */
static bool select_rows(struct list *l, struct listing *all)
{
	size_t w = all->nr_columns, i, n = 0, before = all->n;
	bool *keep;

	if (all->total < before)
		all->total = before;
	if (all_wanted(l))
		return true;
	keep = xcalloc(before + 1, sizeof(*keep));
	for (i = 0; i < before; i++)
		keep[i] = row_wanted(l, all->cells + i * w);
	say_missed(l, all, before);
	for (i = 0; i < before; i++)
		if (keep[i])
			memmove(all->cells + n++ * w, all->cells + i * w, w * sizeof(*all->cells));
	all->n = n;
	free(keep);
	return !pick_missed(&l->pick, 0);
}

/* 0, 1 when a pattern has no hit (that was said), -1 with @err. */
static int list_rows(struct list *l, struct ftr_error *err)
{
	struct listing all = {0};
	int ret = -1;

	if (!l->kind->no_tracefs && (tfs_open(&l->t, err) || find_instance(l, err)))
		goto out;
	if (l->kind->fill(l, &all, err))
		goto out;
	ret = !select_rows(l, &all);
	listing_sort(&all);
	if (l->kind->finish && l->kind->finish(l, &all, err)) {
		ret = -1;
		goto out;
	}
	if (l->json)
		listing_print_json(&all, l->kind->name, l->instance);
	else
		listing_print(&all);
	if (all.n < all.total)
		cmd_say("%zu of %zu %s", all.n, all.total, l->kind->name);
out:
	listing_release(&all);
	tfs_close(&l->t);
	return ret;
}

/* trace-cmd's 'list -B' lists the instances; where a word follows, it is one's name. */
static void bare_instance_option(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[argc - 1], "-B"))
		argv[argc - 1] = "--instances";
}

static int run_list(const struct cmd *self, int argc, char **argv)
{
	struct ftr_error err = { 0 };
	struct list l = { .t.dirfd = -1 };
	int status, ret = -1, first;

	bare_instance_option(argc, argv);
	first = cmd_parse(self, argc, argv, &l, &status);
	if (first < 0)
		goto out;
	if (!choose_kind(&l, argc, argv, &first, &err) &&
	    !check_usage(&l, first < argc ? argv[first] : NULL, &err) &&
	    !pick_init(&l.pick, argv + first, argc - first, l.regex, &err))
		ret = l.kind->fill ? list_rows(&l, &err) : list_plugins(&l, &err);
	status = ret < 0 ? cmd_fail(&err) : ret;
out:
	pick_release(&l.pick);
	plugin_args_release(&l.plugins);
	return status;
}

const struct cmd cmd_list = {
	.name = "list",
	.usage = "WHAT [OPTIONS] [PATTERN...]",
	.summary = "list events, tracers, functions, options, clocks, probes, ...",
	.examples = examples,
	.options = options,
	.flags = CMD_PAGER | CMD_EVERYDAY,
	.run = run_list,
};
