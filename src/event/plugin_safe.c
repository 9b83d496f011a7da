/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * May code of this path be loaded? Plugins run with all rights of the program, so that nobody else
 * than those who have these rights anyway may be able to exchange the file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "event/plugin_priv.h"

bool plug_elevated(void)
{
	return getauxval(AT_SECURE) || geteuid() != getuid() || getegid() != getgid();
}

static int no(struct ftr_error *err, const char *path, const char *at, const char *why)
{
	return err_set(err, FTR_FAILED, "plugin '%s' is not loaded: '%s' %s", path, at, why);
}

/*
 * One step of the path. Root's plugins must be root's; others may take whose they like, but not
 * what anybody may write. A sticky folder (/tmp) is fine: what is in it stays its owner's.
 */
static int check_step(const char *path, const char *at, struct ftr_error *err)
{
	bool root = !geteuid() || plug_elevated(), sticky;
	struct stat st;

	if (lstat(at, &st))
		return err_sys(err, "cannot load plugin '%s'", path);
	sticky = S_ISDIR(st.st_mode) && st.st_mode & S_ISVTX;
	if (st.st_mode & S_IWOTH && !sticky) {
		no(err, path, at, "can be written by anybody");
		return err_hint(err, "chmod o-w '%s'", at);
	}
	if (!root)
		return 0;
	if (st.st_uid) {
		no(err, path, at, "does not belong to root");
		return err_hint(err, "copy it to a folder of root's, or run ftr as its owner");
	}
	if (st.st_mode & S_IWGRP && st.st_gid && !sticky) {
		no(err, path, at, "can be written by its group");
		return err_hint(err, "chmod g-w '%s'", at);
	}
	return 0;
}

int plug_path_check(const char *path, struct ftr_error *err)
{
	char *real = realpath(path, NULL), *p;
	int ret;

	if (!real)
		return err_sys(err, "cannot load plugin '%s'", path);
	ret = check_step(path, "/", err);
	for (p = real + 1; !ret && *p; p++) {
		p += strcspn(p, "/");
		if (!*p)
			break;
		*p = 0;
		ret = check_step(path, real, err);
		*p = '/';
	}
	if (!ret)
		ret = check_step(path, real, err);
	free(real);
	return ret;
}

int plug_file_check(const char *path, struct ftr_error *err)
{
	struct stat st;

	if (lstat(path, &st) || S_ISLNK(st.st_mode))
		return plug_path_check(path, err);
	return check_step(path, path, err);
}
