/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets of events for a purpose. A kernel may lack some of them: irq_vectors is x86's, ipi arm64's,
 * lock:contention_begin came with Linux 5.19, and many need a config option.
 */
#include "record/setup/purposes.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

#define SWITCHES \
	"sched:sched_switch sched:sched_waking sched:sched_wakeup sched:sched_wakeup_new " \
	"sched:sched_migrate_task sched:sched_process_fork sched:sched_process_exec " \
	"sched:sched_process_exit task:task_rename"
#define INTERRUPTS \
	"irq:irq_handler_entry irq:irq_handler_exit irq:softirq_entry irq:softirq_exit"

const struct rec_purpose rec_purposes[] = {
	{ "sched", "who ran, waited for a CPU and slept: ftr sched, timeline", SWITCHES },
	{ "latency", "system calls, interrupts, locks, disk requests: ftr latency",
	  SWITCHES " " INTERRUPTS " raw_syscalls lock:contention_begin lock:contention_end "
	  "block:block_rq_issue block:block_rq_complete" },
	{ "why", "the causes of waiting: ftr why",
	  SWITCHES " " INTERRUPTS " raw_syscalls irq_vectors ipi "
	  "timer:hrtimer_expire_entry timer:hrtimer_expire_exit "
	  "timer:timer_expire_entry timer:timer_expire_exit "
	  "workqueue:workqueue_queue_work workqueue:workqueue_execute_start "
	  "workqueue:workqueue_execute_end block:block_rq_issue block:block_rq_complete "
	  "lock:contention_begin lock:contention_end signal:signal_generate "
	  "exceptions:page_fault_user" },
	{ "browse", "tasks, CPUs and interrupts over time: ftr browse, timeline",
	  SWITCHES " " INTERRUPTS " raw_syscalls power:cpu_idle power:cpu_frequency" },
	{ 0 }
};

int plan_add_purpose(struct rec_buffer *b, const char *name, struct ftr_error *err)
{
	const struct rec_purpose *p = rec_purposes;
	struct buf names = {0};
	char *events, *at, *pattern;

	while (p->name && strcmp(p->name, name))
		p++;
	if (!p->name) {
		for (p = rec_purposes; p->name; p++)
			buf_printf(&names, "%s%s", names.len ? ", " : "", p->name);
		err_set(err, FTR_USAGE, "there is no purpose '%s'", name);
		err_hint(err, "it is one of %s; 'ftr list --for' shows their events", names.data);
		buf_release(&names);
		return -1;
	}
	events = at = xstrdup(p->events);
	while ((pattern = strsep(&at, " ")))
		plan_add_event(b, pattern)->is_optional = true;
	free(events);
	return 0;
}
