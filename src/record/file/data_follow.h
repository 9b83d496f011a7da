/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the recorders' data while they write it, to have names, totals and checksums at the end. */
#ifndef FTR_RECORD_FILE_DATA_FOLLOW_H
#define FTR_RECORD_FILE_DATA_FOLLOW_H

#include <stdint.h>

#include "base/err.h"
#include "file/ring/page.h"
#include "file/write/dat_join.h"
#include "file/write/dat_write.h"
#include "record/capture/capture_comms.h"
#include "record/capture/capture_formats.h"
#include "record/capture/data_walk.h"
#include "record/cpu/recorder.h"
#include "record/file/data_pack.h"

struct data_follow;

/* Allocates a follower; follow_free() frees it. @f is used during the call only. */
struct data_follow *follow_new(const struct format_files *f);
/* Adds the buffer of @r, which is borrowed. Call it before follow_start(). */
void follow_add(struct data_follow *f, struct recorder *r, const struct ring_layout *layout);
/*
 * Keeps about the last @bytes of each CPU, and drops older data with recorder_drop(). After
 * follow_finish() no more than @bytes are left. Totals and checksums count only the kept data. Call
 * it before follow_start().
 */
void follow_keep(struct data_follow *f, uint64_t bytes);
/*
 * Also passes the data to @p, borrowed, which has a region for each CPU. It can't be combined with
 * follow_keep().
 */
void follow_pack(struct data_follow *f, struct data_pack *p);
/*
 * Starts a thread that reads whole DAT_SUM_RANGEs, at low priority if it compresses. If it is not
 * called, follow_finish() reads all data. Returns 0, or -1 with @err.
 */
int follow_start(struct data_follow *f, struct ftr_error *err);
/*
 * Reads the data of the @cpu-th CPU of the @buffer-th buffer up to @end, a multiple of the
 * sub-buffer size, in the calling thread, which replaces the thread of follow_start(). The
 * checksums are then not usable.
 */
void follow_upto(struct data_follow *f, size_t buffer, size_t cpu, uint64_t end);
/* Ends the thread; follow_finish() reads the rest. */
void follow_pause(struct data_follow *f);
/* Reads the rest of the data at the caller's priority. Call it once, after recorder_stop(). */
void follow_finish(struct data_follow *f);

/* Returns the totals of the @cpu-th CPU of the @buffer-th buffer. Call it after follow_finish(). */
const struct walk_totals *follow_totals(const struct data_follow *f, size_t buffer, size_t cpu);
/*
 * follow_failed() returns the errno of a failed read of this CPU, 0 if none; follow_sys() that of
 * any CPU.
 */
int follow_failed(const struct data_follow *f, size_t buffer, size_t cpu);
int follow_sys(const struct data_follow *f);
/*
 * Returns the checksums of each CPU of each buffer, in order. They have n = 0 if follow_pack() was
 * called, or if data was dropped by less than a DAT_SUM_RANGE.
 */
const struct dat_region_sums *follow_sums(const struct data_follow *f);
const struct data_walk *follow_walk(const struct data_follow *f);
const struct task_comms *follow_comms(const struct data_follow *f);
void follow_free(struct data_follow *f);

#endif
