/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shows on a terminal the share of the files that was read, after the first second. */
#ifndef FTR_CMD_PROGRESS_H
#define FTR_CMD_PROGRESS_H

#include <pthread.h>
#include <stdint.h>

#include "cmd/frame/selection.h"

struct progress;

/* The context of one thread of out_render(). */
struct progress_watcher {
	struct progress *p;
	void *ctx;			/* ctx of ->inner */
	uint32_t n;			/* records so far */
};

struct progress {
	bool wanted, shown;
	uint64_t next;			/* time of the next display, now_ns() */
	uint64_t first, last;		/* time stamps of the first and the last record */
	struct out_match inner;		/* the caller's @m of progress_watch() */
	struct progress_watcher outer;
	pthread_mutex_t lock;
};

/* Starts the display. It shows nothing if line_wanted() returns false. */
void progress_start(struct progress *p, const struct selection *s);
/* Shows the progress for a record of @ts. Call it regularly. */
void progress_say(struct progress *p, uint64_t ts);
/* Starts the display for out_render(): wraps @m to see the records that it matches. */
void progress_watch(struct progress *p, const struct selection *s, struct out_match *m);
void progress_end(struct progress *p);

#endif
