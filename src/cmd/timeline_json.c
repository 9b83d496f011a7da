/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A timeline for programs. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/frame/json_rows.h"
#include "cmd/timeline.h"

static json_t *text_or_null(const char *text)
{
	return text ? json_string(text) : json_null();
}

static json_t *loss_list(const struct timeline *t, const struct lane *lane)
{
	json_t *list = json_array();

	for (uint32_t i = 0; lane && lane->losses && i < lanes_width(t->lanes); i++)
		if (lane->losses[i])
			json_array_append_new(list, json_integer(i));
	return list;
}

static json_t *cpu_columns(const struct timeline *t, const struct lane *lane)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < lanes_width(t->lanes); i++)
		json_array_append_new(list, text_or_null(timeline_cpu_state(lane, i)));
	return list;
}

static json_t *cpu_tasks(const struct timeline *t, const struct lane *lane)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < lanes_width(t->lanes); i++) {
		char *text = timeline_task_text(t, lane ? lane->tasks[i] : NULL);

		json_array_append_new(list, text_or_null(text));
		free(text);
	}
	return list;
}

static json_t *cpu_object(const struct timeline *t, const struct model_cpu *c)
{
	const struct lane *lane = lanes_of_cpu(t->lanes, c);
	json_t *o = json_object();

	json_object_set_new(o, "file", json_integer(c->file));
	json_object_set_new(o, "cpu", json_integer(c->cpu));
	json_object_set_new(o, "columns", cpu_columns(t, lane));
	json_object_set_new(o, "tasks", cpu_tasks(t, lane));
	json_object_set_new(o, "losses", loss_list(t, lane));
	json_object_set_new(o, "busy", json_integer(c->busy));
	json_object_set_new(o, "idle", json_integer(c->idle));
	json_object_set_new(o, "unknown", json_integer(c->unknown));
	json_object_set_new(o, "irq", json_integer(c->irq));
	json_object_set_new(o, "softirq", json_integer(c->softirq));
	return o;
}

static json_t *task_columns(const struct timeline *t, const struct lane *lane)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < lanes_width(t->lanes); i++)
		json_array_append_new(list, text_or_null(timeline_task_state(t, lane, i)));
	return list;
}

static json_t *task_states(const struct timeline *t, const struct task *task)
{
	json_t *states = json_object();

	for (unsigned int i = 0; i < model_nr_states(t->model); i++) {
		const struct state_time *at = task_time(task, i);

		if (i != TASK_DEAD && (at->count || at->time))
			json_object_set_new(states, model_state_name(t->model, i),
					    json_pack("{s:I, s:I}", "time",
						      (json_int_t)at->time, "count",
						      (json_int_t)at->count));
	}
	return states;
}

static json_t *task_object(const struct timeline *t, const struct task *task)
{
	const struct lane *lane = lanes_of_task(t->lanes, task);
	char *text = timeline_task_text(t, task);
	json_t *o = json_object();

	json_object_set_new(o, "file", json_integer(task->file));
	json_object_set_new(o, "task", json_string(text));
	json_object_set_new(o, "pid", json_integer(task->pid));
	json_object_set_new(o, "columns", task_columns(t, lane));
	json_object_set_new(o, "losses", loss_list(t, lane));
	json_object_set_new(o, "states", task_states(t, task));
	free(text);
	return o;
}

static json_t *event_object(const struct timeline *t, const struct timeline_event *e)
{
	json_t *o = json_object(), *list = json_array();

	for (uint32_t i = 0; i < lanes_width(t->lanes); i++)
		json_array_append_new(list, json_integer(e->counts[i]));
	json_object_set_new(o, "event", json_string(e->text));
	json_object_set_new(o, "count", json_integer(e->total));
	json_object_set_new(o, "columns", list);
	return o;
}

void timeline_print_json(const struct timeline *t)
{
	struct json_rows rows;

	json_rows_begin(&rows);
	json_rows_add_member(&rows, "from", json_integer(t->from));
	json_rows_add_member(&rows, "to", json_integer(t->to));
	json_rows_add_member(&rows, "width", json_integer(lanes_width(t->lanes)));
	json_rows_begin_list(&rows, "cpus");
	for (size_t i = 0; i < t->nr_cpus; i++)
		json_rows_add_row(&rows, cpu_object(t, t->cpus[i]));
	json_rows_end_list(&rows);
	json_rows_begin_list(&rows, "tasks");
	for (size_t i = 0; i < t->nr_tasks; i++)
		json_rows_add_row(&rows, task_object(t, t->tasks[i]));
	json_rows_end_list(&rows);
	json_rows_begin_list(&rows, "events");
	for (size_t i = 0; i < t->nr_events; i++)
		json_rows_add_row(&rows, event_object(t, &t->events[i]));
	json_rows_end_list(&rows);
	json_rows_end(&rows);
}
