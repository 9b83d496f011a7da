/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Restores control files that are lists and cannot be written back as they read: triggers and
 * definitions, the function filters with their commands, set_event with events of modules.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracefs/files/control.h"

/* Removes the bytes [at, at + n) from @s. */
static void str_cut(char *s, size_t at, size_t n)
{
	memmove(s + at, s + at + n, strlen(s + at + n) + 1);
}

/* Returns the offset of the filter of a trigger, " if ...", or the length of @line. */
static size_t line_filter_at(const char *line)
{
	const char *filter = strstr(line, " if ");

	return filter ? (size_t)(filter - line) : strlen(line);
}

static bool line_is_hist(const char *line)
{
	return !strncmp(line, "hist:", 5);
}

/*
 * hist triggers end in " [active]" or " [paused]", which the kernel would parse as a part of the
 * filter. Returns true if the trigger is paused.
 */
static bool line_cut_state(char *line)
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

/* 7.2 shows keys=common_cpu as "keys=common_cpucommon_cpu", which it does not accept. */
static void line_cut_doubles(char *line)
{
	static const char *const words[] = { "common_cpu", "common_comm", "common_timestamp" };
	size_t i, n;
	char *at;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++) {
		n = strlen(words[i]);
		for (at = line; (at = strstr(at, words[i])); at += n)
			if (!strncmp(at + n, words[i], n))
				str_cut(line, at - line, n);
	}
}

/*
 * The kernel lists a sort key with its field's modifier, "sort=bytes_req.log2", and accepts only a
 * key without modifier (hist_field_print() and tracing_map's sort keys,
 * kernel/trace/trace_events_hist.c).
 */
static void line_cut_sort_modifiers(char *line)
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
			str_cut(line, at - line, n);
	}
}

char *lines_base(const char *line, long *count)
{
	static const char unlimited[] = ":unlimited", counted[] = ":count=";
	char *base = xstrdup(line), *at;
	size_t end;

	*count = -1;
	if (line_is_hist(base)) {
		line_cut_state(base);
		line_cut_doubles(base);
		line_cut_sort_modifiers(base);
		return base;
	}
	end = line_filter_at(base);
	at = strstr(base, unlimited);
	if (at && at + strlen(unlimited) <= base + end)
		str_cut(base, at - base, strlen(unlimited));
	at = strstr(base, counted);
	if (at && at < base + end) {
		*count = strtol(at + strlen(counted), NULL, 10);
		str_cut(base, at - base, strlen(counted) + strspn(at + strlen(counted),
								  "0123456789"));
	}
	return base;
}

static void lines_split_bases(const char *text, struct strv *out, struct strv *lines)
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

	lines_split_bases(text, &v, NULL);
	strv_sort_unique(&v);
	for (i = 0; i < v.n; i++)
		buf_printf(&out, "%s%s", i ? "\n" : "", v.v[i]);
	strv_release(&v);
	return buf_take(&out);
}

/*
 * Returns the line that removes @line: the kernel finds a trigger by its command, a hist trigger by
 * all its text. The caller frees.
 */
static char *line_removal(const char *line)
{
	long count;
	char *base = lines_base(line, &count), *text;

	if (!line_is_hist(line))
		base[line_filter_at(base)] = '\0';
	text = xasprintf("!%s", base);
	free(base);
	return text;
}

/* Returns @line as written: "traceoff:3 if x" for "traceoff:count=3 if x". The caller frees. */
static char *line_addition(const char *line)
{
	long count;
	char *base = lines_base(line, &count), *text;
	char *full = xstrdup(line);
	bool paused = line_is_hist(line) && line_cut_state(full);
	size_t n = line_filter_at(base);

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

/* Writes and frees @text. Returns @ret, the result so far; the first failure is -1 with @err. */
static int line_write(const struct tfs *t, const char *path, char *text, int ret,
		      struct ftr_error *err)
{
	if (control_write(t, path, O_APPEND, text) && !ret)
		ret = err_sys(err, "cannot restore '%s/%s': writing '%s'", t->path, path, text);
	free(text);
	return ret;
}

int lines_restore(const struct tfs *t, const char *path, const char *old, struct ftr_error *err)
{
	struct strv old_lines = {0}, old_base = {0}, now_lines = {0}, now_base = {0};
	struct buf now = {0};
	size_t i;
	int ret = 0;

	if (tfs_read(t, NULL, path, &now, err)) {
		buf_release(&now);
		return -1;
	}
	lines_split_bases(old, &old_base, &old_lines);
	lines_split_bases(now.data, &now_base, &now_lines);
	/* Backwards: a hist trigger is busy while a later one uses its variables. */
	for (i = now_lines.n; i-- > 0;)
		if (!strv_has(&old_base, now_base.v[i]))
			ret = line_write(t, path, line_removal(now_lines.v[i]), ret, err);
	for (i = 0; i < old_lines.n; i++)
		if (!strv_has(&now_base, old_base.v[i]))
			ret = line_write(t, path, line_addition(old_lines.v[i]), ret, err);
	strv_release(&old_lines);
	strv_release(&old_base);
	strv_release(&now_lines);
	strv_release(&now_base);
	buf_release(&now);
	return ret;
}

/* The contents of set_ftrace_filter or set_ftrace_notrace. */
struct filter_list {
	struct strv functions;	/* "vfs_read", "nfs_open [nfs]": sorted */
	struct strv pending;	/* "nfs_*:mod:nfs": a module that is not loaded yet */
	struct strv commands;	/* "vfs_read:traceoff:count=3" */
};

static void listing_release(struct filter_list *l)
{
	strv_release(&l->functions);
	strv_release(&l->pending);
	strv_release(&l->commands);
}

static int by_line_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void listing_parse(struct filter_list *l, const char *text)
{
	struct strv lines = {0};
	const char *colon;
	size_t i;

	*l = (struct filter_list){0};
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

static bool strv_same(const struct strv *a, const struct strv *b)
{
	size_t i;

	for (i = 0; a->n == b->n && i < a->n; i++)
		if (strcmp(a->v[i], b->v[i]))
			return false;
	return a->n == b->n;
}

char *functions_canon(const char *text)
{
	struct filter_list l;
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
	listing_release(&l);
	return buf_take(&out);
}

/* A line of available_filter_functions and its number, from 1. */
struct function_line {
	const char *line;
	unsigned long number;
};

static int by_line_number(const void *a, const void *b)
{
	const struct function_line *x = a, *y = b;
	int order = strcmp(x->line, y->line);

	return order ? order : (x->number > y->number) - (x->number < y->number);
}

/*
 * Appends the numbers of @functions (sorted) in available_filter_functions. The kernel compares a
 * name with all its functions (40 to 120 ms each in an emulated guest), and finds a number at once.
 * If several functions share a name, as many numbers are appended as names were listed. If a
 * function is gone with its module, @found lacks it. Returns 0, or -1 with errno.
 */
static int functions_find_numbers(const struct tfs *t, const struct strv *functions,
				  struct strv *numbers, struct strv *found)
{
	struct strv lines = {0};
	struct buf text = {0};
	struct function_line *places;
	size_t i, at = 0;
	int ret = tfs_read(t, NULL, "available_filter_functions", &text, NULL);

	if (ret)
		goto out;
	strv_split(&lines, text.data, "\n");
	places = xcalloc(lines.n, sizeof(*places));
	for (i = 0; i < lines.n; i++)
		places[i] = (struct function_line){ lines.v[i], i + 1 };
	qsort(places, lines.n, sizeof(*places), by_line_number);
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

static int listing_read(const struct tfs *t, const char *path, struct filter_list *l,
			struct ftr_error *err)
{
	struct buf text = {0};
	int ret = tfs_read(t, NULL, path, &text, err);

	listing_parse(l, ret ? "" : text.data);
	buf_release(&text);
	return ret;
}

/* Truncating removes functions and pending filters, but not commands. */
static int functions_write_words(const struct tfs *t, const char *path, const struct strv *words)
{
	size_t bad;

	return control_write_words(t, path, O_TRUNC, words, &bad);
}

/*
 * Writes the functions by number, and by name if the numbers changed in the meantime (a module was
 * loaded or removed) or can't be read. Returns 0, or -1 with errno.
 */
static int functions_rewrite(const struct tfs *t, const char *path, const struct filter_list *old)
{
	struct strv numbers = {0}, found = {0}, names = {0};
	struct filter_list now = {0};
	const char *line, *mod;
	size_t i;
	int ret = -1;

	if (!old->functions.n)
		return functions_write_words(t, path, &old->functions);
	if (functions_find_numbers(t, &old->functions, &numbers, &found) ||
	    functions_write_words(t, path, &numbers) || listing_read(t, path, &now, NULL))
		goto by_name;
	ret = strv_same(&now.functions, &found) ? 0 : -1;
by_name:
	/* The kernel lists "nfs_open [nfs]" and accepts "nfs_open:mod:nfs". */
	for (i = 0; ret && i < old->functions.n; i++) {
		line = old->functions.v[i];
		mod = strstr(line, " [");
		strv_take(&names, mod ? xasprintf("%.*s:mod:%.*s", (int)(mod - line), line,
						  (int)strcspn(mod + 2, "]"), mod + 2)
				      : xstrdup(line));
	}
	if (ret)
		ret = functions_write_words(t, path, &names);
	listing_release(&now);
	strv_release(&numbers);
	strv_release(&found);
	strv_release(&names);
	return ret;
}

static bool commands_have(const struct strv *v, const char *base)
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

/* Appends the commands of @old that @now lacks, as they were written. */
static void commands_find_missing(const struct strv *old, const struct strv *now, struct strv *out)
{
	const char *command;
	long count;
	char *base;
	size_t i;

	for (i = 0; i < old->n; i++) {
		base = lines_base(old->v[i], &count);
		command = strchr(base, ':');
		/* dump and cpudump always show ":count=1", and accept no count. */
		if (count < 0 || !command || !strcmp(command, ":dump") ||
		    !strcmp(command, ":cpudump"))
			count = -1;
		/* "f:traceoff:count=3" was written as "f:traceoff:3". */
		if (!commands_have(now, base))
			strv_take(out, count < 0 ? xstrdup(base)
						 : xasprintf("%s:%ld", base, count));
		free(base);
	}
}

/* functions_remove() removes commands that were added; this adds commands that are missing. */
int functions_restore(const struct tfs *t, const char *path, const char *old_text,
		      struct ftr_error *err)
{
	struct filter_list old, now;
	struct strv missing = {0};
	size_t bad;
	int ret;

	listing_parse(&old, old_text);
	ret = listing_read(t, path, &now, err);
	commands_find_missing(&old.commands, &now.commands, &missing);
	if (ret || (strv_same(&now.functions, &old.functions) &&
		    strv_same(&now.pending, &old.pending) && !missing.n))
		goto out;
	/*
	 * While module filters are pending, the file omits some commands (seen on 6.1 and 6.12), so
	 * the filters are restored last.
	 */
	if (!strv_same(&now.functions, &old.functions) || now.pending.n)
		ret = functions_rewrite(t, path, &old);
	listing_release(&now);
	strv_release(&missing);
	ret |= listing_read(t, path, &now, err);
	commands_find_missing(&old.commands, &now.commands, &missing);
	if (missing.n)
		ret |= control_write_words(t, path, O_APPEND, &missing, &bad);
	if (old.pending.n)
		ret |= control_write_words(t, path, O_APPEND, &old.pending, &bad);
	if (ret)
		err_sys(err, "cannot restore '%s/%s'", t->path, path);
out:
	strv_release(&missing);
	listing_release(&old);
	listing_release(&now);
	return ret ? -1 : 0;
}

bool functions_is_command(const char *word)
{
	const char *colon = strchr(word, ':');

	return colon && strncmp(colon, ":mod:", 5);
}

int functions_remove(const struct tfs *t, const char *path, const char *word, struct ftr_error *err)
{
	const char *last = strrchr(word, ':');
	bool counted = last && last[1] && !last[1 + strspn(last + 1, "0123456789")] &&
		       last != strchr(word, ':');
	/* The length of "func:command[:sys:event]", without the count that may follow. */
	size_t n = counted ? (size_t)(last - word) : strlen(word);
	char *text = xasprintf("!%.*s%s", (int)n, word, word[n] ? ":0" : "");
	int ret = control_write(t, path, O_APPEND, text);

	/* EINVAL: the command is not there (the kernel refused it, or somebody removed it). */
	if (ret && errno != EINVAL && errno != ENOENT && errno != ENODEV)
		err_sys(err, "cannot restore '%s/%s': writing '%s'", t->path, path, text);
	else
		ret = 0;
	free(text);
	return ret;
}

/* Returns @word as set_event lists it: ":mod:nfs" is "*:*:mod:nfs". The caller frees. */
static char *word_as_listed(const char *word)
{
	const char *mod = strstr(word, ":mod:"), *colon = memchr(word, ':', mod - word);
	const char *event = colon ? colon + 1 : mod;
	int n = colon ? (int)(colon - word) : (int)(mod - word), m = (int)(mod - event);

	return xasprintf("%.*s:%.*s%s", n ? n : 1, n ? word : "*", m ? m : 1, m ? event : "*", mod);
}

/* Returns the path of @event's enable in the instance of @path, its set_event. The caller frees. */
static char *event_enable_path(const char *path, const char *event)
{
	const char *file = control_split(path, NULL);
	struct buf rest = {0};
	char *enable = xasprintf("%.*s%s", (int)(file - path), path,
				 tfs_event_file(&rest, event, "enable"));

	buf_release(&rest);
	return enable;
}

static bool event_is_on(const struct tfs *t, const char *path, const char *event)
{
	char *enable = event_enable_path(path, event), *now = tfs_line(t, NULL, enable);
	bool on = *now == '1';

	free(now);
	free(enable);
	return on;
}

/* Appends the lines of @path that are enabled events. */
static void set_event_enabled(const struct tfs *t, const char *path, struct strv *out)
{
	struct strv lines = {0};
	struct buf text = {0};
	size_t i;

	if (!tfs_read(t, NULL, path, &text, NULL))
		strv_split(&lines, text.data, "\n");
	for (i = 0; i < lines.n; i++)
		if (!strstr(lines.v[i], ":mod:") && event_is_on(t, path, lines.v[i]))
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
	set_event_enabled(t, path, &on);
	for (i = 0; i < on.n; i++)
		buf_printf(&note, "\n%s", on.v[i]);
	strv_release(&on);
	return buf_take(&note);
}

/* Enables the events of @had that were on until now (@on) and are off. 0, or -1 with errno. */
static int events_enable_again(const struct tfs *t, const char *path, const struct strv *had,
			       const struct strv *on)
{
	char *enable;
	int ret = 0;
	size_t i;

	/* The first line is the word that was written. */
	for (i = 1; i < had->n; i++) {
		if (!strv_has(on, had->v[i]) || event_is_on(t, path, had->v[i]))
			continue;
		enable = event_enable_path(path, had->v[i]);
		if (control_write(t, enable, O_TRUNC, "1"))
			ret = -1;
		free(enable);
	}
	return ret;
}

/*
 * Writes set_event without @word. If the module of @word was loaded and has no such event, the
 * kernel refuses to remove the word alone.
 */
static int set_event_rewrite_without(const struct tfs *t, const char *path, const char *word)
{
	char *gone = word_as_listed(word);
	struct strv lines = {0}, left = {0};
	struct buf text = {0};
	size_t i, bad;
	int ret = 0;

	if (!tfs_read(t, NULL, path, &text, NULL))
		strv_split(&lines, text.data, "\n");
	if (strv_has(&lines, gone)) {
		/* An event that a trigger holds ready is listed, too, but must not be enabled. */
		for (i = 0; i < lines.n; i++)
			if (strcmp(lines.v[i], gone) &&
			    (strstr(lines.v[i], ":mod:") || event_is_on(t, path, lines.v[i])))
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
	/* With a loaded module the kernel disables all matching events, also those of others. */
	if (had.n > 1)
		set_event_enabled(t, path, &on);
	text = xasprintf("!%s", word);
	ret = control_write(t, path, O_APPEND, text);
	if (ret && errno == EINVAL && strstr(word, ":mod:"))
		ret = set_event_rewrite_without(t, path, word);
	if (ret)
		err_sys(err, "cannot restore '%s/%s': writing '%s'", t->path, path, text);
	else if (events_enable_again(t, path, &had, &on))
		ret = err_sys(err, "cannot restore '%s/%s': enabling the events that were on "
			      "before '%s'", t->path, path, word);
	free(text);
	strv_release(&on);
	strv_release(&had);
	return ret;
}
