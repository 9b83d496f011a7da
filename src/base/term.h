/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The terminal: whether to use colour (--color, NO_COLOR, kind of stream), and the pager. */
#ifndef FTR_BASE_TERM_H
#define FTR_BASE_TERM_H

#include <stdbool.h>

#include "base/err.h"

enum term_colour { TERM_AUTO, TERM_ALWAYS, TERM_NEVER };

/* Accepts "auto", "always", "never". Returns 0, or -1 on anything else. */
int term_set_colour(const char *when);
/*
 * Returns true if output to @fd (1 or 2) should be coloured. TERM_AUTO: if it is a terminal or the
 * pager, TERM is not "dumb", and NO_COLOR is unset or empty.
 */
bool term_colour(int fd);

/* Returns true if @fd (1 or 2) is a terminal, or goes to one through the pager. */
bool term_reached(int fd);

/* Returns true if the locale of the environment uses UTF-8. */
bool term_utf8(void);

/* Returns $COLUMNS, or the columns of stdout's terminal; 0 if unknown, or no terminal. */
unsigned int term_width(void);

/*
 * If stdout is a terminal, starts $FTR_PAGER, else $PAGER, else "less" (with LESS=FRX unless LESS
 * is set), and redirects stdout to it. "cat" and "" mean no pager. Failure to start it is no error.
 */
void term_pager_start(void);
void term_no_pager(void);		/* --no-pager */
/* Ends the pager: stdout is the terminal again, and another pager may be started. */
void term_pager_pause(void);
/* Closes stdout to the pager and waits for the pager's end. */
void term_pager_stop(void);

#endif
