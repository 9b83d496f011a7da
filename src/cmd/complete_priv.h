/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the completion share. */
#ifndef FTR_CMD_COMPLETE_PRIV_H
#define FTR_CMD_COMPLETE_PRIV_H

#include "base/mem.h"

/* What is being completed. */
struct wish {
	const char *prefix;	/* put before each word: "--event=" */
	char *within;		/* that, where it is of the last word */
	const char *word;	/* what is there of it */
	struct strv files;	/* trace files that the command line names */
	struct buf *out;
	size_t n;
};

/* Adds a word that begins as ->word does, and what it is. */
void complete_offer(struct wish *w, const char *word, const char *what);
void complete_offer_all(struct wish *w, const struct strv *words, const char *what);

/* complete_file.c: what the trace files have; nothing, in silence, where they can't be read. */
void complete_file_events(struct wish *w);
void complete_file_comms(struct wish *w);
void complete_file_fields(struct wish *w);
void complete_file_columns(struct wish *w);

#endif
