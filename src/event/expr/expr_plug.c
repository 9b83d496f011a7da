/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls of functions that plugins have: compiled to a node, and run. */
#include <string.h>

#include "base/text.h"
#include "event/plugin/plugin.h"
#include "event/prog/prog_priv.h"

/* The letter of argument @i where the first @skip of those that are not looked at are missing. */
static const char *letter(const char *sig, unsigned int skip, unsigned int i)
{
	const char *s = sig + 2;

	for (; *s; s++) {
		if (*s == '-' && skip)
			skip--;
		else if (!i--)
			return s;
	}
	return NULL;
}

/*
 * How many of them are: the trace_seq "p" and a buffer have been left out already, and kernels
 * before 5.15 gave no buffer and no size. False if there are too few or too many arguments.
 */
static bool missing(const char *sig, unsigned int n, unsigned int *skip)
{
	unsigned int all = 0, unseen = 0;

	for (const char *s = sig + 2; *s; s++, all++)
		unseen += *s == '-';
	*skip = all - n;
	return n <= all && *skip <= unseen;
}

static bool fits(struct xparse *p, const char *sig, unsigned int skip, const uint32_t *args,
		 unsigned int n)
{
	const struct xnode *node;
	const char *s;

	for (unsigned int i = 0; i < n; i++) {
		s = letter(sig, skip, i);
		node = x_at(p, args[i]);
		if ((*s != '-' && node->unknown) || (*s == 'i' && node->kind != XK_NUM))
			return false;
	}
	return true;
}

uint32_t x_plugged(struct xparse *p, const char *name, size_t len, const uint32_t *args,
		   unsigned int n)
{
	const struct plug_func *f = plug_func_find(p->plugins, name, len);
	const char *sig = f ? plug_func_signature(f) : NULL;
	struct xnode *made;
	unsigned int skip;
	uint32_t at;

	if (!f || !missing(sig, n, &skip) || !fits(p, sig, skip, args, n))
		return 0;
	at = x_foreign(p, name, len, args, n);
	if (!at)
		return 0;
	made = x_at(p, at);
	made->op = X_PLUGIN;
	made->kind = sig[0] == 's' ? XK_TEXT : XK_NUM;
	made->t = ctype_int(8, true);
	made->unknown = false;
	p->code->calls[made->a].plug = f;
	p->code->calls[made->a].skip = skip;
	return at;
}

/* Fills the argument that @s stands for; what it points to lives as long as @text. */
static void fill(const struct run *r, const char *s, uint32_t node, struct ftr_arg *arg,
		 struct buf *text)
{
	struct ref at;

	if (*s == 'i') {
		arg->num = eval_num(r, node);
	} else if (*s == 's') {
		buf_addstr(text, "");
		run_text(r, node, false, text);
		arg->data = text->data;
		arg->len = strlen(text->data);
	} else if (*s == 'b') {
		at = eval_ref(r, node);
		if (!at.p)
			return;
		arg->data = at.p;
		arg->len = at.len < at.end - at.p ? at.len : at.end - at.p;
	}
}

static bool run_call(const struct run *r, const struct xnode *n, uint64_t *num, struct buf *out)
{
	const struct xcall *call = &r->g->code.calls[n->a];
	const char *sig = plug_func_signature(call->plug), *s;
	struct ftr_arg args[PLUG_ARGS_MAX] = { 0 };
	struct buf texts[PLUG_ARGS_MAX] = { 0 };
	bool ok;

	for (uint32_t i = 0; i < call->n; i++) {
		s = letter(sig, call->skip, i);
		fill(r, s, r->g->code.args[call->first + i], &args[s - sig - 2], &texts[i]);
	}
	ok = plug_func_call(call->plug, r->e, r->r, args, num, out);
	for (uint32_t i = 0; i < call->n; i++)
		buf_release(&texts[i]);
	return ok;
}

uint64_t run_plugged(const struct run *r, const struct xnode *n)
{
	struct buf unused = { 0 };
	uint64_t v = 0;

	run_call(r, n, &v, &unused);
	buf_release(&unused);
	return v;
}

void run_plugged_text(const struct run *r, const struct xnode *n, struct buf *out)
{
	struct buf text = { 0 };
	uint64_t v;

	buf_addstr(&text, "");
	if (run_call(r, n, &v, &text))
		engine_text(r->e, out, text.data, text.len, false);
	else
		run_foreign(r, n, out);
	buf_release(&text);
}
