# SPDX-License-Identifier: GPL-2.0-or-later
# Run in the guest by 367-realtime.sh: realtime-checks.sh KERNEL-SERIES
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

threads hwlat hwlatd
threads osnoise osnoise/
threads timerlat timerlat/
pass "$K: the end is reached"
finish
