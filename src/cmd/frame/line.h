/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A line on standard error that is rewritten in place. */
#ifndef FTR_CMD_LINE_H
#define FTR_CMD_LINE_H

#include <stdbool.h>

/*
 * Would such a line be read, and disturb nobody? Standard error is a terminal; and, with a command,
 * standard output is a plain file or nothing: the command writes to the same terminal otherwise.
 */
bool line_wanted(bool with_command);
/*
 * Shows @text in place of what was shown before, cut to the terminal's width; NULL takes it away,
 * which is due before anything else is printed. Nothing is shown while we are in the background.
 */
void line_show(const char *text);

#endif
