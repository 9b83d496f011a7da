/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The end of a trace file that grows while it is read. */
#include "cmd/growing_file.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracefs/files/control.h"

static void count(const struct show_end *e, uint64_t *held, uint64_t *written)
{
	struct tfs_stats st;
	int *cpus = NULL;
	size_t n = 0, i;

	*held = *written = 0;
	if (tfs_cpus(e->t, e->instance, &cpus, &n, NULL))
		return;
	for (i = 0; i < n; i++) {
		if ((e->cpu >= 0 && cpus[i] != e->cpu) ||
		    tfs_stats(e->t, e->instance, cpus[i], &st))
			continue;
		*held += st.entries;
		*written += st.entries + st.overrun + st.read_events;
	}
	free(cpus);
}

bool show_end_init(struct show_end *e, const struct tfs *t, const char *path)
{
	char *instance, leaf[8];
	const char *file = control_split(path, &instance);
	int cpu = -1;

	if (strcmp(file, "trace") &&
	    (sscanf(file, "per_cpu/cpu%d/%7s", &cpu, leaf) != 2 || strcmp(leaf, "trace"))) {
		free(instance);
		return false;
	}
	*e = (struct show_end){ .t = t, .instance = instance, .cpu = cpu };
	count(e, &e->held, &e->written);
	return true;
}

/* "  cat-12  [001] d..1.  34.567890: ", behind the bracket. */
static bool has_cpu(const char *p, const char *end)
{
	const char *open;

	for (; (open = memchr(p, '[', end - p)); p = open + 1) {
		for (p = open + 1; p < end && isdigit((unsigned char)*p); p++)
			;
		if (p > open + 1 && p + 1 < end && p[0] == ']' && p[1] == ' ')
			return memmem(p, end - p, ": ", 2);
	}
	return false;
}

/* " 0)   1.234 us    |  f();", or with the time before it; not "0)  cat-12  =>  sh-7". */
static bool is_graph(const char *p, const char *end)
{
	const char *at = p;

	while (at < end && (isdigit((unsigned char)*at) || strchr(" .|", *at)))
		at++;
	return at > p && at < end && *at == ')' && isdigit((unsigned char)at[-1]) &&
	       !memmem(at, end - at, " => ", 4);
}

/* "cat-12  1d..1   15us+: " */
static bool is_latency(const char *p, const char *end)
{
	const char *at = memmem(p, end - p, "us", 2);

	return at && at + 4 < end && at > p && isdigit((unsigned char)at[-1]) &&
	       !memcmp(at + 3, ": ", 2);
}

/*
 * Does a record begin here? What is none must not be taken for one: lines of stacks, and what
 * other forms of the text have, are not counted.
 */
static bool is_record(const char *p, const char *end)
{
	return p < end && *p != '#' && *p != '=' &&
	       (has_cpu(p, end) || is_graph(p, end) || is_latency(p, end));
}

size_t show_end_add(struct show_end *e, const char *p, size_t n, bool *over)
{
	const char *line, *nl, *end;
	uint64_t held, written;
	bool asked = false;

	buf_add(&e->rest, p, n);
	*over = false;
	line = e->rest.data;
	end = line + e->rest.len;
	for (; line < end && (nl = memchr(line, '\n', end - line)); line = nl + 1) {
		if (!is_record(line, nl) || ++e->shown <= e->held)
			continue;
		/* once is enough: all of @p had been read before */
		if (!asked)
			count(e, &held, &written);
		asked = true;
		*over = written != e->written;
		if (*over)
			break;
		/* one record of several lines that look like records */
		e->held = e->shown;
	}
	return line - e->rest.data;
}

void show_end_shown(struct show_end *e, size_t n)
{
	memmove(e->rest.data, e->rest.data + n, e->rest.len - n);
	e->rest.len -= n;
}

void show_end_release(struct show_end *e)
{
	free(e->instance);
	buf_release(&e->rest);
	*e = (struct show_end){0};
}
