/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Brings tracefs to what a kernel has after boot. */
#include "tracefs/fresh.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracefs/clear.h"
#include "tracefs/control.h"
#include "tracefs/journal.h"
#include "tracefs/state.h"
#include "tracefs/sysctl.h"

/* One kind of what state_read() names, and how it gets its value after boot. */
struct step {
	const char *what, *fresh;
	int (*make)(const struct tfs *t, const char *instance, const struct step *step,
		    const struct state_item *it, struct ftr_error *err);
};

char *fresh_cpumask(const struct tfs *t, const char *instance)
{
	struct buf mask = {0};
	size_t n = 0, words, w, i;
	int *cpus = NULL;

	if (tfs_cpus(t, instance, &cpus, &n, NULL) || !n)
		return NULL;
	words = cpus[n - 1] / 32 + 1;
	for (w = words; w-- > 0;) {
		uint32_t bits = 0;

		for (i = 0; i < n; i++)
			if (cpus[i] / 32 == (int)w)
				bits |= 1u << cpus[i] % 32;
		buf_printf(&mask, w == words - 1 ? "%x" : ",%08x", bits);
	}
	free(cpus);
	return buf_take(&mask);
}

/* As if the file had read @value once. */
static int put(const struct tfs *t, const char *instance, const char *file, const char *value,
	       struct ftr_error *err)
{
	struct buf path = {0};
	int ret;

	tfs_path(&path, instance, file);
	ret = control_of(path.data)->restore(t, path.data, value, err);
	buf_release(&path);
	return ret;
}

static int make_value(const struct tfs *t, const char *instance, const struct step *step,
		      const struct state_item *it, struct ftr_error *err)
{
	(void)it;
	return put(t, instance, step->what, step->fresh, err);
}

static int make_cpumask(const struct tfs *t, const char *instance, const struct step *step,
			const struct state_item *it, struct ftr_error *err)
{
	char *all = fresh_cpumask(t, instance);
	int ret = all ? put(t, instance, step->what, all, err) : 0;

	(void)it;
	free(all);
	return ret;
}

static int make_subbuf(const struct tfs *t, const char *instance, const struct step *step,
		       const struct state_item *it, struct ftr_error *err)
{
	char page[24];

	(void)it;
	snprintf(page, sizeof(page), "%ld", sysconf(_SC_PAGESIZE) / 1024);
	return put(t, instance, step->what, page, err);
}

/* Truncated, it switches off also what waits for modules (7.2). */
static int make_events(const struct tfs *t, const char *instance, const struct step *step,
		       const struct state_item *it, struct ftr_error *err)
{
	const struct strv none = {0};
	struct buf path = {0};
	size_t bad;
	int ret;

	(void)step;
	(void)it;
	ret = control_write_words(t, tfs_path(&path, instance, "set_event"), O_TRUNC, &none, &bad);
	if (ret)
		err_sys(err, "cannot clear '%s/%s'", t->path, path.data);
	buf_release(&path);
	return ret ? -1 : put(t, instance, "events/enable", "0", err);
}

/* Of "sched:sched_switch: TEXT": filter and trigger, whose files are named so. */
static int make_each_event(const struct tfs *t, const char *instance, const struct step *step,
			   const struct state_item *it, struct ftr_error *err)
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
			   (int)(end - colon - 1), colon + 1, step->what);
		if (put(t, instance, file.data, step->fresh, ret ? NULL : err))
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
static int make_functions(const struct tfs *t, const char *instance, const struct step *step,
			  const struct state_item *it, struct ftr_error *err)
{
	struct strv lines = {0};
	struct buf path = {0}, text = {0};
	size_t i;
	int ret = put(t, instance, step->what, "", err);

	(void)it;
	tfs_path(&path, instance, step->what);
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
static int make_options(const struct tfs *t, const char *instance, const struct step *step,
			const struct state_item *it, struct ftr_error *err)
{
	const char *word;
	struct buf file = {0};
	size_t i;
	int ret = 0;
	bool off;

	(void)step;
	for (i = 0; i < it->values.n; i++) {
		word = it->values.v[i];
		buf_reset(&file);
		buf_printf(&file, "options/%s", word);
		off = !strncmp(word, "no", 2) && !tfs_exists(t, instance, file.data);
		buf_reset(&file);
		buf_printf(&file, "options/%s", word + (off ? 2 : 0));
		if (put(t, instance, file.data, off ? "1" : "0", ret ? NULL : err))
			ret = -1;
	}
	buf_release(&file);
	return ret;
}

static int make_snapshot(const struct tfs *t, const char *instance, const struct step *step,
			 const struct state_item *it, struct ftr_error *err)
{
	struct buf path = {0};
	int ret = control_write(t, tfs_path(&path, instance, step->what), 0, "0");

	(void)it;
	if (ret)
		err_sys(err, "cannot free '%s/%s'", t->path, path.data);
	buf_release(&path);
	return ret;
}

static int make_records(const struct tfs *t, const char *instance, const struct step *step,
			const struct state_item *it, struct ftr_error *err)
{
	(void)step;
	(void)it;
	return clear_buffer(t, instance, -1, err);
}

static int make_sysctl(const struct tfs *t, const char *instance, const struct step *step,
		       const struct state_item *it, struct ftr_error *err)
{
	const char *name = strrchr(step->what, '/') + 1;
	char *path = xasprintf("kernel.%s", name);
	const struct entry e = { .type = ENTRY_SYSCTL, .path = path, .value = (char *)step->fresh };
	int ret = sysctl_restore(&e, err);

	(void)t;
	(void)instance;
	(void)it;
	free(path);
	return ret;
}

static int make_definitions(const struct tfs *t, const char *instance, const struct step *step,
			    const struct state_item *it, struct ftr_error *err)
{
	const struct strv none = {0};
	size_t bad;

	(void)instance;
	(void)it;
	if (!control_write_words(t, step->what, O_TRUNC, &none, &bad))
		return 0;
	err_sys(err, "cannot clear '%s/%s'", t->path, step->what);
	return errno == EBUSY ? err_hint(err, "somebody uses one of the events") : -1;
}

/* What records goes first, what it recorded last; definitions when nothing names them. */
static const struct step steps[] = {
	{ "current_tracer",         "nop",   make_value },
	{ "events",                 NULL,    make_events },
	{ "trigger",                "",      make_each_event },
	{ "filter",                 "none",  make_each_event },
	{ "set_ftrace_filter",      "",      make_functions },
	{ "set_ftrace_notrace",     "",      make_value },
	{ "set_graph_function",     "",      make_value },
	{ "set_graph_notrace",      "",      make_value },
	{ "stack_trace_filter",     "",      make_value },
	{ "set_ftrace_pid",         "",      make_value },
	{ "set_ftrace_notrace_pid", "",      make_value },
	{ "set_event_pid",          "",      make_value },
	{ "set_event_notrace_pid",  "",      make_value },
	{ "max_graph_depth",        "0",     make_value },
	{ "tracing_thresh",         "0",     make_value },
	{ "options",                NULL,    make_options },
	{ "trace_clock",            "local", make_value },
	{ "tracing_cpumask",        NULL,    make_cpumask },
	{ "buffer_subbuf_size_kb",  NULL,    make_subbuf },
	{ "buffer_size_kb",         "1408",  make_value },
	{ "buffer_percent",         "50",    make_value },
	{ "syscall_user_buf_size",  "63",    make_value },
	{ "saved_cmdlines_size",    "128",   make_value },
	{ "/proc/sys/kernel/stack_tracer_enabled", "0", make_sysctl },
	{ "/proc/sys/kernel/ftrace_enabled",       "1", make_sysctl },
	{ "dynamic_events",         NULL,    make_definitions },
	{ "snapshot",               NULL,    make_snapshot },
	{ "records",                NULL,    make_records },
	{ "tracing_on",             "1",     make_value },
};

static const struct state_item *item_of(const struct state *s, const char *what)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (!strcmp(s->v[i].what, what))
			return &s->v[i];
	return NULL;
}

static void make_all(const struct tfs *t, const char *instance, const struct state *s,
		     struct fresh *f)
{
	const struct state_item *it;
	struct ftr_error err;
	size_t i;

	for (i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		it = item_of(s, steps[i].what);
		if (!it)
			continue;
		if (steps[i].make == make_definitions && !f->dynamic_events) {
			f->definitions = it->values.n;
			continue;
		}
		err = (struct ftr_error){0};
		if (steps[i].make(t, instance, &steps[i], it, &err))
			strv_add(&f->left, err.msg);
		else
			f->settings++;
	}
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
	strv_release(&f->left);
}
