/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options from a table: parses them in order (with getopt_long), prints grouped help, and suggests
 * names for unknown ones.
 */
#ifndef FTR_BASE_OPT_H
#define FTR_BASE_OPT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct buf;
struct opt;

/*
 * Called for each occurrence, in the order of the command line. @arg is NULL for options without an
 * argument. Returns 0, or -1 with @err (code FTR_USAGE for a wrong argument).
 */
typedef int (*opt_fn)(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);

struct opt {
	int         letter;	/* 'e', or 0 if there is only a long name */
	const char *name;	/* long name without dashes, or NULL */
	const char *arg;	/* "EVENT"; "[EVENT]" may be left out; NULL = takes none */
	const char *help;	/* one line; NULL = the row is a heading: ->name is its text */
	opt_fn      set;
	size_t      off;	/* for the ready-made setters below: offset into ctx */
};
#define OPT_GROUP(text)	{ .name = text }
#define OPT_END		{ 0 }

/* Ready-made setters. ->off is the offset in ctx of a bool, a const char * and a struct strv. */
int opt_flag(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int opt_str(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int opt_strv(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);

/*
 * For setters of options whose argument is one of @words, NULL-terminated: returns the index of
 * @arg. Returns -1 with @err, which lists the words, if it is none of them.
 */
int opt_word(const struct opt *o, const char *arg, const char *const *words,
	     struct ftr_error *err);

/*
 * Parses argv[1..argc-1]. With @stop_at_word it stops at the first word that is no option, else
 * words may be between options. "--" ends options. Returns the index of the first operand in argv
 * (which is permuted), or -1. -h and --help, not in the table, give err->code 0 and -1.
 */
int opt_parse(const struct opt *table, bool stop_at_word, int argc, char **argv, void *ctx,
	      struct ftr_error *err);

/*
 * Called for an option ("-x", "--name") that is not in the table, lacks its argument, or has a
 * wrong one. It may change the hint of @err. NULL: not called.
 */
extern void (*opt_ask)(const char *option, struct ftr_error *err);

/*
 * Sets seen[row] for each row of @table that occurs in argv, which is not changed. Returns 1 at -h
 * or --help, without looking at the rest, else 0. Errors in argv are left to opt_parse().
 */
int opt_seen(const struct opt *table, bool stop_at_word, int argc, char **argv, bool *seen);
/* Returns the number of rows of @table, headings included. */
size_t opt_count(const struct opt *table);
/* Returns the row with this long name, or this letter; NULL if there is none. */
const struct opt *opt_named(const struct opt *table, const char *name);

/* Returns true for "[ENGINE]", an argument that may be left out, and follows "=" otherwise. */
bool opt_arg_is_optional(const struct opt *o);

/* Appends the table as help text in groups. */
void opt_help(const struct opt *table, struct buf *out);
/* Returns true for rows that are options, not headings. */
static inline bool opt_real(const struct opt *o)
{
	return o->help != NULL;
}
static inline bool opt_last(const struct opt *o)
{
	return !o->letter && !o->name;
}

#endif
