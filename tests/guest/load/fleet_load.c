/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fleet_load VERB DIR ME ARG...: guest ME, from 0 on, of several that share DIR, which none caches.
 *   meet OF NAME           waits until all OF guests are here
 *   clock OF ROUNDS NAME [NS]
 *                          compares CLOCK_REALTIME with that of guest 0, which answers the others
 *                          one after the other, as NTP does; prints the ns to add to this clock and
 *                          the fastest round trip in ns. With NS, which may be negative, sets this
 *                          clock so far after that of guest 0. NAME is another one each time
 *   hand OF COUNT          writes the markers "hand 1" to "hand COUNT" in turn with the others,
 *                          each when the one before it is written
 *   at NS COMMAND...       runs COMMAND, and from NS since 1970 on tries each 0.5 ms, before all
 *                          other tasks, to write a marker; prints ns since NS: the start of the
 *                          last try when tracing was off, the end of the first one when it was on;
 *                          and for how long this CPU ran nobody until then, and in the 10 ms after
 *                          it: the sums of delays above 1 ms. Returns the status of COMMAND
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	WAIT_SECONDS = 300,	/* nobody waits longer for the others */
	TICK_NS = 500000,
	LONG_NS = 1000000,
	TICKS_AFTER = 20,
};

/* The last step of a conversation: the number stands twice, as a read may see half of a write. */
struct step {
	uint64_t number;
	int64_t seen_ns, sent_ns;
	uint64_t again;
};

static int64_t wall_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static int open_shared(const char *dir, const char *name)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	if (fd < 0)
		fail(path);
	return fd;
}

/* Waits until the file has this step. */
static struct step step_wait(int fd, uint64_t number)
{
	struct step s = {0};

	do {
		if (pread(fd, &s, sizeof(s), 0) != sizeof(s))
			s = (struct step){0};
	} while (s.number != number || s.again != number);
	return s;
}

static void step_write(int fd, uint64_t number, int64_t seen_ns)
{
	struct step s = { number, seen_ns, wall_ns(), number };

	if (pwrite(fd, &s, sizeof(s), 0) != sizeof(s))
		fail("pwrite");
}

/* --- verbs */

static int meet(const char *dir, int me, char **arg)
{
	char path[512];
	int i, of = atoi(arg[0]);

	snprintf(path, sizeof(path), "%s.%d", arg[1], me);
	close(open_shared(dir, path));
	for (i = 0; i < of; i++) {
		snprintf(path, sizeof(path), "%s/%s.%d", dir, arg[1], i);
		while (access(path, F_OK))
			usleep(10000);
	}
	return 0;
}

static void clock_answer(int fd, int rounds)
{
	int i;

	for (i = 0; i < rounds; i++) {
		step_wait(fd, 2 * i + 1);
		step_write(fd, 2 * i + 2, wall_ns());
	}
}

/*
 * The request is odd, the answer even. The offset and the round trip are those of NTP (RFC 5905,
 * section 8), where the fastest request and the fastest answer count, each alone.
 */
static void clock_ask(int fd, int rounds, int64_t *offset, int64_t *trip)
{
	int64_t there = INT64_MAX, back = INT64_MAX, sent, seen;
	struct step s;
	int i;

	for (i = 0; i < rounds; i++) {
		sent = wall_ns();
		step_write(fd, 2 * i + 1, 0);
		s = step_wait(fd, 2 * i + 2);
		seen = wall_ns();
		there = s.seen_ns - sent < there ? s.seen_ns - sent : there;
		back = seen - s.sent_ns < back ? seen - s.sent_ns : back;
	}
	*offset = (there - back) / 2;
	*trip = there + back;
}

static void clock_set(int64_t add_ns)
{
	int64_t ns = wall_ns() + add_ns;
	struct timespec ts = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };

	if (clock_settime(CLOCK_REALTIME, &ts))
		fail("clock_settime");
}

static int compare_clocks(const char *dir, int me, char **arg)
{
	int i, fd, of = atoi(arg[0]), rounds = atoi(arg[1]);
	int64_t offset = 0, trip = 0;
	char name[64];

	for (i = 1; i < of; i++) {
		snprintf(name, sizeof(name), "%s.%d", arg[2], i);
		if (me && me != i)
			continue;
		fd = open_shared(dir, name);
		if (me)
			clock_ask(fd, rounds, &offset, &trip);
		else
			clock_answer(fd, rounds);
		close(fd);
	}
	if (me && arg[3])
		clock_set(offset + strtoll(arg[3], NULL, 10));
	printf("%" PRId64 " %" PRId64 "\n", offset, trip);
	return 0;
}

static int open_marker(void)
{
	int fd = open("/sys/kernel/tracing/trace_marker", O_WRONLY);

	if (fd < 0)
		fail("trace_marker");
	return fd;
}

static int hand_on(const char *dir, int me, char **arg)
{
	uint64_t i, of = strtoull(arg[0], NULL, 10), count = strtoull(arg[1], NULL, 10);
	int fd = open_shared(dir, "hand"), marker = open_marker(), len;
	char text[64];

	for (i = me + 1; i <= count; i += of) {
		step_wait(fd, i - 1);
		len = snprintf(text, sizeof(text), "hand %" PRIu64, i);
		if (write(marker, text, len) != len)
			fail("marker");
		step_write(fd, i, 0);
	}
	return 0;
}

/* Sleeps until @ns since 1970. Returns the time. */
static int64_t sleep_until(int64_t ns)
{
	struct timespec ts = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };

	while (clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
	return wall_ns();
}

static int64_t long_delay(int64_t ns)
{
	return ns > LONG_NS ? ns : 0;
}

static int try_at(const char *dir, int me, char **arg)
{
	int64_t at = strtoll(arg[0], NULL, 10), due = at, woken, done, off = 0, on = 0;
	int64_t stolen[2] = {0};
	struct sched_param first = { .sched_priority = 1 };
	int marker = open_marker(), status, left = TICKS_AFTER;
	bool is_on;
	pid_t pid = fork();

	(void)dir;
	(void)me;
	if (!pid) {
		execvp(arg[1], arg + 1);
		_exit(127);
	}
	if (sched_setscheduler(0, SCHED_FIFO, &first))
		fail("sched_setscheduler");
	for (; left && !waitpid(pid, &status, WNOHANG); due = woken + TICK_NS) {
		woken = sleep_until(due);
		is_on = write(marker, "on", 2) == 2;
		done = wall_ns();
		/* a delay of a write that fails is one of the next tick */
		stolen[left < TICKS_AFTER] += long_delay(woken - due) +
					      (is_on ? long_delay(done - woken) : 0);
		if (is_on && left-- == TICKS_AFTER)
			on = done - at;
		else if (!on)
			off = woken - at;
	}
	printf("%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n", off, on, stolen[0], stolen[1]);
	waitpid(pid, &status, 0);
	return !left && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static const struct {
	const char *name;
	int args;
	int (*run)(const char *dir, int me, char **arg);
} verbs[] = {
	{ "meet", 2, meet },
	{ "clock", 3, compare_clocks },
	{ "hand", 2, hand_on },
	{ "at", 2, try_at },
};

int main(int argc, char **argv)
{
	size_t i;

	alarm(WAIT_SECONDS);
	for (i = 0; argc > 3 && i < sizeof(verbs) / sizeof(*verbs); i++)
		if (!strcmp(argv[1], verbs[i].name) && argc - 4 >= verbs[i].args)
			return verbs[i].run(argv[2], atoi(argv[3]), argv + 4);
	return 2;
}
