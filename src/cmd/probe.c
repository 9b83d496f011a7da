/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr probe: adds, lists and removes probes. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/frame/command.h"
#include "cmd/frame/command_verbs.h"
#include "cmd/frame/tracefs_change.h"
#include "tracefs/probe/dynamic_probe.h"
#include "tracefs/session/definitions.h"

struct probe_args {
	struct probe_ask ask;
	const char *from_def, *btf;
	bool fprobe, tprobe, registers, dry_run, json, print_def, all;
	struct strv words;		/* operands */
	struct buf text;		/* definitions to add */
	struct strv added;		/* events that were added, or removed */
	struct strv shared;		/* events that keep places which others added */
	bool placed;			/* a place was added to an existing event */
};

static int set_max_active(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct probe_args *p = ctx;
	int64_t n;

	(void)o;
	if (text_number(arg, 1, 4096, &n))
		return err_set(err, FTR_USAGE, "'%s' is not a number from 1 to 4096", arg);
	p->ask.max_active = n;
	return 0;
}

#define AT(member) offsetof(struct probe_args, member)
#define DRY_RUN	{ 0, "dry-run", NULL, "print the kernel's text; change nothing", opt_flag, \
		  AT(dry_run) }
#define JSON	{ 0, "json", NULL, "print JSON", opt_flag, AT(json) }
#define PRINT_DEF { 0, "print-def", NULL, "print definitions that --from-def reads", opt_flag, \
		    AT(print_def) }
#define FROM_DEF { 0, "from-def", "FILE", "add the definitions in FILE; -: standard input", \
		   opt_str, AT(from_def) }

static const struct opt add_options[] = {
	OPT_GROUP("What to probe (default: a function of the kernel)"),
	{ 'x', "exec", "FILE", "probe a function of a program or library", opt_str, AT(ask.file) },
	{ 'e', "event", "SYSTEM/EVENT", "probe an event, with its fields as arguments", opt_str,
	  AT(ask.event) },
	{ 0, "fprobe", NULL, "probe a function by fprobe, which is lighter than a kprobe", opt_flag,
	  AT(fprobe) },
	{ 0, "tprobe", NULL, "probe a tracepoint, with its own arguments", opt_flag, AT(tprobe) },
	OPT_GROUP("How"),
	{ 0, "name", "[GROUP/]EVENT", "name the event (default: the function's name)",
	  opt_str, AT(ask.name) },
	{ 0, "max-active", "N", "allow N calls that have not returned yet", set_max_active,
	  0 },
	{ 0, "registers", NULL, "name registers and offsets even if the kernel knows types",
	  opt_flag, AT(registers) },
	{ 0, "btf", "FILE", "take types from FILE (/sys/kernel/btf/vmlinux)", opt_str, AT(btf) },
	DRY_RUN,
	OPT_END
};

static const struct opt list_options[] = { JSON, PRINT_DEF, OPT_END };
static const struct opt load_options[] = { DRY_RUN, OPT_END };
static const struct opt del_options[] = {
	{ 0, "all", NULL, "delete every probe, whoever added it", opt_flag, AT(all) },
	OPT_END
};
static const struct opt other_options[] = { JSON, PRINT_DEF, FROM_DEF, DRY_RUN, OPT_END };

static const char *const examples[] = {
	"ftr probe add 'tcp_sendmsg size sk->__sk_common.skc_state'",
	"ftr probe add -x /lib/x86_64-linux-gnu/libc.so.6 'malloc%return $retval'",
	"ftr probe list",
	NULL
};

static int open_kernel(const struct probe_args *p, struct probe_kernel *k, const struct tfs *t,
		       struct ftr_error *err)
{
	if (probe_kernel_open(k, t, err))
		return -1;
	k->registers = p->registers;
	k->btf_path = p->btf;
	return 0;
}

/* --- add and load */

/*
 * Calls @use for each probe that the options ask for. Definitions from a file must be the kernel's
 * text: another text would depend on the types of this kernel. Returns -1 with @err.
 */
static int each_probe(const struct probe_args *p, struct probe_kernel *k,
		      int (*use)(void *ctx, struct probe_kernel *k, const struct probe_def *def,
				 struct ftr_error *err), void *ctx, struct ftr_error *err)
{
	struct probe_ask ask = p->ask;
	struct strv lines = {0};
	struct probe_def def;
	const char *line;
	int ret = 0;

	if (p->from_def)
		strv_split(&lines, p->text.data ? p->text.data : "", "\n");
	else
		strv_add(&lines, p->text.data ? p->text.data : "");
	for (size_t i = 0; !ret && i < lines.n; i++) {
		line = lines.v[i] + strspn(lines.v[i], " \t");
		if (p->from_def && (!*line || *line == '#'))
			continue;
		ask.text = lines.v[i];
		if (probe_is_raw(ask.text) && (p->from_def || ask.kind == PROBE_KPROBE)) {
			ret = probe_make_raw(k, ask.text, &def, err);
		} else if (p->from_def) {
			err_set(err, FTR_FAILED, "'%.300s' is not a definition of a probe",
				ask.text);
			ret = err_hint(err, "'ftr probe --print-def' prints them");
		} else {
			ret = probe_make(k, &ask, &def, err);
		}
		if (ret)
			break;
		ret = use(ctx, k, &def, err);
		probe_def_release(&def);
	}
	strv_release(&lines);
	return ret;
}

static int print_def_text(void *ctx, struct probe_kernel *k, const struct probe_def *def,
			  struct ftr_error *err)
{
	(void)ctx;
	(void)k;
	(void)err;
	cmd_print("%s\n", def->text);
	return 0;
}

struct probe_addition {
	struct probe_args *p;
	struct session *s;
};

/*
 * Returns true if a definition may add a place to an event that exists. An event has several places
 * if they are loaded together, or if a definition in the kernel's syntax adds one.
 */
static bool may_add_place(const struct probe_args *p, const struct tfs *t,
			  const struct probe_def *def)
{
	char *place = definition_place(def->text);
	bool may = !p->from_def && probe_is_raw(def->user) && place;
	struct strv lines = {0};

	if (may)
		definitions_read(t, def->event, &lines);
	may = lines.n > 0;
	strv_release(&lines);
	free(place);
	return may;
}

static int add_one(void *ctx, struct probe_kernel *k, const struct probe_def *def,
		   struct ftr_error *err)
{
	struct probe_addition *a = ctx;
	char *path = xasprintf("events/%s", def->event);
	bool exists = tfs_exists(k->t, NULL, path) && !strv_has(&a->p->added, def->event);

	free(path);
	if (exists && !may_add_place(a->p, k->t, def)) {
		err_set(err, FTR_FAILED, "event '%s' exists", def->event);
		return err_hint(err, "'ftr probe del %s' removes it if it is a probe", def->event);
	}
	if (probe_add(a->s, def, err))
		return -1;
	a->p->placed |= exists;
	if (!strv_has(&a->p->added, def->event))
		strv_add(&a->p->added, def->event);
	return 0;
}

static int add_probes(struct session *s, void *ctx, struct ftr_error *err)
{
	struct probe_addition a = { .p = ctx, .s = s };
	struct probe_kernel k = {0};
	int ret = open_kernel(ctx, &k, session_tfs(s), err);

	if (!ret)
		ret = each_probe(ctx, &k, add_one, &a, err);
	probe_kernel_close(&k);
	return ret;
}

static int probe_dry_run(const struct probe_args *p)
{
	struct ftr_error err = {0};
	struct probe_kernel k = {0};
	struct tfs t;
	int ret = tfs_open(&t, &err);

	if (ret)
		return cmd_fail(&err);
	ret = open_kernel(p, &k, &t, &err);
	if (!ret)
		ret = each_probe(p, &k, print_def_text, NULL, &err);
	probe_kernel_close(&k);
	tfs_close(&t);
	return ret ? cmd_fail(&err) : FTR_OK;
}

/* Adds the definitions in ->text, or prints them with --dry-run. Returns an exit status. */
static int run_add_or_load(struct probe_args *p)
{
	bool in = p->from_def && !strcmp(p->from_def, "-");
	struct ftr_error err = {0};
	int status;

	if (p->from_def && io_read_input(p->from_def, &p->text))
		err_sys(&err, "cannot read '%s'", in ? "standard input" : p->from_def);
	else if (p->from_def && p->text.len && memchr(p->text.data, 0, p->text.len))
		err_set(&err, FTR_FAILED, "'%s' is not text", p->from_def);
	if (err.code)
		return cmd_fail(&err);
	if (p->dry_run)
		return probe_dry_run(p);
	status = cmd_change(CHANGE_STANDS, add_probes, p);
	if (status)
		return status;
	for (size_t i = 0; i < p->added.n; i++)
		cmd_notice("added %s'%s'", p->placed ? "a place to " : "", p->added.v[i]);
	if (p->added.n)
		cmd_notice("'ftr record -e %s' records it, 'ftr probe del %s' removes it",
			   p->added.v[0], p->added.v[0]);
	return FTR_OK;
}

static int run_load(struct probe_args *p, struct ftr_error *err)
{
	if (!p->from_def && p->words.n == 1)
		p->from_def = p->words.v[0];
	else if (p->words.n || !p->from_def) {
		err_set(err, FTR_USAGE, "load takes one file");
		return err_hint(err, "ftr probe load FILE; - is standard input");
	}
	return run_add_or_load(p);
}

static int run_probe_add(struct probe_args *p, struct ftr_error *err)
{
	int kinds = !!p->ask.file + !!p->ask.event + p->fprobe + p->tprobe;

	if (kinds > 1)
		return err_set(err, FTR_USAGE, "-x, -e, --fprobe and --tprobe exclude each other");
	p->ask.kind = p->ask.file ? PROBE_UPROBE : p->ask.event ? PROBE_EPROBE :
		      p->fprobe ? PROBE_FPROBE : p->tprobe ? PROBE_TPROBE : PROBE_KPROBE;
	for (size_t i = 0; i < p->words.n; i++)
		buf_printf(&p->text, "%s%s", i ? " " : "", p->words.v[i]);
	if (!p->text.len && !p->ask.event) {
		err_set(err, FTR_USAGE, "nothing to probe was named");
		return err_hint(err, "ftr probe add 'FUNCTION ARGUMENT...'");
	}
	if (p->text.len && strchr(p->text.data, '\n'))
		return err_set(err, FTR_USAGE, "a probe is one line");
	return run_add_or_load(p);
}

/* --- list */

static bool probe_is_selected(const struct probe_args *p, const struct probe_line *l)
{
	for (size_t i = 0; i < p->words.n; i++)
		if (probe_line_matches(l, p->words.v[i]))
			return true;
	return !p->words.n;
}

static void print_probes_json(const struct probe_args *p, const struct probe_lines *lines)
{
	json_t *all = json_array(), *o, *list;
	struct strv args = {0};

	for (const struct probe_line *l = lines->v; l < lines->v + lines->n; l++) {
		if (!probe_is_selected(p, l))
			continue;
		o = json_pack("{s:s, s:s, s:s, s:b, s:s}", "event", l->event,
			      "kind", probe_kind_name(l->kind, l->is_return), "place", l->place,
			      "enabled", l->enabled, "definition", l->text);
		list = json_array();
		strv_split(&args, l->args, " ");
		for (size_t i = 0; i < args.n; i++)
			json_array_append_new(list, json_string(args.v[i]));
		strv_release(&args);
		json_object_set_new(o, "args", list);
		if (l->kind == PROBE_EPROBE && l->filter_known)
			json_object_set_new(o, "filter",
					    l->filter ? json_string(l->filter) : json_null());
		if (l->counted)
			json_object_set_new(o, "hits", json_integer(l->hits));
		if (l->counted && l->kind == PROBE_KPROBE)
			json_object_set_new(o, "misses", json_integer(l->misses));
		json_array_append_new(all, o);
	}
	json_dumpf(all, stdout, JSON_INDENT(1) | JSON_ENSURE_ASCII);
	putchar('\n');
	json_decref(all);
}

static void count_or_dash(char *out, size_t n, bool known, uint64_t value)
{
	snprintf(out, n, known ? "%ju" : "-", (uintmax_t)value);
}

static void print_table(const struct probe_args *p, const struct probe_lines *l)
{
	const struct probe_line *at;
	char hits[24], misses[24];
	int width = 5;

	for (at = l->v; at < l->v + l->n; at++)
		if (probe_is_selected(p, at) && (int)strlen(at->event) > width)
			width = strlen(at->event);
	printf("%-*s  %-9s %10s %8s  %-3s  %s\n", width, "EVENT", "KIND", "HITS", "MISSES", "ON",
	       "DEFINITION");
	for (at = l->v; at < l->v + l->n; at++) {
		if (!probe_is_selected(p, at))
			continue;
		count_or_dash(hits, sizeof(hits), at->counted, at->hits);
		count_or_dash(misses, sizeof(misses), at->counted &&
			      at->kind == PROBE_KPROBE, at->misses);
		cmd_print("%-*s  %-9s %10s %8s  %-3s  %s%s%s%s%s\n", width, at->event,
		       probe_kind_name(at->kind, at->is_return), hits, misses,
		       at->enabled ? "yes" : "no", at->place, *at->args ? " " : "", at->args,
		       at->filter ? " if " : "", at->filter ? at->filter : "");
	}
}

static void print_definitions(const struct probe_args *p, const struct probe_lines *l)
{
	for (const struct probe_line *at = l->v; at < l->v + l->n; at++) {
		if (!probe_is_selected(p, at))
			continue;
		cmd_print("%s\n", at->text);
		if (at->kind == PROBE_EPROBE && !at->filter_known)
			cmd_warn("'%s' may have a filter: the kernel does not show filters, and "
				 "ftr did not add this probe", at->event);
	}
}

static int err_no_such_probe(const struct probe_lines *l, const char *pattern,
			     struct ftr_error *err)
{
	struct strv names = {0};
	const char *near, *slash;

	for (size_t i = 0; i < l->n; i++) {
		slash = strchr(l->v[i].event, '/');
		strv_add(&names, strchr(pattern, '/') || !slash ? l->v[i].event : slash + 1);
	}
	near = names.n ? text_closest(pattern, names.v) : NULL;
	err_set(err, FTR_FAILED, "no probe matches '%s'", pattern);
	if (near)
		err_hint(err, "did you mean '%s'?", near);
	else
		err_hint(err, "'ftr probe list' lists them");
	strv_release(&names);
	return -1;
}

static int check_patterns(const struct probe_args *p, const struct probe_lines *l,
			  struct ftr_error *err)
{
	size_t i, j;

	for (i = 0; i < p->words.n; i++) {
		for (j = 0; j < l->n && !probe_line_matches(&l->v[j], p->words.v[i]); j++)
			;
		if (j == l->n)
			return err_no_such_probe(l, p->words.v[i], err);
	}
	return 0;
}

static int run_probe_list(struct probe_args *p, struct ftr_error *err)
{
	struct probe_lines l = {0};
	struct tfs t;
	int ret;

	if (tfs_open(&t, err))
		return cmd_fail(err);
	ret = probe_lines_read(&t, &l, err);
	if (!ret)
		ret = check_patterns(p, &l, err);
	if (!ret && !l.n && !p->json)
		cmd_notice("no probe is defined");
	else if (!ret)
		(p->print_def ? print_definitions : p->json ? print_probes_json
		 : print_table)(p, &l);
	probe_lines_release(&l);
	tfs_close(&t);
	return ret ? cmd_fail(err) : FTR_OK;
}

/* --- del */

/* Returns true if our changes added this place, or none of the places of its event. */
static bool is_own_place(const struct probe_lines *l, const struct probe_line *at)
{
	struct strv own = {0};
	bool mine = true, any = false;
	char *place;

	definitions_own(at->event, &own);
	for (size_t i = 0; own.n && !strv_has(&own, "") && i < l->n; i++) {
		if (strcmp(l->v[i].event, at->event))
			continue;
		place = definition_place(l->v[i].text);
		any |= place && strv_has(&own, place);
		if (&l->v[i] == at)
			mine = place && strv_has(&own, place);
		free(place);
	}
	strv_release(&own);
	return mine || !any;
}

/*
 * Returns a flag for each line that is to be removed; the caller frees. If others added places to
 * an event, only our places are removed, unless --all is given.
 */
static bool *mark_removed(struct probe_args *p, const struct probe_lines *l)
{
	bool *removed = xcalloc(l->n + 1, sizeof(*removed));

	for (size_t i = 0; i < l->n; i++) {
		if (!probe_is_selected(p, &l->v[i]))
			continue;
		removed[i] = p->all || is_own_place(l, &l->v[i]);
		if (!removed[i] && !strv_has(&p->shared, l->v[i].event))
			strv_add(&p->shared, l->v[i].event);
	}
	return removed;
}

/* Returns true if the event of line @at keeps other places after lines from @at on are removed. */
static bool has_other_places(const struct probe_lines *l, const bool *removed, size_t at)
{
	for (size_t i = 0; i < l->n; i++)
		if (i != at && !strcmp(l->v[i].event, l->v[at].event) && (i < at || !removed[i]))
			return true;
	return false;
}

/* Removes probes in reverse order: an event probe before the probe that it is attached to. */
static int del_probes(struct session *s, void *ctx, struct ftr_error *err)
{
	struct probe_args *p = ctx;
	struct probe_lines l = {0};
	bool *removed = NULL;
	int ret = probe_lines_read(session_tfs(s), &l, err);

	if (!ret)
		ret = check_patterns(p, &l, err);
	if (!ret)
		removed = mark_removed(p, &l);
	for (size_t i = l.n; !ret && i-- > 0;) {
		if (!removed[i])
			continue;
		ret = probe_del(s, &l.v[i], has_other_places(&l, removed, i), err);
		if (!ret && !strv_has(&p->added, l.v[i].event))
			strv_add(&p->added, l.v[i].event);
	}
	free(removed);
	probe_lines_release(&l);
	return ret;
}

static int run_probe_del(struct probe_args *p, struct ftr_error *err)
{
	int status;

	if (p->all == !!p->words.n) {
		err_set(err, FTR_USAGE, p->all ? "--all leaves nothing to name"
						 : "no probe was named");
		return err_hint(err, "ftr probe del NAME..., or --all");
	}
	status = cmd_change(CHANGE_STANDS, del_probes, p);
	for (size_t i = 0; !status && i < p->added.n; i++) {
		if (!strv_has(&p->shared, p->added.v[i]))
			cmd_notice("removed '%s'", p->added.v[i]);
		else
			cmd_notice("removed our place of '%s'; it stays with those that others "
				   "added, which 'ftr probe del' removes now", p->added.v[i]);
	}
	return status;
}

/* --- verbs */

static int probe_run_without_verb(struct probe_args *p, struct ftr_error *err)
{
	return p->from_def ? run_load(p, err) : run_probe_list(p, err);
}

/* Parses the words and calls @run, which returns an exit status, or -1 with @err. */
static int probe_run_verb(const struct cmd *self, int argc, char **argv,
			  int (*run)(struct probe_args *p, struct ftr_error *err))
{
	struct ftr_error err = {0};
	struct probe_args p = {0};
	int status, first = cmd_parse(self, argc, argv, &p, &status);

	if (first < 0)
		goto out;
	for (int i = first; i < argc; i++)
		strv_add(&p.words, argv[i]);
	status = run(&p, &err);
	if (status < 0)
		status = cmd_fail(&err);
out:
	strv_release(&p.words);
	strv_release(&p.added);
	strv_release(&p.shared);
	buf_release(&p.text);
	return status;
}

static int verb_add(const struct cmd *self, int argc, char **argv)
{
	return probe_run_verb(self, argc, argv, run_probe_add);
}

static int verb_list(const struct cmd *self, int argc, char **argv)
{
	return probe_run_verb(self, argc, argv, run_probe_list);
}

static int verb_del(const struct cmd *self, int argc, char **argv)
{
	return probe_run_verb(self, argc, argv, run_probe_del);
}

static int verb_load(const struct cmd *self, int argc, char **argv)
{
	return probe_run_verb(self, argc, argv, run_load);
}

static int verb_none(const struct cmd *self, int argc, char **argv)
{
	return probe_run_verb(self, argc, argv, probe_run_without_verb);
}

static const struct cmd verbs[] = {
	{ .name = "add", .usage = "[OPTIONS] PLACE [ARGUMENT...]", .summary = "add a probe",
	  .options = add_options, .run = verb_add },
	{ .name = "list", .usage = "[OPTIONS] [NAME...]", .summary = "list probes and their counts",
	  .options = list_options, .run = verb_list },
	{ .name = "del", .usage = "NAME...|--all", .summary = "disable and remove probes",
	  .options = del_options, .run = verb_del },
	{ .name = "load", .usage = "[OPTIONS] FILE",
	  .summary = "add the definitions in a file; -: standard input",
	  .options = load_options, .run = verb_load },
	{ .name = "", .usage = "[OPTIONS]",
	  .summary = "list probes, or load definitions with --from-def",
	  .options = other_options, .run = verb_none },
	{ 0 }
};

const struct cmd cmd_probe = {
	.name = "probe",
	.usage = "VERB [OPTIONS] [WORDS]",
	.summary = "probe functions, instructions, events and tracepoints",
	.examples = examples,
	.verbs = verbs,
	.run = verbs_run,
};
