/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waits whose causes are known, for ftr why. Each kind has a thread of its own, w-KIND, which waits five times; a
 * helper, h-KIND, ends the wait where a task has to. Prints a line for each wait: KIND TID HELPER BEGIN END, times of
 * CLOCK_MONOTONIC in nanoseconds, taken around the call that waits. At the end of a thread, prints a line "kernel":
 * KIND TID BEGIN END, and how long it ran, was runnable and waited for a disk meanwhile, as the kernel accounts for it.
 * Delay accounting has to be on (kernel.task_delayacct), and the module ftrmod has to be loaded with waits=1.
 *
 * Usage: why_load DISK: a block device, which is read.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <linux/genetlink.h>
#include <linux/taskstats.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define TIMES	 5
#define PAUSE_NS 20000000
#define LOCK_MIB 64

static const char *disk;
static int pipe_fd[2], net_in, net_out, lock_fd;
static struct sockaddr_in net_to;
static uint32_t futex_word;
static char *lock_data;
static volatile bool hog_ends;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void rest(void)
{
	nanosleep(&(struct timespec){ 0, PAUSE_NS }, NULL);
}

/* --- the waits; helpers get the waiter's thread id */

static void pipe_wait(int i)
{
	char c;

	(void)i;
	if (read(pipe_fd[0], &c, 1) != 1)
		fail("read");
}

static void pipe_help(int tid)
{
	(void)tid;
	if (write(pipe_fd[1], "x", 1) != 1)
		fail("write");
}

static void futex_wait(int i)
{
	syscall(SYS_futex, &futex_word, FUTEX_WAIT, i, NULL, NULL, 0);
}

static void futex_help(int tid)
{
	(void)tid;
	__atomic_add_fetch(&futex_word, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &futex_word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void sleep_wait(int i)
{
	(void)i;
	rest();
}

static void signal_wait(int i)
{
	sigset_t set;
	int sig;

	(void)i;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigwait(&set, &sig);
}

static void signal_help(int tid)
{
	syscall(SYS_tgkill, getpid(), tid, SIGUSR1);
}

static void net_wait(int i)
{
	char c;

	(void)i;
	if (recv(net_in, &c, 1, 0) != 1)
		fail("recv");
}

static void net_help(int tid)
{
	(void)tid;
	if (sendto(net_out, "x", 1, 0, (struct sockaddr *)&net_to, sizeof(net_to)) != 1)
		fail("sendto");
}

static void disk_wait(int i)
{
	int fd = open(disk, O_RDONLY | O_DIRECT);
	void *block = NULL;

	if (fd < 0 || posix_memalign(&block, 4096, 1 << 20) || pread(fd, block, 1 << 20, (off_t)i << 20) != 1 << 20)
		fail(disk);
	free(block);
	close(fd);
}

static void fault_wait(int i)
{
	int fd = open(disk, O_RDONLY);
	volatile char *p;

	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	p = mmap(NULL, 1 << 20, PROT_READ, MAP_SHARED, fd, (off_t)(32 + i) << 20);
	if (fd < 0 || p == MAP_FAILED)
		fail(disk);
	madvise((void *)p, 1 << 20, MADV_RANDOM);
	(void)p[65536];
	munmap((void *)p, 1 << 20);
	close(fd);
}

/* Two writers of one file take turns for its lock. */
static void lock_wait(int i)
{
	(void)i;
	if (pwrite(lock_fd, "x", 1, 0) != 1)
		fail("pwrite");
}

static void lock_help(int tid)
{
	(void)tid;
	if (pwrite(lock_fd, lock_data, LOCK_MIB << 20, 0) != LOCK_MIB << 20)
		fail("pwrite");
}

/* The kernel has each CPU run a work, and waits for it. */
static void work_wait(int i)
{
	int fd = open("/proc/sys/vm/stat_refresh", O_WRONLY);

	(void)i;
	if (fd < 0 || write(fd, "1\n", 2) != 2)
		fail("stat_refresh");
	close(fd);
}

/* The mutex and the completion are those of the module ftrmod. */
static void module_write(const char *file)
{
	int fd = open(file, O_WRONLY);

	if (fd < 0 || write(fd, "1", 1) != 1)
		fail(file);
	close(fd);
}

static void mutex_prepare(void)
{
	module_write("/proc/ftrmod-hold");
}

static void mutex_wait(int i)
{
	(void)i;
	module_write("/proc/ftrmod-mutex");
}

static void mutex_help(int tid)
{
	(void)tid;
	module_write("/proc/ftrmod-release");
}

static void completion_wait(int i)
{
	(void)i;
	module_write("/proc/ftrmod-completion");
}

static void completion_help(int tid)
{
	(void)tid;
	module_write("/proc/ftrmod-queue");
}

/* A busy task, which a task of the scheduler's FIFO class preempts. */
static void hog_wait(int i)
{
	(void)i;
	while (!hog_ends)
		;
	hog_ends = false;
}

static void hog_help(int tid)
{
	uint64_t until = now() + 30000000;

	(void)tid;
	while (now() < until)
		;
	hog_ends = true;
}

/* --- threads */

static struct wait {
	const char *kind;
	void (*wait)(int i);
	void (*help)(int tid);		/* NULL: nobody has to */
	void (*prepare)(void);		/* the helper does it before the wait begins */
	bool first;			/* the helper goes first, and the wait is for its end */
	int tid, helper;
	pthread_barrier_t turn;
} waits[] = {
	{ .kind = "pipe", .wait = pipe_wait, .help = pipe_help },
	{ .kind = "futex", .wait = futex_wait, .help = futex_help },
	{ .kind = "sleep", .wait = sleep_wait },
	{ .kind = "signal", .wait = signal_wait, .help = signal_help },
	{ .kind = "net", .wait = net_wait, .help = net_help },
	{ .kind = "disk", .wait = disk_wait },
	{ .kind = "fault", .wait = fault_wait },
	{ .kind = "lock", .wait = lock_wait, .help = lock_help, .first = true },
	{ .kind = "mutex", .wait = mutex_wait, .help = mutex_help, .prepare = mutex_prepare },
	{ .kind = "completion", .wait = completion_wait, .help = completion_help },
	{ .kind = "work", .wait = work_wait },
	{ .kind = "hog", .wait = hog_wait, .help = hog_help },
};

static void name_thread(const char *prefix, const char *kind)
{
	char name[16];

	snprintf(name, sizeof(name), "%s-%s", prefix, kind);
	prctl(PR_SET_NAME, name);
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* --- the kernel's accounts of a thread */

static const struct nlattr *attr_find(const struct nlattr *a, size_t size, int type)
{
	size_t step;

	while (size >= sizeof(*a) && a->nla_len >= sizeof(*a) && a->nla_len <= size) {
		if ((a->nla_type & NLA_TYPE_MASK) == type)
			return a;
		step = NLA_ALIGN(a->nla_len);
		if (step > size)
			break;
		size -= step;
		a = (const struct nlattr *)((const char *)a + step);
	}
	return NULL;
}

/* Asks a family of generic netlink with one attribute. Returns the attribute @wanted of the answer. */
static const struct nlattr *genl_ask(int family, int command, int type, const void *value, size_t size, int wanted)
{
	static struct {
		struct nlmsghdr head;
		struct genlmsghdr genl;
		char attrs[4096];
	} m;
	struct nlattr *a = (struct nlattr *)m.attrs;
	const struct nlattr *found;
	static int fd = -1;
	ssize_t n;

	if (fd < 0)
		fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC);
	memset(&m, 0, sizeof(m));
	*a = (struct nlattr){ .nla_type = type, .nla_len = NLA_HDRLEN + size };
	memcpy(a + 1, value, size);
	m.genl = (struct genlmsghdr){ .cmd = command, .version = 1 };
	m.head = (struct nlmsghdr){ .nlmsg_type = family, .nlmsg_flags = NLM_F_REQUEST,
				    .nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN) + NLA_ALIGN(a->nla_len) };
	if (fd < 0 || send(fd, &m, m.head.nlmsg_len, 0) < 0 || (n = recv(fd, &m, sizeof(m), 0)) < 0)
		fail("netlink");
	n -= NLMSG_LENGTH(GENL_HDRLEN);
	found = m.head.nlmsg_type == family && n > 0 ? attr_find(a, n, wanted) : NULL;
	if (!found)
		fail("answer of netlink");
	return found;
}

struct account {
	uint64_t ran, waited, blkio;
};

/* Reads the accounts of the calling thread, in nanoseconds. */
static struct account account_read(void)
{
	FILE *f = fopen("/proc/thread-self/schedstat", "r");
	static uint16_t family;
	uint32_t tid = gettid();
	const struct nlattr *a;
	struct account s;

	if (!f || fscanf(f, "%" SCNu64 " %" SCNu64, &s.ran, &s.waited) != 2)
		fail("schedstat");
	fclose(f);
	if (!family) {
		a = genl_ask(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME, TASKSTATS_GENL_NAME,
			     sizeof(TASKSTATS_GENL_NAME), CTRL_ATTR_FAMILY_ID);
		memcpy(&family, a + 1, sizeof(family));
	}
	a = genl_ask(family, TASKSTATS_CMD_GET, TASKSTATS_CMD_ATTR_PID, &tid, sizeof(tid), TASKSTATS_TYPE_AGGR_PID);
	a = attr_find(a + 1, a->nla_len - NLA_HDRLEN, TASKSTATS_TYPE_STATS);
	if (!a || a->nla_len < NLA_HDRLEN + offsetof(struct taskstats, swapin_count))
		fail("taskstats");
	memcpy(&s.blkio, (const char *)(a + 1) + offsetof(struct taskstats, blkio_delay_total), sizeof(s.blkio));
	return s;
}

static void *run_wait(void *arg)
{
	struct wait *w = arg;
	struct account before, after;
	uint64_t first, begin, end;

	name_thread("w", w->kind);
	w->tid = gettid();
	if (w->help == hog_help || w->help == lock_help)
		pin(0);
	before = account_read();
	first = now();
	for (int i = 0; i < TIMES; i++) {
		if (w->help)
			pthread_barrier_wait(&w->turn);
		if (w->first)
			nanosleep(&(struct timespec){ 0, 5000000 }, NULL);
		begin = now();
		w->wait(i);
		end = now();
		printf("%s %d %d %" PRIu64 " %" PRIu64 "\n", w->kind, w->tid, w->helper, begin, end);
		if (w->help)
			pthread_barrier_wait(&w->turn);
	}
	end = now();
	after = account_read();
	printf("kernel %s %d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", w->kind, w->tid, first, end,
	       after.ran - before.ran, after.waited - before.waited, after.blkio - before.blkio);
	return NULL;
}

static void *run_help(void *arg)
{
	struct wait *w = arg;

	name_thread("h", w->kind);
	w->helper = gettid();
	/* a waiter spins while the owner of the lock runs on another CPU */
	if (w->help == hog_help || w->help == lock_help)
		pin(0);
	if (w->help == hog_help)
		sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){ .sched_priority = 10 });
	for (int i = 0; i < TIMES; i++) {
		if (w->prepare)
			w->prepare();
		pthread_barrier_wait(&w->turn);
		if (!w->first)
			rest();
		w->help(w->tid);
		pthread_barrier_wait(&w->turn);
	}
	return NULL;
}

static void prepare(void)
{
	socklen_t len = sizeof(net_to);
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	net_to = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	net_in = socket(AF_INET, SOCK_DGRAM, 0);
	net_out = socket(AF_INET, SOCK_DGRAM, 0);
	if (pipe(pipe_fd) || bind(net_in, (struct sockaddr *)&net_to, len) ||
	    getsockname(net_in, (struct sockaddr *)&net_to, &len))
		fail("pipe or socket");
	lock_fd = memfd_create("lock", 0);
	lock_data = malloc(LOCK_MIB << 20);
	memset(lock_data, 1, LOCK_MIB << 20);
	/* its pages are there, so that the lock is held for the time of a copy */
	if (pwrite(lock_fd, lock_data, LOCK_MIB << 20, 0) != LOCK_MIB << 20)
		fail("memfd");
}

int main(int argc, char **argv)
{
	pthread_t thread, helper;

	if (argc != 2)
		return 2;
	disk = argv[1];
	prepare();
	for (struct wait *w = waits; w < waits + sizeof(waits) / sizeof(*waits); w++) {
		pthread_barrier_init(&w->turn, NULL, 2);
		if (w->help && pthread_create(&helper, NULL, run_help, w))
			fail("pthread_create");
		if (pthread_create(&thread, NULL, run_wait, w))
			fail("pthread_create");
		pthread_join(thread, NULL);
		if (w->help)
			pthread_join(helper, NULL);
		fflush(stdout);
	}
	return 0;
}
