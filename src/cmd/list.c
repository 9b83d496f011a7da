/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr list: lists events, tracers, functions and other names of this kernel, and their state. */
#include "cmd/list.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cmd/frame/command.h"
#include "file/compress.h"
#include "record/setup/purposes.h"
#include "record/symbols/protos.h"

/* --- tracers, clocks, compressions: names and their meanings */

#define NR(a) (sizeof(a) / sizeof(*(a)))

/* The meaning of a name. */
struct name_meaning {
	const char *name, *text;
};

static const struct listing_column choice_columns[] = {
	{ "name", COL_TEXT, NULL }, { "current", COL_FLAG, NULL }, { "meaning", COL_TEXT, NULL },
};

/* Fills a listing with names and their meanings. @names is moved to the listing. */
static void fill_choices(struct listing *out, struct strv *names, const char *current,
			 const struct name_meaning *meanings, size_t nr_meanings)
{
	const char *row[3];
	size_t i, k;

	out->columns = choice_columns;
	out->nr_columns = NR(choice_columns);
	for (i = 0; i < names->n; i++) {
		row[0] = names->v[i];
		row[1] = strcmp(names->v[i], current) ? NULL : "current";
		row[2] = NULL;
		for (k = 0; k < nr_meanings && !row[2]; k++)
			if (!strcmp(meanings[k].name, names->v[i]))
				row[2] = meanings[k].text;
		listing_add(out, row);
	}
	out->owned = *names;
}

static const struct name_meaning tracers[] = {
	{ "nop", "none: events alone" },
	{ "function", "calls of kernel functions" },
	{ "function_graph", "calls and returns of kernel functions, with durations" },
	{ "irqsoff", "the longest time with interrupts off" },
	{ "preemptoff", "the longest time without preemption" },
	{ "preemptirqsoff", "the longest time with either off" },
	{ "wakeup", "the longest way of a task from wakeup to CPU" },
	{ "wakeup_rt", "the same of real-time tasks" },
	{ "wakeup_dl", "the same of deadline tasks" },
	{ "blk", "requests of block devices" },
	{ "mmiotrace", "accesses to device memory" },
	{ "hwlat", "time that the hardware takes away" },
	{ "osnoise", "time that the system takes away from a CPU" },
	{ "timerlat", "how late timers wake threads" },
	{ "branch", "likely() and unlikely() that were wrong" },
};

static int list_fill_tracers(struct list_args *l, struct listing *out, struct ftr_error *err)
{
	struct strv names = {0};
	char *current;

	if (tfs_tracers(&l->t, l->instance, &names, err))
		return -1;
	current = tfs_line(&l->t, l->instance, "current_tracer");
	fill_choices(out, &names, current, tracers, NR(tracers));
	free(current);
	return 0;
}

static const struct name_meaning clocks[] = {
	{ "local", "fast, of each CPU: may differ by some us between CPUs" },
	{ "global", "in order over all CPUs, slower" },
	{ "counter", "no time: counts records" },
	{ "uptime", "jiffies since boot" },
	{ "perf", "the clock of perf" },
	{ "mono", "CLOCK_MONOTONIC" },
	{ "mono_raw", "CLOCK_MONOTONIC_RAW: not adjusted" },
	{ "boot", "CLOCK_BOOTTIME: goes on while suspended" },
	{ "tai", "CLOCK_TAI: wall-clock time without leap seconds" },
	{ "x86-tsc", "cycles of the processor" },
	{ "ppc-tb", "ticks of the time base" },
};

static int list_fill_clocks(struct list_args *l, struct listing *out, struct ftr_error *err)
{
	struct strv names = {0};
	char *current = NULL;

	if (tfs_clocks(&l->t, l->instance, &names, &current, err))
		return -1;
	fill_choices(out, &names, current, clocks, NR(clocks));
	free(current);
	return 0;
}

static int list_fill_compressions(struct list_args *l, struct listing *out, struct ftr_error *err)
{
	static const struct listing_column columns[] = {
		{ "name", COL_TEXT, NULL }, { "read", COL_FLAG, NULL }, { "write", COL_FLAG, NULL },
	};
	static const char *const rows[][3] = {
		{ "none", "read", "write" }, { "zlib", "read", "write" },
		{ "zstd", "read", "write" },
	};
	size_t i;

	(void)l;
	(void)err;
	out->columns = columns;
	out->nr_columns = NR(columns);
	for (i = 0; i < NR(rows); i++)
		if (packing_known(rows[i][0]))
			listing_add(out, rows[i]);
	return 0;
}

static int list_fill_purposes(struct list_args *l, struct listing *out, struct ftr_error *err)
{
	static const struct listing_column columns[] = {
		{ "purpose", COL_TEXT, NULL }, { "summary", COL_TEXT, NULL },
		{ "events", COL_TEXT, NULL },
	};
	const char *row[3];

	(void)l;
	(void)err;
	out->columns = columns;
	out->nr_columns = NR(columns);
	for (const struct rec_purpose *p = rec_purposes; p->name; p++) {
		row[0] = p->name;
		row[1] = p->summary;
		row[2] = p->events;
		listing_add(out, row);
	}
	return 0;
}

/* --- options */

/* Owners of options by globs. tracefs does not show which tracer an option belongs to. */
static const struct name_meaning owners[] = {
	{ "funcgraph-*", "function_graph" }, { "sleep-time", "function_graph" },
	{ "graph-time", "function_graph" }, { "func_stack_trace", "function" },
	{ "func-no-repeats", "function" }, { "func-args", "function" }, { "blk_*", "blk" },
	{ "test_nop_*", "nop" },
};

/*
 * Returns the index in trace_options of the first option that belongs to the current tracer. Common
 * options come before it.
 */
static size_t tracer_options_start(const struct strv *words)
{
	size_t i, k;

	for (i = 0; i < words->n; i++)
		for (k = 0; k < NR(owners); k++)
			if (strcmp(owners[k].name, "graph-time") &&
			    !fnmatch(owners[k].name, words->v[i], 0))
				return i;
	return words->n;
}

/*
 * Returns the tracer that an option belongs to, or NULL. Some kernels have graph-time among the
 * common options, before those of the tracer.
 */
static const char *option_owner(const struct strv *words, const char *option)
{
	size_t i, end = tracer_options_start(words);

	for (i = 0; i < end; i++)
		if (!strcmp(words->v[i], option))
			return NULL;
	for (i = 0; i < NR(owners); i++)
		if (!fnmatch(owners[i].name, option, 0))
			return owners[i].text;
	return NULL;
}

/*
 * Lists the directory options/, which has options of all tracers; trace_options has only those of
 * the current tracer.
 */
static int read_option_names(struct list_args *l, struct strv *names, struct ftr_error *err)
{
	struct buf path = {0};
	int fd = openat(l->t.dirfd, tfs_path(&path, l->instance, "options"),
			O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	int ret = 0;

	if (!dir)
		ret = err_sys(err, "cannot list '%s/%s'", l->t.path, path.data);
	while (dir && (e = readdir(dir)))
		if (e->d_name[0] != '.')
			strv_add(names, e->d_name);
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
	buf_release(&path);
	return ret;
}

static bool option_is_on(const struct list_args *l, const char *all, const char *name)
{
	struct strv words = {0};
	char *file = xasprintf("options/%s", name), *line = tfs_line(&l->t, l->instance, file);
	bool on = !strcmp(line, "1");

	if (!*line) {
		strv_split(&words, all, "\n");
		on = strv_has(&words, name);
		strv_release(&words);
	}
	free(line);
	free(file);
	return on;
}

static int list_fill_options(struct list_args *l, struct listing *out, struct ftr_error *err)
{
	static const struct listing_column columns[] = {
		{ "option", COL_TEXT, NULL }, { "value", COL_TEXT, NULL },
		{ "tracer", COL_TEXT, NULL },
	};
	struct strv words = {0};
	struct buf all = {0};
	const char *row[3];
	int ret = -1;
	size_t i;

	out->columns = columns;
	out->nr_columns = NR(columns);
	if (tfs_read(&l->t, l->instance, "trace_options", &all, err) ||
	    tfs_options(&l->t, l->instance, &words, err) ||
	    /* trace_options of an instance also has options of the top level alone. */
	    (!l->instance && tfs_options(&l->t, NULL, &out->owned, err)) ||
	    read_option_names(l, &out->owned, err))
		goto out;
	strv_sort_unique(&out->owned);
	for (i = 0; i < out->owned.n; i++) {
		row[0] = out->owned.v[i];
		row[1] = option_is_on(l, all.data, row[0]) ? "on" : "off";
		row[2] = option_owner(&words, row[0]);
		listing_add(out, row);
	}
	ret = 0;
out:
	strv_release(&words);
	buf_release(&all);
	return ret;
}

/* --- instances */

static int list_fill_instances(struct list_args *l, struct listing *out, struct ftr_error *err)
{
	static const struct listing_column columns[] = {
		{ "instance", COL_TEXT, NULL }, { "tracer", COL_TEXT, NULL },
		{ "tracing", COL_TEXT, NULL }, { "size_kb", COL_NUMBER, "KiB" },
	};
	struct strv names = {0};
	const char *row[4];
	char *on, *size;
	size_t i;

	out->columns = columns;
	out->nr_columns = NR(columns);
	if (tfs_instances(&l->t, &names, err))
		return -1;
	for (i = 0; i < names.n; i++) {
		on = tfs_line(&l->t, names.v[i], "tracing_on");
		row[0] = listing_own(out, xstrdup(names.v[i]));
		row[1] = listing_own(out, tfs_line(&l->t, names.v[i], "current_tracer"));
		row[2] = !strcmp(on, "1") ? "on" : "off";
		/* "7 (expanded: 1408)" until the buffer is first used */
		size = tfs_line(&l->t, names.v[i], "buffer_total_size_kb");
		size[strspn(size, "0123456789")] = '\0';
		row[3] = *listing_own(out, size) ? size : NULL;
		listing_add(out, row);
		free(on);
	}
	strv_release(&names);
	return 0;
}

/* --- functions: some 50,000 lines, which are split in place */

#define PROTOTYPE 3
#define NR_COLUMNS 4

static bool list_wanted_function(struct list_args *l, const char *const *row)
{
	return pick_function(&l->pick, row[0], row[1]);
}

/*
 * Splits "[ffffffff81002014 ]vfs_read[ [module]]" in place; it ends at @end. Returns false if it
 * has no name.
 */
static bool cut_line(char *line, char *end, bool with_address, const char **row)
{
	char *blank, *bracket;

	row[1] = row[2] = NULL;
	blank = memchr(line, ' ', end - line);
	if (with_address) {
		if (!blank)
			return false;
		row[2] = line;
		*blank = '\0';
		line = blank + 1;
		blank = memchr(line, ' ', end - line);
	}
	row[0] = line;
	if (blank) {
		*blank = '\0';
		bracket = strchr(blank + 1, '[');
		row[1] = bracket ? bracket + 1 : NULL;
		if (bracket)
			bracket[strcspn(bracket, "]")] = '\0';
	}
	return *line;
}

#define ADDRS "available_filter_functions_addrs"

/*
 * Reads the list of functions. Returns 1 if it has addresses, 0 if not, -1 with @err. Addresses are
 * read only if they are shown, because the kernel takes three times as long for them.
 */
static int read_functions(struct list_args *l, struct buf *text, struct ftr_error *err)
{
	int ret = -1;

	if (l->address || l->json)
		ret = tfs_read(&l->t, NULL, ADDRS, text, l->address ? err : NULL);
	if (!ret)
		return 1;
	if (l->address) {
		if (errno == ENOENT) {
			err_set(err, FTR_FAILED, "this kernel does not list addresses of "
				"functions");
			err_hint(err, "it has no '" ADDRS "'; addresses of symbols are in "
				 "/proc/kallsyms");
		}
		return -1;
	}
	ret = tfs_read(&l->t, NULL, "available_filter_functions", text, err);
	if (ret && errno == ENOENT) {
		err_set(err, FTR_FAILED, "this kernel has no list of functions");
		err_hint(err, "it needs CONFIG_FUNCTION_TRACER and CONFIG_DYNAMIC_FTRACE");
	}
	return ret;
}

static int list_fill_functions(struct list_args *l, struct listing *out, struct ftr_error *err)
{
	static const struct listing_column columns[] = {
		{ "function", COL_TEXT, NULL }, { "module", COL_TEXT, NULL },
		{ "address", COL_TEXT, NULL }, [PROTOTYPE] = { "prototype", COL_TEXT, NULL },
	};
	const char *row[NR_COLUMNS] = {0};
	char *p, *end, *nl;
	int addresses;

	out->columns = columns;
	out->nr_columns = l->proto ? NR_COLUMNS : PROTOTYPE;
	addresses = read_functions(l, &out->text, err);
	if (addresses < 0)
		return -1;
	out->clean = text_clean(out->text.data, out->text.len, true);
	p = out->text.data;
	end = p + out->text.len;
	for (; p < end; p = nl + 1) {
		nl = memchr(p, '\n', end - p);
		if (!nl)
			nl = end;
		*nl = '\0';
		if (cut_line(p, nl, addresses, row))
			listing_add(out, row);
	}
	return 0;
}

/* Reports how many functions have no prototype, and the modules without BTF. */
static void report_without_prototype(const struct proto_decls *d, size_t without)
{
	const struct strv *modules = decls_without(d);
	struct buf names = {0};
	size_t i;

	if (!without)
		return;
	for (i = 0; i < modules->n && i < 3; i++)
		buf_printf(&names, "%s'%s'", i ? ", " : "", modules->v[i]);
	if (modules->n > 3)
		buf_printf(&names, " and %zu more", modules->n - 3);
	if (modules->n)
		cmd_notice("%zu without a prototype; no BTF of %s", without, names.data);
	else
		cmd_notice("%zu without a prototype: BTF does not have them", without);
	buf_release(&names);
}

static int list_finish_functions(struct list_args *l, struct listing *out, struct ftr_error *err)
{
	struct proto_decls *d = l->proto ? decls_open(err) : NULL;
	struct buf text = {0};
	size_t i, without = 0;
	const char **row;

	if (!d)
		return l->proto ? -1 : 0;
	for (i = 0; i < out->n; i++) {
		row = out->cells + i * NR_COLUMNS;
		buf_reset(&text);
		if (decls_add(d, row[1], row[0], &text))
			row[PROTOTYPE] = listing_own(out, xstrndup(text.data, text.len));
		else
			without++;
	}
	report_without_prototype(d, without);
	buf_release(&text);
	decls_close(d);
	return 0;
}

/* --- the command */

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
	{ .name = "for", .one = "purpose", .fill = list_fill_purposes, .no_tracefs = true },
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
	struct list_args *l = ctx;
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

#define AT(member) offsetof(struct list_args, member)
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
	{ 0, "for", NULL, "list the purposes of record --for, and their events", set_kind, 0 },
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

/*
 * Chooses the list by its option, by the first word, or by options that only one list has: -F of
 * events, --proto of functions. Returns -1 with @err if none is named.
 */
static int choose_kind(struct list_args *l, int argc, char **argv, int *first,
		       struct ftr_error *err)
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
	if (l->fields || l->full || l->filters || l->triggers)
		l->kind = find_list_kind("events");
	else if (l->proto || l->address)
		l->kind = find_list_kind("functions");
	if (l->kind)
		return 0;
	if (*first == argc) {
		err_set(err, FTR_USAGE, "nothing to list was named");
		return err_hint(err, "events, systems, tracers, functions, options, clocks, "
				"instances, probes, compressions, for or plugins");
	}
	err_set(err, FTR_USAGE, "'%.200s' cannot be listed", argv[*first]);
	for (i = 0; i < NR_KINDS; i++)
		names[i] = (char *)kinds[i].name;
	near = text_closest(argv[*first], names);
	if (near)
		return err_hint(err, "did you mean 'ftr list %s'?", near);
	return err_hint(err, "name a list first, as in: ftr list events '%.200s'", argv[*first]);
}

static int check_usage(const struct list_args *l, const char *word, struct ftr_error *err)
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

/* Returns -1 with @err if the instance of -B does not exist. */
static int find_instance(struct list_args *l, struct ftr_error *err)
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

/*
 * Returns the number of rows that @pattern matches as a regular expression, as in trace-cmd list.
 */
static size_t count_regex_hits(const char *pattern, const struct listing *all, size_t rows)
{
	char *const patterns[] = { (char *)pattern };
	struct ftr_error bad = {0};
	struct name_patterns pick;
	size_t i, hits = 0;

	if (!pick_init(&pick, patterns, 1, true, &bad))
		for (i = 0; i < rows; i++)
			hits += pick_name(&pick, all->cells[i * all->nr_columns]);
	pick_release(&pick);
	return hits;
}

/* Prints an error for each pattern that matches no row. */
static void report_missed(const struct list_args *l, const struct listing *all, size_t rows)
{
	struct ftr_error err;
	struct strv names = {0};
	const char *missed, *near, *const *row;
	size_t i, as_regex;
	char *word;

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
		near = names.n && !l->regex ? text_closest(missed, names.v) : NULL;
		as_regex = l->regex ? 0 : count_regex_hits(missed, all, rows);
		word = text_word(missed);
		if (as_regex)
			err_hint(&err, "as a regular expression it matches %zu: ftr list %s "
				 "--regex %s", as_regex, l->kind->name, word);
		else if (near)
			err_hint(&err, "did you mean '%s'?", near);
		else
			err_hint(&err, "'ftr list %s' shows all of them", l->kind->name);
		free(word);
		cmd_fail(&err);
	}
	strv_release(&names);
}

/* Removes rows that are not selected. Returns false if a pattern matches no row. */
static bool select_rows(struct list_args *l, struct listing *all)
{
	size_t w = all->nr_columns, i, n = 0, before = all->n;
	const char *const *row;
	bool *keep;

	if (all->total < before)
		all->total = before;
	if (!l->pick.n && l->kind->wanted != list_wanted_event)
		return true;
	keep = xcalloc(before + 1, sizeof(*keep));
	for (i = 0; i < before; i++) {
		row = all->cells + i * w;
		keep[i] = l->kind->wanted ? l->kind->wanted(l, row) : pick_name(&l->pick, row[0]);
	}
	report_missed(l, all, before);
	for (i = 0; i < before; i++)
		if (keep[i])
			memmove(all->cells + n++ * w, all->cells + i * w, w * sizeof(*all->cells));
	all->n = n;
	free(keep);
	return !pick_missed(&l->pick, 0);
}

/* Prints a list. Returns 1 if a pattern matches no row, which was reported, and -1 with @err. */
static int list_rows(struct list_args *l, struct ftr_error *err)
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
		cmd_notice("%zu of %zu %s", all.n, all.total, l->kind->name);
out:
	listing_release(&all);
	tfs_close(&l->t);
	return ret;
}

static int run_list(const struct cmd *self, int argc, char **argv)
{
	struct ftr_error err = { 0 };
	struct list_args l = { .t.dirfd = -1 };
	int status, ret = -1, first;

	/* trace-cmd's 'list -B' without a word lists the instances. */
	if (argc > 1 && !strcmp(argv[argc - 1], "-B"))
		argv[argc - 1] = "--instances";
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
