/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a trace file needs beside the data: formats, symbols, comms, clock, statistics. */
#ifndef FTR_RECORD_META_H
#define FTR_RECORD_META_H

#include <stdbool.h>

#include "base/err.h"
#include "base/mem.h"
#include "file/write/dat_write.h"
#include "record/lane/buffer.h"
#include "tracefs/files/tfs.h"

struct meta;

/*
 * Before tracing: header_page, header_event, clock, uname, the formats of @enabled ("system/event")
 * and of the system "ftrace". Quick. Other events' formats are taken when records of such are
 * found; without @enabled all of them are.
 */
struct meta *meta_new(const struct tfs *t, const struct strv *enabled, struct ftr_error *err);
/*
 * While the command runs, in a thread of its own at low priority: kallsyms, which goes into the
 * file of meta_spool() at once; then watches /proc/modules (5 times a second) and takes the symbols
 * and formats of modules that come, so that a module gone at the end is in the file too.
 */
int meta_start(struct meta *m, struct ftr_error *err);
/*
 * Before meta_start(): address maps of processes, and build-ids of their files, go into the file.
 * Those of @pids and, with @children, of what they fork, from meta_follow() on: for a command, once
 * it has been exec'ed. Without meta_maps() it does nothing.
 */
void meta_maps(struct meta *m);
void meta_follow(struct meta *m, const pid_t *pids, size_t n, bool children);
/* The kernel's whole BTF goes into the file. */
void meta_btf(struct meta *m);
/*
 * Notes the time of day beside the clock of a buffer, wall.h, as "wall_begin" or "wall_begin.NAME".
 * meta_finish() notes "wall_end".
 */
void meta_begin(struct meta *m, const char *name, const char *instance);
/*
 * Before meta_spool(): the file is to be compressed. Without room for that, and where there is no
 * file that is recorded into, it is not, with a note.
 */
void meta_pack(struct meta *m, const struct packing *how);
/*
 * Before meta_write(): the file is to be of version 6. Where it can't, it is of version 7, with a
 * note. Not with meta_pack().
 */
void meta_v6(struct meta *m);
/*
 * Before recorder_start(): makes @fd, an empty file (O_RDWR, stays the caller's), the one that is
 * recorded into, complete but for the data as far as its metadata is known: dat_spool.h. Where the
 * file system can't do that the recorders go on to files of their own, and meta_write() copies.
 * 0, or -1 with @err.
 */
int meta_spool(struct meta *m, const struct lane_buffer *bufs, size_t n, int fd, const char *path,
	       struct ftr_error *err);
/*
 * Before meta_spool(): of each CPU the file keeps the last @bytes, and what is older is dropped.
 * Works with a file that is recorded into only.
 */
void meta_keep(struct meta *m, uint64_t bytes);
/* Whether the file of meta_spool() becomes the finished one, without a copy of the data. */
bool meta_joins(const struct meta *m);
/* Is there a file that is recorded into? */
bool meta_spooled(const struct meta *m);
/*
 * After meta_spool(), if meta_spooled(): from meta_start() on what is recorded goes to @s as well,
 * which is borrowed. @consume: what is sent goes away, so that there is no file in the end.
 */
struct send;
void meta_stream(struct meta *m, struct send *s, bool consume, const struct lane_buffer *bufs,
		 size_t n);
/*
 * After meta_finish(): the rest. 0 when all was taken. -1 with @err: not all; without @consume
 * meta_write() makes a file as ever.
 */
int meta_stream_end(struct meta *m, struct ftr_error *err);
/* After recorder_stop(): it has all its data. meta_write() does this if meta_joins(). */
void meta_seal(struct meta *m);
/*
 * After recorder_stop() and before tracefs is put back: statistics, clock, tracer and options of
 * each buffer, saved_cmdlines, printk_formats, module changes, saved_tgids. Reads tracefs and /proc
 * only; @bufs is kept (the recorders are borrowed until meta_free()).
 */
void meta_finish(struct meta *m, const struct lane_buffer *bufs, size_t n);
/* After meta_finish(), if no meta_inherit() follows: begins to end what the kernel ends slowly. */
void meta_last(struct meta *m);
/*
 * Additional "key=value" lines of the DAT_FTR_META section: "tracer", "trace_options.INSTANCE",
 * "command", ...
 */
void meta_note(struct meta *m, const char *key, const char *value);
/*
 * A comm known otherwise (the recorded command's pid, /proc). Does not override a later name from
 * the trace.
 */
void meta_comm(struct meta *m, int pid, const char *comm);
/* Asks /proc for the names of all tasks once more: some that end before the recording is over. */
void meta_name_tasks(struct meta *m);

/*
 * Takes over what an earlier file of the same recording had come to know: formats, symbols, names
 * of tasks. Before meta_start(), after meta_write() of @from, of which only totals and notes are
 * of use then.
 */
void meta_inherit(struct meta *m, struct meta *from);

/*
 * The DATE option: what is to be added to a time stamp (in microseconds) to get wall time, see
 * date.h.
 */
void meta_date(struct meta *m, int64_t offset_us);
/* The TSC2NSEC option, see tsc.h. */
struct tsc_scale;
void meta_tsc2nsec(struct meta *m, const struct tsc_scale *scale);

/*
 * Writes the complete file at @fd, after meta_finish() (tracefs is no longer needed): that of
 * meta_spool() if meta_joins(), else an empty one. The data is read once for what its sched and
 * task events say about comms, for the totals and checksums, unless that was done while it was
 * recorded. Returns as dat_finish() does: 0, 1 when the file lacks something, -1 when it has no
 * data and the recorders have all.
 */
int meta_write(struct meta *m, int fd, const char *path, struct ftr_error *err);
/*
 * Totals for the summary line, after meta_write (even a failed one): events and lost events counted
 * in the data.
 */
struct meta_totals { uint64_t events, lost, bytes; bool lost_unknown; unsigned int cpus; };
void meta_totals(const struct meta *m, struct meta_totals *out);
/* The same of one buffer, in the order given to meta_finish(). */
void meta_buffer_totals(const struct meta *m, size_t i, struct meta_totals *out);
/*
 * After meta_finish(): ", max latency 51 us" for each tracer that measured one. False: none did.
 */
bool meta_latencies(const struct meta *m, struct buf *out);
/*
 * What is missing in the file and why ("no kernel symbols: /proc/kallsyms hides the addresses"),
 * one note each. Borrowed.
 */
const struct strv *meta_notes(const struct meta *m);
void meta_free(struct meta *m);

#endif
