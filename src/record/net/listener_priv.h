/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the parts of a listener: peers, recordings, the processes that finish recordings. */
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
enum incoming_state {
	INCOMING_RECEIVES,
	INCOMING_WANTS_SYNC, INCOMING_SYNCS,
	INCOMING_WANTS_FINISH, INCOMING_FINISHES,
	INCOMING_DONE,
};

/* A recording, which may come over several connections. */
struct incoming_file {
	uint8_t  id[WIRE_ID];
	char    *group;			/* net_peer_group(); "": another listener left it */
	char    *name, *part;		/* the finished file, the file until then; NULL: none yet */
	int      fd;			/* locked by flock(), against other listeners; -1: none */
	uint64_t have;			/* bytes received */
	uint64_t seen_ms;		/* time of the last data */
	enum incoming_state state;
	pid_t    worker;		/* in INCOMING_SYNCS and INCOMING_FINISHES; 0: none */
	bool     synced;		/* all bytes are on the disk */
	struct incoming_file *next;
};

struct listener_peer {
	int      fd;
	char    *who, *group;
	uint64_t seen_ms;		/* time of the last message */
	uint64_t quiet_ms;		/* time of the last data, or of its arrival or refusal */
	struct wire_reader in;
	struct incoming_file *incoming;		/* NULL: it is at the door, or refused */
	bool     waits;			/* it waits for WIRE_ALL */
	bool     deaf;			/* it is refused: its bytes are ignored */
	bool     gone;			/* it is dropped at the end of the round */
	struct listener_peer *next;
};

struct listener {
	const struct listen_plan *p;
	int     *fds;
	struct net_addr *at;
	size_t   n;
	int      dir;		/* descriptor of the directory of the files */
	int      signal_fd;
	int      signals;		/* number of signals that ask to end */
	bool     no_accept;			/* no connection is accepted in this round */
	struct listener_peer *peers;
	struct incoming_file *incoming;		/* the oldest first */
	struct strv left;		/* names of files that another listener left */
	int      nr_workers;		/* limit for workers of a kind */
	uint64_t room;			/* bytes that may be written before the disk is checked */
	uint64_t looked_ms;		/* time of the last check of the disk */
	bool     full;			/* the warning of a full disk was printed */
	/* warnings of this minute: start, printed, suppressed */
	uint64_t warn_start_ms, nr_warned, nr_suppressed;
	uint8_t *mem;			/* READ_BYTES for recv() */
};

/* --- listener_files.c: recordings as they are received, room on the disk */

/*
 * Prints a warning that a peer causes. Only so many a minute are printed, the others are counted,
 * so that no peer can fill a log.
 */
void listen_warn(struct listener *l, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Returns the recording with this id, or NULL. */
struct incoming_file *incoming_find(struct listener *l, const uint8_t *id);
/*
 * Adds a recording, which gets a file with its first data. Returns NULL if this address, or all
 * addresses, have as many as they may.
 */
struct incoming_file *incoming_add(struct listener *l, const uint8_t *id, const char *group);
/*
 * Writes received data. Returns WIRE_GO_ON, or the refusal for the peer; the recording has ended
 * then.
 */
enum wire_answer incoming_write(struct listener *l, struct incoming_file *t, const char *who,
				const void *data, size_t len);
/* Ends a recording. If it has data, INCOMING_WANTS_SYNC is the next state. */
void incoming_end(struct listener *l, struct incoming_file *t);
/* Closes the file. The recording stays known until its timeout. */
void incoming_done(struct incoming_file *t);
void incoming_free(struct listener *l, struct incoming_file *t);
/* Opens and locks a file that another listener left, and adds it as a recording to finish. */
void incoming_open_left(struct listener *l, const char *part);
/* Gives the file of received bytes the name of the finished one, and prints a warning with @why. */
void incoming_keep(struct listener *l, const struct incoming_file *t, const char *why);
/* Removes temporary files of finishers that were killed. */
void incoming_remove_copies(struct listener *l, const struct incoming_file *t);

/* Returns true if @bytes may be written, and counts them as written. */
bool disk_has_room(struct listener *l, uint64_t bytes);
/* Returns true if @bytes may be written besides the copies that finishers write now. */
bool disk_has_spare(const struct listener *l, uint64_t bytes);
/* Checks the disk. If it is nearly full, it kills the finishers. */
void disk_check(struct listener *l);
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
void listen_answer_synced(struct listener *l, const struct incoming_file *t);

#endif
