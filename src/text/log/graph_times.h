/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes the times of a function graph whose lines have none. */
#ifndef FTR_TEXT_LOG_GRAPH_TIMES_H
#define FTR_TEXT_LOG_GRAPH_TIMES_H

#include "text/log/log_dump.h"

/*
 * Sets ->ns of the records with ->made_time among @v, which are in the order of their lines. In the
 * result all lines keep their order, and the time between the ends of a call is its duration, if
 * both hold at once. Records with times of the kernel keep them if that order allows. Returns the
 * number of calls between whose ends there is more time than their duration.
 */
size_t graph_times_make(struct dump_rec *v, size_t n);

#endif
