/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets of events for a purpose: --for. */
#ifndef FTR_RECORD_SETUP_PURPOSES_H
#define FTR_RECORD_SETUP_PURPOSES_H

#include "record/setup/plan.h"

/* A row; ->name is NULL in the last one. */
struct rec_purpose {
	const char *name, *summary;
	const char *events;		/* patterns as for -e, with blanks between them */
};

extern const struct rec_purpose rec_purposes[];

/*
 * Adds the events of the purpose @name; those that this kernel lacks are left out. Returns 0, or -1
 * with @err, which has the names of all purposes.
 */
int plan_add_purpose(struct rec_buffer *b, const char *name, struct ftr_error *err);

#endif
