/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Verbs below a command: lookup, run, help. */
#include "cmd/frame/command_verbs.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/term.h"
#include "base/text.h"

/* Synonyms: a command has one verb of a row, and accepts all of them. */
static const char *const same_verbs[][4] = {
	{ "add", "create" },
	{ "del", "delete", "remove" },
};

/* Returns the synonyms of a verb, which end with NULL; NULL for a verb without any. */
static const char *const *find_synonyms(const char *name)
{
	size_t i, k;

	for (i = 0; i < sizeof(same_verbs) / sizeof(*same_verbs); i++)
		for (k = 0; same_verbs[i][k]; k++)
			if (!strcmp(same_verbs[i][k], name))
				return same_verbs[i];
	return NULL;
}

static const struct cmd *find_verb(const struct cmd *self, const char *name)
{
	const struct cmd *v;

	for (v = self->verbs; v->name; v++)
		if (!strcmp(v->name, name))
			return v;
	return NULL;
}

const struct cmd *verbs_row(const struct cmd *self, const char *name)
{
	const struct cmd *v = find_verb(self, name);
	const char *const *word = find_synonyms(name);

	for (; !v && word && *word; word++)
		v = find_verb(self, *word);
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

static int fail_unknown_verb(const struct cmd *self, const char *name, struct ftr_error *err)
{
	struct strv names = {0};
	struct buf list = {0};
	const struct cmd *v;
	const char *near;
	size_t i;

	for (v = self->verbs; v->name; v++)
		if (*v->name)
			strv_add(&names, v->name);
	near = name ? text_closest(name, names.v) : NULL;
	/* "add, list or remove" */
	for (i = 0; i < names.n; i++)
		buf_printf(&list, "%s%s", !i ? "" : i + 1 < names.n ? ", " : " or ", names.v[i]);
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
		return fail_unknown_verb(self, name, err);
	make_verb(self, row, verb);
	return 0;
}

static int run_row(const struct cmd *verb, int argc, char **argv)
{
	if (verb->flags & CMD_PAGER)
		term_pager_start();
	return verb->run(verb, argc, argv);
}

int verbs_run(const struct cmd *self, int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : NULL;
	const struct cmd *none = verbs_row(self, "");
	struct ftr_error err = {0};
	struct cmd verb;

	if (word && (!strcmp(word, "-h") || !strcmp(word, "--help"))) {
		cmd_print_help(self);
		return FTR_OK;
	}
	if (word && *word != '-')
		return verbs_find(self, word, &verb, &err) ? cmd_fail(&err)
							   : run_row(&verb, argc - 1, argv + 1);
	if (none) {
		make_verb(self, none, &verb);
		return run_row(&verb, argc, argv);
	}
	if (word) {
		/* the options depend on the verb: they follow it */
		err_set(&err, FTR_USAGE, "the verb comes before the option '%s'", word);
		err_hint(&err, "ftr %s VERB %s ...; 'ftr %s -h' lists the verbs", self->name, word,
			 self->name);
	} else {
		fail_unknown_verb(self, NULL, &err);
	}
	return cmd_fail(&err);
}

/* Adds the options of a verb once, with the names of all verbs that share the table. */
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

void verbs_help(const struct cmd *self, struct buf *out)
{
	const char *const *word;
	const struct cmd *v;
	const char *sep;

	buf_addstr(out, "\nVerbs:\n");
	for (v = self->verbs; v->name; v++) {
		buf_printf(out, "  ftr %s%s%s%s%s\n        %s", self->name, *v->name ? " " : "",
			   v->name, *v->usage ? " " : "", v->usage, v->summary);
		sep = " (or ";
		for (word = find_synonyms(v->name); word && *word; word++) {
			if (!strcmp(*word, v->name))
				continue;
			buf_printf(out, "%s%s", sep, *word);
			sep = ", ";
		}
		buf_addstr(out, *sep == ',' ? ")\n" : "\n");
	}
	for (v = self->verbs; v->name; v++)
		options_help(self, v, out);
}
