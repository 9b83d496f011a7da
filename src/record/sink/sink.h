/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a recording goes: the file that it becomes, or a stream. */
#ifndef FTR_RECORD_SINK_H
#define FTR_RECORD_SINK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "file/parts/packer.h"
#include "record/capture/capture.h"
#include "record/file/outfile.h"
#include "record/net/send.h"
#include "record/rescue/guardian.h"
#include "tracefs/session/session.h"

struct sink;

/* What it is to be. All is borrowed; what is zeroed is not wanted. */
struct sink_plan {
	struct outfile *out;		/* an empty file; without ->part_path it has its name */
	const char *path;		/* as it is named in messages */
	bool     taken;			/* what the recorders have is in files of their own */
	int      version;		/* 6: of the format; where that can't be, 7 with a note */
	const struct packing *packing;	/* where that can't be done it is not, with a note */
	uint64_t keep_bytes;		/* of each CPU the last so many, what is older is dropped */
	uint64_t sync_ns;		/* how often it goes to the disk */
	bool     flight;		/* nothing comes before the end */
	struct send *send;		/* what is recorded goes there as well */
	bool     consume;		/* and away: there is no file in the end */
	const char *sent_to;		/* who takes it, in words */
	struct session *session;	/* whose journal notes the file, should we be killed */
	struct guardian *guardian;	/* which completes it then */
	void (*warn)(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
};

/*
 * Opens @path or, if all is to go to standard output, a file without a name; and the way to
 * @listener (NULL = none), or to standard output: *send, which is the caller's to free. 0, or -1
 * with @err.
 */
int sink_open_output(struct outfile *out, struct send **send, const char *path, bool to_stdout,
		     const char *listener, struct ftr_error *err);
struct sink *sink_new(const struct sink_plan *plan);
/*
 * Before recorder_start(): says where in the file each recorder writes. The file is complete but
 * for the data as far as @c knows: dat_spool.h. Where the file system can't do that the recorders
 * go on to files of their own, which are copied in the end. 0, or -1 with @err.
 */
int sink_place(struct sink *s, struct capture *c, const struct lane_buffer *bufs, size_t n,
	       struct ftr_error *err);
/* What capture_start() is to know. @out->ctx is @s. */
void sink_hooks(struct sink *s, struct capture_hooks *out);
/* What the recorders write is read, sent, and brought to the disk, each in a thread of its own. */
int sink_begin(struct sink *s, struct ftr_error *err);
/* Nobody takes what is recorded any more: it is of no use to go on. */
bool sink_failed(const struct sink *s);
/* No more is brought to the disk: the recorders are about to end. NULL is fine. */
void sink_halt(struct sink *s);
/* The recorders have ended: what is not on the disk is on its way, beside what the caller does. */
void sink_flush(struct sink *s);
/*
 * All is taken and tracefs is about to be put back: what its buffers hold from here on is not of
 * this recording, whoever completes it.
 */
void sink_all_taken(struct sink *s);
/*
 * Completes the file, which gets its name; tracefs is no longer needed. The data is read once for
 * what its sched and task events say about comms, for the totals and checksums, unless that was
 * done while it was recorded. 0: it is there, though it may lack something; -1: there is none, what
 * was recorded stays as it is. Either way @err has the first of what went wrong, if it had nothing
 * before: the rest is warned of, and where things are.
 */
int sink_finish(struct sink *s, const struct captured *c, struct ftr_error *err);
/*
 * Instead of sink_finish(), where nothing was recorded: the file has all but the data, and stays
 * unfinished, for whoever puts data into its regions. -1 with @err: it can't be recorded into, or
 * not written.
 */
int sink_leave_front(struct sink *s, const struct captured *c, struct ftr_error *err);
/* Where the recording is. Borrowed. */
const char *sink_name(const struct sink *s);
/* The next file's capture and sink take over what was learnt from the data. */
void sink_inherit(struct sink *next, struct capture *c, struct sink *from);
/* Totals for the summary line, even of a failed one: events and lost ones counted in the data. */
struct sink_totals { uint64_t events, lost, bytes; bool lost_unknown; unsigned int cpus; };
void sink_totals(const struct sink *s, struct sink_totals *out);
/* What the file lacks beside what ->notes of the capture say. Borrowed. */
const struct strv *sink_notes(const struct sink *s);
/* Ends its threads. The capture must have ended. NULL is fine. */
void sink_free(struct sink *s);

#endif
