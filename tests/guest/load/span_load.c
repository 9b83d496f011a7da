/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What spans and states are told by: "span_load DISK" moves a thread to the other CPU while its read()
 * sleeps, renames one, interrupts the read() of one by SIGALRM, has two share a CPU, forks, executes
 * itself in the second thread of a child, exits while another thread sleeps in read(), and writes to
 * DISK (a block device, or a file on one), which it overwrites.
 *
 * It prints what it did, one count a line, as "WORD NUMBER [TID]". Then "thread NAME TID VOLUNTARY
 * NONVOLUNTARY", the switches of /proc, for each thread that took no signal, while all of them sleep;
 * "at rest"; and lives until its standard input ends. So a recording that ends before that has nothing
 * of these threads that the numbers do not know.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOVES 20
#define RENAMES 10
#define ALARMS 10
#define FORKS 8
#define WRITES 40
#define SPIN_MS 400		/* of CPU time */
#define BLOCK 4096

struct worker {
	const char *name;
	void *(*run)(void *self);
	volatile pid_t tid;
	volatile int count;
	int pipe[2];			/* it sleeps in read() here */
	pthread_t thread;
};

static void stop(const char *what)
{
	fprintf(stderr, "span_load: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void begin(struct worker *w)
{
	w->tid = syscall(SYS_gettid);
	prctl(PR_SET_NAME, w->name);
}

static void run_on(pid_t tid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(tid, sizeof(set), &set))
		stop("sched_setaffinity");
}

/*
 * Returns when the worker sleeps in read() and its switch is counted: "S" of /proc comes before the switch. The kernel
 * gives the number of the syscall once the task is off its CPU, "running" else (task_current_syscall()).
 */
static void wait_asleep(const struct worker *w)
{
	char path[64], text[256];
	ssize_t len;
	int fd;

	for (;;) {
		snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", w->tid);
		fd = w->tid ? open(path, O_RDONLY) : -1;
		len = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
		close(fd);
		text[len > 0 ? len : 0] = '\0';
		if (text[0] >= '0' && text[0] <= '9' && atol(text) == SYS_read)
			break;
		usleep(1000);
	}
}

/* The last thing that a worker does. */
static void sleep_forever(struct worker *w)
{
	char c;

	while (read(w->pipe[0], &c, 1) == 1 || errno == EINTR)
		;
}

static void *move(void *self)
{
	struct worker *w = self;
	int before;
	char c;

	begin(w);
	for (;;) {
		before = sched_getcpu();
		if (read(w->pipe[0], &c, 1) != 1)
			return NULL;
		w->count += sched_getcpu() != before;
	}
}

/* Its read() begins on the CPU where the last one ended. */
static void move_while_asleep(struct worker *w)
{
	int i;

	run_on(w->tid, 0);
	for (i = 1; i <= MOVES; i++) {
		wait_asleep(w);
		run_on(w->tid, i % 2);
		if (write(w->pipe[1], "x", 1) != 1)
			stop("write");
	}
	wait_asleep(w);
}

static void *be_renamed(void *self)
{
	struct worker *w = self;
	char name[16];

	begin(w);
	for (w->count = 1; w->count < RENAMES; w->count++) {
		snprintf(name, sizeof(name), "renamed %d", w->count);
		prctl(PR_SET_NAME, name);
		syscall(SYS_getppid);
	}
	sleep_forever(w);
	return NULL;
}

static volatile sig_atomic_t alarms;

static void on_alarm(int sig)
{
	(void)sig;
	alarms++;
}

/* The only thread that takes SIGALRM. */
static void *be_interrupted(void *self)
{
	struct itimerval every = { { 0, 20000 }, { 0, 20000 } }, never = { { 0, 0 }, { 0, 0 } };
	struct sigaction action = { .sa_handler = on_alarm };
	struct worker *w = self;
	sigset_t set;
	char c;

	begin(w);
	sigaction(SIGALRM, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	while (w->count < ALARMS && read(w->pipe[0], &c, 1) < 0 && errno == EINTR)
		w->count++;
	setitimer(ITIMER_REAL, &never, NULL);
	sleep_forever(w);
	return NULL;
}

static void *spin(void *self)
{
	struct worker *w = self;
	struct timespec t;
	int i;

	begin(w);
	run_on(w->tid, 1);
	do {
		for (i = 0; i < 1000000; i++)
			w->count = i;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	} while (t.tv_sec * 1000 + t.tv_nsec / 1000000 < SPIN_MS);
	sleep_forever(w);
	return NULL;
}

static void *sleep_in_read(void *self)
{
	struct worker *w = self;

	begin(w);
	sleep_forever(w);
	return NULL;
}

/* The thread that exec()s becomes the first of its process; that one sleeps in read(). */
static void *execute(void *self)
{
	struct worker *w = self;

	begin(w);
	usleep(20000);
	execl("/proc/self/exe", "span_load", "executed", NULL);
	stop("execl");
	return NULL;
}

static void start(struct worker *w)
{
	w->tid = 0;
	if (pipe2(w->pipe, O_CLOEXEC) || pthread_create(&w->thread, NULL, w->run, w))
		stop("pthread_create");
}

/* Children that end at once, one after the other, each by a way of its own. */
static int fork_children(void)
{
	struct worker reader = { "left behind", sleep_in_read, 0, 0, { 0, 0 }, 0 };
	struct worker exec = { "executor", execute, 0, 0, { 0, 0 }, 0 };
	int i, status, failed = 0;
	pid_t child;

	for (i = 0; i < FORKS; i++) {
		child = fork();
		if (!child && i == 0) {
			start(&exec);
			sleep_forever(&exec);
		}
		if (!child && i % 2) {
			start(&reader);
			wait_asleep(&reader);
		}
		if (!child)
			_exit(0);
		if (child < 0 || waitpid(child, &status, 0) != child || status)
			failed++;
	}
	return failed;
}

static int write_blocks(const char *path)
{
	static char block[16 * BLOCK] __attribute__((aligned(BLOCK)));
	int fd = open(path, O_WRONLY | O_DIRECT), n = 0;

	for (n = 0; fd >= 0 && n < WRITES; n++) {
		if (pwrite(fd, block, (n % 16 + 1) * BLOCK, (off_t)n * sizeof(block)) < 0 ||
		    (n % 8 == 7 && fsync(fd)))
			stop(path);
	}
	if (fd < 0 || close(fd))
		stop(path);
	return n;
}

static void print_switches(struct worker *w)
{
	unsigned long voluntary = 0, nonvoluntary = 0;
	char path[64], line[128];
	FILE *f;

	wait_asleep(w);
	snprintf(path, sizeof(path), "/proc/self/task/%d/status", w->tid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f)) {
		sscanf(line, "voluntary_ctxt_switches: %lu", &voluntary);
		sscanf(line, "nonvoluntary_ctxt_switches: %lu", &nonvoluntary);
	}
	if (!f || fclose(f))
		stop(path);
	printf("thread %s %d %lu %lu\n", w->name, w->tid, voluntary, nonvoluntary);
}

static void print_counts(struct worker *w, const char *disk)
{
	printf("self %d\n", getpid());
	move_while_asleep(&w[0]);
	printf("moved %d %d\n", w[0].count, w[0].tid);
	wait_asleep(&w[1]);
	printf("renamed %d %d\n", w[1].count, w[1].tid);
	while (w[2].count < ALARMS)
		usleep(10000);
	wait_asleep(&w[2]);
	printf("interrupted %d %d\n", w[2].count, w[2].tid);
	printf("signals %d %d\n", (int)alarms, w[2].tid);
	printf("forked %d\n", FORKS - fork_children());
	printf("wrote %d\n", write_blocks(disk));
}

int main(int argc, char **argv)
{
	struct worker w[] = {
		{ "mover", move, 0, 0, { 0, 0 }, 0 },
		{ "renamed", be_renamed, 0, 0, { 0, 0 }, 0 },
		{ "interrupted", be_interrupted, 0, 0, { 0, 0 }, 0 },
		{ "spinner-a", spin, 0, 0, { 0, 0 }, 0 },
		{ "spinner-b", spin, 0, 0, { 0, 0 }, 0 },
	};
	size_t i, n = sizeof(w) / sizeof(w[0]);
	sigset_t set;

	if (argc != 2)
		return 2;
	if (!strcmp(argv[1], "executed"))
		return 0;
	setbuf(stdout, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (i = 0; i < n; i++) {
		start(&w[i]);
		while (!w[i].tid)
			usleep(1000);
	}
	print_counts(w, argv[1]);
	for (i = 0; i < n; i++) {
		if (w[i].run != be_interrupted)
			print_switches(&w[i]);
	}
	puts("at rest");
	while (getchar() != EOF)
		;
	return 0;
}
