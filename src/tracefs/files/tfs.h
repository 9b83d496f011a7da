/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds tracefs and reads its files: the top level and instances. Reading never changes anything.
 */
#ifndef FTR_TRACEFS_TFS_H
#define FTR_TRACEFS_TFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

/*
 * One tracefs. All paths in this layer are relative to its root: "current_tracer",
 * "instances/x/tracing_on". Names of instances are given as NULL or "" for the top level.
 */
struct tfs {
	int   dirfd;
	char *path;			/* "/sys/kernel/tracing" */
};

/*
 * Where tracefs is mounted (libtracefs looks it up without mounting); $FTR_TRACEFS overrides it
 * for tests. Nothing is mounted. Errors tell apart: not mounted (hint: how), no rights (hint: group
 * of the mount, or root), kernel without tracefs, lockdown.
 */
int tfs_open(struct tfs *t, struct ftr_error *err);
void tfs_close(struct tfs *t);
/* The hint for a use of the tracefs at @path that lack of rights (@sys) forbade. Returns -1. */
int tfs_hint_rights(const char *path, int sys, struct ftr_error *err);

/* Path of @file in @instance, into @b (reset first); returns b->data. */
const char *tfs_path(struct buf *b, const char *instance, const char *file);
/* "events/SYSTEM/EVENT/FILE" of "SYSTEM:EVENT", into @b (reset first); returns b->data. */
const char *tfs_event_file(struct buf *b, const char *event, const char *file);
bool tfs_exists(const struct tfs *t, const char *instance, const char *file);
/* It can be opened for reading: some kernels have files of the function tracer that root can't. */
bool tfs_opens(const struct tfs *t, const char *instance, const char *file);
/* Whole file into @out (reset first). -1 with errno and @err. */
int tfs_read(const struct tfs *t, const char *instance, const char *file, struct buf *out,
	     struct ftr_error *err);
/* First line, without newline; "" when it can't be read. The caller frees. */
char *tfs_line(const struct tfs *t, const char *instance, const char *file);

/* Lists for checks, suggestions and completion; each entry a name. 0 or -1. */
int tfs_tracers(const struct tfs *t, const char *instance, struct strv *out, struct ftr_error *err);
int tfs_options(const struct tfs *t, const char *instance, struct strv *out, struct ftr_error *err);
int tfs_clocks(const struct tfs *t, const char *instance, struct strv *out, char **current,
	       struct ftr_error *err);
int tfs_instances(const struct tfs *t, struct strv *out, struct ftr_error *err);
int tfs_events(const struct tfs *t, struct strv *out, struct ftr_error *err);	/* "system:event" */
/*
 * Those that take triggers: ftrace:print, too, which available_events lacks, as nothing but
 * trace_marker records it.
 */
int tfs_trigger_events(const struct tfs *t, struct strv *out, struct ftr_error *err);
/* 0 if there is such an instance (NULL and "": always); else -1 with a did-you-mean. */
int tfs_check_instance(const struct tfs *t, const char *instance, struct ftr_error *err);

/*
 * Events that match @pattern: "system:event", "system", "event", "system:", ":event", "all", globs
 * in each part. Appends "system/event" paths. 1 when something matched, 0 when nothing did (err is
 * set, with a did-you-mean hint), -1.
 */
int tfs_match_events(const struct tfs *t, const char *pattern, struct strv *out,
		     struct ftr_error *err);
/* The same of those that take triggers. */
int tfs_match_trigger_events(const struct tfs *t, const char *pattern, struct strv *out,
			     struct ftr_error *err);

/*
 * Sub-buffer size in bytes of @instance: buffer_subbuf_size_kb, else the page size in
 * events/header_page.
 */
uint32_t tfs_subbuf_size(const struct tfs *t, const char *instance);

/* per_cpu/cpuN/stats, counters since the buffer was reset. */
struct tfs_stats {
	uint64_t entries, overrun, commit_overrun, bytes, dropped, read_events;
};
int tfs_stats(const struct tfs *t, const char *instance, int cpu, struct tfs_stats *st);
/* The same for who asks often: a descriptor, then as often as wanted. -1 with errno. */
int tfs_stats_open(const struct tfs *t, const char *instance, int cpu);
int tfs_stats_read(int fd, struct tfs_stats *st);
/* CPUs that have a per_cpu/cpuN folder, ascending. */
int tfs_cpus(const struct tfs *t, const char *instance, int **cpus, size_t *n,
	     struct ftr_error *err);

/*
 * Who reads trace_pipe* of it, one "'cat' (pid 77) reads trace_pipe" a process, at most @max. Those
 * of other users are seen by root only.
 */
void tfs_readers(const struct tfs *t, const char *instance, size_t max, struct strv *out);
/* Does the buffer hold records? --force may not override that lightly. */
bool tfs_has_data(const struct tfs *t, const char *instance);
/* How many records can be read from all CPUs of it. */
uint64_t tfs_buffered(const struct tfs *t, const char *instance);

#endif
