/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds files in directories that others may change at the same time.
 *
 * Root writes into users' directories, and a user could redirect the name between two lookups. So
 * files are found by descriptors: each directory of the path is held open while the next one is
 * looked up, and all files that belong to a file (.part-PID, .old, its rename) are named in the
 * directory that was found. A link is followed only where no others can change names; openat2()
 * with all links forbidden would refuse paths through /var/run, which is a link. In a directory of
 * others ftr recover creates another user's file with that user's rights (setfsuid), see
 * record/rescue/rescue.c: that needs no chown, and can do nothing that the owner could not.
 */
#include "base/dir_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

#define LINKS_MAX 40		/* the kernel's MAXSYMLINKS */

/* A walk to a place. */
struct path_walk {
	const char *path;	/* as given */
	struct buf done;	/* the part that was walked, for messages */
	char *rest;		/* the part that was not */
	int   at;		/* descriptor of the directory so far */
	bool  foreign;		/* others can change its entries */
	int   links;		/* number of links that were followed */
	bool  led;		/* the last name of the path was a link */
};

const char *place_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int walk_fail(const struct path_walk *w, struct ftr_error *err)
{
	err_sys(err, "cannot open '%s'", w->path);
	if (err && err->sys == EACCES)
		err_hint(err, "run it as a user that may search its directory");
	return -1;
}

/* Continues in the directory @fd, and owns it from then on. */
static int walk_enter(struct path_walk *w, int fd, struct ftr_error *err)
{
	struct stat st;

	if (w->at >= 0)
		close(w->at);
	w->at = fd;
	if (fd < 0 || fstat(fd, &st))
		return walk_fail(w, err);
	w->foreign = (st.st_uid && st.st_uid != geteuid()) || st.st_mode & (S_IWGRP | S_IWOTH);
	return 0;
}

static int walk_start(struct path_walk *w, struct ftr_error *err)
{
	bool root = *w->rest == '/';

	if (root)
		buf_reset(&w->done);
	return walk_enter(w, open(root ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC), err);
}

/* Puts the target of the link @fd, called @name, in front of the rest. */
static int walk_follow_link(struct path_walk *w, int fd, const char *name, bool last,
			    struct ftr_error *err)
{
	char to[PATH_MAX], *rest;
	ssize_t n;

	if (w->foreign) {
		err_set(err, FTR_FAILED, "'%s%s' is a link, in a directory that others can change",
			w->done.len ? w->done.data : "", name);
		return err_hint(err, "links are not followed there: give the path without the "
				"link");
	}
	n = readlinkat(fd, "", to, sizeof(to) - 1);
	if (n <= 0 || ++w->links > LINKS_MAX) {
		errno = n < 0 ? errno : ELOOP;
		return walk_fail(w, err);
	}
	w->led |= last;
	rest = xasprintf("%.*s%s%s", (int)n, to, last ? "" : "/", w->rest);
	free(w->rest);
	w->rest = rest;
	return *rest == '/' ? walk_start(w, err) : 0;
}

/* Takes the next name off the rest. Returns NULL if there is none. *last: nothing follows it. */
static char *walk_next_name(struct path_walk *w, bool *last)
{
	char *at = w->rest + strspn(w->rest, "/"), *name;
	size_t n = strcspn(at, "/");

	if (at != w->rest && !w->done.len)
		buf_addstr(&w->done, "/");
	name = n ? xstrndup(at, n) : NULL;
	*last = !at[n];
	memmove(w->rest, at + n, strlen(at + n) + 1);
	return name;
}

/* Looks up @name. Returns 1 if it is the last one and is in ->at, or can be there; -1: error. */
static int walk_step(struct path_walk *w, const char *name, bool last, struct ftr_error *err)
{
	int fd = openat(w->at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC), ret;
	struct stat st;

	if (fd < 0)
		return last && errno == ENOENT ? 1 : walk_fail(w, err);
	if (fstat(fd, &st)) {
		ret = walk_fail(w, err);
	} else if (S_ISLNK(st.st_mode)) {
		ret = walk_follow_link(w, fd, name, last, err);
	} else if (last) {
		ret = 1;
	} else {
		buf_printf(&w->done, "%s/", name);
		return walk_enter(w, fd, err);
	}
	close(fd);
	return ret;
}

int place_open(struct dir_file *p, const char *path, struct ftr_error *err)
{
	struct path_walk w = { .path = path, .rest = xstrdup(path), .at = -1 };
	char *name = NULL;
	bool last;
	int ret = walk_start(&w, err);

	*p = (struct dir_file){0};
	while (!ret) {
		free(name);
		name = walk_next_name(&w, &last);
		if (name) {
			ret = walk_step(&w, name, last, err);
		} else {
			errno = *path ? EISDIR : ENOENT;
			ret = walk_fail(&w, err);
		}
	}
	if (ret > 0)
		*p = (struct dir_file){
			.dir = w.at, .name = xstrdup(name), .foreign = w.foreign,
			.path = w.led ? xasprintf("%s%s", w.done.len ? w.done.data : "", name) :
					xstrdup(path),
		};
	else if (w.at >= 0)
		close(w.at);
	free(name);
	free(w.rest);
	buf_release(&w.done);
	return ret > 0 ? 0 : -1;
}

struct dir_file place_dup(const struct dir_file *p)
{
	return (struct dir_file){
		.dir = fcntl(p->dir, F_DUPFD_CLOEXEC, 0), .name = xstrdup(p->name),
		.path = xstrdup(p->path), .foreign = p->foreign,
	};
}

void place_release(struct dir_file *p)
{
	if (!p->name)
		return;
	close(p->dir);
	free(p->name);
	free(p->path);
	*p = (struct dir_file){0};
}

bool place_is(const struct dir_file *p, const char *name, const struct stat *st)
{
	struct stat is;

	return !fstatat(p->dir, name, &is, AT_SYMLINK_NOFOLLOW) && is.st_dev == st->st_dev &&
	       is.st_ino == st->st_ino;
}

int place_tmpfile(const struct dir_file *p)
{
	return openat(p->dir, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

int place_sync(const struct dir_file *p)
{
	int fd = openat(p->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int ret = fd < 0 ? -1 : fsync(fd);

	if (fd >= 0)
		close(fd);
	return ret;
}

void place_unlink(const char *path)
{
	struct dir_file p;

	if (place_open(&p, path, NULL))
		return;
	unlinkat(p.dir, p.name, 0);
	place_release(&p);
}
