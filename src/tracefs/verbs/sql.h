/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SQL statements as synthetic events and histograms: libtracefs parses, we write. */
#ifndef FTR_TRACEFS_SQL_H
#define FTR_TRACEFS_SQL_H

#include "base/err.h"
#include "tracefs/verbs/synth.h"

/*
 * SELECT ... FROM ... [JOIN ... ON ...] [WHERE ...] into a plan; @name is for the synthetic event,
 * not used for a histogram. Reads the formats of the events that the statement names, changes
 * nothing. -1 with @err: what is wrong, the line of the statement, a caret below.
 */
int sql_plan(const struct tfs *t, const char *name, const char *sql, struct synth_plan *p,
	     struct ftr_error *err);

#endif
