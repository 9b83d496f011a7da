# SPDX-License-Identifier: GPL-2.0-or-later
# Run in the guest by oops-parse.sh: oops-dump.sh KERNEL-SERIES. For each kind of records it leaves in $OUT the
# kernel's file trace, that with all fields where the kernel can (6.4 and later), and the log that sysrq-z writes of the
# same buffer, which that empties.

. "$FTR_TOP/tests/guest/lib/checks-lib.sh"
cd "$TRACEFS" || exit 1
echo 0 > /proc/sys/kernel/printk

load() {
	local i
	for i in 1 2 3; do
		ls /etc > /dev/null
		sleep 0.02
		(exit 0)
	done
	sleep 0.05 &
	kill -USR1 $!
	wait
	modprobe dummy 2> /dev/null
	rmmod dummy 2> /dev/null
}

# dump NAME: what the buffer has, as the file and as the dump
dump() {
	echo > trace
	echo 1 > tracing_on
	load > /dev/null 2>&1
	echo 0 > tracing_on
	cat trace > "$OUT/$1.trace"
	if echo 1 > options/fields; then
		cat trace > "$OUT/$1.fields"
		echo 0 > options/fields
	fi 2> /dev/null
	dmesg -C
	echo z > /proc/sysrq-trigger
	dmesg > "$OUT/$1.log"
	echo nop > current_tracer
	echo 0 > events/enable
	echo 0 > options/stacktrace
	echo > set_ftrace_filter
}

events() {
	local system
	for system; do
		echo 1 > "events/$system/enable"
	done
}

echo 64 > buffer_size_kb
awk 'FNR == 1 { name = FILENAME; sub(/^events\//, "", name); print "@@FILE " name } { print }' \
	events/*/*/format > "$OUT/formats"
events sched irq signal module timer
dump events
events sched raw_syscalls syscalls
dump calls
events sched
echo 1 > options/stacktrace
dump stacks
echo 'vfs_*' > set_ftrace_filter
echo function > current_tracer
dump function
echo function_graph > current_tracer
dump graph
echo 'vfs_*' > set_ftrace_filter
echo 1 > options/funcgraph-abstime
echo 1 > options/funcgraph-proc
echo function_graph > current_tracer
dump graphabs
sync
pass "$K: the end is reached"
