/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Session, journal and lists on a tree of plain files that looks like tracefs. */
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "tap.h"
#include "tracefs/session/journal.h"
#include "tracefs/session/session.h"
#include "tracefs/state/buffer_idle.h"

static char root[] = "/tmp/ftr-unit.XXXXXX";
static struct tfs tfs;

static void put(const char *path, const char *text)
{
	char *full = xasprintf("%s/tree/%s", root, path), *slash = strrchr(full, '/');
	int fd;

	*slash = '\0';
	io_mkdirs(full, 0700);
	*slash = '/';
	fd = open(full, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || io_write_all(fd, text, strlen(text)))
		abort();
	close(fd);
	free(full);
}

static bool holds(const char *path, const char *want)
{
	struct buf b = {0};
	bool same = !tfs_read(&tfs, NULL, path, &b, NULL) && !strcmp(b.data, want);

	if (!same)
		printf("# '%s' holds '%s'\n", path, b.data ? b.data : "nothing");
	buf_release(&b);
	return same;
}

static size_t journals(void)
{
	struct strv list = {0};
	size_t n;

	session_dead_journals(&list, NULL);
	n = list.n;
	strv_release(&list);
	return n;
}

static void make_tree(void)
{
	put("current_tracer", "nop\n");
	put("available_tracers", "blk function_graph function nop\n");
	put("trace_clock", "[local] global mono\n");
	put("tracing_on", "1\n");
	put("max_graph_depth", "0\n");
	put("options/sym-addr", "0\n");
	put("trace_options", "print-parent\nnosym-addr\nnoverbose\n");
	put("available_events", "sched:sched_switch\nsched:sched_wakeup\nirq:irq_handler_entry\n"
	    "timer:timer_start\nxhci:sched_other\n");
	put("events/sched/sched_switch/enable", "0\n");
	put("events/sched/sched_wakeup/enable", "1\n");
	put("events/sched/enable", "X\n");
	put("events/header_page", "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
	    "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
	    "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
	    "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n");
	put("per_cpu/cpu0/stats", "entries: 3\noverrun: 1\ncommit overrun: 2\nbytes: 100\n"
	    "oldest event ts:  10.000001\nnow ts:    20.000000\ndropped events: 4\nread events: 5\n");
	put("per_cpu/cpu10/stats", "entries: 0\n");
	put("per_cpu/cpu2/stats", "entries: 0\n");
	put("set_event", "");
	put("instances/a/tracing_on", "1\n");
}

static size_t matches(const char *pattern, const char *first)
{
	struct strv v = {0};
	struct ftr_error err = {0};
	size_t n;
	int ret = tfs_match_events(&tfs, pattern, &v, &err);

	n = v.n;
	if (n && first && strcmp(v.v[0], first))
		n = 1000;
	if ((n > 0) != (ret == 1))
		n = 1001;
	if (!n)
		printf("# %s | %s\n", err.msg, err.hint);
	strv_release(&v);
	return n;
}

static void test_lists(void)
{
	struct strv v = {0};
	struct ftr_error err = {0};
	struct tfs_stats st;
	char *now, *why;
	int *cpus;
	size_t n;

	TAP_EQ(matches("sched", "sched/sched_switch"), 2, "events: a system");
	TAP_EQ(matches("sched_switch", "sched/sched_switch"), 1, "events: a name alone");
	TAP_EQ(matches("sched:sched_w*", "sched/sched_wakeup"), 1, "events: a glob");
	TAP_EQ(matches(":sched_*", NULL), 3, "events: of any system");
	TAP_EQ(matches("all", NULL), 5, "events: all");
	TAP_EQ(matches("sched:sched_swich", NULL), 0, "events: a slip of the pen");
	tfs_match_events(&tfs, "sched:sched_swich", &v, &err);
	TAP_OK(strstr(err.hint, "'sched:sched_switch'"), "events: what was meant");
	tfs_clocks(&tfs, NULL, &v, &now, NULL);
	TAP_OK(v.n == 3 && !strcmp(now, "local"), "clocks");
	free(now);
	strv_release(&v);
	tfs_options(&tfs, NULL, &v, NULL);
	TAP_OK(v.n == 3 && strv_has(&v, "sym-addr"), "options");
	strv_release(&v);
	tfs_instances(&tfs, &v, NULL);
	TAP_OK(v.n == 1 && !strcmp(v.v[0], "a"), "instances");
	strv_release(&v);
	TAP_OK(!tfs_cpus(&tfs, NULL, &cpus, &n, NULL) && n == 3 && cpus[1] == 2 && cpus[2] == 10,
	       "CPUs in order");
	free(cpus);
	TAP_OK(!tfs_stats(&tfs, NULL, 0, &st) && st.entries == 3 && st.overrun == 1 &&
	       st.commit_overrun == 2 && st.bytes == 100 && st.dropped == 4 && st.read_events == 5,
	       "statistics");
	TAP_EQ(tfs_subbuf_size(&tfs, NULL), 4096, "sub-buffer size from header_page");
	TAP_OK(!tfs_idle(&tfs, NULL, &why) && !strcmp(why, "the buffer holds 3 events"), "not idle");
	free(why);
}

/* @enable and @trigger: what the files of sched_switch read, which set_event lists. */
static bool in_use(const char *enable, const char *trigger, const char *words)
{
	char *why;
	bool same;

	put("set_event", "sched:sched_switch\n");
	put("events/sched/sched_switch/enable", enable);
	put("events/sched/sched_switch/trigger", trigger);
	same = !tfs_idle(&tfs, NULL, &why) && !strcmp(why, words);
	if (!same)
		printf("# %s\n", why ? why : "idle");
	free(why);
	put("set_event", "");
	put("events/sched/sched_switch/enable", "0\n");
	put("events/sched/sched_switch/trigger", "# Available triggers:\n");
	return same;
}

static void test_events_in_use(void)
{
	TAP_OK(in_use("1\n", "", "event 'sched:sched_switch' is enabled"), "in use: an event");
	TAP_OK(in_use("1*\n", "stacktrace:unlimited\n", "event 'sched:sched_switch' is enabled"),
	       "in use: an event with a trigger");
	TAP_OK(in_use("0*\n", "traceoff:count=1\n", "event 'sched:sched_switch' has a trigger"),
	       "in use: a trigger alone");
	TAP_OK(in_use("0*\n", "# Available triggers:\n",
		      "event 'sched:sched_switch' is ready for a trigger"),
	       "in use: an event that a trigger of another enables");
}

static void test_session(void)
{
	struct ftr_error err = {0};
	struct session *s = session_open(&tfs, &err);

	TAP_OK(!session_set(s, NULL, "max_graph_depth", "5", &err), "set");
	TAP_OK(holds("max_graph_depth", "5\n"), "set: written");
	session_set(s, NULL, "max_graph_depth", "6", &err);
	session_set(s, NULL, "trace_clock", "mono", &err);
	session_option(s, NULL, "sym-addr", true, &err);
	session_set(s, NULL, "events/sched/enable", "1", &err);
	TAP_OK(session_set(s, NULL, "max_graf_depth", "5", &err) && strstr(err.msg, "max_graf_depth"),
	       "a file that is not there");
	TAP_OK(session_option(s, NULL, "sym-adr", true, &err) && strstr(err.hint, "sym-addr"),
	       "an option that is not there");
	TAP_EQ(journals(), 0, "a living journal is not dead");
	TAP_OK(!session_close(s, &err), "close");
	TAP_OK(holds("max_graph_depth", "0\n"), "restored: the first old value, not a later one");
	TAP_OK(holds("trace_clock", "local\n"), "restored: the choice");
	TAP_OK(holds("options/sym-addr", "0\n"), "restored: an option");
	TAP_OK(holds("events/sched/sched_switch/enable", "0\n"), "untouched: an event below X");
	make_tree();
}

static void test_keep(void)
{
	struct session *s = session_open(&tfs, NULL);

	session_set(s, NULL, "max_graph_depth", "5", NULL);
	session_set(s, "a", "tracing_on", "0", NULL);
	session_keep(s, "a");
	session_close(s, NULL);
	TAP_OK(holds("max_graph_depth", "0\n"), "keep: the top is restored");
	TAP_OK(holds("instances/a/tracing_on", "0\n"), "keep: the instance stays");
	make_tree();
}

static void test_death(void)
{
	struct strv list = {0};
	struct ftr_error err = {0};
	pid_t pid = fork();
	struct session *s;

	if (!pid) {
		s = session_open(&tfs, NULL);
		session_set(s, NULL, "max_graph_depth", "5", NULL);
		session_set(s, NULL, "current_tracer", "function", NULL);
		kill(getpid(), SIGKILL);
	}
	waitpid(pid, NULL, 0);
	TAP_OK(holds("current_tracer", "function\n"), "death: the change is there");
	session_dead_journals(&list, NULL);
	TAP_EQ(list.n, 1, "death: its journal is found");
	if (list.n)
		TAP_OK(!session_recover(&tfs, list.v[0], &err), "death: recovered");
	TAP_OK(holds("current_tracer", "nop\n") && holds("max_graph_depth", "0\n"), "death: restored");
	TAP_EQ(journals(), 0, "death: the journal is gone");
	strv_release(&list);
}

/* One run that sets @value, and leaves it. */
static bool stand(const char *instance, const char *file, const char *value)
{
	struct session *s = session_open(&tfs, NULL);
	bool good = !session_set(s, instance, file, value, NULL) && !session_stand(s, NULL);

	return !session_close(s, NULL) && good;
}

static void test_standing(void)
{
	struct journal_owner owner;
	struct journal_entries entries;
	size_t n;

	put("dynamic_events", "");
	put("instances/foo/current_tracer", "nop\n");
	TAP_EQ(session_standing(&owner, &entries, NULL), 0, "standing: nothing at first");
	TAP_OK(stand(NULL, "current_tracer", "function") && stand(NULL, "current_tracer", "blk") &&
	       stand("foo", "current_tracer", "function") && stand(NULL, "max_graph_depth", "3"),
	       "standing: four runs");
	TAP_OK(holds("current_tracer", "blk\n") && holds("max_graph_depth", "3\n"), "standing: it stays");
	TAP_EQ(journals(), 0, "standing: no run's journal is left");
	TAP_EQ(session_standing(&owner, &entries, NULL), 1, "standing: it is told");
	TAP_EQ(entries.n, 4, "standing: by four entries");
	journal_owner_release(&owner);
	entries_release(&entries);
	TAP_OK(!session_reset(&tfs, "foo", &n, NULL, NULL) && n == 1 && holds("current_tracer", "blk\n") &&
	       holds("instances/foo/current_tracer", "nop\n"), "standing: an instance is reset");
	TAP_OK(!session_reset(&tfs, "foo", &n, NULL, NULL) && !n, "standing: once");
	TAP_OK(!session_reset(&tfs, NULL, &n, NULL, NULL) && n == 3 && holds("current_tracer", "nop\n") &&
	       holds("max_graph_depth", "0\n"), "standing: the first values are back");
	TAP_EQ(session_standing(&owner, &entries, NULL), 0, "standing: nothing is left");
}

/* A file of definitions: what undoes a line is added behind it. */
static void test_line(void)
{
	struct session *s = session_open(&tfs, NULL);

	TAP_OK(!session_line(s, "dynamic_events", "p:a/b vfs_read", "-:a/b", NULL) &&
	       holds("dynamic_events", "p:a/b vfs_read\n"), "line: added");
	TAP_OK(!session_close(s, NULL) && holds("dynamic_events", "p:a/b vfs_read\n-:a/b\n"),
	       "line: and undone");
	s = session_open(&tfs, NULL);
	TAP_OK(!session_line(s, "dynamic_events", "e:a/c s.e if x", "-:a/c # e:a/c s.e if x", NULL) &&
	       !session_close(s, NULL) &&
	       holds("dynamic_events", "p:a/b vfs_read\n-:a/b\ne:a/c s.e if x\n-:a/c\n"),
	       "line: a comment is for readers of the journal");
}

/* Hand-written journals: the format is a promise to later versions. */
static int recover_text(const char *text, size_t n, struct ftr_error *err)
{
	char *path = xasprintf("%s/run/1.journal", root);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600), ret;

	if (fd < 0 || io_write_all(fd, text, n))
		abort();
	close(fd);
	ret = session_recover(&tfs, path, err);
	unlink(path);
	free(path);
	return ret;
}

static void test_format(void)
{
	char *boot = io_line_at(AT_FDCWD, "/proc/sys/kernel/random/boot_id");
	struct ftr_error err = {0};
	/* pid 4194303 with start 1: no such process. */
	char *text = xasprintf("ftr journal 1\nboot 0 36\n\n%s\npid 0 7\n\n4194303\nstart 0 1\n\n1\n"
			       "command 0 1\n\nx\ntracefs 0 1\n\n/\n"
			       "set 15 2\nmax_graph_depth\n3\n\nset 10 2\ntracing_on\n0\n\n", boot);
	char *sysctl = xasprintf("ftr journal 1\nboot 0 36\n\n%s\npid 0 7\n\n4194303\n"
				 "sysctl 19 1\nkernel.core_pattern\n1\n", boot);
	char *evil = xasprintf("ftr journal 1\nboot 0 36\n\n%s\npid 0 7\n\n4194303\n"
			       "set 11 1\n../run/evil\n1\n", boot);
	size_t n = strlen(text), i, bad = 0;

	TAP_OK(!recover_text(text, n, &err) && holds("max_graph_depth", "3\n") &&
	       holds("tracing_on", "0\n"), "format: a written journal");
	make_tree();
	TAP_OK(!recover_text(text, n - 5, &err) && holds("max_graph_depth", "3\n") &&
	       holds("tracing_on", "1\n"), "format: a last entry cut short is left out");
	make_tree();
	for (i = 0; i < n; i++) {
		err = (struct ftr_error){0};
		bad += recover_text(text, i, &err) && !err.msg[0];
	}
	TAP_EQ(bad, 0, "format: cut anywhere, restored or refused with a reason");
	make_tree();
	text[strlen("ftr journal 1\nboot 0 36\n\n")] ^= 1;
	TAP_OK(recover_text(text, n, &err) && strstr(err.msg, "another boot"), "format: another boot");
	TAP_OK(recover_text("ftr journal 2\n", 14, &err), "format: another version");
	TAP_OK(recover_text(evil, strlen(evil), &err), "format: a path out of tracefs is refused");
	TAP_OK(recover_text(sysctl, strlen(sysctl), &err) && strstr(err.msg, "unknown record"),
	       "format: a sysctl that is none of tracing's is refused");
	free(sysctl);
	free(evil);
	free(text);
	free(boot);
}

static void test_paths(void)
{
	static const char *const out[] = { "/", "..", "../x", "a/..", "a/../../x", "instances/.." };
	char *boot = io_line_at(AT_FDCWD, "/proc/sys/kernel/random/boot_id"), *text, *name;
	struct ftr_error err = {0};
	size_t i;

	for (i = 0; i < sizeof(out) / sizeof(*out); i++) {
		text = xasprintf("ftr journal 1\nboot 0 36\n\n%s\npid 0 7\n\n4194303\n"
				 "mkdir %zu 0\n%s\n\n", boot, strlen(out[i]), out[i]);
		name = xasprintf("format: '%s' is not below tracefs", out[i]);
		TAP_OK(recover_text(text, strlen(text), &err) &&
		       strstr(err.msg, "unknown record"), name);
		free(name);
		free(text);
	}
	free(boot);
}

static void test_lock(void)
{
	struct ftr_error err = {0};
	struct session *a = session_open(&tfs, NULL), *b = session_open(&tfs, NULL);
	char want[32];

	TAP_OK(!session_lock_global(a, &err) && !session_lock_global(a, &err), "lock: taken");
	snprintf(want, sizeof(want), "pid %d", (int)getpid());
	TAP_OK(session_lock_global(b, &err) && strstr(err.msg, want), "lock: the holder is named");
	session_close(a, NULL);
	TAP_OK(!session_lock_global(b, &err), "lock: free after close");
	session_close(b, NULL);
}

int main(void)
{
	struct ftr_error err = {0};
	char *tree, *run, *command;

	if (!mkdtemp(root))
		return 1;
	tree = xasprintf("%s/tree", root);
	run = xasprintf("%s/run", root);
	setenv("FTR_TRACEFS", tree, 1);
	setenv("FTR_JOURNAL_DIR", run, 1);
	TAP_OK(tfs_open(&tfs, &err) && strstr(err.msg, tree), "open: no such folder");
	make_tree();
	if (!TAP_OK(!tfs_open(&tfs, &err), "open"))
		return 1;
	test_lists();
	test_events_in_use();
	test_session();
	test_keep();
	test_death();
	test_standing();
	test_line();
	test_format();
	test_paths();
	test_lock();
	tfs_close(&tfs);
	command = xasprintf("rm -rf '%s'", root);
	if (system(command))
		printf("# cannot remove %s\n", root);
	free(command);
	free(run);
	free(tree);
	return tap_done();
}
