/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A line on standard error that is rewritten in place. */
#include "cmd/frame/status_line.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { USUAL_WIDTH = 80 };

static size_t shown;			/* columns of the line that stands there */

bool line_wanted(bool with_command)
{
	struct stat st;

	if (!isatty(STDERR_FILENO))
		return false;
	if (!with_command)
		return true;
	/* What goes into a pipe ends at the terminal as a rule. */
	return !fstat(STDOUT_FILENO, &st) && !isatty(STDOUT_FILENO) &&
	       (S_ISREG(st.st_mode) || S_ISCHR(st.st_mode));
}

static size_t stderr_width(void)
{
	struct winsize ws;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &ws) || ws.ws_col < 2)
		return USUAL_WIDTH - 1;
	return ws.ws_col - 1;
}

/*
 * The cursor waits in the first column, where whoever writes next begins. Blanks clear what is
 * left of the line before: they need no escape sequence that a terminal may not know.
 */
void line_show(const char *text)
{
	size_t n = text ? strlen(text) : 0, room = stderr_width();
	size_t blanks;

	if (text && tcgetpgrp(STDERR_FILENO) != getpgrp())
		return;
	if (n > room)
		n = room;
	blanks = shown > n ? shown - n : 0;
	if (blanks > room - n)
		blanks = room - n;
	fprintf(stderr, "\r%.*s%*s\r", (int)n, text ? text : "", (int)blanks, "");
	shown = n;
}

void line_end(void)
{
	if (shown)
		line_show(NULL);
}
