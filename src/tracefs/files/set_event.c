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

/* What a trigger holds ready is listed, too, and must not be enabled by the list. */
static bool stays(const struct tfs *t, const char *path, const char *line)
{
	const char *file = control_split(path, NULL);
	char *enable = xasprintf("%.*sevents/%s/enable", (int)(file - path), path, line);
	bool on = strstr(line, ":mod:");

	enable[strlen(enable) - strlen("/enable") - strlen(line) + strcspn(line, ":")] = '/';
	if (!on) {
		char *now = tfs_line(t, NULL, enable);

		on = *now == '1';
		free(now);
	}
	free(enable);
	return on;
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
			if (strcmp(lines.v[i], gone) && stays(t, path, lines.v[i]))
				strv_add(&left, lines.v[i]);
		ret = control_write_words(t, path, O_TRUNC, &left, &bad);
	}
	buf_release(&text);
	strv_release(&left);
	strv_release(&lines);
	free(gone);
	return ret;
}

int set_event_remove(const struct tfs *t, const char *path, const char *word, struct ftr_error *err)
{
	char *text = xasprintf("!%s", word);
	int ret = control_write(t, path, O_APPEND, text);

	if (ret && errno == EINVAL && strstr(word, ":mod:"))
		ret = rewrite_without(t, path, word);
	if (ret)
		err_sys(err, "cannot restore '%s/%s': writing '%s'", t->path, path, text);
	free(text);
	return ret;
}
