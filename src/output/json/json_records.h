/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes records as JSON lines: one object per record or loss, with typed fields; see
 * ftr-report(1). Writes spans and states as the trace events of viewers.
 */
#ifndef FTR_OUTPUT_JSON_JSON_RECORDS_H
#define FTR_OUTPUT_JSON_JSON_RECORDS_H

#include "model/model.h"
#include "output/pipeline.h"

/* The sink for JSON lines. It uses json_safe and json_text of ->opts. */
extern const struct out_ops out_json;

/*
 * Appends @n bytes as a JSON string with its quotes. Valid UTF-8 is unchanged, except that
 * characters that a terminal would act on (text_sanitise()) are escaped. A byte that is no UTF-8
 * becomes \u00XX.
 */
void json_add_string(struct buf *b, const char *s, size_t n);
/* Appends @n bytes as valid UTF-8 for a JSON library: a byte that is no UTF-8 becomes U+00XX. */
void json_add_utf8(struct buf *b, const char *s, size_t n);

enum json_kind { AS_NUMBER, AS_NUMBERS, AS_STRING, AS_HEX };

/* Returns the form of the value of a field; *size: bytes of a number, or of each number. */
enum json_kind json_field_kind(const struct ev_field *f, uint8_t long_size, uint32_t *size);

/* --- chrome_trace.c: spans and states as trace events, the format of Chrome's about:tracing */

struct chrome_trace;

/* Selects the spans and states to write. */
struct chrome_choice {
	bool (*record)(void *ctx, const struct trace_rec *r);	/* the record that starts a span */
	/* the task of states */
	bool (*task)(void *ctx, const struct model *m, const struct task *t);
	void *ctx;
};

/*
 * Makes a view of the model. Pass chrome_ops() to model_new() with the view as ctx, then call
 * chrome_bind(). Output is written to @fd during the pass.
 */
struct chrome_trace *chrome_new(int fd, const struct chrome_choice *choice);
const struct span_ops *chrome_ops(void);
void chrome_bind(struct chrome_trace *c, const struct model *m);
/*
 * Writes the end of the text. Call it after model_end(). Returns 0, or -1 with @err if a write
 * failed (FTR_DAMAGED).
 */
int chrome_end(struct chrome_trace *c, struct ftr_error *err);
/* Points to a flag that is set when a write has failed: further reading is useless. */
const bool *chrome_failed(const struct chrome_trace *c);
/* Returns the number of trace events written so far. */
uint64_t chrome_nr_events(const struct chrome_trace *c);
void chrome_free(struct chrome_trace *c);

#endif
