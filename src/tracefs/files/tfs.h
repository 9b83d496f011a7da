/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds tracefs and reads files of the top level and instances. Only clear_buffer() writes. */
#ifndef FTR_TRACEFS_TFS_H
#define FTR_TRACEFS_TFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

/*
 * One tracefs. All paths in this room are relative to its root: "current_tracer",
 * "instances/x/tracing_on". The name of an instance is NULL or "" for the top level.
 */
struct tfs {
	int   dirfd;
	char *path;			/* "/sys/kernel/tracing" */
};

/*
 * Finds the mount point of tracefs and opens it. It never mounts tracefs. If $FTR_TRACEFS is set,
 * it replaces the mount point, for tests. Returns 0, or -1 with @err, which distinguishes the
 * causes: not mounted (the hint shows how to mount it), no permission (the hint names the group of
 * the mount, or root), a kernel without tracefs, lockdown.
 */
int tfs_open(struct tfs *t, struct ftr_error *err);
void tfs_close(struct tfs *t);
/* Sets the hint of @err if @sys means missing permission for the tracefs at @path. Returns -1. */
int tfs_hint_rights(const char *path, int sys, struct ftr_error *err);

/* Writes the path of @file in @instance to @b (reset first). Returns b->data. */
const char *tfs_path(struct buf *b, const char *instance, const char *file);
/* Writes "events/SYSTEM/EVENT/FILE" for @event ("SYSTEM:EVENT") to @b, and returns b->data. */
const char *tfs_event_file(struct buf *b, const char *event, const char *file);
bool tfs_exists(const struct tfs *t, const char *instance, const char *file);
/*
 * True if the file can be opened for reading. Some kernels have files of the function tracer that
 * even root cannot open.
 */
bool tfs_opens(const struct tfs *t, const char *instance, const char *file);
/* Reads the whole file into @out (reset first). Returns 0, or -1 with errno and @err. */
int tfs_read(const struct tfs *t, const char *instance, const char *file, struct buf *out,
	     struct ftr_error *err);
/* Returns the first line without newline, "" if it can't be read. The caller frees. */
char *tfs_line(const struct tfs *t, const char *instance, const char *file);

/* Append names to @out, for checks, suggestions and completion. They return 0, or -1 with @err. */
int tfs_tracers(const struct tfs *t, const char *instance, struct strv *out, struct ftr_error *err);
int tfs_options(const struct tfs *t, const char *instance, struct strv *out, struct ftr_error *err);
int tfs_clocks(const struct tfs *t, const char *instance, struct strv *out, char **current,
	       struct ftr_error *err);
int tfs_instances(const struct tfs *t, struct strv *out, struct ftr_error *err);
int tfs_events(const struct tfs *t, struct strv *out, struct ftr_error *err);	/* "system:event" */
/*
 * Appends the events that accept triggers: available_events and ftrace:print. The kernel does not
 * list ftrace:print because only trace_marker records it. Returns 0, or -1 with @err.
 */
int tfs_trigger_events(const struct tfs *t, struct strv *out, struct ftr_error *err);
/* Returns 0 if @instance exists (NULL and "" do), else -1 with @err and a did-you-mean hint. */
int tfs_check_instance(const struct tfs *t, const char *instance, struct ftr_error *err);

/*
 * Appends the paths, "system/event", of the events that match @pattern: "system:event", "system",
 * "event", "system:", ":event", "all", with globs in each part. Returns 1 if an event matched, 0
 * with @err and a did-you-mean hint if none did, -1 with @err on other errors.
 */
int tfs_match_events(const struct tfs *t, const char *pattern, struct strv *out,
		     struct ftr_error *err);
/* The same for the events that accept triggers. */
int tfs_match_trigger_events(const struct tfs *t, const char *pattern, struct strv *out,
			     struct ftr_error *err);

/*
 * Returns the sub-buffer size in bytes of @instance: buffer_subbuf_size_kb, else the page size in
 * events/header_page.
 */
uint32_t tfs_subbuf_size(const struct tfs *t, const char *instance);

/* The counters in per_cpu/cpuN/stats, since the last reset of the buffer. */
struct tfs_stats {
	uint64_t entries, overrun, commit_overrun, bytes, dropped, read_events;
};
int tfs_stats(const struct tfs *t, const char *instance, int cpu, struct tfs_stats *st);
/*
 * The same for repeated reads: tfs_stats_open() returns a descriptor, which tfs_stats_read() reads
 * any number of times. They return -1 with errno.
 */
int tfs_stats_open(const struct tfs *t, const char *instance, int cpu);
int tfs_stats_read(int fd, struct tfs_stats *st);
/*
 * Lists the CPUs that have a directory per_cpu/cpuN, ascending. The caller frees *cpus. Returns 0,
 * or -1 with @err.
 */
int tfs_cpus(const struct tfs *t, const char *instance, int **cpus, size_t *n,
	     struct ftr_error *err);

/*
 * Appends one text, "'cat' (pid 77) reads trace_pipe", for each process that has a trace_pipe* of
 * @instance open, at most @max. Only root sees processes of other users.
 */
void tfs_readers(const struct tfs *t, const char *instance, size_t max, struct strv *out);
/* True if the buffer holds records. */
bool tfs_has_data(const struct tfs *t, const char *instance);
/* Returns the number of records in the buffers of all CPUs that can be read. */
uint64_t tfs_buffered(const struct tfs *t, const char *instance);
/*
 * Empties the buffer of @cpu (-1 = of all CPUs) of @instance (NULL = top). Its records can't be
 * restored. Returns 0, or -1 with @err.
 */
int clear_buffer(const struct tfs *t, const char *instance, int cpu, struct ftr_error *err);

#endif
