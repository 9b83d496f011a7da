/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The journal: a list of a run's changes of tracefs. Each entry is on disk before its change is
 * made. Documentation/design/journal.md describes the format.
 */
#ifndef FTR_TRACEFS_JOURNAL_H
#define FTR_TRACEFS_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/mem.h"
#include "tracefs/files/tfs.h"

enum entry_type {
	ENTRY_SET,		/* ->path contained ->value before the change */
	ENTRY_COMMAND,		/* the function command ->value was added to ->path */
	/* the buffer size ->path read ->value, "7 (expanded: 1408)"; it must not stay at 7 */
	ENTRY_GROW,
	ENTRY_MKDIR,		/* the instance ->path was made */
	ENTRY_KEEP,		/* changes in ->path ("" = top, "*" = all) are not restored */
	ENTRY_LINE,		/* appending ->value to ->path undoes the line added */
	ENTRY_SYSCTL,		/* the sysctl ->path (in the list of sysctl.c) had ->value */
	ENTRY_EMPTY,		/* the buffer of ->path (a trace file) was empty */
	ENTRY_LEFT,	/* ->path read ->value when the change moved to the standing journal */
	ENTRY_FILE,		/* this run records into ->path: session_note_file() */
};

struct journal_entry {
	enum entry_type type;
	char *path;		/* in tracefs; ENTRY_SYSCTL: the name */
	char *value;
	bool  kept;		/* not to be restored: by a later ENTRY_KEEP, for example */
	size_t by;		/* index into entries.commands: the command that made the change */
};

struct journal_entries {
	struct journal_entry *v;
	size_t n, cap;
	struct strv commands;	/* empty unless the journal was read */
};

/* The process that wrote a journal. */
struct journal_owner {
	char *boot_id;
	pid_t pid;
	unsigned long long start;	/* /proc/PID/stat field 22, clock ticks after boot */
	/* quoted for a shell; after session_standing() the first command whose changes stand */
	char *command;
	char *tracefs;
};

void entries_release(struct journal_entries *e);
void entries_add(struct journal_entries *e, enum entry_type type, const char *path,
		 const char *value);
/* Marks the entries in @instance ("" = top, "*" = all) as kept. */
void entries_keep(struct journal_entries *e, const char *instance);
/* Returns the number of entries to restore: those that are neither kept nor ENTRY_LEFT. */
size_t entries_left(const struct journal_entries *e);
void journal_owner_release(struct journal_owner *o);

/* Returns the directory of this user's journals, which may not exist. The caller frees. */
char *journal_dir_path(void);
/* Returns root's directory if it exists and this user may not read it, else NULL. */
const char *journal_unseen(void);
/*
 * Returns the same as journal_dir_path(), and makes a missing directory. NULL with @err if it
 * cannot be used. The caller frees.
 */
char *journal_dir(struct ftr_error *err);
/*
 * Appends the paths of the journals of runs, also of other boots, sorted. *standing (may be NULL)
 * gets the path of the standing journal, which the caller frees. Returns 0, or -1 with @err.
 */
int journal_list(struct strv *runs, char **standing, struct ftr_error *err);
/* Makes a journal for this process. Returns its fd, or -1 with @err. The caller frees *path. */
int journal_create(const struct tfs *t, char **path, struct ftr_error *err);
/*
 * Opens the journal of changes that outlive their run (ftr start): "standing" in the same
 * directory. A missing one, or one of another boot, is made anew. Returns its fd, which holds a
 * lock until it is closed, or -1 with @err. The caller frees *path.
 */
int journal_standing(const struct tfs *t, char **path, struct ftr_error *err);
/* Appends an entry with one write(). -1 with @err: the caller must not make the change. */
int journal_append(int fd, const struct journal_entry *e, const char *path, struct ftr_error *err);
/*
 * Appends this process's command and all entries of @e that are not kept, with one write(). Returns
 * 0, or -1 with @err.
 */
int journal_append_all(int fd, const struct journal_entries *e, const char *path,
		       struct ftr_error *err);
/* Removes the journal and the files of session_beside(). Returns 0, or -1 with errno. */
int journal_remove(const char *path);
/*
 * Reads a journal; the caller releases @o and @e. A truncated last entry is dropped: its change was
 * never made. Returns 0, or -1 with @err and both empty.
 */
int journal_read(const char *path, struct journal_owner *o, struct journal_entries *e,
		 struct ftr_error *err);
/* True if the process that wrote the journal still runs. False for a journal of another boot. */
bool journal_alive(const struct journal_owner *o);
bool journal_of_this_boot(const struct journal_owner *o);
/*
 * Returns the start time of a process, as in struct journal_owner; 0 if there is no such process or
 * it is a zombie.
 */
unsigned long long process_start(pid_t pid);
/* Returns the command line of a process for messages, "?" if it can't be read. The caller frees. */
char *process_command(pid_t pid);

/*
 * Takes the lock for completing the journals of dead runs (a guardian, ftr reset), and waits for
 * its holder. Returns a descriptor whose close() releases the lock. Returns -1 with @err, also if a
 * signal arrives that sig_hold() holds.
 */
int journal_lock(struct ftr_error *err);

/* restore.c: restores all entries in reverse order. Goes on after failures; -1 with the first. */
int entries_restore(const struct tfs *t, const struct journal_entries *e, struct ftr_error *err);

/*
 * restore.c: turns tracing off in the buffers whose tracing_on is in the entries.
 * entries_restore(), which must follow, sets it again.
 */
void entries_stop_tracing(const struct tfs *t, const struct journal_entries *e);

/* restore.c: removes "instances/NAME"; waits 1 s for readers to close. 0, or -1 with errno. */
int instance_remove(const struct tfs *t, const char *path);

#endif
