/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel has to say about a write that it refused: the new entries of error_log. */
#include "tracefs/errors/errlog.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define PREFIX	    "  Command: "	/* the kernel's, before the command */
#define MAX_ENTRIES 2			/* that one refusal shows */

#define FILTER	    "event filter parse error"

/* An entry of error_log. Its texts are not NUL-terminated. */
struct caret {
	const char *where, *what;	/* "hist:sched:sched_switch", "Couldn't find field" */
	size_t where_len, what_len;
	const char *cmd;
	size_t cmd_len, at;		/* the caret's byte in ->cmd */
};

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static bool part_starts(const char *text, size_t n, const char *start)
{
	return n >= strlen(start) && !strncmp(text, start, strlen(start));
}

static size_t caret_word_len(const struct caret *c, size_t at)
{
	size_t n = 0;

	while (at + n < c->cmd_len && in_word(c->cmd[at + n]))
		n++;
	return n;
}

/* Moves the caret to the start of the name that was read last. */
static void to_name(struct caret *c)
{
	size_t at = c->at ? c->at - 1 : 0;

	if (at >= c->cmd_len)
		at = c->cmd_len ? c->cmd_len - 1 : 0;
	while (at > 0 && !in_word(c->cmd[at]))
		at--;
	while (at > 0 && in_word(c->cmd[at - 1]))
		at--;
	c->at = at;
}

static void one_back(struct caret *c)
{
	if (c->at)
		c->at--;
}

/* The operator before the operand. */
static void to_operator(struct caret *c)
{
	one_back(c);
	while (c->at > 1 && c->at <= c->cmd_len && c->cmd[c->at - 1] == ' ')
		c->at--;
	while (c->at > 1 && c->at <= c->cmd_len && strchr("!=<>~&", c->cmd[c->at - 1]))
		c->at--;
}

static void stay_put(struct caret *c)
{
	(void)c;
}

/* The last place where @text stands at or behind @from, or cmd_len. */
static size_t last_of(const struct caret *c, const char *text, size_t n, size_t from)
{
	size_t i, found = c->cmd_len;

	for (i = from; n && i + n <= c->cmd_len; i++)
		if (!memcmp(c->cmd + i, text, n))
			found = i;
	return found;
}

/* "a=prio,a=pid": the second. */
static void to_last_assignment(struct caret *c)
{
	size_t n = caret_word_len(c, c->at), i;

	for (i = c->at + 1; n && i + n < c->cmd_len; i++)
		if (!memcmp(c->cmd + i, c->cmd + c->at, n) && c->cmd[i + n] == '=' &&
		    strchr(":,", c->cmd[i - 1]))
			c->at = i;
}

/* What stands in the parentheses of @call. */
static void to_inside(struct caret *c, const char *call)
{
	size_t at = last_of(c, call, strlen(call), 0);

	if (at < c->cmd_len)
		c->at = at + strlen(call);
}

static void to_watched(struct caret *c)
{
	to_inside(c, "onmax(");
	to_inside(c, "onchange(");
}

static void to_match(struct caret *c)
{
	size_t open = last_of(c, "onmatch(", 8, 0);

	if (open < c->cmd_len && c->at < open + 8)
		to_inside(c, "onmatch(");
}

/* A parameter: the word as one, behind the last parenthesis that opens. */
static void to_parameter(struct caret *c)
{
	size_t n = caret_word_len(c, c->at), open = last_of(c, "(", 1, 0), i;

	for (i = open + 1; n && c->at < open && i + n <= c->cmd_len; i++)
		if (!memcmp(c->cmd + i, c->cmd + c->at, n) && strchr("(,$", c->cmd[i - 1])) {
			c->at = i;
			return;
		}
}

static const struct {
	const char *where, *what;
	void (*mend)(struct caret *c);
} mends[] = {
	{ FILTER,  "Field not found",                 to_name },
	{ FILTER,  "Illegal operation for field",     to_operator },
	{ FILTER,  "Too many '('",                    stay_put },
	{ FILTER,  "Too few '('",                     stay_put },
	{ FILTER,  "Missing matching quote",          stay_put },
	{ FILTER,  "Meaningless filter expression",   stay_put },
	{ FILTER,  "",                                one_back },
	{ "hist:", "Variable already defined",        to_last_assignment },
	{ "hist:", "For onmax(x) or onchange(x)",     to_watched },
	{ "hist:", "Invalid subsystem or event name", to_match },
	{ "hist:", "Param type doesn't match",        to_parameter },
};

/*
 * Moves the caret to the place that the kernel means (6.1 to 7.2).
 *
 * Event filters add 1 to every place but 0, which is right for parentheses and quotes alone; a
 * field that is not found is pointed at when its name has been read, an operator that does not suit
 * it when the operand is. Hist triggers look up the text in question in the whole command and take
 * the first place where it stands, be it in another word.
 */
static void caret_mend(struct caret *c)
{
	size_t i;

	for (i = 0; i < sizeof(mends) / sizeof(*mends); i++) {
		if (!part_starts(c->where, c->where_len, mends[i].where) ||
		    !part_starts(c->what, c->what_len, mends[i].what))
			continue;
		mends[i].mend(c);
		return;
	}
}

/* "[  107.292266] " starts an entry; a command may have lines of its own. */
static bool is_head(const char *s)
{
	size_t n = *s == '[' ? 1 + strspn(s + 1, " 0123456789.") : 0;

	return n > 1 && s[n] == ']';
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

/* Appends an entry without its time: "where: error: what\n  Command: cmd\n   ^". */
static void add_log_entry(struct buf *out, const char *entry, size_t n, const char *written)
{
	const char *text = memchr(entry, ']', n);
	struct caret c;
	size_t from;

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
		return;
	}
	buf_printf(out, "%.*s: error: %.*s", (int)c.where_len, c.where, (int)c.what_len, c.what);
	/*
	 * The kernel keeps up to 255 bytes of a histogram's command and searches the place in them:
	 * not found is place 0.
	 */
	if (!c.at && c.cmd_len > 200 && strlen(written) > c.cmd_len &&
	    !strncmp(c.where, "hist:", 5)) {
		buf_addstr(out, " (beyond what the kernel keeps of the command)");
		return;
	}
	buf_addch(out, '\n');
	caret_mend(&c);
	from = out->len;
	/* The kernel prints the command as it is: with tabs in it its caret is elsewhere. */
	text_caret(out, c.cmd, c.cmd_len, c.at, strlen(PREFIX));
	memcpy(out->data + from, PREFIX, strlen(PREFIX));
}

static void split_log(const char *log, struct strv *out)
{
	const char *entry, *next;

	for (entry = log && is_head(log) ? log : NULL; entry; entry = next) {
		next = entry;
		while ((next = strchr(next, '\n')) && !is_head(next + 1))
			next++;
		next = next ? next + 1 : NULL;
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
