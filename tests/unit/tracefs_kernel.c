/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the kernel refuses, or a file lists what was never written there: a tree of plain files, and calls in its place. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/io.h"
#include "fake_file.h"
#include "oops/collect/collect_priv.h"
#include "record/capture/capture.h"
#include "record/setup/plan_apply.h"
#include "tap.h"
#include "tracefs/files/control.h"
#include "tracefs/session/session.h"

static char root[] = "/tmp/ftr-kernel.XXXXXX";
static struct tfs tfs;
static bool keeps_latency;		/* a tracer has the snapshot for itself */
static const char *held_by;		/* an instance in which the event of the last definition is on */

static char *in_tree(const char *path)
{
	return xasprintf("%s/tree/%s", root, path);
}

static void put(const char *path, const char *text)
{
	char *full = xasprintf("tree/%s", path);

	fake_file(root, full, text, strlen(text));
	free(full);
}

static char *get(const char *path)
{
	char *full = in_tree(path), *text = io_line_at(AT_FDCWD, full);

	free(full);
	return text ? text : xstrdup("");
}

static const char *refused;		/* a word that is not taken, */
static int refused_errno;		/* and why */
static const char *cmdline_path;		/* in place of /proc/cmdline */

/* snapshot_raw is busy while a tracer keeps the longest latency (tracing_buffers_open(), kernel/trace/trace.c). */
int openat64(int dir, const char *path, int flags, ...)
{
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = flags & O_CREAT ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	if (keeps_latency && strstr(path, "snapshot_raw")) {
		errno = EBUSY;
		return -1;
	}
	path = cmdline_path && !strcmp(path, "/proc/cmdline") ? cmdline_path : path;
	return syscall(SYS_openat, dir, path, flags | O_LARGEFILE, mode);
}

/* Words of functions can be refused. An event that is on cannot be removed (dyn_event_release(), kernel/trace/trace_dynevent.c). */
ssize_t write(int fd, const void *p, size_t n)
{
	char *file, *on;
	bool busy;

	if (refused && n == strlen(refused) + 1 && !memcmp(p, refused, n - 1)) {
		errno = refused_errno;
		return -1;
	}
	if (held_by && n > 2 && !memcmp(p, "-:", 2)) {
		file = xasprintf("%s%s%sevents/probes/there/enable", *held_by ? "instances/" : "", held_by,
				 *held_by ? "/" : "");
		on = get(file);
		busy = *on == '1';
		free(on);
		free(file);
		if (busy) {
			errno = EBUSY;
			return -1;
		}
	}
	return syscall(SYS_write, fd, p, n);
}

/* --- the longest latency */

static const struct { const char *text, *name; bool measured; } texts[] = {
	{ "# tracer: irqsoff\n#\n", "comments alone", false },
	{ "", "nothing", false },
	{ "# tracer: irqsoff\n#\n\n#\n", "an empty line", false },
	{ "# tracer: irqsoff\n#\n  <idle>-0   0d..1  0us : x\n", "a record", true },
	{ "bash-1 0d..1 0us : x", "a record without its end", true },
};

static void test_latency(void)
{
	struct buf words = {0};
	struct tracer_latency l;
	char *name;

	put("current_tracer", "irqsoff\n");
	put("tracing_max_latency", "51\n");
	put("per_cpu/cpu0/snapshot_raw", "");
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		put("trace", texts[i].text);
		keeps_latency = true;
		latency_read(&tfs, NULL, 1 << 20, &l);
		keeps_latency = false;
		name = xasprintf("latency: %s: %s", texts[i].name, texts[i].measured ? "measured" : "nothing was measured");
		TAP_OK(l.tracer && !strcmp(l.tracer, "irqsoff") && l.measured == texts[i].measured && !l.cut, name);
		buf_reset(&words);
		latency_add(&words, &l, "");
		TAP_OK(texts[i].measured ? !strcmp(words.data, ", max latency 51 us") : !words.len, "so it is told");
		latency_release(&l);
		free(name);
	}
	put("trace", "# one\n# two\nrecord\n");
	keeps_latency = true;
	latency_read(&tfs, NULL, 15, &l);
	keeps_latency = false;
	TAP_OK(l.cut && l.text.len == 12 && !l.measured, "latency: whole lines, as many as wanted");
	latency_release(&l);
	latency_read(&tfs, NULL, 100, &l);
	TAP_OK(!l.tracer && !l.measured, "latency: a tracer that keeps none");
	latency_release(&l);
	buf_release(&words);
}

/* --- an event that is on somewhere */

static void test_busy(const char *instance)
{
	char *enable = xasprintf("%s%s%sevents/probes/there/enable", *instance ? "instances/" : "", instance,
				 *instance ? "/" : ""), *left, *name;
	struct session *s = session_open(&tfs, NULL);
	struct ftr_error err = {0};

	put("dynamic_events", "");
	put("events/probes/there/enable", "0\n");
	put("instances/a/events/probes/there/enable", "0\n");
	put("instances/b/events/probes/there/enable", "0\n");
	session_line(s, "dynamic_events", "p:probes/there vfs_read", "-:probes/there", &err);
	put(enable, "1\n");
	held_by = instance;
	name = xasprintf("a probe that is on in '%s': turned off, and removed", *instance ? instance : "the top level");
	TAP_OK(!session_close(s, &err), name);
	held_by = NULL;
	left = get(enable);
	TAP_OK(!strcmp(left, "0"), "it is off");
	free(left);
	free(name);
	free(enable);
}

/* --- lists that have more in them than what was written */

static bool canon_is(const char *text, const char *want)
{
	char *got = functions_canon(text);
	bool same = !strcmp(got, want);

	if (!same)
		printf("# '%s'\n", got);
	free(got);
	return same;
}

static void test_functions(void)
{
	TAP_OK(canon_is("#### all functions enabled ####\n", ""), "functions: all is none");
	TAP_OK(canon_is("vfs_write\nvfs_read\n", "vfs_read\nvfs_write\n"), "functions: in any order");
	TAP_OK(canon_is("#### all functions enabled ####\nvfs_read:traceoff:count=3\n", "vfs_read:traceoff\n"),
	       "functions: a command, whatever is left of its counter");
	TAP_OK(canon_is("write*:mod:nfs\nvfs_read\na*:mod:xfs\n", "vfs_read\na*:mod:xfs\nwrite*:mod:nfs\n"),
	       "functions: of modules to come");
}

static const struct { const char *pattern; int why; const char *words, *hint; } not_taken[] = {
	{ "vfs_raed", EINVAL, "no traceable function matches 'vfs_raed'", "did you mean 'vfs_read'?" },
	{ "vfs_*", EINVAL, "no function matches 'vfs_*'", "a module's are there once it is loaded" },
	{ "vfs_raed:mod:ext4", EINVAL, "module 'ext4' has no traceable function that matches 'vfs_raed'",
	  "'ftr list functions :mod:ext4' lists its functions" },
	{ "vfs_raed:mod:ext4", ENOMEM, "Cannot allocate memory", "" },
	{ "vfs_raed:traceoff", EINVAL, "Invalid argument", "" },
};

static void test_not_taken(size_t i)
{
	struct rec_plan plan;
	struct session *s = session_open(&tfs, NULL);
	struct rec_applied done = {0};
	struct ftr_error err = {0};
	char *name = xasprintf("functions: '%s': %s", not_taken[i].pattern, strerror(not_taken[i].why));

	plan_init(&plan);
	strv_add(&plan.graph_funcs, not_taken[i].pattern);
	refused = not_taken[i].pattern;
	refused_errno = not_taken[i].why;
	if (!TAP_OK(functions_graph(s, &plan, &done, &err) && strstr(err.msg, not_taken[i].words) &&
		    strstr(err.hint, not_taken[i].hint), name))
		printf("# '%s', '%s'\n", err.msg, err.hint);
	refused = NULL;
	session_close(s, NULL);
	plan_release(&plan);
	buf_release(&done.functions);
	free(name);
}

static void test_words(void)
{
	put("available_filter_functions", "vfs_read\nvfs_write\next4_map [ext4]\n");
	put("set_graph_function", "");
	put("set_graph_notrace", "");
	for (size_t i = 0; i < sizeof(not_taken) / sizeof(*not_taken); i++)
		test_not_taken(i);
}

static void test_set_event(void)
{
	char *note;

	put("set_event", "sched:sched_switch\nsched:sched_wakeup\nirq:irq_handler_entry\n*:*:mod:nfs\n");
	put("events/sched/sched_switch/enable", "0*\n");
	put("events/sched/sched_wakeup/enable", "1\n");
	put("events/irq/irq_handler_entry/enable", "1*\n");
	note = set_event_note(&tfs, "set_event", ":mod:nfs");
	if (!TAP_OK(!strcmp(note, ":mod:nfs\nsched:sched_wakeup\nirq:irq_handler_entry"),
		    "set_event: events that are on, not those that are ready for a trigger"))
		printf("# '%s'\n", note);
	free(note);
}

/* --- what a crash left */

/* A buffer that is off and has records of an earlier boot. */
static void write_kept(const char *instance)
{
	static const char *const files[][2] = {
		{ "trace", "" }, { "tracing_on", "0\n" }, { "per_cpu/cpu0/stats", "entries: 3\n" },
		{ "last_boot_info", "ffffffff81000000\t[kernel]\n" }, { "buffer_total_size_kb", "8\n" },
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		char *path = xasprintf("instances/%s/%s", instance, files[i][0]);

		put(path, files[i][1]);
		free(path);
	}
}

/* @instance is found with @cmdline; @original: what it is a copy of, NULL: of none. */
static void test_kept(const char *cmdline, const char *instance, const char *original)
{
	struct collect_plan plan = { .dir = root };
	struct found_trace f = {0};
	struct ftr_error err = {0};
	char *path = in_tree("cmdline"), *name;

	put("cmdline", cmdline);
	cmdline_path = path;
	name = xasprintf("kept: '%s' of '%.60s'", instance, cmdline);
	if (!TAP_OK(!found_trace_look(&f, &tfs, &plan, &err) && f.earlier && !strcmp(f.instance, instance) &&
		    (original ? f.original && !strcmp(f.original, original) : !f.original) && f.bytes == 8192, name))
		printf("# '%s', a copy of '%s'; %s\n", f.instance ? f.instance : "none",
		       f.original ? f.original : "none", err.msg);
	cmdline_path = NULL;
	found_trace_release(&f);
	free(name);
	free(path);
}

static void test_kept_buffers(void)
{
	write_kept("boot_map");
	test_kept("quiet trace_instance=boot_map@0x10000000:8M", "boot_map", NULL);
	write_kept("old");
	test_kept("trace_instance=boot_map@12M trace_instance=old=boot_map", "old", "boot_map");
	test_kept("trace_instance=old=boot_map,sched:sched_switch quiet", "old", "boot_map");
	test_kept("trace_instance=older=boot_map trace_instance=old=other^traceoff", "old", "other");
	test_kept("trace_instance=old=x@1 trace_instance=boot_map", "old", "x");
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
	put("current_tracer", "nop\n");
	put("per_cpu/cpu0/stats", "entries: 0\n");
	if (!TAP_OK(!tfs_open(&tfs, &err), "open"))
		return 1;
	test_latency();
	test_functions();
	test_words();
	test_set_event();
	test_busy("");
	test_busy("a");
	test_busy("b");
	test_kept_buffers();
	tfs_close(&tfs);
	command = xasprintf("rm -rf '%s'", root);
	if (system(command))
		return 1;
	free(command);
	free(run);
	free(tree);
	return tap_done();
}
