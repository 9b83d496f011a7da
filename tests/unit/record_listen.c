/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A listener that cannot begin: what it had opened is closed, and no socket of its is left on the disk. */
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/net/listener.h"
#include "tap.h"

static char dir[] = "/tmp/ftr-unlistened-XXXXXX";
static unsigned int nr_notices;

__attribute__((format(printf, 1, 2))) static void notice(const char *fmt, ...)
{
	(void)fmt;
	nr_notices++;
}

static size_t descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t n = 0;

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n;
}

/* The last of @n sockets is in a folder that is not there. */
static void test_refused(size_t n)
{
	struct listen_plan plan = { .dir = dir, .name = "x", .notice = notice, .warn = notice };
	struct ftr_error err = {0};
	size_t before = descriptors(), left = 0;
	char *name = xasprintf("the last of %zu sockets cannot be made", n), *path;
	struct stat st;

	nr_notices = 0;
	for (size_t i = 0; i < n; i++) {
		path = xasprintf("%s/%s%zu", dir, i + 1 < n ? "" : "none/", i);
		strv_take(&plan.addresses, path);
	}
	TAP_OK(listen_run(&plan, &err) == -1 && strstr(err.msg, "none/"), name);
	TAP_EQ(nr_notices, n - 1, "the others were there");
	for (size_t i = 0; i < n; i++)
		left += !lstat(plan.addresses.v[i], &st);
	TAP_EQ(left, 0, "and are removed");
	TAP_EQ(descriptors(), before, "nothing stays open");
	strv_release(&plan.addresses);
	free(name);
}

int main(void)
{
	if (!mkdtemp(dir))
		return 1;
	test_refused(1);
	test_refused(2);
	test_refused(4);
	return rmdir(dir) ? 1 : tap_done();
}
