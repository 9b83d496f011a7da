/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields of an event out of its text, where rendering them gives that text again. */
#ifndef FTR_OOPS_FIELDS_H
#define FTR_OOPS_FIELDS_H

#include "oops/log/dump.h"
#include "oops/syms.h"

struct formats;
struct oops_solver;
struct oops_fields;

/* Both are borrowed. */
struct oops_solver *oops_solver_new(const struct oops_syms *syms, const struct formats *formats);
void oops_solver_free(struct oops_solver *s);

/* Of the event @name, which may have no format. Not NULL. */
struct oops_fields *oops_fields_new(struct oops_solver *s, const char *name);
const char *oops_fields_system(const struct oops_fields *f);	/* "dump" without a format */
const char *oops_fields_name(const struct oops_fields *f);
bool oops_fields_is(const struct oops_fields *f, const char *before, struct span_text name);
/*
 * Appends the bytes of the record behind the common fields; false, with nothing appended that
 * counts, where the text does not tell them.
 */
bool oops_fields_solve(struct oops_fields *f, const struct dump_rec *r, struct buf *out);
/* The lines of these fields and the print fmt, for its format. */
void oops_fields_format(const struct oops_fields *f, struct buf *out);
void oops_fields_free(struct oops_fields *f);

#endif
