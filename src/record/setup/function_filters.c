/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes function filters of loaded and later modules, and counts the functions that they match. */
#include "record/setup/plan_apply.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tracefs/files/modules.h"
#include "tracefs/files/name_match.h"

/* at most so many modules are guessed: for each filter the kernel walks over all functions */
#define GUESS_MAX 16

/* The function filters of a place. */
struct function_filters {
	struct session *s;
	const struct rec_plan *p;
	const struct rec_place *at;	/* NULL: the top level */
	struct rec_applied *done;
	struct strv loaded;		/* names of the loaded modules */
};

/*
 * Returns available_filter_functions, empty if it cannot be read. The kernel makes its 50,000 lines
 * anew for each reader, hence @done keeps the text for all patterns of all buffers.
 */
static const struct buf *functions_read(const struct tfs *t, struct rec_applied *done)
{
	if (!done->functions_read)
		tfs_read(t, NULL, "available_filter_functions", &done->functions, NULL);
	done->functions_read = true;
	return &done->functions;
}

static int functions_append(struct session *s, const char *instance, const char *file,
			    const char *value, struct ftr_error *err)
{
	struct strv one = {0};
	int ret;

	strv_add(&one, value);
	ret = session_append(s, instance, file, &one, err);
	strv_release(&one);
	return ret;
}

static int functions_clear(struct session *s, const char *instance, const char *file,
			   struct ftr_error *err)
{
	const struct strv none = {0};
	char *line = tfs_line(session_tfs(s), instance, file);
	/* an empty list reads "#### all functions enabled ####" or "no functions disabled" */
	bool empty = !*line || *line == '#' || !strncmp(line, "no functions", 12);

	free(line);
	return empty ? 0 : session_set_list(s, instance, file, &none, err);
}

/*
 * Returns the number of lines of set_ftrace_filter that are functions, unlike "#### all...",
 * "f:traceoff:unlimited" and "p:mod:m".
 */
static size_t functions_count(const struct tfs *t, const char *instance)
{
	struct strv lines = {0};
	struct buf text = {0};
	size_t i, n = 0;

	if (!tfs_read(t, instance, "set_ftrace_filter", &text, NULL))
		strv_split(&lines, text.data, "\n");
	for (i = 0; i < lines.n; i++)
		n += *lines.v[i] != '#' && !strchr(lines.v[i], ':');
	strv_release(&lines);
	buf_release(&text);
	return n;
}

/* Sets @err: "PATTERN:mod:NAME" matches no function of a loaded module. Returns -1. */
static int functions_no_match(const char *word, struct ftr_error *err)
{
	const char *mod = strstr(word, ":mod:"), *name = mod + strlen(":mod:");

	err_set(err, FTR_FAILED, "module '%s' has no traceable function that matches '%.*s'", name,
		mod > word ? (int)(mod - word) : 1, mod > word ? word : "*");
	return err_hint(err, "'ftr list functions :mod:%s' lists its functions", name);
}

/*
 * Explains an EINVAL, which the kernel returns for a pattern without a match, and for other
 * reasons. Keeps @err if functions do match. Returns -1.
 */
static int functions_explain_no_match(const struct buf *text, const char *pattern,
				      struct ftr_error *err)
{
	struct strv names = {0};
	const char *near;
	size_t i;

	if (strchr(pattern, ':'))
		return err->sys == EINVAL && strstr(pattern, ":mod:") ?
		       functions_no_match(pattern, err) : -1;
	if (text->len)
		strv_split(&names, text->data, "\n");
	/* lines are "FUNCTION [MODULE]" */
	for (i = 0; i < names.n; i++)
		names.v[i][strcspn(names.v[i], " \t")] = '\0';
	for (i = 0; i < names.n && fnmatch(pattern, names.v[i], 0); i++)
		;
	if (names.n && i == names.n) {
		near = text_closest(pattern, names.v);
		err_set(err, FTR_FAILED, "no traceable function matches '%s'", pattern);
		if (near)
			err_hint(err, "did you mean '%s'?", near);
		else
			err_hint(err, "available_filter_functions in tracefs lists the functions; "
				 "--module MODULE waits for one that is not loaded");
	}
	strv_release(&names);
	return -1;
}

/* Returns true if "PATTERN:mod:NAME" matches a function that can be traced. */
static bool module_has(const struct function_filters *f, char *word)
{
	const struct buf *text = functions_read(session_tfs(f->s), f->done);
	struct name_patterns pick = {0};
	struct strv lines = {0};
	bool found = false;
	size_t i, n;

	if (text->len)
		strv_split(&lines, text->data, "\n");
	pick_init(&pick, &word, 1, false, NULL);
	for (i = 0; i < lines.n && !found; i++) {
		char *module = strstr(lines.v[i], " [");

		if (!module)
			continue;
		n = strcspn(module + 2, "]");
		module[0] = module[2 + n] = '\0';
		found = pick_function(&pick, lines.v[i], module + 2);
	}
	pick_release(&pick);
	strv_release(&lines);
	return found;
}

static int functions_skip_failed(const struct rec_plan *p, const struct ftr_error *why,
				 struct ftr_error *err)
{
	if (p->ignore_missing) {
		p->notice("%s, going on without", why->msg);
		return 0;
	}
	if (err)
		*err = *why;
	return -1;
}

/* Appends @word, which is @pattern in the kernel's form, to @file. Returns 0, or -1 with @err. */
static int functions_add_word(const struct function_filters *f, const char *file,
			      const char *pattern, const char *word, struct ftr_error *err)
{
	struct ftr_error local = {0};

	if (!functions_append(f->s, f->at ? f->at->instance : NULL, file, word, &local))
		return 0;
	functions_explain_no_match(functions_read(session_tfs(f->s), f->done), pattern, &local);
	return functions_skip_failed(f->p, &local, err);
}

/*
 * Returns the kernel's form of a pattern, which may have a ":mod:". The caller frees it. NULL with
 * @err if the kernel can't wait for the module, or if no function matches.
 */
static char *functions_parse_word(const struct function_filters *f, const char *pattern,
				  bool *pending, struct ftr_error *err)
{
	char *missing, *word = module_word(pattern, &f->loaded, &missing);

	*pending = missing;
	if (missing && isdigit((unsigned char)*missing)) {
		err_set(err, FTR_FAILED, "'%s': module '%s' is not loaded", pattern, missing);
		err_hint(err, "the kernel keeps no filter for a module whose name begins with a "
			 "digit: load it first");
		free(word);
		word = NULL;
	} else if (!missing && strcmp(word, pattern) && !module_has(f, word)) {
		/* the kernel would keep a glob for a module that matches nothing */
		functions_no_match(pattern, err);
		free(word);
		word = NULL;
	}
	free(missing);
	return word;
}

static int functions_add_typed(struct function_filters *f, const char *file, const char *pattern,
			       bool *pending, struct ftr_error *err)
{
	struct ftr_error local = {0};
	char *word = functions_parse_word(f, pattern, pending, &local);
	int ret = word ? functions_add_word(f, file, pattern, word, err)
		       : functions_skip_failed(f->p, &local, err);

	free(word);
	return ret;
}

/*
 * Checks that the glob of a module matches a loaded one: otherwise the kernel keeps the filter, for
 * a module with the glob as its name.
 */
static int functions_check_glob(const struct function_filters *f, const char *glob, char *filter,
				struct ftr_error *err)
{
	size_t i;

	for (i = 0; i < f->loaded.n && fnmatch(glob, f->loaded.v[i], 0); i++)
		;
	if (i == f->loaded.n) {
		err_set(err, FTR_FAILED, "no loaded module matches '%s'", glob);
		return err_hint(err, "the name of a module that is not loaded is written in full");
	}
	return module_has(f, filter) ? 0 : functions_no_match(filter, err);
}

/*
 * Adds -l PATTERN for the modules of --module. It is an error if none of them has such a function.
 */
static int functions_add_modules(struct function_filters *f, const char *pattern, bool *pending,
				 struct ftr_error *err)
{
	const struct strv *modules = &f->at->buf->modules;
	struct ftr_error none = {0};
	bool matched = false;
	size_t i;
	int ret = 0;

	for (i = 0; i < modules->n && !ret; i++) {
		const char *name = modules->v[i];
		bool here = strv_has(&f->loaded, name), glob = module_is_glob(name);
		char *filter = module_filter(pattern, name, &f->loaded), *typed;
		struct ftr_error local = {0};
		/*
		 * The kernel refuses a filter that matches no function of a loaded module, except
		 * if the name begins with a digit, which is written as a glob.
		 */
		bool may = glob || !here || module_has(f, filter);

		if (!may) {
			typed = xasprintf("%s:mod:%s", pattern, name);
			functions_no_match(typed, &none);
			free(typed);
		}
		*pending |= !here && !glob;
		matched |= may;
		if (glob && functions_check_glob(f, name, filter, &local))
			ret = functions_skip_failed(f->p, &local, err);
		else if (!glob && !here && isdigit((unsigned char)*name))
			f->p->warn("the kernel keeps no filter for module '%s', whose name "
				   "begins with a digit: load it first", name);
		else if (may)
			ret = functions_append(f->s, f->at->instance, "set_ftrace_filter", filter,
					       err);
		free(filter);
	}
	return matched || !modules->n ? ret : functions_skip_failed(f->p, &none, err);
}

/*
 * Adds -l PATTERN for modules that are not loaded but may be meant. Returns true if the kernel
 * accepted one of the filters.
 */
static bool functions_add_guessed(struct function_filters *f, const char *pattern)
{
	struct strv guessed = {0};
	struct buf names = {0};
	bool pending = false;
	size_t i;

	modules_guess(pattern, &f->loaded, &guessed);
	for (i = 0; i < guessed.n && i < GUESS_MAX; i++) {
		char *filter = module_filter(pattern, guessed.v[i], &f->loaded);

		pending |= !functions_append(f->s, f->at->instance, "set_ftrace_filter", filter,
					     NULL);
		buf_printf(&names, "%s%s", i ? ", " : "", guessed.v[i]);
		free(filter);
	}
	if (i < guessed.n)
		buf_printf(&names, ", not %zu others (name them with --module)", guessed.n - i);
	if (pending)
		f->p->notice("-l '%s' also waits for modules that are not loaded: %s", pattern,
			     names.data);
	buf_release(&names);
	strv_release(&guessed);
	return pending;
}

/* Returns true if a pattern has no ":mod:" and is no number. */
static bool pattern_is_plain(const char *pattern)
{
	return !strchr(pattern, ':') && !isdigit((unsigned char)*pattern);
}

static int functions_add_one(struct function_filters *f, const char *pattern, bool *pending,
			     struct ftr_error *err)
{
	struct ftr_error local = {0};

	if (f->at->buf->modules.n && pattern_is_plain(pattern))
		return functions_add_modules(f, pattern, pending, err);
	if (!pattern_is_plain(pattern))
		return functions_add_typed(f, "set_ftrace_filter", pattern, pending, err);
	*pending = functions_add_guessed(f, pattern);
	if (!*pending)
		return functions_add_word(f, "set_ftrace_filter", pattern, pattern, err);
	if (functions_append(f->s, f->at->instance, "set_ftrace_filter", pattern, &local) &&
	    local.sys != EINVAL) {
		if (err)
			*err = local;
		return -1;
	}
	return 0;
}

static int functions_add_all(struct function_filters *f, struct ftr_error *err)
{
	const struct strv *funcs = &f->at->buf->funcs;
	struct rec_applied *done = f->done;
	size_t i, before = functions_count(session_tfs(f->s), f->at->instance), now;

	for (i = 0; i < funcs->n; i++) {
		bool pending = false;

		if (functions_add_one(f, funcs->v[i], &pending, err))
			return -1;
		now = functions_count(session_tfs(f->s), f->at->instance);
		done->v = xgrow(done->v, &done->cap, done->n + 1, sizeof(*done->v));
		done->v[done->n++] = (struct rec_matched){
			.pattern = funcs->v[i],
			.functions = now > before ? now - before : 0,
			.pending = pending,
		};
		before = now;
	}
	return 0;
}

/*
 * Makes the words of a filter list. With --module, which is for -l alone, there is a word for each
 * module.
 */
static int functions_list_words(struct function_filters *f, bool filter,
				const struct strv *patterns, struct strv *words,
				struct ftr_error *err)
{
	const struct strv *modules = &f->at->buf->modules;
	size_t i, j;
	bool pending;
	char *word;

	for (i = 0; i < patterns->n; i++) {
		for (j = 0; filter && j < modules->n && pattern_is_plain(patterns->v[i]); j++) {
			word = module_filter(patterns->v[i], modules->v[j], &f->loaded);
			strv_take(words, word);
			if (module_is_glob(modules->v[j]) &&
			    functions_check_glob(f, modules->v[j], word, err))
				return -1;
		}
		if (j)
			continue;
		word = functions_parse_word(f, patterns->v[i], &pending, err);
		if (!word)
			return -1;
		strv_take(words, word);
	}
	return 0;
}

/*
 * Replaces the list of a running tracer at once, when the file is closed: if it were empty in
 * between, all functions would be traced.
 */
static int functions_replace(struct function_filters *f, const char *file,
			     const struct strv *patterns, struct ftr_error *err)
{
	struct ftr_error local = {0};
	struct strv words = {0};
	int ret = 0;

	if (patterns->n && functions_list_words(f, !strcmp(file, "set_ftrace_filter"), patterns,
						&words, &local)) {
		ret = -1;
	} else if (patterns->n) {
		ret = session_set_list(f->s, f->at->instance, file, &words, &local);
		if (ret && patterns->n == 1)
			functions_explain_no_match(functions_read(session_tfs(f->s), f->done),
						   patterns->v[0], &local);
	}
	if (ret && err)
		*err = local;
	strv_release(&words);
	return ret;
}

int functions_filter(struct session *s, const struct rec_plan *p, const struct rec_place *at,
		     struct rec_applied *done, struct ftr_error *err)
{
	const struct strv *funcs = &at->buf->funcs, *notrace = &at->buf->notrace;
	struct function_filters f = { .s = s, .p = p, .at = at, .done = done };
	const char *tracer = at->buf->tracer;
	bool pending;
	size_t i;
	int ret;

	if (!plan_clears(p) && !at->fresh) {
		if (!funcs->n && !notrace->n)
			return 0;
		modules_loaded(&f.loaded);
		ret = functions_replace(&f, "set_ftrace_filter", funcs, err);
		if (!ret)
			ret = functions_replace(&f, "set_ftrace_notrace", notrace, err);
		strv_release(&f.loaded);
		return ret;
	}
	if (!tracer || !strcmp(tracer, "nop") || !tfs_exists(session_tfs(s), at->instance,
							       "set_ftrace_filter"))
		return 0;
	if (!at->fresh && (functions_clear(s, at->instance, "set_ftrace_filter", err) ||
			   functions_clear(s, at->instance, "set_ftrace_notrace", err)))
		return -1;
	modules_loaded(&f.loaded);
	ret = functions_add_all(&f, err);
	for (i = 0; i < notrace->n && !ret; i++)
		ret = functions_add_typed(&f, "set_ftrace_notrace", notrace->v[i], &pending, err);
	strv_release(&f.loaded);
	return ret;
}

static int functions_write_graph(const struct function_filters *f, const char *file,
				 const struct strv *patterns, struct ftr_error *err)
{
	size_t i;

	if (!plan_clears(f->p))
		return patterns->n ? session_set_list(f->s, NULL, file, patterns, err) : 0;
	if (functions_clear(f->s, NULL, file, err))
		return -1;
	for (i = 0; i < patterns->n; i++)
		if (functions_add_word(f, file, patterns->v[i], patterns->v[i], err))
			return -1;
	return 0;
}

int functions_graph(struct session *s, const struct rec_plan *p, struct rec_applied *done,
		    struct ftr_error *err)
{
	struct function_filters f = { .s = s, .p = p, .done = done };

	return functions_write_graph(&f, "set_graph_function", &p->graph_funcs, err) ||
	       functions_write_graph(&f, "set_graph_notrace", &p->nograph_funcs, err) ? -1 : 0;
}
