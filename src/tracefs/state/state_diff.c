/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares tracefs with what a kernel has after boot. */
#include "tracefs/state/state_diff.h"

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "tracefs/files/control.h"
#include "tracefs/state/trace_options.h"

struct reader {
	const struct tfs *t;
	const char *instance;	/* NULL = top level */
	struct state *s;
	struct buf text;	/* of the file that is looked at */
};

static struct state_item *add_item(struct state *s, const struct knob *k, const char *what)
{
	struct state_item *it;

	s->v = xgrow(s->v, &s->cap, s->n + 1, sizeof(*s->v));
	it = &s->v[s->n++];
	*it = (struct state_item){ .knob = k, .what = xstrdup(what) };
	return it;
}

static void add_state_value(struct reader *r, const struct knob *k, const char *value)
{
	strv_add(&add_item(r->s, k, k->file)->values, value);
}

/* What is not there, or not ours to read, is not told. */
static bool get_content(struct reader *r, const char *file)
{
	if (*file != '/')
		return !tfs_read(r->t, r->instance, file, &r->text, NULL);
	buf_reset(&r->text);
	return !io_read_at(AT_FDCWD, file, &r->text);
}

static char *canon_of(const char *file, const char *text)
{
	return control_of(file)->canon(text);
}

static bool one_of(const char *value, const char *fresh)
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

/* The content was read. */
static void compare_value(struct reader *r, const struct knob *k)
{
	char *value = canon_of(k->file, r->text.data);
	char *fresh = knob_fresh(k, r->t, r->instance);

	if (fresh && !one_of(value, fresh))
		add_state_value(r, k, value);
	free(fresh);
	free(value);
}

static void look_value(struct reader *r, const struct knob *k)
{
	if (get_content(r, k->file))
		compare_value(r, k);
}

/*
 * "#### all functions enabled ####" and "no pid" stand for an empty list; below the first there may
 * be function commands. A list of tasks that have all ended is empty without those words, and lets
 * nobody through.
 */
static void look_list(struct reader *r, const struct knob *k)
{
	struct strv lines = {0};
	struct state_item *it = NULL;
	size_t i;

	if (!get_content(r, k->file))
		return;
	if (strncmp(r->text.data, "no pid", 6))
		strv_split(&lines, r->text.data, "\n");
	for (i = 0; i < lines.n; i++) {
		if (*lines.v[i] == '#')
			continue;
		it = it ? it : add_item(r->s, k, k->file);
		strv_add(&it->values, lines.v[i]);
	}
	if (!r->text.len && !fnmatch("set_ftrace*_pid", k->file, 0))
		add_state_value(r, k, "tasks that have ended");
	strv_release(&lines);
}

/* As many bits as there are CPUs: "ff,ffffffff". */
static void look_cpumask(struct reader *r, const struct knob *k)
{
	size_t n = 0, bits = 0;
	const char *p;
	int *cpus;

	if (!get_content(r, k->file) || tfs_cpus(r->t, r->instance, &cpus, &n, NULL))
		return;
	free(cpus);
	for (p = r->text.data; *p; p++)
		if (*p != ',' && *p != '\n')
			bits += __builtin_popcountl(strtoul((char[]){ *p, '\0' }, NULL, 16));
	if (bits < n)
		compare_value(r, k);
}

static void cpu_sizes(struct reader *r, const struct knob *k)
{
	struct state_item *it = NULL;
	char file[64], *line;
	size_t i, n;
	int *cpus;

	if (tfs_cpus(r->t, r->instance, &cpus, &n, NULL))
		return;
	for (i = 0; i < n; i++) {
		snprintf(file, sizeof(file), "per_cpu/cpu%d/buffer_size_kb", cpus[i]);
		line = tfs_line(r->t, r->instance, file);
		it = it ? it : add_item(r->s, k, k->file);
		strv_take(&it->values, xasprintf("cpu%d: %s", cpus[i], line));
		free(line);
	}
	free(cpus);
}

static void look_size(struct reader *r, const struct knob *k)
{
	char *value;

	if (!get_content(r, k->file))
		return;
	value = canon_of(k->file, r->text.data);
	if (strcmp(value, "X"))
		compare_value(r, k);
	else
		cpu_sizes(r, k);
	free(value);
}

/* Reading takes nothing away; what it says is in the first lines. */
static void look_snapshot(struct reader *r, const struct knob *k)
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
		add_state_value(r, k, strstr(head, "Snapshot is allocated") ?
				"allocated" : "allocated, holds records");
}

/* --- options */

static void list_folder_names(const struct reader *r, const char *folder, struct strv *names)
{
	struct buf path = {0};
	int fd = openat(r->t->dirfd, tfs_path(&path, r->instance, folder),
			O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *d;

	buf_release(&path);
	if (!dir && fd >= 0)
		close(fd);
	while (dir && (d = readdir(dir)))
		if (*d->d_name != '.')
			strv_add(names, d->d_name);
	if (dir)
		closedir(dir);
	strv_sort_unique(names);
}

static void look_options(struct reader *r, const struct knob *k)
{
	struct state_item *it = NULL;
	struct strv names = {0};
	struct buf file = {0};
	size_t i;
	bool on;

	list_folder_names(r, k->file, &names);
	for (i = 0; i < names.n; i++) {
		buf_reset(&file);
		buf_printf(&file, "%s/%s", k->file, names.v[i]);
		if (!get_content(r, file.data))
			continue;
		on = *r->text.data == '1';
		if (on == (option_usual(names.v[i], r->instance) == OPTION_ON))
			continue;
		it = it ? it : add_item(r->s, k, k->file);
		strv_take(&it->values, xasprintf("%s%s", on ? "" : "no", names.v[i]));
	}
	buf_release(&file);
	strv_release(&names);
}

/* --- events */

/* set_event also lists what a trigger holds ready ("0*"). */
static void look_events(struct reader *r, const struct knob *k)
{
	struct state_item *it = NULL;
	struct strv names = {0};
	struct buf file = {0};
	size_t i;

	if (get_content(r, k->file))
		strv_split(&names, r->text.data, "\n");
	for (i = 0; i < names.n; i++) {
		if (strchr(names.v[i], ':') && *names.v[i] != ':' &&
		    get_content(r, tfs_event_file(&file, names.v[i], "enable")) &&
		    *r->text.data == '0')
			continue;
		it = it ? it : add_item(r->s, k, "events");
		strv_add(&it->values, names.v[i]);
	}
	buf_release(&file);
	strv_release(&names);
}

static void add_state_lines(struct reader *r, struct state_item **it, const struct knob *k,
			    const char *event)
{
	struct strv lines = {0};
	size_t i, n;

	strv_split(&lines, r->text.data, "\n");
	/* below a filter that was refused stand a caret and the reason */
	n = strcmp(k->file, "filter") || lines.n < 2 ? lines.n : 1;
	for (i = 0; i < n; i++) {
		if (*lines.v[i] == '#' || !strcmp(lines.v[i], "none"))
			continue;
		*it = *it ? *it : add_item(r->s, k, k->file);
		strv_take(&(*it)->values, xasprintf("%s: %s%s", event, lines.v[i],
						    n < lines.n ? " (refused)" : ""));
	}
	strv_release(&lines);
}

/* k->file is what each event has: "filter" or "trigger". */
static void look_each_event(struct reader *r, const struct knob *k)
{
	struct state_item *it = NULL;
	struct strv events = {0};
	struct buf file = {0};
	size_t i;

	tfs_trigger_events(r->t, &events, NULL);
	for (i = 0; i < events.n; i++)
		if (strchr(events.v[i], ':') &&
		    get_content(r, tfs_event_file(&file, events.v[i], k->file)))
			add_state_lines(r, &it, k, events.v[i]);
	buf_release(&file);
	strv_release(&events);
}

/* --- content */

static void look_records(struct reader *r, const struct knob *k)
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
		it = it ? it : add_item(r->s, k, k->file);
		lost = st.overrun ? xasprintf(", %" PRIu64 " overwritten", st.overrun) : NULL;
		strv_take(&it->values, xasprintf("cpu%d: %" PRIu64 "%s", cpus[i], st.entries,
						 lost ? lost : ""));
		free(lost);
	}
	free(cpus);
}

/* Per CPU sizes are told with buffer_size_kb, each option with options. */
static void (*const look[])(struct reader *r, const struct knob *k) = {
	[KNOB_VALUE] = look_value,      [KNOB_LIST] = look_list,
	[KNOB_FUNCTIONS] = look_list,   [KNOB_CLOCK] = look_value,
	[KNOB_CPUMASK] = look_cpumask,  [KNOB_CPUS] = look_value,
	[KNOB_SIZE] = look_size,        [KNOB_SUBBUF] = look_value,
	[KNOB_EVENTS] = look_events,    [KNOB_EVENT_FILE] = look_each_event,
	[KNOB_OPTIONS] = look_options,  [KNOB_DEFINITIONS] = look_list,
	[KNOB_SNAPSHOT] = look_snapshot, [KNOB_RECORDS] = look_records,
	[KNOB_PROC] = look_value,       [KNOB_PER_CPU] = NULL,
	[KNOB_OPTION] = NULL,
};

static void look_all(struct reader *r)
{
	size_t i;

	for (i = 0; i < nr_knobs; i++)
		if (look[knobs[i].how] && (knobs[i].where == KNOB_EACH || !r->instance))
			look[knobs[i].how](r, &knobs[i]);
}

int state_read(const struct tfs *t, const char *instance, struct state *s, struct ftr_error *err)
{
	struct reader r = { .t = t, .instance = instance && *instance ? instance : NULL, .s = s };

	*s = (struct state){ .instance = xstrdup(r.instance ? r.instance : "") };
	if (tfs_check_instance(t, r.instance, err))
		return -1;
	look_all(&r);
	buf_release(&r.text);
	return 0;
}

void state_release(struct state *s)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		free(s->v[i].what);
		strv_release(&s->v[i].values);
	}
	free(s->v);
	free(s->instance);
	*s = (struct state){0};
}
