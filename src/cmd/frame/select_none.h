/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Says why a selection shows nothing: which options match nothing, and what there is instead. Each
 * kind of option is tried alone on what the command reads: records, spans or tasks.
 */
#ifndef FTR_CMD_SELECT_NONE_H
#define FTR_CMD_SELECT_NONE_H

#include "cmd/frame/select.h"

struct select_none;

/* Borrows @s, which is compiled. Release it with select_none_free(). */
struct select_none *select_none_new(const struct selection *s);
/*
 * Takes a record, or one that begins a span. True once each kind of option has matched something,
 * and there is no need to read on.
 */
bool select_none_see(struct select_none *n, const struct trace_rec *r);
/* Takes a task of a file, and the CPU where it ran last. */
void select_none_see_task(struct select_none *n, size_t file, int cpu, int pid, const char *comm);
/*
 * Appends "no WHAT matches OPTION; FILE has ...", without a newline. False and nothing if no option
 * selects, if all options together match something that was seen, or if nothing was but records.
 */
bool select_none_add(const struct select_none *n, const char *what, bool nanoseconds,
		     struct buf *out);
void select_none_free(struct select_none *n);
/* Closes what trace_views() gave for reading the files of @s once more. */
void select_views_close(const struct selection *s, struct trace **views);

/* Names, and how often each was met. */
struct none_names;

struct none_names *none_names_new(void);
void none_names_count(struct none_names *names, const char *name, uint64_t times);
/* Appends "; LABEL a, b, c, 12 more": first the one nearest to @asked, then the most frequent. */
void none_names_add(const struct none_names *names, const char *label, const char *asked,
		    struct buf *out);
/* True if one of them matches one of @globs. */
bool none_names_match(const struct none_names *names, const struct strv *globs);
size_t none_names_nr(const struct none_names *names);
void none_names_free(struct none_names *names);

#endif
