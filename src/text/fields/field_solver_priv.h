/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A print fmt as its parts, and the state of the solver of fields. */
#ifndef FTR_TEXT_FIELDS_FIELD_SOLVER_PRIV_H
#define FTR_TEXT_FIELDS_FIELD_SOLVER_PRIV_H

#include "event/event.h"
#include "text/fields/field_solver.h"
#include "record/capture/capture_formats.h"

/* --- print_fmt_parts.c: literals, conversions, and the variables that each conversion shows */

#define COMMON_BYTES 8		/* of the common fields of a record */

#define PARTS_VARS   32
#define PARTS_CONVS  48
#define PARTS_TABLE  256
#define PARTS_FIELDS 32

/* An entry { value, "name" } of a conversion's table. */
struct table_row {
	uint64_t value;
	char    *name;
};

/* A conversion with its arguments. */
struct solver_conv {
	char    *spec;			/* "%03d" */
	struct strv args;
	uint32_t vars;			/* bits of the variables that it shows */
	unsigned int shift;		/* N of the first ">> N", in bits */
	struct table_row *table;
	size_t   nr_table, cap_table;
};

/* Adjacent conversions, and the literal before them. */
struct conv_group {
	struct buf literal;
	size_t   first, n;		/* indices of ->convs */
	uint32_t vars;			/* bits of the variables that they show */
};

enum var_kind { VAR_NUM, VAR_CHARS, VAR_TEXT, VAR_STACK };

/*
 * A number or a string of a record, or a stack. Each element of an array of numbers is a variable.
 */
struct solver_var {
	enum var_kind kind;
	size_t   field;			/* index of ->fields */
	uint32_t index;			/* index in its array */
	uint32_t size;			/* bytes of the number, or of the array of characters */
};

/* A field in the format of the new file. */
struct new_field {
	const struct ev_field *from;
	char    *decl;			/* "char comm[16]" */
	uint32_t offset;
};

struct fmt_parts {
	struct new_field fields[PARTS_FIELDS];
	size_t nr_fields;
	struct solver_var vars[PARTS_VARS];
	size_t nr_vars;
	struct solver_conv convs[PARTS_CONVS];
	size_t nr_convs;
	struct conv_group groups[PARTS_CONVS + 1];
	size_t nr_groups;
	struct buf tail;		/* the last literal */
	uint32_t size;			/* bytes of the record without strings */
	uint32_t stack;			/* the bit of the variable that is a stack, or 0 */
};

/*
 * Parses the print fmt of @f, whose text is @text. Returns false if a part of it can't be solved.
 */
bool fmt_parts_parse(struct fmt_parts *p, const struct ev_format *f, const char *text);
/* Appends the lines of the fields of a format, without the common ones. */
void fmt_parts_print_fields(const struct fmt_parts *p, struct buf *out);
/*
 * Appends the fields and the print fmt @print of the event's @p, with a text for each number that
 * is only shown as a name: another kernel may have another number for it, unless all that are known
 * have the same. Returns false if there is none.
 */
bool fmt_parts_print_names(const struct fmt_parts *p, const char *event, const char *print,
			   struct buf *out);
void fmt_parts_release(struct fmt_parts *p);

/* --- the solver */

#define CALL_PARAMS 8		/* limit for parameters of a system call */

/* The value found for a text. */
struct cached_value {
	char    *text;			/* NULL: the slot is empty */
	size_t   len;
	uint64_t value;
	bool     good;			/* there is a value */
};

/* Contents of user memory that follow the number of a parameter. */
enum call_user { CALL_NUMBER, CALL_STRING, CALL_BYTES };

/* A parameter of one record. */
struct call_param {
	struct span_text name;
	enum call_user user;
	uint64_t value;
	size_t   digits;		/* CALL_NUMBER: number of digits in the text */
	bool     prefix;		/* CALL_NUMBER: "0x" stands before them */
	struct span_text memory;	/* a string without quotes; bytes as "7f:45" */
};

/* The value of a variable in one record. */
struct var_value {
	uint64_t num;
	struct span_text str;
};

struct field_solver {
	const struct dump_syms *syms;
	const struct format_files *formats;
	struct textmap by_event;	/* event -> its last format, index + 1 */
	size_t  *older;			/* for each format the one before it of that name, + 1 */
	bool     slow;			/* use no decoder */
	size_t   nr_values;		/* events whose formats are made from their texts */
	struct buf kallsyms;
	struct ev_syms *symbols;
	/* for the record being solved */
	struct span_text chunks[PARTS_CONVS + 1];	/* the chunk printed by each group */
	struct var_value values[PARTS_VARS];
	struct buf stack;		/* addresses of its stack */
};

struct text_fields {
	struct field_solver *solver;
	char    *system, *name;
	bool     usable;
	size_t   good, bad;		/* solved and unsolved records */
	uint64_t names;			/* bit n: the field n is a name, not a number */

	struct ev_format from;		/* the kernel's format */
	char    *text;			/* its text */
	char    *print;			/* the print fmt of the file if it differs, or NULL */
	struct fmt_parts *p;		/* NULL: the event has no format */
	struct event_meta meta;
	/* [0] is that of the file, then one for each variable, one for each group */
	struct ev_format *formats;
	bool    *tried;			/* formats that were made, or can't be */
	struct ev_engine *engine;
	struct cached_value *cache[PARTS_VARS];
	bool     bare;			/* symbols have no size: only the decoder reads them */
	struct text_decoder *decoder;	/* NULL: none yet, or none for this print fmt */

	/* for the record being solved, as ->solver->chunks */
	uint32_t solved;		/* bits of variables */
	unsigned int splits, tries;	/* positions tried, complete splits tried */
	struct buf bytes, shown;	/* the record, its rendered text */

	/* a system call: its parameters, from its first record */
	bool     is_enter, is_exit, has_params;
	char    *params[CALL_PARAMS];
	enum call_user users[CALL_PARAMS];
	size_t   nr_params;
};

/* --- field_solver.c: the fields of one format */

/* Returns the fields of a system call, "sys_enter_NAME" or "sys_exit_NAME". */
struct text_fields *text_fields_of_call(struct field_solver *s, const char *name);
/*
 * Returns the fields of the format in the @len bytes of @text. @print is the print fmt for the file
 * if the format has another one, that of the texts; or NULL.
 */
struct text_fields *text_fields_of_format(struct field_solver *s, const char *system,
					  const char *name, const char *text, size_t len,
					  const char *print);
/*
 * Returns the fields of @f with names as text, as fmt_parts_print_names() has them, and frees @f;
 * @f itself if there are no names.
 */
struct text_fields *text_fields_with_names(struct text_fields *f);
/*
 * Returns the fields of the format of @base, for texts of the print fmt @print. With @bare symbols
 * are "name+0x1" in them.
 */
struct text_fields *text_fields_of_print(const struct text_fields *base, const char *print,
					 bool bare);
/* As event_fields_solve() and event_fields_format(). */
bool text_fields_solve(struct text_fields *f, const struct dump_rec *r, struct buf *out);
void text_fields_format(const struct text_fields *f, struct buf *out);
void text_fields_free(struct text_fields *f);
/*
 * Finds values of @vars that show the ->chunks of the @n @groups, which show no other variables.
 * Returns false if there are none.
 */
bool fields_solve_unit(struct text_fields *f, uint32_t vars, const uint8_t *groups, size_t n);
/* Renders the number @v as @var, into ->shown. Returns false if it is not shown. */
bool fields_show_number(struct text_fields *f, size_t var, uint64_t v);

/* --- text_decoder.c: reads fields without trying */

struct text_decoder;
/* Returns a decoder of the texts of @f, or NULL if its print fmt has none. */
struct text_decoder *text_decoder_new(struct text_fields *f);
/* Appends the fields in @text. Returns false, and appends nothing, if it can't read them. */
bool text_decoder_solve(struct text_decoder *d, struct text_fields *f, struct span_text text,
			struct buf *out);
void text_decoder_free(struct text_decoder *d);

/* --- syscall_fields.c */

/*
 * Solves a record of a system call: fills ->bytes. Returns false if the text does not determine
 * them.
 */
bool fields_solve_call(struct text_fields *f, struct span_text text);
/* Appends the lines of the fields and the print fmt of a system call. */
void fields_call_format(const struct text_fields *f, struct buf *out);

#endif
