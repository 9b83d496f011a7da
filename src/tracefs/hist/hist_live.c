/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A histogram in a private instance: parses its specification, sets it up, reads and pauses it. */
#include "tracefs/hist/hist_live.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "tracefs/verbs/triggers.h"

/* --- the specification */

size_t hist_name_len(const char *field)
{
	static const char *const known[] = {
		"hex", "sym", "sym-offset", "execname", "syscall", "log2", "buckets", "usecs",
		"percent", "graph", "stacktrace", "descending", "ascending",
	};
	const char *dot = strrchr(field, '.');
	size_t i, n = dot ? strcspn(dot + 1, "=") : 0;

	for (i = 0; dot && i < sizeof(known) / sizeof(*known); i++)
		if (strlen(known[i]) == n && !strncmp(dot + 1, known[i], n))
			return dot - field;
	return strlen(field);
}

/* Returns @part after "keys=" or "key=", or @part itself if it does not start with such a name. */
static char *after_name(char *part, const char *const *names)
{
	for (; *names; names++)
		if (!strncmp(part, *names, strlen(*names)))
			return part + strlen(*names);
	return part;
}

static bool word_is_one_of(const char *part, const char *const *words)
{
	for (; *words; words++)
		if (!strcmp(part, *words))
			return true;
	return false;
}

static int hist_spec_set_size(struct hist_spec *s, const char *text, struct ftr_error *err)
{
	char *end;

	s->size = strtoull(text, &end, 10);
	if (isdigit((unsigned char)*text) && !*end && s->size && s->size <= HIST_SIZE_MAX)
		return 0;
	err_set(err, FTR_USAGE, "'%s' is not a size of a histogram", text);
	return err_hint(err, "size= takes %d to %d entries", HIST_SIZE_MIN, HIST_SIZE_MAX);
}

static int hist_spec_add_part(struct hist_spec *s, char *part, struct ftr_error *err)
{
	/* Words that stop, empty or share the histogram, which only this run uses. */
	static const char *const no[] = { "pause", "continue", "cont", "clear", NULL };
	static const char *const vals[] = { "vals=", "values=", "val=", NULL };
	static const char *const flags[] = { "nohitcount", "NOHC", NULL };
	char *list = after_name(part, vals);
	size_t n = 0;

	if (word_is_one_of(part, no) || !strncmp(part, "name=", 5)) {
		err_set(err, FTR_USAGE,
			"'%s' does not work here: ftr hist makes its own histogram", part);
		return err_hint(err, "'ftr trigger add' makes one that stays");
	}
	if (!strncmp(part, "sort=", 5))
		return hist_spec_sort(s, part + 5, err);
	if (!strncmp(part, "size=", 5))
		return hist_spec_set_size(s, part + 5, err);
	while (isalnum((unsigned char)part[n]) || part[n] == '_')
		n++;
	if (list == part && (part[n] == '=' || part[n] == '(' || word_is_one_of(part, flags)))
		strv_add(&s->more, part);
	else
		strv_split(&s->vals, list, ",");
	return 0;
}

int hist_spec_parse(struct hist_spec *s, const char *text, struct ftr_error *err)
{
	static const char *const keys[] = { "keys=", "key=", NULL };
	const char *filter = strstr(text, " if "), *p, *end;
	char *parts = filter ? xstrndup(text, filter - text) : xstrdup(text), *part;
	bool first = true;
	int ret = 0, depth;

	/* The parts end at the colons outside of parentheses. */
	p = parts + (strncmp(parts, "hist:", 5) ? 0 : 5);
	for (; !ret && *p; p = *end ? end + 1 : end, first = false) {
		depth = 0;
		for (end = p; *end && (*end != ':' || depth > 0); end++)
			depth += *end == '(' ? 1 : *end == ')' ? -1 : 0;
		part = xstrndup(p, end - p);
		if (first)
			strv_split(&s->keys, after_name(part, keys), ",");
		else if (*part)
			ret = hist_spec_add_part(s, part, err);
		free(part);
	}
	free(parts);
	if (ret)
		return -1;
	if (filter)
		strv_add(&s->filters, filter + 4);
	if (!s->keys.n) {
		err_set(err, FTR_USAGE, "no keys in '%s'", text);
		return err_hint(err, "keys come first: 'KEY,KEY:VALUE'; hitcount is always there");
	}
	if (s->keys.n > HIST_KEYS_MAX)
		return err_set(err, FTR_USAGE, "%zu keys in '%s': a histogram has at most %d",
			       s->keys.n, text, HIST_KEYS_MAX);
	return 0;
}

static int hist_spec_add_sort(struct hist_spec *s, const char *name, const char *order,
			      struct ftr_error *err)
{
	static const char *const down[] = { "desc", "descending", NULL };
	static const char *const up[] = { "", "asc", "ascending", NULL };
	struct hist_sort *to = &s->sorts[s->nr_sorts];
	const char *dot = strrchr(name, '.');
	size_t n = hist_name_len(name);

	if (!*order && dot && dot == name + n &&
	    (word_is_one_of(dot + 1, down) || word_is_one_of(dot + 1, up)))
		order = dot + 1;
	if (!n || (!word_is_one_of(order, down) && !word_is_one_of(order, up))) {
		err_set(err, FTR_USAGE, "'%s%s%s' is not a key to sort by",
			name, *order ? ":" : "", order);
		return err_hint(err, "write it as KEY, KEY:desc or KEY:asc");
	}
	if (s->nr_sorts == HIST_SORTS_MAX)
		return err_set(err, FTR_USAGE, "more than %d keys to sort by: '%s'",
			       HIST_SORTS_MAX, name);
	to->name = xstrndup(name, n);
	to->descending = word_is_one_of(order, down);
	s->nr_sorts++;
	return 0;
}

int hist_spec_sort(struct hist_spec *s, const char *text, struct ftr_error *err)
{
	struct strv list = {0};
	int ret = 0;
	size_t i;

	strv_split(&list, text, ",");
	if (!list.n)
		ret = hist_spec_add_sort(s, "", text, err);
	for (i = 0; !ret && i < list.n; i++) {
		char *colon = strchr(list.v[i], ':');

		if (colon)
			*colon++ = '\0';
		ret = hist_spec_add_sort(s, list.v[i], colon ? colon : "", err);
	}
	strv_release(&list);
	return ret;
}

static void buf_add_list(struct buf *b, const char *head, const struct strv *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		buf_printf(b, "%s%s", i ? "," : head, list->v[i]);
}

char *hist_spec_line(const struct hist_spec *s)
{
	struct buf b = {0};
	size_t i;

	buf_addstr(&b, "hist");
	buf_add_list(&b, ":keys=", &s->keys);
	buf_add_list(&b, ":vals=", &s->vals);
	for (i = 0; i < s->more.n; i++)
		buf_printf(&b, ":%s", s->more.v[i]);
	for (i = 0; i < s->nr_sorts; i++)
		buf_printf(&b, "%s%s%s", i ? "," : ":sort=", s->sorts[i].name,
			   s->sorts[i].descending ? ".descending" : "");
	if (s->size)
		buf_printf(&b, ":size=%llu", (unsigned long long)
			   (s->size < HIST_SIZE_MIN ? HIST_SIZE_MIN : s->size));
	for (i = 0; i < s->filters.n; i++)
		buf_printf(&b, s->filters.n == 1 ? " if %s" : i ? " && (%s)" : " if (%s)",
			   s->filters.v[i]);
	return buf_take(&b);
}

void hist_spec_release(struct hist_spec *s)
{
	size_t i;

	strv_release(&s->keys);
	strv_release(&s->vals);
	strv_release(&s->more);
	strv_release(&s->filters);
	for (i = 0; i < s->nr_sorts; i++)
		free(s->sorts[i].name);
	*s = (struct hist_spec){0};
}

/* Names that are no fields of an event. */
static const char *const specials[] = {
	"hitcount", "common_timestamp", "common_cpu", "cpu", "common_stacktrace", "stacktrace",
	"common_comm",
};

/* --- types of columns, from the format of the event */

void hist_types_read(struct hist_types *h, const struct tfs *t, const char *event)
{
	char *file = xasprintf("events/%s/format", event);
	size_t i;

	*h = (struct hist_types){0};
	if (!tfs_read(t, NULL, file, &h->format, NULL) &&
	    !ev_format_parse(&h->fmt, "", h->format.data, h->format.len, NULL)) {
		h->v = xcalloc(h->fmt.nr_fields + 1, sizeof(*h->v));
		for (i = 0; i < h->fmt.nr_fields; i++)
			h->v[h->n++] = (struct hist_type){
				.name = h->fmt.fields[i].name,
				.is_string = h->fmt.fields[i].is_string,
				.is_signed = h->fmt.fields[i].is_signed,
			};
	}
	free(file);
}

void hist_types_release(struct hist_types *h)
{
	ev_format_release(&h->fmt);
	buf_release(&h->format);
	free(h->v);
	*h = (struct hist_types){0};
}

/* --- the event */

int hist_live_find(struct hist_live *l, const struct tfs *t, const char *word,
		   struct ftr_error *err)
{
	char *pattern = xasprintf("%s%s", strpbrk(word, ":/") ? "" : ":", word), *slash;
	struct strv events = {0};
	struct buf names = {0};
	const char *event, *name;
	size_t i;
	int got, n;

	slash = strchr(pattern, '/');
	if (slash)
		*slash = ':';
	got = tfs_match_events(t, pattern, &events, NULL);
	/* The word may be a system. If it is not, this sets the error. */
	if (got < 1)
		got = tfs_match_events(t, word, &events, err);
	if (got == 1 && events.n == 1) {
		l->event = xstrdup(events.v[0]);
		l->name = xstrdup(events.v[0]);
		l->name[strcspn(l->name, "/")] = ':';
	} else if (got == 1) {
		for (i = 0; i < events.n && i < 5; i++)
			buf_printf(&names, "%s%.*s:%s", i ? ", " : "",
				   (int)strcspn(events.v[i], "/"), events.v[i],
				   strchr(events.v[i], '/') + 1);
		err_set(err, FTR_FAILED, "'%s' names %zu events: %s%s", word, events.n, names.data,
			events.n > i ? ", ..." : "");
		err_hint(err, "a histogram counts one event");
	} else if (!got && tfs_match_trigger_events(t, pattern, &events, NULL) == 1) {
		/* ftrace:print has a histogram, too, but only the top level records it. */
		event = events.v[0];
		n = (int)strcspn(event, "/");
		name = strchr(event, '/') + 1;
		err_set(err, FTR_FAILED, "'%.*s:%s' is recorded where trace_marker is written, not "
			"in the instance of ftr hist", n, event, name);
		err_hint(err, "'ftr trigger add %.*s:%s hist:keys=ip' counts it there, 'ftr show "
			 "--hist %.*s:%s' reads it", n, event, name, n, event, name);
	}
	free(pattern);
	buf_release(&names);
	strv_release(&events);
	return l->event ? 0 : -1;
}

/* --- what this kernel's histograms can do */

static bool readme_has(const struct tfs *t, const char *word)
{
	struct buf text = {0};
	bool has = tfs_read(t, NULL, "README", &text, NULL) || strstr(text.data, word);

	buf_release(&text);
	return has;
}

static int hist_check_kernel(struct hist_live *l, const struct tfs *t, struct ftr_error *err)
{
	char *file = xasprintf("events/%s/hist", l->event);
	char *trigger = xasprintf("events/%s/trigger", l->event);
	int ret = 0;

	if (!tfs_exists(t, NULL, trigger)) {
		err_set(err, FTR_FAILED, "event '%s' has no triggers", l->name);
		ret = err_hint(err, "events of ftrace itself have no histograms");
	} else if (!tfs_exists(t, NULL, file)) {
		ret = err_set(err, FTR_FAILED, "this kernel has no histograms: no '%s/%s' "
			      "(CONFIG_HIST_TRIGGERS)", t->path, file);
	}
	free(trigger);
	free(file);
	return ret;
}

/* Words that newer kernels know, and the error of a kernel that does not know them. */
static const struct {
	const char *word, *log;		/* ->log: NULL if the README lists the word */
	const char *hint;
} newer[] = {
	{ "nohitcount", NULL, "without it hitcount is shown as well" },
	{ ".percent", NULL, "percentages are shown anyway" },
	{ ".graph", NULL, "bars are shown anyway" },
	{ ".buckets", NULL, "there is .log2" },
	{ "hitcount.percent", "Couldn't find field", "percentages are shown anyway" },
	{ "hitcount.graph", "Couldn't find field", "bars are shown anyway" },
	{ ".stacktrace", "Invalid field modifier", "the key stacktrace is the event's own" },
	{ "common_comm", "Couldn't find field", "common_pid.execname is task by task" },
};

/* Returns true, with @err, if the kernel refused ->line because of a word that it does not know. */
static bool explain_unknown_word(const struct hist_live *l, const struct tfs *t,
				 struct ftr_error *err)
{
	const char *at, *word;
	size_t i, n;

	for (i = 0; i < sizeof(newer) / sizeof(*newer); i++) {
		word = newer[i].word;
		n = strlen(word);
		at = strstr(l->line, word);
		if (!at || isalnum((unsigned char)at[n]) || at[n] == '_')
			continue;
		if (newer[i].log ? !strstr(err->msg, newer[i].log) : readme_has(t, word))
			continue;
		err_set(err, FTR_FAILED, "this kernel's histograms have no '%s' ('%.300s')", word,
			l->line);
		err_hint(err, "%s", newer[i].hint);
		return true;
	}
	return false;
}

static bool field_is_known(const struct strv *names, const char *field)
{
	size_t n = hist_name_len(field), i;

	/* The kernel checks expressions, variables and the like. */
	if (strspn(field, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") < n)
		return true;
	for (i = 0; i < names->n; i++)
		if (strlen(names->v[i]) == n && !strncmp(names->v[i], field, n))
			return true;
	return false;
}

static const char *find_unknown_field(const struct strv *names, const struct strv *fields)
{
	size_t i;

	for (i = 0; i < fields->n; i++)
		if (!field_is_known(names, fields->v[i]))
			return fields->v[i];
	return NULL;
}

/* Keeps the kernel's message, and hints at the field that may be meant. */
static void hint_hist_field(const struct hist_live *l, const struct hist_spec *spec,
			    struct ftr_error *err)
{
	const char *word, *near;
	struct strv names = {0};
	struct buf all = {0};
	char *name;
	size_t i;

	for (i = 0; i < l->types.n; i++)
		strv_add(&names, l->types.v[i].name);
	for (i = 0; i < sizeof(specials) / sizeof(*specials); i++)
		strv_add(&names, specials[i]);
	word = find_unknown_field(&names, &spec->keys);
	word = word ? word : find_unknown_field(&names, &spec->vals);
	if (word) {
		name = xstrndup(word, hist_name_len(word));
		near = text_closest(name, names.v);
		for (i = 0; !near && i < names.n && all.len < 400; i++)
			buf_printf(&all, "%s%s", i ? ", " : "", names.v[i]);
		if (near)
			err_hint(err, "did you mean '%s'?", near);
		else
			err_hint(err, "there are: %s%s", all.data ? all.data : "",
				 i < names.n ? ", ..." : "");
		free(name);
	}
	buf_release(&all);
	strv_release(&names);
}

/* --- its life */

int hist_live_begin(struct hist_live *l, struct session *s, struct hist_spec *spec,
		    struct ftr_error *err)
{
	const struct tfs *t = session_tfs(s);
	char **key;
	bool made;
	size_t i;

	l->s = s;
	if (hist_check_kernel(l, t, err))
		return -1;
	hist_types_read(&l->types, t, l->event);
	/* Old kernels know common_stacktrace only by its former name, stacktrace. */
	for (i = 0; i < spec->keys.n; i++) {
		key = &spec->keys.v[i];
		if (strcmp(*key, "common_stacktrace") || readme_has(t, "common_stacktrace"))
			continue;
		free(*key);
		*key = xstrdup("stacktrace");
	}
	l->line = hist_spec_line(spec);
	snprintf(l->instance, sizeof(l->instance), "ftr-hist-%d", (int)getpid());
	if (session_instance(s, l->instance, &made, err))
		return -1;
	if (!session_trigger(s, l->instance, l->event, l->line, err))
		return 0;
	/* its filter is not used anymore */
	triggers_explain_filter(s, l->instance, l->event, l->line, err);
	if (!explain_unknown_word(l, t, err) && !*err->hint)
		hint_hist_field(l, spec, err);
	return -1;
}

void hist_live_pause(struct hist_live *l)
{
	triggers_pause_hist(l->s, l->instance, l->event, l->line);
}

int hist_live_read(struct hist_live *l, struct buf *text, struct ftr_error *err)
{
	char *file = xasprintf("events/%s/hist", l->event);
	int ret = tfs_read(session_tfs(l->s), l->instance, file, text, err);

	free(file);
	return ret;
}

void hist_live_release(struct hist_live *l)
{
	hist_types_release(&l->types);
	free(l->event);
	free(l->name);
	free(l->line);
	*l = (struct hist_live){0};
}
