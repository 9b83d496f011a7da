/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr report: the longest latency, in the words of the tracer that measured it. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/term.h"
#include "base/text.h"
#include "cmd/report.h"

/* Whose the text is, where there are several. */
static void add_owner(struct buf *b, const char *path, const char *buffer)
{
	buf_addstr(b, "# ");
	text_sanitise(b, path, strlen(path), false);
	if (*buffer) {
		buf_addstr(b, ", instance '");
		text_sanitise(b, buffer, strlen(buffer), false);
		buf_addch(b, '\'');
	}
	buf_addstr(b, ":\n");
}

/* Programs get the kernel's own bytes, see text_sanitise(). */
static void put_text(const struct report *r, const struct dat_latency *l)
{
	struct buf clean = {0};

	if (r->select.kernel_times && !term_reached(STDOUT_FILENO)) {
		fwrite(l->text, 1, l->len, stdout);
		return;
	}
	text_sanitise(&clean, l->text, l->len, true);
	fwrite(clean.len ? clean.data : "", 1, clean.len, stdout);
	buf_release(&clean);
}

static size_t count_texts(const struct report *r)
{
	struct dat_latency l;
	size_t i, at, n = 0;

	for (i = 0; i < r->select.nr_traces; i++)
		for (at = 0; dat_latency_next(r->select.traces[i]->dat, &at, &l); n++)
			;
	return n;
}

static bool has_data(const struct report *r)
{
	const struct dat *d;
	size_t i, b, k;

	for (i = 0; i < r->select.nr_traces; i++)
		for (d = r->select.traces[i]->dat, b = 0; b < d->nr_buffers; b++)
			for (k = 0; k < d->buffers[b].nr_cpus; k++)
				if (d->buffers[b].cpus[k].size)
					return true;
	return false;
}

/* A text with an unfinished last line was cut: what follows begins a line of its own. */
bool report_latencies(const struct report *r)
{
	size_t i, at, n = count_texts(r);
	struct dat_latency l;
	struct buf owner = {0};

	if (!n || selection_chooses(&r->select) || r->fields || r->out.raw || r->json || r->csv)
		return false;
	for (i = 0; i < r->select.nr_traces; i++) {
		for (at = 0; dat_latency_next(r->select.traces[i]->dat, &at, &l);) {
			buf_reset(&owner);
			if (n > 1)
				add_owner(&owner, r->select.traces[i]->dat->path, l.buffer);
			fwrite(owner.len ? owner.data : "", 1, owner.len, stdout);
			put_text(r, &l);
			if (l.len && l.text[l.len - 1] != '\n')
				putchar('\n');
		}
	}
	fflush(stdout);
	buf_release(&owner);
	return !has_data(r);
}
