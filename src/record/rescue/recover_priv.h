/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of a recovery, shared by rescue.c, recover_meta.c and recover_raw.c. */
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

/* A buffer of the file. Several entries of ->cpus may be of one CPU. */
struct rescued_buffer {
	char    *name, *clock;		/* "" = top level */
	uint32_t subbuf_size;
	struct dat_write_cpu *cpus;
	size_t   n;
};

struct recover_state {
	const struct recover_plan *p;
	struct dir_file in, out;	/* of the file, and of the new one, which may be the same */
	int  fd;			/* the file */
	struct stat was;		/* owner, mode and identity of the file */
	bool in_place;			/* the new file replaces it */
	bool own;			/* the new file is the caller's: it may have kernel data */
	struct dat *from;		/* ->p->from, or NULL */
	struct buf header_page, header_event;
	struct format_files formats;
	struct buf kallsyms, printk, protos, oops, btf;
	struct dat *latencies;		/* the file, if it may have latency texts, or NULL */
	struct task_comms comms;
	struct buf saved_comms;		/* lines "PID COMM" */
	bool has_comms;			/* ->comms has names that are not from events */
	struct buf text;		/* lines of DAT_FTR_META */
	char *uname;
	struct strv lacks;		/* "kernel symbols (recorded in another boot)" */
	const struct dat *whole;	/* the file, if it is a complete stream, or NULL */
	bool live;			/* the running kernel is the one that was recorded */
	bool sorted;			/* ->kallsyms, by address */

	struct rescued_buffer *bufs;
	size_t nr_bufs;
	uint32_t nr_cpus;
	int     *fds;			/* descriptors that release_recover() closes */
	size_t   nr_fds, cap_fds;
	int      mended_fd;		/* one of them: copies of sub-buffers, 0: none yet */
	off_t    mended_bytes;
	bool     gaps;			/* some sub-buffers follow gaps */
	bool     full;			/* the disk has no room for the copies */
	struct walk_totals sum;
	uint64_t bytes, left_out;	/* bytes of trace data */
};

/* --- recover_meta.c: metadata */

/* Adds the metadata of a trace file that is not known yet. */
void recover_know_file(struct recover_state *r, struct dat *d);
/* Adds metadata that no other file has: @d is the file that is recovered. It is borrowed. */
void recover_keep(struct recover_state *r, struct dat *d);
/*
 * Adds the running kernel's metadata that is not known yet. Returns -1 with @err if it can't be
 * read.
 */
int recover_know_kernel(struct recover_state *r, struct ftr_error *err);
/*
 * Adds prototypes of the functions in the data, and sorts symbols. Adds the missing metadata to
 * ->lacks.
 */
void recover_see(struct recover_state *r, const struct data_walk *w);
/* Writes a complete file. Returns the result of dat_finish(). */
int recover_write(struct recover_state *r, int fd, const char *path, struct ftr_error *err);
/* Writes the metadata that a file with formats and data lacks, symbols only if there is room. */
void recover_write_rest(struct recover_state *r, struct dat_writer *w);
/* Returns the bytes that recover_write_rest() needs, without symbols. */
size_t recover_rest_bytes(const struct recover_state *r);
struct rescued_buffer *recover_add_buffer(struct recover_state *r, const char *name,
					  const char *clock, uint32_t subbuf_size);
/* Adds @fd to the descriptors that are closed at the end. */
void recover_own(struct recover_state *r, int fd);
/* Adds data of a CPU to a buffer. */
void recover_add_cpu(struct recover_state *r, struct rescued_buffer *b,
		     const struct dat_write_cpu *c);

/* --- rescue.c */

/* Opens a file for reading; place_open() decides which links are followed. Returns -1 with @err. */
int recover_open(const char *path, struct ftr_error *err);

/* --- recover_raw.c: files "NAME.cpuN" */

/* Returns true if @file has the name of raw data of a CPU. */
bool recover_is_raw(const char *file);
/* Appends the files with raw data of the recording @name: "NAME.cpuN", "NAME.INSTANCE.cpuN". */
void recover_find_raw(const char *name, struct strv *out);
/*
 * Opens the files, and walks them with the formats of the kernel. *base is set to NAME, which the
 * caller frees. Returns -1 with @err.
 */
int recover_raw(struct recover_state *r, const struct strv *files, char **base,
		struct ftr_error *err);

#endif
