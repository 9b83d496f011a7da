/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recovers the fields of an event from its text, if rendering them gives the same text. */
#ifndef FTR_TEXT_FIELDS_FIELD_SOLVER_H
#define FTR_TEXT_FIELDS_FIELD_SOLVER_H

#include "text/fields/dump_symbols.h"
#include "text/log/log_dump.h"

struct format_files;
struct field_solver;
struct text_fields;

/* Makes a solver. Borrows both arguments. */
struct field_solver *field_solver_new(const struct dump_syms *syms,
				    const struct format_files *formats);
void field_solver_free(struct field_solver *s);

/* Returns the fields of event @name, even if it has no format. */
struct text_fields *text_fields_new(struct field_solver *s, const char *name);
const char *text_fields_system(const struct text_fields *f);	/* "dump" without a format */
const char *text_fields_name(const struct text_fields *f);
bool text_fields_is(const struct text_fields *f, const char *before, struct span_text name);
/*
 * Appends the bytes of the record after the common fields. Returns false if the text does not
 * determine them; the appended bytes are not valid then.
 */
bool text_fields_solve(struct text_fields *f, const struct dump_rec *r, struct buf *out);
/* Appends the lines of these fields and the print fmt, for the event's format. */
void text_fields_format(const struct text_fields *f, struct buf *out);
void text_fields_free(struct text_fields *f);

#endif
