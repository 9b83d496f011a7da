/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A line on standard error that is rewritten in place. */
#ifndef FTR_CMD_FRAME_STATUS_LINE_H
#define FTR_CMD_FRAME_STATUS_LINE_H

#include <stdbool.h>

/*
 * True if such a line makes sense: standard error is a terminal and, with a command, standard
 * output is a plain file or a device like /dev/null. Else the command would write to the same
 * terminal.
 */
bool line_wanted(bool with_command);
/*
 * Replaces the line by @text, cut to the terminal's width. NULL removes the line; do that before
 * any other output, save what cmd_say(), cmd_warn() and cmd_fail() print. Shows nothing while the
 * process is in the background.
 */
void line_show(const char *text);
/* Removes the line, if there is one. */
void line_end(void);

#endif
