/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Changes tracefs, notes each change in a journal first, and restores all in reverse order. */
#ifndef FTR_TRACEFS_SESSION_H
#define FTR_TRACEFS_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "tracefs/files/tfs.h"

/*
 * A session is one run's changes. Before it changes a control file it writes the old value to the
 * journal (root: /run/ftr/PID.journal; else $XDG_RUNTIME_DIR/ftr/, else /tmp/ftr-UID/; 0600). The
 * journal also has the boot id, and the pid, start time and command line of the process. By these a
 * later run recognises the journal of a dead run and completes it. session_close() restores the old
 * values and removes the journal. A process forked after session_open() must not call
 * session_close().
 */
struct session;
struct journal_owner;
struct journal_entries;

/* @t must outlive the session. NULL with @err if the directory of journals cannot be used. */
struct session *session_open(struct tfs *t, struct ftr_error *err);
struct tfs *session_tfs(struct session *s);

/*
 * Writes @value to @file of @instance (NULL = top), after noting the old value. The file determines
 * how an old value is read and restored (table in control.c): plain text; "[cur]" choices; lists
 * that are written back line by line through one open file (set_ftrace_filter with its function
 * commands, set_ftrace_pid, set_graph_function); buffer sizes in their "7 (expanded: 1408)" form;
 * event filters ("none" becomes 0). Nothing is written if the file has the value already. Returns
 * 0, or -1 with @err: the file, the value, the reason, the kernel's error_log text with its caret
 * if there is one, and a hint (did-you-mean for tracers, options, clocks).
 */
int session_set(struct session *s, const char *instance, const char *file, const char *value,
		struct ftr_error *err);
/*
 * The same for list files, without truncating them: each element of @values is added by an O_APPEND
 * write, all through one fd.
 */
int session_append(struct session *s, const char *instance, const char *file,
		   const struct strv *values, struct ftr_error *err);
/* Replaces the content of a list file by @values (truncates first), which may be empty. */
int session_set_list(struct session *s, const char *instance, const char *file,
		     const struct strv *values, struct ftr_error *err);
/* Sets options/@name to 0 or 1. If there is no such file, it writes the word to trace_options. */
int session_option(struct session *s, const char *instance, const char *name, bool on,
		   struct ftr_error *err);
/* Adds a trigger to @event ("system/event"); restoring removes it ("!..."). */
int session_trigger(struct session *s, const char *instance, const char *event, const char *trigger,
		    struct ftr_error *err);
/* Makes instances/@name; restoring removes it. *made is false if it existed already. */
int session_instance(struct session *s, const char *name, bool *made, struct ftr_error *err);
/*
 * Appends @line to a file of definitions (dynamic_events, kprobe_events, ...). Such a file is never
 * truncated. Restoring appends @undo: "-:kprobes/name", or the definition if @line removes one.
 */
int session_line(struct session *s, const char *file, const char *line, const char *undo,
		 struct ftr_error *err);
/*
 * Notes that a buffer is empty, before it is used: restoring then empties it again. Nothing is
 * noted if the buffer holds data. Only the first call for a buffer checks it. After
 * session_stand_alone() the first change that fills a buffer calls this itself.
 */
int session_empty(struct session *s, const char *instance, struct ftr_error *err);
/*
 * Notes that this run records into the file @path, for the case that it is killed. @how describes
 * to a later run how to complete the file. Restoring ignores the note.
 */
int session_note_file(struct session *s, const char *path, const char *how, struct ftr_error *err);
/*
 * Returns the path of a file next to the journal, which is needed as long as the journal and is
 * removed with it, or NULL if nothing was changed yet. The caller frees.
 */
char *session_beside(const struct session *s, const char *what);
/* Marks all notes for @instance ("*": all notes) as kept: they are not restored. For record -k. */
void session_keep(struct session *s, const char *instance);

/*
 * Locks the standing journal until session_close(), for a run whose changes will outlive it, so
 * that its entries have the order of the changes. Waits for the lock. Returns 0, or -1 with @err,
 * also if a signal arrives that sig_hold() holds.
 */
int session_stand_alone(struct session *s, struct ftr_error *err);
/*
 * Makes the session's changes outlive it (ftr start, set, trigger, probe): moves its entries to the
 * standing journal, from which session_reset() restores. session_close() then has nothing to
 * restore. If it returns -1, with @err, nothing was moved, and session_close() restores.
 */
int session_stand(struct session *s, struct ftr_error *err);
/*
 * Restores the changes of the standing journal in @instance (NULL = top) or everywhere ("*"), and
 * removes their entries. Each file gets the value that it had before the first change. *n (may be
 * NULL) gets the number of entries. If somebody else changed a file since, it is left alone;
 * @others (may be NULL) gets a sentence about each. Returns -1 with the first failure: all entries
 * stay, and the call may be repeated.
 */
int session_reset(struct tfs *t, const char *instance, size_t *n, struct strv *others,
		  struct ftr_error *err);
/*
 * Reads the standing journal: its entries, and the command that made the first change that still
 * stands. Returns 1 if there are entries, which the caller releases, 0 if there are none, -1 with
 * @err.
 */
int session_standing(struct journal_owner *o, struct journal_entries *e, struct ftr_error *err);

/*
 * Takes the exclusive lock on the parts of tracefs that exist once for the whole kernel: flock() on
 * its root directory, which the kernel releases when the holder dies. Returns its descriptor, or -1
 * with @err, which names the holder.
 */
int global_lock(const struct tfs *t, struct ftr_error *err);
/* Returns the holder, as "pid 77, 'ftr record -e sched'", or NULL. The caller frees. */
char *global_lock_holder(const struct tfs *t);
/* Releases the lock, also for children that inherited @fd and did not exec yet. @fd may be -1. */
void global_unlock(int fd);
/*
 * Takes the exclusive lock on the tracers that exist once for the whole kernel, and holds it until
 * session_close(). Returns -1 if somebody else has it; @err names the holder ("pid 77, 'ftr record
 * -p function_graph'").
 */
int session_lock_global(struct session *s, struct ftr_error *err);

/*
 * Restores all changes in reverse order and frees the session. It goes on after failures and
 * returns -1 with the first. Removes the journal if all was restored. @s may be NULL.
 */
int session_close(struct session *s, struct ftr_error *err);

/* Completes a dead run's journal (Documentation/design/journal.md). Returns 0, or -1 with @err. */
int session_recover(struct tfs *t, const char *journal_path, struct ftr_error *err);
/* The result of session_recover_all(). */
struct recovery_result {
	size_t runs;			/* number of dead runs of this boot */
	size_t stood;			/* number of restored entries of the standing journal */
	struct strv other_boot;		/* paths of journals of other boots, which were removed */
	struct strv unreadable;		/* the reason why each unreadable journal was left */
	struct strv others;		/* a sentence about each change of others that was left */
};

/*
 * Restores the changes of all dead runs and of the standing journal, newest first, as a newer
 * change must be undone before an older one below it. It goes on after failures and returns -1 with
 * the first.
 */
int session_recover_all(struct tfs *t, struct recovery_result *r, struct ftr_error *err);
void recovery_release(struct recovery_result *r);
/* Appends the paths of the journals of dead runs of this boot. Returns 0, or -1 with @err. */
int session_dead_journals(struct strv *out, struct ftr_error *err);

#endif
