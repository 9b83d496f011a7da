/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of a sink, and the functions that the kinds of sinks share. */
#ifndef FTR_RECORD_SINK_PRIV_H
#define FTR_RECORD_SINK_PRIV_H

#include "base/map.h"
#include "file/read/dat_regions.h"
#include "file/write/dat_write.h"
#include "record/file/data_follow.h"
#include "record/file/data_pack.h"
#include "record/setup/worker_thread.h"
#include "record/sink/sink.h"

/* A kind of sink. */
struct sink_ops {
	/* As sink_place(). It may change the kind of the sink. */
	int  (*place)(struct record_sink *s, struct meta_capture *c,
		      const struct recorded_buffer *bufs, size_t n, struct ftr_error *err);
	/* As sink_begin(). */
	int  (*begin)(struct record_sink *s, struct ftr_error *err);
	/*
	 * Writes the missing parts. Returns as dat_finish(): 0; 1 if the file lacks something; -1
	 * if it has no data, and the recorded data stays where it was. Sets ->sent if there is no
	 * file.
	 */
	int  (*finish)(struct record_sink *s, const struct captured_meta *c, struct ftr_error *err);
	/*
	 * Leaves the data as it was recorded, if no file could be finished, and warns where it is.
	 */
	void (*give_up)(struct record_sink *s);
	bool   symbols_anywhere;	/* symbols can be written before and after the data */
};
extern const struct sink_ops sink_v7, sink_v6, sink_copy, sink_stream;

/* Information from the recorded data, besides the captured metadata. It is empty if zeroed. */
struct recorded_data {
	bool     done;			/* all recorded data was read */
	struct task_comms comms;		/* all names of tasks */
	/* all formats, if the data has others than the captured ones; else empty */
	struct format_files formats;
	struct meta_keys keys;		/* additional keys */
	struct map called;		/* functions whose arguments are in the data */
	struct sink_totals totals;	/* sums of all buffers */
	struct strv notes;
};

/*
 * Writes recorded data to the disk regularly, so that it survives a loss of power. It does not run
 * if it is zeroed.
 */
struct disk_sync {
	struct worker_thread worker;
	struct recorder **recs;
	size_t   nr_recs;
	int      fd;
	uint64_t every_ns;
	struct sync_cpu *cpus;	/* CPUs of all recorders; NULL if data stays in the page cache */
};

struct record_sink {
	const struct sink_ops *ops;
	struct sink_plan plan;
	struct compress_opts packing;
	struct recorder **recs;		/* one for each buffer */
	size_t   n;

	/* the file that is recorded into */
	struct dat_spool spool;
	struct dat_writer *w;		/* its writer, NULL if there is none */
	bool     joins;			/* the file can become the finished one, without a copy */
	size_t   formats_written;	/* number of formats in the file */
	bool     sections_written;	/* all sections except the data are in ->w */
	struct data_follow *follow;		/* NULL if no data is read before the end */
	struct ring_layout *layouts;	/* one for each buffer, borrowed by ->follow */
	struct data_pack *pack;		/* NULL if no data is compressed */
	bool     packed;		/* all data is in the compressed regions */
	struct disk_sync sync;
	struct sink_stream *flows;		/* NULL if the recording is not sent anywhere */
	bool     sent;

	unsigned int symbols_written;	/* number of readings whose symbols are in ->w, 0 if none */
	struct buf symbols_packed;	/* body of the section of symbols, compressed */
	unsigned int symbols_packed_of;	/* number of readings that it contains, 0 if none */
	bool     symbols_wait;		/* symbols are written after the data */
	uint64_t symbols_missing, symbols_all;	/* bytes of text, if not all fit */

	struct recorded_data data;
};

/*
 * recorded_data.c: reads the data that was not read while it was recorded. Does nothing if called
 * again.
 */
void recorded_data_read(struct record_sink *s, const struct captured_meta *c);
const struct format_files *recorded_data_formats(const struct recorded_data *data,
						 const struct captured_meta *c);
void recorded_data_release(struct recorded_data *data);

/*
 * sink_skeleton.c: makes the file that is recorded into, known to journal and guardian. If the file
 * system lacks support, ->w stays NULL, and the data is copied at the end. Returns 0, or -1 with
 * @err.
 */
int sink_place_in_file(struct record_sink *s, struct meta_capture *c,
		       const struct recorded_buffer *bufs, size_t n, struct ftr_error *err);
/* Makes ->follow for the recorders. Returns 0, or -1 with a note if the data can't be read. */
int sink_make_follow(struct record_sink *s, const struct capture_headers *headers);
/* Notes the final places and sizes of the data in the file. Call it when the data is complete. */
void sink_seal(struct record_sink *s, const struct captured_meta *c);

/* sink_file.c: returns &sink_v7 if the file recorded into can be joined, else &sink_copy. */
const struct sink_ops *sink_kind_of_v7(const struct record_sink *s);
int sink_begin_following(struct record_sink *s, struct ftr_error *err);
void sink_leave_as_is(struct record_sink *s);
/* As sink_leave_as_is(). Without a file that is recorded into, keeps the recorders' data. */
void sink_leave_raw(struct record_sink *s);

/* sink_stream.c */
void sink_flows_free(struct sink_stream *f);

/* sink_sections.c: writes header_page, header_event and the formats of system "ftrace". */
void sink_write_headers(struct dat_writer *w, const struct capture_headers *headers,
			const struct format_files *f);
void sink_write_formats(struct record_sink *s, struct dat_writer *w, const struct format_files *f);
/* Writes all captured metadata to @w. */
void sink_write_captured(struct record_sink *s, struct dat_writer *w,
			 const struct captured_meta *c);
/* The same in the file that is recorded into. Does nothing if called again. */
void sink_write_sections(struct record_sink *s, const struct captured_meta *c);

/*
 * sink_sections.c: writes symbols to the file that is recorded into, once, and compresses them for
 * the finished one.
 */
void sink_write_early_symbols(void *sink, const struct kallsyms_history *symbols);
/* Writes symbols after the data, as many as fit. */
void sink_write_late_symbols(struct record_sink *s, struct dat_writer *w,
			     const struct kallsyms_history *symbols);
/* Returns @ret, or 1 with @err if @ret is 0 and not all symbols are in the file. */
int sink_check_symbols(const struct record_sink *s, int ret, struct ftr_error *err);
/* Returns true if the disk has room for @bytes, and some more that are written meanwhile. */
bool sink_has_room(int fd, uint64_t bytes);

#endif
