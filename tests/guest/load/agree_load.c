/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A load for recordings: once over many kinds of system calls, with files, memory, pipes, sockets,
 * timers, signals and a few processes, so that a short trace holds many types of events. What a
 * call returns does not matter: a refused one leaves the same records.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#define CALL(...) ((void)!(__VA_ARGS__))

static void on_signal(int sig)
{
	(void)sig;
}

static void marker(const char *text, size_t len)
{
	int fd = open("/sys/kernel/tracing/trace_marker", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	CALL(write(fd, text, len));
	close(fd);
}

/* Plain, with an end of its own, of several lines, and with bytes that move a cursor. */
static void markers(void)
{
	static const char *const texts[] = {
		"plain", "with an end\n", "two\nlines", "escape \033[31mred\033[0m and bell \a",
		"tab\there", "100% {brace} name: value",
	};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		marker(texts[i], strlen(texts[i]));
}

static void files(void)
{
	char text[256] = "some text\n";
	struct iovec v = { text, 10 };
	struct statfs fs;
	struct stat st;
	int fd, copy;

	CALL(mkdir("agree.d", 0755));
	CALL(chdir("agree.d"));
	fd = open("file", O_RDWR | O_CREAT | O_TRUNC, 0644);
	CALL(write(fd, text, 10));
	CALL(pwrite(fd, text, 10, 4096));
	CALL(writev(fd, &v, 1));
	CALL(pread(fd, text, 10, 0));
	CALL(preadv(fd, &v, 1, 0));
	CALL(lseek(fd, 0, SEEK_SET));
	CALL(read(fd, text, sizeof(text)));
	CALL(fsync(fd));
	CALL(fdatasync(fd));
	CALL(ftruncate(fd, 100000));
	CALL(fallocate(fd, 0, 0, 8192));
	CALL(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED));
	CALL(readahead(fd, 0, 4096));
	CALL(flock(fd, LOCK_EX));
	CALL(flock(fd, LOCK_UN));
	CALL(fstat(fd, &st));
	CALL(stat("file", &st));
	CALL(lstat("a name with \"quotes\" and \001 bytes", &st));
	CALL(statfs(".", &fs));
	CALL(fstatfs(fd, &fs));
	CALL(fchmod(fd, 0600));
	CALL(chmod("file", 0640));
	CALL(chown("file", 0, 0));
	CALL(fchown(fd, 0, 0));
	CALL(access("file", R_OK));
	CALL(syscall(SYS_faccessat, AT_FDCWD, "file", R_OK));
	CALL(setxattr("file", "user.agree", "value", 5, 0));
	CALL(getxattr("file", "user.agree", text, sizeof(text)));
	CALL(listxattr("file", text, sizeof(text)));
	CALL(removexattr("file", "user.agree"));
	CALL(symlink("file", "symlink"));
	CALL(readlink("symlink", text, sizeof(text)));
	CALL(link("file", "link"));
	CALL(rename("link", "other"));
	CALL(renameat2(AT_FDCWD, "other", AT_FDCWD, "symlink", RENAME_EXCHANGE));
	CALL(utimensat(AT_FDCWD, "file", NULL, 0));
	CALL(mknod("fifo", S_IFIFO | 0600, 0));
	copy = dup(fd);
	CALL(dup2(fd, copy));
	CALL(dup3(fd, copy, O_CLOEXEC));
	CALL(fcntl(fd, F_GETFL));
	CALL(ioctl(fd, FIONREAD, &errno));
	CALL(copy_file_range(fd, NULL, copy, NULL, 10, 0));
	CALL(sendfile(copy, fd, NULL, 10));
	CALL(syncfs(fd));
	CALL(sync_file_range(fd, 0, 4096, SYNC_FILE_RANGE_WRITE));
	close(copy);
	close(fd);
	CALL(statx(AT_FDCWD, "file", 0, STATX_ALL, (struct statx *)(void *)&(char[512]){0}));
	CALL(truncate("file", 10));
	fd = open(".", O_RDONLY | O_DIRECTORY);
	CALL(syscall(SYS_getdents64, fd, text, sizeof(text)));
	CALL(fchdir(fd));
	CALL(openat(fd, "none", O_RDONLY));
	CALL(unlinkat(fd, "symlink", 0));
	close(fd);
	CALL(unlink("other"));
	CALL(unlink("fifo"));
	CALL(unlink("file"));
	CALL(getcwd(text, sizeof(text)));
	CALL(chdir(".."));
	CALL(rmdir("agree.d"));
	CALL(umask(022));
	sync();
}

static void memory(void)
{
	size_t len = 1 << 20;
	unsigned char core[256];
	char *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = memfd_create("agree", MFD_CLOEXEC);

	if (p == MAP_FAILED)
		return;
	memset(p, 1, len / 4);
	CALL(mprotect(p, 4096, PROT_READ));
	CALL(madvise(p, len, MADV_DONTNEED));
	CALL(mincore(p, len, core));
	CALL(mlock(p, 4096));
	CALL(munlock(p, 4096));
	CALL(msync(p, 4096, MS_ASYNC));
	p = mremap(p, len, 2 * len, MREMAP_MAYMOVE);
	CALL(munmap(p, 2 * len));
	CALL(brk(sbrk(0)));
	CALL(ftruncate(fd, 4096));
	close(fd);
}

static void pipes_and_polls(void)
{
	struct epoll_event ev = { .events = EPOLLIN }, got;
	struct timeval soon = { 0, 100 };
	int p[2], q[2], ep = epoll_create1(EPOLL_CLOEXEC), efd = eventfd(0, 0);
	struct pollfd poller;
	uint64_t one = 1;
	fd_set set;

	CALL(pipe(p));
	CALL(pipe2(q, O_CLOEXEC));
	poller = (struct pollfd){ p[0], POLLIN, 0 };
	CALL(fcntl(p[0], F_SETPIPE_SZ, 65536));
	CALL(write(p[1], "0123456789", 10));
	CALL(tee(p[0], q[1], 10, 0));
	CALL(splice(p[0], NULL, q[1], NULL, 5, SPLICE_F_MOVE));
	CALL(vmsplice(q[1], &(struct iovec){ "abc", 3 }, 1, 0));
	CALL(poll(&poller, 1, 1));
	CALL(ppoll(&poller, 1, &(struct timespec){ 0, 1000 }, NULL));
	FD_ZERO(&set);
	FD_SET(p[0], &set);
	CALL(select(p[0] + 1, &set, NULL, NULL, &soon));
	CALL(epoll_ctl(ep, EPOLL_CTL_ADD, p[0], &ev));
	CALL(epoll_wait(ep, &got, 1, 1));
	CALL(write(efd, &one, 8));
	CALL(read(efd, &one, 8));
	CALL(close_range(p[0], p[1], 0));
	close(q[0]);
	close(q[1]);
	close(ep);
	close(efd);
	ep = inotify_init1(IN_CLOEXEC);
	CALL(inotify_add_watch(ep, ".", IN_CREATE));
	CALL(inotify_rm_watch(ep, 1));
	close(ep);
}

static void talk(int one, int two)
{
	struct msghdr msg = { .msg_iov = &(struct iovec){ "hello", 5 }, .msg_iovlen = 1 };
	char text[64];

	CALL(sendmsg(one, &msg, MSG_DONTWAIT));
	CALL(recv(two, text, sizeof(text), MSG_DONTWAIT));
	CALL(send(two, "back", 4, MSG_DONTWAIT));
	msg.msg_iov = &(struct iovec){ text, sizeof(text) };
	CALL(recvmsg(one, &msg, MSG_DONTWAIT));
	CALL(shutdown(one, SHUT_WR));
}

static void sockets(void)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	struct sockaddr_un un = { .sun_family = AF_UNIX, .sun_path = "/nowhere" };
	socklen_t len = sizeof(in);
	int s[2], tcp = socket(AF_INET, SOCK_STREAM, 0), to = socket(AF_INET, SOCK_STREAM, 0);
	int udp = socket(AF_INET, SOCK_DGRAM, 0), from, on = 1;

	CALL(socketpair(AF_UNIX, SOCK_STREAM, 0, s));
	talk(s[0], s[1]);
	CALL(setsockopt(tcp, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)));
	CALL(bind(tcp, (void *)&in, sizeof(in)));
	CALL(listen(tcp, 1));
	CALL(getsockname(tcp, (void *)&in, &len));
	CALL(connect(to, (void *)&in, sizeof(in)));
	from = accept(tcp, NULL, NULL);
	CALL(getpeername(from, (void *)&in, &len));
	len = sizeof(on);
	CALL(getsockopt(to, SOL_SOCKET, SO_ERROR, &on, &len));
	talk(to, from);
	CALL(bind(udp, (void *)&in, sizeof(in)));
	CALL(sendto(udp, "datagram", 8, 0, (void *)&in, sizeof(in)));
	CALL(recvfrom(udp, s, 0, MSG_DONTWAIT, NULL, NULL));
	CALL(connect(s[0], (void *)&un, sizeof(un)));
	close(s[0]);
	close(s[1]);
	close(from);
	close(to);
	close(tcp);
	close(udp);
}

static void timers(void)
{
	struct itimerspec soon = { .it_value = { 0, 100000 } };
	struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct itimerval alarm_at = { .it_value = { 0, 1000 } };
	struct timespec pause_for = { 0, 2000000 }, now;
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	uint64_t n;
	timer_t t;

	CALL(timerfd_settime(fd, 0, &soon, NULL));
	CALL(read(fd, &n, 8));
	CALL(timerfd_gettime(fd, &soon));
	close(fd);
	if (!timer_create(CLOCK_MONOTONIC, &ev, &t)) {
		CALL(timer_settime(t, 0, &soon, NULL));
		CALL(timer_gettime(t, &soon));
		nanosleep(&pause_for, NULL);
		CALL(timer_delete(t));
	}
	CALL(setitimer(ITIMER_REAL, &alarm_at, NULL));
	nanosleep(&pause_for, NULL);
	CALL(getitimer(ITIMER_REAL, &alarm_at));
	CALL(clock_nanosleep(CLOCK_MONOTONIC, 0, &pause_for, NULL));
	CALL(clock_getres(CLOCK_MONOTONIC, &now));
	CALL(syscall(SYS_clock_gettime, CLOCK_REALTIME, &now));
}

static void *thread(void *arg)
{
	sched_yield();
	return arg;
}

static void children(void)
{
	struct rusage use;
	pthread_t t;
	int i, status;
	pid_t pid;

	for (i = 0; i < 3; i++) {
		pid = fork();
		if (!pid) {
			prctl(PR_SET_NAME, i ? "child-2 of it" : "child");
			usleep(1000);
			_exit(i);
		}
		if (i == 1)
			kill(pid, SIGTERM);
		if (pid > 0)
			CALL(wait4(pid, &status, 0, &use));
	}
	if (!pthread_create(&t, NULL, thread, NULL))
		pthread_join(t, NULL);
	CALL(system("exit 3"));
	CALL(waitpid(-1, &status, WNOHANG));
}

static void about_the_task(void)
{
	struct sched_param prio = { 0 };
	struct rlimit limit;
	struct rusage use;
	struct utsname uts;
	struct sysinfo info;
	struct tms tms;
	cpu_set_t set;
	sigset_t signals;
	gid_t groups[8];

	CALL(getpid() + getppid() + getuid() + geteuid() + getgid() + getegid() + getpgrp());
	CALL(syscall(SYS_gettid) + getsid(0) + getpgid(0) + getgroups(8, groups));
	CALL(setpgid(0, 0));
	CALL(getrlimit(RLIMIT_NOFILE, &limit));
	CALL(getrusage(RUSAGE_SELF, &use));
	CALL(uname(&uts));
	CALL(sysinfo(&info));
	CALL(times(&tms));
	CALL(sched_getaffinity(0, sizeof(set), &set));
	CALL(sched_setaffinity(0, sizeof(set), &set));
	CALL(sched_getscheduler(0));
	CALL(sched_getparam(0, &prio));
	CALL(sched_setscheduler(0, SCHED_OTHER, &prio));
	CALL(sched_get_priority_max(SCHED_FIFO));
	CALL(getpriority(PRIO_PROCESS, 0));
	CALL(setpriority(PRIO_PROCESS, 0, 1));
	CALL(syscall(SYS_getcpu, NULL, NULL, NULL));
	CALL(syscall(SYS_getrandom, &set, 8, 0));
	CALL(syscall(SYS_membarrier, 0, 0, 0));
	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR2);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	raise(SIGUSR2);
	CALL(sigpending(&signals));
	CALL(sigtimedwait(&signals, NULL, &(struct timespec){ 0, 1000 }));
	sigprocmask(SIG_UNBLOCK, &signals, NULL);
	CALL(syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGUSR1));
	CALL(sigaltstack(NULL, NULL));
	prctl(PR_GET_NAME, &use);
	CALL(setuid(0) + setgid(0) + setsid());
}

int main(void)
{
	signal(SIGUSR1, on_signal);
	signal(SIGUSR2, on_signal);
	signal(SIGALRM, on_signal);
	markers();
	files();
	memory();
	pipes_and_polls();
	sockets();
	timers();
	children();
	about_the_task();
	marker("end of the load", 15);
	return 0;
}
