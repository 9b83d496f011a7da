/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unpack FILE ID...: decompresses the sections with these ids of a zstd trace.dat version 7 and
 * does nothing else, as a measure for what reads them.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <zstd.h>

#define HEADER "\x17\x08\x44tracing7"	/* and a NUL, endian, long size, u32 page size */
#define SECTION_HEADER 16

static const char *map;
static size_t size;

static uint64_t number(size_t at, size_t n)
{
	uint64_t v = 0;

	if (at > size || n > size - at)
		exit(1);
	memcpy(&v, map + at, n);
	return v;
}

/* The compression's name and version, both ended by NULs, and the place of the options. */
static size_t first_section(void)
{
	size_t at = sizeof(HEADER) + 1 + 1 + 4;

	for (int i = 0; i < 2; i++)
		at += strnlen(map + at, size - at) + 1;
	return at + 8;
}

static int wanted(uint16_t id, int argc, char **argv)
{
	for (int i = 2; i < argc; i++)
		if (id == strtoul(argv[i], NULL, 0))
			return 1;
	return 0;
}

/* What was unpacked, as a reader would keep it. */
static char *kept[64];
static size_t nr_kept;

/* u32 compressed size, u32 size, data */
static size_t unpack(size_t at)
{
	size_t from = number(at, 4), to = number(at + 4, 4), got;
	char *mem;

	if (nr_kept == sizeof(kept) / sizeof(kept[0]))
		exit(1);
	mem = kept[nr_kept++] = malloc(to);

	if (from > size - at - 8)
		exit(1);
	got = ZSTD_decompress(mem, to, map + at + 8, from);
	if (ZSTD_isError(got))
		exit(1);
	return got;
}

int main(int argc, char **argv)
{
	size_t at, sum = 0, n = 0;
	struct stat st;
	int fd = argc > 2 ? open(argv[1], O_RDONLY) : -1;

	if (fd < 0 || fstat(fd, &st))
		return 1;
	size = st.st_size;
	map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED || size < 64 || memcmp(map, HEADER, sizeof(HEADER)))
		return 1;
	for (at = first_section(); at + SECTION_HEADER < size; at += SECTION_HEADER + number(at + 8, 8)) {
		if (!wanted(number(at, 2), argc, argv))
			continue;
		sum += unpack(at + SECTION_HEADER);
		n++;
	}
	printf("%zu sections, %zu bytes\n", n, sum);
	/* the time to the first line ends here */
	fflush(stdout);
	while (nr_kept)
		free(kept[--nr_kept]);
	return 0;
}
