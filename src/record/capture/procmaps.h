/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads address maps of traced processes and build-ids of their files while the processes live. */
#ifndef FTR_RECORD_PROCMAPS_H
#define FTR_RECORD_PROCMAPS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/mem.h"

/*
 * Appends the note NT_GNU_BUILD_ID of the ELF file @fd, which identifies its debug information, as
 * hexadecimal digits. The file is untrusted, and must have this machine's byte order. Returns
 * false, with nothing appended, if it has no valid note.
 */
bool build_id_read(int fd, struct buf *out);

/*
 * Address maps, read by a thread: often right after the start, then less often, down to five times
 * a second. With children it uses at most a twentieth of the time. The last map of a process that
 * is not empty is kept, as it is empty when the process ends.
 */
struct procmaps;

struct procmaps *procmaps_new(void);
/* Starts the thread, which waits for procmaps_follow(). */
int procmaps_start(struct procmaps *m, struct ftr_error *err);
/* Sets the processes and, with @children, those that they fork. Call it once. */
void procmaps_follow(struct procmaps *m, const pid_t *pids, size_t n, bool children);
/* Reads the maps a last time and ends the thread. Call the functions below afterwards. */
void procmaps_stop(struct procmaps *m);
size_t procmaps_n(const struct procmaps *m);	/* number of processes with a map */
/* Appends the PROCMAPS option of process @i, with its NUL. */
void procmaps_option(const struct procmaps *m, size_t i, struct buf *out);
/* Does the same for any process, from its program and the text of its /proc/PID/maps. */
void procmaps_text(pid_t pid, const char *exe, const char *maps, struct buf *out);
/* Returns "BUILDID PATH" of each file that was mapped executable, sorted. Borrowed. */
const struct strv *procmaps_files(struct procmaps *m);
/* Returns the number of processes left out because there were too many. */
size_t procmaps_missing(const struct procmaps *m);
void procmaps_free(struct procmaps *m);

#endif
