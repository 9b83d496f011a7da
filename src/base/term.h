/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The terminal: whether to use colour (--color, NO_COLOR, kind of stream), and the pager. */
#ifndef FTR_BASE_TERM_H
#define FTR_BASE_TERM_H

#include <stdbool.h>

#include "base/err.h"

enum term_colour { TERM_AUTO, TERM_ALWAYS, TERM_NEVER };

/* "auto", "always", "never". -1 on anything else. */
int term_set_colour(const char *when);
/*
 * True if output to @fd (1 or 2) should be coloured. TERM_AUTO: if it is a terminal or our pager,
 * TERM is not "dumb", and NO_COLOR is unset or empty.
 */
bool term_colour(int fd);

/* True if @fd (1 or 2) is a terminal, or goes to one through our pager. */
bool term_reached(int fd);

/* True if the locale of the environment uses UTF-8. */
bool term_utf8(void);

/* Columns of stdout's terminal, or $COLUMNS; 0: unknown, or no terminal. */
unsigned int term_width(void);

/*
 * If stdout is a terminal, starts $FTR_PAGER, else $PAGER, else "less" (with LESS=FRX unless LESS
 * is set), and redirects stdout to it. "cat" and "" mean no pager. Failure to start it is no error.
 */
void term_pager_start(void);
void term_no_pager(void);		/* --no-pager */
/* Closes stdout to the pager and waits for the pager's end. */
void term_pager_stop(void);

#endif
