/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr hist: counts an event by keys in the kernel and draws the histogram. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/now.h"
#include "base/term.h"
#include "base/text.h"
#include "cmd/command_parts.h"
#include "cmd/frame/command.h"
#include "cmd/frame/trace_cmd.h"
#include "cmd/frame/tracefs_change.h"
#include "record/child_command.h"
#include "tracefs/hist/hist_live.h"

struct hist_run {
	const char *event;		/* operand, not resolved */
	struct hist_spec spec;
	uint64_t duration_ns, interval_ns;
	int64_t top;
	bool raw, json, only_command;
	char *const *argv;		/* command to run, or NULL */

	struct hist_live live;
	struct child_command child;
	struct buf text;		/* text of the last reading */
	uint64_t begin_ns;
	double seconds;			/* from ->begin_ns to the last reading */
	struct hist last;		/* -i: the histogram that was shown last */
	bool running;			/* the command was released and has not exited */
	int status, signo;
};

static int bad_option_arg(const struct opt *o, const char *arg, const char *what,
			  struct ftr_error *err)
{
	err_set(err, FTR_USAGE, "wrong argument '%s' of --%s", arg, o->name);
	return err_hint(err, "it takes %s", what);
}

static int set_hist_time(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	uint64_t *ns = (uint64_t *)((char *)ctx + o->off);

	if (!text_duration(arg, ns) && *ns)
		return 0;
	return bad_option_arg(o, arg, "a time: 10 (seconds), 500ms, 2m", err);
}

static int set_sort(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct hist_run *r = ctx;

	(void)o;
	return hist_spec_sort(&r->spec, arg, err);
}

static int set_hist_size(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct hist_run *r = ctx;
	int64_t n;

	if (text_number(arg, 1, HIST_SIZE_MAX, &n))
		return bad_option_arg(o, arg, "a number of entries, up to 131072", err);
	r->spec.size = n;
	return 0;
}

static int set_top(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct hist_run *r = ctx;

	return text_number(arg, 1, INT32_MAX, &r->top) ?
	       bad_option_arg(o, arg, "a number of rows", err) : 0;
}

#define AT(member) offsetof(struct hist_run, member)
static const struct opt options[] = {
	OPT_GROUP("What to count"),
	{ 'f', "filter", "FILTER", "count only events that match (repeatable)", opt_strv,
	  AT(spec.filters) },
	{ 'F', "only-command", NULL, "count only events of the command's own task", opt_flag,
	  AT(only_command) },
	{ 0, "size", "ENTRIES", "count up to ENTRIES different keys (2048)", set_hist_size, 0 },
	OPT_GROUP("How long"),
	{ 'd', "duration", "TIME", "count for TIME: 10 (s), 500ms, 2m; default: until Ctrl-C",
	  set_hist_time, AT(duration_ns) },
	{ 'i', "interval", "TIME", "print totals and what is new every TIME",
	  set_hist_time, AT(interval_ns) },
	OPT_GROUP("Output"),
	{ 0, "sort", "KEY[:desc]", "sort by one or two keys: KEY[:desc],KEY[:desc]",
	  set_sort, 0 },
	{ 0, "top", "N", "print only the first N rows or distributions", set_top, 0 },
	{ 0, "json", NULL, "print JSON; with -i one object per line", opt_flag, AT(json) },
	{ 0, "raw", NULL, "print the kernel's own text", opt_flag, AT(raw) },
	OPT_END
};

static const char *const examples[] = {
	"ftr hist sched_switch prev_comm -d 5          who leaves a CPU how often",
	"ftr hist syscalls:sys_enter_read count.log2 -- grep -r x /usr/include",
	"ftr hist kmem:kmalloc call_site.sym:bytes_alloc --sort bytes_alloc:desc -d 2",
	NULL
};

/* --- output */

struct hist_look hist_terminal(size_t top)
{
	const char *columns = getenv("COLUMNS");
	struct winsize ws;
	size_t width = 0;
	int64_t n;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) && ws.ws_col)
		width = ws.ws_col;
	else if (columns && !text_number(columns, 20, 10000, &n))
		width = n;
	return (struct hist_look){ .width = width, .utf8 = term_utf8(), .top = top };
}

int hist_warn(const struct hist *h, const char *hint)
{
	if (h->dropped)
		cmd_warn("%llu events were dropped: there was no room for their keys",
			 (unsigned long long)h->dropped);
	if (h->dropped && hint && !cmd_quiet)
		fprintf(stderr, "hint: %s\n", hint);
	if (!h->unread && h->whole)
		return FTR_OK;
	cmd_warn("%zu entries of the kernel's text could not be read%s", h->unread,
		 h->whole ? "" : ", and it has no totals");
	return FTR_DAMAGED;
}

/* Appends the histogram. Keys of --sort that are no columns are ignored. */
static void format_hist(struct hist_run *r, struct hist *h, struct buf *out)
{
	struct hist_look look = hist_terminal(r->top);
	struct hist_at at[HIST_SORTS_MAX];
	size_t i, n = 0;

	for (i = 0; i < r->spec.nr_sorts; i++) {
		if (!hist_find(h, r->spec.sorts[i].name, &at[n]))
			continue;
		at[n].descending = r->spec.sorts[i].descending;
		if (at[n].is_val && !look.main)
			look.main = r->spec.sorts[i].name;
		look.table |= at[n].is_val || at[n].index + 1 < h->nr_keys || at[n].descending;
		n++;
	}
	if (r->interval_ns && !r->json)
		hist_add_growth(h, &r->last, hist_main_value(h, look.main));
	hist_order(h, &look, at, n);
	if (r->json)
		hist_json(h, r->live.name, r->seconds, r->interval_ns, out);
	else
		hist_draw(h, &look, out);
}

/*
 * Returns a hint for dropped events, or NULL; the caller frees. A dropped event may have a new key,
 * but most have known ones.
 */
static char *size_hint(const struct hist *h)
{
	uint64_t want = h->entries + h->dropped, size = HIST_SIZE_MIN;

	if (want > 8 * h->entries)
		want = 8 * h->entries;
	while (size < want && size < HIST_SIZE_MAX)
		size *= 2;
	return size <= h->entries ? NULL :
	       xasprintf("--size %llu makes more, a filter or fewer keys need less",
			 (unsigned long long)size);
}

static int print_hist(struct hist_run *r, struct buf *out)
{
	struct ftr_error err = {0};
	struct hist h;
	char *hint;
	int status;

	if (hist_parse(&h, r->text.data, r->text.len, r->live.types.v, r->live.types.n, &err)) {
		hist_release(&h);
		return cmd_fail(&err);
	}
	format_hist(r, &h, out);
	hint = size_hint(&h);
	status = hist_warn(&h, hint);
	free(hint);
	hist_release(&r->last);
	r->last = h;
	return status;
}

/* Prints the last reading. Returns an exit status. */
static int print_last_read(struct hist_run *r)
{
	struct buf out = {0};
	int status = FTR_OK;

	if (r->interval_ns && !r->json)
		buf_printf(&out, "== %.1f s\n", r->seconds);
	if (r->raw)
		text_sanitise(&out, r->text.data, r->text.len, true);
	else
		status = print_hist(r, &out);
	fwrite(out.data ? out.data : "", 1, out.len, stdout);
	fflush(stdout);
	buf_release(&out);
	return status;
}

/* --- the run */

static int read_histogram(struct hist_run *r, struct ftr_error *err)
{
	r->seconds = (now_ns() - r->begin_ns) / 1e9;
	return hist_live_read(&r->live, &r->text, err);
}

/*
 * Prints until the command ends, a signal comes, the time is over, or standard output is closed.
 * Returns -1 with @err if reading fails.
 */
static int show_until_end(struct hist_run *r, struct ftr_error *err)
{
	uint64_t left = r->duration_ns, next = r->interval_ns, spent;
	enum child_event ev;

	for (;;) {
		spent = now_ns() - r->begin_ns;
		if (r->duration_ns)
			left = spent < r->duration_ns ? r->duration_ns - spent : 1;
		ev = child_wait(&r->child, left,
				!next ? 0 : next > spent ? next - spent : 1, &r->status,
				&r->signo);
		if (ev == CHILD_EXITED || ev == CHILD_STOP)
			r->running = false;
		if (ev == CHILD_STOP && r->argv)
			r->status = 128 + r->signo;
		if (ev != CHILD_TICK)
			return 0;
		if (read_histogram(r, err))
			return -1;
		print_last_read(r);
		if (ferror(stdout))
			return 0;
		next += r->interval_ns;
	}
}

/* Counts until the end and reads the histogram once more. Returns -1 with @err. */
static int hist_count_event(struct session *s, void *ctx, struct ftr_error *err)
{
	struct hist_run *r = ctx;
	char filter[40];

	if (hist_live_find(&r->live, session_tfs(s), r->event, err) || child_signals_init(err))
		return -1;
	if (r->argv && child_fork(&r->child, r->argv, NULL, err))
		return -1;
	snprintf(filter, sizeof(filter), "common_pid == %d", (int)r->child.pid);
	if (r->only_command)
		strv_add(&r->spec.filters, filter);
	if (hist_live_begin(&r->live, s, &r->spec, err))
		return -1;
	r->begin_ns = now_ns();
	if (r->argv && child_release(&r->child, err))
		return -1;
	r->running = r->argv;
	if (!r->argv && !r->duration_ns)
		cmd_notice("counting %s; Ctrl-C ends it", r->live.name);
	if (show_until_end(r, err))
		return -1;
	hist_live_pause(&r->live);
	return read_histogram(r, err);
}

/* Waits for the command after counting has ended, because ftr exits with its status. */
static void wait_for_child(struct hist_run *r)
{
	int signo = 0;

	if (r->running && child_wait(&r->child, 0, 0, &r->status, &signo) == CHILD_STOP)
		r->status = 128 + signo;
	r->running = false;
}

/* Counts, prints the last reading, and returns an exit status: the command's if there is one. */
static int run_counting(struct hist_run *r)
{
	int status = cmd_change(CHANGE_GOES, hist_count_event, r), shown;
	bool begun = r->begin_ns;

	if (status && !begun)
		child_cancel(&r->child);
	if (status) {
		wait_for_child(r);
		return status == FTR_FAILED && r->argv && !begun ? CHILD_FAILED : status;
	}
	shown = print_last_read(r);
	wait_for_child(r);
	/* Ctrl-C is the usual end of counting without a command; other signals are a failure. */
	if (r->argv)
		status = r->status;
	else if (r->signo && r->signo != SIGINT)
		status = 128 + r->signo;
	return status ? status : shown;
}

static int check_hist_words(struct hist_run *r, char **words, int n, struct ftr_error *err)
{
	if (n < 2) {
		err_set(err, FTR_USAGE, n ? "nothing to count '%s' by" : "no event to count",
			words[0]);
		/* The operand of trace-cmd's hist is a file. */
		if (n && !access(words[0], F_OK) && trace_cmd_hint("hist", "", err))
			return -1;
		return err_hint(err, "ftr hist EVENT KEY,KEY: ftr hist sched_switch prev_comm");
	}
	if (n > 2) {
		err_set(err, FTR_USAGE, "one word too many: '%s'", words[2]);
		return err_hint(err, "keys are joined by commas; a command comes after --");
	}
	if (r->raw && r->json)
		return err_set(err, FTR_USAGE, "--raw and --json exclude each other");
	if (r->only_command && !r->argv)
		return err_set(err, FTR_USAGE, "-F counts the command only, but none was given");
	r->event = words[0];
	return hist_spec_parse(&r->spec, words[1], err);
}

static int run_hist(const struct cmd *self, int argc, char **argv)
{
	struct hist_run r = { .child = { .go_fd = -1, .exec_fd = -1 } };
	struct ftr_error err = {0};
	int status, first, n;

	/* Options of ftr may follow operands; the words after "--" are the command's. */
	for (n = 1; n < argc && strcmp(argv[n], "--"); n++)
		;
	if (n + 1 < argc)
		r.argv = argv + n + 1;
	first = cmd_parse(self, n, argv, &r, &status);
	if (first < 0)
		goto out;
	status = check_hist_words(&r, argv + first, n - first, &err) ? cmd_fail(&err)
		 : run_counting(&r);
out:
	hist_live_release(&r.live);
	hist_release(&r.last);
	hist_spec_release(&r.spec);
	buf_release(&r.text);
	return status;
}

const struct cmd cmd_hist = {
	.name = "hist",
	.usage = "[OPTIONS] EVENT KEY[,KEY...][:VALUE,...] [-- COMMAND [ARGS...]]",
	.summary = "count events in the kernel by the values of their fields",
	.examples = examples,
	.options = options,
	.run = run_hist,
};
