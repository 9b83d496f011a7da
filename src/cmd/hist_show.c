/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a histogram fits on the terminal, and what is said beside it. */
#include "cmd/hist_show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/term.h"
#include "base/text.h"
#include "cmd/frame/command.h"

static size_t stdout_width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize ws;
	int64_t n;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) && ws.ws_col)
		return ws.ws_col;
	return columns && !text_number(columns, 20, 10000, &n) ? n : 0;
}

struct hist_look hist_terminal(size_t top)
{
	return (struct hist_look){ .width = stdout_width(), .utf8 = term_utf8(), .top = top };
}

int hist_warn(const struct hist *h, const char *hint)
{
	if (h->dropped)
		cmd_warn("%llu events were dropped: there was no room for their keys",
			 (unsigned long long)h->dropped);
	if (h->dropped && hint && !cmd_quiet)
		fprintf(stderr, "hint: %s\n", hint);
	if (!h->unread && h->whole)
		return FTR_OK;
	cmd_warn("%zu entries of the kernel's text could not be read%s", h->unread,
		 h->whole ? "" : ", and it has no totals");
	return FTR_DAMAGED;
}
