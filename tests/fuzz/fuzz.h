/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the fuzz targets share (libFuzzer). */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Keeps reads of the input from being optimised away. */
static volatile uint64_t fuzz_sink __attribute__((unused));

#define FUZZ_ASSERT(cond)                                                                          \
	do {                                                                                       \
		if (!(cond)) {                                                                     \
			fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #cond);  \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

#define FUZZ_PATH 256

/* The input as a file in memory; the caller closes the result. @path: how to open it by name. */
static inline int fuzz_file(const uint8_t *data, size_t size, char path[FUZZ_PATH])
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	FUZZ_ASSERT(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, FUZZ_PATH, "/proc/self/fd/%d", fd);
	return fd;
}

/* The name of a file in $TMPDIR, which tests/fuzz/run makes and removes. */
static inline void fuzz_name(char path[FUZZ_PATH], const char *suffix)
{
	const char *dir = getenv("TMPDIR");

	snprintf(path, FUZZ_PATH, "%s/fuzz-%d%s", dir ? dir : "/tmp", (int)getpid(), suffix);
}

static inline void fuzz_write_file(const char *path, const uint8_t *data, size_t size)
{
	FILE *f = fopen(path, "w");

	FUZZ_ASSERT(f && fwrite(data, 1, size, f) == size && !fclose(f));
}

/* For a target that runs commands: no configuration, and at most @output_max bytes in a file. */
static inline int fuzz_start_commands(rlim_t output_max)
{
	const struct rlimit most = { output_max, output_max };

	setenv("FTR_CONFIG", "", 1);
	signal(SIGXFSZ, SIG_IGN);
	return setrlimit(RLIMIT_FSIZE, &most);
}

#endif
