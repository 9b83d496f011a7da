/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to tracefs: the internals of a session, and the notes before a change. */
#ifndef FTR_TRACEFS_SESSION_JOURNAL_NOTE_H
#define FTR_TRACEFS_SESSION_JOURNAL_NOTE_H

#include "tracefs/files/control.h"
#include "tracefs/session/journal.h"
#include "tracefs/session/session.h"

struct session {
	struct tfs *t;
	struct journal_entries entries;
	int journal_fd;			/* -1 before the first change */
	char *journal;
	int lock_fd;			/* -1 = not held */
	int standing_fd;		/* the standing journal, locked; -1 = not held */
	char *standing;
	struct strv checked;		/* "trace" files that session_empty() checked */
};

/* A change that is about to be made. */
struct journal_change {
	struct session *s;
	const char *instance, *file, *value;
	const struct strv *words;	/* of a list; NULL if ->value is the only word */
	bool truncates;
	const struct control_file *control;
	char *path;
	struct ftr_error *err;
};

/*
 * Appends an entry to the journal and to ->entries. If it returns -1, with @err, the caller must
 * not make the change.
 */
int session_record(struct session *s, enum entry_type type, const char *path, const char *value,
		   struct ftr_error *err);
/* True if @c makes the kernel write records to the buffer. */
bool change_fills_buffer(const struct journal_change *c);
/* Notes all values that @c changes, unless they were noted before. Returns 0, or -1 with @err. */
int change_note(const struct journal_change *c);

#endif
