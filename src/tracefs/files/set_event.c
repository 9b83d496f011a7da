/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Takes events of modules to come ("SYSTEM:EVENT:mod:NAME") out of set_event again. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "tracefs/files/control.h"

/* As set_event lists it: ":mod:nfs" is "*:*:mod:nfs". */
static char *listed_as(const char *word)
{
	const char *mod = strstr(word, ":mod:"), *colon = memchr(word, ':', mod - word);
	const char *event = colon ? colon + 1 : mod;
	int n = colon ? (int)(colon - word) : (int)(mod - word), m = (int)(mod - event);

	return xasprintf("%.*s:%.*s%s", n ? n : 1, n ? word : "*", m ? m : 1, m ? event : "*", mod);
}

/* The instance's folder of @path, its set_event, with @event's enable behind it. */
static char *enable_of(const char *path, const char *event)
{
	const char *file = control_split(path, NULL);
	struct buf rest = {0};
	char *enable = xasprintf("%.*s%s", (int)(file - path), path,
				 tfs_event_file(&rest, event, "enable"));

	buf_release(&rest);
	return enable;
}

static bool is_on(const struct tfs *t, const char *path, const char *event)
{
	char *enable = enable_of(path, event), *now = tfs_line(t, NULL, enable);
	bool on = *now == '1';

	free(now);
	free(enable);
	return on;
}

/* What a trigger holds ready is listed, too, and must not be enabled by the list. */
static bool stays_enabled(const struct tfs *t, const char *path, const char *line)
{
	return strstr(line, ":mod:") || is_on(t, path, line);
}

/* Lines of @path that are events which are on. */
static void events_on(const struct tfs *t, const char *path, struct strv *out)
{
	struct strv lines = {0};
	struct buf text = {0};
	size_t i;

	if (!tfs_read(t, NULL, path, &text, NULL))
		strv_split(&lines, text.data, "\n");
	for (i = 0; i < lines.n; i++)
		if (!strstr(lines.v[i], ":mod:") && is_on(t, path, lines.v[i]))
			strv_add(out, lines.v[i]);
	strv_release(&lines);
	buf_release(&text);
}

char *set_event_note(const struct tfs *t, const char *path, const char *word)
{
	struct strv on = {0};
	struct buf note = {0};
	size_t i;

	buf_addstr(&note, word);
	events_on(t, path, &on);
	for (i = 0; i < on.n; i++)
		buf_printf(&note, "\n%s", on.v[i]);
	strv_release(&on);
	return buf_take(&note);
}

/* Those of @had that were on until now, @on, and are off. */
static int enable_again(const struct tfs *t, const char *path, const struct strv *had,
			const struct strv *on)
{
	char *enable;
	int ret = 0;
	size_t i;

	/* the first is the word */
	for (i = 1; i < had->n; i++) {
		if (!strv_has(on, had->v[i]) || is_on(t, path, had->v[i]))
			continue;
		enable = enable_of(path, had->v[i]);
		if (control_write(t, enable, O_TRUNC, "1"))
			ret = -1;
		free(enable);
	}
	return ret;
}

/*
 * The kernel refuses to remove what waits for a module that was loaded and has no such event: then
 * only the list without it helps.
 */
static int rewrite_without(const struct tfs *t, const char *path, const char *word)
{
	char *gone = listed_as(word);
	struct strv lines = {0}, left = {0};
	struct buf text = {0};
	size_t i, bad;
	int ret = 0;

	if (!tfs_read(t, NULL, path, &text, NULL))
		strv_split(&lines, text.data, "\n");
	if (strv_has(&lines, gone)) {
		for (i = 0; i < lines.n; i++)
			if (strcmp(lines.v[i], gone) && stays_enabled(t, path, lines.v[i]))
				strv_add(&left, lines.v[i]);
		ret = control_write_words(t, path, O_TRUNC, &left, &bad);
	}
	buf_release(&text);
	strv_release(&left);
	strv_release(&lines);
	free(gone);
	return ret;
}

int set_event_remove(const struct tfs *t, const char *path, const char *noted,
		     struct ftr_error *err)
{
	struct strv had = {0}, on = {0};
	const char *word;
	char *text;
	int ret;

	strv_split(&had, noted, "\n");
	word = had.n ? had.v[0] : "";
	/* Of a module that is loaded it turns off all events that match, whoever turned them on. */
	if (had.n > 1)
		events_on(t, path, &on);
	text = xasprintf("!%s", word);
	ret = control_write(t, path, O_APPEND, text);
	if (ret && errno == EINVAL && strstr(word, ":mod:"))
		ret = rewrite_without(t, path, word);
	if (ret)
		err_sys(err, "cannot restore '%s/%s': writing '%s'", t->path, path, text);
	else if (enable_again(t, path, &had, &on))
		ret = err_sys(err, "cannot restore '%s/%s': enabling what was on before '%s'",
			      t->path, path, word);
	free(text);
	strv_release(&on);
	strv_release(&had);
	return ret;
}
