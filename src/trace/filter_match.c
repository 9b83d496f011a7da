/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Matches texts with patterns - exact ones, the kernel's globs, regular expressions - and the bytes
 * of a record with a compiled filter. It writes nothing, so threads may share a filter. The texts
 * of a file's metadata are matched once: they become sets of addresses and pids.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/search.h"
#include "base/sym_lines.h"
#include "event/data/text_tables.h"
#include "trace/filter_priv.h"

/* --- patterns */

static int fold_char(char c, bool fold)
{
	return fold ? tolower((unsigned char)c) : (unsigned char)c;
}

/*
 * Compares one character of the pattern with @c, and stores in *step how many bytes of the pattern
 * it has. A '[' without an end is an ordinary character, as in the kernel.
 */
static bool glob_match_char(const char *pat, const char *end, char c, bool fold, size_t *step)
{
	const char *p = pat + 1;
	bool not = false, hit = false;
	int from, to, want = fold_char(c, fold);

	*step = 1;
	if (*pat == '?')
		return true;
	if (*pat == '\\' && p < end) {
		*step = 2;
		return fold_char(*p, fold) == want;
	}
	if (*pat != '[')
		return fold_char(*pat, fold) == want;
	if (p < end && (*p == '!' || *p == '^')) {
		not = true;
		p++;
	}
	do {		/* a ']' that comes first is one of the characters */
		if (p >= end)
			return want == '[';
		from = to = fold_char(*p++, fold);
		if (end - p > 1 && p[0] == '-' && p[1] != ']') {
			to = fold_char(p[1], fold);
			p += 2;
		}
		hit |= from <= want && want <= to;
	} while (p >= end || *p != ']');
	*step = p + 1 - pat;
	return hit != not;
}

bool glob_match(const char *pat, size_t pat_len, const char *text, size_t len, bool fold)
{
	const char *p = pat, *pend = pat + pat_len, *t = text, *tend = text + len;
	const char *star = NULL, *back = NULL;	/* the last '*', and the end of its match */
	size_t step;

	while (t < tend) {
		if (p < pend && *p == '*') {
			star = ++p;
			back = t;
		} else if (p < pend && glob_match_char(p, pend, *t, fold, &step)) {
			p += step;
			t++;
		} else if (star) {
			p = star;
			t = ++back;
		} else {
			return false;
		}
	}
	while (p < pend && *p == '*')
		p++;
	return p == pend;
}

static void set_pattern_text(struct filter_pattern *p, enum pat_kind kind, const char *text,
			     size_t len)
{
	p->kind = kind;
	p->text = xstrndup(text, len);
	p->len = len;
}

void pattern_exact(struct filter_pattern *p, const char *text, size_t len)
{
	set_pattern_text(p, PAT_FULL, text, len);
}

/*
 * The kernel distinguishes full, front, middle and end matches from real globs. Its documentation
 * is followed where its code differs: there a pattern with a leading digit is no glob, and "*x"
 * compares with the end of a fixed array instead of the end of the text.
 */
void pattern_glob(struct filter_pattern *p, const char *text, size_t len)
{
	bool front, end;
	size_t i;

	p->not = len && *text == '!';
	text += p->not;
	len -= p->not;
	front = len && *text == '*';
	end = len > front && text[len - 1] == '*';
	for (i = front; i < len - end; i++)
		if (strchr("*?[\\", text[i]))
			break;
	if (i < len - end)
		set_pattern_text(p, PAT_GLOB, text, len);
	else if (front && end)
		set_pattern_text(p, PAT_MIDDLE, text + 1, len - 2);
	else if (front)
		set_pattern_text(p, PAT_END, text + 1, len - 1);
	else
		set_pattern_text(p, end ? PAT_FRONT : PAT_FULL, text, len - end);
}

int pattern_regex(struct filter_pattern *p, const char *text, size_t len)
{
	set_pattern_text(p, PAT_REGEX, text, len);
	if (!regcomp(&p->regex, p->text, REG_ICASE | REG_NOSUB))
		return 0;
	free(p->text);
	p->text = NULL;
	p->kind = PAT_FULL;
	return -1;
}

/* regexec() needs a NUL. REG_STARTEND would do without, but sanitizers do not know it. */
static bool regex_match(const regex_t *regex, const char *text, size_t len)
{
	char small[256], *copy = len < sizeof(small) ? small : xmalloc(len + 1);
	bool hit;

	memcpy(copy, text, len);
	copy[len] = '\0';
	hit = !regexec(regex, copy, 0, NULL, 0);
	if (copy != small)
		free(copy);
	return hit;
}

bool pattern_match(const struct filter_pattern *p, const char *text, size_t len)
{
	switch (p->kind) {
	case PAT_FULL:
		return len == p->len && !memcmp(text, p->text, len);
	case PAT_FRONT:
		return len >= p->len && !memcmp(text, p->text, p->len);
	case PAT_MIDDLE:
		return memmem(text, len, p->text, p->len) != NULL;
	case PAT_END:
		return len >= p->len && !memcmp(text + len - p->len, p->text, p->len);
	case PAT_GLOB:
		return glob_match(p->text, p->len, text, len, false);
	case PAT_REGEX:
		return regex_match(&p->regex, text, len);
	}
	return false;
}

void pattern_release(struct filter_pattern *p)
{
	if (p->kind == PAT_REGEX)
		regfree(&p->regex);
	free(p->text);
	*p = (struct filter_pattern){0};
}

/* --- records */

/* Loads the number of @size bytes at @off. Returns false if the record ends before its end. */
static inline bool load_number(const struct ev_rec *r, uint32_t off, unsigned int size,
			       bool is_signed, uint64_t *v)
{
	const uint8_t *p = r->data + off;
	unsigned int shift = 64 - 8 * size;

	if (off > r->len || size > r->len - off)
		return false;
	if (size == 4)
		*v = get_u32(p, r->big);
	else if (size == 8)
		*v = get_u64(p, r->big);
	else
		*v = size == 2 ? get_u16(p, r->big) : *p;
	if (is_signed)
		*v = (uint64_t)((int64_t)(*v << shift) >> shift);
	return true;
}

static inline bool compare_values(enum pred_op op, bool is_signed, uint64_t l, uint64_t r)
{
	bool less = is_signed ? (int64_t)l < (int64_t)r : l < r;

	switch (op) {
	case PO_EQ: return l == r;
	case PO_NE: return l != r;
	case PO_LT: return less;
	case PO_GE: return !less;
	case PO_GT: return !less && l != r;
	case PO_LE: return less || l == r;
	case PO_AND: return l & r;
	}
	return false;
}

/* --- expressions */

static uint64_t compute_arith(enum ast_op op, uint64_t l, uint64_t r)
{
	switch (op) {
	case OP_BIT_OR: return l | r;
	case OP_BIT_XOR: return l ^ r;
	case OP_BIT_AND: return l & r;
	case OP_SHL: return r < 64 ? l << r : 0;
	case OP_SHR: return r < 64 ? l >> r : 0;
	case OP_ADD: return l + r;
	case OP_SUB: return l - r;
	case OP_MUL: return l * r;
	case OP_DIV: return r ? l / r : 0;
	case OP_MOD: return r ? l % r : 0;
	default: return 0;
	}
}

static bool match_run(const struct filter *f, uint32_t at, int pid, int cpu,
		      const struct ev_rec *r, uint64_t ts);

/* Computes an expression. Also returns false if the record ends before a field. */
static bool run_steps(const struct filter *f, const struct filter_step *s, int pid, int cpu,
		      const struct ev_rec *r, uint64_t ts)
{
	static const enum pred_op compare_ops[] = {
		[OP_EQ] = PO_EQ, [OP_NE] = PO_NE, [OP_LT] = PO_LT, [OP_GT] = PO_GT,
		[OP_LE] = PO_LE, [OP_GE] = PO_GE,
	};
	uint64_t stack[STEPS_DEPTH + 1], *top = stack;	/* top[-1] is the last value */

	for (; s->kind != STEP_END; s++) {
		switch (s->kind) {
		case STEP_NUM:
			*top++ = s->num;
			break;
		case STEP_CPU:
			*top++ = cpu;
			break;
		case STEP_BOOL:
			*top++ = match_run(f, s->off, pid, cpu, r, ts);
			break;
		case STEP_FIELD:
			if (!load_number(r, s->off, s->size, s->is_signed, top++))
				return false;
			break;
		case STEP_ARITH:
			top--;
			top[-1] = compute_arith(s->op, top[-1], top[0]);
			break;
		case STEP_CMP:
			top--;
			top[-1] = compare_values(compare_ops[s->op], s->is_signed, top[-1], top[0]);
			break;
		}
	}
	return stack[0];
}

/* --- predicates */

static bool text_match(const struct filter_pred *p, const struct ev_rec *r)
{
	const uint8_t *text;
	uint32_t len;

	if (!ev_get_bytes(r, p->field, &text, &len))
		return false;
	len = strnlen((const char *)text, len);
	return pattern_match(p->arg, (const char *)text, len) == (p->op == PO_EQ);
}

static bool mask_has(const uint64_t *mask, uint64_t cpu)
{
	return cpu < FILTER_CPU_BITS && mask[cpu / 64] >> cpu % 64 & 1;
}

/* Returns the @i-th 64 bits of a bitmap of longs of @size bytes. */
static uint64_t mask_word(const struct ev_rec *r, const uint8_t *p, uint32_t len, uint32_t size,
			  uint32_t i)
{
	uint64_t v = 0;
	uint32_t at, k;

	for (k = 0; k < 8 / size; k++) {
		at = 8 * i + k * size;
		if (at + size <= len)
			v |= (size == 8 ? get_u64(p + at, r->big) : get_u32(p + at, r->big))
			     << 8 * k * size;
	}
	return v;
}

static bool mask_match(const struct filter_pred *p, const struct ev_rec *r)
{
	const uint64_t *mask = p->arg;
	bool equal = true, common = false;
	const uint8_t *bits;
	uint32_t len;
	uint64_t v;

	if (!ev_get_bytes(r, p->field, &bits, &len))
		return false;
	for (uint32_t i = 0; i < FILTER_CPU_BITS / 64; i++) {
		v = mask_word(r, bits, len, p->size == 8 ? 8 : 4, i);
		equal &= v == mask[i];
		common |= v & mask[i];
	}
	return p->op == PO_AND ? common : equal == (p->op == PO_EQ);
}

/* Checks all predicates but PRED_NUM, the most frequent one. */
static __attribute__((noinline)) bool pred_match(const struct filter *f,
						 const struct filter_pred *p, int pid, int cpu,
						 const struct ev_rec *r, uint64_t ts)
{
	uint64_t v;

	switch (p->kind) {
	case PRED_CPU:
		return compare_values(p->op, true, cpu, p->val);
	case PRED_TEXT:
		return text_match(p, r);
	case PRED_PIDS:
		return pid_set_has(p->arg, pid) == (p->op == PO_EQ);
	case PRED_RANGES:
		return load_number(r, p->off, p->size, false, &v) &&
		       ranges_have(p->arg, v, ts) == (p->op == PO_EQ);
	case PRED_IN_MASK:
		return load_number(r, p->off, p->size, p->is_signed, &v) && mask_has(p->arg, v);
	case PRED_CPU_IN_MASK:
		return mask_has(p->arg, cpu);
	case PRED_MASK:
		return mask_match(p, r);
	case PRED_EXPR:
		return run_steps(f, p->arg, pid, cpu, r, ts);
	}
	return false;
}

/* Runs the program from @at on. */
static bool match_run(const struct filter *f, uint32_t at, int pid, int cpu,
		      const struct ev_rec *r, uint64_t ts)
{
	const struct filter_pred *p;
	uint64_t v;
	bool hit;

	while (at < TO_TRUE) {
		p = &f->preds[at];
		if (p->kind == PRED_NUM)
			hit = load_number(r, p->off, p->size, p->is_signed, &v) &&
			      compare_values(p->op, p->is_signed, v, p->val);
		else
			hit = pred_match(f, p, pid, cpu, r, ts);
		at = hit ? p->yes : p->no;
	}
	return at == TO_TRUE;
}

bool filter_match(const struct filter *f, uint16_t type, int pid, int cpu, uint64_t ts,
		  const struct ev_rec *r)
{
	if (f->all)
		return true;
	if (ts < f->since || ts > f->until)
		return false;
	if (f->cpus && (cpu < 0 || !mask_has(f->cpus, cpu)))
		return false;
	if ((f->pids && !pid_set_has(f->pids, pid)) || (f->comms && !pid_set_has(f->comms, pid)))
		return false;
	if (f->flags_mask && f->flags_off < r->len && r->data[f->flags_off] & f->flags_mask)
		return false;
	return match_run(f, type < f->nr_types ? f->start[type] : f->unknown, pid, cpu, r, ts);
}

/* The size of a symbol at most, as in src/event/data/syms.c. */
#define REACH_MAX (16 << 20)

static void ranges_add(struct addr_ranges *r, uint64_t from, uint64_t to)
{
	if (r->n && r->v[r->n - 1].to == from) {
		r->v[r->n - 1].to = to;
		return;
	}
	r->v = xgrow(r->v, &r->cap, r->n + 1, sizeof(*r->v));
	r->v[r->n++] = (struct addr_range){ from, to };
}

bool ranges_have(const struct addr_ranges *r, uint64_t v, uint64_t ts)
{
	const char *name, *around;
	uint64_t off, off_around;
	size_t n, len;

	if (!r->w || !ev_syms_moving(r->w->syms, v)) {
		n = SEARCH_ABOVE(i, 0, r->n, r->v[i].from <= v);
		return n && v < r->v[n - 1].to;
	}
	/* the symbol that was at @v at the time @ts */
	ts = event_meta_clock(r->w, ts);
	name = ev_syms_find_at(r->w->syms, ts, v, &len, &off);
	if (r->pat)
		return name && pattern_match(r->pat, name, len) != r->pat->not;
	around = ev_syms_find_at(r->w->syms, ts, r->addr, &len, &off_around);
	return name && around && v - off == r->addr - off_around;
}

/* --- symbols */

static int by_symbol_addr(const void *a, const void *b)
{
	const struct table_symbol *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

static void build_symtab(struct kallsyms_table *t)
{
	const char *p, *end, *nl, *name;
	bool sorted = true;
	struct table_symbol s;
	char type;

	if (t->built)
		return;
	t->built = true;
	p = t->text = event_meta_text(t->w, EV_KALLSYMS, &t->len);
	if (!p || t->len > UINT32_MAX)
		return;
	for (end = p + t->len; p < end; p = nl + 1) {
		nl = memchr(p, '\n', end - p);
		if (!nl)
			nl = end;
		name = sym_line_name(p, nl, &s.addr, &type);
		if (!name)
			continue;
		s.name = name - t->text;
		s.name_len = sym_word_len(name, nl);
		sorted = sorted && (!t->n || t->v[t->n - 1].addr <= s.addr);
		t->v = xgrow(t->v, &t->cap, t->n + 1, sizeof(*t->v));
		t->v[t->n++] = s;
	}
	if (!sorted)
		qsort(t->v, t->n, sizeof(*t->v), by_symbol_addr);
}

void symtab_release(struct kallsyms_table *t)
{
	free(t->v);
	*t = (struct kallsyms_table){0};
}

/* Returns the end of a symbol: the next address that has one. */
static uint64_t symbol_end(const struct kallsyms_table *t, size_t i)
{
	uint64_t addr = t->v[i].addr, end = addr + REACH_MAX;

	for (i++; i < t->n && t->v[i].addr == addr;)
		i++;
	return i < t->n && t->v[i].addr - addr < REACH_MAX ? t->v[i].addr : end;
}

void ranges_of_symbols(struct addr_ranges *r, struct kallsyms_table *t,
		       const struct filter_pattern *p)
{
	uint64_t done = 0;	/* an address that was added by another name */

	build_symtab(t);
	r->pat = p;
	r->w = ev_syms_timed(t->w->syms) ? t->w : NULL;
	for (size_t i = 0; i < t->n; i++) {
		const struct table_symbol *s = &t->v[i];

		if (s->addr == done || pattern_match(p, t->text + s->name, s->name_len) == p->not)
			continue;
		done = s->addr;
		ranges_add(r, s->addr, symbol_end(t, i));
	}
}

void ranges_around(struct addr_ranges *r, struct kallsyms_table *t, uint64_t addr)
{
	build_symtab(t);
	r->addr = addr;
	r->w = ev_syms_timed(t->w->syms) ? t->w : NULL;
	for (size_t i = 0; i < t->n; i++) {
		if (t->v[i].addr > addr || addr >= symbol_end(t, i))
			continue;
		ranges_add(r, t->v[i].addr, symbol_end(t, i));
		return;
	}
}

/* --- strings of trace_printk() */

static int by_range_start(const void *a, const void *b)
{
	const struct addr_range *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

void ranges_of_strings(struct addr_ranges *r, const struct event_meta *w,
		       const struct filter_pattern *p)
{
	size_t len;
	const char *at = event_meta_text(w, EV_PRINTK, &len), *end = at + len;
	struct printk_line line;
	struct buf text = {0};

	buf_reserve(&text, 1);
	while (printk_line_next(&line, &at, end)) {
		buf_reset(&text);
		printk_line_unescape(&text, &line);
		if (pattern_match(p, text.data, text.len) == p->not)
			continue;
		r->v = xgrow(r->v, &r->cap, r->n + 1, sizeof(*r->v));
		r->v[r->n++] = (struct addr_range){ line.addr, line.addr + 1 };
	}
	if (r->n)
		qsort(r->v, r->n, sizeof(*r->v), by_range_start);
	buf_release(&text);
}

/* --- task names */

#define PID_LIMIT (1 << 22)	/* the kernel's PID_MAX_LIMIT */

static void pid_set_store(struct pid_set *s, uint32_t pid, bool match)
{
	uint32_t want = (pid / 64 + 1) * 64;

	if (want > s->nr_bits) {
		s->bits = xrealloc(s->bits, want / 64 * 2 * sizeof(*s->bits));
		memset(s->bits + s->nr_bits / 64 * 2, 0,
		       (want - s->nr_bits) / 64 * 2 * sizeof(*s->bits));
		s->nr_bits = want;
	}
	/* the first line of a pid counts, as in the kernel's own lookup */
	if (s->bits[2 * (pid / 64)] >> pid % 64 & 1)
		return;
	s->bits[2 * (pid / 64)] |= 1ULL << pid % 64;
	s->bits[2 * (pid / 64) + 1] |= (uint64_t)match << pid % 64;
}

void pid_set_of_comms(struct pid_set *set, const struct event_meta *w, comm_fn match, void *ctx)
{
	size_t len;
	const char *p = event_meta_text(w, EV_CMDLINES, &len), *end = p + len;
	struct comm_line line;

	pid_set_store(set, 0, match(ctx, "<idle>", 6));
	set->others = match(ctx, "<...>", 5);
	while (comm_line_next(&line, &p, end))
		if (line.pid >= 0 && line.pid < PID_LIMIT)
			pid_set_store(set, line.pid, match(ctx, line.name, line.len));
}

void pid_set_add(struct pid_set *s, uint32_t pid)
{
	if (pid < PID_LIMIT)
		pid_set_store(s, pid, true);
}

void pid_set_free(void *set)
{
	struct pid_set *s = set;

	if (s)
		free(s->bits);
	free(s);
}

void ranges_free(void *ranges)
{
	struct addr_ranges *r = ranges;

	if (r)
		free(r->v);
	free(r);
}
