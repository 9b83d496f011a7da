#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# turns: 3
# Each way in which a kernel goes wrong, by its console and by a buffer that outlives it: what ftr oops show names is
# what happened. One way on one kernel, all under FTR_LONG=1.
. "$(dirname "$0")/../lib.sh"

# WAY|options of arm|how|head|function|task|CPU|in an interrupt
#
# How: a line of shell of the process that is PID; if it has "insmod" first, the process becomes that. BUSY is a task
# that keeps CPU 1 busy, for interrupts. The machine lives on where no option of arm says otherwise.
# CPU: as the text of show has it; of a task that sleeps or is killed the kernel says none. A row goes on behind a
# backslash.
WAYS='sysrq|--panic-timeout 1|taskset -pc 1 $$; echo c > /proc/sysrq-trigger\
|sysrq: Trigger a crash|sysrq_handle_crash|sh-PID|1|False
bug|--panic-on-oops|insmod -c 0 crash=bug|kernel BUG at ftrmod.c:[1-9][0-9]*!|ftrmod_bug|insmod-PID|0|False
softirq|--panic-on-oops|insmod -c 0 crash=bug softirq=1\
|kernel BUG at ftrmod.c:[1-9][0-9]*!|ftrmod_bug|busy-BUSY|1|True
irq|--panic-on-oops|insmod -c 0 crash=bug irq=1|kernel BUG at ftrmod.c:[1-9][0-9]*!|ftrmod_bug|busy-BUSY|1|True
hung|--hung-task-panic|insmod -c 0 crash=sleep\
|INFO: task insmod:PID blocked for more than 2 seconds\.|ftrmod_sleep|insmod-PID|0, where the task ran last|False
lockup|--softlockup-panic|insmod -c 1 crash=spin\
|watchdog: BUG: soft lockup - CPU#1 stuck for [0-9]+s! \[insmod:PID\]|ftrmod_spin|insmod-PID|1|False
oom|--oom|eat_memory|Memory cgroup out of memory: Killed process PID \(tail\) total-vm:.*\
|None|tail-PID|1, where the task ran last|False
oops||insmod -c 1 crash=null\
|BUG: kernel NULL pointer dereference, address: 0+|ftrmod_null|insmod-PID|1|False'
WAYS=${WAYS//$'\\\n'}

# What a reboot keeps: a buffer, and the kernel's log.
KEPT='reserve_mem=4M:4096:ftr-trace trace_instance=ftr-oops^traceoff@ftr-trace'
KEPT+=' reserve_mem=1M:4096:ftr-log ramoops.mem_name=ftr-log ramoops.record_size=131072'

# In the guest: arms, and goes wrong. MODE: console, same, or buffer.
crash() {
	cat <<-'EOS'
	S=/proc/sys/kernel
	export FTR_OOPS_DIR=$OUT/oops.$MODE
	rm -rf "$FTR_OOPS_DIR"
	mkdir -m 700 "$FTR_OOPS_DIR"
	case $OPTIONS in
	--hung*)	echo 2 > $S/hung_task_timeout_secs ;;
	--softlockup*)	echo 1 > $S/watchdog_thresh ;;
	esac
	eat_memory() {
		mkdir /tmp/group
		mount -t cgroup2 none /tmp/group
		echo +memory > /tmp/group/cgroup.subtree_control
		mkdir /tmp/group/ftr
		echo 16M > /tmp/group/ftr/memory.max
		sh -c 'echo $$ > "$OUT/pid"; echo $$ > /tmp/group/ftr/cgroup.procs; exec taskset -c 1 tail /dev/zero'
	}
	insmod() {
		local cpu=$2
		shift 2
		sh -c 'echo $$ > "$OUT/pid"; sync; exec taskset "$@"' sh -c "$cpu" insmod -f "$OUT/ftrmod.ko" "$@"
	}
	case $BUSY in
	busy-*)	ln -s /bin/sh /tmp/busy
		taskset -c 1 nice -n -20 /tmp/busy -c 'echo $$ > "$OUT/busy"; while :; do :; done' &
		while [ ! -s "$OUT/busy" ]; do sleep 0.1; done ;;
	esac
	if [ $MODE = console ]; then
		"$FTR" oops arm --dump=all $OPTIONS
	else
		"$FTR" oops arm $OPTIONS
	fi 2> "$OUT/armed" || exit 3
	echo $$ > "$OUT/pid"
	# the firmware ends its text without a newline
	echo '<0>armed' > /dev/kmsg
	sync
	EOS
}

# In the next boot, or in the same one: what is left.
collect() {
	cat <<-'EOS'
	export FTR_OOPS_DIR=$OUT/oops.$MODE
	mountpoint -q /sys/fs/pstore || mount -t pstore pstore /sys/fs/pstore
	"$FTR" oops collect --dir "$FTR_OOPS_DIR" > "$OUT/taken" 2> "$OUT/said"
	echo $? > "$OUT/status"
	exit 0
	EOS
}

# script MODE LIVES OPTIONS HOW TASK: the guest's script
script() {
	echo "MODE=$1 OPTIONS='$3' BUSY=$5"
	[ "$1" != buffer ] || echo 'modprobe ramoops'
	[ "$1$2" != buffer ] || echo 'if [ "$GUEST_BOOT" = 1 ]; then'
	crash
	echo "$4"
	[ -n "$2" ] || echo 'sleep 60'
	[ "$1$2" != buffer ] || echo 'fi'
	# no kernel dumps for an OOM kill; sysrq-z is asked for it
	[ "$1$3" != console--oom ] || echo 'echo z > /proc/sysrq-trigger'
	[ "$1" = console ] || collect
	echo 'exit 0'
}

# value FILE EXPRESSION: of the JSON in FILE, which is d there
value() {
	python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"
}

# json_cpu WORDS: the same in JSON, and whether the text of the oops tells it
json_cpu() {
	case $1 in
	'not known')	echo None False ;;
	*,*)		echo "${1%%,*} False" ;;
	*)		echo "$1 True" ;;
	esac
}

# damaged WAY HEAD FUNCTION TASK CPU IRQ: what show says of the same log, prefixed, cut, swapped, thinned
damaged() {
	local cpu
	cpu=$(json_cpu "$5")
	echo "$1.log|$2|$3|$4|${cpu% *}|$6" > "$OUTDIR/truth"
	(cd "$OUTDIR" && "$FTR_TOP/tests/tools/oops_mutants.py" truth all \
		"$([ "${FTR_LONG:-}" = 1 ] && echo 100 || echo 20)" "$FTR_SEED") > "$OUTDIR/mutants" || FAILED=1
	sed -E "s/^(ok|not ok) - /&$V: /" "$OUTDIR/mutants"
}

# shows NAME FILE HEAD FUNCTION TASK CPU IRQ: what show says of FILE is the truth
shows() {
	local name=$1 file=$2 json=$OUTDIR/json text=$OUTDIR/text
	"$FTR" oops show --json "$file" > "$json" 2> "$OUTDIR/serr"
	same "$name: show: status, remarks" "0 " "$? $(cat "$OUTDIR/serr")"
	[ -s "$json" ] || return
	"$FTR" oops show "$file" > "$text" 2>&1
	has "$name: head" "$(value "$json" 'd["oops"]["head"]')" "^$3\$"
	same "$name: function, task, in an interrupt" "$4 $5 $7" \
		"$(value "$json" 'str(d["oops"]["place"]).split("+")[0]') $(value "$json" \
			'd["task"]["task"], d["oops"]["interrupt"]' | tr -d "(),'")"
	# The buffer may be too small for the four seconds in which a task hangs: then no record has its CPU.
	if [[ $6 == *"ran last" ]] && grep -qE "^task: +$5, unknown for" "$text"; then
		has "$name: as text: CPU, without a record of the task" "$(cat "$text")" \
			"^CPU: +[01], that of the last record\$"
		same "$name: CPU, without a record of the task" False "$(value "$json" 'd["cpu_told"]')"
	else
		same "$name: CPU" "$(json_cpu "$6")" "$(value "$json" 'd["cpu"], d["cpu_told"]' | tr -d '(),')"
		has "$name: as text: CPU" "$(cat "$text")" "^CPU: +$6\$"
	fi
	has "$name: as text: head" "$(cat "$text")" "^oops: +$3\$"
	has "$name: as text: task" "$(cat "$text")" "^task: +$5(,|\$)"
	[ "$4" = None ] || has "$name: as text: place" "$(cat "$text")" "^place: +$4\\+0x"
}

# one_mode WAY MODE LIVES OPTIONS HOW HEAD FUNCTION TASK CPU IRQ
one_mode() {
	local way=$1 mode=$2 lives=$3 options=$4 how=$5 head=$6 task=$8 cpu=$9 name="$V: $1, $2"
	local ended=0 file pid busy words
	words=(--own --timeout 240)
	[ "$mode" != buffer ] || words=(--timeout 400 --reboot --append "panic=1 nokaslr $KEPT")
	[ "$mode$lives" != console ] || ended=125
	rm -f "$OUTDIR"/{pid,busy,taken,said,status,armed}
	script "$mode" "$lives" "$options" "$how" "$task" > "$OUTDIR/run.sh"
	guest "${words[@]}" -- sh "$OUTDIR/run.sh" > "$OUTDIR/out"
	same "$name: the guest" $ended $?
	pid=$(cat "$OUTDIR/pid")
	busy=$(cat "$OUTDIR/busy" 2> /dev/null)
	task=${task/PID/$pid}
	task=${task/BUSY/$busy}
	head=${head/PID/$pid}
	# sysrq-z of 6.12 and later prints the top level alone, where nothing is recorded
	[ "$mode$options" != console--oom ] || [ "$K" = 6.1 ] || cpu='not known'
	if [ "$mode" = console ]; then
		tr -d '\r' < "$OUTDIR/console" > "$OUTDIR/$way.log"
		file=$OUTDIR/$way.dat
		"$FTR" oops parse "$OUTDIR/$way.log" -o "$file" > "$OUTDIR/out" 2> "$OUTDIR/perr"
		same "$name: parse: status" 0 $?
		has "$name: the kernel says so" "$(cat "$OUTDIR/$way.log")" "\\] $head\$"
		damaged "$way" "$head" "$7" "$task" "$cpu" "${10}"
	else
		same "$name: collect: status" 0 "$(cat "$OUTDIR/status")"
		file=$OUTDIR/oops.$mode/$(basename "$(cat "$OUTDIR/taken")")
	fi
	shows "$name" "$file" "$head" "$7" "$task" "$cpu" "${10}"
}

one_way() {
	local way=$1 options=$2 lives=
	case $options in
	''|--oom)	lives=lives ;;
	esac
	one_mode "$way" console "$lives" "${@:2}"
	[ -z "$lives" ] || one_mode "$way" same "$lives" "${@:2}"
	[ "$K" = 6.1 ] || one_mode "$way" buffer "$lives" "${@:2}"
}

one_kernel() {
	local way row
	"$FTR_TOP/tests/guest/load/module/mkmodule" "$("$FTR_TOP/utils/guest" modules "$K")" "$OUTDIR/ftrmod.ko" ||
		{ fail "$V: builds a module"; return; }
	for way in $(sample 1 $(cut -d'|' -f1 <<< "$WAYS")); do
		IFS='|' read -r -a row <<< "$(grep "^$way|" <<< "$WAYS")"
		one_way "${row[@]}"
	done
}

for_a_kernel one_kernel
finish
