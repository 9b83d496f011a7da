/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a trace file where the disk may be too small for it.
 *
 * usage: dat_full [-c] [-p KIB] [-f KIB] [-s KIB] DIR CPU0_KIB CPU1_KIB INSTANCE_KIB
 *
 * Data of three CPUs is made in DIR, two of the top level and one of the instance "foo", in sub-buffers of 4 KiB with
 * 204 records each, then DIR/out.dat is written. -c: data is consumed. -p: so much is allocated for the file at the
 * start. -f: the disk is filled up to so much. -s: instead of 4, the size of a sub-buffer in KiB.
 * Prints "pages N", "result N", "missing N" (bytes that the error names), "kept N" (bytes still in the data files) and
 * the error on stderr. Status 0, or 3 when the writer says that not all is written.
 */
#include "file/write/dat_write.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "../unit/demo.h"
#include "base/io.h"
#include "base/mem.h"
#include "file/ring/page.h"

static const char *dir;
static uint32_t subbuf = 4096;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void make_data(struct dat_write_cpu *c, long kib)
{
	struct ring_layout l = { .commit_size = 8, .commit_off = 8, .data_off = 16, .subbuf_size = subbuf };
	struct demo d = { .type = 900, .pid = 7 };
	uint8_t *mem = xmalloc(subbuf);
	struct ring_build b;
	uint64_t i;

	c->fd = open(dir, O_RDWR | O_TMPFILE, 0600);
	for (i = 0; (uint64_t)c->size < kib * 1024ULL; i++, c->size += subbuf) {
		ring_build_start(&b, &l, mem, 1000000000ULL + i * 1000000000);
		while (ring_build_event(&b, 1000, &d, sizeof(d)))
			d.number++;
		ring_build_commit(&b, 0);
		if (io_write_all(c->fd, mem, subbuf))
			die("data");
	}
	/* as it is when a recording has lasted for a while */
	if (fsync(c->fd))
		die("data");
	free(mem);
}

/* Leaves @kib of the disk. */
static void fill(long kib)
{
	char *path = xasprintf("%s/filler", dir), block[4096] = "x";
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	while (write(fd, block, sizeof(block)) == sizeof(block))
		;
	fsync(fd);
	while (write(fd, block, sizeof(block)) == sizeof(block))
		;
	if (ftruncate(fd, lseek(fd, 0, SEEK_END) - kib * 1024))
		die("filler");
	fsync(fd);
	close(fd);
	free(path);
}

static int write_all(int fd, const char *path, const struct dat_write_cpu *cpus, struct ftr_error *err)
{
	struct dat_write_format demo = { "demo", demo_format, sizeof(demo_format) - 1 };
	struct dat_write_format ftrace = { "ftrace", print_format, sizeof(print_format) - 1 };
	char *symbols = xcalloc(1, 200000), *page;
	struct dat_writer *w;
	uint32_t nr_cpus = 2;

	w = dat_create(fd, path, subbuf, err);
	if (!w)
		return -1;
	page = xasprintf("%.*ssize:%u;\tsigned:1;\n", (int)(strstr(header_page, "size:4080") - header_page),
			 header_page, subbuf - 16);
	dat_write_header_info(w, page, strlen(page), header_event, sizeof(header_event) - 1);
	free(page);
	dat_write_ftrace_events(w, &ftrace, 1);
	dat_write_event_formats(w, &demo, 1);
	memset(symbols, '\n', 200000);
	dat_write_meta(w, "tracer=nop\n", 11);
	dat_write_blob(w, DAT_KALLSYMS, symbols, 200000);
	dat_write_blob(w, DAT_PRINTK, "", 0);
	dat_write_blob(w, DAT_CMDLINES, "7 writer\n", 9);
	dat_add_option(w, DAT_CPUCOUNT, &nr_cpus, sizeof(nr_cpus));
	dat_add_option(w, DAT_TRACECLOCK, "[local] global", 15);
	dat_write_buffer(w, "", "local", subbuf, cpus, 2);
	dat_write_buffer(w, "foo", "local", subbuf, cpus + 2, 1);
	free(symbols);
	return dat_finish(w, err);
}

/* Bytes on disk. */
static long long blocks(const struct dat_write_cpu *cpus)
{
	long long sum = 0;
	struct stat st;
	int i;

	for (i = 0; i < 3; i++)
		if (!fstat(cpus[i].fd, &st))
			sum += st.st_blocks * 512LL;
	return sum;
}

int main(int argc, char **argv)
{
	struct dat_write_cpu cpus[3] = { { .cpu = 0 }, { .cpu = 1 }, { .cpu = 0 } };
	long ahead = 0, room = -1;
	struct ftr_error err = {0};
	const char *lacks;
	char *path;
	int c, fd, i, ret;

	while ((c = getopt(argc, argv, "cp:f:s:")) != -1) {
		if (c == 'c')
			cpus[0].consume = cpus[1].consume = cpus[2].consume = true;
		else if (c == 'p')
			ahead = atol(optarg);
		else if (c == 'f')
			room = atol(optarg);
		else if (c == 's')
			subbuf = atol(optarg) * 1024;
	}
	if (argc - optind != 4)
		return 2;
	dir = argv[optind];
	path = xasprintf("%s/out.dat", dir);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (ahead && fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, ahead * 1024))
		die("fallocate");
	for (i = 0; i < 3; i++)
		make_data(&cpus[i], atol(argv[optind + 1 + i]));
	if (room >= 0)
		fill(room);
	ret = write_all(fd, path, cpus, &err);
	printf("pages %lld\n", (long long)(cpus[0].size + cpus[1].size + cpus[2].size) / subbuf);
	lacks = strstr(err.msg, "lacks ");
	printf("result %d\nmissing %lld\nkept %lld\n", ret, lacks ? atoll(lacks + 6) : 0, blocks(cpus));
	if (ret)
		fprintf(stderr, "dat_full: %s (%s)\n", err.msg, err.hint);
	free(path);
	return ret ? err.code : 0;
}
