/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr stat: shows settings that differ from a fresh kernel. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cmd/frame/command.h"
#include "tracefs/session/journal.h"
#include "tracefs/session/session.h"
#include "tracefs/state/fresh_state.h"

enum {
	LINES_MAX = 8,		/* lines of a list; the rest is counted */
	READERS_MAX = 64,
	WHAT_WIDTH = 24,
};

struct stat_opts {
	struct strv instances;
	bool all, top, json;
};

static const struct opt options[] = {
	OPT_GROUP("Which buffers"),
	{ 'B', "buffer", "INSTANCE", "use INSTANCE instead of the top level", opt_strv,
	  .off = offsetof(struct stat_opts, instances) },
	{ 't', "top", NULL, "with -B: include the top level", opt_flag,
	  .off = offsetof(struct stat_opts, top) },
	{ 'a', "all", NULL, "show the top level and all instances", opt_flag,
	  .off = offsetof(struct stat_opts, all) },
	OPT_GROUP("Output"),
	{ 0, "json", NULL, "print JSON, with lists in full", opt_flag,
	  .off = offsetof(struct stat_opts, json) },
	OPT_END
};

static const char *const examples[] = {
	"ftr stat",
	"ftr stat -a",
	"ftr stat --json | jq '.buffers[0].differs.events'",
	NULL
};

/* The state that is printed. */
struct stat_report {
	struct tfs tfs;
	struct instance_state *bufs;
	size_t nr_bufs;
	struct strv instances;		/* all instances */
	struct strv readers;
	char *holder;			/* process that has the lock on the whole kernel, or NULL */
	bool stands;
	struct journal_owner owner;	/* the owner of the journal of standing changes */
	struct strv changed;		/* control files and definitions in that journal */
	struct strv dead;		/* journals of killed runs */
};

/* --- reading the state */

static int read_buffers(const struct stat_opts *o, struct stat_report *r, struct ftr_error *err)
{
	const struct strv *from = o->all ? &r->instances : &o->instances;
	struct strv names = {0};
	int ret = 0;
	size_t i;

	if (o->all || o->top || !o->instances.n)
		strv_add(&names, "");
	for (i = 0; i < from->n; i++)
		if (!strv_has(&names, from->v[i]))
			strv_add(&names, from->v[i]);
	r->bufs = xcalloc(names.n, sizeof(*r->bufs));
	for (i = 0; i < names.n && !ret; i++) {
		ret = state_read(&r->tfs, names.v[i], &r->bufs[i], err);
		r->nr_bufs = i + 1;
		tfs_readers(&r->tfs, names.v[i], READERS_MAX, &r->readers);
	}
	strv_release(&names);
	return ret;
}

/* Reads the state of buffers, instances and journals. Returns -1 with @err. */
static int gather_report(const struct stat_opts *o, struct stat_report *r, struct ftr_error *err)
{
	struct journal_entries e = {0};
	size_t i;

	if (tfs_open(&r->tfs, err) || tfs_instances(&r->tfs, &r->instances, err) ||
	    read_buffers(o, r, err))
		return -1;
	r->holder = global_lock_holder(&r->tfs);
	/* The journals are this user's: one that cannot be read belongs to others. */
	session_dead_journals(&r->dead, NULL);
	if (session_standing(&r->owner, &e, NULL) <= 0)
		return 0;
	r->stands = true;
	for (i = 0; i < e.n; i++)
		if (!e.v[i].kept && e.v[i].path && !strv_has(&r->changed, e.v[i].path))
			strv_add(&r->changed, e.v[i].path);
	entries_release(&e);
	return 0;
}

/* Returns true if no setting differs and no reader or run is active. */
static bool is_fresh(const struct stat_report *r)
{
	size_t i;

	for (i = 0; i < r->nr_bufs; i++)
		if (r->bufs[i].n)
			return false;
	return !r->instances.n && !r->readers.n && !r->holder && !r->stands && !r->dead.n;
}

/* --- text */

static void print_stat_value(const char *what, const char *value)
{
	struct buf clean = {0};

	text_sanitise(&clean, value, strlen(value), false);
	printf("%-*s %s\n", WHAT_WIDTH, what, clean.data);
	buf_release(&clean);
}

static void print_values(const char *what, const struct strv *v)
{
	size_t i;

	for (i = 0; i < v->n && (i < LINES_MAX || v->n == LINES_MAX + 1); i++)
		print_stat_value(i ? "" : what, v->v[i]);
	if (i < v->n)
		printf("%-*s ... and %zu more\n", WHAT_WIDTH, "", v->n - i);
}

/* Prints short values on one line, as names of options. */
static void print_joined(const char *what, const struct strv *v)
{
	struct buf all = {0};
	size_t i;

	for (i = 0; i < v->n; i++)
		buf_printf(&all, "%s%s", i ? " " : "", v->v[i]);
	if (all.len)
		print_stat_value(what, all.data);
	buf_release(&all);
}

static size_t count_system(const struct strv *all, const char *event)
{
	size_t i, n = 0, len = strcspn(event, ":") + 1;

	for (i = 0; i < all->n; i++)
		n += !strncmp(all->v[i], event, len);
	return n;
}

/* Prints the enabled events. A system with all events enabled is one word: "irq (all 5)". */
static void print_events(const struct stat_report *r, const struct state_item *it)
{
	const struct strv *on = &it->values;
	struct strv all = {0}, folded = {0};
	size_t i, n, k, len;

	tfs_events(&r->tfs, &all, NULL);
	strv_sort_unique((struct strv *)on);
	for (i = 0; i < on->n; i += n) {
		len = strcspn(on->v[i], ":");
		for (n = 1; i + n < on->n && !strncmp(on->v[i + n], on->v[i], len + 1); n++)
			;
		if (n > 1 && n == count_system(&all, on->v[i])) {
			strv_take(&folded, xasprintf("%.*s (all %zu)", (int)len, on->v[i], n));
			continue;
		}
		for (k = 0; k < n; k++)
			strv_add(&folded, on->v[i + k]);
	}
	print_values(it->what, &folded);
	strv_release(&folded);
	strv_release(&all);
}

static void print_buffer(const struct stat_report *r, const struct instance_state *s, bool named)
{
	const struct state_item *it;

	if (named && *s->instance)
		cmd_print("instance '%s':%s\n", s->instance, s->n ? "" : " as after boot");
	else if (named)
		printf("top level:%s\n", s->n ? "" : " as after boot");
	for (it = s->v; it < s->v + s->n; it++) {
		if (!strcmp(it->what, "events"))
			print_events(r, it);
		else if (!strcmp(it->what, "options") || strstr(it->what, "_pid"))
			print_joined(it->what, &it->values);
		else
			print_values(it->what, &it->values);
	}
}

static void print_stat_text(const struct stat_report *r)
{
	size_t i;

	if (is_fresh(r)) {
		puts("nothing differs from a fresh kernel");
		return;
	}
	for (i = 0; i < r->nr_bufs; i++)
		print_buffer(r, &r->bufs[i], r->nr_bufs > 1 || *r->bufs[i].instance ||
			     !r->bufs[i].n);
	print_joined("instances", &r->instances);
	for (i = 0; i < r->readers.n; i++)
		print_stat_value(i ? "" : "readers", r->readers.v[i]);
	if (r->holder)
		print_stat_value("locked by", r->holder);
	if (r->stands)
		cmd_print("%zu control file%s ha%s been changed since '%s'; 'ftr reset' puts %s "
			  "back\n", r->changed.n, r->changed.n == 1 ? "" : "s",
			  r->changed.n == 1 ? "s" : "ve", r->owner.command,
			  r->changed.n == 1 ? "it" : "them");
	for (i = 0; i < r->dead.n; i++)
		cmd_print("a run that was killed left '%s'; 'ftr reset --recover' completes it\n",
		       r->dead.v[i]);
}

/* --- JSON */

/* Names and filters may contain any bytes, but JSON is UTF-8. */
static json_t *json_clean_text(const char *s)
{
	json_t *j = json_string(s);
	struct buf clean = {0};
	const char *p;

	for (p = s; !j && *p; p++)
		buf_addch(&clean, (unsigned char)*p < 0x80 ? *p : '?');
	j = j ? j : json_string(clean.data ? clean.data : "");
	buf_release(&clean);
	return j;
}

static json_t *json_strings(const struct strv *v)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < v->n; i++)
		json_array_append_new(list, json_clean_text(v->v[i]));
	return list;
}

static void print_stat_json(const struct stat_report *r)
{
	json_t *bufs = json_array(), *standing = json_null(), *differs, *all;
	const struct instance_state *s;
	size_t i;

	for (s = r->bufs; s < r->bufs + r->nr_bufs; s++) {
		differs = json_object();
		for (i = 0; i < s->n; i++)
			json_object_set_new(differs, s->v[i].what, json_strings(&s->v[i].values));
		json_array_append_new(bufs, json_pack("{s:o, s:o}", "instance",
						      json_clean_text(s->instance), "differs",
						      differs));
	}
	if (r->stands)
		standing = json_pack("{s:o, s:o}", "command", json_clean_text(r->owner.command),
				     "files", json_strings(&r->changed));
	all = json_pack("{s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o}",
			"tracefs", json_clean_text(r->tfs.path), "fresh", is_fresh(r), "buffers",
			bufs,
			"instances", json_strings(&r->instances), "readers",
			json_strings(&r->readers),
			"locked_by", r->holder ? json_clean_text(r->holder) : json_null(),
			"standing", standing, "dead_journals", json_strings(&r->dead));
	json_dumpf(all, stdout, JSON_INDENT(1) | JSON_ENSURE_ASCII);
	putchar('\n');
	json_decref(all);
}

static int run_stat(const struct cmd *self, int argc, char **argv)
{
	struct ftr_error err = {0};
	struct stat_opts o = {0};
	struct stat_report r = {0};
	int status, first = cmd_parse(self, argc, argv, &o, &status);

	if (first < 0)
		goto out;
	if (first < argc) {
		err_set(&err, FTR_USAGE, "unexpected word '%s'", argv[first]);
		err_hint(&err, "an instance is named with -B; 'ftr show %s' prints a file",
			 argv[first]);
		status = cmd_fail(&err);
		goto out;
	}
	if (gather_report(&o, &r, &err))
		status = cmd_fail(&err);
	else
		(o.json ? print_stat_json : print_stat_text)(&r);
out:
	for (size_t i = 0; i < r.nr_bufs; i++)
		state_release(&r.bufs[i]);
	free(r.bufs);
	strv_release(&r.instances);
	strv_release(&r.readers);
	strv_release(&r.changed);
	strv_release(&r.dead);
	journal_owner_release(&r.owner);
	free(r.holder);
	tfs_close(&r.tfs);
	strv_release(&o.instances);
	return status;
}

const struct cmd cmd_stat = {
	.name = "stat",
	.usage = "[OPTIONS]",
	.summary = "print what is on now: what differs from a fresh kernel",
	.examples = examples,
	.options = options,
	.flags = CMD_PAGER | CMD_EVERYDAY,
	.run = run_stat,
};
