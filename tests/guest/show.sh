#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr stat, show and extract against the control files and the kernel's own text of the same moment.
. "$(dirname "$0")/lib/inside.sh" 900

# differs FILE INSTANCE WHAT: the values of ftr stat --json, a line each
differs() {
	python3 - "$@" <<'P'
import json, sys
for b in json.load(open(sys.argv[1]))['buffers']:
    if b['instance'] == sys.argv[2]:
        print('\n'.join(b['differs'].get(sys.argv[3], [])))
P
}

stat_fresh() {
	state_dump before
	same "$K: stat of a fresh kernel is one line" 'nothing differs from a fresh kernel' "$("$FTR" stat 2>&1)"
	check "$K: stat --json says fresh" grep -q '"fresh": true' <("$FTR" stat --json)
	state_dump after
	check "$K: stat changes nothing of a fresh kernel" state_equal before after
}

# stat_is INSTANCE WHAT VALUE
stat_is() {
	same "$K: stat: $2 ${1:+of $1}" "$3" "$(differs stat.json "$1" "$2")"
}

stat_dirty() {
	make_dirty
	state_dump before
	"$FTR" stat -a --json > stat.json 2> stat.err
	same "$K: stat -a: status" 0 $?
	"$FTR" stat -a > stat.txt
	state_dump after
	check "$K: stat changes nothing of a dirty one" state_equal before after
	stat_is '' current_tracer function
	# with an unstable TSC the kernel takes this clock by itself, and stat says nothing
	[ "$(cat /sys/devices/system/clocksource/clocksource0/current_clocksource)" != tsc ] ||
		stat_is '' trace_clock global
	stat_is '' tracing_cpumask 1
	stat_is '' max_graph_depth 7
	stat_is '' set_graph_function vfs_unlink
	stat_is '' set_graph_notrace vfs_rmdir
	stat_is '' set_ftrace_notrace vfs_statx
	stat_is '' set_ftrace_pid 1
	stat_is '' set_event_notrace_pid 2
	stat_is '' options sym-offset
	stat_is '' set_ftrace_filter "$(grep -v '^#' "$T/set_ftrace_filter")"
	has "$K: stat: events" "$(differs stat.json '' events)" '^sched:sched_switch$'
	same "$K: stat: events of a system" "$(ls -d "$T"/events/irq/*/ | wc -l)" \
		"$(differs stat.json '' events | grep -c '^irq:')"
	same "$K: stat: an event that a trigger only holds ready is not on" 0 \
		"$(differs stat.json '' events | grep -c timer_init)"
	has "$K: stat: a filter" "$(differs stat.json '' filter)" \
		'^sched:sched_switch: prev_pid == 99999 && next_comm ~ "x\*"$'
	has "$K: stat: a refused filter" "$(differs stat.json '' filter)" \
		'^sched:sched_wakeup_new: nonsense == 1 \(refused\)$'
	has "$K: stat: a trigger" "$(differs stat.json '' trigger)" '^sched:sched_wakeup: stacktrace:unlimited$'
	has "$K: stat: a histogram" "$(differs stat.json '' trigger)" '^sched:sched_process_exit: hist:keys=common_pid'
	has "$K: stat: sizes that differ" "$(differs stat.json '' buffer_size_kb)" '^cpu1: 5'
	stat_is dirty0 current_tracer function
	stat_is dirty0 set_ftrace_filter vfs_fsync
	stat_is dirty1 tracing_on 0
	stat_is dirty1 trace_clock mono
	stat_is dirty1 events timer:timer_init
	stat_is dirty1 filter 'timer:timer_init: timer == 1'
	stat_is dirty2 tracing_cpumask 2
	# the top level's options when the instance was made are its own
	stat_is dirty2 options $'nooverwrite\nsym-offset'
	stat_is dirty2 set_event_pid $'1\n2'
	has "$K: stat: a system that is on as a whole is one word" "$(cat stat.txt)" ' irq \(all [0-9]+\)$'
	has "$K: stat: instances" "$(cat stat.txt)" '^instances +dirty0 dirty1 dirty2$'
	feature "$K" 'stat' works
}

clean() {
	local i
	for i in 0 1 2; do
		state_put instances/dirty$i/tracing_on 0
		state_put instances/dirty$i/current_tracer nop
		rmdir "$T/instances/dirty$i"
	done
	state_put current_tracer nop
	state_put events/enable 0
	: > "$T/set_ftrace_pid"
	: > "$T/set_event_notrace_pid"
	state_put tracing_cpumask 3
	state_put options/sym-offset 0
	state_put buffer_size_kb 1408
	state_put trace_clock local
}

fill() {
	state_put tracing_on 1
	state_put events/sched/sched_switch/enable 1
	state_put events/syscalls/sys_enter_openat/enable 1
	ls -lR /usr/share/doc > ls.out 2>&1 &
	wait $!
	echo 'a marker' > "$T/trace_marker"
	state_put events/enable 0
	state_put tracing_on 0
}

stat_sees() {
	local pid
	same "$K: stat: records" "$(entries)" \
		"$("$FTR" stat --json | sed -n 's/.*"cpu[0-9]*: \([0-9]*\).*/\1/p' | awk '{ n += $1 } END { print n }')"
	/bin/cat "$T/instances/reader/trace_pipe" > /dev/null &
	pid=$!
	wait_until 60 has_open $pid "$T/instances/reader/trace_pipe"
	has "$K: stat: who reads" "$("$FTR" stat -B reader)" "^readers +'cat' \(pid $pid\) reads trace_pipe$"
	kill $pid
	wait $pid 2> /dev/null
	python3 -c 'import fcntl, os, time, sys
fd = os.open(sys.argv[1], os.O_RDONLY); fcntl.flock(fd, fcntl.LOCK_EX); open("locked", "w"); time.sleep(600)' "$T" &
	pid=$!
	wait_until 60 test -e locked
	has "$K: stat: who holds the lock" "$("$FTR" stat)" "^locked by +pid $pid, 'python3"
	kill $pid
	wait $pid 2> /dev/null
}

show_files() {
	local n
	n=$(entries)
	cat "$T/trace" > trace.txt
	"$FTR" show > show.txt
	same_files "$K: show is the trace file" trace.txt show.txt
	cat "$T/per_cpu/cpu1/trace" > trace.txt
	"$FTR" show -c 1 > show.txt
	same_files "$K: show -c 1" trace.txt show.txt
	same_files "$K: show a format" \
		"$T/events/sched/sched_switch/format" <("$FTR" show events/sched/sched_switch/format)
	same "$K: show takes nothing away" "$n" "$(entries)"
	if [ -e "$T/snapshot" ]; then
		state_put snapshot 1
		n=$(entries)
		cat "$T/snapshot" > trace.txt
		"$FTR" show -s > show.txt
		same_files "$K: show -s" trace.txt show.txt
		has "$K: stat: a snapshot" "$("$FTR" stat)" '^snapshot +allocated, holds records$'
		check "$K: the snapshot has the marker" grep -q 'a marker' show.txt
		state_put snapshot 0
	fi
	same "$K: free_buffer is refused" 1 "$("$FTR" show --consume free_buffer > /dev/null 2>&1; echo $?)"
	has "$K: and the buffer is still there" "$(cat "$T/buffer_size_kb")" '^14'
	feature "$K" 'show' works
}

# has_entries NUMBER INSTANCE: more than that
has_entries() {
	[ "$(entries "$2")" -gt "$1" ]
}

# read_busy: shows the instance to busy.txt, up to five times, until it grew meanwhile: on a busy host the guest's other
# CPU may stand still so long.
read_busy() {
	local status
	for _ in 1 2 3 4 5; do
		timeout 60 "$FTR" show -B busy > busy.txt 2> busy.err
		status=$?
		[ $status = 0 ] || break
		! grep -q 'grows while it is read' busy.err || break
	done
	return $status
}

# Reading makes records itself where system calls are traced, and two other tasks make more than can be read.
show_busy() {
	local loads='' cpu records
	mkdir "$T/instances/busy"
	state_put instances/busy/buffer_size_kb 64
	state_put instances/busy/events/raw_syscalls/enable 1
	for cpu in 0 1; do
		taskset -c $cpu python3 -c 'import os
while True: os.getppid()' &
		loads="$loads $!"
	done
	wait_until 60 has_entries 500 instances/busy
	read_busy
	same "$K: show of a busy instance ends" 0 $?
	has "$K: show of a busy instance: says so" "$(cat busy.err)" \
		"^ftr: 'instances/busy/trace' grows while it is read: "
	records=$(sed -n 's/.*only the records that it had at first are shown, \([0-9]*\)$/\1/p' busy.err)
	same "$K: show of a busy instance: so many records" "${records:-none}" "$(grep -c ' sys_\|: NR ' busy.txt)"
	timeout 60 "$FTR" show -c 1 -B busy > busy.txt 2> busy.err
	same "$K: show -c of a busy instance ends" 0 $?
	# shellcheck disable=SC2086
	kill $loads
	# shellcheck disable=SC2086
	wait $loads 2> wait.err
	state_put instances/busy/events/raw_syscalls/enable 0
}

# Calls that reading makes itself; all functions would take a minute to be switched on and off.
show_busy_calls() {
	echo 'vfs_*' > "$T/instances/busy/set_ftrace_filter"
	echo 'seq_*' >> "$T/instances/busy/set_ftrace_filter"
	state_put instances/busy/current_tracer function_graph
	wait_until 60 has_entries 500 instances/busy
	timeout 60 "$FTR" show -B busy > busy.txt 2> busy.err
	same "$K: show of calls that come meanwhile ends" 0 $?
	state_put instances/busy/current_tracer nop
	rmdir "$T/instances/busy"
}

# has_lines NUMBER
has_lines() {
	[ "$(grep -c 'line [1-6]$' pipe.txt)" = "$1" ]
}

show_pipe() {
	local pid status lines
	state_put tracing_on 1
	for i in 1 2 3 4 5; do echo "line $i" > "$T/trace_marker"; done
	env --default-signal=INT "$FTR" show -p > pipe.txt &
	pid=$!
	wait_until 60 has_lines 5
	echo 'line 6' > "$T/trace_marker"
	wait_until 60 has_lines 6
	kill -INT $pid
	wait $pid
	same "$K: show -p ends with Ctrl-C" 0 $?
	same "$K: show -p has each line once" 6 "$(grep -c 'line [1-6]$' pipe.txt)"
	same "$K: show -p consumes" 0 "$(entries)"
	echo 'line 7' > "$T/trace_marker"
	timeout 120 "$FTR" show -p | head -n 1 > head.txt
	status=${PIPESTATUS[0]}
	same "$K: show -p into head" "0 1" "$status $(grep -c 'line 7$' head.txt)"
	feature "$K" 'show -p' works
}

# extracted NAME FILE ENTRIES TEXT: the file has so many records, and the kernel's text of them
extracted() {
	same "$K: $1: records" "$3" "$("$ORACLE/rawdecode.py" "$2" | total records)"
	[ -z "$4" ] ||
		same_files "$K: $1: the kernel's text" <(grep -v "^#" "$4") <("$FTR" report --format=kernel "$2" 2>&1)
}

extract_top() {
	local n
	fill
	n=$(entries)
	cat "$T/trace" > trace.txt
	state_dump before
	"$FTR" extract -o top.dat 2> err
	same "$K: extract: status" 0 $?
	state_dump after
	check "$K: extract changes no control file" state_equal before after
	extracted 'extract' top.dat "$n" trace.txt
	same "$K: extract empties the buffer" 0 "$(entries)"
	has "$K: extract says what there was" "$(cat err)" '^top.dat: 2 CPUs, [0-9,]+ events, '
	feature "$K" 'extract' works
}

extract_running() {
	fill
	state_put tracing_on 1
	"$FTR" extract -q -o run1.dat
	same "$K: tracing goes on after extract" 1 "$(cat "$T/tracing_on")"
	echo 'the next marker' > "$T/trace_marker"
	state_put tracing_on 0
	"$FTR" extract -q -o run2.dat
	same "$K: the next extract has what came since" "0 1" \
		"$("$FTR" report run1.dat | grep -c 'the next marker') $("$FTR" report run2.dat |
			grep -c 'the next marker')"
}

extract_instances() {
	local i n
	for i in ea eb; do
		mkdir "$T/instances/$i"
		for n in 1 2 3; do echo "$i $n" > "$T/instances/$i/trace_marker"; done
		state_put instances/$i/tracing_on 0
	done
	cat "$T/instances/ea/trace" > ea.txt
	state_put tracing_on 1
	echo 'of the top' > "$T/trace_marker"
	state_put tracing_on 0
	"$FTR" extract -q -B ea -o ea.dat
	extracted 'extract -B' ea.dat 3 ''
	same "$K: extract -B: the markers" 'ea 1 ea 2 ea 3' \
		"$(echo $("$FTR" report ea.dat | grep -o 'ea [123]$'))"
	same "$K: extract -B leaves the others" 3 "$(entries instances/eb)"
	n=$(($(entries) + 3))
	"$FTR" extract -q -a -t -o all.dat
	extracted 'extract -a -t' all.dat "$n" ''
	has "$K: extract -a -t has the top level" "$("$FTR" report all.dat)" 'of the top$'
	has "$K: extract -a -t names the instance" "$("$FTR" info all.dat)" 'eb'
	/bin/cat "$T/instances/eb/trace_pipe" > /dev/null &
	n=$!
	wait_until 60 has_open $n "$T/instances/eb/trace_pipe"
	has "$K: extract does not share with others" "$("$FTR" extract -B eb -o no.dat 2>&1)" \
		"other readers take the data: 'cat' \(pid $n\)"
	kill $n
	wait $n 2> /dev/null
	rmdir "$T/instances/ea" "$T/instances/eb"
	has "$K: extract of an instance that is not there" "$("$FTR" extract -B redaer -o no.dat 2>&1)" \
		"did you mean 'reader'"
	check "$K: no file is left of it" test ! -e no.dat
	feature "$K" 'extract -a -B' works
}

extract_snapshot() {
	local n
	[ -e "$T/snapshot" ] || return
	has "$K: extract -s without a snapshot" "$("$FTR" extract -s -o s.dat 2>&1)" 'there is no snapshot of'
	fill
	n=$(entries)
	state_put snapshot 1
	cat "$T/snapshot" > trace.txt
	state_dump before
	"$FTR" extract -q -s -o s.dat
	same "$K: extract -s: status" 0 $?
	state_dump after
	check "$K: extract -s changes no control file" state_equal before after
	extracted 'extract -s' s.dat "$n" trace.txt
	state_put snapshot 0
	feature "$K" 'extract -s' works
}

# a part by itself, where the others are not looked at: FTR_PARTS='show_busy'
if [ -n "${FTR_PARTS:-}" ]; then
	for part in $FTR_PARTS; do
		$part
	done
	pass "$K: the end is reached"
	finish
fi
with_reader() {
	mkdir "$T/instances/reader"
	fill
}

without_reader() {
	rmdir "$T/instances/reader"
}

run_parts stat_fresh with_reader stat_sees show_files show_pipe show_busy show_busy_calls extract_top extract_running \
	extract_instances extract_snapshot without_reader stat_dirty undirty
