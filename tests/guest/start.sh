#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr start, set, stop, restart, clear, reset: each option's effect in the buffer's text,
# and tracefs as it was after reset.
. "$(dirname "$0")/lib/inside.sh" 900

EV=sched:sched_process_exec	# cheap to enable, one a command

# text PATTERN [INSTANCE]: lines of the buffer that match, counted; the kernel's own text
text() {
	grep -Ec -e "$1" "$T/${2:+instances/$2/}trace"
}

# holds FILE PATTERN
holds() {
	has "$K: $NAME: $1" "$(cat "$T/$1")" "$2"
}

# put_back: the end of each part
put_back() {
	ran "$NAME: reset" 0 reset
	state_dump after
	check "$K: $NAME: reset puts all back" state_equal before after
	same "$K: $NAME: the buffer is empty again" 0 "$(text '^ .*-[0-9]+ ')"
	same "$K: $NAME: nothing stands" '' "$("$FTR" reset -n)"
	feature "$V_FTR" "$NAME" works
}

# begin NAME ARGS...: ftr start
begin() {
	NAME=$1
	shift
	ran "$NAME" 0 start "$@"
}

functions() {
	local n
	begin 'start -p function -l -n' -p function -l 'vfs_*' -n vfs_read
	n=$(grep -c '^vfs_' $T/available_filter_functions)
	has "$K: $NAME: what it says" "$(cat err)" \
		"^ftr: tracing the top level: tracer function; -l 'vfs_\*' matched $n functions\$"
	same "$K: $NAME: one line" 1 "$(wc -l < err)"
	/bin/cat /proc/version > version
	ran 'stop' 0 stop
	same "$K: stop: tracing_on" 0 "$(cat $T/tracing_on)"
	check "$K: $NAME: functions are in the buffer" test "$(text ': vfs_open <-')" -gt 0
	same "$K: $NAME: not vfs_read" 0 "$(text ': vfs_read <-')"
	same "$K: $NAME: no others" 0 "$(text ': [a-uw-z][a-z_]+ <-')"
	n=$(text '<-')
	/bin/cat /proc/version > version
	same "$K: stop: nothing comes" "$n" "$(text '<-')"
	ran 'stop again' 0 stop
	has "$K: stop again: says so" "$(cat err)" '^ftr: recording was already off: the top level$'
	ran restart 0 restart
	for i in 1 2; do taskset $i cat /proc/version > version; done
	ran stop 0 stop
	# with the tracer function the kernel empties the buffer when it is switched on; and one that is written to is
	# not read to its end
	check "$K: restart: it records" test "$(text '<-')" -gt 10
	ran 'clear -c' 0 clear -c 1
	same "$K: clear -c 1: CPU 1 is empty" 0 "$(grep -c '<-' $T/per_cpu/cpu1/trace)"
	check "$K: clear -c 1: CPU 0 is not" test "$(grep -c '<-' $T/per_cpu/cpu0/trace)" -gt 0
	ran clear 0 clear
	has "$K: clear: says how many" "$(cat err)" '^ftr: cleared the top level: [0-9]+ events?$'
	same "$K: clear: all is empty" 0 "$(text '<-')"
	same "$K: clear: the tracer stays" function "$(cat $T/current_tracer)"
	put_back
}

# What is off, and is none of the plan's.
off() {
	echo 0 > /proc/sys/kernel/ftrace_enabled
	begin 'start, ftrace_enabled 0' -p function -l vfs_open
	has "$K: $NAME: it is said" "$(cat err)" \
		'^ftr: warning: the function tracers are off \(sysctl kernel.ftrace_enabled is 0\)$'
	ran "$NAME: reset" 0 reset
	begin 'start -e, ftrace_enabled 0' -e sched:sched_switch
	same "$K: $NAME: it matters to functions alone" 0 "$(grep -c warning err)"
	ran "$NAME: reset" 0 reset
	echo 1 > /proc/sys/kernel/ftrace_enabled
	begin 'start, ftrace_enabled 1' -p function -l vfs_open
	same "$K: $NAME: nothing is off" 0 "$(grep -c warning err)"
	ran "$NAME: reset" 0 reset
	state_dump after
	check "$K: off: reset puts all back" state_equal before after
}

graph() {
	begin 'start -p function_graph -g --max-graph-depth -O' -p function_graph -g ksys_read --max-graph-depth 2 \
		-O nofuncgraph-irqs -O funcgraph-proc
	/bin/cat /proc/version > version
	ran stop 0 stop
	holds set_graph_function '^ksys_read$'
	holds max_graph_depth '^2$'
	holds options/funcgraph-proc '^1$'
	check "$K: $NAME: ksys_read is traced" test "$(text ' ksys_read\(\) \{')" -gt 0
	check "$K: $NAME: vfs_read below it" test "$(text '\|    vfs_read\(\);')" -gt 0
	same "$K: $NAME: two levels" 0 "$(text '\|      [a-z_]+\(')"
	put_back
}

events() {
	begin 'start -e -f -R -v -T' -e sched -f 'prev_pid > 0' -e $EV -R stacktrace -T -i \
		-v -e 'sched_stat_*'
	# shellcheck disable=SC2034
	for i in 1 2 3; do /bin/true; done
	ran stop 0 stop
	local n
	n=$(text 'sched_process_exec:')
	"$FTR" restart 2> err
	/bin/true
	"$FTR" stop 2> err
	same "$K: restart: events come behind those that are there" $((n + 2)) "$(text 'sched_process_exec:')"
	holds events/sched/sched_switch/filter '^prev_pid > 0$'
	holds events/sched/sched_process_exec/trigger '^stacktrace:unlimited$'
	holds options/stacktrace '^1$'
	same "$K: $NAME: -v" 0 "$(cat $T/events/sched/sched_stat_runtime/enable)"
	check "$K: $NAME: exec is there" test "$(text 'sched_process_exec: filename=/bin/true')" = 4
	check "$K: $NAME: switches are there" test "$(text 'sched_switch:')" -gt 0
	same "$K: $NAME: the filter drops" 0 "$(text 'sched_switch: .*prev_pid=0 ')"
	check "$K: $NAME: stacks are there" test "$(text '<stack trace>')" -gt 3
	put_back
}


command() {
	NAME='start -F -c -- CMD'
	ran "$NAME" 7 start -F -c -e $EV -- sh -c '/bin/true; /bin/true; exit 7'
	has "$K: $NAME: says that it stopped" "$(cat err)" '^ftr: recording is off; the setup stays until'
	/bin/true
	same "$K: $NAME: the command and its children alone" 3 "$(text 'sched_process_exec:')"
	same "$K: $NAME: the setup stays" 1 "$(cat $T/events/sched/sched_process_exec/enable)"
	same "$K: $NAME: off" 0 "$(cat $T/tracing_on)"
	put_back
	NAME='start --fork -- CMD'
	ran "$NAME" 0 start --fork -e $EV -- sh -c 'sleep 1; exec /bin/true'
	same "$K: $NAME: on" 1 "$(cat $T/tracing_on)"
	wait_for 'filename=/bin/true' $T/trace
	has "$K: $NAME: its records" "$(cat $T/trace)" "sched_process_exec: filename=/bin/true"
	put_back
	NAME='start -P'
	sleep 1000 &
	ran "$NAME" 0 start -P $! -c -e sched:sched_process_exit -e sched:sched_switch
	kill $!
	wait $! 2> /dev/null
	wait_for "sched_process_exit: .*pid=$!" $T/trace
	has "$K: $NAME: its end" "$(cat $T/trace)" "sched_process_exit: .*pid=$!"
	same "$K: $NAME: no other's" 1 "$(text 'sched_process_exit:')"
	put_back
	NAME='start -- CMD, not there'
	ran "$NAME" 127 start -e $EV -- ftr-no-such
	state_dump after
	check "$K: $NAME: nothing changes" state_equal before after
}

buffers() {
	begin 'start -b -C -M -B --cmdlines-size' -b 700 -C mono -M 2 -e $EV --cmdlines-size 1024 -B net -b 300 \
		-C boot -e sched:sched_process_exit
	taskset 1 /bin/true
	taskset 2 /bin/true
	ran 'stop -B' 0 stop -B net
	same "$K: stop -B: the instance is off" 0 "$(cat $T/instances/net/tracing_on)"
	same "$K: stop -B: the top level is on" 1 "$(cat $T/tracing_on)"
	ran 'stop -a -t' 0 stop -a -t
	same "$K: stop -a -t: the top level is off" 0 "$(cat $T/tracing_on)"
	holds buffer_size_kb '^70[0-9]$'
	holds instances/net/buffer_size_kb '^30[0-9]$'
	holds trace_clock '\[mono\]'
	holds instances/net/trace_clock '\[boot\]'
	holds tracing_cpumask '^0*2$'
	check "$K: $NAME: saved_cmdlines_size" test "$(cat $T/saved_cmdlines_size)" -ge 1024
	same "$K: $NAME: only CPU 1" 0 "$(grep -c 'sched_process_exec:' $T/per_cpu/cpu0/trace)"
	check "$K: $NAME: CPU 1" test "$(grep -c 'sched_process_exec:' $T/per_cpu/cpu1/trace)" -gt 0
	check "$K: $NAME: the instance has its own" test "$(text sched_process_exit: net)" -gt 0
	same "$K: $NAME: not the top level's" 0 "$(text sched_process_exec: net)"
	ran 'restart -a' 0 restart -a
	same "$K: restart -a: the instance" 1 "$(cat $T/instances/net/tracing_on)"
	same "$K: restart -a: not the top level" 0 "$(cat $T/tracing_on)"
	ran 'clear -B' 0 clear -B net
	check "$K: clear -B: the top level keeps its own" test "$(text sched_process_exec:)" -gt 0
	ran 'reset -B' 0 reset -B net
	check "$K: reset -B: the instance is gone" test ! -e $T/instances/net
	same "$K: reset -B: the top level stands" 1 "$(cat $T/events/sched/sched_process_exec/enable)"
	check "$K: reset -n --json: it is listed" python3 -c '
import json, sys
s = json.load(sys.stdin)["standing"]
assert any(e["file"] == "events/sched/sched_process_exec/enable" and e["was"].strip() == "0" for e in s), s
assert not any(e["file"].startswith("instances/net") for e in s), s' < <("$FTR" reset -n --json)
	put_back
}

subbuf() {
	NAME='start --subbuf-size'
	if [ -e $T/buffer_subbuf_size_kb ]; then
		begin "$NAME" --subbuf-size 16K -e $EV
		holds buffer_subbuf_size_kb '^16$'
		/bin/true
		check "$K: $NAME: it records" test "$(text sched_process_exec:)" -gt 0
		put_back
		"$FTR" record -q --subbuf-size 16K -e $EV -o s.dat -- /bin/true 2> err
		has "$K: record --subbuf-size: the report" "$("$FTR" report s.dat 2>&1)" \
			'sched_process_exec: +filename=/bin/true'
		state_dump after
		check "$K: record --subbuf-size: put back" state_equal before after
	else
		ran "$NAME" 1 start --subbuf-size 16K -e $EV
		has "$K: $NAME: refused by name" "$(cat err)" \
			'sub-buffers of one page only \(no buffer_subbuf_size_kb\)'
		state_dump after
		check "$K: $NAME: nothing changes" state_equal before after
		feature "$V_FTR" "$NAME" "$(head -n 1 err)"
	fi
}

no_functions() {
	begin 'start --func-stack' -p function -l vfs_open --func-stack
	/bin/cat /proc/version > version
	ran stop 0 stop
	check "$K: $NAME: stacks" test "$(text '<stack trace>')" -gt 0
	check "$K: $NAME: the caller" test "$(text '=> do_sys_open')" -gt 0
	put_back
	begin 'start -d' -d -e $EV
	holds options/function-trace '^0$'
	put_back
	begin 'start -D' -D -e $EV
	same "$K: $NAME: the sysctl" 0 "$(cat /proc/sys/kernel/ftrace_enabled)"
	put_back
	same "$K: $NAME: the sysctl is back" 1 "$(cat /proc/sys/kernel/ftrace_enabled)"
	"$FTR" record -q -D -e $EV -o d.dat -- cat /proc/sys/kernel/ftrace_enabled > out 2> err
	same "$K: record -D: while it records" 0 "$(cat out)"
	same "$K: record -D: afterwards" 1 "$(cat /proc/sys/kernel/ftrace_enabled)"
}

keeping() {
	NAME='record -k'
	"$FTR" record -q -k -e $EV -o k.dat -- /bin/true 2> err
	same "$K: $NAME: the event stays on" 1 "$(cat $T/events/sched/sched_process_exec/enable)"
	/bin/true
	check "$K: $NAME: it traces" test "$(text sched_process_exec:)" -gt 0
	put_back
	NAME='record -K'
	echo 1 > $T/events/sched/sched_process_exec/enable
	echo 'filename ~ "*true"' > $T/events/sched/sched_process_exec/filter
	state_dump dirty
	"$FTR" record -q -K -o k.dat -- sh -c '/bin/true; ls > ls' 2> err
	same "$K: $NAME: what was set records, with its filter" 1 \
		"$("$FTR" report k.dat 2>&1 | grep -c sched_process_exec:)"
	state_dump after
	"$FTR" reset 2> err
	state_dump after
	check "$K: $NAME: all is as it was" state_equal dirty after
	ran 'start in use' 1 start -e $EV
	has "$K: start in use: the reason" "$(cat err)" \
		"the top level is in use: event 'sched:sched_process_exec' is enabled"
	has "$K: start in use: the hint" "$(cat err)" '^hint: .*--force'
	ran 'start --force' 0 start --force -p function -l vfs_open
	same "$K: start --force: set aside" 0 "$(cat $T/events/sched/sched_process_exec/enable)"
	"$FTR" reset 2> err
	state_dump after
	check "$K: start --force: all is as it was" state_equal dirty after
	echo 0 > $T/events/sched/sched_process_exec/enable
	echo 0 > $T/events/sched/sched_process_exec/filter
	"$FTR" clear 2> err
}

changing() {
	begin 'set' -p function -l vfs_open -l vfs_read
	ran 'set -l' 0 set -l 'vfs_write' -O sym-offset
	holds set_ftrace_filter '^vfs_write$'
	same "$K: set -l: exchanged" 1 "$(wc -l < $T/set_ftrace_filter)"
	holds options/sym-offset '^1$'
	holds current_tracer '^function$'
	same "$K: set: tracing_on stays on" 1 "$(cat $T/tracing_on)"
	"$FTR" clear 2> err
	/bin/cat /proc/version > version
	check "$K: set: traced from now on" test "$(text ': vfs_write')" -gt 0
	same "$K: set: no longer" 0 "$(text ': vfs_read\b')"
	ran 'set -e' 0 set -e $EV -p nop -B other -e sched:sched_process_exit
	/bin/true
	check "$K: set -e: an event" test "$(text sched_process_exec:)" -gt 0
	check "$K: set -B: an instance" test -d $T/instances/other
	"$FTR" stop 2> err
	ran 'set while stopped' 0 set -v -e $EV
	same "$K: set: tracing_on stays off" 0 "$(cat $T/tracing_on)"
	same "$K: set -v: off" 0 "$(cat $T/events/sched/sched_process_exec/enable)"
	ran 'set refused' 1 set -O sym-addr -e sched:sched_switch -f 'nonsense == 1'
	same "$K: set refused: what came before is put back" 0 "$(cat $T/options/sym-addr)"
	holds current_tracer '^nop$'
	put_back
}

# Whom others' lists of tasks hide or leave: back in force afterwards, in an instance of theirs as well.
hiding() {
	local task where
	while :; do : < /proc/version; taskset 2 /bin/true; sleep 0.2; done &
	task=$!
	mkdir $T/instances/theirs
	for where in $T $T/instances/theirs; do
		echo $task > $where/set_event_notrace_pid
		echo $task > $where/set_ftrace_notrace_pid
	done
	echo 1 > $T/instances/theirs/set_event_pid
	echo 1 > $T/instances/theirs/set_ftrace_pid
	echo 1 > $T/instances/theirs/tracing_cpumask
	state_dump hidden
	begin "start, others' lists hide a task" -p function -l vfs_open -e sched:sched_process_fork
	check "$K: $NAME: its events" wait_for "-$task .*sched_process_fork:" $T/trace
	check "$K: $NAME: its functions" wait_for "-$task .*: vfs_open <-" $T/trace
	ran "$NAME: reset" 0 reset
	state_dump after
	check "$K: $NAME: they are back" state_equal hidden after
	same "$K: $NAME: the task as well" "$task $task" \
		"$(cat $T/set_event_notrace_pid $T/set_ftrace_notrace_pid | xargs)"
	NAME="record, others' lists hide a task"
	ran "$NAME" 0 record -q -o h.dat -p function -l vfs_open -e sched:sched_process_fork -B theirs -p function \
		-l vfs_open -e sched:sched_process_fork -- sleep 3
	"$FTR" report h.dat > text 2>&1
	grep '^ *theirs:' text > text.theirs
	grep -v '^ *theirs:' text > text.top
	for where in top theirs; do
		check "$K: $NAME: $where: its events" grep -Eq -e "-$task .*sched_process_fork:" text.$where
		check "$K: $NAME: $where: its functions" grep -Eq -e "-$task .*function: +vfs_open" text.$where
		check "$K: $NAME: $where: CPU 1" grep -q '\[001\]' text.$where
	done
	state_dump after
	check "$K: $NAME: they are back" state_equal hidden after
	NAME="record -K, others' lists hide a task"
	ran "$NAME" 0 record -q -K -o h.dat -e sched:sched_process_fork -- sh -c '/bin/true; sleep 2'
	"$FTR" reset 2> err
	check "$K: $NAME: others are recorded" test "$("$FTR" report h.dat 2>&1 | grep -c sched_process_fork:)" -gt 0
	same "$K: $NAME: it is not" 0 "$("$FTR" report h.dat 2>&1 | grep -c -e "-$task ")"
	kill $task
	wait $task 2> /dev/null
	rmdir $T/instances/theirs
	: > $T/set_event_notrace_pid
	: > $T/set_ftrace_notrace_pid
	"$FTR" clear 2> err
}

# Who is named for what stands: not who was refused, nor whose instance was reset.
authors() {
	NAME='stat: since'
	ran "$NAME: refused" 1 start -e sched:sched_switch -f 'nonsense == 1'
	same "$K: $NAME: refused: nothing stands" 0 "$("$FTR" stat | grep -c since)"
	begin "$NAME" -e $EV
	has "$K: $NAME: not the refused one" "$("$FTR" stat)" "have been changed since '[^ ]*ftr start -e $EV';"
	put_back
	begin "$NAME" -B one -e $EV
	ran "$NAME: set" 0 set -e sched:sched_process_exit
	has "$K: $NAME: the first" "$("$FTR" stat)" "have been changed since '[^ ]*ftr start -B one -e $EV';"
	ran "$NAME: reset -B" 0 reset -B one
	has "$K: $NAME: what is left" "$("$FTR" stat)" \
		"ha(s|ve) been changed since '[^ ]*ftr set -e sched:sched_process_exit';"
	has "$K: $NAME: --json" "$("$FTR" stat --json)" '"command": "[^ ]*ftr set -e sched:sched_process_exit"'
	has "$K: $NAME: check standing" "$("$FTR" check standing | tr -s ' \n' ' ')" \
		"the first by '[^ ]*ftr set -e sched:sched_process_exit'"
	put_back
}

# What a setup recorded goes with it, and does not stand against the next; what others recorded does.
leftovers() {
	local child
	NAME='start after a trigger'
	ran "$NAME" 0 trigger add $EV stacktrace
	/bin/true
	check "$K: $NAME: there are stacks" test "$(text '<stack trace>')" -gt 0
	put_back
	NAME='start after set'
	ran "$NAME" 0 set -e $EV
	/bin/true
	check "$K: $NAME: there are events" test "$(text sched_process_exec:)" -gt 0
	put_back
	begin 'start after both' -e $EV
	put_back
	NAME='start after a killed recording'
	"$FTR" record -q -e $EV -o killed.dat -- sh -c '/bin/true; echo $$ > killed; exec sleep 1000' 2> record.err &
	wait_or_gone $! test -s killed
	child=$(cat killed)
	rm killed
	# its guardian as well, which would put all back
	kill -KILL $! $(pgrep -x ftr-guardian)
	wait $! 2> /dev/null
	kill "$child"
	check "$K: $NAME: there are events" test "$(text sched_process_exec:)" -gt 0
	ran "$NAME: refused" 1 start -e $EV
	has "$K: $NAME: hint" "$(cat err)" "^hint: .*'ftr reset --recover'"
	ran "$NAME: recover" 0 reset --recover
	state_dump after
	check "$K: $NAME: recover puts all back" state_equal before after
	same "$K: $NAME: the buffer is empty again" 0 "$(text '^ .*-[0-9]+ ')"
	begin "$NAME" -e $EV
	put_back
	NAME='start with data of others'
	echo mine > $T/trace_marker
	ran "$NAME" 1 start -e $EV
	has "$K: $NAME: says so" "$(cat err)" 'the top level is in use: the buffer holds 1 event$'
	has "$K: $NAME: hint" "$(cat err)" "^hint: 'ftr extract' saves the data; 'ftr clear' discards it"
	ran "$NAME: set" 0 set -e $EV
	ran "$NAME: reset" 0 reset
	same "$K: $NAME: reset keeps it" 1 "$(text 'tracing_mark_write: mine')"
	ran "$NAME: clear" 0 clear
	begin "$NAME, cleared" -e $EV
	put_back
}

# A trigger that ftr trigger added is part of the setup; one of others is a use.
beside() {
	NAME='start beside a trigger of ours'
	ran "$NAME: trigger add" 0 trigger add sched:sched_process_hang traceoff
	ran "$NAME: trigger add --func" 0 trigger add --func vfs_fsync enable_event:sched:sched_process_hang
	begin "$NAME" -p function -l vfs_open
	holds events/sched/sched_process_hang/trigger '^traceoff:unlimited$'
	put_back
	NAME='start beside a trigger of others'
	echo stacktrace > $T/events/sched/sched_process_hang/trigger
	ran "$NAME" 1 start -p function -l vfs_open
	has "$K: $NAME: the reason" "$(cat err)" \
		"the top level is in use: event 'sched:sched_process_hang' has a trigger"
	echo '!stacktrace' > $T/events/sched/sched_process_hang/trigger
}

# A busy guest may lose its TSC after boot. With another clock source the kernel would have chosen global, not local,
# at boot, so ftr takes both for fresh.
clocks_alike() {
	local source=/sys/devices/system/clocksource/clocksource0/current_clocksource
	[ "$(cat $source)" = tsc ] || sed -i -E '/^trace_clock:/s/\[(local|global)\]/\1/' "$@"
}

everything() {
	NAME='reset --all'
	state_dump fresh
	echo 'p:others/open do_sys_open' >> $T/kprobe_events
	"$FTR" start -q -p function -l vfs_open -B mine -e $EV
	make_dirty
	echo 1 > $T/snapshot
	echo traceoff > $T/events/irq/softirq_entry/trigger
	ran "$NAME" 0 reset --all
	sed 's/^/# /' err
	has "$K: $NAME: others' probes are named" "$(cat err)" '1 dynamic event is left: --dynamic-events'
	same "$K: $NAME: and kept" 1 "$(grep -c others/open $T/kprobe_events)"
	same "$K: $NAME: nothing stands" '' "$("$FTR" reset -n)"
	same "$K: $NAME: the snapshot is freed" 1 "$(grep -c 'Snapshot is freed' $T/snapshot)"
	ran "$NAME --dynamic-events" 0 reset --all --dynamic-events
	same "$K: $NAME --dynamic-events: removed" 0 "$(wc -l < $T/kprobe_events)"
	state_dump after
	clocks_alike fresh after
	check "$K: $NAME: as before the first change" state_equal fresh after
	mkdir $T/instances/one $T/instances/two
	ran "$NAME -B" 0 reset --all -B one
	same "$K: $NAME -B: that one alone" two "$(ls $T/instances)"
	rmdir $T/instances/two
	"$FTR" reset > /dev/null 2>&1		# the journal still has the instance that went
	"$FTR" record -q -e $EV -o r.dat -- sh -c 'echo > runs; until [ -e over ]; do sleep 0.2; done' 2> record.err &
	wait_or_gone $! test -e runs
	ran "$NAME during a recording" 1 reset --all
	has "$K: $NAME during a recording: who" "$(cat err)" "in use by pid [0-9]+, '.*record -q -e"
	echo > over
	wait
	feature "$V_FTR" "$NAME" works
}

# Lists of tasks that have all ended read as if there were none, but let nobody through.
ended() {
	local task
	NAME='reset --all, ended tasks'
	sleep 1000 &
	task=$!
	echo 1 > $T/options/event-fork
	echo 1 > $T/options/function-fork
	echo $task > $T/set_event_pid
	echo $task > $T/set_ftrace_pid
	kill $task
	wait $task 2> /dev/null
	wait_until 60 sh -c "! grep -q $task $T/set_event_pid $T/set_ftrace_pid"
	has "$K: $NAME: told" "$("$FTR" reset --all -n)" 'set_ftrace_pid.*tasks that have ended'
	ran "$NAME" 0 reset --all
	same "$K: $NAME: no list" 'no pid' "$(cat $T/set_ftrace_pid)"
	echo 1 > $T/events/sched/sched_process_exec/enable
	/bin/true
	echo 0 > $T/events/sched/sched_process_exec/enable
	check "$K: $NAME: events of all tasks are recorded" test "$(text sched_process_exec:)" -ge 1
	"$FTR" reset --all > /dev/null 2>&1
	state_dump after
	clocks_alike before after
	check "$K: $NAME: all is as before" state_equal before after
}

V_FTR=$(uname -r)
state_dump before
# a part by itself: FTR_PARTS='graph set'
for part in ${FTR_PARTS:-functions off graph events command buffers subbuf no_functions keeping hiding authors changing
	leftovers beside everything ended}; do
	$part
done
pass "$K: the end is reached"
finish
