/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals that become errors of writes, and those that end the program between two changes. */
#include "base/sig.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/now.h"

static const int signals[] = { SIGPIPE, SIGXFSZ };
static struct sigaction before[sizeof(signals) / sizeof(*signals)];

void sig_write_errors(void)
{
	struct sigaction ign = { .sa_handler = SIG_IGN };
	size_t i;

	for (i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaction(signals[i], &ign, &before[i]);
}

static void (*on_read_error)(void);

void sig_on_read_error(void (*fn)(void))
{
	on_read_error = fn;
}

/* The mapped bytes are gone: nothing that was started with them can be completed. */
static void end_reading(int sig)
{
	static const char text[] =
		"ftr: a file was cut short while it was read, or the disk failed\n";
	ssize_t n;

	if (on_read_error)
		on_read_error();
	n = write(STDERR_FILENO, text, sizeof(text) - 1);

	(void)sig;
	(void)n;
	_exit(FTR_DAMAGED);
}

void sig_read_errors(void)
{
	struct sigaction end = { .sa_handler = end_reading };

	sigaction(SIGBUS, &end, NULL);
}

void sig_restore(void)
{
	size_t i;

	for (i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaction(signals[i], &before[i], NULL);
}

static const int end_signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

static void end_signals_set(sigset_t *set)
{
	struct sigaction hup;
	size_t i;

	sigemptyset(set);
	for (i = 0; i < sizeof(end_signals) / sizeof(*end_signals); i++)
		sigaddset(set, end_signals[i]);
	if (!sigaction(SIGHUP, NULL, &hup) && hup.sa_handler == SIG_IGN)
		sigdelset(set, SIGHUP);
}

void sig_hold(void)
{
	sigset_t set;

	end_signals_set(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

int sig_held(void)
{
	sigset_t pending;
	size_t i;

	sigpending(&pending);
	for (i = 0; i < sizeof(end_signals) / sizeof(*end_signals); i++)
		if (sigismember(&pending, end_signals[i]))
			return end_signals[i];
	return 0;
}

int sig_wait(uint64_t ns)
{
	uint64_t end = now_ns() + ns, now;
	struct timespec left;
	sigset_t set;
	int sig;

	end_signals_set(&set);
	/* another signal, or a debugger, ends a wait too early */
	for (sig = -1, errno = EINTR; sig < 0 && errno == EINTR;) {
		now = now_ns();
		left.tv_sec = ns && now < end ? (end - now) / 1000000000 : 0;
		left.tv_nsec = ns && now < end ? (end - now) % 1000000000 : 0;
		sig = ns ? sigtimedwait(&set, NULL, &left) : sigwaitinfo(&set, NULL);
	}
	return sig > 0 ? sig : 0;
}
