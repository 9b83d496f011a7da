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

#include "base/io.h"
#include "oops/collect/collect_priv.h"
#include "oops/log/lines.h"
#include "oops/text/oops_text.h"

#define LOG_MAX (4u << 20)	/* bytes of one log: its end counts */
#define KMSG "/dev/kmsg"
#define KMSG_RECORD 8192	/* /dev/kmsg gives one a read, if there is room for it */

/* What the log says from the crash on, without prefixes. */
static bool take_oops(const struct buf *log, struct buf *out)
{
	struct log_lines lines = {0};
	struct oops_text text;
	struct buf all = {0};
	bool has;

	log_lines_split(&lines, log->data ? log->data : "", log->len);
	for (size_t i = 0; i < lines.n; i++) {
		buf_add(&all, lines.v[i].p, lines.v[i].len);
		buf_addch(&all, '\n');
	}
	has = all.len && oops_text_read(all.data, all.len, &text);
	if (has) {
		buf_reset(out);
		buf_add(out, text.head.p, all.data + all.len - text.head.p);
	}
	buf_release(&all);
	log_lines_release(&lines);
	return has;
}

/*
 * Of a crash before @since nothing is taken. A file of pstore has the time of the crash, which
 * systemd-pstore keeps.
 */
static void read_log(const char *path, time_t since, struct buf *out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return;
	if (!fstat(fd, &st) && st.st_mtime >= since)
		io_read_max(fd, LOG_MAX, out);
	close(fd);
}

/*
 * A dump has parts, "Oops#1 Part2" in a line before each: the highest number is the oldest, and its
 * file the last by name. fs/pstore/platform.c
 */
static bool take_pstore(const char *pattern, time_t since, struct buf *out)
{
	struct buf log = {0};
	glob_t g = {0};
	bool has;

	if (!glob(pattern, 0, NULL, &g))
		for (size_t i = g.gl_pathc; i--;)
			read_log(g.gl_pathv[i], since, &log);
	globfree(&g);
	has = take_oops(&log, out);
	buf_release(&log);
	return has;
}

/* The newest folder is the last by name, which is its date. */
static bool take_newest(const char *pattern, time_t since, struct buf *out)
{
	struct buf log = {0};
	glob_t g = {0};
	bool has;

	if (!glob(pattern, 0, NULL, &g) && g.gl_pathc)
		read_log(g.gl_pathv[g.gl_pathc - 1], since, &log);
	globfree(&g);
	has = take_oops(&log, out);
	buf_release(&log);
	return has;
}

static bool take_journal(const char *command, time_t since, struct buf *out)
{
	struct buf log = {0};
	FILE *f = popen(command, "re");
	bool has = false;

	(void)since;
	if (f) {
		io_read_max(fileno(f), LOG_MAX, &log);
		has = !pclose(f) && take_oops(&log, out);
	}
	buf_release(&log);
	return has;
}

/* A read of /dev/kmsg gives one record; one that was overwritten meanwhile gives EPIPE. */
void collect_read_kmsg(struct buf *log)
{
	char record[KMSG_RECORD];
	int fd = open(KMSG, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ssize_t n;

	while (fd >= 0 && log->len < LOG_MAX) {
		n = read(fd, record, sizeof(record));
		if (n > 0)
			buf_add(log, record, n);
		else if (!n || (errno != EPIPE && errno != EINTR))
			break;
	}
	if (fd >= 0)
		close(fd);
}

static bool take_kmsg(const char *path, time_t since, struct buf *out)
{
	struct buf log = {0};
	bool has;

	(void)path;
	(void)since;
	collect_read_kmsg(&log);
	has = take_oops(&log, out);
	buf_release(&log);
	return has;
}

static const struct source {
	bool earlier, now;		/* it has texts of an earlier boot; of this one */
	bool (*take)(const char *where, time_t since, struct buf *out);
	const char *where;
	const char *name;
} sources[] = {
	{ true, false, take_pstore, "/sys/fs/pstore/dmesg-*", "/sys/fs/pstore" },
	/* systemd-pstore moves there what it has no parts to join of, as what is of ramoops */
	{ true, false, take_pstore, "/var/lib/systemd/pstore/dmesg-*", "/var/lib/systemd/pstore" },
	{ true, false, take_pstore, "/var/lib/systemd/pstore/*/*/dmesg.txt",
	  "/var/lib/systemd/pstore" },
	{ true, false, take_newest, "/var/crash/*/dmesg*", "/var/crash" },
	{ true, false, take_journal, "journalctl -q -k -b -1 -o short-monotonic 2>/dev/null",
	  "journalctl -k -b -1" },
	{ false, true, take_kmsg, KMSG, KMSG },
};

const char *find_oops_text(bool earlier, time_t since, struct buf *out)
{
	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++) {
		const struct source *s = &sources[i];

		if ((earlier ? s->earlier : s->now) && s->take(s->where, since, out))
			return s->name;
	}
	return "";
}
