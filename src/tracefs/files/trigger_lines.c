/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Triggers and function commands: lines that are added and removed one by one. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracefs/files/control.h"

/* Takes [at, at + n) out of @s. */
static void cut_out(char *s, size_t at, size_t n)
{
	memmove(s + at, s + at + n, strlen(s + at + n) + 1);
}

/* Where the filter of a trigger starts, or the end: " if" is a word of its own. */
static size_t filter_at(const char *line)
{
	const char *filter = strstr(line, " if ");

	return filter ? (size_t)(filter - line) : strlen(line);
}

static bool is_hist(const char *line)
{
	return !strncmp(line, "hist:", 5);
}

/*
 * hist triggers end in " [active]" or " [paused]", which the kernel would take for a part of the
 * filter.
 */
static bool cut_state(char *line)
{
	static const char *const states[] = { " [active]", " [paused]", " [disabled]" };
	size_t i, n = strlen(line), len;

	for (i = 0; i < sizeof(states) / sizeof(*states); i++) {
		len = strlen(states[i]);
		if (n < len || strcmp(line + n - len, states[i]))
			continue;
		line[n - len] = '\0';
		return i == 1;
	}
	return false;
}

/* 7.2 shows keys=common_cpu as "keys=common_cpucommon_cpu", and does not know that itself. */
static void cut_doubles(char *line)
{
	static const char *const words[] = { "common_cpu", "common_comm", "common_timestamp" };
	size_t i, n;
	char *at;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++) {
		n = strlen(words[i]);
		for (at = line; (at = strstr(at, words[i])); at += n)
			if (!strncmp(at + n, words[i], n))
				cut_out(line, at - line, n);
	}
}

/*
 * The kernel lists a sort key with its field's modifier, "sort=bytes_req.log2", and takes it
 * without alone (hist_field_print() and tracing_map's sort keys, kernel/trace/trace_events_hist.c).
 */
static void cut_sort_modifiers(char *line)
{
	static const char down[] = ".descending";
	char *at = strstr(line, ":sort=");
	size_t n;

	if (!at)
		return;
	at++;
	while (at += strcspn(at, ".: "), *at == '.') {
		n = 1 + strcspn(at + 1, ".,: ");
		if (n == strlen(down) && !strncmp(at, down, n))
			at += n;
		else
			cut_out(line, at - line, n);
	}
}

char *lines_base(const char *line, long *count)
{
	static const char unlimited[] = ":unlimited", counted[] = ":count=";
	char *base = xstrdup(line), *at;
	size_t end;

	*count = -1;
	if (is_hist(base)) {
		cut_state(base);
		cut_doubles(base);
		cut_sort_modifiers(base);
		return base;
	}
	end = filter_at(base);
	at = strstr(base, unlimited);
	if (at && at + strlen(unlimited) <= base + end)
		cut_out(base, at - base, strlen(unlimited));
	at = strstr(base, counted);
	if (at && at < base + end) {
		*count = strtol(at + strlen(counted), NULL, 10);
		cut_out(base, at - base, strlen(counted) + strspn(at + strlen(counted),
								  "0123456789"));
	}
	return base;
}

static void split_bases(const char *text, struct strv *out, struct strv *lines)
{
	struct strv all = {0};
	size_t i;
	long count;

	strv_split(&all, text, "\n");
	for (i = 0; i < all.n; i++) {
		if (*all.v[i] == '#')
			continue;
		strv_take(out, lines_base(all.v[i], &count));
		if (lines)
			strv_add(lines, all.v[i]);
	}
	strv_release(&all);
}

char *lines_canon(const char *text)
{
	struct strv v = {0};
	struct buf out = {0};
	size_t i;

	split_bases(text, &v, NULL);
	strv_sort_unique(&v);
	for (i = 0; i < v.n; i++)
		buf_printf(&out, "%s%s", i ? "\n" : "", v.v[i]);
	strv_release(&v);
	return buf_take(&out);
}

/* A trigger is found by its command, a hist trigger by all its text. */
static char *removal_of(const char *line)
{
	long count;
	char *base = lines_base(line, &count), *text;

	if (!is_hist(line))
		base[filter_at(base)] = '\0';
	text = xasprintf("!%s", base);
	free(base);
	return text;
}

/* "traceoff:count=3 if x" was once written as "traceoff:3 if x". */
static char *addition_of(const char *line)
{
	long count;
	char *base = lines_base(line, &count), *text;
	char *full = xstrdup(line);
	bool paused = is_hist(line) && cut_state(full);
	size_t n = filter_at(base);

	if (paused)
		text = xasprintf("%.*s:pause%s", (int)n, base, base + n);
	else if (count >= 0)
		text = xasprintf("%.*s:%ld%s", (int)n, base, count, base + n);
	else
		text = xstrdup(base);
	free(full);
	free(base);
	return text;
}

struct change {
	const struct tfs *t;
	const char *path;
	struct ftr_error *err;
	int ret;
};

/* Takes the text. */
static void change_line(struct change *c, char *text)
{
	if (control_write(c->t, c->path, O_APPEND, text) && !c->ret)
		c->ret = err_sys(c->err, "cannot restore '%s/%s': writing '%s'", c->t->path,
				 c->path, text);
	free(text);
}

/* Backwards: a later hist trigger may use the variables of an earlier one, which is busy then. */
static void remove_lines(struct change *c, const struct strv *lines, const struct strv *base,
			 const struct strv *keep)
{
	size_t i;

	for (i = lines->n; i-- > 0;)
		if (!strv_has(keep, base->v[i]))
			change_line(c, removal_of(lines->v[i]));
}

static void add_missing_lines(struct change *c, const struct strv *lines, const struct strv *base,
			      const struct strv *there)
{
	size_t i;

	for (i = 0; i < lines->n; i++)
		if (!strv_has(there, base->v[i]))
			change_line(c, addition_of(lines->v[i]));
}

int lines_restore(const struct tfs *t, const char *path, const char *old, struct ftr_error *err)
{
	struct strv old_lines = {0}, old_base = {0}, now_lines = {0}, now_base = {0};
	struct change c = { .t = t, .path = path, .err = err };
	struct buf now = {0};

	if (tfs_read(t, NULL, path, &now, err)) {
		buf_release(&now);
		return -1;
	}
	split_bases(old, &old_base, &old_lines);
	split_bases(now.data, &now_base, &now_lines);
	remove_lines(&c, &now_lines, &now_base, &old_base);
	add_missing_lines(&c, &old_lines, &old_base, &now_base);
	strv_release(&old_lines);
	strv_release(&old_base);
	strv_release(&now_lines);
	strv_release(&now_base);
	buf_release(&now);
	return c.ret;
}
