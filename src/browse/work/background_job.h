/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work beside the keys: a thread of its own that may be asked to stop, says how far it is, and
 * hands over a result that nobody changes afterwards. Only the main thread draws.
 */
#ifndef FTR_BROWSE_WORK_BACKGROUND_JOB_H
#define FTR_BROWSE_WORK_BACKGROUND_JOB_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct job;
typedef void (*job_fn)(struct job *j, void *ctx);

struct job {
	const char *name;		/* "searching", for the status line */
	job_fn run;
	void *ctx;
	bool started;			/* and not yet ended by job_end() */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t  ended;
	bool done;			/* under the lock */
	atomic_bool stop;
	atomic_uint percent;
};

/* Runs @fn in a thread; where there can be none, at once. The job has ended before. */
void job_start(struct job *j, const char *name, job_fn fn, void *ctx);
/* True if it is done, after waiting so long for it. One was started. */
bool job_done(struct job *j, unsigned int wait_ms);
/* Asks it to stop. */
void job_stop(struct job *j);
/* Waits for its end; afterwards the result may be read, and another one be started. */
void job_end(struct job *j);
#define JOB_LOOK_EVERY 4096	/* records from one look at the job to the next */

/* For the thread: it has come to @ts on its way from @first to @last. False: it is to stop. */
bool job_goes_on(struct job *j, uint64_t first, uint64_t last, uint64_t ts);
/* The same on the way of the @part-th (from 0) of @parts, which are of about the same size. */
bool job_part_goes_on(struct job *j, size_t part, size_t parts, uint64_t first, uint64_t last,
		      uint64_t ts);
/* For the thread: is it to stop? */
static inline bool job_stops(struct job *j)
{
	return atomic_load_explicit(&j->stop, memory_order_relaxed);
}

#endif
