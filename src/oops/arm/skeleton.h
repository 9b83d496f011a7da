/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a recording has beside its data, on the disk before anything is recorded. */
#ifndef FTR_OOPS_ARM_SKELETON_H
#define FTR_OOPS_ARM_SKELETON_H

#include "base/err.h"
#include "record/setup/plan_apply.h"
#include "tracefs/files/tfs.h"

struct oops_front;

/*
 * Of what @up has set up, both borrowed. The file of a front is a trace file without data that is
 * not finished (dat_regions.h), with regions for the data of each CPU: formats of what is enabled,
 * symbols, modules, clocks and options. The main buffer is the file's, wherever it is; the key
 * "oops_instance" has its name.
 */
struct oops_front *oops_front_new(const struct tfs *t, const struct rec_setup *up);
/*
 * Writes it to @path, in place of what is there; it is on the disk when this returns. Written again
 * it has what was known before as well: code of modules that have gone may be in the buffer.
 */
int oops_front_write(struct oops_front *f, const char *path, struct ftr_error *err);
/* @t is borrowed from here on. */
void oops_front_move(struct oops_front *f, const struct tfs *t);
/* Has a module come or gone since it was written? */
bool oops_front_is_old(const struct oops_front *f);
void oops_front_free(struct oops_front *f);

#endif
