/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The selection of a command line: pids, events, --since and --until. It is compiled for each file
 * to one program per type of event.
 *
 * A time that is copied from a report must select its line, so a time with six decimals stands for
 * the nanoseconds that round to it. Offsets count from the first and the last event of all files,
 * which are read from the sub-buffers at the ends (trace_bounds.c).
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "trace/filter_priv.h"

#define NS_PER_S 1000000000ULL

/*
 * Parses "1234.5678" without rounding, as a double would. A report shows six of the nine decimals,
 * rounded: a time with six decimals stands for all times that look the same.
 */
static int parse_seconds(struct filter_when *w, const char *text)
{
	uint64_t seconds, ns = 0, unit = NS_PER_S;
	char *end;

	if (!isdigit((unsigned char)*text))
		return -1;
	errno = 0;
	seconds = strtoull(text, &end, 10);
	if (errno)
		return -1;
	w->units = seconds;
	w->whole = !*end;
	if (*end == '.')
		for (end++; isdigit((unsigned char)*end) && unit > 1; end++)
			ns += (*end - '0') * (unit /= 10);
	w->slack_ns = unit == 1000 ? 500 : 0;
	if (__builtin_mul_overflow(seconds, NS_PER_S, &w->ns) ||
	    __builtin_add_overflow(w->ns, ns, &w->ns))
		w->ns = UINT64_MAX;	/* maybe a number of a clock that is not in nanoseconds */
	return *end ? -1 : 0;
}

int filter_when_parse(struct filter_when *w, const char *text, struct ftr_error *err)
{
	char *end;
	int bad;

	*w = (struct filter_when){ .kind = *text == '+' ? FILTER_FROM_FIRST :
				   *text == '-' ? FILTER_FROM_LAST : FILTER_AT };
	if (w->kind == FILTER_AT) {
		bad = parse_seconds(w, text);
	} else {
		bad = text_duration(text + 1, &w->ns);
		errno = 0;
		w->units = strtoull(text + 1, &end, 10);
		w->whole = !errno && !*end;
	}
	if (!bad)
		return 0;
	err_set(err, FTR_USAGE, "'%s' is not a time", text);
	return err_hint(err, "write 1234.567890 as in a report, +1.5s from the first event, "
			"or -20ms before the last");
}

int filter_set_around(struct filter_spec *s, const char *text, struct ftr_error *err)
{
	const char *comma = strchr(text, ',');
	char *time = xstrndup(text, comma ? (size_t)(comma - text) : strlen(text));
	uint64_t around = 1000000000;
	int ret = filter_when_parse(&s->since, time, err);

	free(time);
	if (!ret && comma && (text_duration(comma + 1, &around) || !around))
		ret = err_set(err, FTR_USAGE, "'%s' is not a duration", comma + 1);
	s->since.around_ns = around;
	s->until = s->since;
	return ret;
}

bool filter_needs_bounds(const struct filter_spec *s)
{
	return s->since.kind > FILTER_AT || s->until.kind > FILTER_AT;
}

/* Converts @w to a ->ts: the end of its range if @end, else the start. Returns -1 with @err. */
static int resolve_when(const struct filter_when *w, uint64_t first, uint64_t last, bool ns,
			bool end, uint64_t *ts, struct ftr_error *err)
{
	uint64_t v = ns ? w->ns : w->units, slack = ns ? w->slack_ns + w->around_ns : 0;

	if (!ns && (!w->whole || w->around_ns)) {
		err_set(err, FTR_USAGE, "the clock of this file does not count nanoseconds");
		return err_hint(err, "give a whole number%s, as the report shows it",
				w->around_ns ? " to --since and --until" : "");
	}
	if (w->kind == FILTER_FROM_LAST)
		v = v < last ? last - v : 0;
	if (w->kind == FILTER_FROM_FIRST)
		v = first + v < v ? UINT64_MAX : first + v;
	if (end)
		*ts = v + slack < v ? UINT64_MAX : v + (slack ? slack - 1 : 0);
	else
		*ts = v > slack ? v - slack : 0;
	return 0;
}

int filter_range(const struct filter_spec *s, uint64_t first, uint64_t last, bool ns,
		 uint64_t *since, uint64_t *until, struct ftr_error *err)
{
	*since = 0;
	*until = UINT64_MAX;
	if (s->since.kind && resolve_when(&s->since, first, last, ns, false, since, err))
		return -1;
	if (s->until.kind && resolve_when(&s->until, first, last, ns, true, until, err))
		return -1;
	if (*since <= *until)
		return 0;
	err_set(err, FTR_USAGE, "--since is later than --until");
	return err_hint(err, "times are those of the report");
}

#define FLAG_HARDIRQ	0x08	/* bit of common_flags */
#define FLAG_SOFTIRQ	0x10
#define TO_NOWHERE	(UINT32_MAX - 2)	/* no format has this type */

int filter_add(struct filter_spec *s, const char *text, bool negative, struct ftr_error *err)
{
	struct filter_rule *rule = rule_parse(text, negative, err);

	if (!rule)
		return -1;
	if (!s->tail)
		s->tail = &s->rules;
	*s->tail = rule;
	s->tail = &rule->next;
	return 0;
}

int filter_add_pids(struct filter_spec *s, const char *text, struct ftr_error *err)
{
	struct strv parts = {0};
	int64_t v;
	size_t i;
	int ret = 0;

	strv_split(&parts, text, ",");
	for (i = 0; i < parts.n && !ret; i++) {
		ret = text_number(parts.v[i], 0, INT32_MAX, &v);
		if (ret) {
			err_set(err, FTR_USAGE, "'%s' is not a process id", parts.v[i]);
			break;
		}
		s->pids = xgrow(s->pids, &s->cap_pids, s->nr_pids + 1, sizeof(*s->pids));
		s->pids[s->nr_pids++] = v;
	}
	strv_release(&parts);
	return ret;
}

void filter_spec_release(struct filter_spec *s)
{
	struct filter_rule *next;

	for (; s->rules; s->rules = next) {
		next = s->rules->next;
		rule_free(s->rules);
	}
	strv_release(&s->events);
	strv_release(&s->comms);
	free(s->pids);
	free(s->cpus);
	*s = (struct filter_spec){0};
}

/* --- pids and comms */

static bool glob_any(void *ctx, const char *text, size_t len)
{
	const struct strv *globs = ctx;

	for (size_t i = 0; i < globs->n; i++)
		if (glob_match(globs->v[i], strlen(globs->v[i]), text, len, false))
			return true;
	return false;
}

bool filter_has_task(const struct filter_spec *s, int cpu, int pid, const char *comm)
{
	struct strv globs = s->comms;
	size_t i = 0;

	if (s->cpus && (cpu < 0 || cpu >= FILTER_CPU_BITS || !(s->cpus[cpu / 64] >> cpu % 64 & 1)))
		return false;
	while (i < s->nr_pids && s->pids[i] != pid)
		i++;
	if (s->nr_pids && i == s->nr_pids)
		return false;
	return !globs.n || glob_any(&globs, comm, strlen(comm));
}

/* --- events */

/* A glob matches the name, the system ("sched", "sched:"), ":name" or "system:name". */
static bool spec_matches_event(const struct filter_spec *s, const struct ev_format *fmt)
{
	struct strv globs = s->events;
	char *full, *name;
	bool hit;

	if (!s->events.n)
		return true;
	full = xasprintf("%s:%s", fmt->system, fmt->name);
	name = strrchr(full, ':');
	hit = glob_any(&globs, full, strlen(full)) || glob_any(&globs, name, strlen(name)) ||
	      glob_any(&globs, full, name - full) || glob_any(&globs, full, name - full + 1) ||
	      glob_any(&globs, name + 1, strlen(name + 1));
	free(full);
	return hit;
}

/* Compares with all patterns, as it marks the ones that match some event. */
static bool rule_matches_event(struct filter_rule *rule, const struct ev_format *fmt)
{
	bool hit = false;

	for (size_t i = 0; i < rule->nr_events; i++) {
		if (!event_pat_match(&rule->events[i], fmt->system, fmt->name))
			continue;
		rule->events[i].known = true;
		hit = true;
	}
	return hit;
}

/* Compiles one rule. Its program goes on at @next if the rule does not decide. */
static uint32_t compile_rule(struct filter_compiler *c, uint32_t next)
{
	uint32_t hit = c->rule->negative ? TO_FALSE : TO_TRUE, start = hit;
	size_t nr_preds = c->f->nr_preds;
	bool applies;

	applies = c->rule->nr_events ? rule_matches_event(c->rule, c->fmt) :
		  compile_has_fields(c, c->rule->expr);
	if (!applies)
		return next;
	c->failed = false;
	if (c->rule->expr)
		start = compile_expr(c, c->rule->expr, hit, next);
	if (c->failed) {
		c->f->nr_preds = nr_preds;
		return next;
	}
	c->rule->used = true;
	return start;
}

/* Returns the rules in the order of their evaluation: negative ones first. The caller frees it. */
static struct filter_rule **rules_in_order(const struct filter_spec *s, size_t *n)
{
	struct filter_rule **v = NULL, *r;
	size_t cap = 0;

	*n = 0;
	for (int negative = 1; negative >= 0; negative--) {
		for (r = s->rules; r; r = r->next) {
			if (r->negative != negative)
				continue;
			v = xgrow(v, &cap, *n + 1, sizeof(struct filter_rule *));
			v[(*n)++] = r;
		}
	}
	return v;
}

static bool same_target(uint32_t a, uint32_t b, uint32_t shift)
{
	return a == b || (a < TO_TRUE && b < TO_TRUE && b - a == shift);
}

static bool same_pred(const struct filter_pred *a, const struct filter_pred *b, uint32_t shift)
{
	const struct ev_field *f = a->field, *g = b->field;

	if (f != g && (!f || !g || f->kind != g->kind || f->offset != g->offset ||
		       f->size != g->size))
		return false;
	return a->kind == b->kind && a->op == b->op && a->size == b->size &&
	       a->is_signed == b->is_signed && a->off == b->off && a->val == b->val &&
	       a->arg == b->arg && same_target(a->yes, b->yes, shift) &&
	       same_target(a->no, b->no, shift);
}

/* The program of the previous event: [from, to) in f->preds. */
struct last_program {
	uint32_t from, to, start;
};

/*
 * Most events have the fields of a filter at the same offsets, for example the common ones: equal
 * programs are stored once.
 */
static uint32_t share_program(struct filter_compiler *c, struct last_program *last, uint32_t from,
			      uint32_t start)
{
	struct filter *f = c->f;
	uint32_t n = f->nr_preds - from, shift = from - last->from, i = 0;

	if (c->nested || start >= TO_TRUE)
		return start;
	if (n == last->to - last->from && same_target(last->start, start, shift))
		while (i < n && same_pred(&f->preds[last->from + i], &f->preds[from + i], shift))
			i++;
	if (n && i == n) {
		f->nr_preds = from;
		return last->start;
	}
	*last = (struct last_program){ from, f->nr_preds, start };
	return start;
}

static void compile_types(struct filter_compiler *c, const struct filter_spec *s)
{
	uint32_t last, from, start;
	struct last_program shared = {0};
	struct filter *f = c->f;
	struct filter_rule **rules;
	struct ev_format *formats;
	size_t n, i, k, nr_formats = event_meta_formats(c->w, NULL, &formats);

	for (i = 0; i < nr_formats; i++)
		if (formats[i].id >= f->nr_types)
			f->nr_types = formats[i].id + 1;
	f->start = xcalloc(f->nr_types + 1, sizeof(*f->start));
	for (i = 0; i < f->nr_types; i++)
		f->start[i] = TO_NOWHERE;
	rules = rules_in_order(s, &n);
	last = n && !rules[n - 1]->negative ? TO_FALSE : TO_TRUE;
	for (i = 0; i < nr_formats; i++) {
		c->fmt = &formats[i];
		if (f->start[c->fmt->id] != TO_NOWHERE)
			continue;	/* the first format of an id counts */
		from = f->nr_preds;
		/* a rule needs the start of the next one's program: the last is first */
		start = last;
		for (k = n; k--;) {
			c->rule = rules[k];
			start = compile_rule(c, start);
		}
		start = share_program(c, &shared, from, start);
		f->start[c->fmt->id] = spec_matches_event(s, c->fmt) ? start : TO_FALSE;
	}
	f->unknown = s->events.n ? TO_FALSE : last;
	for (i = 0; i < f->nr_types; i++)
		if (f->start[i] == TO_NOWHERE)
			f->start[i] = f->unknown;
	free(rules);
}

static struct filter *compile_one(const struct filter_spec *s, const struct event_meta *w,
				  struct ftr_error *err, bool *full)
{
	struct filter *f = xcalloc(1, sizeof(*f));
	const struct ev_field *flags = NULL;
	struct strv globs = s->comms;
	struct ev_format *formats;
	struct kallsyms_table syms = { .w = w };
	struct map sets = {0};
	struct filter_compiler c = { .f = f, .w = w, .syms = &syms, .sets = &sets, .err = err };

	f->until = UINT64_MAX;
	f->cpus = s->cpus;
	f->all = !s->rules && !s->events.n && !s->comms.n && !s->nr_pids && !s->cpus &&
		 !s->no_hardirq && !s->no_softirq;
	if (s->comms.n) {
		f->comms = filter_own(f, xcalloc(1, sizeof(*f->comms)), pid_set_free);
		pid_set_of_comms(f->comms, w, glob_any, &globs);
	}
	if (s->nr_pids)
		f->pids = filter_own(f, xcalloc(1, sizeof(*f->pids)), pid_set_free);
	for (size_t i = 0; i < s->nr_pids; i++)
		pid_set_add(f->pids, s->pids[i]);
	f->flags_mask = (s->no_hardirq ? FLAG_HARDIRQ : 0) | (s->no_softirq ? FLAG_SOFTIRQ : 0);
	f->flags_off = 2;
	if (f->flags_mask && event_meta_formats(w, NULL, &formats))
		flags = ev_field(formats, "common_flags");
	if (flags && flags->size == 1)
		f->flags_off = flags->offset;
	f->unknown = TO_TRUE;
	if (s->rules || s->events.n)
		compile_types(&c, s);
	symtab_release(&syms);
	map_release(&sets);
	*full |= c.full;
	return f;
}

/* --- errors: names that no file has */

static void hint_event(const char *name, const struct event_meta *const *metas, size_t n,
		       struct ftr_error *err)
{
	struct strv names = {0};
	struct ev_format *v;
	const char *near;
	size_t i, k;

	for (i = 0; i < n; i++) {
		for (k = event_meta_formats(metas[i], NULL, &v); k--;) {
			strv_add(&names, v[k].name);
			strv_add(&names, v[k].system);
		}
	}
	near = names.n ? text_closest(name, names.v) : NULL;
	if (near)
		err_hint(err, "did you mean '%s'?", near);
	else
		err_hint(err, "'ftr info FILE' lists the events of a file");
	strv_release(&names);
}

/* Reports a glob of --event that matches nothing. */
static int check_globs(const struct filter_spec *s, const struct event_meta *const *metas, size_t n,
		       struct ftr_error *err)
{
	struct ev_format *v;

	for (size_t g = 0; g < s->events.n; g++) {
		struct filter_spec one = { .events = { .v = &s->events.v[g], .n = 1 } };
		bool hit = false;

		for (size_t i = 0; i < n && !hit; i++)
			for (size_t k = event_meta_formats(metas[i], NULL, &v); k-- && !hit;)
				hit = spec_matches_event(&one, &v[k]);
		if (hit)
			continue;
		err_set(err, FTR_USAGE, "no event matches '%s'", s->events.v[g]);
		hint_event(s->events.v[g], metas, n, err);
		return -1;
	}
	return 0;
}

static int check_rule_events(const struct filter_rule *rule,
			     const struct event_meta *const *metas, size_t n, struct ftr_error *err)
{
	for (size_t i = 0; i < rule->nr_events; i++) {
		const struct event_pat *p = &rule->events[i];

		if (p->known)
			continue;
		filter_fail(err, rule->text, p->at, strlen(p->text), "no event matches '%s'",
			    p->text);
		hint_event(p->name, metas, n, err);
		return -1;
	}
	return 0;
}

/* Returns the first field of @a that no event has, or NULL. */
static const struct ast *unknown_field(const struct ast *a)
{
	const struct ast *found;

	if (!a || (a->kind == AST_FIELD && !a->known))
		return a;
	found = unknown_field(a->l);
	return found ? found : unknown_field(a->r);
}

static void add_field_names(struct strv *names, const struct ev_format *f)
{
	if (ev_format_ready(f))
		return;
	for (size_t i = 0; i < f->nr_fields; i++)
		strv_add(names, f->fields[i].name);
}

/* Adds a hint with the closest field of the events that @rule matches. */
static void hint_rule_field(struct filter_rule *rule, const char *name,
			    const struct event_meta *const *metas, size_t n, struct ftr_error *err)
{
	struct strv names = {0};
	struct ev_format *v;
	const char *near;
	size_t i, k;

	for (i = 0; i < n; i++)
		for (k = event_meta_formats(metas[i], NULL, &v); k--;)
			if (!rule->nr_events || rule_matches_event(rule, &v[k]))
				add_field_names(&names, &v[k]);
	near = names.n ? text_closest(name, names.v) : NULL;
	if (near)
		err_hint(err, "did you mean '%s'?", near);
	else
		err_hint(err, "put a text in quotes: comm == \"bash\"");
	strv_release(&names);
}

/* Some event has all fields of a rule that names no events, or it is an error. */
static int check_fields(struct filter_rule *rule, const struct event_meta *const *metas,
			size_t n, bool lax, struct ftr_error *err)
{
	const struct ast *a = lax ? NULL : unknown_field(rule->expr);

	if (a) {
		filter_fail(err, rule->text, a->at, a->len, "no %s has a field '%s'",
			    rule->nr_events ? "such event" : "event", a->str);
		hint_rule_field(rule, a->str, metas, n, err);
		return -1;
	}
	if (rule->used || rule->nr_events)
		return 0;
	filter_fail(err, rule->text, 0, strlen(rule->text), "no event has all its fields");
	return err_hint(err, "name the events: 'sched_switch,sched_waking: EXPRESSION'");
}

/* Marks the fields that the compiler did not resolve because another one excluded the event. */
static void mark_known(struct ast *a, const struct ev_format *fmt)
{
	if (!a)
		return;
	if (a->kind == AST_FIELD)
		a->known |= ev_field(fmt, a->str) != NULL;
	mark_known(a->l, fmt);
	mark_known(a->r, fmt);
}

static void rule_mark_known(struct filter_rule *rule, const struct event_meta *w)
{
	struct ev_format *v;

	for (size_t i = event_meta_formats(w, NULL, &v); i--;)
		if (!rule->nr_events || rule_matches_event(rule, &v[i]))
			mark_known(rule->expr, &v[i]);
}

static int check_rules(const struct filter_spec *s, const struct event_meta *const *metas, size_t n,
		       struct ftr_error *senseless, struct ftr_error *err)
{
	size_t i;

	for (struct filter_rule *rule = s->rules; rule; rule = rule->next) {
		if (check_rule_events(rule, metas, n, err))
			return -1;
		if (rule->used && !unknown_field(rule->expr))
			continue;
		for (i = 0; i < n; i++)
			rule_mark_known(rule, metas[i]);
		if (!unknown_field(rule->expr) && !rule->used && senseless->code) {
			*err = *senseless;
			return -1;
		}
		if (check_fields(rule, metas, n, s->lax, err))
			return -1;
	}
	return 0;
}

/* --- the interface */

int filter_compile(const struct filter_spec *s, const struct event_meta *const *metas, size_t n,
		   struct filter **out, struct ftr_error *err)
{
	struct ftr_error senseless = {0};
	bool full = false;
	int ret;
	size_t i;

	for (i = 0; i < n; i++)
		out[i] = compile_one(s, metas[i], &senseless, &full);
	if (full) {
		err_set(err, FTR_USAGE, "the filters are too large for this many events");
		ret = err_hint(err, "name the events: 'sched_switch: EXPRESSION'");
	} else {
		ret = check_globs(s, metas, n, err);
		ret = ret ? ret : check_rules(s, metas, n, &senseless, err);
	}
	for (i = 0; ret && i < n; i++) {
		filter_free(out[i]);
		out[i] = NULL;
	}
	return ret;
}

void filter_set_range(struct filter *f, uint64_t since, uint64_t until)
{
	f->since = since;
	f->until = until;
	f->all &= !since && until == UINT64_MAX;
}

bool filter_all(const struct filter *f)
{
	return f->all;
}

void *filter_own(struct filter *f, void *p, void (*release)(void *))
{
	f->owned = xgrow(f->owned, &f->cap_owned, f->nr_owned + 1, sizeof(*f->owned));
	f->owned[f->nr_owned++] = (struct owned_data){ p, release };
	return p;
}

void filter_free(struct filter *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->nr_owned; i++)
		f->owned[i].release(f->owned[i].p);
	free(f->owned);
	free(f->start);
	free(f->preds);
	free(f);
}
