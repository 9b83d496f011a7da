/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sub-buffers at any place, for any number of cursors and threads, raw and compressed: the bytes that were written. */
#include "file/read/dat.h"

#include <pthread.h>
#include <sys/syscall.h>

#include "demo_file.h"
#include "file/compress.h"

#define CPUS	4
#define PAGES	150		/* of a CPU: several checksummed ranges, windows and chunks */
#define CHUNK	8		/* sub-buffers */
#define THREADS 3
#define LOOKS	3000		/* of a thread */

static uint64_t bytes_read;

/* In place of the C library's, as pread() is called with offsets of 64 bits. */
ssize_t pread64(int fd, void *buf, size_t n, off_t off)
{
	ssize_t got = syscall(SYS_pread64, fd, buf, n, off);

	__atomic_add_fetch(&bytes_read, got > 0 ? got : 0, __ATOMIC_RELAXED);
	return got;
}

static char dir[] = "/tmp/ftr-dat-cursor-XXXXXX";

static void append(int fd, const void *p, size_t n)
{
	if (write(fd, p, n) != (ssize_t)n)
		abort();
}

static int raw_cpu(int cpu)
{
	int fd = open(dir, O_RDWR | O_TMPFILE, 0600);
	uint8_t mem[SUBBUF];

	for (int i = 0; i < PAGES; i++) {
		demo_page(mem, cpu, i, demo_next);
		append(fd, mem, SUBBUF);
	}
	return fd;
}

/* As in trace.dat(5): the number of chunks, then the sizes and the data of each. */
static int packed_cpu(int cpu, const struct compress_opts *how)
{
	int fd = open(dir, O_RDWR | O_TMPFILE, 0600);
	struct compress_packer *packer = packer_new(how);
	uint32_t n = (PAGES + CHUNK - 1) / CHUNK, sizes[2];
	uint8_t mem[CHUNK * SUBBUF], *out = xmalloc(packer_room(packer, sizeof(mem)));

	append(fd, &n, sizeof(n));
	for (int i = 0; i < PAGES; i += CHUNK) {
		for (n = 0; n < CHUNK && i + n < PAGES; n++)
			demo_page(mem + n * SUBBUF, cpu, i + n, demo_next);
		sizes[0] = packer_pack(packer, out, mem, n * SUBBUF);
		sizes[1] = n * SUBBUF;
		append(fd, sizes, sizeof(sizes));
		append(fd, out, sizes[0]);
	}
	packer_free(packer);
	free(out);
	return fd;
}

static int write_cpus(const char *path, const struct compress_opts *how)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600), ret, i;
	struct dat_write_cpu cpus[CPUS];
	struct ftr_error err = {0};
	struct dat_writer *w;

	w = how ? dat_create_packed(fd, path, SUBBUF, how, &err) : dat_create(fd, path, SUBBUF, &err);
	if (how)
		dat_pack(w, true);
	demo_formats(w);
	for (i = 0; i < CPUS; i++) {
		cpus[i] = (struct dat_write_cpu){ .cpu = i, .fd = how ? packed_cpu(i, how) : raw_cpu(i) };
		cpus[i].size = lseek(cpus[i].fd, 0, SEEK_END);
	}
	dat_write_buffer(w, "", "local", SUBBUF, cpus, CPUS);
	ret = dat_finish(w, &err);
	for (i = 0; i < CPUS; i++)
		close(cpus[i].fd);
	close(fd);
	return ret;
}

/* --- looks at random places */

struct looker {
	struct dat *dat;
	unsigned int seed, wrong, wrong_ts;
};

static bool is_as_written(struct dat_cursor *c, int cpu, uint64_t page)
{
	uint8_t want[SUBBUF];
	const uint8_t *mem;
	uint64_t off;
	size_t len;

	demo_page(want, cpu, page, demo_next);
	mem = dat_cursor_page(c, page, &len, &off);
	return mem && len == SUBBUF && !memcmp(mem, want, SUBBUF);
}

static void *look(void *arg)
{
	struct looker *l = arg;
	struct dat_buffer *b = l->dat->buffers;
	struct dat_cursor at[CPUS];
	uint64_t page = 0, other, ts;
	int cpu = 0, i;

	for (i = 0; i < CPUS; i++)
		at[i] = (struct dat_cursor){ .dat = l->dat, .buffer = b, .cpu = &b->cpus[i] };
	for (i = 0; i < LOOKS; i++) {
		if (rand_r(&l->seed) % 4) {		/* else the next one */
			cpu = rand_r(&l->seed) % CPUS;
			page = rand_r(&l->seed) % PAGES;
		}
		l->wrong += !is_as_written(&at[cpu], cpu, page);
		other = rand_r(&l->seed) % PAGES;
		l->wrong_ts += !dat_cursor_ts(&at[cpu], other, &ts) ||
			       ts != 1000000000ULL + other * 1000000 + cpu;
		if (rand_r(&l->seed) % 50 == 0)
			dat_cursor_release(&at[cpu]);
		page = (page + 1) % PAGES;
	}
	for (i = 0; i < CPUS; i++)
		dat_cursor_release(&at[i]);
	return NULL;
}

/* @keep: bytes of decompressed chunks. */
static void look_at(const char *path, size_t keep, const char *name)
{
	struct looker l[THREADS] = {0}, all = {0};
	pthread_t threads[THREADS];
	struct ftr_error err = {0};
	struct dat *d = dat_open(path, &err);
	int i;

	if (!TAP_OK(d, name))
		return;
	dat_keep_unpacked(d, keep);
	for (i = 0; i < THREADS; i++) {
		l[i] = (struct looker){ .dat = d, .seed = i + 1 };
		pthread_create(&threads[i], NULL, look, &l[i]);
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		all.wrong += l[i].wrong;
		all.wrong_ts += l[i].wrong_ts;
	}
	TAP_EQ(all.wrong, 0, "the bytes that were written");
	TAP_EQ(all.wrong_ts, 0, "and their times");
	dat_verify(d);
	TAP_EQ(d->damages.n, 0, "no damage");
	dat_close(d);
}

/* Data that goes on is hashed where it is read: only the first range is read twice. */
static void test_read_once(const char *path)
{
	struct ftr_error err = {0};
	struct dat *d = dat_open(path, &err);
	struct dat_cursor c = { .dat = d, .buffer = d->buffers, .cpu = &d->buffers->cpus[2] };
	int wrong = 0;

	bytes_read = 0;
	for (int i = 0; i < PAGES; i++)
		wrong += !is_as_written(&c, 2, i);
	printf("# %d bytes, %ju read\n", PAGES * SUBBUF, (uintmax_t)bytes_read);
	TAP_OK(!wrong && bytes_read < PAGES * SUBBUF * 5 / 3, "sub-buffers in succession are read once");
	dat_cursor_release(&c);
	dat_close(d);
}

/* A byte that is flipped is noted once, by whoever reads it; other ranges are as they were. */
static void test_flipped(const char *path)
{
	struct damage_list damages = {0};
	struct ftr_error err = {0};
	struct dat *d = dat_open(path, &err);
	struct dat_cursor c = { .dat = d, .buffer = d->buffers, .cpu = &d->buffers->cpus[1],
				.damages = &damages };
	uint64_t off = c.cpu->off + 100 * SUBBUF + 99;
	int fd = open(path, O_RDWR);
	uint8_t byte;

	TAP_OK(pread(fd, &byte, 1, off) == 1 && (byte ^= 1, pwrite(fd, &byte, 1, off) == 1), "a byte is flipped");
	close(fd);
	TAP_OK(is_as_written(&c, 1, 10) && !damages.n, "a range without it");
	TAP_OK(!is_as_written(&c, 1, 100) && damages.n == 1, "its range: a checksum tells");
	TAP_OK(is_as_written(&c, 1, 101) && damages.n == 1, "once");
	dat_cursor_release(&c);
	damages_release(&damages);
	dat_close(d);
}

int main(void)
{
	char *path, *packed;
	struct compress_opts how;
	char *cmd;

	if (!mkdtemp(dir))
		return 1;
	path = xasprintf("%s/raw.dat", dir);
	packed = xasprintf("%s/packed.dat", dir);
	if (TAP_OK(!write_cpus(path, NULL), "a raw file is written"))
		look_at(path, 0, "raw");
	test_read_once(path);
	test_flipped(path);
	how = packing_of_metadata();
	if (TAP_OK(!write_cpus(packed, &how), "a compressed file is written")) {
		look_at(packed, 0, "compressed");
		look_at(packed, 20 * CHUNK * SUBBUF, "compressed, some chunks kept");
		look_at(packed, 64 << 20, "compressed, all chunks kept");
	}
	cmd = xasprintf("rm -rf %s", dir);
	if (system(cmd))
		return 1;
	free(cmd);
	free(path);
	free(packed);
	return tap_done();
}
