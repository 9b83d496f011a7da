/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings that come from others, and their files. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/now.h"
#include "record/net/listener_priv.h"

enum {
	TAKES_A_PEER = 4,		/* recordings that are known, for each peer there may be */
	SAY_MS = 60000, SAY_MOST = 30,	/* so many complaints in such a time */
};

void listen_complain(struct listener *l, const char *fmt, ...)
{
	uint64_t now = now_ms();
	struct buf text = {0};
	va_list ap;

	if (now - l->said_ms >= SAY_MS) {
		if (l->unsaid)
			l->p->warn("%lu more warnings of that kind",
				   (unsigned long)l->unsaid);
		l->said = l->unsaid = 0;
		l->said_ms = now;
	}
	if (l->said++ >= SAY_MOST) {
		l->unsaid++;
		return;
	}
	va_start(ap, fmt);
	buf_vprintf(&text, fmt, ap);
	va_end(ap);
	l->p->warn("%s", text.data);
	buf_release(&text);
}

/* --- files */

/*
 * Locked, so that a listener which looks for what others left sees that it is ours. Where there are
 * no locks it takes none of those.
 */
static int create_part(const struct listener *l, const char *name, const char *part)
{
	int fd = openat(l->folder, part, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return -1;
	if (!flock(fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK) {
		if (faccessat(l->folder, name, F_OK, AT_SYMLINK_NOFOLLOW))
			return fd;
		unlinkat(l->folder, part, 0);
	}
	close(fd);
	errno = EEXIST;
	return -1;
}

/* "NAME-PEER-TIME", and "-N" where that is there. */
static int create_file(const struct listener *l, const char *who, struct take *t)
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

void take_keep(struct listener *l, const struct take *t, const char *why)
{
	bool named = !renameat2(l->folder, t->part, l->folder, t->name, RENAME_NOREPLACE);

	l->p->warn("'%s/%s' is kept as it was received: %s",
		   l->p->folder, named ? t->name : t->part, why);
}

void take_remove_copies(struct listener *l, const struct take *t)
{
	char *prefix = xasprintf("%s-", t->part);
	struct strv names = {0};
	struct stat st;
	size_t i;

	disk_list(l, prefix, "", &names);
	for (i = 0; i < names.n; i++)
		if (!fstatat(l->folder, names.v[i], &st, AT_SYMLINK_NOFOLLOW) &&
		    st.st_uid == geteuid())
			unlinkat(l->folder, names.v[i], 0);
	strv_release(&names);
	free(prefix);
}

/* --- those that are known */

struct take *take_find(struct listener *l, const uint8_t *id)
{
	struct take *t;

	for (t = l->takes; t; t = t->next)
		if (*t->group && !memcmp(t->id, id, WIRE_ID))
			return t;
	return NULL;
}

/* Who comes again and again with something new fills the disk: so many files in a timeout. */
static bool too_many(const struct listener *l, const char *group)
{
	int64_t all = 0, same = 0;
	const struct take *t;

	for (t = l->takes; t; t = t->next) {
		all += !!*t->group;
		same += !strcmp(t->group, group);
	}
	return all >= TAKES_A_PEER * l->p->max_peers || same >= TAKES_A_PEER * l->p->max_each;
}

static struct take *new_take(struct listener *l, const char *group)
{
	struct take *t = xcalloc(1, sizeof(*t)), **at = &l->takes;

	while (*at)
		at = &(*at)->next;
	*at = t;
	t->fd = -1;
	t->group = xstrdup(group);
	t->seen_ms = now_ms();
	return t;
}

struct take *take_begin(struct listener *l, const uint8_t *id, const char *group)
{
	struct take *t;

	if (too_many(l, group))
		return NULL;
	t = new_take(l, group);
	memcpy(t->id, id, WIRE_ID);
	return t;
}

static enum wire_answer open_take_file(struct listener *l, struct take *t, const char *who)
{
	int sys;

	if (!create_file(l, who, t)) {
		l->p->say("%s sends '%s/%s'", who, l->p->folder, t->name);
		return WIRE_GO_ON;
	}
	sys = errno;
	listen_complain(l, "cannot create a file in '%s': %s", l->p->folder, strerror(sys));
	return sys == EMFILE || sys == ENFILE ? WIRE_BUSY : WIRE_NO_ROOM;
}

static enum wire_answer write_data(struct listener *l, struct take *t, const char *who,
				   const void *data, size_t len)
{
	enum wire_answer ret;

	if (t->have + len > l->p->max_size)
		return WIRE_TOO_LARGE;
	if (!disk_has_room(l, len))
		return WIRE_NO_ROOM;
	if (t->fd < 0) {
		ret = open_take_file(l, t, who);
		if (ret != WIRE_GO_ON)
			return ret;
	}
	if (io_pwrite_all(t->fd, data, len, t->have)) {
		listen_complain(l, "cannot write '%s/%s': %s", l->p->folder, t->part,
				strerror(errno));
		return WIRE_NO_ROOM;
	}
	t->have += len;
	return WIRE_GO_ON;
}

enum wire_answer take_add(struct listener *l, struct take *t, const char *who, const void *data,
			  size_t len)
{
	enum wire_answer ret = write_data(l, t, who, data, len);

	/* what has not begun may begin later */
	if (ret != WIRE_GO_ON && t->have)
		take_end(l, t);
	return ret;
}

void take_end(struct listener *l, struct take *t)
{
	if (t->state != TAKE_COMES)
		return;
	if (t->have) {
		t->state = TAKE_WANTS_SYNC;
		return;
	}
	if (t->part)
		unlinkat(l->folder, t->part, 0);
	t->synced = true;
	take_done(t);
}

void take_done(struct take *t)
{
	t->state = TAKE_DONE;
	t->seen_ms = now_ms();
	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
}

void take_free(struct listener *l, struct take *t)
{
	struct take **at = &l->takes;

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

/* --- those that another listener left */

/*
 * Why it is none of ours; NULL: it is. Whoever may write to the folder can put there what he likes,
 * under any name.
 */
static const char *no_left(const struct listener *l, const struct take *t, const struct stat *st)
{
	struct stat other;

	if (!S_ISREG(st->st_mode))
		return "it is not a regular file";
	if (st->st_uid != geteuid())
		return "it is another user's";
	if (st->st_nlink > 1)
		return "it has a second name";
	return fstatat(l->folder, t->name, &other, AT_SYMLINK_NOFOLLOW) ? NULL :
	       "a file with the name of the finished one exists";
}

static bool is_same(const struct listener *l, const char *name, const struct stat *st)
{
	struct stat now;

	return !fstatat(l->folder, name, &now, AT_SYMLINK_NOFOLLOW) && now.st_ino == st->st_ino &&
	       now.st_dev == st->st_dev;
}

/* Who has the lock has the file: a listener, or a finisher that outlived its own. */
static const char *lock_left(const struct listener *l, struct take *t, struct stat *st, bool *other)
{
	t->fd = openat(l->folder, t->part, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (t->fd < 0) {
		*other = errno == ENOENT;
		return errno == ELOOP ? "it is a link" : strerror(errno);
	}
	if (flock(t->fd, LOCK_EX | LOCK_NB)) {
		*other = errno == EWOULDBLOCK;
		return strerror(errno);
	}
	*other = fstat(t->fd, st) || !is_same(l, t->part, st);
	return *other ? "" : no_left(l, t, st);
}

/* False: nothing is to be done, or was said. */
static bool open_left(struct listener *l, struct take *t)
{
	bool other = false;
	struct stat st;
	const char *why = lock_left(l, t, &st, &other);

	if (other)
		return false;
	if (why) {
		l->p->warn("'%s/%s' is left as it is: %s", l->p->folder, t->part, why);
		return false;
	}
	if (!st.st_size)
		unlinkat(l->folder, t->part, 0);
	t->have = st.st_size;
	return t->have;
}

void take_left(struct listener *l, const char *part)
{
	struct take *t = new_take(l, "");

	t->part = xstrdup(part);
	t->name = xstrndup(part, strlen(part) - strlen(LISTEN_PART));
	if (!open_left(l, t)) {
		take_free(l, t);
		return;
	}
	take_remove_copies(l, t);
	t->state = TAKE_WANTS_FINISH;
	l->p->say("'%s/%s' was left by a listener that was killed: it is finished", l->p->folder,
		  t->part);
}
