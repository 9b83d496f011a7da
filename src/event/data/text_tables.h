/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text tables of the recorded kernel: saved_cmdlines and printk_formats. */
#ifndef FTR_EVENT_TEXT_TABLES_H
#define FTR_EVENT_TEXT_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"
#include "base/map.h"

struct buf;

/*
 * A line of saved_cmdlines: "PID COMM", where COMM may have blanks. The first line of a pid counts,
 * as in the kernel's lookup. A task may have set an empty name (prctl): then ->len is 0.
 */
struct comm_line {
	int pid;		/* -1: the line has another form */
	const char *name;	/* not NUL-terminated; if ->pid is -1, the whole line */
	size_t len;
};

/* Parses a line without its newline. */
void comm_line_split(struct comm_line *line, const char *p, const char *end);
/* Returns the length in bytes of the name at @offset of the text, at most LIMIT_NAME. */
size_t comm_name_len(const char *text, size_t len, size_t offset);
/* Parses the next line and moves *p after it. Returns false at @end or at a NUL. */
bool comm_line_next(struct comm_line *line, const char **p, const char *end);

/* --- offsets of the names in a text of saved_cmdlines, by pid */

#define COMM_PAGE_PIDS	4096
#define COMM_PAGES	(LIMIT_COMMS / COMM_PAGE_PIDS)
#define COMM_HIGH_MAX	65536		/* pids that no kernel has */

/*
 * 4 bytes for each pid that the kernel can have, so that a text of a few compressed kilobytes does
 * not become a large map. A zeroed table is empty.
 */
struct comm_table {
	size_t n;			/* number of pids with a name */
	/* private */
	uint32_t *pages[COMM_PAGES];	/* by pid: 1 + offset */
	struct map high;		/* of pids from LIMIT_COMMS on */
};

/*
 * Sets the offset of the name of @pid, unless it has one. Returns false if there is no room: too
 * many pids that no kernel has, or an offset beyond 4 GiB.
 */
bool comm_table_add(struct comm_table *t, int pid, size_t offset);
/* Sets *offset to that of the name. Returns false if @pid has no name. */
bool comm_table_find(const struct comm_table *t, int pid, size_t *offset);
/* Calls @fn for each pid with a name, in no order. */
void comm_table_each(const struct comm_table *t, void (*fn)(void *ctx, int pid, size_t offset),
		     void *ctx);
void comm_table_release(struct comm_table *t);

/* --- printk_formats: `0xffffffff81234567 : "text\n"`, strings of trace_printk() */

struct printk_line {
	uint64_t addr;
	const char *text;	/* between the quotes, with the kernel's escapes */
	size_t len;
};

/*
 * Parses the next line and moves *p after it. Skips lines of another form. Returns false at the
 * end.
 */
bool printk_line_next(struct printk_line *line, const char **p, const char *end);
/* Appends the text with the kernel's escapes undone. */
void printk_line_unescape(struct buf *out, const struct printk_line *line);

#endif
