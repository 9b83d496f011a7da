#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The session on each kernel: what it changes it puts back, from a fresh and from a dirty tracefs, at any end.
. "$(dirname "$0")/lib/inside.sh" 900

drive=$FTR_BUILD/tests/guest/load/session_drive

# around NAME STATUS MODE: the drive ends with STATUS, tracefs and the journals' folder are as before.
around() {
	local status
	echo "# $(cut -d' ' -f1 /proc/uptime) s: $1"
	state_dump before
	"$drive" "$3" > out 2>&1
	status=$?
	same "$K: $1: status" "$2" "$status"
	[ "$status" = "$2" ] || sed 's/^/# /' out
	[ "$3" != kill ] || after_death "$1"
	grep '^# closed' out
	state_dump after
	check "$K: $1: tracefs is as before" state_equal before after
	same "$K: $1: no journal is left" 0 "$(ls /run/ftr | wc -l)"
}

after_death() {
	state_dump dead
	if cmp -s before dead; then
		fail "$K: $1: death leaves changes to recover"
	else
		pass "$K: $1: death leaves changes to recover"
	fi
	same "$K: $1: one journal is found and completed" 'journals 1' "$("$drive" recover 2>&1)"
}

# The plan must have taken effect, or putting back would prove nothing.
plan_took() {
	"$drive" kill > out 2>&1
	local t=/sys/kernel/tracing
	same "$K: $1: the plan's tracer" function_graph "$(cat $t/current_tracer)"
	same "$K: $1: the plan's depth" 3 "$(cat $t/max_graph_depth)"
	same "$K: $1: the plan's filter" 'prev_pid == 1' "$(cat $t/events/sched/sched_switch/filter)"
	has "$K: $1: the plan's functions" "$(cat $t/set_ftrace_filter)" '^vfs_mkdir$'
	has "$K: $1: the plan's trigger" "$(cat $t/events/sched/sched_waking/trigger)" '^stacktrace'
	has "$K: $1: the plan's clock" "$(cat $t/instances/drive/trace_clock)" '\[mono\]'
	same "$K: $1: recovery" 'journals 1' "$("$drive" recover 2>&1)"
}

all_ends() {
	around "$1, a normal end" 0 plan
	around "$1, an error half-way" 0 half
	around "$1, SIGKILL" 137 kill
}

# 6.1: using an instance must not leave the top level small. Needs a tracefs that was never used.
state_dump before
"$drive" instance > out 2>&1 || fail "$K: a tracer in an instance" "$(cat out)"
state_dump after
check "$K: an instance on a fresh system: tracefs is as before" state_equal before after

time state_dump before
all_ends fresh
plan_took fresh

"$drive" refusals > refusals 2>&1
sed 's/^/# /' refusals
refused() {
	has "$K: refusal of $1" "$(cat refusals)" "$2"
}
refused 'a tracer'   "^current_tracer: no tracer 'functoin' \| did you mean 'function'\?"
refused 'a clock'    "^trace_clock: no clock 'mon' \| did you mean 'mono'\?"
refused 'an option'  "^sym-adr: no option 'sym-adr' \| did you mean 'sym-addr'\?"
refused 'a function' "no function matches 'vfs_raed' \| did you mean 'vfs_read'\?"
refused 'a graph function' "no function matches 'vfs_wirte' \| did you mean 'vfs_write'\?"
refused 'a filter'   'the kernel reports:'
refused 'a filter: the reason' 'Field not found'
refused 'a filter: the caret' '^# *\^|^ *\^'
refused 'a trigger'  "^events/sched/sched_switch/trigger: |^sched/sched_switch: .*'hist:keys=nokey'"
refused 'a file'     "^no_such_file: this kernel has no '/sys/kernel/tracing/no_such_file'"
refused 'an instance' "^tracing_on: no instance 'nowhere'"
refused 'a top-level file' "^max_graph_depth: 'max_graph_depth' exists at the top level only"
refused 'a size'     "^buffer_size_kb: cannot write 'many' to '/sys/kernel/tracing/buffer_size_kb': Invalid argument"

"$drive" hold > held &
holder=$!
wait_until 60 test -s held
same "$K: the lock's holder is named" \
	"tracing of the whole kernel is in use by pid $holder, '$drive hold'" "$("$drive" lock | head -n 1)"
kill -KILL $holder
wait $holder 2> /dev/null
same "$K: death frees the lock" locked "$("$drive" lock | head -n 1)"

same "$K: an unused tracefs is idle" idle "$("$drive" idle | head -n 1)"
echo hello > /sys/kernel/tracing/trace_marker
same "$K: data is seen" 'the buffer holds 1 event' "$("$drive" idle | head -n 1)"
echo > /sys/kernel/tracing/trace
/bin/cat /sys/kernel/tracing/trace_pipe > /dev/null &
reader=$!
wait_until 60 has_open $reader /sys/kernel/tracing/trace_pipe
same "$K: a reader is seen" "'cat' (pid $reader) reads trace_pipe" "$("$drive" idle | head -n 1)"
kill $reader
wait $reader 2> /dev/null

"$drive" keep > out 2>&1
same "$K: what is kept stays" 9 "$(cat /sys/kernel/tracing/max_graph_depth)"
echo 0 > /sys/kernel/tracing/max_graph_depth

# Events of modules to come: 7.2 takes them, the others refuse.
if echo ':mod:something' >> /sys/kernel/tracing/set_event 2> /dev/null; then
	around 'events of a module to come' 0 module-events
else
	around 'events of a module to come, refused' 1 module-events
fi

has "$K: no rights: the way out" "$(setpriv --reuid 65534 --regid 65534 --clear-groups "$drive" lock)" \
	"cannot use tracefs at '/sys/kernel/tracing': Permission denied \(run it as root, or let a group in"

make_dirty
has "$K: dirty: the tracer" "$("$drive" idle)" "tracer 'function' is set"
all_ends dirty

# All functions but a few, as a list: 30,000 to 50,000 names to write back.
echo nop > /sys/kernel/tracing/current_tracer
echo '*e*' > /sys/kernel/tracing/set_ftrace_filter
echo "# functions: $(wc -l < /sys/kernel/tracing/set_ftrace_filter)"
around 'a filter of thousands of functions' 0 all-functions
undirty
pass "$K: the end is reached"
