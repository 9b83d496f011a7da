/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens a trace file: parses its event formats and sets up what rendering its records needs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/priv.h"

/* Two formats of one id can't both be meant; the first is kept, as in libtraceevent. */
static void index_format(struct trace *t, struct ev_format *f, uint64_t off)
{
	struct ev_format *had = map_put(&t->world.by_id, f->id, f);

	if (!had)
		return;
	map_put(&t->world.by_id, f->id, had);
	if (strcmp(had->name, f->name))
		damage_note(&t->damages, "two event formats with one id", t->dat->path, off, -1,
			    "%s and %s", had->name, f->name);
}

static void parse_formats(struct trace *t)
{
	struct dat *d = t->dat;
	struct ftr_error err;
	struct ev_format *f;
	size_t i;

	/* all room at once: by_id and the engine keep pointers */
	t->world.formats = xcalloc(d->nr_formats + 1, sizeof(*f));
	for (i = 0; i < d->nr_formats; i++) {
		const struct dat_format *text = &d->formats[i];

		f = &t->world.formats[t->world.nr_formats];
		err = (struct ftr_error){0};
		if (ev_format_parse(f, text->system, text->text.p, text->text.len, &err)) {
			damage_note(&t->damages, "event format that can't be parsed", d->path,
				    text->text.off, -1, "%s", err.msg);
			ev_format_release(f);
			memset(f, 0, sizeof(*f));
			continue;
		}
		t->world.nr_formats++;
		index_format(t, f, text->text.off);
	}
}

static void index_types(struct trace *t)
{
	size_t i;

	for (i = 0; i < t->world.nr_formats; i++)
		if (t->world.formats[i].id >= t->nr_types)
			t->nr_types = t->world.formats[i].id + 1;
	t->by_type = xcalloc(t->nr_types + 1, sizeof(*t->by_type));
	for (i = 0; i < t->world.nr_formats; i++) {
		uint16_t id = t->world.formats[i].id;

		t->by_type[id] = map_get(&t->world.by_id, id);
	}
}

/* All events begin with the same fields; kernels have moved them, so a format tells where. */
static void find_common(struct trace *t)
{
	const struct ev_field *type = NULL, *pid = NULL;
	size_t i;

	t->type_off = 0;
	t->pid_off = 4;
	for (i = 0; i < t->world.nr_formats && !(type && pid); i++) {
		type = ev_field(&t->world.formats[i], "common_type");
		pid = ev_field(&t->world.formats[i], "common_pid");
	}
	if (type && type->size == 2)
		t->type_off = type->offset;
	if (pid && pid->size == 4)
		t->pid_off = pid->offset;
}

/* "Linux HOST 6.12.117+deb12-amd64 x86_64" */
static uint32_t kernel_version(const struct dat *d)
{
	const struct dat_option *o = dat_option(d, DAT_UNAME);
	unsigned int major, minor;
	char text[256] = "";

	if (!o)
		return 0;
	memcpy(text, o->data.p, o->data.len < sizeof(text) - 1 ? o->data.len : sizeof(text) - 1);
	if (sscanf(text, "%*s %*s %u.%u", &major, &minor) != 2 || major > 999 || minor > 9999)
		return 0;
	return KERNEL_VERSION_OF(major, minor);
}

static void fill_world(struct trace *t)
{
	const struct dat *d = t->dat;
	struct ev_world *w = &t->world;

	w->big = d->big;
	w->long_size = d->nr_buffers ? d->buffers[0].layout.commit_size : d->long_size;
	w->page_size = d->page_size;
	w->header_page = d->header_page.p;
	w->header_page_len = d->header_page.len;
	w->printk = d->printk.p;
	w->printk_len = d->printk.len;
	w->kallsyms = d->kallsyms.p;
	w->kallsyms_len = d->kallsyms.len;
	w->cmdlines = d->cmdlines.p;
	w->cmdlines_len = d->cmdlines.len;
	w->kernel = kernel_version(d);
	w->dynamic = dat_ftr_value(d, "dynamic_events", &w->dynamic_len);
	w->syms = ev_syms_new(w->kallsyms, w->kallsyms_len);
}

struct trace_iter *trace_iter_new_range(struct trace *const *traces, size_t n,
					const uint64_t *cpus, uint64_t since, uint64_t until)
{
	(void)since;
	(void)until;
	return trace_iter_new(traces, n, cpus);
}

struct trace *trace_open(const char *path, struct ftr_error *err)
{
	struct trace *t = xcalloc(1, sizeof(*t));

	t->first_ts = UINT64_MAX;
	t->dat = dat_open(path, err);
	if (!t->dat)
		goto fail;
	parse_formats(t);
	index_types(t);
	find_common(t);
	fill_world(t);
	trace_time_init(t);
	trace_comms_init(t);
	t->engine = ev_engine_new(&t->world, NULL, err);
	if (!t->engine)
		goto fail;
	return t;
fail:
	trace_close(t);
	return NULL;
}

struct trace *trace_view(struct trace *t)
{
	struct ftr_error err;
	struct trace *v = trace_open(t->dat->path, &err);

	if (v)
		v->ts_add_ns = t->ts_add_ns;
	return v;
}

const struct damages *trace_damages(struct trace *t)
{
	damages_release(&t->all_damages);
	damages_merge(&t->all_damages, &t->dat->damages);
	damages_merge(&t->all_damages, &t->damages);
	return &t->all_damages;
}

int trace_set_engine(struct trace *t, const char *name, struct ftr_error *err)
{
	struct ev_engine *e = ev_engine_new(&t->world, name, err);

	if (!e)
		return -1;
	ev_engine_free(t->engine);
	t->engine = e;
	return 0;
}

void trace_close(struct trace *t)
{
	size_t i;

	if (!t)
		return;
	ev_engine_free(t->engine);
	ev_syms_free(t->world.syms);
	trace_comms_release(t);
	map_release(&t->world.by_id);
	for (i = 0; i < t->world.nr_formats; i++)
		ev_format_release(&t->world.formats[i]);
	free(t->world.formats);
	free(t->by_type);
	damages_release(&t->damages);
	damages_release(&t->all_damages);
	dat_close(t->dat);
	free(t);
}
