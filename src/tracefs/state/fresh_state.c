/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of tracefs after boot: finds what differs from it, and resets tracefs to it.
 *
 * The values after boot are those of the table of settings (setting_table.h), not of an earlier
 * snapshot. The boot command line is ignored: settings that it made differ, too.
 */
#include "tracefs/state/fresh_state.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "tracefs/files/control.h"
#include "tracefs/session/journal.h"
#include "tracefs/session/sysctl.h"
#include "tracefs/state/trace_options.h"

struct state_reader {
	const struct tfs *t;
	const char *instance;	/* NULL = top level */
	struct instance_state *s;
	struct buf text;	/* content of the current file */
};

static struct state_item *state_add_item(struct instance_state *s, const struct tracefs_setting *k,
					 const char *what)
{
	struct state_item *it;

	s->v = xgrow(s->v, &s->cap, s->n + 1, sizeof(*s->v));
	it = &s->v[s->n++];
	*it = (struct state_item){ .setting = k, .what = xstrdup(what) };
	return it;
}

static void state_add_value(struct state_reader *r, const struct tracefs_setting *k,
			    const char *value)
{
	strv_add(&state_add_item(r->s, k, k->file)->values, value);
}

/* Reads a file. Returns false if it does not exist or can't be read, which is no error. */
static bool reader_read(struct state_reader *r, const char *file)
{
	if (*file != '/')
		return !tfs_read(r->t, r->instance, file, &r->text, NULL);
	buf_reset(&r->text);
	return !io_read_at(AT_FDCWD, file, &r->text);
}

static char *file_canon(const char *file, const char *text)
{
	return control_of(file)->canon(text);
}

static bool value_is_one_of(const char *value, const char *fresh)
{
	size_t n = strlen(value), len;

	for (;; fresh += len + 1) {
		len = strcspn(fresh, "|");
		if (len == n && !strncmp(fresh, value, n))
			return true;
		if (!fresh[len])
			return false;
	}
}

/* --- kinds of files */

/* Adds an item if ->text, the content of the file, is not a value after boot. */
static void compare_value(struct state_reader *r, const struct tracefs_setting *k)
{
	char *value = file_canon(k->file, r->text.data);
	char *fresh = setting_boot_value(k, r->t, r->instance);

	if (fresh && !value_is_one_of(value, fresh))
		state_add_value(r, k, value);
	free(fresh);
	free(value);
}

static void diff_value(struct state_reader *r, const struct tracefs_setting *k)
{
	if (reader_read(r, k->file))
		compare_value(r, k);
}

/*
 * "#### all functions enabled ####" and "no pid" stand for an empty list; function commands may
 * follow the former. A list of tasks that have all ended is empty without these words, and lets no
 * task through.
 */
static void diff_list(struct state_reader *r, const struct tracefs_setting *k)
{
	struct strv lines = {0};
	struct state_item *it = NULL;
	size_t i;

	if (!reader_read(r, k->file))
		return;
	if (strncmp(r->text.data, "no pid", 6))
		strv_split(&lines, r->text.data, "\n");
	for (i = 0; i < lines.n; i++) {
		if (*lines.v[i] == '#')
			continue;
		it = it ? it : state_add_item(r->s, k, k->file);
		strv_add(&it->values, lines.v[i]);
	}
	if (!r->text.len && !fnmatch("set_ftrace*_pid", k->file, 0))
		state_add_value(r, k, "tasks that have ended");
	strv_release(&lines);
}

/* The mask is complete if it has as many bits as there are CPUs: "ff,ffffffff". */
static void diff_cpumask(struct state_reader *r, const struct tracefs_setting *k)
{
	size_t n = 0, bits = 0;
	const char *p;
	int *cpus;

	if (!reader_read(r, k->file) || tfs_cpus(r->t, r->instance, &cpus, &n, NULL))
		return;
	free(cpus);
	for (p = r->text.data; *p; p++)
		if (*p != ',' && *p != '\n')
			bits += __builtin_popcountl(strtoul((char[]){ *p, '\0' }, NULL, 16));
	if (bits < n)
		compare_value(r, k);
}

static void diff_size(struct state_reader *r, const struct tracefs_setting *k)
{
	struct state_item *it = NULL;
	char file[64], *line, *value;
	size_t i, n = 0;
	int *cpus = NULL;

	if (!reader_read(r, k->file))
		return;
	value = file_canon(k->file, r->text.data);
	/* "X": the sizes of the CPUs differ. */
	if (strcmp(value, "X"))
		compare_value(r, k);
	else
		tfs_cpus(r->t, r->instance, &cpus, &n, NULL);
	for (i = 0; i < n; i++) {
		snprintf(file, sizeof(file), "per_cpu/cpu%d/buffer_size_kb", cpus[i]);
		line = tfs_line(r->t, r->instance, file);
		it = it ? it : state_add_item(r->s, k, k->file);
		strv_take(&it->values, xasprintf("cpu%d: %s", cpus[i], line));
		free(line);
	}
	free(cpus);
	free(value);
}

/* Reading has no effect. The state is in the first lines. */
static void diff_snapshot(struct state_reader *r, const struct tracefs_setting *k)
{
	struct buf path = {0};
	char head[4096];
	ssize_t n;
	int fd = openat(r->t->dirfd, tfs_path(&path, r->instance, k->file),
			O_RDONLY | O_CLOEXEC);

	buf_release(&path);
	if (fd < 0)
		return;
	n = read(fd, head, sizeof(head) - 1);
	close(fd);
	head[n > 0 ? n : 0] = '\0';
	if (n > 0 && !strstr(head, k->fresh))
		state_add_value(r, k, strstr(head, "Snapshot is allocated") ?
				"allocated" : "allocated, holds records");
}

/* --- options */

static void diff_options(struct state_reader *r, const struct tracefs_setting *k)
{
	struct state_item *it = NULL;
	struct strv names = {0};
	struct buf file = {0};
	size_t i;
	bool on;

	content_list(r->t, tfs_path(&file, r->instance, k->file), &names, NULL);
	for (i = 0; i < names.n; i++) {
		buf_reset(&file);
		buf_printf(&file, "%s/%s", k->file, names.v[i]);
		if (!reader_read(r, file.data))
			continue;
		on = *r->text.data == '1';
		if (on == (option_usual(names.v[i], r->instance) == OPTION_ON))
			continue;
		it = it ? it : state_add_item(r->s, k, k->file);
		strv_take(&it->values, xasprintf("%s%s", on ? "" : "no", names.v[i]));
	}
	buf_release(&file);
	strv_release(&names);
}

/* --- events */

/* set_event also lists events that a trigger holds ready ("0*"). */
static void diff_events(struct state_reader *r, const struct tracefs_setting *k)
{
	struct state_item *it = NULL;
	struct strv names = {0};
	struct buf file = {0};
	size_t i;

	if (reader_read(r, k->file))
		strv_split(&names, r->text.data, "\n");
	for (i = 0; i < names.n; i++) {
		if (strchr(names.v[i], ':') && *names.v[i] != ':' &&
		    reader_read(r, tfs_event_file(&file, names.v[i], "enable")) &&
		    *r->text.data == '0')
			continue;
		it = it ? it : state_add_item(r->s, k, "events");
		strv_add(&it->values, names.v[i]);
	}
	buf_release(&file);
	strv_release(&names);
}

static void state_add_lines(struct state_reader *r, struct state_item **it,
			    const struct tracefs_setting *k, const char *event)
{
	struct strv lines = {0};
	size_t i, n;

	strv_split(&lines, r->text.data, "\n");
	/* If the kernel refused a filter, a caret and the reason follow it. */
	n = strcmp(k->file, "filter") || lines.n < 2 ? lines.n : 1;
	for (i = 0; i < n; i++) {
		if (*lines.v[i] == '#' || !strcmp(lines.v[i], "none"))
			continue;
		*it = *it ? *it : state_add_item(r->s, k, k->file);
		strv_take(&(*it)->values, xasprintf("%s: %s%s", event, lines.v[i],
						    n < lines.n ? " (refused)" : ""));
	}
	strv_release(&lines);
}

/* k->file is the name of a file that each event has: "filter" or "trigger". */
static void diff_each_event(struct state_reader *r, const struct tracefs_setting *k)
{
	struct state_item *it = NULL;
	struct strv events = {0};
	struct buf file = {0};
	size_t i;

	tfs_trigger_events(r->t, &events, NULL);
	for (i = 0; i < events.n; i++)
		if (strchr(events.v[i], ':') &&
		    reader_read(r, tfs_event_file(&file, events.v[i], k->file)))
			state_add_lines(r, &it, k, events.v[i]);
	buf_release(&file);
	strv_release(&events);
}

/* --- content */

static void diff_records(struct state_reader *r, const struct tracefs_setting *k)
{
	struct state_item *it = NULL;
	struct tfs_stats st;
	char *lost;
	size_t i, n;
	int *cpus;

	if (tfs_cpus(r->t, r->instance, &cpus, &n, NULL))
		return;
	for (i = 0; i < n; i++) {
		if (tfs_stats(r->t, r->instance, cpus[i], &st) || !(st.entries + st.overrun))
			continue;
		it = it ? it : state_add_item(r->s, k, k->file);
		lost = st.overrun ? xasprintf(", %" PRIu64 " overwritten", st.overrun) : NULL;
		strv_take(&it->values, xasprintf("cpu%d: %" PRIu64 "%s", cpus[i], st.entries,
						 lost ? lost : ""));
		free(lost);
	}
	free(cpus);
}

/* The sizes per CPU are a part of buffer_size_kb, each option is a part of options. */
static void (*const diffs[])(struct state_reader *r, const struct tracefs_setting *k) = {
	[SETTING_VALUE] = diff_value,      [SETTING_LIST] = diff_list,
	[SETTING_FUNCTIONS] = diff_list,   [SETTING_CLOCK] = diff_value,
	[SETTING_CPUMASK] = diff_cpumask,  [SETTING_CPUS] = diff_value,
	[SETTING_SIZE] = diff_size,        [SETTING_SUBBUF] = diff_value,
	[SETTING_EVENTS] = diff_events,    [SETTING_EVENT_FILE] = diff_each_event,
	[SETTING_OPTIONS] = diff_options,  [SETTING_DEFINITIONS] = diff_list,
	[SETTING_SNAPSHOT] = diff_snapshot, [SETTING_RECORDS] = diff_records,
	[SETTING_PROC] = diff_value,       [SETTING_PER_CPU] = NULL,
	[SETTING_OPTION] = NULL,
};

int state_read(const struct tfs *t, const char *instance, struct instance_state *s,
	       struct ftr_error *err)
{
	struct state_reader r = { .t = t, .s = s,
				  .instance = instance && *instance ? instance : NULL };
	size_t i;

	*s = (struct instance_state){ .instance = xstrdup(r.instance ? r.instance : "") };
	if (tfs_check_instance(t, r.instance, err))
		return -1;
	for (i = 0; i < nr_tracefs_settings; i++)
		if (diffs[tracefs_settings[i].how] &&
		    (tracefs_settings[i].where == SETTING_EACH || !r.instance))
			diffs[tracefs_settings[i].how](&r, &tracefs_settings[i]);
	buf_release(&r.text);
	return 0;
}

void state_release(struct instance_state *s)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		free(s->v[i].what);
		strv_release(&s->v[i].values);
	}
	free(s->v);
	free(s->instance);
	*s = (struct instance_state){0};
}

/* --- reset */

/* Restores @value as if it had been read from the file. */
static int fresh_write(const struct tfs *t, const char *instance, const char *file,
		       const char *value, struct ftr_error *err)
{
	struct buf path = {0};
	int ret;

	tfs_path(&path, instance, file);
	ret = control_of(path.data)->restore(t, path.data, value, err);
	buf_release(&path);
	return ret;
}

/* Returns the first of several possible values after boot. The caller frees. */
static char *fresh_first_value(const char *fresh)
{
	return xstrndup(fresh, strcspn(fresh, "|"));
}

static int reset_value(const struct tfs *t, const char *instance, const struct state_item *it,
		       struct ftr_error *err)
{
	char *fresh = setting_boot_value(it->setting, t, instance);
	char *value = fresh ? fresh_first_value(fresh) : NULL;
	int ret = value ? fresh_write(t, instance, it->setting->file, value, err) : 0;

	free(value);
	free(fresh);
	return ret;
}

/* Truncating the file also clears events that wait for a module (7.2). */
static int reset_events(const struct tfs *t, const char *instance, const struct state_item *it,
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
	return ret ? -1 : fresh_write(t, instance, "events/enable", "0", err);
}

/* Resets filter or trigger of each event in the item's values, "sched:sched_switch: TEXT". */
static int reset_each_event(const struct tfs *t, const char *instance, const struct state_item *it,
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
			   (int)(end - colon - 1), colon + 1, it->setting->file);
		if (fresh_write(t, instance, file.data, it->setting->fresh, ret ? NULL : err))
			ret = -1;
	}
	buf_release(&file);
	return ret;
}

/* The functions go first: while module filters are pending, the file omits some commands. */
static int reset_functions(const struct tfs *t, const char *instance, const struct state_item *it,
			   struct ftr_error *err)
{
	struct strv lines = {0};
	struct buf path = {0}, text = {0};
	char *base, *word;
	long count;
	size_t i;
	int ret = fresh_write(t, instance, it->setting->file, "", err);

	tfs_path(&path, instance, it->setting->file);
	if (!ret && !tfs_read(t, NULL, path.data, &text, NULL))
		strv_split(&lines, text.data, "\n");
	for (i = 0; i < lines.n; i++) {
		if (*lines.v[i] == '#' || !functions_is_command(lines.v[i]))
			continue;
		/* "vfs_read:traceoff:unlimited", "vfs_read:traceoff:count=3" */
		base = lines_base(lines.v[i], &count);
		word = count < 0 ? xstrdup(base) : xasprintf("%s:%ld", base, count);
		if (functions_remove(t, path.data, word, ret ? NULL : err))
			ret = -1;
		free(word);
		free(base);
	}
	strv_release(&lines);
	buf_release(&text);
	buf_release(&path);
	return ret;
}

/* A value is the present state, "sym-offset" or "nooverwrite", so its opposite is written. */
static int reset_options(const struct tfs *t, const char *instance, const struct state_item *it,
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
		if (fresh_write(t, instance, file.data, off ? "1" : "0", ret ? NULL : err))
			ret = -1;
	}
	buf_release(&file);
	return ret;
}

static int reset_snapshot(const struct tfs *t, const char *instance, const struct state_item *it,
			  struct ftr_error *err)
{
	struct buf path = {0};
	int ret = control_write(t, tfs_path(&path, instance, it->setting->file), 0, "0");

	if (ret)
		err_sys(err, "cannot free '%s/%s'", t->path, path.data);
	buf_release(&path);
	return ret;
}

static int reset_records(const struct tfs *t, const char *instance, const struct state_item *it,
			 struct ftr_error *err)
{
	(void)it;
	return clear_buffer(t, instance, -1, err);
}

static int reset_sysctl(const struct tfs *t, const char *instance, const struct state_item *it,
			struct ftr_error *err)
{
	char *path = setting_sysctl_name(it->setting);
	const struct journal_entry e = { .type = ENTRY_SYSCTL, .path = path,
				 .value = (char *)it->setting->fresh };
	int ret = sysctl_restore(&e, err);

	(void)t;
	(void)instance;
	free(path);
	return ret;
}

static int reset_definitions(const struct tfs *t, const char *instance, const struct state_item *it,
			     struct ftr_error *err)
{
	const struct strv none = {0};
	size_t bad;

	(void)instance;
	if (!control_write_words(t, it->setting->file, O_TRUNC, &none, &bad))
		return 0;
	err_sys(err, "cannot clear '%s/%s'", t->path, it->setting->file);
	return errno == EBUSY ? err_hint(err, "somebody uses one of the events") : -1;
}

/* For each kind: the function that resets it, and a text for its value if the table has none. */
static const struct {
	int (*reset)(const struct tfs *t, const char *instance, const struct state_item *it,
		    struct ftr_error *err);
	const char *then;
} kinds[] = {
	[SETTING_VALUE]       = { reset_value, NULL },
	[SETTING_LIST]        = { reset_value, "none" },
	[SETTING_FUNCTIONS]   = { reset_functions, "none" },
	[SETTING_CLOCK]       = { reset_value, NULL },
	[SETTING_CPUMASK]     = { reset_value, "all CPUs" },
	[SETTING_CPUS]        = { reset_value, "all CPUs" },
	[SETTING_SIZE]        = { reset_value, NULL },
	[SETTING_SUBBUF]      = { reset_value, "a page" },
	[SETTING_EVENTS]      = { reset_events, "none" },
	[SETTING_EVENT_FILE]  = { reset_each_event, "none" },
	[SETTING_OPTIONS]     = { reset_options, "as after boot" },
	[SETTING_DEFINITIONS] = { reset_definitions, "none" },
	[SETTING_SNAPSHOT]    = { reset_snapshot, "freed" },
	[SETTING_RECORDS]     = { reset_records, "none" },
	[SETTING_PROC]        = { reset_sysctl, NULL },
};

static struct fresh_step *add_fresh_step(struct reset_plan *f, char *file, char *then)
{
	struct fresh_step *to;

	f->steps = xgrow(f->steps, &f->cap, f->n + 1, sizeof(*f->steps));
	to = &f->steps[f->n++];
	*to = (struct fresh_step){ .file = file, .then = then };
	return to;
}

/* Adds a step for the dry run. */
static void fresh_note_step(struct reset_plan *f, const char *instance, const struct state_item *it)
{
	const char *then = kinds[it->setting->how].then;
	struct fresh_step *to;
	struct buf path = {0};
	size_t i;

	tfs_path(&path, instance, it->what);
	to = add_fresh_step(f, buf_take(&path),
			    then ? xstrdup(then) : fresh_first_value(it->setting->fresh));
	for (i = 0; i < it->values.n; i++)
		strv_add(&to->now, it->values.v[i]);
}

/* True if the item may be reset: definitions and sysctls of the administrator only on request. */
static bool fresh_is_wanted(struct reset_plan *f, const struct state_item *it)
{
	char *name, *fresh;

	if (it->setting->how == SETTING_DEFINITIONS && !f->dynamic_events) {
		f->definitions = it->values.n;
		return false;
	}
	if (it->setting->where != SETTING_ADMIN || f->sysctl)
		return true;
	name = setting_sysctl_name(it->setting);
	fresh = fresh_first_value(it->setting->fresh);
	strv_take(&f->admin, xasprintf("sysctl '%s' is '%s', not '%s'", name, it->values.v[0],
				       fresh));
	free(fresh);
	free(name);
	return false;
}

/* One pass over the items that are not @done. Appends the reason of each failure to @why. */
static void fresh_pass(const struct tfs *t, const char *instance, const struct instance_state *s,
		       struct reset_plan *f, bool *done, struct strv *why)
{
	const struct state_item *it;
	struct ftr_error err;
	enum setting_turn turn;
	size_t i;

	for (turn = 0; turn < TURN_END; turn++) {
		for (i = 0; i < s->n; i++) {
			it = &s->v[i];
			if (done[i] || it->setting->turn != turn)
				continue;
			err = (struct ftr_error){0};
			done[i] = true;
			if (!fresh_is_wanted(f, it))
				continue;
			if (f->dry_run)
				fresh_note_step(f, instance, it);
			else if (!kinds[it->setting->how].reset(t, instance, it, &err))
				f->settings++;
			else
				done[i] = false;
			if (!done[i])
				strv_add(why, err.msg);
		}
	}
}

/* Some settings hold each other: a failed one is tried again as long as a pass resets another. */
static void fresh_reset_all(const struct tfs *t, const char *instance,
			    const struct instance_state *s, struct reset_plan *f)
{
	bool *done = xcalloc(s->n + 1, sizeof(*done));
	char *pids = tfs_line(t, instance, "set_event_pid");
	struct strv why = {0};
	size_t i, before;

	/* A list of tasks that have all ended reads like a list that is not set. */
	if (!f->dry_run && !*pids)
		fresh_write(t, instance, "set_event_pid", "", NULL);
	do {
		before = why.n ? why.n : s->n + 1;
		strv_release(&why);
		fresh_pass(t, instance, s, f, done, &why);
	} while (why.n && why.n < before);
	for (i = 0; i < why.n; i++)
		strv_add(&f->left, why.v[i]);
	strv_release(&why);
	free(pids);
	free(done);
}

int fresh_top(const struct tfs *t, struct reset_plan *f, struct ftr_error *err)
{
	struct instance_state s = {0};

	if (state_read(t, NULL, &s, err))
		return -1;
	fresh_reset_all(t, NULL, &s, f);
	state_release(&s);
	return 0;
}

void fresh_instance(const struct tfs *t, const char *name, const struct strv *live,
		    struct reset_plan *f)
{
	char *path = xasprintf("instances/%s", name);
	struct instance_state s = {0};

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
			fresh_reset_all(t, name, &s, f);
		state_release(&s);
	}
	free(path);
}

int fresh_live(struct strv *names, struct ftr_error *err)
{
	struct journal_owner owner;
	struct strv runs = {0};
	struct journal_entries e;
	size_t i, k;
	bool alive;
	int ret = journal_list(&runs, NULL, err);

	for (i = 0; i < runs.n; i++) {
		if (journal_read(runs.v[i], &owner, &e, NULL))
			continue;
		alive = journal_alive(&owner);
		for (k = 0; alive && k < e.n; k++)
			if (e.v[k].type == ENTRY_MKDIR && !e.v[k].kept)
				strv_add(names, e.v[k].path + strlen("instances/"));
		journal_owner_release(&owner);
		entries_release(&e);
	}
	strv_release(&runs);
	return ret;
}

void fresh_release(struct reset_plan *f)
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
