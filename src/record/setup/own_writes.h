/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Detects a recording that would trace its own writes. */
#ifndef FTR_RECORD_SETUP_OWN_WRITES_H
#define FTR_RECORD_SETUP_OWN_WRITES_H

#include <stdbool.h>

#include "base/mem.h"
#include "record/setup/plan.h"

/*
 * Our own threads are hidden, but not the work of kernel threads for them: journal, writeback, disk
 * driver. True if some of @enabled ("system/event") or of the functions of @p belong to the file
 * system or the disk of the file @fd; it then appends a warning to @out. False if only some tasks
 * are traced.
 */
bool near_traced(const struct rec_plan *p, int fd, const struct strv *enabled, struct buf *out);
/*
 * Its parser: finds the type of the file system and its device in the lines of
 * /proc/self/mountinfo.
 */
bool near_mount(const char *mountinfo, unsigned int major, unsigned int minor, struct buf *type,
		struct buf *device);

#endif
