/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Config files: defaults of the options of each command.
 *
 * They are applied before the command line is parsed, through the option tables, so that every
 * option of every command can have a default; options that the command line has are left out. They
 * name files to write and code to load: a file that others could have written is not used at all.
 */
#include "cmd/frame/config.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/frame/command_verbs.h"

#define SYSTEM_FILE	"/etc/ftr.conf"
#define MAX_BYTES	(1u << 20)
#define GLOBAL		"ftr"		/* the section of options before the command */

struct config_setting {
	const char *file;
	unsigned int nr_file, line;	/* a later file overrides settings of the same name */
	char *section, *key, *value;	/* value NULL: only the name */
};

static struct {
	struct config_setting *v;
	size_t n, cap;
	unsigned int nr_files;
	struct strv files;		/* names of the files */
	const struct cmd *const *commands;	/* the commands that may have sections */
	bool off;
} conf;

/* --- reading */

static char *trimmed_copy(const char *s, size_t n)
{
	while (n && isspace((unsigned char)*s)) {
		s++;
		n--;
	}
	while (n && isspace((unsigned char)s[n - 1]))
		n--;
	return xstrndup(s, n);
}

/* Removes quotes, which keep blanks at the ends of a value. Frees @value. */
static char *unquote_value(char *value)
{
	size_t n = strlen(value);
	char *inner;

	if (n < 2 || value[0] != '"' || value[n - 1] != '"')
		return value;
	inner = xstrndup(value + 1, n - 2);
	free(value);
	return inner;
}

/*
 * Warns of a section that is for no command or verb. It is no error: a file for several versions of
 * ftr may have sections for commands that this one lacks.
 */
static void check_section(const char *file, unsigned int line, const char *section)
{
	const struct cmd *const *c, *v;
	struct strv names = {0};
	const char *near;

	strv_add(&names, GLOBAL);
	for (c = conf.commands; *c; c++) {
		strv_add(&names, (*c)->name);
		for (v = (*c)->verbs; v && v->name; v++)
			if (*v->name)
				strv_take(&names, xasprintf("%s %s", (*c)->name, v->name));
	}
	if (!strv_has(&names, section)) {
		near = text_closest(section, names.v);
		cmd_warn("%s:%u: ftr has no command '%s'%s%s%s", file, line, section,
			 near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
	}
	strv_release(&names);
}

static int located_error(struct ftr_error *err, const char *file, unsigned int line,
			 const char *what, const char *text)
{
	return err_set(err, FTR_USAGE, "%s:%u: %s '%s'", file, line, what, text);
}

static int parse_section(const char *file, unsigned int line, const char *text, char **section,
			 struct ftr_error *err)
{
	size_t n = strlen(text);
	char *name;

	if (text[n - 1] != ']')
		return located_error(err, file, line, "no ']' after the name of a section:", text);
	name = trimmed_copy(text + 1, n - 2);
	free(*section);
	*section = name;
	check_section(file, line, name);
	return 0;
}

static int parse_setting(const char *file, unsigned int line, const char *text,
			 const char *section, struct ftr_error *err)
{
	const char *eq = strchr(text, '=');
	struct config_setting s = { .file = file, .nr_file = conf.nr_files, .line = line };

	if (!section) {
		located_error(err, file, line, "no section before", text);
		return err_hint(err, "a line '[record]' begins the options of ftr record");
	}
	s.key = trimmed_copy(text, eq ? (size_t)(eq - text) : strlen(text));
	if (!*s.key || strpbrk(s.key, " \t")) {
		free(s.key);
		located_error(err, file, line, "no option:", text);
		return err_hint(err, "a line is OPTION = VALUE, or OPTION alone");
	}
	s.value = eq ? unquote_value(trimmed_copy(eq + 1, strlen(eq + 1))) : NULL;
	s.section = xstrdup(section);
	conf.v = xgrow(conf.v, &conf.cap, conf.n + 1, sizeof(*conf.v));
	conf.v[conf.n++] = s;
	return 0;
}

static int parse_text(const char *file, const char *text, struct ftr_error *err)
{
	char *section = NULL, *line;
	unsigned int number;
	const char *end;
	int ret = 0;

	strv_add(&conf.files, file);
	file = conf.files.v[conf.files.n - 1];
	conf.nr_files++;
	for (number = 1; !ret && *text; number++, text = *end ? end + 1 : end) {
		end = text + strcspn(text, "\n");
		line = trimmed_copy(text, end - text);
		if (*line == '[')
			ret = parse_section(file, number, line, &section, err);
		else if (*line && *line != '#' && *line != ';')
			ret = parse_setting(file, number, line, section, err);
		free(line);
	}
	free(section);
	return ret;
}

/*
 * Returns why a file is not used; NULL if it is. Options name files to write, and code to load: a
 * user who can write the config acts as its owner. So it must belong to the user or to root, for
 * root to root, and nobody else may write it.
 */
static const char *distrust_reason(const struct stat *st)
{
	if (S_ISCHR(st->st_mode) && st->st_rdev == makedev(1, 3))	/* /dev/null */
		return NULL;
	if (!S_ISREG(st->st_mode))
		return "it is not a regular file";
	if (st->st_uid && st->st_uid != geteuid())
		return geteuid() ? "it belongs to somebody else" : "it does not belong to root";
	if (st->st_mode & S_IWOTH || (st->st_mode & S_IWGRP && st->st_gid != st->st_uid))
		return "others may write it";
	return st->st_size > MAX_BYTES ? "it is too large" : NULL;
}

static int config_load_file(const char *path, bool must_be, struct ftr_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), ret = 0;
	struct buf text = {0};
	const char *why;
	struct stat st;

	if (fd < 0) {
		if (!must_be && (errno == ENOENT || errno == ENOTDIR || errno == EACCES))
			return 0;
		return err_sys(err, "cannot open the config file '%s'", path);
	}
	if (fstat(fd, &st))
		ret = err_sys(err, "cannot read the config file '%s'", path);
	else if ((why = distrust_reason(&st)))
		cmd_warn("the config file '%s' is not used: %s", path, why);
	else if (io_read_max(fd, MAX_BYTES, &text))
		ret = err_sys(err, "cannot read the config file '%s'", path);
	else if (text.len)
		ret = parse_text(path, text.data, err);
	close(fd);
	buf_release(&text);
	return ret;
}

int config_load(const struct cmd *const *commands, struct ftr_error *err)
{
	const char *named = secure_getenv("FTR_CONFIG"), *xdg = secure_getenv("XDG_CONFIG_HOME");
	const char *home = secure_getenv("HOME");
	char *path = NULL;
	int ret;

	if (conf.off)
		return 0;
	conf.commands = commands;
	if (named)
		return *named ? config_load_file(named, true, err) : 0;
	if (xdg && *xdg == '/')
		path = xasprintf("%s/ftr/config", xdg);
	else if (home && *home == '/')
		path = xasprintf("%s/.config/ftr/config", home);
	ret = config_load_file(SYSTEM_FILE, false, err);
	if (!ret && path)
		ret = config_load_file(path, false, err);
	free(path);
	return ret;
}

void config_off(void)
{
	conf.off = true;
}

/* --- applying */

/* Returns 1 for yes, also without a value, 0 for no, -1 for another word. */
static int parse_yes_or_no(const char *value)
{
	static const char *const yes[] = { "yes", "on", "true", "1" };
	static const char *const no[] = { "no", "off", "false", "0" };
	size_t i;

	if (!value)
		return 1;
	for (i = 0; i < 4; i++) {
		if (!strcmp(value, yes[i]))
			return 1;
		if (!strcmp(value, no[i]))
			return 0;
	}
	return -1;
}

static int fail_unknown_setting(const struct config_setting *s, const struct opt *table,
				struct ftr_error *err)
{
	struct strv names = {0};
	const char *near;

	for (; !opt_last(table); table++)
		if (opt_real(table) && table->name)
			strv_add(&names, table->name);
	near = names.n ? text_closest(s->key, names.v) : NULL;
	err_set(err, FTR_USAGE, "%s:%u: 'ftr %s' has no option '%s'", s->file, s->line,
		strcmp(s->section, GLOBAL) ? s->section : "", s->key);
	if (near)
		err_hint(err, "did you mean '%s'?", near);
	strv_release(&names);
	return -1;
}

/* Calls the setter of a row. Errors get the file and the line before them. */
static int apply_setting(const struct config_setting *s, const struct opt *o, void *ctx,
			 struct ftr_error *err)
{
	struct ftr_error why = {0};
	int on = 1;

	if (!strcmp(s->section, GLOBAL) &&
	    (!strcmp(o->name, "version") || !strcmp(o->name, "no-config")))
		return err_set(err, FTR_USAGE, "%s:%u: option '%s' is not allowed in a file",
			       s->file, s->line, s->key);
	if (!o->arg) {
		on = parse_yes_or_no(s->value);
		if (on < 0)
			return err_set(err, FTR_USAGE, "%s:%u: option '%s' is yes or no, not '%s'",
				       s->file, s->line, s->key, s->value);
	} else if (!s->value) {
		return err_set(err, FTR_USAGE, "%s:%u: option '%s' needs a value", s->file, s->line,
			       s->key);
	}
	if (!on || !o->set(ctx, o, o->arg ? s->value : NULL, &why))
		return 0;
	err_set(err, why.code ? why.code : FTR_USAGE, "%s:%u: %s", s->file, s->line, why.msg);
	return why.hint[0] ? err_hint(err, "%s", why.hint) : -1;
}

/* Returns true if a later file has the same option, too. */
static bool is_overridden(const struct opt *table, const struct config_setting *s,
			  const struct opt *o)
{
	const struct config_setting *later;

	for (later = s + 1; later < conf.v + conf.n; later++)
		if (later->nr_file > s->nr_file && !strcmp(later->section, s->section) &&
		    opt_named(table, later->key) == o)
			return true;
	return false;
}

int config_apply(const char *section, const struct opt *table, bool stop_at_word, int argc,
		 char **argv, void *ctx, struct ftr_error *err)
{
	const struct config_setting *s;
	const struct opt *o;
	bool *seen;
	int ret = 0;

	if (!conf.n)
		return 0;
	seen = xcalloc(opt_count(table) + 1, sizeof(*seen));
	/* -h works with any contents of the files */
	if (opt_seen(table, stop_at_word, argc, argv, seen))
		goto out;
	for (s = conf.v; !ret && s < conf.v + conf.n; s++) {
		if (strcmp(s->section, section))
			continue;
		o = opt_named(table, s->key);
		if (!o)
			ret = fail_unknown_setting(s, table, err);
		else if (!seen[o - table] && !is_overridden(table, s, o))
			ret = apply_setting(s, o, ctx, err);
	}
out:
	free(seen);
	return ret;
}
