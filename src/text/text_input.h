/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bytes of a text that the user named: mapped, and without the HTML around them. */
#ifndef FTR_TEXT_INPUT_H
#define FTR_TEXT_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

/* Limit for the bytes of a text. Reading it takes up to as much memory again, for its records. */
#define TEXT_INPUT_MAX (4ull << 30)

struct text_input {
	const char *p;
	size_t len;
	bool html;			/* the text was in a page */
	/* private */
	void  *map;
	size_t map_len;
	struct buf own;
};

/* Maps the file @fd, which the caller keeps. @path is for messages. Returns 0, or -1 with @err. */
int text_input_map(struct text_input *in, int fd, const char *path, struct ftr_error *err);
void text_input_release(struct text_input *in);

#endif
