#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The ways in which ftrmod crashes a kernel, as tests of crashes need them: head line, place, context, end. One of them
# on one kernel, all under FTR_LONG=1.
. "$(dirname "$0")/../lib.sh"

# WAY|parameters|head line|place|context|end; a row goes on behind a backslash
WAYS='null|crash=null|BUG: kernel NULL pointer dereference, address: 0+$|RIP: 0010:ftrmod_null\+|task|Fatal exception$
null_irq|crash=null irq=1|BUG: kernel NULL pointer dereference, address: 0+$\
|RIP: 0010:ftrmod_null\+|irq|Fatal exception in interrupt$
bug|crash=bug|kernel BUG at ftrmod.c:[1-9][0-9]*!$|RIP: 0010:ftrmod_bug\+|task|Fatal exception$
bug_irq|crash=bug irq=1|kernel BUG at ftrmod.c:[1-9][0-9]*!$|RIP: 0010:ftrmod_bug\+|irq|Fatal exception in interrupt$
sleep|crash=sleep|INFO: task insmod:[0-9]+ blocked for more than 2 seconds\
|ftrmod_sleep\+|task|hung_task: blocked tasks$'
WAYS=${WAYS//$'\\\n'}

# context_of LOG: the kernel marks in a stack what ran in an interrupt.
context_of() {
	if grep -q '<IRQ>' "$1"; then echo irq; else echo task; fi
}

one_way() {
	local way=$1 parameters=$2 head=$3 place=$4 context=$5 end=$6 log=$OUTDIR/console-$1
	guest --own --timeout 240 -- sh -c '
		cd /proc/sys/kernel
		echo 2 > hung_task_timeout_secs; echo 1 > hung_task_panic; echo 1 > panic_on_oops
		exec taskset -c 0 insmod -f "$OUT/ftrmod.ko" '"$parameters" > /dev/null
	same "$V: $way: ends the guest" 125 $?
	tr -d '\r' < "$OUTDIR/console" > "$log"
	has "$V: $way: head line" "$(cat "$log")" "$head"
	has "$V: $way: place" "$(cat "$log")" "$place"
	same "$V: $way: context" "$context" "$(context_of "$log")"
	has "$V: $way: panic" "$(cat "$log")" "Kernel panic - not syncing: $end"
}

one_kernel() {
	local way parameters head place context end
	"$FTR_TOP/tests/guest/load/module/mkmodule" "$("$FTR_TOP/utils/guest" modules "$K")" "$OUTDIR/ftrmod.ko" ||
		{ fail "$V: builds a module"; return; }
	for way in $(sample 1 $(cut -d'|' -f1 <<< "$WAYS")); do
		IFS='|' read -r _ parameters head place context end <<< "$(grep "^$way|" <<< "$WAYS")"
		one_way "$way" "$parameters" "$head" "$place" "$context" "$end"
	done
}

for_a_kernel one_kernel
finish
