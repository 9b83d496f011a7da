/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of a listener share: peers, recordings, the processes that finish them. */
#ifndef FTR_RECORD_NET_LISTENER_PRIV_H
#define FTR_RECORD_NET_LISTENER_PRIV_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/mem.h"
#include "record/net/listener.h"
#include "record/net/net_address.h"
#include "record/net/net_protocol.h"

#define LISTEN_PART ".part"	/* suffix of files that are not finished */

/*
 * The state of a recording. It is written to the disk before it is finished; both may have to wait.
 */
enum take_state {
	TAKE_COMES,
	TAKE_WANTS_SYNC, TAKE_SYNCS,
	TAKE_WANTS_FINISH, TAKE_FINISHES,
	TAKE_DONE,
};

/* A recording, which may come over several connections. */
struct take {
	uint8_t  id[WIRE_ID];
	char    *group;			/* net_peer_group(); "": another listener left it */
	char    *name, *part;		/* the finished file, the file until then; NULL: none yet */
	int      fd;			/* locked by flock(), against other listeners; -1: none */
	uint64_t have;			/* bytes received */
	uint64_t seen_ms;		/* time of the last data */
	enum take_state state;
	pid_t    worker;		/* in TAKE_SYNCS and TAKE_FINISHES; 0: none */
	bool     synced;		/* all bytes are on the disk */
	struct take *next;
};

struct peer {
	int      fd;
	char    *who, *group;
	uint64_t seen_ms;		/* time of the last message */
	uint64_t quiet_ms;		/* time of the last data, or of its arrival or refusal */
	struct wire_reader in;
	struct take *take;		/* NULL: it is at the door, without a hello or refused */
	bool     waits;			/* it waits for WIRE_ALL */
	bool     deaf;			/* it is refused: its bytes are ignored */
	bool     gone;			/* it is dropped at the end of the round */
	struct peer *next;
};

struct listener {
	const struct listen_plan *p;
	int     *fds;
	struct net_addr *at;
	size_t   n;
	int      folder;		/* descriptor of the directory of the files */
	int      signal_fd;
	int      signals;		/* number of signals that ask to end */
	bool     rests;			/* no connection is accepted in this round */
	struct peer *peers;
	struct take *takes;		/* the oldest first */
	struct strv left;		/* names of files that another listener left */
	int      nr_workers;		/* limit for workers of a kind */
	uint64_t room;			/* bytes that may be written before the disk is checked */
	uint64_t looked_ms;		/* time of the last check of the disk */
	bool     full;			/* the warning of a full disk was printed */
	uint64_t said_ms, said, unsaid;	/* warnings of this minute: start, printed, suppressed */
	uint8_t *mem;			/* READ_BYTES for recv() */
};

/* --- listener_files.c: recordings as they are received, room on the disk */

/*
 * Prints a warning that a peer causes. Only so many a minute are printed, the others are counted,
 * so that no peer can fill a log.
 */
void listen_complain(struct listener *l, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Returns the recording with this id, or NULL. */
struct take *take_find(struct listener *l, const uint8_t *id);
/*
 * Adds a recording, which gets a file with its first data. Returns NULL if this address, or all
 * addresses, have as many as they may.
 */
struct take *take_begin(struct listener *l, const uint8_t *id, const char *group);
/*
 * Writes received data. Returns WIRE_GO_ON, or the refusal for the peer; the recording has ended
 * then.
 */
enum wire_answer take_add(struct listener *l, struct take *t, const char *who, const void *data,
			  size_t len);
/* Ends a recording: the next steps are TAKE_WANTS_SYNC and TAKE_WANTS_FINISH. */
void take_end(struct listener *l, struct take *t);
/* Closes the file. The recording stays known until its timeout. */
void take_done(struct take *t);
void take_free(struct listener *l, struct take *t);
/* Opens and locks a file that another listener left, and adds it as a recording to finish. */
void take_left(struct listener *l, const char *part);
/* Gives the file of received bytes the name of the finished one, and prints a warning with @why. */
void take_keep(struct listener *l, const struct take *t, const char *why);
/* Removes temporary files of finishers that were killed. */
void take_remove_copies(struct listener *l, const struct take *t);

/* Returns true if @bytes may be written, and counts them as written. */
bool disk_has_room(struct listener *l, uint64_t bytes);
/* Returns true if @bytes may be written besides the copies that finishers write now. */
bool disk_spares(const struct listener *l, uint64_t bytes);
/* Checks the disk. If it is nearly full, kills the finishers. */
void disk_look(struct listener *l);
/* Appends the names in the directory that start with @prefix and end with @suffix. */
void disk_list(const struct listener *l, const char *prefix, const char *suffix,
	       struct strv *names);

/* --- listener_finish.c: the processes that finish recordings */

/* Starts workers for recordings that wait, as many as may run. */
void work_start(struct listener *l);
/* Reaps workers that have ended. */
void work_reap(struct listener *l);
/* Returns true if a recording waits for a worker or has one. */
bool work_is_left(const struct listener *l);
/* Kills all workers, or only finishers. work_reap() reaps them. */
void work_kill(struct listener *l, bool finishers_only);

/* --- listener.c */

/* Answers the peers that wait for @t to be on the disk. ->synced is the result. */
void listen_tell(struct listener *l, const struct take *t);

#endif
