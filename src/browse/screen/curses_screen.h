/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The terminal, through curses. Only one can be open. */
#ifndef FTR_BROWSE_SCREEN_CURSES_SCREEN_H
#define FTR_BROWSE_SCREEN_CURSES_SCREEN_H

#include "base/err.h"

struct cell_grid;

enum screen_theme { SCREEN_DARK, SCREEN_LIGHT, SCREEN_MONO };

/*
 * Opens the terminal of stdout. Keys come from stdin, or from /dev/tty if stdin is no terminal, as
 * when it has the trace. The caller must set the locale (LC_CTYPE) first. A non-empty NO_COLOR or a
 * terminal without colours means SCREEN_MONO. With 8 or 16 colours there is one theme. It handles
 * SIGWINCH, and leaves other signals to the caller: Ctrl-C is SIGINT, Ctrl-Z SIGTSTP. -1 with @err:
 * no terminal, or one that terminfo does not know.
 */
int  screen_open(enum screen_theme theme, struct ftr_error *err);
void screen_size(int *w, int *h);
/* Draws what changed. */
void screen_show(const struct cell_grid *g);
/*
 * Waits at most @timeout_ms (negative: no limit) for a key of key_names.h. TUI_RESIZE: the result
 * of screen_size() has changed. TUI_GONE: the terminal hung up. -1: timeout, a signal, or a key
 * that is not in key_names.h.
 */
int  screen_key(int timeout_ms);
/*
 * Makes the present or the next screen_key() return at once. For signal handlers. It does nothing
 * if no terminal is open.
 */
void screen_wake(void);
/*
 * Releases the terminal for a while, as before a stop, and takes it back; a TUI_RESIZE always
 * follows. If modes were changed meanwhile screen_close() restores the new ones.
 */
void screen_suspend(void);
void screen_resume(void);
/* Restores the terminal. May be called twice, and without screen_open(). */
void screen_close(void);
/*
 * The same for the handler of a signal that ends the program: leaves the alternate screen, shows
 * the cursor, and restores the modes. It does nothing if no terminal is open. If several threads
 * call it, it returns in only one.
 */
void screen_restore_now(void);

#endif
