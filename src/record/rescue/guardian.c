/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a small process that completes a recording whose process was killed.
 *
 * A killed recorder leaves tracing on, tracefs changed and data on its way. The guardian is forked
 * before the first change of tracefs. For each CPU it gets by SCM_RIGHTS the open file, whose
 * position is the exact number of bytes written; the pipe, which may contain sub-buffers that were
 * taken but not written; and the memory of the batch that read() fills. The death of the recorder
 * closes the socket between the two, and the guardian continues from there.
 *
 * If the guardian is killed as well, the contents of the pipes are lost. Those of a batch are not:
 * it is a file in memory next to the journal, where ftr reset --recover finds it. It is locked:
 * with a page fault between the kernel's taking a sub-buffer and its copying it, a kill would end
 * that fault. So up to a batch of data is read, in one readv() of as many sub-buffers as are full
 * by the kernel's counters, and more is spliced. Reading everything would copy much data once
 * more, which is expensive, above all in an emulated guest. With splicing alone, a kill of both
 * would lose data more often.
 */
#include "record/rescue/guardian.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/text.h"
#include "tracefs/session/journal.h"
#include "tracefs/session/session.h"

#define DIES_MS 5000

enum message_type {
	MESSAGE_FILE, MESSAGE_FORGET, MESSAGE_CPU, MESSAGE_ALL_TAKEN, MESSAGE_LET_GO, MESSAGE_DONE,
};

struct guardian_message {
	enum message_type type;
	int   cpu;
	off_t base, limit;
	char  instance[NAME_MAX + 1];	/* "" = top level */
	char  path[PATH_MAX], part_path[PATH_MAX];
};

struct guardian {
	int   fd;
	pid_t pid;
};

/* A guarded CPU: its descriptors, and the message with its number and region. */
struct guarded_cpu {
	struct guardian_message message;
	struct recorder_hand hand;
	size_t file;			/* index of the file that gets its data */
};

struct guarded_recording {
	int   fd;
	pid_t parent;
	unsigned long long parent_start;
	struct outfile *outs;		/* files; the path of a released file is NULL */
	size_t nr_outs;
	bool  all_written;		/* all data is in the file: add nothing */
	struct guarded_cpu *v;
	size_t n;
};

/* ---- the recording's side */

static int send_message(const struct guardian *g, const struct guardian_message *m, const int *fds,
			size_t n)
{
	struct iovec iov = { (void *)m, sizeof(*m) };
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int) * RECORDER_HAND_FDS)];
	} control = {0};
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (n) {
		msg.msg_control = &control;
		msg.msg_controllen = CMSG_SPACE(sizeof(int) * n);
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(sizeof(int) * n);
		memcpy(CMSG_DATA(&control.head), fds, sizeof(int) * n);
	}
	return sendmsg(g->fd, &msg, MSG_NOSIGNAL) == sizeof(*m) ? 0 : -1;
}

pid_t guardian_pid(const struct guardian *g)
{
	return g->pid;
}

static void notify_guardian(struct guardian *g, enum message_type what)
{
	struct guardian_message m = { .type = what };

	/* if the guardian is gone that is no error here */
	if (g)
		send_message(g, &m, NULL, 0);
}

int guardian_watch(struct guardian *g, const struct recorder *r, const char *instance,
		   struct ftr_error *err)
{
	struct guardian_message m = { .type = MESSAGE_CPU };
	const struct recorder_cpu *cpus;
	struct recorder_hand hand;
	size_t i, n;

	snprintf(m.instance, sizeof(m.instance), "%s", instance ? instance : "");
	cpus = recorder_cpus(r, &n);
	for (i = 0; i < n; i++) {
		m.cpu = cpus[i].cpu;
		m.base = cpus[i].base;
		m.limit = recorder_hand(r, i, &hand);
		if (send_message(g, &m, hand.fd, RECORDER_HAND_FDS))
			return err_sys(err, "cannot pass CPU %d to the guardian", m.cpu);
	}
	return 0;
}

int guardian_next(struct guardian *g, const struct outfile *out, struct ftr_error *err)
{
	struct guardian_message m = { .type = MESSAGE_FILE };

	snprintf(m.path, sizeof(m.path), "%s", out->path);
	snprintf(m.part_path, sizeof(m.part_path), "%s", out->part_path);
	return send_message(g, &m, NULL, 0) ?
		err_sys(err, "cannot pass '%s' to the guardian", out->path) : 0;
}

void guardian_forget(struct guardian *g)
{
	notify_guardian(g, MESSAGE_FORGET);
}

void guardian_all_written(struct guardian *g)
{
	notify_guardian(g, MESSAGE_ALL_TAKEN);
}

void guardian_let_go(struct guardian *g)
{
	notify_guardian(g, MESSAGE_LET_GO);
}

void guardian_end(struct guardian *g)
{
	if (!g)
		return;
	notify_guardian(g, MESSAGE_DONE);
	close(g->fd);
	while (waitpid(g->pid, NULL, 0) < 0 && errno == EINTR)
		;
	free(g);
}

/* ---- the guardian's side: while all is well */

static void add_guarded_file(struct guarded_recording *w, const char *path, const char *part_path)
{
	w->outs = xrealloc(w->outs, (w->nr_outs + 1) * sizeof(*w->outs));
	w->outs[w->nr_outs++] = (struct outfile){
		.path = xstrdup(path ? path : ""),
		.part_path = part_path ? xstrdup(part_path) : NULL, .fd = -1,
	};
}

/* Releases a file. Its open descriptors are closed, as they would keep it on the disk. */
static void drop_file(struct guarded_recording *w, size_t file)
{
	size_t i, k, n = 0;

	for (i = 0; i < w->n; i++) {
		if (w->v[i].file != file) {
			w->v[n++] = w->v[i];
			continue;
		}
		for (k = 0; k < RECORDER_HAND_FDS; k++)
			close(w->v[i].hand.fd[k]);
	}
	w->n = n;
	free(w->outs[file].path);
	w->outs[file].path = NULL;
}

static void drop_oldest(struct guarded_recording *w)
{
	size_t i;

	for (i = 0; i < w->nr_outs; i++)
		if (w->outs[i].path)
			return drop_file(w, i);
}

static void add_guarded_cpu(struct guarded_recording *w, const struct guardian_message *m,
			    struct msghdr *msg)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(msg);
	struct guarded_cpu *one;

	if (!c || c->cmsg_type != SCM_RIGHTS ||
	    c->cmsg_len != CMSG_LEN(sizeof(int) * RECORDER_HAND_FDS))
		return;
	w->v = xrealloc(w->v, (w->n + 1) * sizeof(*w->v));
	one = &w->v[w->n++];
	*one = (struct guarded_cpu){ .message = *m, .file = w->nr_outs - 1 };
	memcpy(one->hand.fd, CMSG_DATA(c), sizeof(one->hand.fd));
}

/* Handles messages until the other end is closed. Returns false if there is nothing to do then. */
static bool wait_for_hangup(struct guarded_recording *w)
{
	struct guardian_message m;
	struct iovec iov = { &m, sizeof(m) };
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int) * RECORDER_HAND_FDS)];
	} control;
	ssize_t n;

	for (;;) {
		struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control,
				      .msg_controllen = sizeof(control) };

		n = recvmsg(w->fd, &msg, MSG_CMSG_CLOEXEC);
		if (n < 0 && errno == EINTR)
			continue;
		if (n != sizeof(m))
			return true;
		if (m.type == MESSAGE_FILE)
			add_guarded_file(w, m.path, m.part_path);
		else if (m.type == MESSAGE_FORGET && w->nr_outs)
			drop_file(w, w->nr_outs - 1);
		else if (m.type == MESSAGE_CPU)
			add_guarded_cpu(w, &m, &msg);
		else if (m.type == MESSAGE_ALL_TAKEN)
			w->all_written = true;
		else if (m.type == MESSAGE_LET_GO)
			drop_oldest(w);
		else
			return false;
	}
}

/* ---- after the end */

/*
 * Moves data of one instance to its file: the data in the pipes of the CPUs, which are @n guarded
 * CPUs from @first on. If the file is the @last one, it also gets the data in the kernel's buffers.
 */
static int drain_instance(const struct tfs *t, struct guarded_cpu *first, size_t n,
			  const struct guarded_recording *w, bool last, struct ftr_error *err)
{
	const char *instance = *first->message.instance ? first->message.instance : NULL;
	struct recorder_opts opts = {0};
	struct recorder *r = recorder_new(t, instance, w->outs[first->file].path, &opts, err);
	const struct recorder_cpu *cpus;
	size_t i, k, nr;
	int ret = r ? 0 : -1;

	if (!r)
		return -1;
	cpus = recorder_cpus(r, &nr);
	for (i = 0; i < nr && !ret; i++)
		for (k = 0; k < n && !ret; k++)
			if (first[k].message.cpu == cpus[i].cpu)
				ret = recorder_adopt(r, i, &first[k].hand, first[k].message.base,
						     first[k].message.limit, err);
	if (!ret && last)
		ret = recorder_start(r, err);
	if (!ret && last)
		ret = recorder_stop(r, err);
	recorder_free(r);
	return ret;
}

static int drain_instances(const struct tfs *t, const struct guarded_recording *w,
			   struct ftr_error *err)
{
	size_t i, n;
	int ret = 0;

	for (i = 0; i < w->n; i += n) {
		for (n = 1; i + n < w->n; n++)
			if (w->v[i].file != w->v[i + n].file ||
			    strcmp(w->v[i].message.instance, w->v[i + n].message.instance))
				break;
		ret |= drain_instance(t, &w->v[i], n, w, w->v[i].file == w->v[w->n - 1].file,
				      err);
	}
	return ret;
}

/*
 * Returns the journal of the process that is gone, or about to exit, with its entries in @e; the
 * caller frees. NULL if it has restored everything.
 */
static char *find_journal(const struct guarded_recording *w, struct journal_entries *e)
{
	struct journal_owner owner;
	struct strv runs = {0};
	char *path = NULL;
	size_t i;

	journal_list(&runs, NULL, NULL);
	for (i = 0; i < runs.n && !path; i++) {
		if (journal_read(runs.v[i], &owner, e, NULL))
			continue;
		if (owner.pid == w->parent && owner.start == w->parent_start &&
		    journal_of_this_boot(&owner))
			path = xstrdup(runs.v[i]);
		else
			entries_release(e);
		journal_owner_release(&owner);
	}
	strv_release(&runs);
	return path;
}

/* Prints to stderr. If file names contain control characters they are escaped. */
static void __attribute__((format(printf, 1, 2))) print_message(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	text_vprint(stderr, fmt, ap);
	va_end(ap);
}

/* Gives a file its final name, or removes it if it has no data. */
static void name_guarded_file(const struct guarded_recording *w, size_t file)
{
	struct outfile *out = &w->outs[file];
	struct buf size = {0};
	uint64_t bytes;
	size_t i;

	/* if the file has no name it only took the data out of the buffers */
	if (!out->path || !out->part_path || access(out->part_path, F_OK))
		return;
	for (i = 0; i < w->n && w->v[i].file != file; i++)
		;
	if (i == w->n) {
		outfile_drop(out);
		return;
	}
	bytes = outfile_shrink(out);
	buf_addstr(&size, bytes ? ", " : "");
	if (bytes)
		text_bytes(&size, bytes);
	print_message("ftr: killed: the recorded data is in '%s'%s\n"
		      "hint: 'ftr recover' finishes it\n", outfile_keep(out), size.data);
	buf_release(&size);
}

/* @journal is the journal of the killed process, with its entries in @changed. */
static void finish_killed(struct guarded_recording *w, const char *journal,
			  const struct journal_entries *changed, struct ftr_error *err)
{
	struct pollfd dead = { .events = POLLIN };
	bool takes = w->n && !w->all_written;
	struct tfs t;

	if (tfs_open(&t, err))
		return;
	/* stop first of all, as buffers overrun while a process with much memory exits */
	if (takes)
		entries_stop_tracing(&t, changed);
	/* the socket closes before the process is a zombie, and until then its journal is in use */
	dead.fd = pidfd_open(w->parent, 0);
	if (dead.fd >= 0) {
		poll(&dead, 1, DIES_MS);
		close(dead.fd);
	}
	if (takes)
		drain_instances(&t, w, err);
	session_recover(&t, journal, err);
	tfs_close(&t);
}

static void rescue_recording(struct guarded_recording *w)
{
	struct ftr_error err = {0};
	struct journal_entries changed = {0};
	struct guarded_cpu *one;
	char *journal;
	size_t i;
	int lock;

	/* keep the files open, as draining closes the descriptors of the guarded CPUs */
	for (one = w->v; one < w->v + w->n; one++)
		if (w->outs[one->file].fd < 0)
			w->outs[one->file].fd = dup(one->hand.fd[HAND_FILE]);
	lock = journal_lock(&err);
	/* if there is no journal, nothing was changed, or ftr reset --recover has restored it */
	journal = find_journal(w, &changed);
	if (journal)
		finish_killed(w, journal, &changed, &err);
	entries_release(&changed);
	free(journal);
	if (lock >= 0)
		close(lock);
	for (i = 0; i < w->nr_outs; i++)
		name_guarded_file(w, i);
	if (err.code)
		print_message("ftr: after the kill: %s\n", err.msg);
}

/*
 * Detaches from the recording: no other files are open, and no signals of the terminal are handled.
 */
static void detach_guardian(struct guarded_recording *w)
{
	static const int deaf[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP, SIGTTOU };
	sigset_t none;
	int fd, null;
	size_t i;

	setpgid(0, 0);
	prctl(PR_SET_NAME, "ftr-guardian");
	for (i = 0; i < sizeof(deaf) / sizeof(*deaf); i++)
		signal(deaf[i], SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	null = open("/dev/null", O_RDWR);
	dup2(null, 0);
	dup2(null, 1);
	dup2(w->fd, 3);
	w->fd = 3;
	close_range(4, ~0U, 0);
	fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	if (fd >= 0) {
		io_write_all(fd, "-1000", 5);
		close(fd);
	}
}

/*
 * Moves our end of the socket above all other descriptors, and returns it. When a process exits the
 * kernel closes its files from the highest number down (exit_task_work(), kernel/task_work.c), and
 * waits for RCU at each perf event (perf_trace_event_unreg()): a tenth of a second in which buffers
 * overrun.
 */
static int move_fd_up(int fd)
{
	long least = 64 + 16 * sysconf(_SC_NPROCESSORS_CONF);
	struct rlimit most;
	int high;

	if (!getrlimit(RLIMIT_NOFILE, &most) && most.rlim_cur <= (rlim_t)least)
		least = most.rlim_cur - 1;
	high = fcntl(fd, F_DUPFD_CLOEXEC, (int)least);
	if (high < 0)
		return fd;
	close(fd);
	return high;
}

struct guardian *guardian_start(const struct outfile *out, struct ftr_error *err)
{
	struct guarded_recording w = {
		.parent = getpid(), .parent_start = process_start(getpid()),
	};
	struct guardian *g;
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
		err_sys(err, "cannot make a socket for the guardian");
		return NULL;
	}
	pid = fork();
	if (pid < 0) {
		err_sys(err, "cannot start the guardian");
		close(pair[0]);
		close(pair[1]);
		return NULL;
	}
	if (!pid) {
		w.fd = pair[1];
		if (out)
			add_guarded_file(&w, out->path, out->part_path);
		detach_guardian(&w);
		if (wait_for_hangup(&w))
			rescue_recording(&w);
		_exit(0);
	}
	close(pair[1]);
	g = xcalloc(1, sizeof(*g));
	g->fd = move_fd_up(pair[0]);
	g->pid = pid;
	return g;
}
