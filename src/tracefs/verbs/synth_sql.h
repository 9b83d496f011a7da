/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes plans of synthetic events and histograms from SQL statements, which libtracefs parses. */
#ifndef FTR_TRACEFS_VERBS_SYNTH_SQL_H
#define FTR_TRACEFS_VERBS_SYNTH_SQL_H

#include "base/err.h"
#include "tracefs/verbs/synth_event.h"

/*
 * Makes a plan of SELECT ... FROM ... [JOIN ... ON ...] [WHERE ...]. @name is the name of the
 * synthetic event, unused for a histogram. Reads the formats of the events in the statement, and
 * changes nothing. -1 with @err: the reason, the line of the statement, and a caret below.
 */
int sql_plan(const struct tfs *t, const char *name, const char *sql, struct synth_plan *p,
	     struct ftr_error *err);

#endif
