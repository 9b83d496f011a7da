/* SPDX-License-Identifier: GPL-2.0-or-later */
/* New entries of error_log, and where the caret stands: logs written by hand in the kernel's form. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "tap.h"
#include "tracefs/errors/errlog.h"

static char tree[] = "/var/tmp/ftr-errlog.XXXXXX";

static void put(const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", tree, name);
	f = fopen(path, "w");
	if (!f || fputs(text, f) < 0 || fclose(f))
		exit(1);
}

static void check_error(const char *got, const char *want, const char *name)
{
	TAP_OK(got && !strcmp(got, want), name);
	if (!got || strcmp(got, want))
		printf("# got:\n%s\n# want:\n%s\n", got ? got : "(null)", want);
}

/* What a log that was @before and is @after says of @written. */
static void check_log(const struct tfs *t, const char *before, const char *after,
		      const char *written, const char *want, const char *name)
{
	struct tfs_errlog log;
	char *got;

	put("error_log", before);
	tfs_errlog_mark(t, NULL, &log);
	put("error_log", after);
	got = tfs_errlog_new(t, NULL, written, &log);
	if (want)
		check_error(got, want, name);
	else
		TAP_OK(!got, name);
	free(got);
}

#define OLD "[   1.000001] trace_kprobe: error: Old\n  Command: p old\n           ^\n"
#define ONE "[   2.000001] trace_kprobe: error: One\n  Command: p one\n             ^\n"
#define TWO "[   2.000002] trace_kprobe: error: Two\n  Command: p two\n             ^\n"
#define THREE "[   2.000003] trace_kprobe: error: Three\n  Command: p three\n             ^\n"

static void entries(const struct tfs *t)
{
	char ring[1024] = "", rolled[1024];
	int i;

	check_log(t, "", "", "p one", NULL, "no entry, no words");
	check_log(t, OLD, OLD, "p one", NULL, "an old entry is not shown");
	check_log(t, ONE, ONE ONE, "p one",
		  "trace_kprobe: error: One\n  Command: p one\n             ^",
		  "the same once more, at the same time");
	check_log(t, OLD ONE, TWO, "p one",
		  "trace_kprobe: error: Two\n  Command: p two\n             ^",
		  "somebody emptied the log meanwhile");
	check_log(t, OLD, OLD ONE, "p one",
		  "trace_kprobe: error: One\n  Command: p one\n             ^",
		  "the new entry, without its time");
	check_log(t, OLD, ONE TWO THREE, "p one",
		  "trace_kprobe: error: One\n  Command: p one\n             ^\n"
		  "trace_kprobe: error: Two\n  Command: p two\n             ^",
		  "of several the first two");
	for (i = 0; i < 8; i++)
		sprintf(ring + strlen(ring), "[   1.00000%d] a: error: b\n  Command: c\n           ^\n", i);
	snprintf(rolled, sizeof(rolled), "%s%s", strstr(ring, "[   1.000001"), ONE);
	check_log(t, ring, rolled, "p one",
		  "trace_kprobe: error: One\n  Command: p one\n             ^",
		  "the ring is full: the oldest went, the new one is shown");
	check_log(t, "", "[   1.5] a: error: b\n  Command: one\n[two]\n           ^\n",
		  "one\n[two]", "a: error: b\n  Command: one [two]\n           ^",
		  "a command of two lines is one");
	check_log(t, "", "[   1.5] a: error: b\n  Command: x\ty\tz\n               ^\n", "x\ty\tz",
		  "a: error: b\n  Command: x y z\n               ^", "tabs are blanks");
	check_log(t, "", "[   1.5] a: error: b\n  Command: \xc3\xa4 y\n              ^\n",
		  "\xc3\xa4 y", "a: error: b\n  Command: \xc3\xa4 y\n             ^",
		  "the kernel counts bytes, we columns");
	check_log(t, "", "[   1.5] a: no error\n", "x", "a: no error",
		  "another form is shown as it is");
}

/* An entry of @where with the caret under byte @at becomes one with it under @want. */
static void moved(const struct tfs *t, const char *where, const char *what, const char *cmd, int at,
		  int want)
{
	char log[512], shown[512];

	snprintf(log, sizeof(log), "[   1.5] %s: error: %s\n  Command: %s\n%*s^\n", where, what, cmd,
		 11 + at, "");
	snprintf(shown, sizeof(shown), "%s: error: %s\n  Command: %s\n%*s^", where, what, cmd, 11 + want, "");
	check_log(t, "", log, cmd, shown, cmd);
}

static void mended(const struct tfs *t)
{
	static const char filter[] = "event filter parse error", hist[] = "hist:sched:sched_switch";

	moved(t, filter, "Field not found", "nofield == 5", 8, 0);
	moved(t, filter, "Field not found", "pid == 5 && nofield == 5", 20, 12);
	moved(t, filter, "Field not found", "(nofield)", 9, 1);
	moved(t, filter, "Invalid operator", "pid wrong 5", 5, 4);
	moved(t, filter, "Illegal operation for field type", "prev_comm > \"x\"", 13, 10);
	moved(t, filter, "Illegal operation for field type", "a == 1 && comm>=  \"x\"", 19, 14);
	moved(t, filter, "Illegal operation for field type", "x", 1, 0);
	moved(t, filter, "Error", "&& pid == 5", 0, 0);
	moved(t, filter, "Too few '('", "pid == 5) && prio == 3", 8, 8);
	moved(t, hist, "Variable already defined", "hist:keys=pid:v0=prio,v0=pid", 14, 22);
	moved(t, hist, "For onmax(x) or onchange(x), x must be a variable",
	      "hist:keys=pid:v=prio:onmax(v).save(prio)", 14, 27);
	moved(t, hist, "Invalid subsystem or event name", "hist:keys=pid:onmatch(.a).x(pid)", 17, 22);
	moved(t, hist, "Invalid subsystem or event name", "hist:keys=a:onmatch(x.y).z(pid)", 22, 22);
	moved(t, hist, "Param type doesn't match", "hist:keys=pid:onmatch(a.b).trace(t,pid)", 10, 35);
	moved(t, hist, "Param type doesn't match", "hist:keys=pid:v=pid:onmatch(a.b).trace(t,$v)", 14, 42);
	moved(t, hist, "Couldn't find field", "hist:keys=nofield", 10, 10);
	moved(t, "trace_kprobe", "Unknown type is specified", "p:ep f %ax:u48", 11, 11);
}

static void lost(const struct tfs *t)
{
	char cmd[400], log[600];

	snprintf(cmd, sizeof(cmd), "hist:name=%0240d:keys=nofield", 0);
	snprintf(log, sizeof(log), "[   1.5] hist:a:b: error: Couldn't find field\n  Command: %.255s\n%*s^\n",
		 cmd, 11, "");
	check_log(t, "", log, cmd,
		  "hist:a:b: error: Couldn't find field (beyond the part of the command that the kernel keeps)",
		  "a place behind what the kernel kept");
}

static void window(void)
{
	char line[301];
	struct buf out = {0};
	size_t at, n, i;
	const char *second;
	int bad = 0;

	for (i = 0; i < 300; i++)
		line[i] = 'A' + i % 26;
	line[300] = '\0';
	for (at = 0; at <= 300; at++) {
		buf_reset(&out);
		text_caret(&out, line, 300, at, 4);
		second = strchr(out.data, '\n');
		n = strspn(second + 1, " ");
		if (second[1 + n] != '^' || second[2 + n] || second - out.data > 4 + 3 + 120 + 3 ||
		    (at < 300 && out.data[n] != line[at]))
			bad++;
	}
	TAP_EQ(bad, 0, "a long line: the caret is under its byte wherever that is");
	buf_reset(&out);
	text_caret(&out, "ab", 2, 7, 2);
	check_error(out.data, "  ab\n    ^", "a place beyond the line is its end");
	buf_reset(&out);
	text_caret(&out, "", 0, 0, 0);
	check_error(out.data, "\n^", "an empty line");
	buf_release(&out);
}

int main(void)
{
	struct ftr_error err = {0};
	char cmd[64];
	struct tfs t;

	if (!mkdtemp(tree))
		return 1;
	setenv("FTR_TRACEFS", tree, 1);
	put("current_tracer", "nop\n");
	if (tfs_open(&t, &err)) {
		printf("not ok - open: %s\n", err.msg);
		return 1;
	}
	entries(&t);
	mended(&t);
	lost(&t);
	window();
	tfs_close(&t);
	snprintf(cmd, sizeof(cmd), "rm -r '%s'", tree);
	return system(cmd) ? 1 : tap_done();
}
