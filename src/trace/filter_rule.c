/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One -F: which part of it names events, and which is the expression. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "trace/filter_priv.h"

static void event_pat_release(struct event_pat *p)
{
	if (p->has_system_re)
		regfree(&p->system_re);
	if (p->has_name_re)
		regfree(&p->name_re);
	free(p->text);
	free(p->system);
	free(p->name);
}

void rule_free(struct filter_rule *rule)
{
	if (!rule)
		return;
	for (size_t i = 0; i < rule->nr_events; i++)
		event_pat_release(&rule->events[i]);
	free(rule->events);
	free(rule->text);
	ast_free(rule->expr);
	free(rule);
}

/* libtraceevent matches names as anchored regular expressions without case. */
static bool compile_anchored(regex_t *re, const char *text)
{
	char *full = xasprintf("^%s$", text);
	bool ok = !regcomp(re, full, REG_ICASE | REG_NOSUB);

	free(full);
	return ok;
}

static void event_pat_init(struct event_pat *p, const char *text, size_t len, size_t at)
{
	size_t sep;

	*p = (struct event_pat){ .text = xstrndup(text, len), .at = at };
	sep = strcspn(p->text, ":/");
	if (p->text[sep]) {
		p->system = xstrndup(p->text, sep);
		p->has_system_re = compile_anchored(&p->system_re, p->system);
	}
	p->name = xstrdup(p->text + (p->text[sep] ? sep + 1 : 0));
	p->has_name_re = compile_anchored(&p->name_re, p->name);
}

static bool name_matches(const char *pat, const regex_t *re, const char *name)
{
	if (glob_match(pat, strlen(pat), name, strlen(name), true))
		return true;
	return re && !regexec(re, name, 0, NULL, 0);
}

bool event_pat_match(const struct event_pat *p, const char *system, const char *name)
{
	const regex_t *name_re = p->has_name_re ? &p->name_re : NULL;

	if (!p->system)
		return name_matches(p->name, name_re, name) ||
		       name_matches(p->name, name_re, system);
	return name_matches(p->system, p->has_system_re ? &p->system_re : NULL, system) &&
	       name_matches(p->name, name_re, name);
}

/* The last ':' outside of quotes and braces, or the text's length. */
static size_t find_colon(const char *text)
{
	size_t found = strlen(text), i;
	char quote = 0;

	for (i = 0; text[i]; i++) {
		if (quote)
			quote = text[i] == quote ? 0 : quote;
		else if (strchr("\"'{", text[i]))
			quote = text[i] == '{' ? '}' : text[i];
		else if (text[i] == ':')
			found = i;
	}
	return found;
}

/* No event is called so. */
static bool is_expr(const char *text)
{
	return text[strcspn(text, "=<>~&!\"'")];
}

/*
 * "sched:sched_switch" and "sched:*" name events, while "sched: prio" and "sched:prio<5" have an
 * expression: no blank, and nothing that compares.
 */
static bool is_event_name(const char *text)
{
	return *text && !is_expr(text) && !text[strcspn(text, " \t\n")];
}

static void add_event_pats(struct filter_rule *rule, const char *text, size_t len)
{
	size_t i = 0, n, cap = 0;

	for (;; i += n) {
		while (i < len && strchr(", \t\n", text[i]))
			i++;
		if (i == len)
			return;
		for (n = 0; i + n < len && !strchr(", \t\n", text[i + n]);)
			n++;
		rule->events = xgrow(rule->events, &cap, rule->nr_events + 1,
				     sizeof(*rule->events));
		event_pat_init(&rule->events[rule->nr_events++], text + i, n, i);
	}
}

/* -1 when there is nothing to be made of the text. */
static int split_rule(struct filter_rule *rule, struct ftr_error *err)
{
	const char *text = rule->text;
	size_t colon = find_colon(text), end = strlen(text);

	if (colon < end && is_event_name(text + colon + 1))
		colon = end;
	if (colon == end && is_expr(text))
		colon = 0;
	else
		add_event_pats(rule, text, colon);
	if (colon && !rule->nr_events)
		return filter_fail(err, text, 0, 1, "it names no event");
	if (!*text)
		return filter_fail(err, text, 0, 1, "it is empty");
	if (colon == end)
		return 0;
	rule->expr = ast_parse(text, rule->nr_events ? colon + 1 : 0, err);
	return rule->expr ? 0 : -1;
}

struct filter_rule *rule_parse(const char *text, bool negative, struct ftr_error *err)
{
	struct filter_rule *rule;

	if (strlen(text) > FILTER_TEXT_MAX) {
		err_set(err, FTR_USAGE, "a filter is longer than %d bytes", FILTER_TEXT_MAX);
		err_hint(err, "several -F show what one of them matches");
		return NULL;
	}
	rule = xcalloc(1, sizeof(*rule));
	rule->text = xstrdup(text);
	rule->negative = negative;
	if (!split_rule(rule, err))
		return rule;
	rule_free(rule);
	return NULL;
}
