/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread that does periodic work beside the recording. */
#include "record/setup/worker_thread.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/io.h"

static void *worker_run(void *arg)
{
	struct worker_thread *w = arg;

	w->tid = gettid();
	/* on Linux, each thread has a nice value */
	if (w->nice)
		setpriority(PRIO_PROCESS, w->tid, w->nice);
	pthread_setname_np(pthread_self(), w->name);
	w->run(w->arg);
	return NULL;
}

int worker_start(struct worker_thread *w, const char *name, int nice, void (*run)(void *arg),
		 void *arg, const char *what, struct ftr_error *err)
{
	sigset_t all, old;
	int sys;

	*w = (struct worker_thread){ .name = name, .nice = nice, .run = run, .arg = arg };
	w->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (w->wake_fd < 0)
		return err_sys(err, "cannot make an eventfd");
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	sys = pthread_create(&w->thread, NULL, worker_run, w);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	w->started = !sys;
	if (!sys)
		return 0;
	close(w->wake_fd);
	errno = sys;
	return err_sys(err, "cannot start the thread that %s", what);
}

bool worker_wait(struct worker_thread *w, int ms)
{
	struct pollfd p = { .fd = w->wake_fd, .events = POLLIN };
	uint64_t n;

	if (poll(&p, 1, ms) > 0 && read(w->wake_fd, &n, sizeof(n)) < 0)
		return true;
	return __atomic_load_n(&w->stop, __ATOMIC_ACQUIRE);
}

void worker_wake(struct worker_thread *w)
{
	uint64_t one = 1;

	io_write_all(w->wake_fd, &one, sizeof(one));
}

void worker_stop(struct worker_thread *w)
{
	if (!w->started)
		return;
	__atomic_store_n(&w->stop, true, __ATOMIC_RELEASE);
	worker_wake(w);
	if (w->nice && w->tid)
		setpriority(PRIO_PROCESS, w->tid, 0);
	pthread_join(w->thread, NULL);
	close(w->wake_fd);
	w->started = false;
}
