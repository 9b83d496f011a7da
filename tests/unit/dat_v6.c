/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Version 6 out of what was recorded: joined in place, and copied; others read it. */

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "file/write/dat_join.h"
#include "regions.h"
#include "tap.h"

static char dir[] = "/var/tmp/ftr-v6-XXXXXX";

/* Of the regions: three of the top level, the last of an instance. */
static const int cpus[] = { 0, 2, 5, 1 };

static struct dat_region *region(const struct dat_spool *s, int r)
{
	return r < 3 ? &s->bufs[0].v[r] : &s->bufs[1].v[0];
}

static uint64_t record(int fd, struct dat_spool *s)
{
	struct dat_spool_buffer *b = dat_spool_add(s, "", "local", SUBBUF);
	uint8_t mem[SUBBUF];
	uint64_t records = 0;
	int r, p;

	for (r = 0; r < 3; r++)
		dat_spool_add_cpu(b, cpus[r]);
	b = dat_spool_add(s, "foo", "mono", SUBBUF);
	dat_spool_add_cpu(b, cpus[3]);
	dat_spool_add(s, "empty", "local", SUBBUF);
	s->text = xstrdup("command=true\n");
	TAP_OK(dat_spool_lay(s, 1ULL << 40, 1ULL << 40), "laid out in 1 TiB");
	for (r = 0; r < 4; r++) {
		for (p = 0; p < pages[r]; p++) {
			records += fill(mem, r, p);
			io_pwrite_all(fd, mem, sizeof(mem), region(s, r)->at + (uint64_t)p * SUBBUF);
		}
		region(s, r)->size = pages[r] * SUBBUF;
	}
	return records;
}

static void write_meta(struct dat_writer *w)
{
	demo_formats(w);
	dat_write_meta(w, "tracer=nop\n", 11);
	demo_texts(w, 6);
}

static struct dat_cpu *cpu_of(struct dat_buffer *b, int cpu)
{
	size_t i;

	for (i = 0; i < b->nr_cpus; i++)
		if (b->cpus[i].cpu == cpu)
			return &b->cpus[i];
	return NULL;
}

static bool same_pages(struct dat *d, struct dat_buffer *b, int r)
{
	struct dat_cpu *c = cpu_of(b, cpus[r]);
	uint8_t want[SUBBUF];
	const uint8_t *got;
	uint64_t off;
	size_t len;
	int p;

	for (p = 0; c && p < pages[r]; p++) {
		fill(want, r, p);
		got = dat_page(d, b, c, p, &len, &off);
		if (!got || len != SUBBUF || memcmp(want, got, SUBBUF))
			return false;
	}
	return c && c->nr_pages == (uint64_t)pages[r];
}

static uint64_t count_by(const char *tool, const char *path)
{
	char *cmd = xasprintf("%s %s 2>&1", tool, path), line[256];
	FILE *f = popen(cmd, "r");
	uint64_t got = 0;

	while (fgets(line, sizeof(line), f))
		if (!sscanf(line, "total records %" SCNu64, &got) && strncmp(line, "cpu", 3))
			printf("# %s", line);
	pclose(f);
	free(cmd);
	return got;
}

static void check_file(const char *path, uint64_t records)
{
	const char *build = getenv("FTR_BUILD"), *top = getenv("FTR_TOP");
	struct ftr_error err;
	struct dat *d = dat_open(path, &err);
	char *tool;

	if (!TAP_OK(d && d->version == 6, "a file of version 6")) {
		printf("# %s\n", d ? "it is 7" : err.msg);
		return;
	}
	dat_settle(d);
	TAP_OK(d->nr_buffers == 3 && !strcmp(d->buffers[1].name, "foo") && d->nr_cpus == 6, "buffers and CPUs");
	TAP_OK(!strcmp(d->buffers[0].clock, "local") && !strcmp(d->buffers[1].clock, "mono"), "the clocks");
	TAP_OK(same_pages(d, &d->buffers[0], 0) && same_pages(d, &d->buffers[0], 1) &&
	       same_pages(d, &d->buffers[0], 2) && same_pages(d, &d->buffers[1], 3),
	       "the data is what was recorded");
	TAP_OK(dat_text(d, DAT_KALLSYMS)->len == 26 && dat_text(d, DAT_CMDLINES)->len == 9, "symbols, task names");
	if (!TAP_OK(!d->damages.n, "nothing is damaged"))
		printf("# %s: %s\n", d->damages.v[0].kind, d->damages.v[0].detail);
	dat_close(d);
	if (!build || !top) {
		TAP_SKIP("others read it", "FTR_BUILD and FTR_TOP are not set");
		return;
	}
	tool = xasprintf("%s/tests/oracle/tcmd_count", build);
	TAP_EQ(count_by(tool, path), records, "libtracecmd reads all records");
	free(tool);
}

static void test_join(void)
{
	char *path = xasprintf("%s/joined", dir);
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600), mem = memfd_create("meta", 0);
	struct dat_writer *w, *meta;
	struct dat_spool s = {0};
	struct ftr_error err = {0};
	uint64_t records;
	struct stat st;
	struct dat *d;

	records = record(fd, &s);
	w = dat_create(fd, path, SUBBUF, &err);
	dat_write_spool(w, &s);
	meta = dat_create(mem, path, SUBBUF, &err);
	write_meta(meta);
	TAP_OK(dat_v6_begin(w, meta, &s), "room for the metadata");
	dat_seal(w, &s);
	dat_join(w, &s, NULL);
	d = dat_open(path, &err);
	TAP_OK(d && d->unfinished && d->version == 7 && same_pages(d, &d->buffers[0], 0) &&
	       same_pages(d, &d->buffers[0], 2) && same_pages(d, &d->buffers[1], 3),
	       "before the last step it is an unfinished file of version 7");
	dat_close(d);
	if (!TAP_OK(!dat_v6_finish(w, meta, &s, &err), "joined and finished"))
		printf("# %s\n", err.msg);
	fstat(fd, &st);
	TAP_OK(st.st_size < 223 * SUBBUF + 65536 && st.st_blocks * 512 < st.st_size + 65536, "no hole is left");
	check_file(path, records);
	dat_abort(meta);
	dat_spool_release(&s);
	close(mem);
	close(fd);
	free(path);
}

static void test_copy(void)
{
	char *path = xasprintf("%s/copied", dir), *raw = xasprintf("%s/raw", dir);
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600), mem = memfd_create("meta", 0);
	int from = open(raw, O_RDWR | O_CREAT | O_EXCL, 0600), r;
	struct dat_write_cpu data[4] = {0};
	struct dat_writer *w, *meta;
	struct dat_spool s = {0};
	struct ftr_error err = {0};
	uint64_t records = record(from, &s);

	for (r = 0; r < 4; r++)
		data[r] = (struct dat_write_cpu){ .cpu = cpus[r], .fd = from, .base = region(&s, r)->at,
						  .size = region(&s, r)->size };
	w = dat_create(fd, path, SUBBUF, &err);
	meta = dat_create(mem, path, SUBBUF, &err);
	write_meta(meta);
	TAP_OK(dat_v6_begin(w, meta, &s), "room for the metadata");
	dat_write_buffer(w, "", "local", SUBBUF, data, 3);
	dat_write_buffer(w, "foo", "mono", SUBBUF, data + 3, 1);
	dat_write_buffer(w, "empty", "local", SUBBUF, NULL, 0);
	if (!TAP_OK(!dat_v6_finish(w, meta, &s, &err), "copied and finished"))
		printf("# %s\n", err.msg);
	check_file(path, records);
	dat_abort(meta);
	dat_spool_release(&s);
	close(mem);
	close(from);
	close(fd);
	free(raw);
	free(path);
}

int main(void)
{
	if (!mkdtemp(dir))
		return 1;
	test_copy();
	if (demo_can_join(dir))
		test_join();
	return demo_done(dir);
}
