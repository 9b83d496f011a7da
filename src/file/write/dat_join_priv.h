/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What joining the parts of a file wants of going on with one whose recorder was killed. */
#ifndef FTR_FILE_WRITE_DAT_JOIN_PRIV_H
#define FTR_FILE_WRITE_DAT_JOIN_PRIV_H

#include "file/write/dat_write_priv.h"

/* dat_resume.c: makes a section of ->gap. */
void dat_w_fill_gap(struct dat_writer *w);
/* The sections that are at ->at, behind the data, are kept; the file is cut behind them. */
void dat_w_keep_tail(struct dat_writer *w);

#endif
