# SPDX-License-Identifier: GPL-2.0-or-later
# Run in the guest by runqlat.sh: runqlat and ftr record at once,
# and a load that begins behind both and ends before them.
. "$FTR_TOP/tests/lib.sh"
K=$1
cd "$OUT" || exit 1

# Tasks that sleep, wait for each other, fork, and are too many for two CPUs.
load() {
	local i k
	for i in 1 2 3; do
		(
			for k in 1 2 3 4 5; do
				sleep 0.0$k
				seq 200 | sort -n | tail -n 1 > /dev/null
				for _ in {1..4000}; do :; done
			done
		) &
	done
	wait
}

beside() {
	stdbuf -oL runqlat -L > runqlat.txt 2> runqlat.err &
	runqlat=$!
	wait_for '^Tracing' runqlat.txt || fail "$K: runqlat begins" "$(cat runqlat.err)"
	export -f load
	"$FTR" record --no-filter -b 8M -o runqlat.dat -e sched:sched_switch -e sched:sched_wakeup \
		-e sched:sched_wakeup_new -e sched:sched_waking -e sched:sched_process_fork \
		-e sched:sched_process_exec -e sched:sched_process_exit -- \
		bash -c 'bash -c "load" & echo $! > load.pid; wait' 2> record.err
	same "$K: recorded" 0 $?
	has "$K: nothing is lost" "$(cat record.err)" ' 0 lost'
	kill -INT $runqlat
	wait $runqlat
	same "$K: runqlat ends" 0 $?
}

run_parts beside
