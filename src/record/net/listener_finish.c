/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starts the processes that finish recordings. They read untrusted data: the memory and the time of
 * each are limited, and at most one for each processor runs at once.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/now.h"
#include "record/net/listener_priv.h"
#include "record/rescue/rescue.h"

#define MORE_BYTES   (256 << 20)	/* limit for a finished file beyond the received bytes */
#define SECOND_BYTES (16 << 20)		/* so many received bytes add a second to the time limit */

struct finish_work {
	enum incoming_state waits, runs;
	const char *comm;
	int (*run)(const struct listener *l, const struct incoming_file *t);
	/* called with the status of waitpid() */
	void (*ended)(struct listener *l, struct incoming_file *t, int status);
};

/* --- in the processes */

static int run_sync(const struct listener *l, const struct incoming_file *t)
{
	return fsync(t->fd) || fsync(l->dir) ? FTR_FAILED : FTR_OK;
}

/*
 * Finishes a recording as ftr recover does: the received stream is a trace file. The directory may
 * have been renamed meanwhile. Returns an exit status.
 */
static int run_finish(const struct listener *l, const struct incoming_file *t)
{
	struct strv files = { .v = (char **)&t->part, .n = 1 };
	struct recover_plan plan = {
		.files = &files, .out_path = t->name, .notice = l->p->notice, .warn = l->p->warn,
		.damages = l->p->damages, .ended = true,
	};
	/* the data may be compressed, and much larger when it is unpacked */
	const struct rlimit file = { t->have + MORE_BYTES, t->have + MORE_BYTES }, none = { 0, 0 };
	uint64_t us = (l->p->finish_ns + t->have / SECOND_BYTES * 1000000000) / 1000 + 1;
	const struct itimerval when = { .it_value = { us / 1000000, us % 1000000 } };
	struct buf statm = {0}, summary = {0};
	struct ftr_error err = {0};
	unsigned long data = 0;
	struct rlimit memory;

	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &file);
	setrlimit(RLIMIT_CORE, &none);
	setitimer(ITIMER_REAL, &when, NULL);
	/*
	 * Limit the bytes that malloc() and private maps add. The address space is not limited:
	 * mapped files need it, and sanitizers reserve much of it.
	 */
	if (!io_read_at(AT_FDCWD, "/proc/self/statm", &statm))
		sscanf(statm.data, "%*u %*u %*u %*u %*u %lu", &data);
	buf_release(&statm);
	memory.rlim_cur = memory.rlim_max =
		(uint64_t)data * sysconf(_SC_PAGESIZE) + l->p->finish_bytes;
	setrlimit(RLIMIT_DATA, &memory);
	if (fchdir(l->dir)) {
		l->p->warn("cannot go to '%s': %s", l->p->dir, strerror(errno));
		return FTR_DAMAGED;
	}
	if (recover_run(&plan, &summary, &err) < 0) {
		l->p->warn("%s", err.msg);
		return FTR_DAMAGED;
	}
	l->p->notice("%s", summary.data);
	unlink(t->part);
	return FTR_OK;
}

/*
 * Detaches a worker from the listener. It ignores signals for the whole process group or service,
 * which only the listener handles, and closes the connections, whose peers must not wait for its
 * end.
 */
static void detach_worker(const struct listener *l, const struct incoming_file *t, const char *comm)
{
	static const int leave[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	const struct listener_peer *p;
	const struct incoming_file *other;
	sigset_t none;
	size_t i;

	for (i = 0; i < sizeof(leave) / sizeof(*leave); i++)
		signal(leave[i], SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_NAME, comm);
	for (p = l->peers; p; p = p->next)
		close(p->fd);
	for (other = l->incoming; other; other = other->next)
		if (other->fd >= 0 && other != t)
			close(other->fd);
	for (i = 0; i < l->n; i++)
		close(l->fds[i]);
	close(l->signal_fd);
}

/* --- ends of the processes */

static void end_sync(struct listener *l, struct incoming_file *t, int status)
{
	t->synced = WIFEXITED(status) && !WEXITSTATUS(status);
	if (!t->synced)
		l->p->warn("'%s/%s' could not be written to the disk", l->p->dir, t->part);
	t->state = INCOMING_WANTS_FINISH;
	listen_answer_synced(l, t);
}

/* Handles the end of a finisher. If memory runs out it ends with status 1. */
static void end_finish(struct listener *l, struct incoming_file *t, int status)
{
	const char *why = "the process that finished it crashed";

	if (WIFEXITED(status))
		why = WEXITSTATUS(status) == FTR_DAMAGED ? "it could not be finished" :
		      "finishing it took more memory than --finish-memory";
	else if (WTERMSIG(status) == SIGALRM)
		why = "finishing it took longer than --finish-time";
	else if (WTERMSIG(status) == SIGKILL)
		why = "the process that finished it was killed";
	if (status) {
		incoming_remove_copies(l, t);
		incoming_keep(l, t, why);
	}
	incoming_done(t);
}

/* --- starting and reaping */

static const struct finish_work works[] = {
	{ INCOMING_WANTS_SYNC, INCOMING_SYNCS, "ftr-sync", run_sync, end_sync },
	{ INCOMING_WANTS_FINISH, INCOMING_FINISHES, "ftr-finish", run_finish, end_finish },
};
#define NR_WORKS (sizeof(works) / sizeof(*works))

static int count_running(const struct listener *l, const struct finish_work *w, const char *group)
{
	const struct incoming_file *t;
	int n = 0;

	for (t = l->incoming; t; t = t->next)
		n += t->state == w->runs && (!group || !strcmp(t->group, group));
	return n;
}

/* Returns the oldest recording that waits, of the address for which the fewest workers run. */
static struct incoming_file *find_next(const struct listener *l, const struct finish_work *w)
{
	struct incoming_file *t, *best = NULL;
	int n, fewest = l->nr_workers;

	for (t = l->incoming; t && fewest; t = t->next) {
		if (t->state != w->waits)
			continue;
		n = count_running(l, w, t->group);
		if (!best || n < fewest) {
			best = t;
			fewest = n;
		}
	}
	return best;
}

/*
 * Starts a worker, or keeps the received file if the disk has no room. Returns false if fork()
 * failed.
 */
static bool start_worker(struct listener *l, struct incoming_file *t, const struct finish_work *w)
{
	if (w->runs == INCOMING_FINISHES && !disk_has_spare(l, t->have)) {
		incoming_keep(l, t, "the disk has no room for a copy");
		incoming_done(t);
		return true;
	}
	t->worker = fork();
	if (!t->worker) {
		detach_worker(l, t, w->comm);
		_exit(w->run(l, t));
	}
	if (t->worker < 0) {
		listen_warn(l, "cannot finish '%s/%s' yet: %s", l->p->dir, t->part,
			    strerror(errno));
		return false;
	}
	t->state = w->runs;
	return true;
}

/* Opens the next file that another listener left. Returns false if there is none. */
static bool open_next_left(struct listener *l)
{
	char *name;

	if (!l->left.n || l->signals)
		return false;
	name = l->left.v[--l->left.n];
	l->left.v[l->left.n] = NULL;
	incoming_open_left(l, name);
	free(name);
	return true;
}

void work_start(struct listener *l)
{
	const struct finish_work *w;
	struct incoming_file *t;

	for (w = works; w < works + NR_WORKS; w++)
		while (count_running(l, w, NULL) < l->nr_workers) {
			t = find_next(l, w);
			if (t && !start_worker(l, t, w))
				return;
			if (!t && (w->runs != INCOMING_FINISHES || !open_next_left(l)))
				break;
		}
}

static void end_work(struct listener *l, struct incoming_file *t, int status)
{
	const struct finish_work *w;

	t->worker = 0;
	for (w = works; w < works + NR_WORKS; w++)
		if (t->state == w->runs) {
			w->ended(l, t, status);
			return;
		}
}

void work_reap(struct listener *l)
{
	struct incoming_file *t;
	pid_t pid;
	int status;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (t = l->incoming; t; t = t->next)
			if (t->worker == pid) {
				end_work(l, t, status);
				break;
			}
}

bool work_is_left(const struct listener *l)
{
	const struct incoming_file *t;

	for (t = l->incoming; t; t = t->next)
		if (t->state != INCOMING_RECEIVES && t->state != INCOMING_DONE)
			return true;
	return false;
}

void work_kill(struct listener *l, bool finishers_only)
{
	const struct incoming_file *t;

	for (t = l->incoming; t; t = t->next)
		if (t->worker > 0 && (!finishers_only || t->state == INCOMING_FINISHES))
			kill(t->worker, SIGKILL);
}
