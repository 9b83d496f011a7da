/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Verbs below a command: looked up, run, explained. */
#include "cmd/frame/command_verbs.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/term.h"
#include "base/text.h"

/* Words for the same: a command has one of a row, and takes all of them. */
static const char *const same_verbs[][4] = {
	{ "add", "create" },
	{ "del", "delete", "remove" },
};

/* Ends with NULL; NULL for a verb without others. */
static const char *const *words_for(const char *name)
{
	size_t i, k;

	for (i = 0; i < sizeof(same_verbs) / sizeof(*same_verbs); i++)
		for (k = 0; same_verbs[i][k]; k++)
			if (!strcmp(same_verbs[i][k], name))
				return same_verbs[i];
	return NULL;
}

static const struct cmd *verb_called(const struct cmd *self, const char *name)
{
	const struct cmd *v;

	for (v = self->verbs; v->name; v++)
		if (!strcmp(v->name, name))
			return v;
	return NULL;
}

const struct cmd *verbs_row(const struct cmd *self, const char *name)
{
	const struct cmd *v = verb_called(self, name);
	const char *const *word = words_for(name);

	for (; !v && word && *word; word++)
		v = verb_called(self, *word);
	return v;
}

static void make_verb(const struct cmd *self, const struct cmd *row, struct cmd *verb)
{
	static char *name;

	free(name);
	name = *row->name ? xasprintf("%s %s", self->name, row->name) : NULL;
	*verb = *row;
	verb->name = name ? name : self->name;
}

static void verb_names(const struct cmd *self, struct strv *names)
{
	const struct cmd *v;

	for (v = self->verbs; v->name; v++)
		if (*v->name)
			strv_add(names, v->name);
}

/* "add, list or remove" */
static void join_verbs(const struct strv *names, struct buf *out)
{
	size_t i;

	for (i = 0; i < names->n; i++)
		buf_printf(out, "%s%s", !i ? "" : i + 1 < names->n ? ", " : " or ", names->v[i]);
}

static int no_such_verb(const struct cmd *self, const char *name, struct ftr_error *err)
{
	struct strv names = {0};
	struct buf list = {0};
	const char *near;

	verb_names(self, &names);
	near = name ? text_closest(name, names.v) : NULL;
	join_verbs(&names, &list);
	if (name)
		err_set(err, FTR_USAGE, "'%s' is not a verb of 'ftr %s'", name, self->name);
	else
		err_set(err, FTR_USAGE, "'ftr %s' needs a verb", self->name);
	if (near)
		err_hint(err, "did you mean 'ftr %s %s'?", self->name, near);
	else
		err_hint(err, "it takes %s; 'ftr %s -h' explains them", list.data, self->name);
	strv_release(&names);
	buf_release(&list);
	return -1;
}

int verbs_find(const struct cmd *self, const char *name, struct cmd *verb, struct ftr_error *err)
{
	const struct cmd *row = *name ? verbs_row(self, name) : NULL;

	if (!row)
		return no_such_verb(self, name, err);
	make_verb(self, row, verb);
	return 0;
}

static bool asks_for_help(const char *word)
{
	return !strcmp(word, "-h") || !strcmp(word, "--help");
}

static int run_row(const struct cmd *verb, int argc, char **argv)
{
	if (verb->flags & CMD_PAGER)
		term_pager_start();
	return verb->run(verb, argc, argv);
}

/* Options stand behind the verb: which ones there are depends on it. */
static int options_first(const struct cmd *self, const char *word, struct ftr_error *err)
{
	err_set(err, FTR_USAGE, "the verb comes before the option '%s'", word);
	return err_hint(err, "ftr %s VERB %s ...; 'ftr %s -h' lists the verbs", self->name, word,
			self->name);
}

int verbs_run(const struct cmd *self, int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : NULL;
	const struct cmd *none = verbs_row(self, "");
	struct ftr_error err = {0};
	struct cmd verb;

	if (word && asks_for_help(word)) {
		cmd_print_help(self);
		return FTR_OK;
	}
	if (word && *word != '-')
		return verbs_find(self, word, &verb, &err) ? cmd_fail(&err)
							   : run_row(&verb, argc - 1, argv + 1);
	if (!none) {
		if (word)
			options_first(self, word, &err);
		else
			no_such_verb(self, NULL, &err);
		return cmd_fail(&err);
	}
	make_verb(self, none, &verb);
	return run_row(&verb, argc, argv);
}

/* Verbs that share a table of options share its place in the help. */
static void options_help(const struct cmd *self, const struct cmd *first, struct buf *out)
{
	const struct cmd *v;
	const char *sep = "";

	for (v = self->verbs; v < first; v++)
		if (v->options == first->options)
			return;
	if (opt_last(first->options))
		return;
	buf_addch(out, '\n');
	for (v = first; v->name; v++) {
		if (v->options != first->options)
			continue;
		buf_printf(out, "%sftr %s%s%s", sep, self->name, *v->name ? " " : "", v->name);
		sep = ", ";
	}
	buf_addstr(out, ":\n");
	opt_help(first->options, out);
}

/* " (or del, delete)" */
static void add_other_words(const char *name, struct buf *out)
{
	const char *const *word = words_for(name);
	const char *sep = " (or ";

	for (; word && *word; word++) {
		if (!strcmp(*word, name))
			continue;
		buf_printf(out, "%s%s", sep, *word);
		sep = ", ";
	}
	if (*sep == ',')
		buf_addch(out, ')');
}

void verbs_help(const struct cmd *self, struct buf *out)
{
	const struct cmd *v;

	buf_addstr(out, "\nVerbs:\n");
	for (v = self->verbs; v->name; v++) {
		buf_printf(out, "  ftr %s%s%s%s%s\n        %s", self->name, *v->name ? " " : "",
			   v->name, *v->usage ? " " : "", v->usage, v->summary);
		add_other_words(v->name, out);
		buf_addch(out, '\n');
	}
	for (v = self->verbs; v->name; v++)
		options_help(self, v, out);
}
