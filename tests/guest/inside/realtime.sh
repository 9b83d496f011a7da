# SPDX-License-Identifier: GPL-2.0-or-later
# Run in the guest by realtime.sh: realtime.sh KERNEL-SERIES
. "$FTR_TOP/tests/lib.sh"
K=$1
T=/sys/kernel/tracing
cd "$TMP" || exit 1

# The threads end with tracing: who they are is asked while they run. $1: the tracer, $2: their names.
threads() {
	local pid
	"$FTR" record -q -p "$1" -o t.dat -- sh -c "sleep 4; grep -l '^$2' /proc/[0-9]*/comm" > tasks 2> err
	same "$K: $1: status" 0 $?
	"$FTR" report t.dat > text 2>> err
	check "$K: $1: its threads ran" test -s tasks
	for pid in $(tr -dc '0-9\n' < tasks); do
		same "$K: $1: no record of thread $pid is without its name" 0 "$(grep -c "<\.\.\.>-$pid " text)"
	done
	check "$K: $1: records have their name" grep -q " $2.*-[0-9]* *\[" text
}

# What somebody's tracer has measured outlasts ftr start --force. The kernel itself begins with 0 when a tracer is set.
measured() {
	local before
	echo wakeup > $T/current_tracer
	wait_until 60 eval '[ "$(cat $T/tracing_max_latency)" -gt 0 ]'
	echo 0 > $T/tracing_on
	before=$(cat $T/tracing_max_latency)
	"$FTR" start -q --force -e sched:sched_process_exec 2> err
	same "$K: start --force over a tracer that measures: status" 0 $?
	same "$K: start --force over a tracer that measures: set aside" nop "$(cat $T/current_tracer)"
	"$FTR" reset 2>> err
	same "$K: start --force over a tracer that measures: it is back" "wakeup $before" \
		"$(cat $T/current_tracer $T/tracing_max_latency | xargs)"
	echo nop > $T/current_tracer
	echo 0 > $T/tracing_max_latency
	echo 1 > $T/tracing_on
	"$FTR" clear 2>> err
}

case ${FTR_PARTS:-all} in
*measured*) measured; pass "$K: the end is reached"; finish ;;
esac
measured
threads hwlat hwlatd
threads osnoise osnoise/
threads timerlat timerlat/
pass "$K: the end is reached"
finish
