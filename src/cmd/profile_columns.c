/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Columns of rows of a profile. */
#include "cmd/profile_columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* A number of a row, or a value computed from its distribution. */
static const struct field_kind {
	const char *name, *title;
	bool is_count;
	size_t at;			/* offset of the number in struct profile_row */
	double (*of)(const struct value_dist *d);
} field_kinds[] = {
#define ROW_AT(member) offsetof(struct profile_row, member)
	{ "total", "Total", false, ROW_AT(total), NULL },
	{ "avg", "Avg", false, 0, dist_mean },
	{ "max", "Max", false, ROW_AT(d.max), NULL },
	{ "count", "Count", true, ROW_AT(count), NULL },
	{ "self", "Self", false, ROW_AT(self), NULL },
	{ "min", "Min", false, ROW_AT(d.min), NULL },
	{ "stddev", "Stddev", false, 0, dist_stddev },
	{ "irq", "Irq", false, ROW_AT(irq), NULL },
	{ "off", "Off", false, ROW_AT(off), NULL },
	/* last: pN for any N */
	{ "p", "P", false, 0, NULL },
#undef ROW_AT
};
#define NR_KINDS (sizeof(field_kinds) / sizeof(*field_kinds))
#define PERCENTILE (&field_kinds[NR_KINDS - 1])

int field_parse(struct profile_column *f, const char *name, struct ftr_error *err)
{
	char *end;

	*f = (struct profile_column){0};
	snprintf(f->name, sizeof(f->name), "%s", name);
	for (size_t i = 0; i + 1 < NR_KINDS; i++) {
		if (!strcmp(name, field_kinds[i].name)) {
			f->kind = &field_kinds[i];
			return 0;
		}
	}
	if (strlen(name) < FIELD_NAME_MAX && *name == 'p' && name[1] >= '0' && name[1] <= '9') {
		f->percent = strtod(name + 1, &end);
		f->kind = PERCENTILE;
		if (!*end && f->percent > 0 && f->percent <= 100)
			return 0;
	}
	err_set(err, FTR_USAGE, "unknown column '%s'", name);
	return err_hint(err, "there are: total, avg, max, count, self, min, stddev, irq, off, "
			"and percentiles as p50, p99.9");
}

double field_value(const struct profile_column *f, const struct profile_row *r)
{
	if (f->kind == PERCENTILE)
		return dist_percentile(&r->d, f->percent);
	if (f->kind->of)
		return f->kind->of(&r->d);
	return *(const uint64_t *)((const char *)r + f->kind->at);
}

bool field_is_percentile(const struct profile_column *f)
{
	return f->kind == PERCENTILE;
}

bool field_is_count(const struct profile_column *f)
{
	return f->kind->is_count;
}

const char *field_title(const struct profile_column *f)
{
	return f->kind == PERCENTILE ? f->name : f->kind->title;
}

void field_add_title(struct buf *b, const struct profile_column *f, bool is_ns)
{
	char title[FIELD_NAME_MAX + 8];

	snprintf(title, sizeof(title), "%s%s", field_title(f),
		 f->kind->is_count || !is_ns ? "" : " (us)");
	buf_printf(b, " %10s", title);
}

void field_add_value(struct buf *b, const struct profile_column *f, const struct profile_row *r,
		     bool is_ns)
{
	double v = field_value(f, r);

	if (f->kind->is_count)
		buf_printf(b, " %10.0f", v);
	else
		buf_printf(b, " %10.3f", is_ns ? v / 1000 : v);
}

void field_add_csv(struct buf *b, const char *text, bool raw)
{
	const char *guard = !raw && text_is_formula(text, strlen(text)) ? "'" : "";

	if (!text[strcspn(text, ",\"\n")]) {
		buf_printf(b, "%s%s", guard, text);
		return;
	}
	buf_printf(b, "\"%s", guard);
	for (; *text; text++)
		buf_printf(b, "%s%c", *text == '"' ? "\"" : "", *text);
	buf_addch(b, '"');
}
