/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The end of a recording that is sent, with a receiver of our own in place of send_recording.c: who is given up, and when. */
#include "record/sink/sink_stream.c"

#include <signal.h>

#include "tap.h"

/* What the receiver does; time is what is waited for it. */
struct send_queue {
	uint64_t waited_ms;		/* since it took something last */
	uint64_t rounds;
	uint64_t takes_at;		/* it takes all at this round; 0: never */
	uint64_t fails_at;		/* it is gone for good from this one on; 0: never */
	bool     ended;
	struct ftr_error err;
};

#define ENDLESS 200000			/* rounds of 50 ms: hours */

void send_end(struct send_queue *s)
{
	s->ended = true;
}

bool send_failed(const struct send_queue *s)
{
	return (s->fails_at && s->rounds >= s->fails_at) || s->rounds >= ENDLESS;
}

bool send_done(const struct send_queue *s)
{
	return s->ended && s->takes_at && s->rounds >= s->takes_at;
}

uint64_t send_stuck_ms(const struct send_queue *s)
{
	return s->waited_ms;
}

void send_some(struct send_queue *s, int ms)
{
	s->waited_ms += ms;
	s->rounds++;
}

const struct ftr_error *send_error(const struct send_queue *s)
{
	return &s->err;
}

/* Nothing of these is called at the end. */
void send_mem(struct send_queue *s, struct buf *b)
{
	(void)s;
	buf_release(b);
}

void send_range(struct send_queue *s, uint64_t off, uint64_t len)
{
	(void)s;
	(void)off;
	(void)len;
}

uint64_t send_given(const struct send_queue *s)
{
	(void)s;
	return 0;
}

uint64_t send_waiting(const struct send_queue *s)
{
	(void)s;
	return 0;
}

struct send_queue *send_to_stdout(int file_fd, struct ftr_error *err)
{
	(void)file_fd;
	(void)err;
	return NULL;
}

struct send_queue *send_to_listener(int file_fd, const char *address, struct ftr_error *err)
{
	(void)file_fd;
	(void)address;
	(void)err;
	return NULL;
}

void send_free(struct send_queue *s)
{
	(void)s;
}

/* @pipe: it goes to a pipe, and nothing stays here. */
static int rest(struct send_queue *peer, bool pipe, struct ftr_error *err)
{
	struct record_sink s = { .plan = { .send = peer, .consume = pipe } };
	struct sink_stream fl = { .s = &s, .send = peer };

	*err = (struct ftr_error){0};
	return send_rest(&fl, err);
}

static void test_listener(void)
{
	struct send_queue silent = {0}, slow = { .takes_at = 198 }, late = { .takes_at = 202 };
	struct ftr_error err;

	TAP_OK(rest(&silent, false, &err) == -1 && err.code == FTR_DAMAGED &&
	       !strcmp(err.msg, "nobody receives the data"), "a listener that takes nothing: it is said");
	TAP_EQ(silent.waited_ms, 10000, "it is given up after ten seconds");
	TAP_OK(!rest(&slow, false, &err) && !err.code, "one that takes all just before");
	TAP_OK(rest(&late, false, &err) == -1, "one that would have taken it just behind");
}

static void test_pipe(void)
{
	struct send_queue slow = { .takes_at = 72000 }, gone = { .fails_at = 5, .err = { .code = FTR_DAMAGED } };
	struct ftr_error err;

	TAP_OK(!rest(&slow, true, &err) && !err.code, "the reader of a pipe that takes all after an hour is waited for");
	TAP_EQ(slow.waited_ms, 3600000, "so long");
	snprintf(gone.err.msg, sizeof(gone.err.msg), "Broken pipe");
	TAP_OK(rest(&gone, true, &err) == -1 && !strcmp(err.msg, "Broken pipe"), "one that is gone: as send.c says it");
	TAP_EQ(gone.rounds, 5, "and nothing is waited for");
}

/* Ctrl-C while it waits. */
static void test_interrupt(void)
{
	struct send_queue slow = { .takes_at = 72000 }, done = { .takes_at = 1 };
	struct ftr_error err;

	sig_hold();
	raise(SIGINT);
	TAP_OK(rest(&slow, true, &err) == -1 && !strcmp(err.msg, "interrupted before all was sent"),
	       "the user has enough");
	TAP_EQ(slow.rounds, 1, "at once");
	TAP_OK(!rest(&done, true, &err), "but not too late: all was sent");
}

int main(void)
{
	test_listener();
	test_pipe();
	test_interrupt();
	return tap_done();
}
