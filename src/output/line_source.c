/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The source of a line: its file and instance as a prefix "a.dat:second: ", its process. */
#include "output/line_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Returns "a.dat:second" without the parts that are equal in all lines. The caller frees it. */
static char *buffer_label(const struct out_state *o, size_t file, const char *instance)
{
	struct buf raw = {0}, clean = {0};

	if (o->nr_traces > 1)
		buf_addstr(&raw, o->traces[file]->dat->path);
	if (raw.len && *instance)
		buf_addch(&raw, ':');
	buf_addstr(&raw, instance);
	text_sanitise(&clean, raw.len ? raw.data : "", raw.len, false);
	buf_release(&raw);
	return buf_take(&clean);
}

bool out_has_instances(const struct out_state *o)
{
	const struct dat *d;
	bool any = false;
	size_t i;

	for (i = 0; i < o->nr_traces; i++) {
		d = o->traces[i]->dat;
		any |= d->nr_buffers > 1 || (d->nr_buffers && *d->buffers[0].name);
	}
	return any;
}

/* Labels are columns of one width: "second: ", or blanks for the top level of a single file. */
void labels_init(struct buffer_labels *l, const struct out_state *o)
{
	size_t i, k, len, width = 0;
	const struct dat *d;
	char *label;

	*l = (struct buffer_labels){ .nr_files = o->nr_traces };
	if (o->nr_traces < 2 && !out_has_instances(o))
		return;
	l->v = xcalloc(l->nr_files, sizeof(char **));
	l->nr_buffers = xcalloc(l->nr_files, sizeof(*l->nr_buffers));
	for (i = 0; i < l->nr_files; i++) {
		d = o->traces[i]->dat;
		l->nr_buffers[i] = d->nr_buffers;
		l->v[i] = xcalloc(d->nr_buffers + 1, sizeof(char *));
		for (k = 0; k < d->nr_buffers; k++) {
			l->v[i][k] = buffer_label(o, i, d->buffers[k].name);
			len = strlen(l->v[i][k]);
			width = len > width ? len : width;
		}
	}
	for (i = 0; i < l->nr_files; i++) {
		for (k = 0; k < l->nr_buffers[i]; k++) {
			label = l->v[i][k];
			l->v[i][k] = xasprintf("%*s%s", (int)width, label, *label ? ": " : "  ");
			free(label);
		}
	}
}

void labels_lost(const struct buffer_labels *l, struct buf *b, const struct trace_rec *r)
{
	labels_add(l, b, r);
	if (r->lost == RING_LOST_UNKNOWN)
		buf_printf(b, "CPU:%d [EVENTS DROPPED]\n", r->cpu);
	else
		buf_printf(b, "CPU:%d [%" PRIu64 " EVENTS DROPPED]\n", r->cpu, r->lost);
}

void labels_release(struct buffer_labels *l)
{
	for (size_t i = 0; l->v && i < l->nr_files; i++) {
		for (size_t k = 0; k < l->nr_buffers[i]; k++)
			free(l->v[i][k]);
		free(l->v[i]);
	}
	free(l->v);
	free(l->nr_buffers);
	*l = (struct buffer_labels){0};
}

/* The file has "PID TGID;PID TGID". */
void tgids_read(struct map *tgids, const struct trace *t)
{
	size_t len;
	const char *text = dat_ftr_value(t->dat, "saved_tgids", &len), *end = text + len, *semi;
	int pid, tgid;

	for (; text && text < end; text = semi + 1) {
		char line[40] = "";

		semi = memchr(text, ';', end - text);
		if (!semi)
			semi = end;
		if ((size_t)(semi - text) >= sizeof(line))
			continue;
		memcpy(line, text, semi - text);
		if (sscanf(line, "%d %d", &pid, &tgid) == 2 && tgid > 0)
			map_put(tgids, (uint32_t)pid, (void *)(uintptr_t)tgid);
	}
}
