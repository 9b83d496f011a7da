/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Receives recordings from other machines, each in a file. */
#ifndef FTR_RECORD_NET_LISTENER_H
#define FTR_RECORD_NET_LISTENER_H

#include <stdint.h>

#include "base/damage.h"
#include "base/err.h"
#include "base/mem.h"

#define LISTEN_FREE_DEFAULT UINT64_MAX	/* 5 percent of the disk, at most 1 GiB */

struct listen_plan {
	struct strv addresses;		/* texts for net_addr() */
	const char *dir;		/* directory of the files */
	const char *name;		/* prefix of the names of the files */
	/* limits for a peer, which is untrusted */
	uint64_t max_size;		/* bytes of a recording */
	uint64_t timeout_ns;		/* longest time without data or connection */
	int64_t  max_peers;		/* number at the same time */
	int64_t  max_each;		/* number at the same time from one address */
	uint64_t min_free;		/* bytes of the disk to leave free */
	/* limits for the process that finishes a recording */
	uint64_t finish_bytes;		/* bytes of memory */
	uint64_t finish_ns;		/* time, plus a second for each 16 MiB of the recording */
	bool     background;		/* listen_run() continues in a background process */
	const char *log;		/* file for messages; NULL: standard error */
	void (*notice)(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
	void (*warn)(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
	int (*damages)(const struct damage_list *d);
};

/*
 * Runs until SIGINT or SIGTERM. A second signal also ends the processes that finish recordings.
 * Files are called DIR/NAME-PEER-TIME.dat. PEER is the address from the kernel; no text of a
 * peer becomes part of a name. A recording is received as that name plus ".part". A separate
 * process finishes it as ftr recover does, so that only that process reads the untrusted file;
 * there is at most one for each processor. Files left by a killed listener are finished, too.
 * Returns 0, or -1 with @err if it can't listen.
 */
int listen_run(const struct listen_plan *p, struct ftr_error *err);

#endif
