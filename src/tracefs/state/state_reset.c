/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Brings tracefs to what a kernel has after boot. */
#include "tracefs/state/state_reset.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "tracefs/files/buffer_clear.h"
#include "tracefs/files/control.h"
#include "tracefs/session/journal.h"
#include "tracefs/session/sysctl.h"
#include "tracefs/state/state_diff.h"

/* As if the file had read @value once. */
static int put_value(const struct tfs *t, const char *instance, const char *file, const char *value,
		     struct ftr_error *err)
{
	struct buf path = {0};
	int ret;

	tfs_path(&path, instance, file);
	ret = control_of(path.data)->restore(t, path.data, value, err);
	buf_release(&path);
	return ret;
}

/* Of values that are all one after boot. */
static char *first_of(const char *fresh)
{
	return xstrndup(fresh, strcspn(fresh, "|"));
}

static int make_value(const struct tfs *t, const char *instance, const struct state_item *it,
		      struct ftr_error *err)
{
	char *fresh = knob_fresh(it->knob, t, instance);
	char *value = fresh ? first_of(fresh) : NULL;
	int ret = value ? put_value(t, instance, it->knob->file, value, err) : 0;

	free(value);
	free(fresh);
	return ret;
}

/* Truncated, it switches off also what waits for modules (7.2). */
static int make_events(const struct tfs *t, const char *instance, const struct state_item *it,
		       struct ftr_error *err)
{
	const struct strv none = {0};
	struct buf path = {0};
	size_t bad;
	int ret;

	(void)it;
	ret = control_write_words(t, tfs_path(&path, instance, "set_event"), O_TRUNC, &none, &bad);
	if (ret)
		err_sys(err, "cannot clear '%s/%s'", t->path, path.data);
	buf_release(&path);
	return ret ? -1 : put_value(t, instance, "events/enable", "0", err);
}

/* Of "sched:sched_switch: TEXT": filter and trigger, whose files are named so. */
static int make_each_event(const struct tfs *t, const char *instance, const struct state_item *it,
			   struct ftr_error *err)
{
	const char *at, *colon, *end;
	struct buf file = {0};
	size_t i;
	int ret = 0;

	for (i = 0; i < it->values.n; i++) {
		at = it->values.v[i];
		colon = strchr(at, ':');
		end = colon ? strchr(colon + 1, ':') : NULL;
		if (!end)
			continue;
		buf_reset(&file);
		buf_printf(&file, "events/%.*s/%.*s/%s", (int)(colon - at), at,
			   (int)(end - colon - 1), colon + 1, it->knob->file);
		if (put_value(t, instance, file.data, it->knob->fresh, ret ? NULL : err))
			ret = -1;
	}
	buf_release(&file);
	return ret;
}

/* "vfs_read:traceoff:unlimited", "vfs_read:traceoff:count=3" */
static int remove_command(const struct tfs *t, const char *path, const char *line,
			  struct ftr_error *err)
{
	char *base, *word;
	long count;
	int ret;

	base = lines_base(line, &count);
	word = count < 0 ? xstrdup(base) : xasprintf("%s:%ld", base, count);
	ret = functions_remove(t, path, word, err);
	free(word);
	free(base);
	return ret;
}

/* The functions first: while filters of modules wait, the file leaves some commands out. */
static int make_functions(const struct tfs *t, const char *instance, const struct state_item *it,
			  struct ftr_error *err)
{
	struct strv lines = {0};
	struct buf path = {0}, text = {0};
	size_t i;
	int ret = put_value(t, instance, it->knob->file, "", err);

	tfs_path(&path, instance, it->knob->file);
	if (!ret && !tfs_read(t, NULL, path.data, &text, NULL))
		strv_split(&lines, text.data, "\n");
	for (i = 0; i < lines.n; i++)
		if (*lines.v[i] != '#' && functions_is_command(lines.v[i]) &&
		    remove_command(t, path.data, lines.v[i], ret ? NULL : err))
			ret = -1;
	strv_release(&lines);
	buf_release(&text);
	buf_release(&path);
	return ret;
}

/* "sym-offset", "nooverwrite": how they are; the opposite is wanted. */
static int make_options(const struct tfs *t, const char *instance, const struct state_item *it,
			struct ftr_error *err)
{
	const char *word;
	struct buf file = {0};
	size_t i;
	int ret = 0;
	bool off;

	for (i = 0; i < it->values.n; i++) {
		word = it->values.v[i];
		buf_reset(&file);
		buf_printf(&file, "options/%s", word);
		off = !strncmp(word, "no", 2) && !tfs_exists(t, instance, file.data);
		buf_reset(&file);
		buf_printf(&file, "options/%s", word + (off ? 2 : 0));
		if (put_value(t, instance, file.data, off ? "1" : "0", ret ? NULL : err))
			ret = -1;
	}
	buf_release(&file);
	return ret;
}

static int make_snapshot(const struct tfs *t, const char *instance, const struct state_item *it,
			 struct ftr_error *err)
{
	struct buf path = {0};
	int ret = control_write(t, tfs_path(&path, instance, it->knob->file), 0, "0");

	if (ret)
		err_sys(err, "cannot free '%s/%s'", t->path, path.data);
	buf_release(&path);
	return ret;
}

static int make_records(const struct tfs *t, const char *instance, const struct state_item *it,
			struct ftr_error *err)
{
	(void)it;
	return clear_buffer(t, instance, -1, err);
}

static int make_sysctl(const struct tfs *t, const char *instance, const struct state_item *it,
		       struct ftr_error *err)
{
	char *path = knob_sysctl(it->knob);
	const struct entry e = { .type = ENTRY_SYSCTL, .path = path,
				 .value = (char *)it->knob->fresh };
	int ret = sysctl_restore(&e, err);

	(void)t;
	(void)instance;
	free(path);
	return ret;
}

static int make_definitions(const struct tfs *t, const char *instance, const struct state_item *it,
			    struct ftr_error *err)
{
	const struct strv none = {0};
	size_t bad;

	(void)instance;
	if (!control_write_words(t, it->knob->file, O_TRUNC, &none, &bad))
		return 0;
	err_sys(err, "cannot clear '%s/%s'", t->path, it->knob->file);
	return errno == EBUSY ? err_hint(err, "somebody uses one of the events") : -1;
}

/* By kind: how it gets its value after boot, and what that is called if the table has no word. */
static const struct {
	int (*make)(const struct tfs *t, const char *instance, const struct state_item *it,
		    struct ftr_error *err);
	const char *then;
} kinds[] = {
	[KNOB_VALUE]       = { make_value, NULL },
	[KNOB_LIST]        = { make_value, "none" },
	[KNOB_FUNCTIONS]   = { make_functions, "none" },
	[KNOB_CLOCK]       = { make_value, NULL },
	[KNOB_CPUMASK]     = { make_value, "all CPUs" },
	[KNOB_CPUS]        = { make_value, "all CPUs" },
	[KNOB_SIZE]        = { make_value, NULL },
	[KNOB_SUBBUF]      = { make_value, "a page" },
	[KNOB_EVENTS]      = { make_events, "none" },
	[KNOB_EVENT_FILE]  = { make_each_event, "none" },
	[KNOB_OPTIONS]     = { make_options, "as after boot" },
	[KNOB_DEFINITIONS] = { make_definitions, "none" },
	[KNOB_SNAPSHOT]    = { make_snapshot, "freed" },
	[KNOB_RECORDS]     = { make_records, "none" },
	[KNOB_PROC]        = { make_sysctl, NULL },
};

static struct fresh_step *add_fresh_step(struct fresh *f, char *file, char *then)
{
	struct fresh_step *to;

	f->steps = xgrow(f->steps, &f->cap, f->n + 1, sizeof(*f->steps));
	to = &f->steps[f->n++];
	*to = (struct fresh_step){ .file = file, .then = then };
	return to;
}

/* Only says what would be done. */
static void note_step(struct fresh *f, const char *instance, const struct state_item *it)
{
	const char *then = kinds[it->knob->how].then;
	struct fresh_step *to;
	struct buf path = {0};
	size_t i;

	tfs_path(&path, instance, it->what);
	to = add_fresh_step(f, buf_take(&path), then ? xstrdup(then) : first_of(it->knob->fresh));
	for (i = 0; i < it->values.n; i++)
		strv_add(&to->now, it->values.v[i]);
}

/* Definitions and what belongs to the administrator only when that is asked for. */
static bool is_reset_wanted(struct fresh *f, const struct state_item *it)
{
	char *name, *fresh;

	if (it->knob->how == KNOB_DEFINITIONS && !f->dynamic_events) {
		f->definitions = it->values.n;
		return false;
	}
	if (it->knob->where != KNOB_ADMIN || f->sysctl)
		return true;
	name = knob_sysctl(it->knob);
	fresh = first_of(it->knob->fresh);
	strv_take(&f->admin, xasprintf("sysctl '%s' is '%s', not '%s'", name, it->values.v[0],
				       fresh));
	free(fresh);
	free(name);
	return false;
}

/* One pass over those that are not @done; why not of those that fail. */
static void make_pass(const struct tfs *t, const char *instance, const struct state *s,
		      struct fresh *f, bool *done, struct strv *why)
{
	const struct state_item *it;
	struct ftr_error err;
	enum knob_turn turn;
	size_t i;

	for (turn = 0; turn < TURN_END; turn++) {
		for (i = 0; i < s->n; i++) {
			it = &s->v[i];
			if (done[i] || it->knob->turn != turn)
				continue;
			err = (struct ftr_error){0};
			done[i] = true;
			if (!is_reset_wanted(f, it))
				continue;
			if (f->dry_run)
				note_step(f, instance, it);
			else if (!kinds[it->knob->how].make(t, instance, it, &err))
				f->settings++;
			else
				done[i] = false;
			if (!done[i])
				strv_add(why, err.msg);
		}
	}
}

/* A list of events' tasks that have all ended reads as one that is not set. */
static void clear_ended_tasks(const struct tfs *t, const char *instance)
{
	char *now = tfs_line(t, instance, "set_event_pid");

	if (now && !*now)
		put_value(t, instance, "set_event_pid", "", NULL);
	free(now);
}

/* Some bound each other: what failed is tried again as long as that gets on. */
static void make_all(const struct tfs *t, const char *instance, const struct state *s,
		     struct fresh *f)
{
	bool *done = xcalloc(s->n + 1, sizeof(*done));
	struct strv why = {0};
	size_t i, before;

	if (!f->dry_run)
		clear_ended_tasks(t, instance);
	do {
		before = why.n ? why.n : s->n + 1;
		strv_release(&why);
		make_pass(t, instance, s, f, done, &why);
	} while (why.n && why.n < before);
	for (i = 0; i < why.n; i++)
		strv_add(&f->left, why.v[i]);
	strv_release(&why);
	free(done);
}

int fresh_top(const struct tfs *t, struct fresh *f, struct ftr_error *err)
{
	struct state s = {0};

	if (state_read(t, NULL, &s, err))
		return -1;
	make_all(t, NULL, &s, f);
	state_release(&s);
	return 0;
}

void fresh_instance(const struct tfs *t, const char *name, const struct strv *live, struct fresh *f)
{
	char *path = xasprintf("instances/%s", name);
	struct state s = {0};

	if (strv_has(live, name)) {
		strv_take(&f->left, xasprintf("instance '%s' is in use by a running ftr", name));
	} else if (f->dry_run) {
		add_fresh_step(f, xstrdup(path), xstrdup("removed"));
	} else if (!instance_remove(t, path)) {
		f->instances++;
	} else {
		strv_take(&f->left, xasprintf("cannot remove instance '%s': %s", name,
					      strerror(errno)));
		if (!state_read(t, name, &s, NULL))
			make_all(t, name, &s, f);
		state_release(&s);
	}
	free(path);
}

static void add_made(const struct entries *e, struct strv *names)
{
	size_t i;

	for (i = 0; i < e->n; i++)
		if (e->v[i].type == ENTRY_MKDIR && !e->v[i].kept)
			strv_add(names, e->v[i].path + strlen("instances/"));
}

int fresh_live(struct strv *names, struct ftr_error *err)
{
	struct journal_owner owner;
	struct strv runs = {0};
	struct entries e;
	size_t i;
	int ret = journal_list(&runs, NULL, err);

	for (i = 0; i < runs.n; i++) {
		if (journal_read(runs.v[i], &owner, &e, NULL))
			continue;
		if (journal_alive(&owner))
			add_made(&e, names);
		journal_owner_release(&owner);
		entries_release(&e);
	}
	strv_release(&runs);
	return ret;
}

void fresh_release(struct fresh *f)
{
	size_t i;

	for (i = 0; i < f->n; i++) {
		free(f->steps[i].file);
		free(f->steps[i].then);
		strv_release(&f->steps[i].now);
	}
	free(f->steps);
	strv_release(&f->admin);
	strv_release(&f->left);
}
