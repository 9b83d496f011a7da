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

struct ctype {
	uint8_t size;		/* bytes, of a pointer the long's; 0: void, or a structure */
	bool    sign, is_bool;
	uint8_t ptr;		/* how many '*' */
	uint8_t esize;		/* of what a pointer points to; 0: void, or not known */
	bool    esign;
	uint8_t tag;		/* of the structure, or of what is pointed to: enum ctype_tag */
	bool    named;		/* a name that is not known: a cast to it changes nothing */
};

/* Structures whose members print fmts read. */
enum ctype_tag {
	CTYPE_NO_TAG, CTYPE_OTHER_TAG, CTYPE_DRM_RECT, CTYPE_MMU_ROLE, CTYPE_VOID,
	CTYPE_PAGE,		/* its size alone */
};

struct ctype ctype_int(uint8_t size, bool sign);
struct ctype ctype_pointer(uint8_t long_size, uint8_t esize, bool esign);
/*
 * Reads a type name: "unsigned long", "const struct page *", "u8". False, with nothing read, when
 * no name stands there, or one with which no type starts.
 */
bool ctype_read(struct lex *l, uint8_t long_size, struct ctype *t);
/* What operands of + - * / ... are converted to; integer promotion is with itself. */
struct ctype ctype_common(struct ctype a, struct ctype b);
/* @v as a value of that type: cut, then extended to 64 bits. */
uint64_t ctype_convert(struct ctype t, uint64_t v);

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
	X_OPTIONS,		/* of the kernel's text: print-parent 1, sym-offset 2, sym-addr 4 */
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
	X_REST,			/* all from offset a on */
	X_DYN,			/* the dynamic field num, with its location at a */
	X_PADD,			/* pointer a plus number b, each num bytes */
	/* texts */
	X_FLAGS, X_SYMBOLIC,	/* of a, table b */
	X_HEX,			/* of pointer a, b bytes; num: joined */
	X_ARRAY,		/* of pointer a, b elements of num bytes; c: without braces */
	X_DUMP,			/* __print_hex_dump() of the call a */
	X_MASK,			/* of pointer a; num: a cpumask */
	X_STACK,		/* addresses at pointer a */
	X_PICK,			/* the string number a of table b */
	X_PRINTF,		/* the nested print fmt of the call a */
	X_PLUGIN,		/* a function of a plugin; may also be a number */
	X_FOREIGN,	/* a function that only the kernel knows: name(values) of the call a */
};

enum xkind { XK_NUM, XK_PTR, XK_TEXT };

struct xnode {
	uint8_t  op, kind;
	bool     unknown;	/* it depends on something that only the kernel knows */
	uint16_t height;
	struct ctype t;
	uint32_t a, b, c;
	uint32_t cost;
	uint32_t who;		/* if ->unknown: the X_FOREIGN that it depends on */
	uint64_t num;
};

/* {value, "NAME"} tables; X_PICK's have names only. */
struct xtable {
	uint32_t first, n;	/* entries */
	uint32_t delim, delim_len;
	bool     has_delim;
	bool     wide;		/* _u64: values are not truncated to a long */
};

/* What is told of an X_FOREIGN. */
enum xwhy {
	X_WHY_NAME,		/* the kernel's name or function */
	X_WHY_MEMBER,		/* of a structure that is not known */
	X_WHY_STRUCT,		/* a compound literal as a whole */
	X_WHY_MEMORY,		/* what an address of the kernel points to */
	X_WHY_SIZE,		/* of a structure */
	X_WHY_ADDRESS,		/* where the record lay in the kernel's buffer */
};

/* A call: its arguments are ->args[first, first + n). */
struct xcall {
	enum xwhy why;
	uint32_t name, name_len;
	uint32_t first, n;
	const struct plug_func *plug;	/* X_PLUGIN */
	unsigned int skip;		/* number of first '-' arguments that the call lacks */
	uint32_t prog_first;	/* X_PRINTF: of its operations */
};

struct xcode {
	struct buf    text;				/* strings and names, sanitised */
	struct xnode *nodes;	size_t nr, cap;		/* [0] is no node */
	struct xtable *tables;	size_t nr_tables, cap_tables;
	struct list_entry *entries; size_t nr_entries, cap_entries;
	uint32_t     *names;	size_t cap_names; /* names of the entries: offsets into ->text */
	struct xcall *calls;	size_t nr_calls, cap_calls;
	uint32_t     *args;	size_t nr_args, cap_args;
};

#define X_VARS_MAX	16

/* A variable of a statement expression: its value so far. */
struct xvar {
	const char *name;
	size_t   len;
	struct ctype t;
	uint32_t node;		/* 0: not set yet */
	uint32_t table;		/* an array of strings: index + 1 of the table */
};

struct xlits;

struct xparse {
	const struct ev_format *fmt;
	uint8_t  long_size;
	struct lex lex;
	bool     big;
	struct xcode *code;
	unsigned int depth;
	struct xvar vars[X_VARS_MAX];
	unsigned int nr_vars;
	struct xlits *lits;	/* compound literals, of x_lits_free() */
	uint32_t printed;	/* node of the trace_seq_printf() of a statement expression, or 0 */
	const struct ev_plugins *plugins;
	const struct ev_world *world;
	uint32_t kernel;	/* of the world */
	struct buf *notes;	/* unknown values of arguments that are printed nevertheless */
	/* prog.c: compiles a trace_seq_printf(); 0 if it can't */
	uint32_t (*nested)(struct xparse *p, const char *fmt, size_t len);
	void    *nested_ctx;
	char     why[160];	/* after a 0 */
};

void xcode_release(struct xcode *c);

/* --- parsing: each returns a node, or 0 with p->why set */

/* An expression up to a comma or a closing bracket. */
uint32_t x_expr(struct xparse *p);
/* A comma expression. */
uint32_t x_comma(struct xparse *p);
/* expr_call.c: a call of @name; the current token is after the opening parenthesis. */
uint32_t x_call(struct xparse *p, const char *name, size_t len);
/*
 * "value, name }" with "{" taken; *end when the name is NULL, which ends the kernel's tables.
 */
uint32_t x_table_entry(struct xparse *p, struct xtable *t, bool *end);
/* expr.c: the table that a variable is, its index + 1. */
uint32_t x_table_variable(struct xparse *p);
/* expr_stmt.c: a statement expression; the current token is after "({". */
uint32_t x_statements(struct xparse *p);

/*
 * expr_lit.c: "TYPE) { ... }" behind a parenthesis. False, with nothing read, if none stands there;
 * *n is the node, 0 if it can't be parsed.
 */
bool x_literal(struct xparse *p, uint32_t *n);
void x_lits_free(struct xlits *l);

/* --- making nodes: operands of the wrong kind are an error, constants are folded */

uint32_t x_fail(struct xparse *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
uint32_t x_expect(struct xparse *p, const char *op);	/* 1, or 0 */
uint32_t x_num(struct xparse *p, struct ctype t, uint64_t v);
/* Number of the members a, b, c that are nodes. */
unsigned int x_operands(enum xop op);
uint32_t x_node(struct xparse *p, struct xnode n);	/* sets ->height, ->cost and ->who */
uint32_t x_binary(struct xparse *p, enum xop op, uint32_t a, uint32_t b);
uint32_t x_cond(struct xparse *p, uint32_t c, uint32_t a, uint32_t b);
uint32_t x_cast(struct xparse *p, struct ctype t, uint32_t a);
uint32_t x_truth(struct xparse *p, uint32_t a);		/* a number to test */
/* Adjacent string literals from the current token on. */
uint32_t x_string(struct xparse *p);
/* Appends the text, sanitised. Returns its offset, and its length in *added. */
uint32_t x_text(struct xparse *p, const char *s, size_t len, uint32_t *added);
/* A call that only the kernel can evaluate: @name with @n arguments. */
uint32_t x_foreign(struct xparse *p, const char *name, size_t len, const uint32_t *args, size_t n);
/* A pointer to the bytes of a field; of a dynamic field to its data. */
uint32_t x_field_ptr(struct xparse *p, const struct ev_field *f);
static inline struct xnode *x_at(struct xparse *p, uint32_t i)
{
	return &p->code->nodes[i];
}
static inline bool x_is_const(struct xparse *p, uint32_t i)
{
	return x_at(p, i)->op == X_NUM;
}

/* Applies @op to numbers of type @t. Used for constant folding and by the runner. */
uint64_t x_apply(enum xop op, struct ctype t, uint64_t a, uint64_t b);

/* x_foreign() of an operator, with what is told of it. */
uint32_t x_lacking(struct xparse *p, enum xwhy why, const char *name, size_t len,
		   const uint32_t *args, size_t n);

/*
 * expr_lit.c: a member or an element of the literal @base, which x_lit_of() has. 0 with an empty
 * p->why: the literal does not tell.
 */
uint32_t x_lit_member(struct xparse *p, uint32_t base, const char *name, size_t len);
uint32_t x_lit_index(struct xparse *p, uint32_t base, uint32_t i);
/* The only value of a literal, which is what functions that unpack a type return; else @n. */
uint32_t x_lit_only(struct xparse *p, uint32_t n);
/* Nonzero for a literal with parts; expr_lit.c's number of it. */
static inline uint32_t x_lit_of(struct xparse *p, uint32_t n)
{
	return x_at(p, n)->op == X_FOREIGN ? x_at(p, n)->b : 0;
}

/* expr_known.c: the value of a name of the kernel; x_foreign() if it is unknown. */
uint32_t x_known(struct xparse *p, const char *name, size_t len);
/* x_words(): the strings of a node that is an array of strings, or NULL. x_word(): one of them. */
const struct xtable *x_words(struct xparse *p, uint32_t n);
uint32_t x_word(struct xparse *p, uint32_t array, uint32_t i);

#endif
