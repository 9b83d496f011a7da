/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compiles print fmts to flat, immutable programs, which any number of threads can run at once. */
#ifndef FTR_EVENT_PROG_H
#define FTR_EVENT_PROG_H

#include "event/data/data.h"

struct ev_engine;
struct prog;

/*
 * Compiles the print fmt of @fmt; limits are in expr.h. NULL if no part of it can be used. *why
 * (the caller frees) is set if an argument needs something that only the running kernel knows: that
 * argument is printed as name(raw values).
 */
struct prog *prog_compile(const struct ev_format *fmt, const struct ev_world *w, char **why);
void prog_free(struct prog *g);
/* False, with nothing printed, if the record is too short for the program's reads. */
bool prog_run(const struct prog *g, struct ev_engine *e, const struct ev_rec *r, struct buf *out);

#endif
