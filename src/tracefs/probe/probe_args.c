/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arguments of a probe: the user's "[NAME=]EXPRESSION[:TYPE]" in the kernel's syntax. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "event/btf/btf.h"
#include "event/data/format_lines.h"
#include "tracefs/probe/probe_priv.h"

#define NAME_MAX_LEN 31		/* MAX_ARG_NAME_LEN is 32 */

const char *const probe_arg_regs[6] = { "%di", "%si", "%dx", "%cx", "%r8", "%r9" };

/* A parsed argument. */
struct probe_arg {
	const struct probe_word *w;
	char *name, *expr, *type;	/* ->name and ->type are "" if they were not given */
	size_t expr_at;			/* offset in the user's text */
};

static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static size_t ident_len(const char *s)
{
	size_t n = 0;

	if (isdigit((unsigned char)*s))
		return 0;
	while (is_word_char(s[n]))
		n++;
	return n;
}

/* --- types */

static bool is_integer_type(const char *t)
{
	static const char *const sizes[] = { "8", "16", "32", "64" };
	size_t i, n;

	if (!*t || !strchr("usx", *t))
		return false;
	n = strcspn(t + 1, "[");
	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		if (strlen(sizes[i]) == n && !strncmp(sizes[i], t + 1, n))
			return true;
	return false;
}

static bool is_known_type(const char *t)
{
	static const char *const words[] = {
		"char", "string", "ustring", "symbol", "symstr", "%pd", "%pD",
	};
	size_t i, n = strcspn(t, "[");

	for (i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i]) == n && !strncmp(words[i], t, n))
			return true;
	return is_integer_type(t) || (*t == 'b' && isdigit((unsigned char)t[1]) && strchr(t, '@'));
}

static bool is_string_type(const char *t)
{
	size_t n = strcspn(t, "[");

	return (n == 6 && !strncmp(t, "string", n)) || (n == 7 && !strncmp(t, "ustring", n));
}

static int arg_unknown_type(struct probe_build *m, const struct probe_arg *a, size_t at)
{
	static char *types[] = { "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "x8", "x16",
				 "x32", "x64", "char", "string", "ustring", "symbol", "symstr",
				 NULL };
	const char *near = text_closest(a->type, types);

	err_set(m->err, FTR_USAGE, "unknown type '%s'", a->type);
	build_point(m, at);
	if (near)
		return err_hint(m->err, "did you mean '%s'?", near);
	return err_hint(m->err, "types are u8 to u64, s8 to s64, x8 to x64, char, string, ustring, "
			"symbol, symstr, b1@2/8, and arrays of them: x8[6]");
}

/* --- name, expression and type */

/* Returns the colon before the type: the last one outside of parentheses and quotes, or NULL. */
static char *type_colon(char *s)
{
	char *found = NULL;
	bool quoted = false;
	int depth = 0;

	for (; *s; s++) {
		quoted ^= *s == '"';
		if (quoted)
			continue;
		depth += (*s == '(') - (*s == ')');
		if (*s == ':' && !depth)
			found = s;
	}
	return found;
}

static int arg_split(struct probe_build *m, const struct probe_word *w, struct probe_arg *a)
{
	size_t name = ident_len(w->text);
	bool named = name && w->text[name] == '=';
	char *colon;

	*a = (struct probe_arg){ .w = w };
	a->name = xstrndup(w->text, named ? name : 0);
	a->expr = xstrdup(w->text + (named ? name + 1 : 0));
	a->expr_at = w->at + (named ? name + 1 : 0);
	colon = type_colon(a->expr);
	a->type = xstrdup(colon ? colon + 1 : "");
	if (colon)
		*colon = '\0';
	if (colon && !is_known_type(a->type))
		return arg_unknown_type(m, a, a->expr_at + (colon - a->expr) + 1);
	if (*a->expr)
		return 0;
	err_set(m->err, FTR_USAGE, "'%s' has no value", w->text);
	return build_point(m, w->at);
}

/* --- names */

/* Returns the last word of the expression, "skc_state", or "argN". The caller frees. */
static char *guess_name(const struct probe_build *m, const char *expr)
{
	size_t end = strlen(expr), start;
	char *name;

	if (strchr("+-\\", *expr) && *expr)
		return xasprintf("arg%zu", m->arg_names.n + 1);
	while (end && !is_word_char(expr[end - 1]))
		end--;
	for (start = end; start && is_word_char(expr[start - 1]);)
		start--;
	if (expr[start] && isdigit((unsigned char)expr[start]) && start && expr[start - 1] == '[') {
		/* The name of a[3] is a. */
		for (end = start - 1, start = end; start && is_word_char(expr[start - 1]);)
			start--;
	}
	name = xstrndup(expr + start, end - start);
	/* The kernel reserves both prefixes. */
	if (!ident_len(name) || !strncmp(name, "common_", 7) || !strncmp(name, "__probe_", 8) ||
	    strlen(name) > NAME_MAX_LEN) {
		free(name);
		name = xasprintf("arg%zu", m->arg_names.n + 1);
	}
	return name;
}

static void set_unique_name(struct probe_build *m, struct probe_arg *a)
{
	char *base;
	int n = 2;

	if (*a->name) {
		strv_add(&m->arg_names, a->name);
		return;
	}
	free(a->name);
	base = guess_name(m, a->expr);
	a->name = xstrdup(base);
	while (strv_has(&m->arg_names, a->name)) {
		free(a->name);
		a->name = xasprintf("%.*s_%d", NAME_MAX_LEN - 4, base, n++);
	}
	free(base);
	strv_add(&m->arg_names, a->name);
}

/* --- writing */

static void write_named_arg(struct probe_build *m, struct probe_arg *a, const char *expr,
			    const char *type, bool same)
{
	set_unique_name(m, a);
	build_add(m, " ", a->w->at, 0, false);
	build_add(m, a->name, a->w->at, a->w->len, false);
	build_add(m, "=", a->w->at, a->w->len, false);
	build_add(m, expr, a->expr_at, strlen(a->expr), same);
	if (*type) {
		build_add(m, ":", a->expr_at, strlen(a->expr), false);
		build_add(m, type, a->expr_at + strlen(a->expr) + 1, strlen(a->type),
			  !strcmp(type, a->type));
	}
}

/* The kernel reads a string at an address, so a plain value is made an address. */
static void write_plain(struct probe_build *m, struct probe_arg *a, const char *base)
{
	bool points = strchr("+-@\\", *base) || !strcmp(base, "$comm");
	char *expr = is_string_type(a->type) && !points ? xasprintf("+0(%s)", base)
							: xstrdup(base);

	write_named_arg(m, a, expr, a->type, !strcmp(expr, a->expr));
	free(expr);
}

static int write_value(struct probe_build *m, struct probe_arg *a, const struct btf_value *v,
		       const char *base)
{
	const char *type = *a->type ? a->type : v->kind == BTF_IS_CHAR_ARRAY ? "string" : v->type;
	bool pointer = v->kind == BTF_IS_CHARS || !strcmp(v->type, "x64");
	char *expr, *inner;

	if (is_string_type(type) && v->kind == BTF_IS_NUMBER && !pointer) {
		err_set(m->err, FTR_FAILED, "'%s' is a number, not a string", a->expr);
		return build_point(m, a->expr_at);
	}
	if (!*type) {
		err_set(m->err, FTR_FAILED, "'%s' is a structure or an array", a->expr);
		build_point(m, a->expr_at);
		return err_hint(m->err, "name a member, or give a type (:x8[6])");
	}
	/* The steps nest: "+8(+16(%di))". */
	expr = xstrdup(base);
	for (uint32_t i = 0; i < v->nr_steps; i++) {
		inner = expr;
		expr = xasprintf("%+jd(%s)", (intmax_t)v->step[i], inner);
		free(inner);
	}
	if (is_string_type(type) && pointer) {
		inner = expr;
		expr = xasprintf("+0(%s)", inner);
		free(inner);
	}
	write_named_arg(m, a, expr, type, false);
	free(expr);
	return 0;
}

/* --- functions of the kernel */

static int arg_refuse(struct probe_build *m, const struct probe_arg *a, size_t off)
{
	return build_point(m, a->expr_at + off);
}

static bool has_steps(const char *expr)
{
	return strstr(expr, "->") || strchr(expr, '.') || strchr(expr, '[');
}

/* Refuses arguments at the return on older kernels, and within the function: they may be gone. */
static int arg_check_entry(struct probe_build *m, const struct probe_arg *a)
{
	if (m->is_return && !(m->k->features & PROBE_HAS_RET_ARGS)) {
		err_set(m->err, FTR_FAILED, "this kernel does not keep arguments for the return");
		arg_refuse(m, a, 0);
		return err_hint(m->err, "$retval works here; probe the entry for arguments");
	}
	if (m->at_entry || m->is_return)
		return 0;
	err_set(m->err, FTR_FAILED, "the places of arguments are known at the entry of a function "
		"only");
	arg_refuse(m, a, 0);
	return err_hint(m->err, "probe the entry, or name registers (%%di)");
}

/*
 * Returns the register or the "$argN" of parameter number @param at the probe, NULL with the error.
 * The caller frees.
 */
static char *param_base(struct probe_build *m, const struct btf_set *btf, int param)
{
	int reg;

	if (m->ask->kind != PROBE_KPROBE || m->is_return)
		return xasprintf("$arg%d", param + 1);
	reg = btf_param_reg(btf, m->func, param, m->err);
	return reg < 0 ? NULL : xstrdup(probe_arg_regs[reg]);
}

/* Translates the argument by the kernel's BTF, without the kernel's help. */
static int translate_by_btf(struct probe_build *m, struct probe_arg *a)
{
	const struct btf_set *btf;
	struct btf_value v = {0};
	char *base = NULL;
	int ret = -1;

#ifndef __x86_64__
	err_set(m->err, FTR_FAILED, "registers of arguments are known on x86-64 only");
	return arg_refuse(m, a, 0);
#endif
	btf = m->func ? probe_btf(m->k, m->err) : NULL;
	if (!m->func)
		err_set(m->err, FTR_FAILED, "only a kernel with BTF knows what '%s' is", a->expr);
	if (!btf)
		return arg_refuse(m, a, 0);
	if (btf_func_value(btf, m->func, a->expr, &v, m->err))
		return arg_refuse(m, a, v.bad_at);
	if (v.param != BTF_NO_PARAM && arg_check_entry(m, a))
		return -1;
	base = v.param == BTF_NO_PARAM ? xstrdup("$retval") : param_base(m, btf, v.param);
	ret = base ? write_value(m, a, &v, base) : arg_refuse(m, a, 0);
	free(base);
	return ret;
}

/* Translates "(STRUCTURE)BASE->member". BASE must not be a path. */
static int translate_cast(struct probe_build *m, struct probe_arg *a,
			  char *(*base_of)(struct probe_build *m, const struct probe_arg *a,
					   const char *name))
{
	size_t n = strcspn(a->expr, ")");
	const char *inner = a->expr + n + 1, *path = strstr(inner, "->");
	const struct btf_set *btf = probe_btf(m->k, m->err);
	char *name = xstrndup(a->expr + 1, n - 1), *word = NULL, *base = NULL;
	struct btf_value v = {0};
	int ret = -1;

	if (!btf) {
		arg_refuse(m, a, 0);
		goto out;
	}
	if (!path || path == inner) {
		err_set(m->err, FTR_USAGE, "a cast is '(STRUCTURE)NAME->member'");
		arg_refuse(m, a, 0);
		goto out;
	}
	word = xstrndup(inner, path - inner);
	base = base_of(m, a, word);
	if (!base)
		goto out;
	if (btf_struct_value(btf, name, path, &v, m->err))
		arg_refuse(m, a, v.bad_at ? path - a->expr + v.bad_at : 1);
	else
		ret = write_value(m, a, &v, base);
out:
	free(base);
	free(word);
	free(name);
	return ret;
}

static char *kernel_base(struct probe_build *m, const struct probe_arg *a, const char *name)
{
	const struct btf_set *btf = probe_btf(m->k, NULL);
	struct btf_value v;
	char *base;

	if (strchr("%$@+-", *name))
		return xstrdup(name);
	if (arg_check_entry(m, a))
		return NULL;
	base = !btf || btf_func_value(btf, m->func, name, &v, m->err) ? NULL :
	       param_base(m, btf, v.param);
	if (!base)
		arg_refuse(m, a, 0);
	return base;
}

/* True if the kernel itself translates the names, "->" and "." of @expr, from 6.6 on. */
static bool kernel_translates(const struct probe_build *m, const char *expr)
{
	if (!(m->k->features & PROBE_HAS_BTF_ARGS) || m->k->registers || m->of_module ||
	    strchr(expr, '['))
		return false;
	if (*expr == '$')
		return !strncmp(expr, "$retval", 7);
	return !m->is_return || m->k->features & PROBE_HAS_RET_ARGS;
}

/*
 * True if the argument is an array of characters without a type. It is a string; the kernel would
 * print its address.
 */
static bool arg_holds_chars(struct probe_build *m, const struct probe_arg *a)
{
	const struct btf_set *btf = !*a->type && has_steps(a->expr) && m->func ?
				    probe_btf(m->k, NULL) : NULL;
	struct btf_value v;

	return btf && !btf_func_value(btf, m->func, a->expr, &v, NULL) &&
	       v.kind == BTF_IS_CHAR_ARRAY;
}

static int arg_check_retval(struct probe_build *m, const struct probe_arg *a)
{
	if (m->is_return)
		return 0;
	err_set(m->err, FTR_USAGE, "$retval is known at the return only");
	arg_refuse(m, a, 0);
	return err_hint(m->err, "probe '%s%%return'", m->func ? m->func : "FUNCTION");
}

static int kernel_arg(struct probe_build *m, struct probe_arg *a)
{
	bool retval = !strncmp(a->expr, "$retval", 7) && !is_word_char(a->expr[7]);
	bool number = !strncmp(a->expr, "$arg", 4);

	if (retval && arg_check_retval(m, a))
		return -1;
	if (*a->expr == '(')
		return translate_cast(m, a, kernel_base);
	if (number && arg_check_entry(m, a))
		return -1;
	if (*a->expr != '$' && !ident_len(a->expr)) {
		write_plain(m, a, a->expr);
		return 0;
	}
	/* The kernel finds the type of a returned value by BTF if it can, else ftr may. */
	if ((*a->expr == '$' && !has_steps(a->expr) && !retval) ||
	    (retval && !has_steps(a->expr) && (*a->type || kernel_translates(m, a->expr)))) {
		write_plain(m, a, a->expr);
		return 0;
	}
	if (retval && !has_steps(a->expr) && !probe_btf(m->k, NULL)) {
		write_plain(m, a, a->expr);
		return 0;
	}
	if (!kernel_translates(m, a->expr))
		return translate_by_btf(m, a);
	if (!retval && arg_check_entry(m, a))
		return -1;
	write_named_arg(m, a, a->expr, arg_holds_chars(m, a) ? "string" : a->type, true);
	return 0;
}

/* Adds all arguments for "$arg*" if the kernel does not support it. */
static int build_all_args(struct probe_build *m, const struct probe_word *w)
{
	const struct btf_set *btf;
	struct strv names = {0};
	int ret = -1;

	if (m->ask->kind == PROBE_UPROBE || m->ask->kind == PROBE_EPROBE) {
		err_set(m->err, FTR_USAGE, "'$arg*' works with functions of the kernel only");
		return build_point(m, w->at);
	}
	if (m->k->features & PROBE_HAS_BTF_ARGS && !m->k->registers && !m->of_module) {
		build_add(m, " ", w->at, 0, false);
		build_add(m, w->text, w->at, w->len, true);
		return 0;
	}
	btf = probe_btf(m->k, m->err);
	if (!btf || btf_params(btf, m->func, &names, m->err))
		return build_point(m, w->at);
	for (size_t i = 0; i < names.n; i++) {
		struct probe_word one = { .at = w->at, .len = w->len };

		one.text = *names.v[i] ? xstrdup(names.v[i]) : xasprintf("$arg%zu", i + 1);
		ret = build_arg(m, &one);
		free(one.text);
		if (ret)
			break;
	}
	strv_release(&names);
	return ret;
}

/* --- functions of programs */

static int user_arg(struct probe_build *m, struct probe_arg *a)
{
	int64_t n;

	if (!strncmp(a->expr, "$retval", 7) && arg_check_retval(m, a))
		return -1;
	if (ident_len(a->expr) || *a->expr == '(' || has_steps(a->expr)) {
		err_set(m->err, FTR_FAILED, "names of arguments are not known for programs");
		arg_refuse(m, a, 0);
		return err_hint(m->err,
				"$arg1 to $arg6, $retval, registers (%%di), +OFFSET(%%di):TYPE");
	}
	if (strncmp(a->expr, "$arg", 4)) {
		write_plain(m, a, a->expr);
		return 0;
	}
	if (text_number(a->expr + 4, 1, 6, &n)) {
		err_set(m->err, FTR_FAILED, "'%s' is not in a register", a->expr);
		arg_refuse(m, a, 0);
		return err_hint(m->err,
				"there are $arg1 to $arg6; more lie on the stack ($stack1 ...)");
	}
	if (!m->user_regs) {
		err_set(m->err, FTR_FAILED, "the register of '%s' is known on x86-64 only",
			a->expr);
		return arg_refuse(m, a, 0);
	}
	if (!m->at_entry) {
		err_set(m->err, FTR_FAILED, "'%s' is known at the entry of a function only",
			a->expr);
		return arg_refuse(m, a, 0);
	}
	write_plain(m, a, probe_arg_regs[n - 1]);
	return 0;
}

/* --- events */

/* Returns the default type of a field: "s32", "string", "" for the kernel's. The caller frees. */
static char *field_type(const struct format_field *f)
{
	char *decl = xstrndup(f->decl, f->decl_len);
	char *type;

	if (strstr(decl, "char[") || (strstr(decl, "char ") && strchr(decl, '[')))
		type = xstrdup("string");
	else if (strchr(decl, '[') ||
		 (f->size != 1 && f->size != 2 && f->size != 4 && f->size != 8))
		type = xstrdup("");
	else if (strchr(decl, '*'))
		type = xasprintf("x%u", f->size * 8);
	else
		type = xasprintf("%c%u", f->is_signed ? 's' : 'u', f->size * 8);
	free(decl);
	return type;
}

/* Returns "$FIELD", or NULL with the error if the event has no field @name. The caller frees. */
static char *event_base(struct probe_build *m, const struct probe_arg *a, const char *name)
{
	struct format_field f;
	struct strv names = {0};
	struct buf all = {0};

	name += *name == '$';
	if (!m->fields || format_field_find(&f, m->fields, name))
		return xasprintf("$%s", name);
	format_field_names(m->fields, false, &names);
	for (size_t i = 0; i < names.n; i++)
		buf_printf(&all, "%s%s", i ? ", " : "", names.v[i]);
	err_set(m->err, FTR_FAILED, "event '%s' has no field '%s'", m->ask->event, name);
	arg_refuse(m, a, 0);
	err_hint(m->err, "its fields are: %.400s", all.data ? all.data : "none");
	strv_release(&names);
	buf_release(&all);
	return NULL;
}

static int event_arg(struct probe_build *m, struct probe_arg *a)
{
	const char *name = a->expr + (*a->expr == '$');
	struct format_field f;
	char *type, *base;

	if (*a->expr == '(')
		return translate_cast(m, a, event_base);
	if (ident_len(name) != strlen(name) || !*name || !strcmp(a->expr, "$comm")) {
		if (ident_len(a->expr)) {
			err_set(m->err, FTR_USAGE, "'%s' is not a field of an event", a->expr);
			arg_refuse(m, a, 0);
			return err_hint(m->err, "to follow the pointer in a field: "
					"(STRUCTURE)FIELD->MEMBER");
		}
		write_plain(m, a, a->expr);
		return 0;
	}
	base = event_base(m, a, name);
	if (!base)
		return -1;
	type = m->fields && format_field_find(&f, m->fields, name) ? field_type(&f) : xstrdup("");
	/* A pointer to characters is followed for a string; an array contains them. */
	if (is_string_type(a->type) && *type && strcmp(type, "string")) {
		write_plain(m, a, base);
	} else {
		write_named_arg(m, a, base, *a->type ? a->type : type, false);
	}
	free(type);
	free(base);
	return 0;
}

int build_arg(struct probe_build *m, const struct probe_word *w)
{
	static int (*const by_kind[NR_PROBE_KINDS])(struct probe_build *m, struct probe_arg *a) = {
		[PROBE_KPROBE] = kernel_arg, [PROBE_UPROBE] = user_arg, [PROBE_EPROBE] = event_arg,
		[PROBE_FPROBE] = kernel_arg, [PROBE_TPROBE] = kernel_arg,
	};
	struct probe_arg a;
	int ret;

	if (!strcmp(w->text, "$arg*"))
		return build_all_args(m, w);
	ret = arg_split(m, w, &a);
	if (!ret)
		ret = by_kind[m->ask->kind](m, &a);
	free(a.name);
	free(a.expr);
	free(a.type);
	return ret;
}
