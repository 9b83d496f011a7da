#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# builds: plain
# ftr sql: queries of one text have the rows of Perfetto's own trace processor, but for the reasons in the table of
# tests/oracle/perfetto-sql.py, each of which some recording here needs. FTR_SQL_RECORDINGS: more recordings to compare.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"
cd "$TMP" || exit 1
. "$ORACLE/exported.sh"

if [ -n "$NO_PERFETTO" ]; then
	finish
	exit
fi

COUNTS=$TMP/counts

# compared NAME FILE: its rows, as ftr and Perfetto have them
compared() {
	NAME=$1
	if ! "$FTR" export -q --to perfetto -o "$2.pftrace" "$2" 2> err && ! grep -q '^ftr: damaged: ' err; then
		fail "$1: ftr export" "$(cat err)"
		return
	fi
	same_sql "$2"
}

fixtures() {
	local packed
	if [ ! -e "$FTR_FIXTURES_DIR/README.md" ]; then
		skip "fixtures" "no $FTR_FIXTURES_DIR"
		return
	fi
	for packed in "$FTR_FIXTURES_DIR"/*.dat.xz; do
		xz -dc "$packed" > a.dat
		compared "$(basename "$packed" .dat.xz)" a.dat
	done
}

random() {
	local seed
	for seed in 1 2 $((FTR_SEED % 1000000)); do
		python3 "$ORACLE/mkspans.py" "$seed" 1200 | case_file random
		compared "seed $seed" random0.dat
	done
}

# Cases in which the rules of spans.md and those of Perfetto differ, each for another reason.
cases() {
	local name
	for name in call-depth-gaps call-interrupted call-nests call-retaddr graph-min irq-nests latency-calls \
		lock-twice marker-loss probe-kprobe sched-first-row softirq-cpu softirq-rt-left \
		state-cpu-without-data state-exec-in-thread-late state-pids-fork state-wakeup-alone \
		state-woken-at-once state-woken-early state-woken-preempted state-woken-twice syscall-exit-group \
		task-renamed timeline-files waker-interrupts work-nests; do
		case_file case < "$FTR_TOP/tests/cases/spans/$name.txt" 2> err
		for file in case?.dat; do
			compared "$name" "$file"
		done
		rm -f case*
	done
}

# What neither of these has: a loss inside of a run, sys_exit() and the like, a mark and the write() of it, signals,
# wakings of a CPU without a switch before, fractions, two lives of a pid, wakings in another instance than switches.
by_hand() {
	case_file hand <<-'END'
	0 1000 0 . sched_switch prev_state=R next_pid=100 next_comm=one
	0 1050 100 . sys_enter id=15
	0 1060 100 . sys_exit id=-1
	0 1070 100 . signal_generate sig=9 comm=two pid=101
	0 1080 100 . print buf=C|100|load|7%0a
	0 1090 100 . print buf=C|100|load|2.5%0a
	0 1092 100 . print buf=B|100|%0a
	0 1094 100 . print buf=E|100%0a
	0 1095 100 . sys_enter id=1
	0 1096 100 . print buf=C|100|load|8%0a
	0 1097 100 . sys_exit id=1
	0 1100 100 . sched_switch prev_comm=one prev_state=S|D next_pid=101 next_comm=two
	0 1200 101 . sched_switch prev_comm=two prev_state=S next_pid=100 next_comm=one
	1 1300 102 . sched_waking pid=101 comm=two
	0 1400 100 . sched_switch prev_comm=one prev_state=S next_pid=101 next_comm=two
	0 1500 101 . sys_enter id=60
	0 1600 101 . sched_switch prev_comm=two prev_state=X next_pid=100 next_comm=one
	0 1700 100 . sched_process_fork child_pid=101 child_comm=three
	0 1800 100 . sched_switch prev_comm=one prev_state=S next_pid=101 next_comm=three
	0 1900 101 . sched_switch prev_comm=three prev_state=S next_pid=0
	END
	compared "by hand" hand0.dat
	case_file hand <<-'END'
	0 1000 0 . sched_switch prev_state=R next_pid=100 next_comm=one
	lost 0 9
	0 1700 100 . sched_switch prev_comm=one prev_state=S next_pid=0
	0 1800 0 . sched_switch prev_state=R next_pid=100 next_comm=one
	END
	compared "a loss" hand0.dat
	case_file hand <<-'END'
	0 1000 0 . sched_switch prev_state=R next_pid=100 next_comm=one
	0 1100 100 . sched_switch prev_comm=one prev_state=S next_pid=0
	0 1300 0 . sched_switch prev_state=R next_pid=100 next_comm=one
	BUFFER two
	0 1200 0 . sched_waking pid=100 comm=one
	END
	compared "two instances" hand0.dat
	# Perfetto ignores a pair of clocks that it has just had, also if another CPU had it.
	case_file hand <<-'END'
	1 1000 0 . sched_waking pid=100 comm=one
	0 1001 0 . sched_waking pid=101 comm=two
	0 1002 0 . sched_migrate_task pid=102
	END
	compared "CPUs that begin a nanosecond apart" hand0.dat
}

# Text of the kernel has events that the cases lack.
text() {
	"$FTR" import "$FTR_TOP/tests/cases/sql/tables.txt" -o text.dat 2> err
	compared "text" text.dat
}

more() {
	local file
	for file in ${FTR_SQL_RECORDINGS:-}; do
		cp "$file" more.dat
		compared "$file" more.dat
	done
}

fixtures
random
cases
by_hand
text
more
"$ORACLE/perfetto-sql.py" --needed "$COUNTS" || FAILED=1
finish
