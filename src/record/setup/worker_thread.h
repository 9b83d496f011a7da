/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread that does periodic work beside the recording, until it is asked to end. */
#ifndef FTR_RECORD_SETUP_WORKER_THREAD_H
#define FTR_RECORD_SETUP_WORKER_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

/* A zeroed worker does not run. */
struct worker_thread {
	pthread_t thread;
	int   wake_fd;
	int   nice;
	pid_t tid;
	bool  started, stop;
	const char *name;
	void (*run)(void *arg);
	void *arg;
};

/*
 * Starts a thread that runs @run(@arg), with the given name and nice value and all signals blocked.
 * @run must return if worker_wait() returns true. @what describes its work, for @err. Returns 0, or
 * -1 with @err.
 */
int worker_start(struct worker_thread *w, const char *name, int nice, void (*run)(void *arg),
		 void *arg, const char *what, struct ftr_error *err);
/* For @run: waits @ms milliseconds or until it is woken. Returns true if @run must return. */
bool worker_wait(struct worker_thread *w, int ms);
void worker_wake(struct worker_thread *w);
/*
 * Makes the thread end, raises it to the caller's priority, and waits for its end. Does nothing if
 * it does not run.
 */
void worker_stop(struct worker_thread *w);

#endif
