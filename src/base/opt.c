/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options as a table: parsing in order (by getopt_long), grouped help, did-you-mean.
 *
 * Options, help and man pages must agree. So each command has one table: getopt_long() gets its
 * letters from it, and -h its text. utils/check-docs compares the man pages with the table.
 */
#include "base/opt.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/term.h"
#include "base/text.h"

#define OPT_LONG_BASE	256	/* getopt values of rows without a letter: base + row */
#define OPT_HELP	255

void (*opt_ask)(const char *option, struct ftr_error *err);

int opt_flag(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	(void)arg;
	(void)err;
	*(bool *)((char *)ctx + o->off) = true;
	return 0;
}

int opt_str(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	(void)err;
	*(const char **)((char *)ctx + o->off) = arg;
	return 0;
}

int opt_strv(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	(void)err;
	strv_add((struct strv *)((char *)ctx + o->off), arg);
	return 0;
}

int opt_word(const struct opt *o, const char *arg, const char *const *words,
	     struct ftr_error *err)
{
	struct buf all = {0};

	for (int i = 0; words[i]; i++) {
		if (!strcmp(arg, words[i])) {
			buf_release(&all);
			return i;
		}
		buf_printf(&all, "%s%s", i ? ", " : "", words[i]);
	}
	err_set(err, FTR_USAGE, "--%s does not take '%s'", o->name, arg);
	err_hint(err, "there are: %s", all.data);
	buf_release(&all);
	return -1;
}

static void ask_about_option(const char *option, struct ftr_error *err)
{
	if (opt_ask)
		opt_ask(option, err);
}

/* The arguments of getopt_long(), made from the table. */
struct getopt_form {
	struct buf     letters;
	struct option *longs;
	struct strv    names;		/* "--name", for suggestions */
};

bool opt_arg_is_optional(const struct opt *o)
{
	return o->arg && *o->arg == '[' && o->arg[strlen(o->arg) - 1] == ']';
}

static int getopt_argument(const struct opt *o)
{
	return !o->arg ? no_argument :
	       opt_arg_is_optional(o) ? optional_argument : required_argument;
}

static void form_init(struct getopt_form *f, const struct opt *table, bool stop_at_word)
{
	size_t cap = 0, n = 0, row;

	memset(f, 0, sizeof(*f));
	buf_addstr(&f->letters, stop_at_word ? "+:h" : ":h");
	for (row = 0; !opt_last(&table[row]); row++) {
		const struct opt *o = &table[row];

		if (!opt_real(o))
			continue;
		if (o->letter) {
			buf_addch(&f->letters, o->letter);
			if (o->arg)
				buf_addch(&f->letters, ':');
		}
		if (!o->name)
			continue;
		f->longs = xgrow(f->longs, &cap, n + 3, sizeof(*f->longs));
		f->longs[n++] = (struct option){ o->name, getopt_argument(o), NULL,
						 OPT_LONG_BASE + row };
		strv_take(&f->names, xasprintf("--%s", o->name));
	}
	f->longs = xgrow(f->longs, &cap, n + 3, sizeof(*f->longs));
	f->longs[n++] = (struct option){ "help", no_argument, NULL, OPT_HELP };
	f->longs[n] = (struct option){ 0 };
	strv_add(&f->names, "--help");
}

static void form_release(struct getopt_form *f)
{
	buf_release(&f->letters);
	free(f->longs);
	strv_release(&f->names);
}

static const struct opt *getopt_row(const struct opt *table, int got)
{
	if (got >= OPT_LONG_BASE)
		return &table[got - OPT_LONG_BASE];
	for (; !opt_last(table); table++)
		if (opt_real(table) && table->letter == got)
			return table;
	return NULL;
}

static int option_unknown(const struct getopt_form *f, const char *word, struct ftr_error *err)
{
	struct buf full = {0};
	const char *near;
	size_t i, n;
	char *name;

	if (word[1] != '-' && optopt) {
		err_set(err, FTR_USAGE, "unknown option '-%c'", optopt);
		ask_about_option((char[]){ '-', optopt, '\0' }, err);
		return -1;
	}
	n = strcspn(word, "=");
	name = xstrndup(word, n);
	near = text_closest(name, f->names.v);
	if (strv_has(&f->names, name)) {
		err_set(err, FTR_USAGE, "option '%s' takes no argument", name);
	} else {
		err_set(err, FTR_USAGE, "unknown option '%s'", name);
		for (i = 0; name[2] && i < f->names.n; i++)
			if (!strncmp(f->names.v[i], name, n))
				buf_printf(&full, "%s'%s'", full.len ? ", " : "", f->names.v[i]);
		if (full.len)
			err_hint(err, "names are written in full: %s", full.data);
		else if (near)
			err_hint(err, "did you mean '%s'?", near);
		ask_about_option(name, err);
	}
	buf_release(&full);
	free(name);
	return -1;
}

static int option_handle(const struct opt *table, const struct getopt_form *f, int got, char **argv,
			 void *ctx, struct ftr_error *err)
{
	const struct opt *o = got == OPT_HELP ? NULL : getopt_row(table, got);
	const char *word, *name = o ? o->name : "help";
	size_t n;

	/*
	 * getopt_long() accepts an unambiguous start of a name. The meaning of a word would then
	 * change with each option that is added.
	 */
	if (got >= OPT_HELP) {
		/* the last word that was read, or the one before a separate argument */
		word = argv[optind - (optarg && optarg == argv[optind - 1] ? 2 : 1)];
		n = strlen(name);
		if (strncmp(word + 2, name, n) || (word[2 + n] && word[2 + n] != '='))
			return option_unknown(f, word, err);
	}
	if (got == 'h' || got == OPT_HELP) {
		err_set(err, FTR_OK, "help");
		return -1;
	}
	if (got == ':') {
		err_set(err, FTR_USAGE, "option '%s' needs an argument", argv[optind - 1]);
		ask_about_option(argv[optind - 1], err);
		return -1;
	}
	if (!o)
		return option_unknown(f, argv[optind - 1], err);
	if (!o->set(ctx, o, optarg, err))
		return 0;
	if (o->letter)
		ask_about_option((char[]){ '-', o->letter, '\0' }, err);
	return -1;
}

int opt_parse(const struct opt *table, bool stop_at_word, int argc, char **argv, void *ctx,
	      struct ftr_error *err)
{
	struct getopt_form form;
	int got, ret = 0;

	form_init(&form, table, stop_at_word);
	optind = 0;		/* 0, not 1: glibc then forgets an earlier parse */
	opterr = 0;
	while (!ret && (got = getopt_long(argc, argv, form.letters.data, form.longs, NULL)) != -1)
		ret = option_handle(table, &form, got, argv, ctx, err);
	form_release(&form);
	return ret ? -1 : optind;
}

int opt_seen(const struct opt *table, bool stop_at_word, int argc, char **argv, bool *seen)
{
	char **copy = xcalloc(argc + 1, sizeof(*copy));
	const struct opt *o;
	struct getopt_form form;
	bool help = false;
	int got;

	memcpy(copy, argv, argc * sizeof(*copy));
	form_init(&form, table, stop_at_word);
	optind = 0;
	opterr = 0;
	while (!help &&
	       (got = getopt_long(argc, copy, form.letters.data, form.longs, NULL)) != -1) {
		help = got == 'h' || got == OPT_HELP;
		o = help || got == '?' || got == ':' ? NULL : getopt_row(table, got);
		if (o)
			seen[o - table] = true;
	}
	form_release(&form);
	free(copy);
	return help;
}

size_t opt_count(const struct opt *table)
{
	size_t n = 0;

	while (!opt_last(&table[n]))
		n++;
	return n;
}

const struct opt *opt_named(const struct opt *table, const char *name)
{
	for (; !opt_last(table); table++) {
		if (!opt_real(table))
			continue;
		if (table->name && !strcmp(table->name, name))
			return table;
		if (table->letter && table->letter == *name && !name[1])
			return table;
	}
	return NULL;
}

#define HELP_COLUMN 28
#define HELP_USUAL  80	/* columns, if the terminal's are not known */
#define HELP_LEAST  48	/* less leaves no room after the help column */
#define HELP_MOST   100	/* the eye loses longer lines */

/* Adds words from the help column on, wrapped. */
static void help_wrap(struct buf *out, const char *text, size_t width)
{
	size_t at = HELP_COLUMN, n;

	for (; *text; text += n + strspn(text + n, " ")) {
		n = strcspn(text, " ");
		if (at > HELP_COLUMN && at + 1 + n > width) {
			buf_printf(out, "\n%*s", HELP_COLUMN, "");
			at = HELP_COLUMN;
		} else if (at > HELP_COLUMN) {
			buf_addch(out, ' ');
			at++;
		}
		buf_add(out, text, n);
		at += n;
	}
	buf_addch(out, '\n');
}

static void help_row(const struct opt *o, size_t width, struct buf *out)
{
	struct buf left = {0};

	if (o->letter)
		buf_printf(&left, "  -%c%s", o->letter, o->name ? "," : "");
	else
		buf_addstr(&left, "     ");
	if (o->name)
		buf_printf(&left, " --%s", o->name);
	if (opt_arg_is_optional(o))
		buf_printf(&left, "[=%s", o->arg + 1);
	else if (o->arg)
		buf_printf(&left, "%s%s", o->name ? "=" : " ", o->arg);
	if (left.len >= HELP_COLUMN)
		buf_printf(out, "%s\n%*s", left.data, HELP_COLUMN, "");
	else
		buf_printf(out, "%-*s", HELP_COLUMN, left.data);
	help_wrap(out, o->help, width);
	buf_release(&left);
}

void opt_help(const struct opt *table, struct buf *out)
{
	size_t width = term_width();

	if (!width)
		width = HELP_USUAL;
	width = width < HELP_LEAST ? HELP_LEAST : width > HELP_MOST ? HELP_MOST : width;
	/* a line that is as long as the terminal is wide would be followed by an empty one */
	width--;

	for (; !opt_last(table); table++) {
		if (opt_real(table))
			help_row(table, width, out);
		else
			buf_printf(out, "\n%s:\n", table->name);
	}
}
