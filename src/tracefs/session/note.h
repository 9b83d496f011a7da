/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A session's inside: what is noted before a change. */
#ifndef FTR_TRACEFS_NOTE_H
#define FTR_TRACEFS_NOTE_H

#include "tracefs/files/control.h"
#include "tracefs/session/journal.h"
#include "tracefs/session/session.h"

struct session {
	struct tfs *t;
	struct entries entries;
	int journal_fd;			/* -1 until something is changed */
	char *journal;
	int lock_fd;			/* -1 = not held */
	int standing_fd;		/* the standing journal, locked; -1 = not held */
	char *standing;
	struct strv looked;		/* "trace" files that session_empty() looked at */
};

/* A change that is about to be made. */
struct change {
	struct session *s;
	const char *instance, *file, *value;
	const struct strv *words;	/* of a list; NULL = ->value alone */
	bool truncates;
	const struct control *control;
	char *path;
	struct ftr_error *err;
};

/* An entry into the journal and ->entries. -1 with @err: then the change must not be made. */
int session_record(struct session *s, enum entry_type type, const char *path, const char *value,
		   struct ftr_error *err);
/* Does @c let the kernel write records into the buffer that it would not write without? */
bool change_fills_buffer(const struct change *c);
/* All that @c will change, and that was not noted before. -1 with @err. */
int change_note(const struct change *c);

#endif
