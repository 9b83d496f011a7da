/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The mount that a file is on, as /proc/self/mountinfo has it (proc(5)). */
#include "record/setup/own_activity.h"
#include "tap.h"

static const char mountinfo[] =
	"22 28 0:20 / /sys rw,nosuid shared:7 - sysfs sysfs rw\n"
	"28 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw\n"
	"36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 propagate_from:2 - ext3 /dev/root rw,errors=continue\n"
	"41 28 0:37 / /tmp rw - tmpfs tmpfs rw\n"
	"42 28 8:1 / /a\\040b rw\n"
	"43 28 8:2 / /c rw - xfs\n";

static void found(const char *name, unsigned int major, unsigned int minor, const char *type, const char *device)
{
	struct buf t = {0}, d = {0};
	bool is = mountinfo_find(mountinfo, major, minor, &t, &d);

	if (type)
		TAP_OK(is && !strcmp(t.data, type) && !strcmp(d.data, device), name);
	else
		TAP_OK(!is, name);
	buf_release(&t);
	buf_release(&d);
}

int main(void)
{
	found("a disk", 259, 2, "ext4", "/dev/nvme0n1p2");
	found("several optional fields", 98, 0, "ext3", "/dev/root");
	found("none", 0, 37, "tmpfs", "tmpfs");
	found("no such device", 25, 9, NULL, NULL);
	found("another that begins alike", 259, 20, NULL, NULL);
	found("a line that is cut", 8, 1, NULL, NULL);
	found("a line without its device", 8, 2, NULL, NULL);
	return tap_done();
}
