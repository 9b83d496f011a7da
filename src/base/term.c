/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The terminal: colour by --color, NO_COLOR and the kind of the stream; the pager. */
#include "base/term.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sig.h"
#include "base/text.h"

static enum term_colour colour_when;
static bool pager_off;
static pid_t pager_pid;
static int pager_terminal = -1;	/* the terminal, while standard output goes to the pager */
static unsigned int pager_width;	/* columns of the terminal that the pager prints to */

int term_set_colour(const char *when)
{
	static const char *const names[] = { "auto", "always", "never" };
	int i;

	for (i = 0; i < 3; i++) {
		if (!strcmp(when, names[i])) {
			colour_when = i;
			return 0;
		}
	}
	return -1;
}

bool term_reached(int fd)
{
	return isatty(fd) || (fd == STDOUT_FILENO && pager_pid);
}

bool term_colour(int fd)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (colour_when != TERM_AUTO)
		return colour_when == TERM_ALWAYS;
	if ((no && *no) || !term || !strcmp(term, "dumb"))
		return false;
	return term_reached(fd);
}

bool term_utf8(void)
{
	locale_t l = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	bool yes = l && !strcmp(nl_langinfo_l(CODESET, l), "UTF-8");

	if (l)
		freelocale(l);
	return yes;
}

static unsigned int tty_width(int fd)
{
	struct winsize size;

	return ioctl(fd, TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

unsigned int term_width(void)
{
	const char *columns = getenv("COLUMNS");
	int64_t n;

	if (columns && !text_number(columns, 1, UINT16_MAX, &n))
		return n;
	return pager_pid ? pager_width : tty_width(STDOUT_FILENO);
}

void term_no_pager(void)
{
	pager_off = true;
}

/*
 * Returns true if the shell command's first word can be found: a pipe into nothing would lose the
 * output.
 */
static bool pager_runnable(const char *cmd)
{
	char probe[512];

	if (snprintf(probe, sizeof(probe), "command -v %.*s >/dev/null 2>&1",
		     (int)strcspn(cmd, " \t"), cmd) >= (int)sizeof(probe))
		return false;
	return system(probe) == 0;
}

void term_pager_start(void)
{
	const char *cmd = secure_getenv("FTR_PAGER");
	int fds[2];

	if (!cmd)
		cmd = secure_getenv("PAGER");
	if (!cmd)
		cmd = "less";
	if (pager_off || !*cmd || !strcmp(cmd, "cat") || !isatty(STDOUT_FILENO) ||
	    !pager_runnable(cmd) || pipe2(fds, O_CLOEXEC))
		return;
	pager_width = tty_width(STDOUT_FILENO);
	pager_pid = fork();
	if (!pager_pid) {
		sig_restore();
		dup2(fds[0], STDIN_FILENO);
		close(fds[0]);
		setenv("LESS", "FRX", 0);
		if (!geteuid())		/* no shell, editor or file from within */
			setenv("LESSSECURE", "1", 1);
		execl("/bin/sh", "sh", "-c", cmd, (char *)NULL);
		_exit(127);
	}
	close(fds[0]);
	if (pager_pid > 0) {
		pager_terminal = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
		dup2(fds[1], STDOUT_FILENO);
		signal(SIGINT, SIG_IGN);	/* Ctrl-C is the pager's */
	} else {
		pager_pid = 0;
	}
	close(fds[1]);
}

void term_pager_pause(void)
{
	if (!pager_pid || pager_terminal < 0)
		return;
	fflush(stdout);
	clearerr(stdout);
	dup2(pager_terminal, STDOUT_FILENO);
	close(pager_terminal);
	pager_terminal = -1;
	while (waitpid(pager_pid, NULL, 0) < 0 && errno == EINTR)
		;
	pager_pid = 0;
}

void term_pager_stop(void)
{
	if (!pager_pid)
		return;
	fclose(stdout);
	close(STDOUT_FILENO);
	while (waitpid(pager_pid, NULL, 0) < 0 && errno == EINTR)
		;
	pager_pid = 0;
}
