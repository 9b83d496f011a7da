/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Receives recordings from other machines: accepts peers, and handles their messages. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/now.h"
#include "record/net/listener_priv.h"

enum {
	READ_BYTES = 256 << 10,
	TICK_MS = 1000,			/* timeouts are checked so often, while there is a peer */
	DOOR_MS = 10000,		/* limit for a hello, or to read why a peer is refused */
	/* a peer without data for so long can be replaced when all places are taken */
	QUIET_MS = 10000, NEW_QUIET_MS = 1000,
	NEW_BYTES = 1 << 20,		/* with less room no new recording is accepted */
	FDS_A_PEER = 6,			/* its connection, one at the door, and recordings */
};

/* --- peers */

static void send_answer(int fd, enum wire_answer what, uint64_t have)
{
	uint8_t bytes[WIRE_ANSWER_BYTES];

	wire_encode_answer(bytes, what, have);
	send(fd, bytes, sizeof(bytes), MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void drop_peer(struct listener *l, struct listener_peer *p)
{
	struct listener_peer **at = &l->peers;

	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	close(p->fd);
	free(p->who);
	free(p->group);
	free(p);
}

/*
 * Refuses a peer. The connection is not closed at once: if there is unread data TCP resets it, and
 * the answer would be lost. The peer has DOOR_MS to read it.
 */
static void refuse_peer(struct listener *l, struct listener_peer *p, enum wire_answer why)
{
	if (why != WIRE_BUSY)
		listen_warn(l, "%s is refused: %s", p->who, wire_answer_text(why));
	send_answer(p->fd, why, 0);
	shutdown(p->fd, SHUT_WR);
	p->quiet_ms = now_ms();
	p->deaf = true;
	p->waits = false;
	p->incoming = NULL;
}

/* Returns true if the peer is at the door, or let in, and of this address (NULL: of any). */
static bool is_counted_peer(const struct listener_peer *p, bool at_door, const char *group)
{
	return !p->gone && !p->incoming == at_door && (!group || !strcmp(p->group, group));
}

static int64_t count_peers(const struct listener *l, bool at_door, const char *group)
{
	const struct listener_peer *p;
	int64_t n = 0;

	for (p = l->peers; p; p = p->next)
		n += is_counted_peer(p, at_door, group);
	return n;
}

/* Returns the peer that has been silent for the longest time, at least @least ms, or NULL. */
static struct listener_peer *find_silent_peer(const struct listener *l, const char *group,
					      uint64_t least)
{
	uint64_t now = now_ms();
	struct listener_peer *p, *old = NULL;

	for (p = l->peers; p; p = p->next)
		if (is_counted_peer(p, true, group) && now - p->quiet_ms >= least &&
		    (!old || p->quiet_ms < old->quiet_ms))
			old = p;
	return old;
}

/*
 * Drops a peer that sends nothing, so that another one can have its place. Its data is kept, and it
 * may connect again. Returns false if there is no such peer.
 */
static bool clear_place(struct listener *l, const char *group)
{
	uint64_t now = now_ms();
	struct listener_peer *p, *out = NULL;

	for (p = l->peers; p; p = p->next) {
		if (!is_counted_peer(p, false, group) || p->waits ||
		    now - p->quiet_ms < (p->incoming->have ? QUIET_MS : NEW_QUIET_MS))
			continue;
		/*
		 * first a peer that has sent nothing at all, then the one that is silent for
		 * longest
		 */
		if (!out || (!p->incoming->have && out->incoming->have) ||
		    (!p->incoming->have == !out->incoming->have && p->quiet_ms < out->quiet_ms))
			out = p;
	}
	if (!out)
		return false;
	send_answer(out->fd, WIRE_BUSY, 0);
	out->gone = true;
	return true;
}

/* --- messages of peers */

static bool handle_hello(struct listener *l, struct listener_peer *p)
{
	struct incoming_file *t = incoming_find(l, p->in.id);
	struct listener_peer *other;

	/* if the sender has connected again, its earlier connection is of no use */
	for (other = t ? l->peers : NULL; other; other = other->next)
		other->gone |= other != p && other->incoming == t;
	if (!t && !disk_has_room(l, NEW_BYTES)) {
		refuse_peer(l, p, WIRE_NO_ROOM);
		return false;
	}
	if ((count_peers(l, false, p->group) < l->p->max_each || clear_place(l, p->group)) &&
	    (count_peers(l, false, NULL) < l->p->max_peers || clear_place(l, NULL)))
		p->incoming = t ? t : incoming_add(l, p->in.id, p->group);
	if (!p->incoming) {
		refuse_peer(l, p, WIRE_BUSY);
		return false;
	}
	p->quiet_ms = p->seen_ms;
	send_answer(p->fd, WIRE_GO_ON, p->incoming->have);
	return true;
}

static bool handle_data(struct listener *l, struct listener_peer *p, const uint8_t *data,
			size_t len)
{
	enum wire_answer ret;

	if (p->incoming->state != INCOMING_RECEIVES)
		return false;
	p->quiet_ms = p->incoming->seen_ms = p->seen_ms;
	ret = incoming_write(l, p->incoming, p->who, data, len);
	if (ret != WIRE_GO_ON)
		refuse_peer(l, p, ret);
	return ret == WIRE_GO_ON;
}

/* Answers a peer that waits until its recording is on the disk. */
static void answer_synced(struct listener *l, struct listener_peer *p)
{
	p->waits = false;
	if (p->incoming->synced)
		send_answer(p->fd, WIRE_ALL, p->incoming->have);
	else
		refuse_peer(l, p, WIRE_NO_ROOM);
}

void listen_answer_synced(struct listener *l, const struct incoming_file *t)
{
	struct listener_peer *p;

	for (p = l->peers; p; p = p->next)
		if (p->incoming == t && p->waits)
			answer_synced(l, p);
}

static bool handle_end(struct listener *l, struct listener_peer *p)
{
	incoming_end(l, p->incoming);
	if (p->incoming->state >= INCOMING_WANTS_FINISH)
		answer_synced(l, p);
	else
		p->waits = true;
	return p->incoming;
}

/* Handles received bytes. Returns false if the connection must be closed. */
static bool handle_bytes(struct listener *l, struct listener_peer *p, const uint8_t *at, size_t n)
{
	const uint8_t *data;
	bool more = true;
	size_t len;

	while (n && more) {
		switch (wire_read(&p->in, &at, &n, &data, &len)) {
		case WIRE_GOT_PART:
			break;
		case WIRE_GOT_HELLO:
			more = handle_hello(l, p);
			break;
		case WIRE_GOT_DATA:
			more = handle_data(l, p, data, len);
			break;
		case WIRE_GOT_END:
			more = handle_end(l, p);
			break;
		case WIRE_GOT_UNKNOWN:
			refuse_peer(l, p, WIRE_UNKNOWN);
			return false;
		case WIRE_GOT_INVALID:
			listen_warn(l, "%s is not an ftr record", p->who);
			return false;
		}
	}
	return more;
}

static void read_peer(struct listener *l, struct listener_peer *p)
{
	ssize_t n = recv(p->fd, l->mem, READ_BYTES, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		p->gone = true;
	} else if (!p->deaf) {
		p->seen_ms = now_ms();
		p->gone |= !handle_bytes(l, p, l->mem, n) && !p->deaf;
	}
}

/* --- new connections */

/*
 * Handles an accept() that failed because the table of descriptors is full. The waiting connection
 * would wake us at once again: drop a silent peer, or accept nobody for a round.
 */
static void handle_accept_error(struct listener *l, int sys)
{
	struct listener_peer *p = find_silent_peer(l, NULL, NEW_QUIET_MS);

	if (sys != EMFILE && sys != ENFILE && sys != ENOMEM && sys != ENOBUFS)
		return;
	listen_warn(l, "no more connections can be accepted: %s", strerror(sys));
	if (p)
		drop_peer(l, p);
	else
		l->no_accept = true;
}

/* Drops the peer at the door that has been silent for longest if there are more than @most. */
static void limit_door(struct listener *l, const char *group, int64_t most)
{
	if (count_peers(l, true, group) > most)
		drop_peer(l, find_silent_peer(l, group, 0));
}

static void accept_peer(struct listener *l, int fd)
{
	struct listener_peer *p;
	uint64_t now = now_ms();
	int new = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (new < 0) {
		handle_accept_error(l, errno);
		return;
	}
	p = xcalloc(1, sizeof(*p));
	*p = (struct listener_peer){ .fd = new, .who = net_peer(new), .group = net_peer_group(new),
			    .seen_ms = now, .quiet_ms = now, .next = l->peers };
	l->peers = p;
	limit_door(l, p->group, l->p->max_each);
	limit_door(l, NULL, l->p->max_peers);
}

/* --- timeouts */

static bool has_sender(const struct listener *l, const struct incoming_file *t)
{
	const struct listener_peer *p;

	for (p = l->peers; p; p = p->next)
		if (p->incoming == t)
			return true;
	return false;
}

/*
 * Drops silent peers. Ends recordings without a sender, frees those that are done, and those that
 * have no data as soon as their peer has left.
 */
static void check_timeouts(struct listener *l)
{
	uint64_t limit = l->p->timeout_ns / 1000000, now = now_ms();
	struct listener_peer *p, *next_peer;
	struct incoming_file *t, *next;

	for (p = l->peers; p; p = next_peer) {
		next_peer = p->next;
		if (p->incoming)
			p->incoming->seen_ms = now;
		if (p->gone ||
		    (p->incoming ? now - p->seen_ms > limit : now - p->quiet_ms > DOOR_MS))
			drop_peer(l, p);
	}
	for (t = l->incoming; t; t = next) {
		next = t->next;
		if (t->state == INCOMING_RECEIVES && !t->have && !has_sender(l, t))
			incoming_free(l, t);
		else if (now - t->seen_ms <= limit)
			continue;
		else if (t->state == INCOMING_RECEIVES)
			incoming_end(l, t);
		else if (t->state == INCOMING_DONE)
			incoming_free(l, t);
	}
	if (now - l->looked_ms >= TICK_MS) {
		l->looked_ms = now;
		disk_check(l);
	}
}

/* Returns the listening sockets, the signalfd and the peers, in this order; the caller frees. */
static struct pollfd *list_fds(const struct listener *l, size_t *n)
{
	const struct listener_peer *p;
	struct pollfd *v;
	size_t i;

	*n = l->n + 1;
	for (p = l->peers; p; p = p->next)
		++*n;
	v = xcalloc(*n, sizeof(*v));
	for (i = 0; i < l->n; i++)
		v[i].fd = l->no_accept ? -1 : l->fds[i];
	v[i++].fd = l->signal_fd;
	for (p = l->peers; p; p = p->next)
		v[i++].fd = p->fd;
	while (i--)
		v[i].events = POLLIN;
	return v;
}

static void read_signals(struct listener *l)
{
	struct signalfd_siginfo si;

	while (read(l->signal_fd, &si, sizeof(si)) == sizeof(si))
		l->signals += si.ssi_signo != SIGCHLD;
	work_reap(l);
}

static void listen_round(struct listener *l)
{
	struct pollfd *v;
	struct listener_peer *p;
	size_t i, n;

	work_start(l);
	v = list_fds(l, &n);
	poll(v, n, l->peers || l->incoming || l->no_accept ? TICK_MS : -1);
	l->no_accept = false;
	for (p = l->peers, i = l->n + 1; p; p = p->next, i++)
		if (v[i].revents && !p->gone)
			read_peer(l, p);
	read_signals(l);
	check_timeouts(l);
	for (i = 0; i < l->n; i++)
		if (v[i].revents)
			accept_peer(l, l->fds[i]);
	free(v);
}

/* --- start and end */

static int open_sockets(struct listener *l, struct ftr_error *err)
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
		l->p->notice("listening at '%s'", a->v[l->n]);
		if (net_is_open(&l->at[l->n]))
			l->p->warn("'%s' can be reached by others, without encryption or a "
				   "password: ssh is safer, as in ftr record -o - ... | ssh HOST "
				   "'cat > x.dat'", a->v[l->n]);
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

static int detach_listener(const struct listen_plan *p, struct ftr_error *err)
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

/* Closes a listening socket, and removes the name of a Unix socket. */
static void close_socket(const struct listener *l, size_t i)
{
	close(l->fds[i]);
	if (l->at[i].sa.sa_family == AF_UNIX)
		unlink(l->p->addresses.v[i]);
}

/*
 * Finishes all recordings, as far as they were received. Nobody is let in; only peers that wait for
 * the disk are kept.
 */
static void finish_all(struct listener *l)
{
	struct pollfd v = { .fd = l->signal_fd, .events = POLLIN };
	struct listener_peer *p, *next;
	struct incoming_file *t;

	for (; l->n; l->n--)
		close_socket(l, l->n - 1);
	for (p = l->peers; p; p = next) {
		next = p->next;
		if (!p->waits)
			drop_peer(l, p);
	}
	for (t = l->incoming; t; t = t->next)
		incoming_end(l, t);
	if (l->left.n)
		l->p->warn("%zu files that another listener left in '%s' were not finished",
			   l->left.n, l->p->dir);
	for (work_start(l); work_is_left(l) && l->signals < 2; work_start(l)) {
		poll(&v, 1, TICK_MS);
		read_signals(l);
	}
	work_kill(l, false);
	for (t = l->incoming; t; t = t->next) {
		if (t->worker > 0)
			waitpid(t->worker, NULL, 0);
		if (t->state == INCOMING_RECEIVES || t->state == INCOMING_DONE)
			continue;
		incoming_remove_copies(l, t);
		l->p->warn("'%s/%s' is not finished: the next listener for '%s' finishes it",
			   l->p->dir, t->part, l->p->dir);
	}
}

static void release_listener(struct listener *l)
{
	for (; l->n; l->n--)
		close_socket(l, l->n - 1);
	while (l->peers)
		drop_peer(l, l->peers);
	while (l->incoming)
		incoming_free(l, l->incoming);
	strv_release(&l->left);
	if (l->signal_fd >= 0)
		close(l->signal_fd);
	if (l->dir >= 0)
		close(l->dir);
	free(l->fds);
	free(l->at);
	free(l->mem);
}

int listen_run(const struct listen_plan *p, struct ftr_error *err)
{
	struct listener l = { .p = p, .dir = -1, .signal_fd = -1 };
	struct rlimit files;
	cpu_set_t cpus;
	char *prefix;
	rlim_t want;
	int ret = -1;

	l.dir = open(p->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (l.dir < 0 || faccessat(l.dir, ".", W_OK | X_OK, AT_EACCESS)) {
		err_sys(err, "cannot write to '%s'", p->dir);
		goto out;
	}
	if (open_sockets(&l, err) || detach_listener(p, err) || catch_signals(&l, err))
		goto out;
	want = l.n + FDS_A_PEER * p->max_peers + 64;
	if (!getrlimit(RLIMIT_NOFILE, &files) && files.rlim_cur < want) {
		files.rlim_cur = files.rlim_max < want ? files.rlim_max : want;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	prefix = xasprintf("%s-", p->name);
	disk_list(&l, prefix, ".dat" LISTEN_PART, &l.left);
	free(prefix);
	l.nr_workers = sysconf(_SC_NPROCESSORS_ONLN);
	if (!sched_getaffinity(0, sizeof(cpus), &cpus))
		l.nr_workers = CPU_COUNT(&cpus);
	if (l.nr_workers < 1)
		l.nr_workers = 1;
	l.mem = xmalloc(READ_BYTES);
	while (!l.signals)
		listen_round(&l);
	finish_all(&l);
	ret = 0;
out:
	release_listener(&l);
	return ret;
}
