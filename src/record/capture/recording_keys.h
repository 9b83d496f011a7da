/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a trace file says of its recording: lines "key=value". */
#ifndef FTR_RECORD_CAPTURE_RECORDING_KEYS_H
#define FTR_RECORD_CAPTURE_RECORDING_KEYS_H

#include <stddef.h>

#include "base/mem.h"

struct key {
	char *name, *value;
};

/* In the order in which they were first set. Zeroed is empty. */
struct keys {
	struct key *v;
	size_t n, cap;
};

/* A value that the key has already is replaced. */
void keys_set(struct keys *k, const char *name, const char *value);
/* NULL: the key is not set. */
const char *keys_get(const struct keys *k, const char *name);
/* "tracer" of the top level, "tracer.NAME" of an instance; the caller frees. */
char *keys_name_of(const char *what, const char *instance);
/* Appends the lines; newline and backslash in a value are written as \n and \\. */
void keys_text(const struct keys *k, struct buf *out);
void keys_release(struct keys *k);

#endif
