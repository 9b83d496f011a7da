/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads what the recorders write, behind them: names, numbers and checksums for the end. */
#ifndef FTR_RECORD_FOLLOW_H
#define FTR_RECORD_FOLLOW_H

#include <stdint.h>

#include "base/err.h"
#include "file/spool/dat_join.h"
#include "file/write/dat_write.h"
#include "record/capture/comms.h"
#include "record/capture/formats.h"
#include "record/capture/walk.h"
#include "record/file/pack.h"
#include "record/lane/recorder.h"
#include "ring/page.h"

struct follow;

/* @f is looked at here only. */
struct follow *follow_new(const struct formats *f);
/* One more buffer, before follow_start(). The recorder is borrowed. */
void follow_add(struct follow *f, struct recorder *r, const struct ring_layout *layout);
/*
 * Of each CPU the last @bytes are kept, about, and what is older is dropped, recorder_drop(). After
 * follow_finish() it is not more; totals and checksums are of what is kept. Before follow_start().
 */
void follow_keep(struct follow *f, uint64_t bytes);
/* What is read goes there as well, borrowed: a region for each CPU. Without follow_keep(). */
void follow_pack(struct follow *f, struct pack *p);
/*
 * In a thread of its own, at low priority if it compresses; whole DAT_SUM_RANGEs only. Without it
 * all is done in follow_finish().
 */
int follow_start(struct follow *f, struct ftr_error *err);
/*
 * Instead: the data of the @cpu-th CPU of the @buffer-th buffer up to @end, a multiple of the
 * sub-buffer size, in the calling thread. The checksums are of no use then.
 */
void follow_upto(struct follow *f, size_t buffer, size_t cpu, uint64_t end);
/* Ends the thread: what it has not come to is left to follow_finish(). */
void follow_pause(struct follow *f);
/* After recorder_stop(): all that is left, at the caller's priority. Once is enough. */
void follow_finish(struct follow *f);

/* After follow_finish(). Of the @cpu-th CPU of the @buffer-th buffer. */
const struct walk_totals *follow_totals(const struct follow *f, size_t buffer, size_t cpu);
/* errno of what could not be read back, 0 = fine. follow_sys(): of any CPU. */
int follow_failed(const struct follow *f, size_t buffer, size_t cpu);
int follow_sys(const struct follow *f);
/* Those of each CPU of each buffer in turn, of none after follow_pack(). */
const struct dat_region_sums *follow_sums(const struct follow *f);
const struct walk *follow_walk(const struct follow *f);
const struct comms *follow_comms(const struct follow *f);
void follow_free(struct follow *f);

#endif
