/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs a small process that completes a recording whose process was killed. */
#ifndef FTR_RECORD_GUARDIAN_H
#define FTR_RECORD_GUARDIAN_H

#include <stdbool.h>

#include "base/err.h"
#include "record/cpu/recorder.h"
#include "record/file/outfile.h"

/*
 * The guardian has a separate process group, ignores signals that ask it to end, and waits for the
 * end of our process, which closes the socket between the two. If guardian_end() was not called
 * before that, it stops tracing, moves the data in the pipes and the kernel's buffers to the file,
 * restores tracefs by the journal, gives the file its name, and ends. It does not touch the
 * command.
 */
struct guardian;

/*
 * Forks the guardian. Call it before any thread runs and before any change of tracefs. @out is the
 * file recorded into, NULL = none. Returns NULL with @err.
 */
struct guardian *guardian_start(const struct outfile *out, struct ftr_error *err);
pid_t guardian_pid(const struct guardian *g);
/*
 * Sets the next file, for the recorders of later guardian_watch() calls. Data on its way to the
 * earlier file still goes there. Returns -1 with @err.
 */
int guardian_next(struct guardian *g, const struct outfile *out, struct ftr_error *err);
/* Cancels the file of guardian_next(). */
void guardian_forget(struct guardian *g);
/*
 * Adds @r, whose data goes to the last file. Call it before recorder_start(). Returns -1 with @err.
 */
int guardian_watch(struct guardian *g, const struct recorder *r, const char *instance,
		   struct ftr_error *err);
/*
 * Reports that all data is in the file, whose parts may be moved from now on. The guardian then
 * only has to restore tracefs and to name the file.
 */
void guardian_all_written(struct guardian *g);
/* Releases the oldest file, if our process copies it or has named it. */
void guardian_let_go(struct guardian *g);
/* Ends the guardian when all is done. @g may be NULL. */
void guardian_end(struct guardian *g);

#endif
