/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much is read of a file to find a time: chunks that are decompressed, bytes that are read, counted at the library. */
#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <zlib.h>

#include "made_trace.h"
#include "trace/trace_merge.h"

#define SEARCHES 40
#define ONE_CPU "--cpus 1 --lost 0 --absolute 0 --records 20000"

static uint64_t inflated, read_bytes;

/* In place of zlib's. */
int inflate(z_streamp z, int flush)
{
	static int (*theirs)(z_streamp z, int flush);

	if (!theirs)
		theirs = (int (*)(z_streamp, int))dlsym(RTLD_NEXT, "inflate");
	inflated++;
	return theirs(z, flush);
}

/* In place of the C library's, as pread() is called with offsets of 64 bits. */
ssize_t pread64(int fd, void *buf, size_t n, off_t off)
{
	ssize_t got = syscall(SYS_pread64, fd, buf, n, off);

	read_bytes += got > 0 ? got : 0;
	return got;
}

/* The first record whose time is not below @ts, by a search; *page is where that began to read. */
static uint64_t search(struct trace *t, uint64_t ts, uint64_t *page)
{
	struct stream_passed passed;
	struct cpu_stream s;
	uint64_t found;

	stream_init(&s, t, 0, 0, 0, 0);
	if (!stream_find_page(&s, ts, page))
		printf("# times out of order\n");
	stream_seek(&s, ts, *page, true, &passed);
	found = s.have ? s.ts : UINT64_MAX;
	stream_release(&s);
	return found;
}

/* The same without reading any record. */
static uint64_t look_for(struct trace *t, uint64_t ts)
{
	struct cpu_stream s;
	uint64_t page;

	stream_init(&s, t, 0, 0, 0, 0);
	stream_find_page(&s, ts, &page);
	stream_release(&s);
	return page;
}

static unsigned int log2_up(uint64_t n)
{
	unsigned int bits = 0;

	while (1ull << bits < n)
		bits++;
	return bits;
}

struct times { uint64_t *v; size_t n, cap; };

static struct times all_times(struct trace *t)
{
	struct times all = {0};
	struct cpu_stream s;

	stream_init(&s, t, 0, 0, 0, 0);
	stream_reset(&s, 0);
	for (stream_next(&s); s.have; stream_next(&s)) {
		all.v = xgrow(all.v, &all.cap, all.n + 1, sizeof(*all.v));
		all.v[all.n++] = s.ts;
	}
	stream_release(&s);
	return all;
}

/* Searches of a fresh handle of the file, whose sub-buffers and chunks nobody has looked at. */
static void test_packed(void)
{
	const char *options = ONE_CPU " --compress zlib";
	struct trace *t = made_open("packed", options);
	struct times all = all_times(t);
	uint64_t pages = t->dat->buffers[0].cpus[0].nr_pages, chunks, page, most = 0, again = 0, wrong = 0, ts, n;
	unsigned int limit;

	chunks = (pages + dat_chunk_pages(&t->dat->buffers[0].cpus[0]) - 1) / dat_chunk_pages(&t->dat->buffers[0].cpus[0]);
	limit = log2_up(chunks) + 5;
	printf("# %" PRIu64 " sub-buffers in %" PRIu64 " chunks, %zu records\n", pages, chunks, all.n);
	TAP_OK(chunks >= 16, "enough chunks");
	trace_close(t);
	t = made_open("packed", options);
	for (size_t i = 0; i < SEARCHES; i++) {
		ts = all.v[rand() % all.n];
		n = inflated;
		look_for(t, ts);
		most = inflated - n > most ? inflated - n : most;
		n = inflated;
		look_for(t, ts);
		again += inflated - n;
		wrong += search(t, ts, &page) != ts;
	}
	printf("# at most %" PRIu64 " chunks for a time, of %u\n", most, limit);
	TAP_OK(most <= limit, "a time is found by halves: few chunks are decompressed");
	TAP_EQ(again, 0, "to find it again none is: what a chunk has is known");
	TAP_EQ(wrong, 0, "and it is found");
	free(all.v);
	trace_close(t);
}

/* Raw data: of the sub-buffers that are looked at only the head is read. */
static void test_raw(void)
{
	const char *options = ONE_CPU;
	struct trace *t = made_open("raw", options);
	struct times all = all_times(t);
	uint64_t pages = t->dat->buffers[0].cpus[0].nr_pages, most = 0, again = 0, wrong = 0, page, ts, n;
	uint64_t limit = 64 * (log2_up(pages) + 16);

	trace_close(t);
	t = made_open("raw", options);
	for (size_t i = 0; i < SEARCHES; i++) {
		ts = all.v[rand() % all.n];
		n = read_bytes;
		look_for(t, ts);
		most = read_bytes - n > most ? read_bytes - n : most;
		n = read_bytes;
		look_for(t, ts);
		again += read_bytes - n;
		wrong += search(t, ts, &page) != ts;
	}
	printf("# at most %" PRIu64 " bytes for a time among %" PRIu64 " sub-buffers, of %" PRIu64 "\n", most, pages, limit);
	TAP_OK(most && most <= limit, "raw: heads of few sub-buffers are read");
	TAP_EQ(again, 0, "raw: to find it again nothing is");
	TAP_EQ(wrong, 0, "raw: and it is found");
	free(all.v);
	trace_close(t);
}

int main(void)
{
	if (!made_begin())
		return 1;
	test_packed();
	test_raw();
	return made_end();
}
