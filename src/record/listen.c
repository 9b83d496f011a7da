/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Receives recordings from other machines: a file each. */
#include "record/listen.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/now.h"
#include "record/net.h"
#include "record/recover.h"
#include "record/wire.h"

enum {
	READ_BYTES = 256 << 10,
	TICK_MS = 1000,			/* how often times are looked at, while there is a peer */
	TAKES_A_PEER = 4,		/* recordings that are known, for each peer there may be */
};

/* A recording, over as many connections as it takes. */
struct take {
	uint8_t  id[WIRE_ID];
	char    *path, *part;		/* its name in the end, and until then */
	int      fd;
	uint64_t have;
	uint64_t seen_ms;		/* when somebody sent some of it */
	pid_t    finisher;		/* 0: not yet, -1: none is needed */
	bool     finished;
	struct take *next;
};

struct peer {
	int      fd;
	char    *who;
	uint64_t seen_ms;
	struct wire_reader in;
	struct take *take;		/* NULL: it has not said hello */
	bool     waits;			/* to hear that all is on the disk */
	bool     deaf;			/* refused: what it still says is thrown away */
	bool     gone;			/* until the end of the round */
	struct peer *next;
};

struct listener {
	const struct listen_plan *p;
	int     *fds;
	struct net_addr *at;
	size_t   n;
	int      signal_fd;
	bool     ended;
	struct peer *peers;
	int64_t  nr_peers;
	struct take *takes;
	uint8_t *mem;
};

/* ---- recordings */

/* "FOLDER/NAME-PEER-TIME", and "-N" where that is there. */
static int create_file(const struct listener *l, const char *who, struct take *t)
{
	time_t now = time(NULL);
	char when[32], more[16] = "";
	struct tm tm;
	int i;

	strftime(when, sizeof(when), "%Y%m%d-%H%M%S", gmtime_r(&now, &tm));
	for (i = 1; i < 10000; i++) {
		if (i > 1)
			snprintf(more, sizeof(more), "-%d", i);
		t->path = xasprintf("%s/%s-%s-%s%s.dat", l->p->folder, l->p->name, who, when,
				    more);
		t->part = xasprintf("%s.part", t->path);
		t->fd = open(t->part, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (t->fd >= 0 && !access(t->path, F_OK)) {
			close(t->fd);
			unlink(t->part);
			t->fd = -1;
			errno = EEXIST;
		}
		if (t->fd >= 0)
			return 0;
		free(t->path);
		free(t->part);
		if (errno != EEXIST)
			break;
	}
	return -1;
}

static struct take *find_take(struct listener *l, const uint8_t *id)
{
	struct take *t;

	for (t = l->takes; t; t = t->next)
		if (!memcmp(t->id, id, WIRE_ID))
			return t;
	return NULL;
}

static struct take *begin_take(struct listener *l, const struct peer *p)
{
	struct take *t = xcalloc(1, sizeof(*t));

	if (create_file(l, p->who, t)) {
		l->p->warn("cannot create a file in '%s': %s", l->p->folder, strerror(errno));
		free(t);
		return NULL;
	}
	memcpy(t->id, p->in.id, WIRE_ID);
	t->seen_ms = now_ms();
	t->next = l->takes;
	l->takes = t;
	l->p->say("%s sends '%s'", p->who, t->path);
	return t;
}

static void free_take(struct listener *l, struct take *t)
{
	struct take **at = &l->takes;

	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
	if (t->fd >= 0)
		close(t->fd);
	free(t->path);
	free(t->part);
	free(t);
}

/* ---- when all is there, or nothing more comes */

static void answer(int fd, enum wire_answer what, uint64_t have)
{
	uint8_t bytes[WIRE_ANSWER_BYTES];

	wire_put_answer(bytes, what, have);
	send(fd, bytes, sizeof(bytes), MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* The stream as it came is a trace file, too. */
static void finish_file(const struct listener *l, const struct take *t)
{
	struct strv files = { .v = (char **)&t->part, .n = 1 };
	struct recover_plan plan = {
		.files = &files, .out_path = t->path, .say = l->p->say, .warn = l->p->warn,
		.damages = l->p->damages, .ended = true,
	};
	struct buf summary = {0};
	struct ftr_error err = {0};
	int ret = recover_run(&plan, &summary, &err);

	if (ret < 0) {
		l->p->warn("%s", err.msg);
		ret = link(t->part, t->path);
		l->p->say("'%s' is left as it came", ret ? t->part : t->path);
	} else {
		l->p->say("%s", summary.data);
	}
	if (ret >= 0)
		unlink(t->part);
	buf_release(&summary);
}

/* Others are not to wait for us to end, only to see that they are left alone. */
static void close_others(const struct listener *l, int but)
{
	const struct peer *p;
	const struct take *t;
	size_t i;

	for (p = l->peers; p; p = p->next)
		if (p->fd != but)
			close(p->fd);
	for (t = l->takes; t; t = t->next)
		if (t->fd >= 0)
			close(t->fd);
	for (i = 0; i < l->n; i++)
		close(l->fds[i]);
	close(l->signal_fd);
}

static void __attribute__((noreturn)) finish_child(const struct listener *l, struct take *t, int to)
{
	bool synced = !fsync(t->fd);
	sigset_t none;

	signal(SIGINT, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	close_others(l, to);
	if (to >= 0 && synced)
		answer(to, WIRE_ALL, t->have);
	if (to >= 0)
		close(to);
	finish_file(l, t);
	_exit(synced ? 0 : FTR_FAILED);
}

/*
 * In a process of its own: a stranger's file may be one that takes long, or worse. @to: who waits
 * to hear that all is on the disk, or -1.
 */
static void finish_take(struct listener *l, struct take *t, int to)
{
	if (t->finisher)
		return;
	t->finisher = t->have ? fork() : -1;
	if (!t->finisher)
		finish_child(l, t, to);
	if (!t->have)
		unlink(t->part);
	else if (t->finisher < 0)
		l->p->warn("cannot finish '%s': %s", t->part, strerror(errno));
	close(t->fd);
	t->fd = -1;
}

static void tell_waiting(const struct listener *l, const struct take *t)
{
	const struct peer *p;

	for (p = l->peers; p; p = p->next)
		if (p->take == t && p->waits)
			answer(p->fd, WIRE_ALL, t->have);
}

static void see_finished(const struct listener *l, struct take *t, int status)
{
	t->finished = true;
	t->seen_ms = now_ms();
	if (!WIFEXITED(status))
		l->p->warn("'%s' could not be read: it is left as it came", t->part);
	else if (!WEXITSTATUS(status))
		tell_waiting(l, t);
}

static void reap(struct listener *l)
{
	struct take *t;
	pid_t pid;
	int status;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (t = l->takes; t; t = t->next)
			if (t->finisher == pid)
				see_finished(l, t, status);
}

/* ---- peers */

static void drop_peer(struct listener *l, struct peer *p)
{
	struct peer **at = &l->peers;

	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	l->nr_peers--;
	close(p->fd);
	free(p->who);
	free(p);
}

/*
 * It is not closed at once: TCP resets a connection that is closed with unread data, and the answer
 * would be lost on its way. Its time runs on.
 */
static void refuse(const struct listener *l, struct peer *p, enum wire_answer why)
{
	if (why != WIRE_BUSY)
		l->p->warn("%s is refused: %s", p->who, wire_answer_text(why));
	answer(p->fd, why, 0);
	shutdown(p->fd, SHUT_WR);
	p->deaf = true;
	p->take = NULL;
}

/* It has come again: the connection it had is of no use. */
static void take_over(struct listener *l, const struct peer *by, const struct take *t)
{
	struct peer *p;

	for (p = l->peers; p; p = p->next)
		p->gone |= p != by && p->take == t;
}

/* Who comes again and again with something new fills the disk: so many files in a timeout. */
static bool too_many_takes(const struct listener *l)
{
	const struct take *t;
	int64_t n = 0;

	for (t = l->takes; t; t = t->next)
		n++;
	return n >= TAKES_A_PEER * l->p->max_peers;
}

static bool take_hello(struct listener *l, struct peer *p)
{
	p->take = find_take(l, p->in.id);
	if (!p->take && too_many_takes(l)) {
		refuse(l, p, WIRE_BUSY);
		return false;
	}
	if (p->take)
		take_over(l, p, p->take);
	else
		p->take = begin_take(l, p);
	if (!p->take) {
		refuse(l, p, WIRE_NO_ROOM);
		return false;
	}
	answer(p->fd, WIRE_GO_ON, p->take->have);
	return true;
}

static bool take_data(struct listener *l, struct peer *p, const uint8_t *data, size_t len)
{
	struct take *t = p->take;

	t->seen_ms = p->seen_ms;
	if (t->finisher)
		return false;
	if (t->have + len > l->p->max_size) {
		refuse(l, p, WIRE_TOO_LARGE);
		finish_take(l, t, -1);
		return false;
	}
	if (io_pwrite_all(t->fd, data, len, t->have)) {
		l->p->warn("cannot write '%s': %s", t->part, strerror(errno));
		refuse(l, p, WIRE_NO_ROOM);
		finish_take(l, t, -1);
		return false;
	}
	t->have += len;
	return true;
}

static void take_end(struct listener *l, struct peer *p)
{
	/* one that is being finished is answered then */
	p->waits = p->take->finisher;
	if (p->take->finished)
		answer(p->fd, WIRE_ALL, p->take->have);
	else
		finish_take(l, p->take, p->fd);
}

/* What it said. False: enough of it. */
static bool take_bytes(struct listener *l, struct peer *p, const uint8_t *at, size_t n)
{
	const uint8_t *data;
	size_t len;

	while (n) {
		switch (wire_read(&p->in, &at, &n, &data, &len)) {
		case WIRE_SAYS_MORE:
			break;
		case WIRE_SAYS_HELLO:
			if (!take_hello(l, p))
				return false;
			break;
		case WIRE_SAYS_DATA:
			if (!take_data(l, p, data, len))
				return false;
			break;
		case WIRE_SAYS_END:
			take_end(l, p);
			break;
		case WIRE_SAYS_UNKNOWN:
			refuse(l, p, WIRE_UNKNOWN);
			return false;
		case WIRE_SAYS_NONSENSE:
			l->p->warn("%s is no ftr record", p->who);
			return false;
		}
	}
	return true;
}

static void hear(struct listener *l, struct peer *p)
{
	ssize_t n = recv(p->fd, l->mem, READ_BYTES, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		p->gone = true;
	} else if (!p->deaf) {
		p->seen_ms = now_ms();
		p->gone |= !take_bytes(l, p, l->mem, n) && !p->deaf;
	}
}

static void welcome(struct listener *l, int fd)
{
	struct peer *p;
	int new = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (new < 0)
		return;
	if (l->nr_peers >= l->p->max_peers) {
		answer(new, WIRE_BUSY, 0);
		close(new);
		return;
	}
	p = xcalloc(1, sizeof(*p));
	*p = (struct peer){ .fd = new, .who = net_peer(new), .seen_ms = now_ms(),
			    .next = l->peers };
	l->peers = p;
	l->nr_peers++;
}

/* ---- the time */

/* The silent ones go; what nobody sends any more of is finished; what is done is forgotten. */
static void look_at_times(struct listener *l)
{
	uint64_t limit = l->p->timeout_ns / 1000000, now = now_ms();
	struct take *t, *next;
	struct peer *p, *after;

	for (p = l->peers; p; p = after) {
		after = p->next;
		if (p->take)
			p->take->seen_ms = now;
		if (p->gone || now - p->seen_ms > limit)
			drop_peer(l, p);
	}
	for (t = l->takes; t; t = next) {
		next = t->next;
		if (now - t->seen_ms <= limit)
			continue;
		if (!t->finisher)
			finish_take(l, t, -1);
		else if (t->finished || t->finisher < 0)
			free_take(l, t);
	}
}

/* Those that listen, the signals, the peers. The caller frees. */
static struct pollfd *list_fds(const struct listener *l, size_t *n)
{
	struct pollfd *v = xcalloc(l->n + 1 + l->nr_peers, sizeof(*v));
	const struct peer *p;
	size_t i;

	for (i = 0; i < l->n; i++)
		v[i].fd = l->fds[i];
	v[i++].fd = l->signal_fd;
	for (p = l->peers; p; p = p->next)
		v[i++].fd = p->fd;
	for (*n = i; i--;)
		v[i].events = POLLIN;
	return v;
}

static void see_signals(struct listener *l)
{
	struct signalfd_siginfo si;

	while (read(l->signal_fd, &si, sizeof(si)) == sizeof(si))
		l->ended |= si.ssi_signo != SIGCHLD;
	reap(l);
}

static void one_round(struct listener *l)
{
	struct pollfd *v;
	struct peer *p;
	size_t i, n;

	v = list_fds(l, &n);
	poll(v, n, l->peers || l->takes ? TICK_MS : -1);
	for (p = l->peers, i = l->n + 1; p; p = p->next, i++)
		if (v[i].revents && !p->gone)
			hear(l, p);
	see_signals(l);
	look_at_times(l);
	for (i = 0; i < l->n; i++)
		if (v[i].revents)
			welcome(l, l->fds[i]);
	free(v);
}

/* ---- beginning and end */

static int open_all(struct listener *l, struct ftr_error *err)
{
	const struct strv *a = &l->p->addresses;

	l->fds = xcalloc(a->n, sizeof(*l->fds));
	l->at = xcalloc(a->n, sizeof(*l->at));
	for (; l->n < a->n; l->n++) {
		if (net_addr(a->v[l->n], &l->at[l->n], err))
			return -1;
		l->fds[l->n] = net_listen(a->v[l->n], &l->at[l->n], err);
		if (l->fds[l->n] < 0)
			return -1;
		l->p->say("listening at '%s'", a->v[l->n]);
		if (net_is_open(&l->at[l->n]))
			l->p->warn("'%s' can be reached by others, and nothing is encrypted or "
				   "asked for a password: ssh is safer, as in ftr record -o - ... "
				   "| ssh HOST 'cat > x.dat'", a->v[l->n]);
	}
	return 0;
}

static int catch_signals(struct listener *l, struct ftr_error *err)
{
	static const int ours[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD };
	sigset_t set;
	size_t i;

	sigemptyset(&set);
	for (i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		sigaddset(&set, ours[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	l->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return l->signal_fd < 0 ? err_sys(err, "cannot make a signalfd") : 0;
}

static int stand_apart(const struct listen_plan *p, struct ftr_error *err)
{
	int fd = -1;

	if (p->log)
		fd = open(p->log, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (p->log && fd < 0)
		return err_sys(err, "cannot write '%s'", p->log);
	if (p->background && daemon(1, 0))
		return err_sys(err, "cannot go to the background");
	if (fd >= 0) {
		dup2(fd, STDERR_FILENO);
		close(fd);
	}
	return 0;
}

/* What came so far is worth a file. */
static void finish_all(struct listener *l)
{
	struct take *t;

	for (t = l->takes; t; t = t->next)
		finish_take(l, t, -1);
	for (t = l->takes; t; t = t->next)
		/* what they say is to be said before we end */
		while (t->finisher > 0 && !t->finished && waitpid(t->finisher, NULL, 0) < 0 &&
		       errno == EINTR)
			;
}

static void release(struct listener *l)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		close(l->fds[i]);
	/* a socket's name is ours as long as we listen */
	for (i = 0; i < l->n; i++)
		if (l->at[i].sa.sa_family == AF_UNIX)
			unlink(l->p->addresses.v[i]);
	while (l->peers)
		drop_peer(l, l->peers);
	while (l->takes)
		free_take(l, l->takes);
	if (l->signal_fd >= 0)
		close(l->signal_fd);
	free(l->fds);
	free(l->at);
	free(l->mem);
}

int listen_run(const struct listen_plan *p, struct ftr_error *err)
{
	struct listener l = { .p = p, .signal_fd = -1 };
	int ret = -1;

	if (access(p->folder, W_OK | X_OK)) {
		err_sys(err, "cannot write to '%s'", p->folder);
		return -1;
	}
	if (open_all(&l, err) || stand_apart(p, err) || catch_signals(&l, err))
		goto out;
	l.mem = xmalloc(READ_BYTES);
	while (!l.ended)
		one_round(&l);
	finish_all(&l);
	ret = 0;
out:
	release(&l);
	return ret;
}
