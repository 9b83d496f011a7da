/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who has an option that was given to another command. */
#include "cmd/frame/command.h"

#include <string.h>

#include "base/mem.h"

enum { NAMED = 3 };			/* commands that are named one by one */

static struct {
	const struct opt *global;
	const struct cmd *const *commands;
} known;

void owners_know(const struct opt *global, const struct cmd *const *commands)
{
	known.global = global;
	known.commands = commands;
}

/* The row of "-x" or "--name". */
static const struct opt *owned(const struct opt *table, const char *option)
{
	bool is_name = option[1] == '-';
	const char *name = option + 1 + is_name;

	return table && (is_name == (name[0] && name[1])) ? opt_named(table, name) : NULL;
}

/* Commands and verbs that have it, with their names in quotes. */
static void list_owners(const char *option, struct strv *out)
{
	const struct cmd *const *c;
	const struct cmd *v;

	for (c = known.commands; c && *c; c++) {
		if (!(*c)->verbs && owned((*c)->options, option))
			strv_take(out, xasprintf("'ftr %s'", (*c)->name));
		for (v = (*c)->verbs; v && v->name; v++)
			if (owned(v->options, option))
				strv_take(out, xasprintf("'ftr %s%s%s'", (*c)->name,
							 *v->name ? " " : "", v->name));
	}
}

/* "'ftr record', 'ftr start' and 2 others" */
static void join_owners(const struct strv *owners, struct buf *out)
{
	size_t i, more = owners->n > NAMED ? owners->n - NAMED : 0;

	for (i = 0; i + more < owners->n; i++)
		buf_printf(out, "%s%s", !i ? "" : i + 1 < owners->n ? ", " : " and ", owners->v[i]);
	if (more)
		buf_printf(out, " and %zu other%s", more, more > 1 ? "s" : "");
}

static void hint_global(const struct cmd *self, const struct opt *o, const char *option,
			struct ftr_error *err)
{
	err_hint(err, "'%s' stands before the command, as in 'ftr %s%s%s %s': %s", option, option,
		 o->arg ? "=" : "", o->arg ? o->arg : "", self->name, o->help);
}

void owners_hint(const struct cmd *self, const char *option, struct ftr_error *err)
{
	const struct opt *o = self ? owned(known.global, option) : NULL;
	size_t len = strlen(err->hint);
	struct strv owners = {0};
	struct buf text = {0};

	if (o) {
		hint_global(self, o, option, err);
		return;
	}
	list_owners(option, &owners);
	if (len)
		buf_printf(&text, "%s%s ", err->hint, err->hint[len - 1] == '?' ? "" : ";");
	buf_printf(&text, "'%s' is an option of ", option);
	join_owners(&owners, &text);
	if (owners.n)
		err_hint(err, "%s", text.data);
	strv_release(&owners);
	buf_release(&text);
}
