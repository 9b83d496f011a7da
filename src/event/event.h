/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interface of src/event: contents of records and files, and engines that make the text of a
 * record.
 */
#ifndef FTR_EVENT_EVENT_H
#define FTR_EVENT_EVENT_H

#include "base/err.h"
#include "event/data/data.h"
#include "event/handle/handle.h"

/*
 * Returns an engine, which makes the text of a record after "event: ", or NULL with @err. @name
 * "ftr" or NULL is the engine that compiles print fmts itself. "traceevent" is libtraceevent
 * (tep.c); events that tep_vet.c refuses for it are rendered as "name=value" fields. Both are safe
 * on any bytes.
 *
 * A handle is for one thread. ev_engine_share() makes a handle for another thread, which shares the
 * programs and tables. ->formats of @w must not move.
 */
struct ev_engine *ev_engine_new(const struct event_meta *w, const char *name,
				struct ftr_error *err);
struct ev_engine *ev_engine_share(struct ev_engine *e);
bool ev_engine_known(const char *name);

/*
 * Appends the text, sanitised (no control bytes; inner newlines kept only where the kernel prints
 * them: stacks).
 */
void ev_render(struct ev_engine *e, const struct ev_rec *r, int cpu, uint64_t ts, struct buf *out);
/*
 * Appends the word that the print fmt has for the fixed field @f: what follows its NAME= up to the
 * next blank, as the letters of prev_state. Appends nothing if the text has no NAME=.
 */
void ev_render_word(struct ev_engine *e, const struct ev_rec *r, const struct ev_field *f, int cpu,
		    uint64_t ts, struct buf *out);
/*
 * Appends the line of the kernel's trace file after its context: the event's name ("sched_switch:
 * ", none for syscalls and events of ftrace itself), the text, and a newline if the kernel prints
 * one. Control bytes are not escaped.
 */
void ev_render_kernel(struct ev_engine *e, const struct ev_rec *r, int cpu, uint64_t ts,
		      struct buf *out);
/*
 * Sets *bits to those of a flag of openat(), by its name in ev_render_kernel()'s text. Returns
 * false if there is no such name.
 */
bool ev_open_flag(const char *name, size_t len, uint32_t *bits);
/* Appends all fields as "name=value ...", the form of --raw. */
void ev_render_raw(struct ev_engine *e, const struct ev_rec *r, struct buf *out);
/*
 * Returns the parts of @fmt that are not rendered as the kernel does, and why, separated by "; "
 * (borrowed). NULL if there are none.
 */
const char *ev_degraded(struct ev_engine *e, const struct ev_format *fmt);
/*
 * Sets the time of the next records: timed symbols are looked up as they were at @ts. Without this
 * call they are those at the end of the trace.
 */
void ev_engine_at(struct ev_engine *e, uint64_t ts);
void ev_engine_free(struct ev_engine *e);

#endif
