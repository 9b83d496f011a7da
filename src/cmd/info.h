/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the text and the JSON of ftr info, and by ftr browse. */
#ifndef FTR_CMD_INFO_H
#define FTR_CMD_INFO_H

#include "base/map.h"
#include "base/mem.h"
#include "trace/trace.h"

/* Counts of one CPU, or of all. */
struct tally {
	uint64_t records, lost;
	uint64_t overwritten;		/* by newer records of a flight recorder; in no ->lost */
	bool     lost_unknown;
};

struct buffer_info {
	struct tally sum;
	struct tally *cpus;		/* as dat_buffer.cpus */
	size_t   cpu;			/* of the last record */
	struct map types;		/* event type -> number of records */
	uint64_t first_ts, last_ts;
};

/* The number of records of an event. */
struct event_count {
	uint64_t records;
	uint16_t type;
};

/* The number of options with an id. */
struct option_count {
	uint32_t n;
	uint16_t id;
};

/* The result of verifying a file's checksums. */
struct info_sums {
	uint64_t ranges;		/* 0: there are none, unless ->bad */
	bool     bad;
};

/* Counts of all events, the most frequent first; the caller frees. */
struct event_count *info_counts(const struct buffer_info *bi, size_t *n);
/* Counts of all options, in the order of the file; the caller frees. */
struct option_count *info_options(const struct dat *d, size_t *n);
/* Nanoseconds since 1970 of "wall_begin" or "wall_end"; false if the file has none. */
bool info_wall_ns(const struct dat *d, const char *name, int64_t *ns);
/* Appends the lines of one of ftr's values; none if the file lacks it. */
void info_value_lines(const struct dat *d, const char *name, struct strv *out);
/* Decodes a value of @n bytes: "\n" and "\\" mean line feed and backslash. The caller frees. */
char *info_unescape(const char *v, size_t n);
/*
 * The next line "key=value" of ftr's own lines that is shown in their list. *p starts as
 * ->ftr_meta.p.
 */
bool info_session_next(const struct dat *d, const char **p, const char **line, size_t *len);
/* Length of the first line of an oops text. */
size_t info_oops_line(const struct dat_blob *text);
/* The longest latency that a tracer recorded, in microseconds as text; NULL if there is none. */
const char *info_max_latency(const struct dat *d, const struct dat_latency *l, size_t *len);
size_t info_address_maps(const struct dat *d);
/* Appends the parts that the file lacks and a complete file would have. */
void info_missing(struct dat *d, struct strv *out);
struct info_sums info_verify(struct dat *d);
/* The sum of @name in the kernel's statistics of all CPUs at the end of the recording. */
uint64_t info_stat_sum(const char *stats, const char *name);

/* Appends the output of ftr info. @v is NULL if records were not read, as with --quick. */
void info_add_text(struct trace *t, struct buffer_info *v, struct buf *out);
/* info_json.c: prints one line of JSON. @v is NULL if records were not read. */
void info_print_json(struct trace *t, const struct buffer_info *v);

/*
 * info_counters.c: corrects what the marks in the sub-buffers say of lost records, by the session's
 * keys "lost" and "overwritten".
 */
void info_apply_counters(struct buffer_info *v, const struct dat *d);

#endif
