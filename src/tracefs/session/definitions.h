/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines that define dynamic events, and lines that remove them: "p:kprobes/x vfs_read a=%di",
 * "-:kprobes/x". An event of probes may stand for several places, each with a line of its own, and
 * not all of them by the same user.
 */
#ifndef FTR_TRACEFS_DEFINITIONS_H
#define FTR_TRACEFS_DEFINITIONS_H

#include <stdbool.h>

#include "base/mem.h"
#include "tracefs/session/journal.h"

/*
 * The event of a line: "kprobes/x" for both lines above, "NAME" for "!NAME" and "NAME u64 lat". The
 * caller frees.
 */
char *definition_event(const char *line);
/*
 * The place of a probe as the kernel compares it when a line "-:EVENT PLACE" removes it:
 * trace_kprobe_match_command_head() and its like. "vfs_read+0x10%return" becomes "vfs_read+16". For
 * a line that removes, the place in its comment. NULL if there is none that the kernel compares,
 * as for an address. The caller frees.
 */
char *definition_place(const char *line);
/* Appends the lines of dynamic_events that define @event. */
void definitions_read(const struct tfs *t, const char *event, struct strv *out);
/*
 * The line that removes what @undo, an ENTRY_LINE's "-:EVENT # DEFINITION", is about, and leaves
 * places that others added to the event. NULL if nothing is left to remove. The caller frees.
 */
char *definition_removal(const struct tfs *t, const char *undo);
/*
 * True if the event must be off when @line, "-:EVENT PLACE", takes one place of several away.
 * unregister_trace_uprobe() of kernel/trace/trace_uprobe.c frees it although it is registered, and
 * the next who enables or passes such a uprobe crashes the kernel (seen with 7.2). Kprobes and
 * fprobes are taken out.
 */
bool definition_needs_off(const char *line);
/* True if @undo removes the event, with all its places, that the file @path belongs to. */
bool definition_removes(const char *undo, const char *path);
/*
 * Appends the places of @event that changes in the standing journal added, "" for one that the
 * kernel does not compare.
 */
void definitions_own(const char *event, struct strv *places);
/*
 * Marks as kept what was defined and removed again, with the changes of the event's files between
 * the two: nothing of it is left to restore.
 */
void entries_drop_undone(struct entries *e);

#endif
