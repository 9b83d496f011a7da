/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sends a running recording to a pipe or a listener. */
#include "record/net/send_recording.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/now.h"
#include "base/search.h"
#include "record/net/net_address.h"
#include "record/net/net_protocol.h"

#define BLOCK     (256u << 10)
#define PIPE_STEP 4096		/* bytes that a pipe accepts if poll() reports it as writable */
#define DISK_UNIT 4096ull

enum {
	CONNECT_MS = 2000,	/* limit for an answer of the listener */
	AGAIN_MS = 500,		/* pause between attempts to connect */
	IDLE_MS = 5000,		/* the listener gets a frame at least so often */
};

struct send_segment {
	uint64_t at;		/* offset in the stream */
	uint64_t len;
	uint64_t off;		/* offset in the file, if ->mem is NULL */
	char    *mem;
};

struct send_queue {
	int      fd;		/* the receiver, or -1 */
	bool     socket;
	size_t   step;		/* bytes that write() takes at most without waiting */
	int      file_fd;
	struct send_segment *v;
	size_t   first, n, cap;	/* the segments from ->first on are not sent yet */
	uint64_t given, sent;	/* bytes of the stream that were queued, and sent */
	/* the bytes to write next: for a listener a frame with its head */
	uint8_t *out;
	size_t   out_len, out_done;
	uint64_t out_stream;	/* bytes of the stream in ->out */
	uint64_t moved_ms;	/* time of the last progress */
	bool     ended, done;
	bool     failed;	/* accessed atomically */
	struct ftr_error err;

	/* if the receiver is a listener */
	char    *address;	/* NULL: it is none */
	struct net_addr at;
	uint8_t  id[WIRE_ID];
	uint64_t tried_ms;
	bool     end_sent;
	uint8_t  answer[WIRE_ANSWER_BYTES];
	size_t   answer_len;
};

static void stop_sending(struct send_queue *s)
{
	s->err.code = FTR_DAMAGED;
	__atomic_store_n(&s->failed, true, __ATOMIC_RELEASE);
}

static void fail_sending(struct send_queue *s, const char *what)
{
	err_sys(&s->err, "%s", what);
	stop_sending(s);
}

/* --- the queue */

static struct send_segment *add_segment(struct send_queue *s, uint64_t len)
{
	struct send_segment *g;

	if (s->first && s->n == s->cap) {
		memmove(s->v, s->v + s->first, (s->n - s->first) * sizeof(*s->v));
		s->n -= s->first;
		s->first = 0;
	}
	s->v = xgrow(s->v, &s->cap, s->n + 1, sizeof(*s->v));
	g = &s->v[s->n++];
	*g = (struct send_segment){ .at = s->given, .len = len };
	s->given += len;
	return g;
}

void send_mem(struct send_queue *s, struct buf *b)
{
	size_t len = b->len;

	if (len)
		add_segment(s, len)->mem = buf_take(b);
}

void send_range(struct send_queue *s, uint64_t off, uint64_t len)
{
	if (len)
		add_segment(s, len)->off = off;
}

void send_end(struct send_queue *s)
{
	s->ended = true;
	s->moved_ms = now_ms();
}

uint64_t send_given(const struct send_queue *s)
{
	return s->given;
}

uint64_t send_waiting(const struct send_queue *s)
{
	return s->given - s->sent;
}

/*
 * Reads up to BLOCK bytes of the stream from ->sent on to ->out, after the room for a frame head.
 */
static int read_stream(struct send_queue *s)
{
	const struct send_segment *g = &s->v[SEARCH_LAST(i, s->first, s->n, s->v[i].at <= s->sent)];
	uint8_t *to = s->out + WIRE_FRAME_BYTES;
	uint64_t at = s->sent, skip;
	size_t n = 0, part;
	ssize_t got;

	for (; g < s->v + s->n && n < BLOCK; g++, n += part, at += part) {
		skip = at - g->at;
		part = g->len - skip < BLOCK - n ? g->len - skip : BLOCK - n;
		got = part;
		if (g->mem)
			memcpy(to + n, g->mem + skip, part);
		else
			got = pread(s->file_fd, to + n, part, g->off + skip);
		if (got != (ssize_t)part) {
			errno = got < 0 ? errno : ENODATA;
			fail_sending(s, "cannot read back the recorded data");
			return -1;
		}
	}
	s->out_stream = n;
	return 0;
}

/* Drops the segments that were sent, and punches their whole blocks out of the file. */
static void forget_sent(struct send_queue *s)
{
	struct send_segment *g;
	uint64_t from, to;

	for (; s->first < s->n; s->first++) {
		g = &s->v[s->first];
		if (g->at + g->len > s->sent)
			return;
		from = (g->off + DISK_UNIT - 1) / DISK_UNIT * DISK_UNIT;
		to = (g->off + g->len) / DISK_UNIT * DISK_UNIT;
		if (!g->mem && from < to)
			fallocate(s->file_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, from,
				  to - from);
		free(g->mem);
		g->mem = NULL;
	}
}

/* --- writing */

static void frame_stream(struct send_queue *s, enum wire_frame what)
{
	wire_encode_frame(s->out, what, s->out_stream);
	s->out_len = WIRE_FRAME_BYTES + s->out_stream;
	s->out_done = 0;
}

/* Fills ->out with the next frame. Returns false if there is nothing to send now. */
static bool prepare_out(struct send_queue *s)
{
	s->out_stream = 0;
	if (s->sent < s->given) {
		if (read_stream(s))
			return false;
		frame_stream(s, WIRE_DATA);
		/* only a listener gets the head of the frame */
		s->out_done = s->address ? 0 : WIRE_FRAME_BYTES;
		return true;
	}
	if (!s->address || s->end_sent)
		return false;
	if (s->ended)
		frame_stream(s, WIRE_END);
	else if (now_ms() - s->moved_ms >= IDLE_MS)
		frame_stream(s, WIRE_IDLE);
	s->end_sent = s->ended;
	return s->out_done < s->out_len;
}

/* Closes a lost connection. connect_listener() opens a new one. */
static void close_connection(struct send_queue *s)
{
	close(s->fd);
	s->fd = -1;
	s->out_len = s->out_done = s->answer_len = 0;
	s->end_sent = false;
	s->tried_ms = now_ms();
}

static void fail_write(struct send_queue *s)
{
	if (!s->address) {
		fail_sending(s, "cannot write to standard output");
		return;
	}
	err_sys(&s->err, "'%s' received no more", s->address);
	close_connection(s);
}

/* Writes a part of ->out. Returns false if the receiver accepts no more now. */
static bool write_out(struct send_queue *s)
{
	size_t n = s->out_len - s->out_done;
	ssize_t got;

	n = n < s->step ? n : s->step;
	if (s->socket)
		got = send(s->fd, s->out + s->out_done, n, MSG_DONTWAIT | MSG_NOSIGNAL);
	else
		got = write(s->fd, s->out + s->out_done, n);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (got <= 0) {
		errno = got ? errno : EIO;
		fail_write(s);
		return false;
	}
	s->moved_ms = now_ms();
	s->out_done += got;
	if (s->out_done < s->out_len)
		return true;
	s->sent += s->out_stream;
	if (!s->address)
		forget_sent(s);
	return true;
}

/* --- answers of a listener */

static void handle_answer(struct send_queue *s)
{
	enum wire_answer answer;
	uint64_t have;

	s->answer_len = 0;
	/* WIRE_GO_ON is the first answer of a connection, before anything was sent */
	if (!wire_get_answer(s->answer, &answer, &have) || (answer == WIRE_GO_ON && s->out_len)) {
		err_set(&s->err, FTR_FAILED, "what answers at '%s' is not an ftr listen",
			s->address);
		close_connection(s);
		stop_sending(s);
	} else if (answer == WIRE_GO_ON) {
		s->sent = have < s->given ? have : s->given;
	} else if (answer == WIRE_ALL) {
		s->done = s->end_sent;
	} else {
		err_set(&s->err, FTR_DAMAGED, "'%s' refuses the recording: %s", s->address,
			wire_answer_text(answer));
		close_connection(s);
		if (answer != WIRE_BUSY)
			stop_sending(s);
	}
}

/* Reads an answer. Returns true if it is complete, or if the connection is lost. */
static bool read_answer(struct send_queue *s, int ms)
{
	struct pollfd p = { .fd = s->fd, .events = POLLIN };
	ssize_t got;

	if (poll(&p, 1, ms) <= 0)
		return false;
	got = recv(s->fd, s->answer + s->answer_len, sizeof(s->answer) - s->answer_len,
		   MSG_DONTWAIT);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (got <= 0) {
		err_set(&s->err, FTR_FAILED, "'%s' closed the connection", s->address);
		close_connection(s);
		return true;
	}
	s->answer_len += got;
	if (s->answer_len < sizeof(s->answer))
		return false;
	handle_answer(s);
	return true;
}

/* Connects, sends a hello, and waits for the number of bytes that the listener has already. */
static void connect_listener(struct send_queue *s, int ms)
{
	uint8_t hello[WIRE_HELLO_BYTES];
	uint64_t now = now_ms(), until;

	if (s->tried_ms && now - s->tried_ms < AGAIN_MS) {
		poll(NULL, 0, ms);
		return;
	}
	s->tried_ms = now;
	s->fd = net_connect(&s->at, CONNECT_MS);
	if (s->fd < 0) {
		err_sys(&s->err, "cannot reach '%s'", s->address);
		return;
	}
	until = now_ms() + CONNECT_MS;
	wire_encode_hello(hello, s->id);
	if (send(s->fd, hello, sizeof(hello), MSG_NOSIGNAL) != sizeof(hello)) {
		fail_write(s);
		return;
	}
	do {
		now = now_ms();
		if (read_answer(s, now < until ? until - now : 0))
			return;
	} while (now < until);
	err_set(&s->err, FTR_FAILED, "'%s' does not answer", s->address);
	close_connection(s);
}

/* Waits until the receiver is ready. A listener may send an answer at any time. */
static bool wait_ready(struct send_queue *s, short events, int ms)
{
	struct pollfd p = { .fd = s->fd, .events = events | (s->address ? POLLIN : 0) };

	if (poll(&p, 1, ms) <= 0)
		return false;
	if (s->address && p.revents & (POLLIN | POLLHUP | POLLERR))
		read_answer(s, 0);
	return s->fd >= 0 && p.revents & (events | POLLERR);
}

void send_some(struct send_queue *s, int ms)
{
	if (s->address && s->fd < 0 && !s->failed)
		connect_listener(s, ms);
	while (!s->failed && s->fd >= 0 && !s->done) {
		if (s->out_done == s->out_len && !prepare_out(s)) {
			/* the only event may be an answer */
			if (s->address && s->end_sent && wait_ready(s, 0, ms))
				continue;
			return;
		}
		if (!wait_ready(s, POLLOUT, ms) || !write_out(s))
			return;
	}
}

bool send_done(const struct send_queue *s)
{
	return s->ended && (s->address ? s->done : s->sent == s->given);
}

uint64_t send_stuck_ms(const struct send_queue *s)
{
	return now_ms() - s->moved_ms;
}

/*
 * Opens a pipe again with O_NONBLOCK, so that writing to it does not wait. If that were set on the
 * inherited descriptor, other processes that share it would be affected.
 */
static void open_outlet(struct send_queue *s)
{
	char path[32];
	struct stat st;
	int fd;

	if (fstat(s->fd, &st))
		return;
	s->socket = S_ISSOCK(st.st_mode);
	if (!S_ISFIFO(st.st_mode))
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", s->fd);
	fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0) {
		s->step = PIPE_STEP;
		return;
	}
	close(s->fd);
	s->fd = fd;
}

static struct send_queue *new_send(int file_fd, int fd)
{
	struct send_queue *s = xcalloc(1, sizeof(*s));

	s->file_fd = file_fd;
	s->fd = fd;
	s->step = BLOCK + WIRE_FRAME_BYTES;
	s->out = xmalloc(BLOCK + WIRE_FRAME_BYTES);
	s->moved_ms = now_ms();
	return s;
}

struct send_queue *send_to_stdout(int file_fd, struct ftr_error *err)
{
	struct send_queue *s;
	int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

	if (fd < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
		err_sys(err, "cannot write to standard output");
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	s = new_send(file_fd, fd);
	open_outlet(s);
	return s;
}

struct send_queue *send_to_listener(int file_fd, const char *address, struct ftr_error *err)
{
	struct net_addr at;
	struct send_queue *s;

	if (net_addr(address, &at, err))
		return NULL;
	s = new_send(file_fd, -1);
	s->address = xstrdup(address);
	s->at = at;
	s->socket = true;
	if (getrandom(s->id, sizeof(s->id), 0) == sizeof(s->id))
		return s;
	err_sys(err, "cannot make a random number");
	send_free(s);
	return NULL;
}

bool send_failed(const struct send_queue *s)
{
	return __atomic_load_n(&s->failed, __ATOMIC_ACQUIRE);
}

const struct ftr_error *send_error(const struct send_queue *s)
{
	return &s->err;
}

void send_free(struct send_queue *s)
{
	size_t i;

	if (!s)
		return;
	if (s->fd >= 0)
		close(s->fd);
	for (i = s->first; i < s->n; i++)
		free(s->v[i].mem);
	free(s->v);
	free(s->out);
	free(s->address);
	free(s);
}
