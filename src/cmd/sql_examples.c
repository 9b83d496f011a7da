/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/sql_examples.h"

#include <stdio.h>

/* A query whose event a file lacks fails: those of one event come last. */
static const struct {
	const char *about, *query;
} examples[] = {
	{ "How often did each event come?",
	  "SELECT name, count(*) AS n FROM ftrace_event GROUP BY name ORDER BY n DESC" },
	{ "Which tasks used the CPUs most?",
	  "SELECT name, tid, dur(sum(dur)) AS time FROM sched_slice JOIN thread USING (utid)\n"
	  "WHERE NOT is_idle GROUP BY utid ORDER BY sum(dur) DESC LIMIT 10" },
	{ "And which processes, with all of their threads?",
	  "SELECT process.name, pid, count(DISTINCT utid) AS threads, dur(sum(dur)) AS time\n"
	  "FROM sched_slice JOIN thread USING (utid) JOIN process USING (upid)\n"
	  "GROUP BY upid ORDER BY sum(dur) DESC LIMIT 10" },
	{ "How busy was each CPU?",
	  "SELECT cpu, round(100.0 * sum(dur) FILTER (WHERE tid) / sum(dur), 1) AS percent\n"
	  "FROM sched_slice GROUP BY cpu" },
	{ "How long did tasks wait for a CPU, by powers of two?",
	  "SELECT hist(dur) FROM wakeup" },
	{ "The p99 of each CPU's wakeups for each second:",
	  "SELECT ts / 1000000000 AS second, cpu, dur(percentile(dur, 99)) AS p99 FROM wakeup\n"
	  "GROUP BY second, cpu" },
	{ "Who woke whom, and how long did it take until it ran?",
	  "SELECT waker, comm, count(*) AS n, dur(avg(dur)) AS average, dur(max(dur)) AS longest\n"
	  "FROM wakeup GROUP BY waker, comm ORDER BY n DESC LIMIT 20" },
	{ "Who had the CPU while others waited for it?",
	  "SELECT a1 AS waits, b1 AS runs, dur(sum(dur)) AS time FROM overlap(\n"
	  "'SELECT ts, dur, cpu, comm FROM wakeup',\n"
	  "'SELECT ts, dur, cpu, comm FROM sched_slice', 'cpu')\n"
	  "GROUP BY waits, runs ORDER BY sum(dur) DESC LIMIT 20" },
	{ "The longest states of uninterruptible sleep:",
	  "SELECT comm, tid, ts, dur(dur) AS time FROM thread_state WHERE state LIKE 'D%'\n"
	  "ORDER BY dur DESC LIMIT 10" },
	{ "Which system calls took the most time?",
	  "SELECT name, count(*) AS n, dur(sum(dur)) AS time, dur(percentile(dur, 99)) AS p99,\n"
	  "dur(max(dur)) AS longest FROM slice WHERE category = 'syscall'\n"
	  "GROUP BY name ORDER BY sum(dur) DESC LIMIT 20" },
	{ "Which system calls failed, and how?",
	  "SELECT name, errno_name(ret) AS error, count(*) AS n FROM slice\n"
	  "WHERE category = 'syscall' AND ret < 0 GROUP BY name, ret ORDER BY n DESC LIMIT 20" },
	{ "What did tasks do inside of their read() calls?",
	  "SELECT b1 AS state, dur(sum(dur)) AS time FROM overlap(\n"
	  "'SELECT ts, dur, utid FROM slice WHERE name = ''read''',\n"
	  "'SELECT ts, dur, utid, state FROM thread_state', 'utid') GROUP BY state" },
	{ "How long did interrupts and softirqs take?",
	  "SELECT category, name, cpu, count(*) AS n, dur(sum(dur)) AS time,\n"
	  "dur(max(dur)) AS longest FROM slice WHERE category IN ('irq', 'softirq')\n"
	  "GROUP BY 1, 2, 3 ORDER BY sum(dur) DESC" },
	{ "Which functions of function_graph took the most time of their own?",
	  "SELECT name, count(*) AS n, dur(sum(self_dur)) AS self, dur(sum(dur)) AS total\n"
	  "FROM slice WHERE category = 'function_graph'\n"
	  "GROUP BY name ORDER BY sum(self_dur) DESC LIMIT 20" },
	{ "How long did each device need for its requests?",
	  "SELECT dev, rwbs, count(*) AS n, dur(percentile(dur, 50)) AS median,\n"
	  "dur(percentile(dur, 99)) AS p99 FROM block_io GROUP BY dev, rwbs ORDER BY n DESC" },
	{ "Which locks were waited for, and who was in the way?",
	  "SELECT name, comm, waker_comm, count(*) AS n, dur(sum(dur)) AS time FROM lock_wait\n"
	  "GROUP BY 1, 2, 3 ORDER BY sum(dur) DESC LIMIT 20" },
	{ "Where were events lost, and how many?",
	  "SELECT buffer, cpu, count(*) AS places, sum(events) AS events FROM lost GROUP BY 1, 2" },
	{ "The most frequent tasks of each event:",
	  "SELECT name, top(comm, 3) AS tasks FROM ftrace_event GROUP BY name" },
	{ "Why did the longest sleep take its time?",
	  "SELECT what, \"in\", cause, dur(time) AS time FROM (SELECT * FROM thread_state\n"
	  "WHERE state LIKE 'S%' ORDER BY dur DESC LIMIT 1) s,\n"
	  "why(s.tid, s.ts, s.ts + s.dur) w WHERE w.depth = 0" },
	{ "From where did tasks leave the CPU, as the lines of a flame graph?",
	  "SELECT stack(stack) || ' ' || count(*) AS stacks FROM sched_switch\n"
	  "WHERE stack GROUP BY stack" },
	{ "Who took the CPU away from whom?",
	  "SELECT prev_comm, next_comm, count(*) AS n FROM sched_switch\n"
	  "WHERE prev_state = 0 AND prev_pid > 0 GROUP BY 1, 2 ORDER BY n DESC LIMIT 20" },
	{ "How long from a waking to the task's sched_switch, as a pair of events?",
	  "SELECT key AS pid, count(*) AS n, dur(max(dur)) AS longest\n"
	  "FROM pair('sched_waking', 'sched_switch', 'pid=next_pid')\n"
	  "GROUP BY key ORDER BY max(dur) DESC LIMIT 10" },
	{ "Which places in the kernel allocated the most memory?",
	  "SELECT sym(call_site) AS place, count(*) AS n, sum(bytes_alloc) AS bytes FROM kmalloc\n"
	  "GROUP BY call_site ORDER BY bytes DESC LIMIT 20" },
	{ "What was opened by the slowest openat() calls?",
	  "SELECT dur(s.dur) AS time, s.comm, e.text FROM (SELECT * FROM slice\n"
	  "WHERE name = 'openat' AND dur IS NOT NULL ORDER BY dur DESC LIMIT 10) s\n"
	  "JOIN sys_enter_openat e ON e.ts = s.ts AND e.tid = s.tid" },
};

void sql_print_examples(void)
{
	for (size_t i = 0; i < sizeof(examples) / sizeof(*examples); i++)
		printf("%s-- %s\n%s;\n", i ? "\n" : "", examples[i].about, examples[i].query);
}
