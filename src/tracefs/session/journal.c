/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes and reads journals. */
#include "tracefs/session/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/sig.h"
#include "tracefs/session/definitions.h"
#include "tracefs/session/sysctl.h"

#define MAGIC "ftr journal 1\n"
#define ROOTS_DIR "/run/ftr"
/* A list of all functions has some megabytes. */
#define JOURNAL_MAX_BYTES (256u << 20)

static const char *const entry_names[] = {
	[ENTRY_SET] = "set", [ENTRY_COMMAND] = "probe", [ENTRY_GROW] = "grow",
	[ENTRY_MKDIR] = "mkdir", [ENTRY_KEEP] = "keep", [ENTRY_LINE] = "line",
	[ENTRY_SYSCTL] = "sysctl",
	[ENTRY_EMPTY] = "empty",
	[ENTRY_FILE] = "file",
	[ENTRY_LEFT] = "left",
};

#define N_ENTRY_TYPES (sizeof(entry_names) / sizeof(*entry_names))

void entries_add(struct journal_entries *e, enum entry_type type, const char *path,
		 const char *value)
{
	e->v = xgrow(e->v, &e->cap, e->n + 1, sizeof(*e->v));
	e->v[e->n++] = (struct journal_entry){
		.type = type, .path = xstrdup(path), .value = xstrdup(value),
		.by = e->commands.n ? e->commands.n - 1 : 0,
	};
}

void entries_release(struct journal_entries *e)
{
	size_t i;

	for (i = 0; i < e->n; i++) {
		free(e->v[i].path);
		free(e->v[i].value);
	}
	free(e->v);
	strv_release(&e->commands);
	*e = (struct journal_entries){0};
}

void entries_keep(struct journal_entries *e, const char *instance)
{
	size_t i, n = strlen(instance);
	const char *path;
	bool inside;

	for (i = 0; i < e->n; i++) {
		path = e->v[i].path;
		inside = !strncmp(path, "instances/", 10);
		if (!strcmp(instance, "*") || (!n && !inside) ||
		    (n && inside && !strncmp(path + 10, instance, n) &&
		     (path[10 + n] == '/' || !path[10 + n])))
			e->v[i].kept = true;
	}
}

void journal_owner_release(struct journal_owner *o)
{
	free(o->boot_id);
	free(o->command);
	free(o->tracefs);
	*o = (struct journal_owner){0};
}

static char *journal_boot_id(void)
{
	char *id = io_line_at(AT_FDCWD, "/proc/sys/kernel/random/boot_id");

	return id ? id : xstrdup("");
}

/* Field 22 of /proc/PID/stat; the second field is a comm, which may contain blanks and ")". */
unsigned long long process_start(pid_t pid)
{
	char *path = xasprintf("/proc/%d/stat", (int)pid);
	char *line = io_line_at(AT_FDCWD, path), *p = line ? strrchr(line, ')') : NULL;
	unsigned long long start = 0;
	int field;

	/* A zombie, ") Z ...", makes no more changes. */
	if (p && (p[2] == 'Z' || p[2] == 'X'))
		p = NULL;
	for (field = 2; p && field < 22; field++)
		p = strchr(p + 1, ' ');
	if (p)
		start = strtoull(p, NULL, 10);
	free(line);
	free(path);
	return start;
}

char *process_command(pid_t pid)
{
	char *path = xasprintf("/proc/%d/cmdline", (int)pid);
	struct buf args = {0};
	size_t i;

	if (io_read_at(AT_FDCWD, path, &args) || !args.len) {
		buf_reset(&args);
		buf_addch(&args, '?');
	}
	while (args.len > 1 && !args.data[args.len - 1])
		args.len--;
	for (i = 0; i < args.len; i++)
		if ((unsigned char)args.data[i] < ' ')
			args.data[i] = ' ';
	free(path);
	return buf_take(&args);
}

char *journal_dir_path(void)
{
	const char *dir = secure_getenv("FTR_JOURNAL_DIR");
	const char *run = secure_getenv("XDG_RUNTIME_DIR");

	if (dir && *dir)
		return xstrdup(dir);
	if (!geteuid())
		return xstrdup(ROOTS_DIR);
	if (run && *run == '/')
		return xasprintf("%s/ftr", run);
	return xasprintf("/tmp/ftr-%u", (unsigned int)geteuid());
}

const char *journal_unseen(void)
{
	const char *dir = secure_getenv("FTR_JOURNAL_DIR");

	if ((dir && *dir) || !geteuid() || !access(ROOTS_DIR, R_OK | X_OK) || errno != EACCES)
		return NULL;
	return ROOTS_DIR;
}

char *journal_dir(struct ftr_error *err)
{
	char *path = journal_dir_path();
	struct stat st;

	/* Below /tmp any user may have created it. */
	if (io_mkdirs(path, 0700) && errno != EEXIST) {
		err_sys(err, "cannot make the journal directory '%s'", path);
	} else if (lstat(path, &st)) {
		err_sys(err, "cannot use the journal directory '%s'", path);
	} else if (S_ISDIR(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & 022)) {
		return path;
	} else {
		err_set(err, FTR_FAILED, "cannot use the journal directory '%s': it belongs to "
			"another user, or others may write there", path);
		err_hint(err, "remove it, or set XDG_RUNTIME_DIR to a private directory");
	}
	free(path);
	return NULL;
}

int journal_list(struct strv *runs, char **standing, struct ftr_error *err)
{
	char *dir = journal_dir(err), *pattern;
	glob_t found = {0};
	size_t i;

	if (!dir)
		return -1;
	pattern = xasprintf("%s/*.journal", dir);
	glob(pattern, 0, NULL, &found);
	for (i = 0; i < found.gl_pathc; i++)
		strv_add(runs, found.gl_pathv[i]);
	if (standing)
		*standing = xasprintf("%s/standing", dir);
	globfree(&found);
	free(pattern);
	free(dir);
	return 0;
}

int journal_remove(const char *path)
{
	char *pattern = xasprintf("%s.*", path);
	glob_t found = {0};
	size_t i;

	glob(pattern, 0, NULL, &found);
	for (i = 0; i < found.gl_pathc; i++)
		unlink(found.gl_pathv[i]);
	globfree(&found);
	free(pattern);
	return unlink(path);
}

static void add_record(struct buf *b, const char *name, const char *path, const char *value)
{
	buf_printf(b, "%s %zu %zu\n%s\n", name, strlen(path), strlen(value), path);
	buf_addstr(b, value);
	buf_addch(b, '\n');
}

static void add_header(struct buf *b, const struct tfs *t)
{
	char *id = journal_boot_id(), *command = process_command(getpid());
	char number[32];

	buf_addstr(b, MAGIC);
	add_record(b, "boot", "", id);
	snprintf(number, sizeof(number), "%d", (int)getpid());
	add_record(b, "pid", "", number);
	snprintf(number, sizeof(number), "%llu", process_start(getpid()));
	add_record(b, "start", "", number);
	add_record(b, "command", "", command);
	add_record(b, "tracefs", "", t->path);
	free(command);
	free(id);
}

/* Appends @b with one write(), so that a killed process leaves all or nothing of it. */
static int append_at_once(int fd, const struct buf *b, const char *path, struct ftr_error *err)
{
	ssize_t n;

	do {
		n = write(fd, b->data, b->len);
	} while (n < 0 && errno == EINTR);
	if (n == (ssize_t)b->len)
		return 0;
	if (n >= 0)
		errno = ENOSPC;
	err_sys(err, "cannot write the journal '%s'", path);
	return err_hint(err, "nothing was changed, as it could not be restored without the "
			"journal");
}

int journal_create(const struct tfs *t, char **path, struct ftr_error *err)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_APPEND;
	char *dir = journal_dir(err);
	struct buf b = {0};
	int i, fd = -1;

	*path = NULL;
	if (!dir)
		return -1;
	/* A dead process may have had the same pid: after PID.journal comes PID.1.journal. */
	for (i = 0; fd < 0 && i < 1000; i++) {
		free(*path);
		*path = i ? xasprintf("%s/%d.%d.journal", dir, (int)getpid(), i)
			  : xasprintf("%s/%d.journal", dir, (int)getpid());
		fd = open(*path, flags, 0600);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	free(dir);
	if (fd < 0) {
		err_sys(err, "cannot create the journal '%s'", *path);
		goto fail;
	}
	add_header(&b, t);
	if (!append_at_once(fd, &b, *path, err)) {
		buf_release(&b);
		return fd;
	}
	unlink(*path);
	close(fd);
fail:
	buf_release(&b);
	free(*path);
	*path = NULL;
	return -1;
}

/* Empties the journal and writes a header, unless it has a header of this boot. */
static int standing_start(const struct tfs *t, int fd, const char *path, struct ftr_error *err)
{
	struct journal_owner owner;
	struct journal_entries entries;
	struct buf b = {0};
	int ret = 0;

	if (lseek(fd, 0, SEEK_END) > 0 && !journal_read(path, &owner, &entries, NULL)) {
		ret = journal_of_this_boot(&owner);
		journal_owner_release(&owner);
		entries_release(&entries);
		if (ret)
			return 0;
	}
	if (ftruncate(fd, 0))
		return err_sys(err, "cannot begin the journal '%s'", path);
	add_header(&b, t);
	ret = append_at_once(fd, &b, path, err);
	buf_release(&b);
	return ret;
}

/* Takes the flock() of @fd. Its holder is about to end, so this waits. -1 with @err. */
static int lock_wait(int fd, struct ftr_error *err)
{
	const struct timespec pause = { .tv_nsec = 20000000 };
	int sig;

	while (flock(fd, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return err_sys(err, "cannot lock the journals");
		sig = sig_held();
		if (sig)
			return err_set(err, 128 + sig, "interrupted (%s)", strsignal(sig));
		nanosleep(&pause, NULL);
	}
	return 0;
}

int journal_lock(struct ftr_error *err)
{
	char *dir = journal_dir(err);
	int fd = dir ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (dir && fd < 0)
		err_sys(err, "cannot open the journal directory '%s'", dir);
	free(dir);
	if (fd < 0 || !lock_wait(fd, err))
		return fd;
	close(fd);
	return -1;
}

int journal_standing(const struct tfs *t, char **path, struct ftr_error *err)
{
	char *dir = journal_dir(err);
	int fd;

	*path = dir ? xasprintf("%s/standing", dir) : NULL;
	free(dir);
	if (!*path)
		return -1;
	fd = open(*path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_APPEND, 0600);
	if (fd < 0)
		err_sys(err, "cannot open the journal '%s'", *path);
	else if (!lock_wait(fd, err) && !standing_start(t, fd, *path, err))
		return fd;
	if (fd >= 0)
		close(fd);
	free(*path);
	*path = NULL;
	return -1;
}

static int append_entries(int fd, const struct buf *b, const char *path, struct ftr_error *err)
{
	off_t end = lseek(fd, 0, SEEK_END);
	int ret = b->len ? append_at_once(fd, b, path, err) : 0;

	/* A partial entry would hide the entries after it. */
	if (ret && end >= 0 && ftruncate(fd, end))
		ret = -1;
	return ret;
}

int journal_append(int fd, const struct journal_entry *e, const char *path, struct ftr_error *err)
{
	struct buf b = {0};
	int ret;

	add_record(&b, entry_names[e->type], e->path, e->value);
	ret = append_entries(fd, &b, path, err);
	buf_release(&b);
	return ret;
}

int journal_append_all(int fd, const struct journal_entries *e, const char *path,
		       struct ftr_error *err)
{
	char *command = process_command(getpid());
	struct buf b = {0};
	size_t i, head;
	int ret;

	add_record(&b, "command", "", command);
	head = b.len;
	for (i = 0; i < e->n; i++)
		if (!e->v[i].kept && e->v[i].type != ENTRY_FILE)
			add_record(&b, entry_names[e->v[i].type], e->v[i].path, e->v[i].value);
	if (b.len == head)
		buf_reset(&b);
	ret = append_entries(fd, &b, path, err);
	buf_release(&b);
	free(command);
	return ret;
}

/*
 * Parses the record at *pos, "name plen vlen\npath\nvalue\n", and moves *pos after it. Returns 0, 1
 * at a clean end, or -1 if the record is cut short or invalid. The caller frees *path and *value.
 */
static int parse_record(const struct buf *b, size_t *pos, char name[16], char **path, char **value)
{
	const char *at = b->data + *pos, *line_end;
	size_t left = b->len - *pos, plen, vlen, head;

	if (!left)
		return 1;
	line_end = memchr(at, '\n', left < 64 ? left : 64);
	if (!line_end || sscanf(at, "%15s %zu %zu", name, &plen, &vlen) != 3)
		return -1;
	head = line_end - at + 1;
	if (plen > left || vlen > left || head + plen + vlen + 2 > left ||
	    at[head + plen] != '\n' || at[head + plen + 1 + vlen] != '\n')
		return -1;
	*path = xstrndup(at + head, plen);
	*value = xstrndup(at + head + plen + 1, vlen);
	*pos += head + plen + vlen + 2;
	return 0;
}

/* True if @path stays in tracefs. Any other path would make the restorer write anywhere. */
static bool path_inside(const char *path)
{
	const char *p;
	size_t n;

	for (p = path; *p; p += n + (p[n] == '/')) {
		n = strcspn(p, "/");
		if (n == 2 && !memcmp(p, "..", n))
			return false;
	}
	return *path != '/';
}

/*
 * Adds a record to the owner or the entries. Returns false if @name is neither a part of the header
 * nor an entry with a valid path.
 */
static bool journal_add_record(struct journal_owner *o, struct journal_entries *e, const char *name,
			       const char *path, char **value)
{
	const struct { const char *name; char **to; } texts[] = {
		{ "boot", &o->boot_id }, { "tracefs", &o->tracefs },
	};
	bool fits;
	size_t i;

	if (!strcmp(name, "command")) {
		strv_add(&e->commands, *value);
		o->command = o->command ? o->command : xstrdup(*value);
		return true;
	}
	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		if (strcmp(name, texts[i].name))
			continue;
		free(*texts[i].to);
		*texts[i].to = *value;
		*value = NULL;
		return true;
	}
	for (i = 0; i < N_ENTRY_TYPES; i++) {
		if (strcmp(name, entry_names[i]))
			continue;
		/* A file that is recorded into has an absolute path, others are in tracefs. */
		if (i == ENTRY_SYSCTL)
			fits = sysctl_known(path);
		else
			fits = i == ENTRY_FILE ? *path == '/' : path_inside(path);
		if (fits && i == ENTRY_KEEP)
			entries_keep(e, path);
		else if (fits)
			entries_add(e, i, path, *value);
		return fits;
	}
	if (!strcmp(name, "pid"))
		o->pid = atoi(*value);
	else if (!strcmp(name, "start"))
		o->start = strtoull(*value, NULL, 10);
	else
		return false;
	return true;
}

static int parse_journal(const struct buf *text, const char *file, struct journal_owner *o,
			 struct journal_entries *e, struct ftr_error *err)
{
	size_t pos = strlen(MAGIC), at;
	char name[16], *path, *value;
	bool known = true;
	int end;

	if (text->len < pos || memcmp(text->data, MAGIC, pos))
		return err_set(err, FTR_DAMAGED, "'%s' is not a journal of this version", file);
	while (known) {
		at = pos;
		path = value = NULL;
		end = parse_record(text, &pos, name, &path, &value);
		if (end)
			break;
		known = journal_add_record(o, e, name, path, &value);
		free(path);
		free(value);
	}
	if (!known)
		return err_set(err, FTR_DAMAGED, "'%s': unknown record at offset %zu", file, at);
	if (!o->boot_id || !o->pid)
		return err_set(err, FTR_DAMAGED, "'%s': the journal's header is cut short", file);
	return 0;
}

int journal_read(const char *file, struct journal_owner *o, struct journal_entries *e,
		 struct ftr_error *err)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), ret = -1;
	struct buf text = {0};
	struct stat st;

	*o = (struct journal_owner){0};
	*e = (struct journal_entries){0};
	if (fd < 0 || fstat(fd, &st))
		err_sys(err, "cannot open the journal '%s'", file);
	else if (!S_ISREG(st.st_mode) || st.st_size > JOURNAL_MAX_BYTES ||
		 (st.st_uid != geteuid() && geteuid()))
		err_set(err, FTR_FAILED, "cannot use the journal '%s': not a file of this user",
			file);
	else if (io_read_fd(fd, &text))
		err_sys(err, "cannot read the journal '%s'", file);
	else
		ret = parse_journal(&text, file, o, e, err);
	if (fd >= 0)
		close(fd);
	buf_release(&text);
	if (ret) {
		journal_owner_release(o);
		entries_release(e);
	} else {
		entries_drop_undone(e);
	}
	return ret;
}

bool journal_of_this_boot(const struct journal_owner *o)
{
	char *id = journal_boot_id();
	bool same = o->boot_id && !strcmp(id, o->boot_id);

	free(id);
	return same;
}

bool journal_alive(const struct journal_owner *o)
{
	return journal_of_this_boot(o) && o->start && process_start(o->pid) == o->start;
}
