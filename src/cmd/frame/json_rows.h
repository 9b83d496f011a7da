/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A JSON object on stdout whose lists have a row for each task, say: a row is printed when it is
 * made, so that memory does not depend on the number of rows.
 */
#ifndef FTR_CMD_FRAME_JSON_ROWS_H
#define FTR_CMD_FRAME_JSON_ROWS_H

#include <jansson.h>

#include "base/mem.h"

/* Zeroed before json_rows_begin(). */
struct json_rows {
	bool any_member, any_row;	/* what came before needs a comma */
	struct buf out;			/* that is to be written */
};

void json_rows_begin(struct json_rows *r);
/* Each takes ownership of @value. A member belongs to the object, a row to the list. */
void json_rows_add_member(struct json_rows *r, const char *name, json_t *value);
void json_rows_begin_list(struct json_rows *r, const char *name);
void json_rows_add_row(struct json_rows *r, json_t *value);
void json_rows_end_list(struct json_rows *r);
void json_rows_end(struct json_rows *r);

#endif
