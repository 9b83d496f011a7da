/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel has to say about a write that it refused: the new entries of error_log. */
#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "tracefs/tfs.h"

/* An entry starts with "[  107.292266] "; the lines after it are indented. */
static const char *next_entry(const char *s)
{
	while ((s = strchr(s, '\n')) && s[1] != '[')
		s++;
	return s ? s + 1 : NULL;
}

void tfs_errlog_mark(const struct tfs *t, const char *instance, struct tfs_errlog *log)
{
	struct buf text = {0};

	*log = (struct tfs_errlog){0};
	if (!tfs_read(t, instance, "error_log", &text, NULL))
		log->before = buf_take(&text);
	buf_release(&text);
}

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/*
 * A field that is not found: the kernel has read its name by then, and its caret stands one past
 * the character behind it. Moves it to the start of the name.
 */
static void mend_caret(char *entry)
{
	static const char head[] = "\n  Command: ";
	const ptrdiff_t first = sizeof(head) - 2;	/* column of the command */
	char *text = strstr(entry, "Field not found") ? strstr(entry, head) : NULL;
	char *end = text ? strchr(++text, '\n') : NULL, *caret = end ? strchr(end, '^') : NULL;
	ptrdiff_t at = caret ? caret - end - 1 : 0;

	if (at <= first || strspn(end + 1, " ") != (size_t)at)
		return;
	at = at - 1 < end - text ? at - 1 : end - text - 1;
	while (at > first && !in_word(text[at]))
		at--;
	while (at > first && in_word(text[at - 1]))
		at--;
	memmove(end + 1 + at, caret, strlen(caret) + 1);
}

/* Without the time: "loc: error: text\n  Command: cmd\n   ^". */
static void add_entry(struct buf *out, const char *entry, size_t n)
{
	const char *text = memchr(entry, ']', n);

	text = text ? text + 1 : entry;
	while (text < entry + n && isspace((unsigned char)*text))
		text++;
	n -= text - entry;
	while (n && isspace((unsigned char)text[n - 1]))
		n--;
	if (out->len)
		buf_addch(out, '\n');
	buf_add(out, text, n);
}

char *tfs_errlog_new(const struct tfs *t, const char *instance, struct tfs_errlog *log)
{
	struct buf now = {0}, out = {0};
	const char *entry, *next;
	char *one;

	if (!log->before || tfs_read(t, instance, "error_log", &now, NULL))
		goto out;
	for (entry = *now.data == '[' ? now.data : NULL; entry; entry = next) {
		next = next_entry(entry);
		one = next ? xstrndup(entry, next - entry) : xstrdup(entry);
		if (!strstr(log->before, one)) {
			mend_caret(one);
			add_entry(&out, one, strlen(one));
		}
		free(one);
	}
out:
	free(log->before);
	log->before = NULL;
	buf_release(&now);
	return out.len ? buf_take(&out) : NULL;
}
