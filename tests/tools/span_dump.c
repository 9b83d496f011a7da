/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints what the model makes of trace files, one line a span, a state, a CPU: see
 * Documentation/design/spans.md. With --restore N the files are read from N random records again, and what
 * comes then has to be what came at first. With --replay N this is done by the checkpoints of a replay,
 * also before all was read for the first time, and with the blocks of calls.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "model/index/model_replay.h"
#include "model/markers.h"

#define COPIES_MAX 1000

struct dump {
	struct model *model;
	struct buf out;
	size_t nr_files;
	struct span_blocks *blocks;		/* NULL: none are made */
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
	if (d->blocks)
		blocks_end(d->blocks, s);
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

static void dump_begin(void *ctx, struct span *s, const struct trace_rec *r)
{
	struct dump *d = ctx;

	s->is_shown = true;
	if (d->blocks)
		blocks_begin(d->blocks, s, r);
}

static void dump_event(void *ctx, struct task *t, const struct trace_rec *r)
{
	struct dump *d = ctx;

	if (d->blocks)
		blocks_event(d->blocks, t, r);
}

static void dump_marked(void *ctx, struct task *t, const struct marker_fields *k, const struct trace_rec *r)
{
	struct dump *d = ctx;
	struct buf *b = &d->out;

	add_file(d, t->file);
	buf_addstr(b, k->letter == 'C' ? "counter " : "instant ");
	text_sanitise(b, k->name, k->len, false);
	buf_printf(b, " task=");
	model_add_task_id(t, b);
	buf_printf(b, " cpu=%d at=%" PRIu64 " tgid=%d", r->cpu, r->ts, k->tgid);
	if (k->track) {
		buf_addstr(b, " track=");
		text_sanitise(b, k->track, k->track_len, false);
	}
	if (k->letter == 'C' && k->is_real)
		buf_printf(b, " value=%.17g", k->real);
	else if (k->letter == 'C')
		buf_printf(b, " value=%" PRId64, k->number);
	buf_addch(b, '\n');
}

static void dump_block(void *ctx, const struct span_block *block)
{
	struct dump *d = ctx;

	buf_printf(&d->out, "block %" PRIu64 " task=", block->number);
	model_add_task_id(block->task, &d->out);
	buf_printf(&d->out, " part=%u texts=%zu", block->part, block->texts.len);
	for (size_t i = 0; i < block->n; i++) {
		const struct block_node *n = &block->nodes[i];

		buf_printf(&d->out, " %u:%" PRIx64 "@%" PRIu64 "+%" PRIu64 "x%u", n->depth, n->name,
			   n->begin, n->duration, n->size);
	}
	buf_addch(&d->out, '\n');
}

static const struct span_ops dump_ops = {
	.begin = dump_begin, .end = dump_end, .event = dump_event,
	.marked = dump_marked,
};

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

/* --- replays */

struct reading {
	struct dump *d;
	struct model_replay *replay;
	struct buf first;		/* all text of the first pass until now */
	size_t *len;			/* of it, when so many records had been fed */
	size_t n, cap;
	size_t wanted, went_back;
	int bad;
};

static void note_len(struct reading *r)
{
	r->len = xgrow(r->len, &r->cap, r->n + 1, sizeof(*r->len));
	r->len[r->n++] = r->first.len;
}

/* Reads on until @to records were fed, or to the end; all has to be as it was. */
static void read_again(struct reading *r, size_t to)
{
	size_t from = replay_records(r->replay);

	buf_reset(&r->d->out);
	while (replay_records(r->replay) < to && replay_next(r->replay))
		;
	if (to == SIZE_MAX)
		dump_rest(r->d);
	to = to == SIZE_MAX ? r->first.len : r->len[to];
	if (r->d->out.len != to - r->len[from] ||
	    (r->d->out.len && memcmp(r->d->out.data, r->first.data + r->len[from],
				     r->d->out.len))) {
		printf("not the same from record %zu on\n", from);
		r->bad = 1;
	}
	buf_reset(&r->d->out);
	r->went_back++;
}

/* To a checkpoint for a time or a block of the past, and from there some way on. */
static void go_back(struct reading *r, uint64_t first, uint64_t last)
{
	uint64_t blocks = blocks_count(r->d->blocks);
	size_t here = replay_records(r->replay), at;

	if (random() % 2 && blocks)
		replay_go_to_block(r->replay, (uint64_t)random() % blocks);
	else
		replay_go(r->replay, first + (uint64_t)random() % (last - first + 1));
	at = replay_records(r->replay);
	if (replay_is_whole(r->replay))
		read_again(r, SIZE_MAX);
	else
		read_again(r, at + (size_t)random() % (here - at + 1));
	replay_go_on(r->replay);
	if (!replay_is_whole(r->replay) && replay_records(r->replay) != here) {
		printf("record %zu: it does not go on there\n", here);
		r->bad = 1;
	}
}

static void read_first(struct reading *r, size_t records)
{
	const struct trace_rec *rec;
	uint64_t first = 0;

	note_len(r);
	while ((rec = replay_next(r->replay))) {
		first = first ? first : rec->ts;
		buf_add(&r->first, r->d->out.data, r->d->out.len);
		buf_reset(&r->d->out);
		note_len(r);
		if (!((size_t)random() % (records / (r->wanted / 2 + 1) + 1)))
			go_back(r, first, rec->ts > first ? rec->ts : first);
	}
	dump_rest(r->d);
	buf_add(&r->first, r->d->out.data, r->d->out.len);
	for (size_t i = 0; i < r->wanted; i++)
		go_back(r, first, first + 1000000000);
}

static int replay_files(struct dump *d, struct trace **traces, size_t records, size_t wanted)
{
	struct replay_opts o = { .until = UINT64_MAX, .every = 512,
				 .max_bytes = wanted % 2 ? 1 << 20 : 64 << 20 };
	struct reading r = { .d = d, .replay = replay_new(traces, d->nr_files, &o),
			     .wanted = wanted };

	replay_add_model(r.replay, d->model);
	replay_set_blocks(r.replay, d->blocks);
	read_first(&r, records);
	printf("# %zu checkpoints of %zu bytes, %zu times back\n", replay_checkpoints(r.replay),
	       replay_bytes(r.replay), r.went_back);
	replay_free(r.replay);
	buf_release(&r.first);
	free(r.len);
	return r.bad;
}

static int dump_files(struct trace **traces, size_t n, const struct model_opts *o, size_t copies,
		      bool replays)
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
	if (replays) {
		d.blocks = blocks_new(false, dump_block, &d);
		status = replay_files(&d, traces, records, copies);
		blocks_free(d.blocks);
		model_free(d.model);
		buf_release(&d.out);
		return status;
	}
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
	bool replays = false;
	int status;

	for (int i = 1; i < argc && n < 16; i++) {
		if (!strcmp(argv[i], "--pair") && i + 1 < argc) {
			strv_add(&pairs, argv[++i]);
		} else if (!strcmp(argv[i], "-B") && i + 1 < argc) {
			o.instance = argv[++i];
		} else if ((!strcmp(argv[i], "--restore") || !strcmp(argv[i], "--replay")) &&
			   i + 1 < argc) {
			replays = !strcmp(argv[i], "--replay");
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
			"[--restore N | --replay N] FILE...\n");
		return 2;
	}
	status = dump_files(traces, n, &o, copies, replays);
	for (size_t i = 0; i < n; i++)
		trace_close(traces[i]);
	strv_release(&pairs);
	return status;
}
