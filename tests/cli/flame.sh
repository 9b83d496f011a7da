#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr flame: what it refuses, its pictures as XML whatever names there are, its sums beside ftr profile's, damaged
# files. What its lines say is in tests/cases/spans/flame-*.txt.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"
cd "$TMP" || exit 1
CUTS=8 FLIPS=2
[ "${FTR_LONG:-}" != 1 ] || { CUTS=40; FLIPS=10; }
echo "# seed $FTR_SEED"

# scene NAME: the records on stdin become NAME0.dat
scene() {
	cat > "$1.txt"
	python3 "$FTR_TOP/tests/tools/span_cases.py" --keep "$1" "$FTR_BUILD/tests/tools/span_dump" "$1.txt" > dump
}

# Two CPUs, on each a task that calls, is interrupted, sleeps with a stack, and is woken by the other's;
# records are lost at times.
load() {
	awk -v each="$2" 'BEGIN {
		for (i = 0; i < 120; i++)
			for (c = 0; c < 2; c++) {
				t = 1000000 + i * 100000 + c * 300
				at = sprintf("%d %%d %d %%s ", c, 100 + c)
				if (i % 40 == 39)
					print "lost", c, i
				printf at "sched_switch prev_pid=0 prev_state=R next_pid=%d next_comm=task%d\n",
					t, ".", 100 + c, c
				printf at "funcgraph_entry func=ksys_read depth=0\n", t + 2000, "."
				printf at "funcgraph_entry func=vfs_read depth=1\n", t + 3000, "."
				printf at "funcgraph_entry func=kfree depth=2\n", t + 4000, "h"
				printf at "funcgraph_exit func=kfree depth=2 calltime=%d rettime=%d\n",
					t + 4500, "h", t, t + 400
				printf at "funcgraph_exit func=vfs_read depth=1 calltime=%d rettime=%d\n",
					t + 9000, ".", t, t + each
				printf at "sched_waking pid=%d comm=task%d\n", t + 10000, ".", 101 - c, 1 - c
				printf at "demo_start tag=%d len=%d\n", t + 11000, ".", i, i * 3
				printf at "kernel_stack caller=vfs_read+%d,ksys_read+4\n", t + 11010, ".", i
				printf at "funcgraph_exit func=ksys_read depth=0 calltime=%d rettime=%d\n",
					t + 20000, ".", t, t + 18000
				printf at "sched_switch prev_comm=task%d prev_state=%s next_pid=0 next_comm=swapper\n",
					t + 30000, ".", c, i % 3 ? "S" : "R"
				printf at "kernel_stack caller=schedule+%d,%s,ksys_read+4\n",
					t + 30010, ".", i, i % 2 ? "vfs_read" : "vfs_write"
			}
	}' | scene "$1"
}

# status_of ARG...: of ftr flame, and the first line of what it says
status_of() {
	"$FTR" flame "$@" > out 2> err
	echo "$? $(head -n 1 err)"
}

refused() {
	local hint='hint: it shows self times, kernel stacks, or time off the CPU'
	same "a picture on a terminal" \
		"ftr: a picture is not written to a terminal \
hint: '-o FILE.svg' writes it to a file, --folded prints lines status 2" \
		"$(NO_COLOR=1 script -qec "'$FTR' flame load0.dat; echo status \$?" /dev/null < /dev/null | tr -d '\r' |
			tr '\n' ' ' | sed 's/ $//')"
	same "stacks of what needsf the CPU" "2 ftr: --off-cpu and --stacks do not go together" \
		"$(status_of --stacks --off-cpu load0.dat)"
	same "hint" "$hint" "$(tail -n 1 err)"
	same "a kind of stacks" "2 ftr: --weight and --kind do not go together" \
		"$(status_of --weight len --kind irq load0.dat)"
	same "a pair off the CPU" "2 ftr: --off-cpu and --pair do not go together" \
		"$(status_of --off-cpu --pair x=a:b,c:d load0.dat)"
	same "lines into a picture" "2 ftr: --folded and -o do not go together" \
		"$(status_of --folded -o x.svg load0.dat)"
	same "--diff of one" "2 ftr: --diff needs two files" "$(status_of --diff load0.dat)"
	same "--diff of three" "2 ftr: --diff needs two files" "$(status_of --diff load0.dat load0.dat load0.dat)"
	same "--diff of none" "1" "$(status_of --diff none.dat load0.dat | cut -d' ' -f1)"
	same "--diff with none" "1" "$(status_of --diff load0.dat none.dat | cut -d' ' -f1)"
	same "no kind" "2 ftr: unknown kind 'calls'" "$(status_of --kind calls load0.dat)"
	same "no such records" "1 ftr: no records of irq in 'load0.dat'" "$(status_of --kind irq load0.dat)"
	same "no stacks" "1 ftr: no kernel stacks in 'bare0.dat'" "$(status_of --stacks bare0.dat)"
	same "hint" "hint: 'ftr record -T -e EVENT ...' records them" "$(tail -n 1 err)"
	same "no switches" "1 ftr: no sched_switch in 'bare0.dat'" "$(status_of --off-cpu bare0.dat)"
	same "no file there" "1 ftr: cannot open 'none/x.svg': No such file or directory" \
		"$(status_of -q -o none/x.svg bare0.dat)"
	"$FTR" flame --folded load0.dat 2> err > /dev/full
	same "a full disk" "3 ftr: cannot write to standard output: No space left on device" "$? $(head -n 1 err)"
	"$FTR" flame load0.dat 2> err > /dev/full
	same "a picture on a full disk" 3 $?
}

# Also where names would end an element, an attribute, the script's section.
pictures() {
	local how
	for how in "" "--kind function_graph --reverse" --stacks "--weight len" --off-cpu "--off-cpu --reverse" \
		"--diff --stacks" --diff; do
		# shellcheck disable=SC2086
		"$FTR" flame -q $how -o "p.svg" load0.dat ${how:+$([[ $how == *diff* ]] && echo more0.dat)} 2> err
		same "$how: status, nothing is said" "0 " "$? $(cat err)"
		check "$how: XML" xmllint --noout p.svg
		same "$how: frames" yes "$([ "$(grep -c '<g class="f ' p.svg)" -ge 4 ] && echo yes)"
	done
	"$FTR" flame -q hostile0.dat > h.svg
	check "hostile names: XML" xmllint --noout h.svg
	same "hostile names: as they are" ']]></svg>"&<' \
		"$(xmllint --xpath 'string((//*[local-name()="title"])[last() - 1])' h.svg |
		sed 's/ (.*//')"
	check "a script that is not ended by a name" test "$(grep -c '^]]></script>' h.svg)" = 1
	check "a script of at most 300 lines" test "$(sed -n '/<script>/,/<.script>/p' h.svg | wc -l)" -le 302
	has "what is in no sum" "$("$FTR" flame -q --until +3015us more0.dat)" \
		'class="dim">in no sum: [0-9]+ open at the end<'
	# in the kernel's text each stack begins with the functions that recorded the event
	"$FTR" oops parse -q "$FTR_TOP/tests/cases/oops/stacks.log" -o stacks.dat 2> err
	"$FTR" flame -q --stacks --folded stacks.dat > folded
	same "stacks end with the function that has the event" \
		"$(sed -n 's/^.* => //p; s/^.*<stack trace>.*/-/p' "$FTR_TOP/tests/cases/oops/stacks.log" | awk '
			/^-/ { first = 1; next }
			first && !/^(trace_event_raw_event|__traceiter)_/ { print; first = 0 }' | sort -u)" \
		"$(sed -n 's/ [0-9]*$//; s/.*;//p' folded | sort -u)"
	"$FTR" flame -q --kind lock empty0.dat > e.svg 2> err
	same "nothing that counts: an error, no picture" "1 ftr: there is nothing to draw 0" \
		"$? $(cat err) $(wc -c < e.svg)"
	(umask 022; "$FTR" flame -q -o new.svg load0.dat)
	same "the file is no secret" 644 "$(stat -c %a new.svg)"
	same "the same on standard output" "$("$FTR" flame -q load0.dat | md5sum)" "$(md5sum < new.svg)"
}

# What one adds up to is what the other does, whatever spans are marked.
sums() {
	local how
	for how in "" "--kind function_graph" "--pair x=demo:demo_start,sched:sched_switch" "--pid 100" \
		"--until +3ms"; do
		# shellcheck disable=SC2086
		same "$how: the selves of the profile" \
			"$("$FTR" profile --csv --fields self $how load0.dat |
				awk -F, 'NR > 1 { n += $2 } END { print n }')" \
			"$("$FTR" flame -q --folded $how load0.dat | awk '{ n += $NF } END { print n }')"
		# shellcheck disable=SC2086
		same "$how: the same reversed" \
			"$("$FTR" flame -q --folded $how load0.dat | awk '{ n += $NF } END { print n }')" \
			"$("$FTR" flame -q --folded --reverse $how load0.dat | awk '{ n += $NF } END { print n }')"
	done
	same "off the CPU: asleep as the states have it" "$("$FTR" sched states --json load0.dat | python3 -c '
import json, sys
print(sum(t["states"]["S"]["time"] for t in json.load(sys.stdin)["tasks"] if "S" in t["states"]))')" \
		"$("$FTR" flame --off-cpu --folded load0.dat | awk '/;\[S\]/ { n += $NF } END { print n }')"
}

# Random records with stacks of all kinds behind some of them: lines are those of the oracle.
by_oracle() {
	local seed=$1 how
	python3 "$ORACLE/mkspans.py" "$seed" 1200 | awk -v seed="$seed" '
		BEGIN {
			srand(seed)
			n = split("vfs_read kfree schedule,ksys_read mutex_lock,vfs_open,ksys_read " \
				"0x7fffffff,vfs_read -1 kfree,-1,kfree", stacks)
		}
		{ print }
		/^[0-9]+ [0-9]+ [0-9]+ / && rand() < (/sched_switch/ ? 0.7 : 0.15) {
			printf "%d %s %d . kernel_stack caller=%s\n", $1, $2,
				rand() < 0.9 ? $3 : 101, stacks[int(rand() * n) + 1]
			if (rand() < 0.1)
				printf "%d %s %d . user_stack caller=0x400000\n", $1, $2, $3
			if (rand() < 0.1)
				printf "%d %s %d . kernel_stack caller=vfs_read\n", $1, $2, $3
		}' | scene random
	for how in "" "--kind syscall,irq,softirq,work,lock,block" --stacks "--weight prev_pid --reverse" --off-cpu; do
		# shellcheck disable=SC2086
		python3 "$ORACLE/views_flame.py" $how random0.dat > want
		# shellcheck disable=SC2086
		"$FTR" flame -q --folded $how random0.dat > got
		check "seed $seed: $how: the oracle has lines" test -s want
		same_files "seed $seed: $how: lines as the oracle's" want got
	done
}

damaged() {
	local out
	if out=$(python3 "$FTR_TOP/tests/tools/damage-run.py" --seed "$FTR_SEED" --cuts $CUTS --flips $FLIPS \
		--as-report 'flame --folded,flame,flame --stacks --folded,flame --off-cpu --folded' theirs \
		load0.dat 2>&1); then
		pass "damaged files end as report does"
	else
		fail "damaged files end as report does" "$out"
	fi
	tail -n 1 <<< "$out"
}

load load 6000
load more 7000
scene bare <<- 'END'
	0 1000 100 . funcgraph_entry func=ksys_read depth=0
	0 1020 100 . funcgraph_exit func=ksys_read depth=0 calltime=0 rettime=20
END
scene empty <<- 'END'
	0 1000 100 . contention_begin lock_addr=0x1
END
scene hostile <<- 'END'
	0 1000 100 . task_rename pid=100 newcomm=]]></svg>"&<
	0 1000 100 . funcgraph_entry func=ksys_read depth=0
	0 1020 100 . funcgraph_exit func=ksys_read depth=0 calltime=0 rettime=20
END
refused
pictures
sums
for i in 1 2 3; do
	by_oracle $((FTR_SEED % 1000000 * 100 + i))
done
damaged
finish
