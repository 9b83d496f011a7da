/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sessions: each change of tracefs is noted first, and the end of the session restores it.
 *
 * Some control files exist once for the whole kernel, so only one command at a time may change
 * them. flock() on the root directory of tracefs is the global lock: it ends with its holder,
 * works across users and needs no file, and /proc/locks names the holder.
 */
#include "tracefs/session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/io.h"
#include "tracefs/errors/errlog.h"
#include "tracefs/session/journal_note.h"

/*
 * Returns the process that has a flock() on @fd, 0 if there is none. A line of /proc/locks is "1:
 * FLOCK ADVISORY WRITE 137 00:0c:1 0 EOF", with the device in hex.
 */
static pid_t lock_holder(int fd)
{
	struct buf text = {0};
	struct strv lines = {0};
	unsigned int major, minor;
	unsigned long ino;
	struct stat st;
	pid_t pid = 0;
	size_t i;
	int p;

	if (fstat(fd, &st) || io_read_at(AT_FDCWD, "/proc/locks", &text))
		goto out;
	strv_split(&lines, text.data, "\n");
	for (i = 0; i < lines.n && !pid; i++)
		if (sscanf(lines.v[i], "%*d: FLOCK ADVISORY WRITE %d %x:%x:%lu", &p, &major, &minor,
			   &ino) == 4 &&
		    ino == st.st_ino && major == major(st.st_dev) && minor == minor(st.st_dev))
			pid = p;
out:
	strv_release(&lines);
	buf_release(&text);
	return pid;
}

char *global_lock_holder(const struct tfs *t)
{
	pid_t pid = lock_holder(t->dirfd);
	char *command = pid > 0 ? process_command(pid) : NULL, *text;

	text = command ? xasprintf("pid %d, '%s'", (int)pid, command) : NULL;
	free(command);
	return text;
}

int global_lock(const struct tfs *t, struct ftr_error *err)
{
	int fd = openat(t->dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char *command;
	pid_t pid;
	int ret;

	if (fd < 0)
		return err_sys(err, "cannot open '%s'", t->path);
	do {
		ret = flock(fd, LOCK_EX | LOCK_NB);
	} while (ret && errno == EINTR);
	if (!ret)
		return fd;
	if (errno == EWOULDBLOCK) {
		pid = lock_holder(fd);
		command = pid > 0 ? process_command(pid) : NULL;
		if (command)
			err_set(err, FTR_FAILED, "tracing of the whole kernel is in use by pid %d, "
				"'%.300s'", (int)pid, command);
		else
			err_set(err, FTR_FAILED,
				"tracing of the whole kernel is in use by another process");
		err_hint(err, "wait for it to end, or leave out what exists once for the kernel");
		free(command);
	} else {
		err_sys(err, "cannot lock '%s'", t->path);
	}
	close(fd);
	return -1;
}

void global_unlock(int fd)
{
	if (fd < 0)
		return;
	flock(fd, LOCK_UN);
	close(fd);
}

struct session *session_open(struct tfs *t, struct ftr_error *err)
{
	struct session *s;
	char *dir = journal_dir(err);

	/* A directory that can't be used is an error here, before anything else is done. */
	if (!dir)
		return NULL;
	free(dir);
	s = xcalloc(1, sizeof(*s));
	s->t = t;
	s->journal_fd = -1;
	s->lock_fd = -1;
	s->standing_fd = -1;
	return s;
}

struct tfs *session_tfs(struct session *s)
{
	return s->t;
}

static void change_init(struct journal_change *c, struct session *s, const char *instance,
			const char *file, const char *value, struct ftr_error *err)
{
	struct buf path = {0};

	tfs_path(&path, instance, file);
	*c = (struct journal_change){ .s = s, .instance = instance, .file = file, .value = value,
			      .path = buf_take(&path), .err = err };
	c->control = control_of(c->path);
}

static bool change_has_value(const struct journal_change *c)
{
	/* A system's filter does not show those of its events; a snapshot is taken anew. */
	bool unknown = (c->control->side == SIDE_EVENTS && c->control->has_log) ||
		       c->control->side == SIDE_SNAPSHOT;
	struct buf text = {0};
	char *now = NULL, *want = c->control->canon(c->value);
	bool same = false;

	if (!unknown && !tfs_read(c->s->t, NULL, c->path, &text, NULL))
		now = c->control->canon(text.data);
	if (now)
		same = !strcmp(now, want);
	/* A list of tasks that have all ended reads as empty, but lets no task through. */
	if (same && !*want && !fnmatch("set_*_pid", c->file, 0))
		same = false;
	/* The buffer is still minimal, and grows to the size it shows at its first use. */
	if (strstr(text.data ? text.data : "", "expanded"))
		same = false;
	free(now);
	free(want);
	buf_release(&text);
	return same;
}

/* Notes the old values, writes @words (or ->value if NULL) with @flags, and explains a refusal. */
static int change_make(struct journal_change *c, int flags, const struct strv *words)
{
	const struct tfs *t = c->s->t;
	struct tfs_errlog log = {0};
	const char *refused = c->value;
	size_t noted = c->s->entries.n, bad;
	char *text;
	int ret, sys;

	c->words = words;
	c->truncates = flags & O_TRUNC;
	if (!tfs_exists(t, NULL, c->path))
		return explain_refusal(t, c->instance, c->file, refused, ENOENT, NULL, c->err);
	/* A change that outlives its run may leave records, which its removal also removes. */
	if (c->s->standing_fd >= 0 && change_fills_buffer(c) &&
	    session_empty(c->s, c->instance, c->err))
		return -1;
	if (change_note(c))
		return -1;
	if (c->control->has_log)
		tfs_errlog_mark(t, c->instance, &log);
	ret = words ? control_write_words(t, c->path, flags, words, &bad)
		    : control_write(t, c->path, flags, c->value);
	sys = errno;
	if (ret && words && bad < words->n)
		refused = words->v[bad];
	/* open() failed, as tracefs is mounted read-only: there is nothing to restore. */
	for (; ret && sys == EROFS && noted < c->s->entries.n; noted++)
		c->s->entries.v[noted].kept = true;
	text = tfs_errlog_new(t, c->instance, refused, &log);
	if (ret)
		explain_refusal(t, c->instance, c->file, refused, sys, text, c->err);
	free(text);
	return ret;
}

int session_append(struct session *s, const char *instance, const char *file,
		   const struct strv *values, struct ftr_error *err)
{
	struct journal_change c;
	int ret;

	if (!values->n)
		return 0;
	change_init(&c, s, instance, file, values->v[0], err);
	ret = change_make(&c, O_APPEND, values);
	free(c.path);
	return ret;
}

int session_set_list(struct session *s, const char *instance, const char *file,
		     const struct strv *values, struct ftr_error *err)
{
	struct journal_change c;
	int ret = 0;

	change_init(&c, s, instance, file, values->n ? values->v[0] : "", err);
	if (values->n || !change_has_value(&c))
		ret = change_make(&c, O_TRUNC, values);
	free(c.path);
	return ret;
}

int session_set(struct session *s, const char *instance, const char *file, const char *value,
		struct ftr_error *err)
{
	struct strv words = {0};
	struct journal_change c;
	int ret = 0;

	change_init(&c, s, instance, file, value, err);
	if (c.control->side == SIDE_OPTIONS) {
		ret = session_option(s, instance, value + (strncmp(value, "no", 2) ? 0 : 2),
				     strncmp(value, "no", 2), err);
	} else if (!fnmatch("events/*/*/trigger", file, FNM_PATHNAME)) {
		ret = change_make(&c, O_APPEND, NULL);
	} else if (c.control->list) {
		strv_split(&words, value, " \t\n");
		ret = session_set_list(s, instance, file, &words, err);
		strv_release(&words);
	} else if (!change_has_value(&c)) {
		ret = change_make(&c, O_TRUNC, NULL);
	}
	free(c.path);
	return ret;
}

int session_option(struct session *s, const char *instance, const char *name, bool on,
		   struct ftr_error *err)
{
	char *file = xasprintf("options/%s", name), *off_word = xasprintf("no%s", name);
	const char *new_word = on ? name : off_word, *old_word = on ? off_word : name;
	struct strv words = {0};
	struct buf text = {0};
	struct journal_change c = {0};
	int ret;

	if (tfs_exists(s->t, instance, file)) {
		ret = session_set(s, instance, file, on ? "1" : "0", err);
		goto out;
	}
	/* Without that file, trace_options contains the word that undoes the change. */
	change_init(&c, s, instance, "trace_options", new_word, err);
	ret = tfs_read(s->t, instance, "trace_options", &text, err);
	if (!ret)
		strv_split(&words, text.data, "\n");
	if (ret || strv_has(&words, new_word))
		goto out;
	if (!strv_has(&words, old_word)) {
		ret = explain_refusal(s->t, instance, file, new_word, ENOENT, NULL, err);
		goto out;
	}
	ret = session_record(s, ENTRY_SET, c.path, old_word, err);
	if (!ret && control_write(s->t, c.path, O_TRUNC, new_word))
		ret = explain_refusal(s->t, instance, "trace_options", new_word, errno, NULL, err);
out:
	free(c.path);
	free(off_word);
	free(file);
	strv_release(&words);
	buf_release(&text);
	return ret;
}

int session_trigger(struct session *s, const char *instance, const char *event, const char *trigger,
		    struct ftr_error *err)
{
	char *file = xasprintf("events/%s/trigger", event);
	int ret = session_set(s, instance, file, trigger, err);

	free(file);
	return ret;
}

int session_line(struct session *s, const char *file, const char *line, const char *undo,
		 struct ftr_error *err)
{
	struct journal_change c;
	int ret;

	change_init(&c, s, NULL, file, line, err);
	ret = session_record(s, ENTRY_LINE, c.path, undo, err);
	if (!ret && change_make(&c, O_APPEND, NULL)) {
		/* The event of the line may exist, and belong to somebody else. */
		s->entries.v[s->entries.n - 1].kept = true;
		ret = -1;
	}
	free(c.path);
	return ret;
}

int session_empty(struct session *s, const char *instance, struct ftr_error *err)
{
	struct buf path = {0};
	int ret = 0;

	tfs_path(&path, instance, "trace");
	if (strv_has(&s->checked, path.data))
		goto out;
	strv_add(&s->checked, path.data);
	if (!tfs_has_data(s->t, instance))
		ret = session_record(s, ENTRY_EMPTY, path.data, "", err);
out:
	buf_release(&path);
	return ret;
}

void session_keep(struct session *s, const char *instance)
{
	const char *name = instance ? instance : "";

	/* Without a change there is nothing to keep. */
	if (s->journal_fd < 0 || session_record(s, ENTRY_KEEP, name, "", NULL))
		return;
	entries_keep(&s->entries, name);
}

int session_instance(struct session *s, const char *name, bool *made, struct ftr_error *err)
{
	char *path;
	char *size;
	int ret = 0, sys;

	*made = false;
	if (!*name || strchr(name, '/') || *name == '.')
		return err_set(err, FTR_FAILED, "'%s' is not a name for an instance", name);
	path = xasprintf("instances/%s", name);
	if (tfs_exists(s->t, NULL, path))
		goto out;
	size = tfs_line(s->t, NULL, "buffer_size_kb");
	if (strstr(size, "expanded"))
		ret = session_record(s, ENTRY_GROW, "buffer_size_kb", size, err);
	free(size);
	if (!ret)
		ret = session_record(s, ENTRY_MKDIR, path, "", err);
	if (!ret && mkdirat(s->t->dirfd, path, 0750)) {
		sys = errno;
		ret = err_sys(err, "cannot make the instance '%s/%s'", s->t->path, path);
		tfs_hint_rights(s->t->path, sys, err);
		session_keep(s, name);
	}
	*made = !ret;
out:
	free(path);
	return ret;
}

int session_lock_global(struct session *s, struct ftr_error *err)
{
	if (s->lock_fd < 0)
		s->lock_fd = global_lock(s->t, err);
	return s->lock_fd < 0 ? -1 : 0;
}

int session_close(struct session *s, struct ftr_error *err)
{
	int ret;

	if (!s)
		return 0;
	ret = entries_restore(s->t, &s->entries, err);
	if (s->journal_fd >= 0)
		close(s->journal_fd);
	if (s->journal && !ret)
		journal_remove(s->journal);
	global_unlock(s->lock_fd);
	if (s->standing_fd >= 0)
		close(s->standing_fd);
	free(s->standing);
	strv_release(&s->checked);
	entries_release(&s->entries);
	free(s->journal);
	free(s);
	return ret;
}

int session_note_file(struct session *s, const char *path, const char *how, struct ftr_error *err)
{
	return session_record(s, ENTRY_FILE, path, how, err);
}

char *session_beside(const struct session *s, const char *what)
{
	return s->journal ? xasprintf("%s.%s", s->journal, what) : NULL;
}
