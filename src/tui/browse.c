/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace in a terminal: what is on the screen, and the two ways to get keys. */
#include "tui/browse.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/now.h"
#include "base/sig.h"
#include "base/text.h"
#include "out/columns.h"
#include "tui/cell/key.h"
#include "tui/priv.h"

#define WIDTH_MIN	40
#define HEIGHT_MIN	8
#define QUICK_MS	100	/* what is done within it is as if it had been done at once */
#define TICK_MS		200	/* how often a percentage is drawn anew */

static const char *const view_names[] = {
	"events", "details", "info", "log", "help", "shown", NULL
};
#define NR_NUMBERED VIEW_SHOWN	/* views with a number as key */

/* --- state */

struct pane *browse_pane(struct browse *b)
{
	return &b->panes[b->active];
}

void browse_say(struct browse *b, enum grid_attr attr, const char *fmt, ...)
{
	va_list ap;

	buf_reset(&b->message);
	va_start(ap, fmt);
	buf_vprintf(&b->message, fmt, ap);
	va_end(ap);
	b->message_attr = attr;
}

void browse_add_time(const struct browse *b, struct buf *out, uint64_t ts)
{
	trace_add_time(out, b->o->traces[0], ts, b->out.nanoseconds);
}

uint64_t browse_time(const struct browse *b)
{
	uint64_t ts = pane_time(&b->panes[b->active]);

	if (ts == NO_TIME && b->nr_panes > 1)
		ts = pane_time(&b->panes[!b->active]);
	return ts == NO_TIME ? b->left_ts : ts;
}

void browse_follow(struct browse *b)
{
	uint64_t ts = pane_time(browse_pane(b));
	int i;

	for (i = 0; i < b->nr_panes; i++) {
		if (i == b->active || ts == NO_TIME)
			continue;
		if (b->kinds[i] == b->kinds[b->active])
			pane_go_to_place(&b->panes[i], &browse_pane(b)->cursor);
		else if (pane_time(&b->panes[i]) != NO_TIME)
			pane_go(&b->panes[i], ts);
	}
}

void browse_jumps(struct browse *b)
{
	uint64_t was = browse_time(b);

	b->forward.n = 0;
	if (was == NO_TIME)
		return;
	b->back.v = xgrow(b->back.v, &b->back.cap, b->back.n + 1, sizeof(*b->back.v));
	b->back.v[b->back.n++] = was;
}

/* The pane that goes: the one with the keys if it has times, else the other, else events come. */
static struct pane *pane_with_times(struct browse *b)
{
	if (b->kinds[b->active] == VIEW_EVENTS)
		return browse_pane(b);
	if (b->nr_panes > 1 && b->kinds[!b->active] == VIEW_EVENTS)
		return &b->panes[!b->active];
	browse_show(b, VIEW_EVENTS);
	return browse_pane(b);
}

void browse_go(struct browse *b, uint64_t ts, bool jump)
{
	struct pane *p = pane_with_times(b);

	if (jump)
		browse_jumps(b);
	pane_go(p, ts);
	browse_follow(b);
}

void browse_go_to_place(struct browse *b, const struct place *at)
{
	struct pane *p = pane_with_times(b);

	browse_jumps(b);
	pane_go_to_place(p, at);
	browse_follow(b);
}

void browse_show(struct browse *b, enum view_kind kind)
{
	uint64_t ts = browse_time(b);
	int i = b->active;

	if (b->kinds[i] == kind)
		return;
	b->before[i] = kind == VIEW_EVENTS ? VIEW_EVENTS : b->kinds[i];
	if (b->kinds[i] == VIEW_EVENTS && b->panes[i].any) {
		b->left = b->panes[i].cursor;
		b->left_ts = b->left.ts;
	}
	b->kinds[i] = kind;
	pane_set(&b->panes[i], b->views[kind], ts);
	if (kind == VIEW_EVENTS)
		pane_go_to_place(&b->panes[i], &b->left);
}

struct rows *browse_new_rows(struct browse *b)
{
	struct rows_opts o = {
		.opts = b->out, .ops = b->ops, .range = b->o->range, .which = &b->which,
	};

	return rows_new(b->o->traces, b->o->nr_traces, &o);
}

bool browse_renew_rows(struct browse *b)
{
	struct rows *rows = browse_new_rows(b);

	if (!rows) {
		browse_say(b, GRID_ERROR, "cannot open the files once more");
		return false;
	}
	rows_set_deadline(rows, b->deadline);
	events_view_set(b->views[VIEW_EVENTS], rows);
	for (int i = 0; i < b->nr_panes; i++)
		if (b->kinds[i] == VIEW_EVENTS)
			pane_refresh(&b->panes[i]);
	return true;
}

struct rows *browse_all_rows(struct browse *b)
{
	struct rows_opts o = { .ops = &out_text, .range = b->o->range, .which = b->o->which };

	return rows_new(b->o->traces, b->o->nr_traces, &o);
}

/* --- drawing */

static char letter_at(void *ctx, uint64_t ts)
{
	const struct browse *b = ctx;

	for (int i = NR_MARKS; i-- > 0;)
		if (b->marks[i] == ts)
			return i < 26 ? 'a' + i : 'A' + i - 26;
	return ' ';
}

static void add_files(const struct browse *b, struct buf *out)
{
	for (size_t i = 0; i < b->o->nr_traces; i++)
		buf_printf(out, "%s%s", i ? " " : "", b->o->traces[i]->dat->path);
}

static void draw_title(struct browse *b)
{
	struct buf line = {0}, right = {0};
	int width;

	add_files(b, &line);
	for (size_t i = 0; i < NR_NUMBERED; i++)
		buf_printf(&right, " %zu %s", i + 1, view_names[i]);
	width = grid_text_width(right.data, right.len, b->grid.ascii);
	grid_fill(&b->grid, 0, 0, b->grid.w, GRID_STATUS);
	grid_put(&b->grid, 0, b->grid.w - width - 1, b->grid.w, right.data, right.len, GRID_STATUS);
	grid_put(&b->grid, 0, 0, b->grid.w - width - 2, line.data, line.len, GRID_STATUS);
	buf_release(&line);
	buf_release(&right);
}

/* The distance of the two markers. */
static void add_distance(const struct browse *b, struct buf *out)
{
	uint64_t from = b->marks[MARK_A], to = b->marks[MARK_B];
	bool back = from > to;

	if (from == NO_TIME || to == NO_TIME)
		return;
	buf_printf(out, "  A to B: %s", back ? "-" : "");
	browse_add_time(b, out, back ? from - to : to - from);
	buf_addstr(out, b->o->traces[0]->clock_is_ns ? " s" : "");
	if (!b->between_counted)
		return;
	buf_addstr(out, ", ");
	text_grouped(out, b->between_records);
	buf_addstr(out, " records");
}

static bool has_filter(const struct browse *b)
{
	return b->filter && (*b->filter->text || hidden_any(&b->filter->hidden));
}

static bool browse_is_late(const struct browse *b)
{
	return view_is_late(b->views[VIEW_EVENTS]);
}

static void add_status(struct browse *b, struct buf *out)
{
	uint64_t ts = browse_time(b);
	struct buf work = {0};

	if (ts != NO_TIME)
		browse_add_time(b, out, ts);
	else
		buf_addstr(out, "no records");
	browse_add_work(b, &work);
	if (browse_is_late(b))
		buf_printf(&work, "%slooking for rows", work.len ? ", " : "");
	if (work.len) {
		buf_printf(out, "  %s", work.data);
	} else if (b->counted) {
		buf_addstr(out, "  ");
		text_grouped(out, b->records);
		buf_printf(out, " records%s", has_filter(b) ? " left" : "");
	}
	if (b->filter && hidden_any(&b->filter->hidden))
		buf_addstr(out, "  some hidden (V)");
	if (b->filter && *b->filter->text)
		buf_printf(out, "  filter: %s", b->filter->text);
	add_distance(b, out);
	buf_release(&work);
}

static void draw_status(struct browse *b, int y)
{
	struct buf line = {0};

	add_status(b, &line);
	buf_addstr(&line, "");
	grid_fill(&b->grid, y, 0, b->grid.w, GRID_STATUS);
	grid_put(&b->grid, y, 0, b->grid.w, line.data, line.len, GRID_STATUS);
	buf_release(&line);
}

/* The lines that a message takes: that of a filter has its text and a caret below. */
static int message_lines(const struct browse *b)
{
	int n = 1;

	for (size_t i = 0; i < b->message.len; i++)
		n += b->message.data[i] == '\n';
	return n;
}

static void draw_message(struct browse *b, int y)
{
	const char *p = b->message.data, *end = p + b->message.len, *nl;

	for (; p < end; p = nl + 1, y++) {
		nl = memchr(p, '\n', end - p);
		nl = nl ? nl : end;
		grid_fill(&b->grid, y, 0, b->grid.w, GRID_PLAIN);
		grid_put(&b->grid, y, 0, b->grid.w, p, nl - p, b->message_attr);
	}
}

static void draw_small(struct browse *b)
{
	static const char text[] = "the terminal is too small";

	grid_put(&b->grid, 0, 0, b->grid.w, text, sizeof(text) - 1, GRID_ERROR);
}

static void draw_panes(struct browse *b, int y, int end)
{
	struct pane_marks marks = { .found = b->search, .exact = b->search_exact,
				    .letter = letter_at, .ctx = b };
	int i, height = (end - y) / b->nr_panes;

	for (i = 0; i < b->nr_panes; i++) {
		pane_draw(&b->panes[i], &b->grid, y, i + 1 < b->nr_panes ? y + height : end,
			  i == b->active, &marks);
		y += height;
	}
}

/* Keys are heard at least so often, however far away the rows are. */
static void begin_rows(struct browse *b)
{
	b->deadline = now_ns() + QUICK_MS * 1000000ull;
	rows_set_deadline(events_view_rows(b->views[VIEW_EVENTS]), b->deadline);
}

/* A pane whose row was not found in time goes on with looking for it. */
static void go_on_looking(struct browse *b)
{
	if (!browse_is_late(b))
		return;
	begin_rows(b);
	for (int i = 0; i < b->nr_panes; i++)
		if (!b->panes[i].any)
			pane_refresh(&b->panes[i]);
}

static void draw(struct browse *b)
{
	int h = b->grid.h;

	grid_clear(&b->grid);
	if (b->grid.w < WIDTH_MIN || h < HEIGHT_MIN) {
		draw_small(b);
		return;
	}
	draw_title(b);
	draw_panes(b, 1, h - 1);
	draw_status(b, h - 1);
	if (b->asking && b->asking != ASK_MARK && b->asking != ASK_GO_MARK)
		prompt_draw(&b->prompt, &b->grid, h - 1);
	else if (b->message.len)
		draw_message(b, h - message_lines(b));
}

/* --- without a terminal */

static double ms_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static int dump_screen(struct browse *b, const char *name, struct ftr_error *err)
{
	char *path = xasprintf("%s/%s.txt", b->o->script.dump_dir, name);
	struct buf text = {0};
	FILE *f;
	int ret = 0;

	draw(b);
	grid_dump(&b->grid, &text);
	f = fopen(path, "w");
	if (!f || fwrite(text.data, 1, text.len, f) != text.len)
		ret = err_sys(err, "cannot write '%s'", path);
	if (f && fclose(f) && !ret)
		ret = err_sys(err, "cannot write '%s'", path);
	buf_release(&text);
	free(path);
	return ret;
}

static void run_key(struct browse *b, int key)
{
	begin_rows(b);
	browse_key(b, key);
	browse_take_results(b, b->find_job.run ? QUICK_MS : 0);
	draw(b);
}

static void wait_for_all(struct browse *b)
{
	while (browse_is_busy(b) || browse_is_late(b)) {
		browse_take_results(b, browse_is_late(b) ? 0 : TICK_MS);
		go_on_looking(b);
		draw(b);
	}
}

static int run_step(struct browse *b, const struct key_step *step, struct ftr_error *err)
{
	switch (step->kind) {
	case KEY_STEP_KEY:
		run_key(b, step->key);
		return 0;
	case KEY_STEP_WAIT:
		wait_for_all(b);
		return 0;
	case KEY_STEP_SIZE:
		grid_resize(&b->grid, step->w, step->h);
		return 0;
	default:
		return b->o->script.dump_dir ? dump_screen(b, step->name, err) : 0;
	}
}

/* A line for a key, or for what was waited for: milliseconds of the CPU, and of the clock. */
static int time_step(struct browse *b, const struct key_step *step, FILE *timing,
		     struct ftr_error *err)
{
	double cpu = ms_of(CLOCK_PROCESS_CPUTIME_ID), wall = ms_of(CLOCK_MONOTONIC);
	struct buf name = {0};
	int ret = run_step(b, step, err);

	if (step->kind == KEY_STEP_KEY)
		key_add_name(step->key, &name);
	else if (step->kind == KEY_STEP_WAIT)
		buf_addstr(&name, "<wait>");
	if (name.len)
		fprintf(timing, "%s %.3f %.3f\n", name.data,
			ms_of(CLOCK_PROCESS_CPUTIME_ID) - cpu, ms_of(CLOCK_MONOTONIC) - wall);
	buf_release(&name);
	return ret;
}

static int run_script(struct browse *b, struct ftr_error *err)
{
	const struct browse_script *script = &b->o->script;
	FILE *timing = NULL;
	const char *p = script->keys;
	struct key_step step;
	int ret = 1;

	if (script->timing && !(timing = fopen(script->timing, "w")))
		return err_sys(err, "cannot write '%s'", script->timing);
	grid_resize(&b->grid, script->w, script->h);
	draw(b);
	while (!b->ended && (ret = key_script_next(&p, &step, err)) > 0)
		if ((ret = timing ? time_step(b, &step, timing, err) : run_step(b, &step, err)))
			break;
	if (timing && fclose(timing) && ret >= 0)
		ret = err_sys(err, "cannot write '%s'", script->timing);
	return ret < 0 ? -1 : 0;
}

/* --- in a terminal */

static volatile sig_atomic_t caught;	/* the first that ends us */
static volatile sig_atomic_t stop_asked;

static void note_signal(int sig)
{
	if (sig == SIGTSTP)
		stop_asked = 1;
	else if (!caught)
		caught = sig;
	screen_wake();
}

/* A defect of ours: the shell gets its terminal back all the same. */
static void die(int sig)
{
	screen_restore_now();
	raise(sig);
}

static const struct { int sig; void (*handler)(int sig); int flags; } signals[] = {
	{ SIGINT, note_signal, 0 },	{ SIGTERM, note_signal, 0 },
	{ SIGHUP, note_signal, 0 },	{ SIGQUIT, note_signal, 0 },
	{ SIGTSTP, note_signal, 0 },	{ SIGSEGV, die, SA_RESETHAND },
	{ SIGABRT, die, SA_RESETHAND }, { SIGFPE, die, SA_RESETHAND },
};
#define NR_SIGNALS (sizeof(signals) / sizeof(*signals))

/* What is ignored stays so; a sanitizer has handlers of its own. */
static void catch_signals(struct sigaction *before)
{
	struct sigaction sa = {0};

	caught = stop_asked = 0;
	for (size_t i = 0; i < NR_SIGNALS; i++) {
		sa.sa_handler = signals[i].handler;
		sa.sa_flags = signals[i].flags;
		sigaction(signals[i].sig, NULL, &before[i]);
		if (before[i].sa_handler == SIG_DFL)
			sigaction(signals[i].sig, &sa, NULL);
	}
	sig_on_read_error(screen_restore_now);
}

static void restore_signals(const struct sigaction *before)
{
	for (size_t i = 0; i < NR_SIGNALS; i++)
		sigaction(signals[i].sig, &before[i], NULL);
	sig_on_read_error(NULL);
}

/*
 * Stops as any program does at Ctrl-Z, by SIGTSTP itself: where nobody could have us go on, as in a
 * terminal that has no shell, the kernel does not stop us. Afterwards the size may be another.
 */
static void stop_for_a_while(struct browse *b)
{
	struct sigaction stop = { .sa_handler = SIG_DFL }, note;
	int w, h;

	screen_suspend();
	sigaction(SIGTSTP, &stop, &note);
	raise(SIGTSTP);
	sigaction(SIGTSTP, &note, NULL);
	screen_resume();
	screen_size(&w, &h);
	grid_resize(&b->grid, w, h);
}

static void take_key(struct browse *b, int key)
{
	int w, h;

	if (key == TUI_RESIZE) {
		screen_size(&w, &h);
		grid_resize(&b->grid, w, h);
	} else if (key == TUI_GONE) {
		b->ended = true;
	} else if (key == TUI_SUSPEND) {
		stop_for_a_while(b);
	} else if (key >= 0) {
		begin_rows(b);
		browse_key(b, key);
		browse_take_results(b, b->find_job.run ? QUICK_MS : 0);
	}
}

static void run_keys(struct browse *b)
{
	while (!b->ended) {
		draw(b);
		screen_show(&b->grid);
		take_key(b, screen_key(browse_is_late(b) ? 0 : browse_is_busy(b) ? TICK_MS : -1));
		browse_take_results(b, 0);
		go_on_looking(b);
		if (stop_asked) {
			stop_asked = 0;
			stop_for_a_while(b);
		}
		b->ended |= caught != 0;
	}
}

static int run_terminal(struct browse *b, struct ftr_error *err)
{
	struct sigaction before[NR_SIGNALS];
	int w, h, ret;

	catch_signals(before);
	ret = screen_open(b->o->theme, err);
	if (!ret) {
		screen_size(&w, &h);
		grid_resize(&b->grid, w, h);
		run_keys(b);
		screen_close();
	}
	restore_signals(before);
	/* Ctrl-C is q, as in other programs that have the whole screen */
	if (caught && caught != SIGINT)
		raise(caught);
	return ret;
}

/* --- from the begin to the end */

static const struct out_ops *ops_of(const struct browse_opts *o)
{
	return o->out.columns ? columns_ops(o->out.columns, &o->out) : &out_text;
}

static int begin_views(struct browse *b, struct ftr_error *err)
{
	struct buf text = {0};
	struct rows *rows = browse_new_rows(b);
	size_t i;

	if (!rows)
		return err_set(err, FTR_FAILED, "cannot open the files once more");
	b->views[VIEW_EVENTS] = events_view_new(rows);
	for (i = VIEW_EVENTS + 1; i < VIEW_KINDS; i++) {
		b->texts[i] = lines_view_new(view_names[i], view_names[i]);
		b->views[i] = lines_view(b->texts[i]);
	}
	if (b->o->add_info)
		b->o->add_info(b->o->ctx, &text);
	lines_view_add_text(b->texts[VIEW_INFO], text.data, text.len);
	buf_reset(&text);
	browse_add_keys(&text);
	lines_view_add_text(b->texts[VIEW_HELP], text.data, text.len);
	buf_reset(&text);
	buf_addstr(&text, "the files are being read");
	lines_view_add_text(b->texts[VIEW_LOG], text.data, text.len);
	lines_view_add_text(b->texts[VIEW_SHOWN], text.data, text.len);
	buf_release(&text);
	return 0;
}

static int view_kind_of(const char *name, struct ftr_error *err)
{
	for (int i = 0; view_names[i]; i++)
		if (!strcmp(view_names[i], name))
			return i;
	err_set(err, FTR_USAGE, "unknown view '%s'", name);
	return err_hint(err, "there are: events, details, info, log, help, shown");
}

/* Where it begins: @o->at as g takes it. */
static int begin_at(struct browse *b, struct ftr_error *err)
{
	struct filter_spec spec = {0};
	uint64_t since = b->first, until;
	int ret = 0;

	if (b->o->at)
		ret = filter_when_parse(&spec.since, b->o->at, err) ||
		      filter_range(&spec, b->first, b->last, b->o->traces[0]->clock_is_ns, &since,
				   &until, err) ? -1 : 0;
	filter_spec_release(&spec);
	if (!ret)
		pane_set(&b->panes[0], b->views[VIEW_EVENTS], since);
	return ret;
}

static int begin(struct browse *b, const struct browse_opts *o, struct ftr_error *err)
{
	int kind = VIEW_EVENTS;
	size_t i;

	b->o = o;
	b->out = o->out;
	b->ops = ops_of(o);
	b->which = *o->which;
	b->nr_panes = 1;
	grid_init(&b->grid, 0, 0, o->ascii);
	for (i = 0; i < NR_MARKS; i++)
		b->marks[i] = NO_TIME;
	b->left_ts = NO_TIME;
	b->first = UINT64_MAX;
	for (i = 0; i < o->nr_traces; i++)
		trace_bounds(o->traces[i], &b->first, &b->last);
	b->first = b->first > b->last ? b->last : b->first;
	if (o->view && (kind = view_kind_of(o->view, err)) < 0)
		return -1;
	if (begin_views(b, err) || begin_at(b, err))
		return -1;
	if (o->filter && *o->filter)
		return browse_set_filter(b, o->filter, err);
	browse_start_scan(b);
	browse_show(b, kind);
	return 0;
}

static void release(struct browse *b)
{
	b->ended = true;
	browse_stop_jobs(b);
	for (size_t i = 0; i < VIEW_KINDS; i++)
		view_free(b->views[i]);
	browse_filter_free(b->filter);
	strv_release(&b->filters);
	prompt_release(&b->prompt);
	buf_release(&b->message);
	grid_release(&b->grid);
	free(b->search);
	free(b->counts);
	free(b->back.v);
	free(b->forward.v);
}

int browse_run(const struct browse_opts *o, struct ftr_error *err)
{
	struct browse b = {0};
	int ret = begin(&b, o, err);

	if (!ret)
		ret = o->script.keys ? run_script(&b, err) : run_terminal(&b, err);
	release(&b);
	return ret;
}
