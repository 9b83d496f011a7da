/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The texts of addresses, made once: traces have the same few thousand addresses over and over. */
#ifndef FTR_EVENT_SYMTEXT_H
#define FTR_EVENT_SYMTEXT_H

#include "event/event.h"

/* What stands behind the name, in this order. */
enum {
	SYMTEXT_OFFSET = 1,	/* "+0x12" */
	SYMTEXT_MODULE = 2,	/* " [mod]" */
};

/* A cache, of one thread. */
struct symtext;
struct symtext *symtext_new(struct ev_syms *syms);	/* @syms is borrowed */
void symtext_free(struct symtext *t);
/*
 * The text of @addr, sanitised: its symbol with what @parts says, or "0x...". Borrowed until the
 * next call; for buf_add_short() it is readable up to a multiple of 16 bytes.
 */
const char *symtext_get(struct symtext *t, uint64_t addr, unsigned int parts, size_t *len);

#endif
