/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compiler of print fmts. */
#include "event/prog.h"

struct prog *prog_compile(const struct ev_format *fmt, const struct ev_world *w, char **why)
{
	(void)fmt;
	(void)w;
	*why = xstrdup("not yet compiled");
	return NULL;
}

void prog_free(struct prog *g)
{
	(void)g;
}

bool prog_run(const struct prog *g, struct ev_engine *e, const struct ev_rec *r, struct buf *out)
{
	(void)g;
	(void)e;
	(void)r;
	(void)out;
	return false;
}
