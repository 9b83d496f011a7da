/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Receives recordings from other machines: a file each. */
#ifndef FTR_RECORD_LISTEN_H
#define FTR_RECORD_LISTEN_H

#include <stdint.h>

#include "base/damage.h"
#include "base/err.h"
#include "base/mem.h"

#define LISTEN_FREE_DEFAULT UINT64_MAX	/* a part of the disk */

struct listen_plan {
	struct strv addresses;		/* record/net.h */
	const char *folder;		/* where the files go */
	const char *name;		/* how they begin */
	/* of a peer, who is a stranger */
	uint64_t max_size;		/* bytes of a recording */
	uint64_t timeout_ns;		/* so long may it be silent, or away */
	int64_t  max_peers;		/* at once */
	int64_t  max_each;		/* of them from one address */
	uint64_t min_free;		/* bytes of the disk that are left to others */
	/* of the process that finishes a recording */
	uint64_t finish_bytes;		/* of memory */
	uint64_t finish_ns;		/* and a second more for each 16 MiB of the recording */
	bool     background;		/* listen_run() goes on in a process of its own */
	const char *log;		/* its words go there; NULL: to standard error */
	void (*say)(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
	void (*warn)(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
	int (*damages)(const struct damages *d);
};

/*
 * Until SIGINT or SIGTERM; a second one ends those that finish recordings, too. Files are called
 * FOLDER/NAME-PEER-TIME.dat, where PEER is the address that the kernel tells: nothing of a peer's
 * words becomes a name. A recording is received into that and ".part", and finished as ftr recover
 * does in a process of its own, which is what reads a stranger's file; at most one for each
 * processor. What a listener that was killed left is finished, too. -1 with @err: can't listen.
 */
int listen_run(const struct listen_plan *p, struct ftr_error *err);

#endif
