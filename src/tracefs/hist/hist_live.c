/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A histogram of our own: nobody else's triggers or buffers are touched. */
#include "tracefs/hist/hist_live.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "tracefs/verbs/triggers.h"

/* Names that are no fields of any event. */
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

static int refuse_ambiguous(const char *word, const struct strv *events, struct ftr_error *err)
{
	struct buf names = {0};
	size_t i;

	for (i = 0; i < events->n && i < 5; i++)
		buf_printf(&names, "%s%.*s:%s", i ? ", " : "", (int)strcspn(events->v[i], "/"),
			   events->v[i], strchr(events->v[i], '/') + 1);
	err_set(err, FTR_FAILED, "'%s' names %zu events: %s%s", word, events->n, names.data,
		events->n > i ? ", ..." : "");
	buf_release(&names);
	return err_hint(err, "a histogram counts one event");
}

/* ftrace:print has a histogram like others, but records of it come to the top level alone. */
static int explain_marker_event(const char *event, struct ftr_error *err)
{
	const char *name = strchr(event, '/') + 1;
	int n = (int)strcspn(event, "/");

	err_set(err, FTR_FAILED, "'%.*s:%s' is recorded where trace_marker is written, not in the "
		"instance of ftr hist", n, event, name);
	return err_hint(err, "'ftr trigger add %.*s:%s hist:keys=ip' counts it there, 'ftr show "
			"--hist %.*s:%s' reads it", n, event, name, n, event, name);
}

int hist_live_find(struct hist_live *l, const struct tfs *t, const char *word,
		   struct ftr_error *err)
{
	char *pattern = xasprintf("%s%s", strpbrk(word, ":/") ? "" : ":", word), *slash;
	struct strv events = {0};
	int got;

	slash = strchr(pattern, '/');
	if (slash)
		*slash = ':';
	got = tfs_match_events(t, pattern, &events, NULL);
	/* again by the word itself: a system, or the error for what there is not */
	if (got < 1)
		got = tfs_match_events(t, word, &events, err);
	if (got == 1 && events.n == 1) {
		l->event = xstrdup(events.v[0]);
		l->name = xstrdup(events.v[0]);
		l->name[strcspn(l->name, "/")] = ':';
	} else if (got == 1) {
		refuse_ambiguous(word, &events, err);
	} else if (!got && tfs_match_trigger_events(t, pattern, &events, NULL) == 1) {
		explain_marker_event(events.v[0], err);
	}
	free(pattern);
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

static int check_kernel(struct hist_live *l, const struct tfs *t, struct ftr_error *err)
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

static bool line_uses(const char *line, const char *word)
{
	const char *at = strstr(line, word);
	char after = at ? at[strlen(word)] : 'x';

	return !isalnum((unsigned char)after) && after != '_';
}

/* Words that kernels came to know one after the other, and how one without them refuses them. */
static const struct {
	const char *word, *log;		/* ->log NULL: the README names it where it is known */
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

static bool name_lacking(const struct hist_live *l, const struct tfs *t, struct ftr_error *err)
{
	size_t i;

	for (i = 0; i < sizeof(newer) / sizeof(*newer); i++) {
		if (!line_uses(l->line, newer[i].word))
			continue;
		if (newer[i].log ? !strstr(err->msg, newer[i].log) : readme_has(t, newer[i].word))
			continue;
		err_set(err, FTR_FAILED, "this kernel's histograms have no '%s' ('%.300s')",
			newer[i].word, l->line);
		err_hint(err, "%s", newer[i].hint);
		return true;
	}
	return false;
}

static bool is_known_field(const struct strv *names, const char *field)
{
	size_t n = hist_name_len(field), i;

	/* expressions, variables and what else is the kernel's to judge */
	if (strspn(field, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") < n)
		return true;
	for (i = 0; i < names->n; i++)
		if (strlen(names->v[i]) == n && !strncmp(names->v[i], field, n))
			return true;
	return false;
}

static const char *first_unknown(const struct strv *names, const struct strv *fields)
{
	size_t i;

	for (i = 0; i < fields->n; i++)
		if (!is_known_field(names, fields->v[i]))
			return fields->v[i];
	return NULL;
}

static void list_fields(const struct strv *names, struct ftr_error *err)
{
	struct buf b = {0};
	size_t i;

	for (i = 0; i < names->n && b.len < 400; i++)
		buf_printf(&b, "%s%s", i ? ", " : "", names->v[i]);
	err_hint(err, "there are: %s%s", b.data ? b.data : "", i < names->n ? ", ..." : "");
	buf_release(&b);
}

/* The kernel's words stay; which name was meant is the hint. */
static void hint_hist_field(const struct hist_live *l, const struct hist_spec *spec,
			    struct ftr_error *err)
{
	const char *word, *near;
	struct strv names = {0};
	char *name;
	size_t i;

	for (i = 0; i < l->types.n; i++)
		strv_add(&names, l->types.v[i].name);
	for (i = 0; i < sizeof(specials) / sizeof(*specials); i++)
		strv_add(&names, specials[i]);
	word = first_unknown(&names, &spec->keys);
	word = word ? word : first_unknown(&names, &spec->vals);
	if (word) {
		name = xstrndup(word, hist_name_len(word));
		near = text_closest(name, names.v);
		if (near)
			err_hint(err, "did you mean '%s'?", near);
		else
			list_fields(&names, err);
		free(name);
	}
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
	if (check_kernel(l, t, err))
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
	triggers_explain_filter(s, l->instance, l->event, l->line, err);	/* it goes anyway */
	if (!name_lacking(l, t, err) && !*err->hint)
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
