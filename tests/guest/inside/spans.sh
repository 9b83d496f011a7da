# SPDX-License-Identifier: GPL-2.0-or-later
# Run in the guest by spans.sh, which reads the files: spans.sh KERNEL-SERIES
. "$FTR_TOP/tests/lib.sh"
K=$1
LOAD=$FTR_BUILD/tests/guest/load/span_load
cd "$OUT" || exit 1
modprobe virtio_blk

# record NAME ARGS...: NAME.dat, and what the load says in NAME.txt. The load is at rest when the recording ends; ftr's
# own threads are in it, as what comes in an interrupt of a hidden one is not recorded: the end of a request to the
# disk. AROUND, if there is any, is the command that runs ftr.
AROUND=()
record() {
	local name=$1
	shift
	rm -f /tmp/go
	mkfifo /tmp/go
	exec 9<> /tmp/go
	"${AROUND[@]}" "$FTR" record --no-filter -b 8M -o "$name.dat" "$@" -- bash -c "
		'$LOAD' /dev/vda < /tmp/go > /tmp/$name.txt 9>&- &
		until grep -q 'at rest' /tmp/$name.txt || ! kill -0 \$!; do sleep 0.1; done" 2> "$name.err"
	same "$K: $name: recorded" 0 $?
	exec 9>&-
	wait
	cp "/tmp/$name.txt" "$name.txt"
	has "$K: $name: the load came to its end" "$(cat "$name.txt")" '^at rest'
	has "$K: $name: nothing is lost" "$(cat "$name.err")" ' 0 lost'
}

calls() {
	record calls -e raw_syscalls -e syscalls -e irq -e block -e workqueue -e lock -e task -e sched
}

# Functions of all contexts. Which of them a kernel has differs.
graph() {
	record graph -p function_graph -l 'vfs_*' -l 'ksys_*' -l '*pipe_read' -l '*pipe_write' -l schedule -l do_exit \
		-l kernel_clone -l handle_irq_event -l hrtimer_interrupt -l 'blk_mq_*request*' -l 'rcu_core' \
		-e sched -e task
	functions=$(grep -oE 'matched [0-9]+' graph.err | awk '{ n += $2 } END { print n + 0 }')
	[ "$functions" -gt 50 ] && [ "$functions" -le 200 ] && pass "$K: graph: $functions functions" ||
		fail "$K: graph: $functions functions" "$(cat graph.err)"
}

# A stack with each event.
with_stacks() {
	record stacks -T -e sched -e task -e kmem:kmalloc
}

# perf records the same moment. Twice: under an emulator the host may stop all between the two probes of one switch.
beside() {
	local name
	for name in beside-1 beside-2; do
		AROUND=(perf sched record -q -m 16M -o /tmp/perf.data --)
		record $name -e sched -e task
		AROUND=()
		perf sched timehist -s -i /tmp/perf.data > $name.perf 2> $name.perf-err
		if [ $name = beside-1 ]; then
			perf sched timehist -n -w -M -i /tmp/perf.data > $name.rows 2> /dev/null
			perf sched timehist -I -n -i /tmp/perf.data > $name.idle 2> /dev/null
		fi
		same "$K: $name: perf lost nothing" 0 "$(perf report --stats -i /tmp/perf.data 2> /dev/null |
			awk '/LOST/ { n += $(NF > 3 ? 4 : 3) } END { print n + 0 }')"
		rm /tmp/perf.data
	done
}

run_parts calls graph with_stacks $([ "$K" != 6.12 ] || ! command -v perf > /dev/null || echo beside)
