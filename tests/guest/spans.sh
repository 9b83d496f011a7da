#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Spans and states: a load whose moves, renames, forks, interruptions and switches are known, on each kernel. The
# model's are those of the oracle, which reads the same files by a decoder of its own,
# and those that the load and /proc have counted.
. "$(dirname "$0")/../lib.sh"
MOST=200000	# records of a file

# load_said WORD [FIELD]: of what the load has printed; its number
load_said() {
	awk -v word="$1" -v field="${2:-2}" '$1 == word { print $field }' "$OUTDIR/$NAME.txt"
}

# spans PATTERN < dump: how many of its lines fit
spans() {
	grep -cE "^span $1"
}

# compare: the dumps of $NAME.dat
compare() {
	local dump=$FTR_BUILD/tests/tools/span_dump
	python3 "$ORACLE/spans.py" "$OUTDIR/$NAME.dat" > "$TMP/oracle" || fail "$V: $NAME: the oracle"
	sort "$TMP/oracle" > "$TMP/wanted"
	if [ ! -x "$dump" ]; then
		skip "$V: $NAME: the model's spans and states are the oracle's" 'no span_dump'
		cp "$TMP/oracle" "$TMP/dump"
		return
	fi
	check "$V: $NAME: span_dump" "$dump" "$OUTDIR/$NAME.dat"
	"$dump" "$OUTDIR/$NAME.dat" > "$TMP/dump" 2> "$TMP/err"
	sort "$TMP/dump" > "$TMP/got"
	same_files "$V: $NAME: the model's spans and states are the oracle's" "$TMP/wanted" "$TMP/got"
	check "$V: $NAME: sums and percentiles are those of the oracle's spans" \
		python3 "$FTR_TOP/tests/tools/sums-check.py" "$OUTDIR/$NAME.dat"
}

# view NAME: what tests/oracle/views.py makes of $NAME.dat is what our_NAME prints
view() {
	python3 "$ORACLE/views.py" "$1" "$OUTDIR/$NAME.dat" | LC_ALL=C sort > "$TMP/wanted"
	"our_$1" "$OUTDIR/$NAME.dat" | LC_ALL=C sort > "$TMP/got"
	[ -s "$TMP/wanted" ] || fail "$V: $NAME: $1: the oracle"
	same_files "$V: $NAME: $1 is the oracle's" "$TMP/wanted" "$TMP/got"
}

# lanes WIDTH: of $NAME.dat, beside those of the oracle: columns, losses, events, sums
lanes() {
	python3 "$ORACLE/views_timeline.py" --width "$1" --event 'sched_wak*' "$OUTDIR/$NAME.dat" | sort > "$TMP/wanted"
	"$FTR" timeline --json --width "$1" --event 'sched_wak*' "$OUTDIR/$NAME.dat" |
		python3 "$ORACLE/views_timeline.py" --theirs | sort > "$TMP/got"
	[ -s "$TMP/wanted" ] || fail "$V: $NAME: the oracle of lanes"
	same_files "$V: $NAME: lanes of $1 columns are the oracle's" "$TMP/wanted" "$TMP/got"
}

# flame OPTION...: what it folds of $NAME.dat is what the oracle does
flame() {
	python3 "$ORACLE/views_flame.py" "$@" "$OUTDIR/$NAME.dat" > "$TMP/wanted" ||
		fail "$V: $NAME: the oracle of flame graphs"
	check "$V: $NAME: flame $*: there are stacks" test -s "$TMP/wanted"
	"$FTR" flame -q --folded "$@" "$OUTDIR/$NAME.dat" > "$TMP/got"
	same_files "$V: $NAME: flame $*: folded as the oracle does" "$TMP/wanted" "$TMP/got"
}

# What adds up in a flame graph is what a profile has.
flames_calls() {
	flame --kind syscall,work,lock,block
	flame --kind irq,softirq --reverse
	flame --off-cpu
}

flames_graph() {
	flame
	flame --reverse
	flame --off-cpu
	same "$V: $NAME: flame adds up to the selves of the profile" \
		"$("$FTR" profile --csv --fields self "$OUTDIR/$NAME.dat" |
			awk -F, 'NR > 1 { n += $2 } END { printf "%d\n", n }')" \
		"$("$FTR" flame -q --folded "$OUTDIR/$NAME.dat" | awk '{ n += $NF } END { printf "%d\n", n }')"
}

flames_stacks() {
	flame --stacks
	flame --weight bytes_alloc
	flame --off-cpu
	flame --off-cpu --reverse
}

# few_records: enough for the test to be about something, and not too many
few_records() {
	local n
	n=$(records "$OUTDIR/$NAME.dat" | total records)
	[ "$n" -gt 2000 ] && [ "$n" -le $MOST ] && pass "$V: $NAME: $n records" || fail "$V: $NAME: $n records"
}

# switches TID < dump: how often it was switched out asleep, and preempted
switches() {
	awk -v tid="$1" '
		$1 == "state" && $2 == tid {
			sub("count=", "", $5)
			if ($3 == "preempted")
				preempted += $5
			else if ($3 !~ /^(unknown|new|running|runnable)$/)
				asleep += $5
		}
		END { print asleep + 0, preempted + 0 }'
}

threads() {
	local who tid voluntary nonvoluntary
	while read -r _ who tid voluntary nonvoluntary; do
		same "$V: $NAME: $who was switched out as often as /proc says" "$voluntary $nonvoluntary" \
			"$(switches "$tid" < "$TMP/dump")"
	done < <(grep '^thread ' "$OUTDIR/$NAME.txt")
}

# What the load did, in what was recorded of it.
did_calls() {
	local self
	self=$(load_said self)
	same "$V: moved while read() slept" "$(load_said moved)" \
		"$(spans "syscall read task=$(load_said moved 3) cpu=(0>1|1>0) .*marks=-" < "$TMP/dump")"
	same "$V: renamed" "$(load_said renamed)" \
		"$(spans "syscall prctl task=$(load_said renamed 3) .*marks=-" < "$TMP/dump")"
	# Each name once: from 6.14 on __set_task_comm() takes no lock,
	# so that a switch between its event and its copy has the old name.
	same "$V: renamed, as the oracle says" "$(load_said renamed)" \
		"$(python3 "$ORACLE/spans.py" --names "$OUTDIR/$NAME.dat" |
			sed -nE "s/^name $(load_said renamed 3) [0-9]+ (renamed.*)/\1/p" | sort -u | wc -l)"
	same "$V: interrupted" "$(load_said signals)" \
		"$(spans "syscall rt_sigreturn task=$(load_said interrupted 3) " < "$TMP/dump")"
	same "$V: forked" "$(load_said forked)" "$(spans "syscall clone task=$self .*marks=-" < "$TMP/dump")"
	same "$V: wrote" "$(load_said wrote)" "$(spans 'block WS .*marks=-' < "$TMP/dump")"
	thread_executes
}

# A thread's execve() ends in another task: the first of its process, which the child was forked as. The kernel
# exchanges the pids of the thread and of its leader (exchange_tids()) once the leader's exit is announced, which may be
# before the leader's last switch: that has the pid of the thread then, and no record says that it is another task.
thread_executes() {
	local what="$V: a thread that is not the first executes a program" pid old
	read -r pid old < <("$FTR" report -F sched:sched_process_exec "$OUTDIR/$NAME.dat" 2> /dev/null |
		sed -nE 's/.* pid=([0-9]+) old_pid=([0-9]+)$/\1 \2/p' | awk '$1 != $2')
	# EXIT_DEAD, EXIT_ZOMBIE
	if "$FTR" report -F "sched:sched_switch:prev_pid == $old && prev_state & 0x30" "$OUTDIR/$NAME.dat" \
		2> /dev/null | grep -q .; then
		skip "$what" "the leader's last switch has the pid of the thread"
		return
	fi
	same "$what" 1 "$(spans "syscall execve task=$pid .*marks=-" < "$TMP/dump")"
}

did_graph() {
	local n
	n=$(spans 'function_graph do_exit .*marks=ended by exit' < "$TMP/dump")
	[ "$n" -ge "$(load_said forked)" ] && pass "$V: $n calls of do_exit() end with their tasks" ||
		fail "$V: calls of do_exit() end with their tasks" "$n of them"
}

# sched_in NAME: who, how often it came to run, ms: of the threads of its load, as ftr and as perf say
sched_in() {
	local name=$1 who tid ours theirs
	while read -r _ who tid _; do
		ours=$("$FTR" sched latency --json --pid "$tid" "$OUTDIR/$name.dat" 2> /dev/null |
			python3 -c 'import json, sys
print(*["%d %.3f" % (t["switches"], t["runtime"] / 1e6) for t in json.load(sys.stdin)])')
		theirs=$(sed -nE "s/^ *.*\\[$tid(\\/[0-9]+)?\\] +-?[0-9]+ +([0-9]+) +([0-9.]+) .*/\\2 \\3/p" \
			"$OUTDIR/$name.perf")
		echo "$who $ours $theirs"
	done < <(grep '^thread ' "$OUTDIR/$name.txt")
}

# Counts are equal in each of both recordings. A run of 100 ms and more is as long as perf's, within 2 %, in one
# of them at least: each of the two takes its time in a probe of its own.
beside_perf() {
	local name
	if [ ! -s "$OUTDIR/beside-1.perf" ]; then
		skip "$V: beside perf sched" 'no perf'
		return
	fi
	for name in beside-1 beside-2; do
		sched_in $name > "$TMP/$name"
		same "$V: $name: threads came to run as often as perf says" 4 \
			"$(awk '$2 > 0 && $2 == $4' "$TMP/$name" | wc -l)"
		[ "$(awk '$2 > 0 && $2 == $4' "$TMP/$name" | wc -l)" = 4 ] || sed 's/^/# /' "$TMP/$name"
	done
	same "$V: threads ran as long as perf says" '' "$(cat "$TMP"/beside-[12] | awk '
		$5 >= 100 {
			off = ($3 - $5) / $5
			n[$1]++
			good[$1] += off < 0.02 && off > -0.02
			said[$1] = said[$1] " " $3 " " $5
		}
		END {
			for (who in n) { all++; if (!good[who]) print who said[who] }
			if (!all) print "none ran 100 ms"
		}')"
}

# The rows of ftr sched timehist with each of perf's options, beside perf's.
rows_as_perf() {
	local name=$OUTDIR/beside-1
	[ -s "$name.rows" ] || return
	"$FTR" sched timehist -n -w -M $name.dat 2> /dev/null > "$TMP/rows"
	check "$V: timehist -n -w -M: the rows of perf" python3 "$ORACLE/perf_rows.py" "$TMP/rows" "$name.rows"
	"$FTR" sched timehist -I -n $name.dat 2> /dev/null > "$TMP/rows"
	check "$V: timehist -I: the rows of perf" python3 "$ORACLE/perf_rows.py" --idle "$TMP/rows" "$name.idle"
	"$FTR" sched timehist -s $name.dat 2> /dev/null > "$TMP/rows"
	check "$V: timehist -s: the sums of perf" python3 "$ORACLE/perf_rows.py" --sums "$TMP/rows" "$name.perf"
}

one_kernel() {
	truncate -s 64M "$OUTDIR/disk"
	guest_checks 600 spans.sh --qemu "-drive if=virtio,format=raw,file=$OUTDIR/disk"
	for NAME in calls graph; do
		few_records
		compare
		view latency
		lanes 97
		lanes 1000
		threads
		"did_$NAME"
		"flames_$NAME"
	done
	NAME=stacks
	few_records
	compare
	flames_stacks
	[ "$K" != 6.12 ] || beside_perf
	[ "$K" != 6.12 ] || rows_as_perf
}

for_a_kernel one_kernel
finish
