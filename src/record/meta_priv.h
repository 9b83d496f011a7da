/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What meta.c captures and meta_write.c writes. */
#ifndef FTR_RECORD_META_PRIV_H
#define FTR_RECORD_META_PRIV_H

#include "file/parts/dat_spool.h"
#include "record/capture/comms.h"
#include "record/capture/formats.h"
#include "record/capture/latency.h"
#include "record/capture/procmaps.h"
#include "record/capture/symbols/protos.h"
#include "record/capture/symbols/symbols.h"
#include "record/capture/symbols/symtimes.h"
#include "record/capture/clock/tsc.h"
#include "record/file/follow.h"
#include "record/meta.h"
#include "record/plan/worker.h"

struct meta_key {
	char *key, *value;
};

/* One buffer of the file. */
struct meta_out {
	char    *name;			/* "" = top level */
	struct recorder *rec;
	struct buf clock_text;		/* trace_clock as read */
	char    *clock;
	struct strv stats;		/* CPUSTAT text of each CPU */
	uint64_t *lost;			/* of each CPU, by the kernel's counters */
	bool     flight;		/* as in struct lane_buffer */
	struct latency latency;
	struct meta_totals totals;
};

struct meta {
	const struct tfs *t;
	struct buf header_page, header_event;
	char    *uname;
	uint64_t trace_id;
	bool     has_date, has_tsc;
	int64_t  date_us;
	struct tsc_scale tsc;

	bool     all_formats;		/* of what the data can have in it nothing is known */

	/* the thread's while it runs */
	struct formats formats;
	struct symbols symbols;
	struct modlog *modlog;		/* NULL: not to be had */
	struct symtimes symtimes;
	struct history printk;
	struct protos protos;
	struct buf state;		/* modules and dynamic events of the last capture */
	struct buf values;		/* kvalues.h */

	struct strv modules;		/* "NAME SIZE ADDRESS", all that were seen */

	struct procmaps *maps;		/* NULL: not wanted */
	bool     wants_btf;
	struct buf btf;
	struct comms comms;
	struct buf saved_comms;		/* saved_cmdlines as read */
	struct strv notes;
	struct meta_key *keys;
	size_t nr_keys, cap_keys;
	struct map called;		/* functions whose arguments are in the data */
	struct meta_out *out;
	size_t nr_out;

	/* the file that is recorded into */
	struct dat_spool spool;
	int      fd;			/* borrowed: that of ->w, in the end that of the file */
	struct dat_writer *w;		/* NULL = none */
	bool   joins;			/* it becomes the finished one */
	uint64_t keep;			/* bytes of a CPU, 0 = all */
	size_t formats_written;		/* so many of ->formats are in it */
	unsigned int symbols_written;	/* what so many readings came to is, 0 = none */
	struct buf symbols_packed;	/* the body of their section, compressed, */
	unsigned int symbols_packed_of;	/* and of so many readings, 0 = none */
	bool   symbols_wait;		/* the data comes first */
	uint64_t symbols_missing, symbols_all;	/* bytes of text, where not all fits */
	struct follow *follow;
	struct ring_layout *layouts;	/* of each buffer, borrowed by ->follow */
	struct meta_stream *stream;	/* NULL: it is not sent anywhere */
	bool   sections_written;	/* all but the data are in ->w */
	bool   seen;			/* all that was recorded was read */
	struct packing packing;
	struct pack *pack;		/* NULL: nothing is compressed */
	bool   packed;			/* all is, there */
	bool   v6;			/* the file is to be of version 6 */

	struct worker worker;
};

/* meta.c: "[local] global counter" -> "local"; the caller frees. */
char *meta_clock_name(const char *text);
/* meta_write.c: the keys as lines "key=value". */
void meta_key_lines(const struct meta *m, struct buf *out);
/* meta_write.c: header_page & co., as they are known before the first event. */
void meta_write_headers(struct meta *m, struct dat_writer *w);
void meta_write_formats(struct meta *m, struct dat_writer *w);
/*
 * meta_symbols.c: symbols go into the file that is recorded into while that goes on, once, and are
 * compressed for the finished one.
 */
void meta_begin_symbols(struct meta *m);
/* Of the finished file, unless there is little room: then they come after the data. */
void meta_write_symbols(struct dat_writer *w, struct meta *m, const struct buf *text);
/* After the data: as many as fit. */
void meta_write_late_symbols(struct dat_writer *w, struct meta *m);
/* Fails in place of @ret, which is 0, when not all symbols are in the file. */
int meta_tell_symbols(const struct meta *m, int ret, const char *path, struct ftr_error *err);
/* For @bytes, and some more that comes meanwhile. */
bool meta_has_room(int fd, uint64_t bytes);
/* meta_write.c: all that was captured goes into the file that is recorded into, once. */
void meta_write_sections(struct meta *m);
int meta_stream_start(struct meta *m, struct ftr_error *err);
/* meta_stream.c: its thread does what ->follow would do in one of its own. */
bool meta_stream_follows(const struct meta *m);
/* meta_stream.c: ends its thread. NULL is fine. */
void meta_stream_free(struct meta_stream *s);
/* meta_write.c: reads the data as far as that was not done while it came. Once. */
void meta_see_all(struct meta *m);
/* meta_spool.c: follows the recorders of ->out, or -1 with a note when the data can't be read. */
int meta_trail(struct meta *m, const struct lane_buffer *bufs, size_t n);

#endif
