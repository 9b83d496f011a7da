/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Example: sched_switch in short, "bash:1234 [120] S ==> swapper/1:0 [120]".
 *
 * Shows: fields by handles, an option, a table of flags.
 *
 *	cc -shared -fPIC -o sched_short.so sched_short.c
 *	ftr report --plugin ./sched_short.so -O sched_short:prio=no trace.dat
 */
#include <inttypes.h>

/* Installed by "make install"; the only header that a plugin needs. */
#include "ftr/plugin.h"

/* Written by ftr before anything else is called, and constant from then on. */
static int prio;

/*
 * The index of a name is the handle of the field. ftr looks the names up once; an event that lacks
 * one of them is left to its print fmt.
 */
enum { PREV_COMM, PREV_PID, PREV_PRIO, PREV_STATE, NEXT_COMM, NEXT_PID, NEXT_PRIO };
static const char *const fields[] = {
	"prev_comm", "prev_pid", "prev_prio", "prev_state", "next_comm", "next_pid", "next_prio",
	NULL,
};

/* Task states have bits of their own in trace records: TASK_REPORT in include/linux/sched.h. */
static const struct ftr_name states[] = {
	{ 0x01, "S" }, { 0x02, "D" }, { 0x04, "T" }, { 0x08, "t" }, { 0x10, "X" }, { 0x20, "Z" },
	{ 0x40, "P" }, { 0x80, "I" }, { 0, NULL },
};

static void task(const struct ftr_record *r, struct ftr_out *out, ftr_field comm, ftr_field pid,
		 ftr_field task_prio)
{
	/* What is in a comm may be anything: ftr cleans what is written of control bytes. */
	ftr_out_printf(out, "%s:%" PRId64, ftr_field_string(r, comm), ftr_field_s64(r, pid));
	if (prio)
		ftr_out_printf(out, " [%" PRId64 "]", ftr_field_s64(r, task_prio));
}

/*
 * Called for each record, in several threads at once. There is nothing to check: should the record
 * be too short for a field, that reads as 0 or "", and ftr takes the print fmt instead.
 */
static int sched_switch(const struct ftr_record *r, struct ftr_out *out, void *priv)
{
	uint64_t state = ftr_field_u64(r, PREV_STATE) & 0xff;

	(void)priv;
	task(r, out, PREV_COMM, PREV_PID, PREV_PRIO);
	ftr_out_str(out, " ");
	if (state)
		ftr_out_flags(out, state, "|", states);
	else
		ftr_out_str(out, "R");
	ftr_out_str(out, " ==> ");
	task(r, out, NEXT_COMM, NEXT_PID, NEXT_PRIO);
	return FTR_DONE;
}

/* Tables end with an element without a name. */
static const struct ftr_option options[] = {
	{ "prio", FTR_BOOL, &prio, "yes", "priorities in brackets" },
	{ .name = NULL },
};

static const struct ftr_formatter formatters[] = {
	{ .system = "sched", .event = "sched_switch", .fields = fields, .format = sched_switch },
	{ .event = NULL },
};

const struct ftr_plugin ftr_plugin = {
	FTR_PLUGIN_HEAD,
	.name = "sched_short",
	.description = "sched_switch in short",
	.options = options,
	.formatters = formatters,
};
