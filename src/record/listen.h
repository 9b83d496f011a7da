/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Receives recordings from other machines: a file each. */
#ifndef FTR_RECORD_LISTEN_H
#define FTR_RECORD_LISTEN_H

#include <stdint.h>

#include "base/damage.h"
#include "base/err.h"
#include "base/mem.h"

struct listen_plan {
	struct strv addresses;		/* record/net.h */
	const char *folder;		/* where the files go */
	const char *name;		/* how they begin */
	/* of a peer, who is a stranger */
	uint64_t max_size;		/* bytes of a recording */
	uint64_t timeout_ns;		/* so long may it be silent, or away */
	int64_t  max_peers;		/* at once */
	bool     background;		/* listen_run() goes on in a process of its own */
	const char *log;		/* its words go there; NULL: to standard error */
	void (*say)(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
	void (*warn)(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
	int (*damages)(const struct damages *d);
};

/*
 * Until SIGINT or SIGTERM. Files are called FOLDER/NAME-PEER-TIME.dat, where PEER is the address
 * that the kernel tells: nothing of a peer's words becomes a name. A recording is received into
 * that and ".part", and finished as ftr recover does in a process of its own, which is what reads
 * a stranger's file. -1 with @err: can't listen.
 */
int listen_run(const struct listen_plan *p, struct ftr_error *err);

#endif
