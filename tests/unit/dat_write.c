/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of the writer: read back by ourselves and by trace-cmd, with bytes flipped, cut off, and on full disks. */
#include "file/write/dat_write.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/io.h"
#include "base/mem.h"
#include "demo_file.h"
#include "file/read/dat_priv.h"

#define PAGES  80		/* of CPU 0: more than one checksummed range */

static char dir[] = "/tmp/ftr-dat-write-XXXXXX";

static char *in_dir(const char *name)
{
	return xasprintf("%s/%s", dir, name);
}

/* A file of raw sub-buffers full of demo records; *records grows by their number. */
static int raw_file(const char *name, int pages, uint64_t *records, off_t *size)
{
	struct ring_layout l = { .commit_size = 8, .commit_off = 8, .data_off = 16, .subbuf_size = SUBBUF };
	struct demo d = { .type = 900, .pid = 7 };
	char *path = in_dir(name);
	uint8_t mem[SUBBUF];
	struct ring_build b;
	int fd, i;

	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	for (i = 0; i < pages; i++) {
		ring_build_start(&b, &l, mem, 1000000000ULL + i * 1000000);
		while (ring_build_event(&b, 1000, &d, sizeof(d))) {
			d.number++;
			++*records;
		}
		ring_build_commit(&b, 0);
		io_write_all(fd, mem, sizeof(mem));
	}
	*size = (off_t)pages * SUBBUF;
	free(path);
	return fd;
}

static void write_meta(struct dat_writer *w)
{
	/* as trace-cmd writes them: those of the top level, then the name of an instance and its own */
	static const char *const stats[] = { "CPU: 0\nentries: 1\n", "\nBuffer: foo\n\n", "CPU: 2\nentries: 9" };

	demo_formats(w);
	demo_texts(w, 4);
	for (size_t i = 0; i < 3; i++)
		dat_add_option(w, DAT_CPUSTAT, stats[i], strlen(stats[i]) + 1);
}

static const struct dat_latency latencies[] = { { "", "# latency: 7 us\n", 16 }, { "foo", "two\n", 4 } };

/* Two buffers, three CPUs with data, one without. Returns the number of records, 0 when it failed. */
static uint64_t write_file(const char *name, bool private, struct ftr_error *err)
{
	struct dat_write_cpu top[3] = { { .cpu = 0 }, { .cpu = 1 }, { .cpu = 3 } }, inst = { .cpu = 2 };
	char *path = in_dir(name);
	uint64_t records = 0;
	struct dat_writer *w;
	int fd, ret;

	top[0].fd = raw_file("cpu0", PAGES, &records, &top[0].size);
	top[1].fd = raw_file("cpu1", 0, &records, &top[1].size);
	top[2].fd = raw_file("cpu3", 3, &records, &top[2].size);
	inst.fd = raw_file("inst2", 2, &records, &inst.size);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	w = dat_create(fd, path, 4096, err);
	write_meta(w);
	if (private) {
		dat_write_meta(w, "tracer=nop\n", 11);
		dat_write_protos(w, "vfs_read file:p\n", 16);
		dat_write_latencies(w, latencies, 2);
		dat_write_oops(w, "BUG: one\nRIP: two\n", 18);
	}
	dat_write_buffer(w, "", "local", SUBBUF, top, 3);
	dat_write_buffer(w, "foo", "mono", SUBBUF, &inst, 1);
	ret = dat_finish(w, err);
	close(fd);
	close(top[0].fd);
	close(top[1].fd);
	close(top[2].fd);
	close(inst.fd);
	free(path);
	return ret ? 0 : records;
}

/* Every record of a file; the damage is left in *d. */
static uint64_t count_records(struct dat *d)
{
	struct dat_buffer *b;
	struct ring_record rec;
	struct ring_page pg;
	uint64_t n = 0, i, off;
	const uint8_t *mem;
	size_t len, cpu;

	for (b = d->buffers; b < d->buffers + d->nr_buffers; b++)
		for (cpu = 0; cpu < b->nr_cpus; cpu++)
			for (i = 0; i < b->cpus[cpu].nr_pages; i++) {
				mem = dat_page(d, b, &b->cpus[cpu], i, &len, &off);
				if (!mem || ring_page_open(&pg, &b->layout, mem, len) == RING_SHORT_PAGE)
					continue;
				while (ring_page_next(&pg, &rec) == RING_OK)
					n++;
			}
	return n;
}

static uint64_t count_file(const char *name, size_t *damages, uint64_t *offset)
{
	char *path = in_dir(name);
	struct ftr_error err;
	struct dat *d = dat_open(path, &err);
	uint64_t n = 0;

	*damages = 1;
	if (offset)
		*offset = 0;
	if (d) {
		n = count_records(d);
		dat_settle(d);
		dat_verify(d);
		*damages = d->damages.n;
		if (offset && d->damages.n)
			*offset = d->damages.v[0].offset;
	}
	dat_close(d);
	free(path);
	return n;
}

static void test_latencies(struct dat *d)
{
	struct dat_latency l;
	size_t at = 0;
	int i;

	for (i = 0; i < 2; i++)
		TAP_OK(dat_latency_next(d, &at, &l) && !strcmp(l.buffer, latencies[i].buffer) &&
		       l.len == latencies[i].len && !memcmp(l.text, latencies[i].text, l.len),
		       "text of a longest latency");
	TAP_OK(!dat_latency_next(d, &at, &l), "and no more");
}

static void test_read_back(uint64_t records)
{
	char *path = in_dir("a.dat");
	struct ftr_error err = {0};
	struct dat *d = dat_open(path, &err);
	const struct dat_format *f;
	const struct dat_blob *comms;

	TAP_OK(d != NULL, "our file opens");
	if (!d)
		return;
	TAP_EQ(d->damages.n, 0, "without damage");
	TAP_EQ(d->nr_buffers, 2, "two buffers");
	TAP_OK(!strcmp(d->buffers[0].name, "") && !strcmp(d->buffers[0].clock, "local"), "top level first");
	TAP_OK(!strcmp(d->buffers[1].name, "foo") && !strcmp(d->buffers[1].clock, "mono"), "then the instance");
	TAP_OK(d->buffers[0].nr_cpus == 2 && d->buffers[0].cpus[1].cpu == 3, "CPUs without data are left out");
	TAP_EQ(d->nr_cpus, 4, "CPU count");
	comms = dat_text(d, DAT_CMDLINES);
	TAP_OK(dat_formats(d, DAT_FTRACE_EVENTS, &f) == 1 && !strcmp(f->system, "ftrace") &&
	       dat_formats(d, DAT_EVENT_FORMATS, &f) == 1 && !strcmp(f->system, "demo"),
	       "formats and their systems");
	TAP_OK(comms->len == 9 && !memcmp(comms->p, "7 writer\n", 9), "comms");
	TAP_OK(d->buffers[0].stats && !strcmp(d->buffers[0].stats, "CPU: 0\nentries: 1\n"), "CPU statistics");
	TAP_OK(d->buffers[1].stats && !strcmp(d->buffers[1].stats, "CPU: 2\nentries: 9\n"),
	       "those of an instance");
	TAP_OK(d->ftr_meta.len == 11 && !memcmp(d->ftr_meta.p, "tracer=nop\n", 11), "our own section");
	TAP_OK(dat_text(d, DAT_FTR_PROTOS)->len == 16 &&
	       !memcmp(dat_text(d, DAT_FTR_PROTOS)->p, "vfs_read file:p\n", 16), "prototypes");
	test_latencies(d);
	TAP_OK(dat_text(d, DAT_FTR_OOPS)->len == 18 &&
	       !memcmp(dat_text(d, DAT_FTR_OOPS)->p, "BUG: one\nRIP: two\n", 18), "text of an oops");
	TAP_EQ(count_records(d), records, "all records");
	TAP_OK(dat_verify(d) > 10, "checksums are there");
	TAP_EQ(d->damages.n, 0, "and right");
	dat_close(d);
	free(path);
}

static void copy_with(const char *to, const char *data, size_t len)
{
	char *path = in_dir(to);
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

	io_write_all(fd, data, len);
	close(fd);
	free(path);
}

/* One in 11 bytes of the metadata and of the checksum table, one in 1009 of the data. */
static void test_flips(char *data, size_t len)
{
	size_t at, damages, silent = 0, tried = 0, misplaced = 0;
	uint64_t offset;

	for (at = 0; at < len; at += at < 4000 || len - at < 3000 ? 11 : 1009) {
		data[at] ^= 1 << at % 8;
		copy_with("b.dat", data, len);
		count_file("b.dat", &damages, &offset);
		data[at] ^= 1 << at % 8;
		tried++;
		silent += !damages;
		/* the first one noted is the checksum's, unless the table itself is hit */
		if (offset > at || at - offset > DAT_SUM_RANGE)
			misplaced += at < len - 3000 && at >= 32;
		if (!damages)
			printf("# flip at %zu of %zu is not noticed\n", at, len);
	}
	TAP_OK(tried > 800, "hundreds of flipped bits");
	TAP_EQ(silent, 0, "each is noticed");
	TAP_EQ(misplaced, 0, "and located to 256 KiB");
}

static void test_cuts(const char *data, size_t len, uint64_t records)
{
	size_t i, at, damages, silent = 0, lossy = 0, per_page = records / (PAGES + 5);
	uint64_t got, least;

	for (i = 0; i < 100; i++) {
		at = len * i / 100;
		copy_with("b.dat", data, at);
		got = count_file("b.dat", &damages, NULL);
		silent += !damages;
		/* metadata and padding take less than 5 pages */
		least = at / SUBBUF > 5 ? (at / SUBBUF - 5) * per_page : 0;
		lossy += got < least;
	}
	TAP_EQ(silent, 0, "each of 100 cuts is noticed");
	TAP_EQ(lossy, 0, "and what is before it is read");
}

static void run(const char *cmd, struct buf *out)
{
	char *full = xasprintf("cd %s && %s 2>&1", dir, cmd);
	FILE *p = popen(full, "r");

	if (p) {
		io_read_fd(fileno(p), out);
		pclose(p);
	}
	free(full);
}

static size_t count_text(const char *in, const char *what)
{
	size_t n = 0;

	while ((in = strstr(in, what))) {
		in += strlen(what);
		n++;
	}
	return n;
}

/* A copy of @from without the checksums, which are the last section. */
static void strip(const char *from, const char *to)
{
	char *path = in_dir(from);
	struct buf file = {0};
	uint64_t start;

	io_read_at(AT_FDCWD, path, &file);
	memcpy(&start, file.data + file.len - DAT_SUMS_TRAILER, sizeof(start));
	copy_with(to, file.data, start);
	buf_release(&file);
	free(path);
}

/* What @cmd prints about a file that has our sections and about one that has not. */
static void test_same(const char *cmd, const char *with_cmd, const char *name)
{
	struct buf with = {0}, without = {0};

	run(with_cmd, &with);
	run(cmd, &without);
	TAP_OK(with.len > 100 && !strcmp(with.data, without.data), name);
	if (strcmp(with.data, without.data))
		printf("# %.200s\n# %.200s\n", with.data, without.data);
	buf_release(&with);
	buf_release(&without);
}

/* trace-cmd reads it, and our sections change nothing in what it prints. */
static void test_trace_cmd(uint64_t records)
{
	struct buf with = {0};

	if (system("command -v trace-cmd >/dev/null 2>&1")) {
		TAP_SKIP("trace-cmd reads it", "trace-cmd is not installed");
		return;
	}
	run("trace-cmd report -R a.dat", &with);
	TAP_EQ(count_text(with.data, "number="), records, "trace-cmd finds as many records");
	TAP_OK(!strstr(with.data, "rror") && !strstr(with.data, "nable"), "and has no complaint");
	test_same("trace-cmd report -R bare.dat", "trace-cmd report -R a.dat",
		  "with and without our sections it reports the same");
	test_same("{ trace-cmd dump bare.dat; } 2>&1 | sed 's/bare.dat/X/; s/10 sections/N/'",
		  "{ trace-cmd dump a.dat; } 2>&1 | sed 's/a\\.dat/X/; s/15 sections/N/'",
		  "and dumps the same");
	buf_reset(&with);
	run("trace-cmd dump --all a.dat", &with);
	TAP_OK(strstr(with.data, "ptions") && !strstr(with.data, "rror"), "even all of it");
	buf_release(&with);
}

/* libtracecmd's public functions, which complain on stderr about what they don't know. */
static void test_libtracecmd(uint64_t records)
{
	const char *build = getenv("FTR_BUILD");
	struct buf out = {0};
	char *cmd;

	if (!build) {
		TAP_SKIP("libtracecmd reads it", "FTR_BUILD is not set");
		return;
	}
	cmd = xasprintf("{ %s/tests/oracle/tcmd_count a.dat 2>&1 >&3 | sed 's/^/stderr: /'; } 3>&1",
			build);
	run(cmd, &out);
	free(cmd);
	cmd = xasprintf("total records %llu\n", (unsigned long long)records);
	TAP_OK(out.len && strstr(out.data, cmd), "libtracecmd finds as many records");
	if (!TAP_OK(out.len && !strstr(out.data, "stderr"), "and says nothing"))
		printf("# %s\n", out.data);
	free(cmd);
	buf_release(&out);
}

/* One or both of our sections are not there. */
static void test_absent(uint64_t records)
{
	struct ftr_error err;
	size_t damages;

	write_file("plain.dat", false, &err);
	strip("plain.dat", "bare.dat");
	TAP_EQ(count_file("bare.dat", &damages, NULL), records, "a file without our sections");
	TAP_EQ(damages, 0, "is sound");
	strip("a.dat", "cut.dat");
	TAP_EQ(count_file("cut.dat", &damages, NULL), records, "one that was cut before the checksums");
	TAP_EQ(damages, 1, "is not");
}

/* As it was written before version 2 of the table. */
static void test_version_1(uint64_t records)
{
	char *path = in_dir("a.dat"), *at;
	uint64_t start, hash, off = 0;
	struct buf file = {0};
	size_t damages;
	uint32_t len;

	io_read_at(AT_FDCWD, path, &file);
	memcpy(&start, file.data + file.len - DAT_SUMS_TRAILER, sizeof(start));
	at = file.data + start + DAT_SECTION_HEADER;
	TAP_EQ(*at, 2, "the table's version");
	*at = 1;
	for (at += 8; at < file.data + file.len - DAT_SUMS_TRAILER; at += DAT_SUM_ENTRY) {
		memcpy(&len, at + 8, sizeof(len));
		hash = XXH3_64bits(file.data + off, len);
		memcpy(at, &hash, sizeof(hash));
		off += len;
	}
	hash = XXH3_64bits(file.data + start, file.len - 8 - start);
	memcpy(file.data + file.len - 8, &hash, sizeof(hash));
	copy_with("one.dat", file.data, file.len);
	TAP_EQ(count_file("one.dat", &damages, NULL), records, "a table of version 1");
	TAP_EQ(damages, 0, "holds");
	file.data[off / 2] ^= 1;
	copy_with("one.dat", file.data, file.len);
	count_file("one.dat", &damages, NULL);
	TAP_OK(damages > 0, "and finds a flipped bit");
	buf_release(&file);
	free(path);
}

/* No space can be held beyond such a limit: the last data gives way to the end of the file. */
static void test_limit(uint64_t records)
{
	struct rlimit old, small;
	struct ftr_error err = {0};
	const char *lacks;
	size_t damages;
	uint64_t lost;

	getrlimit(RLIMIT_FSIZE, &old);
	small = old;
	small.rlim_cur = PAGES * SUBBUF + 4096;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &small);
	TAP_EQ(write_file("c.dat", true, &err), 0, "a file that can't grow is an error");
	TAP_OK(err.code == FTR_DAMAGED && err.sys == EFBIG, "with its reason");
	setrlimit(RLIMIT_FSIZE, &old);
	lacks = strstr(err.msg, "lacks ");
	lost = lacks ? strtoull(lacks + 6, NULL, 10) : 0;
	TAP_OK(lost >= SUBBUF && lost % SUBBUF == 0, "and the sub-buffers that are missing");
	TAP_EQ(count_file("c.dat", &damages, NULL), records - lost / SUBBUF * (records / (PAGES + 5)),
	       "the others are in the file");
	TAP_EQ(damages, 0, "which is sound");
}

static bool padding_fails;

/* In place of libc's: a disk that has no room for padding, once. */
ssize_t pwrite64(int fd, const void *p, size_t n, off64_t at)
{
	static const char zero[SUBBUF];

	if (padding_fails && n < SUBBUF && !memcmp(p, zero, n)) {
		padding_fails = false;
		errno = ENOSPC;
		return -1;
	}
	return syscall(SYS_pwrite64, fd, p, n, at);
}

static void test_padding(void)
{
	struct dat_write_cpu cpu = { .cpu = 3 };
	struct ftr_error err = {0};
	uint64_t records = 0;
	struct dat_writer *w;
	int fd = open(dir, O_RDWR | O_TMPFILE, 0600);

	cpu.fd = raw_file("cpu3", 2, &records, &cpu.size);
	w = dat_create(fd, "x", 4096, &err);
	write_meta(w);
	padding_fails = true;
	dat_write_buffer(w, "", "local", SUBBUF, &cpu, 1);
	TAP_OK(!padding_fails, "data begins at a multiple of the sub-buffer size");
	TAP_OK(dat_finish(w, &err) < 0 && err.sys == ENOSPC && err.code == FTR_DAMAGED &&
	       !strncmp(err.msg, "cannot write the data of CPU 3: ", 32) &&
	       strstr(err.msg, "'x' lacks 8192 bytes of data"), "no room before the data");
	close(fd);
	close(cpu.fd);
}

static void test_errors(void)
{
	struct dat_write_cpu cpu = { .cpu = 0 };
	struct ftr_error err = {0};
	uint64_t records = 0;
	struct dat_writer *w;
	int fd;

	fd = open("/dev/full", O_RDWR);
	w = dat_create(fd, "/dev/full", 4096, &err);
	TAP_OK(!w && err.sys == ENOSPC && err.code == FTR_DAMAGED, "no space for the first bytes");
	close(fd);
	cpu.fd = raw_file("cpu0", 2, &records, &cpu.size);
	fd = open(dir, O_RDWR | O_TMPFILE, 0600);
	w = dat_create(fd, "x", 4096, &err);
	close(fd);
	dat_write_buffer(w, "", "local", SUBBUF, &cpu, 1);
	write_meta(w);
	TAP_OK(dat_finish(w, &err) && err.sys == EBADF, "the first error of a writer is kept");
	fd = open(dir, O_RDWR | O_TMPFILE, 0600);
	w = dat_create(fd, "x", 4096, &err);
	cpu.size *= 2;
	dat_write_buffer(w, "", "local", SUBBUF, &cpu, 1);
	TAP_OK(dat_finish(w, &err) && err.sys == ENODATA, "data that is shorter than said");
	close(fd);
	close(cpu.fd);
}

int main(void)
{
	struct ftr_error err = {0};
	struct buf file = {0};
	uint64_t records;
	char *path, *cmd;

	if (!mkdtemp(dir))
		return 1;
	records = write_file("a.dat", true, &err);
	if (!TAP_OK(records > 0, "a file is written"))
		printf("# %s\n", err.msg);
	test_read_back(records);
	test_version_1(records);
	test_absent(records);
	test_trace_cmd(records);
	test_libtracecmd(records);
	path = in_dir("a.dat");
	io_read_at(AT_FDCWD, path, &file);
	test_flips(file.data, file.len);
	test_cuts(file.data, file.len, records);
	test_limit(records);
	test_padding();
	test_errors();
	buf_release(&file);
	cmd = xasprintf("rm -rf %s", dir);
	if (system(cmd))
		return 1;
	free(cmd);
	free(path);
	return tap_done();
}
