#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A kernel crashes and dumps its trace to the console; ftr oops parse makes a file of the log, and ftr oops show says
# head line, place, CPU and task as the table has it. One way on each kernel, all under FTR_LONG=1.
. "$(dirname "$0")/../lib.sh"

# WAY|CPU that the crash is told to be on|how|head line|place|task|in an interrupt. PID is that of the process that
# crashes. A row goes on behind a backslash.
WAYS='sysrq|1|echo c > /proc/sysrq-trigger|sysrq: Trigger a crash$|sysrq_handle_crash\+|sh-PID|False
null|0|insmod -f $OUT/ftrmod.ko crash=null|BUG: kernel NULL pointer dereference, address: 0+$\
|ftrmod_null\+0x.* \[ftrmod\]|insmod-PID|False
bug_irq|1|taskset -c 0 insmod -f $OUT/ftrmod.ko crash=bug irq=1|kernel BUG at ftrmod.c:[1-9][0-9]*!$\
|ftrmod_bug\+0x.* \[ftrmod\]|.*|True
sleep|0|insmod -f $OUT/ftrmod.ko crash=sleep|INFO: task insmod:PID blocked for more than 2 seconds\.$\
|ftrmod_sleep\+0x.* \[ftrmod\]|insmod-PID|False'
WAYS=${WAYS//$'\\\n'}

# Small, as a line takes a console 9 ms: some hundred records a CPU. The BIOS ends its text without a newline.
arm='cd /sys/kernel/tracing
echo 12 > buffer_size_kb
for e in sched/sched_switch sched/sched_waking; do echo 1 > events/$e/enable; done
for e in sched/sched_switch sched/sched_waking; do echo "@@FILE $e/format"; cat events/$e/format; done > $OUT/formats
cd /proc/sys/kernel
echo 2 > hung_task_timeout_secs; echo 1 > hung_task_panic; echo 1 > panic_on_oops; echo 1 > ftrace_dump_on_oops
echo "<0>armed" > /dev/kmsg
echo $$ > $OUT/pid; sync'

# value FILE EXPRESSION: of the JSON in FILE, which is d there
value() {
	python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"
}

one_way() {
	local way=$1 cpu=$2 how=$3 head=$4 place=$5 task=$6 irq=$7 name="$V: $1" pid
	guest --own --timeout 240 -- sh -c "$arm
		taskset -pc $cpu \$\$ > /dev/null
		case '$how' in echo*) $how;; *) exec $how;; esac" > /dev/null
	same "$name: ends the guest" 125 $?
	cp "$OUTDIR/console" "$OUTDIR/console-$way"
	pid=$(< "$OUTDIR/pid")
	"$FTR" oops parse "$OUTDIR/console-$way" -o "$OUTDIR/$way.dat" \
		--formats "$OUTDIR/formats" > "$OUTDIR/out" 2> "$OUTDIR/perr"
	same "$name: ftr oops parse" "0" "$?"
	"$FTR" oops show --json "$OUTDIR/$way.dat" > "$OUTDIR/json" 2> "$OUTDIR/serr"
	same "$name: ftr oops show: status, remarks" "0 " "$? $(cat "$OUTDIR/serr")"
	has "$name: head line" "$(value "$OUTDIR/json" 'd["oops"]["head"]')" "^${head//PID/$pid}"
	has "$name: place" "$(value "$OUTDIR/json" 'd["oops"]["place"]')" "^$place"
	has "$name: task" "$(value "$OUTDIR/json" 'd["task"]["task"]')" "^${task//PID/$pid}\$"
	same "$name: CPU, in an interrupt" "$cpu $irq" \
		"$(value "$OUTDIR/json" 'd["cpu"], d["oops"]["interrupt"]' | tr -d '(),')"
	shown_of "$name" "$cpu" "$OUTDIR/console-$way"
	"$FTR" oops show "$OUTDIR/$way.dat" > "$OUTDIR/text" 2>&1
	has "$name: as text" "$(head -n 1 "$OUTDIR/text")" "^oops: +${head//PID/$pid}"
	has "$name: the first line of ftr info" "$("$FTR" info --quick "$OUTDIR/$way.dat" 2>&1)" "^oops: +"
}

# shown_of NAME CPU LOG: the last events of the dump's CPU are those of the records that are shown, in their order
shown_of() {
	tr -d '\r' < "$3" | awk -v cpu="$2" '
		match($0, /-[0-9]+ +[0-9]+[dDb.X][NnpBLbl.][ZzHhs.][0-9a-f.][0-9a-f.] +[0-9]+us.: /) {
			split(substr($0, RSTART + 1, RLENGTH), w, " +")
			if (w[2] + 0 == cpu) {
				rest = substr($0, RSTART + RLENGTH); sub(/: .*/, "", rest)
				print w[1], rest
			}
		}' | tail -n 20 > "$OUTDIR/want"
	value "$OUTDIR/json" '"\n".join(d["records"])' |
		sed -nE 's/^ *.*-([0-9]+) +\[[0-9]+\] [^ ]+ +[0-9.]+: ([a-z_]+):.*/\1 \2/p' > "$OUTDIR/got"
	same_files "$1: the last records of its CPU" "$OUTDIR/want" "$OUTDIR/got"
	same "$1: 20 of them" 20 "$(wc -l < "$OUTDIR/got")"
}

one_kernel() {
	local way cpu how head place task irq
	"$FTR_TOP/tests/guest/load/module/mkmodule" "$("$FTR_TOP/utils/guest" modules "$K")" "$OUTDIR/ftrmod.ko" ||
		{ fail "$V: builds a module"; return; }
	for way in $(sample 1 $(cut -d'|' -f1 <<< "$WAYS")); do
		IFS='|' read -r _ cpu how head place task irq <<< "$(grep "^$way|" <<< "$WAYS")"
		one_way "$way" "$cpu" "$how" "$head" "$place" "$task" "$irq"
	done
	feature "$V" 'oops show: head line, place, CPU and task' works
}

for_a_kernel one_kernel
finish
