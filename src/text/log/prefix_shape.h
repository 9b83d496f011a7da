/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The shape of what loggers, consoles and mails put before and after the lines of a log. It is
 * learned from the line with which the kernel begins a dump: its text is known, so all else in
 * that line is not the kernel's.
 */
#ifndef FTR_OOPS_LOG_PREFIX_SHAPE_H
#define FTR_OOPS_LOG_PREFIX_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHAPE_PARTS 96
#define SHAPES_MAX  8

enum shape_part_kind {
	PART_CHAR,		/* this character */
	PART_DIGITS,		/* a number: a time, a counter */
	PART_WORD,		/* a name, which may be another one in another line */
	PART_GROUP,		/* "[any text]": a task, a date; ->c closes it */
};

struct prefix_shape {
	struct shape_part {
		uint8_t kind;	/* enum shape_part_kind */
		char    c;
	} parts[SHAPE_PARTS];
	size_t n;
	size_t blanks;		/* after the last part, exactly; elsewhere they may differ */
	char   tail[SHAPE_PARTS];	/* after the text */
	size_t tail_len;
};

struct prefix_shapes {
	struct prefix_shape v[SHAPES_MAX];
	size_t n;
	bool has_colours;	/* a line of the log has escape sequences */
};

/*
 * Sets the shape of a line whose own text has @text_len bytes, from @at on. Returns false if it is
 * too long.
 */
bool shape_learn(struct prefix_shape *s, const char *line, size_t len, size_t at, size_t text_len);
/*
 * Returns the bytes before the text of a line of this shape, or SIZE_MAX if it has another one.
 * Sets the bytes after the text; and printk's time, if the prefix has one, in nanoseconds.
 */
size_t shape_match(const struct prefix_shape *s, const char *line, size_t len, size_t *tail,
		   uint64_t *ns, bool *timed);

#endif
