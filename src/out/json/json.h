/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records as JSON lines: an object a record or loss, with typed fields; see ftr-report(1). */
#ifndef FTR_OUT_JSON_H
#define FTR_OUT_JSON_H

#include "out/out.h"

/* Of ->opts it heeds json_safe and json_text. */
extern const struct out_ops out_json;

/*
 * Appends @n bytes as a JSON string with its quotes. UTF-8 stays as it is; what a terminal would
 * act on (text_sanitise()) is escaped, and a byte that is no UTF-8 becomes \u00XX.
 */
void json_add_string(struct buf *b, const char *s, size_t n);
/* The same up to the first NUL, if there is one. */
void json_add_c_string(struct buf *b, const char *s, size_t n);
/*
 * Appends UTF-8 that stands for @n bytes by the same rule, U+00XX for a byte that is none: what a
 * library that writes JSON is to be given.
 */
void json_add_utf8(struct buf *b, const char *s, size_t n);
/* Makes what @b has from @from on the content of a JSON string; true if anything changed. */
bool json_escape_tail(struct buf *b, size_t from);

#endif
