/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Puts back set_ftrace_filter and set_ftrace_notrace: functions, pending module filters, commands.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracefs/files/control.h"

/* What one of the two files lists. */
struct listing {
	struct strv functions;	/* "vfs_read", "nfs_open [nfs]": sorted */
	struct strv pending;	/* "nfs_*:mod:nfs": a module that is not loaded yet */
	struct strv commands;	/* "vfs_read:traceoff:count=3" */
};

static void filters_release(struct listing *l)
{
	strv_release(&l->functions);
	strv_release(&l->pending);
	strv_release(&l->commands);
}

static int by_line_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void listing_parse(struct listing *l, const char *text)
{
	struct strv lines = {0};
	const char *colon;
	size_t i;

	*l = (struct listing){0};
	strv_split(&lines, text, "\n");
	for (i = 0; i < lines.n; i++) {
		colon = strchr(lines.v[i], ':');
		if (*lines.v[i] == '#')
			continue;
		if (!colon)
			strv_add(&l->functions, lines.v[i]);
		else if (!strncmp(colon, ":mod:", 5))
			strv_add(&l->pending, lines.v[i]);
		else
			strv_add(&l->commands, lines.v[i]);
	}
	strv_release(&lines);
	if (l->functions.n)
		qsort(l->functions.v, l->functions.n, sizeof(char *), by_line_text);
	if (l->pending.n)
		qsort(l->pending.v, l->pending.n, sizeof(char *), by_line_text);
}

static bool same_words(const struct strv *a, const struct strv *b)
{
	size_t i;

	for (i = 0; a->n == b->n && i < a->n; i++)
		if (strcmp(a->v[i], b->v[i]))
			return false;
	return a->n == b->n;
}

char *functions_canon(const char *text)
{
	struct listing l;
	struct buf out = {0};
	size_t i;
	long count;
	char *base;

	listing_parse(&l, text);
	for (i = 0; i < l.functions.n; i++)
		buf_printf(&out, "%s\n", l.functions.v[i]);
	for (i = 0; i < l.pending.n; i++)
		buf_printf(&out, "%s\n", l.pending.v[i]);
	for (i = 0; i < l.commands.n; i++) {
		base = lines_base(l.commands.v[i], &count);
		buf_printf(&out, "%s\n", base);
		free(base);
	}
	filters_release(&l);
	return buf_take(&out);
}

/* A line of available_filter_functions and its number, from 1. */
struct place {
	const char *line;
	unsigned long number;
};

static int by_line_number(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int order = strcmp(x->line, y->line);

	return order ? order : (x->number > y->number) - (x->number < y->number);
}

static struct place *places_sorted(const struct strv *lines)
{
	struct place *v = xcalloc(lines->n, sizeof(*v));
	size_t i;

	for (i = 0; i < lines->n; i++)
		v[i] = (struct place){ lines->v[i], i + 1 };
	qsort(v, lines->n, sizeof(*v), by_line_number);
	return v;
}

/*
 * The numbers of @functions (sorted) in available_filter_functions. The kernel compares a name
 * with every function it has (40 to 120 ms each in an emulated guest), a number it looks up at
 * once. Of several functions of one name as many are taken as were listed. What is not there any
 * more (a module is gone) is left out of *found.
 */
static int numbers_of(const struct tfs *t, const struct strv *functions, struct strv *numbers,
		      struct strv *found)
{
	struct strv lines = {0};
	struct buf text = {0};
	struct place *places;
	size_t i, at = 0;
	int ret = tfs_read(t, NULL, "available_filter_functions", &text, NULL);

	if (ret)
		goto out;
	strv_split(&lines, text.data, "\n");
	places = places_sorted(&lines);
	for (i = 0; i < functions->n; i++) {
		while (at < lines.n && strcmp(places[at].line, functions->v[i]) < 0)
			at++;
		if (at == lines.n || strcmp(places[at].line, functions->v[i]))
			continue;
		strv_add(found, functions->v[i]);
		strv_take(numbers, xasprintf("%lu", places[at++].number));
	}
	free(places);
out:
	strv_release(&lines);
	buf_release(&text);
	return ret;
}

/* "nfs_open [nfs]" is selected as "nfs_open:mod:nfs". */
static char *function_word(const char *line)
{
	const char *mod = strstr(line, " [");
	size_t n = mod ? strcspn(mod + 2, "]") : 0;

	return mod ? xasprintf("%.*s:mod:%.*s", (int)(mod - line), line, (int)n, mod + 2)
		   : xstrdup(line);
}

static int read_listing(const struct tfs *t, const char *path, struct listing *l,
			struct ftr_error *err)
{
	struct buf text = {0};
	int ret = tfs_read(t, NULL, path, &text, err);

	listing_parse(l, ret ? "" : text.data);
	buf_release(&text);
	return ret;
}

/* Truncating takes functions and pending filters away, the commands stay. */
static int rewrite_words(const struct tfs *t, const char *path, const struct strv *words)
{
	size_t bad;

	return control_write_words(t, path, O_TRUNC, words, &bad);
}

/*
 * By number, and by name where the numbers moved meanwhile (a module came or went) or can't be
 * read.
 */
static int rewrite_functions(const struct tfs *t, const char *path, const struct listing *old)
{
	struct strv numbers = {0}, found = {0}, names = {0};
	struct listing now = {0};
	size_t i;
	int ret = -1;

	if (!old->functions.n)
		return rewrite_words(t, path, &old->functions);
	if (numbers_of(t, &old->functions, &numbers, &found) ||
	    rewrite_words(t, path, &numbers) || read_listing(t, path, &now, NULL))
		goto by_name;
	ret = same_words(&now.functions, &found) ? 0 : -1;
by_name:
	for (i = 0; ret && i < old->functions.n; i++)
		strv_take(&names, function_word(old->functions.v[i]));
	if (ret)
		ret = rewrite_words(t, path, &names);
	filters_release(&now);
	strv_release(&numbers);
	strv_release(&found);
	strv_release(&names);
	return ret;
}

static bool has_command(const struct strv *v, const char *base)
{
	bool found = false;
	long count;
	char *other;
	size_t i;

	for (i = 0; !found && i < v->n; i++) {
		other = lines_base(v->v[i], &count);
		found = !strcmp(other, base);
		free(other);
	}
	return found;
}

/* dump and cpudump always show ":count=1", and take no count. */
static bool takes_count(const char *base)
{
	const char *command = strchr(base, ':');

	return command && strcmp(command, ":dump") && strcmp(command, ":cpudump");
}

/* "f:traceoff:count=3" was once written as "f:traceoff:3". */
static char *command_word(const char *base, long count)
{
	if (count < 0 || !takes_count(base))
		return xstrdup(base);
	return xasprintf("%s:%ld", base, count);
}

static int add_commands(const struct tfs *t, const char *path, const struct strv *old,
			const struct strv *now)
{
	struct strv words = {0};
	size_t i, bad;
	long count;
	char *base;
	int ret = 0;

	for (i = 0; i < old->n; i++) {
		base = lines_base(old->v[i], &count);
		if (!has_command(now, base))
			strv_take(&words, command_word(base, count));
		free(base);
	}
	if (words.n)
		ret = control_write_words(t, path, O_APPEND, &words, &bad);
	strv_release(&words);
	return ret;
}

static int add_pending(const struct tfs *t, const char *path, const struct strv *pending)
{
	size_t bad;

	return pending->n ? control_write_words(t, path, O_APPEND, pending, &bad) : 0;
}

static bool has_all(const struct strv *old, const struct strv *now)
{
	long count;
	bool all = true;
	char *base;
	size_t i;

	for (i = 0; all && i < old->n; i++) {
		base = lines_base(old->v[i], &count);
		all = has_command(now, base);
		free(base);
	}
	return all;
}

/*
 * Commands that were added are taken away by functions_remove(); those that went with them come
 * back here.
 */
int functions_restore(const struct tfs *t, const char *path, const char *old_text,
		      struct ftr_error *err)
{
	struct listing old, now;
	int ret;

	listing_parse(&old, old_text);
	ret = read_listing(t, path, &now, err);
	if (ret || (same_words(&now.functions, &old.functions) &&
		    same_words(&now.pending, &old.pending) &&
		    has_all(&old.commands, &now.commands)))
		goto out;
	/*
	 * As long as module filters are pending the file leaves some commands out (seen on 6.1 and
	 * 6.12), so they come back last.
	 */
	if (!same_words(&now.functions, &old.functions) || now.pending.n)
		ret = rewrite_functions(t, path, &old);
	filters_release(&now);
	ret |= read_listing(t, path, &now, err);
	ret |= add_commands(t, path, &old.commands, &now.commands);
	ret |= add_pending(t, path, &old.pending);
	if (ret)
		err_sys(err, "cannot restore '%s/%s'", t->path, path);
out:
	filters_release(&old);
	filters_release(&now);
	return ret ? -1 : 0;
}

bool functions_is_command(const char *word)
{
	const char *colon = strchr(word, ':');

	return colon && strncmp(colon, ":mod:", 5);
}

/* Length of "func:command[:sys:event]", without the count that may follow. */
static size_t uncounted_len(const char *word)
{
	const char *last = strrchr(word, ':');
	bool counted = last && last[1] && last[1 + strspn(last + 1, "0123456789")] == '\0';

	return counted && last != strchr(word, ':') ? (size_t)(last - word) : strlen(word);
}

int functions_remove(const struct tfs *t, const char *path, const char *word, struct ftr_error *err)
{
	size_t n = uncounted_len(word);
	char *text = xasprintf("!%.*s%s", (int)n, word, word[n] ? ":0" : "");
	int ret = control_write(t, path, O_APPEND, text);

	/* EINVAL: it is not there (it was refused, or somebody removed it). */
	if (ret && errno != EINVAL && errno != ENOENT && errno != ENODEV)
		err_sys(err, "cannot restore '%s/%s': writing '%s'", t->path, path, text);
	else
		ret = 0;
	free(text);
	return ret;
}
