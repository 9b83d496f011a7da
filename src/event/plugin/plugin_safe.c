/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * May code of this path be loaded? Plugins run with all rights of the program, so that nobody else
 * than those who have these rights anyway may be able to exchange the file. What is checked is what
 * was opened, and the descriptor is what is loaded: names may lead elsewhere a moment later.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "event/plugin/plugin_priv.h"

#define AS_FOLDER (O_PATH | O_DIRECTORY)
#define AS_FILE	  (O_RDONLY | O_NONBLOCK | O_NOCTTY)

bool plug_elevated(void)
{
	return getauxval(AT_SECURE) || geteuid() != getuid() || getegid() != getgid();
}

static int refuse_path(struct ftr_error *err, const char *at, const char *why)
{
	return err_set(err, FTR_FAILED, "'%s' %s", at, why);
}


/*
 * One step of the path. Root's plugins must be root's; others may take whose they like, but not
 * what anybody may write. A sticky folder (/tmp) is fine: what is in it stays its owner's.
 */
static int check_step(const char *at, const struct stat *st, struct ftr_error *err)
{
	bool root = !geteuid() || plug_elevated();
	bool sticky = S_ISDIR(st->st_mode) && st->st_mode & S_ISVTX;

	if (st->st_mode & S_IWOTH && !sticky) {
		refuse_path(err, at, "can be written by anybody");
		return err_hint(err, "chmod o-w '%s'", at);
	}
	if (!root)
		return 0;
	if (st->st_uid) {
		refuse_path(err, at, "does not belong to root");
		return err_hint(err, "copy it to a folder of root's, or run ftr as its owner");
	}
	if (st->st_mode & S_IWGRP && st->st_gid && !sticky) {
		refuse_path(err, at, "can be written by its group");
		return err_hint(err, "chmod g-w '%s'", at);
	}
	return 0;
}

/* The last word of @at in the folder @dir. A link that was put there meanwhile is not followed. */
static int open_step(const char *at, int dir, int flags, struct ftr_error *err)
{
	const char *name = strrchr(at, '/') + 1;
	int fd = openat(dir, *name ? name : "/", flags | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return refuse_path(err, at, strerror(errno));
	if (!fstat(fd, &st) && !check_step(at, &st, err)) {
		if (flags == AS_FOLDER || S_ISREG(st.st_mode))
			return fd;
		refuse_path(err, at, "is not a regular file");
	}
	close(fd);
	return -1;
}

/* All steps from the root on, each opened in the one before. */
static int open_steps(char *real, int flags, struct ftr_error *err)
{
	int dir = open_step("/", AT_FDCWD, AS_FOLDER, err), fd;

	for (char *p = real; dir >= 0; *p = '/') {
		p += 1 + strcspn(p + 1, "/");
		if (!*p)
			break;
		*p = 0;
		fd = open_step(real, dir, AS_FOLDER, err);
		close(dir);
		dir = fd;
	}
	if (dir < 0)
		return -1;
	fd = open_step(real, dir, flags, err);
	close(dir);
	return fd;
}

static int open_real_path(const char *path, int flags, struct ftr_error *err)
{
	char *real = realpath(path, NULL);
	int fd;

	if (!real)
		return err_set(err, FTR_FAILED, "%s", strerror(errno));
	fd = open_steps(real, flags, err);
	free(real);
	return fd;
}

int plug_open(const char *path, struct ftr_error *err)
{
	return open_real_path(path, AS_FILE, err);
}

int plug_open_folder(const char *path, struct ftr_error *err)
{
	return open_real_path(path, AS_FOLDER, err);
}

int plug_open_in(int folder, const char *path, struct ftr_error *err)
{
	struct stat st;

	if (fstatat(folder, strrchr(path, '/') + 1, &st, AT_SYMLINK_NOFOLLOW) ||
	    S_ISLNK(st.st_mode))
		return plug_open(path, err);
	return open_step(path, folder, AS_FILE, err);
}
