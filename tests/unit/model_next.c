/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records that model_next() passes change nothing: states, waits, spans and losses are those of all records. */
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "made_trace.h"
#include "model/model.h"

#define DAMAGED 12			/* copies of each file */
#define FLIPS	20			/* bytes of a copy */

static void note_state(void *ctx, struct task *t, uint64_t from, uint64_t to)
{
	buf_printf(ctx, "state %d %d %" PRIu64 " %" PRIu64 "\n", t->pid, t->state, from, to);
}

static void note_cpu(void *ctx, struct model_cpu *c, uint64_t from, uint64_t to)
{
	buf_printf(ctx, "cpu %d %d %" PRIu64 " %" PRIu64 "\n", c->cpu, c->task ? c->task->pid : -1, from, to);
}

static void note_switch(void *ctx, struct task *prev, struct task *next, const struct trace_rec *r)
{
	buf_printf(ctx, "switch %d %d %" PRIu64 " %" PRIu64 "\n", prev->pid, next->pid, r->ts, r->file_off);
}

static void note_wait(void *ctx, struct span *s, const struct trace_rec *r)
{
	buf_printf(ctx, "wait %d %x %" PRIu64 " %" PRIu64 "\n", s->task->pid, s->marks, s->begin, r ? r->ts : 0);
}

static void note_span(void *ctx, struct span *s, const struct trace_rec *r)
{
	buf_printf(ctx, "span %d %d %x %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", s->kind, s->task ? s->task->pid : -1,
		   s->marks, s->begin, s->duration, r ? r->ts : 0);
}

static void note_loss(void *ctx, const struct trace_rec *r)
{
	buf_printf(ctx, "loss %d %" PRIu64 "\n", r->cpu, r->lost);
}

static void note_gap(void *ctx, struct model_cpu *c, struct task *t, uint64_t from, uint64_t to)
{
	buf_printf(ctx, "gap %d %d %" PRIu64 " %" PRIu64 "\n", c->cpu, t ? t->pid : -1, from, to);
}

static const struct span_ops ops = {
	.end = note_span, .lost = note_loss, .switched = note_switch, .stayed = note_state, .cpu_stayed = note_cpu,
	.gap = note_gap, .waited = note_wait,
};

static void note_tasks(const struct model *m, struct buf *out)
{
	for (const struct task *t = model_tasks(m); t; t = t->next)
		buf_printf(out, "task %d %s %" PRIu64 "\n", t->pid, model_task_name(m, t), t->first);
	model_add_losses(m, out);
	model_add_missed(m, out);
}

/* Returns all that a model reports about the file, and its damage. Counts records, and those that were read. */
static char *report(const char *path, const struct model_opts *o, bool all, uint32_t *n, uint32_t *read)
{
	struct ftr_error err = {0};
	struct trace *t = trace_open(path, &err);
	struct buf out = {0};
	const struct trace_rec *r;
	struct trace_iter *it;
	struct model *m;

	*n = *read = 0;
	if (!t)
		return xstrdup(err.msg);
	m = model_new(&t, 1, o, &ops, &out, &err);
	it = trace_iter_new(&t, 1, NULL);
	while ((r = all ? trace_iter_next(it) : model_next(m, it, n))) {
		model_feed(m, r);
		++*read;
	}
	if (all)
		*n = *read;
	model_end(m);
	note_tasks(m, &out);
	for (size_t i = 0; i < t->damages.n; i++)
		damage_describe(&t->damages.v[i], &out);
	trace_iter_free(it);
	model_free(m);
	trace_close(t);
	return out.data;
}

static bool is_same(const char *path, uint32_t kinds, uint32_t *passed)
{
	struct model_opts o = { .kinds = kinds, .cpus = kinds & 1 };
	uint32_t n[2], read[2];
	char *all = report(path, &o, true, &n[0], &read[0]), *some = report(path, &o, false, &n[1], &read[1]);
	bool same = !strcmp(all, some) && n[0] == n[1];

	*passed += n[1] - read[1];
	free(all);
	free(some);
	return same;
}

static void damage(const char *from, const char *to)
{
	struct stat st;
	uint8_t byte;
	int fd;

	run("cp %s %s", from, to);
	fd = open(to, O_RDWR);
	for (int i = 0; i < FLIPS && !fstat(fd, &st); i++) {
		/* most in the data, which is at the end */
		off_t at = st.st_size - 1 - rand() % (st.st_size / (i % 4 ? 2 : 1));

		byte = rand();
		if (pwrite(fd, &byte, 1, at) != 1)
			abort();
	}
	close(fd);
}

static void test_file(const char *options)
{
	char *seeded = xasprintf("--seed %d %s", rand() % 1000, options), *path = made_file("sound", seeded);
	char *copy = xasprintf("%s/damaged.dat", made_dir), *label;
	uint32_t passed = 0, in_damaged = 0;
	unsigned int wrong = 0;

	if (!TAP_OK(path, options))
		return;
	wrong += !is_same(path, 0, &passed);
	wrong += !is_same(path, rand(), &passed);
	wrong += !is_same(path, rand(), &passed);
	label = xasprintf("%s: the same of all records", options);
	TAP_EQ(wrong, 0, label);
	free(label);
	wrong = 0;
	for (int i = 0; i < DAMAGED; i++) {
		damage(path, copy);
		wrong += !is_same(copy, i % 2 ? rand() : 0, &in_damaged);
	}
	TAP_EQ(wrong, 0, "and of damaged copies");
	printf("# passed %u records, in damaged copies %u\n", passed, in_damaged);
	TAP_OK(passed > 100, "some are passed");
	free(seeded);
	free(path);
	free(copy);
}

int main(void)
{
	if (!made_begin())
		return 1;
	test_file("--cpus 1 --records 3000");
	test_file("--cpus 3 --records 2000 --lost 0.3 --wakeup");
	test_file("--cpus 2 --records 2000 --lost 0 --compress zlib --instances one,two");
	test_file("--cpus 2 --records 2000 --version 6 --endian be --long 4 --absolute 0.2 --discards 0.2");
	return made_end();
}
