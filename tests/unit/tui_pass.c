/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pass over all records: how often it looks whether it is to stop, and that it stops at once then. */
#include <unistd.h>

#include "browse/work/background_job.h"

static bool look_at_job(struct background_job *j, uint64_t first, uint64_t last, uint64_t ts);

/* Its own, which counts. */
#define job_goes_on look_at_job
#include "browse/work/model_pass.c"
#include "browse/work/timeline_lanes.c"
#undef job_goes_on

#include "made.h"
#include "tap.h"

#define EVERY 4096

static char dir[] = "/tmp/ftr-pass-XXXXXX";
static unsigned int looks, stop_at;
static bool in_range;

static bool look_at_job(struct background_job *j, uint64_t first, uint64_t last, uint64_t ts)
{
	(void)j;
	in_range = in_range && ts >= first && ts <= last;
	return ++looks != stop_at;
}

static uint64_t count_records(struct trace *t, uint64_t *first, uint64_t *last)
{
	struct trace_iter *it = trace_iter_new(&t, 1, NULL);
	const struct trace_rec *r;
	uint64_t n = 0;

	for (*first = UINT64_MAX, *last = 0; (r = trace_iter_next(it)); n++) {
		*first = r->ts < *first ? r->ts : *first;
		*last = r->ts > *last ? r->ts : *last;
	}
	trace_iter_free(it);
	return n;
}

/* @stop: at so many looks, 0: never. */
static void test_pass(struct trace *t, unsigned int stop)
{
	struct lod_pass p = { .traces = &t, .nr_traces = 1 };
	struct background_job job = { .name = "reading" };
	uint64_t records = count_records(t, &p.first, &p.last);

	looks = 0;
	stop_at = stop;
	in_range = true;
	pass_run(&job, &p);
	TAP_EQ(looks, stop ? stop : records / EVERY, stop ? "it stops when it is told to" : "a look every 4096 records");
	TAP_OK(in_range, "the times that it says are of the files");
	TAP_OK(stop ? !p.lod : !!p.lod, stop ? "there is no result then" : "the result is there");
	pass_release(&p);
}

int main(void)
{
	char *path;
	struct ftr_error err = {0};
	struct trace *t = NULL;

	if (!mkdtemp(dir))
		return 1;
	path = xasprintf("%s/made.dat", dir);
	if (run("python3 %s/tests/oracle/mkdat.py %s --cpus 2 --records 10000 > /dev/null", top(), path))
		t = trace_open(path, &err);
	if (TAP_OK(t, "a file")) {
		test_pass(t, 0);
		test_pass(t, 1);
		test_pass(t, 2);
		trace_close(t);
	}
	run("rm -rf %s", dir);
	free(path);
	return tap_done();
}
