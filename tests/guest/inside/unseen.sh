# SPDX-License-Identifier: GPL-2.0-or-later
# Run in the guest by unseen.sh, which reads the files: unseen.sh KERNEL-SERIES
. "$FTR_TOP/tests/guest/lib/checks-lib.sh"

# Tasks that run, wait, sleep, are forked and end.
cat > load <<-'EOC'
	turn() { i=0; while [ $i -lt 400 ]; do i=$((i + 1)); done; sleep 0.05; cat /proc/meminfo > /dev/null; }
	for n in 1 2 3; do
		turn & turn &
		yes | head -c 300000 | wc -c > /dev/null
		wait
	done
EOC

# limited NAME ARGS...: as NAME.dat, with all of the same time as NAME.true.dat
limited() {
	local name=$1 all status
	shift
	: > "$name.err"
	"$FTR" record -q --no-filter -B all -C mono -b 16M -e sched -e task -o "$name.true.dat" 2> "$name.true.err" &
	all=$!
	wait_until 60 is_tracing
	"$FTR" record -C mono -e sched -e task -o "$name.dat" "$@" 2> "$name.err"
	status=$?
	kill -INT $all
	wait $all
	same "$K: $name: status" 0 $status
	sed 's/^/# /' "$name.err" "$name.true.err"
	cp "$name.dat" "$name.true.dat" "$OUT"
}

is_tracing() {
	[ "$(cat /sys/kernel/tracing/instances/all/tracing_on 2> /dev/null)" = 1 ] &&
		[ "$(cat /sys/kernel/tracing/instances/all/events/sched/enable)" != 0 ]
}

default() {
	limited default -- sh load
}

# The command's own number is told by what it execs.
command() {
	limited command -F -- sh -c 'echo $$ > command.pids; exec sh load'
	cp command.pids "$OUT"
}

children() {
	limited children -F -c -- sh -c 'echo $$ > children.pids; exec sh load'
	cp children.pids "$OUT"
}

pid() {
	local task
	sh -c 'while :; do . ./load; done' &
	task=$!
	echo $task > "$OUT/pid.pids"
	limited pid -P $task -- sleep 1.5
	kill $task
	wait $task
}

cpu() {
	limited cpu --cpu 0 -- sh load
}

# More than a small buffer takes.
losses() {
	limited losses -b 8 -p function -l '*lock*' -- sh load
}

hotplug() {
	limited hotplug -- sh -c 'echo 0 > /sys/devices/system/cpu/cpu1/online; . ./load
		echo 1 > /sys/devices/system/cpu/cpu1/online; . ./load'
}

# hidden_in ARGS...: what a command reads in the lists of tasks that are left out: of events, of functions
hidden_in() {
	ran "lists: $*" 0 record -q -o l.dat "$@" -- sh -c "cat $T/set_event_notrace_pid; echo; echo functions
		cat $T/set_ftrace_notrace_pid"
	awk '/^functions/ { f = 1 } /^[0-9]+$/ { n[f + 0]++ } END { print (n[0] > 1), (n[1] > 1) }' out
}

lists() {
	same "$K: lists: events alone are hidden" '1 0' "$(hidden_in -e sched)"
	same "$K: lists: with a tracer functions, too" '1 1' "$(hidden_in -p function -l do_exit -e sched)"
	same "$K: lists: -F needs none" '0 0' "$(hidden_in -F -e sched)"
}

run_parts default command children pid cpu losses hotplug lists
