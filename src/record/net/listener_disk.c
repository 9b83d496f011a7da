/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Room for recordings: a part of the disk is left to others. */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/text.h"
#include "record/net/listener_priv.h"

enum {
	LOOK_BYTES = 16 << 20,		/* so much is written between two looks */
	KEEP_PERCENT = 5,		/* by default, but at most */
	KEEP_MOST = 1 << 30,
};

struct disk {
	uint64_t free, keep;
};

/* What file systems tell that count no blocks is no reason to refuse anything. */
static struct disk read_disk(const struct listener *l)
{
	struct disk d = { .free = UINT64_MAX };
	struct statvfs st;
	uint64_t part;

	if (fstatvfs(l->folder, &st) || !st.f_blocks)
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
	struct disk d = read_disk(l);

	return d.free > d.keep ? d.free - d.keep : 0;
}

static void say_full(struct listener *l)
{
	struct disk d = read_disk(l);
	struct buf free = {0}, keep = {0};

	text_bytes(&free, d.free);
	text_bytes(&keep, d.keep);
	listen_complain(l, "'%s' has %s free, of which %s are kept: recordings are refused, and "
			"end", l->p->folder, free.data, keep.data);
	buf_release(&free);
	buf_release(&keep);
}

bool disk_has_room(struct listener *l, uint64_t bytes)
{
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
	if (!l->full)
		say_full(l);
	l->full = true;
	return false;
}

bool disk_spares(const struct listener *l, uint64_t bytes)
{
	uint64_t have = spare_bytes(l);
	const struct take *t;

	for (t = l->takes; t; t = t->next)
		if (t->state == TAKE_FINISHES)
			bytes += t->have;
	return bytes <= have;
}

void disk_look(struct listener *l)
{
	struct disk d = read_disk(l);

	/* others write as well */
	l->room = 0;
	if (d.free < d.keep / 2)
		work_kill(l, true);
}

void disk_list(const struct listener *l, const char *prefix, const char *suffix,
	       struct strv *names)
{
	size_t before = strlen(prefix), behind = strlen(suffix), len;
	int fd = openat(l->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
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
