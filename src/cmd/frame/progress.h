/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much of the files was read, on a terminal, from the first second on. */
#ifndef FTR_CMD_PROGRESS_H
#define FTR_CMD_PROGRESS_H

#include <pthread.h>
#include <stdint.h>

#include "cmd/frame/select.h"

struct progress;

/* Of one thread that out_render() asks by. */
struct progress_watcher {
	struct progress *p;
	void *ctx;			/* of the inner match */
	uint32_t n;
};

struct progress {
	bool wanted, shown;
	uint64_t next;			/* when it is to be said again */
	uint64_t first, last;		/* times of the records */
	struct out_match inner;		/* of progress_watch() */
	struct progress_watcher outer;
	pthread_mutex_t lock;
};

/* Nothing is said where nobody would read it: line_wanted(). */
void progress_start(struct progress *p, const struct selection *s);
/* A record of @ts was read: call it now and then. */
void progress_say(struct progress *p, uint64_t ts);
/* The same for out_render(): the records that it asks @m for. */
void progress_watch(struct progress *p, const struct selection *s, struct out_match *m);
void progress_end(struct progress *p);

#endif
