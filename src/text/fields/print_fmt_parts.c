/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses print fmts into literals, conversions and variables. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "text/fields/field_solver_priv.h"
#include "text/fields/known_events.h"

/* Skips a string. Returns its end, or the end of the text. */
static const char *skip_string(const char *p)
{
	char quote = *p++;

	while (*p && *p != quote)
		p += *p == '\\' && p[1] ? 2 : 1;
	return *p ? p + 1 : p;
}

/* Skips an argument. Returns the next comma outside of all brackets, or the end. */
static const char *skip_arg(const char *p)
{
	int depth = 0;

	while (*p && (depth || *p != ',')) {
		if (*p == '"' || *p == '\'') {
			p = skip_string(p);
			continue;
		}
		depth += *p == '(' || *p == '{' || *p == '[';
		depth -= *p == ')' || *p == '}' || *p == ']';
		p++;
	}
	return p;
}

static const char *skip_blanks(const char *p)
{
	while (*p == ' ' || *p == '\t' || *p == '\n')
		p++;
	return p;
}

static bool is_word(char c)
{
	return c == '_' || isalnum((unsigned char)c);
}

/* --- fields */

/* Returns the declaration of the field at its offset in the text of a format; the caller frees. */
static char *find_decl(const char *text, const struct ev_field *f)
{
	static const char head[] = "field:", tail[] = ";\toffset:";
	const char *p = text, *end, *name;
	char *decl;

	while ((p = strstr(p, head))) {
		p += strlen(head);
		end = strstr(p, tail);
		if (!end || end - p > 200)
			return NULL;
		if ((uint32_t)atoi(end + strlen(tail)) != f->offset)
			continue;
		decl = xstrndup(p, end - p);
		name = strstr(decl, f->name);
		if (name && !strchr(decl, '\n'))
			return decl;
		free(decl);
	}
	return NULL;
}

static uint32_t align_up(uint32_t at, uint32_t to)
{
	return (at + to - 1) & ~(to - 1);
}

/* Returns the size of the number, or of an element of the array, of @f. */
static uint32_t field_unit(const struct ev_field *f)
{
	return f->kind == EV_DATA_LOC ? 4 : f->kind == EV_ARRAY ? f->elem_size : f->size;
}

/* Returns the index of @f among the new fields, which gets it if needed, or -1. */
static int add_field(struct fmt_parts *p, const struct ev_field *f, const char *text)
{
	uint32_t unit = field_unit(f);
	struct new_field *n;

	for (size_t i = 0; i < p->nr_fields; i++)
		if (p->fields[i].from == f)
			return i;
	if (p->nr_fields == PARTS_FIELDS || !unit || unit > 8 || unit & (unit - 1) ||
	    f->size > 512)
		return -1;
	n = &p->fields[p->nr_fields];
	n->from = f;
	n->decl = find_decl(text, f);
	if (!n->decl)
		return -1;
	return p->nr_fields++;
}

/* Sorts the fields as the kernel's format has them, and sets their offsets. */
static void place_fields(struct fmt_parts *p)
{
	struct new_field sorted[PARTS_FIELDS];
	size_t place[PARTS_FIELDS];

	for (size_t i = 0; i < p->nr_fields; i++) {
		place[i] = 0;
		for (size_t k = 0; k < p->nr_fields; k++)
			place[i] += p->fields[k].from->offset < p->fields[i].from->offset ||
				    (p->fields[k].from->offset == p->fields[i].from->offset &&
				     k < i);
		sorted[place[i]] = p->fields[i];
	}
	for (size_t i = 0; i < p->nr_fields; i++) {
		p->fields[i] = sorted[i];
		p->fields[i].offset = align_up(p->size, field_unit(sorted[i].from));
		p->size = p->fields[i].offset + sorted[i].from->size;
	}
	for (size_t i = 0; i < p->nr_vars; i++)
		p->vars[i].field = place[p->vars[i].field];
}

static int add_var(struct fmt_parts *p, enum var_kind kind, int field, uint32_t index,
		   uint32_t size)
{
	for (size_t i = 0; i < p->nr_vars; i++)
		if (p->vars[i].field == (size_t)field && p->vars[i].index == index)
			return i;
	if (field < 0 || p->nr_vars == PARTS_VARS)
		return -1;
	p->vars[p->nr_vars] = (struct solver_var){ kind, field, index, size };
	return p->nr_vars++;
}

/*
 * Returns the index of the variable "REC->name", or of an element if "[index]" follows, or -1.
 * @after is the text after the name.
 */
static int find_var(struct fmt_parts *p, const struct ev_format *fmt, const char *text,
		    const char *name, size_t len, const char *after)
{
	char *copy = xstrndup(name, len);
	const struct ev_field *f = ev_field(fmt, copy);
	char *end;
	unsigned long index;

	free(copy);
	if (!f || f->common)
		return -1;
	if (f->kind == EV_FIXED)
		return add_var(p, VAR_NUM, add_field(p, f, text), 0, f->size);
	if (f->kind == EV_DATA_LOC && f->is_string)
		return add_var(p, VAR_TEXT, add_field(p, f, text), 0, 4);
	if (f->kind == EV_ARRAY && f->elem_size == 1 && strstr(f->type, "char"))
		return add_var(p, VAR_CHARS, add_field(p, f, text), 0, f->size);
	after = skip_blanks(after);
	if (f->kind != EV_ARRAY || *after != '[' || !f->elem_size)
		return -1;
	index = strtoul(after + 1, &end, 0);
	if (*end != ']' || index >= f->size / f->elem_size)
		return -1;
	return add_var(p, VAR_NUM, add_field(p, f, text), index, f->elem_size);
}

/* Returns the index of the variable of the stack "name", or -1. A format has one at most. */
static int find_stack(struct fmt_parts *p, const struct ev_format *fmt, const char *text,
		      const char *name, size_t len)
{
	char *copy = xstrndup(name, len);
	const struct ev_field *f = ev_field(fmt, copy);
	int var;

	free(copy);
	if (p->stack || !f || f->kind != EV_DATA_LOC || f->is_string || !strstr(f->type, "long"))
		return -1;
	var = add_var(p, VAR_STACK, add_field(p, f, text), 0, 4);
	if (var >= 0)
		p->stack = 1u << var;
	return var;
}

/* --- arguments */

static bool note_var(struct solver_conv *c, int var)
{
	if (var < 0)
		return false;
	c->vars |= 1u << var;
	return true;
}

/*
 * Parses a word of an argument: a field, "__get_str(field)", or anything that the engine evaluates.
 * Returns false for functions and fields that can't be solved.
 */
static bool parse_word(struct fmt_parts *p, struct solver_conv *c, const struct ev_format *f,
		       const char *text, const char *word, const char *end)
{
	size_t len = end - word;
	const char *name;
	bool is_stack;

	if (len == 3 && !memcmp(word, "REC", 3) && end[0] == '-' && end[1] == '>') {
		name = end + 2;
		for (end = name; is_word(*end);)
			end++;
		return note_var(c, find_var(p, f, text, name, end - name, end));
	}
	is_stack = len == 16 && !memcmp(word, "__get_stacktrace", 16);
	if (is_stack || (len == 9 && !memcmp(word, "__get_str", 9))) {
		end = skip_blanks(end);
		if (*end != '(')
			return false;
		name = skip_blanks(end + 1);
		for (end = name; is_word(*end);)
			end++;
		return *skip_blanks(end) == ')' &&
		       note_var(c, is_stack ? find_stack(p, f, text, name, end - name)
					    : find_var(p, f, text, name, end - name, end));
	}
	return strncmp(word, "__get_", 6) != 0;
}

/* Parses { value, "name" } at @p. Values that are not plain numbers are left to the engine. */
static void parse_table_row(struct solver_conv *c, const char *p)
{
	const char *comma = skip_arg(p + 1), *name, *end;
	struct table_row row = {0};

	if (*comma != ',' || c->nr_table == PARTS_TABLE)
		return;
	name = skip_blanks(comma + 1);
	if (*name != '"')
		return;
	end = skip_string(name);
	p = skip_blanks(p + 1);
	while (comma > p && comma[-1] == ' ')
		comma--;
	while (p < comma && *p == '(' && comma[-1] == ')') {
		p = skip_blanks(p + 1);
		comma--;
	}
	while (comma > p && comma[-1] == ' ')
		comma--;
	if (text_c_integer(p, comma, &row.value)) {
		char *at;

		row.value = strtoull(p, &at, 0);
		at += strspn(at, "UL )");
		if (at[0] != '<' || at[1] != '<')
			return;
		at = (char *)skip_blanks(at + 2);
		row.value <<= strtoul(at, &at, 0) & 63;
	}
	row.name = xstrndup(name + 1, end - name - 2);
	c->table = xgrow(c->table, &c->cap_table, c->nr_table + 1, sizeof(*c->table));
	c->table[c->nr_table++] = row;
}

/* Parses an argument of the conversion @c. Returns false if it can't be solved. */
static bool parse_arg(struct fmt_parts *p, struct solver_conv *c, const struct ev_format *f,
		      const char *text, const char *arg)
{
	const char *at = arg, *word;

	while (*at) {
		if (*at == '"' || *at == '\'') {
			at = skip_string(at);
			continue;
		}
		if (*at == '{')
			parse_table_row(c, at);
		if (at[0] == '>' && at[1] == '>' && !c->shift)
			c->shift = strtoul(skip_blanks(at + 2), NULL, 0) & 63;
		if (!is_word(*at)) {
			at++;
			continue;
		}
		for (word = at; is_word(*at);)
			at++;
		if (!parse_word(p, c, f, text, word, at))
			return false;
	}
	return true;
}

/* --- the fmt */

/* Skips a conversion, and counts its "*". Returns its end. */
static const char *skip_spec(const char *p, unsigned int *stars)
{
	*stars = 0;
	for (p++; *p && strchr("-+ #0123456789.*", *p); p++)
		*stars += *p == '*';
	while (*p && strchr("hlLqjzt", *p))
		p++;
	if (*p == 'p')
		for (p++; isalnum((unsigned char)*p);)
			p++;
	else if (*p)
		p++;
	return p;
}

/* Adds a conversion to its group. A literal before it starts a new group, and is moved to it. */
static bool add_conv(struct fmt_parts *p, struct buf *literal, const char *spec, const char *end,
		     unsigned int stars)
{
	struct conv_group *g = p->nr_groups ? &p->groups[p->nr_groups - 1] : NULL;
	struct solver_conv *c;

	if (p->nr_convs == PARTS_CONVS)
		return false;
	if (!g || literal->len) {
		g = &p->groups[p->nr_groups++];
		g->literal = *literal;
		g->first = p->nr_convs;
		*literal = (struct buf){0};
	}
	g->n++;
	c = &p->convs[p->nr_convs++];
	c->spec = xstrndup(spec, end - spec);
	return !stars;
}

/* Splits a print fmt into literals and conversions. Returns false if there are too many. */
static bool split_fmt(struct fmt_parts *p, const char *at)
{
	struct buf literal = {0};
	unsigned int stars;
	const char *end;
	bool ok = true;

	while (ok && *at) {
		if (at[0] == '%' && at[1] == '%') {
			buf_addch(&literal, '%');
			at += 2;
		} else if (*at == '%') {
			end = skip_spec(at, &stars);
			ok = add_conv(p, &literal, at, end, stars);
			at = end;
		} else if (at[0] == '\\' && at[1]) {
			buf_addch(&literal, at[1] == 'n' ? '\n' : at[1] == 't' ? '\t' : at[1]);
			at += 2;
		} else {
			buf_addch(&literal, *at++);
		}
	}
	p->tail = literal;
	return ok;
}

bool fmt_parts_parse(struct fmt_parts *p, const struct ev_format *f, const char *text)
{
	const char *at = skip_blanks(f->print_fmt), *end;
	struct buf fmt = {0};
	char *arg;
	bool ok;

	*p = (struct fmt_parts){ .size = 8 };
	/* adjacent strings are one */
	buf_addstr(&fmt, "");
	for (; *at == '"'; at = skip_blanks(end)) {
		end = skip_string(at);
		if (end - at >= 2)
			buf_add(&fmt, at + 1, end - at - 2);
	}
	ok = split_fmt(p, fmt.data);
	buf_release(&fmt);
	for (size_t i = 0; ok && i < p->nr_convs; i++) {
		if (*at != ',') {
			ok = false;
			break;
		}
		at = skip_blanks(at + 1);
		end = skip_arg(at);
		arg = xstrndup(at, end - at);
		strv_take(&p->convs[i].args, arg);
		ok = parse_arg(p, &p->convs[i], f, text, arg);
		at = end;
	}
	ok = ok && !*skip_blanks(at);
	for (size_t i = 0; i < p->nr_groups; i++)
		for (size_t j = 0; j < p->groups[i].n; j++)
			p->groups[i].vars |= p->convs[p->groups[i].first + j].vars;
	place_fields(p);
	p->size = align_up(p->size, 4);
	return ok;
}

static void print_field(const struct new_field *n, struct buf *out)
{
	buf_printf(out, "\tfield:%s;\toffset:%u;\tsize:%u;\tsigned:%d;\n", n->decl, n->offset,
		   n->from->size, n->from->is_signed);
}

void fmt_parts_print_fields(const struct fmt_parts *p, struct buf *out)
{
	for (size_t i = 0; i < p->nr_fields; i++)
		print_field(&p->fields[i], out);
}

/* Returns true for names whose numbers all kernels have: those of the kernel's interface. */
static bool is_fixed_name(const struct solver_conv *c)
{
	static const char *const prefixes[] = { "AF_", "IPPROTO_" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (!strncmp(c->table[0].name, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

/* Returns true if the number @var is shown by the names of a table alone. */
static bool is_name(const struct fmt_parts *p, size_t var)
{
	size_t shown = 0, named = 0;

	for (size_t i = 0; i < p->nr_convs; i++) {
		const struct solver_conv *c = &p->convs[i];

		if (!(c->vars & 1u << var))
			continue;
		shown++;
		named += c->vars == 1u << var && c->nr_table && !strcmp(c->spec, "%s") &&
			 !is_fixed_name(c);
	}
	return shown == 1 && named == 1 && p->vars[var].kind == VAR_NUM &&
	       p->fields[p->vars[var].field].from->kind == EV_FIXED;
}

bool fmt_parts_print_names(const struct fmt_parts *p, const char *event, const char *print,
			   struct buf *out)
{
	uint32_t names = 0, fields = 0;
	const char *at = skip_blanks(print);

	for (size_t i = 0; i < p->nr_vars; i++) {
		if (!is_name(p, i) ||
		    known_event_has_number(event, p->fields[p->vars[i].field].from->name))
			continue;
		names |= 1u << i;
		fields |= 1u << p->vars[i].field;
	}
	for (size_t i = 0; i < p->nr_fields; i++) {
		const struct new_field *n = &p->fields[i];

		if (fields & 1u << i)
			buf_printf(out, "\tfield:__data_loc char[] %s;\toffset:%u;\tsize:4;\t"
				   "signed:0;\n", n->from->name, n->offset);
		else
			print_field(n, out);
	}
	while (*at == '"')
		at = skip_blanks(skip_string(at));
	buf_printf(out, "\nprint fmt: %.*s", (int)(at - print), print);
	for (size_t i = 0; i < p->nr_convs; i++) {
		const struct solver_conv *c = &p->convs[i];
		size_t field = c->vars ? p->vars[__builtin_ctz(c->vars)].field : 0;

		if (c->vars & names)
			buf_printf(out, ", __get_str(%s)", p->fields[field].from->name);
		else
			buf_printf(out, ", %s", c->args.v[0]);
	}
	buf_addch(out, '\n');
	return names;
}

void fmt_parts_release(struct fmt_parts *p)
{
	for (size_t i = 0; i < p->nr_fields; i++)
		free(p->fields[i].decl);
	for (size_t i = 0; i < p->nr_convs; i++) {
		for (size_t j = 0; j < p->convs[i].nr_table; j++)
			free(p->convs[i].table[j].name);
		free(p->convs[i].table);
		free(p->convs[i].spec);
		strv_release(&p->convs[i].args);
	}
	for (size_t i = 0; i < p->nr_groups; i++)
		buf_release(&p->groups[i].literal);
	buf_release(&p->tail);
	*p = (struct fmt_parts){0};
}
