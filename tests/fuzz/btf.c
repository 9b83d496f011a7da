/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz target: BTF of a kernel and of a module to prototypes, and calls printed after prototypes.
 * The first byte chooses: 1 a text instead of BTF, 2 longs of 4 bytes, 4 big endian, 8 old kernels.
 */
#include <stdlib.h>
#include <string.h>

#include "event/btf/btf.h"
#include "fuzz.h"

static const uint8_t regs[8 * 8] = {
	1, [8] = 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, [16] = 3, [56] = 0x80,
};

static void print(const struct buf *text, const char *line, size_t len, uint8_t how)
{
	struct btf_args a = {
		.p = regs, .n = how & 2 ? 5 : 6, .size = how & 2 ? 4 : 8, .big = how & 4,
		.plain_ints = how & 8, .plain_enums = how & 8,
		.text = text->data, .text_len = text->len,
	};
	struct buf out = {0};

	btf_print_args(line, len, &a, &out);
	FUZZ_ASSERT(out.len >= 2 && out.data[0] == '(' && out.data[out.len - 1] == ')');
	buf_release(&out);
}

static size_t name_len(const char *line, size_t len)
{
	const char *blank = memchr(line, ' ', len);

	return blank ? (size_t)(blank - line) : len;
}

/* What was made of BTF is sorted, and each line of it is found. */
static void check(const struct buf *text, uint8_t how)
{
	const char *p, *nl, *was = NULL, *end = text->data + text->len, *found;
	size_t len, was_len = 0, found_len;
	int order;

	for (p = text->data; p < end; p = nl + 1) {
		nl = memchr(p, '\n', end - p);
		FUZZ_ASSERT(nl);
		len = name_len(p, nl - p);
		order = was ? memcmp(was, p, was_len < len ? was_len : len) : -1;
		FUZZ_ASSERT(order < 0 || (!order && was_len < len));
		found = btf_proto_find(text->data, text->len, p, len, &found_len);
		FUZZ_ASSERT(found == p && found_len == (size_t)(nl - p));
		print(text, p, nl - p, how);
		was = p;
		was_len = len;
	}
}

/* Paths from each parameter of a line's function, by words of the same file. */
static void paths_of(const struct btf_set *set, const char *line, size_t len,
		     const struct strv *words)
{
	static const char *const ends[] = { "", "[1]", "[1000000]", "->%s", ".%s", "->%s->%s[2]" };
	char *copy = xstrndup(line, len), *path;
	struct strv params = {0};
	struct btf_value v;
	struct ftr_error err = {0};
	size_t i, j;

	strv_split(&params, copy, " ");
	for (i = 1; i < params.n && i < 4; i++) {
		params.v[i][strcspn(params.v[i], ":")] = '\0';
		for (j = 0; j < sizeof(ends) / sizeof(*ends); j++) {
			const char *word = words->n ? words->v[(i + j) % words->n] : "a";
			struct buf b = {0};

			buf_printf(&b, "%s", params.v[i]);
			buf_printf(&b, ends[j], word, word);
			path = buf_take(&b);
			if (btf_func_value(set, params.v[0], path, &v, &err))
				FUZZ_ASSERT(*err.msg && v.bad_at <= strlen(path));
			else
				FUZZ_ASSERT(v.nr_steps <= BTF_STEPS_MAX);
			btf_param_reg(set, params.v[0], i - 1, NULL);
			free(path);
		}
	}
	strv_release(&params);
	free(copy);
}

static void paths(const struct btf_file *v, size_t n, const struct buf *text)
{
	struct btf_set *set = btf_set_new(v, n, NULL);
	struct strv words = {0};
	const char *p, *nl;
	struct btf_value value;
	size_t i;

	for (i = 0; i < v->len && words.n < 16; i++)
		if (v->p[i] && !v->p[i - !!i] && memchr(v->p + i, 0, v->len - i) &&
		    strspn(v->p + i, "abcdefghijklmnopqrstuvwxyz_") == strlen(v->p + i))
			strv_add(&words, v->p + i);
	for (p = text->data, i = 0; set && i < 8 && (nl = strchr(p, '\n')); p = nl + 1, i++)
		if (*p != '#')
			paths_of(set, p, nl - p, &words);
	if (set && words.n)
		btf_struct_value(set, words.v[0], "->a.b", &value, NULL);
	strv_release(&words);
	btf_set_free(set);
}

/* Declarations of the functions of @text, by the kernel's BTF and by the module's. */
static void declare(const struct btf_file *v, size_t n, const struct buf *text)
{
	struct btf_decls *d[2] = { btf_decls_new(&v[0], NULL, NULL), NULL };
	struct buf out = {0};
	const char *p, *nl;
	char *name;
	size_t i;

	if (d[0] && n > 1)
		d[1] = btf_decls_new(&v[1], d[0], NULL);
	for (p = text->data; d[0] && (nl = strchr(p, '\n')); p = nl + 1) {
		name = xstrndup(p, name_len(p, nl - p));
		for (i = 0; i < 2 && d[i]; i++) {
			buf_reset(&out);
			if (!btf_decl(d[i], name, &out))
				FUZZ_ASSERT(!out.len);
			else
				FUZZ_ASSERT(strstr(out.data, name) && strchr(out.data, ')'));
		}
		free(name);
	}
	buf_release(&out);
	btf_decls_free(d[1]);
	btf_decls_free(d[0]);
}

static void from_btf(const uint8_t *data, size_t size, uint8_t how)
{
	size_t first = size < 2 ? size : (data[0] | data[1] << 8) % (size - 1);
	struct btf_file v[2];
	struct ftr_error err = {0};
	struct buf text = {0};

	if (size < 2)
		return;
	data += 2;
	size -= 2;
	v[0] = (struct btf_file){ (const char *)data, first };
	v[1] = (struct btf_file){ (const char *)data + first, size - first };
	buf_add(&text, "", 0);
	if (btf_protos(v, first < size ? 2 : 1, NULL, &text, &err))
		FUZZ_ASSERT(*err.msg);
	else
		check(&text, how);
	paths(v, first < size ? 2 : 1, &text);
	declare(v, first < size ? 2 : 1, &text);
	buf_release(&text);
}

/* A name up to the first NUL, and the text to find it in. */
static void from_text(const uint8_t *data, size_t size, uint8_t how)
{
	size_t len, n = strnlen((const char *)data, size);
	struct buf text = {0};
	const char *line;

	buf_add(&text, data + n, size - n);
	line = btf_proto_find(text.data, text.len, (const char *)data, n, &len);
	if (line) {
		FUZZ_ASSERT(line >= text.data && line + len <= text.data + text.len);
		print(&text, line, len, how);
	}
	print(&text, text.data, text.len, how);
	buf_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	if (data[0] & 1)
		from_text(data + 1, size - 1, data[0]);
	else
		from_btf(data + 1, size - 1, data[0]);
	return 0;
}
