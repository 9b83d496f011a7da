/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The shell of ftr sql: a line editor with history and completion, and commands with a dot. */
#include "cmd/sql_shell.h"

#ifndef WITHOUT_EDIT
#include <editline/readline.h>
#endif
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/term.h"
#include "base/text.h"
#include "cmd/frame/command.h"

#define PROMPT	    "ftr> "
#define PROMPT_MORE "  -> "
#define HISTORY_MAX 1000

static struct sql_shell *shell;		/* for the line editor and the handler of SIGINT */
static struct strv names;		/* words that can be completed */

static void interrupt_query(int sig)
{
	(void)sig;
	if (shell)
		sql_interrupt(shell->db);
}

/* --- commands with a dot */

static int show_tables(struct sql_shell *s, const char *arg)
{
	struct buf text = {0};

	(void)arg;
	sql_add_tables(s->db, &text);
	fwrite(text.data ? text.data : "", 1, text.len, stdout);
	buf_release(&text);
	return 0;
}

static int show_schema(struct sql_shell *s, const char *arg)
{
	struct buf text = {0};
	bool found = sql_add_schema(s->db, *arg ? arg : NULL, &text);

	fwrite(text.data ? text.data : "", 1, text.len, stdout);
	buf_release(&text);
	if (!found)
		cmd_warn("there is no table or function '%s'; .tables and .functions list them",
			 arg);
	return found ? 0 : -1;
}

static int show_functions(struct sql_shell *s, const char *arg)
{
	struct buf text = {0};

	(void)s;
	(void)arg;
	sql_add_function_list(&text);
	fwrite(text.data, 1, text.len, stdout);
	buf_release(&text);
	return 0;
}

static int set_mode(struct sql_shell *s, const char *arg)
{
	const struct sql_format *f = sql_format_find(arg);
	struct buf text = {0};

	if (f) {
		s->format = f;
		return 0;
	}
	sql_format_names(&text);
	cmd_warn(".mode takes one of %s", text.data);
	buf_release(&text);
	return -1;
}

static int show_stats(struct sql_shell *s, const char *arg)
{
	static uint64_t before;
	uint64_t now = sql_records_read(s->db);

	(void)arg;
	printf("%" PRIu64 " records read since the last .stats\n", now - before);
	before = now;
	return 0;
}

static int quit(struct sql_shell *s, const char *arg)
{
	(void)arg;
	s->ended = true;
	return 0;
}

static int show_help(struct sql_shell *s, const char *arg);

static const struct dot_command {
	const char *name, *usage, *about;
	int (*run)(struct sql_shell *s, const char *arg);
} dots[] = {
	{ ".help", ".help", "print this", show_help },
	{ ".tables", ".tables", "list the tables", show_tables },
	{ ".functions", ".functions", "list the functions beside those of SQLite", show_functions },
	{ ".schema", ".schema [TABLE]", "show the columns of a table, or of all", show_schema },
	{ ".mode", ".mode FORMAT", "print table, csv, json, jsonl or markdown", set_mode },
	{ ".stats", ".stats", "show how many records were read", show_stats },
	{ ".quit", ".quit", "end, as Ctrl-D does", quit },
};
#define NR_DOTS (sizeof(dots) / sizeof(*dots))

static int show_help(struct sql_shell *s, const char *arg)
{
	(void)s;
	(void)arg;
	for (size_t i = 0; i < NR_DOTS; i++)
		printf("%-16s  %s\n", dots[i].usage, dots[i].about);
	printf("%-16s  %s\n", "SELECT ...;", "a query ends with a semicolon; Tab completes names, "
	       "Ctrl-C ends a query");
	return 0;
}

static int run_dot(struct sql_shell *s, char *line)
{
	size_t n = strcspn(line, " \t");
	const char *arg = line + n + strspn(line + n, " \t");

	for (size_t i = 0; i < NR_DOTS; i++)
		if (strlen(dots[i].name) == n && !memcmp(dots[i].name, line, n))
			return dots[i].run(s, arg);
	cmd_warn("there is no command '%.*s'; .help shows them", (int)n, line);
	return -1;
}

/* --- the line editor */

#ifndef WITHOUT_EDIT
static char *next_name(const char *word, int state)
{
	static size_t at;
	size_t n = strlen(word);

	if (!state)
		at = 0;
	while (at < names.n) {
		const char *name = names.v[at++];

		if (!strncasecmp(name, word, n))
			return strdup(name);
	}
	return NULL;
}

static char **complete_word(const char *word, int start, int end)
{
	(void)start;
	(void)end;
	rl_attempted_completion_over = 1;
	return rl_completion_matches(word, next_name);
}

/* Returns the file with earlier queries, in the user's directory for such; the caller frees it. */
static char *history_path(void)
{
	const char *state = secure_getenv("XDG_STATE_HOME"), *home = secure_getenv("HOME");
	char *dir, *path;

	if (state && *state)
		dir = xasprintf("%s/ftr", state);
	else if (home && *home)
		dir = xasprintf("%s/.local/state/ftr", home);
	else
		return NULL;
	path = io_mkdirs(dir, 0700) ? NULL : xasprintf("%s/sql_history", dir);
	free(dir);
	return path;
}

static void start_editor(void)
{
	char *path = history_path();

	rl_readline_name = "ftr";
	rl_attempted_completion_function = complete_word;
	rl_basic_word_break_characters = " \t\n\"'`@$><=;|&{(,.*+-/";
	using_history();
	stifle_history(HISTORY_MAX);
	if (path)
		read_history(path);
	free(path);
}

static void keep_history(const char *text)
{
	char *path;

	add_history(text);
	path = history_path();
	if (path && !write_history(path))
		chmod(path, 0600);
	free(path);
}
#endif

/* Returns the next line without its newline, which the caller frees; NULL at the end. */
static char *read_line(bool is_terminal, const char *prompt)
{
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;

#ifndef WITHOUT_EDIT
	if (is_terminal)
		return readline(prompt);
#endif
	if (is_terminal) {
		fputs(prompt, stdout);
		fflush(stdout);
	}
	n = getline(&line, &cap, stdin);
	if (n < 0) {
		free(line);
		return NULL;
	}
	if (n && line[n - 1] == '\n')
		line[n - 1] = '\0';
	return line;
}

/* --- */

static void answer_query(struct sql_shell *s, const char *query, bool is_terminal, int *status)
{
	struct sigaction on = { .sa_handler = interrupt_query };
	struct ftr_error err = {0};
	int ret;

	const struct sql_output o = {
		.format = s->format, .header = s->header, .out = stdout,
		.start = is_terminal ? s->start : NULL,
	};

	sigaction(SIGINT, &on, NULL);
	s->begin();
	ret = sql_run(s->db, query, &o, &err);
	s->end();
	if (ret) {
		*status = FTR_FAILED;
		term_pager_pause();
		cmd_fail(&err);
	}
	term_pager_pause();
	sigaction(SIGINT, &on, NULL);
}

static void take_name(void *ctx, const char *name)
{
	strv_add(ctx, name);
}

/* Takes a line: a command, or a part of a query, which is answered at its semicolon. */
static void take_line(struct sql_shell *s, struct buf *query, char *line, bool is_terminal,
		      int *status)
{
	if (!query->len && line[strspn(line, " \t")] == '.') {
		if (run_dot(s, line + strspn(line, " \t")))
			*status = FTR_FAILED;
		return;
	}
	if (!query->len && !line[strspn(line, " \t")])
		return;
	buf_printf(query, "%s%s", query->len ? "\n" : "", line);
	if (!sqlite3_complete(query->data))
		return;
#ifndef WITHOUT_EDIT
	if (is_terminal)
		keep_history(query->data);
#endif
	answer_query(s, query->data, is_terminal, status);
	buf_reset(query);
}

int sql_shell_run(struct sql_shell *s)
{
	struct sigaction on = { .sa_handler = interrupt_query };
	bool is_terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	struct buf query = {0};
	int status = FTR_OK;
	char *line;

	shell = s;
	sigaction(SIGINT, &on, NULL);
	if (is_terminal) {
		sql_names(s->db, take_name, &names);
		strv_sort_unique(&names);
#ifndef WITHOUT_EDIT
		start_editor();
#endif
		printf("ftr sql: .tables, .schema and .help show what can be asked\n");
	}
	while (!s->ended) {
		errno = 0;
		line = read_line(is_terminal, query.len ? PROMPT_MORE : PROMPT);
		/* Ctrl-C drops what was typed so far */
		if (!line && errno == EINTR && is_terminal) {
			clearerr(stdin);
			sql_end_query(s->db);
			putchar('\n');
			buf_reset(&query);
			continue;
		}
		if (!line)
			break;
		take_line(s, &query, line, is_terminal, &status);
		free(line);
	}
	if (query.len)
		answer_query(s, query.data, is_terminal, &status);
	if (is_terminal && !s->ended)
		putchar('\n');
	buf_release(&query);
	strv_release(&names);
	shell = NULL;
	return is_terminal ? FTR_OK : status;
}
