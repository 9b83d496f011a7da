/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The steps of the browser with the index and without it: the same rows, also where records are hidden, lost or damaged. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "browse/work/record_count.h"
#include "browse/work/row_search.h"
#include "made.h"
#include "tap.h"

/* Rows of each file and way, from which all steps are made. A sanitizer takes ten times as long. */
#ifdef __SANITIZE_ADDRESS__
#define ROWS 4
#else
#define ROWS 12
#endif
#define MOST 2			/* files at once */

static char dir[] = "/tmp/ftr-index-XXXXXX";
static unsigned int nr_steps, nr_found, nr_ordered;

/* --- what is shown */

static bool odd_task(void *ctx, const struct trace_rec *r)
{
	(void)ctx;
	return r->pid % 2 || r->type == 316;
}

static bool one_event(void *ctx, const struct trace_rec *r)
{
	(void)ctx;
	return r->type == 318;
}

static bool no_record(void *ctx, const struct trace_rec *r)
{
	(void)ctx;
	(void)r;
	return false;
}

static void *same_ctx(void *ctx, struct trace *const *views)
{
	(void)views;
	return ctx;
}

static const struct out_match matches[] = {
	{0}, { odd_task, NULL, same_ctx, NULL }, { one_event, NULL, same_ctx, NULL }, { no_record, NULL, same_ctx, NULL },
};

/* --- one step */

struct files {
	struct trace *v[MOST];
	size_t n;
	uint64_t first, last;
	struct out_range range;
	struct record_scan scan;
};

static struct text_rows *rows_of(const struct files *files, const struct out_match *which)
{
	struct rows_opts o = { .ops = &out_text, .range = files->range, .which = which };

	return rows_new(files->v, files->n, &o);
}

/* Looks for the next one; true with its place. */
static bool step(struct files *files, const struct out_match *which, const struct text_row *from,
		 enum find_kind kind, bool backward, const struct block_index *index,
		 struct row_place *at)
{
	static const struct out_match all;
	struct find_waking waking;
	struct out_match wakings;
	struct background_job job = {0};
	struct row_search f = {
		.kind = kind, .backward = backward, .like = *from, .first = files->first, .last = files->last, .index = index,
		.traces = files->v, .nr_traces = files->n, .range = &files->range, .which = kind == FIND_WAKER ? &all : which,
	};
	bool found;

	find_waking(&waking, from, &all, &wakings);
	f.rows = rows_of(files, kind == FIND_WAKER ? &wakings : which);
	find_run(&job, &f);
	found = f.found;
	*at = f.at;
	find_release(&f);
	return found;
}

static bool same_steps(struct files *files, const struct out_match *which,
		       const struct text_row *from)
{
	struct row_place with = {0}, without = {0};
	bool found, same = true;
	int kind, back;

	for (kind = FIND_TASK; kind <= FIND_WAKER; kind++)
		for (back = 0; back < 2; back++) {
			found = step(files, which, from, kind, back, NULL, &without);
			if (step(files, which, from, kind, back, files->scan.index, &with) != found ||
			    (found && place_compare(&with, &without))) {
				printf("# kind %d%s from %" PRIu64 ".%u: found %d at %" PRIu64 ".%u.%u, with the index %" PRIu64 ".%u.%u\n",
				       kind, back ? " back" : "", from->at.ts, from->at.seq, found, without.ts, without.seq,
				       without.line, with.ts, with.seq, with.line);
				same = false;
			}
			nr_steps++;
			nr_found += found;
		}
	return same;
}

/* --- files */

/* Two CPUs, and the half of the time in the middle. */
static void take_part(struct files *files)
{
	static const uint64_t cpus[TRACE_CPU_BITS / 64] = { 1 << 0 | 1 << 2 };
	uint64_t quarter = (files->last - files->first) / 4;

	files->range = (struct out_range){ .cpus = cpus, .since = files->first + quarter, .until = files->last - quarter };
}

static bool open_files(struct files *files, const char *const *paths, size_t n, uint32_t pages, bool part)
{
	struct ftr_error err = {0};
	struct background_job job = {0};

	*files = (struct files){ .first = UINT64_MAX, .range = { .until = UINT64_MAX } };
	for (; files->n < n; files->n++) {
		files->v[files->n] = trace_open(paths[files->n], &err);
		if (!files->v[files->n])
			return false;
		trace_bounds(files->v[files->n], &files->first, &files->last);
	}
	if (part)
		take_part(files);
	files->scan = (struct record_scan){
		.traces = files->v, .nr_traces = n, .range = &files->range, .first = files->first, .last = files->last,
		.index_pages = pages,
	};
	scan_run(&job, &files->scan);
	return files->scan.whole && files->scan.index;
}

static void close_files(struct files *files)
{
	scan_release(&files->scan);
	while (files->n)
		trace_close(files->v[--files->n]);
}

/* From rows at random times, of those that are shown. */
static bool same_everywhere(struct files *files, const struct out_match *which)
{
	struct text_rows *rows = rows_of(files, which);
	const struct rows_slice *s;
	bool same = true;
	int i;

	for (i = 0; i < ROWS; i++) {
		s = rows_slice_at(rows, files->first + rand() % 1000 * ((files->last - files->first) / 999 + 1));
		while (s && !s->n)
			s = rows_slice_before(rows, s);
		if (s)
			same &= same_steps(files, which, &s->v[i < 2 ? 0 : rand() % s->n]);
	}
	rows_free(rows);
	return same;
}

static bool test_files(const char *const *paths, size_t n, uint32_t pages, bool part)
{
	struct files files;
	bool same = true;
	size_t i;

	if (!open_files(&files, paths, n, pages, part)) {
		close_files(&files);
		return true;	/* it is too damaged to be opened */
	}
	if (index_is_ordered(files.scan.index)) {
		nr_ordered++;
		for (i = 0; i < sizeof(matches) / sizeof(matches[0]); i++)
			same &= same_everywhere(&files, &matches[i]);
	}
	close_files(&files);
	return same;
}

static const struct {
	const char *name, *options;
} made[] = {
	{ "plain", "--cpus 4 --records 2000" },
	{ "v6", "--cpus 3 --records 1500 --version 6 --instances second" },
	{ "instances", "--cpus 2 --records 1200 --instances a,b --lost 0.3 --empty-cpu" },
	{ "zstd", "--cpus 3 --records 2500 --version 7 --compress zstd --lost 0.02" },
	{ "big-endian", "--cpus 2 --records 1500 --endian be --long 4 --lost 0.1 --discards 0.2" },
	{ "many", "--cpus 40 --records 120 --short-pages 0.5" },
};

static void test_made(const char *name, const char *options)
{
	char *path = xasprintf("%s/%s.dat", dir, name), *label = xasprintf("%s: the same steps",
			       name);
	const char *const paths[] = { path, path };

	if (!run("python3 %s/tests/oracle/mkdat.py %s %s > /dev/null", top(), path, options)) {
		TAP_OK(false, name);
	} else {
		TAP_OK(test_files(paths, 1, 1, false), label);
		TAP_OK(test_files(paths, 1, 3, false), label);
		TAP_OK(test_files(paths, 1, INDEX_PAGES, false), label);
		TAP_OK(test_files(paths, 1, 1, true), label);
		free(label);
		label = xasprintf("%s: the same steps in two files", name);
		TAP_OK(test_files(paths, 2, 2, false), label);
	}
	free(label);
	free(path);
}

/* What a byte that is damaged does to times, and to what is lost. */
static void test_damaged(const char *name, const char *kind)
{
	char *path, *label = xasprintf("%s, %s damaged: the same steps", name, kind);
	bool same = true;
	int i;

	run("mkdir %s/%s-%s && python3 %s/tests/oracle/damage.py flip %s/%s.dat %s/%s-%s --kind %s -n 3 --seed %d > /dev/null", dir,
	    name, kind, top(), dir, name, dir, name, kind, kind, rand() % 1000);
	run("cd %s/%s-%s && n=0 && for f in *.dat; do n=$((n + 1)); mv $f n$n; done", dir, name,
	    kind);
	for (i = 1; i <= 3; i++) {
		path = xasprintf("%s/%s-%s/n%d", dir, name, kind, i);
		same &= !access(path, R_OK) && test_files((const char *const[]){ path }, 1, 2, false);
		free(path);
	}
	TAP_OK(same, label);
	free(label);
}

/* A CPU's times that go back: the index says so. */
static void test_disorder(void)
{
	struct trace_rec r = { .ts = 5, .page_start = true };
	char *path = xasprintf("%s/plain.dat", dir);
	struct ftr_error err = {0};
	struct trace *t = trace_open(path, &err);
	struct block_index *x = index_new(&t, 1, 2);

	index_add(x, &r);
	r.ts = 7;
	index_add(x, &r);
	TAP_OK(index_is_ordered(x), "times in order");
	r.stream = 1;
	r.ts = 6;
	index_add(x, &r);
	TAP_OK(index_is_ordered(x), "times of two CPUs");
	r.stream = 0;
	index_add(x, &r);
	TAP_OK(!index_is_ordered(x), "times that go back are told");
	index_free(x);
	trace_close(t);
	free(path);
}

/* More types than a block has room for: each may be there, and in a block with few only those. */
static void test_types(void)
{
	struct trace_rec r = { .ts = 1, .page_start = true, .rec.data = (const uint8_t *)"" };
	struct index_want want = { .what = INDEX_EVENT };
	char *path = xasprintf("%s/plain.dat", dir);
	struct ftr_error err = {0};
	struct trace *t = trace_open(path, &err);
	struct block_index *x = index_new(&t, 1, 1);
	struct index_blocks *b;
	struct index_window w;

	for (r.type = 1; r.type <= 60; r.type++, r.page_start = false)
		index_add(x, &r);
	r.page_start = true;
	r.ts = 9;
	r.type = 7;
	index_add(x, &r);
	for (want.type = 1; want.type <= 61; want.type += 30) {
		b = index_blocks_new(x, &want);
		TAP_OK(index_window_from(b, 0, 1, &w) && w.first == 1 && w.last == 1 && w.cpus[0] == 1, "may be there");
		TAP_OK(!index_window_from(b, 2, 1, &w), "is not there");
		index_blocks_free(b);
	}
	want.type = 7;
	b = index_blocks_new(x, &want);
	TAP_OK(index_window_from(b, 2, 1, &w) && w.first == 9 && w.last == 9, "is there, forward");
	TAP_OK(index_window_before(b, 9, 1, &w) && w.first == 1 && w.last == 1, "is there, backward");
	TAP_OK(!index_window_before(b, 1, 1, &w), "is not there before all");
	index_blocks_free(b);
	index_free(x);
	trace_close(t);
	free(path);
}

/* Each loss as the merged order has it, "ts stream lost"; the first @max. *all: how many there are. */
static char *merged_losses(struct files *files, size_t max, size_t *all)
{
	struct trace_iter *it = trace_iter_new(files->v, files->n, NULL);
	const struct trace_rec *r;
	struct buf out = {0};

	for (*all = 0; (r = trace_iter_next(it));)
		if (r->lost && ++*all <= max)
			buf_printf(&out, "%" PRIu64 " %u %" PRIu64 "\n", r->ts, r->stream, r->lost);
	trace_iter_free(it);
	return buf_take(&out);
}

/* The pass reads one CPU after another: what it keeps are the first by time all the same. */
static void test_losses(const char *name)
{
	char *path = xasprintf("%s/%s.dat", dir, name), *want;
	const char *const paths[] = { path, path };
	struct background_job job = {0};
	struct files files;
	size_t max, all, i;

	for (max = 0; max <= 13; max = 3 * max + 1) {
		struct buf got = {0};

		if (!open_files(&files, paths, 2, 1, false))
			exit(1);
		scan_release(&files.scan);
		files.scan.losses_max = max;
		scan_run(&job, &files.scan);
		want = merged_losses(&files, max, &all);
		for (i = 0; i < files.scan.nr_losses; i++)
			buf_printf(&got, "%" PRIu64 " %u %" PRIu64 "\n", files.scan.losses[i].ts, files.scan.losses[i].stream,
				   files.scan.losses[i].lost);
		TAP_OK(!strcmp(got.len ? got.data : "", want ? want : ""), "the first losses by time are kept");
		TAP_EQ(files.scan.all_losses, all, "all losses are counted");
		free(want);
		buf_release(&got);
		close_files(&files);
	}
	TAP_OK(all > 2 * 13, "there are many more losses than are kept");
	free(path);
}

static uint64_t counted(const struct hide_count *v, size_t n, enum hide_kind kind, uint64_t key)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].kind == kind && v[i].key == key)
			return v[i].records;
	return 0;
}

/* Two files, as records come: each record is one of its event, of its task and of its CPU. */
static void test_counts(const char *name)
{
	char *path = xasprintf("%s/%s.dat", dir, name);
	const char *const paths[] = { path, path };
	struct map want[HIDE_KINDS] = {0};
	const struct trace_rec *r;
	struct hide_count *v;
	struct files files;
	struct background_job job = {0};
	struct trace_iter *it;
	size_t n, at, keys = 0;
	bool same = true;

	if (!open_files(&files, paths, 2, 1, false))
		exit(1);
	scan_release(&files.scan);
	files.scan.counts = true;
	scan_run(&job, &files.scan);
	v = hide_counts_finish(&files.scan.by, &n);
	it = trace_iter_new(files.v, 2, NULL);
	while ((r = trace_iter_next(it))) {
		if (!r->rec.data)
			continue;
		map_count(&want[HIDE_EVENT], (uint64_t)r->file << 48 | r->type);
		map_count(&want[HIDE_TASK], (uint64_t)r->file << 48 | (uint32_t)r->pid);
		map_count(&want[HIDE_CPU], (uint64_t)r->file << 48 | (uint32_t)r->cpu);
	}
	trace_iter_free(it);
	for (int kind = 0; kind < HIDE_KINDS; kind++) {
		for (at = 0; at < want[kind].cap; at++)
			if (want[kind].slots[at].val)
				same &= counted(v, n, kind, want[kind].slots[at].key) == (uintptr_t)want[kind].slots[at].val;
		keys += want[kind].n;
		map_release(&want[kind]);
	}
	TAP_OK(same, "records are counted by event, task and CPU");
	TAP_EQ(n, keys, "nothing else is counted");
	free(v);
	close_files(&files);
	free(path);
}

int main(void)
{
	static const char *const kinds[] = { "pagehdr", "event", "length", "count" };
	unsigned int seed = getenv("FTR_SEED") ? atoi(getenv("FTR_SEED")) : getpid();
	size_t i;

	printf("# FTR_SEED=%u\n", seed);
	srand(seed);
	if (!mkdtemp(dir))
		return 1;
	for (i = 0; i < sizeof(made) / sizeof(made[0]); i++)
		test_made(made[i].name, made[i].options);
	TAP_EQ(nr_ordered, 5 * i, "times of made files are in order");
	nr_ordered = 0;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		test_damaged("plain", kinds[i]);
	test_damaged("zstd", "chunk");
	test_disorder();
	test_types();
	test_losses("instances");
	test_counts("instances");
	printf("# %u steps, %u found a row; %u damaged files in order\n", nr_steps, nr_found, nr_ordered);
	TAP_OK(nr_found > 1000 && nr_steps - nr_found > 1000, "rows were found, and others not");
	run("rm -rf %s", dir);
	return tap_done();
}
