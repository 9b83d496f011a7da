/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of a command that other commands call, too. */
#ifndef FTR_CMD_COMMAND_PARTS_H
#define FTR_CMD_COMMAND_PARTS_H

#include <jansson.h>

#include "cmd/frame/command.h"
#include "cmd/frame/span_commands.h"
#include "model/model.h"
#include "output/engine/engine_rows.h"
#include "output/hist_text.h"
#include "tracefs/hist/hist_parse.h"
#include "trace/trace.h"

struct buffer_info;
struct selection;
struct why;

/* extract.c: options and function of 'ftr snapshot save', which works as 'ftr extract -s'. */
extern const struct opt extract_snapshot_options[];
int extract_snapshot(const struct cmd *self, int argc, char **argv);

/*
 * hist.c: returns the width and the character set of the terminal; @top as in struct hist_look. The
 * width is 0 if it is unknown.
 */
struct hist_look hist_terminal(size_t top);
/*
 * hist.c: warns if events were dropped, with @hint (may be NULL), and if text could not be parsed.
 * Returns FTR_DAMAGED in the latter case, else FTR_OK.
 */
int hist_warn(const struct hist *h, const char *hint);

/* info.c: appends the output of ftr info. @v is NULL if records were not read, as with --quick. */
void info_add_text(struct trace *t, struct buffer_info *v, struct buf *out);

/* info.c: returns the object that ftr info --quick --json prints, a new reference. */
json_t *info_object(struct trace *t);

/* An interval of a task, and the answer: its account. */
struct why_question {
	uint32_t file;
	int32_t  pid;			/* 0: it is no task's, and has no account */
	uint64_t begin, end;
	struct buf text;		/* its rows as lines, each with four blanks in front */
	json_t  *rows;			/* with --json, instead; NULL if it has no account */
};

/*
 * why.c: reads all records of the files into @w. Returns the model, which the caller frees after
 * the last use of @w, or NULL with @err: there is no sched_switch.
 */
struct model *why_read(struct span_args *a, struct why *w, struct ftr_error *err);
/*
 * why.c: reads the files once more, and answers @n questions; the caller releases ->text and
 * ->rows. Returns 0, or -1 with @err.
 */
int why_explain(const struct span_args *a, struct why_question *q, size_t n, struct ftr_error *err);

/*
 * sql.c: answers @query from the files of @s, which are open, and writes the rows to @fd in the
 * format of this name: csv, json, jsonl, markdown. Returns 0, or -1 with @err: the query has an
 * error, clocks of files differ, or writing failed (FTR_DAMAGED, without the name of the file).
 */
int sql_export(const struct selection *s, const char *query, const char *format, int fd,
	       struct ftr_error *err);

/* The rows of a query or of a table of ftr sql for an engine, see struct sql_engine. */
struct engine_export {
	const char *query, *table;	/* one of them */
	enum engine_format format;
	const struct engine_dialect *schema;	/* CREATE TABLE instead of the rows; or NULL */
};

/*
 * sql.c: the same for engines. A table is read from each file alone, as if the others were not
 * there. Returns as sql_export().
 */
int sql_export_engine(const struct selection *s, const struct engine_export *e, int fd,
		      struct ftr_error *err);

/* sql.c: returns true if ftr sql has a table @name of the files of @s that is not an event's. */
bool sql_has_table(const struct selection *s, const char *name);

/* sched_states.c: sets the times of a CPU in its object. */
void sched_set_cpu_times(json_t *o, const struct model_cpu *c);
/* sched_states.c: returns an object with the times of a task in its states. */
json_t *sched_states_object(const struct model *m, const struct task *task);

#endif
