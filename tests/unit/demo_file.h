/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tests that write trace files share: sub-buffers of demo records, metadata, a folder to write to. */
#ifndef TESTS_DEMO_FILE_H
#define TESTS_DEMO_FILE_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "demo.h"
#include "file/ring/page.h"
#include "file/write/dat_join.h"
#include "file/write/dat_write.h"
#include "tap.h"

#define SUBBUF 4096

/* The number of the record behind @number, the @n-th of its sub-buffer. */
typedef uint64_t (*demo_next_fn)(uint64_t number, int n);

static inline uint64_t demo_next(uint64_t number, int n)
{
	(void)n;
	return number + 1;
}

/* A full sub-buffer, the same bytes for the same arguments. Returns the records in it. */
static inline int demo_page(uint8_t *mem, int region, int page, demo_next_fn next)
{
	struct ring_layout l = { .commit_size = 8, .commit_off = 8, .data_off = 16, .subbuf_size = SUBBUF };
	struct demo d = { .type = 900, .pid = 7, .number = region * 1000000 + page * 1000 };
	struct ring_build b;
	int n = 0;

	memset(mem, 0, SUBBUF);
	ring_build_start(&b, &l, mem, 1000000000ULL + page * 1000000 + region);
	while (ring_build_event(&b, 1000, &d, sizeof(d)))
		d.number = next(d.number, n++);
	ring_build_commit(&b, 0);
	return n;
}

static inline void demo_event_format(struct dat_writer *w)
{
	struct dat_write_format demo = { "demo", demo_format, sizeof(demo_format) - 1 };

	dat_write_event_formats(w, &demo, 1);
}

static inline void demo_formats(struct dat_writer *w)
{
	struct dat_write_format ftrace = { "ftrace", print_format, sizeof(print_format) - 1 };

	dat_write_header_info(w, header_page, sizeof(header_page) - 1, header_event,
			      sizeof(header_event) - 1);
	dat_write_ftrace_events(w, &ftrace, 1);
	demo_event_format(w);
}

static inline void demo_texts(struct dat_writer *w, uint32_t nr_cpus)
{
	dat_write_blob(w, DAT_KALLSYMS, "ffffffff81000000 T _stext\n", 26);
	dat_write_blob(w, DAT_PRINTK, "", 0);
	dat_write_blob(w, DAT_CMDLINES, "7 writer\n", 9);
	dat_add_option(w, DAT_CPUCOUNT, &nr_cpus, sizeof(nr_cpus));
	dat_add_option(w, DAT_TRACECLOCK, "[local] global", 15);
}

/* Can the parts of a file in @dir be joined in place? If not that is said as a skip. */
static inline bool demo_can_join(const char *dir)
{
	char *probe = xasprintf("%s/probe", dir);
	int fd = open(probe, O_RDWR | O_CREAT, 0600);
	bool can = dat_can_join(fd);

	if (!can)
		TAP_SKIP("joining in place", "the file system of /var/tmp cannot remove a range");
	close(fd);
	free(probe);
	return can;
}

/* Removes @dir: the exit status of the test. */
static inline int demo_done(const char *dir)
{
	char *cmd = xasprintf("rm -rf %s", dir);
	int ret = system(cmd);

	free(cmd);
	return ret ? 1 : tap_done();
}

#endif
