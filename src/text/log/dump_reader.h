/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes the records of a dump from its lines, in their order: times, losses, calls of graphs,
 * stacks and names of tasks depend on the lines before.
 */
#ifndef FTR_TEXT_LOG_DUMP_READER_H
#define FTR_TEXT_LOG_DUMP_READER_H

#include "text/log/flag_columns.h"
#include "text/log/text_line.h"

struct dump_reader;

/* @is_file: the text has no other lines than the trace; its heads begin with '#'. */
struct dump_reader *dump_reader_new(struct log_dump *d, bool is_file);
/* Adds the line of number @no. Returns false if it is not understood, which ->unknown counts. */
bool dump_reader_add(struct dump_reader *r, const struct text_line *l, uint32_t no);
/* Returns the columns of flags, to which a log may add the kernel's version. */
struct flag_columns *dump_reader_flags(struct dump_reader *r);
/* Completes the records: their flags, their order. Frees @r. */
void dump_reader_end(struct dump_reader *r);

void dump_release(struct log_dump *d);

#endif
