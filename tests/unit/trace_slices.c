/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slices and ranges of time against one pass from front to back: sound files, odd ones, damaged ones. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "output/pipeline.h"
#include "made.h"
#include "tap.h"
#include "trace/trace.h"

static char tmp_dir[] = "/tmp/ftr-slices-XXXXXX";

/* --- what comes out */

/* Text, and what is said to be damaged, of @paths rendered by @threads. */
static char *render(const char *const *paths, size_t n, unsigned int threads, uint32_t bytes, struct out_opts opts)
{
	struct trace *traces[2] = { NULL };
	struct ftr_error err = {0};
	struct out_range range = { .until = UINT64_MAX, .threads = threads, .slice_bytes = bytes };
	struct out_state o = { .ops = &out_text, .opts = opts, .traces = traces, .nr_traces = n };
	struct buf text = {0};
	struct stat st;
	size_t i, k;

	for (i = 0; i < n; i++) {
		traces[i] = trace_open(paths[i], &err);
		if (!traces[i])
			goto out;
	}
	o.fd = memfd_create("out", 0);
	if (out_render(&o, &range, NULL, &err))
		buf_printf(&text, "failed: %s\n", err.msg);
	fstat(o.fd, &st);
	buf_reserve(&text, st.st_size + 1);
	if (pread(o.fd, text.data, st.st_size, 0) == st.st_size)
		text.len = st.st_size;
	text.data[text.len] = 0;
	close(o.fd);
	for (i = 0; i < n; i++) {
		const struct damage_list *d = trace_damages(traces[i]);

		for (k = 0; k < d->n; k++) {
			damage_describe(&d->v[k], &text);
			buf_addch(&text, '\n');
		}
	}
out:
	for (i = 0; i < n; i++)
		trace_close(traces[i]);
	buf_printf(&text, "%s\n", err.msg);
	return buf_take(&text);
}

/* --- slices */

static const struct {
	unsigned int threads;
	uint32_t bytes;
} modes[] = { { 2, 1 }, { 8, 1 }, { 3, 9000 }, { 2, 60000 } };

static void show_difference(const char *a, const char *b)
{
	size_t i;

	for (i = 0; a[i] && a[i] == b[i]; i++)
		;
	while (i && a[i - 1] != '\n')
		i--;
	printf("# at %zu of %zu and %zu\n# %.200s\n# %.200s\n", i, strlen(a), strlen(b), a + i, b + i);
}

static const struct out_opts text, painted = { .colour = true }, raw = { .raw = true };

/* True if all ways give what one thread gives. */
static bool same_in_all_modes(const char *const *paths, size_t n, struct out_opts opts)
{
	char *want = render(paths, n, 1, 0, opts), *got;
	bool same = true;
	size_t i;

	for (i = 0; i < sizeof(modes) / sizeof(modes[0]) && same; i++) {
		got = render(paths, n, modes[i].threads, modes[i].bytes, opts);
		same = !strcmp(want, got);
		if (!same) {
			printf("# %s: %u threads, slices of %u bytes\n", paths[0], modes[i].threads,
			       modes[i].bytes);
			show_difference(want, got);
		}
		free(got);
	}
	free(want);
	return same;
}

/* --- ranges */

struct seen {
	uint64_t ts, off, lost;
	int cpu;
	unsigned int buffer, stream;
	bool data;
	size_t nr;
};

struct list {
	struct seen *v;
	size_t n, cap;
};

static struct list read_list(struct trace_iter *it)
{
	const struct trace_rec *r;
	struct list l = {0};

	while ((r = trace_iter_next(it))) {
		l.v = xgrow(l.v, &l.cap, l.n + 1, sizeof(*l.v));
		l.v[l.n] = (struct seen){ r->ts, r->file_off, r->lost, r->cpu, r->buffer, r->stream,
					 r->rec.data, l.n };
		l.n++;
	}
	trace_iter_free(it);
	return l;
}

/* Where times go back, what a range leaves out no longer holds up what is behind it: only the CPUs' order is kept. */
static int by_cpu(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;

	if (x->buffer != y->buffer)
		return x->buffer < y->buffer ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->nr < y->nr ? -1 : 1;
}

static bool seen_equal(const struct seen *a, const struct seen *b)
{
	return a->ts == b->ts && a->off == b->off && a->cpu == b->cpu && a->buffer == b->buffer &&
	       a->lost == b->lost && a->data == b->data;
}

static int by_ts(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;

	return (x->ts > y->ts) - (x->ts < y->ts);
}

/*
 * Leaves out records whose time is none of the undamaged file's: where such a one lies, far from where its time
 * belongs, is not looked at for a range.
 */
static void only_true_times(struct list *l, const char *sound)
{
	struct ftr_error err;
	struct trace *t = trace_open(sound, &err);
	struct list truth;
	size_t i, n = 0;

	truth = read_list(trace_iter_new(&t, 1, NULL));
	qsort(truth.v, truth.n, sizeof(*truth.v), by_ts);
	for (i = 0; i < l->n; i++)
		if (bsearch(&l->v[i], truth.v, truth.n, sizeof(*truth.v), by_ts))
			l->v[n++] = l->v[i];
	l->n = n;
	free(truth.v);
	trace_close(t);
}

/* Whether the records of @part are those of @all in [since, until). Losses alone have no time of their own. */
static bool range_matches(const struct list *all, const struct list *part, uint64_t since, uint64_t until)
{
	size_t i, k = 0;

	for (i = 0; i < all->n; i++) {
		if (all->v[i].ts < since || all->v[i].ts >= until)
			continue;
		if (k < part->n && seen_equal(&all->v[i], &part->v[k])) {
			k++;
			continue;
		}
		printf("# record %zu of all, at 0x%" PRIx64 ", %" PRIu64 " on CPU %d, lost %" PRIx64 ", range %" PRIu64
		       " to %" PRIu64 "\n", i, all->v[i].off, all->v[i].ts, all->v[i].cpu, all->v[i].lost, since, until);
		if (k < part->n)
			printf("# not 0x%" PRIx64 ", %" PRIu64 " on CPU %d, lost %" PRIx64 "\n", part->v[k].off,
			       part->v[k].ts, part->v[k].cpu, part->v[k].lost);
		return false;
	}
	return k == part->n;
}

/* @sound: the file that @path is a damaged copy of. */
static bool ranges_match(const char *path, const char *sound)
{
	struct ftr_error err;
	struct trace *t = trace_open(path, &err);
	struct list all, part;
	uint64_t since, until;
	bool good = true;
	size_t i;

	if (!t)
		return true;
	all = read_list(trace_iter_new(&t, 1, NULL));
	if (sound && all.n)
		only_true_times(&all, sound);
	if (sound && all.n)
		qsort(all.v, all.n, sizeof(*all.v), by_cpu);
	for (i = 0; all.n && good && i < 12; i++) {
		since = i ? all.v[rand() % all.n].ts : 0;
		until = i > 1 ? all.v[rand() % all.n].ts : UINT64_MAX;
		part = read_list(trace_iter_new_range(&t, 1, NULL, since, until));
		if (sound && part.n)
			only_true_times(&part, sound);
		if (sound && part.n)
			qsort(part.v, part.n, sizeof(*part.v), by_cpu);
		good = range_matches(&all, &part, since, until);
		if (!good) printf("# in %s\n", path);
		free(part.v);
	}
	free(all.v);
	trace_close(t);
	return good;
}

/* --- one CPU after another */

static int by_stream(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;

	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	return x->nr < y->nr ? -1 : 1;
}

static bool apart_matches_range(struct trace *const *traces, size_t n, const uint64_t *cpus, uint64_t since,
				uint64_t until)
{
	struct list merged = read_list(trace_iter_new_range(traces, n, cpus, since, until));
	struct list apart = read_list(trace_iter_new_apart(traces, n, cpus, since, until));
	bool good = merged.n == apart.n;
	size_t i;

	if (merged.n)
		qsort(merged.v, merged.n, sizeof(*merged.v), by_stream);
	for (i = 0; good && i < merged.n; i++)
		good = seen_equal(&merged.v[i], &apart.v[i]) && merged.v[i].stream == apart.v[i].stream;
	if (!good)
		printf("# record %zu of %zu and %zu from %" PRIu64 " to %" PRIu64 "\n", i, merged.n, apart.n, since, until);
	free(merged.v);
	free(apart.v);
	return good;
}

/* Records of @path alone and of two such files, in all and in ranges of time: those of the merged order, by CPU. */
static bool apart_matches(const char *path)
{
	uint64_t some[TRACE_CPU_BITS / 64] = { 5 };
	struct ftr_error err;
	struct trace *t[2] = { trace_open(path, &err), trace_open(path, &err) };
	struct list all;
	bool good = true;
	size_t i;

	if (!t[0] || !t[1])
		return true;
	all = read_list(trace_iter_new(t, 1, NULL));
	for (i = 0; good && i < 6; i++) {
		uint64_t since = i && all.n ? all.v[rand() % all.n].ts : 0;
		uint64_t until = i > 1 && all.n ? all.v[rand() % all.n].ts : UINT64_MAX;

		good = apart_matches_range(t, 1, NULL, since, until) && apart_matches_range(t, 2, NULL, since, until) &&
		       apart_matches_range(t, 2, some, since, until);
	}
	if (!good)
		printf("# in %s\n", path);
	free(all.v);
	trace_close(t[0]);
	trace_close(t[1]);
	return good;
}

/* --- files */

static const struct {
	const char *name, *options;
} files[] = {
	{ "plain", "--cpus 4 --records 2500" },
	{ "v6", "--cpus 3 --records 1500 --version 6 --instances second" },
	{ "instances", "--cpus 2 --records 1200 --instances a,b --lost 0.3 --empty-cpu" },
	{ "zlib", "--cpus 3 --records 2500 --compress zlib --lost 0.2" },
	{ "big-endian", "--cpus 2 --records 1500 --endian be --long 4 --lost 0.1 --discards 0.2" },
	{ "stamps", "--cpus 2 --records 1500 --absolute 0.4 --start-ts 1152921504606846976" },
	{ "large-pages", "--cpus 2 --records 4000 --page-size 65536" },
	{ "many", "--cpus 64 --records 150 --short-pages 0.5" },
};

static void test_file(const char *name, const char *options)
{
	char *path = xasprintf("%s/%s.dat", tmp_dir, name), *label;
	const char *const one[] = { path }, *const two[] = { path, path };

	if (!run("python3 %s/tests/oracle/mkdat.py %s %s > /dev/null", top(), path, options)) {
		TAP_OK(false, name);
		goto out;
	}
	label = xasprintf("%s: slices", name);
	TAP_OK(same_in_all_modes(one, 1, text), label);
	free(label);
	label = xasprintf("%s: painted slices", name);
	TAP_OK(same_in_all_modes(one, 1, painted), label);
	free(label);
	label = xasprintf("%s: slices of all fields", name);
	TAP_OK(same_in_all_modes(one, 1, raw), label);
	free(label);
	label = xasprintf("%s: slices of two files, all stamps twice", name);
	TAP_OK(same_in_all_modes(two, 2, text), label);
	free(label);
	label = xasprintf("%s: ranges", name);
	TAP_OK(ranges_match(path, NULL), label);
	free(label);
	label = xasprintf("%s: one CPU after another", name);
	TAP_OK(apart_matches(path), label);
	free(label);
out:
	free(path);
}

/* Copies of one file with bytes changed, or cut. */
static void test_damaged(const char *name, const char *kind)
{
	bool cut = !strcmp(kind, "truncate");
	char *dir = xasprintf("%s/%s-%s", tmp_dir, name, kind), *label, *path;
	char *sound = xasprintf("%s/%s.dat", tmp_dir, name);
	unsigned int n = 0, sliced = 0, ranged = 0, apart = 0;
	struct dirent *e;
	DIR *d;

	mkdir(dir, 0700);
	run("python3 %s/tests/oracle/damage.py %s %s/%s.dat %s %s%s -n 4 --seed %d > /dev/null",
	    top(), cut ? "truncate" : "flip", tmp_dir, name, dir, cut ? "" : "--kind ",
	    cut ? "" : kind, rand() % 1000);
	d = opendir(dir);
	while ((e = readdir(d))) {
		if (e->d_name[0] == '.' || !strstr(e->d_name, ".dat"))
			continue;
		path = xasprintf("%s/%s", dir, e->d_name);
		n++;
		sliced += same_in_all_modes((const char *const[]){ path }, 1, text);
		ranged += ranges_match(path, sound);
		apart += apart_matches(path);
		free(path);
	}
	closedir(d);
	label = xasprintf("%s, %s damaged: slices", name, kind);
	TAP_EQ(sliced, n, label);
	free(label);
	label = xasprintf("%s, %s damaged: ranges", name, kind);
	TAP_EQ(ranged, n, label);
	free(label);
	label = xasprintf("%s, %s damaged: one CPU after another", name, kind);
	TAP_EQ(apart, n, label);
	free(label);
	free(dir);
	free(sound);
}

int main(void)
{
	static const char *const kinds[] = { "pagehdr", "event", "chunk", "length", "offset", "count", "truncate" };
	unsigned int seed = getenv("FTR_SEED") ? atoi(getenv("FTR_SEED")) : getpid();
	size_t i;

	printf("# FTR_SEED=%u\n", seed);
	srand(seed);
	if (!mkdtemp(tmp_dir))
		return 1;
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		test_file(files[i].name, files[i].options);
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		test_damaged("plain", kinds[i]);
		test_damaged("zlib", kinds[i]);
	}
	run("rm -rf %s", tmp_dir);
	return tap_done();
}
