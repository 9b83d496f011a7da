/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that are recorded into: laid out, sealed, joined in place; where the data is after each step. */
#include "file/read/dat_regions.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "file/write/dat_join.h"
#include "file/write/dat_write.h"
#include "regions.h"
#include "tap.h"

static char dir[] = "/var/tmp/ftr-dat-join-XXXXXX";

/* Of the regions, the last being in a buffer of its own. */
static const int cpus[] = { 0, 1, 3, 2 };

static uint64_t fill_regions(int fd, struct dat_spool *s)
{
	uint8_t mem[SUBBUF];
	uint64_t records = 0;
	int r, p;

	for (r = 0; r < 4; r++) {
		const struct dat_region *at = r < 3 ? &s->bufs[0].v[r] : &s->bufs[2].v[0];

		for (p = 0; p < pages[r]; p++) {
			records += fill(mem, r, p);
			io_pwrite_all(fd, mem, sizeof(mem), at->at + (uint64_t)p * SUBBUF);
		}
	}
	return records;
}

/* Two buffers with data and, between them, one without. */
static void lay(struct dat_spool *s)
{
	struct dat_spool_buffer *b = dat_spool_add(s, "", "local", SUBBUF);
	int i;

	for (i = 0; i < 3; i++)
		dat_spool_add_cpu(b, cpus[i]);
	b = dat_spool_add(s, "empty", "global", SUBBUF);
	dat_spool_add_cpu(b, 0);
	b = dat_spool_add(s, "foo", "mono", SUBBUF);
	dat_spool_add_cpu(b, cpus[3]);
	s->text = xstrdup("command=true\n");
	TAP_OK(dat_spool_lay(s, 1ULL << 40, 1ULL << 40), "laid out in 1 TiB");
}

static void set_sizes(struct dat_spool *s)
{
	int r;

	for (r = 0; r < 3; r++)
		s->bufs[0].v[r].size = pages[r] * SUBBUF;
	s->bufs[2].v[0].size = pages[3] * SUBBUF;
}

static void write_front(struct dat_writer *w, struct dat_spool *s)
{
	struct dat_write_format ftrace = { "ftrace", print_format, sizeof(print_format) - 1 };

	dat_write_header_info(w, header_page, sizeof(header_page) - 1, header_event,
			      sizeof(header_event) - 1);
	dat_write_ftrace_events(w, &ftrace, 1);
	dat_write_event_formats(w, NULL, 0);
	dat_write_spool(w, s);
}

static void write_rest(struct dat_writer *w)
{
	/* instead of the one without events */
	demo_event_format(w);
	demo_texts(w, 4);
	dat_write_meta(w, "tracer=nop\n", 11);
}

/* Are the bytes at the places that @d or @s tells those that were recorded? */
static bool same_bytes(int fd, int region, uint64_t at)
{
	uint8_t want[SUBBUF], got[SUBBUF];
	int p;

	for (p = 0; p < pages[region]; p++) {
		fill(want, region, p);
		if (pread(fd, got, SUBBUF, at + (uint64_t)p * SUBBUF) != SUBBUF || memcmp(want, got, SUBBUF))
			return false;
	}
	return true;
}

static void check_file(const char *path, int fd, uint64_t records)
{
	struct ftr_error err;
	struct dat *d = dat_open(path, &err);
	char *cmd, *build = getenv("FTR_BUILD");
	uint64_t got = 0;
	char line[256];
	FILE *f;

	if (!TAP_OK(d, "the file can be opened")) {
		printf("# %s\n", err.msg);
		return;
	}
	TAP_OK(dat_verify(d) > 4 && !d->damages.n, "each byte has its checksum, nothing is damaged");
	TAP_OK(d->nr_buffers == 3 && d->buffers[0].nr_cpus == 2 && d->buffers[1].nr_cpus == 0 &&
	       d->buffers[2].nr_cpus == 1, "three buffers, CPUs without data are left out");
	TAP_OK(same_bytes(fd, 0, d->buffers[0].cpus[0].off) && same_bytes(fd, 2, d->buffers[0].cpus[1].off) &&
	       same_bytes(fd, 3, d->buffers[2].cpus[0].off), "the data is what was recorded");
	TAP_OK(d->buffers[0].cpus[1].cpu == 3 && d->buffers[2].cpus[0].cpu == 2, "the CPUs' numbers");
	dat_settle(d);
	TAP_OK(!d->damages.n, "the metadata is sound");
	dat_close(d);
	if (!build) {
		TAP_SKIP("libtracecmd reads it", "FTR_BUILD is not set");
		return;
	}
	cmd = xasprintf("%s/tests/oracle/tcmd_count %s 2>&1", build, path);
	f = popen(cmd, "r");
	while (fgets(line, sizeof(line), f))
		if (!sscanf(line, "total records %lu", &got) && strncmp(line, "cpu", 3))
			printf("# %s", line);
	pclose(f);
	free(cmd);
	TAP_EQ(got, records, "libtracecmd reads all records");
}

static void test_join(bool sums)
{
	char *path = xasprintf("%s/joined-%d", dir, sums);
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	struct dat_spool s = {0};
	struct ftr_error err = {0};
	struct dat_region_sums none[5] = {0};
	struct dat_writer *w;
	uint64_t records;
	struct stat st;
	int ret;

	lay(&s);
	w = dat_create(fd, path, SUBBUF, &err);
	write_front(w, &s);
	records = fill_regions(fd, &s);
	set_sizes(&s);
	write_rest(w);
	dat_seal(w, &s);
	dat_join(w, &s, sums ? none : NULL);
	ret = dat_finish(w, &err);
	if (!TAP_OK(!ret, "joined and finished"))
		printf("# %s\n", err.msg);
	fstat(fd, &st);
	TAP_OK(st.st_size < 223 * SUBBUF + 65536 && st.st_blocks * 512 < st.st_size + 65536,
	       "no hole is left");
	check_file(path, fd, records);
	dat_spool_release(&s);
	close(fd);
	free(path);
}

static const char *named(const char *what, size_t steps)
{
	static char name[64];

	snprintf(name, sizeof(name), "%s after %zu steps", what, steps);
	return name;
}

/* The file as somebody finds it who was not told how far the joining went. */
static void look(int fd, struct dat_spool *sealed, size_t done, size_t steps)
{
	struct dat_spool s;
	struct buf body = {0};
	struct stat st;
	bool all, big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

	dat_spool_encode(sealed, &body);
	if (!TAP_OK(dat_spool_decode(&s, body.data, body.len, big, 0), named("decoded", done)))
		return;
	fstat(fd, &st);
	TAP_OK(dat_spool_locate(&s, st.st_size, &all) == done && all == (done == steps),
	       named("the steps are told", done));
	TAP_OK(same_bytes(fd, 0, s.bufs[0].v[0].at) && same_bytes(fd, 2, s.bufs[0].v[2].at) &&
	       same_bytes(fd, 3, s.bufs[2].v[0].at), named("the data is found", done));
	dat_spool_release(&s);
	buf_release(&body);
}

static void test_steps(void)
{
	char *path = xasprintf("%s/steps", dir);
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	struct dat_spool s = {0};
	struct ftr_error err;
	struct dat_writer *w;
	struct dat_join *v;
	uint64_t end;
	size_t n, i;

	lay(&s);
	w = dat_create(fd, path, SUBBUF, &err);
	write_front(w, &s);
	fill_regions(fd, &s);
	set_sizes(&s);
	dat_seal(w, &s);
	n = dat_spool_joins(&s, &v, &end);
	TAP_OK(n == 4, "three regions and an empty buffer are four steps");
	look(fd, &s, 0, n);
	for (i = 0; i < n; i++) {
		if (!v[i].hole)
			continue;
		if (fallocate(fd, FALLOC_FL_COLLAPSE_RANGE, v[i].to, v[i].hole))
			TAP_OK(!errno, "a hole is removed");
		look(fd, &s, i + 1, n);
	}
	dat_abort(w);
	dat_spool_release(&s);
	free(v);
	close(fd);
	free(path);
}

/* Its recorder was killed before it was sealed (-1), or after so many holes were removed. */
static void leave(int fd, const char *path, int steps, uint64_t *records)
{
	struct dat_spool s = {0};
	struct ftr_error err;
	struct dat_writer *w;
	struct dat_join *v;
	uint64_t end;
	int i;

	lay(&s);
	w = dat_create(fd, path, SUBBUF, &err);
	write_front(w, &s);
	write_rest(w);
	*records = fill_regions(fd, &s);
	set_sizes(&s);
	if (steps >= 0)
		dat_seal(w, &s);
	dat_spool_joins(&s, &v, &end);
	for (i = 0; i < steps; i++)
		if (v[i].hole)
			fallocate(fd, FALLOC_FL_COLLAPSE_RANGE, v[i].to, v[i].hole);
	free(v);
	dat_abort(w);
	dat_spool_release(&s);
}

/* Somebody else goes on where the recorder was killed; what comes behind the data may be begun. */
static void test_resume(int steps, bool tail)
{
	char *path = xasprintf("%s/resume-%d-%d", dir, steps, tail);
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	struct ftr_error err = {0};
	struct dat_writer *w;
	struct dat_spool s;
	uint64_t records;
	struct stat st;
	int ret;

	leave(fd, path, steps, &records);
	if (tail && !fstat(fd, &st))
		ftruncate(fd, st.st_size + 100000);
	w = dat_resume(fd, path, &s);
	if (!TAP_OK(w, named("gone on with", steps)))
		return;
	TAP_OK(s.state == (steps < 0 ? DAT_SPOOL_OPEN : DAT_SPOOL_SEALED), "its state");
	TAP_OK(dat_is_linked(w, DAT_KALLSYMS) && !dat_is_linked(w, DAT_BUFFER), "what is there is known");
	if (steps < 0) {
		set_sizes(&s);
		dat_seal(w, &s);
	}
	dat_join(w, &s, NULL);
	ret = dat_finish(w, &err);
	if (!TAP_OK(!ret, "finished"))
		printf("# %s\n", err.msg);
	check_file(path, fd, records);
	dat_spool_release(&s);
	TAP_OK(!dat_resume(fd, path, &s), "there is nothing to go on with then");
	close(fd);
	free(path);
}

/* What its caller has on its stack is not taken for a section: the text is no trace file. */
static void test_resume_nothing(void)
{
	char *path = xasprintf("%s/resume-nothing", dir);
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	struct dat_spool s;

	memset(&s, 0x5a, sizeof(s));
	TAP_OK(write(fd, "nothing", 7) == 7 && !dat_resume(fd, path, &s), "a file that is no recording");
	TAP_OK(!s.n && !s.bufs && !s.packed && !s.text, "nothing is said of it");
	close(fd);
	free(path);
}

/* A size that is none of those that the steps leave. */
static void test_resume_cut(void)
{
	char *path = xasprintf("%s/resume-cut", dir);
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	struct dat_spool s;
	uint64_t records;
	struct stat st, now;

	leave(fd, path, 1, &records);
	fstat(fd, &st);
	ftruncate(fd, st.st_size + SUBBUF);
	TAP_OK(!dat_resume(fd, path, &s), "a file that is too long");
	fstat(fd, &now);
	TAP_EQ((uint64_t)now.st_size, (uint64_t)st.st_size + SUBBUF, "it is left as it was");
	ftruncate(fd, 3 * SUBBUF);
	TAP_OK(!dat_resume(fd, path, &s), "a file that is cut off");
	close(fd);
	free(path);
}

/* Its recorder was killed; of the first CPU the oldest was dropped. */
static void test_shrink(void)
{
	char *path = xasprintf("%s/shrink", dir);
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600), dropped = 16;
	struct dat_spool s = {0}, got;
	struct ftr_error err;
	struct dat_writer *w;
	uint64_t body, size;
	struct stat st;
	bool all;

	lay(&s);
	w = dat_create(fd, path, SUBBUF, &err);
	write_front(w, &s);
	write_rest(w);
	fill_regions(fd, &s);
	fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, s.bufs[0].v[0].at,
		  (uint64_t)dropped * SUBBUF);
	size = dat_spool_shrink(fd);
	fstat(fd, &st);
	TAP_EQ(size, (uint64_t)st.st_size, "the size is told");
	TAP_OK(size < (uint64_t)(pages[0] + pages[1] + pages[2] + pages[3]) * SUBBUF + 65536 &&
	       (uint64_t)st.st_blocks * 512 < size + 65536, "it is that of the data");
	TAP_OK(dat_spool_find(fd, &got, &body) && got.state == DAT_SPOOL_SEALED &&
	       dat_spool_locate(&got, size, &all) && all, "all holes are gone");
	TAP_OK(got.bufs[0].v[0].size == (uint64_t)(pages[0] - dropped) * SUBBUF, "nor is what was dropped");
	TAP_OK(same_bytes(fd, 2, got.bufs[0].v[2].at) && same_bytes(fd, 3, got.bufs[2].v[0].at),
	       "the data is what was recorded");
	TAP_EQ(dat_spool_shrink(fd), size, "once is enough");
	dat_abort(w);
	dat_spool_release(&got);
	dat_spool_release(&s);
	close(fd);
	free(path);
}

/* Each CPU may fill the disk, and the file is not larger than that needs. */
static void test_small_disk(void)
{
	const uint64_t disk = 8 << 20, mib = 1 << 20;
	struct dat_spool s = {0};
	const struct dat_region *last;

	dat_spool_add(&s, "", "local", SUBBUF);
	dat_spool_add_cpu(&s.bufs[0], 0);
	dat_spool_add_cpu(&s.bufs[0], 1);
	TAP_OK(dat_spool_lay(&s, 15ULL << 40, disk), "laid out on 8 MiB");
	last = &s.bufs[0].v[1];
	TAP_OK(s.bufs[0].v[0].limit >= disk && last->limit >= disk, "each CPU may fill it");
	TAP_OK(last->at + last->limit <= 3 * (disk + 4 * mib), "front and two CPUs, no more");
	dat_spool_release(&s);
}

/* Bodies that would make a reader leave the file or its regions. */
static void test_hostile(void)
{
	bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	struct dat_spool s = {0}, got;
	struct buf body = {0};
	size_t i, cut = 0;

	lay(&s);
	set_sizes(&s);
	s.state = DAT_SPOOL_SEALED;
	s.meta_end = 70000;
	dat_spool_encode(&s, &body);
	for (i = 0; i < body.len; i++)
		cut += !dat_spool_decode(&got, body.data, i, big, 0);
	TAP_EQ(cut, body.len, "cut anywhere");
	TAP_OK(dat_spool_decode(&got, body.data, body.len, big, 70000), "as it was");
	dat_spool_release(&got);
	TAP_OK(!dat_spool_decode(&got, body.data, body.len, big, 70001), "the front ends before the section does");
	buf_reset(&body);
	s.bufs[0].v[1].at = s.bufs[0].v[0].at + SUBBUF;
	dat_spool_encode(&s, &body);
	TAP_OK(!dat_spool_decode(&got, body.data, body.len, big, 0), "regions that overlap");
	buf_reset(&body);
	s.bufs[0].v[1].at = INT64_MAX - SUBBUF + 1;
	s.bufs[0].v[1].limit = UINT64_MAX;
	dat_spool_encode(&s, &body);
	TAP_OK(!dat_spool_decode(&got, body.data, body.len, big, 0), "a region without end");
	buf_release(&body);
	dat_spool_release(&s);
}

int main(void)
{
	int steps;

	if (!mkdtemp(dir))
		return 1;
	test_hostile();
	test_small_disk();
	if (demo_can_join(dir)) {
		test_join(false);
		test_join(true);
		test_steps();
		for (steps = -1; steps <= 4; steps++)
			test_resume(steps, false);
		test_resume(4, true);
		test_resume_nothing();
	test_resume_cut();
		test_shrink();
	}
	return demo_done(dir);
}
