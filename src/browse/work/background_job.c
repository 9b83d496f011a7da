/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Work in a thread while the main thread handles keys. */
#include "browse/work/background_job.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>

#include "base/mem.h"
#include "base/now.h"

#define LONG_NS	   500000000u
#define GROWN	   (24u << 20)	/* bytes; returning memory takes as long as a short job */

static void *job_main(void *arg)
{
	uint64_t start = now_ns();
	struct background_job *j = arg;

	j->run(j, j->ctx);
	/* the next job reuses the memory of a short one; that of a pass over the files is freed */
	mem_trim_grown(now_ns() - start > LONG_NS ? 0 : GROWN);
	pthread_mutex_lock(&j->lock);
	j->done = true;
	pthread_cond_signal(&j->ended);
	pthread_mutex_unlock(&j->lock);
	return NULL;
}

void job_start(struct background_job *j, const char *name, job_fn fn, void *ctx)
{
	static const int faults[] = { SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGABRT };
	pthread_condattr_t attr;
	sigset_t all, before;

	*j = (struct background_job){ .name = name, .run = fn, .ctx = ctx };
	pthread_mutex_init(&j->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&j->ended, &attr);
	pthread_condattr_destroy(&attr);
	/* signals are for the main thread, except those of faults in this thread */
	sigfillset(&all);
	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++)
		sigdelset(&all, faults[i]);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	j->started = !pthread_create(&j->thread, NULL, job_main, j);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!j->started)
		job_main(j);
}

bool job_done(struct background_job *j, unsigned int wait_ms)
{
	struct timespec until;
	bool done;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += wait_ms * 1000000l;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&j->lock);
	while (!j->done && wait_ms)
		if (pthread_cond_timedwait(&j->ended, &j->lock, &until))
			break;
	done = j->done;
	pthread_mutex_unlock(&j->lock);
	return done;
}

void job_stop(struct background_job *j)
{
	atomic_store(&j->stop, true);
}

void job_end(struct background_job *j)
{
	if (!j->run)
		return;
	if (j->started)
		pthread_join(j->thread, NULL);
	pthread_cond_destroy(&j->ended);
	pthread_mutex_destroy(&j->lock);
	*j = (struct background_job){0};
}

bool job_part_goes_on(struct background_job *j, size_t part, size_t parts, uint64_t first,
		      uint64_t last, uint64_t ts)
{
	uint64_t one = (last - first) / 100 + 1;

	atomic_store(&j->percent, (part * 100 + (ts > first ? (ts - first) / one : 0)) / parts);
	return !job_stops(j);
}

bool job_goes_on(struct background_job *j, uint64_t first, uint64_t last, uint64_t ts)
{
	return job_part_goes_on(j, 0, 1, first, last, ts);
}
