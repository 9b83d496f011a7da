#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr why: a load prints each of its waits, and the account of each has the cause that it knows. By the seed the guest
# has two CPUs, or one whose clock counts instructions: there the host cannot stop between the moment that the scheduler
# takes and the event of it, and the kernel's own accounts of the time that a thread was runnable, and of the time that
# it waited for a disk, are the same within 1 %.
. "$(dirname "$0")/../lib.sh"

one_kernel() {
	local exact=(--exact) file
	"$FTR_TOP/tests/guest/load/module/mkmodule" "$("$FTR_TOP/utils/guest" modules "$K")" "$OUTDIR/ftrmod.ko" ||
		{ fail "$V: builds a module"; return; }
	if [ $((FTR_SEED / 3 % 2)) = 1 ]; then
		guest_checks 600 why.sh --smp 1 --qemu '-icount shift=3,sleep=off'
	else
		guest_checks 600 why.sh
		exact=()
	fi
	check "$V: each wait has its cause, and adds up" python3 "$ORACLE/why_load.py" "${exact[@]}" "$FTR" \
		"$OUTDIR/known.dat" "$OUTDIR/known.txt"
	for file in named nfs; do
		check "$V: $file: sleeps have a named cause" python3 "$ORACLE/why_named.py" "$FTR" "$OUTDIR/$file.dat"
	done
	check "$V: causes agree with the stacks" python3 "$ORACLE/why_stack.py" "$FTR" "$OUTDIR"/{named,nfs}.dat
	"$FTR" report -t --event print --fields time,text "$OUTDIR/named.dat" > "$TMP/markers"
	"$FTR" why --between 'begin of*,end of*' --json rcu_preempt "$OUTDIR/named.dat" > "$TMP/between"
	same "$V: two markers are recorded" 2 "$(wc -l < "$TMP/markers")"
	same "$V: the rows between two markers add up to that time" \
		"$(awk '/begin of/ { b = $2 } /end of/ { printf "%.0f", ($2 - b) * 1e9 }' "$TMP/markers")" \
		"$(python3 -c 'import json, sys
print(sum(row["time"] for row in json.load(open(sys.argv[1]))[0]["rows"]))' "$TMP/between")"
	check "$V: the rows add up, and are the states of the oracle" python3 "$FTR_TOP/tests/tools/why-check.py" \
		"$OUTDIR/known.dat"
	if [[ $K = *-rt ]]; then
		skip "$V: critical paths" "Perfetto names the task that an interrupt hit, where it leaves softirqs"
	elif [ -z "$NO_PERFETTO" ]; then
		"$ORACLE/perfetto-why.py" --name "$V" "$OUTDIR/known.dat" || FAILED=1
	fi
	[ -z "${KEEPDIR:-}" ] || { mkdir -p "$KEEPDIR"; cp "$OUTDIR"/{known,named,nfs}.* "$KEEPDIR"; }
}

. "$ORACLE/exported.sh"
for_a_kernel one_kernel
# There softirqs and interrupts have threads, and spin locks sleep.
if [ "${FTR_LONG:-}" = 1 ]; then
	FTR_KERNELS=6.12-rt for_kernels one_kernel
else
	skip "causes on a real-time kernel" "FTR_LONG=1 tries them"
fi
finish
