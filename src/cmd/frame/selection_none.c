/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For a selection that shows nothing: the options that match nothing, and the possible choices. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "cmd/frame/command.h"
#include "cmd/frame/selection.h"

#define NAMES_SHOWN	6
#define CHECK_EACH	(1u << 12)	/* records between two calls of stops() */

/* --- names by frequency */

struct none_name {
	char *text;
	uint64_t times;
};

struct none_names {
	struct none_name *v;
	size_t n, cap;
	struct textmap by_text;		/* name -> index in ->v + 1 */
};

struct none_names *none_names_new(void)
{
	return xcalloc(1, sizeof(struct none_names));
}

static size_t find_name(struct none_names *names, const char *text)
{
	size_t at = (uintptr_t)textmap_get(&names->by_text, text, strlen(text));

	if (at)
		return at - 1;
	names->v = xgrow(names->v, &names->cap, names->n + 1, sizeof(*names->v));
	names->v[names->n++] = (struct none_name){ .text = xstrdup(text) };
	textmap_put(&names->by_text, text, strlen(text), (void *)(uintptr_t)names->n);
	return names->n - 1;
}

void none_names_count(struct none_names *names, const char *name, uint64_t times)
{
	size_t at = find_name(names, name);

	names->v[at].times += times;
}

size_t none_names_nr(const struct none_names *names)
{
	return names->n;
}

bool none_names_match(const struct none_names *names, const struct strv *globs)
{
	for (size_t i = 0; i < names->n; i++)
		for (size_t k = 0; k < globs->n; k++)
			if (!fnmatch(globs->v[k], names->v[i].text, 0))
				return true;
	return false;
}

void none_names_free(struct none_names *names)
{
	if (!names)
		return;
	for (size_t i = 0; i < names->n; i++)
		free(names->v[i].text);
	free(names->v);
	textmap_release(&names->by_text);
	free(names);
}

static int compare_names(const void *a, const void *b)
{
	const struct none_name *x = *(const struct none_name *const *)a;
	const struct none_name *y = *(const struct none_name *const *)b;

	if (x->times != y->times)
		return x->times < y->times ? 1 : -1;
	return strcmp(x->text, y->text);
}

/* Returns the index of the name nearest to @asked, a pattern or a name; ->n if none is near. */
static size_t find_nearest(const struct none_names *names, const char *asked)
{
	struct strv all = {0};
	struct buf word = {0};
	const char *near;
	size_t at = 0;

	for (const char *p = asked; *p; p++)
		if (!strchr("*?[]", *p))
			buf_addch(&word, *p);
	for (size_t i = 0; i < names->n; i++)
		strv_add(&all, names->v[i].text);
	near = word.len && all.n ? text_closest(word.data, all.v) : NULL;
	while (at < names->n && !(near && !strcmp(names->v[at].text, near)))
		at++;
	buf_release(&word);
	strv_release(&all);
	return at;
}

void none_names_add(const struct none_names *names, const char *label, const char *asked,
		    struct buf *out)
{
	const struct none_name **sorted = xcalloc(names->n + 1, sizeof(*sorted));
	size_t nearest = find_nearest(names, asked), n = 0;

	for (size_t i = 0; i < names->n; i++)
		if (i != nearest)
			sorted[n++] = &names->v[i];
	if (n)
		qsort(sorted, n, sizeof(*sorted), compare_names);
	if (nearest < names->n) {
		memmove(sorted + 1, sorted, n++ * sizeof(*sorted));
		sorted[0] = &names->v[nearest];
	}
	for (size_t i = 0; i < n && i < NAMES_SHOWN; i++)
		buf_printf(out, "%s%s", i ? ", " : label, sorted[i]->text);
	if (n > NAMES_SHOWN)
		buf_printf(out, ", %zu more", n - NAMES_SHOWN);
	free(sorted);
}

/* --- the kinds of options, each one alone */

enum part {
	PART_TIME, PART_CPU, PART_PID, PART_COMM, PART_EVENT, PART_FILTER, PART_CONTEXT, PARTS,
};

struct select_none {
	const struct selection *s;
	struct {
		struct filter_spec spec;	/* borrowed from the selection's */
		struct filter **filters;	/* one per trace; NULL: not given */
		bool given, met;
		struct none_names *names;	/* possible choices of the option, or NULL */
		struct map known;		/* task or format -> index in ->names + 1 */
	} part[PARTS];
	/* the records and tasks so far */
	uint64_t nr, first, last;
	uint64_t cpus[TRACE_CPU_BITS / 64];
	bool has_times, met;
	bool is_partial;		/* the rest was not read */
};

/* Compiles one kind of options. All were compiled together before: none can have an error. */
static struct filter **compile_part(const struct selection *s, const struct filter_spec *spec)
{
	const struct event_meta **metas = xcalloc(s->nr_traces, sizeof(*metas));
	struct filter **filters = xcalloc(s->nr_traces, sizeof(struct filter *));
	struct ftr_error err = {0};

	for (size_t i = 0; i < s->nr_traces; i++)
		metas[i] = &s->traces[i]->meta;
	if (filter_compile(spec, metas, s->nr_traces, filters, &err)) {
		free(filters);
		filters = NULL;
	}
	free(metas);
	return filters;
}

struct select_none *select_none_new(const struct selection *sel)
{
	struct select_none *n = xcalloc(1, sizeof(*n));
	const struct filter_spec *s = &sel->spec;

	n->s = sel;
	n->first = UINT64_MAX;
	n->part[PART_TIME].given = s->since.kind != FILTER_ANY_TIME ||
				   s->until.kind != FILTER_ANY_TIME;
	n->part[PART_CPU].given = s->cpus;
	n->part[PART_CPU].spec.cpus = s->cpus;
	n->part[PART_PID].given = s->nr_pids;
	n->part[PART_PID].spec.pids = s->pids;
	n->part[PART_PID].spec.nr_pids = s->nr_pids;
	n->part[PART_COMM].given = s->comms.n;
	n->part[PART_COMM].spec.comms = s->comms;
	n->part[PART_EVENT].given = s->events.n;
	n->part[PART_EVENT].spec.events = s->events;
	n->part[PART_FILTER].given = s->rules;
	n->part[PART_FILTER].spec.rules = s->rules;
	n->part[PART_FILTER].spec.lax = s->lax;
	n->part[PART_CONTEXT].given = s->no_hardirq || s->no_softirq;
	n->part[PART_CONTEXT].spec.no_hardirq = s->no_hardirq;
	n->part[PART_CONTEXT].spec.no_softirq = s->no_softirq;
	for (int i = PART_CPU; i < PARTS; i++)
		if (n->part[i].given)
			n->part[i].filters = compile_part(sel, &n->part[i].spec);
	for (int i = PART_PID; i <= PART_EVENT; i++)
		if (n->part[i].given)
			n->part[i].names = none_names_new();
	return n;
}

void select_none_free(struct select_none *n)
{
	for (int i = 0; i < PARTS; i++) {
		for (size_t k = 0; n->part[i].filters && k < n->s->nr_traces; k++)
			filter_free(n->part[i].filters[k]);
		free(n->part[i].filters);
		none_names_free(n->part[i].names);
		map_release(&n->part[i].known);
	}
	free(n);
}

/* --- accounting of records and tasks */

static void account_cpu(struct select_none *n, int cpu)
{
	if (cpu >= 0 && cpu < TRACE_CPU_BITS)
		n->cpus[cpu / 64] |= 1ull << cpu % 64;
}

/* Counts @name; with @key count_again() needs no text. */
static void count_name(struct select_none *n, int part, uint64_t key, const char *name)
{
	size_t at = find_name(n->part[part].names, name);

	n->part[part].names->v[at].times++;
	map_put(&n->part[part].known, key, (void *)(uintptr_t)(at + 1));
}

/* Counts the name that count_name() got with @key. Returns false if there is none. */
static bool count_again(struct select_none *n, int part, uint64_t key)
{
	size_t at = (uintptr_t)map_get(&n->part[part].known, key);

	if (at)
		n->part[part].names->v[at - 1].times++;
	return at;
}

static void account_task_name(struct select_none *n, size_t file, int pid, const char *comm)
{
	uint64_t key = (uint64_t)file << 32 | (uint32_t)pid;
	struct buf name = {0};

	for (int i = PART_PID; i <= PART_COMM; i++) {
		if (!n->part[i].names || count_again(n, i, key))
			continue;
		buf_reset(&name);
		text_sanitise(&name, comm, strlen(comm), false);
		if (i == PART_PID)
			buf_printf(&name, "-%d", pid);
		buf_addstr(&name, "");
		count_name(n, i, key, name.data);
	}
	buf_release(&name);
}

bool select_none_see(struct select_none *n, const struct trace_rec *r)
{
	const struct ev_format *fmt = r->rec.fmt;
	bool all_met = true;

	n->nr++;
	n->has_times = true;
	n->first = r->ts < n->first ? r->ts : n->first;
	n->last = r->ts > n->last ? r->ts : n->last;
	account_cpu(n, r->cpu);
	account_task_name(n, r->file, r->pid, trace_comm(r->trace, r->pid));
	if (fmt && n->part[PART_EVENT].names && !count_again(n, PART_EVENT, (uintptr_t)fmt))
		count_name(n, PART_EVENT, (uintptr_t)fmt, fmt->name);
	for (int i = PART_CPU; i < PARTS; i++) {
		if (n->part[i].filters && !n->part[i].met)
			n->part[i].met = filter_match(n->part[i].filters[r->file], r->type, r->pid,
						      r->cpu, r->ts, &r->rec);
		all_met &= n->part[i].met || !n->part[i].given;
	}
	n->met |= selection_has(n->s, r);
	n->is_partial = n->met || all_met;
	return n->is_partial;
}

void select_none_see_task(struct select_none *n, size_t file, int cpu, int pid, const char *comm)
{
	n->nr++;
	account_cpu(n, cpu);
	account_task_name(n, file, pid, comm);
	for (int i = PART_CPU; i <= PART_COMM; i++)
		n->part[i].met |= filter_has_task(&n->part[i].spec, cpu, pid, comm);
	n->met |= filter_has_task(&n->s->spec, cpu, pid, comm);
}

/* --- the remark */

/* Adds "0,2-5": the numbers in the form of --cpu. */
static void add_cpu_list(struct buf *b, const uint64_t *cpus)
{
	const char *comma = "";
	int cpu, end;

	for (cpu = 0; cpu < TRACE_CPU_BITS; cpu = end + 1) {
		for (end = cpu; end < TRACE_CPU_BITS && cpus[end / 64] >> end % 64 & 1; end++)
			;
		if (end == cpu)
			continue;
		buf_printf(b, "%s%d", comma, cpu);
		if (end > cpu + 1)
			buf_printf(b, "-%d", end - 1);
		comma = ",";
	}
}

static void add_glob_option(struct buf *b, const char *option, const struct strv *globs)
{
	buf_addstr(b, option);
	for (size_t i = 0; i < globs->n; i++) {
		buf_addstr(b, i ? ", '" : " '");
		text_sanitise(b, globs->v[i], strlen(globs->v[i]), false);
		buf_addch(b, '\'');
	}
}

/* Adds an option as on the command line, without arguments that may be long. */
static void add_option(const struct select_none *n, int part, struct buf *b)
{
	const struct filter_spec *s = &n->s->spec;

	switch ((enum part)part) {
	case PART_TIME:
		buf_printf(b, "%s%s%s", s->since.kind != FILTER_ANY_TIME ? "--since" : "",
			   s->since.kind != FILTER_ANY_TIME &&
			   s->until.kind != FILTER_ANY_TIME ? " and " : "",
			   s->until.kind != FILTER_ANY_TIME ? "--until" : "");
		break;
	case PART_CPU:
		buf_addstr(b, "--cpu ");
		add_cpu_list(b, s->cpus);
		break;
	case PART_PID:
		buf_addstr(b, "--pid ");
		for (size_t i = 0; i < s->nr_pids; i++)
			buf_printf(b, "%s%d", i ? "," : "", s->pids[i]);
		break;
	case PART_COMM:
		add_glob_option(b, "--comm", &s->comms);
		break;
	case PART_EVENT:
		add_glob_option(b, "--event", &s->events);
		break;
	case PART_FILTER:
		buf_addstr(b, "-F");
		break;
	case PART_CONTEXT:
		buf_printf(b, "%s%s%s", s->no_hardirq ? "-I" : "",
			   s->no_hardirq && s->no_softirq ? " and " : "",
			   s->no_softirq ? "-S" : "");
		break;
	case PARTS:
		break;
	}
}

/*
 * Returns true if an option matches nothing. If there is no record between --since and --until, the
 * other options are not the cause.
 */
static bool is_unmet(const struct select_none *n, int part)
{
	if (!n->nr && n->part[PART_TIME].given)
		return part == PART_TIME;
	return n->nr && part != PART_TIME && n->part[part].given && !n->part[part].met;
}

/* Adds the options that match nothing, or those that match nothing only together. */
static void add_blamed_options(const struct select_none *n, struct buf *b)
{
	bool unmet = false, added = false;

	if (!n->nr && !n->part[PART_TIME].given)
		buf_addstr(b, " matches");
	for (int i = 0; i < PARTS; i++)
		unmet |= is_unmet(n, i);
	for (int i = 0; i < PARTS; i++) {
		if (unmet ? !is_unmet(n, i) : !n->part[i].given || !n->nr)
			continue;
		buf_addstr(b, !added ? " matches " : unmet ? ", and none " : " and ");
		add_option(n, i, b);
		added = true;
	}
}

/* Counts all records of the files. */
static void count_files(struct select_none *all, const struct selection *s)
{
	uint64_t nr;

	*all = (struct select_none){ .s = s, .first = UINT64_MAX, .has_times = true };
	for (size_t i = 0; i < s->nr_traces; i++) {
		struct dat *d = s->traces[i]->dat;

		trace_bounds(s->traces[i], &all->first, &all->last);
		for (size_t k = 0; k < d->nr_buffers; k++)
			for (size_t c = 0; c < d->buffers[k].nr_cpus; c++) {
				nr = trace_cpu_count(s->traces[i], &d->buffers[k],
						     &d->buffers[k].cpus[c]);
				all->nr += nr;
				if (nr)
					account_cpu(all, d->buffers[k].cpus[c].cpu);
			}
	}
}

static void add_counts(const struct select_none *n, const char *what, bool nanoseconds,
		       struct buf *b)
{
	const char *plural = !strcmp(what, "switch") ? "es" : "s";
	const struct trace *t = n->s->traces[0];
	/* times are as lines show them: those of the kernel's format are without DATE and OFFSET */
	uint64_t date = n->s->kernel_times ? (uint64_t)t->date_ns : 0;
	int cpus = 0;

	if (!n->nr) {
		buf_printf(b, " no %s%s", what, plural);
		return;
	}
	buf_addch(b, ' ');
	text_grouped(b, n->nr);
	buf_printf(b, " %s%s", what, n->nr == 1 ? "" : plural);
	if (n->has_times) {
		buf_addstr(b, " from ");
		trace_add_time(b, t, n->first - date, nanoseconds);
		buf_addstr(b, " to ");
		trace_add_time(b, t, n->last - date, nanoseconds);
	}
	for (size_t i = 0; i < TRACE_CPU_BITS / 64; i++)
		cpus += __builtin_popcountll(n->cpus[i]);
	if (!cpus)
		return;
	buf_addstr(b, cpus == 1 ? " on CPU " : " on CPUs ");
	add_cpu_list(b, n->cpus);
}

bool select_none_add(const struct select_none *n, const char *what, bool nanoseconds,
		     struct buf *out)
{
	const char *tasks = n->has_times ? "; tasks: " : ": ";
	const struct selection *s = n->s;
	const struct filter_spec *spec = &s->spec;
	struct select_none all;
	char pid[16] = "";

	if (n->met || !selection_chooses(s) || (!n->nr && strcmp(what, "record")))
		return false;
	buf_printf(out, "no %s", what);
	add_blamed_options(n, out);
	if (s->nr_traces == 1)
		buf_printf(out, "; '%s' has", s->traces[0]->dat->path);
	else
		buf_printf(out, "; the %zu files have", s->nr_traces);
	if (!n->nr || n->is_partial) {
		count_files(&all, s);
		add_counts(&all, "record", nanoseconds, out);
		return true;
	}
	add_counts(n, what, nanoseconds, out);
	if (spec->nr_pids)
		snprintf(pid, sizeof(pid), "%d", spec->pids[0]);
	if (is_unmet(n, PART_PID))
		none_names_add(n->part[PART_PID].names, tasks, pid, out);
	if (is_unmet(n, PART_COMM))
		none_names_add(n->part[PART_COMM].names, tasks, spec->comms.v[0], out);
	if (is_unmet(n, PART_EVENT))
		none_names_add(n->part[PART_EVENT].names, "; events: ", spec->events.v[0], out);
	return true;
}

/* --- records */

/* Forgets damage, which was noted when the files were read before. */
void select_views_close(const struct selection *s, struct trace **views)
{
	trace_views_forget_damages(views, s->nr_traces);
	trace_views_close(views, s->nr_traces);
}

bool selection_chooses(const struct selection *sel)
{
	const struct filter_spec *s = &sel->spec;

	return s->rules || s->events.n || s->comms.n || s->nr_pids || s->cpus || s->no_hardirq ||
	       s->no_softirq || s->since.kind != FILTER_ANY_TIME ||
	       s->until.kind != FILTER_ANY_TIME;
}

bool selection_add_none(const struct selection *s, bool nanoseconds, bool (*stops)(void *ctx),
			void *ctx, struct buf *out)
{
	struct trace **views = selection_chooses(s) ? trace_views(s->traces, s->nr_traces) : NULL;
	const struct trace_rec *r;
	struct select_none *n;
	struct trace_iter *it;
	bool stopped = false;
	uint32_t nr = 0;

	if (!views)
		return false;
	n = select_none_new(s);
	it = trace_iter_new_apart(views, s->nr_traces, NULL, s->range.since, s->range.until);
	while (!stopped && (r = trace_iter_next(it))) {
		if (r->rec.data && select_none_see(n, r))
			break;
		stopped = ++nr % CHECK_EACH == 0 && stops && stops(ctx);
	}
	stopped = stopped || !select_none_add(n, "record", nanoseconds, out);
	trace_iter_free(it);
	select_none_free(n);
	select_views_close(s, views);
	return !stopped;
}

bool selection_report_none(const struct selection *s, bool nanoseconds)
{
	struct buf b = {0};
	bool reported = !cmd_quiet && selection_add_none(s, nanoseconds, NULL, NULL, &b);

	if (reported)
		cmd_notice("%s", b.data);
	buf_release(&b);
	return reported;
}

void selection_report_losses(const struct out_losses *lost)
{
	struct buf b = {0};

	text_grouped(&b, lost->events);
	if (lost->events)
		cmd_notice("%s events were lost in the recording%s", b.data,
			   lost->unknown ? ", and an unknown number of others" : "");
	else if (lost->unknown)
		cmd_notice("an unknown number of events was lost in the recording");
	buf_release(&b);
}
