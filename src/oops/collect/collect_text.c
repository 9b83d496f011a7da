/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the text of an oops in pstore, the journal, /var/crash and the kernel's log. */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dir_file.h"
#include "oops/collect/collect_priv.h"
#include "text/log/oops_text.h"

#define READ_SIZE (64u << 10)
#define KMSG "/dev/kmsg"
#define KMSG_RECORD 8192	/* a read of /dev/kmsg returns a whole record if it fits */
#define KERNEL_TIME_NS (60ull * 1000000000)	/* limit between a crash and the trace's end */
#define KMSG_MAX (64u << 20)	/* limit for bytes of that log, of which the end is kept */

/* Reads to the end: a writer that is left alone would end with SIGPIPE. */
static void read_to_end(int fd, struct crash_log *log)
{
	char chunk[READ_SIZE];
	ssize_t n;

	while ((n = read(fd, chunk, sizeof(chunk))) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			crash_log_add(log, chunk, n);
}

/*
 * Adds a file to @log unless it is older than @since: a file of pstore has the time of the crash,
 * which systemd-pstore preserves. The file must be root's, in a directory in which nobody else can
 * create files, as others could plant one.
 */
static bool read_log(const char *path, time_t since, struct crash_log *log)
{
	struct ftr_error err = {0};
	struct dir_file p;
	struct stat st;
	bool usable;
	int fd;

	if (place_open(&p, path, &err))
		return false;
	fd = openat(p.dir, p.name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW);
	usable = fd >= 0 && !p.foreign && !fstat(fd, &st) && S_ISREG(st.st_mode) && !st.st_uid &&
		 !(st.st_mode & (S_IWGRP | S_IWOTH)) && st.st_mtime >= since;
	if (usable)
		read_to_end(fd, log);
	if (fd >= 0)
		close(fd);
	place_release(&p);
	return usable;
}

/*
 * Reads the parts of a dump. Each starts with a line "Oops#1 Part2": the highest number is the
 * oldest part, and the last by the names of the files. fs/pstore/platform.c
 */
static bool read_pstore(const char *pattern, time_t since, struct buf *out, uint64_t *ns)
{
	struct crash_log log = {0};
	glob_t g = {0};

	if (!glob(pattern, 0, NULL, &g))
		for (size_t i = g.gl_pathc; i--;)
			read_log(g.gl_pathv[i], since, &log);
	globfree(&g);
	return crash_log_end(&log, out, ns);
}

/* Reads the newest file. The names of directories are dates. */
static bool read_newest(const char *pattern, time_t since, struct buf *out, uint64_t *ns)
{
	struct crash_log log = {0};
	bool taken = false;
	glob_t g = {0};

	if (!glob(pattern, 0, NULL, &g))
		for (size_t i = g.gl_pathc; i-- && !taken;)
			taken = read_log(g.gl_pathv[i], since, &log);
	globfree(&g);
	return crash_log_end(&log, out, ns);
}

static bool read_journal(const char *command, time_t since, struct buf *out, uint64_t *ns)
{
	struct crash_log log = {0};
	FILE *f = popen(command, "re");

	(void)since;
	if (f) {
		read_to_end(fileno(f), &log);
		pclose(f);
	}
	return crash_log_end(&log, out, ns);
}

void collect_read_kmsg(struct buf *log)
{
	char record[KMSG_RECORD];
	int fd = open(KMSG, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	const char *from, *nl;
	ssize_t n;

	while (fd >= 0) {
		/* a read returns one record, or EPIPE if it was overwritten meanwhile */
		n = read(fd, record, sizeof(record));
		if (n > 0)
			buf_add(log, record, n);
		else if (!n || (errno != EPIPE && errno != EINTR))
			break;
		if (log->len <= KMSG_MAX)
			continue;
		/* drop the first half */
		from = log->data + log->len / 2;
		nl = memchr(from, '\n', log->data + log->len - from);
		from = nl ? nl + 1 : from;
		log->len -= from - log->data;
		memmove(log->data, from, log->len);
	}
	if (fd >= 0)
		close(fd);
}

static bool read_kmsg(const char *path, time_t since, struct buf *out, uint64_t *ns)
{
	struct crash_log log = {0};
	struct buf text = {0};

	(void)path;
	(void)since;
	collect_read_kmsg(&text);
	crash_log_add(&log, text.data, text.len);
	buf_release(&text);
	return crash_log_end(&log, out, ns);
}

static const struct text_source {
	bool earlier, now;		/* it has texts of an earlier boot; of this one */
	bool (*read_text)(const char *where, time_t since, struct buf *out, uint64_t *ns);
	const char *where;
	const char *name;
} sources[] = {
	{ true, false, read_pstore, "/sys/fs/pstore/dmesg-*", "/sys/fs/pstore" },
	/* systemd-pstore moves files there that have no parts to join, as those of ramoops */
	{ true, false, read_pstore, "/var/lib/systemd/pstore/dmesg-*", "/var/lib/systemd/pstore" },
	{ true, false, read_pstore, "/var/lib/systemd/pstore/*/*/dmesg.txt",
	  "/var/lib/systemd/pstore" },
	{ true, false, read_journal, "journalctl -q -k -b -1 -o short-monotonic 2>/dev/null",
	  "journalctl -k -b -1" },
	{ true, false, read_newest, "/var/crash/*/dmesg*", "/var/crash" },
	{ false, true, read_kmsg, KMSG, KMSG },
};

/*
 * Finds a text by the kernel's time of the crash, which is that of the end of the trace: if the
 * clock was set back while that boot ran, the file of the crash looks older than the skeleton.
 */
static const char *find_by_kernel_time(uint64_t end_ns, struct buf *out)
{
	struct buf text = {0};
	const char *name = "";
	uint64_t ns = 0;

	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources) && !*name; i++) {
		if (sources[i].read_text != read_pstore)
			continue;
		buf_reset(&text);
		if (!read_pstore(sources[i].where, 0, &text, &ns) || ns + KERNEL_TIME_NS < end_ns ||
		    ns > end_ns + KERNEL_TIME_NS)
			continue;
		buf_add(out, text.data, text.len);
		name = sources[i].name;
	}
	buf_release(&text);
	return name;
}

const char *find_oops_text(const struct collect_plan *p, bool earlier, time_t since,
			   uint64_t end_ns, struct buf *out)
{
	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++) {
		const struct text_source *s = &sources[i];

		if (!(earlier ? s->earlier : s->now))
			continue;
		collect_show(p, "looking for the text of the oops: %s", s->name);
		if (s->read_text(s->where, since, out, NULL))
			return s->name;
	}
	return earlier && end_ns ? find_by_kernel_time(end_ns, out) : "";
}
