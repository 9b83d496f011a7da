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
#include "record/follow.h"
#include "record/recorder_priv.h"
#include "ring/build.h"
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
	struct lane lane;
};

static void begin(struct demo_recorder *d, int fd)
{
	*d = (struct demo_recorder){
		.r = { .subbuf_size = SUBBUF, .cpus = &d->cpu, .lanes = &d->lane, .n = 1 },
		.cpu = { .fd = fd, .base = BASE }, .lane = { .r = &d->r, .cpu = &d->cpu },
	};
}

static void grow(struct demo_recorder *d, size_t pages)
{
	size_t at = d->cpu.size, end = pages * SUBBUF;

	TAP_OK(!io_pwrite_all(d->cpu.fd, data + at, end - at, BASE + at), "data is there");
	lane_wrote(&d->lane, end - at);
}

static uint64_t records_from(size_t page, size_t end)
{
	uint64_t n = 0;

	for (; page < end; page++)
		n += records[page];
	return n;
}

/* The last @keep bytes of @pages sub-buffers, by steps of @unit bytes; the first @early were there a while before. */
static void test_keep(uint64_t keep, uint64_t unit, size_t early, size_t pages)
{
	char path[] = "/var/tmp/ftr-keep-XXXXXX";
	struct formats formats = {0};
	struct follow *f = follow_new(&formats);
	struct demo_recorder d;
	struct stat st;
	struct ftr_error err;
	uint64_t least = 2 * SUBBUF, size = pages * SUBBUF, from;
	const struct dat_region_sums *sums;
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
	sums = follow_sums(f);
	TAP_EQ(sums->n, unit < DAT_SUM_RANGE ? 0 : (size - from + DAT_SUM_RANGE - 1) / DAT_SUM_RANGE, "checksums");
	for (i = 0; i < (int)sums->n; i++) {
		uint64_t at = from + i * (uint64_t)DAT_SUM_RANGE;

		TAP_EQ(sums->hash[i], XXH3_64bits(data + at, size - at < DAT_SUM_RANGE ? size - at : DAT_SUM_RANGE),
		       "a checksum");
	}
	follow_free(f);
	close(fd);
}

int main(void)
{
	make_data();
	test_keep(1 << 20, DAT_SUM_RANGE, 0, MAX_PAGES);
	test_keep(1 << 20, DAT_SUM_RANGE, 3000, MAX_PAGES - 3);
	test_keep(2 << 20, DAT_SUM_RANGE, 700, 1001);
	test_keep(100 << 10, SUBBUF, 500, 501);
	test_keep(1, SUBBUF, 0, 40);
	test_keep(1 << 20, DAT_SUM_RANGE, 0, 100);
	return tap_done();
}
