/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks for the crash in a log, piece by piece. */
#include "oops/log/log_crash.h"

#include <string.h>

#include "oops/log/log_lines.h"
#include "oops/log/oops_text.h"

#define PIECE	(1u << 20)	/* bytes that are split into lines at once */
/*
 * An oops leads to a panic, and a hung task to others. Between them the kernel may dump the trace
 * to a serial console, which takes minutes.
 */
#define SAME_CRASH_NS	(600ull * 1000000000)

static bool is_same_crash(const struct crash_log *c, uint64_t ns)
{
	return c->found && (ns < c->ns || ns - c->ns <= SAME_CRASH_NS);
}

/* A warning hours after the crash that the machine survived is no reason to forget that. */
static void take_head(struct crash_log *c, uint64_t ns, bool crashes)
{
	if (is_same_crash(c, ns)) {
		c->crashed |= crashes;
		c->ns = ns;
	} else if (crashes || !c->crashed) {
		buf_reset(&c->text);
		c->found = true;
		c->crashed = crashes;
		c->ns = ns;
	}
}

static void take_line(struct crash_log *c, const struct log_line *l)
{
	enum oops_line kind = oops_text_line(l->p, l->len);

	if (kind != OOPS_LINE_PLAIN)
		take_head(c, l->ns, kind == OOPS_LINE_CRASHES);
	if (!c->found || c->text.len + l->len >= CRASH_TEXT_MAX)
		return;
	buf_add(&c->text, l->p, l->len);
	buf_addch(&c->text, '\n');
}

static void take_lines(struct crash_log *c, size_t len)
{
	struct log_lines lines = {0};

	log_lines_split(&lines, c->rest.data, len);
	for (size_t i = 0; i < lines.n; i++)
		take_line(c, &lines.v[i]);
	log_lines_release(&lines);
	memmove(c->rest.data, c->rest.data + len, c->rest.len - len);
	c->rest.len -= len;
}

void crash_log_add(struct crash_log *c, const char *p, size_t n)
{
	const char *nl;
	size_t part;

	for (; n; p += part, n -= part) {
		part = n < PIECE ? n : PIECE;
		buf_add(&c->rest, p, part);
		if (c->rest.len < PIECE)
			continue;
		nl = memrchr(c->rest.data, '\n', c->rest.len);
		take_lines(c, nl ? (size_t)(nl + 1 - c->rest.data) : c->rest.len);
	}
}

bool crash_log_end(struct crash_log *c, struct buf *out, uint64_t *ns)
{
	struct oops_text text;
	bool has;

	if (c->rest.len)
		take_lines(c, c->rest.len);
	has = c->text.len && oops_text_read(c->text.data, c->text.len, &text);
	if (has)
		buf_add(out, text.head.p, c->text.data + c->text.len - text.head.p);
	if (ns)
		*ns = c->ns;
	buf_release(&c->rest);
	buf_release(&c->text);
	*c = (struct crash_log){0};
	return has;
}
