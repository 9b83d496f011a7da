/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Completion from the trace files that a command line names: events, tasks, columns. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/complete_priv.h"
#include "output/line_columns.h"
#include "trace/trace.h"

#define DEFAULT_FILE "trace.dat"
#define SECONDS	     3		/* who waits longer for a TAB types the word */

static void exit_on_alarm(int sig)
{
	(void)sig;
	_exit(0);
}

/* Not what would wait, or be used up by reading: a FIFO, a terminal. */
static struct trace *open_regular_file(const char *path)
{
	struct ftr_error err = {0};
	struct stat st;

	return stat(path, &st) || !S_ISREG(st.st_mode) ? NULL : trace_open(path, &err);
}

static void each_file(struct wish *w, void (*add)(struct trace *t, struct strv *names),
		      struct strv *names)
{
	struct trace *t;
	size_t i;

	signal(SIGALRM, exit_on_alarm);
	alarm(SECONDS);
	if (!w->files.n)
		strv_add(&w->files, DEFAULT_FILE);
	for (i = 0; i < w->files.n; i++) {
		t = open_regular_file(w->files.v[i]);
		if (t)
			add(t, names);
		trace_close(t);
	}
	strv_sort_unique(names);
}

static void add_systems(struct trace *t, struct strv *names)
{
	struct ev_format *v;
	size_t i = ev_world_formats(&t->world, NULL, &v);

	while (i--)
		strv_add(names, v[i].system);
}

static void add_file_events(struct trace *t, struct strv *names)
{
	struct ev_format *v;
	size_t i = ev_world_formats(&t->world, NULL, &v);

	while (i--) {
		strv_add(names, v[i].name);
		strv_take(names, xasprintf("%s:%s", v[i].system, v[i].name));
	}
}

void complete_file_events(struct wish *w)
{
	struct strv systems = {0}, names = {0};

	each_file(w, add_systems, &systems);
	each_file(w, add_file_events, &names);
	complete_offer_all(w, &systems, "system");
	complete_offer_all(w, &names, "event");
	strv_release(&systems);
	strv_release(&names);
}

/* A name that is shown with escapes is not what --comm compares with. */
static void add_comms(struct trace *t, struct strv *names)
{
	struct strv all = {0};
	size_t i;

	trace_comm_names(t, &all);
	for (i = 0; i < all.n; i++)
		if (!strchr(all.v[i], '\\'))
			strv_add(names, all.v[i]);
	strv_release(&all);
}

void complete_file_comms(struct wish *w)
{
	struct strv names = {0};

	each_file(w, add_comms, &names);
	complete_offer_all(w, &names, "task");
	strv_release(&names);
}

static void add_file_fields(struct trace *t, struct strv *names)
{
	struct ev_format *v;
	size_t i = ev_world_formats(&t->world, NULL, &v), k;

	while (i--)
		for (k = 0; !ev_format_ready(&v[i]) && k < v[i].nr_fields; k++)
			strv_add(names, v[i].fields[k].name);
}

void complete_file_fields(struct wish *w)
{
	struct strv names = {0};

	each_file(w, add_file_fields, &names);
	complete_offer_all(w, &names, "field");
	strv_release(&names);
}

/* "comm,pid,ti": the last one of them. */
void complete_file_columns(struct wish *w)
{
	const char *comma = strrchr(w->word, ','), *name;
	size_t before = comma ? comma + 1 - w->word : 0, i;
	char *prefix = xasprintf("%s%.*s", w->prefix, (int)before, w->word);
	struct wish last = { .prefix = prefix, .word = w->word + before, .out = w->out };
	struct strv names = {0};

	for (i = 0; (name = columns_known(i)); i++)
		complete_offer(&last, name, "column");
	each_file(w, add_file_fields, &names);
	complete_offer_all(&last, &names, "field");
	strv_release(&names);
	free(prefix);
}
