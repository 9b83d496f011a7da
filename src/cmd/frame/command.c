/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The output that all commands share: errors with hints, remarks, help, a line of progress. */
#include "cmd/frame/command.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/term.h"
#include "base/text.h"
#include "cmd/frame/command_verbs.h"
#include "cmd/frame/config.h"
#include "cmd/frame/trace_cmd.h"
#include "file/read/dat.h"

#define RED	"\033[31;1m"
#define YELLOW	"\033[33m"
#define CYAN	"\033[36m"
#define RESET	"\033[0m"

enum {
	USUAL_WIDTH = 80,
	NAMED = 3,			/* owners of an option that a hint names */
};

bool cmd_quiet;

/* --- a line that is rewritten in place */

static size_t shown;			/* columns of the current line */

bool line_wanted(bool with_command)
{
	struct stat st;

	if (!isatty(STDERR_FILENO))
		return false;
	if (!with_command)
		return true;
	/* the output of a pipe ends at the terminal as a rule */
	return !fstat(STDOUT_FILENO, &st) && !isatty(STDOUT_FILENO) &&
	       (S_ISREG(st.st_mode) || S_ISCHR(st.st_mode));
}

/*
 * The cursor waits in the first column, where the next output starts. Blanks clear the rest of the
 * line before: they need no escape sequence, which a terminal may not know.
 */
void line_show(const char *text)
{
	size_t n = text ? strlen(text) : 0, room = USUAL_WIDTH - 1;
	struct winsize ws;
	size_t blanks;

	if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &ws) && ws.ws_col >= 2)
		room = ws.ws_col - 1;
	if (text && tcgetpgrp(STDERR_FILENO) != getpgrp())
		return;
	if (n > room)
		n = room;
	blanks = shown > n ? shown - n : 0;
	if (blanks > room - n)
		blanks = room - n;
	fprintf(stderr, "\r%.*s%*s\r", (int)n, text ? text : "", (int)blanks, "");
	shown = n;
}

void line_end(void)
{
	if (shown)
		line_show(NULL);
}

/* --- the owners of an option that was given to another command */

static struct {
	const struct opt *global;
	const struct cmd *const *commands;
} known;

void owners_know(const struct opt *global, const struct cmd *const *commands)
{
	known.global = global;
	known.commands = commands;
}

/* Returns the row of "-x" or "--name". */
static const struct opt *find_option(const struct opt *table, const char *option)
{
	bool is_name = option[1] == '-';
	const char *name = option + 1 + is_name;

	return table && (is_name == (name[0] && name[1])) ? opt_named(table, name) : NULL;
}

void owners_hint(const struct cmd *self, const char *option, struct ftr_error *err)
{
	const struct opt *o = self ? find_option(known.global, option) : NULL;
	size_t i, more, len = strlen(err->hint);
	const struct cmd *const *c, *v;
	struct strv owners = {0};
	struct buf text = {0};

	if (o) {
		err_hint(err, "'%s' stands before the command, as in 'ftr %s%s%s %s': %s", option,
			 option, o->arg ? "=" : "", o->arg ? o->arg : "", self->name, o->help);
		return;
	}
	for (c = known.commands; c && *c; c++) {
		if (!(*c)->verbs && find_option((*c)->options, option))
			strv_take(&owners, xasprintf("'ftr %s'", (*c)->name));
		for (v = (*c)->verbs; v && v->name; v++)
			if (find_option(v->options, option))
				strv_take(&owners, xasprintf("'ftr %s%s%s'", (*c)->name,
							     *v->name ? " " : "", v->name));
	}
	if (len)
		buf_printf(&text, "%s%s ", err->hint, err->hint[len - 1] == '?' ? "" : ";");
	buf_printf(&text, "'%s' is an option of ", option);
	/* "'ftr record', 'ftr start' and 2 others" */
	more = owners.n > NAMED ? owners.n - NAMED : 0;
	for (i = 0; i + more < owners.n; i++)
		buf_printf(&text, "%s%s", !i ? "" : i + 1 < owners.n ? ", " : " and ",
			   owners.v[i]);
	if (more)
		buf_printf(&text, " and %zu other%s", more, more > 1 ? "s" : "");
	if (owners.n)
		err_hint(err, "%s", text.data);
	strv_release(&owners);
	buf_release(&text);
}

/* --- messages */

int cmd_set_quiet(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	cmd_quiet = true;
	return opt_flag(ctx, o, arg, err);
}

/* Returns true if a line looks like one of ftr's: a name with a newline must not make one. */
static bool starts_like_ours(const char *text, const char *end)
{
	static const char *const starts[] = { "ftr:", "hint:" };

	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		if ((size_t)(end - text) >= strlen(starts[i]) &&
		    !memcmp(text, starts[i], strlen(starts[i])))
			return true;
	return false;
}

/* Prints a message on stderr, escaped, as files and kernels may contain control bytes. */
static void print_message(const char *colour, const char *who, const char *text, size_t len)
{
	bool paint = colour && term_colour(STDERR_FILENO);
	const char *end = text + len, *nl;
	struct buf line = {0};

	while ((nl = memchr(text, '\n', end - text))) {
		text_sanitise(&line, text, nl - text, false);
		buf_addstr(&line, starts_like_ours(nl + 1, end) ? "\\x0a" : "\n");
		text = nl + 1;
	}
	text_sanitise(&line, text, end - text, false);
	buf_addstr(&line, "");
	fflush(stdout);
	line_end();
	fprintf(stderr, "%s%s%s %s\n", paint ? colour : "", who, paint ? RESET : "", line.data);
	buf_release(&line);
}

static void vprint_message(const char *colour, const char *who, const char *fmt, va_list ap)
{
	struct buf text = {0};

	buf_vprintf(&text, fmt, ap);
	print_message(colour, who, text.data, text.len);
	buf_release(&text);
}

void cmd_print(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	text_vprint(stdout, fmt, ap);
	va_end(ap);
}

void cmd_line(const struct buf *line, const char *before)
{
	struct buf clean = {0};

	if (line->len && !cmd_quiet) {
		text_sanitise(&clean, line->data, line->len, false);
		fprintf(stderr, "%s%s\n", before, clean.data);
	}
	buf_release(&clean);
}

int cmd_fail(const struct ftr_error *err)
{
	print_message(RED, "ftr:", err->msg, strlen(err->msg));
	if (err->hint[0])
		print_message(CYAN, "hint:", err->hint, strlen(err->hint));
	return err->code ? err->code : FTR_FAILED;
}

void cmd_notice(const char *fmt, ...)
{
	va_list ap;

	if (cmd_quiet)
		return;
	va_start(ap, fmt);
	vprint_message(NULL, "ftr:", fmt, ap);
	va_end(ap);
}

void cmd_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vprint_message(YELLOW, "ftr: warning:", fmt, ap);
	va_end(ap);
}

int cmd_damages(const struct damage_list *d)
{
	struct buf line = {0};
	size_t i;

	for (i = 0; i < d->n; i++) {
		buf_reset(&line);
		damage_describe(&d->v[i], &line);
		print_message(YELLOW, "ftr: damaged:", line.data, line.len);
		if (strcmp(d->v[i].kind, DAT_UNFINISHED))
			continue;
		buf_reset(&line);
		if (strcmp(d->v[i].file, DAT_INPUT)) {
			buf_addstr(&line, "'ftr recover ");
			text_add_file(&line, d->v[i].file);
			buf_addstr(&line, "' finishes it");
		} else {
			buf_addstr(&line, "of a file with the same bytes 'ftr recover FILE' "
				   "finishes it");
		}
		print_message(CYAN, "hint:", line.data, line.len);
	}
	buf_release(&line);
	return d->n ? FTR_DAMAGED : FTR_OK;
}

void cmd_print_help(const struct cmd *self)
{
	struct buf out = {0};
	size_t i;

	buf_printf(&out, "ftr %s - %s\n\n", self->name, self->summary);
	buf_printf(&out, "Usage: ftr %s%s%s\n", self->name, *self->usage ? " " : "", self->usage);
	if (self->verbs)
		verbs_help(self, &out);
	else if (self->options)
		opt_help(self->options, &out);
	if (self->examples)
		buf_addstr(&out, "\nExamples:\n");
	for (i = 0; self->examples && self->examples[i]; i++)
		buf_printf(&out, "  %s\n", self->examples[i]);
	fwrite(out.data, 1, out.len, stdout);
	buf_release(&out);
}

static const struct cmd *parsed;	/* the command of cmd_parse() */

/*
 * Adds hints for trace-cmd's options, and for options of other commands. A wrong argument keeps its
 * hint.
 */
static void hint_elsewhere(const char *option, struct ftr_error *err)
{
	struct ftr_error own = *err;

	if (opt_named(parsed->options, option + strspn(option, "-"))) {
		trace_cmd_hint(parsed->name, option, err);
		return;
	}
	err->hint[0] = '\0';
	if (trace_cmd_hint(parsed->name, option, err))
		return;
	*err = own;
	owners_hint(parsed, option, err);
}

int cmd_parse(const struct cmd *self, int argc, char **argv, void *ctx, int *status)
{
	struct ftr_error err = {0};
	bool stop = self->flags & CMD_WORDS_LAST;
	int first = -1;

	parsed = self;
	if (!config_apply(self->name, self->options, stop, argc, argv, ctx, &err)) {
		opt_ask = hint_elsewhere;
		first = opt_parse(self->options, stop, argc, argv, ctx, &err);
		opt_ask = NULL;
	}
	*status = FTR_OK;
	if (first >= 0)
		return first;
	if (err.code == FTR_OK) {
		cmd_print_help(self);
		return -1;
	}
	if (!err.hint[0])
		err_hint(&err, "'ftr %s -h' lists the options", self->name);
	*status = cmd_fail(&err);
	return -1;
}
