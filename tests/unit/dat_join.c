/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that are recorded into: laid out, sealed, joined in place; where the data is after each step. */
#include "file/dat_spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "file/dat_write.h"
#include "regions.h"
#include "tap.h"

static char folder[] = "/var/tmp/ftr-dat-join-XXXXXX";

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
	char *path = xasprintf("%s/joined-%d", folder, sums);
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
	char *path = xasprintf("%s/steps", folder);
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
	s.front = 70000;
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
	if (!mkdtemp(folder))
		return 1;
	test_hostile();
	if (demo_can_join(folder)) {
		test_join(false);
		test_join(true);
		test_steps();
	}
	return demo_done(folder);
}
