#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs inside a guest, started by agree.sh: recordings for the comparison with trace-cmd, and a small one with the
# kernel's own text of it. inside/agree.sh LOAD

LOAD=$1
SELF=$(readlink -f "$0")
T=/sys/kernel/tracing
EVENTS="sched irq irq_vectors timer syscalls raw_syscalls kmem writeback signal task workqueue module block ipi cgroup
	filelock mmap vmalloc percpu skb sock tcp udp net napi qdisc csd power rcu notifier maple_tree oom avc
	timer_migration pagemap filemap tlb x86_fpu context_tracking exceptions migrate compaction alarmtimer
	netlink fib neigh icmp printk"

cd "$OUT" || exit 1

# Not all kernels have all of them.
events() {
	local e
	for e in $EVENTS; do
		[ ! -d "$T/events/$e" ] || echo "$1$e"
	done
}

# What the recorded command does: the load proper, a few programs, and a module that comes and goes (one that allocates
# nothing: what its code did cannot be named when it is gone).
load() {
	cd /tmp || return
	"$LOAD"
	modprobe nls_utf8
	modprobe -r nls_utf8
	ls -l /proc/self/fd | sort | wc -l
}

# Two at a time: leaf calls whose return is the next record of their CPU, but not of all.
graph() {
	"$FTR" record -p function_graph -l 'vfs_*' -o graph.dat -- \
		sh -c 'ls -lR /etc/[a-o]* & ls -lR /etc/[p-z]*; wait' > ls.txt 2> graph.err
}

many() {
	# shellcheck disable=SC2046
	"$FTR" record -p function -l 'ksys_*' -l 'vfs_*' -b 16M $(events '-e ') \
		-e sched:sched_process_exec -R stacktrace -e sched:sched_wakeup_new -R stacktrace \
		-o many.dat -- bash "$SELF" "$LOAD" load > many.out 2> many.err
}

# A sample of the same events from the same buffer: as the kernel's text, then as records.
kernel() {
	echo 0 > $T/tracing_on
	echo 4096 > $T/buffer_size_kb
	echo 16384 > $T/saved_cmdlines_size
	echo 'ksys_* vfs_*' > $T/set_ftrace_filter
	echo "$1" > $T/current_tracer
	[ "$1" = function_graph ] || events '' | sed 's/$/:*/' > $T/set_event
	echo 1 > $T/tracing_on
	"$LOAD"
	echo 0 > $T/tracing_on
	echo > $T/set_event
	cat $T/trace > "kernel-$1.txt"
	trace-cmd extract -o "kernel-$1.dat" > kernel.out 2>&1
	echo nop > $T/current_tracer
	echo > $T/set_ftrace_filter
}

if [ "${2:-}" = load ]; then
	load
	exit
fi
graph && many && kernel function && kernel function_graph && : > done
status=$?
# trace-cmd left sizes, and tracing off
"$FTR" reset --all > /dev/null 2>&1
"$FTR" reset > /dev/null 2>&1
exit $status
