/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a trace file says of its recording: lines "key=value". */
#include "record/capture/recording_keys.h"

#include <stdlib.h>
#include <string.h>

static struct key *find_key(const struct keys *k, const char *name)
{
	size_t i;

	for (i = 0; i < k->n; i++)
		if (!strcmp(k->v[i].name, name))
			return &k->v[i];
	return NULL;
}

void keys_set(struct keys *k, const char *name, const char *value)
{
	struct key *at = find_key(k, name);

	if (!at) {
		k->v = xgrow(k->v, &k->cap, k->n + 1, sizeof(*k->v));
		at = &k->v[k->n++];
		*at = (struct key){ .name = xstrdup(name) };
	}
	free(at->value);
	at->value = xstrdup(value);
}

const char *keys_get(const struct keys *k, const char *name)
{
	const struct key *at = find_key(k, name);

	return at ? at->value : NULL;
}

char *keys_name_of(const char *what, const char *instance)
{
	return xasprintf("%s%s%s", what, *instance ? "." : "", instance);
}

/* A value is one line. */
static void add_escaped(struct buf *b, const char *value)
{
	for (; *value; value++) {
		if (*value == '\n')
			buf_addstr(b, "\\n");
		else if (*value == '\\')
			buf_addstr(b, "\\\\");
		else
			buf_addch(b, *value);
	}
}

void keys_text(const struct keys *k, struct buf *out)
{
	size_t i;

	for (i = 0; i < k->n; i++) {
		buf_printf(out, "%s=", k->v[i].name);
		add_escaped(out, k->v[i].value);
		buf_addch(out, '\n');
	}
}

void keys_release(struct keys *k)
{
	size_t i;

	for (i = 0; i < k->n; i++) {
		free(k->v[i].name);
		free(k->v[i].value);
	}
	free(k->v);
	*k = (struct keys){0};
}
