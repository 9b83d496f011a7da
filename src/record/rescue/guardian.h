/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A small process that completes a recording whose process was killed. */
#ifndef FTR_RECORD_GUARDIAN_H
#define FTR_RECORD_GUARDIAN_H

#include <stdbool.h>

#include "base/err.h"
#include "record/file/outfile.h"
#include "record/lane/recorder.h"

/*
 * In a process group of its own, deaf to signals that ask it to end, it waits for the end of our
 * process, which closes the socket between us. Unless guardian_end() came before, it then stops
 * tracing, takes what is in the pipes and in the kernel's buffers into the file, puts tracefs back
 * as the journal says, gives the file its name, and ends. The command is left alone.
 */
struct guardian;

/*
 * Forks; no thread may run yet, and nothing may have been changed in tracefs. @out: the file that
 * is recorded into, NULL = none. NULL with @err.
 */
struct guardian *guardian_start(const struct outfile *out, struct ftr_error *err);
pid_t guardian_pid(const struct guardian *g);
/*
 * What guardian_watch() names from here on goes into another file; what was on its way to the
 * earlier one still goes there. -1 with @err.
 */
int guardian_next(struct guardian *g, const struct outfile *out, struct ftr_error *err);
/* That file is not to be after all. */
void guardian_forget(struct guardian *g);
/* The data of @r goes into the last file. Before recorder_start(). -1 with @err. */
int guardian_watch(struct guardian *g, const struct recorder *r, const char *instance,
		   struct ftr_error *err);
/*
 * All data is in the file, whose parts may be moved: tracefs is to be put back, as far as it is
 * not, and the file to be named.
 */
void guardian_all_taken(struct guardian *g);
/* The oldest file is another's business from here on: copied, or named. */
void guardian_let_go(struct guardian *g);
/* All is done. NULL is fine. */
void guardian_end(struct guardian *g);

#endif
