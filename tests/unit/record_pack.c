/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recorded data that is compressed: into a joined file and into a copy, found in one that was cut; given up. */
#include "record/file/data_pack.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <signal.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "demo_file.h"

static char dir[] = "/var/tmp/ftr-pack-XXXXXX";

/* Sub-buffers of each region: some MiB, none, a part of a chunk; and a buffer with one CPU. */
static const int pages[] = { 1200, 0, 3, 70 };

/* Some of it can hardly be compressed. */
static uint64_t next_number(uint64_t number, int n)
{
	return n % 3 ? number + 1 : number * 2654435761u;
}

static int fill(uint8_t *mem, int region, int page)
{
	return demo_page(mem, region, page, next_number);
}

static void lay(struct dat_spool *s)
{
	struct dat_spool_buffer *b = dat_spool_add(s, "", "local", SUBBUF);
	int i;

	for (i = 0; i < 3; i++)
		dat_spool_add_cpu(b, i);
	b = dat_spool_add(s, "foo", "mono", SUBBUF);
	dat_spool_add_cpu(b, 2);
	s->text = xstrdup("command=true\n");
	dat_spool_add_packed(s);
	TAP_OK(dat_spool_lay(s, 1ULL << 40, 1ULL << 40), "laid out in 1 TiB");
}

/* A mebibyte at a time, as it comes. Raw it is in the file as well. */
static uint64_t record(int fd, const struct dat_spool *s, struct data_pack *p)
{
	uint8_t *mem = xmalloc(256 * SUBBUF);
	uint64_t records = 0;
	int r, i, n;

	for (r = 0; r < 4; r++) {
		const struct dat_region *at = r < 3 ? &s->bufs[0].v[r] : &s->bufs[1].v[0];

		for (i = 0; i < pages[r]; i += n) {
			for (n = 0; n < 256 && i + n < pages[r]; n++)
				records += fill(mem + n * SUBBUF, r, i + n);
			io_pwrite_all(fd, mem, n * SUBBUF, at->at + (uint64_t)i * SUBBUF);
			pack_add(p, r, mem, n * SUBBUF);
		}
	}
	free(mem);
	return records;
}

static void write_meta(struct dat_writer *w)
{
	demo_formats(w);
	demo_texts(w, 3);
	dat_write_meta(w, "tracer=nop\n", 11);
}

static bool same_pages(struct dat *d, struct dat_buffer *b, struct dat_cpu *c, int region)
{
	uint8_t want[SUBBUF];
	const uint8_t *got;
	uint64_t off;
	size_t len;
	int p;

	for (p = 0; p < pages[region]; p++) {
		fill(want, region, p);
		got = dat_page(d, b, c, p, &len, &off);
		if (!got || len != SUBBUF || memcmp(want, got, SUBBUF))
			return false;
	}
	return c->nr_pages == (uint64_t)pages[region];
}

static void check_data(struct dat *d, size_t empty)
{
	TAP_OK(d->nr_buffers == 2 && d->buffers[0].nr_cpus == 2 + empty && d->buffers[1].nr_cpus == 1,
	       "two buffers, their CPUs");
	TAP_OK(same_pages(d, &d->buffers[0], &d->buffers[0].cpus[0], 0) &&
	       same_pages(d, &d->buffers[0], &d->buffers[0].cpus[1 + empty], 2) &&
	       same_pages(d, &d->buffers[1], &d->buffers[1].cpus[0], 3), "the data is what was recorded");
}

/* Debian's libtracecmd has no zlib. */
static uint64_t count_by_others(const char *path, bool zlib)
{
	char *cmd = zlib ? xasprintf("python3 %s/tests/oracle/rawdecode.py %s 2>&1", getenv("FTR_TOP"), path) :
			   xasprintf("%s/tests/oracle/tcmd_count %s 2>&1", getenv("FTR_BUILD"), path);
	FILE *f = popen(cmd, "r");
	uint64_t got = 0;
	char line[256];

	while (fgets(line, sizeof(line), f))
		if (!sscanf(line, "total records %" SCNu64, &got) && strstr(line, "annot"))
			printf("# %s", line);
	pclose(f);
	free(cmd);
	return got;
}

static void check_file(const char *path, const char *name, uint64_t records)
{
	struct ftr_error err;
	struct dat *d = dat_open(path, &err);

	if (!TAP_OK(d, "the file can be opened")) {
		printf("# %s\n", err.msg);
		return;
	}
	TAP_OK(!strcmp(d->compression, name), "it names its compression");
	TAP_OK(dat_verify(d) > 4, "there are checksums");
	dat_settle(d);
	check_data(d, 0);
	if (!TAP_OK(!d->damages.n, "nothing is damaged"))
		printf("# %s: %s\n", d->damages.v[0].kind, d->damages.v[0].detail);
	dat_close(d);
	if (getenv("FTR_BUILD") && getenv("FTR_TOP"))
		TAP_EQ(count_by_others(path, !strcmp(name, "zlib")), records, "others read all records");
	else
		TAP_SKIP("others read it", "FTR_BUILD and FTR_TOP are not set");
}

struct run {
	struct compress_opts how;
	struct dat_spool s;
	struct dat_writer *w;
	struct data_pack *p;
	char    *path;
	int      fd;
	uint64_t records;
};

static void begin(struct run *r, const char *how, const char *name)
{
	struct ftr_error err;

	*r = (struct run){ .path = xasprintf("%s/%s-%s", dir, name, how) };
	TAP_OK(!packing_parse(how, &r->how), how);
	r->fd = open(r->path, O_RDWR | O_CREAT | O_EXCL, 0600);
	lay(&r->s);
	r->w = dat_create_packed(r->fd, r->path, SUBBUF, &r->how, &err);
	write_meta(r->w);
	dat_write_spool(r->w, &r->s);
	r->p = pack_new(&r->how, r->s.packed, r->fd);
	r->records = record(r->fd, &r->s, r->p);
}

static void end(struct run *r)
{
	pack_free(r->p);
	dat_spool_release(&r->s);
	close(r->fd);
	free(r->path);
}

static void seal(struct run *r)
{
	TAP_OK(!pack_finish(r->p), "all is compressed");
	dat_spool_take_packed(&r->s);
	dat_pack(r->w, true);
	dat_seal(r->w, &r->s);
}

static void test_join(const char *how)
{
	struct ftr_error err = {0};
	struct stat st;
	struct run r;
	int ret;

	begin(&r, how, "join");
	seal(&r);
	dat_join(r.w, &r.s, pack_sums(r.p));
	ret = dat_finish(r.w, &err);
	if (!TAP_OK(!ret, "joined and finished"))
		printf("# %s\n", err.msg);
	fstat(r.fd, &st);
	TAP_OK(st.st_size < 1273 * SUBBUF && st.st_blocks * 512 < st.st_size + 65536,
	       "it is smaller than the data, and no hole is left");
	check_file(r.path, r.how.name, r.records);
	end(&r);
}

static void test_copy(const char *how)
{
	struct dat_write_cpu cpus[3] = {0};
	struct ftr_error err = {0};
	char *path = xasprintf("%s/copy-%s.new", dir, how);
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600), i;
	struct dat_writer *w;
	struct run r;

	begin(&r, how, "copy");
	seal(&r);
	w = dat_create_packed(fd, path, SUBBUF, &r.how, &err);
	dat_pack(w, true);
	write_meta(w);
	for (i = 0; i < 3; i++)
		cpus[i] = (struct dat_write_cpu){ .cpu = i, .fd = r.fd, .base = r.s.bufs[0].v[i].at,
						  .size = r.s.bufs[0].v[i].size };
	dat_write_buffer(w, "", "local", SUBBUF, cpus, 3);
	cpus[2].base = r.s.bufs[1].v[0].at;
	cpus[2].size = r.s.bufs[1].v[0].size;
	dat_write_buffer(w, "foo", "mono", SUBBUF, &cpus[2], 1);
	TAP_OK(!dat_finish(w, &err), "copied");
	dat_abort(r.w);
	check_file(path, r.how.name, r.records);
	end(&r);
	close(fd);
	free(path);
}

/* Who finds the file unfinished reads the raw data before it is sealed, what is compressed after it. */
static void look(const struct run *r, const char *when)
{
	struct ftr_error err;
	struct dat *d = dat_open(r->path, &err);

	if (!TAP_OK(d && d->unfinished, when)) {
		printf("# %s\n", d ? "finished" : err.msg);
		return;
	}
	check_data(d, 1);
	if (!TAP_OK(d->damages.n == 1, "that it is not finished is all that is said"))
		printf("# %s %s\n", d->damages.v[1].kind, d->damages.v[1].detail);
	dat_close(d);
}

static void test_cut(void)
{
	struct dat_join *v;
	struct dat_spool open_s;
	struct stat st;
	uint64_t end_at, body;
	struct run r;
	size_t n, i;

	begin(&r, packing_of_metadata().name, "cut");
	look(&r, "while it is recorded");
	TAP_OK(dat_spool_find(r.fd, &open_s, &body) && !open_s.bufs[0].v[0].packed,
	       "the recorder's list is found behind a longer header");
	dat_spool_release(&open_s);
	fstat(r.fd, &st);
	seal(&r);
	look(&r, "when it is sealed");
	/* killed before the raw data was cut off */
	TAP_OK(!ftruncate(r.fd, st.st_size), "as large as before");
	look(&r, "sealed, not yet cut");
	TAP_OK(!ftruncate(r.fd, dat_spool_bytes(&r.s)), "cut again");
	n = dat_spool_joins(&r.s, &v, &end_at);
	for (i = 0; i < n; i++) {
		if (!v[i].hole || fallocate(r.fd, FALLOC_FL_COLLAPSE_RANGE, v[i].to, v[i].hole))
			continue;
		look(&r, "with a part joined");
	}
	free(v);
	dat_abort(r.w);
	end(&r);
}

/* --- metadata alone */

static char *many_symbols(void)
{
	struct buf b = {0};
	int i;

	for (i = 0; i < 9000; i++)
		buf_printf(&b, "%016x T function_%d\n", 0x1000 + i * 37, i * i);
	return buf_take(&b);
}

/* Raw metadata is in the file while it is recorded. */
static void begin_metadata(struct run *r, const char *name, bool data)
{
	char *symbols = many_symbols();
	struct ftr_error err;

	*r = (struct run){ .path = xasprintf("%s/%s-%d", dir, name, data), .how = packing_of_metadata() };
	r->fd = open(r->path, O_RDWR | O_CREAT | O_EXCL, 0600);
	lay(&r->s);
	r->w = dat_create_packed(r->fd, r->path, SUBBUF, &r->how, &err);
	dat_write_spool(r->w, &r->s);
	write_meta(r->w);
	dat_write_blob(r->w, DAT_KALLSYMS, symbols, strlen(symbols));
	r->p = pack_new(&r->how, r->s.packed, r->fd);
	r->records = record(r->fd, &r->s, r->p);
	look(r, "with raw metadata");
	free(symbols);
}

static void set_raw_sizes(struct dat_spool *s)
{
	size_t i, k;
	int n = 0;

	for (i = 0; i < s->n; i++)
		for (k = 0; k < s->bufs[i].n; k++)
			s->bufs[i].v[k].size = (uint64_t)pages[n++] * SUBBUF;
}

/* Then the same is compressed, perhaps with the data. */
static void seal_metadata(struct run *r, bool data)
{
	char *symbols = many_symbols();

	set_raw_sizes(&r->s);
	dat_drop_meta(r->w, &r->s);
	dat_pack(r->w, data);
	write_meta(r->w);
	dat_write_blob(r->w, DAT_KALLSYMS, symbols, strlen(symbols));
	look(r, "with raw and compressed metadata");
	if (data) {
		TAP_OK(!pack_finish(r->p), "all is compressed");
		dat_spool_take_packed(&r->s);
	}
	dat_seal(r->w, &r->s);
	free(symbols);
}

static void test_metadata(void)
{
	char *symbols = many_symbols();
	const struct dat_blob *text;
	struct ftr_error err;
	struct stat st;
	struct dat *d;
	struct run r;

	begin_metadata(&r, "metadata", false);
	seal_metadata(&r, false);
	dat_join(r.w, &r.s, NULL);
	TAP_OK(!dat_finish(r.w, &err), "joined and finished");
	fstat(r.fd, &st);
	TAP_OK(st.st_size < 1273 * SUBBUF + 100000, "raw symbols, of 290 KB, are gone");
	check_file(r.path, r.how.name, r.records);
	d = dat_open(r.path, &err);
	text = dat_text(d, DAT_KALLSYMS);
	TAP_OK(text->len == strlen(symbols) && !memcmp(text->p, symbols, text->len), "the symbols");
	dat_close(d);
	free(symbols);
	end(&r);
}

/* Killed after each step: everything is found. */
static void test_metadata_steps(void)
{
	struct dat_join *v;
	uint64_t end_at;
	struct run r;
	size_t n, i;

	begin_metadata(&r, "metadata-steps", false);
	seal_metadata(&r, false);
	look(&r, "sealed");
	n = dat_spool_joins(&r.s, &v, &end_at);
	for (i = 0; i < n; i++)
		if (v[i].hole && !fallocate(r.fd, FALLOC_FL_COLLAPSE_RANGE, v[i].to, v[i].hole))
			look(&r, v[i].buf ? "with a part joined" : "with raw metadata cut off");
	free(v);
	dat_abort(r.w);
	end(&r);
}

/* Somebody else goes on after so many steps, or where it was not sealed (-1): only then raw metadata stays. */
static void test_resume(int steps, bool data)
{
	char *name = xasprintf("resume%d", steps);
	struct ftr_error err = {0};
	struct dat_spool s;
	struct dat_join *v;
	uint64_t end_at;
	struct run r;
	int i, ret;

	begin_metadata(&r, name, data);
	if (steps >= 0)
		seal_metadata(&r, data);
	dat_spool_joins(&r.s, &v, &end_at);
	for (i = 0; i < steps; i++)
		if (v[i].hole)
			fallocate(r.fd, FALLOC_FL_COLLAPSE_RANGE, v[i].to, v[i].hole);
	free(v);
	dat_abort(r.w);
	r.w = dat_resume(r.fd, r.path, &s);
	if (TAP_OK(r.w, "gone on with")) {
		if (steps < 0) {
			set_raw_sizes(&s);
			dat_seal(r.w, &s);
		}
		dat_join(r.w, &s, NULL);
		ret = dat_finish(r.w, &err);
		if (!TAP_OK(!ret, "finished"))
			printf("# %s\n", err.msg);
		check_file(r.path, steps < 0 ? "none" : r.how.name, r.records);
		dat_spool_release(&s);
	}
	free(name);
	end(&r);
}

/* The disk has no room for what is compressed: all raw data is there, and the space is free. */
static void test_full(void)
{
	const struct rlimit none = { 0, 0 };
	struct rlimit was;
	struct run r;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &was);
	begin(&r, "zlib:9", "full");
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){ none.rlim_cur, was.rlim_max });
	TAP_OK(pack_finish(r.p) == EFBIG, "given up");
	setrlimit(RLIMIT_FSIZE, &was);
	TAP_EQ(lseek(r.fd, r.s.packed->bufs[0].v[0].at, SEEK_DATA), r.s.bufs[0].v[0].at,
	       "the space of what was compressed is given back");
	look(&r, "the raw data");
	dat_abort(r.w);
	end(&r);
}

static void test_words(void)
{
	static const char *const bad[] = { "", "zstd:", "zstd:0", "zstd:23", "zstd:-1", "zstd: 1", "zlib:10",
					   "zlib:1x", "lz4", "zst", "none:1", "zstd:99999999999999999999" };
	struct compress_opts p;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		TAP_OK(packing_parse(bad[i], &p), bad[i]);
	TAP_OK(!packing_parse("none", &p) && !p.name, "none");
	TAP_OK(!packing_parse("zlib:9", &p) && !strcmp(p.name, "zlib") && p.level == 9, "zlib:9");
	if (packing_known("zstd"))
		TAP_OK(!packing_parse("zstd:22", &p) && !strcmp(p.name, "zstd") && p.level == 22, "zstd:22");
	else
		TAP_OK(packing_parse("zstd:22", &p) && !strcmp(packing_of_metadata().name, "zlib"),
		       "built without zstd: zlib");
}

int main(void)
{
	int steps;

	if (!mkdtemp(dir))
		return 1;
	test_words();
	if (packing_known("zstd"))
		test_copy("zstd");
	test_copy("zlib:1");
	test_full();
	if (demo_can_join(dir)) {
		if (packing_known("zstd"))
			test_join("zstd:1");
		test_join("zlib");
		test_cut();
		test_metadata();
		test_metadata_steps();
		for (steps = -1; steps <= 4; steps++) {
			test_resume(steps, false);
			if (steps >= 0)
				test_resume(steps, true);
		}
	}
	return demo_done(dir);
}
