/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints what the model makes of trace files, one line a span, a state, a CPU: see
 * Documentation/spans.md. With --restore N the files are read from N random records again, and what
 * comes then has to be what came at first.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/model.h"

#define COPIES_MAX 1000

struct dump {
	struct model *model;
	struct buf out;
	size_t nr_files;
};

static void add_number(struct buf *b, const char *key, uint64_t v)
{
	if (v == SPAN_UNKNOWN)
		buf_printf(b, " %s=-", key);
	else
		buf_printf(b, " %s=%" PRIu64, key, v);
}

static void add_marks(struct buf *b, unsigned int marks)
{
	bool any = false;

	buf_addstr(b, " marks=");
	for (size_t i = 0; i < SPAN_MARKS; i++) {
		if (!(marks >> i & 1))
			continue;
		buf_printf(b, "%s%s", any ? "," : "", span_mark_names[i]);
		any = true;
	}
	buf_addstr(b, any ? "\n" : "-\n");
}

static void add_file(struct dump *d, unsigned int file)
{
	if (d->nr_files > 1)
		buf_printf(&d->out, "file%u: ", file);
}

static void dump_end(void *ctx, struct span *s, const struct trace_rec *r)
{
	struct dump *d = ctx;
	struct buf *b = &d->out;

	(void)r;
	add_file(d, s->file);
	buf_printf(b, "span %s ", model_kind_name(d->model, s->kind));
	model_add_name(d->model, s, b);
	buf_addstr(b, " task=");
	model_add_task_id(s->task, b);
	buf_printf(b, " cpu=%d>%d", s->cpu_begin, s->cpu_end);
	add_number(b, "begin", s->begin);
	add_number(b, "end", s->end);
	add_number(b, "dur", s->duration);
	add_number(b, "self", s->self);
	add_number(b, "irq", s->irq);
	add_number(b, "off", s->off);
	buf_addstr(b, " parent=");
	if (span_parent(s))
		model_add_name(d->model, span_parent(s), b);
	else
		buf_addch(b, '-');
	buf_printf(b, " depth=%u", s->depth);
	if (s->has_retval)
		buf_printf(b, " retval=%" PRId64, (int64_t)s->retval);
	add_marks(b, s->marks);
}

static const struct span_ops dump_ops = { .end = dump_end };

static void dump_task(struct dump *d, const struct task *t)
{
	struct buf *b = &d->out;

	if (!t->pid)
		return;
	for (unsigned int i = 0; i < model_nr_states(d->model); i++) {
		const struct state_time *time = task_time(t, i);

		if (i == TASK_DEAD || (!time->time && !time->count))
			continue;
		add_file(d, t->file);
		buf_addstr(b, "state ");
		model_add_task_id(t, b);
		buf_printf(b, " %s time=%" PRIu64 " count=%" PRIu64 "\n",
			   model_state_name(d->model, i), time->time, time->count);
	}
	if (!t->delays)
		return;
	add_file(d, t->file);
	buf_addstr(b, "delay ");
	model_add_task_id(t, b);
	buf_printf(b, " count=%" PRIu64 " sum=%" PRIu64 " max=%" PRIu64 "\n", t->delays,
		   t->delay_sum, t->delay_max);
}

static void dump_levels(struct dump *d, const struct model_cpu *c, const char *what,
			const struct cpu_levels *l)
{
	for (const struct cpu_value *v = l->first; v; v = v->next) {
		add_file(d, c->file);
		buf_printf(&d->out, "cpu %d %s %" PRIu64 " time=%" PRIu64 " count=%" PRIu64 "\n",
			   c->cpu, what, v->value, v->t.time, v->t.count);
	}
}

static void dump_top(struct dump *d, const struct model_cpu *c, const char *what, uint64_t time)
{
	if (!time)
		return;
	add_file(d, c->file);
	buf_printf(&d->out, "cpu %d %s time=%" PRIu64 "\n", c->cpu, what, time);
}

static void dump_cpu(struct dump *d, const struct model_cpu *c)
{
	add_file(d, c->file);
	buf_printf(&d->out, "cpu %d busy=%" PRIu64 " idle=%" PRIu64 " unknown=%" PRIu64 "\n",
		   c->cpu, c->busy, c->idle, c->unknown);
	dump_top(d, c, "irq", c->irq);
	dump_top(d, c, "softirq", c->softirq);
	dump_levels(d, c, "idle-state", &c->idle_state);
	dump_levels(d, c, "frequency", &c->frequency);
}

static void dump_rest(struct dump *d)
{
	for (const struct task *t = model_tasks(d->model); t; t = t->next)
		if (model_has_states(d->model, t->file))
			dump_task(d, t);
	for (const struct model_cpu *c = model_cpus(d->model); c; c = c->next)
		if (model_has_states(d->model, c->file))
			dump_cpu(d, c);
}

/* --- copies of the model, and what had come until then */

struct saved {
	size_t at_record, at_text;
	struct model_copy *copy;
};

static int by_record(const void *a, const void *b)
{
	const struct saved *x = a, *y = b;

	return (x->at_record > y->at_record) - (x->at_record < y->at_record);
}

static void feed_all(struct dump *d, struct trace **traces, size_t from, struct saved *v, size_t n)
{
	struct trace_iter *it = trace_iter_new(traces, d->nr_files, NULL);
	const struct trace_rec *r;
	size_t i = 0, k = 0;

	while ((r = trace_iter_next(it))) {
		for (; k < n && v[k].at_record == i; k++) {
			v[k].copy = model_save(d->model);
			v[k].at_text = d->out.len;
		}
		if (i++ >= from)
			model_feed(d->model, r);
	}
	model_end(d->model);
	dump_rest(d);
	trace_iter_free(it);
}

static size_t count_records(struct trace **traces, size_t n)
{
	struct trace_iter *it = trace_iter_new(traces, n, NULL);
	size_t count = 0;

	while (trace_iter_next(it))
		count++;
	trace_iter_free(it);
	return count;
}

/* From each copy on the text has to be the same as in the first pass. */
static int check_copies(struct dump *d, struct trace **traces, struct saved *v, size_t n)
{
	struct buf first = d->out;
	int bad = 0;

	for (size_t i = n; i-- > 0;) {
		if (!v[i].copy)
			continue;
		d->out = (struct buf){0};
		model_restore(d->model, v[i].copy);
		feed_all(d, traces, v[i].at_record, NULL, 0);
		if (d->out.len != first.len - v[i].at_text ||
		    memcmp(d->out.data, first.data + v[i].at_text, d->out.len)) {
			printf("not the same from record %zu on\n", v[i].at_record);
			bad = 1;
		}
		buf_release(&d->out);
		model_copy_free(v[i].copy);
	}
	d->out = first;
	return bad;
}

static int dump_files(struct trace **traces, size_t n, const struct model_opts *o, size_t copies)
{
	static struct saved v[COPIES_MAX];
	struct dump d = { .nr_files = n };
	struct ftr_error err = {0};
	size_t records;
	int status = 0;

	d.model = model_new(traces, n, o, &dump_ops, &d, &err);
	if (!d.model) {
		fprintf(stderr, "%s\n", err.msg);
		return 1;
	}
	records = copies ? count_records(traces, n) : 0;
	for (size_t i = 0; i < copies && records; i++)
		v[i].at_record = (size_t)random() % records;
	qsort(v, copies, sizeof(*v), by_record);
	feed_all(&d, traces, 0, v, records ? copies : 0);
	if (copies)
		status = check_copies(&d, traces, v, copies);
	else
		fwrite(d.out.len ? d.out.data : "", 1, d.out.len, stdout);
	model_free(d.model);
	buf_release(&d.out);
	return status;
}

int main(int argc, char **argv)
{
	struct trace *traces[16];
	struct ftr_error err = {0};
	struct strv pairs = {0};
	struct model_opts o = { .kinds = UINT32_MAX >> (32 - SPAN_PAIR), .pairs = &pairs,
				.cpus = true };
	size_t n = 0, copies = 0;
	int status;

	for (int i = 1; i < argc && n < 16; i++) {
		if (!strcmp(argv[i], "--pair") && i + 1 < argc) {
			strv_add(&pairs, argv[++i]);
		} else if (!strcmp(argv[i], "-B") && i + 1 < argc) {
			o.instance = argv[++i];
		} else if (!strcmp(argv[i], "--restore") && i + 1 < argc) {
			copies = strtoul(argv[++i], NULL, 10) % (COPIES_MAX + 1);
		} else {
			traces[n] = trace_open(argv[i], &err);
			if (!traces[n]) {
				fprintf(stderr, "%s\n", err.msg);
				return 1;
			}
			n++;
		}
	}
	if (!n) {
		fprintf(stderr, "usage: span_dump [-B INSTANCE] [--pair PAIR] "
			"[--restore N] FILE...\n");
		return 2;
	}
	status = dump_files(traces, n, &o, copies);
	for (size_t i = 0; i < n; i++)
		trace_close(traces[i]);
	strv_release(&pairs);
	return status;
}
