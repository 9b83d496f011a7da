/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts that lose lines when a module goes: the last reading, and what earlier ones had. */
#ifndef FTR_RECORD_SYMBOLS_H
#define FTR_RECORD_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

/* Zeroed is empty. */
struct history {
	struct buf last;		/* the last reading */
	struct buf gone;		/* lines that are in earlier readings only */
};

/*
 * Takes over a reading (@reading is empty then). Lines that it does not have any more, and that
 * @counts says yes to (NULL: all), are kept.
 */
void history_update(struct history *h, struct buf *reading,
		    bool (*counts)(const char *line, size_t len));
/* Appends both parts, one behind the other. */
void history_text(const struct history *h, struct buf *out);
void history_release(struct history *h);

/* Of a line, or of a name. */
uint64_t symbols_hash(const char *p, size_t n);

/* Zeroed is empty. */
struct symbols {
	struct history h;
	bool hidden;			/* the last reading had no addresses: kptr_restrict */
	unsigned int readings;		/* taken so far */
};

/*
 * Takes over a reading of /proc/kallsyms. One in which all addresses are 0 is not used, see
 * ->hidden. Lines of modules ("... name\t[module]") that it does not have any more are kept.
 * ->h.last is sorted then.
 */
void symbols_update(struct symbols *s, struct buf *reading);
/* All lines, sorted: @s's own until the next update, or made in @room. Its ->data may be NULL. */
const struct buf *symbols_text(const struct symbols *s, struct buf *room);
/*
 * Sorts the lines of a kallsyms text by address; those of one address stay in their order. Half a
 * line at the end is cut off.
 */
void symbols_sort(struct buf *text);

#endif
