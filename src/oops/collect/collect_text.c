/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of an oops, from where one may be. */
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
#include "oops/log/oops_text.h"

#define READ_SIZE (64u << 10)
#define KMSG "/dev/kmsg"
#define KMSG_RECORD 8192	/* /dev/kmsg gives one a read, if there is room for it */
#define KERNEL_TIME_NS (60ull * 1000000000)	/* from a crash to the trace's end */
#define KMSG_MAX (64u << 20)	/* bytes of that log: its end counts */

/* To the end, however long it is: a writer that is left alone ends with SIGPIPE. */
static void read_to_end(int fd, struct crash_log *log)
{
	char piece[READ_SIZE];
	ssize_t n;

	while ((n = read(fd, piece, sizeof(piece))) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			crash_log_add(log, piece, n);
}

/*
 * Others could have left a file of theirs where root's are looked for. True for one of root's that
 * nobody else can write, in a folder in which nobody else can make one.
 */
static bool is_roots_own(const struct place *p, int fd, time_t since)
{
	struct stat st;

	return !p->foreign && !fstat(fd, &st) && S_ISREG(st.st_mode) && !st.st_uid &&
	       !(st.st_mode & (S_IWGRP | S_IWOTH)) && st.st_mtime >= since;
}

/*
 * Of a crash before @since nothing is taken. A file of pstore has the time of the crash, which
 * systemd-pstore keeps.
 */
static bool read_log(const char *path, time_t since, struct crash_log *log)
{
	struct ftr_error err = {0};
	struct place p;
	bool taken;
	int fd;

	if (place_open(&p, path, &err))
		return false;
	fd = openat(p.dir, p.name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW);
	taken = fd >= 0 && is_roots_own(&p, fd, since);
	if (taken)
		read_to_end(fd, log);
	if (fd >= 0)
		close(fd);
	place_release(&p);
	return taken;
}

/*
 * A dump has parts, "Oops#1 Part2" in a line before each: the highest number is the oldest, and its
 * file the last by name. fs/pstore/platform.c
 */
static bool take_pstore(const char *pattern, time_t since, struct buf *out, uint64_t *ns)
{
	struct crash_log log = {0};
	glob_t g = {0};

	if (!glob(pattern, 0, NULL, &g))
		for (size_t i = g.gl_pathc; i--;)
			read_log(g.gl_pathv[i], since, &log);
	globfree(&g);
	return crash_log_end(&log, out, ns);
}

/* The newest folder is the last by name, which is its date. */
static bool take_newest(const char *pattern, time_t since, struct buf *out, uint64_t *ns)
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

static bool take_journal(const char *command, time_t since, struct buf *out, uint64_t *ns)
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

/* Drops lines from the begin of @log. */
static void keep_end(struct buf *log)
{
	const char *from = log->data + log->len / 2, *nl;

	nl = memchr(from, '\n', log->data + log->len - from);
	from = nl ? nl + 1 : from;
	log->len -= from - log->data;
	memmove(log->data, from, log->len);
}

/* A read of /dev/kmsg gives one record; one that was overwritten meanwhile gives EPIPE. */
void collect_read_kmsg(struct buf *log)
{
	char record[KMSG_RECORD];
	int fd = open(KMSG, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ssize_t n;

	while (fd >= 0) {
		n = read(fd, record, sizeof(record));
		if (n > 0)
			buf_add(log, record, n);
		else if (!n || (errno != EPIPE && errno != EINTR))
			break;
		if (log->len > KMSG_MAX)
			keep_end(log);
	}
	if (fd >= 0)
		close(fd);
}

static bool take_kmsg(const char *path, time_t since, struct buf *out, uint64_t *ns)
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

static const struct source {
	bool earlier, now;		/* it has texts of an earlier boot; of this one */
	bool (*take)(const char *where, time_t since, struct buf *out, uint64_t *ns);
	const char *where;
	const char *name;
} sources[] = {
	{ true, false, take_pstore, "/sys/fs/pstore/dmesg-*", "/sys/fs/pstore" },
	/* systemd-pstore moves there what it has no parts to join of, as what is of ramoops */
	{ true, false, take_pstore, "/var/lib/systemd/pstore/dmesg-*", "/var/lib/systemd/pstore" },
	{ true, false, take_pstore, "/var/lib/systemd/pstore/*/*/dmesg.txt",
	  "/var/lib/systemd/pstore" },
	{ true, false, take_journal, "journalctl -q -k -b -1 -o short-monotonic 2>/dev/null",
	  "journalctl -k -b -1" },
	{ true, false, take_newest, "/var/crash/*/dmesg*", "/var/crash" },
	{ false, true, take_kmsg, KMSG, KMSG },
};

/*
 * The clock was set back while that boot ran: the file of the crash looks older than the front. The
 * kernel's time of the crash is that of the end of the trace, which stopped there.
 */
static const char *find_by_kernel_time(uint64_t end_ns, struct buf *out)
{
	struct buf text = {0};
	const char *name = "";
	uint64_t ns = 0;

	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources) && !*name; i++) {
		if (sources[i].take != take_pstore)
			continue;
		buf_reset(&text);
		if (!take_pstore(sources[i].where, 0, &text, &ns) || ns + KERNEL_TIME_NS < end_ns ||
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
		const struct source *s = &sources[i];

		if (!(earlier ? s->earlier : s->now))
			continue;
		collect_show(p, "looking for the text of the oops: %s", s->name);
		if (s->take(s->where, since, out, NULL))
			return s->name;
	}
	return earlier && end_ns ? find_by_kernel_time(end_ns, out) : "";
}
