/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Changes tracefs through a journal, and puts everything back in reverse order. */
#ifndef FTR_TRACEFS_SESSION_H
#define FTR_TRACEFS_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "tracefs/files/tfs.h"

/*
 * A session is one run's changes. Before a control file is changed its old value is written to the
 * journal (root: /run/ftr/PID.journal; else $XDG_RUNTIME_DIR/ftr/, else /tmp/ftr-UID/; 0600), with
 * boot id, pid and start time of the process and command line, so that a later run can tell a dead
 * run's journal and complete it. session_close() restores and removes the journal. A process
 * forked after session_open() must not call session_close().
 */
struct session;
struct journal_owner;
struct entries;

struct session *session_open(struct tfs *t, struct ftr_error *err);
struct tfs *session_tfs(struct session *s);

/*
 * Writes @value to @file of @instance (NULL = top), after noting the old value. How old values are
 * read, and how they are put back, depends on the file (table in restore.c): plain text; "[cur]"
 * choices; lists that are written back line by line through one open file (set_ftrace_filter with
 * its function commands, set_ftrace_pid, set_graph_function); buffer sizes in their "7 (expanded:
 * 1408)" form; event filters ("none" becomes 0). A value that is there already is not written
 * again. -1 with @err: the file, the value, the reason, the kernel's error_log text with its caret
 * where there is one, a hint (did-you-mean for tracers, options, clocks).
 */
int session_set(struct session *s, const char *instance, const char *file, const char *value,
		struct ftr_error *err);
/*
 * The same for list files, element by element without truncating: what is in @values is added by
 * O_APPEND writes through one open fd.
 */
int session_append(struct session *s, const char *instance, const char *file,
		   const struct strv *values, struct ftr_error *err);
/* Replaces a list file by @values (truncates first). An empty @values clears it. */
int session_set_list(struct session *s, const char *instance, const char *file,
		     const struct strv *values, struct ftr_error *err);
/* options/@name to 0 or 1, falling back to trace_options where there is no such file. */
int session_option(struct session *s, const char *instance, const char *name, bool on,
		   struct ftr_error *err);
/*
 * Adds a trigger to "events/SYSTEM/EVENT/trigger"; restoring removes it ("!..."). @event is
 * "system/event".
 */
int session_trigger(struct session *s, const char *instance, const char *event, const char *trigger,
		    struct ftr_error *err);
/* mkdir instances/@name; restoring removes it. *made is false if it was there. */
int session_instance(struct session *s, const char *name, bool *made, struct ftr_error *err);
/*
 * Appends @line to a file of definitions (dynamic_events, kprobe_events, ...), which are never
 * truncated; restoring appends @undo: "-:kprobes/name", or, where @line takes a definition away,
 * the definition.
 */
int session_line(struct session *s, const char *file, const char *line, const char *undo,
		 struct ftr_error *err);
/*
 * Says before a buffer is used that it is empty: restoring empties it again. Nothing is noted when
 * it holds data; only the first call for a buffer looks. Changes that are to stand
 * (session_stand_alone() came before) do it themselves when they begin to fill a buffer.
 */
int session_empty(struct session *s, const char *instance, struct ftr_error *err);
/*
 * Notes that the file @path is recorded into, should we be killed: @how is for whoever completes
 * it. Nothing is restored for it.
 */
int session_note_file(struct session *s, const char *path, const char *how, struct ftr_error *err);
/*
 * Where something can be kept that is needed as long as the journal is, and goes with it: a path,
 * which the caller frees, or NULL where nothing was changed yet.
 */
char *session_beside(const struct session *s, const char *what);
/*
 * Forgets all that was noted for @instance (or everything if @instance is "*"): it stays as it is.
 * For record -k.
 */
void session_keep(struct session *s, const char *instance);

/*
 * For changes that are to stand: from here to session_close() no other run's changes come to stand,
 * so that the order of the standing journal is that of the changes. Waits; -1 when a signal that
 * sig_hold() holds comes meanwhile.
 */
int session_stand_alone(struct session *s, struct ftr_error *err);
/*
 * What the session changed outlives it: its entries move to the standing journal (ftr start, set,
 * trigger, probe), from which session_reset() restores. session_close() then finds nothing to put
 * back. -1 with @err: nothing moved, and session_close() restores.
 */
int session_stand(struct session *s, struct ftr_error *err);
/*
 * Puts back what stands, the value before the first change of each file, in @instance (NULL = top)
 * or everywhere ("*"), and removes it from the standing journal. *n (may be NULL) gets the number
 * of entries. What others changed since is left to them; @others (may be NULL) gets a sentence
 * about each. -1 with the first failure: all of it still stands, and may be tried again.
 */
int session_reset(struct tfs *t, const char *instance, size_t *n, struct strv *others,
		  struct ftr_error *err);
/* What stands now, and who began it; released by the caller. 1 = something, 0 = nothing, -1. */
int session_standing(struct journal_owner *o, struct entries *e, struct ftr_error *err);

/*
 * The exclusive lock on what exists once for the whole kernel. Held until session_close(). -1 and
 * an error that names the holder ("pid 77, 'ftr record -p function_graph'") when somebody else has
 * it.
 */
int session_lock_global(struct session *s, struct ftr_error *err);

/*
 * Restores all in reverse order, goes on after failures, returns -1 with the first one; removes
 * the journal when complete. NULL is fine.
 */
int session_close(struct session *s, struct ftr_error *err);

/*
 * Completes a dead run's journal: see Documentation/journal.md for the format. 0, or -1 with
 * @err.
 */
int session_recover(struct tfs *t, const char *journal_path, struct ftr_error *err);
/* What session_recover_all() found. */
struct recovery {
	size_t runs;			/* dead ones of this boot */
	size_t stood;			/* changes that stood */
	struct strv other_boot;		/* journals of other boots, removed */
	struct strv unreadable;		/* why a journal was left where it is */
	struct strv others;		/* what others changed and is left: a sentence each */
};

/*
 * Completes all dead runs, and puts back what stands: newest first, as that is the order in which
 * values were covered. Goes on after failures; -1 with the first.
 */
int session_recover_all(struct tfs *t, struct recovery *r, struct ftr_error *err);
void recovery_release(struct recovery *r);
/* Journals of runs that are dead, of this boot. */
int session_dead_journals(struct strv *out, struct ftr_error *err);

#endif
