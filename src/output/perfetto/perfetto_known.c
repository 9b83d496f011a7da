/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events that Perfetto has messages of their own for: a table. */
#include "output/perfetto/perfetto_known.h"

#include <stddef.h>
#include <string.h>

static const char woken[] = "s:comm pid prio success target_cpu";
static const char bio[] = "dev sector nr_sector s:rwbs s:comm";
static const char request[] = "= dev sector nr_sector bytes s:rwbs s:comm s:cmd";
static const char request_io[] = "dev sector nr_sector bytes ioprio s:rwbs s:comm s:cmd";
static const char done[] = "= dev sector nr_sector errors s:rwbs s:cmd error";
static const char remapped[] = "dev sector nr_sector old_dev old_sector s:rwbs";
static const char work[] = "work f:function";
static const char clock_state[] = "s:name state cpu_id";
static const char allocated[] = "= bytes_alloc bytes_req call_site gfp_flags ptr";

static const struct known_event events[] = {
	{ "sched", "sched_switch", 4,
	  "s:prev_comm prev_pid prev_prio t:prev_state s:next_comm next_pid next_prio" },
	{ "sched", "sched_waking", 20, woken },
	{ "sched", "sched_wakeup", 17, woken },
	{ "sched", "sched_wakeup_new", 114, woken },
	{ "sched", "sched_process_exec", 237, "s:filename pid old_pid" },
	{ "sched", "sched_process_exit", 238, "s:comm pid tgid prio" },
	{ "sched", "sched_process_fork", 239, "s:parent_comm parent_pid s:child_comm child_pid" },
	{ "sched", "sched_process_free", 240, "s:comm pid prio" },
	{ "sched", "sched_process_hang", 241, "s:comm pid" },
	{ "sched", "sched_process_wait", 242, "s:comm pid prio" },
	{ "sched", "sched_blocked_reason", 18, "pid f:caller io_wait" },
	{ "sched", "sched_pi_setprio", 353, "s:comm newprio oldprio pid" },
	{ "sched", "sched_migrate_task", 491,
	  "s:comm pid prio orig_cpu dest_cpu running load" },
	{ "irq", "irq_handler_entry", 36, "irq s:name handler" },
	{ "irq", "irq_handler_exit", 37, "irq ret" },
	{ "irq", "softirq_entry", 24, "vec" },
	{ "irq", "softirq_exit", 25, "vec" },
	{ "irq", "softirq_raise", 26, "vec" },
	{ "workqueue", "workqueue_activate_work", 56, work },
	{ "workqueue", "workqueue_execute_end", 57, work },
	{ "workqueue", "workqueue_execute_start", 58, work },
	{ "workqueue", "workqueue_queue_work", 59,
	  "work f:function . req_cpu cpu s:workqueue" },
	{ "power", "cpu_idle", 13, "state cpu_id" },
	{ "power", "cpu_frequency", 11, "state cpu_id" },
	{ "power", "cpu_frequency_limits", 12, "min_freq max_freq cpu_id" },
	{ "power", "clock_enable", 14, clock_state },
	{ "power", "clock_disable", 15, clock_state },
	{ "power", "clock_set_rate", 16, clock_state },
	{ "power", "suspend_resume", 113, "s:action val start" },
	{ "block", "block_rq_issue", 45, request },
	{ "block", "block_rq_insert", 126, request },
	{ "block", "block_rq_complete", 125, done },
	{ "block", "block_rq_requeue", 129, "= dev sector nr_sector errors s:rwbs s:cmd" },
	{ "block", "block_rq_remap", 128,
	  "dev sector nr_sector old_dev old_sector nr_bios s:rwbs" },
	{ "block", "block_io_start", 546, request_io },
	{ "block", "block_io_done", 547, request_io },
	{ "block", "block_bio_backmerge", 115, bio },
	{ "block", "block_bio_bounce", 116, bio },
	{ "block", "block_bio_complete", 117, "dev sector nr_sector error s:rwbs" },
	{ "block", "block_bio_frontmerge", 118, bio },
	{ "block", "block_bio_queue", 119, bio },
	{ "block", "block_bio_remap", 120, remapped },
	{ "block", "block_dirty_buffer", 121, "dev sector size" },
	{ "block", "block_getrq", 122, bio },
	{ "block", "block_plug", 123, "s:comm" },
	{ "block", "block_split", 131, "dev sector new_sector s:rwbs s:comm" },
	{ "block", "block_touch_buffer", 132, "dev sector size" },
	{ "block", "block_unplug", 133, "nr_rq s:comm" },
	{ "raw_syscalls", "sys_enter", 329, "id args" },
	{ "raw_syscalls", "sys_exit", 330, "id ret" },
	{ "task", "task_newtask", 235, "pid s:comm clone_flags oom_score_adj" },
	{ "task", "task_rename", 236, "pid s:oldcomm s:newcomm oom_score_adj" },
	{ "signal", "signal_deliver", 324, "code sa_flags sig" },
	{ "signal", "signal_generate", 325, "code s:comm group pid result sig" },
	{ "kmem", "kfree", 298, "= call_site ptr" },
	{ "kmem", "kmalloc", 299, allocated },
	{ "kmem", "kmem_cache_alloc", 301, allocated },
	{ "kmem", "kmem_cache_free", 303, "= call_site ptr" },
	{ "kmem", "mm_page_alloc", 307, "gfp_flags migratetype order page pfn" },
	{ "kmem", "mm_page_free", 310, "order page pfn" },
	{ "kmem", "rss_stat", 313, "member size curr mm_id" },
};

const struct known_event *known_event_find(const char *system, const char *name)
{
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		if (!strcmp(events[i].name, name) && !strcmp(events[i].system, system))
			return &events[i];
	return NULL;
}
