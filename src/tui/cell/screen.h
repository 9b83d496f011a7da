/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The terminal, through curses: one at a time. */
#ifndef FTR_TUI_CELL_SCREEN_H
#define FTR_TUI_CELL_SCREEN_H

#include "base/err.h"

struct grid;

enum screen_theme { SCREEN_DARK, SCREEN_LIGHT, SCREEN_MONO };

/*
 * Takes the terminal that stdout is. Keys come from stdin, or where that is no terminal, as when a
 * trace comes through it, from /dev/tty. The caller has set the locale (LC_CTYPE). NO_COLOR in the
 * environment, if not empty, means SCREEN_MONO, as does a terminal without colours; one of 8 or 16
 * has one theme. Signals are as the caller has them, save SIGWINCH, which is ours meanwhile: Ctrl-C
 * is SIGINT, Ctrl-Z SIGTSTP. -1 with @err: no terminal, or one that terminfo does not know.
 */
int  screen_open(enum screen_theme theme, struct ftr_error *err);
void screen_size(int *w, int *h);
/* Draws what changed. */
void screen_show(const struct grid *g);
/*
 * Waits at most @timeout_ms (negative: without end) for a key of key.h. TUI_RESIZE: screen_size()
 * has another answer; TUI_GONE: the terminal hung up. -1: none came, or a signal did, or one that
 * has no number here.
 */
int  screen_key(int timeout_ms);
/*
 * From the handler of a signal: screen_key() returns, or does so at once when it is called next.
 * Nothing while the terminal is not ours.
 */
void screen_wake(void);
/*
 * Gives the terminal away for a while, as before stopping, and takes it again; TUI_RESIZE comes
 * then in any case. Modes that were changed meanwhile are those that screen_close() restores.
 */
void screen_suspend(void);
void screen_resume(void);
/* Restores the terminal. May be called twice, and without screen_open(). */
void screen_close(void);
/*
 * The same from the handler of a signal that ends the program: leaves the other screen, shows the
 * cursor, sets the modes that were found. Nothing while the terminal is not ours. Of threads that
 * call it only one comes back.
 */
void screen_restore_now(void);

#endif
