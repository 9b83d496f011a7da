# SPDX-License-Identifier: GPL-2.0-or-later
# Run in the guest by export-perfetto.sh, which reads the files: export-perfetto.sh KERNEL-SERIES
. "$FTR_TOP/tests/lib.sh"
K=$1
T=/sys/kernel/tracing
cd "$OUT" || exit 1

# record NAME ARGS...: NAME.dat
record() {
	local name=$1
	shift
	"$FTR" record -o "$name.dat" "$@" 2> "$name.err"
	same "$K: $name: recorded" 0 $?
}

work() {
	for i in 1 2 3; do
		ls -R /usr/share/doc/base-files | cat > /dev/null
		head -c 100000 /dev/zero > /tmp/written
	done
	sleep 0.2
}

# In atrace's style, and others; two tasks, of which one ends within a slice.
marks() {
	local i
	for i in 1 2 3 4 5; do
		echo "B|$$|outer $i" > $T/trace_marker
		echo "C|$$|count|$i" > $T/trace_marker
		echo "B|$$|inner|with a bar" > $T/trace_marker
		echo "no mark at all $i" > $T/trace_marker
		echo "E|$$" > $T/trace_marker
		echo "C|$$|count|-$i" > $T/trace_marker
		echo E > $T/trace_marker
	done
	printf 'E of a word\tand a tab\377' > $T/trace_marker
	echo 'Big words|7|x' > $T/trace_marker
	echo "B|x|no number" > $T/trace_marker
	echo "C|7|no number|1.5" > $T/trace_marker
	(exec bash -c "echo \"B|\$\$|never ended\" > $T/trace_marker")
	"$FTR_BUILD/tests/guest/load/marks" 0 1 10 plain
}
export -f work marks
export T

# With ftr's own tasks, so that no switch is missing.
events() {
	record events --no-filter -b 8M -e sched -e irq -e raw_syscalls -e task -e workqueue -e signal -- bash -c work
}

graph() {
	record graph -b 8M -p function_graph -l 'vfs_*' -l 'ksys_*' -l schedule -l handle_irq_event -l 'rcu_core*' \
		-e sched -- bash -c work
}

functions() {
	record functions -b 8M -p function -l 'vfs_*' -l schedule --func-stack -- bash -c work
}

probes() {
	echo 'p:mine vfs_read count=$arg3:u64 buf=$arg2:x64' > $T/kprobe_events
	echo 'r:mine_end vfs_read got=$retval:s64 who=$comm' >> $T/kprobe_events
	record probes -b 8M -e kprobes -e kmem:kmalloc -e kmem:kfree -e kmem:mm_page_alloc -- bash -c work
	echo > $T/kprobe_events
}

marked() {
	record markers -b 8M -e sched_switch -- bash -c marks
	# the system calls that write them are slices of the same tasks
	record marked-calls -b 8M -e raw_syscalls -- bash -c marks
}

losses() {
	record losses -b 4 -e sched_switch -- "$FTR_BUILD/tests/guest/load/marks" 0 1 20000 lost
	has "$K: losses: some are lost" "$(cat losses.err)" '[1-9][0-9,]* lost'
}

# The second: two that have the same switches. -C mono, so that another clock than the boot one is there as well
instances() {
	record instances --no-filter -C mono -e irq -B one -b 4M -e sched -B two -b 4M -e sched_waking -e timer \
		-- bash -c work
	record twice -b 4M -e sched_switch -B one -b 4M -e sched_switch -e irq -- bash -c work
}

run_parts events graph functions probes marked losses instances
