/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The end of a trace file that grows while it is read. */
#ifndef FTR_CMD_GROWING_FILE_H
#define FTR_CMD_GROWING_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "tracefs/files/tfs.h"

/*
 * The kernel goes on to what came meanwhile: where reading itself is traced that has no end. So as
 * many records are shown as there were at the start, and no more if others came.
 */
struct show_end {
	const struct tfs *t;
	char    *instance;	/* NULL = top level */
	int      cpu;		/* -1 = all */
	uint64_t held, shown;	/* records */
	uint64_t written;	/* since the buffer was reset, when we began */
	struct buf rest;	/* a line that is not whole yet */
};

/* False, with nothing to release, when @path is no trace file. */
bool show_end_init(struct show_end *e, const struct tfs *t, const char *path);
/*
 * The kernel's next @n bytes. How many of e->rest are to be shown, which show_end_shown() then
 * takes off; *over when nothing behind them is.
 */
size_t show_end_add(struct show_end *e, const char *p, size_t n, bool *over);
void show_end_shown(struct show_end *e, size_t n);
void show_end_release(struct show_end *e);

#endif
