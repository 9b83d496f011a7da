/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What led to an oops, for programs. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/text.h"
#include "cmd/oops/oops_show.h"

/* Bytes of the lines of a list, beyond which there are none: a record may have 256 KiB of text. */
#define LINES_MAX (64u << 20)

static json_t *text_or_null(const char *text)
{
	return text ? json_string(text) : json_null();
}

static json_t *part_or_null(const struct oops_part *p)
{
	struct buf b = {0};
	json_t *o = json_null();

	if (p->p) {
		show_add_part(&b, p);
		o = json_string(b.data);
		buf_release(&b);
	}
	return o;
}

static json_t *number_or_null(bool known, uint64_t v)
{
	return known ? json_integer(v) : json_null();
}

/* --- what is known */

static json_t *oops_object(const struct show *s)
{
	json_t *o;

	if (!s->has_oops)
		return json_null();
	o = json_object();
	json_object_set_new(o, "head", part_or_null(&s->oops.head));
	json_object_set_new(o, "place", part_or_null(&s->oops.place));
	json_object_set_new(o, "place_told", json_boolean(s->oops.place.p && !s->oops.is_top));
	json_object_set_new(o, "interrupt", json_boolean(s->oops.is_irq));
	json_object_set_new(o, "hung", json_boolean(s->oops.is_hung));
	return o;
}

static json_t *task_object(const struct show *s)
{
	bool known = s->task && model_has_states(s->model, 0);
	char *name;
	json_t *o;

	if (s->pid < 0)
		return json_null();
	o = json_object();
	name = show_task_text(s);
	json_object_set_new(o, "task", json_string(name));
	free(name);
	json_object_set_new(o, "pid", json_integer(s->pid));
	json_object_set_new(o, "told", json_boolean(s->told_task));
	json_object_set_new(o, "recorded", json_boolean(s->task));
	json_object_set_new(o, "state", text_or_null(known ?
						      model_state_name(s->model, s->task->state) :
						      NULL));
	json_object_set_new(o, "since", number_or_null(known, s->since));
	return o;
}

static json_t *span_object(const struct show *s, const struct show_span *p)
{
	json_t *o = json_object();

	if (p->kind != SPAN_WAKEUP)
		json_object_set_new(o, "kind", json_string(model_kind_name(s->model, p->kind)));
	json_object_set_new(o, p->kind == SPAN_WAKEUP ? "by" : "name", text_or_null(p->name));
	json_object_set_new(o, "begin", json_integer(p->begin));
	json_object_set_new(o, "duration", number_or_null(p->duration != SPAN_UNKNOWN,
							  p->duration));
	json_object_set_new(o, "open", json_boolean(p->is_open));
	return o;
}

static json_t *span_list(const struct show *s, const struct show_list *l)
{
	json_t *list = json_array();

	for (size_t i = 0; i < l->n; i++)
		json_array_append_new(list, span_object(s, show_span_at(l, i)));
	return list;
}

static json_t *loss_list(const struct show *s)
{
	json_t *list = json_array(), *o;

	for (const struct show_cpu *c = s->cpus; c < s->cpus + s->nr_cpus; c++) {
		if (!c->lost && !c->lost_unknown)
			continue;
		o = json_object();
		json_object_set_new(o, "cpu", json_integer(c->cpu));
		json_object_set_new(o, "events", json_integer(c->lost));
		json_object_set_new(o, "more", json_boolean(c->lost_unknown));
		json_array_append_new(list, o);
	}
	return list;
}

/* --- records */

static void add_lines(json_t *list, const char *p, size_t len)
{
	const char *end = p + len, *nl;
	struct buf b = {0};

	for (; p < end; p = nl + 1) {
		nl = memchr(p, '\n', end - p);
		if (!nl)
			nl = end;
		buf_reset(&b);
		text_sanitise(&b, p, nl - p, false);
		json_array_append_new(list, json_string(b.len ? b.data : ""));
	}
	buf_release(&b);
}

/* What the sink writes goes through a file without a name. */
static json_t *line_list(const struct show *s, bool others, struct ftr_error *err)
{
	int fd = io_unnamed(), ret;
	json_t *list = json_array();
	struct buf text = {0};

	if (fd < 0) {
		err_sys(err, "cannot make a file in '%s'", io_tmpdir());
		return list;
	}
	ret = show_lines_write(s, others, fd, err);
	if (!ret && lseek(fd, 0, SEEK_SET) == 0 && io_read_max(fd, LINES_MAX, &text))
		err_sys(err, "cannot read a file of '%s'", io_tmpdir());
	close(fd);
	if (text.len)
		add_lines(list, text.data, text.len);
	buf_release(&text);
	return list;
}

static json_t *cpu_list(const struct show *s)
{
	json_t *list = json_array(), *o;
	char *task;

	for (const struct show_cpu *c = s->cpus; c < s->cpus + s->nr_cpus; c++) {
		o = json_object();
		task = show_cpu_task(s, c);
		json_object_set_new(o, "cpu", json_integer(c->cpu));
		json_object_set_new(o, "task", text_or_null(task));
		json_object_set_new(o, "count", json_integer(c->count));
		json_object_set_new(o, "shown", json_integer(c->shown));
		json_array_append_new(list, o);
		free(task);
	}
	return list;
}

int show_print_json(const struct show *s, struct ftr_error *err)
{
	static const char *const names[SHOW_LISTS] = { "open", "wakeups", "locks", "blocks" };
	json_t *all = json_object();

	json_object_set_new(all, "oops", oops_object(s));
	json_object_set_new(all, "task", task_object(s));
	json_object_set_new(all, "cpu", number_or_null(s->cpu >= 0, s->cpu));
	json_object_set_new(all, "cpu_told", json_boolean(s->told_cpu));
	json_object_set_new(all, "end", number_or_null(s->nr_cpus, s->last_ts));
	json_object_set_new(all, "losses", loss_list(s));
	for (size_t i = 0; i < SHOW_LISTS; i++)
		json_object_set_new(all, names[i], span_list(s, &s->lists[i]));
	json_object_set_new(all, "cpus", cpu_list(s));
	json_object_set_new(all, "records", line_list(s, false, err));
	json_object_set_new(all, "others", line_list(s, true, err));
	if (!err->code) {
		json_dumpf(all, stdout, JSON_INDENT(1) | JSON_ENSURE_ASCII);
		putchar('\n');
	}
	json_decref(all);
	return err->code ? -1 : 0;
}
