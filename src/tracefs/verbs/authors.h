/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who set a trigger up, as far as our journals tell. */
#ifndef FTR_TRACEFS_AUTHORS_H
#define FTR_TRACEFS_AUTHORS_H

#include "tracefs/verbs/triggers.h"

struct authors;

/* Reads the journals of this user: what stands, and those of runs, alive or dead. */
struct authors *authors_new(void);
void authors_free(struct authors *a);
/*
 * "ftr" for what stands until ftr reset, "ftr:77" for a run of ftr with that pid (also a dead one,
 * whose journal is still there), NULL when @tr was there before or nobody of ours touched its file.
 * The caller frees.
 */
char *authors_of(const struct authors *a, const char *instance, const struct trigger *tr);
/*
 * Are there triggers in @instance (NULL = top), of events or functions, and did this user's ftr
 * trigger add them all, so that they stand?
 */
bool authors_have_all(const struct tfs *t, const char *instance);

#endif
