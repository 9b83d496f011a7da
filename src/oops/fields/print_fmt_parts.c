/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Print fmts taken apart. */
#include "oops/fields/print_fmt_parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Behind what opens at @p, or the end. */
static const char *skip_string(const char *p)
{
	char quote = *p++;

	while (*p && *p != quote)
		p += *p == '\\' && p[1] ? 2 : 1;
	return *p ? p + 1 : p;
}

/* The end of an argument: a comma outside of all brackets, or the end. */
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

/* The declaration of the field at @offset in the text of a format. */
static char *find_decl(const char *text, const struct ev_field *f)
{
	static const char begin[] = "field:", behind[] = ";\toffset:";
	const char *p = text, *end, *name;
	char *decl;

	while ((p = strstr(p, begin))) {
		p += strlen(begin);
		end = strstr(p, behind);
		if (!end || end - p > 200)
			return NULL;
		if ((uint32_t)atoi(end + strlen(behind)) != f->offset)
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

/* The place of @f among the new fields, or -1. */
static int add_field(struct pieces *p, const struct ev_field *f, const char *text)
{
	uint32_t unit = f->kind == EV_DATA_LOC ? 4 : f->kind == EV_ARRAY ? f->elem_size : f->size;
	struct new_field *n;

	for (size_t i = 0; i < p->nr_fields; i++)
		if (p->fields[i].from == f)
			return i;
	if (p->nr_fields == PIECES_FIELDS || !unit || unit > 8 || unit & (unit - 1) ||
	    f->size > 512)
		return -1;
	n = &p->fields[p->nr_fields];
	n->from = f;
	n->decl = find_decl(text, f);
	if (!n->decl)
		return -1;
	n->offset = align_up(p->size, unit);
	p->size = n->offset + f->size;
	return p->nr_fields++;
}

static int add_var(struct pieces *p, enum var_kind kind, int field, uint32_t index, uint32_t size)
{
	for (size_t i = 0; i < p->nr_vars; i++)
		if (p->vars[i].field == (size_t)field && p->vars[i].index == index)
			return i;
	if (field < 0 || p->nr_vars == PIECES_VARS)
		return -1;
	p->vars[p->nr_vars] = (struct var){ kind, field, index, size };
	return p->nr_vars++;
}

static bool is_chars(const struct ev_field *f)
{
	return f->kind == EV_ARRAY && f->elem_size == 1 && strstr(f->type, "char");
}

/* The value that "REC->name", with "[index]" perhaps, stands for. */
static int find_var(struct pieces *p, const struct ev_format *fmt, const char *text,
		    const char *name, size_t len, const char *behind)
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
	if (is_chars(f))
		return add_var(p, VAR_CHARS, add_field(p, f, text), 0, f->size);
	behind = skip_blanks(behind);
	if (f->kind != EV_ARRAY || *behind != '[' || !f->elem_size)
		return -1;
	index = strtoul(behind + 1, &end, 0);
	if (*end != ']' || index >= f->size / f->elem_size)
		return -1;
	return add_var(p, VAR_NUM, add_field(p, f, text), index, f->elem_size);
}

/* --- arguments */

/* The name in "__get_str(name)" at @p, which is behind the word. */
static const char *inner_name(const char *p, size_t *len)
{
	const char *from;

	p = skip_blanks(p);
	if (*p != '(')
		return NULL;
	from = p = skip_blanks(p + 1);
	while (is_word(*p))
		p++;
	*len = p - from;
	return *skip_blanks(p) == ')' ? from : NULL;
}

static bool note_var(struct conv *c, int var)
{
	if (var < 0)
		return false;
	c->vars |= 1u << var;
	return true;
}

/* A word of an argument at @p: a field, or a function of the kernel. */
static bool take_word(struct pieces *p, struct conv *c, const struct ev_format *f,
		      const char *text, const char *word, const char *end)
{
	size_t len = end - word;
	const char *name;

	if (len == 3 && !memcmp(word, "REC", 3) && end[0] == '-' && end[1] == '>') {
		name = end + 2;
		for (end = name; is_word(*end);)
			end++;
		return note_var(c, find_var(p, f, text, name, end - name, end));
	}
	if (len == 9 && !memcmp(word, "__get_str", 9)) {
		name = inner_name(end, &len);
		return name && note_var(c, find_var(p, f, text, name, len, name + len));
	}
	return strncmp(word, "__get_", 6) != 0;
}

/* "{ value, "name" }" at @p; values that are not plain numbers are left to the engine. */
static void take_row(struct conv *c, const char *p)
{
	const char *comma = skip_arg(p + 1), *name, *end;
	struct table_row row = {0};

	if (*comma != ',' || c->nr_table == PIECES_TABLE)
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

static bool take_arg(struct pieces *p, struct conv *c, const struct ev_format *f,
		     const char *text, const char *arg)
{
	const char *at = arg, *word;

	while (*at) {
		if (*at == '"' || *at == '\'') {
			at = skip_string(at);
			continue;
		}
		if (*at == '{')
			take_row(c, at);
		if (at[0] == '>' && at[1] == '>' && !c->shift)
			c->shift = strtoul(skip_blanks(at + 2), NULL, 0) & 63;
		if (!is_word(*at)) {
			at++;
			continue;
		}
		for (word = at; is_word(*at);)
			at++;
		if (!take_word(p, c, f, text, word, at))
			return false;
	}
	return true;
}

/* --- the fmt */

/* The strings of a print fmt, one behind the other, as they are written; where they end. */
static const char *join_strings(const char *p, struct buf *out)
{
	const char *end;

	buf_addstr(out, "");
	for (p = skip_blanks(p); *p == '"'; p = skip_blanks(end)) {
		end = skip_string(p);
		if (end - p >= 2)
			buf_add(out, p + 1, end - p - 2);
	}
	return p;
}

/* The conversion at @p, behind its end. */
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

static char unescape(const char **p)
{
	char c = *(*p)++;

	if (c != '\\' || !**p)
		return c;
	c = *(*p)++;
	return c == 'n' ? '\n' : c == 't' ? '\t' : c;
}

static bool add_conv(struct pieces *p, struct buf *literal, const char *spec, const char *end,
		     unsigned int stars)
{
	struct group *g = p->nr_groups ? &p->groups[p->nr_groups - 1] : NULL;
	struct conv *c;

	if (p->nr_convs == PIECES_CONVS)
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

static bool split_fmt(struct pieces *p, const char *at)
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
		} else {
			buf_addch(&literal, unescape(&at));
		}
	}
	p->tail = literal;
	return ok;
}

static bool take_args(struct pieces *p, const struct ev_format *f, const char *text,
		      const char *at)
{
	const char *end;
	char *arg;

	for (size_t i = 0; i < p->nr_convs; i++) {
		if (*at != ',')
			return false;
		at = skip_blanks(at + 1);
		end = skip_arg(at);
		arg = xstrndup(at, end - at);
		strv_take(&p->convs[i].args, arg);
		if (!take_arg(p, &p->convs[i], f, text, arg))
			return false;
		at = end;
	}
	return !*skip_blanks(at);
}

bool pieces_parse(struct pieces *p, const struct ev_format *f, const char *text)
{
	struct buf fmt = {0};
	const char *args;
	bool ok;

	*p = (struct pieces){ .size = 8 };
	args = join_strings(f->print_fmt, &fmt);
	ok = split_fmt(p, fmt.data) && take_args(p, f, text, args);
	buf_release(&fmt);
	for (size_t i = 0; i < p->nr_groups; i++)
		for (size_t j = 0; j < p->groups[i].n; j++)
			p->groups[i].vars |= p->convs[p->groups[i].first + j].vars;
	p->size = align_up(p->size, 4);
	return ok;
}

void pieces_print_fields(const struct pieces *p, struct buf *out)
{
	for (size_t i = 0; i < p->nr_fields; i++) {
		const struct new_field *n = &p->fields[i];

		buf_printf(out, "\tfield:%s;\toffset:%u;\tsize:%u;\tsigned:%d;\n", n->decl,
			   n->offset, n->from->size, n->from->is_signed);
	}
}

void pieces_release(struct pieces *p)
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
	*p = (struct pieces){0};
}
