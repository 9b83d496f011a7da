/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a trace file has beside its data, captured from the running kernel. */
#ifndef FTR_RECORD_CAPTURE_H
#define FTR_RECORD_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/mem.h"
#include "record/capture/clock/tsc.h"
#include "record/capture/comms.h"
#include "record/capture/formats.h"
#include "record/capture/keys.h"
#include "record/capture/latency.h"
#include "record/capture/procmaps.h"
#include "record/capture/symbols/protos.h"
#include "record/capture/symbols/symbols.h"
#include "record/capture/symbols/symtimes.h"
#include "record/capture/walk.h"
#include "record/lane/buffer.h"
#include "tracefs/files/tfs.h"

/* A capture that goes on: capture_end() turns it into a struct captured. */
struct capture;

/* What is known of it before the first event. Formats and keys may become more. */
struct capture_front {
	const struct tfs *t;		/* borrowed */
	struct buf header_page, header_event;
	char *uname;
	struct formats formats;
	struct keys keys;
};

/* One buffer of the file. */
struct captured_buffer {
	char    *name;			/* "" = top level */
	struct recorder *rec;		/* borrowed */
	struct buf clock_text;		/* trace_clock as read */
	char    *clock;
	struct strv stats;		/* CPUSTAT text of each CPU */
	uint64_t *lost;			/* of each CPU, by the kernel's counters */
	bool     flight;		/* as in struct lane_buffer */
	struct latency latency;
};

/* All of it. */
struct captured {
	struct capture_front front;
	uint64_t trace_id;
	bool     has_date, has_tsc;
	int64_t  date_us;
	struct tsc_scale tsc;
	struct symbols symbols;
	struct modlog *modlog;		/* NULL: not to be had */
	struct symtimes symtimes;
	struct history printk;
	struct protos protos;
	struct procmaps *maps;		/* NULL: not wanted */
	struct buf btf;
	struct comms comms;
	struct buf saved_comms;		/* saved_cmdlines as read */
	struct captured_buffer *bufs;
	size_t n;
	/*
	 * What is missing and why ("no kernel symbols: /proc/kallsyms hides the addresses"), one
	 * note each.
	 */
	struct strv notes;
};

/* What the capture says and asks meanwhile; NULL: nothing. */
struct capture_hooks {
	void *ctx;
	/* In the capture's thread: they were read, for the first time. */
	void (*take_symbols)(void *ctx, const struct symbols *s);
	/* In capture_end(): what was walked of the data so far; NULL if that is not told. */
	const struct walk *(*walked)(void *ctx);
};

/*
 * Before tracing: header_page, header_event, clock, uname, the formats of @enabled ("system/event")
 * and of the system "ftrace". Quick. Other events' formats are taken when records of such are
 * found; without @enabled all of them are.
 */
struct capture *capture_new(const struct tfs *t, const struct strv *enabled, struct ftr_error *err);
const struct capture_front *capture_front(const struct capture *c);

/*
 * Address maps of processes, and build-ids of their files, are wanted. Those of @pids and, with
 * @children, of what they fork, from capture_follow() on: for a command, once it has been exec'ed.
 */
void capture_want_maps(struct capture *c);
void capture_follow(struct capture *c, const pid_t *pids, size_t n, bool children);
/* The kernel's whole BTF is. */
void capture_want_btf(struct capture *c);
/*
 * The DATE option: what is to be added to a time stamp (in microseconds) to get wall time, see
 * date.h.
 */
void capture_date(struct capture *c, int64_t offset_us);
/* The TSC2NSEC option, see tsc.h. */
void capture_tsc2nsec(struct capture *c, const struct tsc_scale *scale);
/*
 * Additional "key=value" lines of the DAT_FTR_META section: "tracer", "trace_options.INSTANCE",
 * "command", ...
 */
void capture_note(struct capture *c, const char *key, const char *value);
/* The same of a buffer, unless that was noted. */
void capture_note_of(struct capture *c, const char *what, const char *name, const char *value);
/*
 * A comm known otherwise (the recorded command's pid, /proc). Does not override a later name from
 * the trace.
 */
void capture_comm(struct capture *c, int pid, const char *comm);

/*
 * While the command runs, in a thread of its own at low priority: kallsyms at once; then watches
 * /proc/modules (5 times a second) and takes the symbols and formats of modules that come, so that
 * a module gone at the end is known too.
 */
int capture_start(struct capture *c, const struct capture_hooks *hooks, struct ftr_error *err);
/* The same now, once, without a thread: capture_end() reads what has changed since. */
void capture_read(struct capture *c);
/*
 * Notes the time of day beside the clock of a buffer, wall.h, as "wall_begin" or "wall_begin.NAME".
 * capture_end() notes "wall_end".
 */
void capture_begin(struct capture *c, const char *name, const char *instance);
/* Asks /proc for the names of all tasks once more: some that end before the recording is over. */
void capture_name_tasks(struct capture *c);

/*
 * While tracefs is as it was recorded with, and the recorders have ended: statistics, clock, tracer
 * and options of each buffer, saved_cmdlines, printk_formats, module changes, saved_tgids. Reads
 * tracefs and /proc only; the recorders are borrowed until captured_free(), and @c is gone. @last:
 * no capture_inherit() follows, what the kernel ends slowly begins to end.
 */
const struct captured *capture_end(struct capture *c, const struct lane_buffer *bufs, size_t n,
				   bool last);
/*
 * Of events that somebody else, or a trigger, has enabled: *all is what was captured, and the
 * formats that the kernel has beside these now.
 */
void captured_read_formats(const struct captured *c, struct formats *all);
/* ", max latency 51 us" for each tracer that measured one. False: none did. */
bool captured_latencies(const struct captured *c, struct buf *out);

/*
 * The next file of the same recording takes over what @from had come to know: formats, symbols,
 * names of tasks. Its thread does not run yet. Frees @from.
 */
void capture_inherit(struct capture *c, const struct captured *from);
/*
 * And what was learnt behind it: names; the formats, of which the others are some, are taken over
 * if there are any.
 */
void capture_learn(struct capture *c, const struct comms *comms, struct formats *formats);

/* Instead of capture_end(). NULL is fine, here and below. */
void capture_free(struct capture *c);
void captured_free(const struct captured *c);

/* "[local] global counter" -> "local"; the caller frees. */
char *capture_clock_name(const char *text);

#endif
