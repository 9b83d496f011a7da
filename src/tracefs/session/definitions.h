/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines that define dynamic events, and lines that remove them: "p:kprobes/x vfs_read a=%di",
 * "-:kprobes/x". An event of probes may have several places, each with a separate line, and not all
 * of them from the same user.
 */
#ifndef FTR_TRACEFS_DEFINITIONS_H
#define FTR_TRACEFS_DEFINITIONS_H

#include <stdbool.h>

#include "base/mem.h"
#include "tracefs/session/journal.h"

/*
 * Returns the event of a line: "kprobes/x" for both lines above, "NAME" for "!NAME" and "NAME u64
 * lat". The caller frees.
 */
char *definition_event(const char *line);
/*
 * Returns the place of a probe as the kernel compares it if a line "-:EVENT PLACE" removes it:
 * trace_kprobe_match_command_head() and its like. "vfs_read+0x10%return" becomes "vfs_read+16". For
 * a line that removes, it returns the place in the line's comment. NULL if the kernel compares
 * none, as for an address. The caller frees.
 */
char *definition_place(const char *line);
/* Appends the lines of dynamic_events that define @event. */
void definitions_read(const struct tfs *t, const char *event, struct strv *out);
/*
 * Returns the line that removes the definition of @undo, an ENTRY_LINE's "-:EVENT # DEFINITION",
 * and leaves places that others added to the event. NULL if nothing is left to remove. The caller
 * frees.
 */
char *definition_removal(const struct tfs *t, const char *undo);
/*
 * True if the event must be off when @line, "-:EVENT PLACE", removes one place of several.
 * unregister_trace_uprobe() of kernel/trace/trace_uprobe.c frees the place although it is
 * registered, and the next task that enables or hits such a uprobe crashes the kernel (seen with
 * 7.2). Kprobes and fprobes are unregistered.
 */
bool definition_needs_off(const char *line);
/* True if @undo removes the event, with all its places, that the file @path belongs to. */
bool definition_removes(const char *undo, const char *path);
/*
 * Appends the places of @event that changes in the standing journal added; "" if the kernel does
 * not compare the place.
 */
void definitions_own(const char *event, struct strv *places);
/*
 * Marks as kept the definitions that were removed again, their removals, and the changes of the
 * event's files between the two: nothing of them is left to restore.
 */
void entries_drop_undone(struct journal_entries *e);

#endif
