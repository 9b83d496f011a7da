/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of control files with their rules; writing them, and finding them by name.
 *
 * With event-fork the kernel removes tasks that exit from a pid list. A list whose tasks have all
 * exited reads as empty but lets no task through, and the kernel does not distinguish the two. So
 * a list is always written to be emptied, although the write seems to change nothing.
 */
#include "tracefs/files/control.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/text.h"

static char *canon_trim(const char *text)
{
	size_t n = strlen(text);

	while (n && isspace((unsigned char)text[n - 1]))
		n--;
	return xstrndup(text, n);
}

/* Returns the choice in brackets: "local [global] counter". */
static char *canon_choice(const char *text)
{
	const char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;

	return close ? xstrndup(open + 1, close - open - 1) : canon_trim(text);
}

/*
 * "7 (expanded: 1408)": the buffer is still minimal and grows to 1408 KiB at first use. Nothing
 * makes it minimal again, so this returns the size after that.
 */
static char *canon_size(const char *text)
{
	const char *expanded = strstr(text, "expanded: ");

	return expanded ? xasprintf("%ld", strtol(expanded + 10, NULL, 10)) : canon_trim(text);
}

/* "0*" and "1*": a trigger or command also holds the event; another file restores that. */
static char *canon_enable(const char *text)
{
	char *value = canon_trim(text);
	size_t n = strlen(value);

	if (n && value[n - 1] == '*')
		value[n - 1] = '\0';
	return value;
}

/*
 * A file without filter reads "none", that of a system a help text. If the kernel refused the text,
 * a caret follows.
 */
static char *canon_filter(const char *text)
{
	if (!strncmp(text, "none", 4) || *text == '#')
		return xstrdup("0");
	return canon_trim(text);
}

/*
 * "no pid" and "#### all functions enabled ####" stand for an empty list. The module of "f [nfs]"
 * is not part of the word.
 */
static char *canon_words(const char *text)
{
	struct strv words = {0};
	struct buf out = {0};
	size_t i;

	if (strncmp(text, "no pid", 6) && *text != '#')
		strv_split(&words, text, " \n");
	for (i = 0; i < words.n; i++) {
		if (*words.v[i] == '[')
			continue;
		if (out.len)
			buf_addch(&out, '\n');
		buf_addstr(&out, words.v[i]);
	}
	strv_release(&words);
	return buf_take(&out);
}

/*
 * "NO_DEFAULTS OSNOISE_WORKLOAD NO_PANIC_ON_STOP ...": the first word only shows if the others have
 * their values after boot. Writing DEFAULTS sets these.
 */
static char *canon_flags(const char *text)
{
	static const char defaults[] = "DEFAULTS", others[] = "NO_DEFAULTS ";

	if (!strncmp(text, defaults, strlen(defaults)))
		return xstrdup(defaults);
	return canon_trim(text + (strncmp(text, others, strlen(others)) ? 0 : strlen(others)));
}

static int control_open(const struct tfs *t, const char *path, int flags)
{
	int fd;

	do {
		fd = openat(t->dirfd, path, O_WRONLY | O_CLOEXEC | flags);
	} while (fd < 0 && errno == EINTR);
	return fd;
}

static int control_close(int fd, int ret)
{
	int sys = errno;

	/* Some files act at close only (the function filters); the descriptor is gone even then. */
	if (close(fd) && !ret && errno != EINTR)
		return -1;
	errno = sys;
	return ret;
}

int control_write(const struct tfs *t, const char *path, int flags, const char *text)
{
	int fd = control_open(t, path, flags);
	char *line;
	int ret;

	if (fd < 0)
		return -1;
	line = xasprintf("%s\n", text);
	ret = io_write_all(fd, line, strlen(line));
	free(line);
	return control_close(fd, ret);
}

int control_write_words(const struct tfs *t, const char *path, int flags, const struct strv *words,
			size_t *bad)
{
	int fd = control_open(t, path, flags), ret = 0, sys = 0;
	struct buf word = {0};
	size_t i;

	*bad = words->n;
	if (fd < 0)
		return -1;
	for (i = 0; i < words->n; i++) {
		buf_reset(&word);
		buf_printf(&word, "%s\n", words->v[i]);
		if (!io_write_all(fd, word.data, word.len) || ret)
			continue;
		ret = -1;
		sys = errno;
		*bad = i;
	}
	buf_release(&word);
	errno = sys;
	return control_close(fd, ret);
}

static int restore_failed(const struct tfs *t, const char *path, const char *value,
			  struct ftr_error *err)
{
	int sys = errno;

	err_sys(err, "cannot restore '%s/%s' to '%.200s'", t->path, path, value);
	errno = sys;
	return -1;
}

/* Returns the content of @path in canonical form, NULL with errno. The caller frees. */
static char *read_canon(const struct tfs *t, const char *path, char *(*canon)(const char *))
{
	struct buf text = {0};
	char *value = NULL;

	if (!tfs_read(t, NULL, path, &text, NULL))
		value = canon(text.data);
	buf_release(&text);
	return value;
}

static int restore_value(const struct tfs *t, const char *path, const char *old,
			 struct ftr_error *err)
{
	const struct control_file *c = control_of(path);
	char *value = c->canon(old), *now = read_canon(t, path, c->canon);
	int ret = 0;

	if (!now || strcmp(value, now))
		ret = control_write(t, path, O_TRUNC, value);
	if (ret)
		restore_failed(t, path, value, err);
	free(now);
	free(value);
	return ret;
}

/* trace_options is noted as the word that undoes the change. */
static int restore_option(const struct tfs *t, const char *path, const char *old,
			  struct ftr_error *err)
{
	if (control_write(t, path, O_TRUNC, old))
		return restore_failed(t, path, old, err);
	return 0;
}

/*
 * If the kernel refused a filter, it keeps the text with "parse_error:" below, and lets everything
 * pass. Writing the text again restores that, and is refused again.
 */
static int restore_filter(const struct tfs *t, const char *path, const char *old,
			  struct ftr_error *err)
{
	bool refused = strstr(old, "\nparse_error:");
	char *value = canon_filter(old), *now = read_canon(t, path, canon_filter);
	int ret = 0;

	if (now && !strcmp(value, now))
		goto out;
	if (refused)
		value[strcspn(value, "\n")] = '\0';
	ret = control_write(t, path, O_TRUNC, value);
	if (ret && refused && errno == EINVAL)
		ret = 0;
	if (ret)
		restore_failed(t, path, value, err);
out:
	free(now);
	free(value);
	return ret;
}

static int restore_words(const struct tfs *t, const char *path, const char *old,
			 struct ftr_error *err)
{
	char *value = canon_words(old), *now = read_canon(t, path, canon_words);
	struct strv words = {0};
	bool lists_tasks;
	size_t bad;
	int ret = 0;

	/* A list of tasks that have all ended reads as empty, but lets no task through. */
	lists_tasks = !fnmatch("set_*_pid", control_split(path, NULL), 0);
	if (now && !strcmp(value, now) && (*value || !lists_tasks))
		goto out;
	strv_split(&words, value, "\n");
	ret = control_write_words(t, path, O_TRUNC, &words, &bad);
	if (ret)
		restore_failed(t, path, bad < words.n ? words.v[bad] : value, err);
out:
	strv_release(&words);
	free(now);
	free(value);
	return ret;
}

/* The kernel parses one word per write. */
static int restore_flags(const struct tfs *t, const char *path, const char *old,
			 struct ftr_error *err)
{
	char *value = canon_flags(old), *now = read_canon(t, path, canon_flags);
	struct strv words = {0};
	size_t bad;
	int ret = 0;

	strv_split(&words, value, " ");
	if (!now || strcmp(now, value))
		ret = control_write_words(t, path, O_TRUNC, &words, &bad);
	if (ret)
		restore_failed(t, path, value, err);
	strv_release(&words);
	free(now);
	free(value);
	return ret;
}

/* An empty snapshot reads "# * Snapshot is freed *" or "... allocated *", others are allocated. */
static char *snapshot_canon(const char *text)
{
	bool freed = strstr(text, "Snapshot is freed") || !strcmp(text, "freed") ||
		     !strcmp(text, "0");

	return xstrdup(freed ? "freed" : "allocated");
}

int snapshot_head(const struct tfs *t, const char *path, char *text, size_t size)
{
	int fd = openat(t->dirfd, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	size_t len = 0;
	ssize_t n = 0;
	int sys;

	if (fd < 0)
		return -1;
	while (len < size - 1 && (n = read(fd, text + len, size - 1 - len)) > 0)
		len += n;
	sys = errno;
	text[len] = '\0';
	close(fd);
	errno = sys;
	return n < 0 && !len ? -1 : 0;
}

static bool snapshot_is_freed(const struct tfs *t, const char *path)
{
	char text[SNAPSHOT_HEAD_BYTES];

	return !snapshot_head(t, path, text, sizeof(text)) && strstr(text, "Snapshot is freed");
}

bool snapshot_allocated(const struct tfs *t, const char *instance)
{
	struct buf path = {0};
	bool freed = snapshot_is_freed(t, tfs_path(&path, instance, "snapshot"));

	buf_release(&path);
	return !freed;
}

/*
 * Frees the buffer if it was free before. If it was allocated before and is free now, it stays
 * free: allocating it would take a snapshot.
 */
static int snapshot_restore(const struct tfs *t, const char *path, const char *old,
			    struct ftr_error *err)
{
	if (strcmp(old, "freed") || snapshot_is_freed(t, path) ||
	    !control_write(t, path, O_TRUNC, "0"))
		return 0;
	return err_sys(err, "cannot free the snapshot '%s/%s'", t->path, path);
}

static const struct control_file controls[] = {
	{ "current_tracer",         canon_trim,   restore_value, SIDE_TRACER, false, false },
	{ "trace_clock",            canon_choice, restore_value, SIDE_NONE, false, false },
	{ "buffer_size_kb",         canon_size,   restore_value, SIDE_SIZE, false, false },
	{ "per_cpu/*/buffer_size_kb", canon_size, restore_value, SIDE_SIZE, false, false },
	{ "buffer_subbuf_size_kb",  canon_trim,   restore_value, SIDE_SUBBUF, false, false },
	{ "options/trace_printk_dest", canon_trim, restore_value, SIDE_PRINTK_DEST, false, false },
	{ "options/event-fork",     canon_trim, restore_value, SIDE_FORK, false, false },
	{ "options/function-fork",  canon_trim, restore_value, SIDE_FORK, false, false },
	{ "trace_options",          canon_trim,   restore_option, SIDE_OPTIONS, false, false },
	{ "events/enable",          canon_enable, restore_value, SIDE_EVENTS, false, false },
	{ "events/*/*/enable",      canon_enable, restore_value, SIDE_NONE, false, false },
	{ "events/*/enable",        canon_enable, restore_value, SIDE_EVENTS, false, false },
	{ "events/*/*/filter",      canon_filter, restore_filter, SIDE_NONE, false, true },
	{ "events/*/filter",        canon_filter, restore_filter, SIDE_EVENTS, false, true },
	{ "events/*/*/trigger",     lines_canon,  lines_restore, SIDE_ACTIONS, true, true },
	{ "set_ftrace_filter",      functions_canon, functions_restore, SIDE_ACTIONS, true, true },
	{ "set_ftrace_notrace",     functions_canon, functions_restore, SIDE_ACTIONS, true, true },
	{ "stack_trace_filter",     functions_canon, functions_restore, SIDE_NONE, true, true },
	{ "set_graph_function",     canon_words,  restore_words, SIDE_NONE, true, false },
	{ "set_graph_notrace",      canon_words,  restore_words, SIDE_NONE, true, false },
	{ "set_ftrace_pid",         canon_words,  restore_words, SIDE_NONE, true, false },
	{ "set_ftrace_notrace_pid", canon_words,  restore_words, SIDE_NONE, true, false },
	{ "set_event_pid",          canon_words,  restore_words, SIDE_NONE, true, false },
	{ "set_event_notrace_pid",  canon_words,  restore_words, SIDE_NONE, true, false },
	{ "dynamic_events",         lines_canon,  lines_restore, SIDE_LINES, true, true },
	{ "kprobe_events",          lines_canon,  lines_restore, SIDE_LINES, true, true },
	{ "uprobe_events",          lines_canon,  lines_restore, SIDE_LINES, true, true },
	{ "synthetic_events",       lines_canon,  lines_restore, SIDE_LINES, true, true },
	{ "snapshot",               snapshot_canon, snapshot_restore, SIDE_SNAPSHOT, false, false },
	{ "per_cpu/*/snapshot",     snapshot_canon, snapshot_restore, SIDE_SNAPSHOT, false, false },
	{ "set_event",              canon_words,  restore_words, SIDE_SET_EVENT, true, false },
	{ "hwlat_detector/mode",    canon_choice, restore_value, SIDE_NONE, false, false },
	{ "osnoise/options",        canon_flags,  restore_flags, SIDE_NONE, false, false },
};

static const struct control_file plain = {
	"*", canon_trim, restore_value, SIDE_NONE, false, false
};

const char *control_split(const char *path, char **instance)
{
	const char *rest = strncmp(path, "instances/", 10) ? NULL : strchr(path + 10, '/');

	if (instance)
		*instance = rest ? xstrndup(path + 10, rest - path - 10) : NULL;
	return rest ? rest + 1 : path;
}

const struct control_file *control_of(const char *path)
{
	const char *file = control_split(path, NULL);
	size_t i;

	for (i = 0; i < sizeof(controls) / sizeof(*controls); i++)
		if (!fnmatch(controls[i].pattern, file, FNM_PATHNAME))
			return &controls[i];
	return &plain;
}

/* --- any control file by its name */

static const struct {
	const char *name;
	enum content_kind kind;
} kinds[] = {
	{ "trace_pipe",     CONTENT_TEXT_PIPE },
	{ "trace_pipe_raw", CONTENT_RAW },
	{ "snapshot_raw",   CONTENT_RAW },
	{ "free_buffer",    CONTENT_NEVER },
	{ "timerlat_fd",    CONTENT_NEVER },	/* the reader becomes the latency thread */
};

static enum content_kind content_kind_of(const char *path, const struct stat *st)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t i;

	if (S_ISDIR(st->st_mode))
		return CONTENT_DIR;
	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kinds[i].name, name))
			return kinds[i].kind;
	return CONTENT_PLAIN;
}

int content_list(const struct tfs *t, const char *path, struct strv *out, struct ftr_error *err)
{
	int fd = openat(t->dirfd, *path ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *d;

	if (!dir) {
		err_sys(err, "cannot list '%s/%s'", t->path, path);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	while ((d = readdir(dir)))
		if (*d->d_name != '.')
			strv_take(out, xasprintf("%s%s", d->d_name,
						 d->d_type == DT_DIR ? "/" : ""));
	closedir(dir);
	strv_sort_unique(out);
	return 0;
}

/* Sets @err; the hint has the closest name in the last directory of @path that exists. */
static void explain_missing_file(const struct tfs *t, const char *path, struct ftr_error *err)
{
	char *copy = xstrdup(path), *dir, *miss, *next;
	struct strv names = {0};
	const char *near = NULL;

	for (miss = copy; (next = strchr(miss, '/')); miss = next + 1) {
		*next = '\0';
		if (faccessat(t->dirfd, copy, F_OK, 0))
			break;
		*next = '/';
	}
	dir = xstrndup(path, miss > copy ? miss - copy - 1 : 0);
	if (!content_list(t, dir, &names, NULL) && names.n)
		near = text_closest(miss, names.v);
	err_set(err, FTR_FAILED, "there is no control file '%s' in tracefs", path);
	if (near)
		err_hint(err, "did you mean '%s%s%s'?", dir, *dir ? "/" : "", near);
	else
		err_hint(err, "'ftr show %s' lists what there is", *dir ? dir : ".");
	strv_release(&names);
	free(dir);
	free(copy);
}

int content_find(const struct tfs *t, const char *instance, int cpu, const char *name, char **path,
		 enum content_kind *kind, struct ftr_error *err)
{
	struct buf b = {0}, full = {0};
	struct strv parts = {0};
	bool leads_out;
	struct stat st;
	int ret = 0;

	*path = NULL;
	strv_split(&parts, name, "/");
	leads_out = *name == '/' || !parts.n || strv_has(&parts, "..");
	strv_release(&parts);
	if (leads_out) {
		err_set(err, FTR_USAGE, "'%s' is not a control file of tracefs", name);
		return err_hint(err, "give a name below '%s', as events/sched/enable", t->path);
	}
	if (tfs_check_instance(t, instance, err))
		return -1;
	if (cpu >= 0)
		buf_printf(&b, "per_cpu/cpu%d/", cpu);
	buf_addstr(&b, name);
	while (b.len > 1 && b.data[b.len - 1] == '/')
		b.data[--b.len] = '\0';
	tfs_path(&full, instance, b.data);
	if (!fstatat(t->dirfd, full.data, &st, 0)) {
		*kind = content_kind_of(full.data, &st);
		*path = xstrdup(full.data);
	} else if (errno == ENOENT || errno == ENOTDIR) {
		explain_missing_file(t, full.data, err);
		ret = -1;
	} else {
		ret = err_sys(err, "cannot look at '%s/%s'", t->path, full.data);
	}
	buf_release(&b);
	buf_release(&full);
	return ret;
}
