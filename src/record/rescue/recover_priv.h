/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of the recovery share. */
#ifndef FTR_RECORD_RECOVER_PRIV_H
#define FTR_RECORD_RECOVER_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "base/dir_file.h"
#include "file/read/dat.h"
#include "file/write/dat_write.h"
#include "record/capture/capture_comms.h"
#include "record/capture/capture_formats.h"
#include "record/capture/data_walk.h"
#include "record/rescue/rescue.h"

/* One buffer of the file. ->cpus are pieces: several for one CPU. */
struct rescued_buffer {
	char    *name, *clock;		/* "" = top level */
	uint32_t subbuf_size;
	struct dat_write_cpu *cpus;
	size_t   n;
};

struct recover {
	const struct recover_plan *p;
	struct place in, out;		/* the file; where the new one goes, perhaps the same */
	int  fd;			/* the file, from the first look on */
	struct stat was;		/* of the file */
	bool in_place;			/* the new one replaces it */
	bool own;			/* the new file is the caller's, and may know the kernel */
	struct dat *from;		/* ->p->from, or NULL */
	struct buf header_page, header_event;
	struct formats formats;
	struct buf kallsyms, printk, protos, oops, btf;
	struct dat *latencies;		/* the file that has some, or NULL */
	struct comms comms;
	struct buf saved_comms;		/* lines "PID COMM" */
	bool has_comms;			/* from somewhere else than the events */
	struct buf text;		/* lines of DAT_FTR_META */
	char *uname;
	struct strv lacks;		/* "kernel symbols (recorded in another boot)" */
	const struct dat *whole;	/* a stream that lacks nothing; else NULL */
	bool live;			/* the running kernel is the one that was recorded */
	bool sorted;			/* ->kallsyms, by address */

	struct rescued_buffer *bufs;
	size_t nr_bufs;
	uint32_t nr_cpus;
	int     *fds;			/* of CPUs, closed at the end */
	size_t   nr_fds, cap_fds;
	int      mended_fd;		/* one of them: sub-buffers behind gaps, unpacked ones */
	off_t    mended_bytes;
	bool     gaps;			/* some are behind gaps */
	bool     full;			/* there is no room for them */
	struct walk_totals sum;
	uint64_t bytes, left_out;	/* of the CPUs' data */
};

/* --- recover_meta.c */

/* Takes over what a trace file knows. */
void recover_know_file(struct recover *r, struct dat *d);
/* What only the file itself can tell: it is the one that is recovered. Borrowed. */
void recover_keep(struct recover *r, struct dat *d);
/* The same of the running kernel, as far as it is not known yet. -1: it tells nothing. */
int recover_know_kernel(struct recover *r, struct ftr_error *err);
/* Names of tasks, functions with arguments, from the data; what is missing is listed then. */
void recover_see(struct recover *r, const struct walk *w);
/* A complete file. As dat_finish(). */
int recover_write(struct recover *r, int fd, const char *path, struct ftr_error *err);
/* What a file lacks whose formats and data are there, as far as there is room. */
void recover_write_rest(struct recover *r, struct dat_writer *w);
/* Bytes of that which there must be. */
size_t recover_rest_bytes(const struct recover *r);
struct rescued_buffer *recover_add_buffer(struct recover *r, const char *name, const char *clock,
					  uint32_t subbuf_size);
/* @fd is closed at the end. */
void recover_own(struct recover *r, int fd);
void recover_add_cpu(struct recover *r, struct rescued_buffer *b, const struct dat_write_cpu *c);

/* --- recover_join.c */

/*
 * Finishes the file in its place. 0, -1 with @err, or 1: it can't be, and is as it was. Whenever it
 * ends the file can be read, and recovered.
 */
int recover_join(struct recover *r, struct ftr_error *err);

/* --- rescue.c */

/* Opens a file to read it; place_open() says where links are followed. -1 with @err. */
int recover_open(const char *path, struct ftr_error *err);

/* --- recover_raw.c: files "NAME.cpuN" */

/* Whether @file is called like raw data of a CPU. */
bool recover_is_raw(const char *file);
/* Appends the raw data that lies beside @name: "NAME.cpuN", "NAME.INSTANCE.cpuN". */
void recover_find_raw(const char *name, struct strv *out);
/*
 * Opens them, and walks them with what is known of the kernel. *base: NAME, the caller frees. -1
 * with @err.
 */
int recover_raw(struct recover *r, const struct strv *files, char **base, struct ftr_error *err);

#endif
