/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The main loops of the browser: in a terminal, with its signals; and by a script, without one. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/sig.h"
#include "browse/browser_priv.h"
#include "browse/screen/key_names.h"

/* --- a terminal */

static volatile sig_atomic_t caught;	/* the first signal that ends the program, or 0 */
static volatile sig_atomic_t interrupts;	/* number of Ctrl-C */
static volatile sig_atomic_t stop_asked;	/* Ctrl-Z */

static void note_signal(int sig)
{
	if (sig == SIGTSTP)
		stop_asked = 1;
	else if (sig == SIGINT)
		interrupts++;
	else if (!caught)
		caught = sig;
	screen_wake();
}

/* Restores the terminal for the shell after a crash. */
static void note_fatal_signal(int sig)
{
	screen_restore_now();
	raise(sig);
}

static const struct { int sig; void (*handler)(int sig); int flags; } signals[] = {
	{ SIGINT, note_signal, 0 },	{ SIGTERM, note_signal, 0 },
	{ SIGHUP, note_signal, 0 },	{ SIGQUIT, note_signal, 0 },
	{ SIGTSTP, note_signal, 0 },	{ SIGSEGV, note_fatal_signal, SA_RESETHAND },
	{ SIGABRT, note_fatal_signal, SA_RESETHAND }, { SIGFPE, note_fatal_signal, SA_RESETHAND },
};
#define NR_SIGNALS (sizeof(signals) / sizeof(*signals))

/* Ignored signals stay ignored, and the handlers of a sanitizer stay installed. */
static void catch_signals(struct sigaction *before)
{
	struct sigaction sa = {0};

	caught = stop_asked = interrupts = 0;
	for (size_t i = 0; i < NR_SIGNALS; i++) {
		sa.sa_handler = signals[i].handler;
		sa.sa_flags = signals[i].flags;
		sigaction(signals[i].sig, NULL, &before[i]);
		if (before[i].sa_handler == SIG_DFL)
			sigaction(signals[i].sig, &sa, NULL);
	}
	sig_on_read_error(screen_restore_now);
	mem_on_failure(screen_restore_now);
}

/*
 * Stops by SIGTSTP, as any program does at Ctrl-Z. The kernel ignores it if nobody could continue
 * the program, as in a terminal without a shell. The size may have changed afterwards.
 */
static void terminal_suspend(struct browser_state *b)
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

static void run_keys(struct browser_state *b)
{
	sig_atomic_t taken = 0;
	int key, wait_ms, w, h;

	while (!b->ended) {
		browse_draw(b);
		screen_show(&b->grid);
		if (!b->begun)
			browse_allow_jobs(b);
		wait_ms = browse_is_busy(b) ? TICK_MS : -1;
		if (browse_is_late(b) || browse_waiting_is_ready(b))
			wait_ms = 0;
		key = screen_key(wait_ms);
		if (key == TUI_RESIZE) {
			screen_size(&w, &h);
			grid_resize(&b->grid, w, h);
		} else if (key == TUI_GONE) {
			b->ended = true;
		} else if (key == TUI_SUSPEND) {
			terminal_suspend(b);
		} else if (key >= 0) {
			browse_press_key(b, key);
		}
		for (; taken != interrupts; taken++)
			browse_press_key(b, KEY_CTRL_C);
		browse_press_waiting(b);
		browse_finish_jobs(b, 0);
		browse_retry_rows(b);
		if (stop_asked) {
			stop_asked = 0;
			terminal_suspend(b);
		}
		b->ended |= caught != 0;
	}
}

int browse_terminal(struct browser_state *b, struct ftr_error *err)
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
	for (size_t i = 0; i < NR_SIGNALS; i++)
		sigaction(signals[i].sig, &before[i], NULL);
	sig_on_read_error(NULL);
	mem_on_failure(NULL);
	if (caught)
		raise(caught);
	return ret;
}

/* --- a script: keys from a text, screens to files */

static double clock_ms(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static int dump_screen(struct browser_state *b, const char *name, struct ftr_error *err)
{
	char *path = xasprintf("%s/%s.txt", b->o->script.dump_dir, name);
	struct buf text = {0};
	FILE *f;
	int ret = 0;

	browse_draw(b);
	grid_dump(&b->grid, &text);
	f = fopen(path, "w");
	if (!f)
		ret = err_sys(err, "cannot write '%s'", path);
	else if (fwrite(text.data, 1, text.len, f) != text.len)
		ret = err_write(err, "cannot write '%s'", path);
	if (f && fclose(f) && !ret)
		ret = err_write(err, "cannot write '%s'", path);
	buf_release(&text);
	free(path);
	return ret;
}

/* Does the work between two keys, as with a terminal: waiting keys act on the screen as drawn. */
static void script_idle(struct browser_state *b, unsigned int wait_ms)
{
	browse_press_waiting(b);
	browse_finish_jobs(b, browse_is_late(b) || browse_waiting_is_ready(b) ? 0 : wait_ms);
	browse_retry_rows(b);
	browse_draw(b);
}

static int run_step(struct browser_state *b, const struct key_step *step, struct ftr_error *err)
{
	switch (step->kind) {
	case KEY_STEP_KEY:
		browse_press_key(b, step->key);
		browse_draw(b);
		script_idle(b, 0);
		return 0;
	case KEY_STEP_WAIT:
		while (!b->ended && (browse_is_busy(b) || browse_is_late(b) || b->ahead.n))
			script_idle(b, TICK_MS);
		return 0;
	case KEY_STEP_SIZE:
		grid_resize(&b->grid, step->w, step->h);
		browse_draw(b);
		return 0;
	default:
		return b->o->script.dump_dir ? dump_screen(b, step->name, err) : 0;
	}
}

/*
 * Runs a step and writes a line for a key or a wait: its CPU time and its time in milliseconds, and
 * the number of records that the timeline has read for it.
 */
static int time_step(struct browser_state *b, const struct key_step *step, FILE *timing,
		     struct ftr_error *err)
{
	double cpu = clock_ms(CLOCK_PROCESS_CPUTIME_ID), wall = clock_ms(CLOCK_MONOTONIC);
	uint64_t records = b->lanes_records;
	struct buf name = {0};
	int ret = run_step(b, step, err);

	if (step->kind == KEY_STEP_KEY)
		key_add_name(step->key, &name);
	else if (step->kind == KEY_STEP_WAIT)
		buf_addstr(&name, "<wait>");
	if (name.len)
		fprintf(timing, "%s %.3f %.3f %" PRIu64 "\n", name.data,
			clock_ms(CLOCK_PROCESS_CPUTIME_ID) - cpu, clock_ms(CLOCK_MONOTONIC) - wall,
			b->lanes_records - records);
	buf_release(&name);
	return ret;
}

int browse_script(struct browser_state *b, struct ftr_error *err)
{
	const struct browse_script *script = &b->o->script;
	FILE *timing = NULL;
	const char *p = script->keys;
	struct key_step step;
	int ret = 1;

	if (script->timing && !(timing = fopen(script->timing, "w")))
		return err_sys(err, "cannot write '%s'", script->timing);
	grid_resize(&b->grid, script->w, script->h);
	browse_draw(b);
	while (!b->ended && (ret = key_script_next(&p, &step, err)) > 0) {
		if (!b->begun)
			browse_allow_jobs(b);
		if ((ret = timing ? time_step(b, &step, timing, err) : run_step(b, &step, err)))
			break;
	}
	if (timing && fclose(timing) && ret >= 0)
		ret = err_write(err, "cannot write '%s'", script->timing);
	return ret < 0 ? -1 : 0;
}
