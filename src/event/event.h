/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events for outside: what records and files hold, and the text of a record by an engine. */
#ifndef FTR_EVENT_EVENT_H
#define FTR_EVENT_EVENT_H

#include "base/err.h"
#include "event/builtin/blk.h"
#include "event/data/data.h"
#include "event/handle/handle.h"

/*
 * An engine turns a record into the text after "event: ". @name is "ftr" (or NULL), which compiles
 * print fmts itself, or "traceevent" (libtraceevent, tep.c; what vet.c does not trust it with is
 * rendered as "name=value" fields). Both are safe on any bytes.
 *
 * A handle is one thread's. ev_engine_share() gives another for another thread: programs and tables
 * are made once for all of them. ->formats of @w must stay where they are.
 */
struct ev_engine *ev_engine_new(const struct ev_world *w, const char *name, struct ftr_error *err);
struct ev_engine *ev_engine_share(struct ev_engine *e);
bool ev_engine_known(const char *name);

/*
 * Appends the text, sanitised (no control bytes; inner newlines kept only where the kernel prints
 * them: stacks).
 */
void ev_render(struct ev_engine *e, const struct ev_rec *r, int cpu, uint64_t ts, struct buf *out);
/*
 * Appends the whole line of the kernel's trace file behind its context: ev_render() with what
 * stands before it ("sched_switch: ", nothing for syscalls and events of ftrace itself), and with a
 * newline at the end if the kernel puts one. Control bytes are there as they are.
 */
void ev_render_kernel(struct ev_engine *e, const struct ev_rec *r, int cpu, uint64_t ts,
		      struct buf *out);
/* The bits of a name of openat()'s flags in ev_render_kernel()'s text; false of no such name. */
bool ev_open_flag(const char *name, size_t len, uint32_t *bits);
/* All fields as "name=value ...", the form of --raw. */
void ev_render_raw(struct ev_engine *e, const struct ev_rec *r, struct buf *out);
/*
 * What of @fmt is not rendered as the kernel does and why, "; " between several (borrowed), or NULL
 * if all of it is.
 */
const char *ev_degraded(struct ev_engine *e, const struct ev_format *fmt);
/*
 * What follows is of that time: where symbols are timed, an address is named by what was there
 * then. Without it they are those of the end.
 */
void ev_engine_at(struct ev_engine *e, uint64_t ts);
void ev_engine_free(struct ev_engine *e);

#endif
