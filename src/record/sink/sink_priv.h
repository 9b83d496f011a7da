/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kinds of sinks share. */
#ifndef FTR_RECORD_SINK_PRIV_H
#define FTR_RECORD_SINK_PRIV_H

#include "base/map.h"
#include "file/read/dat_regions.h"
#include "file/write/dat_write.h"
#include "record/file/data_follow.h"
#include "record/file/data_pack.h"
#include "record/setup/worker_thread.h"
#include "record/sink/sink.h"

/* One kind. */
struct sink_ops {
	/* As sink_place(). It may make the sink one of another kind. */
	int  (*place)(struct sink *s, struct capture *c, const struct lane_buffer *bufs, size_t n,
		      struct ftr_error *err);
	/* As sink_begin(). */
	int  (*begin)(struct sink *s, struct ftr_error *err);
	/*
	 * Writes what is missing. As dat_finish(): 0, 1 when the file lacks something, -1 when it
	 * has no data and what was recorded is where it was. ->sent: there is no file.
	 */
	int  (*finish)(struct sink *s, const struct captured *c, struct ftr_error *err);
	/* There is no finished file: leaves the data as it was recorded, and warns where. */
	void (*give_up)(struct sink *s);
	bool   symbols_anywhere;	/* before the data and behind it */
};
extern const struct sink_ops sink_v7, sink_v6, sink_copy, sink_stream;

/* Contents of the recorded data, beside what was captured. */
struct seen {
	bool     done;			/* all that was recorded was read */
	struct comms comms;		/* all names */
	struct formats formats;		/* all, where the data has others than the captured ones */
	struct keys keys;		/* further ones */
	struct map called;		/* functions whose arguments are in the data */
	struct sink_totals totals;	/* of all buffers */
	struct strv notes;
};

/* Writes recorded data to the disk regularly, so that it survives a loss of power. */
struct sync {
	struct worker worker;
	struct recorder **recs;
	size_t   nr_recs;
	int      fd;
	uint64_t every_ns;
	struct sync_cpu *cpus;	/* CPUs of all recorders; NULL: leave the page cache alone */
};

struct sink {
	const struct sink_ops *ops;
	struct sink_plan plan;
	struct packing packing;
	struct recorder **recs;		/* of each buffer */
	size_t   n;

	/* the file that is recorded into */
	struct dat_spool spool;
	struct dat_writer *w;		/* NULL = none */
	bool     joins;			/* it can become the finished one, without a copy */
	size_t   formats_written;	/* so many formats are in it */
	bool     sections_written;	/* all but the data are in ->w */
	struct follow *follow;		/* NULL: nothing is read before the end */
	struct ring_layout *layouts;	/* of each buffer, borrowed by ->follow */
	struct pack *pack;		/* NULL: nothing is compressed */
	bool     packed;		/* all is, there */
	struct sync sync;
	struct flows *flows;		/* NULL: it is not sent anywhere */
	bool     sent;

	unsigned int symbols_written;	/* what so many readings came to is in ->w, 0 = none */
	struct buf symbols_packed;	/* the body of their section, compressed, */
	unsigned int symbols_packed_of;	/* and of so many readings, 0 = none */
	bool     symbols_wait;		/* the data comes first */
	uint64_t symbols_missing, symbols_all;	/* bytes of text, where not all fits */

	struct seen seen;
};

/* recorded_data.c */
/* Reads the data as far as that was not done while it came. Once. */
void seen_read(struct sink *s, const struct captured *c);
const struct formats *seen_formats(const struct seen *seen, const struct captured *c);
void seen_release(struct seen *seen);

/* sink_skeleton.c: the file is recorded into, journal and guardian know it. Else a copy is made. */
int sink_place_in_file(struct sink *s, struct capture *c, const struct lane_buffer *bufs, size_t n,
		       struct ftr_error *err);
/* Follows the recorders, or -1 with a note when the data can't be read. */
int sink_trail(struct sink *s, const struct capture_front *front);
/* The data is complete, all was read: the file that was recorded into says so. */
void sink_seal(struct sink *s, const struct captured *c);

/* sink_file.c: returns &sink_v7 if the file recorded into can be joined, else &sink_copy. */
const struct sink_ops *sink_kind_of_v7(const struct sink *s);
int sink_begin_following(struct sink *s, struct ftr_error *err);
void sink_leave_as_is(struct sink *s);
/* As sink_leave_as_is(); without a file that is recorded into, keeps the data of the recorders. */
void sink_leave_raw(struct sink *s);

/* sink_stream.c */
void sink_flows_free(struct flows *f);

/* sink_sections.c: writes header_page, header_event and the formats of system "ftrace". */
void sink_write_headers(struct dat_writer *w, const struct capture_front *front,
			const struct formats *f);
void sink_write_formats(struct sink *s, struct dat_writer *w, const struct formats *f);
/* All that was captured, in @w. */
void sink_write_captured(struct sink *s, struct dat_writer *w, const struct captured *c);
/* The same in the file that is recorded into, once. */
void sink_write_sections(struct sink *s, const struct captured *c);

/*
 * sink_sections.c: writes symbols to the file that is recorded into, once, and compresses them for
 * the finished one.
 */
void sink_take_symbols(void *sink, const struct symbols *symbols);
/* After the data: as many as fit. */
void sink_write_late_symbols(struct sink *s, struct dat_writer *w, const struct symbols *symbols);
/* Fails in place of @ret, which is 0, when not all symbols are in the file. */
int sink_tell_symbols(const struct sink *s, int ret, struct ftr_error *err);
/* For @bytes, and some more that comes meanwhile. */
bool sink_has_room(int fd, uint64_t bytes);

#endif
