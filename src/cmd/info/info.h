/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside ftr info: what both ways to print it are made of. */
#ifndef FTR_CMD_INFO_H
#define FTR_CMD_INFO_H

#include "base/map.h"
#include "base/mem.h"
#include "trace/trace.h"

/* Counts of one CPU, or of all. */
struct tally {
	uint64_t records, lost;
	bool     lost_unknown;
};

struct buffer_info {
	struct tally sum;
	struct tally *cpus;		/* as dat_buffer.cpus */
	size_t   cpu;			/* of the last record */
	struct map types;		/* event type -> number of records */
	uint64_t first_ts, last_ts;
};

/* How often an event is there. */
struct event_count {
	uint64_t records;
	uint16_t type;
};

/* How often an option is there. */
struct option_count {
	uint32_t n;
	uint16_t id;
};

/* What a file says of its checksums. */
struct info_sums {
	uint64_t ranges;		/* 0: there are none, unless ->bad */
	bool     bad;
};

/* The most frequent first; free() it. */
struct event_count *info_counts(const struct buffer_info *bi, size_t *n);
/* In the order of the file; free() it. */
struct option_count *info_options(const struct dat *d, size_t *n);
/* Nanoseconds since 1970 of "wall_begin" or "wall_end"; false if the file has none. */
bool info_wall_ns(const struct dat *d, const char *name, int64_t *ns);
/* The lines of one of ftr's values, or none. */
void info_value_lines(const struct dat *d, const char *name, struct strv *out);
/* The same of @n bytes: "\n" and "\\" stand for line feed and backslash. */
char *info_unescape(const char *v, size_t n);
/* The next of ftr's own lines "key=value" that is shown with them; *p is ->ftr_meta.p at first. */
bool info_session_next(const struct dat *d, const char **p, const char **line, size_t *len);
/* How much of the text of an oops is its first line. */
size_t info_oops_line(const struct dat_blob *text);
/* A number that a tracer of the longest latency left, as text; NULL if it did not. */
const char *info_max_latency(const struct dat *d, const struct dat_latency *l, size_t *len);
size_t info_address_maps(const struct dat *d);
/* What a complete file would have. */
void info_missing(struct dat *d, struct strv *out);
struct info_sums info_verify(struct dat *d);
/* The sum of @name over the statistics of all CPUs that the kernel gave when recording ended. */
uint64_t info_stat_sum(const char *stats, const char *name);

/* All that ftr info prints; @v is NULL where records were not read, as with --quick. */
void info_add_text(struct trace *t, struct buffer_info *v, struct buf *out);
/* info_json.c: one line. @v is NULL where records were not read. */
void info_print_json(struct trace *t, const struct buffer_info *v);

#endif
