/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * python3 for tests: asks tests/tools/pyserve.py, whose socket is $FTR_PYTHON, to run the program in a fork of itself,
 * which has Python and its modules in memory. It hands over its arguments, environment and open files, passes
 * signals on, and ends as that process ends. What pyserve.py cannot run alike is run by Python itself.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define MAX_FDS 200
#define REFUSED (-1)

extern char **environ;

/* What is sent first; the descriptors go with it, and a text of @bytes follows: strings that end with '\0'. */
struct request {
	int bytes, args, mask, ignored, fds;
	int fd[MAX_FDS];
};

static const int passed_on[] = { SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGTERM };
static volatile pid_t worker;

static void die(const char *what)
{
	fprintf(stderr, "python3 of the tests: %s: %s\n", what, strerror(errno));
	exit(125);
}

static void pass_on(int sig)
{
	if (worker > 0)
		kill(worker, sig);
}

/* Also returns which signals are ignored, as bits. */
static int catch_signals(void)
{
	struct sigaction old, new = { .sa_handler = pass_on, .sa_flags = SA_RESTART };
	int ignored = 0;
	size_t i;

	for (i = 0; i < sizeof(passed_on) / sizeof(*passed_on); i++) {
		sigaction(passed_on[i], NULL, &old);
		if (old.sa_handler == SIG_IGN)
			ignored |= 1 << passed_on[i];
		else
			sigaction(passed_on[i], &new, NULL);
	}
	return ignored;
}

static int connect_server(const char *path)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (!path || strlen(path) >= sizeof(to.sun_path)) {
		errno = EINVAL;
		die("FTR_PYTHON");
	}
	strcpy(to.sun_path, path);
	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)))
		die(path);
	return fd;
}

/* All but the one to the server. */
static void list_fds(struct request *r, int server)
{
	DIR *d = opendir("/proc/self/fd");
	struct dirent *e;
	int fd;

	if (!d)
		die("/proc/self/fd");
	while ((e = readdir(d))) {
		fd = atoi(e->d_name);
		if (e->d_name[0] != '.' && fd != server && fd != dirfd(d) && r->fds < MAX_FDS)
			r->fd[r->fds++] = fd;
	}
	closedir(d);
}

static void send_all(int fd, const char *p, size_t n)
{
	ssize_t got;

	for (; n; p += got, n -= got) {
		got = send(fd, p, n, MSG_NOSIGNAL);
		if (got < 0 && errno == EINTR)
			got = 0;
		else if (got < 0)
			die("send");
	}
}

static void send_request(int fd, struct request *r, char **argv)
{
	char control[CMSG_SPACE(sizeof(r->fd))] = {0}, *text, *cwd = getcwd(NULL, 0);
	struct iovec io = { r, sizeof(*r) };
	struct msghdr m = { .msg_iov = &io, .msg_iovlen = 1, .msg_control = r->fds ? control : NULL };
	struct cmsghdr *c;
	size_t bytes;
	char **p;
	FILE *f = open_memstream(&text, &bytes);

	fprintf(f, "%s%c", cwd ? cwd : "", 0);
	for (p = argv + 1; *p; p++, r->args++)
		fprintf(f, "%s%c", *p, 0);
	for (p = environ; *p; p++)
		fprintf(f, "%s%c", *p, 0);
	if (fclose(f))
		die("memory");
	r->bytes = bytes;
	if (r->fds) {
		m.msg_controllen = CMSG_SPACE(r->fds * sizeof(int));
		c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(r->fds * sizeof(int));
		memcpy(CMSG_DATA(c), r->fd, r->fds * sizeof(int));
	}
	if (sendmsg(fd, &m, MSG_NOSIGNAL) != sizeof(*r))
		die("sendmsg");
	send_all(fd, text, bytes);
}

static int receive(int fd)
{
	ssize_t got;
	int n;

	do
		got = recv(fd, &n, sizeof(n), MSG_WAITALL);
	while (got < 0 && errno == EINTR);
	if (got != sizeof(n))
		die("the server ended");
	return n;
}

/* The path of Python follows as its length and bytes. */
static void run_python(int fd, char **argv)
{
	int n = receive(fd);
	char *path = calloc(1, n + 1);

	if (!path || recv(fd, path, n, MSG_WAITALL) != n)
		die("the server ended");
	argv[0] = path;
	execv(path, argv);
	die(path);
}

static void end_as(int status)
{
	struct rlimit none = {0};

	if (!WIFSIGNALED(status))
		exit(WEXITSTATUS(status));
	setrlimit(RLIMIT_CORE, &none);
	signal(WTERMSIG(status), SIG_DFL);
	raise(WTERMSIG(status));
	exit(128 + WTERMSIG(status));
}

int main(int argc, char **argv)
{
	struct request r = {0};
	int fd;

	(void)argc;
	fd = connect_server(getenv("FTR_PYTHON"));
	list_fds(&r, fd);
	r.mask = umask(0);
	umask(r.mask);
	r.ignored = catch_signals();
	send_request(fd, &r, argv);
	worker = receive(fd);
	if (worker == REFUSED)
		run_python(fd, argv);
	end_as(receive(fd));
}
