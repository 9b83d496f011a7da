/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Print fmts compiled to programs: flat, immutable, run by any number of threads at once. */
#ifndef FTR_EVENT_PROG_H
#define FTR_EVENT_PROG_H

#include "event/data/data.h"

struct ev_engine;
struct prog;

/*
 * Compiles the print fmt of @fmt; limits are in expr.h. NULL when nothing of it can be used. *why
 * is set (the caller's to free) when there is something that only the running kernel knows: that
 * argument alone is printed as name(raw values) then.
 */
struct prog *prog_compile(const struct ev_format *fmt, const struct ev_world *w, char **why);
void prog_free(struct prog *g);
/* False, with nothing printed, when the record is shorter than what the program reads. */
bool prog_run(const struct prog *g, struct ev_engine *e, const struct ev_rec *r, struct buf *out);

#endif
