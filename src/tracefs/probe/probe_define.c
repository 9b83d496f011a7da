/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Translates a user's request to the kernel's text: place, name of the event, arguments. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracefs/probe/probe_priv.h"

#define EVENT_MAX_LEN	60	/* MAX_EVENT_NAME_LEN is 64 */
#define RETURN_MARK	"%return"

/* --- words */

struct probe_words {
	struct probe_word *v;
	size_t n, cap;
};

static void words_split(struct probe_words *w, const char *text)
{
	const char *p = text;
	bool quoted;
	size_t n;

	*w = (struct probe_words){0};
	for (;;) {
		p += strspn(p, " \t\n");
		if (!*p)
			return;
		quoted = false;
		for (n = 0; p[n] && (quoted || !strchr(" \t\n", p[n])); n++)
			quoted ^= p[n] == '"';
		w->v = xgrow(w->v, &w->cap, w->n + 1, sizeof(*w->v));
		w->v[w->n++] = (struct probe_word){ xstrndup(p, n), p - text, n };
		p += n;
	}
}

void build_add(struct probe_build *m, const char *s, size_t user, size_t user_len, bool same)
{
	struct probe_def *d = m->def;

	d->chunks = xgrow(d->chunks, &d->cap_chunks, d->nr_chunks + 1, sizeof(*d->chunks));
	d->chunks[d->nr_chunks++] = (struct probe_chunk){
		.kernel = m->out.len, .kernel_len = strlen(s), .user = user, .user_len = user_len,
		.same = same,
	};
	buf_addstr(&m->out, s);
}

int build_point(struct probe_build *m, size_t at)
{
	size_t n = m->err ? strlen(m->err->msg) : 0;

	if (m->err && n < sizeof(m->err->msg))
		snprintf(m->err->msg + n, sizeof(m->err->msg) - n, "\n  %s\n  %*s^", m->ask->text,
			 (int)at, "");
	return -1;
}

/* --- names */

/* Returns @n bytes of @s as a name of an event, with '_' for other bytes. The caller frees. */
static char *event_name_from(const char *s, size_t n)
{
	char *word = xstrndup(s, n < EVENT_MAX_LEN - 16 ? n : EVENT_MAX_LEN - 16);

	for (char *p = word; *p; p++)
		if (!isalnum((unsigned char)*p) && *p != '_')
			*p = '_';
	if (isdigit((unsigned char)*word)) {
		char *more = xasprintf("p_%s", word);

		free(word);
		word = more;
	}
	return word;
}

static bool event_exists(const struct probe_build *m, const char *event)
{
	char *path = xasprintf("events/%s", event);
	bool yes = m->k->t && tfs_exists(m->k->t, NULL, path);

	free(path);
	return yes;
}

static int refuse_name(struct probe_build *m, const char *name)
{
	err_set(m->err, FTR_USAGE, "'%s' is not a name of an event", name);
	return err_hint(m->err, "--name GROUP/EVENT, of letters, digits and '_'");
}

static int set_given_name(struct probe_build *m, const char *group)
{
	const char *name = m->ask->name, *slash = strchr(name, '/');
	size_t i, n = strlen(name);

	for (i = 0; i < n; i++)
		if (!isalnum((unsigned char)name[i]) && name[i] != '_' && name + i != slash)
			return refuse_name(m, name);
	if (!n || isdigit((unsigned char)*name) || slash == name ||
	    (slash && (!slash[1] || isdigit((unsigned char)slash[1]))))
		return refuse_name(m, name);
	m->def->event = slash ? xstrdup(name) : xasprintf("%s/%s", group, name);
	if (!event_exists(m, m->def->event))
		return 0;
	err_set(m->err, FTR_FAILED, "event '%s' exists", m->def->event);
	return err_hint(m->err, "'ftr probe del %s' removes it if it is a probe", m->def->event);
}

/* Sets the name: "kprobes/tcp_sendmsg", or "..._2" if that exists. */
static int set_event_name(struct probe_build *m, const char *base, const char *suffix)
{
	const char *group = probe_kind_group(m->ask->kind);
	char *word;
	int n = 2;

	if (m->ask->name)
		return set_given_name(m, group);
	word = event_name_from(base, strlen(base));
	m->def->event = xasprintf("%s/%s%s", group, word, suffix);
	while (event_exists(m, m->def->event)) {
		free(m->def->event);
		m->def->event = xasprintf("%s/%s%s_%d", group, word, suffix, n++);
	}
	free(word);
	return 0;
}

/* --- where */

/* A parsed "[MODULE:]FUNCTION[+OFFSET][%return]". */
struct probe_point {
	char *all;		/* without %return */
	char *func;		/* without module and offset */
	char *offset;		/* "+0x10" or "" */
	bool is_return;
};

static void place_parse(struct probe_point *p, const char *text)
{
	size_t n = strlen(text), mark = strlen(RETURN_MARK), name;
	const char *colon;

	p->is_return = n > mark && !strcmp(text + n - mark, RETURN_MARK);
	p->all = xstrndup(text, p->is_return ? n - mark : n);
	colon = strchr(p->all, ':');
	colon = colon ? colon + 1 : p->all;
	name = strcspn(colon, "+");
	p->func = xstrndup(colon, name);
	p->offset = xstrdup(colon + name);
}

static bool offset_is_zero(const char *offset)
{
	return !*offset || !strtoul(offset + 1, NULL, 0);
}

/*
 * Returns the absolute path by which the kernel finds the file, NULL with errno; the caller frees.
 * realpath() reads links as text. Some links of /proc (root, cwd, exe of a process in another mount
 * namespace) have the path that this process sees: if that is another file or none, the given path
 * is kept.
 */
static char *file_absolute_path(const char *name)
{
	char *real = realpath(name, NULL), *cwd, *path = NULL;
	struct stat given, found;

	if (stat(name, &given))
		goto out;
	if (real && !stat(real, &found) && given.st_dev == found.st_dev &&
	    given.st_ino == found.st_ino)
		return real;
	if (*name == '/') {
		path = xstrdup(name);
	} else {
		cwd = get_current_dir_name();
		path = cwd ? xasprintf("%s/%s", cwd, name) : NULL;
		free(cwd);
	}
out:
	free(real);
	return path;
}

/*
 * Finds a program or library, also along $PATH if its name has no slash. Returns its path, which
 * the caller frees, or NULL with @err.
 */
static char *find_probed_file(const char *name, struct ftr_error *err)
{
	char *path = file_absolute_path(name), *try;
	struct strv dirs = {0};
	const char *env = getenv("PATH");

	if (!path && !strchr(name, '/') && env) {
		strv_split(&dirs, env, ":");
		for (size_t i = 0; !path && i < dirs.n; i++) {
			try = xasprintf("%s/%s", dirs.v[i], name);
			path = access(try, X_OK) ? NULL : file_absolute_path(try);
			free(try);
		}
		strv_release(&dirs);
	}
	if (!path)
		err_sys(err, "cannot find '%s'", name);
	else if (strpbrk(path, " \t\n")) {
		err_set(err, FTR_FAILED, "the kernel does not allow blanks in a path: '%s'", path);
		free(path);
		path = NULL;
	}
	return path;
}

static int write_user_place(struct probe_build *m, const struct probe_word *w,
			    const struct probe_point *p)
{
	char *path = find_probed_file(m->ask->file, m->err), *text, *symbol = NULL;
	struct probe_symbol sym;
	int ret = -1;

	if (!path)
		return -1;
	symbol = xasprintf("%s%s", p->func, p->offset);
	if (probe_symbol(path, symbol, &sym, m->err))
		goto out;
	m->user_regs = sym.is_x86_64;
	text = xasprintf("%s:0x%jx", path, (uintmax_t)sym.offset);
	build_add(m, text, w->at, w->len, false);
	free(text);
	ret = 0;
out:
	free(symbol);
	free(path);
	return ret;
}

static int place_check(struct probe_build *m, const struct probe_word *w,
		       const struct probe_point *p)
{
	const char *why = NULL;

	if (!*p->func || strpbrk(p->func, "=$%(\""))
		why = "is not a function";
	else if (p->is_return && !offset_is_zero(p->offset))
		why = "returns at its end only: without an offset";
	else if (*p->offset && (m->ask->kind == PROBE_FPROBE || m->ask->kind == PROBE_TPROBE))
		why = "can be probed at its entry and its return only";
	else if (p->is_return && m->ask->kind == PROBE_TPROBE)
		why = "does not return: it is a tracepoint";
	if (why) {
		err_set(m->err, FTR_USAGE, "'%s' %s", w->text, why);
		return build_point(m, w->at);
	}
	if (!m->ask->max_active || (p->is_return && m->ask->kind == PROBE_KPROBE))
		return 0;
	err_set(m->err, FTR_USAGE, "--max-active is for the returns of kprobes");
	return err_hint(m->err, "FUNCTION%%return");
}

static void write_head(struct probe_build *m, bool is_return)
{
	static const char letters[] = { [PROBE_KPROBE] = 'p', [PROBE_UPROBE] = 'p',
					[PROBE_EPROBE] = 'e', [PROBE_FPROBE] = 'f',
					[PROBE_TPROBE] = 't' };
	bool r = is_return && letters[m->ask->kind] == 'p';
	struct buf head = {0};

	buf_addch(&head, r ? 'r' : letters[m->ask->kind]);
	if (m->ask->max_active)
		buf_printf(&head, "%u", m->ask->max_active);
	buf_printf(&head, ":%s ", m->def->event);
	build_add(m, head.data, 0, 0, false);
	buf_release(&head);
}

static int function_probe(struct probe_build *m, const struct probe_words *w)
{
	struct probe_point p = {0};
	char *suffix = NULL, *base = NULL;
	int ret;

	if (!w->n) {
		err_set(m->err, FTR_USAGE, "nothing to probe was named");
		return err_hint(m->err, "ftr probe add 'FUNCTION ARGUMENT...'");
	}
	place_parse(&p, w->v[0].text);
	ret = place_check(m, &w->v[0], &p);
	if (ret)
		goto out;
	m->is_return = p.is_return;
	m->of_module = m->ask->kind != PROBE_UPROBE && strchr(p.all, ':');
	m->at_entry = offset_is_zero(p.offset) && !p.is_return &&
		      (m->ask->kind != PROBE_UPROBE || strncmp(p.func, "0x", 2));
	if (m->ask->kind != PROBE_TPROBE)
		m->func = xstrdup(p.func);
	base = xstrndup(p.func, strcspn(p.func, "@"));
	suffix = offset_is_zero(p.offset) ? xstrdup(p.is_return ? "__return" : "")
				       : xasprintf("_%s", p.offset + 1);
	ret = set_event_name(m, base, suffix);
	if (ret)
		goto out;
	write_head(m, p.is_return);
	if (m->ask->kind == PROBE_UPROBE)
		ret = write_user_place(m, &w->v[0], &p);
	else
		build_add(m, p.all, w->v[0].at, strlen(p.all), true);
	/* The kernel has the return in the place of fprobes, and in the "r:" of other probes. */
	if (m->ask->kind == PROBE_FPROBE && p.is_return)
		build_add(m, RETURN_MARK, w->v[0].at + strlen(p.all), strlen(RETURN_MARK), true);
	for (size_t i = 1; !ret && i < w->n; i++)
		ret = build_arg(m, &w->v[i]);
out:
	free(base);
	free(suffix);
	free(p.all);
	free(p.func);
	free(p.offset);
	return ret;
}

/* --- event probes */

/*
 * Returns the event of "sched/sched_switch", "sched:sched_switch" or "sched_switch", NULL with the
 * error if it is not exactly one. The caller frees.
 */
static char *find_attached_event(struct probe_build *m)
{
	char *pattern = xstrdup(m->ask->event), *event = NULL, *sep = strpbrk(pattern, "/.");
	struct strv found = {0};

	if (sep)
		*sep = ':';
	if (strpbrk(pattern, "*?[") || tfs_match_events(m->k->t, pattern, &found, m->err) <= 0) {
		if (!m->err->code)
			err_set(m->err, FTR_USAGE, "'%s' does not name one event", m->ask->event);
	} else if (found.n > 1) {
		err_set(m->err, FTR_USAGE, "'%s' names %zu events", m->ask->event, found.n);
		err_hint(m->err, "-e SYSTEM/EVENT");
	} else {
		event = xstrdup(found.v[0]);
	}
	strv_release(&found);
	free(pattern);
	return event;
}

static int event_probe(struct probe_build *m, const struct probe_words *w)
{
	char *event = find_attached_event(m), *file;
	struct buf format = {0};
	size_t i, at;
	int ret;

	if (!event)
		return -1;
	file = xasprintf("events/%s/format", event);
	if (m->k->t && !tfs_read(m->k->t, NULL, file, &format, NULL))
		m->fields = buf_take(&format);
	ret = set_event_name(m, strchr(event, '/') + 1, "");
	if (!ret) {
		write_head(m, false);
		build_add(m, event, 0, 0, false);
	}
	for (i = 0; !ret && i < w->n && strcmp(w->v[i].text, "if"); i++)
		ret = build_arg(m, &w->v[i]);
	if (!ret && i < w->n) {
		at = w->v[i].at;
		build_add(m, " ", at, 0, false);
		build_add(m, m->ask->text + at, at, strlen(m->ask->text + at), true);
	}
	buf_release(&format);
	free(file);
	free(event);
	return ret;
}

/* --- all */

int probe_make(struct probe_kernel *k, const struct probe_ask *ask, struct probe_def *def,
	       struct ftr_error *err)
{
	struct probe_build m = { .k = k, .ask = ask, .def = def, .err = err };
	struct probe_words w;
	int ret;

	*def = (struct probe_def){0};
	if (probe_kernel_supports(k, ask->kind, err))
		return -1;
	words_split(&w, ask->text);
	ret = ask->kind == PROBE_EPROBE ? event_probe(&m, &w) : function_probe(&m, &w);
	if (!ret) {
		def->text = buf_take(&m.out);
		def->user = xstrdup(ask->text);
	}
	buf_release(&m.out);
	strv_release(&m.arg_names);
	free(m.func);
	free(m.fields);
	for (size_t i = 0; i < w.n; i++)
		free(w.v[i].text);
	free(w.v);
	if (ret)
		probe_def_release(def);
	return ret;
}

void probe_def_release(struct probe_def *def)
{
	free(def->event);
	free(def->text);
	free(def->user);
	free(def->chunks);
	*def = (struct probe_def){0};
}

/* --- the kernel's own text */

static size_t raw_head(const char *text)
{
	size_t n = 1;

	if (!*text || !strchr("preft", *text))
		return 0;
	if (*text == 'r' || *text == 'f' || *text == 'p')
		n += strspn(text + 1, "0123456789");
	return text[n] == ':' || text[n] == ' ' || text[n] == '\t' ? n : 0;
}

bool probe_is_raw(const char *text)
{
	return raw_head(text) > 0;
}

int probe_make_raw(struct probe_kernel *k, const char *line, struct probe_def *def,
		   struct ftr_error *err)
{
	size_t head = raw_head(line), name, blank;
	const char *rest, *group, *base, *slash;
	char *place, *event, *word;
	enum probe_kind kind;

	*def = (struct probe_def){0};
	name = line[head] == ':' ? strcspn(line + head + 1, " \t") : 0;
	blank = head + name + (line[head] == ':');
	rest = line + blank + strspn(line + blank, " \t");
	if (!head || !*rest)
		return err_set(err, FTR_USAGE, "'%s' is not a definition of a probe", line);
	place = xstrndup(rest, strcspn(rest, " \t"));
	kind = probe_kind_of(*line, place);
	group = probe_kind_group(kind);
	if (name) {
		event = xstrndup(line + head + 1, name);
	} else {
		/* like the kernel's default: "p_vfs_read", "p_libc_so_6_0x1234" */
		slash = strrchr(place, '/');
		base = slash && *line != 'e' ? slash + 1 : place;
		word = event_name_from(base, strcspn(base, "%"));
		event = xasprintf("%c_%s", *line, word);
		free(word);
	}
	def->event = strpbrk(event, "/.") ? xstrdup(event) : xasprintf("%s/%s", group, event);
	free(event);
	free(place);
	if (strchr(def->event, '.'))
		*strchr(def->event, '.') = '/';
	def->text = name ? xstrdup(line)
			 : xasprintf("%.*s:%s %s", (int)head, line, def->event, rest);
	def->user = xstrdup(line);
	if (probe_kernel_supports(k, kind, err)) {
		probe_def_release(def);
		return -1;
	}
	return 0;
}
