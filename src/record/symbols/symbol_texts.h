/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps texts that lose lines when a module is unloaded: the last reading, and the lines that only
 * earlier readings had.
 */
#ifndef FTR_RECORD_SYMBOLS_SYMBOL_TEXTS_H
#define FTR_RECORD_SYMBOLS_SYMBOL_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

/* A zeroed history is empty. */
struct text_history {
	struct buf last;		/* the last reading */
	struct buf gone;		/* lines that only earlier readings had */
};

/*
 * Takes over @reading, which is empty afterwards. Keeps the lines of the reading before that are
 * missing now, if @counts is true for them (NULL: all).
 */
void history_update(struct text_history *h, struct buf *reading,
		    bool (*counts)(const char *line, size_t len));
/* Appends the last reading, then the lines that are gone. */
void history_text(const struct text_history *h, struct buf *out);
void history_release(struct text_history *h);

/* Zeroed symbols are empty. */
struct kallsyms_history {
	struct text_history h;
	bool hidden;			/* the last reading had no addresses: kptr_restrict */
	unsigned int readings;		/* number of readings so far */
};

/*
 * Takes over a reading of /proc/kallsyms. If all addresses are 0 the reading is ignored, see
 * ->hidden. Lines of modules ("... name\t[module]") that are missing now are kept. Sorts ->h.last.
 */
void symbols_update(struct kallsyms_history *s, struct buf *reading);
/*
 * Returns all lines, sorted. The result is a buffer of @s, valid until the next update, or @room.
 * Its ->data may be NULL if there are no lines.
 */
const struct buf *symbols_text(const struct kallsyms_history *s, struct buf *room);
/*
 * Sorts the lines of a kallsyms text by address, stably. If the last line is not complete it is cut
 * off.
 */
void symbols_sort(struct buf *text);

#endif
