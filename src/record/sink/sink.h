/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The destination of a recording: a file or a stream. */
#ifndef FTR_RECORD_SINK_H
#define FTR_RECORD_SINK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "file/compress.h"
#include "record/capture/capture.h"
#include "record/file/outfile.h"
#include "record/net/send_recording.h"
#include "record/rescue/guardian.h"
#include "tracefs/session/session.h"

struct record_sink;

/* The settings of a sink, all borrowed. Zeroed members are not used. */
struct sink_plan {
	struct outfile *out;	/* an empty file; if it has no ->part_path, it has its final name */
	const char *path;		/* its name in messages */
	bool     taken;			/* the recorders have their data in their own files */
	int      version; /* version of the format, 6 or 7; if 6 is not possible, 7 with a note */
	const struct compress_opts *packing; /* compression; if not possible, none, with a note */
	uint64_t keep_bytes;		/* last bytes of each CPU to keep; older data is dropped */
	uint64_t sync_ns;		/* time between two writes to the disk */
	bool     flight;		/* a flight recorder: no data is written before the end */
	struct send_queue *send;		/* sends the data to a receiver as well, or NULL */
	bool     consume;	/* with ->send: drop the data that was sent; no file is left */
	const char *sent_to;		/* the receiver, in messages */
	/* its journal notes the file, in case we are killed; may be NULL */
	struct session *session;
	struct guardian *guardian;	/* completes the file if we are killed; may be NULL */
	void (*warn)(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
};

/*
 * Opens @path or, if @to_stdout, a file without a name. If @to_stdout or @listener is set, it also
 * opens *send, which the caller frees. Returns 0, or -1 with @err.
 */
int sink_open_output(struct outfile *out, struct send_queue **send, const char *path,
		     bool to_stdout, const char *listener, struct ftr_error *err);
struct record_sink *sink_new(const struct sink_plan *plan);
/*
 * Gives each recorder its place in the file. Call it before recorder_start(). The file then has
 * everything that @c contains, except the data: dat_regions.h. If the file system lacks support,
 * the recorders write to their own files, which are copied at the end. Returns 0, or -1 with @err.
 */
int sink_place(struct record_sink *s, struct meta_capture *c, const struct recorded_buffer *bufs,
	       size_t n, struct ftr_error *err);
/* Fills the hooks for capture_start(); @out->ctx is @s. */
void sink_hooks(struct record_sink *s, struct capture_hooks *out);
/*
 * Starts the threads that the plan needs: one reads the recorders' data, one sends it, and one
 * writes it to the disk. Returns 0, or -1 with @err.
 */
int sink_begin(struct record_sink *s, struct ftr_error *err);
/* Returns true if the receiver is gone and there is no file: the recording is useless. */
bool sink_failed(const struct record_sink *s);
/* Ends the thread that writes to the disk, before the recorders end. @s may be NULL. */
void sink_halt(struct record_sink *s);
/*
 * Writes the rest of the data to the disk in the background. Call it when the recorders have ended.
 */
void sink_flush(struct record_sink *s);
/*
 * Notes that all data was read. Call it before tracefs is restored: if another process completes
 * the file, it must not read the kernel's buffers any more.
 */
void sink_all_written(struct record_sink *s);
/*
 * Completes the file and gives it its name. It does not need tracefs. It reads the data once for
 * the comms in sched and task events, the totals and the checksums, unless that was done during the
 * recording. Returns 0 if the file exists, though it may lack something; -1 if there is no file,
 * and the recorded data stays as it is. In both cases @err gets the first error, unless it has one
 * already. ->warn() prints further errors, and the places of files.
 */
int sink_finish(struct record_sink *s, const struct captured_meta *c, struct ftr_error *err);
/*
 * Replaces sink_finish() if nothing was recorded: the file has everything but data and stays
 * unfinished, so that another process can put data into its regions. Returns 0, or -1 with @err if
 * the file can't be recorded into or written.
 */
int sink_leave_skeleton(struct record_sink *s, const struct captured_meta *c,
			struct ftr_error *err);
/* Returns the name of the file or of the receiver, borrowed. */
const char *sink_name(const struct record_sink *s);
/* Passes names and formats learnt from the data on to the next file's capture and sink. */
void sink_inherit(struct record_sink *next, struct meta_capture *c, struct record_sink *from);
/*
 * Totals for the summary line, also of a failed recording: events and lost events, counted in the
 * data.
 */
struct sink_totals {
	uint64_t events, lost, bytes;
	uint64_t overwritten; /* events that a flight recorder overwrote before the first record */
	bool lost_unknown;
	bool calls;	/* some events are of the tracers function and function_graph */
	bool unread;			/* some of the data was not read, or is not valid */
	unsigned int cpus;
};

void sink_totals(const struct record_sink *s, struct sink_totals *out);
/* Returns notes about parts that the file lacks, besides the ->notes of the capture. Borrowed. */
const struct strv *sink_notes(const struct record_sink *s);
/* Ends the threads and frees @s, which may be NULL. The capture must have ended. */
void sink_free(struct record_sink *s);

#endif
