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

#define LISTEN_PART ".part"	/* behind the name of what is not finished */

/* How far a recording is: all is on the disk before it is finished, and each may have to wait. */
enum take_state {
	TAKE_COMES,
	TAKE_WANTS_SYNC, TAKE_SYNCS,
	TAKE_WANTS_FINISH, TAKE_FINISHES,
	TAKE_DONE,
};

/* A recording, over as many connections as it takes. */
struct take {
	uint8_t  id[WIRE_ID];
	char    *group;			/* whose it is: net_peer_group(); "": of another listener */
	char    *name, *part;		/* in the folder: in the end, and until then; NULL: none */
	/* locked by flock(), which says that somebody has it; -1: none */
	int      fd;
	uint64_t have;
	uint64_t seen_ms;		/* when somebody sent some of it */
	enum take_state state;
	pid_t    worker;		/* of TAKE_SYNCS and TAKE_FINISHES */
	bool     synced;		/* all of it is on the disk */
	struct take *next;
};

struct peer {
	int      fd;
	char    *who, *group;
	uint64_t seen_ms;		/* when it said something */
	uint64_t quiet_ms;		/* since when it sends no data, or is at the door */
	struct wire_reader in;
	struct take *take;		/* NULL: it is at the door, without a hello or refused */
	bool     waits;			/* to hear that all is on the disk */
	bool     deaf;			/* refused: what it still says is thrown away */
	bool     gone;			/* until the end of the round */
	struct peer *next;
};

struct listener {
	const struct listen_plan *p;
	int     *fds;
	struct net_addr *at;
	size_t   n;
	int      folder;
	int      signal_fd;
	int      signals;		/* that asked for the end */
	bool     rests;			/* nobody is let in in this round */
	struct peer *peers;
	struct take *takes;		/* the oldest first */
	struct strv left;		/* names in the folder that are still to be looked at */
	int      nr_workers;		/* of a kind, at once */
	uint64_t room;			/* bytes that may be written before the disk is looked at */
	uint64_t looked_ms;		/* when at the disk */
	bool     full;
	uint64_t said_ms, said, unsaid;	/* complaints of this minute */
	uint8_t *mem;
};

/* --- listener_files.c: recordings as they come */

/* What a stranger causes is to fill no log: so many a minute, the others are counted. */
void listen_complain(struct listener *l, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
struct take *take_find(struct listener *l, const uint8_t *id);
/* NULL: this address, or all, have as many as they may. It has no file until data comes. */
struct take *take_begin(struct listener *l, const uint8_t *id, const char *group);
/* WIRE_GO_ON, or why not; then the recording has ended. */
enum wire_answer take_add(struct listener *l, struct take *t, const char *who, const void *data,
			  size_t len);
/* Nothing more comes. */
void take_end(struct listener *l, struct take *t);
/* Nothing more is to be done but to remember it for a while. */
void take_done(struct take *t);
void take_free(struct listener *l, struct take *t);
/* Opens the file, locks it, makes it one that is to be finished. */
void take_left(struct listener *l, const char *part);
/* It is not finished: the file is what came, under the name of a finished one. @why is said. */
void take_keep(struct listener *l, const struct take *t, const char *why);
/* What finishers that were killed had written so far. */
void take_remove_copies(struct listener *l, const struct take *t);

/* --- listener_finish.c: the processes that finish them */

/* As many as may run, of those that wait. */
void work_start(struct listener *l);
/* Those that have ended. */
void work_reap(struct listener *l);
bool work_is_left(const struct listener *l);
/* All that run, and only finishers if so; those that were killed are reaped later. */
void work_kill(struct listener *l, bool finishers_only);

/* --- listener_disk.c: room, and what lies in the folder */

/* May so much be written? It counts as written then. */
bool disk_has_room(struct listener *l, uint64_t bytes);
/* May so much be written beside what is being written, which is not counted? */
bool disk_spares(const struct listener *l, uint64_t bytes);
/* Once in a while: a disk that is nearly full ends finishers. */
void disk_look(struct listener *l);
/* Names that begin with @prefix and end with @suffix. */
void disk_list(const struct listener *l, const char *prefix, const char *suffix,
	       struct strv *names);

/* --- listener.c */

/* @t is on the disk, or can't be: who waits for that is told. */
void listen_tell(struct listener *l, const struct take *t);

#endif
