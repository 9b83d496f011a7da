/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Example: behind each sched_switch how long the next task waited since it was woken,
 * "prev_comm=... next_prio=120 (waited 43 us)".
 *
 * Shows: state that is kept from record to record, the kernel's own text, bind() and init().
 *
 *	cc -shared -fPIC -o wakeup_delay.so wakeup_delay.c
 *	ftr report --plugin ./wakeup_delay.so trace.dat
 */
#include <inttypes.h>

#include "ftr/plugin.h"

#define PIDS 4096	/* tasks that are remembered; others take their place */

static int64_t least_us;

struct task_wakeup {
	int64_t  pid;
	uint64_t ts;
};

/* Each thread of ftr has its own, zeroed. */
struct delay_state {
	struct task_wakeup woken[PIDS];
};

static struct task_wakeup *slot(const struct ftr_record *r, int64_t pid)
{
	struct delay_state *s = ftr_thread_state(r);

	return &s->woken[(uint64_t)pid % PIDS];
}

enum { PID };
static const char *const waking_fields[] = { "pid", NULL };

static int waking(const struct ftr_record *r, struct ftr_out *out, void *priv)
{
	struct task_wakeup *w = slot(r, ftr_field_s64(r, PID));

	(void)out;
	(void)priv;
	w->pid = ftr_field_s64(r, PID);
	w->ts = ftr_record_ts(r);
	return FTR_PASS;	/* nothing to add: the print fmt's text */
}

/* bind() may look fields up itself, as here, where handle 0 becomes that of "next_pid". */
static int bind_switch(struct ftr_bind *b, void **priv)
{
	(void)priv;
	return ftr_field_find(b, "next_pid") == 0 && ftr_field_size(b, 0) == 4 ? FTR_DONE :
		FTR_PASS;
}

static int sched_switch(const struct ftr_record *r, struct ftr_out *out, void *priv)
{
	int64_t pid = ftr_field_s64(r, 0);
	struct task_wakeup *w = slot(r, pid);
	uint64_t waited_us = (ftr_record_ts(r) - w->ts) / 1000;

	(void)priv;
	ftr_out_default(out, r);
	if (!w->ts || w->pid != pid)
		return FTR_DONE;
	if (waited_us >= (uint64_t)least_us)
		ftr_out_printf(out, " (waited %" PRIu64 " us)", waited_us);
	w->ts = 0;
	return FTR_DONE;
}

static int init(struct ftr_init *in)
{
	if (least_us < 0) {
		ftr_init_error(in, "wakeup_delay:least can't be %" PRId64, least_us);
		return FTR_PASS;
	}
	/* The text of a record depends on records before it: no slices in several threads. */
	ftr_init_ordered(in);
	return FTR_DONE;
}

static const struct ftr_option options[] = {
	{ "least", FTR_INT, &least_us, "0", "only waits of so many microseconds" },
	{ .name = NULL },
};

static const struct ftr_formatter formatters[] = {
	{ .system = "sched", .event = "sched_wak*", .fields = waking_fields, .format = waking },
	{ .system = "sched", .event = "sched_switch", .bind = bind_switch, .format = sched_switch },
	{ .event = NULL },
};

const struct ftr_plugin ftr_plugin = {
	FTR_PLUGIN_HEAD,
	.name = "wakeup_delay",
	.description = "how long tasks waited after they were woken",
	.options = options,
	.formatters = formatters,
	.init = init,
	.thread_size = sizeof(struct delay_state),
};
