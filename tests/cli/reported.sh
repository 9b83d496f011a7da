#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Files that showed a fault of ftr or of others, one after the other: what they hold is known. Without the folder that
# has them each is skipped by its name.
. "$(dirname "$0")/../lib.sh"

cd "$TMP" || exit 1

# reported FILE: whether it is there; leaves it in ./FILE, unpacked
reported() {
	local file=$FTR_BUGS_DIR/$1
	if [ -e "$file.xz" ]; then
		xz -dc "$file.xz" > "$1"
	elif [ -e "$file.gz" ]; then
		gzip -dc "$file.gz" > "$1"
	elif [ -e "$file" ]; then
		cp "$file" "$1"
	else
		skip "$1" "no such file in '$FTR_BUGS_DIR'"
		return 1
	fi
}

# Assemblers mark code with "$x" at the addresses of functions.
mapping_symbols() {
	reported fg-arm64-module.dat &&
		same "functions of a module on arm64" 'drv_probe drv_remove drv_irq' \
			"$(echo $("$FTR" report fg-arm64-module.dat | sed -nE 's/.*\|  ([^ ]+) \[modarm\].*/\1/p'))"
	reported sym-arm64-module.dat &&
		same "none of them is called by a mapping symbol" 0 \
			"$("$FTR" report sym-arm64-module.dat | grep -c '\$[xd]')"
}

# A run that did not happen: its end and the begin of the next one were lost. By the file trace of the same time
# rcu_preempt ran 65.8 ms in all, and never longer than 28 ms.
missing_switches() {
	reported timehist-loss-6.1-st.dat || return
	"$FTR" sched timehist timehist-loss-6.1-st.dat > timehist.txt
	check "timehist: rcu_preempt has no run of more than 28 ms: $(grep -c 'rcu_preempt' timehist.txt)" \
		awk '/rcu_preempt\[15\]/ { n++; bad += $(NF - 1) > 28 } END { exit bad || n < 100 }' timehist.txt
	has "timehist: what is lost is said" "$(tail -n 2 timehist.txt)" '^# records are lost in [0-9]+ places: '
	has "states: rcu_preempt ran 65.828 ms" "$("$FTR" sched states --pid 15 timehist-loss-6.1-st.dat)" \
		'^rcu_preempt-15 .* 65\.828 '
	has "latency: delays over losses are counted apart" "$("$FTR" sched latency timehist-loss-6.1-st.dat)" \
		'^# in no sum: [0-9]+ loss inside$'
}

# A recording with -P 214, and the kernel's text of an instance that had all of the same time, by which 214 ran 96.5 ms
# and 225 ran 759 ms. The recording has a switch to 225, and none from it until 1,279 ms later. It has no note of -P:
# that takes the place of another line, of which the checksum tells.
process_filter() {
	reported pidfilter-P.dat && reported pidfilter-P.true.txt || return
	python3 -c 'import re, sys
data = open("pidfilter-P.dat", "rb").read()
line = re.search(rb"\nboot_id=([^\n]*)\n", data)
note = b"\nset_event_pid=214\nnot="
sys.stdout.buffer.write(data[:line.start()] + note + b"x" * (line.end() - line.start() - len(note) - 1) + b"\n" +
    data[line.end():])' > limited.dat
	"$FTR" sched latency --wide limited.dat > out 2> err
	same "a process filter: damaged is what the note was written over" 1 "$(grep -c 'damaged: .*FTR_META' err)"
	same "a process filter: it has the process alone" 'sh:214' \
		"$(awk '$2 == "|" && $1 ~ /:[0-9]+$/ { print $1 }' out)"
	has "a process filter: it is said" "$(tail -n 1 out)" '^# recorded: only 1 task \(set_event_pid\);'
	check "a process filter: it ran as long as an instance without one has it" \
		awk -v ran="$(awk '$1 == "sh:214" { print $3 }' out)" '
		/: sched_switch: / {
			match($0, /prev_pid=[0-9]+/); prev = substr($0, RSTART + 9, RLENGTH - 9)
			match($0, /next_pid=[0-9]+/); next_ = substr($0, RSTART + 9, RLENGTH - 9)
			match($0, /[0-9]+\.[0-9]+: sched_switch/); ts = substr($0, RSTART) + 0
			begin = on > 120.563944 ? on : 120.563944
			if (prev == 214 && ts > 120.563944 && ts < 122.842315) sum += ts - begin
			if (next_ == 214) on = ts
		}
		END { exit !(sum > 0.09 && 1000 * sum - ran < 0.3 && ran - 1000 * sum < 0.3) }' pidfilter-P.true.txt
}

# U-Boot's proftool counts exits one deeper than entries.
depths_that_disagree() {
	reported exit-depth-plus-one.dat || return
	same "exits one deeper than entries: what each call took" "board_start 20.000 1
pool_get 5.000 2
stage_one 8.000 1" "$("$FTR" profile --fields total,avg,max,count exit-depth-plus-one.dat |
		awk '!/^#/ { print $5, $1, $4 }' | sort)"
	same "each is in the one that called it" 'board_start;stage_one;pool_get 3000' \
		"$("$FTR" flame --folded exit-depth-plus-one.dat | sed -n 's/^boot;//p' | grep 'stage_one;')"
}

# With tracing_thresh only exits are recorded.
exits_alone() {
	reported thresh.dat || return
	same "exits alone: calls by what called them" "tester;outer 15000
tester;outer;inner 25000
tester;outer;inner;leaf 60000" "$("$FTR" flame --folded thresh.dat)"
	same "and as trees" "outer() { inner() { leaf(); } /* inner */ } /* outer */ " \
		"$("$FTR" graph thresh.dat | sed -n 's/.*| //p' | tr -s '\n ' ' ')"
	same "by their own time" "leaf inner outer " \
		"$("$FTR" profile --sort self thresh.dat | awk '!/^#/ { print $NF }' | tr '\n' ' ')"
}

# A kernel with PREEMPT_RT's patches has two common fields more, and columns for them.
preempt_rt_fields() {
	reported rt-migrate.dat || return
	same "the columns of that kernel" 'd...231 dn.....' \
		"$(echo $("$FTR" report --format=kernel rt-migrate.dat | sed -nE 's/.*\[000\] ([^ ]+) .*/\1/p'))"
	same "-R has both fields" 'common_migrate_disable=1 common_preempt_lazy_count=3' \
		"$("$FTR" report -R rt-migrate.dat | sed -nE '1s/.*: *(common.*) comm=.*/\1/p')"
	same "JSON has both fields" '1 3' "$("$FTR" report --json rt-migrate.dat | python3 -c '
import json, sys
fields = json.loads(sys.stdin.readline())["fields"]
print(fields["common_migrate_disable"], fields["common_preempt_lazy_count"])')"
}

# Compound literals and an expanded macro, in print fmts of Linux 3.x.
old_print_fmts() {
	reported hrtimer-old.dat || return
	same "compound literals" 'expires=6389900945120 softexpires=6389900940000 now=6389900946000' \
		"$(echo $("$FTR" report hrtimer-old.dat | grep -oE '(expires|softexpires|now)=[^ ]+'))"
	same "ftrace_print_hex_seq()" 'raw=12 00 00 00 24 00' "$("$FTR" report hrtimer-old.dat | grep -o 'raw=.*')"
	has "check-events finds nothing" "$("$FTR" check-events hrtimer-old.dat)" '3 events, 3 rendered whole'
}

# cpu_s ARGS...: seconds of CPU that ftr takes
cpu_s() {
	"$FTR_BUILD/tests/tools/cpu_of" cpu "$FTR" "$@" > table.txt
	awk '{ print $3 + $4 }' cpu
}

# 10,000 tasks: for each cell of the table it went over all of them, which took 48 times as long as the other table.
many_tasks() {
	local states latency
	reported tasks-1e4.dat || return
	latency=$(cpu_s sched latency tasks-1e4.dat)
	states=$(cpu_s sched states tasks-1e4.dat)
	check "sched states of 10,000 tasks: a line for each" test "$(grep -c '^[^#]*-[0-9]* ' table.txt)" -ge 10000
	check "sched states of 10,000 tasks: $states s, sched latency $latency s" \
		awk -v states="$states" -v latency="$latency" 'BEGIN { exit states > 10 * (latency + 0.01) }'
}

# oops_of LOG: head, place, CPU and task of its dump
oops_of() {
	rm -f x.dat*
	"$FTR" oops parse "$1" -o x.dat > out 2> err
	"$FTR" oops show --json x.dat 2> /dev/null |
		jq -r '[.oops.head // "none", .oops.place // "none", (.cpu | tostring), .task.task] | join("|")'
}

# Logs that somebody had, cut to what matters.
crash_logs() {
	local killed='Out of memory: Killed process 163 (python3) total-vm:588152kB, anon-rss:573936kB, file-rss:12kB, '
	killed+='shmem-rss:0kB, UID:0'
	if reported taskname.log; then
		oops_of taskname.log > /dev/null
		same "a name that its column does not cut is the task's" "bash-100 insmod-155 insmod-155" \
			"$("$FTR" report x.dat | awk '{ print $1 }' | xargs)"
	fi
	if reported swapped.log; then
		oops_of swapped.log > /dev/null
		"$FTR" report x.dat > sorted.txt
		same "records out of order: sorted" "1 1 7 9" "$(sed 's/.*vec=//; s/ .*//' sorted.txt | xargs)"
		check "records out of order: times go forward" sort -c -k 4,4 sorted.txt
		has "records out of order: it is said" "$(cat err)" '1 record of a dump after later .* sorted by time'
	fi
	if reported dropped.log; then
		oops_of dropped.log > /dev/null
		same "dropped messages are a loss" 1 "$("$FTR" report x.dat | grep -c 'EVENTS DROPPED')"
		has "dropped messages: how many" "$(cat err)" "the kernel's log has dropped 117 lines of a dump"
	fi
	reported tail.log && same "what is left behind the end" \
		'RIP: 0010:ftrmod_walk_list+0xa/0x10 [ftrmod]|ftrmod_walk_list+0xa/0x10 [ftrmod]|0|insmod-160' \
		"$(oops_of tail.log)"
	reported glued.log && same "a line behind the firmware's" "$killed|none|1|python3-163" "$(oops_of glued.log)"
	reported oomkill.log && same "an OOM kill" "$killed|none|1|python3-163" "$(oops_of oomkill.log)"
	reported dumps100.log || return
	oops_of dumps100.log > /dev/null
	same "100 dumps: the last 64" "64 1" "$(ls x.dat* | wc -l) $(grep -c 'the first 36 are left out' err)"
}

# A call "began" at 2^63 + 5 and returned at 3; others return before they were called, too.
durations_below_0() {
	reported dur.dat || return
	same "calls that return before they begin: in no sum" '# in no sum: 3 with times that go back' \
		"$("$FTR" profile dur.dat | tail -n 1)"
	same "calls that return before they begin: no duration" 3 \
		"$("$FTR" graph dur.dat | grep -c '^    0        -          -    | vfs_read();$')"
}

mapping_symbols
missing_switches
durations_below_0
process_filter
many_tasks
crash_logs
depths_that_disagree
exits_alone
preempt_rt_fields
old_print_fmts
finish
