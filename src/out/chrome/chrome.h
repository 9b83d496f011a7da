/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Spans and states as trace events in JSON, the format of Chrome's about:tracing. */
#ifndef FTR_OUT_CHROME_H
#define FTR_OUT_CHROME_H

#include "model/model.h"

struct chrome;

/* Which of it is shown. */
struct chrome_choice {
	bool (*record)(void *ctx, const struct trace_rec *r);	/* that begins a span */
	bool (*task)(void *ctx, const struct model *m, const struct task *t);	/* states of it */
	void *ctx;
};

/*
 * A view of the model: give it chrome_ops() with itself as context, then chrome_bind(). What it
 * makes is written to @fd as it comes.
 */
struct chrome *chrome_new(int fd, const struct chrome_choice *choice);
const struct span_ops *chrome_ops(void);
void chrome_bind(struct chrome *c, const struct model *m);
/* After model_end(): the end of the text. -1 with @err: it could not be written (FTR_DAMAGED). */
int chrome_end(struct chrome *c, struct ftr_error *err);
/* Nothing can be written any more: reading on is of no use. */
const bool *chrome_failed(const struct chrome *c);
uint64_t chrome_nr_events(const struct chrome *c);
void chrome_free(struct chrome *c);

#endif
