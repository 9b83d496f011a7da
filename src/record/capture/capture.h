/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Captures the metadata of a trace file from the running kernel. */
#ifndef FTR_RECORD_CAPTURE_H
#define FTR_RECORD_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/mem.h"
#include "record/capture/capture_comms.h"
#include "record/capture/capture_formats.h"
#include "record/capture/clock_offset.h"
#include "record/capture/data_walk.h"
#include "record/capture/procmaps.h"
#include "record/cpu/recorder.h"
#include "record/symbols/protos.h"
#include "record/symbols/symbol_texts.h"
#include "record/symbols/symtimes.h"
#include "tracefs/files/tfs.h"

/* A line "key=value" of the section DAT_FTR_META. */
struct meta_key {
	char *name, *value;
};

/* Keys in the order in which they were first set. A zeroed struct is empty. */
struct meta_keys {
	struct meta_key *v;
	size_t n, cap;
};

/* Sets a key, whose earlier value is replaced. */
void keys_set(struct meta_keys *k, const char *name, const char *value);
/* Returns the value of a key, or NULL if it is not set. */
const char *keys_get(const struct meta_keys *k, const char *name);
/* Returns "tracer" for the top level, "tracer.NAME" for an instance; the caller frees. */
char *keys_name_of(const char *what, const char *instance);
/* Appends the lines; newline and backslash in a value are written as \n and \\. */
void keys_text(const struct meta_keys *k, struct buf *out);
void keys_release(struct meta_keys *k);

/* The longest latency that a tracer measured. */
struct tracer_latency {
	char *tracer;			/* NULL if the tracer keeps no latency */
	char *max;			/* tracing_max_latency, in microseconds; "" = unknown */
	struct buf text;		/* the file trace */
	bool measured;			/* ->text has records */
	bool cut;			/* ->text was cut */
};

/*
 * Reads the latency of a buffer after tracing was stopped there: the first @most bytes of the text,
 * as whole lines.
 */
void latency_read(const struct tfs *t, const char *instance, size_t most,
		  struct tracer_latency *out);
/*
 * Appends ", max latency 51 us" for the buffer @name ("" = top level), or nothing if nothing was
 * measured.
 */
void latency_add(struct buf *b, const struct tracer_latency *l, const char *name);
void latency_release(struct tracer_latency *l);

/* A running capture. capture_end() makes a struct captured_meta of it. */
struct meta_capture;

/* The part that is known before the first event. Formats and keys may be added later. */
struct capture_headers {
	const struct tfs *t;		/* borrowed */
	struct buf header_page, header_event;
	char *uname;
	struct format_files formats;
	struct meta_keys keys;
};

/* A buffer of the file. */
struct captured_buffer {
	char    *name;			/* "" = top level */
	struct recorder *rec;		/* borrowed */
	struct buf clock_text;		/* trace_clock as read */
	char    *clock;
	struct strv stats;		/* CPUSTAT text of each CPU */
	uint64_t *lost;			/* events lost by each CPU, by the kernel's counters */
	uint64_t *overwritten;		/* events of each CPU that a flight recorder has replaced */
	bool     flight;		/* see struct recorded_buffer */
	struct tracer_latency latency;
};

/* A complete capture. */
struct captured_meta {
	struct capture_headers headers;
	uint64_t trace_id;
	bool     has_date, has_tsc;
	int64_t  date_us;
	struct tsc_scale tsc;
	struct kallsyms_history symbols;
	struct module_log *modlog;		/* NULL: not available */
	struct symbol_times symtimes;
	struct text_history printk;
	struct module_protos protos;
	struct procmaps *maps;		/* NULL: not wanted */
	struct buf btf;
	struct task_comms comms;
	struct buf saved_comms;		/* saved_cmdlines as read */
	struct captured_buffer *bufs;
	size_t n;
	/* parts that are missing: "no kernel symbols: /proc/kallsyms hides the addresses" */
	struct strv notes;
};

/* Callbacks of the capture; each may be NULL. */
struct capture_hooks {
	void *ctx;
	/* Called in the capture's thread after the first reading of the symbols. */
	void (*on_symbols)(void *ctx, const struct kallsyms_history *s);
	/* Called in capture_end(): returns the walk over the data so far, or NULL. */
	const struct data_walk *(*walked)(void *ctx);
};

/*
 * Starts a capture, before tracing: reads header_page, header_event, clock, uname, and the formats
 * of @enabled ("system/event") and of the system "ftrace". It is fast. Formats of other events are
 * read later if the data has their records. If @enabled is NULL all formats are read. Returns NULL
 * with @err.
 */
struct meta_capture *capture_new(const struct tfs *t, const struct strv *enabled,
				 struct ftr_error *err);
const struct capture_headers *capture_headers(const struct meta_capture *c);

/*
 * Asks for the address maps of processes and the build-ids of their files. capture_follow() adds
 * @pids and, with @children, the processes that they fork. Call it for a command after its exec.
 */
void capture_want_maps(struct meta_capture *c);
void capture_follow(struct meta_capture *c, const pid_t *pids, size_t n, bool children);
/* Asks for the kernel's whole BTF. */
void capture_want_btf(struct meta_capture *c);
/*
 * Sets the DATE option: microseconds to add to a time stamp to get wall time, see clock_offset.h.
 */
void capture_date(struct meta_capture *c, int64_t offset_us);
/* Sets the TSC2NSEC option, see tsc_scale_read(). */
void capture_tsc2nsec(struct meta_capture *c, const struct tsc_scale *scale);
/*
 * Adds a line "key=value" to the section DAT_FTR_META: "tracer", "trace_options.INSTANCE",
 * "command", ...
 */
void capture_note(struct meta_capture *c, const char *key, const char *value);
/* Does the same for the buffer @name, unless the line exists. */
void capture_note_of(struct meta_capture *c, const char *what, const char *name, const char *value);
/*
 * Notes set_event_pid, set_event_notrace_pid, options/event-fork and tracing_cpumask of @instance
 * (NULL: the top level) for the buffer @name, as keys of these names (file/read/dat.h), where they
 * limit the events that are recorded. A second call replaces the notes of the first.
 */
void filters_note(struct meta_capture *c, const char *name, const char *instance);
/*
 * Sets a name from another source (the recorded command, /proc). It does not override a later name
 * in the trace.
 */
void capture_comm(struct meta_capture *c, int pid, const char *comm);

/*
 * Starts a thread of low priority. It reads kallsyms at once. Then it watches /proc/modules, 5
 * times a second, and reads the symbols and formats of new modules, so that they are known even if
 * the module is gone at the end. Returns 0, or -1 with @err.
 */
int capture_start(struct meta_capture *c, const struct capture_hooks *hooks, struct ftr_error *err);
/* Does the same once, without a thread. capture_end() reads later changes. */
void capture_read(struct meta_capture *c);
/*
 * Notes the time of day together with the clock of a buffer, see wall_read(), as "wall_begin" or
 * "wall_begin.NAME". capture_end() notes "wall_end".
 */
void capture_begin(struct meta_capture *c, const char *name, const char *instance);
/* Reads the names of all tasks from /proc again, as some end before the recording does. */
void capture_name_tasks(struct meta_capture *c);

/*
 * Completes a capture: reads statistics, clock, tracer and options of each buffer, saved_cmdlines,
 * printk_formats, module changes, saved_tgids. Call it when the recorders have ended and tracefs
 * still has the settings of the recording. It only reads tracefs and /proc. The recorders are
 * borrowed until captured_free(). @c is consumed. @last: no capture_inherit() follows, so files
 * that the kernel closes slowly are closed in the background.
 */
const struct captured_meta *capture_end(struct meta_capture *c, const struct recorded_buffer *bufs,
					size_t n, bool last);
/*
 * Sets *all to the captured formats and all others that the kernel has now, as triggers or other
 * programs may have enabled their events.
 */
void captured_read_formats(const struct captured_meta *c, struct format_files *all);
/* Appends ", max latency 51 us" for each tracer that measured one. Returns false if none did. */
bool captured_latencies(const struct captured_meta *c, struct buf *out);

/*
 * Moves formats, symbols and names of tasks of @from to @c, the capture of the next file of the
 * same recording, whose thread must not run yet. Frees @from.
 */
void capture_inherit(struct meta_capture *c, const struct captured_meta *from);
/*
 * Adds names that were found in the data. If @formats is not empty it replaces the formats of @c,
 * which it includes.
 */
void capture_learn(struct meta_capture *c, const struct task_comms *comms,
		   struct format_files *formats);

/* Frees a capture without capture_end(). @c may be NULL, here and below. */
void capture_free(struct meta_capture *c);
void captured_free(const struct captured_meta *c);

/* Returns "local" for "[local] global counter"; the caller frees. */
char *capture_clock_name(const char *text);

#endif
