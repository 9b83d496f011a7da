/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The recorded command: it is forked early, and waits until tracing is on. */
#include "record/child_command.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/now.h"

#define DEFAULT_PATH "/bin:/usr/bin"	/* searched by execvp(3) if PATH is not set */

/* The report of a child that could not become the command. */
struct exec_failure {
	enum { STEP_USER, STEP_EXEC } step;
	int sys;
};

/* The command that the child becomes. */
struct child_exec {
	char *path;			/* as found in PATH */
	char *const *argv;
	const struct passwd *user;	/* NULL if the user does not change */
};

static const int stop_signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

/* The signal dispositions and mask that we were started with; the command gets them, too. */
static struct sigaction start_action[NSIG];
static sigset_t start_mask;
static int signal_fd = -1;
static bool stop_asked;			/* a first signal came while a command runs */
static int last_signal;

static void __attribute__((constructor)) child_save_signals(void)
{
	int sig;

	for (sig = 1; sig < 32; sig++)
		sigaction(sig, NULL, &start_action[sig]);
	sigprocmask(SIG_BLOCK, NULL, &start_mask);
}

static void child_restore_signals(void)
{
	int sig;

	for (sig = 1; sig < 32; sig++)
		sigaction(sig, &start_action[sig], NULL);
	sigprocmask(SIG_SETMASK, &start_mask, NULL);
}

/* Returns 0 if @path can be executed, ENOENT, or EACCES if it exists but can't be executed. */
static int path_check_executable(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return errno == EACCES ? EACCES : ENOENT;
	if (S_ISDIR(st.st_mode) || faccessat(AT_FDCWD, path, X_OK, AT_EACCESS))
		return EACCES;
	return 0;
}

/*
 * Finds a command by the rules of execvp(3): an empty part of PATH is the current directory; files
 * that can't be executed are skipped, but remembered. Returns 0 with *path, which the caller frees,
 * or an errno as path_check_executable().
 */
static int command_find(const char *name, char **path)
{
	const char *at = getenv("PATH"), *end;
	int sys = ENOENT, got;

	if (strchr(name, '/') || !*name) {
		*path = xstrdup(name);
		return *name ? path_check_executable(name) : ENOENT;
	}
	for (at = at ? at : DEFAULT_PATH; ; at = end + 1) {
		end = strchrnul(at, ':');
		*path = xasprintf("%.*s%s%s", (int)(end - at), at, end == at ? "" : "/", name);
		got = path_check_executable(*path);
		if (!got)
			return 0;
		if (got == EACCES)
			sys = EACCES;
		free(*path);
		*path = NULL;
		if (!*end)
			return sys;
	}
}

static int user_find(const char *name, const struct passwd **user, struct ftr_error *err)
{
	*user = NULL;
	if (!name)
		return 0;
	*user = getpwnam(name);
	if (!*user)
		return err_set(err, CHILD_FAILED, "no user '%s'", name);
	if (!geteuid() || geteuid() == (*user)->pw_uid)
		return 0;
	err_set(err, CHILD_FAILED, "cannot run the command as user '%s': %s", name,
		strerror(EPERM));
	return err_hint(err, "--user needs root");
}

static bool user_is_other(const struct passwd *user)
{
	return user && geteuid() != user->pw_uid;
}

static int become_user(const struct passwd *user)
{
	if (!user || (geteuid() && !user_is_other(user)))
		return 0;
	if (initgroups(user->pw_name, user->pw_gid) || setgid(user->pw_gid) || setuid(user->pw_uid))
		return -1;
	setenv("HOME", user->pw_dir, 1);
	setenv("SHELL", *user->pw_shell ? user->pw_shell : "/bin/sh", 1);
	setenv("USER", user->pw_name, 1);
	setenv("LOGNAME", user->pw_name, 1);
	return 0;
}

/* Executes a text file without "#!" as a shell script, as execvp(3) does. */
static void exec_by_shell(const struct child_exec *l)
{
	size_t n = 0, i;
	char **argv;

	while (l->argv[n])
		n++;
	argv = xcalloc(n + 2, sizeof(*argv));
	argv[0] = (char *)"sh";
	argv[1] = l->path;
	for (i = 1; i < n; i++)
		argv[i + 1] = l->argv[i];
	execv("/bin/sh", argv);
}

static void __attribute__((noreturn)) child_give_up(int fd, int step, int sys)
{
	struct exec_failure f = { .step = step, .sys = sys };

	if (write(fd, &f, sizeof(f)) != sizeof(f))
		_exit(CHILD_FAILED);
	_exit(sys == ENOENT ? CHILD_NOT_FOUND : CHILD_NOT_EXECUTABLE);
}

static void __attribute__((noreturn)) child_main(const struct child_exec *l, int go_fd, int exec_fd)
{
	ssize_t n;
	char go;

	/*
	 * a process with our terminal as its controlling terminal can type into our shell (TIOCSTI)
	 */
	if (user_is_other(l->user))
		setsid();
	/* if our parent ends, for any reason, this reads end of file */
	do
		n = read(go_fd, &go, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(CHILD_FAILED);
	if (become_user(l->user))
		child_give_up(exec_fd, STEP_USER, errno);
	child_restore_signals();
	execv(l->path, l->argv);
	if (errno == ENOEXEC)
		exec_by_shell(l);
	child_give_up(exec_fd, STEP_EXEC, errno);
}

/* Does not close 0, which is in a zeroed struct child_command. */
static void child_close_fd(int *fd)
{
	if (*fd > 0)
		close(*fd);
	*fd = -1;
}

static void child_release_fds(struct child_command *c)
{
	child_close_fd(&c->go_fd);
	child_close_fd(&c->exec_fd);
}

static int child_start(struct child_command *c, const struct child_exec *l, struct ftr_error *err)
{
	int go[2] = { -1, -1 }, ex[2] = { -1, -1 };

	/* a socket: with MSG_NOSIGNAL, no SIGPIPE if its reader died */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, go) || pipe2(ex, O_CLOEXEC))
		goto fail;
	c->pid = fork();
	if (c->pid < 0)
		goto fail;
	if (!c->pid) {
		close(go[1]);
		close(ex[0]);
		child_main(l, go[0], ex[1]);
	}
	close(go[0]);
	close(ex[1]);
	c->go_fd = go[1];
	c->exec_fd = ex[0];
	return 0;
fail:
	err_sys(err, "cannot start '%s'", l->argv[0]);
	if (err)
		err->code = CHILD_FAILED;
	child_close_fd(&go[0]);
	child_close_fd(&go[1]);
	child_close_fd(&ex[0]);
	child_close_fd(&ex[1]);
	c->pid = 0;
	return -1;
}

/*
 * Returns true if the process has waited for children: if they had page faults, as each program has
 * at its start. In /proc/PID/stat, the command's name, which may have any bytes, is followed by the
 * state, five numbers, flags, the page faults of the task and those of the children that it has
 * waited for.
 */
static bool process_had_children(pid_t pid)
{
	char *path = xasprintf("/proc/%d/stat", pid), *line = io_line_at(AT_FDCWD, path);
	const char *rest = line ? strrchr(line, ')') : NULL;
	unsigned long faults = 0;

	if (rest && sscanf(rest, ") %*c %*d %*d %*d %*d %*d %*u %*u %lu", &faults) != 1)
		faults = 0;
	free(line);
	free(path);
	return faults;
}

/* Returns true if the command has ended. Until it is reaped, /proc still describes it. */
static bool child_has_ended(struct child_command *c, int *status)
{
	siginfo_t si = {0};
	int st;

	if (!c || !c->pid || waitid(P_PID, c->pid, &si, WEXITED | WNOHANG | WNOWAIT) ||
	    si.si_pid != c->pid)
		return false;
	c->had_children = process_had_children(c->pid);
	if (waitpid(c->pid, &st, WNOHANG) != c->pid)
		return false;
	*status = WIFSIGNALED(st) ? 128 + WTERMSIG(st) : WEXITSTATUS(st);
	c->pid = 0;
	return true;
}

/*
 * Forwards a signal to the command, if there is one. Returns true if the signal ends the recording:
 * without a command, or if it is not the first one.
 */
static bool child_handle_signal(struct child_command *c, const struct signalfd_siginfo *si)
{
	bool by_terminal = si->ssi_code > 0;

	if (si->ssi_signo == SIGCHLD)
		return false;
	last_signal = si->ssi_signo;
	if (!c || !c->pid || stop_asked)
		return true;
	/* a shell's "ftr record -- cmd &" ignores SIGINT in both, so it is meant for us */
	if (start_action[si->ssi_signo].sa_handler == SIG_IGN)
		return true;
	stop_asked = true;
	if (c->own_session && by_terminal) {
		/* it does not have our terminal; its process group may not exist yet */
		if (kill(-c->pid, si->ssi_signo))
			kill(c->pid, si->ssi_signo);
	} else if (!by_terminal || (si->ssi_signo == SIGHUP && getsid(0) == getpid())) {
		/*
		 * Signals of the terminal reach the whole process group, so the command, too;
		 * except its hang-up, which is sent to the leader of the session alone.
		 */
		kill(c->pid, si->ssi_signo);
	}
	return false;
}

int child_fork(struct child_command *c, char *const argv[], const char *user, struct ftr_error *err)
{
	struct child_exec l = { .argv = argv };
	int sys, ret = -1;

	*c = (struct child_command){ .go_fd = -1, .exec_fd = -1 };
	sys = command_find(argv[0], &l.path);
	if (sys == ENOENT)
		err_set(err, CHILD_NOT_FOUND, "command '%s' not found", argv[0]);
	else if (sys)
		err_set(err, CHILD_NOT_EXECUTABLE, "cannot execute '%s': %s", argv[0],
			strerror(sys));
	else if (!user_find(user, &l.user, err))
		ret = child_start(c, &l, err);
	c->own_session = user_is_other(l.user);
	free(l.path);
	return ret;
}

int child_release(struct child_command *c, struct ftr_error *err)
{
	struct exec_failure f = {0};
	ssize_t n;

	if (send(c->go_fd, "g", 1, MSG_NOSIGNAL) != 1) {
		err_set(err, CHILD_FAILED, "the command ended before it was started");
		goto fail;
	}
	do
		n = read(c->exec_fd, &f, sizeof(f));
	while (n < 0 && errno == EINTR);
	child_release_fds(c);
	if (n != sizeof(f))
		return 0;
	if (f.step == STEP_USER)
		err_set(err, CHILD_FAILED, "cannot switch to the user of --user: %s",
			strerror(f.sys));
	else
		err_set(err, f.sys == ENOENT ? CHILD_NOT_FOUND : CHILD_NOT_EXECUTABLE,
			"cannot execute the command: %s", strerror(f.sys));
fail:
	child_cancel(c);
	return -1;
}

void child_cancel(struct child_command *c)
{
	pid_t got;

	if (!c)
		return;
	if (c->pid > 0) {
		kill(c->pid, SIGKILL);
		do
			got = waitpid(c->pid, NULL, 0);
		while (got < 0 && errno == EINTR);
		c->pid = 0;
	}
	child_release_fds(c);
}

int child_signals_init(struct ftr_error *err)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL };
	sigset_t set;
	size_t i;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	/* if we were started with SIGCHLD ignored, the kernel drops the statuses of our children */
	sigaction(SIGCHLD, &dfl, NULL);
	for (i = 0; i < sizeof(stop_signals) / sizeof(*stop_signals); i++)
		/*
		 * nohup ignores SIGHUP, which must stay ignored. A shell ignores SIGINT in
		 * background jobs, but scripts end a recording with "kill -INT": a signalfd
		 * receives it.
		 */
		if (stop_signals[i] != SIGHUP || start_action[SIGHUP].sa_handler != SIG_IGN)
			sigaddset(&set, stop_signals[i]);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return err_sys(err, "cannot block signals");
	child_close_fd(&signal_fd);
	stop_asked = false;
	last_signal = 0;
	signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return signal_fd < 0 ? err_sys(err, "cannot make a signalfd") : 0;
}

enum child_event child_wait(struct child_command *c, uint64_t timeout_ns, uint64_t tick_ns,
			    int *status, int *signo)
{
	bool tick = tick_ns && (!timeout_ns || tick_ns < timeout_ns);
	uint64_t wait_ns = tick ? tick_ns : timeout_ns;
	uint64_t until = wait_ns ? now_ns() + wait_ns : 0, now, left;
	struct pollfd p = { .fd = signal_fd, .events = POLLIN };
	struct signalfd_siginfo si;
	struct timespec ts;
	bool stop = false;

	for (;;) {
		while (!stop && read(signal_fd, &si, sizeof(si)) == sizeof(si))
			stop = child_handle_signal(c, &si);
		*signo = last_signal;
		/* SIGCHLDs merge, so check the state of the command and not the signal */
		if (child_has_ended(c, status))
			return CHILD_EXITED;
		if (stop)
			return CHILD_STOP;
		now = now_ns();
		left = until > now ? until - now : 0;
		ts = (struct timespec){ left / 1000000000, left % 1000000000 };
		if (ppoll(&p, 1, until ? &ts : NULL, NULL) <= 0)
			return tick ? CHILD_TICK : CHILD_TIMEOUT;
	}
}
