/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of saved_cmdlines: "PID COMM", where COMM may have blanks. */
#ifndef FTR_EVENT_COMM_LINES_H
#define FTR_EVENT_COMM_LINES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The kernel's own lookup, and so every reader, takes the first line of a pid. A task may have
 * taken its name away (prctl): then @len is 0.
 */
struct comm_line {
	int pid;		/* -1: it is no such line */
	const char *name;	/* not NUL-terminated; of what is no such line all of it */
	size_t len;
};

/* One line, without its newline. */
void comm_line_split(struct comm_line *line, const char *p, const char *end);
/* Takes the next line off the front of the text @*p; false at its end, which a NUL is, too. */
bool comm_line_next(struct comm_line *line, const char **p, const char *end);

#endif
