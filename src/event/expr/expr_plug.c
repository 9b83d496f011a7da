/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls of functions that plugins have: compiled to a node. */
#include "event/expr/expr.h"
#include "event/plugin/plugin.h"

/*
 * How many of them are: the trace_seq "p" and a buffer have been left out already, and kernels
 * before 5.15 gave no buffer and no size. False if there are too few or too many arguments.
 */
static bool count_missing(const char *sig, unsigned int n, unsigned int *skip)
{
	unsigned int all = 0, unseen = 0;

	for (const char *s = sig + 2; *s; s++, all++)
		unseen += *s == '-';
	*skip = all - n;
	return n <= all && *skip <= unseen;
}

static bool fits_signature(struct xparse *p, const char *sig, unsigned int skip,
			   const uint32_t *args,
			   unsigned int n)
{
	const struct xnode *node;
	const char *s;

	for (unsigned int i = 0; i < n; i++) {
		s = plug_signature_at(sig, skip, i);
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

	if (!f || !count_missing(sig, n, &skip) || !fits_signature(p, sig, skip, args, n))
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
