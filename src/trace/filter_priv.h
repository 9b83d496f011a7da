/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to the filters: text patterns, the syntax tree of one -F, sets, the flat program. */
#ifndef FTR_TRACE_FILTER_PRIV_H
#define FTR_TRACE_FILTER_PRIV_H

#include <regex.h>

#include "trace/filter.h"

/* --- filter_match.c: patterns */

enum pat_kind { PAT_FULL, PAT_FRONT, PAT_MIDDLE, PAT_END, PAT_GLOB, PAT_REGEX };

/* A pattern that texts are compared with. */
struct filter_pattern {
	enum pat_kind kind;
	bool     not;		/* a glob with '!' in front */
	char    *text;		/* owned */
	size_t   len;
	regex_t  regex;
};

void pattern_exact(struct filter_pattern *p, const char *text, size_t len);
/* A glob as the kernel's ~ operator reads it. Simple forms get a faster kind. */
void pattern_glob(struct filter_pattern *p, const char *text, size_t len);
/* Returns -1 if @text is no regular expression. */
int pattern_regex(struct filter_pattern *p, const char *text, size_t len);
/* Returns true if the text matches, whatever ->not is. */
bool pattern_match(const struct filter_pattern *p, const char *text, size_t len);
void pattern_release(struct filter_pattern *p);

/* --- filter_parse.c */

enum ast_kind {
	AST_NUM, AST_STR, AST_FIELD, AST_CPUS, AST_ARITH, AST_CMP, AST_AND, AST_OR, AST_NOT,
};

enum ast_op {
	OP_EQ, OP_NE, OP_LT, OP_GT, OP_LE, OP_GE, OP_GLOB, OP_MATCH, OP_NO_MATCH,
	OP_BIT_OR, OP_BIT_XOR, OP_BIT_AND, OP_SHL, OP_SHR, OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MOD,
};

enum ast_postfix { POST_NONE, POST_FUNCTION, POST_USTRING };

struct ast {
	enum ast_kind kind;
	enum ast_op   op;
	struct ast   *l, *r;
	size_t   at, len;	/* in the filter's text */
	uint64_t num;
	char    *str;		/* AST_STR; the name of AST_FIELD */
	enum ast_postfix postfix;
	uint64_t *cpus;		/* AST_CPUS: bitmap of FILTER_CPU_BITS */
	struct filter_pattern *pat;	/* AST_CMP with a text on the right */
	bool     known;		/* AST_FIELD: an event has it */
};

/* "sched_switch", "sched:*", "sched/sched_.*" */
struct event_pat {
	char    *text;
	char    *system, *name;	/* system NULL: ->name may be either */
	size_t   at;
	regex_t  system_re, name_re;
	bool     has_system_re, has_name_re;
	bool     known;		/* an event matches */
};

/* One -F. */
struct filter_rule {
	struct filter_rule *next;
	char    *text;
	bool     negative;
	struct event_pat *events;	/* none: each event that has the fields */
	size_t   nr_events;
	struct ast *expr;		/* NULL: all records */
	bool     used;			/* it made sense for an event of a file */
};

/*
 * Sets FTR_USAGE: "cannot understand the filter: WHAT", the text, and a mark below [at, at + len).
 * Returns -1.
 */
int filter_fail(struct ftr_error *err, const char *text, size_t at, size_t len, const char *fmt,
		...) __attribute__((format(printf, 5, 6)));
/* Parses one -F. Returns NULL with @err if it is invalid. Free it with rule_free(). */
struct filter_rule *rule_parse(const char *text, bool negative, struct ftr_error *err);
void rule_free(struct filter_rule *rule);
bool event_pat_match(const struct event_pat *p, const char *system, const char *name);

/* --- filter_match.c: sets of addresses and pids, made before any record is read */

/* Addresses in [from, to). Ranges are sorted and disjoint. */
struct addr_range {
	uint64_t from, to;
};
struct addr_ranges {
	struct addr_range *v;
	size_t n, cap;
	/* for symbols that come and go, like those of modules: */
	const struct event_meta *w;	/* NULL: all symbols stay */
	const struct filter_pattern *pat;	/* for the name; NULL: the symbol at ->addr */
	uint64_t addr;
};

struct pid_set {
	uint64_t *bits;
	uint32_t  nr_bits;
	bool      others;	/* also pids without a name in the file, "<...>" */
};

/* A kallsyms text sorted by address, made on first use. */
struct kallsyms_table {
	const struct event_meta *w;
	const char *text;
	size_t      len;
	bool        built;
	struct table_symbol {
		uint64_t addr;
		uint32_t name, name_len;
	} *v;
	size_t n, cap;
};

/* Adds the addresses of the symbols whose names match. */
void ranges_of_symbols(struct addr_ranges *r, struct kallsyms_table *t,
		       const struct filter_pattern *p);
/* Adds the addresses of the symbol at @addr. */
void ranges_around(struct addr_ranges *r, struct kallsyms_table *t, uint64_t addr);
/* Adds the addresses of the matching strings in a printk_formats text. */
void ranges_of_strings(struct addr_ranges *r, const struct event_meta *w,
		       const struct filter_pattern *p);
bool ranges_have(const struct addr_ranges *r, uint64_t v, uint64_t ts);
void ranges_free(void *ranges);
void symtab_release(struct kallsyms_table *t);

/* Adds the pids whose names match; pid 0 is "<idle>", also if the text has another name. */
typedef bool (*comm_fn)(void *ctx, const char *comm, size_t len);
void pid_set_of_comms(struct pid_set *set, const struct event_meta *w, comm_fn match, void *ctx);
void pid_set_add(struct pid_set *s, uint32_t pid);
void pid_set_free(void *set);
static inline bool pid_set_has(const struct pid_set *s, int pid)
{
	if (pid >= 0 && (uint32_t)pid < s->nr_bits && s->bits[2 * (pid / 64)] >> pid % 64 & 1)
		return s->bits[2 * (pid / 64) + 1] >> pid % 64 & 1;
	return s->others;
}

/* --- the program, which filter_compile.c makes and filter_match.c runs */

enum pred_kind {
	PRED_NUM,		/* number of a field against ->val */
	PRED_CPU,		/* CPU against ->val */
	PRED_TEXT,		/* text of a field against a pattern */
	PRED_PIDS,		/* common_pid among ->pids */
	PRED_RANGES,		/* number of a field among addresses */
	PRED_IN_MASK,		/* number of a field is a CPU of the mask */
	PRED_CPU_IN_MASK,
	PRED_MASK,		/* bitmap of a field against the mask */
	PRED_EXPR,		/* two values of expressions, or the truth of one */
};

/* Predicates without an order have PO_EQ and PO_NE alone. */
enum pred_op { PO_EQ, PO_NE, PO_LT, PO_GT, PO_LE, PO_GE, PO_AND };

/* Targets of jumps that end the program. */
#define TO_FALSE UINT32_MAX
#define TO_TRUE	 (UINT32_MAX - 1)

struct filter_step;

struct filter_pred {
	uint8_t  kind, op, size;	/* enum pred_kind, enum pred_op; bytes of the number */
	bool     is_signed;
	uint32_t off;			/* of the number in the record */
	uint32_t yes, no;		/* index of the next one, TO_TRUE or TO_FALSE */
	uint64_t val;
	/* struct filter_pattern (TEXT), pid_set (PIDS), ranges, step[] (EXPR), a bitmap (MASK) */
	const void *arg;
	const struct ev_field *field;	/* PRED_TEXT, PRED_MASK */
};

/* Steps of an expression in reverse polish notation. The stack is never deeper than STEPS_DEPTH. */
#define STEPS_DEPTH 512
enum step_kind { STEP_END, STEP_NUM, STEP_FIELD, STEP_CPU, STEP_ARITH, STEP_CMP, STEP_BOOL };

struct filter_step {
	uint8_t  kind, op, size;	/* enum step_kind, enum ast_op */
	bool     is_signed;
	uint32_t off;			/* STEP_FIELD; STEP_BOOL: the start of its program */
	uint64_t num;
};

struct filter {
	bool     big;
	bool     all;			/* it matches all records */
	uint64_t since, until;
	const uint64_t *cpus;		/* borrowed from the spec */
	struct pid_set *pids;		/* NULL: all */
	struct pid_set *comms;
	uint8_t  flags_mask;		/* bits of common_flags that must not be set */
	uint32_t flags_off;
	uint32_t *start;		/* start of the program of each type */
	uint32_t nr_types;
	uint32_t unknown;		/* start of the program for other types */
	struct filter_pred *preds;
	size_t   nr_preds, cap_preds;
	struct owned_data {
		void *p;
		void (*release)(void *p);
	} *owned;			/* data that predicates point to */
	size_t   nr_owned, cap_owned;
};

/* The state of a compilation. */
struct filter_compiler {
	struct filter *f;
	const struct event_meta *w;
	const struct ev_format *fmt;
	struct filter_rule *rule;
	struct kallsyms_table *syms;
	struct map    *sets;		/* struct ast * -> the set made of it for this file */
	struct ftr_error *err;		/* the first reason why an expression made no sense */
	bool     failed;		/* for the current event */
	bool     full;			/* FILTER_PREDS_MAX is reached */
	bool     nested;		/* the program has parts that only STEP_BOOL refers to */
};

/* Returns the start of the program for @a. Sets c->failed if it makes no sense for c->fmt. */
uint32_t compile_expr(struct filter_compiler *c, struct ast *a, uint32_t yes, uint32_t no);
/* Returns true if the event has all fields that @a names. */
bool compile_has_fields(const struct filter_compiler *c, const struct ast *a);
/* Makes the filter free @p. Returns @p. */
void *filter_own(struct filter *f, void *p, void (*release)(void *));

#endif
