/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording that keeps the last data of each CPU: what is dropped, and what totals and checksums are of. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/io.h"
#include "demo.h"
#include "file/ring/page.h"
#include "record/cpu/recorder_priv.h"
#include "record/file/data_follow.h"
#include "tap.h"

enum { SUBBUF = 4096, BASE = 2 << 20, MAX_PAGES = 4096 };

static const struct ring_layout layout = { .commit_size = 8, .commit_off = 8, .data_off = 16,
					   .subbuf_size = SUBBUF };
static uint8_t data[MAX_PAGES * SUBBUF];
static uint64_t records[MAX_PAGES];		/* in each sub-buffer */

/* Each holds one record more than the one before, up to 50. */
static void make_data(void)
{
	struct demo d = { .type = 900, .pid = 7 };
	struct ring_build b;
	size_t i;

	for (i = 0; i < MAX_PAGES; i++) {
		ring_build_start(&b, &layout, data + i * SUBBUF, 1000000000ULL + i * 1000000);
		for (; records[i] <= i % 50; records[i]++, d.number++)
			ring_build_event(&b, 1000, &d, sizeof(d));
		ring_build_commit(&b, 0);
	}
}

/* What a recorder of one CPU would be that has @pages in the file. */
struct demo_recorder {
	struct recorder r;
	struct recorder_cpu cpu;
	struct cpu_rec lane;
};

static void begin(struct demo_recorder *d, int fd)
{
	*d = (struct demo_recorder){
		.r = { .subbuf_size = SUBBUF, .cpus = &d->cpu, .cpu_recs = &d->lane, .n = 1 },
		.cpu = { .fd = fd, .base = BASE }, .lane = { .r = &d->r, .cpu = &d->cpu },
	};
}

static void grow(struct demo_recorder *d, size_t pages)
{
	size_t at = d->cpu.size, end = pages * SUBBUF;

	TAP_OK(!io_pwrite_all(d->cpu.fd, data + at, end - at, BASE + at), "data is there");
	cpu_rec_count_written(&d->lane, end - at);
}

static uint64_t records_from(size_t page, size_t end)
{
	uint64_t n = 0;

	for (; page < end; page++)
		n += records[page];
	return n;
}

static void check_sums(const struct dat_region_sums *sums, uint64_t from, uint64_t size)
{
	uint64_t at = from, len;
	size_t i;

	TAP_EQ(sums->n, (size - from + DAT_SUM_RANGE - 1) / DAT_SUM_RANGE, "checksums");
	for (i = 0; i < sums->n; i++, at += len) {
		len = size - at < DAT_SUM_RANGE ? size - at : DAT_SUM_RANGE;
		TAP_EQ(sums->hash[i], XXH64(data + at, len, 0), "a checksum");
	}
}

/* The last @keep bytes of @pages sub-buffers, by steps of @unit bytes; the first @early were there a while before. */
static void test_keep(uint64_t keep, uint64_t unit, size_t early, size_t pages)
{
	char path[] = "/var/tmp/ftr-keep-XXXXXX";
	struct format_files formats = {0};
	struct data_follow *f = follow_new(&formats);
	struct demo_recorder d;
	struct stat st;
	struct ftr_error err;
	uint64_t least = 2 * SUBBUF, size = pages * SUBBUF, from;
	int fd = mkstemp(path), i;

	unlink(path);
	keep = keep < least ? least : keep;
	from = size > keep ? (size - keep + unit - 1) / unit * unit : 0;
	begin(&d, fd);
	follow_add(f, &d.r, &layout);
	follow_keep(f, keep);
	if (early) {
		grow(&d, early);
		TAP_OK(!follow_start(f, &err), "it follows");
		for (i = 0; i < 100 && early * SUBBUF - recorder_dropped(&d.r) > keep; i++)
			usleep(100000);
		TAP_OK(early * SUBBUF - recorder_dropped(&d.r) <= keep, "bounded while it grows");
		fstat(fd, &st);
		TAP_OK(st.st_blocks * 512ULL <= keep + 2 * SUBBUF, "the file system has the room back");
	}
	grow(&d, pages);
	follow_finish(f);
	TAP_EQ(recorder_dropped(&d.r), from, "dropped by steps");
	TAP_EQ(d.cpu.base, BASE + from, "the data begins behind it");
	TAP_EQ(d.cpu.size, size - from, "and is as long as what is kept");
	TAP_EQ(follow_totals(f, 0, 0)->events, records_from(from / SUBBUF, pages), "the events of what is kept");
	if (unit == DAT_SUM_RANGE)
		check_sums(follow_sums(f), from, size);
	else
		TAP_EQ(follow_sums(f)->n, 0, "no checksums");
	follow_free(f);
	close(fd);
}

/* All is kept; it grows in @steps, by sub-buffers, between which the thread has time to look. */
static void test_all(const size_t *steps, size_t n)
{
	char path[] = "/var/tmp/ftr-all-XXXXXX";
	struct format_files formats = {0};
	struct data_follow *f = follow_new(&formats);
	struct demo_recorder d;
	struct ftr_error err;
	int fd = mkstemp(path);
	size_t i;

	unlink(path);
	begin(&d, fd);
	follow_add(f, &d.r, &layout);
	TAP_OK(!follow_start(f, &err), "it follows");
	for (i = 0; i < n; i++) {
		grow(&d, steps[i]);
		usleep(300000);
	}
	follow_finish(f);
	TAP_EQ(follow_totals(f, 0, 0)->events, records_from(0, steps[n - 1]), "all events");
	check_sums(follow_sums(f), 0, steps[n - 1] * SUBBUF);
	follow_free(f);
	close(fd);
}

int main(void)
{
	make_data();
	test_all((size_t[]){ 60 }, 1);
	test_all((size_t[]){ 1, 63, 64, 130, 131, 1700, 4000 }, 7);
	test_keep(1 << 20, DAT_SUM_RANGE, 0, MAX_PAGES);
	test_keep(1 << 20, DAT_SUM_RANGE, 3000, MAX_PAGES - 3);
	test_keep(2 << 20, DAT_SUM_RANGE, 700, 1001);
	test_keep(100 << 10, SUBBUF, 500, 501);
	test_keep(1, SUBBUF, 0, 40);
	test_keep(1 << 20, DAT_SUM_RANGE, 0, 100);
	return tap_done();
}
