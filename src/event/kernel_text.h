/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the engine: the kernel's own printers, which do without the print fmt. */
#ifndef FTR_EVENT_KERNEL_TEXT_H
#define FTR_EVENT_KERNEL_TEXT_H

#include "event/event.h"
#include "event/handle/engine_priv.h"

typedef void (*kernel_line_fn)(struct ev_engine *e, const struct ev_rec *r, int cpu, uint64_t ts,
			       struct buf *out);

/* kernel_text.c */
void kernel_release(struct ev_engine *e);
/* kernel_syscall.c: "sys_openat(dfd: ffffff9c, ...)", "sys_openat -> 0x3" */
void kernel_sys_enter(struct ev_engine *e, const struct ev_rec *r, int cpu, uint64_t ts,
		      struct buf *out);
void kernel_sys_exit(struct ev_engine *e, const struct ev_rec *r, int cpu, uint64_t ts,
		     struct buf *out);
/* kernel_probe.c: "name: (vfs_read+0x0/0x2b0) arg=1", "name: (f+0x1/0x20 <- g)", "name: (0x40)" */
void kernel_probe(struct ev_engine *e, const struct ev_rec *r, int cpu, uint64_t ts,
		  struct buf *out);
/* kernel_synth.c: "name: a=1 b=text" */
void kernel_synth(struct ev_engine *e, const struct ev_rec *r, int cpu, uint64_t ts,
		  struct buf *out);
/* kernel_fields.c: "name: a=0x1 (1) b=text" */
void kernel_fields(struct ev_engine *e, const struct ev_rec *r, struct buf *out);
/*
 * By dynamic_events if the file has that, else by the print fmt: " arg=%d ..." of all its fields.
 */
bool kernel_is_eprobe(const struct ev_world *w, const struct ev_format *f);
/* "name: (sched.sched_switch) arg=1" */
void kernel_eprobe(struct ev_engine *e, const struct ev_rec *r, int cpu, uint64_t ts,
		   struct buf *out);

#endif
