/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes spans and states as trace events in JSON, the format of Chrome's about:tracing. */
#ifndef FTR_OUTPUT_JSON_CHROME_TRACE_H
#define FTR_OUTPUT_JSON_CHROME_TRACE_H

#include "model/model.h"

struct chrome;

/* Selects what is written. */
struct chrome_choice {
	bool (*record)(void *ctx, const struct trace_rec *r);	/* the record that begins a span */
	/* the task of states */
	bool (*task)(void *ctx, const struct model *m, const struct task *t);
	void *ctx;
};

/*
 * Makes a view of the model. Pass chrome_ops() to model_new() with the view as ctx, then call
 * chrome_bind(). Output is written to @fd during the pass.
 */
struct chrome *chrome_new(int fd, const struct chrome_choice *choice);
const struct span_ops *chrome_ops(void);
void chrome_bind(struct chrome *c, const struct model *m);
/*
 * Writes the end of the text. Call it after model_end(). -1 with @err: a write failed
 * (FTR_DAMAGED).
 */
int chrome_end(struct chrome *c, struct ftr_error *err);
/* Points to a flag that is set when a write has failed: further reading is useless. */
const bool *chrome_failed(const struct chrome *c);
uint64_t chrome_nr_events(const struct chrome *c);
void chrome_free(struct chrome *c);

#endif
