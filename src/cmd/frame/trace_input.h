/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files that a command reads: trace.dat files, and texts that ftrace printed, which become
 * trace files without a name.
 */
#ifndef FTR_CMD_FRAME_TRACE_INPUT_H
#define FTR_CMD_FRAME_TRACE_INPUT_H

#include "text/text_events.h"
#include "text/text_read.h"
#include "trace/trace.h"

struct trace_list {
	struct trace **v;
	size_t n, cap;
};

/*
 * Opens the file @path, also a compressed one, and appends its traces: one of a trace.dat file; of
 * a text one for each dump, in their order, called "PATH#2" from the second on. Prints one line on
 * standard error for each trace of a text: its kind, its records, and data that it lacks. Returns
 * 0, or -1 with @err. The caller closes the traces, also on failure.
 */
int traces_open(struct trace_list *l, const char *path, struct ftr_error *err);
/*
 * Like traces_open(), for a command that reads one trace: the last one of a text, which a remark
 * says. Returns the trace, or NULL with @err.
 */
struct trace *trace_open_last(const char *path, struct ftr_error *err);
/*
 * Opens the text or trace file @path, and unpacks a compressed one. Returns a descriptor that the
 * caller closes, or -1 with @err. Warns if the compressed data is damaged, and sets *cut then.
 */
int input_open(const char *path, bool *cut, struct ftr_error *err);

/*
 * Returns a display of the progress of a long text on a terminal, or NULL if none is wanted; it is
 * the only one of the process. input_progress_end() removes it.
 */
struct text_progress *input_progress_start(void);
void input_progress_end(void);

/* Returns 0 if the file @fd may be a text, or -1 with @err: its bytes are those of another kind. */
int input_check_text(int fd, const char *path, struct ftr_error *err);

/* --- remarks about a text, shared with ftr import */

/* Appends the kind of the text and the numbers of its records: "a dump of ftrace, 4 records". */
void text_add_counts(struct buf *out, const struct log_dump *d, const struct text_counts *c);
/* Appends "; it has no ...", the data that such a text lacks, if there is any. */
void text_add_gaps(struct buf *out, const struct log_dump *d, const struct text_counts *c);
/* Notes the lines of @d that were not understood or are lost. */
void text_note_damage(struct damage_list *to, const struct log_dump *d, const char *path);
/* Fills @err for a text without a trace. Returns -1. */
int text_report_none(const struct text_read *r, const char *path, struct ftr_error *err);

#endif
