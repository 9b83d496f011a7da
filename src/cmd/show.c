/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr show: prints the kernel's text of a trace, and any control file. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/sig.h"
#include "base/term.h"
#include "base/text.h"
#include "cmd/frame/command.h"
#include "tracefs/files/control.h"
#include "tracefs/files/tfs.h"

#define LOOK_NS 100000000ull	/* time between reads of an empty trace_pipe */

struct show_opts {
	const char *instance;
	int cpu;			/* -1: all */
	bool pipe, snapshot, consume, path;
	struct strv files;
	struct strv event_files;	/* "hist EVENT", "trigger EVENT" */
};

#define IN(field) .off = offsetof(struct show_opts, field)

static int set_show_cpu(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct show_opts *s = ctx;
	int64_t cpu;

	(void)o;
	if (text_number(arg, 0, 1 << 20, &cpu)) {
		err_set(err, FTR_USAGE, "-c takes the number of a CPU, not '%s'", arg);
		return -1;
	}
	s->cpu = cpu;
	return 0;
}

/* Adds a control file by trace-cmd's name for it. */
static int set_file(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	static const char *const files[][2] = {
		{ "buffer_size", "buffer_size_kb" },
		{ "buffer_total_size", "buffer_total_size_kb" },
		{ "buffer_subbuf_size", "buffer_subbuf_size_kb" },
		{ "ftrace_filter", "set_ftrace_filter" },
		{ "ftrace_notrace", "set_ftrace_notrace" },
		{ "ftrace_pid", "set_ftrace_pid" },
		{ "graph_function", "set_graph_function" },
		{ "graph_notrace", "set_graph_notrace" },
		{ "cpumask", "tracing_cpumask" },
		{ "max_latency", "tracing_max_latency" },
	};
	struct show_opts *s = ctx;
	const char *file = o->name;
	size_t i;

	(void)arg;
	(void)err;
	for (i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (!strcmp(files[i][0], o->name))
			file = files[i][1];
	strv_add(&s->files, file);
	return 0;
}

static int set_show_event(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct show_opts *s = ctx;

	(void)err;
	strv_take(&s->event_files, xasprintf("%s %s", o->name, arg));
	return 0;
}

#define FILE_ROW(name_, file) { 0, name_, NULL, "print " file, set_file, 0 }

static const struct opt options[] = {
	OPT_GROUP("What"),
	{ 'p', "pipe", NULL, "print trace_pipe until Ctrl-C; what is read is gone",
	  opt_flag, IN(pipe) },
	{ 's', "snapshot", NULL, "print the snapshot", opt_flag, IN(snapshot) },
	{ 'c', "cpu", "CPU", "print this CPU only", set_show_cpu, 0 },
	{ 'B', "buffer", "INSTANCE", "read INSTANCE instead of the top level", opt_str,
	  IN(instance) },
	{ 0, "consume", NULL, "also print files that lose data when they are read",
	  opt_flag, IN(consume) },
	{ 0, "path", NULL, "print the file's path instead of its text", opt_flag, IN(path) },
	OPT_GROUP("Control files by trace-cmd's names"),
	{ 0, "hist", "EVENT", "print the histograms of EVENT", set_show_event, 0 },
	{ 0, "trigger", "EVENT", "print the triggers of EVENT", set_show_event, 0 },
	FILE_ROW("tracing_on", "tracing_on"),
	FILE_ROW("current_tracer", "current_tracer"),
	FILE_ROW("buffer_size", "buffer_size_kb"),
	FILE_ROW("buffer_total_size", "buffer_total_size_kb"),
	FILE_ROW("buffer_subbuf_size", "buffer_subbuf_size_kb"),
	FILE_ROW("buffer_percent", "buffer_percent"),
	FILE_ROW("ftrace_filter", "set_ftrace_filter"),
	FILE_ROW("ftrace_notrace", "set_ftrace_notrace"),
	FILE_ROW("ftrace_pid", "set_ftrace_pid"),
	FILE_ROW("graph_function", "set_graph_function"),
	FILE_ROW("graph_notrace", "set_graph_notrace"),
	FILE_ROW("cpumask", "tracing_cpumask"),
	FILE_ROW("max_latency", "tracing_max_latency"),
	OPT_END
};

static const char *const examples[] = {
	"ftr show -c 1",
	"ftr show -p -B net | grep tcp",
	"ftr show current_tracer events/sched/sched_switch/format",
	NULL
};

/* --- the end of a trace file that grows while it is read */

/*
 * The kernel goes on to records that came while the file was read. If reading itself is traced,
 * that never ends. So the output stops after as many records as the buffer had at the start, if
 * records were added since.
 */
struct show_end {
	const struct tfs *t;
	char    *instance;	/* NULL: the top level */
	int      cpu;		/* -1: all */
	uint64_t held, shown;	/* records: in the buffer at the start, and printed */
	uint64_t written;	/* records written since the last reset, at the start */
	struct buf rest;	/* an incomplete line */
};

/* Counts the records in the buffer, and those written since its last reset; 0 if unknown. */
static void count_records(const struct show_end *e, uint64_t *held, uint64_t *written)
{
	struct tfs_stats st;
	int *cpus = NULL;
	size_t n = 0, i;

	*held = *written = 0;
	if (tfs_cpus(e->t, e->instance, &cpus, &n, NULL))
		return;
	for (i = 0; i < n; i++) {
		if ((e->cpu >= 0 && cpus[i] != e->cpu) ||
		    tfs_stats(e->t, e->instance, cpus[i], &st))
			continue;
		*held += st.entries;
		*written += st.entries + st.overrun + st.read_events;
	}
	free(cpus);
}

/* Returns false, with nothing to release, if @path is not a trace file. */
static bool show_end_init(struct show_end *e, const struct tfs *t, const char *path)
{
	char *instance, leaf[8];
	const char *file = control_split(path, &instance);
	int cpu = -1;

	if (strcmp(file, "trace") &&
	    (sscanf(file, "per_cpu/cpu%d/%7s", &cpu, leaf) != 2 || strcmp(leaf, "trace"))) {
		free(instance);
		return false;
	}
	*e = (struct show_end){ .t = t, .instance = instance, .cpu = cpu };
	count_records(e, &e->held, &e->written);
	return true;
}

/* Returns true for "  cat-12  [001] d..1.  34.567890: "; @p may be anywhere before the bracket. */
static bool is_event_line(const char *p, const char *end)
{
	const char *open;

	for (; (open = memchr(p, '[', end - p)); p = open + 1) {
		for (p = open + 1; p < end && isdigit((unsigned char)*p); p++)
			;
		if (p > open + 1 && p + 1 < end && p[0] == ']' && p[1] == ' ')
			return memmem(p, end - p, ": ", 2);
	}
	return false;
}

/*
 * Returns true for " 0)   1.234 us    |  f();", also after a time; false for "0)  cat-12  =>
 * sh-7".
 */
static bool is_graph_line(const char *p, const char *end)
{
	const char *at = p;

	while (at < end && (isdigit((unsigned char)*at) || strchr(" .|", *at)))
		at++;
	return at > p && at < end && *at == ')' && isdigit((unsigned char)at[-1]) &&
	       !memmem(at, end - at, " => ", 4);
}

/* Returns true for "cat-12  1d..1   15us+: ". */
static bool is_latency_line(const char *p, const char *end)
{
	const char *at = memmem(p, end - p, "us", 2);

	return at && at + 4 < end && at > p && isdigit((unsigned char)at[-1]) &&
	       !memcmp(at + 3, ": ", 2);
}

/*
 * Returns true if a line is the first of a record. Lines of stacks and other forms of text must not
 * be counted, so it returns false if in doubt.
 */
static bool is_record(const char *p, const char *end)
{
	return p < end && *p != '#' && *p != '=' &&
	       (is_event_line(p, end) || is_graph_line(p, end) || is_latency_line(p, end));
}

/*
 * Adds the kernel's next @n bytes. Returns the number of bytes of ->rest that may be printed, which
 * the caller removes. Sets *over if no later record may be printed.
 */
static size_t show_end_add(struct show_end *e, const char *p, size_t n, bool *over)
{
	const char *line, *nl, *end;
	uint64_t held, written;
	bool asked = false;

	buf_add(&e->rest, p, n);
	*over = false;
	line = e->rest.data;
	end = line + e->rest.len;
	for (; line < end && (nl = memchr(line, '\n', end - line)); line = nl + 1) {
		if (!is_record(line, nl) || ++e->shown <= e->held)
			continue;
		/* Count once: all bytes of @p had been read before. */
		if (!asked)
			count_records(e, &held, &written);
		asked = true;
		*over = written != e->written;
		if (*over)
			break;
		/* Several lines of one record look like records. */
		e->held = e->shown;
	}
	return line - e->rest.data;
}

static void show_end_release(struct show_end *e)
{
	free(e->instance);
	buf_release(&e->rest);
	*e = (struct show_end){0};
}

/* --- copying */

/* Writes to standard output. Returns false if its reader is gone or it cannot be written. */
static bool write_stdout(const char *p, size_t n)
{
	struct buf clean = {0};
	size_t done;

	if (term_reached(STDOUT_FILENO)) {
		text_sanitise(&clean, p, n, true);
		p = clean.data;
		n = clean.len;
	}
	done = fwrite(p, 1, n, stdout);
	buf_release(&clean);
	return done == n && !ferror(stdout);
}

/* Copies the bytes that can be read now. Returns 0 at the end, 1 if more may come, -1 with @err. */
static int copy_available(int fd, const char *path, struct ftr_error *err)
{
	static char chunk[1 << 16];
	ssize_t n;

	while ((n = read(fd, chunk, sizeof(chunk))) > 0 || (n < 0 && errno == EINTR))
		if (n > 0 && !write_stdout(chunk, n))
			return 0;
	if (n < 0 && errno == EAGAIN)
		return 1;
	return n < 0 ? err_sys(err, "cannot read '%s'", path) : 0;
}

/* Copies a trace file up to the records that it had at the start. Returns -1 with @err. */
static int copy_trace(int fd, const char *path, struct show_end *end, struct ftr_error *err)
{
	static char chunk[1 << 16];
	bool over = false, written = true;
	ssize_t n = 0;
	size_t whole;

	while (!over && written && ((n = read(fd, chunk, sizeof(chunk))) > 0 ||
				    (n < 0 && errno == EINTR))) {
		if (n < 0)
			continue;
		whole = show_end_add(end, chunk, n, &over);
		written = write_stdout(end->rest.data, whole);
		memmove(end->rest.data, end->rest.data + whole, end->rest.len - whole);
		end->rest.len -= whole;
	}
	if (n < 0)
		return err_sys(err, "cannot read '%s'", path);
	if (!over && written && end->rest.len)
		write_stdout(end->rest.data, end->rest.len);
	if (over)
		cmd_notice("'%s' grows while it is read: only the records that it had at first are "
			   "shown, %llu", path, (unsigned long long)end->held);
	return 0;
}

/* Copies until a signal comes or the reader of standard output is gone. Returns -1 with @err. */
static int follow_pipe(int fd, const char *path, struct ftr_error *err)
{
	struct pollfd p = { .fd = STDOUT_FILENO };
	int more;

	do {
		more = copy_available(fd, path, err);
		if (fflush(stdout))
			break;
		if (poll(&p, 1, 0) > 0 && p.revents & (POLLERR | POLLNVAL))
			break;
	} while (more >= 0 && !ferror(stdout) && !sig_wait(LOOK_NS));
	return more < 0 ? -1 : 0;
}

static int copy_control_file(const struct tfs *t, const char *path, bool endless,
			     struct ftr_error *err)
{
	int fd = openat(t->dirfd, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), ret;
	struct show_end end;

	if (fd < 0) {
		err_sys(err, "cannot open '%s/%s'", t->path, path);
		if (errno == EBUSY)
			err_hint(err, "another reader, or the tracer, holds it; see 'ftr stat'");
		return -1;
	}
	if (show_end_init(&end, t, path)) {
		ret = copy_trace(fd, path, &end, err);
		show_end_release(&end);
	} else {
		ret = endless ? follow_pipe(fd, path, err) : copy_available(fd, path, err);
	}
	close(fd);
	return ret < 0 ? -1 : 0;
}

/* --- choosing */

static int refuse_content(const char *path, enum content_kind kind, struct ftr_error *err)
{
	if (kind == CONTENT_NEVER) {
		err_set(err, FTR_FAILED, "'%s' is not read: opening it has side effects", path);
		return err_hint(err, "closing free_buffer shrinks the buffer to nothing");
	}
	err_set(err, FTR_FAILED, "'%s' is not read: reading it removes the data", path);
	if (kind == CONTENT_TEXT_PIPE)
		return err_hint(err, "-p follows it until Ctrl-C, --consume takes the data");
	return err_hint(err, "'ftr extract' makes a trace file of it; --consume takes the bytes");
}

static int show_path(const struct show_opts *o, const struct tfs *t, const char *path,
		     enum content_kind kind, struct ftr_error *err)
{
	bool endless = kind == CONTENT_TEXT_PIPE && o->pipe;
	struct strv names = {0};
	int ret;

	if (o->path) {
		cmd_print("%s/%s\n", t->path, path);
		return 0;
	}
	if (kind == CONTENT_DIR) {
		ret = content_list(t, path, &names, err);
		for (size_t i = 0; i < names.n; i++)
			cmd_print("%s\n", names.v[i]);
		strv_release(&names);
		return ret;
	}
	if (kind == CONTENT_NEVER || (kind != CONTENT_PLAIN && !endless && !o->consume))
		return refuse_content(path, kind, err);
	if (kind == CONTENT_RAW && isatty(STDOUT_FILENO)) {
		err_set(err, FTR_USAGE, "raw sub-buffers are not written to a terminal");
		return err_hint(err, "send them to a file");
	}
	return copy_control_file(t, path, endless, err);
}

/*
 * Adds events/sched/sched_switch/hist for "hist sched:sched_switch", for each event that matches.
 * Returns -1 with @err if none does.
 */
static int add_event_files(struct show_opts *o, const struct tfs *t, struct ftr_error *err)
{
	struct strv found = {0};
	size_t i, k;
	char *blank;

	for (i = 0; i < o->event_files.n; i++) {
		blank = strchr(o->event_files.v[i], ' ');
		if (tfs_match_trigger_events(t, blank + 1, &found, err) <= 0)
			return -1;
		for (k = 0; k < found.n; k++)
			strv_take(&o->files, xasprintf("events/%s/%.*s", found.v[k],
						       (int)(blank - o->event_files.v[i]),
						       o->event_files.v[i]));
		strv_release(&found);
	}
	return 0;
}

static int show_files(struct show_opts *o, const struct tfs *t, struct ftr_error *err)
{
	enum content_kind kind;
	char *path;
	size_t i;
	int ret = 0;

	if (add_event_files(o, t, err))
		return -1;
	if (o->snapshot)
		strv_add(&o->files, "snapshot");
	if (!o->files.n)
		strv_add(&o->files, o->pipe ? "trace_pipe" : "trace");
	for (i = 0; i < o->files.n && !ret; i++) {
		if (o->files.n > 1 && !o->path)
			cmd_print("%s==> %s <==\n", i ? "\n" : "", o->files.v[i]);
		if (content_find(t, o->instance, o->cpu, o->files.v[i], &path, &kind, err))
			return -1;
		ret = show_path(o, t, path, kind, err);
		free(path);
	}
	return ret;
}

static int run_show(const struct cmd *self, int argc, char **argv)
{
	struct show_opts o = { .cpu = -1 };
	struct ftr_error err = {0};
	struct tfs tfs = { .dirfd = -1 };
	int status, first = cmd_parse(self, argc, argv, &o, &status);

	if (first < 0)
		goto out;
	for (; first < argc; first++)
		strv_add(&o.files, argv[first]);
	if (o.pipe)
		sig_hold();
	else
		term_pager_start();
	if (o.pipe + o.snapshot + (o.files.n || o.event_files.n) > 1) {
		err_set(&err, FTR_USAGE, "only one of -p, -s and control files at a time");
		err_hint(&err, "without any of them 'trace' is shown");
	}
	if (err.code || tfs_open(&tfs, &err) || show_files(&o, &tfs, &err))
		status = cmd_fail(&err);
	tfs_close(&tfs);
out:
	strv_release(&o.files);
	strv_release(&o.event_files);
	return status;
}

const struct cmd cmd_show = {
	.name = "show",
	.usage = "[OPTIONS] [CONTROL-FILE...]",
	.summary = "print the kernel's text of the trace, or control files",
	.examples = examples,
	.options = options,
	.run = run_show,
};
