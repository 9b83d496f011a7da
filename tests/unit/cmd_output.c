/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where commands write: a file that is whole or not there, a device as it is. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/frame/command_output.h"
#include "tap.h"

static void same_in_file(const char *path, const struct buf *want, const char *name)
{
	FILE *f = fopen(path, "r");
	char *text = xcalloc(1, want->len + 2);
	size_t n = f ? fread(text, 1, want->len + 1, f) : 0;

	TAP_OK(n == want->len && !memcmp(text, want->data, n), name);
	free(text);
	if (f)
		fclose(f);
}

static void test_whole(const char *dir)
{
	char *path = xasprintf("%s/a", dir), *old = xasprintf("%s.old", path);
	struct buf text = {0};
	struct ftr_error err = {0};
	struct stat st;

	umask(022);
	buf_addstr(&text, "once");
	TAP_EQ(output_write(&text, path, &err), 0, "written");
	same_in_file(path, &text, "what was written is there");
	TAP_OK(!stat(path, &st) && (st.st_mode & 0777) == 0644, "others may read it");
	buf_addstr(&text, " more");
	TAP_EQ(output_write(&text, path, &err), 0, "written once more");
	same_in_file(path, &text, "takes the place of the one before");
	TAP_OK(access(old, F_OK), "which is not kept");
	TAP_EQ(output_write(&text, dir, &err), -1, "a folder is no file");
	TAP_OK(strstr(err.msg, "is a directory") && *err.hint, "and that is said");
	TAP_EQ(output_write(&text, "/dev/null", &err), 0, "a device is written to");
	TAP_OK(!stat("/dev/null", &st) && S_ISCHR(st.st_mode), "and stays one");
	unlink(path);
	free(old);
	free(path);
	buf_release(&text);
}

static void test_not_committed(const char *dir)
{
	char *path = xasprintf("%s/b", dir);
	struct ftr_error err = {0};
	struct command_output o;

	TAP_EQ(output_open(&o, path, &err), 0, "opened");
	TAP_EQ(write(o.fd, "x", 1), 1, "some is written");
	output_release(&o);
	TAP_OK(access(path, F_OK) && errno == ENOENT, "not committed: it is not there");
	free(path);
}

int main(void)
{
	char dir[] = "/tmp/ftr-output-XXXXXX";

	if (!mkdtemp(dir))
		return 1;
	test_whole(dir);
	test_not_committed(dir);
	TAP_EQ(rmdir(dir), 0, "nothing is left beside it");
	return tap_done();
}
