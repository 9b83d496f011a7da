/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Solves the fields of an event: splits the text of a record by the print fmt, finds values for the
 * chunks by trying, and checks that the event, rendered with them, has the same text.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/map.h"
#include "file/ring/page.h"
#include "text/fields/field_solver_priv.h"

#define SPLITS_MAX 256		/* limit for positions at which one text is split */
#define TRIES_MAX  8		/* limit for complete splits of one text */
#define BAD_MAX	   50		/* unsolved records after which an event is given up */
#define CACHE_SLOTS 256
#define STACK_BYTES 2048	/* limit for addresses of a stack */

#define COMMON_LINES \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

/* Factors between units in print fmts: HZ, sectors, pages, parts of a second. */
static const uint32_t factors[] = { 1000, 1000000, 1000000000, 100, 250, 10, 4, 512, 1024, 4096 };
#define NR_FACTORS (sizeof(factors) / sizeof(*factors))

/* Values to try for one variable, in this order. */
struct value_candidates {
	uint64_t v[600];
	size_t   n;
};

/* --- records made from values, and rendered by the engine */

static bool parse_format(struct text_fields *f, size_t index, const char *system,
			 const struct buf *text)
{
	struct ev_format *to = &f->formats[index];

	if (!ev_format_parse(to, system, text->data, text->len, NULL))
		return true;
	memset(to, 0, sizeof(*to));
	return false;
}

/*
 * Adds a format with the groups of conversions that show exactly the variables @vars, or only the
 * group @one, with bars between them.
 */
static void add_partial(struct text_fields *f, size_t index, uint32_t vars,
			const struct conv_group *one)
{
	struct buf specs = {0}, args = {0}, b = {0};

	buf_addstr(&args, "");
	for (size_t i = 0; i < f->p->nr_groups; i++) {
		const struct conv_group *g = &f->p->groups[i];

		if (one ? g != one : g->vars != vars)
			continue;
		if (specs.len)
			buf_addch(&specs, '|');
		for (size_t k = g->first; k < g->first + g->n; k++) {
			buf_addstr(&specs, f->p->convs[k].spec);
			buf_printf(&args, ", %s", f->p->convs[k].args.v[0]);
		}
	}
	if (specs.len) {
		buf_printf(&b, "name: part%zu\nID: %zu\nformat:\n" COMMON_LINES, index,
			   200 + index);
		fmt_parts_print_fields(f->p, &b);
		buf_printf(&b, "\nprint fmt: \"%s\"%s\n", specs.data, args.data);
		parse_format(f, index, "part", &b);
	}
	buf_release(&specs);
	buf_release(&args);
	buf_release(&b);
}

/* Makes the partial format @index when it is used first. */
static bool need_partial(struct text_fields *f, size_t index)
{
	const struct fmt_parts *p = f->p;

	if (f->formats[index].name)
		return true;
	if (f->tried[index])
		return false;
	f->tried[index] = true;
	if (index <= p->nr_vars)
		add_partial(f, index, 1u << (index - 1), NULL);
	else
		add_partial(f, index, 0, &p->groups[index - 1 - p->nr_vars]);
	return f->formats[index].name;
}

/*
 * Makes the engine with its formats: the event's, one for each variable and one for each group,
 * which show only that and are made later.
 */
static bool prepare_engine(struct text_fields *f)
{
	struct fmt_parts *p = f->p;
	struct buf whole = {0};
	bool ok;

	f->formats = xcalloc(1 + p->nr_vars + p->nr_groups, sizeof(*f->formats));
	f->meta = (struct event_meta){
		.big = RING_HOST_BIG, .long_size = 8, .page_size = 4096, .formats = f->formats,
		.nr_formats = 1 + p->nr_vars + p->nr_groups, .syms = f->solver->symbols,
		.kallsyms = f->solver->kallsyms.data, .kallsyms_len = f->solver->kallsyms.len,
	};
	buf_printf(&whole, "name: %s\nID: 100\nformat:\n" COMMON_LINES, f->name);
	fmt_parts_print_fields(p, &whole);
	buf_printf(&whole, "\nprint fmt: %s\n", f->from.print_fmt);
	ok = parse_format(f, 0, f->system, &whole);
	buf_release(&whole);
	f->tried = xcalloc(1 + p->nr_vars + p->nr_groups, sizeof(*f->tried));
	f->engine = ok ? ev_engine_new(&f->meta, NULL, NULL) : NULL;
	return f->engine;
}

/* Makes ->bytes from the values: the record with empty common fields. Strings follow all fields. */
static void build_record(struct text_fields *f)
{
	buf_reset(&f->bytes);
	buf_reserve(&f->bytes, f->p->size + 1);
	memset(f->bytes.data, 0, f->p->size + 1);
	f->bytes.len = f->p->size;
	for (size_t i = 0; i < f->p->nr_vars; i++) {
		const struct solver_var *v = &f->p->vars[i];
		uint32_t at = f->p->fields[v->field].offset + v->index * v->size, loc, k;
		const struct var_value *known = &f->solver->values[i];
		struct span_text s = f->solved & 1u << i ? known->str
							 : (struct span_text){ "", 0 };

		if (v->kind == VAR_TEXT) {
			loc = f->bytes.len | (uint32_t)(s.len + 1) << 16;
			buf_add(&f->bytes, s.p, s.len);
			buf_addch(&f->bytes, '\0');
			memcpy(f->bytes.data + at, &loc, 4);
		} else if (v->kind == VAR_STACK) {
			loc = f->bytes.len | (uint32_t)s.len << 16;
			buf_add(&f->bytes, s.p, s.len);
			memcpy(f->bytes.data + at, &loc, 4);
		} else if (v->kind == VAR_CHARS) {
			memcpy(f->bytes.data + at, s.p, s.len);
		} else {
			for (k = 0; k < v->size; k++)
				f->bytes.data[at + (RING_HOST_BIG ? v->size - 1 - k : k)] =
					known->num >> 8 * k;
		}
	}
}

/* Returns true if ->bytes, rendered with the format @index, is exactly @want. */
static bool shows_text(struct text_fields *f, size_t index, const char *want, size_t len)
{
	struct ev_rec r = {
		.fmt = &f->formats[index], .data = (const uint8_t *)f->bytes.data,
		.len = f->bytes.len, .big = RING_HOST_BIG, .long_size = 8,
	};

	buf_reset(&f->shown);
	if (!need_partial(f, index))
		return false;
	ev_render(f->engine, &r, 0, 0, &f->shown);
	return f->shown.len == len && (!len || !memcmp(f->shown.data, want, len));
}

/* Gets the text that the format of the variable @v must show. */
static void expect_var_text(const struct text_fields *f, size_t v, struct buf *out)
{
	buf_reset(out);
	buf_addstr(out, "");
	for (size_t i = 0, n = 0; i < f->p->nr_groups; i++) {
		if (f->p->groups[i].vars != 1u << v)
			continue;
		if (n++)
			buf_addch(out, '|');
		buf_add(out, f->solver->chunks[i].p, f->solver->chunks[i].len);
	}
}

/* --- candidates */

static void add_candidate(struct value_candidates *c, uint64_t v)
{
	if (c->n < sizeof(c->v) / sizeof(*c->v))
		c->v[c->n++] = v;
}

/* Parses all of @t as a number of the conversion @letter. Returns false if it is none. */
static bool read_number(struct span_text t, char letter, uint64_t *v)
{
	static const char hex[] = "0123456789abcdef";
	unsigned int base = strchr("xXp", letter) ? 16 : letter == 'o' ? 8 : 10;
	bool minus = false;
	const char *p = t.p, *end = t.p + t.len, *at;

	while (p < end && *p == ' ')
		p++;
	while (end > p && end[-1] == ' ')
		end--;
	if (p < end && *p == '-') {
		minus = true;
		p++;
	}
	if (end - p > 2 && p[0] == '0' && (p[1] | 32) == 'x') {
		base = 16;
		p += 2;
	}
	if (p == end || end - p > 22)
		return false;
	for (*v = 0; p < end; p++) {
		at = memchr(hex, *p >= 'A' && *p <= 'F' ? *p | 32 : *p, base);
		if (!at)
			return false;
		*v = *v * base + (at - hex);
	}
	if (minus)
		*v = -*v;
	return true;
}

static bool is_name_char(char c)
{
	return c == '_' || c == '-' || (c >= '0' && c <= '9') ||
	       ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* Returns true if the text has @name as a whole word. */
static bool has_whole_word(struct span_text t, const char *name)
{
	size_t len = strlen(name);
	const char *p = t.p, *end = t.p + t.len;

	if (!len)
		return false;
	while ((p = memmem(p, end - p, name, len))) {
		if ((p == t.p || !is_name_char(p[-1]) || !is_name_char(*name)) &&
		    (p + len == end || !is_name_char(p[len]) || !is_name_char(name[len - 1])))
			return true;
		p++;
	}
	return false;
}

/*
 * Sets *v to the sum of the values whose names are in the text: as words, or if there are none
 * anywhere. Returns false if the conversion has no names.
 */
static bool read_names(const struct solver_conv *c, struct span_text t, uint64_t *v)
{
	bool any = false;

	*v = 0;
	for (size_t i = 0; i < c->nr_table; i++) {
		if (!has_whole_word(t, c->table[i].name))
			continue;
		*v |= c->table[i].value;
		any = true;
	}
	for (size_t i = 0; !any && i < c->nr_table; i++)
		if (*c->table[i].name &&
		    memmem(t.p, t.len, c->table[i].name, strlen(c->table[i].name)))
			*v |= c->table[i].value;
	return c->nr_table > 0;
}

/* Gets the value that one conversion has printed as @t. Returns false if it is unknown. */
static bool read_conv(const struct text_fields *f, const struct solver_conv *c, struct span_text t,
		      uint64_t *v)
{
	const char *letter = c->spec + strcspn(c->spec, "pdiuxXosc");

	if (c->nr_table)
		return read_names(c, t, v);
	if (read_number(t, *letter ? *letter : 's', v))
		return true;
	*v = dump_syms_addr(f->solver->syms, t);
	return *v;
}

/*
 * Adds candidates from all conversions of a variable together: some show parts of a number, such as
 * major and minor of a device.
 */
static void add_parts(const struct text_fields *f, size_t var, struct value_candidates *c)
{
	uint64_t sum = 0, v, first = 0, n = 0, names = 0;

	for (size_t i = 0; i < f->p->nr_groups; i++) {
		const struct conv_group *g = &f->p->groups[i];

		if (g->vars != 1u << var)
			continue;
		for (size_t j = g->first; j < g->first + g->n; j++) {
			const struct solver_conv *conv = &f->p->convs[j];

			if (!read_conv(f, conv, f->solver->chunks[i], &v))
				continue;
			sum |= v << conv->shift;
			if (conv->nr_table)
				names |= v;
			else if (n++ == 0)
				first = v;
			add_candidate(c, v);
		}
	}
	if (c->n)
		add_candidate(c, sum);
	if (n == 2)
		for (size_t k = 0; k < 3; k++)
			add_candidate(c, first * factors[k] + c->v[1]);
	for (unsigned int bit = 0; names && bit < 64; bit++)
		add_candidate(c, names | 1ull << bit);
	for (size_t k = 0; n && k < NR_FACTORS; k++) {
		add_candidate(c, first * factors[k]);
		add_candidate(c, first / factors[k]);
	}
}

/* Adds the values of the conversions' tables, small numbers and single bits. */
static void add_tables(const struct text_fields *f, size_t var, struct value_candidates *c)
{
	for (size_t i = 0; i < f->p->nr_convs; i++) {
		const struct solver_conv *conv = &f->p->convs[i];

		if (!(conv->vars & 1u << var))
			continue;
		for (size_t j = 0; j < conv->nr_table; j++)
			add_candidate(c, conv->table[j].value);
	}
	for (unsigned int small = 0; small < 32; small++)
		add_candidate(c, small);
	for (unsigned int bit = 5; bit < 64; bit++)
		add_candidate(c, 1ull << bit);
	add_candidate(c, UINT64_MAX);
}

/* --- trying */

/* Tries candidates until one shows @want. Returns false if none does. */
static bool try_candidates(struct text_fields *f, size_t var, const struct value_candidates *c,
			   size_t index, const struct buf *want)
{
	for (size_t i = 0; i < c->n; i++) {
		f->solver->values[var].num = c->v[i];
		build_record(f);
		if (shows_text(f, index, want->data, want->len))
			return true;
	}
	return false;
}

/* Finds a number that shows the text of its variable. Results, also failures, are cached. */
static bool find_number(struct text_fields *f, size_t var)
{
	struct value_candidates c;
	struct buf want = {0};
	struct cached_value *k;

	expect_var_text(f, var, &want);
	if (!f->cache[var])
		f->cache[var] = xcalloc(CACHE_SLOTS, sizeof(**f->cache));
	k = &f->cache[var][hash_bytes(want.data, want.len) % CACHE_SLOTS];
	if (!k->text || k->len != want.len || (k->len && memcmp(k->text, want.data, k->len))) {
		free(k->text);
		*k = (struct cached_value){ .text = xmalloc(want.len + 1), .len = want.len };
		if (k->len)
			memcpy(k->text, want.data, k->len);
		c.n = 0;
		add_parts(f, var, &c);
		add_tables(f, var, &c);
		k->good = try_candidates(f, var, &c, 1 + var, &want);
		k->value = f->solver->values[var].num;
	}
	buf_release(&want);
	f->solver->values[var].num = k->good ? k->value : 0;
	return k->good;
}

static struct span_text trim_blanks(struct span_text t)
{
	while (t.len && *t.p == ' ') {
		t.p++;
		t.len--;
	}
	while (t.len && t.p[t.len - 1] == ' ')
		t.len--;
	return t;
}

/* Returns true if a conversion of the group has a width, as "%8s" has. */
static bool has_width(const struct text_fields *f, const struct conv_group *g)
{
	const char *spec = f->p->convs[g->first].spec;

	return g->n == 1 && spec[1 + strspn(spec + 1, "-")] >= '1' &&
	       spec[1 + strspn(spec + 1, "-")] <= '9';
}

/* Finds a string: the text, or the text without the blanks that fill a column of some width. */
static bool find_string(struct text_fields *f, size_t var)
{
	const struct solver_var *v = &f->p->vars[var];
	struct buf want = {0};
	bool ok = false;

	expect_var_text(f, var, &want);
	for (size_t i = 0; i < f->p->nr_groups && !ok; i++) {
		if (f->p->groups[i].vars != 1u << var)
			continue;
		for (int turn = 0; turn < 2 && !ok; turn++) {
			struct span_text s = f->solver->chunks[i];

			if (turn != has_width(f, &f->p->groups[i]))
				s = trim_blanks(s);
			if (s.len >= (v->kind == VAR_CHARS ? v->size : 2000))
				continue;
			f->solver->values[var].str = s;
			f->solved |= 1u << var;
			build_record(f);
			ok = shows_text(f, 1 + var, want.data, want.len);
		}
	}
	if (!ok)
		f->solved &= ~(1u << var);
	buf_release(&want);
	return ok;
}

/* Finds the addresses of a stack: "STACK:", and a line "=> f+0x1/0x2" for each. */
static bool find_stack(struct text_fields *f, size_t var)
{
	static const char head[] = "STACK:", arrow[] = "\n=> ";
	struct buf *stack = &f->solver->stack;
	const char *p = NULL, *end = NULL;
	uint64_t addr;

	for (size_t i = 0; i < f->p->nr_groups; i++) {
		if (f->p->groups[i].vars != 1u << var || f->p->groups[i].n != 1)
			continue;
		p = f->solver->chunks[i].p;
		end = p + f->solver->chunks[i].len;
	}
	if (!p || (size_t)(end - p) < sizeof(head) - 1 || memcmp(p, head, sizeof(head) - 1))
		return false;
	buf_reset(stack);
	for (p += sizeof(head) - 1; p < end;) {
		const char *nl;

		if ((size_t)(end - p) < sizeof(arrow) || memcmp(p, arrow, sizeof(arrow) - 1))
			return false;
		p += sizeof(arrow) - 1;
		nl = memchr(p, '\n', end - p);
		nl = nl ? nl : end;
		addr = dump_syms_addr(f->solver->syms, (struct span_text){ p, nl - p });
		if ((!addr && !read_number((struct span_text){ p, nl - p }, 'x', &addr)) ||
		    stack->len >= STACK_BYTES)
			return false;
		buf_add(stack, &addr, sizeof(addr));
		p = nl;
	}
	f->solver->values[var].str = (struct span_text){ stack->data, stack->len };
	return true;
}

/* Finds the only unknown variable of a group that shows several. */
static bool find_last(struct text_fields *f, size_t group, size_t var)
{
	const struct conv_group *g = &f->p->groups[group];
	struct span_text chunk = f->solver->chunks[group];
	struct buf want = {0};
	struct value_candidates c;
	uint64_t n = 0;
	bool ok;

	if (f->p->vars[var].kind != VAR_NUM)
		return false;
	c.n = 0;
	if (g->n == 1 && read_conv(f, &f->p->convs[g->first], chunk, &n))
		add_candidate(&c, n);
	for (size_t i = 0; i < f->p->nr_vars; i++) {
		if (i == var || !(g->vars & 1u << i))
			continue;
		add_candidate(&c, f->solver->values[i].num - n);
		add_candidate(&c, f->solver->values[i].num + n);
		add_candidate(&c, n - f->solver->values[i].num);
	}
	add_tables(f, var, &c);
	buf_add(&want, chunk.p, chunk.len);
	ok = try_candidates(f, var, &c, 1 + f->p->nr_vars + group, &want);
	if (!ok)
		f->solver->values[var].num = 0;
	buf_release(&want);
	return ok;
}

/* Finds the rest of the variables @vars, those that share groups with others. */
static bool find_rest(struct text_fields *f, uint32_t vars)
{
	bool more = true;

	while (more) {
		more = false;
		for (size_t i = 0; i < f->p->nr_groups; i++) {
			uint32_t left = f->p->groups[i].vars & vars & ~f->solved;

			if (!left || left & (left - 1))
				continue;
			if (!find_last(f, i, __builtin_ctz(left)))
				return false;
			f->solved |= left;
			more = true;
		}
	}
	return f->solved == vars;
}

/* --- numbers that a condition may hide: "REC->ret < 0 ? REC->ret : 0" */

/* Returns true if all conversions that show @var print a number on a condition. */
static bool may_be_hidden(const struct text_fields *f, size_t var)
{
	bool any = false;

	for (size_t i = 0; i < f->p->nr_convs; i++) {
		const struct solver_conv *c = &f->p->convs[i];

		if (!(c->vars & 1u << var))
			continue;
		if (!strchr("diuxX", c->spec[strlen(c->spec) - 1]) || !strchr(c->args.v[0], '?'))
			return false;
		any = true;
	}
	return any && f->p->vars[var].kind == VAR_NUM;
}

/* Returns true if the number @n stands in @arg. */
static bool has_constant(const char *arg, uint64_t n)
{
	char *end;

	for (const char *p = arg; *p; p = end) {
		end = (char *)p + 1;
		if (*p < '0' || *p > '9')
			continue;
		if (strtoull(p, &end, 0) == n && (p == arg || !is_name_char(p[-1]) || p[-1] == '-'))
			return true;
	}
	return false;
}

/* Returns true if the record with the number @v shows the chunks of all groups with @var. */
static bool shows_hidden(struct text_fields *f, size_t var, uint64_t v)
{
	f->solver->values[var].num = v;
	build_record(f);
	for (size_t i = 0; i < f->p->nr_groups; i++) {
		struct span_text t = f->solver->chunks[i];

		if (f->p->groups[i].vars & 1u << var &&
		    !shows_text(f, 1 + f->p->nr_vars + i, t.p, t.len))
			return false;
	}
	return true;
}

/* Returns true if another number than @v has the same text. */
static bool is_ambiguous(struct text_fields *f, size_t var, uint64_t v)
{
	static const int64_t others[] = { 0, 1, 2, -1, -5 };
	const struct solver_var *x = &f->p->vars[var];
	uint64_t mask = x->size < 8 ? (1ull << 8 * x->size) - 1 : UINT64_MAX;
	bool is_bool = strstr(f->p->fields[x->field].decl, "bool ") != NULL;

	for (size_t i = 0; i < (is_bool ? 2 : sizeof(others) / sizeof(*others)); i++)
		if ((others[i] & mask) != (v & mask) && shows_hidden(f, var, others[i]))
			return true;
	return false;
}

/*
 * Finds a number whose groups all show it on a condition, once the other variables are known. A
 * printed number that is not one of the condition's is the variable's. Returns false if the text
 * does not determine it.
 */
static bool find_hidden(struct text_fields *f, size_t var)
{
	struct value_candidates c = { .n = 0 };
	bool constant = true, found = false;
	uint64_t v = 0;

	for (size_t i = 0; i < f->p->nr_groups; i++) {
		const struct conv_group *g = &f->p->groups[i];
		const struct solver_conv *conv = &f->p->convs[g->first];

		if (!(g->vars & 1u << var) || g->n != 1 ||
		    !read_conv(f, conv, f->solver->chunks[i], &v))
			continue;
		add_candidate(&c, v);
		constant &= has_constant(conv->args.v[0], v);
	}
	add_tables(f, var, &c);
	for (size_t i = 0; i < c.n && !found; i++) {
		v = c.v[i];
		found = shows_hidden(f, var, v);
	}
	if (!found || (constant && is_ambiguous(f, var, v)))
		return false;
	f->solver->values[var].num = v;
	f->solved |= 1u << var;
	return true;
}

/* --- all variables */

/* Returns true if a group shows only this variable. */
static bool has_single_group(const struct text_fields *f, size_t var)
{
	for (size_t i = 0; i < f->p->nr_groups; i++)
		if (f->p->groups[i].vars == 1u << var)
			return true;
	return false;
}

/*
 * Finds the values of @vars in a record whose text is split into ->chunks. Returns false if one is
 * not found.
 */
static bool find_values(struct text_fields *f, uint32_t vars)
{
	uint32_t hidden = 0;

	f->solved = 0;
	for (size_t i = 0; i < f->p->nr_vars; i++) {
		if (!(vars & 1u << i))
			continue;
		f->solver->values[i] = (struct var_value){ .num = 0 };
		if (may_be_hidden(f, i)) {
			hidden |= 1u << i;
			continue;
		}
		if (!has_single_group(f, i))
			continue;
		if (!(f->p->vars[i].kind == VAR_NUM	? find_number(f, i)
		      : f->p->vars[i].kind == VAR_STACK ? find_stack(f, i)
							: find_string(f, i)))
			return false;
		f->solved |= 1u << i;
	}
	if (!find_rest(f, vars & ~hidden))
		return false;
	for (; hidden; hidden &= hidden - 1)
		if (!find_hidden(f, __builtin_ctz(hidden)))
			return false;
	return true;
}

bool fields_solve_unit(struct text_fields *f, uint32_t vars, const uint8_t *groups, size_t n)
{
	if (!find_values(f, vars))
		return false;
	build_record(f);
	for (size_t i = 0; i < n; i++) {
		struct span_text t = f->solver->chunks[groups[i]];

		if (!shows_text(f, 1 + f->p->nr_vars + groups[i], t.p, t.len))
			return false;
	}
	return true;
}

bool fields_show_number(struct text_fields *f, size_t var, uint64_t v)
{
	f->solver->values[var].num = v;
	f->solved = 0;
	build_record(f);
	shows_text(f, 1 + var, "", 0);
	return f->shown.len;
}

/* --- an event */

static struct text_fields *new_fields(struct field_solver *s, const char *system, const char *name)
{
	struct text_fields *f = xcalloc(1, sizeof(*f));

	f->solver = s;
	f->name = xstrdup(name);
	f->system = xstrdup(system);
	return f;
}

struct text_fields *text_fields_of_call(struct field_solver *s, const char *name)
{
	struct text_fields *f = new_fields(s, "syscalls", name);

	f->is_exit = !strncmp(name, "sys_exit_", 9);
	f->is_enter = !f->is_exit;
	f->usable = true;
	return f;
}

struct text_fields *text_fields_of_format(struct field_solver *s, const char *system,
					  const char *name, const char *text, size_t len,
					  const char *print)
{
	struct text_fields *f = new_fields(s, system, name);

	f->text = xstrndup(text, len);
	f->print = print ? xstrdup(print) : NULL;
	if (ev_format_parse(&f->from, f->system, f->text, len, NULL)) {
		memset(&f->from, 0, sizeof(f->from));
		return f;
	}
	f->p = xcalloc(1, sizeof(*f->p));
	f->usable = fmt_parts_parse(f->p, &f->from, f->text);
	return f;
}

/* Sets the fields of @f that are numbers in @of. Both have the same ones in the same order. */
static void set_names(struct text_fields *f, const struct text_fields *of)
{
	if (!f->usable || f->p->nr_fields != of->p->nr_fields)
		return;
	for (size_t i = 0; i < f->p->nr_fields && i < 64; i++)
		if (f->p->fields[i].from->kind != of->p->fields[i].from->kind)
			f->names |= 1ull << i;
}

struct text_fields *text_fields_with_names(struct text_fields *f)
{
	struct text_fields *with = f;
	struct buf text = {0};

	if (!f->usable)
		return f;
	buf_printf(&text, "name: %s\nID: 100\nformat:\n" COMMON_LINES, f->name);
	if (fmt_parts_print_names(f->p, f->name, f->from.print_fmt, &text)) {
		with = text_fields_of_format(f->solver, f->system, f->name, text.data, text.len,
					     NULL);
		set_names(with, f);
		text_fields_free(f);
	}
	buf_release(&text);
	return with;
}

struct text_fields *text_fields_of_print(const struct text_fields *base, const char *print,
					 bool bare)
{
	static const char head[] = "\nprint fmt: ";
	const char *at = strstr(base->text, head);
	struct text_fields *f;
	struct buf text = {0};

	buf_add(&text, base->text, at ? (size_t)(at - base->text) : strlen(base->text));
	buf_printf(&text, "%s%s\n", head, print);
	f = text_fields_of_format(base->solver, base->system, base->name, text.data, text.len,
				  base->print ? base->print : base->from.print_fmt);
	f->bare = bare;
	buf_release(&text);
	return f;
}

void text_fields_format(const struct text_fields *f, struct buf *out)
{
	if (f->is_enter || f->is_exit) {
		fields_call_format(f, out);
		return;
	}
	fmt_parts_print_fields(f->p, out);
	buf_printf(out, "\nprint fmt: %s\n", f->print ? f->print : f->from.print_fmt);
}

/* --- a record */

/*
 * Returns false if @t can't be the text of the group @g: a single conversion of a number prints
 * only digits.
 */
static bool is_likely_text(const struct text_fields *f, const struct conv_group *g,
			   struct span_text t)
{
	const struct solver_conv *c = &f->p->convs[g->first];
	size_t i = 0;

	if (g->n > 1 || !strchr("diuxXo", c->spec[strlen(c->spec) - 1]))
		return true;
	while (i < t.len && t.p[i] == ' ')
		i++;
	if (i == t.len)
		return false;
	for (; i < t.len; i++)
		if (!strchr("0123456789abcdefABCDEFx+- ", t.p[i]) || !t.p[i])
			return false;
	return true;
}

/* Returns true if the record shows all chunks but its stack, which has sizes of functions. */
static bool shows_groups(struct text_fields *f)
{
	for (size_t i = 0; i < f->p->nr_groups; i++) {
		struct span_text t = f->solver->chunks[i];

		if (f->p->groups[i].vars != f->p->stack &&
		    !shows_text(f, 1 + f->p->nr_vars + i, t.p, t.len))
			return false;
	}
	return true;
}

/*
 * Splits the text from @at on into chunks for the groups from @g on, and finds their values. A
 * literal may occur several times: all splits are tried, up to the limits.
 */
static bool split_text(struct text_fields *f, size_t g, const char *at, struct span_text text)
{
	uint32_t all = f->p->nr_vars == 32 ? UINT32_MAX : (1u << f->p->nr_vars) - 1;
	const char *end = text.p + text.len, *to = at;
	const struct buf *next;

	if (g == f->p->nr_groups) {
		if (at != end || f->tries++ >= TRIES_MAX || !find_values(f, all))
			return false;
		build_record(f);
		return f->p->stack ? shows_groups(f) : shows_text(f, 0, text.p, text.len);
	}
	next = g + 1 < f->p->nr_groups ? &f->p->groups[g + 1].literal : &f->p->tail;
	if (g + 1 == f->p->nr_groups) {
		if ((size_t)(end - at) < next->len ||
		    (next->len && memcmp(end - next->len, next->data, next->len)))
			return false;
		f->solver->chunks[g] = (struct span_text){ at, end - next->len - at };
		return is_likely_text(f, &f->p->groups[g], f->solver->chunks[g]) &&
		       split_text(f, g + 1, end, text);
	}
	for (; f->splits < SPLITS_MAX && (to = memmem(to, end - to, next->data, next->len)); to++) {
		f->solver->chunks[g] = (struct span_text){ at, to - at };
		f->splits++;
		if (is_likely_text(f, &f->p->groups[g], f->solver->chunks[g]) &&
		    split_text(f, g + 1, to + next->len, text))
			return true;
	}
	return false;
}

/* Solves by trying. */
static bool solve_slowly(struct text_fields *f, struct span_text text, struct buf *out)
{
	const struct buf *first = f->p->nr_groups ? &f->p->groups[0].literal : &f->p->tail;

	f->splits = f->tries = 0;
	if (text.len < first->len || (first->len && memcmp(text.p, first->data, first->len)) ||
	    !split_text(f, 0, text.p + first->len, text))
		return false;
	buf_add(out, f->bytes.data + 8, f->bytes.len - 8);
	return true;
}

/* Returns true if @text has all literals of the print fmt, in their order. */
static bool has_literals(const struct text_fields *f, struct span_text text)
{
	const char *at = text.p, *end = text.p + text.len;

	for (size_t i = 0; i <= f->p->nr_groups; i++) {
		const struct buf *l = i < f->p->nr_groups ? &f->p->groups[i].literal : &f->p->tail;

		if (!l->len)
			continue;
		at = memmem(at, end - at, l->data, l->len);
		if (!at || (i == 0 && at != text.p))
			return false;
		at += l->len;
	}
	return true;
}

/*
 * Returns true if a field that is a name has a number in the record at @at of @out, which is
 * without its common fields: the kernel of the text has no names for it.
 */
static bool has_number_for_name(const struct text_fields *f, const struct buf *out, size_t at)
{
	for (size_t i = 0; i < f->p->nr_fields; i++) {
		const char *rec = out->data + at - COMMON_BYTES;
		uint32_t loc;
		char *end;

		if (!(f->names >> i & 1))
			continue;
		memcpy(&loc, rec + f->p->fields[i].offset, sizeof(loc));
		loc &= 0xffff;
		strtoll(rec + loc, &end, 0);
		if (loc >= COMMON_BYTES && end > rec + loc && !*end)
			return true;
	}
	return false;
}

bool text_fields_solve(struct text_fields *f, const struct dump_rec *r, struct buf *out)
{
	size_t at = out->len;
	bool ok;

	if (!f->usable || (f->bad > BAD_MAX && f->bad > 4 * f->good))
		return false;
	if (f->is_enter || f->is_exit) {
		ok = fields_solve_call(f, r->text);
		if (ok)
			buf_add(out, f->bytes.data + 8, f->bytes.len - 8);
	} else {
		ok = f->engine || has_literals(f, r->text);
		if (ok && !f->engine) {
			f->usable = prepare_engine(f);
			if (!f->usable)
				return false;
			if (!f->solver->slow || f->bare)
				f->decoder = text_decoder_new(f);
		}
		if (ok && !(f->decoder && text_decoder_solve(f->decoder, f, r->text, out)))
			ok = !f->bare && solve_slowly(f, r->text, out);
		if (ok && f->names && has_number_for_name(f, out, at)) {
			out->len = at;
			ok = false;
		}
	}
	f->good += ok;
	f->bad += !ok;
	return ok;
}

void text_fields_free(struct text_fields *f)
{
	size_t n = f && f->formats ? f->meta.nr_formats : 0;

	if (!f)
		return;
	text_decoder_free(f->decoder);
	ev_engine_free(f->engine);
	for (size_t i = 0; i < n; i++)
		ev_format_release(&f->formats[i]);
	free(f->formats);
	free(f->tried);
	for (size_t i = 0; i < PARTS_VARS; i++) {
		for (size_t k = 0; f->cache[i] && k < CACHE_SLOTS; k++)
			free(f->cache[i][k].text);
		free(f->cache[i]);
	}
	for (size_t i = 0; i < f->nr_params; i++)
		free(f->params[i]);
	if (f->p)
		fmt_parts_release(f->p);
	free(f->p);
	ev_format_release(&f->from);
	buf_release(&f->bytes);
	buf_release(&f->shown);
	free(f->text);
	free(f->print);
	free(f->system);
	free(f->name);
	free(f);
}
