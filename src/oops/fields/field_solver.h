/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recovers the fields of an event from its text, if rendering them gives the same text. */
#ifndef FTR_OOPS_FIELDS_FIELD_SOLVER_H
#define FTR_OOPS_FIELDS_FIELD_SOLVER_H

#include "oops/fields/dump_symbols.h"
#include "oops/log/log_dump.h"

struct format_files;
struct oops_solver;
struct oops_fields;

/* Makes a solver. Borrows both arguments. */
struct oops_solver *oops_solver_new(const struct oops_syms *syms,
				    const struct format_files *formats);
void oops_solver_free(struct oops_solver *s);

/* Returns the fields of event @name, even if it has no format. */
struct oops_fields *oops_fields_new(struct oops_solver *s, const char *name);
const char *oops_fields_system(const struct oops_fields *f);	/* "dump" without a format */
const char *oops_fields_name(const struct oops_fields *f);
bool oops_fields_is(const struct oops_fields *f, const char *before, struct span_text name);
/*
 * Appends the bytes of the record after the common fields. Returns false if the text does not
 * determine them; the appended bytes are not valid then.
 */
bool oops_fields_solve(struct oops_fields *f, const struct dump_rec *r, struct buf *out);
/* Appends the lines of these fields and the print fmt, for the event's format. */
void oops_fields_format(const struct oops_fields *f, struct buf *out);
void oops_fields_free(struct oops_fields *f);

#endif
