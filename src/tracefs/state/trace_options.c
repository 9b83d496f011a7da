/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trace options: their present values, and their values in a fresh kernel. */
#include "tracefs/state/trace_options.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tracefs/files/control.h"
#include "tracefs/state/setting_table.h"

enum option_default option_usual(const char *name, bool in_instance)
{
	const struct tracefs_setting *k = setting_find_flag(name);

	if (!k)
		return OPTION_UNKNOWN;
	return *(in_instance ? k->fresh_instance : k->fresh) == '1' ? OPTION_ON : OPTION_OFF;
}

static void options_add(struct trace_options *out, const char *name, bool on, bool in_instance)
{
	const struct tracefs_setting *k = setting_find_flag(name);

	out->v = xgrow(out->v, &out->cap, out->n + 1, sizeof(*out->v));
	out->v[out->n++] = (struct trace_option){
		.name = xstrdup(name), .on = on, .usual = option_usual(name, in_instance),
		.tracer = k ? k->tracer : NULL,
	};
}

static bool options_have(const struct trace_options *o, const char *name)
{
	size_t i;

	for (i = 0; i < o->n; i++)
		if (!strcmp(o->v[i].name, name))
			return true;
	return false;
}

/* The directory options has a file for most options, also for those of tracers that are not set. */
static void options_add_files(const struct tfs *t, const char *instance, struct trace_options *out)
{
	struct strv names = {0};
	struct buf path = {0};
	char *file, *line;

	content_list(t, tfs_path(&path, instance, "options"), &names, NULL);
	for (size_t i = 0; i < names.n; i++) {
		if (options_have(out, names.v[i]))
			continue;
		file = xasprintf("options/%s", names.v[i]);
		line = tfs_line(t, instance, file);
		options_add(out, names.v[i], *line == '1', instance && *instance);
		free(line);
		free(file);
	}
	strv_release(&names);
	buf_release(&path);
}

static int by_option_name(const void *a, const void *b)
{
	return strcmp(((const struct trace_option *)a)->name,
		      ((const struct trace_option *)b)->name);
}

int options_read(const struct tfs *t, const char *instance, struct trace_options *out,
		 struct ftr_error *err)
{
	struct strv words = {0};
	struct buf text = {0};
	size_t i;
	bool off;

	*out = (struct trace_options){0};
	if (tfs_check_instance(t, instance, err) ||
	    tfs_read(t, instance, "trace_options", &text, err)) {
		buf_release(&text);
		return -1;
	}
	strv_split(&words, text.data, "\n");
	for (i = 0; i < words.n; i++) {
		/* No option's own name starts with "no". */
		off = !strncmp(words.v[i], "no", 2);
		options_add(out, words.v[i] + (off ? 2 : 0), !off, instance && *instance);
	}
	options_add_files(t, instance, out);
	if (out->n)
		qsort(out->v, out->n, sizeof(*out->v), by_option_name);
	strv_release(&words);
	buf_release(&text);
	return 0;
}

void options_release(struct trace_options *o)
{
	size_t i;

	for (i = 0; i < o->n; i++)
		free(o->v[i].name);
	free(o->v);
	*o = (struct trace_options){0};
}

int option_value(const char *text)
{
	static const char *const words[][4] = {
		{ "0", "off", "no", "false" }, { "1", "on", "yes", "true" },
	};
	size_t v, i;

	for (v = 0; v < 2; v++)
		for (i = 0; i < 4; i++)
			if (!strcmp(text, words[v][i]))
				return v;
	return -1;
}

int option_word(const char *word, char **name, bool *on, struct ftr_error *err)
{
	size_t n = strcspn(word, "=");
	int value = word[n] ? option_value(word + n + 1) : 1;
	bool no = !word[n] && !strncmp(word, "no", 2);
	size_t i = 0;

	*name = xstrndup(word + (no ? 2 : 0), n - (no ? 2 : 0));
	*on = value && !no;
	/* The name becomes a part of a path. */
	while (isalnum((unsigned char)(*name)[i]) || ((*name)[i] && strchr("-_", (*name)[i])))
		i++;
	if (value >= 0 && i && !(*name)[i])
		return 0;
	free(*name);
	*name = NULL;
	if (value < 0) {
		err_set(err, FTR_USAGE, "'%s' has a value that is neither on nor off", word);
		return err_hint(err, "NAME or NAME=on, noNAME or NAME=off");
	}
	return err_set(err, FTR_USAGE, "'%s' is not a name of an option", word);
}
