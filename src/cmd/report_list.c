/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr report: what a file holds beside records, one line each. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sym_lines.h"
#include "base/text.h"
#include "cmd/report.h"
#include "event/data/printk_lines.h"

int report_list(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct report *r = ctx;

	(void)arg;
	(void)err;
	r->lists |= o->off;
	return 0;
}

/* Texts of files go out with control bytes escaped. */
static void print_escaped(const struct buf *b)
{
	struct buf clean = {0};

	text_sanitise(&clean, b->len ? b->data : "", b->len, true);
	fwrite(clean.data, 1, clean.len, stdout);
	buf_release(&clean);
}

/* --- CPUs and their first and last events */

static bool cpu_is_shown(const struct report *r, int cpu)
{
	const uint64_t *cpus = r->select.spec.cpus;

	return !cpus || (cpu >= 0 && cpu < FILTER_CPU_BITS && cpus[cpu / 64] >> cpu % 64 & 1);
}

static void list_cpu(struct buf *b, const struct report *r, struct trace *t, struct dat_buffer *db,
		     struct dat_cpu *c)
{
	uint64_t first, last;

	if (!cpu_is_shown(r, c->cpu) || !trace_cpu_bounds(t, db, c, &first, &last))
		return;
	buf_printf(b, "%3d", c->cpu);
	if (r->lists & LIST_FIRST) {
		buf_addstr(b, "\tFirst event: ");
		trace_add_time(b, t, first, r->out.nanoseconds);
	}
	if (r->lists & LIST_LAST) {
		buf_addstr(b, "\tLast event: ");
		trace_add_time(b, t, last, r->out.nanoseconds);
	}
	buf_addch(b, '\n');
}

static void list_cpus(struct buf *b, const struct report *r, struct trace *t)
{
	for (size_t i = 0; i < t->dat->nr_buffers; i++) {
		struct dat_buffer *db = &t->dat->buffers[i];

		buf_printf(b, "CPUs with data%s%s:\n", *db->name ? " of instance " : "", db->name);
		for (size_t k = 0; k < db->nr_cpus; k++)
			list_cpu(b, r, t, db, &db->cpus[k]);
	}
}

/* --- the kernel's statistics */

static bool ends_line(const char *text)
{
	size_t n = strlen(text);

	return n && text[n - 1] == '\n';
}

static void list_stat(struct buf *b, const struct report *r, struct trace *t)
{
	(void)r;
	for (size_t i = 0; i < t->dat->nr_buffers; i++) {
		const struct dat_buffer *db = &t->dat->buffers[i];

		if (*db->name)
			buf_printf(b, "Instance %s:\n", db->name);
		buf_addstr(b, db->stats ? db->stats : "no statistics\n");
		if (db->stats && !ends_line(db->stats))
			buf_addch(b, '\n');
	}
}

/* --- options that are a text */

static void list_text(struct buf *b, const struct trace *t, uint16_t id)
{
	const struct dat_option *o = dat_option(t->dat, id);

	if (o)
		buf_add(b, o->data.p, strnlen(o->data.p, o->data.len));
	buf_addstr(b, o ? "\n" : "not in the file\n");
}

static void list_uname(struct buf *b, const struct report *r, struct trace *t)
{
	(void)r;
	list_text(b, t, DAT_UNAME);
}

static void list_version(struct buf *b, const struct report *r, struct trace *t)
{
	(void)r;
	list_text(b, t, DAT_VERSION);
}

/* --- events */

static int by_full_name(const void *a, const void *b)
{
	const struct ev_format *x = *(struct ev_format *const *)a;
	const struct ev_format *y = *(struct ev_format *const *)b;
	int order = strcmp(x->system, y->system);

	return order ? order : strcmp(x->name, y->name);
}

static void list_events(struct buf *b, const struct report *r, struct trace *t)
{
	struct ev_format *v;
	size_t i, n = ev_world_formats(&t->world, NULL, &v);
	struct ev_format **sorted = xcalloc(n + 1, sizeof(struct ev_format *));

	(void)r;
	for (i = 0; i < n; i++)
		sorted[i] = &v[i];
	qsort(sorted, n, sizeof(struct ev_format *), by_full_name);
	for (i = 0; i < n; i++)
		buf_printf(b, "%s:%s\n", sorted[i]->system, sorted[i]->name);
	free(sorted);
}

static void add_dat_formats(struct buf *b, struct dat *d, uint16_t id)
{
	const struct dat_format *v;
	size_t n = dat_formats(d, id, &v);

	for (size_t i = 0; i < n; i++) {
		buf_printf(b, "system: %s\n", v[i].system);
		buf_add(b, v[i].text.p, strnlen(v[i].text.p, v[i].text.len));
		buf_addch(b, '\n');
	}
}

static void list_formats(struct buf *b, const struct report *r, struct trace *t)
{
	(void)r;
	add_dat_formats(b, t->dat, DAT_FTRACE_EVENTS);
	add_dat_formats(b, t->dat, DAT_EVENT_FORMATS);
}

/* --- symbols and strings */

struct address {
	uint64_t addr;
	const char *text;
	size_t len;
};

static int by_address_text(const void *a, const void *b)
{
	const struct address *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return (x->text > y->text) - (x->text < y->text);
}

/* Takes the next line of an address and its text off the front of @*p; false at the end. */
typedef bool (*address_fn)(struct address *a, const char **p, const char *end);

/* "NAME\t[MODULE]" */
static bool next_symbol(struct address *a, const char **p, const char *end)
{
	const char *line, *nl;
	char type;

	for (a->text = NULL; !a->text && *p < end; *p = nl + 1) {
		line = *p;
		nl = memchr(line, '\n', end - line);
		if (!nl)
			nl = end;
		a->text = sym_line_head(line, nl, &a->addr, &type);
		a->len = a->text ? nl - a->text : 0;
	}
	return a->text;
}

/* Without a newline at its end. */
static bool next_string(struct address *a, const char **p, const char *end)
{
	struct printk_line line;

	if (!printk_line_next(&line, p, end))
		return false;
	if (line.len >= 2 && !memcmp(line.text + line.len - 2, "\\n", 2))
		line.len -= 2;
	*a = (struct address){ line.addr, line.text, line.len };
	return true;
}

static void list_addresses(struct buf *b, struct trace *t, enum ev_text which, address_fn next)
{
	struct address *v = NULL, a;
	size_t len, n = 0, cap = 0, i;
	const char *p = ev_world_text(&t->world, which, &len), *end = p + strnlen(p ? p : "", len);

	while (p && next(&a, &p, end)) {
		v = xgrow(v, &cap, n + 1, sizeof(*v));
		v[n++] = a;
	}
	if (n)
		qsort(v, n, sizeof(*v), by_address_text);
	for (i = 0; i < n; i++) {
		buf_printf(b, "%016" PRIx64 " ", v[i].addr);
		for (; v[i].len; v[i].len--, v[i].text++)
			buf_addch(b, *v[i].text == '\t' ? ' ' : *v[i].text);
		buf_addch(b, '\n');
	}
	free(v);
}

static void list_functions(struct buf *b, const struct report *r, struct trace *t)
{
	(void)r;
	list_addresses(b, t, EV_KALLSYMS, next_symbol);
}

static void list_printk(struct buf *b, const struct report *r, struct trace *t)
{
	(void)r;
	list_addresses(b, t, EV_PRINTK, next_string);
}

void report_lists(struct report *r)
{
	static const struct {
		unsigned int bits;
		void (*list)(struct buf *b, const struct report *r, struct trace *t);
	} lists[] = {
		{ LIST_CPUS | LIST_FIRST | LIST_LAST, list_cpus }, { LIST_STAT, list_stat },
		{ LIST_UNAME, list_uname }, { LIST_VERSION, list_version },
		{ LIST_EVENTS, list_events }, { LIST_FORMATS, list_formats },
		{ LIST_FUNCTIONS, list_functions }, { LIST_PRINTK, list_printk },
	};
	struct buf b = {0};
	size_t i, k;

	for (i = 0; i < r->select.nr_traces; i++) {
		if (r->select.nr_traces > 1)
			buf_printf(&b, "%s:\n", r->select.traces[i]->dat->path);
		for (k = 0; k < sizeof(lists) / sizeof(*lists); k++)
			if (r->lists & lists[k].bits)
				lists[k].list(&b, r, r->select.traces[i]);
		print_escaped(&b);
		buf_reset(&b);
	}
	buf_release(&b);
}
