/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks for the next row of some kind, forward or backward, beside the keys. */
#ifndef FTR_TUI_FIND_H
#define FTR_TUI_FIND_H

#include "out/rows/rows.h"
#include "tui/index/index.h"
#include "tui/work/job.h"

enum find_kind { FIND_TEXT, FIND_TASK, FIND_CPU, FIND_EVENT, FIND_LOSS, FIND_WAKER };

struct find {
	/* what is looked for */
	enum find_kind kind;
	bool  backward;
	bool  wraps;			/* at the end it goes on from the other one */
	char *text;			/* FIND_TEXT; owned */
	bool  exact;			/* capitals count */
	bool  here;			/* forward: the row where it begins counts, too */
	struct row like;		/* the row where it begins: its task, CPU, event */
	uint64_t first, last;		/* times of the files, for the percentage */
	/* not for FIND_TEXT: what is passed where there is nothing; NULL: there is none */
	const struct index *index;	/* in which times are in order; borrowed */
	struct trace *const *traces;
	size_t nr_traces;
	const struct out_range *range;
	const struct out_match *which;	/* of the rows; for FIND_WAKER what find_waking() got */
	struct rows *rows;		/* owned; another's than the main thread's */
	/* the result, when the job has ended */
	bool  found, wrapped, stopped;
	struct place at;
};

/*
 * What of @under FIND_WAKER looks for: the rows are to be of these records alone. It is borrowed
 * while rows are made.
 */
struct find_waking {
	struct index_want want;
	struct out_match under;
	void *before;			/* private: the ctx of ->under that was forked */
};
void find_waking(struct find_waking *w, const struct row *like, const struct out_match *under,
		 struct out_match *out);

/* For job_start(). */
void find_run(struct job *j, void *ctx);
void find_release(struct find *f);
/* Where @text stands in @len bytes, as FIND_TEXT compares; NULL: nowhere. */
const char *find_text(const char *p, size_t len, const char *text, bool exact);
/* Capitals count only where one was typed. */
bool find_is_exact(const char *text);

#endif
