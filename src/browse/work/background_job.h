/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work in a thread while the main thread handles keys and draws. A job can be asked to stop, and
 * reports its progress. Its result is read after its end, and nobody changes it any more.
 */
#ifndef FTR_BROWSE_WORK_BACKGROUND_JOB_H
#define FTR_BROWSE_WORK_BACKGROUND_JOB_H

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct background_job;
typedef void (*job_fn)(struct background_job *j, void *ctx);

struct background_job {
	const char *name;		/* "searching", for the status line */
	job_fn run;
	void *ctx;
	bool started;			/* and not yet ended by job_end() */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t  ended;
	bool done;			/* under the lock */
	atomic_bool stop;
	atomic_uint percent;		/* JOB_NO_PERCENT: its share is not known */
};

#define JOB_NO_PERCENT UINT_MAX

/* Runs @fn in a thread, or at once if no thread can be created. @j must not run. */
void job_start(struct background_job *j, const char *name, job_fn fn, void *ctx);
/* Waits at most @wait_ms for the end of a started job. Returns true if it has ended. */
bool job_done(struct background_job *j, unsigned int wait_ms);
/* Asks the job to stop. */
void job_stop(struct background_job *j);
/* Waits for the end of the job. Its result may then be read, and another job be started. */
void job_end(struct background_job *j);
#define JOB_LOOK_EVERY 4096	/* records between two calls of job_goes_on() */

/*
 * For the thread: sets the percentage of @ts on the way from @first to @last. Returns false if the
 * job has to stop.
 */
bool job_goes_on(struct background_job *j, uint64_t first, uint64_t last, uint64_t ts);
/* The same within part number @part, from 0, of @parts, which are of about the same size. */
bool job_part_goes_on(struct background_job *j, size_t part, size_t parts, uint64_t first,
		      uint64_t last, uint64_t ts);
/* For the thread: returns true if the job has to stop. */
static inline bool job_stops(struct background_job *j)
{
	return atomic_load_explicit(&j->stop, memory_order_relaxed);
}

#endif
