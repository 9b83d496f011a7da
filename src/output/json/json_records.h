/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes records as JSON lines: one object per record or loss, with typed fields; see
 * ftr-report(1).
 */
#ifndef FTR_OUTPUT_JSON_JSON_RECORDS_H
#define FTR_OUTPUT_JSON_JSON_RECORDS_H

#include "output/pipeline.h"

/* The sink for JSON lines. It uses json_safe and json_text of ->opts. */
extern const struct out_ops out_json;

/*
 * Appends @n bytes as a JSON string with its quotes. Valid UTF-8 is unchanged, except that
 * characters that a terminal would act on (text_sanitise()) are escaped. A byte that is no UTF-8
 * becomes \u00XX.
 */
void json_add_string(struct buf *b, const char *s, size_t n);
/* The same up to the first NUL, if there is one. */
void json_add_c_string(struct buf *b, const char *s, size_t n);
/* Appends @n bytes as valid UTF-8 for a JSON library: a byte that is no UTF-8 becomes U+00XX. */
void json_add_utf8(struct buf *b, const char *s, size_t n);
/*
 * Escapes the text of @b from offset @from on as the content of a JSON string. True if anything
 * changed.
 */
bool json_escape_tail(struct buf *b, size_t from);

#endif
