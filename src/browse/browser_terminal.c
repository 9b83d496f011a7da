/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs the browser in a terminal: keys, screen, signals. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/sig.h"
#include "browse/browser_priv.h"
#include "browse/screen/key_names.h"

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
static void terminal_suspend(struct browse *b)
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

static void run_keys(struct browse *b)
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

int browse_terminal(struct browse *b, struct ftr_error *err)
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
