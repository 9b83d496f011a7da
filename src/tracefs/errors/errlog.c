/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel has to say about a write that it refused: the new entries of error_log. */
#include "tracefs/errors/errlog.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tracefs/errors/caret.h"

#define PREFIX	    "  Command: "	/* the kernel's, before the command */
#define MAX_ENTRIES 2			/* that one refusal shows */

/* "[  107.292266] " starts an entry; a command may have lines of its own. */
static bool is_head(const char *s)
{
	size_t n = *s == '[' ? 1 + strspn(s + 1, " 0123456789.") : 0;

	return n > 1 && s[n] == ']';
}

static const char *next_entry(const char *s)
{
	while ((s = strchr(s, '\n')) && !is_head(s + 1))
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

/* Takes "where: error: what\n  Command: cmd\n     ^" apart; false if it is not like that. */
static bool caret_parse(struct caret *c, const char *text, size_t n)
{
	const char *head = memmem(text, n, ": error: ", 9);
	const char *cmd = memmem(text, n, "\n" PREFIX, strlen("\n" PREFIX));
	const char *last = n ? memrchr(text, '\n', n) : NULL;
	size_t blanks;

	if (!head || !cmd || last <= cmd || head > cmd)
		return false;
	blanks = strspn(last + 1, " ");
	if (last[1 + blanks] != '^' || blanks < strlen(PREFIX))
		return false;
	c->where = text;
	c->where_len = head - text;
	c->what = head + 9;
	c->what_len = cmd - c->what;
	c->cmd = cmd + strlen("\n" PREFIX);
	c->cmd_len = last - c->cmd;
	c->at = blanks - strlen(PREFIX);
	return true;
}

/* The kernel prints the command as it is: with tabs in it its caret is elsewhere. */
static void add_caret(struct buf *out, struct caret *c)
{
	size_t from;

	buf_printf(out, "%.*s: error: %.*s\n", (int)c->where_len, c->where, (int)c->what_len,
		   c->what);
	from = out->len;
	text_caret(out, c->cmd, c->cmd_len, c->at, strlen(PREFIX));
	memcpy(out->data + from, PREFIX, strlen(PREFIX));
}

/*
 * A histogram's command is kept up to 255 bytes, and the place looked up in them: not found is
 * place 0.
 */
static bool lost_place(const struct caret *c, const char *written)
{
	return !c->at && c->cmd_len > 200 && strlen(written) > c->cmd_len &&
	       !strncmp(c->where, "hist:", 5);
}

/* Without the time: "where: error: what\n  Command: cmd\n   ^". */
static void add_log_entry(struct buf *out, const char *entry, size_t n, const char *written)
{
	const char *text = memchr(entry, ']', n);
	struct caret c;

	text = text ? text + 1 : entry;
	while (text < entry + n && isspace((unsigned char)*text))
		text++;
	n -= text - entry;
	while (n && isspace((unsigned char)text[n - 1]))
		n--;
	if (out->len)
		buf_addch(out, '\n');
	if (!caret_parse(&c, text, n)) {
		buf_add(out, text, n);
	} else if (lost_place(&c, written)) {
		buf_printf(out, "%.*s: error: %.*s (beyond what the kernel keeps of the command)",
			   (int)c.where_len, c.where, (int)c.what_len, c.what);
	} else {
		caret_mend(&c);
		add_caret(out, &c);
	}
}

static void split_log(const char *log, struct strv *out)
{
	const char *entry, *next;

	for (entry = log && is_head(log) ? log : NULL; entry; entry = next) {
		next = next_entry(entry);
		strv_take(out, next ? xstrndup(entry, next - entry) : xstrdup(entry));
	}
}

/*
 * How many of @now are old: it is the end of @before, from which entries may have gone, and what
 * is new. Times do not tell: while a CPU waits for its tick its clock may stand.
 */
static size_t old_entries(const struct strv *before, const struct strv *now)
{
	size_t gone, i;

	for (gone = 0; gone < before->n; gone++) {
		for (i = 0; gone + i < before->n && i < now->n; i++)
			if (strcmp(before->v[gone + i], now->v[i]))
				break;
		if (gone + i == before->n)
			return i;
	}
	return 0;
}

char *tfs_errlog_new(const struct tfs *t, const char *instance, const char *written,
		     struct tfs_errlog *log)
{
	struct strv before = {0}, now = {0};
	struct buf text = {0}, out = {0};
	size_t i, old;

	if (!log->before || tfs_read(t, instance, "error_log", &text, NULL))
		goto out;
	split_log(log->before, &before);
	split_log(text.data, &now);
	old = old_entries(&before, &now);
	for (i = old; i < now.n && i < old + MAX_ENTRIES; i++)
		add_log_entry(&out, now.v[i], strlen(now.v[i]), written);
out:
	free(log->before);
	log->before = NULL;
	strv_release(&before);
	strv_release(&now);
	buf_release(&text);
	return out.len ? buf_take(&out) : NULL;
}
