/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs calls of functions that plugins have. */
#include <string.h>

#include "event/plugin/plugin.h"
#include "event/prog/prog_priv.h"

/* Fills the argument that @s stands for; what it points to lives as long as @text. */
static void fill_run_arg(const struct run *r, const char *s, uint32_t node, struct ftr_arg *arg,
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
		s = plug_signature_at(sig, call->skip, i);
		fill_run_arg(r, s, r->g->code.args[call->first + i], &args[s - sig - 2], &texts[i]);
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
