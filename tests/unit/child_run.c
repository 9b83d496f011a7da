/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The recorded command: lookup, holding back, statuses, signals, what it inherits. */
#include "record/child_command.h"

#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "tap.h"

static char dir[] = "/tmp/ftr-child-XXXXXX";

static char *in_dir(const char *name)
{
	return xasprintf("%s/%s", dir, name);
}

static void put(const char *name, const char *text, mode_t mode)
{
	char *path = in_dir(name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, text, strlen(text)) < 0 || fchmod(fd, mode))
		abort();
	close(fd);
	free(path);
}

/* Forks, releases, waits: the command's status, or minus the error code. */
static int run(const char *cmd, const char *a1, const char *a2)
{
	char *argv[] = { (char *)cmd, (char *)a1, (char *)a2, NULL };
	struct ftr_error err = {0};
	struct child_command c;
	int status = -1, signo;

	if (child_fork(&c, argv, NULL, &err) || child_release(&c, &err))
		return -err.code;
	if (child_wait(&c, 20000000000ull, 0, &status, &signo) != CHILD_EXITED)
		return -999;
	return status;
}

static void test_status(void)
{
	TAP_OK(run("true", NULL, NULL) == 0, "child: status 0");
	TAP_OK(run("sh", "-c", "exit 7") == 7, "child: status 7");
	TAP_OK(run("sh", "-c", "kill -9 $$") == 137, "child: SIGKILL is 128+9");
	TAP_OK(run("sh", "-c", "kill -TERM $$") == 143, "child: SIGTERM is 128+15");
}

/* Whether the command is known to have had children when it has ended. */
static bool had_children(const char *script)
{
	char *argv[] = { "sh", "-c", (char *)script, NULL };
	struct ftr_error err = {0};
	struct child_command c;
	int status, signo;

	if (child_fork(&c, argv, NULL, &err) || child_release(&c, &err) ||
	    child_wait(&c, 20000000000ull, 0, &status, &signo) != CHILD_EXITED)
		abort();
	return c.had_children;
}

static void test_children(void)
{
	TAP_OK(had_children("/bin/true; exit 3"), "child: it had children");
	TAP_OK(!had_children("exit 3"), "child: it had none");
	TAP_OK(!had_children("exec /bin/true"), "child: exec makes none");
}

static void test_lookup(void)
{
	char *noexec = in_dir("noexec"), *plain = in_dir("plain"), *interp = in_dir("interp");
	char *path = xasprintf("%s:/usr/bin:/bin", dir);

	put("noexec", "#!/bin/sh\nexit 3\n", 0600);
	put("plain", "exit $(($1 + 1))\n", 0700);
	put("interp", "#!/nonexistent/sh\n", 0700);
	put("true", "exit 9\n", 0600);
	TAP_OK(run("no-such-command-xyz", NULL, NULL) == -127, "child: a command that is not in PATH is 127");
	TAP_OK(run("/no/such/file", NULL, NULL) == -127, "child: a path that does not exist is 127");
	TAP_OK(run("", NULL, NULL) == -127, "child: the empty name is 127");
	TAP_OK(run(dir, NULL, NULL) == -126, "child: a folder is 126");
	TAP_OK(run(noexec, NULL, NULL) == -126, "child: a file without x is 126");
	TAP_OK(run(plain, "4", NULL) == 5, "child: text without #! is run by sh, with its arguments");
	TAP_OK(run(interp, NULL, NULL) == -127, "child: an interpreter that does not exist is 127, as env(1) has it");
	setenv("PATH", path, 1);
	TAP_OK(run("true", NULL, NULL) == 0, "child: what can't be run is passed over in PATH");
	TAP_OK(run("noexec", NULL, NULL) == -126, "child: but is 126 when nothing else is found");
	free(noexec);
	free(plain);
	free(interp);
	free(path);
}

static void test_hold(void)
{
	char *mark = in_dir("mark"), *argv[] = { (char *)"touch", mark, NULL };
	struct timespec ms = { 0, 100000000 };
	struct ftr_error err = {0};
	struct child_command c, none = {0};
	int status, signo;
	pid_t pid;

	TAP_OK(!child_fork(&c, argv, NULL, &err) && c.pid > 0, "child: forked");
	nanosleep(&ms, NULL);
	TAP_OK(access(mark, F_OK) && errno == ENOENT, "child: held until released");
	TAP_OK(getpgid(c.pid) == getpgrp(), "child: in our process group");
	pid = c.pid;
	child_cancel(&c);
	TAP_OK(kill(pid, 0) && errno == ESRCH && access(mark, F_OK), "child: cancelled, it never ran");
	child_cancel(&none);
	TAP_OK(fcntl(0, F_GETFD) >= 0, "child: cancelling a zeroed one leaves stdin open");
	child_fork(&c, argv, NULL, &err);
	TAP_OK(!child_release(&c, &err), "child: released");
	TAP_OK(child_wait(&c, 0, 0, &status, &signo) == CHILD_EXITED && !access(mark, F_OK),
	       "child: released, it ran");
	child_fork(&c, argv, NULL, &err);
	kill(c.pid, SIGKILL);
	nanosleep(&ms, NULL);
	TAP_OK(child_release(&c, &err) == -1 && err.code == CHILD_FAILED,
	       "child: killed before the release: an error, no SIGPIPE");
	unlink(mark);
	free(mark);
}

/* The signals that we were started to ignore, as /proc has them: "SigIgn:	0000000000000000". */
static char *ignored_line(void)
{
	struct buf text = {0};
	char *at;

	if (io_read_at(AT_FDCWD, "/proc/self/status", &text) || !(at = strstr(text.data, "SigIgn:")))
		abort();
	at = xstrndup(at, strcspn(at, "\n"));
	buf_release(&text);
	return at;
}

/* What the command finds: the masks and dispositions that we were started with, and no file of ours. */
static void test_inherit(void)
{
	char *ignored = ignored_line();
	char *find = xasprintf("grep -qx '%s' /proc/self/status", ignored);

	/* the command's are those of the start, whatever is ours */
	signal(SIGPIPE, SIG_IGN);
	TAP_OK(run("sh", "-c", "grep -q '^SigBlk:.0*$' /proc/self/status") == 0, "child: no signal is blocked");
	TAP_OK(run("sh", "-c", find) == 0, "child: no signal is ignored but those that we were started to ignore");
	TAP_OK(run("sh", "-c", "for f in /proc/self/fd/*; do case ${f##*/} in 0|1|2|3) ;; *) readlink $f | "
		   "grep -q -e socket -e signalfd && exit 1;; esac; done; exit 0") == 0,
	       "child: no descriptor of ours is left open");
	signal(SIGPIPE, SIG_DFL);
	free(find);
	free(ignored);
}

static void test_wait(void)
{
	char *argv[] = { (char *)"sh", (char *)"-c", (char *)"trap 'exit 5' TERM; sleep 20 & wait", NULL };
	struct timespec ms = { 0, 300000000 };
	struct ftr_error err = {0};
	int status = -1, signo = -1;
	struct child_command c;

	child_fork(&c, argv, NULL, &err);
	child_release(&c, &err);
	nanosleep(&ms, NULL);
	TAP_OK(child_wait(&c, 0, 1000000, &status, &signo) == CHILD_TICK && !signo, "child: ticks");
	TAP_OK(child_wait(&c, 1000000, 0, &status, &signo) == CHILD_TIMEOUT, "child: times out");
	TAP_OK(child_wait(&c, 1000000, 2000000, &status, &signo) == CHILD_TIMEOUT,
	       "child: the time-out comes before a later tick");
	kill(getpid(), SIGTERM);
	TAP_OK(child_wait(&c, 5000000000ull, 0, &status, &signo) == CHILD_EXITED && status == 5 &&
	       signo == SIGTERM, "child: a signal sent to us alone is passed on");
	child_signals_init(&err);
	argv[2] = (char *)"trap '' TERM; sleep 20 & wait";
	child_fork(&c, argv, NULL, &err);
	child_release(&c, &err);
	nanosleep(&ms, NULL);
	kill(getpid(), SIGTERM);
	TAP_OK(child_wait(&c, 300000000, 0, &status, &signo) == CHILD_TIMEOUT && signo == SIGTERM,
	       "child: the first signal is waited out when the command ignores it");
	kill(getpid(), SIGINT);
	TAP_OK(child_wait(&c, 5000000000ull, 0, &status, &signo) == CHILD_STOP && signo == SIGINT,
	       "child: the second stops the recording");
	child_cancel(&c);
	child_signals_init(&err);
	kill(getpid(), SIGHUP);
	TAP_OK(child_wait(NULL, 0, 0, &status, &signo) == CHILD_STOP && signo == SIGHUP,
	       "child: without a command the first signal stops");
}

/* What the leader of a session with a terminal sees when that is gone. */
static void lead_session(const char *terminal, int ready)
{
	char *argv[] = { (char *)"sleep", (char *)"20", NULL };
	int fd, status = -1, signo = -1;
	struct ftr_error err = {0};
	struct child_command c;

	setsid();
	fd = open(terminal, O_RDWR);
	if (fd < 0 || ioctl(fd, TIOCSCTTY, 0) || child_signals_init(&err) ||
	    child_fork(&c, argv, NULL, &err) || child_release(&c, &err) || write(ready, "r", 1) != 1)
		_exit(1);
	status = child_wait(&c, 5000000000ull, 0, &status, &signo) == CHILD_EXITED &&
		 status == 128 + SIGHUP && signo == SIGHUP ? 0 : 2;
	child_cancel(&c);
	_exit(status);
}

static void test_hang_up(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), ready[2], status = -1;
	char *terminal, r;
	pid_t pid;

	if (master < 0 || grantpt(master) || unlockpt(master) || pipe(ready))
		abort();
	pid = fork();
	if (!pid) {
		terminal = xstrdup(ptsname(master));
		close(master);
		lead_session(terminal, ready[1]);
	}
	close(ready[1]);
	TAP_OK(read(ready[0], &r, 1) == 1, "child: a session with a terminal");
	close(master);
	waitpid(pid, &status, 0);
	TAP_OK(WIFEXITED(status) && !WEXITSTATUS(status),
	       "child: the end of the terminal reaches the command of a session's leader");
	close(ready[0]);
}

/* --- the terminal of another user's command */

/* On a terminal of our own; the command's status. */
static int run_there(const char *user, const char *script)
{
	char *argv[] = { (char *)"sh", (char *)"-c", (char *)script, NULL };
	struct ftr_error err = {0};
	struct child_command c;
	int status = -1, signo;

	if (child_signals_init(&err) || child_fork(&c, argv, user, &err) || child_release(&c, &err))
		return 99;
	return child_wait(&c, 20000000000ull, 0, &status, &signo) == CHILD_EXITED ? status : 98;
}

/* Types @keys when the command has said '+'. */
static int on_terminal(const char *user, const char *script, const char *keys)
{
	int fd, status;
	pid_t pid = forkpty(&fd, NULL, NULL, NULL);
	char c = 0;

	if (!pid)
		_exit(run_there(user, script));
	while (pid > 0 && *keys && read(fd, &c, 1) == 1 && c != '+')
		;
	if (pid < 0 || write(fd, keys, strlen(keys)) < 0)
		return -1;
	while (read(fd, &c, 1) == 1)
		;
	waitpid(pid, &status, 0);
	close(fd);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define UNTIL_INT "trap 'exit 7' INT; printf +; while :; do sleep 0.1; done"

static void test_terminal(void)
{
	TAP_EQ(on_terminal(NULL, ": < /dev/tty", ""), 0, "child: our own command has our terminal");
	TAP_OK(on_terminal("nobody", ": < /dev/tty", "") != 0, "child: another user's has not");
	TAP_EQ(on_terminal("nobody", "set -- $(cat /proc/$$/stat); test $6 = $$ && test $7 = 0", ""), 0,
	       "child: but a session of its own");
	TAP_EQ(on_terminal("nobody", "test -t 0 && test -t 1", ""), 0, "child: which reads and writes there");
	TAP_EQ(on_terminal(NULL, UNTIL_INT, "\3"), 7, "child: Ctrl-C reaches ours");
	TAP_EQ(on_terminal("nobody", UNTIL_INT, "\3"), 7, "child: and another user's");
	TAP_EQ(on_terminal("nobody", "sh -c \"" UNTIL_INT "\"; exit $(($? + 1))", "\3"), 130,
	       "child: with all that it runs");
}

static void test_user(void)
{
	char *argv[] = { (char *)"sh", (char *)"-c",
			 (char *)"test $(id -un) = nobody && test $USER = nobody && test $LOGNAME = nobody", NULL };
	struct ftr_error err = {0};
	int status = -1, signo;
	struct child_command c;

	TAP_OK(child_fork(&c, argv, "no-such-user-xyz", &err) == -1 && err.code == CHILD_FAILED,
	       "child: an unknown user is 125");
	if (geteuid()) {
		printf("skip - child: runs as another user # not root\n");
		return;
	}
	TAP_OK(!child_fork(&c, argv, "nobody", &err) && !child_release(&c, &err) &&
	       child_wait(&c, 0, 0, &status, &signo) == CHILD_EXITED && status == 0,
	       "child: runs as another user");
	test_terminal();
}

/* --- how we were started: record/child_command.c remembers it before main() */

#define SECONDS 120

static void notice_late(int sig)
{
	static const char text[] = "not ok - child: all of it ends in two minutes\n";

	(void)sig;
	if (write(STDOUT_FILENO, text, sizeof(text) - 1) < 0)
		_exit(2);
	_exit(1);
}

/* Runs this program anew, in which the signals of a terminal are as @how says: SIG_DFL or SIG_IGN. */
static void start_anew(void (*how)(int), const char *part)
{
	static const int signals[] = { SIGINT, SIGQUIT, SIGHUP, SIGTERM };
	sigset_t none;

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		signal(signals[i], how);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execl("/proc/self/exe", "child_run", part, NULL);
	abort();
}

/* As a shell's background job under nohup is. */
static int run_ignoring(void)
{
	char *argv[] = { (char *)"sleep", (char *)"20", NULL };
	struct ftr_error err = {0};
	int status = -1, signo = -1;
	char *ignored = ignored_line();
	struct child_command c;

	TAP_OK((strtoull(ignored + strlen("SigIgn:"), NULL, 16) & 0x4007) == 0x4007,
	       "child: started with SIGINT, SIGQUIT, SIGHUP and SIGTERM ignored");
	free(ignored);
	if (child_signals_init(&err))
		return 1;
	test_inherit();
	child_fork(&c, argv, NULL, &err);
	child_release(&c, &err);
	kill(getpid(), SIGHUP);
	TAP_OK(child_wait(&c, 100000000, 0, &status, &signo) == CHILD_TIMEOUT && !signo,
	       "child: SIGHUP stays ignored");
	kill(getpid(), SIGINT);
	TAP_OK(child_wait(&c, 5000000000ull, 0, &status, &signo) == CHILD_STOP && signo == SIGINT,
	       "child: SIGINT, which the command ignores, stops the recording at once");
	child_cancel(&c);
	return tap_done();
}

static void test_ignoring(void)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid)
		start_anew(SIG_IGN, "ignoring");
	waitpid(pid, &status, 0);
	TAP_OK(WIFEXITED(status) && !WEXITSTATUS(status), "child: started with signals ignored");
}

int main(int argc, char **argv)
{
	struct ftr_error err = {0};
	char *rm;

	/* a shell's background job ignores Ctrl-C, which tests send */
	if (argc == 1)
		start_anew(SIG_DFL, "default");
	signal(SIGALRM, notice_late);
	alarm(SECONDS);
	if (!strcmp(argv[1], "ignoring"))
		return run_ignoring();
	if (!mkdtemp(dir) || child_signals_init(&err))
		return 1;
	test_status();
	test_children();
	test_hold();
	test_inherit();
	test_ignoring();
	test_wait();
	test_hang_up();
	test_user();
	test_lookup();
	rm = xasprintf("rm -rf %s", dir);
	run("sh", "-c", rm);
	free(rm);
	return tap_done();
}
