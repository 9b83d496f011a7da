/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of saved_cmdlines: "PID COMM", where COMM may have blanks. */
#ifndef FTR_EVENT_COMM_LINES_H
#define FTR_EVENT_COMM_LINES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The first line of a pid counts, as in the kernel's own lookup. A task may have set an empty name
 * (prctl): then ->len is 0.
 */
struct comm_line {
	int pid;		/* -1: the line has another form */
	const char *name;	/* not NUL-terminated; if ->pid is -1, the whole line */
	size_t len;
};

/* Parses a line without its newline. */
void comm_line_split(struct comm_line *line, const char *p, const char *end);
/* Length of the name that stands at @offset of the text: at most LIMIT_NAME bytes of it. */
size_t comm_name_len(const char *text, size_t len, size_t offset);
/* Parses the next line and moves *p behind it. False at @end or at a NUL. */
bool comm_line_next(struct comm_line *line, const char **p, const char *end);

#endif
