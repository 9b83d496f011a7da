/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of the kernel in expressions, as far as they are known: values, arrays, ticks. */
#include <string.h>

#include "event/data/known.h"
#include "event/expr/expr.h"
#include "event/plugin/plugin.h"

static uint32_t constant_node(struct xparse *p, int64_t v)
{
	return x_num(p, ctype_int(v == (int32_t)v ? 4 : 8, true), v);
}

/* A table of the array's strings; its index + 1 goes where an unknown value has nothing. */
static uint32_t add_word_table(struct xparse *p, const char *name, size_t len, const char *const *v,
			       size_t n)
{
	struct xcode *c = p->code;
	struct xtable t = { .first = c->nr_entries, .n = n };
	uint32_t made, at, added;

	if (n > X_ENTRIES_MAX - c->nr_entries)
		return x_fail(p, "its tables are too long");
	c->entries = xgrow(c->entries, &c->cap_entries, c->nr_entries + n, sizeof(*c->entries));
	c->names = xgrow(c->names, &c->cap_names, c->nr_entries + n, sizeof(*c->names));
	for (size_t i = 0; i < n; i++) {
		at = x_text(p, v[i], strlen(v[i]), &added);
		buf_addch(&c->text, 0);
		c->names[c->nr_entries] = at;
		c->entries[c->nr_entries++] = (struct list_entry){ .len = added };
	}
	c->tables = xgrow(c->tables, &c->cap_tables, c->nr_tables + 1, sizeof(*c->tables));
	c->tables[c->nr_tables] = t;
	made = x_foreign(p, name, len, NULL, 0);
	if (made)
		x_at(p, made)->c = ++c->nr_tables;
	return made;
}

uint32_t x_known(struct xparse *p, const char *name, size_t len)
{
	const char *const *array;
	bool is_signed;
	uint64_t v;
	size_t n;

	if (kenum_find(p->fmt->system, name, len, p->kernel, (int64_t *)&v) ||
	    plug_constant(p->plugins, name, len, (int64_t *)&v))
		return constant_node(p, v);
	if (kvalue_find(p->world, name, len, &v, &is_signed))
		return x_num(p, ctype_int(is_signed ? 8 : p->long_size, is_signed), v);
	array = kwords_find(name, len, &n);
	return array ? add_word_table(p, name, len, array, n) : x_foreign(p, name, len, NULL, 0);
}

const struct xtable *x_words(struct xparse *p, uint32_t n)
{
	const struct xnode *node = x_at(p, n);

	return node->op == X_FOREIGN && node->c ? &p->code->tables[node->c - 1] : NULL;
}

uint32_t x_word(struct xparse *p, uint32_t array, uint32_t i)
{
	return x_node(p, (struct xnode){ .op = X_PICK, .kind = XK_TEXT, .a = i,
					 .b = x_at(p, array)->c - 1 });
}

/*
 * jiffies_to_msecs(): 1000 / HZ of them where that is whole, the other way round rounded up, and
 * elsewhere by a fraction, which 32-bit kernels round in another way.
 */
uint32_t x_jiffies_to_msecs(struct xparse *p, uint32_t j)
{
	const struct ctype ulong = ctype_int(p->long_size, false), uint = ctype_int(4, false);
	uint32_t hz = kvalue_hz(p->world), up, down, n;

	if (!hz || (1000 % hz && hz % 1000 && p->long_size == 4))
		return 0;
	for (up = 1000, down = hz; up % 2 == 0 && down % 2 == 0; up /= 2, down /= 2)
		;
	for (; up % 5 == 0 && down % 5 == 0; up /= 5, down /= 5)
		;
	n = x_binary(p, X_MUL, x_cast(p, ulong, j), x_num(p, ulong, up));
	if (down > 1) {
		n = x_binary(p, X_ADD, n, x_num(p, ulong, down - 1));
		n = x_binary(p, X_DIV, n, x_num(p, ulong, down));
	}
	return x_cast(p, uint, n);
}
