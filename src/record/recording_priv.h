/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What recording.c and recording_next.c share: a recording and the file that it goes to. */
#ifndef FTR_RECORD_RECORDING_PRIV_H
#define FTR_RECORD_RECORDING_PRIV_H

#include "record/capture/capture.h"
#include "record/child_command.h"
#include "record/cpu/recorder.h"
#include "record/file/outfile.h"
#include "record/net/send_recording.h"
#include "record/recording.h"
#include "record/rescue/guardian.h"
#include "record/setup/plan_apply.h"
#include "record/setup/worker_thread.h"
#include "record/sink/sink.h"
#include "record/watch.h"

/* What is recorded into. */
struct rec_file {
	char *path;			/* as it is named, also in messages */
	struct outfile *out;		/* NULL: none, the data is live */
	struct capture *capture;	/* while it goes on, */
	const struct captured *captured;	/* and what it came to; never both */
	struct sink *sink;
	struct recorder **recs;		/* one a place, NULL = not made yet */
	struct budget *budget;		/* of all of them, NULL = no bound */
};

struct recording {
	const struct rec_plan *p;
	struct child child;
	struct rec_file f;
	struct series series;		/* --rotate */
	struct send *send;		/* where the recording goes beside the file, or NULL */
	struct tfs tfs;
	bool has_tfs;
	struct session *session;
	struct worker restoring;	/* puts tracefs back beside the writing of the file */
	struct ftr_error restore_err;
	struct guardian *guardian;
	struct rec_setup up;
	unsigned int nr_recs;		/* recorders so far */
	struct watch watch;
	struct buf off;			/* what others turned off meanwhile, in words */
	uint64_t kept_ns;		/* --flight: so long do the buffers reach back, 0 = all */
	uint64_t begin_ns, end_ns;	/* of recording */
	int  status;			/* the exit status so far */
	bool running;			/* the command was let go and has not ended */
	bool written;			/* the file has its name */
	bool lost;			/* events, in earlier files */
	bool calls;			/* of functions may be in earlier files, or were left out */
	bool stuck;			/* there can't be another file */
};

/* recording.c: a later error does not replace the first. */
void rec_keep_first(struct ftr_error *err, const struct ftr_error *later, const struct rec_plan *p);
/* recording.c: makes ->f.capture and ->f.sink, before anything is recorded into the file. */
int rec_make_file(struct recording *r, struct ftr_error *err);
/* recording.c: makes ->f.recs and the file that they record into, known to journal and guardian. */
int rec_make_recorders(struct recording *r, struct ftr_error *err);
int rec_start_recorders(struct recording *r, struct ftr_error *err);
/* recording.c: what reads the kernel, and what is behind the recorders. */
int rec_start_capture(struct recording *r, struct ftr_error *err);
/* recording.c: tracing is on: notes the time, follows processes. */
void rec_note_begin(struct recording *r);
void rec_follow(struct recording *r);
/* recording.c: the end of a file: what is still to be captured, and then the file itself. */
void rec_end_capture(struct recording *r, bool last);
void rec_write_out(struct recording *r, struct ftr_error *err);
void rec_file_release(const struct recording *r, struct rec_file *f);

/*
 * recording_next.c: recording goes on in the next of the numbered files, and the one before is
 * finished. True when that went so wrong that the recording is to end.
 */
bool rec_next_file(struct recording *r, struct ftr_error *err);

#endif
