/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Completes command lines for shells, from the command table and the live tracefs.
 *
 * Scripts of shells that list commands and options would be out of date, so the scripts pass the
 * words to ftr help --complete. The name of an option's argument (EVENT, FUNC, FILE) determines
 * its completion. Events, tasks and fields of a report come from the trace files on the command
 * line: only regular files are read, for at most three seconds. Their names of tasks become part
 * of the user's command line; bash inserts words unquoted, so its script quotes them.
 */
#include "cmd/command_table.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "cmd/frame/command.h"
#include "cmd/frame/command_verbs.h"
#include "file/compress.h"
#include "model/model.h"
#include "output/line_columns.h"
#include "record/setup/purposes.h"
#include "trace/trace.h"
#include "tracefs/files/control.h"
#include "tracefs/files/tfs.h"

/* A completion of the last word of a command line. */
struct word_completion {
	const char *prefix;	/* written before each answer: "--event=" */
	char *within;		/* the memory of ->prefix if it is a part of the word, or NULL */
	const char *word;	/* the part of the word after ->prefix */
	struct strv files;	/* trace files that the command line names */
	struct buf *out;
	size_t n;
};

#define MAX_NAMES	4000		/* names; a longer list helps nobody */
#define DEFAULT_FILE	"trace.dat"
#define SECONDS		3		/* reading stops after this time, and nothing is offered */

/*
 * Offers a word if it completes ->word. A word with a leading colon is an instruction to the shell,
 * as ":files", so names that look like one are skipped.
 */
static void complete_offer(struct word_completion *w, const char *word, const char *what)
{
	if (*word == ':' && !*w->prefix)
		return;
	if (w->n >= MAX_NAMES || strncmp(word, w->word, strlen(w->word)))
		return;
	if (!text_clean(word, strlen(word), false))
		return;
	buf_printf(w->out, "%s%s\t%s\n", w->prefix, word, what);
	w->n++;
}

static void complete_offer_all(struct word_completion *w, const struct strv *words,
			       const char *what)
{
	size_t i;

	for (i = 0; i < words->n; i++)
		complete_offer(w, words->v[i], what);
}

/* --- names of the running kernel */

static void offer_events(const struct tfs *t, struct word_completion *w)
{
	struct strv names = {0}, systems = {0};
	size_t i;

	tfs_events(t, &names, NULL);
	for (i = 0; i < names.n; i++)
		strv_take(&systems, xstrndup(names.v[i], strcspn(names.v[i], ":")));
	strv_sort_unique(&systems);
	complete_offer_all(w, &systems, "system");
	complete_offer_all(w, &names, "event");
	strv_release(&names);
	strv_release(&systems);
}

static void offer_event_names(const struct tfs *t, struct word_completion *w)
{
	struct strv names = {0};
	const char *colon;
	size_t i;

	tfs_events(t, &names, NULL);
	complete_offer_all(w, &names, "event");
	for (i = 0; i < names.n; i++) {
		colon = strchr(names.v[i], ':');
		if (colon)
			complete_offer(w, colon + 1, "event");
	}
	strv_release(&names);
}

static void offer_functions(const struct tfs *t, struct word_completion *w)
{
	struct strv names = {0};
	struct buf text = {0};
	size_t i;

	if (!tfs_read(t, NULL, "available_filter_functions", &text, NULL))
		strv_split(&names, text.data, "\n");
	for (i = 0; i < names.n; i++)
		names.v[i][strcspn(names.v[i], " ")] = '\0';
	complete_offer_all(w, &names, "function");
	strv_release(&names);
	buf_release(&text);
}

static void offer_tracers(const struct tfs *t, struct word_completion *w)
{
	struct strv names = {0};

	tfs_tracers(t, NULL, &names, NULL);
	complete_offer_all(w, &names, "tracer");
	strv_release(&names);
}

static void offer_clocks(const struct tfs *t, struct word_completion *w)
{
	struct strv names = {0};

	tfs_clocks(t, NULL, &names, NULL, NULL);
	complete_offer_all(w, &names, "clock");
	strv_release(&names);
}

static void offer_instances(const struct tfs *t, struct word_completion *w)
{
	struct strv names = {0};

	tfs_instances(t, &names, NULL);
	complete_offer_all(w, &names, "instance");
	strv_release(&names);
}

static void offer_trace_options(const struct tfs *t, struct word_completion *w)
{
	struct strv names = {0};
	bool no = !strncmp(w->word, "no", 2);
	char *word;
	size_t i;

	tfs_options(t, NULL, &names, NULL);
	for (i = 0; i < names.n; i++) {
		word = xasprintf("%s%s", no ? "no" : "", names.v[i]);
		complete_offer(w, word, "trace option");
		free(word);
	}
	strv_release(&names);
}

/* Offers the entries of the directory that the word is in, as a shell completes files. */
static void offer_control_files(const struct tfs *t, struct word_completion *w)
{
	const char *slash = strrchr(w->word, '/');
	int len = slash ? (int)(slash + 1 - w->word) : 0;
	char *dir = xstrndup(w->word, len ? len - 1 : 0), *word;
	struct strv names = {0};
	size_t i;

	if (*w->word != '/' && !strstr(w->word, ".."))
		content_list(t, dir, &names, NULL);
	for (i = 0; i < names.n; i++) {
		word = xasprintf("%.*s%s", len, w->word, names.v[i]);
		complete_offer(w, word,
			       word[strlen(word) - 1] == '/' ? "directory" : "control file");
		free(word);
	}
	strv_release(&names);
	free(dir);
}

/* --- names in the trace files of the command line */

static void exit_on_alarm(int sig)
{
	(void)sig;
	_exit(0);
}

/*
 * Calls @add for each trace file of the command line and sorts the names that it added. Files that
 * cannot be read are skipped.
 */
static void each_trace_file(struct word_completion *w,
			    void (*add)(struct trace *t, struct strv *names), struct strv *names)
{
	struct trace *t;
	struct stat st;
	size_t i;

	signal(SIGALRM, exit_on_alarm);
	alarm(SECONDS);
	if (!w->files.n)
		strv_add(&w->files, DEFAULT_FILE);
	for (i = 0; i < w->files.n; i++) {
		struct ftr_error err = {0};

		/* Opening a FIFO would block, and reading consumes its data. */
		if (stat(w->files.v[i], &st) || !S_ISREG(st.st_mode))
			continue;
		t = trace_open(w->files.v[i], &err);
		if (t)
			add(t, names);
		trace_close(t);
	}
	strv_sort_unique(names);
}

static void add_systems(struct trace *t, struct strv *names)
{
	struct ev_format *v;
	size_t i = event_meta_formats(&t->meta, NULL, &v);

	while (i--)
		strv_add(names, v[i].system);
}

static void add_file_events(struct trace *t, struct strv *names)
{
	struct ev_format *v;
	size_t i = event_meta_formats(&t->meta, NULL, &v);

	while (i--) {
		strv_add(names, v[i].name);
		strv_take(names, xasprintf("%s:%s", v[i].system, v[i].name));
	}
}

static void offer_file_events(struct word_completion *w)
{
	struct strv systems = {0}, names = {0};

	each_trace_file(w, add_systems, &systems);
	each_trace_file(w, add_file_events, &names);
	complete_offer_all(w, &systems, "system");
	complete_offer_all(w, &names, "event");
	strv_release(&systems);
	strv_release(&names);
}

/* Adds task names. A name with escapes is skipped, because --comm compares unescaped names. */
static void add_comms(struct trace *t, struct strv *names)
{
	struct strv all = {0};
	size_t i;

	trace_comm_names(t, &all);
	for (i = 0; i < all.n; i++)
		if (!strchr(all.v[i], '\\'))
			strv_add(names, all.v[i]);
	strv_release(&all);
}

static void offer_file_comms(struct word_completion *w)
{
	struct strv names = {0};

	each_trace_file(w, add_comms, &names);
	complete_offer_all(w, &names, "task");
	strv_release(&names);
}

static void add_file_fields(struct trace *t, struct strv *names)
{
	struct ev_format *v;
	size_t i = event_meta_formats(&t->meta, NULL, &v), k;

	while (i--)
		for (k = 0; !ev_format_ready(&v[i]) && k < v[i].nr_fields; k++)
			strv_add(names, v[i].fields[k].name);
}

static void offer_file_fields(struct word_completion *w)
{
	struct strv names = {0};

	each_trace_file(w, add_file_fields, &names);
	complete_offer_all(w, &names, "field");
	strv_release(&names);
}

/* Completes the last column of "comm,pid,ti". */
static void offer_file_columns(struct word_completion *w)
{
	const char *comma = strrchr(w->word, ','), *name;
	size_t before = comma ? comma + 1 - w->word : 0, i;
	char *prefix = xasprintf("%s%.*s", w->prefix, (int)before, w->word);
	struct word_completion last = { .prefix = prefix, .word = w->word + before, .out = w->out };
	struct strv names = {0};

	for (i = 0; (name = columns_known(i)); i++)
		complete_offer(&last, name, "column");
	each_trace_file(w, add_file_fields, &names);
	complete_offer_all(&last, &names, "field");
	strv_release(&names);
	free(prefix);
}

/* --- fixed words */

static void offer_words(struct word_completion *w, const char *words)
{
	struct strv v = {0};

	strv_split(&v, words, " ");
	complete_offer_all(w, &v, "value");
	strv_release(&v);
}

/* Offers words for the last element of a list with commas, which may start with a plus. */
static void offer_list(struct word_completion *w, const char *words)
{
	size_t before = strlen(w->word);
	struct word_completion last = { .out = w->out };
	char *prefix;

	while (before && !strchr(",+", w->word[before - 1]))
		before--;
	prefix = xasprintf("%s%.*s", w->prefix, (int)before, w->word);
	last.prefix = prefix;
	last.word = w->word + before;
	offer_words(&last, words);
	free(prefix);
}

static void offer_columns(struct word_completion *w)
{
	offer_list(w, "total avg max count self min stddev irq off p50 p99");
}

static void offer_span_kinds(struct word_completion *w)
{
	struct buf kinds = {0};

	model_add_kinds(&kinds);
	for (char *c = kinds.data; *c; c++)
		*c = *c == ',' ? ' ' : *c;
	offer_list(w, kinds.data);
	buf_release(&kinds);
}

/* The words after the kind are files. */
static void offer_latencies(struct word_completion *w)
{
	if (w->files.n) {
		buf_addstr(w->out, ":files\n");
		return;
	}
	complete_offer(w, "wakeup", "value");
	offer_span_kinds(w);
}

/* Offers the methods whose library is built in. */
static void offer_compressions(struct word_completion *w)
{
	static const char *const names[] = { "none", "zlib", "zstd" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (packing_known(names[i]))
			complete_offer(w, names[i], "compression");
}

static void offer_purposes(struct word_completion *w)
{
	for (const struct rec_purpose *p = rec_purposes; p->name; p++)
		complete_offer(w, p->name, p->summary);
}

/* Arguments by their names in option tables and usages, and the words that complete them. */
static const struct completion_kind {
	const char *name;
	const char *option;		/* only for this option; NULL: all options and operands */
	void (*live)(const struct tfs *t, struct word_completion *w);
	void (*other)(struct word_completion *w); /* names from other sources than the kernel */
	const char *words;
	const char *shell_line;		/* the line for the shell: ":files" or ":commands" */
} kinds[] = {
	{ "EVENT", .live = offer_events },
	{ "SYSTEM:EVENT", .live = offer_event_names },
	{ "FUNC", .live = offer_functions },
	{ "FUNCTION", .live = offer_functions },
	{ "EVENT|FUNC", .live = offer_event_names },
	{ "EVENT|FUNCTION", .live = offer_event_names },
	{ "PURPOSE", .other = offer_purposes },
	{ "TASK", .other = offer_file_comms },
	{ "TRACER", .live = offer_tracers },
	{ "CLOCK", .live = offer_clocks },
	{ "INSTANCE", .live = offer_instances },
	{ "OPTION", .live = offer_trace_options },
	{ "NAME[=VALUE", .live = offer_trace_options },
	{ "PLACE", .live = offer_functions },
	{ "CONTROL-FILE", .live = offer_control_files },
	{ "GLOB", "event", .other = offer_file_events },
	{ "GLOB", "comm", .other = offer_file_comms },
	{ "FIELD", "weight", .other = offer_file_fields },
	{ "GLOB", "tasks", .other = offer_file_comms },
	{ "LIST", "fields", .other = offer_file_columns },
	{ "[+]LIST", "fields", .other = offer_columns },
	{ "KIND", "kind", .other = offer_span_kinds },
	{ "KIND", .other = offer_latencies },
	{ "COLUMN", "sort", .words = "total avg max count self min stddev irq off p50 p99" },
	{ "WHAT", "sort", .words = "avg max runtime switches" },
	{ "ORDER", "sort", .words = "run wait name pid first" },
	{ "KEY", "sort", .words = "diff ratio a b name" },
	{ "COLUMN", "of", .words = "total avg max count self min stddev irq off p50 p99" },
	{ "WHAT", "by", .words = "function task cpu module kind" },
	{ "GROUP", "by", .words = "task cpu name" },
	{ "WHAT", "each", .words = "cpu buffer" },
	{ "PARTS", "drop", .words = "formats symbols btf" },
	{ "CLASSES", "keep", .words = "tasks pids users paths strings userdata markers formats "
				      "addresses host command sched files numbers texts" },
	{ "N", "file-version", .words = "6 7" },
	{ "UNIT", "unit", .words = "ns us ms" },
	{ "HOW", "compression", .other = offer_compressions },
	{ "FORMAT", "format", .words = "text kernel" },
	{ "FORMAT", "to", .words = "perfetto json csv folded chrome rowbinary jsonl markdown "
				      "text:perf" },
	{ "TABLE", "table", .other = offer_file_events },
	{ "[ENGINE]", "schema", .words = "clickhouse duckdb spark" },
	{ "THEME", "theme", .words = "dark light mono" },
	{ "NAME", "view", .words = "events graph timeline info log help" },
	{ "NAME", "engine", .words = "ftr traceevent" },
	{ "WHEN", "color", .words = "auto always never" },
	{ "SHELL", "completion", .words = "bash zsh fish" },
	{ "FILE", .shell_line = ":files" },
	{ "PATH", .shell_line = ":files" },
	{ "DIR", .shell_line = ":files" },
	{ "PROGRAM", .shell_line = ":files" },
	{ "COMMAND", .shell_line = ":commands" },
};

static const struct completion_kind *find_arg_kind(const char *name, size_t len, const char *option)
{
	const struct completion_kind *k = kinds;

	for (; k < kinds + sizeof(kinds) / sizeof(*kinds); k++)
		if (strlen(k->name) == len && !strncmp(k->name, name, len) &&
		    (!k->option || (option && !strcmp(k->option, option))))
			return k;
	return NULL;
}

/*
 * Offers words for argument @name of @option. Returns false if the argument is unknown, as a
 * number.
 */
static bool offer_kind(struct word_completion *w, const char *name, size_t len, const char *option)
{
	const struct completion_kind *k = find_arg_kind(name, len, option);
	struct tfs t;

	if (!k)
		return false;
	if (k->shell_line) {
		buf_printf(w->out, "%s\n", k->shell_line);
	} else if (k->words) {
		offer_words(w, k->words);
	} else if (k->other) {
		k->other(w);
	} else if (!tfs_open(&t, NULL)) {
		k->live(&t, w);
		tfs_close(&t);
	}
	return true;
}

static void offer_arg(struct word_completion *w, const struct opt *o)
{
	offer_kind(w, o->arg, strlen(o->arg), o->name);
}

/* --- the position in the command line */

static void offer_options(struct word_completion *w, const struct opt *table)
{
	char word[80];

	for (; table && !opt_last(table); table++) {
		if (!opt_real(table))
			continue;
		if (table->name)
			snprintf(word, sizeof(word), "--%s", table->name);
		else
			snprintf(word, sizeof(word), "-%c", table->letter);
		complete_offer(w, word, table->help);
	}
	complete_offer(w, "--help", "explain it");
}

/* Returns the option @word if its argument is the next word, else NULL. */
static const struct opt *option_wants_next(const struct opt *table, const char *word)
{
	const struct opt *o;
	char letter[2] = "";

	if (!strncmp(word, "--", 2)) {
		o = word[2] && !strchr(word, '=') ? opt_named(table, word + 2) : NULL;
		return o && o->arg && !opt_arg_is_optional(o) ? o : NULL;
	}
	if (*word != '-')
		return NULL;
	for (word++; *word; word++) {
		letter[0] = *word;
		o = opt_named(table, letter);
		if (o && o->arg)
			return word[1] ? NULL : o;
	}
	return NULL;
}

/*
 * Completes an argument within the last word: "--event=sched", "-esched". Returns false if the word
 * has no such argument.
 */
static bool complete_within_word(struct word_completion *w, const struct opt *table,
				 const char *word)
{
	const char *eq = strncmp(word, "--", 2) ? NULL : strchr(word, '=');
	const struct opt *o = NULL;
	char name[80] = "";
	size_t at;

	if (eq)
		snprintf(name, sizeof(name), "%.*s", (int)(eq - word - 2), word + 2);
	else if (word[0] == '-' && word[1] != '-' && word[1] && word[2])
		name[0] = word[1];
	if (*name)
		o = opt_named(table, name);
	if (!o || !o->arg)
		return false;
	at = eq ? (size_t)(eq - word) + 1 : 2;
	w->prefix = w->within = xstrndup(word, at);
	w->word = word + at;
	offer_arg(w, o);
	return true;
}

/*
 * Completes an operand by the first known word of @usage: "[OPTIONS] [-- COMMAND [ARGS...]]",
 * "EVENT KEYS".
 */
static void offer_operand(struct word_completion *w, const char *usage)
{
	size_t n;

	for (; *usage; usage += n) {
		usage += strspn(usage, " []().'");
		n = strcspn(usage, " ().'");
		while (n && (usage[n - 1] == ']' || usage[n - 1] == ';'))
			n--;
		if (!n && *usage)
			n = 1;
		if (*usage == '-')	/* the word after an option may be its argument */
			n = strcspn(usage, "]|");
		else if (offer_kind(w, usage, n, NULL))
			return;
	}
}

static bool option_is_input(const struct opt *o)
{
	return o && o->name && !strcmp(o->name, "input");
}

/*
 * Notes the trace file in @word: "FILE", "--input=FILE", "-iFILE". @o is the option whose argument
 * @word is, or NULL.
 */
static void note_trace_file(struct word_completion *w, const struct opt *table, const struct opt *o,
			    const char *word)
{
	if (o ? option_is_input(o) : *word != '-' || !word[1])
		strv_add(&w->files, word);
	else if (!o && !strncmp(word, "--input=", 8))
		strv_add(&w->files, word + 8);
	else if (!o && word[1] == 'i' && word[2] && option_is_input(opt_named(table, "i")))
		strv_add(&w->files, word + 2);
}

static void complete_command(struct word_completion *w, const struct cmd *c, char *const *words,
			     size_t n)
{
	bool after = false, operand = false;
	const struct opt *o = NULL;
	const char *last = words[n - 1];
	size_t i;

	for (i = 0; i + 1 < n; i++) {
		note_trace_file(w, c->options, o, words[i]);
		if (o) {
			o = NULL;
			continue;
		}
		after |= !strcmp(words[i], "--");
		operand |= *words[i] != '-' || after;
		o = after ? NULL : option_wants_next(c->options, words[i]);
	}
	if (operand && c->flags & CMD_WORDS_LAST && strstr(c->usage, "COMMAND"))
		buf_addstr(w->out, ":commands\n");
	else if (o)
		offer_arg(w, o);
	else if (*last == '-' && !after && !complete_within_word(w, c->options, last))
		offer_options(w, c->options);
	else if (*last != '-')
		offer_operand(w, c->usage);
}

static void offer_commands(struct word_completion *w)
{
	size_t i;

	for (i = 0; cmd_table[i]; i++)
		complete_offer(w, cmd_table[i]->name, cmd_table[i]->summary);
}

static void offer_verbs(struct word_completion *w, const struct cmd *c)
{
	const struct cmd *v;

	for (v = c->verbs; v->name; v++)
		if (*v->name)
			complete_offer(w, v->name, v->summary);
}

static const struct cmd *command_named(const char *name)
{
	size_t i;

	for (i = 0; cmd_table[i]; i++)
		if (!strcmp(cmd_table[i]->name, name))
			return cmd_table[i];
	return NULL;
}

/* Completes a command line whose first word is the name of a command. */
static void complete_command_or_verb(struct word_completion *w, char *const *words, size_t n)
{
	const struct cmd *c = command_named(words[0]), *v;

	if (!c)
		return;
	if (c == &cmd_help && *words[n - 1] != '-' &&
	    !option_wants_next(c->options, words[n - 2])) {
		/* "help COMMAND VERB" */
		c = n == 3 ? command_named(words[1]) : NULL;
		if (n == 2)
			offer_commands(w);
		else if (c && c->verbs)
			offer_verbs(w, c);
	} else if (!c->verbs) {
		complete_command(w, c, words + 1, n - 1);
	} else if (n == 2 && *words[1] != '-') {
		offer_verbs(w, c);
	} else {
		v = verbs_row(c, *words[1] == '-' ? "" : words[1]);
		if (v)
			complete_command(w, v, words + 1 + (*v->name != '\0'),
					 n - 1 - (*v->name != '\0'));
	}
}

void complete_words(char *const *words, size_t n, struct buf *out)
{
	struct word_completion w = { .prefix = "", .out = out };
	size_t i;

	if (!n)
		return;
	w.word = words[n - 1];
	/* Skip global options, each with an argument that is in the next word. */
	for (i = 0; i + 1 < n && *words[i] == '-'; i++)
		i += option_wants_next(cmd_global_options, words[i]) != NULL;
	if (i + 1 < n)
		complete_command_or_verb(&w, words + i, n - i);
	else if (i < n && *words[i] == '-' &&
		 !complete_within_word(&w, cmd_global_options, words[i]))
		offer_options(&w, cmd_global_options);
	else if (i < n && *words[i] != '-')
		offer_commands(&w);
	else if (i >= n)
		offer_arg(&w, option_wants_next(cmd_global_options, words[n - 2]));
	strv_release(&w.files);
	free(w.within);
}

/* --- scripts that call 'ftr help --complete' */

/*
 * bash splits words at COMP_WORDBREAKS, which contains = and :. The script splits the line at
 * blanks instead, and strips the part up to the last = or : from each answer. bash inserts answers
 * without quoting, so the script quotes them: a task may have the name "$(x)". zsh and fish quote
 * answers themselves. Words that the user quoted are unquoted but never evaluated.
 */
static const char bash[] =
	"# Completion of ftr(1) for bash; made by 'ftr help --completion bash'.\n"
	"_ftr()\n"
	"{\n"
	"	local line=${COMP_LINE:0:COMP_POINT} words cur answer head\n"
	"	read -a words <<< \"$line\"\n"
	"	[[ $line != *[[:blank:]] ]] || words+=('')\n"
	"	cur=${words[-1]}\n"
	"	words=(\"${words[@]/#~\\//$HOME/}\")\n"
	"	answer=$(\"${words[0]}\" help --complete -- \"${words[@]:1}\" 2> /dev/null)\n"
	"	case $answer in\n"
	"	:files*)\n"
	"		compopt -o filenames\n"
	"		mapfile -t COMPREPLY < <(compgen -f -- \"${cur#--*=}\")\n"
	"		return\n"
	"		;;\n"
	"	:commands*)\n"
	"		mapfile -t COMPREPLY < <(compgen -c -- \"$cur\")\n"
	"		return\n"
	"		;;\n"
	"	esac\n"
	"	head=${cur%\"${cur##*[=:]}\"}\n"
	"	COMPREPLY=()\n"
	"	while IFS=$'\\t' read -r word _; do\n"
	"		word=${word#\"$head\"}\n"
	"		[[ $word != *[^[:alnum:]_.,:/@%+=-]* ]] || printf -v word %q \"$word\"\n"
	"		[[ -z $word ]] || COMPREPLY+=(\"$word\")\n"
	"	done <<< \"$answer\"\n"
	"	[[ ${COMPREPLY[0]} != */ ]] || compopt -o nospace\n"
	"}\n"
	"complete -F _ftr ftr\n";

static const char zsh[] =
	"#compdef ftr\n"
	"# Completion of ftr(1) for zsh; made by 'ftr help --completion zsh'.\n"
	"_ftr()\n"
	"{\n"
	"	local line\n"
	"	local -a answers names shown space\n"
	"	answers=(\"${(@f)$(\"$words[1]\" help --complete --"
	" \"${(@Q)words[2,CURRENT]/#\\~\\//$HOME/}\" 2> /dev/null)}\")\n"
	"	case $answers[1] in\n"
	"	:files) [[ $PREFIX != --*=* ]] || compset -P '--*='; _files; return ;;\n"
	"	:commands) _command_names -e || _files; return ;;\n"
	"	esac\n"
	"	for line in $answers; do\n"
	"		names+=(\"${line%%$'\\t'*}\")\n"
	"		shown+=(\"${line/$'\\t'/  -- }\")\n"
	"	done\n"
	"	[[ $names[1] != */ ]] || space=(-S '')\n"
	"	compadd -l -d shown \"${space[@]}\" -- $names\n"
	"}\n"
	"[[ $funcstack[1] != _ftr ]] || _ftr \"$@\"\n"
	"[[ $funcstack[1] = _ftr ]] || (( ! $+functions[compdef] )) || compdef _ftr ftr\n";

static const char fish[] =
	"# Completion of ftr(1) for fish; made by 'ftr help --completion fish'.\n"
	"function __ftr_complete\n"
	"	set -l words (commandline -opc | string replace -r '^~/' $HOME/)\n"
	"	set -l cur (commandline -ct)\n"
	"	set -l answers ($words[1] help --complete -- $words[2..-1] \"$cur\" 2> /dev/null)\n"
	"	switch \"$answers[1]\"\n"
	"		case :files\n"
	"			__fish_complete_path \"$cur\"\n"
	"		case :commands\n"
	"			__fish_complete_path \"$cur\"\n"
	"			complete -C \"$cur\"\n"
	"		case '*'\n"
	"			printf '%s\\n' $answers\n"
	"	end\n"
	"end\n"
	"complete -c ftr -f -a '(__ftr_complete)'\n";

const char *complete_script(const char *shell, struct ftr_error *err)
{
	static const struct {
		const char *name, *text;
	} scripts[] = { { "bash", bash }, { "zsh", zsh }, { "fish", fish } };
	size_t i;

	for (i = 0; i < sizeof(scripts) / sizeof(*scripts); i++)
		if (!strcmp(shell, scripts[i].name))
			return scripts[i].text;
	err_set(err, FTR_USAGE, "no completion for '%s'", shell);
	err_hint(err, "there are: bash, zsh, fish");
	return NULL;
}

/* --- the table of all options */

static void add_option_rows(const char *name, const struct opt *o, struct buf *out)
{
	for (; o && !opt_last(o); o++)
		if (opt_real(o))
			buf_printf(out, "%s\t%c\t%s\t%s\t%s\n", name, o->letter ? o->letter : '-',
				   o->name ? o->name : "-", o->arg ? o->arg : "-", o->help);
}

void complete_option_table(struct buf *out)
{
	const struct cmd *v;
	char *name;
	size_t i;

	add_option_rows("ftr", cmd_global_options, out);
	for (i = 0; cmd_table[i]; i++) {
		if (!cmd_table[i]->verbs)
			add_option_rows(cmd_table[i]->name, cmd_table[i]->options, out);
		for (v = cmd_table[i]->verbs; v && v->name; v++) {
			name = xasprintf("%s%s%s", cmd_table[i]->name, *v->name ? " " : "",
					 v->name);
			add_option_rows(name, v->options, out);
			free(name);
		}
	}
}
