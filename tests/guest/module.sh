#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Debugging a module that comes during the command: its functions, its trace_printk, markers of processes.
. "$(dirname "$0")/../lib.sh"

in_guest() {
	cat <<-'EOS'
	cd "$OUT"
	if [ "${1:-}" = load ]; then
		insmod -f "$OUT/ftrmod.ko" && echo "from a process" > /sys/kernel/tracing/trace_marker
		# symbols of a module are taken when it is noticed, some time after it came, and when those before are
		# read
		start=$(date +%s)
		cat /proc/kallsyms > /dev/null
		sleep $((3 + 3 * ($(date +%s) - start)))
		rmmod ftrmod
		exit
	fi
	# Not loaded yet when recording begins, gone when it ends.
	"$FTR" record -p function_graph -l 'ftrmod*' --module ftrmod -o top.dat -- sh "$0" load || exit 1
	"$FTR" record -B mine -e module -o named.dat -- sh "$0" load || exit 1
	# Something else is going on at the top level: the recording is in an instance.
	echo 1 > /sys/kernel/tracing/events/sched/sched_process_fork/enable
	"$FTR" record -e module -o aside.dat -- sh "$0" load 2> aside.err || exit 1
	cat aside.err >&2
	# for whoever has the guest next: ours, and a filter that reads empty once its module has gone
	echo 0 > /sys/kernel/tracing/events/enable
	echo > /sys/kernel/tracing/set_ftrace_filter
	EOS
}

# prints FILE: what the module and the process printed is in the report
prints() {
	local text
	text=$("$FTR" report "$OUTDIR/$1.dat")
	for n in 0 1 2; do
		has "$V: $1: trace_printk $n of a module" "$text" "ftrmod_outer: n=$n name=seven big=123456789abcdef"
	done
	has "$V: $1: trace_puts of a module" "$text" 'ftrmod done'
	has "$V: $1: trace_marker of a process" "$text" 'from a process'
}

# taken OPTION NAME PATTERN: where the kernel can bring it into an instance it is there, else its absence is said
taken() {
	if grep -qw "$1" "$OUTDIR/options"; then
		has "$V: in an instance of our own: $2 is taken along" "$("$FTR" report "$OUTDIR/aside.dat")" "$3"
	else
		has "$V: in an instance of our own: says that $2 is missing" "$(cat "$OUTDIR/aside.err")" "$2.* missing"
	fi
}

one_kernel() {
	local text
	"$FTR_TOP/tests/guest/load/module/mkmodule" "$("$FTR_TOP/utils/guest" modules "$K")" "$OUTDIR/ftrmod.ko" ||
		{ fail "$V: builds a module"; return; }
	in_guest > "$OUTDIR/run.sh"
	guest --timeout 900 -- sh -c 'ls /sys/kernel/tracing/options > "$OUT/options"; exec sh "$OUT/run.sh"'
	same "$V: the recordings end well" 0 $?
	text=$("$FTR" report "$OUTDIR/top.dat")
	same "$V: three calls of a function of a module that came and went" 3 \
		"$(grep -c '|  ftrmod_outer.*() {' <<< "$text")"
	has "$V: nested calls are shown" "$text" '\|      ftrmod_leaf.*\(\);'
	prints top
	prints named
	has "$V: in an instance of our own: the module's events" "$("$FTR" report "$OUTDIR/aside.dat")" \
		'module_load: .*ftrmod'
	taken trace_printk_dest trace_printk 'ftrmod_outer: n=2 name=seven'
	taken copy_trace_marker trace_marker 'from a process'
	[ "$FAILED" = 0 ] || sed 's/^/# /' "$OUTDIR/err" | tail -n 20
}

for_a_kernel one_kernel
finish
