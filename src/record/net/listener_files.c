/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stores the recordings that a listener receives, if the disk has room for them. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/now.h"
#include "base/text.h"
#include "record/net/listener_priv.h"

enum {
	INCOMING_A_PEER = 4,		/* limit for known recordings, for each possible peer */
	WARN_PERIOD_MS = 60000, WARN_MAX = 30,	/* limit for warnings in that time */
	LOOK_BYTES = 16 << 20,		/* bytes written between two checks of the disk */
	KEEP_PERCENT = 5,		/* part of the disk to leave free, at most KEEP_MOST */
	KEEP_MOST = 1 << 30,
};

void listen_warn(struct listener *l, const char *fmt, ...)
{
	uint64_t now = now_ms();
	struct buf text = {0};
	va_list ap;

	if (now - l->warn_start_ms >= WARN_PERIOD_MS) {
		if (l->nr_suppressed)
			l->p->warn("%lu more warnings of that kind",
				   (unsigned long)l->nr_suppressed);
		l->nr_warned = l->nr_suppressed = 0;
		l->warn_start_ms = now;
	}
	if (l->nr_warned++ >= WARN_MAX) {
		l->nr_suppressed++;
		return;
	}
	va_start(ap, fmt);
	buf_vprintf(&text, fmt, ap);
	va_end(ap);
	l->p->warn("%s", text.data);
	buf_release(&text);
}

/* --- room on the disk */

struct disk_space {
	uint64_t free, keep;		/* bytes */
};

/*
 * Reads the room on the disk. If the file system counts no blocks, there are UINT64_MAX free bytes.
 */
static struct disk_space read_disk(const struct listener *l)
{
	struct disk_space d = { .free = UINT64_MAX };
	struct statvfs st;
	uint64_t part;

	if (fstatvfs(l->dir, &st) || !st.f_blocks)
		return d;
	d.free = (uint64_t)st.f_bavail * st.f_frsize;
	part = (uint64_t)st.f_blocks * st.f_frsize / 100 * KEEP_PERCENT;
	d.keep = l->p->min_free;
	if (d.keep == LISTEN_FREE_DEFAULT)
		d.keep = part < KEEP_MOST ? part : KEEP_MOST;
	return d;
}

static uint64_t spare_bytes(const struct listener *l)
{
	struct disk_space d = read_disk(l);

	return d.free > d.keep ? d.free - d.keep : 0;
}

bool disk_has_room(struct listener *l, uint64_t bytes)
{
	struct buf free = {0}, keep = {0};
	struct disk_space d;

	if (bytes > l->room) {
		l->room = spare_bytes(l);
		if (l->room > LOOK_BYTES)
			l->room = LOOK_BYTES;
	}
	if (bytes <= l->room) {
		l->room -= bytes;
		l->full = false;
		return true;
	}
	if (!l->full) {
		d = read_disk(l);
		text_bytes(&free, d.free);
		text_bytes(&keep, d.keep);
		listen_warn(l, "'%s' has %s free, of which %s are kept: recordings are "
			    "refused, and end", l->p->dir, free.data, keep.data);
		buf_release(&free);
		buf_release(&keep);
	}
	l->full = true;
	return false;
}

bool disk_has_spare(const struct listener *l, uint64_t bytes)
{
	uint64_t have = spare_bytes(l);
	const struct incoming_file *t;

	for (t = l->incoming; t; t = t->next)
		if (t->state == INCOMING_FINISHES)
			bytes += t->have;
	return bytes <= have;
}

void disk_check(struct listener *l)
{
	struct disk_space d = read_disk(l);

	/* as other processes write to the disk, too, check it before the next write */
	l->room = 0;
	if (d.free < d.keep / 2)
		work_kill(l, true);
}

void disk_list(const struct listener *l, const char *prefix, const char *suffix,
	       struct strv *names)
{
	size_t before = strlen(prefix), behind = strlen(suffix), len;
	int fd = openat(l->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	if (!dir && fd >= 0)
		close(fd);
	while (dir && (e = readdir(dir))) {
		len = strlen(e->d_name);
		if (len >= before + behind && !strncmp(e->d_name, prefix, before) &&
		    !strcmp(e->d_name + len - behind, suffix))
			strv_add(names, e->d_name);
	}
	if (dir)
		closedir(dir);
}

/* --- files */

/*
 * Creates "@part" for the file "@name". If one of them exists the error is EEXIST. The file is
 * locked, so that listeners that look for left files do not open it; if the file system has no
 * locks they open none. Returns a descriptor, or -1 with errno.
 */
static int create_part(const struct listener *l, const char *name, const char *part)
{
	int fd = openat(l->dir, part, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return -1;
	if (!flock(fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK) {
		if (faccessat(l->dir, name, F_OK, AT_SYMLINK_NOFOLLOW))
			return fd;
		unlinkat(l->dir, part, 0);
	}
	close(fd);
	errno = EEXIST;
	return -1;
}

/* Creates a file "NAME-PEER-TIME", or with "-N" if that exists. Returns 0, or -1 with errno. */
static int create_file(const struct listener *l, const char *who, struct incoming_file *t)
{
	time_t now = time(NULL);
	char when[32], more[16] = "";
	struct tm tm;
	int i;

	strftime(when, sizeof(when), "%Y%m%d-%H%M%S", gmtime_r(&now, &tm));
	for (i = 1; i < 10000; i++) {
		if (i > 1)
			snprintf(more, sizeof(more), "-%d", i);
		t->name = xasprintf("%s-%s-%s%s.dat", l->p->name, who, when, more);
		t->part = xasprintf("%s" LISTEN_PART, t->name);
		t->fd = create_part(l, t->name, t->part);
		if (t->fd >= 0)
			return 0;
		free(t->name);
		free(t->part);
		t->name = t->part = NULL;
		if (errno != EEXIST)
			break;
	}
	return -1;
}

void incoming_keep(struct listener *l, const struct incoming_file *t, const char *why)
{
	bool named = !renameat2(l->dir, t->part, l->dir, t->name, RENAME_NOREPLACE);

	l->p->warn("'%s/%s' is kept as it was received: %s",
		   l->p->dir, named ? t->name : t->part, why);
}

void incoming_remove_copies(struct listener *l, const struct incoming_file *t)
{
	char *prefix = xasprintf("%s-", t->part);
	struct strv names = {0};
	struct stat st;
	size_t i;

	disk_list(l, prefix, "", &names);
	for (i = 0; i < names.n; i++)
		if (!fstatat(l->dir, names.v[i], &st, AT_SYMLINK_NOFOLLOW) &&
		    st.st_uid == geteuid())
			unlinkat(l->dir, names.v[i], 0);
	strv_release(&names);
	free(prefix);
}

/* --- known recordings */

struct incoming_file *incoming_find(struct listener *l, const uint8_t *id)
{
	struct incoming_file *t;

	for (t = l->incoming; t; t = t->next)
		if (*t->group && !memcmp(t->id, id, WIRE_ID))
			return t;
	return NULL;
}

static struct incoming_file *incoming_new(struct listener *l, const char *group)
{
	struct incoming_file *t = xcalloc(1, sizeof(*t)), **at = &l->incoming;

	while (*at)
		at = &(*at)->next;
	*at = t;
	t->fd = -1;
	t->group = xstrdup(group);
	t->seen_ms = now_ms();
	return t;
}

struct incoming_file *incoming_add(struct listener *l, const uint8_t *id, const char *group)
{
	int64_t all = 0, same = 0;
	struct incoming_file *t;

	/* new recordings could fill the disk: limit their number until the timeout */
	for (t = l->incoming; t; t = t->next) {
		all += !!*t->group;
		same += !strcmp(t->group, group);
	}
	if (all >= INCOMING_A_PEER * l->p->max_peers || same >= INCOMING_A_PEER * l->p->max_each)
		return NULL;
	t = incoming_new(l, group);
	memcpy(t->id, id, WIRE_ID);
	return t;
}

static enum wire_answer write_data(struct listener *l, struct incoming_file *t, const char *who,
				   const void *data, size_t len)
{
	int sys;

	if (t->have + len > l->p->max_size)
		return WIRE_TOO_LARGE;
	if (!disk_has_room(l, len))
		return WIRE_NO_ROOM;
	if (t->fd < 0) {
		if (create_file(l, who, t)) {
			sys = errno;
			listen_warn(l, "cannot create a file in '%s': %s", l->p->dir,
				    strerror(sys));
			return sys == EMFILE || sys == ENFILE ? WIRE_BUSY : WIRE_NO_ROOM;
		}
		l->p->notice("%s sends '%s/%s'", who, l->p->dir, t->name);
	}
	if (io_pwrite_all(t->fd, data, len, t->have)) {
		listen_warn(l, "cannot write '%s/%s': %s", l->p->dir, t->part,
			    strerror(errno));
		return WIRE_NO_ROOM;
	}
	t->have += len;
	return WIRE_GO_ON;
}

enum wire_answer incoming_write(struct listener *l, struct incoming_file *t, const char *who,
				const void *data, size_t len)
{
	enum wire_answer ret = write_data(l, t, who, data, len);

	/* if nothing was received, the recording may start again later */
	if (ret != WIRE_GO_ON && t->have)
		incoming_end(l, t);
	return ret;
}

void incoming_end(struct listener *l, struct incoming_file *t)
{
	if (t->state != INCOMING_RECEIVES)
		return;
	if (t->have) {
		t->state = INCOMING_WANTS_SYNC;
		return;
	}
	if (t->part)
		unlinkat(l->dir, t->part, 0);
	t->synced = true;
	incoming_done(t);
}

void incoming_done(struct incoming_file *t)
{
	t->state = INCOMING_DONE;
	t->seen_ms = now_ms();
	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
}

void incoming_free(struct listener *l, struct incoming_file *t)
{
	struct incoming_file **at = &l->incoming;

	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
	if (t->fd >= 0)
		close(t->fd);
	free(t->group);
	free(t->name);
	free(t->part);
	free(t);
}

/* --- files that a killed listener left */

/*
 * Returns the reason why a left file must not be finished, or NULL. Anybody who may write to the
 * directory can put files under such names.
 */
static const char *find_left_obstacle(const struct listener *l, const struct incoming_file *t,
				      const struct stat *st)
{
	struct stat other;

	if (!S_ISREG(st->st_mode))
		return "it is not a regular file";
	if (st->st_uid != geteuid())
		return "it is another user's";
	if (st->st_nlink > 1)
		return "it has a second name";
	return fstatat(l->dir, t->name, &other, AT_SYMLINK_NOFOLLOW) ? NULL :
	       "a file with the name of the finished one exists";
}

/*
 * Opens and locks a left file. Returns NULL, or the reason if it can't be finished. *other is true
 * if a running process has it: a listener, or a finisher that outlived its listener.
 */
static const char *lock_left(const struct listener *l, struct incoming_file *t, struct stat *st,
			     bool *other)
{
	struct stat now;

	t->fd = openat(l->dir, t->part, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (t->fd < 0) {
		*other = errno == ENOENT;
		return errno == ELOOP ? "it is a link" : strerror(errno);
	}
	if (flock(t->fd, LOCK_EX | LOCK_NB)) {
		*other = errno == EWOULDBLOCK;
		return strerror(errno);
	}
	/* another process may have renamed the file before the lock */
	*other = fstat(t->fd, st) || fstatat(l->dir, t->part, &now, AT_SYMLINK_NOFOLLOW) ||
		 now.st_ino != st->st_ino || now.st_dev != st->st_dev;
	return *other ? "" : find_left_obstacle(l, t, st);
}

void incoming_open_left(struct listener *l, const char *part)
{
	struct incoming_file *t = incoming_new(l, "");
	bool other = false;
	const char *why;
	struct stat st;

	t->part = xstrdup(part);
	t->name = xstrndup(part, strlen(part) - strlen(LISTEN_PART));
	why = lock_left(l, t, &st, &other);
	if (why && !other)
		l->p->warn("'%s/%s' is left as it is: %s", l->p->dir, t->part, why);
	if (!why && !other && !st.st_size)
		unlinkat(l->dir, t->part, 0);
	if (why || other || !st.st_size) {
		incoming_free(l, t);
		return;
	}
	t->have = st.st_size;
	incoming_remove_copies(l, t);
	t->state = INCOMING_WANTS_FINISH;
	l->p->notice("'%s/%s' was left by a listener that was killed: it is finished", l->p->dir,
		     t->part);
}
