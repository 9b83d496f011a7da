/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keys from a terminal, the screen onto it; signals. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/sig.h"
#include "browse/browser_priv.h"
#include "browse/screen/key_names.h"

static volatile sig_atomic_t caught;	/* the first that ends us */
static volatile sig_atomic_t interrupts;	/* Ctrl-C so many times */
static volatile sig_atomic_t stop_asked;

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

static void restore_signals(const struct sigaction *before)
{
	for (size_t i = 0; i < NR_SIGNALS; i++)
		sigaction(signals[i].sig, &before[i], NULL);
	sig_on_read_error(NULL);
	mem_on_failure(NULL);
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
		browse_press(b, key);
	}
}

/* How long a key is waited for before something else is to be done. */
static int patience(const struct browse *b)
{
	if (browse_is_late(b) || browse_ahead_is_ready(b))
		return 0;
	return browse_is_busy(b) ? TICK_MS : -1;
}

static void run_keys(struct browse *b)
{
	sig_atomic_t taken = 0;

	while (!b->ended) {
		browse_draw(b);
		screen_show(&b->grid);
		if (!b->begun)
			browse_begin_work(b);
		take_key(b, screen_key(patience(b)));
		for (; taken != interrupts; taken++)
			browse_press(b, KEY_CTRL_C);
		browse_press_ahead(b);
		browse_take_results(b, 0);
		browse_look_on(b);
		if (stop_asked) {
			stop_asked = 0;
			stop_for_a_while(b);
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
	restore_signals(before);
	if (caught)
		raise(caught);
	return ret;
}
