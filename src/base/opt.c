/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options as a table: parsing in order (by getopt_long), grouped help, did-you-mean. */
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

/* What getopt_long wants, made from the table. */
struct getopt_form {
	struct buf     letters;
	struct option *longs;
	struct strv    names;		/* "--name", for suggestions */
};

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
		f->longs[n++] = (struct option){ o->name, o->arg ? required_argument : no_argument,
						 NULL, OPT_LONG_BASE + row };
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

/* Which options begin with @name, in full: "'--cpu', '--cpumask'". */
static void add_beginning(const struct getopt_form *f, const char *name, struct buf *out)
{
	size_t i, n = strlen(name);

	for (i = 0; i < f->names.n; i++)
		if (!strncmp(f->names.v[i], name, n))
			buf_printf(out, "%s'%s'", out->len ? ", " : "", f->names.v[i]);
}

static int unknown_name(const struct getopt_form *f, const char *name, struct ftr_error *err)
{
	const char *near = text_closest(name, f->names.v);
	struct buf full = {0};

	if (strv_has(&f->names, name))
		return err_set(err, FTR_USAGE, "option '%s' takes no argument", name);
	err_set(err, FTR_USAGE, "unknown option '%s'", name);
	if (name[2])
		add_beginning(f, name, &full);
	if (full.len)
		err_hint(err, "names are written in full: %s", full.data);
	else if (near)
		err_hint(err, "did you mean '%s'?", near);
	ask_about_option(name, err);
	buf_release(&full);
	return -1;
}

static int option_unknown(const struct getopt_form *f, const char *word, struct ftr_error *err)
{
	char *name;

	if (word[1] != '-' && optopt) {
		err_set(err, FTR_USAGE, "unknown option '-%c'", optopt);
		ask_about_option((char[]){ '-', optopt, '\0' }, err);
		return -1;
	}
	name = xstrndup(word, strcspn(word, "="));
	unknown_name(f, name, err);
	free(name);
	return -1;
}

/*
 * The word of an option whose name getopt_long() has found: the last one that it read, or the one
 * before an argument of its own.
 */
static const char *word_of(char **argv)
{
	return argv[optind - (optarg && optarg == argv[optind - 1] ? 2 : 1)];
}

/*
 * getopt_long() takes any beginning of a name that is the only one: what a word means would change
 * with each option that is added.
 */
static bool in_full(const char *word, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(word + 2, name, n) && (!word[2 + n] || word[2 + n] == '=');
}

static int option_set(const struct opt *o, void *ctx, struct ftr_error *err)
{
	char letter[] = { '-', o->letter, '\0' };

	if (!o->set(ctx, o, optarg, err))
		return 0;
	if (o->letter)
		ask_about_option(letter, err);
	return -1;
}

static int option_handle(const struct opt *table, const struct getopt_form *f, int got, char **argv,
			 void *ctx, struct ftr_error *err)
{
	const struct opt *o = got == OPT_HELP ? NULL : getopt_row(table, got);

	if (got >= OPT_HELP && !in_full(word_of(argv), o ? o->name : "help"))
		return option_unknown(f, word_of(argv), err);
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
	return option_set(o, ctx, err);
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
#define HELP_USUAL  80	/* columns, where nothing tells them */
#define HELP_LEAST  48	/* less leaves no room behind the help column */
#define HELP_MOST   100	/* the eye loses longer lines */

/* Of a line; one that is as long as the terminal is wide would be followed by an empty one. */
static size_t help_width(void)
{
	unsigned int n = term_width();

	if (!n)
		n = HELP_USUAL;
	return (n < HELP_LEAST ? HELP_LEAST : n > HELP_MOST ? HELP_MOST : n) - 1;
}

/* Words from the help column on, wrapped. */
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
	if (o->arg)
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
	size_t width = help_width();

	for (; !opt_last(table); table++) {
		if (opt_real(table))
			help_row(table, width, out);
		else
			buf_printf(out, "\n%s:\n", table->name);
	}
}
