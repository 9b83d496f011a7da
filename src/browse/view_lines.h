/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A view of lines that are there already: info, log, details, help. */
#ifndef FTR_BROWSE_VIEW_LINES_H
#define FTR_BROWSE_VIEW_LINES_H

#include "browse/view.h"

struct lines;
/* @head, which stands above the lines, is borrowed. */
struct lines *lines_view_new(const char *head);
struct view *lines_view(struct lines *l);
void lines_view_clear(struct lines *l);
size_t lines_view_count(const struct lines *l);
/* A line; @ts is VIEW_NO_TIME, or where Enter goes. */
void lines_view_add(struct lines *l, const char *text, size_t len, uint64_t ts,
		    enum grid_attr attr);
/* All lines of a text. */
void lines_view_add_text(struct lines *l, const char *text, size_t len);

#endif
