/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The shell of ftr sql: reads queries from a terminal or a pipe, and answers them. */
#ifndef FTR_CMD_SQL_SHELL_H
#define FTR_CMD_SQL_SHELL_H

#include "sql/sql_result.h"

struct sql_shell {
	struct sql_db *db;
	const struct sql_format *format;
	bool header;
	void (*begin)(void);		/* called before a query */
	void (*start)(void);		/* called before its first output on a terminal */
	void (*end)(void);		/* called after it */
	bool ended;			/* .quit */
};

/* Reads queries to the end of standard input. Returns FTR_OK, or FTR_FAILED: a query failed. */
int sql_shell_run(struct sql_shell *s);

#endif
