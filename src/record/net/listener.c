/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Receives recordings from other machines: who is let in, and what they say. */
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
	TICK_MS = 1000,			/* how often times are looked at, while there is a peer */
	DOOR_MS = 10000,		/* to say hello, or to read why one is refused */
	/* who sent no data for so long makes room for others, if nobody is left in otherwise */
	QUIET_MS = 10000, NEW_QUIET_MS = 1000,
	NEW_BYTES = 1 << 20,		/* for less room nothing new is begun */
	FDS_A_PEER = 6,			/* itself, one at the door, and recordings */
};

/* --- peers */

static void send_answer(int fd, enum wire_answer what, uint64_t have)
{
	uint8_t bytes[WIRE_ANSWER_BYTES];

	wire_put_answer(bytes, what, have);
	send(fd, bytes, sizeof(bytes), MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void drop_peer(struct listener *l, struct peer *p)
{
	struct peer **at = &l->peers;

	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	close(p->fd);
	free(p->who);
	free(p->group);
	free(p);
}

/*
 * It is not closed at once: TCP resets a connection that is closed with unread data, and the answer
 * would be lost on its way. Its time runs on.
 */
static void refuse_peer(struct listener *l, struct peer *p, enum wire_answer why)
{
	if (why != WIRE_BUSY)
		listen_complain(l, "%s is refused: %s", p->who, wire_answer_text(why));
	send_answer(p->fd, why, 0);
	shutdown(p->fd, SHUT_WR);
	p->quiet_ms = now_ms();
	p->deaf = true;
	p->waits = false;
	p->take = NULL;
}

/* Of this address, or all. */
static bool counts_in(const struct peer *p, bool at_door, const char *group)
{
	return !p->gone && !p->take == at_door && (!group || !strcmp(p->group, group));
}

static size_t count_all(const struct listener *l)
{
	const struct peer *p;
	size_t n = 0;

	for (p = l->peers; p; p = p->next)
		n++;
	return n;
}

static int64_t count_peers(const struct listener *l, bool at_door, const char *group)
{
	const struct peer *p;
	int64_t n = 0;

	for (p = l->peers; p; p = p->next)
		n += counts_in(p, at_door, group);
	return n;
}

/* Whom nothing was heard of for the longest time, but longer than @least ms. */
static struct peer *oldest_at_door(const struct listener *l, const char *group, uint64_t least)
{
	uint64_t now = now_ms();
	struct peer *p, *old = NULL;

	for (p = l->peers; p; p = p->next)
		if (counts_in(p, true, group) && now - p->quiet_ms >= least &&
		    (!old || p->quiet_ms < old->quiet_ms))
			old = p;
	return old;
}

static bool is_quiet(const struct peer *p, uint64_t now)
{
	return !p->waits && now - p->quiet_ms >= (p->take->have ? QUIET_MS : NEW_QUIET_MS);
}

/* Who sent nothing at all goes first. */
static bool goes_before(const struct peer *p, const struct peer *other)
{
	if (!p->take->have != !other->take->have)
		return !p->take->have;
	return p->quiet_ms < other->quiet_ms;
}

/* One that sends nothing leaves its place; what it sent is kept, and it may come again. */
static bool clear_place(struct listener *l, const char *group)
{
	uint64_t now = now_ms();
	struct peer *p, *out = NULL;

	for (p = l->peers; p; p = p->next)
		if (counts_in(p, false, group) && is_quiet(p, now) && (!out || goes_before(p, out)))
			out = p;
	if (!out)
		return false;
	send_answer(out->fd, WIRE_BUSY, 0);
	out->gone = true;
	return true;
}

static bool has_place(struct listener *l, const char *group)
{
	if (count_peers(l, false, group) >= l->p->max_each && !clear_place(l, group))
		return false;
	return count_peers(l, false, NULL) < l->p->max_peers || clear_place(l, NULL);
}

/* It has come again: the connection it had is of no use. */
static void drop_older_peers(struct listener *l, const struct peer *by, const struct take *t)
{
	struct peer *p;

	for (p = l->peers; p; p = p->next)
		p->gone |= p != by && p->take == t;
}

/* --- what they say */

static bool hear_hello(struct listener *l, struct peer *p)
{
	struct take *t = take_find(l, p->in.id);

	if (t)
		drop_older_peers(l, p, t);
	if (!t && !disk_has_room(l, NEW_BYTES)) {
		refuse_peer(l, p, WIRE_NO_ROOM);
		return false;
	}
	if (has_place(l, p->group))
		p->take = t ? t : take_begin(l, p->in.id, p->group);
	if (!p->take) {
		refuse_peer(l, p, WIRE_BUSY);
		return false;
	}
	p->quiet_ms = p->seen_ms;
	send_answer(p->fd, WIRE_GO_ON, p->take->have);
	return true;
}

static bool hear_data(struct listener *l, struct peer *p, const uint8_t *data, size_t len)
{
	enum wire_answer ret;

	if (p->take->state != TAKE_COMES)
		return false;
	p->quiet_ms = p->take->seen_ms = p->seen_ms;
	ret = take_add(l, p->take, p->who, data, len);
	if (ret != WIRE_GO_ON)
		refuse_peer(l, p, ret);
	return ret == WIRE_GO_ON;
}

/* Who waits hears it once. */
static void tell_synced(struct listener *l, struct peer *p)
{
	p->waits = false;
	if (p->take->synced)
		send_answer(p->fd, WIRE_ALL, p->take->have);
	else
		refuse_peer(l, p, WIRE_NO_ROOM);
}

void listen_tell(struct listener *l, const struct take *t)
{
	struct peer *p;

	for (p = l->peers; p; p = p->next)
		if (p->take == t && p->waits)
			tell_synced(l, p);
}

static bool hear_end(struct listener *l, struct peer *p)
{
	take_end(l, p->take);
	if (p->take->state >= TAKE_WANTS_FINISH)
		tell_synced(l, p);
	else
		p->waits = true;
	return p->take;
}

/* What it said. False: enough of it. */
static bool take_bytes(struct listener *l, struct peer *p, const uint8_t *at, size_t n)
{
	const uint8_t *data;
	bool more = true;
	size_t len;

	while (n && more) {
		switch (wire_read(&p->in, &at, &n, &data, &len)) {
		case WIRE_SAYS_MORE:
			break;
		case WIRE_SAYS_HELLO:
			more = hear_hello(l, p);
			break;
		case WIRE_SAYS_DATA:
			more = hear_data(l, p, data, len);
			break;
		case WIRE_SAYS_END:
			more = hear_end(l, p);
			break;
		case WIRE_SAYS_UNKNOWN:
			refuse_peer(l, p, WIRE_UNKNOWN);
			return false;
		case WIRE_SAYS_NONSENSE:
			listen_complain(l, "%s is not an ftr record", p->who);
			return false;
		}
	}
	return more;
}

static void hear_peer(struct listener *l, struct peer *p)
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

/* --- who is let in */

/*
 * The table of descriptors is full, and who waits to be let in would wake us at once again: one
 * that says nothing leaves, or nobody is let in for a while.
 */
static void make_way(struct listener *l, int sys)
{
	struct peer *p = oldest_at_door(l, NULL, NEW_QUIET_MS);

	if (sys != EMFILE && sys != ENFILE && sys != ENOMEM && sys != ENOBUFS)
		return;
	listen_complain(l, "no more connections can be accepted: %s", strerror(sys));
	if (p)
		drop_peer(l, p);
	else
		l->rests = true;
}

/* As many may stand there as may be let in. */
static void clear_door(struct listener *l, const char *group, int64_t most)
{
	if (count_peers(l, true, group) > most)
		drop_peer(l, oldest_at_door(l, group, 0));
}

static void welcome_peer(struct listener *l, int fd)
{
	struct peer *p;
	uint64_t now = now_ms();
	int new = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (new < 0) {
		make_way(l, errno);
		return;
	}
	p = xcalloc(1, sizeof(*p));
	*p = (struct peer){ .fd = new, .who = net_peer(new), .group = net_peer_group(new),
			    .seen_ms = now, .quiet_ms = now, .next = l->peers };
	l->peers = p;
	clear_door(l, p->group, l->p->max_each);
	clear_door(l, NULL, l->p->max_peers);
}

/* --- the time */

/* The silent ones go. */
static void look_at_peers(struct listener *l, uint64_t limit, uint64_t now)
{
	struct peer *p, *next;

	for (p = l->peers; p; p = next) {
		next = p->next;
		if (p->take)
			p->take->seen_ms = now;
		if (p->gone || (p->take ? now - p->seen_ms > limit : now - p->quiet_ms > DOOR_MS))
			drop_peer(l, p);
	}
}

static bool is_sent(const struct listener *l, const struct take *t)
{
	const struct peer *p;

	for (p = l->peers; p; p = p->next)
		if (p->take == t)
			return true;
	return false;
}

/*
 * What nobody sends any more of is finished; what is done is forgotten, and what never began as
 * soon as its peer has left.
 */
static void look_at_takes(struct listener *l, uint64_t limit, uint64_t now)
{
	struct take *t, *next;

	for (t = l->takes; t; t = next) {
		next = t->next;
		if (t->state == TAKE_COMES && !t->have && !is_sent(l, t))
			take_free(l, t);
		else if (now - t->seen_ms <= limit)
			continue;
		else if (t->state == TAKE_COMES)
			take_end(l, t);
		else if (t->state == TAKE_DONE)
			take_free(l, t);
	}
}

static void look_at_times(struct listener *l)
{
	uint64_t limit = l->p->timeout_ns / 1000000, now = now_ms();

	look_at_peers(l, limit, now);
	look_at_takes(l, limit, now);
	if (now - l->looked_ms >= TICK_MS) {
		l->looked_ms = now;
		disk_look(l);
	}
}

/* Those that listen, the signals, the peers. The caller frees. */
static struct pollfd *list_fds(const struct listener *l, size_t *n)
{
	struct pollfd *v = xcalloc(l->n + 1 + count_all(l), sizeof(*v));
	const struct peer *p;
	size_t i;

	for (i = 0; i < l->n; i++)
		v[i].fd = l->rests ? -1 : l->fds[i];
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
		l->signals += si.ssi_signo != SIGCHLD;
	work_reap(l);
}

static void one_round(struct listener *l)
{
	struct pollfd *v;
	struct peer *p;
	size_t i, n;

	work_start(l);
	v = list_fds(l, &n);
	poll(v, n, l->peers || l->takes || l->rests ? TICK_MS : -1);
	l->rests = false;
	for (p = l->peers, i = l->n + 1; p; p = p->next, i++)
		if (v[i].revents && !p->gone)
			hear_peer(l, p);
	see_signals(l);
	look_at_times(l);
	for (i = 0; i < l->n; i++)
		if (v[i].revents)
			welcome_peer(l, l->fds[i]);
	free(v);
}

/* --- beginning and end */

static int open_doors(struct listener *l, struct ftr_error *err)
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

/* A socket's name is ours as long as we listen. */
static void close_door(const struct listener *l, size_t i)
{
	close(l->fds[i]);
	if (l->at[i].sa.sa_family == AF_UNIX)
		unlink(l->p->addresses.v[i]);
}

/* Nobody is let in, and only those are kept that wait to hear that we have all. */
static void close_doors(struct listener *l)
{
	struct peer *p, *next;
	struct take *t;

	for (; l->n; l->n--)
		close_door(l, l->n - 1);
	for (p = l->peers; p; p = next) {
		next = p->next;
		if (!p->waits)
			drop_peer(l, p);
	}
	for (t = l->takes; t; t = t->next)
		take_end(l, t);
	if (l->left.n)
		l->p->warn("%zu files that another listener left in '%s' were not finished",
			   l->left.n, l->p->folder);
}

static void end_work(struct listener *l)
{
	struct take *t;

	work_kill(l, false);
	for (t = l->takes; t; t = t->next) {
		if (t->worker > 0)
			waitpid(t->worker, NULL, 0);
		if (t->state == TAKE_COMES || t->state == TAKE_DONE)
			continue;
		take_remove_copies(l, t);
		l->p->warn("'%s/%s' is not finished: the next listener for '%s' finishes it",
			   l->p->folder, t->part, l->p->folder);
	}
}

/* What came so far is worth a file. */
static void finish_all(struct listener *l)
{
	struct pollfd v = { .fd = l->signal_fd, .events = POLLIN };

	close_doors(l);
	for (work_start(l); work_is_left(l) && l->signals < 2; work_start(l)) {
		poll(&v, 1, TICK_MS);
		see_signals(l);
	}
	end_work(l);
}

static void release_listener(struct listener *l)
{
	for (; l->n; l->n--)
		close_door(l, l->n - 1);
	while (l->peers)
		drop_peer(l, l->peers);
	while (l->takes)
		take_free(l, l->takes);
	strv_release(&l->left);
	if (l->signal_fd >= 0)
		close(l->signal_fd);
	if (l->folder >= 0)
		close(l->folder);
	free(l->fds);
	free(l->at);
	free(l->mem);
}

static int open_folder(struct listener *l, struct ftr_error *err)
{
	l->folder = open(l->p->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (l->folder >= 0 && !faccessat(l->folder, ".", W_OK | X_OK, AT_EACCESS))
		return 0;
	return err_sys(err, "cannot write to '%s'", l->p->folder);
}

static void list_left(struct listener *l)
{
	char *prefix = xasprintf("%s-", l->p->name);

	disk_list(l, prefix, ".dat" LISTEN_PART, &l->left);
	free(prefix);
}

/* Those that this process may run on. */
static int usable_cpus(void)
{
	cpu_set_t set;
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	if (!sched_getaffinity(0, sizeof(set), &set))
		n = CPU_COUNT(&set);
	return n > 0 ? n : 1;
}

static void raise_peer_limit(const struct listener *l)
{
	rlim_t want = l->n + FDS_A_PEER * l->p->max_peers + 64;
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim) || lim.rlim_cur >= want)
		return;
	lim.rlim_cur = lim.rlim_max < want ? lim.rlim_max : want;
	setrlimit(RLIMIT_NOFILE, &lim);
}

int listen_run(const struct listen_plan *p, struct ftr_error *err)
{
	struct listener l = { .p = p, .folder = -1, .signal_fd = -1 };
	int ret = -1;

	if (open_folder(&l, err) || open_doors(&l, err) || detach_listener(p, err) ||
	    catch_signals(&l, err))
		goto out;
	raise_peer_limit(&l);
	list_left(&l);
	l.nr_workers = usable_cpus();
	l.mem = xmalloc(READ_BYTES);
	while (!l.signals)
		one_round(&l);
	finish_all(&l);
	ret = 0;
out:
	release_listener(&l);
	return ret;
}
