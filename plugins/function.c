/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The function tracer's events with more than the kernel shows: indented by calls, with offsets. */
#include <stdlib.h>
#include <string.h>

#include "ftr/plugin.h"

#define DEPTH_MAX	50
#define CPUS_MAX	8192
#define INDENT		3	/* columns a call */

static int indent, offset, parent;

enum { IP, PARENT };
static const char *const fields[] = { "ip", "parent_ip", NULL };

/* The functions that called one another last on a CPU, outermost first, by their addresses. */
struct call_stack {
	unsigned int depth;
	uint64_t func[DEPTH_MAX];
};

struct function_state {
	struct call_stack *cpus[CPUS_MAX];
};

static struct call_stack *calls_of(const struct ftr_record *r)
{
	struct function_state *s = ftr_thread_state(r);
	int cpu = ftr_record_cpu(r);

	if (!s || cpu < 0 || cpu >= CPUS_MAX)
		return NULL;
	if (!s->cpus[cpu])
		s->cpus[cpu] = calloc(1, sizeof(struct call_stack));
	return s->cpus[cpu];
}

static void state_exit(void *state)
{
	struct function_state *s = state;

	for (size_t i = 0; i < CPUS_MAX; i++)
		free(s->cpus[i]);
}

/*
 * There are no returns to see: a function is one deeper than the innermost of the remembered ones
 * that is its caller, and what was deeper has returned.
 */
static unsigned int depth(const struct ftr_record *r)
{
	uint64_t func = ftr_symbol_start(r, ftr_field_u64(r, IP));
	uint64_t caller = ftr_symbol_start(r, ftr_field_u64(r, PARENT));
	struct call_stack *c = calls_of(r);
	unsigned int i;

	if (!c)
		return 0;
	for (i = c->depth; i-- && c->func[i] != caller;)
		;
	if (i == -1u) {
		c->func[0] = caller;
		i = 0;
	}
	c->depth = i + 1;
	if (c->depth < DEPTH_MAX)
		c->func[c->depth++] = func;
	return i;
}

static void sym(struct ftr_out *out, uint64_t addr)
{
	if (offset)
		ftr_out_sym_offset(out, addr);
	else
		ftr_out_sym_name(out, addr);
}

static int function(const struct ftr_record *r, struct ftr_out *out, void *priv)
{
	(void)priv;
	if (indent)
		ftr_out_printf(out, "%*s", (int)(INDENT * depth(r)), "");
	if (parent && !offset) {
		ftr_out_default(out, r);
		return FTR_DONE;
	}
	sym(out, ftr_field_u64(r, IP));
	if (parent) {
		ftr_out_str(out, " <-");
		sym(out, ftr_field_u64(r, PARENT));
	}
	return FTR_DONE;
}

static int bind(struct ftr_bind *b, void **priv)
{
	(void)b;
	(void)priv;
	return indent || offset || !parent ? FTR_DONE : FTR_PASS;
}

static int init(struct ftr_init *in)
{
	if (indent)
		ftr_init_ordered(in);
	return FTR_DONE;
}

static const struct ftr_option options[] = {
	{ "indent", FTR_BOOL, &indent, "no", "indent by calls, as far as they can be told" },
	{ "offset", FTR_BOOL, &offset, "no", "symbols with offset and module" },
	{ "parent", FTR_BOOL, &parent, "yes", "the caller behind the function" },
	{ NULL, FTR_BOOL, NULL, NULL, NULL },
};

static const struct ftr_formatter formatters[] = {
	{ "ftrace", "function", fields, bind, function, NULL },
	{ NULL, NULL, NULL, NULL, NULL, NULL },
};

FTR_PLUGIN_LATE("ftrace:function");

const struct ftr_plugin ftr_plugin = {
	FTR_PLUGIN_HEAD,
	.name = "function",
	.description = "the function tracer, indented by calls, with offsets",
	.options = options,
	.formatters = formatters,
	.init = init,
	.thread_size = sizeof(struct function_state),
	.thread_exit = state_exit,
};
