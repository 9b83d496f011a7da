#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Texts without flags: whether a record was in an interrupt is known by the events around it alone. The wanted wakers
# are found by hand, by what each line is in.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 1

# line TASK-PID CPU MICROSECOND EVENT TEXT: without the column of flags
line() { printf '%16s-%-7s [%03d]    100.%06d: %s: %s\n' "${1%-*}" "${1##*-}" "$2" "$3" "$4" "$5"; }

slept() {
	line "$1" "$2" "$3" sched_switch "prev_comm=${1%-*} prev_pid=${1##*-} prev_prio=120 prev_state=S ==> \
next_comm=${4%-*} next_pid=${4##*-} next_prio=120"
}

preempted() { slept "$@" | sed 's/prev_state=S/prev_state=R/'; }

waking() {
	line "$1" "$2" "$3" sched_waking "comm=${4%-*} pid=${4##*-} prio=120 target_cpu=000"
}

# woken TEXT-FILE: the wakers, in the order of time; "-": not known
woken() {
	"$FTR" sql -i "$1" "SELECT coalesce(waker, '-') AS waker FROM wakeup WHERE ts ORDER BY ts" 2> err |
		sed 1d | tr '\n' ';'
}

# All that may interrupt a task, and a waking in each. $1: a line between that and the last waking, which is of task 11.
scene() {
	echo '# tracer: nop'
	line aa-11 0 1 sys_enter 'NR 1 (1, 2, 3, 4, 5, 6)'
	slept bb-22 1 2 aa-11
	slept cc-33 1 3 aa-11
	slept dd-44 1 4 aa-11
	slept irq/25-x-55 1 5 aa-11
	slept ksoftirqd/0-66 1 6 aa-11
	slept ee-77 1 7 swapper/1-0
	line aa-11 0 10 irq_handler_entry 'irq=25 name=virtio0'
	waking aa-11 0 11 bb-22
	line aa-11 0 12 irq_handler_exit 'irq=25 ret=handled'
	waking aa-11 0 13 irq/25-x-55
	line aa-11 0 14 softirq_entry 'vec=3 [action=NET_RX]'
	line aa-11 0 15 hrtimer_expire_entry 'hrtimer=00000000a1 function=tick_nohz_handler now=1'
	waking aa-11 0 16 cc-33
	line aa-11 0 17 hrtimer_expire_exit 'hrtimer=00000000a1'
	waking aa-11 0 18 dd-44
	line aa-11 0 19 softirq_exit 'vec=3 [action=NET_RX]'
	waking aa-11 0 20 ksoftirqd/0-66
	[ -z "$1" ] || eval "$1"
	waking aa-11 0 40 ee-77
	slept aa-11 0 50 bb-22
	slept bb-22 0 51 cc-33
	slept cc-33 0 52 dd-44
	slept dd-44 0 53 irq/25-x-55
	slept irq/25-x-55 0 54 ksoftirqd/0-66
	slept ksoftirqd/0-66 0 55 ee-77
}
IN='irq 25 (virtio0);hard interrupt;timer;softirq NET_RX;soft interrupt;'

inside() {
	scene '' > some.txt
	same 'wakings in interrupts have these as wakers, that of the task may be in one' "$IN-;" "$(woken some.txt)"
	has 'it is said' "$(cat err)" 'no flags of 25 records, no tasks that woke others'
	scene 'line aa-11 0 30 local_timer_entry vector=236; line aa-11 0 31 local_timer_exit vector=236' > all.txt
	same 'with the events of all interrupts the task is the waker' "${IN}aa-11;" "$(woken all.txt)"
	has 'only the flags are said to be missing' "$(cat err)" 'no flags of 27 records$'
	scene 'line aa-11 0 30 reschedule_entry vector=253' > open.txt
	same 'but not in an interrupt that is open' "${IN}interrupt reschedule;" "$(woken open.txt)"
	scene 'line aa-11 0 30 reschedule_exit vector=253' > lone.txt
	same 'nor where the start of one is missing' "$IN-;" "$(woken lone.txt)"
	{ scene 'line aa-11 0 30 reschedule_entry vector=253; line aa-11 0 31 sys_exit "NR 1 = 0"'; } > left.txt
	same 'a system call that ends shows that an interrupt has' "${IN}aa-11;" "$(woken left.txt)"
}

# With PREEMPT_RT a softirq is a part of its task, which is preempted in it.
realtime() {
	{
		scene 'line aa-11 0 30 local_timer_entry vector=236; line aa-11 0 31 local_timer_exit vector=236'
		line ee-77 0 60 softirq_entry 'vec=1 [action=TIMER]'
		preempted ee-77 0 61 aa-11
		slept bb-22 1 62 swapper/1-0
		waking aa-11 0 63 bb-22
		slept aa-11 0 64 ee-77
		slept cc-33 1 65 swapper/1-0
		waking ee-77 0 66 cc-33
		line ee-77 0 67 softirq_exit 'vec=1 [action=TIMER]'
		slept ee-77 0 68 bb-22
		slept bb-22 0 69 cc-33
	} > rt.txt
	# the wait of the preempted task has the waker that it had before
	same 'a preempted softirq is no context of the other task' "${IN}aa-11;aa-11;aa-11;soft interrupt;" \
		"$(woken rt.txt)"
}

# softirqs TASK: the time in softirqs on CPU 0: one in TASK is preempted after 1 us, for 3 us, and takes 3 us more
softirqs() {
	{
		slept swapper/0-0 0 59 "$1"
		line "$1" 0 60 softirq_entry 'vec=1 [action=TIMER]'
		preempted "$1" 0 61 aa-11
		slept aa-11 0 64 "$1"
		line "$1" 0 67 softirq_exit 'vec=1 [action=TIMER]'
		slept "$1" 0 68 swapper/0-0
	} > soft.txt
	"$FTR" sched states soft.txt 2> /dev/null | awk '/^# CPU/ { getline; print $NF }'
}

softirq_times() {
	same 'with PREEMPT_RT a softirq takes no time while its task is preempted' 0.004 "$(softirqs ktimers/0-18)"
	same 'the same before 6.1' 0.004 "$(softirqs ktimersoftd/0-18)"
	same 'without it there is no task in which it would be' 0.007 "$(softirqs ee-77)"
}

# Flags that are not known are not shown as those of a task with interrupts on.
shown() {
	line aa-11 0 10 irq_handler_entry 'irq=25 name=virtio0' > one.txt
	same 'JSON has no flags' null "$("$FTR" report -q --json one.txt | jq -c .flags)"
	same 'a line has blanks in their place' 'aa-11 [000] 100.000010: irq_handler_entry: irq=25 name=virtio0' \
		"$("$FTR" report -q one.txt | xargs)"
	"$FTR" report -q --format=kernel one.txt | grep -v '^#' > got
	same_files 'the kernel prints no column of flags' one.txt got
	"$FTR" sql -i one.txt 'SELECT common_flags AS f FROM ftrace_event' > got 2> err
	same 'SQL has no flags' '' "$(sed 1d got | xargs)"
}

inside
realtime
softirq_times
shown
finish
