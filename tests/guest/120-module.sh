#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Debugging a module that comes during the command: its functions, its trace_printk, markers of processes.
. "$(dirname "$0")/../lib.sh"

in_guest() {
	cat <<-'EOS'
	cd "$OUT"
	load() {
		insmod -f "$OUT/ftrmod.ko" && echo "from a process" > /sys/kernel/tracing/trace_marker && rmmod ftrmod
	}
	if [ "${1:-}" = load ]; then load; exit; fi
	# Not loaded yet when recording begins, gone when it ends.
	"$FTR" record -p function_graph -l 'ftrmod*' --module ftrmod -o top.dat -- sh "$0" load || exit 1
	# Something else is going on at the top level: the recording is in an instance.
	echo 1 > /sys/kernel/tracing/events/sched/sched_process_fork/enable
	"$FTR" record -e module -o instance.dat -- sh "$0" load || exit 1
	EOS
}

one_kernel() {
	local text
	"$FTR_TOP/tests/guest/module/mkmodule" "$("$FTR_TOP/utils/guest" modules "$K")" "$OUTDIR/ftrmod.ko" ||
		{ fail "$V: builds a module"; return; }
	in_guest > "$OUTDIR/run.sh"
	guest --timeout 300 -- sh "$OUTDIR/run.sh"
	same "$V: both recordings end well" 0 $? || true
	text=$("$FTR" report "$OUTDIR/top.dat")
	has "$V: a function of a module that came and went has its name" "$text" 'ftrmod_outer'
	has "$V: nested calls are shown" "$text" '    ftrmod_leaf'
	same "$V: three calls of the outer function" 3 "$(grep -c 'ftrmod_outer.*() {' <<< "$text")"
	for n in 0 1 2; do
		has "$V: trace_printk $n of a module" "$text" "ftrmod_outer: n=$n name=seven big=123456789abcdef"
	done
	has "$V: trace_puts of a module" "$text" 'ftrmod done'
	has "$V: trace_marker" "$text" 'from a process'
	text=$("$FTR" report "$OUTDIR/instance.dat")
	has "$V: in an instance: the module's events" "$text" 'module_load: .*ftrmod'
	has "$V: in an instance: trace_printk is taken along" "$text" 'ftrmod_outer: n=2 name=seven'
	has "$V: in an instance: trace_marker is taken along" "$text" 'from a process'
	[ "$FAILED" = 0 ] || sed 's/^/# /' "$OUTDIR/err" | tail -n 20
}

for_kernels one_kernel
finish
