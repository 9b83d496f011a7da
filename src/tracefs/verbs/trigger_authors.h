/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds who set a trigger, by the journals of ftr. */
#ifndef FTR_TRACEFS_VERBS_TRIGGER_AUTHORS_H
#define FTR_TRACEFS_VERBS_TRIGGER_AUTHORS_H

#include "tracefs/verbs/triggers.h"

struct authors;

/* Reads this user's journals: the standing one, and those of running and dead runs. */
struct authors *authors_new(void);
void authors_free(struct authors *a);
/*
 * Returns "ftr" for a trigger that stays until ftr reset, "ftr:77" for one of the run with that pid
 * (also a dead run whose journal still exists), NULL if the trigger is older or no run changed its
 * file. The caller frees.
 */
char *authors_of(const struct authors *a, const char *instance, const struct trigger *tr);
/*
 * True if @instance (NULL = top) has triggers of events or functions, and this user's ftr trigger
 * added all of them, to stay.
 */
bool authors_have_all(const struct tfs *t, const char *instance);

#endif
