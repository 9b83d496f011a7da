# SPDX-License-Identifier: GPL-2.0-or-later
# Run in the guest by hotplug.sh: hotplug.sh KERNEL-SERIES
. "$FTR_TOP/tests/guest/lib/checks-lib.sh"
LOAD=$FTR_BUILD/tests/guest/load/many_load
CPUS=/sys/devices/system/cpu

# online CPU 0|1
online() {
	note "CPU $1 online: $2"
	check "$K: CPU $1 online: $2" sh -c "echo $2 > $CPUS/cpu$1/online"
}

# writers TAG...: one on each CPU of that number, until end_writers; what they wrote is in ./wrote
writers() {
	local tag
	: > wrote
	pids=
	for tag; do
		taskset -c "${tag#w}" "$LOAD" mark "$tag" 0 200 >> wrote &
		pids="$pids $!"
	done
}

end_writers() {
	kill $pids
	wait $pids
	sort wrote > "$1.wrote"
}

# recorded NAME: as ./NAME.dat, of what the function NAME does while ftr records
recorded() {
	local name=$1 status
	state_dump before
	: > "$name.err"
	"$FTR" record -e sched:sched_process_hang -o "$name.dat" 2> "$name.err" &
	ftr=$!
	wait_for Ctrl-C "$name.err"
	"$name"
	kill -INT $ftr
	wait $ftr
	status=$?
	same "$K: $name: status" 0 $status
	sed 's/^/# /' "$name.err"
	state_dump after
	check "$K: $name: tracefs is as before" state_equal before after
	cp "$name.dat" "$name.wrote" "$OUT"
}

comes() {
	writers w0 w1 w2
	sleep 1
	online 1 0
	sleep 1
	online 1 1
	sleep 0.5
	end_writers comes
}

# switches THREAD: how often it has waited for something
switches() {
	cat $(grep -l "^Name:.$1$" /proc/$ftr/task/*/status) | awk '$1 == "voluntary_ctxt_switches:" { print $2 }'
}

# idle_thread NAME: it looks 10 times a second, no matter what poll says of its CPU. A look that has to wait for a lock
# or for memory is several switches on a slow machine: 5 are allowed for each. One that does not sleep in between makes
# hundreds or thousands a second.
idle_thread() {
	local n tenths
	n=$(switches "$1")
	tenths=$(cut -d' ' -f1 /proc/uptime | tr -d .)
	sleep 1
	n=$(($(switches "$1") - n))
	tenths=$((($(cut -d' ' -f1 /proc/uptime | tr -d .) - tenths + 9) / 10))
	check "$K: $1 wakes up rarely: $n times in $tenths tenths of a second" test "$n" -le $((5 * tenths))
}

# A writer on a CPU that was not there when the recording began.
late() {
	writers w0
	idle_thread ftr-cpu3
	online 3 1
	taskset -c 3 "$LOAD" mark w3 0 200 >> wrote &
	pids="$pids $!"
	sleep 1
	online 2 0
	sleep 0.3
	end_writers late
	online 2 1
}

same "$K: CPU 3 is possible, and offline" '0-3 0-2' "$(cat $CPUS/possible $CPUS/online | xargs)"
recorded comes
recorded late
pass "$K: the end is reached"
finish
