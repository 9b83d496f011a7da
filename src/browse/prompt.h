/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A line that is typed: what is looked for, a filter, a time. */
#ifndef FTR_BROWSE_PROMPT_H
#define FTR_BROWSE_PROMPT_H

#include "base/mem.h"
#include "browse/screen/cell_grid.h"

struct prompt {
	const char *label;		/* "/", "filter: " */
	struct buf text;
	size_t at;			/* the cursor, in bytes */
};

enum prompt_end { PROMPT_TYPING, PROMPT_DONE, PROMPT_GIVEN_UP };

/* @text is what stands there already. */
void prompt_open(struct prompt *p, const char *label, const char *text);
enum prompt_end prompt_key(struct prompt *p, int key);
void prompt_draw(const struct prompt *p, struct grid *g, int y);
void prompt_release(struct prompt *p);

#endif
