/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The source of a flame graph: the options that select it, and a function that reads folded stacks
 * with values.
 */
#ifndef FTR_CMD_FLAME_SOURCE_H
#define FTR_CMD_FLAME_SOURCE_H

#include "cmd/frame/span_commands.h"
#include "model/flame/flame_data.h"

/* Initialize with zeros; FLAME_SOURCE_OPTS write to it. */
struct flame_source {
	struct span_args spans;		/* first: SPAN_* and SELECT_* options write to it */
	bool stacks, off_cpu;
	const char *weight;

	struct buf marks;		/* remarks about values that are in no sum, or empty */
	bool is_empty;			/* no stack was counted */
	struct buf none;		/* if ->is_empty: the options that caused it, or empty */
};

/* Rows of an option table whose context starts with a struct flame_source. */
#define FLAME_AT(member) offsetof(struct flame_source, member)
#define FLAME_SOURCE_OPTS \
	SPAN_KIND_OPTS, \
	{ 0, "stacks", NULL, "count kernel stacks", opt_flag, FLAME_AT(stacks) }, \
	{ 0, "weight", "FIELD", "sum up FIELD of the records that the stacks belong to", opt_str, \
	  FLAME_AT(weight) }, \
	{ 0, "off-cpu", NULL, "show time off the CPU by state and stack of sched_switch", \
	  opt_flag, FLAME_AT(off_cpu) }

enum flame_of flame_source_of(const struct flame_source *s);
/* Returns -1 with @err if options exclude each other. */
int flame_source_check(const struct flame_source *s, struct ftr_error *err);
/*
 * Reads the open files into column @column of @w. Reports values that are in no sum, with the name
 * of the file if @named. Sets ->is_empty and ->none. Returns -1 with @err if reading fails or the
 * files lack such data.
 */
int flame_source_read(struct flame_source *s, unsigned int column, bool named,
		      struct folded_stacks *w, struct ftr_error *err);
void flame_source_release(struct flame_source *s);

#endif
