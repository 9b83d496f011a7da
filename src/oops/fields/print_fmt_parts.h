/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A print fmt taken apart: literals, conversions, and which values each conversion shows. */
#ifndef FTR_OOPS_FIELDS_PRINT_FMT_PARTS_H
#define FTR_OOPS_FIELDS_PRINT_FMT_PARTS_H

#include "event/data/data.h"
#include "oops/log/log_dump.h"

#define PIECES_VARS   32
#define PIECES_CONVS  48
#define PIECES_TABLE  256
#define PIECES_FIELDS 32

/* One { value, "name" } of a conversion's lists. */
struct table_row {
	uint64_t value;
	char    *name;
};

/* A conversion with its arguments. */
struct conv {
	char    *spec;			/* "%03d" */
	struct strv args;
	uint32_t vars;			/* bits of ->vars that it shows */
	unsigned int shift;		/* of its first ">> N" */
	struct table_row *table;
	size_t   nr_table, cap_table;
};

/* Conversions with nothing between them, and the literal before them. */
struct group {
	struct buf literal;
	size_t   first, n;		/* of ->convs */
	uint32_t vars;
};

enum var_kind { VAR_NUM, VAR_CHARS, VAR_TEXT };

/* A number or a string of a record; of an array of numbers each element is one. */
struct var {
	enum var_kind kind;
	size_t   field;			/* of ->fields */
	uint32_t index;			/* in its array */
	uint32_t size;			/* bytes of the number, or of the array of characters */
};

/* A field as it stands in the file. */
struct new_field {
	const struct ev_field *from;
	char    *decl;			/* "char comm[16]" */
	uint32_t offset;
};

struct pieces {
	struct new_field fields[PIECES_FIELDS];
	size_t nr_fields;
	struct var vars[PIECES_VARS];
	size_t nr_vars;
	struct conv convs[PIECES_CONVS];
	size_t nr_convs;
	struct group groups[PIECES_CONVS + 1];
	size_t nr_groups;
	struct buf tail;		/* the last literal */
	uint32_t size;			/* bytes of the record's fixed part */
};

/* Of the format @f, whose text is @text. False where some of it is beyond what can be solved. */
bool pieces_parse(struct pieces *p, const struct ev_format *f, const char *text);
/* Lines of the fields of a format, behind the common ones. */
void pieces_print_fields(const struct pieces *p, struct buf *out);
void pieces_release(struct pieces *p);

#endif
