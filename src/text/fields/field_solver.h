/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recovers the fields of an event from its text, if rendering them gives the same text. */
#ifndef FTR_TEXT_FIELDS_FIELD_SOLVER_H
#define FTR_TEXT_FIELDS_FIELD_SOLVER_H

#include "text/fields/dump_symbols.h"
#include "text/log/log_dump.h"

struct format_files;
struct field_solver;
struct event_fields;

#define EVENT_FORMATS_MAX 48	/* formats that are tried for the texts of an event */

/* Makes a solver. Borrows both arguments. */
struct field_solver *field_solver_new(const struct dump_syms *syms,
				    const struct format_files *formats);
/* Finds fields only by trying, which takes longer and has the same results. */
void field_solver_set_slow(struct field_solver *s);
void field_solver_free(struct field_solver *s);

/*
 * Returns the fields of event @name, even if no format of it is known. There may be several
 * formats: those given, and those of kernels of different versions. They are numbered from 0.
 */
struct event_fields *event_fields_new(struct field_solver *s, const char *name);
/*
 * Returns the system of format @n; if @n is -1 that of events without fields, which is "dump" if no
 * format is known.
 */
const char *event_fields_system(const struct event_fields *f, int n);
/*
 * Appends the bytes of the record after the common fields. Returns the number of its format, or -1
 * if the text does not determine them; the appended bytes are not valid then.
 */
int event_fields_solve(struct event_fields *f, const struct dump_rec *r, struct buf *out);
/* Appends the lines of the fields of format @n and its print fmt, for the event's format. */
void event_fields_format(const struct event_fields *f, int n, struct buf *out);
void event_fields_free(struct event_fields *f);

#endif
