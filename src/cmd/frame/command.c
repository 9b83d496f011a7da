/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What commands share when they speak to the user: errors with hints, remarks, help. */
#include "cmd/frame/command.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/term.h"
#include "base/text.h"
#include "cmd/frame/command_verbs.h"
#include "cmd/frame/config.h"
#include "cmd/frame/status_line.h"
#include "cmd/frame/trace_cmd.h"
#include "file/read/dat.h"

#define RED	"\033[31;1m"
#define YELLOW	"\033[33m"
#define CYAN	"\033[36m"
#define RESET	"\033[0m"

bool cmd_quiet;

int cmd_set_quiet(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	cmd_quiet = true;
	return opt_flag(ctx, o, arg, err);
}

/* A name with a line end must not speak as we do. */
static bool begins_as_ours(const char *text, const char *end)
{
	static const char *const begins[] = { "ftr:", "hint:" };

	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++)
		if ((size_t)(end - text) >= strlen(begins[i]) &&
		    !memcmp(text, begins[i], strlen(begins[i])))
			return true;
	return false;
}

/* One line on stderr. What comes from files and kernels may hold control bytes. */
static void speak_line(const char *colour, const char *who, const char *text, size_t len)
{
	bool paint = colour && term_colour(STDERR_FILENO);
	const char *end = text + len, *nl;
	struct buf line = {0};

	while ((nl = memchr(text, '\n', end - text))) {
		text_sanitise(&line, text, nl - text, false);
		buf_addstr(&line, begins_as_ours(nl + 1, end) ? "\\x0a" : "\n");
		text = nl + 1;
	}
	text_sanitise(&line, text, end - text, false);
	buf_addstr(&line, "");
	fflush(stdout);
	line_end();
	fprintf(stderr, "%s%s%s %s\n", paint ? colour : "", who, paint ? RESET : "", line.data);
	buf_release(&line);
}

static void speak_vprintf(const char *colour, const char *who, const char *fmt, va_list ap)
{
	struct buf text = {0};

	buf_vprintf(&text, fmt, ap);
	speak_line(colour, who, text.data, text.len);
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
	speak_line(RED, "ftr:", err->msg, strlen(err->msg));
	if (err->hint[0])
		speak_line(CYAN, "hint:", err->hint, strlen(err->hint));
	return err->code ? err->code : FTR_FAILED;
}

void cmd_say(const char *fmt, ...)
{
	va_list ap;

	if (cmd_quiet)
		return;
	va_start(ap, fmt);
	speak_vprintf(NULL, "ftr:", fmt, ap);
	va_end(ap);
}

void cmd_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	speak_vprintf(YELLOW, "ftr: warning:", fmt, ap);
	va_end(ap);
}

/* What can be done about it, on a line of its own. */
static void hint_damage(const struct damage *d, struct buf *line)
{
	if (strcmp(d->kind, DAT_UNFINISHED))
		return;
	buf_reset(line);
	if (strcmp(d->file, DAT_INPUT)) {
		buf_addstr(line, "'ftr recover ");
		text_add_file(line, d->file);
		buf_addstr(line, "' finishes it");
	} else {
		buf_addstr(line, "of a file with the same bytes 'ftr recover FILE' finishes it");
	}
	speak_line(CYAN, "hint:", line->data, line->len);
}

int cmd_damages(const struct damages *d)
{
	struct buf line = {0};
	size_t i;

	for (i = 0; i < d->n; i++) {
		buf_reset(&line);
		damage_describe(&d->v[i], &line);
		speak_line(YELLOW, "ftr: damaged:", line.data, line.len);
		hint_damage(&d->v[i], &line);
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

static const struct cmd *parsed;	/* whose options are looked at */

/* A wrong argument keeps its hint; what is no option of the command may be one elsewhere. */
static void ask_elsewhere(const char *option, struct ftr_error *err)
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
		opt_ask = ask_elsewhere;
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
