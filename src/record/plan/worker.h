/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread that does something beside the recording, now and then, until it is told to end. */
#ifndef FTR_RECORD_WORKER_H
#define FTR_RECORD_WORKER_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

/* Zeroed is one that does not run. */
struct worker {
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
 * Runs @run(@arg) in a thread of that name and nice value, all signals blocked; @run returns when
 * worker_wait() says so. @what it does is for the error.
 */
int worker_start(struct worker *w, const char *name, int nice, void (*run)(void *arg), void *arg,
		 const char *what, struct ftr_error *err);
/* For @run: waits so long, or until it is woken. True when it is to end. */
bool worker_wait(struct worker *w, int ms);
void worker_wake(struct worker *w);
/* At the caller's priority from here on; waits for its end. */
void worker_stop(struct worker *w);

#endif
