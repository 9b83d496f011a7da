/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tells when a recording would record how it is written itself. */
#ifndef FTR_RECORD_NEAR_H
#define FTR_RECORD_NEAR_H

#include <stdbool.h>

#include "base/mem.h"
#include "record/plan/plan.h"

/*
 * Our own threads are hidden, but not what kernel threads do for them: the journal, writing back,
 * the disk's driver. What of @enabled ("system/event") or of the functions of @p is of the file
 * system or the disk that the file behind @fd is on: in words, or false. Not where only some tasks
 * are traced.
 */
bool near_traced(const struct rec_plan *p, int fd, const struct strv *enabled, struct buf *out);
/* For that: the file system's type and its device, out of lines of /proc/self/mountinfo. */
bool near_mount(const char *mountinfo, unsigned int major, unsigned int minor, struct buf *type,
		struct buf *device);

#endif
