/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fields of an event. */
#include "oops/fields/fields.h"

#include <stdlib.h>
#include <string.h>

struct oops_solver {
	const struct oops_syms *syms;
	const struct formats *formats;
};
struct oops_fields {
	char *system, *name;
};
struct oops_solver *oops_solver_new(const struct oops_syms *syms, const struct formats *formats)
{
	struct oops_solver *s = xcalloc(1, sizeof(*s));

	s->syms = syms;
	s->formats = formats;
	return s;
}
void oops_solver_free(struct oops_solver *s)
{
	free(s);
}
struct oops_fields *oops_fields_new(struct oops_solver *s, const char *name)
{
	struct oops_fields *f = xcalloc(1, sizeof(*f));

	(void)s;
	f->name = xstrdup(name);
	f->system = xstrdup("dump");
	return f;
}
const char *oops_fields_system(const struct oops_fields *f)
{
	return f->system;
}
const char *oops_fields_name(const struct oops_fields *f)
{
	return f->name;
}
bool oops_fields_is(const struct oops_fields *f, const char *before, struct span_text name)
{
	size_t n = strlen(before);

	return strlen(f->name) == n + name.len && !memcmp(f->name, before, n) &&
	       !memcmp(f->name + n, name.p, name.len);
}
bool oops_fields_solve(struct oops_fields *f, const struct dump_rec *r, struct buf *out)
{
	(void)f, (void)r, (void)out;
	return false;
}
void oops_fields_format(const struct oops_fields *f, struct buf *out)
{
	(void)f, (void)out;
}
void oops_fields_free(struct oops_fields *f)
{
	free(f->system);
	free(f->name);
	free(f);
}
