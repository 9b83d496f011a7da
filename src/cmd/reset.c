/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ftr reset: restores settings that ftr changed, that killed runs left, or all of a fresh kernel.
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/sig.h"
#include "base/text.h"
#include "cmd/frame/tracefs_change.h"
#include "record/rescue/orphan.h"
#include "tracefs/files/control.h"
#include "tracefs/session/journal.h"
#include "tracefs/session/session.h"
#include "tracefs/state/fresh_state.h"

struct reset_args {
	struct buffer_args args;
	bool recover, all, dynamic_events, sysctl, dry_run, json;
};

#define AT(member) offsetof(struct reset_args, member)
static const struct opt options[] = {
	OPT_GROUP("What"),
	{ 0, "recover", NULL, "also undo what killed runs left behind", opt_flag,
	  AT(recover) },
	{ 0, "all", NULL, "set everything back to what a fresh kernel has", opt_flag,
	  AT(all) },
	{ 0, "dynamic-events", NULL, "with --all: remove probes and synthetic events too", opt_flag,
	  AT(dynamic_events) },
	{ 0, "sysctl", NULL, "with --all: also reset the administrator's sysctls", opt_flag,
	  AT(sysctl) },
	{ 'n', "dry-run", NULL, "show what would be put back; change nothing",
	  opt_flag, AT(dry_run) },
	{ 0, "json", NULL, "with -n: print JSON", opt_flag, AT(json) },
	OPT_GROUP("Which buffers (default: all)"),
	BUFFER_OPTS,
	OPT_END
};

static const char *const examples[] = {
	"ftr reset             what ftr start, set, trigger, probe and others changed",
	"ftr reset -B net      an instance alone",
	"ftr reset --recover   also what a killed run left",
	NULL
};

static const char *plural_ending(size_t n)
{
	return n == 1 ? "" : "s";
}

/* ---- standing changes */

/*
 * Adds the scopes for session_reset(): "*", or the top level ("") and names of instances. Returns
 * -1 with @err if the journal cannot be read.
 */
static int reset_scopes(const struct reset_args *r, struct strv *out, struct ftr_error *err)
{
	struct journal_owner owner = {0};
	struct journal_entries standing = {0};
	char *name;
	size_t i;

	if (!buffers_chosen(&r->args)) {
		strv_add(out, "*");
		return 0;
	}
	if (r->args.top)
		strv_add(out, "");
	for (i = 0; i < r->args.names.n; i++)
		strv_add(out, r->args.names.v[i]);
	if (r->args.all && session_standing(&owner, &standing, err) < 0)
		return -1;
	for (i = 0; i < standing.n; i++) {
		if (standing.v[i].type == ENTRY_MKDIR) {
			strv_add(out, standing.v[i].path + strlen("instances/"));
			continue;
		}
		control_split(standing.v[i].path, &name);
		if (name)
			strv_take(out, name);
	}
	strv_sort_unique(out);
	journal_owner_release(&owner);
	entries_release(&standing);
	return 0;
}

static size_t count_dead_runs(void)
{
	struct strv dead = {0};
	size_t n;

	session_dead_journals(&dead, NULL);
	n = dead.n;
	strv_release(&dead);
	return n;
}

/* Each element is a sentence. */
static void print_sentences(const struct strv *s)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		cmd_notice("%s", s->v[i]);
}

/* Undoes standing changes of the chosen buffers. Returns an exit status. */
static int reset_standing(struct tfs *t, const struct reset_args *r)
{
	struct ftr_error err = {0};
	struct strv names = {0}, others = {0};
	size_t i, n, total = 0, dead;
	int ret = reset_scopes(r, &names, &err);

	for (i = 0; i < names.n && !ret; i++) {
		ret = session_reset(t, names.v[i], &n, &others, &err);
		total += n;
	}
	strv_release(&names);
	print_sentences(&others);
	strv_release(&others);
	if (ret)
		return cmd_fail(&err);
	if (total)
		cmd_notice("put back %zu change%s", total, plural_ending(total));
	else
		cmd_notice("nothing to put back");
	dead = count_dead_runs();
	if (dead)
		cmd_notice("%zu run%s died and left changes: 'ftr reset --recover'", dead,
			   plural_ending(dead));
	return FTR_OK;
}

/* ---- killed runs */

/* Completes killed runs, and undoes standing changes. Returns an exit status. */
static int recover_dead_runs(struct tfs *t)
{
	struct ftr_error err = {0}, later = {0};
	struct recovery_result r = {0};
	struct strv files = {0};
	size_t i, n, dead = count_dead_runs();
	int lock = journal_lock(&err), ret;

	if (lock < 0)
		return cmd_fail(&err);
	/* Guardians may have restored killed runs while this run waited for the lock. */
	n = count_dead_runs();
	n = dead > n ? dead - n : 0;
	if (n)
		cmd_notice("%zu killed run%s put back by %s guardian%s meanwhile", n,
			   n == 1 ? " was" : "s were", n == 1 ? "its" : "their", plural_ending(n));
	ret = orphan_complete_all(t, &files, &err);
	if (session_recover_all(t, &r, ret ? &later : &err))
		ret = -1;
	close(lock);
	for (i = 0; i < files.n; i++)
		cmd_notice("the data of a killed run is in '%s': 'ftr recover' finishes it",
			   files.v[i]);
	strv_release(&files);

	print_sentences(&r.others);
	for (i = 0; i < r.unreadable.n; i++)
		cmd_warn("%s", r.unreadable.v[i]);
	for (i = 0; i < r.other_boot.n; i++)
		cmd_notice("dropped '%s': it is from another boot, its changes are gone",
			   r.other_boot.v[i]);
	if (r.runs || r.stood)
		cmd_notice("completed %zu dead run%s, put back %zu change%s that stood", r.runs,
			   plural_ending(r.runs), r.stood, plural_ending(r.stood));
	else if (!ret && !dead && !r.unreadable.n)
		cmd_notice("nothing to put back");
	recovery_release(&r);
	return ret ? cmd_fail(&err) : FTR_OK;
}

/* ---- a fresh kernel */

/* Reports things that are reset only if options ask for it. */
static void report_kept(const struct reset_plan *f)
{
	size_t i;

	if (f->definitions)
		cmd_notice("%zu dynamic event%s left: --dynamic-events removes them",
			   f->definitions, f->definitions == 1 ? " is" : "s are");
	for (i = 0; i < f->admin.n; i++)
		cmd_notice("%s, which is left to the administrator: --sysctl changes it",
			   f->admin.v[i]);
}

static int reset_to_fresh(struct tfs *t, const struct reset_args *r, struct reset_plan *f,
			  struct ftr_error *err)
{
	struct buffer_args args = r->args;
	struct strv names = {0}, live = {0};
	size_t i, n;
	int ret;

	if (!buffers_chosen(&args))
		args.all = args.top = true;
	ret = buffers_resolve(&args, t, "trace", &names, err) || fresh_live(&live, err) ? -1 : 0;
	for (i = names.n; i-- > 0 && !ret;) {
		/* Undo ftr's own changes first, which also removes its dynamic events. */
		n = 0;
		if (!f->dry_run)
			session_reset(t, names.v[i], &n, NULL, NULL);
		f->settings += n;
		if (*names.v[i])
			fresh_instance(t, names.v[i], &live, f);
		else
			ret = fresh_top(t, f, err);
	}
	strv_release(&names);
	strv_release(&live);
	return ret;
}

static int reset_all(struct tfs *t, const struct reset_args *r)
{
	struct reset_plan f = { .dynamic_events = r->dynamic_events, .sysctl = r->sysctl };
	struct ftr_error err = {0};
	struct recovery_result dead = {0};
	int lock = global_lock(t, &err), status;

	if (lock < 0)
		return cmd_fail(&err);
	if (!buffers_chosen(&r->args))
		session_recover_all(t, &dead, NULL);
	status = reset_to_fresh(t, r, &f, &err) ? cmd_fail(&err) : FTR_OK;
	if (!status) {
		for (size_t i = 0; i < f.left.n; i++)
			cmd_warn("%s", f.left.v[i]);
		cmd_notice("reset %zu setting%s to the defaults of a fresh kernel, removed %zu "
			   "instance%s", f.settings, plural_ending(f.settings), f.instances,
			   plural_ending(f.instances));
		report_kept(&f);
		if (f.left.n)
			status = FTR_FAILED;
	}
	global_unlock(lock);
	recovery_release(&dead);
	fresh_release(&f);
	return status;
}

/* ---- the dry run */

static json_t *strings_json(const struct strv *s)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < s->n; i++)
		json_array_append_new(list, json_string(s->v[i]));
	return list;
}

static void print_standing_json(const struct journal_entries *e, const struct strv *dead)
{
	static const char *const kinds[] = {
		[ENTRY_SET] = "value", [ENTRY_COMMAND] = "remove", [ENTRY_GROW] = "size",
		[ENTRY_MKDIR] = "instance", [ENTRY_LINE] = "line", [ENTRY_EMPTY] = "empty",
		[ENTRY_SYSCTL] = "sysctl",
	};
	json_t *list = json_array(), *all;
	const char *kind;

	for (const struct journal_entry *v = e->v; v < e->v + e->n; v++) {
		if (v->kept)
			continue;
		kind = v->type < sizeof(kinds) / sizeof(*kinds) ? kinds[v->type] : NULL;
		json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "kind",
						      kind ? kind : "other", "file", v->path,
						      "was", v->value));
	}
	all = json_pack("{s:o, s:o}", "standing", list, "dead_runs", strings_json(dead));
	json_dumpf(all, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII);
	putchar('\n');
	json_decref(all);
}

static void print_entry(const struct journal_entry *e)
{
	struct buf line = {0};
	size_t n = strcspn(e->value, "\n");
	bool more = e->value[n] && e->value[n + 1];

	text_sanitise(&line, e->path, strlen(e->path), false);
	if (e->type == ENTRY_MKDIR) {
		buf_addstr(&line, " is removed");
	} else if (e->type == ENTRY_EMPTY) {
		buf_addstr(&line, " is emptied");
	} else {
		buf_addstr(&line, e->type == ENTRY_LINE ? " << " : " = ");
		text_sanitise(&line, e->value, n > 100 ? 100 : n, false);
		buf_addstr(&line, more || n > 100 ? " ..." : "");
	}
	puts(line.data);
	buf_release(&line);
}

static int show_standing(const struct reset_args *r)
{
	struct journal_owner owner = {0};
	struct journal_entries e = {0};
	struct ftr_error err = {0};
	struct strv dead = {0};
	size_t i;

	if (session_standing(&owner, &e, &err) < 0 || session_dead_journals(&dead, &err))
		return cmd_fail(&err);
	if (r->json)
		print_standing_json(&e, &dead);
	for (i = e.n; i-- > 0 && !r->json;)
		if (!e.v[i].kept)
			print_entry(&e.v[i]);
	for (i = 0; i < dead.n && !r->json; i++)
		cmd_print("dead run: %s\n", dead.v[i]);
	journal_owner_release(&owner);
	entries_release(&e);
	strv_release(&dead);
	return FTR_OK;
}

static void print_step(const struct fresh_step *step)
{
	struct buf now = {0}, line = {0};
	size_t i;

	for (i = 0; i < step->now.n && now.len < 100; i++)
		buf_printf(&now, "%s%s", i ? ", " : "", step->now.v[i]);
	buf_printf(&line, "%s: %s%s", step->file, step->then, now.len ? " (now " : "");
	if (now.len)
		buf_printf(&line, "%.*s%s)", now.len > 100 ? 100 : (int)now.len, now.data,
			   i < step->now.n || now.len > 100 ? " ..." : "");
	cmd_print("%s\n", line.data);
	buf_release(&line);
	buf_release(&now);
}

/*
 * Prints the steps of --all, except for standing changes: these are undone first, with the same
 * result.
 */
static int show_fresh(const struct reset_args *r)
{
	struct reset_plan f = { .dynamic_events = r->dynamic_events, .sysctl = r->sysctl,
			   .dry_run = true };
	struct ftr_error err = {0};
	json_t *list, *all;
	struct tfs tfs;
	int status;
	size_t i;

	if (tfs_open(&tfs, &err))
		return cmd_fail(&err);
	status = reset_to_fresh(&tfs, r, &f, &err) ? cmd_fail(&err) : FTR_OK;
	if (r->json && !status) {
		list = json_array();
		for (i = 0; i < f.n; i++)
			json_array_append_new(list, json_pack("{s:s, s:o, s:s}",
				"file", f.steps[i].file, "now", strings_json(&f.steps[i].now),
				"then", f.steps[i].then));
		all = json_pack("{s:o}", "all", list);
		json_dumpf(all, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII);
		putchar('\n');
		json_decref(all);
	}
	for (i = 0; i < f.n && !r->json; i++)
		print_step(&f.steps[i]);
	for (i = 0; i < f.left.n; i++)
		cmd_warn("%s", f.left.v[i]);
	report_kept(&f);
	fresh_release(&f);
	tfs_close(&tfs);
	return status;
}

static int run_action(const struct reset_args *r)
{
	struct ftr_error err = {0};
	struct tfs tfs;
	int status;

	if (r->json && !r->dry_run)
		err_set(&err, FTR_USAGE, "--json shows what -n shows, but -n was not given");
	else if (r->recover && buffers_chosen(&r->args))
		err_set(&err, FTR_USAGE, "--recover completes whole runs: no -B, -a or -t");
	else if (r->dynamic_events && !r->all)
		err_set(&err, FTR_USAGE, "--dynamic-events goes with --all");
	else if (r->sysctl && !r->all)
		err_set(&err, FTR_USAGE, "--sysctl goes with --all");
	else if (r->all && r->recover)
		err_set(&err, FTR_USAGE, "--all includes --recover");
	if (err.code)
		return cmd_fail(&err);
	if (r->dry_run)
		return r->all ? show_fresh(r) : show_standing(r);
	sig_hold();
	if (tfs_open(&tfs, &err))
		return cmd_fail(&err);
	if (r->all)
		status = reset_all(&tfs, r);
	else
		status = r->recover ? recover_dead_runs(&tfs) : reset_standing(&tfs, r);
	tfs_close(&tfs);
	return status;
}

static int run_reset(const struct cmd *self, int argc, char **argv)
{
	struct reset_args r = {0};
	int status, first = cmd_parse(self, argc, argv, &r, &status);

	if (first >= 0)
		status = no_operands(self, first, argc, argv);
	if (first >= 0 && !status)
		status = run_action(&r);
	buffer_args_release(&r.args);
	return status;
}

const struct cmd cmd_reset = {
	.name = "reset",
	.usage = "[OPTIONS]",
	.summary = "put tracefs back as it was before ftr changed it",
	.examples = examples,
	.options = options,
	.flags = CMD_EVERYDAY,
	.run = run_reset,
};
