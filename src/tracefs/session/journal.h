/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The journal: what a run changed in tracefs, on disk before each change. Format:
 * Documentation/journal.md.
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
	ENTRY_SET,		/* ->path held ->value before it was changed */
	ENTRY_COMMAND,		/* the function command ->value was added to ->path */
	ENTRY_GROW,		/* buffer size ->path read ->value, and must not stay that small */
	ENTRY_MKDIR,		/* the instance ->path was made */
	ENTRY_KEEP,		/* what was changed in ->path ("" = top, "*" = all) stays */
	ENTRY_LINE,		/* ->value, added to ->path, undoes what is to be added */
	ENTRY_SYSCTL,		/* the sysctl ->path (one of sysctl.c's) was ->value */
	ENTRY_EMPTY,		/* the buffer of ->path (a trace file) was empty */
	ENTRY_LEFT,		/* ->path read ->value when the changes came to stand */
	ENTRY_FILE,		/* ->path is being recorded into: session_note_file() */
};

struct entry {
	enum entry_type type;
	char *path;		/* below tracefs; of ENTRY_SYSCTL the name */
	char *value;
	bool  kept;		/* by a later ENTRY_KEEP */
	size_t by;		/* entries.commands: whose change it was */
};

struct entries {
	struct entry *v;
	size_t n, cap;
	struct strv commands;	/* as a journal that was read has them, none otherwise */
};

/* Who wrote a journal. */
struct journal_owner {
	char *boot_id;
	pid_t pid;
	unsigned long long start;	/* /proc/PID/stat field 22, clock ticks after boot */
	char *command;			/* as a shell would take it; session_standing(): the first
					 * of those whose changes stand */
	char *tracefs;
};

void entries_release(struct entries *e);
void entries_add(struct entries *e, enum entry_type type, const char *path, const char *value);
/* Marks what lies in @instance ("" = top, "*" = everything) as kept. */
void entries_keep(struct entries *e, const char *instance);
/* How many are to be put back: what stands in an instance that was reset is not. */
size_t entries_left(const struct entries *e);
void journal_owner_release(struct journal_owner *o);

/* Where the journals of this user are; it need not be there. The caller frees. */
char *journal_folder_path(void);
/* Root's folder, where it is there and this user may not look into it; else NULL. */
const char *journal_unseen(void);
/* The same, made when missing; NULL with @err. The caller frees. */
char *journal_folder(struct ftr_error *err);
/*
 * Paths of the journals of runs, also of other boots, sorted; *standing (may be NULL) gets that of
 * the standing one. 0, or -1 with @err.
 */
int journal_list(struct strv *runs, char **standing, struct ftr_error *err);
/* A new journal of this process, header written. Its fd, or -1; *path (the caller frees). */
int journal_create(const struct tfs *t, char **path, struct ftr_error *err);
/*
 * The journal of changes that outlive their run (ftr start): "standing" in the same folder, made
 * if missing or of another boot, locked until its fd, the result, is closed. -1 with @err.
 */
int journal_standing(const struct tfs *t, char **path, struct ftr_error *err);
/* One entry in one write(). -1 with @err: then the change must not be made. */
int journal_append(int fd, const struct entry *e, const char *path, struct ftr_error *err);
/* This process's command, and those that are not kept, in one write(). */
int journal_append_all(int fd, const struct entries *e, const char *path, struct ftr_error *err);
/* Removes it, and what was kept beside it (session_beside()). -1 with errno. */
int journal_remove(const char *path);
/* Reads one. A last entry that is cut short is left out: its change was never made. */
int journal_read(const char *path, struct journal_owner *o, struct entries *e,
		 struct ftr_error *err);
/* Does the process that wrote it still run? False also for another boot's. */
bool journal_alive(const struct journal_owner *o);
bool journal_of_this_boot(const struct journal_owner *o);
/* When it started, as journal_owner has it; 0 when that can't be read. */
unsigned long long process_start(pid_t pid);
/* Command line of a process in a form for messages; "?" when it can't be read. The caller frees. */
char *process_command(pid_t pid);

/*
 * Who completes what dead runs left: a guardian, or ftr reset. It waits for the one before to be
 * done. A descriptor, whose close() ends it; -1 with @err, also when a signal that sig_hold() holds
 * comes meanwhile.
 */
int journal_lock(struct ftr_error *err);

/*
 * restore.c: puts back all entries in reverse order, goes on after failures; -1 with the first
 * one.
 */
int entries_restore(const struct tfs *t, const struct entries *e, struct ftr_error *err);

/*
 * restore.c: turns tracing off wherever the entries say whether it was on, hence nowhere else:
 * entries_restore() is to follow.
 */
void entries_stop_tracing(const struct tfs *t, const struct entries *e);

/* others.c: adds what files read now that only who writes them changes (ENTRY_LEFT). */
void entries_note_left(const struct tfs *t, struct entries *e);
/*
 * others.c: marks as kept what others changed since, an instance that they use among it; a sentence
 * about each is added to @out.
 */
void entries_leave_others(const struct tfs *t, struct entries *e, struct strv *out);

/* restore.c: removes "instances/NAME", waiting a little for readers that go. -1 with errno. */
int instance_remove(const struct tfs *t, const char *path);

#endif
