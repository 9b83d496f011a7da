/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Formats of well-known events: those of Linux 3.4 to 7.2 whose spans, states and pairs are shown,
 * and the texts that trace-cmd's plugins print of them. Rows of one name are tried in this order.
 * A row whose text ends with a string follows those that have more after it. Numbers that a text
 * shows as names, and whose values differ from kernel to kernel, as flags of allocations do, are
 * kept as names.
 */
#include "text/fields/known_events.h"

#include <stdlib.h>
#include <string.h>

#define COMM "char comm[16]; pid_t pid"
#define COMM_PRIO COMM "; int prio"
#define SWITCH_FIELDS \
	"char prev_comm[16]; pid_t prev_pid; int prev_prio; long prev_state; " \
	"char next_comm[16]; pid_t next_pid; int next_prio"
#define SWITCH_FMT \
	"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> " \
	"next_comm=%s next_pid=%d next_prio=%d"
#define SWITCH_ARGS(mask, plus, table) \
	"prev_comm, prev_pid, prev_prio, REC->prev_state & " mask " ? " \
	"__print_flags(REC->prev_state & " mask ", \"|\", " table ") : \"R\", " \
	"REC->prev_state & " plus " ? \"+\" : \"\", next_comm, next_pid, next_prio"
#define STATES "{ 0x1, \"S\" }, { 0x2, \"D\" }, { 0x4, \"T\" }, { 0x8, \"t\" }, "
/* since 4.14; from 3.3 to 4.13, where 4.2 added N; before 3.3 */
#define SWITCH_414 \
	SWITCH_ARGS("0xff", "0x100", STATES "{ 0x10, \"X\" }, { 0x20, \"Z\" }, " \
		    "{ 0x40, \"P\" }, { 0x80, \"I\" }")
#define SWITCH_42 \
	SWITCH_ARGS("(2048-1)", "2048", STATES "{ 16, \"Z\" }, { 32, \"X\" }, " \
		    "{ 64, \"x\" }, { 128, \"K\" }, { 256, \"W\" }, { 512, \"P\" }, " \
		    "{ 1024, \"N\" }")
/*
 * Older plugins of trace-cmd name the bits as those of old kernels, whatever the kernel. A state
 * that is W alone is I of a new kernel, as W and K were never alone; x is one of an old kernel.
 */
#define SWITCH_PLUGIN_W \
	"prev_comm, prev_pid, prev_prio, __print_symbolic(REC->prev_state, { 0x80, \"W\" }), " \
	"\"\", next_comm, next_pid, next_prio"
#define SWITCH_PLUGIN \
	SWITCH_ARGS("0xff", "2048", STATES "{ 0x10, \"Z\" }, { 0x20, \"X\" }, " \
		    "{ 0x40, \"x\" }, { 0x80, \"W\" }")
#define SWITCH_TEXT "%s:%d [%d] %s%s ==> %s:%d [%d]"
#define VECTORS(table) "vec, __print_symbolic(REC->vec, " table ")"
#define SOFTIRQS(poll) \
	"{ 0, \"HI\" }, { 1, \"TIMER\" }, { 2, \"NET_TX\" }, { 3, \"NET_RX\" }, " \
	"{ 4, \"BLOCK\" }, { 5, \"" poll "\" }, { 6, \"TASKLET\" }, { 7, \"SCHED\" }, " \
	"{ 8, \"HRTIMER\" }, { 9, \"RCU\" }"
#define CONTENTION \
	"lock_addr, __print_flags(REC->flags, \"|\", { 1, \"SPIN\" }, { 2, \"READ\" }, " \
	"{ 4, \"WRITE\" }, { 8, \"RT\" }, { 16, \"PERCPU\" }, { 32, \"MUTEX\" })"
#define DEV(f) "((unsigned int)(REC->" f " >> 20)), ((unsigned int)(REC->" f " & 0xfffff))"
#define SECTORS "dev_t dev; sector_t sector; unsigned int nr_sector; "
#define IOPRIO \
	"__print_symbolic((REC->ioprio >> 13) & 7, { 0, \"none\" }, { 1, \"rt\" }, " \
	"{ 2, \"be\" }, { 3, \"idle\" }, { 7, \"invalid\" }), " \
	"(REC->ioprio >> 3) & 0x3ff, REC->ioprio & 7"
#define TIMER_FLAGS \
	"REC->flags & 0x3ffff, REC->flags >> 22, __print_flags(REC->flags & 0x3c0000, \"|\", " \
	"{ 0x40000, \"M\" }, { 0x80000, \"D\" }, { 0x100000, \"P\" }, { 0x200000, \"I\" })"
#define RSS_TYPES \
	"{ 0, \"MM_FILEPAGES\" }, { 1, \"MM_ANONPAGES\" }, { 2, \"MM_SWAPENTS\" }, " \
	"{ 3, \"MM_SHMEMPAGES\" }"
#define YES_NO(field, yes, no) "REC->" field " ? \"" yes "\" : \"" no "\""
#define COMM_ARGS "comm, pid, prio"
#define COMM_OOM "pid_t pid; char comm[16]; short oom_score_adj"
#define CALL_SITE "unsigned long call_site; const void * ptr"
#define ALLOC CALL_SITE "; size_t bytes_req; size_t bytes_alloc; __data_loc char[] gfp_flags"
#define ALLOC_FMT(site) \
	"call_site=" site " ptr=%p bytes_req=%zu bytes_alloc=%zu gfp_flags=%s"
#define ALLOC_ARGS "call_site, ptr, bytes_req, bytes_alloc, gfp_flags"
#define PAGE "void * page; unsigned long pfn; "
#define NAME "__data_loc char[] name"

static const struct known_event events[] = {
	{ "sched", "sched_switch", SWITCH_FIELDS, .fmt = SWITCH_FMT, .args = SWITCH_414 },
	{ "sched", "sched_switch", SWITCH_FIELDS, .fmt = SWITCH_FMT, .args = SWITCH_42 },
	{ "sched", "sched_switch", SWITCH_FIELDS, .fmt = SWITCH_FMT, .args = SWITCH_414,
	  .text = SWITCH_TEXT, .text_args = SWITCH_414 },
	{ "sched", "sched_switch", SWITCH_FIELDS, .fmt = SWITCH_FMT, .args = SWITCH_414,
	  .text = SWITCH_TEXT, .text_args = SWITCH_PLUGIN_W },
	{ "sched", "sched_switch", SWITCH_FIELDS, .fmt = SWITCH_FMT, .args = SWITCH_42,
	  .text = SWITCH_TEXT, .text_args = SWITCH_PLUGIN },
	{ "sched", "sched_switch", SWITCH_FIELDS, .fmt = SWITCH_FMT, .args = SWITCH_42,
	  .text = SWITCH_TEXT, .text_args = SWITCH_42 },
	{ "sched", "sched_wakeup sched_wakeup_new sched_waking", COMM_PRIO "; int target_cpu",
	  .fmt = "comm=%s pid=%d prio=%d target_cpu=%03d" },
	{ "sched", "sched_wakeup sched_wakeup_new sched_waking",
	  COMM_PRIO "; int success; int target_cpu",
	  .fmt = "comm=%s pid=%d prio=%d success=%d target_cpu=%03d" },
	{ "sched", "sched_wakeup sched_wakeup_new sched_waking", COMM_PRIO "; int target_cpu",
	  .fmt = "comm=%s pid=%d prio=%d target_cpu=%03d", .text = "%s:%d [%d] CPU:%03d" },
	{ "sched", "sched_wakeup sched_wakeup_new sched_waking",
	  COMM_PRIO "; int success; int target_cpu",
	  .fmt = "comm=%s pid=%d prio=%d success=%d target_cpu=%03d",
	  .text = "%s:%d [%d] success=%d CPU:%03d" },
	{ "sched", "sched_migrate_task", COMM_PRIO "; int orig_cpu; int dest_cpu",
	  .fmt = "comm=%s pid=%d prio=%d orig_cpu=%d dest_cpu=%d" },
	{ "sched", "sched_migrate_task", COMM_PRIO "; int orig_cpu; int dest_cpu; int running",
	  .fmt = "comm=%s pid=%d prio=%d orig_cpu=%d dest_cpu=%d running=%d" },
	{ "sched", "sched_migrate_task",
	  COMM_PRIO "; unsigned int load; int orig_cpu; int dest_cpu",
	  .fmt = "comm=%s pid=%d prio=%d load=%d orig_cpu=%d dest_cpu=%d" },
	{ "sched", "sched_process_free sched_process_exit sched_wait_task sched_process_wait",
	  COMM_PRIO, .fmt = "comm=%s pid=%d prio=%d" },
	{ "sched", "sched_process_exit", COMM_PRIO "; bool group_dead",
	  .fmt = "comm=%s pid=%d prio=%d group_dead=%s",
	  .args = COMM_ARGS ", " YES_NO("group_dead", "true", "false") },
	{ "sched", "sched_process_fork",
	  "char parent_comm[16]; pid_t parent_pid; char child_comm[16]; pid_t child_pid",
	  .fmt = "comm=%s pid=%d child_comm=%s child_pid=%d" },
	{ "sched", "sched_process_exec", "__data_loc char[] filename; pid_t pid; pid_t old_pid",
	  .fmt = "filename=%s pid=%d old_pid=%d" },
	{ "sched", "sched_prepare_exec",
	  "__data_loc char[] interp; __data_loc char[] filename; pid_t pid; __data_loc char[] comm",
	  .fmt = "interp=%s filename=%s pid=%d comm=%s" },
	{ "sched", "sched_process_hang sched_kthread_stop", COMM, .fmt = "comm=%s pid=%d" },
	{ "sched", "sched_kthread_stop_ret", "int ret", .fmt = "ret=%d" },
	{ "sched", "sched_stat_wait sched_stat_sleep sched_stat_iowait sched_stat_blocked",
	  COMM "; u64 delay", .fmt = "comm=%s pid=%d delay=%llu [ns]" },
	{ "sched", "sched_stat_runtime", COMM "; u64 runtime",
	  .fmt = "comm=%s pid=%d runtime=%llu [ns]" },
	{ "sched", "sched_stat_runtime", COMM "; u64 runtime; u64 vruntime",
	  .fmt = "comm=%s pid=%d runtime=%llu [ns] vruntime=%llu [ns]" },
	{ "sched", "sched_pi_setprio", COMM "; int oldprio; int newprio",
	  .fmt = "comm=%s pid=%d oldprio=%d newprio=%d" },
	{ "sched", "sched_blocked_reason", "pid_t pid; void * caller; bool io_wait",
	  .fmt = "pid=%d iowait=%d caller=%pS", .args = "pid, io_wait, caller" },
	{ "sched", "sched_blocked_reason", "pid_t pid; void * caller; bool io_wait",
	  .fmt = "pid=%d iowait=%d caller=%ps", .args = "pid, io_wait, caller" },
	{ "sched", "sched_blocked_reason", "pid_t pid; unsigned long caller; bool io_wait",
	  .fmt = "pid=%d iowait=%d caller=%lx", .args = "pid, io_wait, caller" },
	{ "sched", "sched_wake_idle_without_ipi", "int cpu", .fmt = "cpu=%d" },
	{ "sched", "sched_cpu_hotplug", "int affected_cpu; int error; int status",
	  .fmt = "cpu %d %s error=%d",
	  .args = "affected_cpu, REC->status ? \"online\" : \"offline\", error" },
	{ "task", "task_newtask",
	  "pid_t pid; char comm[16]; unsigned long clone_flags; short oom_score_adj",
	  .fmt = "pid=%d comm=%s clone_flags=%lx oom_score_adj=%hd" },
	{ "task", "task_rename",
	  "pid_t pid; char oldcomm[16]; char newcomm[16]; short oom_score_adj",
	  .fmt = "pid=%d oldcomm=%s newcomm=%s oom_score_adj=%hd" },
	{ "task", "task_rename", "pid_t pid; char oldcomm[16]; char newcomm[16]",
	  .fmt = "pid=%d oldcomm=%s newcomm=%s" },
	{ "irq", "irq_handler_entry", "int irq; " NAME "; void * handler",
	  .fmt = "irq=%d name=%s handler=%ps" },
	{ "irq", "irq_handler_entry", "int irq; " NAME, .fmt = "irq=%d name=%s" },
	{ "irq", "irq_handler_exit", "int irq; int ret", .fmt = "irq=%d ret=%s",
	  .args = "irq, " YES_NO("ret", "handled", "unhandled") },
	{ "irq", "softirq_entry softirq_exit softirq_raise", "unsigned int vec",
	  .fmt = "vec=%u [action=%s]", .args = VECTORS(SOFTIRQS("IRQ_POLL")) },
	{ "irq", "softirq_entry softirq_exit softirq_raise", "unsigned int vec",
	  .fmt = "vec=%u [action=%s]", .args = VECTORS(SOFTIRQS("BLOCK_IOPOLL")) },
	{ "irq", "tasklet_entry tasklet_exit", "void * tasklet; void * func",
	  .fmt = "tasklet=%ps function=%ps" },
	{ "irq", "tasklet_entry tasklet_exit tasklet_hi_entry tasklet_hi_exit", "void * func",
	  .fmt = "function=%ps" },
	{ "irq_vectors",
	  "call_function_entry call_function_exit call_function_single_entry "
	  "call_function_single_exit deferred_error_apic_entry deferred_error_apic_exit "
	  "error_apic_entry error_apic_exit irq_work_entry irq_work_exit local_timer_entry "
	  "local_timer_exit reschedule_entry reschedule_exit spurious_apic_entry "
	  "spurious_apic_exit thermal_apic_entry thermal_apic_exit threshold_apic_entry "
	  "threshold_apic_exit x86_platform_ipi_entry x86_platform_ipi_exit", "int vector",
	  .fmt = "vector=%d" },
	{ "ipi", "ipi_entry ipi_exit", "__data_loc char[] reason", .fmt = "(%s)" },
	{ "ipi", "ipi_send_cpu", "unsigned int cpu; void * callsite; void * callback",
	  .fmt = "cpu=%u callsite=%pS callback=%pS" },
	{ "csd", "csd_function_entry csd_function_exit", "void * func; void * csd",
	  .fmt = "func=%ps, csd=%p" },
	{ "csd", "csd_queue_cpu", "unsigned int cpu; void * callsite; void * func; void * csd",
	  .fmt = "cpu=%u callsite=%pS func=%ps csd=%p" },
	{ "raw_syscalls", "sys_enter", "long id; unsigned long args[6]",
	  .fmt = "NR %ld (%lx, %lx, %lx, %lx, %lx, %lx)",
	  .args = "id, REC->args[0], REC->args[1], REC->args[2], REC->args[3], REC->args[4], "
	  "REC->args[5]" },
	{ "raw_syscalls", "sys_exit", "long id; long ret", .fmt = "NR %ld = %ld" },
	{ "exceptions", "page_fault_user page_fault_kernel",
	  "unsigned long address; unsigned long ip; unsigned long error_code",
	  .fmt = "address=%ps ip=%ps error_code=0x%lx" },
	{ "workqueue", "workqueue_execute_start workqueue_execute_end",
	  "void * work; void * function", .fmt = "work struct %p: function %ps" },
	{ "workqueue", "workqueue_execute_end", "void * work", .fmt = "work struct %p" },
	{ "workqueue", "workqueue_activate_work", "void * work; void * function",
	  .fmt = "work struct %p function=%ps " },
	{ "workqueue", "workqueue_activate_work", "void * work", .fmt = "work struct %p" },
	{ "workqueue", "workqueue_queue_work",
	  "void * work; void * function; void * workqueue; unsigned int req_cpu; unsigned int cpu",
	  .fmt = "work struct=%p function=%ps workqueue=%p req_cpu=%u cpu=%u" },
	{ "workqueue", "workqueue_queue_work",
	  "void * work; void * function; __data_loc char[] workqueue; int req_cpu; int cpu",
	  .fmt = "work struct=%p function=%ps workqueue=%s req_cpu=%d cpu=%d" },
	{ "timer", "timer_init timer_cancel timer_expire_exit", "void * timer", .fmt = "timer=%p" },
	{ "timer", "timer_start",
	  "void * timer; void * function; unsigned long expires; unsigned long bucket_expiry; "
	  "unsigned long now; unsigned int flags",
	  .fmt = "timer=%p function=%ps expires=%lu [timeout=%ld] bucket_expiry=%lu cpu=%u idx=%u "
	  "flags=%s",
	  .args = "timer, function, expires, (long)REC->expires - REC->now, bucket_expiry, "
	  TIMER_FLAGS },
	{ "timer", "timer_start",
	  "void * timer; void * function; unsigned long expires; unsigned long now; "
	  "unsigned int flags",
	  .fmt = "timer=%p function=%ps expires=%lu [timeout=%ld] cpu=%u idx=%u flags=%s",
	  .args = "timer, function, expires, (long)REC->expires - REC->now, " TIMER_FLAGS },
	{ "timer", "timer_start",
	  "void * timer; void * function; unsigned long expires; unsigned long now",
	  .fmt = "timer=%p function=%ps expires=%lu [timeout=%ld]",
	  .args = "timer, function, expires, (long)REC->expires - REC->now" },
	{ "timer", "timer_start",
	  "void * timer; void * function; unsigned long expires; unsigned long now; "
	  "char deferrable", .fmt = "timer=%p function=%ps expires=%lu [timeout=%ld] defer=%c",
	  .args = "timer, function, expires, (long)REC->expires - REC->now, deferrable" },
	{ "timer", "timer_expire_entry",
	  "void * timer; unsigned long now; void * function; unsigned long baseclk",
	  .fmt = "timer=%p function=%ps now=%lu baseclk=%lu",
	  .args = "timer, function, now, baseclk" },
	{ "timer", "timer_expire_entry", "void * timer; unsigned long now; void * function",
	  .fmt = "timer=%p function=%ps now=%lu", .args = "timer, function, now" },
	{ "timer", "hrtimer_cancel hrtimer_expire_exit", "void * hrtimer", .fmt = "hrtimer=%p" },
	{ "timer", "hrtimer_expire_entry", "void * hrtimer; s64 now; void * function",
	  .fmt = "hrtimer=%p function=%ps now=%llu", .args = "hrtimer, function, now" },
	{ "timer", "hrtimer_expire_entry", "void * hrtimer; s64 now; void * function",
	  .fmt = "hrtimer=%p function=%ps now=%llu", .args = "hrtimer, function, now",
	  .text = "hrtimer=%p now=%llu function=%ps/0x0", .text_args = "hrtimer, now, function" },
	{ "timer", "hrtimer_init hrtimer_setup",
	  "void * hrtimer; __data_loc char[] clockid; __data_loc char[] mode",
	  .fmt = "hrtimer=%p clockid=%s mode=%s" },
	{ "timer", "hrtimer_start",
	  "void * hrtimer; void * function; s64 expires; s64 softexpires; __data_loc char[] mode; "
	  "bool was_armed",
	  .fmt = "hrtimer=%p function=%ps expires=%llu softexpires=%llu mode=%s was_armed=%d" },
	{ "timer", "hrtimer_start",
	  "void * hrtimer; void * function; s64 expires; s64 softexpires; __data_loc char[] mode",
	  .fmt = "hrtimer=%p function=%ps expires=%llu softexpires=%llu mode=%s" },
	{ "timer", "hrtimer_start", "void * hrtimer; void * function; s64 expires; s64 softexpires",
	  .fmt = "hrtimer=%p function=%ps expires=%llu softexpires=%llu" },
	{ "timer", "hrtimer_start", "void * hrtimer; void * function; s64 expires; s64 softexpires",
	  .fmt = "hrtimer=%p function=%ps expires=%llu softexpires=%llu",
	  .text = "hrtimer=%p function=%ps/0x0 expires=%llu softexpires=%llu" },
	{ "timer", "itimer_expire", "int which; pid_t pid; unsigned long long now",
	  .fmt = "which=%d pid=%d now=%llu" },
	{ "timer", "tick_stop", "int success; __data_loc char[] dependency",
	  .fmt = "success=%d dependency=%s" },
	{ "timer", "timer_base_idle", "bool is_idle; unsigned int cpu",
	  .fmt = "is_idle=%d cpu=%d" },
	{ "block", "block_rq_insert block_rq_issue block_rq_merge block_io_start block_io_done",
	  SECTORS "unsigned int bytes; unsigned short ioprio; char rwbs[10]; char comm[16]; "
	  "__data_loc char[] cmd", .fmt = "%d,%d %s %u (%s) %llu + %u %s,%u,%u [%s]",
	  .args = DEV("dev") ", rwbs, bytes, cmd, sector, nr_sector, " IOPRIO ", comm" },
	{ "block", "block_rq_insert block_rq_issue block_rq_merge block_io_start block_io_done",
	  SECTORS "unsigned int bytes; char rwbs[8]; char comm[16]; __data_loc char[] cmd",
	  .fmt = "%d,%d %s %u (%s) %llu + %u [%s]",
	  .args = DEV("dev") ", rwbs, bytes, cmd, sector, nr_sector, comm" },
	{ "block", "block_rq_complete block_rq_error",
	  SECTORS "int error; unsigned short ioprio; char rwbs[10]; __data_loc char[] cmd",
	  .fmt = "%d,%d %s (%s) %llu + %u %s,%u,%u [%d]",
	  .args = DEV("dev") ", rwbs, cmd, sector, nr_sector, " IOPRIO ", error" },
	{ "block", "block_rq_complete block_rq_error",
	  SECTORS "int error; char rwbs[8]; __data_loc char[] cmd",
	  .fmt = "%d,%d %s (%s) %llu + %u [%d]",
	  .args = DEV("dev") ", rwbs, cmd, sector, nr_sector, error" },
	{ "block", "block_rq_requeue",
	  SECTORS "unsigned short ioprio; char rwbs[10]; __data_loc char[] cmd",
	  .fmt = "%d,%d %s (%s) %llu + %u %s,%u,%u [%d]",
	  .args = DEV("dev") ", rwbs, cmd, sector, nr_sector, " IOPRIO ", 0" },
	{ "block", "block_rq_requeue block_rq_abort",
	  SECTORS "int errors; char rwbs[8]; __data_loc char[] cmd",
	  .fmt = "%d,%d %s (%s) %llu + %u [%d]",
	  .args = DEV("dev") ", rwbs, cmd, sector, nr_sector, errors" },
	{ "block",
	  "block_bio_queue block_bio_backmerge block_bio_frontmerge block_bio_bounce block_getrq "
	  "block_sleeprq", SECTORS "char rwbs[10]; char comm[16]", .fmt = "%d,%d %s %llu + %u [%s]",
	  .args = DEV("dev") ", rwbs, sector, nr_sector, comm" },
	{ "block", "block_bio_complete", SECTORS "int error; char rwbs[10]",
	  .fmt = "%d,%d %s %llu + %u [%d]", .args = DEV("dev") ", rwbs, sector, nr_sector, error" },
	{ "block", "block_bio_remap block_rq_remap",
	  SECTORS "dev_t old_dev; sector_t old_sector; char rwbs[10]",
	  .fmt = "%d,%d %s %llu + %u <- (%d,%d) %llu",
	  .args = DEV("dev") ", rwbs, sector, nr_sector, " DEV("old_dev") ", old_sector" },
	{ "block", "block_rq_remap",
	  SECTORS "dev_t old_dev; sector_t old_sector; unsigned int nr_bios; char rwbs[10]",
	  .fmt = "%d,%d %s %llu + %u <- (%d,%d) %llu %u",
	  .args = DEV("dev") ", rwbs, sector, nr_sector, " DEV("old_dev") ", old_sector, nr_bios" },
	{ "block", "block_split",
	  "dev_t dev; sector_t sector; sector_t new_sector; char rwbs[10]; char comm[16]",
	  .fmt = "%d,%d %s %llu / %llu [%s]",
	  .args = DEV("dev") ", rwbs, sector, new_sector, comm" },
	{ "block", "block_plug", "char comm[16]", .fmt = "[%s]" },
	{ "block", "block_unplug", "int nr_rq; char comm[16]", .fmt = "[%s] %d",
	  .args = "comm, nr_rq" },
	{ "block", "block_touch_buffer block_dirty_buffer",
	  "dev_t dev; sector_t sector; size_t size", .fmt = "%d,%d sector=%llu size=%zu",
	  .args = DEV("dev") ", sector, size" },
	{ "lock", "contention_begin", "void * lock_addr; unsigned int flags",
	  .fmt = "%p (flags=%s)", .args = CONTENTION },
	{ "lock", "contention_end", "void * lock_addr; int ret", .fmt = "%p (ret=%d)" },
	{ "signal", "signal_generate",
	  "int sig; int errno; int code; char comm[16]; pid_t pid; int group; int result",
	  .fmt = "sig=%d errno=%d code=%d comm=%s pid=%d grp=%d res=%d" },
	{ "signal", "signal_deliver",
	  "int sig; int errno; int code; unsigned long sa_handler; unsigned long sa_flags",
	  .fmt = "sig=%d errno=%d code=%d sa_handler=%lx sa_flags=%lx" },
	{ "power", "cpu_frequency cpu_idle", "u32 state; u32 cpu_id", .fmt = "state=%lu cpu_id=%lu",
	  .args = "(unsigned long)REC->state, (unsigned long)REC->cpu_id" },
	{ "power", "cpu_frequency_limits", "u32 min_freq; u32 max_freq; u32 cpu_id",
	  .fmt = "min=%lu max=%lu cpu_id=%lu",
	  .args = "(unsigned long)REC->min_freq, (unsigned long)REC->max_freq, "
	  "(unsigned long)REC->cpu_id" },
	{ "power", "cpu_idle_miss", "u32 cpu_id; u32 state; bool below",
	  .fmt = "cpu_id=%lu state=%lu type=%s",
	  .args = "(unsigned long)REC->cpu_id, (unsigned long)REC->state, " YES_NO("below",
	  "below", "above") },
	{ "power", "clock_enable clock_disable clock_set_rate", NAME "; u64 state; u64 cpu_id",
	  .fmt = "%s state=%lu cpu_id=%lu" },
	{ "power", "wakeup_source_activate wakeup_source_deactivate", NAME "; u64 state",
	  .fmt = "%s state=0x%lx" },
	{ "power", "suspend_resume", "__data_loc char[] action; int val; bool start",
	  .fmt = "%s[%u] %s", .args = "action, val, " YES_NO("start", "begin", "end") },
	{ "kmem", "kfree", CALL_SITE, .fmt = "call_site=%pS ptr=%p" },
	{ "kmem", "kmem_cache_free", CALL_SITE "; " NAME, .fmt = "call_site=%pS ptr=%p name=%s" },
	{ "kmem", "kmem_cache_free", CALL_SITE, .fmt = "call_site=%pS ptr=%p" },
	{ "kmem", "kfree kmem_cache_free", CALL_SITE, .fmt = "call_site=%lx ptr=%p" },
	{ "kmem", "kmalloc kmem_cache_alloc", ALLOC "; int node; bool accounted",
	  .fmt = ALLOC_FMT("%pS") " node=%d accounted=%s",
	  .args = ALLOC_ARGS ", node, " YES_NO("accounted", "true", "false") },
	{ "kmem", "kmalloc kmem_cache_alloc kmalloc_node kmem_cache_alloc_node", ALLOC "; int node",
	  .fmt = ALLOC_FMT("%pS") " node=%d" },
	{ "kmem", "kmalloc kmem_cache_alloc kmalloc_node kmem_cache_alloc_node", ALLOC,
	  .fmt = ALLOC_FMT("%pS") },
	{ "kmem", "kmalloc kmem_cache_alloc kmalloc_node kmem_cache_alloc_node", ALLOC "; int node",
	  .fmt = ALLOC_FMT("%lx") " node=%d" },
	{ "kmem", "kmalloc kmem_cache_alloc kmalloc_node kmem_cache_alloc_node", ALLOC,
	  .fmt = ALLOC_FMT("%lx") },
	{ "kmem", "mm_page_alloc",
	  PAGE "unsigned int order; int migratetype; __data_loc char[] gfp_flags",
	  .fmt = "page=%p pfn=0x%lx order=%d migratetype=%d gfp_flags=%s" },
	{ "kmem", "mm_page_alloc",
	  PAGE "unsigned int order; int migratetype; __data_loc char[] gfp_flags",
	  .fmt = "page=%p pfn=%lu order=%d migratetype=%d gfp_flags=%s" },
	{ "kmem", "mm_page_free", PAGE "unsigned int order", .fmt = "page=%p pfn=0x%lx order=%d" },
	{ "kmem", "mm_page_free", PAGE "unsigned int order", .fmt = "page=%p pfn=%lu order=%d" },
	{ "kmem", "mm_page_free_batched", "void * page; unsigned long pfn",
	  .fmt = "page=%p pfn=0x%lx order=0" },
	{ "kmem", "mm_page_free_batched", "void * page; unsigned long pfn",
	  .fmt = "page=%p pfn=%lu order=0" },
	{ "kmem", "mm_page_pcpu_drain", PAGE "unsigned int order; int migratetype",
	  .fmt = "page=%p pfn=0x%lx order=%d migratetype=%d" },
	{ "kmem", "mm_page_pcpu_drain", PAGE "unsigned int order; int migratetype",
	  .fmt = "page=%p pfn=%lu order=%d migratetype=%d" },
	{ "kmem", "mm_page_alloc_zone_locked",
	  PAGE "unsigned int order; int migratetype; int percpu_refill",
	  .fmt = "page=%p pfn=0x%lx order=%u migratetype=%d percpu_refill=%d" },
	{ "kmem", "mm_page_alloc_zone_locked",
	  PAGE "unsigned int order; int migratetype; int percpu_refill",
	  .fmt = "page=%p pfn=%lu order=%u migratetype=%d percpu_refill=%d" },
	{ "kmem", "rss_stat", "unsigned int mm_id; unsigned int curr; int member; long size",
	  .fmt = "mm_id=%u curr=%d type=%s size=%ldB",
	  .args = "mm_id, curr, __print_symbolic(REC->member, " RSS_TYPES "), size" },
	{ "kmem", "rss_stat", "unsigned int mm_id; unsigned int curr; int member; long size",
	  .fmt = "mm_id=%u curr=%d member=%d size=%ldB" },
	{ "net", "net_dev_queue netif_receive_skb netif_rx",
	  "void * skbaddr; unsigned int len; " NAME, .fmt = "dev=%s skbaddr=%p len=%u",
	  .args = "name, skbaddr, len" },
	{ "net", "net_dev_xmit", "void * skbaddr; unsigned int len; int rc; " NAME,
	  .fmt = "dev=%s skbaddr=%p len=%u rc=%d", .args = "name, skbaddr, len, rc" },
	{ "napi", "napi_poll",
	  "struct napi_struct * napi; __data_loc char[] dev_name; int work; int budget",
	  .fmt = "napi poll on napi struct %p for device %s work %d budget %d" },
	{ "napi", "napi_poll", "struct napi_struct * napi; __data_loc char[] dev_name",
	  .fmt = "napi poll on napi struct %p for device %s" },
	{ "skb", "consume_skb", "void * skbaddr; void * location",
	  .fmt = "skbaddr=%p location=%pS" },
	{ "skb", "consume_skb", "void * skbaddr", .fmt = "skbaddr=%p" },
	{ "skb", "kfree_skb",
	  "void * skbaddr; void * location; void * rx_sk; unsigned short protocol; "
	  "__data_loc char[] reason",
	  .fmt = "skbaddr=%p rx_sk=%p protocol=%u location=%pS reason: %s",
	  .args = "skbaddr, rx_sk, protocol, location, reason" },
	{ "skb", "kfree_skb",
	  "void * skbaddr; void * location; unsigned short protocol; __data_loc char[] reason",
	  .fmt = "skbaddr=%p protocol=%u location=%pS reason: %s",
	  .args = "skbaddr, protocol, location, reason" },
	{ "skb", "kfree_skb", "void * skbaddr; void * location; unsigned short protocol",
	  .fmt = "skbaddr=%p protocol=%u location=%p", .args = "skbaddr, protocol, location" },
	{ "kvm", "kvm_entry", "unsigned int vcpu_id; unsigned long rip",
	  .fmt = "vcpu %u, rip 0x%lx" },
	{ "kvm", "kvm_entry", "unsigned int vcpu_id; unsigned long rip",
	  .fmt = "vcpu %u, rip 0x%lx[immediate exit]" },
	{ "kvm", "kvm_entry", "unsigned int vcpu_id; unsigned long rip",
	  .fmt = "vcpu %u, rip 0x%lx", .text = "vcpu %u rip 0x%lx" },
	{ "kvm", "kvm_entry", "unsigned int vcpu_id", .fmt = "vcpu %u" },
	{ "kvm", "kvm_entry", "unsigned long vcpu_pc", .fmt = "PC: 0x%016lx" },
	{ "kvm", "kvm_exit",
	  "__data_loc char[] exit_reason; unsigned long guest_rip; u64 info1; u64 info2; "
	  "u32 intr_info; u32 error_code; unsigned int vcpu_id",
	  .fmt = "vcpu %u reason %s rip 0x%lx info1 0x%016llx info2 0x%016llx intr_info 0x%08x "
	  "error_code 0x%08x",
	  .args = "vcpu_id, exit_reason, guest_rip, info1, info2, intr_info, error_code" },
	{ "kvm", "kvm_exit",
	  "__data_loc char[] exit_reason; unsigned long guest_rip; u64 info1; u64 info2",
	  .fmt = "reason %s rip 0x%lx info %llx %llx" },
	{ "kvm", "kvm_exit",
	  "__data_loc char[] ret; unsigned int esr_ec; __data_loc char[] esr_name; "
	  "unsigned long vcpu_pc",
	  .fmt = "%s: HSR_EC: 0x%04x (%s), PC: 0x%016lx" },
	{ "kvm", "kvm_page_fault",
	  "unsigned int vcpu_id; unsigned long guest_rip; u64 fault_address; u64 error_code",
	  .fmt = "vcpu %u rip 0x%lx address 0x%016llx error_code 0x%llx" },
	{ "kvm", "kvm_eoi", "__u32 apicid; int vector", .fmt = "apicid %x vector %d" },
	{ "rcu", "rcu_utilization", "__data_loc char[] s", .fmt = "%s" },
	{ "oom", "oom_score_adj_update", COMM_OOM, .fmt = "pid=%d comm=%s oom_score_adj=%hd" },
	{ "oom", "mark_victim",
	  "int pid; __data_loc char[] comm; unsigned long total_vm; unsigned long anon_rss; "
	  "unsigned long file_rss; unsigned long shmem_rss; uid_t uid; unsigned long pgtables; "
	  "short oom_score_adj",
	  .fmt = "pid=%d comm=%s total-vm=%lukB anon-rss=%lukB file-rss:%lukB shmem-rss:%lukB "
	  "uid=%u pgtables=%lukB oom_score_adj=%hd" },
	{ "oom", "mark_victim", "int pid", .fmt = "pid=%d" },
	{ "gpu_mem", "gpu_mem_total", "uint32_t gpu_id; uint32_t pid; uint64_t size",
	  .fmt = "gpu_id=%u pid=%u size=%llu" },
	{ "vmscan", "mm_vmscan_direct_reclaim_begin", "int order; __data_loc char[] gfp_flags",
	  .fmt = "order=%d gfp_flags=%s" },
	{ "vmscan", "mm_vmscan_direct_reclaim_end", "unsigned long nr_reclaimed",
	  .fmt = "nr_reclaimed=%lu" },
	{ "vmscan", "mm_vmscan_kswapd_sleep", "int nid", .fmt = "nid=%d" },
	{ "vmscan", "mm_vmscan_kswapd_wake", "int nid; int order", .fmt = "nid=%d order=%d" },
	{ "compaction", "mm_compaction_begin",
	  "unsigned long zone_start; unsigned long migrate_pfn; unsigned long free_pfn; "
	  "unsigned long zone_end; bool sync",
	  .fmt = "zone_start=0x%lx migrate_pfn=0x%lx free_pfn=0x%lx zone_end=0x%lx, mode=%s",
	  .args = "zone_start, migrate_pfn, free_pfn, zone_end, " YES_NO("sync", "sync", "async") },
	{ "compaction", "mm_compaction_end",
	  "unsigned long zone_start; unsigned long migrate_pfn; unsigned long free_pfn; "
	  "unsigned long zone_end; bool sync; __data_loc char[] status",
	  .fmt = "zone_start=0x%lx migrate_pfn=0x%lx free_pfn=0x%lx zone_end=0x%lx, "
	  "mode=%s status=%s",
	  .args = "zone_start, migrate_pfn, free_pfn, zone_end, " YES_NO("sync", "sync", "async")
	  ", status" },
	{ "thermal", "thermal_temperature",
	  "__data_loc char[] thermal_zone; int id; int temp_prev; int temp",
	  .fmt = "thermal_zone=%s id=%d temp_prev=%d temp=%d" },
};

/* Returns true if @name is one of the words of @names. */
static bool has_name(const char *names, const char *name)
{
	size_t len = strlen(name), n;

	for (; *names; names += n + (names[n] == ' ')) {
		n = strcspn(names, " ");
		if (n == len && !memcmp(names, name, n))
			return true;
	}
	return false;
}

const struct known_event *known_event_next(const char *name, const struct known_event *prev)
{
	const struct known_event *k = prev ? prev + 1 : events;

	for (; k < events + sizeof(events) / sizeof(*events); k++)
		if (has_name(k->names, name))
			return k;
	return NULL;
}

/* --- fields */

static const struct field_type {
	const char *name;
	unsigned int size;
	bool     is_signed;
} types[] = {
	{ "__data_loc char[]", 4, false }, { "char", 1, false }, { "bool", 1, false },
	{ "short", 2, true }, { "unsigned short", 2, false }, { "int", 4, true },
	{ "pid_t", 4, true }, { "unsigned int", 4, false }, { "u32", 4, false },
	{ "__u32", 4, false }, { "uint32_t", 4, false }, { "dev_t", 4, false },
	{ "uid_t", 4, false },
	{ "long", 8, true }, { "s64", 8, true }, { "unsigned long", 8, false },
	{ "unsigned long long", 8, false }, { "u64", 8, false }, { "uint64_t", 8, false },
	{ "size_t", 8, false }, { "sector_t", 8, false },
};

/* Returns the type of the declaration of @len bytes, whose name has @name_len of them. */
static struct field_type find_type(const char *decl, size_t len, size_t name_len)
{
	size_t n = len - name_len;

	while (n && decl[n - 1] == ' ')
		n--;
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (strlen(types[i].name) == n && !memcmp(types[i].name, decl, n))
			return types[i];
	return (struct field_type){ "", 8, false };	/* a pointer */
}

/* Returns the length of the name at the end of a declaration, with the "[N]" of an array. */
static size_t name_len(const char *decl, size_t len)
{
	size_t n = len;

	while (n && decl[n - 1] != ' ')
		n--;
	return len - n;
}

void known_event_fields(const struct known_event *k, struct buf *out)
{
	unsigned int at = 8, size;
	size_t len, name;

	for (const char *p = k->fields; *p; p += len + strspn(p + len, "; ")) {
		struct field_type t;
		const char *open;

		len = strcspn(p, ";");
		name = name_len(p, len);
		t = find_type(p, len, name);
		open = memchr(p + len - name, '[', name);
		size = t.size * (open ? atoi(open + 1) : 1);
		at = (at + t.size - 1) & ~(t.size - 1);
		buf_printf(out, "\tfield:%.*s;\toffset:%u;\tsize:%u;\tsigned:%d;\n", (int)len, p,
			   at, size, t.is_signed);
		at += size;
	}
}

bool known_event_has_number(const char *event, const char *field)
{
	const struct known_event *k = NULL;
	size_t len, name, n = strlen(field);

	while ((k = known_event_next(event, k)))
		for (const char *p = k->fields; *p; p += len + strspn(p + len, "; ")) {
			len = strcspn(p, ";");
			name = name_len(p, len);
			if (name == n && !memcmp(p + len - n, field, n))
				return !memmem(p, len, "char", strlen("char"));
		}
	return false;
}

/* --- print fmts */

/* Appends the field @name as an argument. */
static void add_field(const struct known_event *k, const char *name, size_t n, struct buf *out)
{
	static const char loc[] = "__data_loc ";
	size_t len;

	for (const char *p = k->fields; *p; p += len + strspn(p + len, "; ")) {
		len = strcspn(p, ";");
		if (name_len(p, len) == n && !memcmp(p + len - n, name, n) &&
		    !strncmp(p, loc, sizeof(loc) - 1)) {
			buf_printf(out, ", __get_str(%.*s)", (int)n, name);
			return;
		}
	}
	buf_printf(out, ", REC->%.*s", (int)n, name);
}

/* Returns the length of the argument at @p, up to a comma outside of brackets. */
static size_t arg_len(const char *p)
{
	size_t n = 0;
	int depth = 0;

	for (; p[n] && (depth || p[n] != ','); n++) {
		depth += p[n] == '(' || p[n] == '{';
		depth -= p[n] == ')' || p[n] == '}';
	}
	return n;
}

static void add_print(const struct known_event *k, const char *fmt, const char *args,
		      struct buf *out)
{
	static const char word[] = "abcdefghijklmnopqrstuvwxyz_0123456789";
	size_t n;

	buf_printf(out, "\"%s\"", fmt);
	for (const char *p = k->fields; !args && *p; p += n + strspn(p + n, "; ")) {
		n = strcspn(p, ";");
		add_field(k, p + n - name_len(p, n), strcspn(p + n - name_len(p, n), "[;"), out);
	}
	for (; args && *args; args += n + strspn(args + n, ", ")) {
		n = arg_len(args);
		if (strspn(args, word) == n && (*args < '0' || *args > '9'))
			add_field(k, args, n, out);
		else
			buf_printf(out, ", %.*s", (int)n, args);
	}
}

void known_event_print(const struct known_event *k, struct buf *out)
{
	add_print(k, k->fmt, k->args, out);
}

void known_event_text(const struct known_event *k, struct buf *out)
{
	add_print(k, k->text ? k->text : k->fmt, k->text ? k->text_args : k->args, out);
}
