#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# turns: 3
# ftr oops parse of what kernels write: by sysrq-z the records of the file trace of the same buffer, and as many records
# as a crash left on the console. One kernel, one crash; all under FTR_LONG=1.
. "$(dirname "$0")/../lib.sh"

# WAY|what makes the crash
WAYS='sysrq|echo c > /proc/sysrq-trigger
null|insmod -f "$OUT/ftrmod.ko" crash=null
null_irq|taskset -c 0 insmod -f "$OUT/ftrmod.ko" crash=null irq=1
bug|insmod -f "$OUT/ftrmod.ko" crash=bug
sleep|insmod -f "$OUT/ftrmod.ko" crash=sleep'

# of_trace FILE: CPU, pid, microseconds behind the first, event of each record
of_trace() {
	awk 'match($0, /-[0-9]+ +\[[0-9]+\] [^ ]+ +[0-9]+\.[0-9]+: /) {
			split(substr($0, RSTART + 1, RLENGTH - 1), part, " ")
			us = part[4]; gsub(/[.:]/, "", us)
			if (n++ == 0) first = us
			text = substr($0, RSTART + RLENGTH)
			if (text ~ /^<stack trace>/) text = "kernel_stack"
			else if (text ~ /^sys_[a-z0-9_]+\(/) { sub(/\(.*/, "", text); sub(/^sys_/, "sys_enter_", text) }
			else if (text ~ /^sys_[a-z0-9_]+ -> /) {
				sub(/ -> .*/, "", text); sub(/^sys_/, "sys_exit_", text)
			}
			else if (text ~ / <-/) text = "function"
			else sub(/:.*/, "", text)
			print substr(part[2], 2) + 0, part[1], us - first, text
		}' "$1"
}

# near WANT GOT: the same but for a microsecond in the third word
near() {
	[ "$(wc -l < "$1")" = "$(wc -l < "$2")" ] && paste -d ' ' "$1" "$2" |
		awk '{ d = $3 - $7 } $1 != $5 || $2 != $6 || $4 != $8 || d < -1 || d > 1 { print; bad = 1 }
			END { exit bad }' | head -n 5
	return "${PIPESTATUS[1]}"
}

truth_of() {
	local name=$1 dir=$OUTDIR
	"$FTR" oops parse "$dir/$name.log" -o "$dir/$name.dat" --formats "$dir/formats" > "$dir/out" 2> "$dir/said"
	same "$V: $name: all lines are taken" 0 $?
	echo "# $V: $(head -n 1 "$dir/said")"
	of_trace "$dir/$name.trace" > "$dir/want"
	"$FTR" report "$dir/$name.dat" 2> /dev/null > "$dir/report"
	of_trace "$dir/report" > "$dir/got"
	[ -s "$dir/want" ] || fail "$V: $name: the kernel has records"
	check "$V: $name: CPU, pid, time, event as in the file trace" near "$dir/want" "$dir/got"
	texts_of $name
}

# texts FILE: of each record what is behind its context, and frames;
# without the 0x that numbers of calls have on some kernels
texts() {
	sed -nE 's/^.*\] [^ ]{5} +[0-9]+\.[0-9]+: //p; /^ => /p' "$1" | sed '/^sys_/s/0x//g'
}

# The whole text of each record, the frames of stacks with it.
texts_of() {
	"$FTR" report --format=kernel "$OUTDIR/$1.dat" 2> /dev/null > "$OUTDIR/report"
	texts "$OUTDIR/$1.trace" > "$OUTDIR/want"
	texts "$OUTDIR/report" > "$OUTDIR/got"
	same_files "$V: $1: texts as in the file trace" "$OUTDIR/want" "$OUTDIR/got"
}

# The fields of NAME's file as in the text of the file trace; and in that with the option fields, which 6.1 lacks.
fields_of() {
	local name=$1 dir=$OUTDIR how
	"$FTR" report --raw "$dir/$name.dat" 2> /dev/null > "$dir/raw"
	case $K in 6.1|6.1-*) [ ! -e "$dir/$name.fields" ];; *) [ -s "$dir/$name.fields" ];; esac
	same "$V: $name: the option fields" 0 $?
	for how in trace fields; do
		[ -s "$dir/$name.$how" ] || continue
		check "$V: $name: fields as in the kernel's $how" "$ORACLE/dumpfields.py" "$dir/$name.$how" "$dir/raw"
		echo "# $V: $name, $how: $("$ORACLE/dumpfields.py" "$dir/$name.$how" "$dir/raw" | tail -n 1)"
	done
	has "$V: $name: there are fields" "$("$ORACLE/dumpfields.py" "$dir/$name.trace" "$dir/raw" | tail -n 1)" \
		'^[1-9][0-9]+ values'
}

# graph_of_trace FILE: CPU, pid, time if there is one, duration, line with its depth of each line of a graph. Without a
# column of tasks the lines of a switch tell the pid: that before it, then that behind it. A CPU without a switch has a
# task that no kernel has.
graph_of_trace() {
	awk 'function emit(cpu, id, time, took, text) {
			gsub(/ /, "", took); sub(/ +$/, "", text)
			sub(/^ *\/\* /, "", text) && sub(/ \*\/$/, "", text)
			head[++n] = cpu; pid[n] = id; rest[n] = time "|" took "|" text
		}
		/^#/ { next }
		match($0, /^ *[0-9]+\) .* => .*-[0-9]+ *$/) {
			cpu = $1 + 0; to = $0; sub(/ *$/, "", to); sub(/.*-/, "", to)
			from = $0; sub(/ +=> .*/, "", from); sub(/.*-/, "", from)
			if (!(cpu in now)) first[cpu] = from
			now[cpu] = to; next
		}
		match($0, /^ *[0-9.]+ \| *[0-9]+\) [^|]* \| [^|]*\|  /) {
			split($0, part, "|"); task = part[2]; sub(/ *$/, "", task); sub(/.*-/, "", task)
			sub(/ /, "", part[1]); gsub(/ /, "", part[1])
			emit(part[2] + 0, task, part[1], part[3], substr($0, RSTART + RLENGTH)); next
		}
		match($0, /^ *[0-9]+\) [^|]*\|  /) {
			cpu = $1 + 0; took = substr($0, RSTART, RLENGTH)
			sub(/^ *[0-9]+\) /, "", took); sub(/\|  $/, "", took)
			emit(cpu, cpu in now ? now[cpu] : "?", "", took, substr($0, RSTART + RLENGTH))
		}
		END { for (i = 1; i <= n; i++) {
			id = pid[i] != "?" ? pid[i] : head[i] in first ? first[head[i]] : 4194305 + head[i]
			print head[i] "|" id "|" rest[i] } }' "$1"
}

# graph_of_report WITH_TIMES: the same of what ftr report prints
graph_of_report() {
	awk -v timed="$1" 'match($0, /--?[0-9]+ +\[[0-9]+\] ([^ ]+)? +[0-9]+\.[0-9]+: /) {
			n = split(substr($0, RSTART + 1, RLENGTH - 1), part, " ")
			text = substr($0, RSTART + RLENGTH); sub(/:$/, "", part[n]); took = ""
			if (sub(/^funcgraph_[a-z]+: +/, "", text)) {
				match(text, /\|  /); took = substr(text, 1, RSTART - 1); gsub(/ /, "", took)
				text = substr(text, RSTART + 3)
			} else
				sub(/: +/, ": ", text)
			sub(/ +$/, "", text); sub(/^ *\/\* /, "", text) && sub(/ \*\/$/, "", text)
			print substr(part[2], 2) + 0 "|" part[1] "|" (timed ? part[n] : "") "|" took "|" text
		}'
}

# graph_of NAME WITH_TIMES: lines with their depths as the kernel's own lines have them, CPUs, pids, durations;
# times where it has some
graph_of() {
	local name=$1 dir=$OUTDIR
	"$FTR" oops parse "$dir/$name.log" -o "$dir/$name.dat" --formats "$dir/formats" > "$dir/out" 2> "$dir/said"
	same "$V: $name: all lines are taken" 0 $?
	graph_of_trace "$dir/$name.trace" > "$dir/want"
	"$FTR" report "$dir/$name.dat" 2> /dev/null | graph_of_report "$2" > "$dir/got"
	[ -s "$dir/want" ] || fail "$V: $name: the kernel has lines"
	same_files "$V: $name: CPU, pid, duration, depth, line as in the file trace${2:+; time}" "$dir/want" "$dir/got"
	echo "# $V: $name: $(wc -l < "$dir/want") lines"
}

truth() {
	local name
	guest --timeout 400 --append log_buf_len=32M -- bash "$FTR_TOP/tests/guest/inside/oops-dump.sh" \
		"$K" > "$OUTDIR/tap"
	has "$V: the guest makes dumps" "$(cat "$OUTDIR/tap")" 'the end is reached'
	for name in events calls stacks function; do
		truth_of $name
	done
	graph_of graph ''
	graph_of graphabs timed
	for name in events calls stacks; do
		fields_of $name
	done
	all_have_fields events "sched, irq, signal, module, timer"
	all_have_fields calls "sched, raw_syscalls, syscalls"
}

# all_have_fields NAME WHAT
all_have_fields() {
	local name=$1 got want
	"$FTR" oops parse "$OUTDIR/$name.log" -o "$OUTDIR/x.dat" --formats "$OUTDIR/formats" 2>&1 |
		sed -nE 's/.*records, ([0-9]+) of ([0-9]+) events.*/\1 \2/p' > "$OUTDIR/got"
	read -r got want < "$OUTDIR/got"
	same "$V: all events of $2 have fields" "${want:-some}" "${got:-none}"
	[ "${want:-0}" -gt 0 ] && return
	fail "$V: $name: there are events"
}

crash() {
	local way=$1 how want got
	how=$(grep "^$way|" <<< "$WAYS" | cut -d'|' -f2)
	guest --timeout 240 --append 'ftrace_dump_on_oops hung_task_panic=1 oops=panic' -- sh -c '
		cd /sys/kernel/tracing || exit 1
		echo 2 > /proc/sys/kernel/hung_task_timeout_secs
		echo 16 > buffer_size_kb
		echo 1 > events/sched/enable; echo 1 > events/irq/enable
		'"$how" > /dev/null
	same "$V: $way: ends the guest" 125 $?
	tr -d '\r' < "$OUTDIR/console" > "$OUTDIR/$way.log"
	"$FTR" oops parse "$OUTDIR/$way.log" -o "$OUTDIR/$way.dat" > "$OUTDIR/out" 2> "$OUTDIR/said"
	want=$(awk '/Dumping ftrace/ { p = 1 } p' "$OUTDIR/$way.log" |
		grep -cE -- '-[0-9]+ +[0-9]+[^ ]{5} +[0-9]+us[^0-9]: ')
	got=$("$FTR" report "$OUTDIR/$way.dat" 2> /dev/null | grep -cE '\] [^ ]{5} +[0-9]+\.[0-9]+: ')
	[ "$want" -gt 0 ] || fail "$V: $way: the console has records" "$(tail -n 5 "$OUTDIR/$way.log")"
	same "$V: $way: as many records as the console has" "$want" "$got"
	has "$V: $way: the oops text" "$("$FTR" info --quick "$OUTDIR/$way.dat")" '^oops: +[^ ]'
}

one_kernel() {
	local way
	truth
	"$FTR_TOP/tests/guest/load/module/mkmodule" "$("$FTR_TOP/utils/guest" modules "$K")" "$OUTDIR/ftrmod.ko" ||
		{ fail "$V: builds a module"; return; }
	for way in $(sample 1 $(cut -d'|' -f1 <<< "$WAYS")); do
		crash "$way"
	done
	feature "$V" 'oops parse: events of a dump, with their fields' works
}

for_a_kernel one_kernel
finish
