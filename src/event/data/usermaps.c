/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mapped files of processes by address: PROCMAPS of trace.dat files. */
#include "event/data/usermaps.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/search.h"

struct mapped_range {
	uint64_t start, end;
	const char *path;		/* in ->text of the process */
};

struct process_maps {
	char *text;			/* a copy; lines end with NUL once parsed */
	struct mapped_range *v;		/* by start */
	size_t n, cap;
};

struct ev_maps {
	struct process_maps **v;
	size_t n, cap;
	size_t nr_ranges;		/* number of ranges of all processes */
	struct map by_pid;		/* pid + 1 -> struct process_maps * */
};

static int by_map_start(const void *a, const void *b)
{
	const struct mapped_range *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

struct ev_maps *ev_maps_new(void)
{
	return xcalloc(1, sizeof(struct ev_maps));
}

bool ev_maps_add(struct ev_maps *m, const char *text, size_t len)
{
	struct process_maps *p = xcalloc(1, sizeof(*p));
	size_t max = LIMIT_RANGES - m->nr_ranges;
	struct mapped_range r;
	unsigned long pid;
	char *line, *nl, *end;

	p->text = xstrndup(text, strnlen(text, len));
	m->v = xgrow(m->v, &m->cap, m->n + 1, sizeof(*m->v));
	m->v[m->n++] = p;
	pid = strtoul(p->text, &end, 16);
	if (end == p->text || pid > INT32_MAX)
		return true;
	nl = strchr(end, '\n');
	for (line = nl ? nl + 1 : NULL; line && *line && p->n < max; line = nl ? nl + 1 : NULL) {
		nl = strchr(line, '\n');
		if (nl)
			*nl = '\0';
		r.start = strtoull(line, &end, 16);
		if (end == line || *end != ' ')
			continue;
		r.end = strtoull(end + 1, &end, 16);
		if (*end != ' ' || end[1] != '/' || r.end <= r.start)
			continue;
		r.path = end + 1;
		p->v = xgrow(p->v, &p->cap, p->n + 1, sizeof(*p->v));
		p->v[p->n++] = r;
	}
	if (p->n)
		qsort(p->v, p->n, sizeof(*p->v), by_map_start);
	m->nr_ranges += p->n;
	map_put(&m->by_pid, pid + 1, p);
	return !line || !*line;
}

const char *ev_maps_find(const struct ev_maps *m, int tgid, uint64_t addr, uint64_t *start)
{
	const struct process_maps *p = m && tgid > 0 ? map_get(&m->by_pid,
							       (uint64_t)tgid + 1) : NULL;
	size_t n = SEARCH_ABOVE(i, 0, p ? p->n : 0, p->v[i].start <= addr);

	if (!n || addr >= p->v[n - 1].end)
		return NULL;
	*start = p->v[n - 1].start;
	return p->v[n - 1].path;
}

void ev_maps_free(struct ev_maps *m)
{
	size_t i;

	if (!m)
		return;
	for (i = 0; i < m->n; i++) {
		free(m->v[i]->text);
		free(m->v[i]->v);
		free(m->v[i]);
	}
	free(m->v);
	map_release(&m->by_pid);
	free(m);
}
