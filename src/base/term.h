/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The terminal: colour by --color, NO_COLOR and what the stream is; the pager. */
#ifndef FTR_BASE_TERM_H
#define FTR_BASE_TERM_H

#include <stdbool.h>

#include "base/err.h"

enum term_colour { TERM_AUTO, TERM_ALWAYS, TERM_NEVER };

/* "auto", "always", "never". -1 on anything else. */
int term_set_colour(const char *when);
/*
 * Should what goes to @fd (1 or 2) be coloured? auto: a terminal (or our pager), TERM not "dumb",
 * NO_COLOR unset or empty.
 */
bool term_colour(int fd);

/* Does what goes to @fd (1 or 2) end at a terminal, also through our pager? */
bool term_reached(int fd);

/* Is text UTF-8, by the locale of the environment? */
bool term_utf8(void);

/* Columns of the terminal that stdout ends at, or $COLUMNS; 0: not known, or none. */
unsigned int term_width(void);

/*
 * Starts $FTR_PAGER, else $PAGER, else "less" (with LESS=FRX unless LESS is set) when stdout is a
 * terminal; stdout then goes there. "cat" and "" mean none. Failure to start one is no error.
 */
void term_pager_start(void);
void term_no_pager(void);		/* --no-pager */
/* Closes stdout towards the pager and waits for it. */
void term_pager_stop(void);

#endif
