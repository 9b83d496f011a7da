/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Queries that people ask, for ftr sql --examples. */
#ifndef FTR_CMD_SQL_EXAMPLES_H
#define FTR_CMD_SQL_EXAMPLES_H

/* Prints each with the question that it answers, as a script of ftr sql -f. */
void sql_print_examples(void);

#endif
