/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Print fmts of texts that another program or another machine has printed. */
#ifndef FTR_TEXT_FIELDS_OTHER_PRINTS_H
#define FTR_TEXT_FIELDS_OTHER_PRINTS_H

#include <stdbool.h>

#include "event/event.h"
#include "text/log/log_dump.h"

/*
 * Append the print fmt that stands for @print in a text of libtraceevent ("0x1f" and "(nil)" for
 * pointers, "name+0x1" for symbols), in one of its plugin for kmem ("(name+0x1) " before it), and
 * in one of a machine with 32 bits. Return false if it is the same, or there is none.
 */
bool print_of_traceevent(const char *print, struct buf *out);
bool print_of_kmem_plugin(const char *print, struct buf *out);
bool print_of_32bit(const char *print, struct buf *out);
/*
 * The same for the kernel's own text of a probe, of the kernel, "(vfs_read+0x0/0x370) a=1", of a
 * program, "(0x5617296481d0) a=1", and of an event, "(sched.sched_switch) a=1", as in @text.
 */
bool print_of_kprobe(const char *print, struct buf *out);
bool print_of_uprobe(const char *print, struct buf *out);
bool print_of_eprobe(const char *print, struct span_text text, struct buf *out);
/*
 * Appends the print fmt "name=value ..." of trace-cmd report -R, for a file of a machine with 32
 * bits or 64. Returns false if there is none.
 */
bool print_of_raw(const struct ev_format *fmt, bool is_32bit, struct buf *out);
/*
 * Appends the print fmt "name=0x1f (31) ..." of the kernel's option fields. Returns false if there
 * is none.
 */
bool print_of_option_fields(const struct ev_format *fmt, struct buf *out);

#endif
