/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Expressions of a print fmt as typed nodes in one array, children before parents. They are
 * immutable once made.
 */
#ifndef FTR_EVENT_EXPR_H
#define FTR_EVENT_EXPR_H

#include <stdbool.h>
#include <stdint.h>

#include "event/data/data.h"
#include "event/expr/lex.h"
#include "event/print/conv.h"

/* --- ctype.c: the C types that a print fmt computes with */

struct expr_ctype {
	uint8_t size;		/* bytes; 0 for void and structures */
	bool    sign, is_bool;
	uint8_t ptr;		/* number of '*' */
	uint8_t esize;		/* bytes of a pointer's element; 0: void, or unknown */
	bool    esign;
	uint8_t tag;		/* of a structure, or of a pointer's element: enum ctype_tag */
	bool    named;		/* an unknown name: a cast to it has no effect */
};

/* Structures whose members print fmts read. */
enum ctype_tag {
	CTYPE_NO_TAG, CTYPE_OTHER_TAG, CTYPE_DRM_RECT, CTYPE_MMU_ROLE, CTYPE_VOID,
	CTYPE_PAGE,		/* only its size is used */
};

struct expr_ctype ctype_int(uint8_t size, bool sign);
struct expr_ctype ctype_pointer(uint8_t long_size, uint8_t esize, bool esign);
/*
 * Parses a type name: "unsigned long", "const struct page *", "u8". Returns false, with nothing
 * parsed, if there is no name, or one that starts no type.
 */
bool ctype_parse(struct expr_lexer *l, uint8_t long_size, struct expr_ctype *t);
/*
 * Returns the type to which operands of + - * / ... are converted. With @a twice it is the promoted
 * type.
 */
struct expr_ctype ctype_common(struct expr_ctype a, struct expr_ctype b);
/* Returns @v as a value of type @t: cut, then extended to 64 bits. */
uint64_t ctype_convert(struct expr_ctype t, uint64_t v);

/* --- nodes */

/* Limits for one print fmt. Real ones are far below them. */
#define X_DEPTH_MAX	300	/* nesting in the text */
#define X_HEIGHT_MAX	400	/* height of the tree of nodes: the runner recurses */
#define X_NODES_MAX	20000
#define X_COST_MAX	50000	/* largest number of nodes visited for one argument */
#define X_ENTRIES_MAX	20000	/* entries of tables */

enum xop {
	X_NONE,
	/* numbers */
	X_NUM,			/* ->num */
	X_LOAD,			/* the field at offset a, of type t */
	X_DEREF,		/* the value that pointer a points to, of type t */
	X_OPTIONS,		/* the options print-parent 1, sym-offset 2, sym-addr 4 */
	X_LEN,			/* length in bytes of the dynamic field b, with its location at a */
	X_TRUTH,		/* the pointer a is not NULL */
	X_NEG, X_COM, X_NOT, X_CAST,
	X_MUL, X_DIV, X_MOD, X_ADD, X_SUB, X_SHL, X_SHR, X_LT, X_GT, X_LE, X_GE, X_EQ, X_NE,
	X_AND, X_XOR, X_OR, X_LAND, X_LOR,
	X_COND,			/* a ? b : c, of any kind */
	X_ELVIS,		/* a ?: b */
	X_SWAP,			/* bytes of a, whose type is t, reversed */
	X_LOG2,			/* index of the highest bit of a */
	X_ORDER2,		/* number of bits of a - 1 */
	/* pointers */
	X_STR,			/* the string at a, of b bytes, in the program */
	X_FIELD,		/* the b bytes at offset a of the record */
	X_REST,			/* the rest of the record from offset a */
	X_DYN,			/* the dynamic field num, with its location at a */
	X_PADD,			/* pointer a plus number b, each num bytes */
	/* texts */
	X_FLAGS, X_SYMBOLIC,	/* the names for number a in table b */
	X_HEX,			/* b bytes at pointer a; num: without blanks */
	X_ARRAY,		/* b elements of num bytes at pointer a; c: without braces */
	X_DUMP,			/* __print_hex_dump() of the call a */
	X_MASK,			/* the mask at pointer a; num: a cpumask */
	X_STACK,		/* addresses at pointer a */
	X_PICK,			/* the string number a of table b */
	X_PRINTF,		/* the nested print fmt of the call a */
	X_PLUGIN,		/* a function of a plugin; may also be a number */
	X_FOREIGN,	/* a function that only the kernel knows: name(values) of the call a */
};

enum xkind { XK_NUM, XK_PTR, XK_TEXT };

struct expr_node {
	uint8_t  op, kind;
	bool     unknown;	/* it depends on something that only the kernel knows */
	uint16_t height;
	struct expr_ctype t;
	uint32_t a, b, c;
	uint32_t cost;
	uint32_t cause;		/* the X_FOREIGN that it depends on if ->unknown */
	uint64_t num;
};

/* A table of {value, "NAME"}. Tables of X_PICK have names only. */
struct expr_table {
	uint32_t first, n;	/* entries */
	uint32_t delim, delim_len;
	bool     has_delim;
	bool     wide;		/* _u64: values are not truncated to a long */
};

/* Why a node is an X_FOREIGN. */
enum xwhy {
	X_WHY_NAME,		/* the kernel's name or function */
	X_WHY_MEMBER,		/* a member of an unknown structure */
	X_WHY_STRUCT,		/* a compound literal as a whole */
	X_WHY_MEMORY,		/* memory at an address of the kernel */
	X_WHY_SIZE,		/* the size of a structure */
	X_WHY_ADDRESS,		/* the address of the record in the kernel's buffer */
};

/* A call: its arguments are ->args[first, first + n). */
struct expr_call {
	enum xwhy why;
	uint32_t name, name_len;
	uint32_t first, n;
	const struct plug_func *plug;	/* X_PLUGIN */
	unsigned int skip;		/* number of first '-' arguments that the call lacks */
	uint32_t prog_first;	/* X_PRINTF: index of its first operation */
};

struct expr_code {
	struct buf    text;				/* strings and names, sanitised */
	struct expr_node *nodes;	size_t nr, cap;		/* [0] is unused */
	struct expr_table *tables;	size_t nr_tables, cap_tables;
	struct list_entry *entries; size_t nr_entries, cap_entries;
	uint32_t     *names;	size_t cap_names; /* names of the entries: offsets into ->text */
	struct expr_call *calls;	size_t nr_calls, cap_calls;
	uint32_t     *args;	size_t nr_args, cap_args;
};

#define X_VARS_MAX	16

/* A variable of a statement expression: its value so far. */
struct expr_var {
	const char *name;
	size_t   len;
	struct expr_ctype t;
	uint32_t node;		/* 0: not set yet */
	uint32_t table;		/* index + 1 of the table if it is an array of strings */
};

struct expr_literals;

struct expr_parser {
	const struct ev_format *fmt;
	uint8_t  long_size;
	struct expr_lexer lex;
	bool     big;
	struct expr_code *code;
	unsigned int depth;
	struct expr_var vars[X_VARS_MAX];
	unsigned int nr_vars;
	struct expr_literals *lits;	/* compound literals; freed by x_lits_free() */
	uint32_t printed;	/* node of the trace_seq_printf() of a statement expression, or 0 */
	const struct ev_plugins *plugins;
	const struct event_meta *meta;
	uint32_t kernel;	/* the world's */
	struct buf *notes;	/* why printed arguments have unknown values */
	/* prog.c: compiles a trace_seq_printf(); returns 0 if that fails */
	uint32_t (*nested)(struct expr_parser *p, const char *fmt, size_t len);
	void    *nested_ctx;
	char     why[160];	/* the reason if a function returns 0 */
};

void xcode_release(struct expr_code *c);

/* --- parsing: each returns a node, or 0 with p->why set */

/* Parses an expression up to a comma or a closing bracket. */
uint32_t x_expr(struct expr_parser *p);
/* Parses a comma expression. */
uint32_t x_comma(struct expr_parser *p);
/* expr_call.c: parses a call of @name; the current token is after the opening parenthesis. */
uint32_t x_call(struct expr_parser *p, const char *name, size_t len);
/*
 * Parses "value, name }" after the "{". *end is set if the name is NULL, which ends the kernel's
 * tables.
 */
uint32_t x_table_entry(struct expr_parser *p, struct expr_table *t, bool *end);
/* expr.c: parses the name of a variable that is a table. Returns the table's index + 1. */
uint32_t x_table_variable(struct expr_parser *p);
/* expr_stmt.c: parses a statement expression; the current token is after "({". */
uint32_t x_statements(struct expr_parser *p);

/*
 * expr_lit.c: parses "TYPE) { ... }" after a parenthesis. Returns false, with nothing parsed, if
 * there is no literal. *n is the node, 0 if it can't be parsed.
 */
bool x_literal(struct expr_parser *p, uint32_t *n);
void x_lits_free(struct expr_literals *l);

/* --- making nodes: operands of the wrong kind are an error, constants are folded */

uint32_t x_fail(struct expr_parser *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
uint32_t x_expect(struct expr_parser *p, const char *op); /* returns 1, or 0 if it is missing */
uint32_t x_num(struct expr_parser *p, struct expr_ctype t, uint64_t v);
/* Returns the number of the members a, b, c that are nodes. */
unsigned int x_operands(enum xop op);
uint32_t x_node(struct expr_parser *p, struct expr_node n); /* sets ->height, ->cost and ->cause */
uint32_t x_binary(struct expr_parser *p, enum xop op, uint32_t a, uint32_t b);
uint32_t x_cond(struct expr_parser *p, uint32_t c, uint32_t a, uint32_t b);
uint32_t x_cast(struct expr_parser *p, struct expr_ctype t, uint32_t a);
uint32_t x_truth(struct expr_parser *p, uint32_t a);		/* returns a number to test */
/* Parses adjacent string literals from the current token on. */
uint32_t x_string(struct expr_parser *p);
/* Appends the text, sanitised. Returns its offset, and its length in bytes in *added. */
uint32_t x_text(struct expr_parser *p, const char *s, size_t len, uint32_t *added);
/* Returns a call of @name with @n arguments that only the kernel can evaluate. */
uint32_t x_foreign(struct expr_parser *p, const char *name, size_t len, const uint32_t *args,
		   size_t n);
/* Returns a pointer to the bytes of a field, or to the data of a dynamic field. */
uint32_t x_field_ptr(struct expr_parser *p, const struct ev_field *f);
static inline struct expr_node *x_at(struct expr_parser *p, uint32_t i)
{
	return &p->code->nodes[i];
}
static inline bool x_is_const(struct expr_parser *p, uint32_t i)
{
	return x_at(p, i)->op == X_NUM;
}

/* Returns the result of @op for numbers of type @t. Used for constant folding and by the runner. */
uint64_t x_apply(enum xop op, struct expr_ctype t, uint64_t a, uint64_t b);

/* x_foreign() of an operator, with the reason. */
uint32_t x_foreign_why(struct expr_parser *p, enum xwhy why, const char *name, size_t len,
		       const uint32_t *args, size_t n);

/*
 * expr_lit.c: return a member or an element of the literal @base, for which x_lit_id() is not 0.
 * They return 0 with an empty p->why if the literal has no such part.
 */
uint32_t x_lit_member(struct expr_parser *p, uint32_t base, const char *name, size_t len);
uint32_t x_lit_index(struct expr_parser *p, uint32_t base, uint32_t i);
/* Returns the only value of a literal, as functions that unpack a type do, else @n. */
uint32_t x_lit_only(struct expr_parser *p, uint32_t n);
/* Returns the number of a literal with parts, else 0. */
static inline uint32_t x_lit_id(struct expr_parser *p, uint32_t n)
{
	return x_at(p, n)->op == X_FOREIGN ? x_at(p, n)->b : 0;
}

/* expr_call.c: returns the value of a name of the kernel, or x_foreign() if it is unknown. */
uint32_t x_kernel_value(struct expr_parser *p, const char *name, size_t len);
/*
 * x_words() returns the strings of a node that is an array of strings, or NULL; x_word() one of
 * them.
 */
const struct expr_table *x_words(struct expr_parser *p, uint32_t n);
uint32_t x_word(struct expr_parser *p, uint32_t array, uint32_t i);

#endif
