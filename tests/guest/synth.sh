#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr synth and ftr sqlhist: events that fire with what two others had, histograms, onmax and onchange; nothing stays.
. "$(dirname "$0")/lib/inside.sh" 700

FTR_JOURNAL_DIR=$TMP/journal
export FTR_JOURNAL_DIR
mkdir -m 700 "$FTR_JOURNAL_DIR"

# The trace clock of an emulated CPU may lag behind the one that sleeps are counted by, some hundred us.
# Between these two lies what the command sleeps: the key is the task, the system call a rare one.
FROM=syscalls:sys_enter_clock_nanosleep
TO=syscalls:sys_exit_clock_nanosleep
SQL='SELECT start.common_pid AS pid, (end.TIMESTAMP_USECS - start.TIMESTAMP_USECS) AS lat
	FROM sys_enter_clock_nanosleep AS start JOIN sys_exit_clock_nanosleep AS end
	ON start.common_pid = end.common_pid'

# reset NAME: what stands is put back; the dump is that of the beginning
reset_all() {
	"$FTR" reset > stdout 2> err || fail "$K: $1: reset" "$(cat err)"
	state_dump now.state
	check "$K: $1: the state is that of before" state_equal first.state now.state
}

# The loads: sleeps of known length.
sleeps() {
	local s
	for s in 0.02 0.05 0.03 0.08 0.01; do sleep $s; done
}

# latencies FILE: PID LAT of trace lines of a synthetic event
latencies() {
	sed -nE 's/.*: pid=([0-9]+) lat=([0-9]+).*/\1 \2/p' "$1"
}

# expected FILE: PID USECS from the raw events' own time stamps
expected() {
	awk '{
		for (i = 1; i <= NF; i++)
			if ($i ~ /^[0-9]+\.[0-9]+:$/) {
				ts = substr($i, 1, length($i) - 1); split(ts, p, ".")
				us = p[1] * 1000000 + p[2]
				name = $(i + 1)
			}
		match($0, /-[0-9]+ +\[/)
		pid = substr($0, RSTART + 1, RLENGTH) + 0
		if (name ~ /^sys_clock_nanosleep\(/) { from[pid] = us }
		else if (name ~ /^sys_clock_nanosleep$/ && pid in from) { print pid, us - from[pid]; delete from[pid] }
	}' "$1"
}

# differs_from EXPECTED GOT: whether the same pids are in the same order, times within 2 us (both are rounded); else why
differs_from() {
	paste -d' ' "$1" "$2" | awk '
		NF != 4 || $1 != $3 || $2 - $4 > 2 || $4 - $2 > 2 { print "differs: " $0 }
		END { if (!NR) print "no line" }'
}

# record_both EVENT: the event and the raw ones of the load, to want.txt and got.txt
record_both() {
	local event=$1
	echo > $T/trace
	echo 1 > $T/events/syscalls/sys_enter_clock_nanosleep/enable
	echo 1 > $T/events/syscalls/sys_exit_clock_nanosleep/enable
	echo 1 > "$T/events/synthetic/$event/enable"
	sleeps
	echo 0 > $T/tracing_on
	grep -v '^#' $T/trace > trace.txt
	echo 0 > "$T/events/synthetic/$event/enable"
	echo 0 > $T/events/syscalls/sys_enter_clock_nanosleep/enable
	echo 0 > $T/events/syscalls/sys_exit_clock_nanosleep/enable
	echo 1 > $T/tracing_on
	echo > $T/trace
	expected trace.txt > want.txt
	latencies trace.txt > got.txt
}

# trace_both NAME EVENT: compares the event with the raw ones. A CPU of the guest that the host stops between the time
# that a trigger takes and the time of its event makes them differ: one of three times they must agree.
trace_both() {
	local why
	for _ in 1 2 3; do
		record_both "$2"
		why=$(differs_from want.txt got.txt)
		[ -n "$why" ] || break
	done
	same "$K: $1: lat is the time between the two events" '' "$why"
}

joined() {
	try 'synth add of a join' 0 "$FTR" synth add snooze --from $FROM --to $TO --on common_pid \
		--field pid=from.common_pid --latency
	same "$K: it stands in synthetic_events" 'snooze	s32 pid; u64 lat' "$(cat $T/synthetic_events)"
	has "$K: the first event has its trigger" "$(cat $T/events/${FROM/:/\/}/trigger)" \
		'^hist:keys=common_pid:vals=hitcount:snooze_pid=common_pid,snooze_ts=common_timestamp.usecs'
	has "$K: the second event has its trigger" "$(cat $T/events/${TO/:/\/}/trigger)" \
		'onmatch\(syscalls.sys_enter_clock_nanosleep\).trace\(snooze,'
	trace_both 'synth add' snooze
	try 'synth list' 0 "$FTR" synth list
	same "$K: synth list: the event and its two triggers" 'snooze 2' \
		"$(awk 'NR == 1 { n = $1 } /^  syscalls\// { c++ } END { print n, c }' stdout)"
	try 'synth list --json' 0 "$FTR" synth list --json
	same "$K: synth list --json: which trigger fires" \
		"snooze|s32 pid,u64 lat|syscalls/sys_exit_clock_nanosleep True|\
syscalls/sys_enter_clock_nanosleep False" \
		"$(python3 -c '
import json
e, = json.load(open("stdout"))
print("|".join([e["name"], ",".join(e["fields"])] + ["%s %s" % (t["event"], t["fires"]) for t in e["triggers"]]))')"
	echo 'hist:keys=lat' > $T/events/synthetic/snooze/trigger
	try 'synth add of a name that is taken' 1 "$FTR" synth add 'snooze u64 x'
	has "$K: it says so" "$(cat err)" "there is a synthetic event 'snooze' already"
	same "$K: and leaves the one that is there" 'snooze	s32 pid; u64 lat' "$(cat $T/synthetic_events)"
	try 'synth del, with a histogram on the event' 0 "$FTR" synth del snooze
	same "$K: no event is left" '' "$(cat $T/synthetic_events)"
	same "$K: no trigger is left" '' "$(cat $T/events/syscalls/sys_*_clock_nanosleep/trigger | grep -v '^#')"
	reset_all 'synth add, del, reset'
	try 'synth del of what is not there' 1 "$FTR" synth del snooze
	feature "$K" 'ftr synth add --from --to, list, del' works
}

# Its triggers use the time, for which the kernel empties the buffer.
emptied() {
	echo mine > $T/trace_marker
	try 'synth add, records in the buffer' 1 "$FTR" synth add late --from $FROM --to $TO --on common_pid --latency
	has "$K: synth add, records in the buffer: why" "$(cat err)" \
		'would empty the buffer of the top level, which holds records$'
	try 'sqlhist -x, records in the buffer' 1 "$FTR" sqlhist -n late -x "$SQL"
	has "$K: sqlhist -x, records in the buffer: why" "$(cat err)" \
		'would empty the buffer of the top level, which holds records$'
	same "$K: the record is there, and no event" '1 ' "$(grep -c 'write: mine' $T/trace) $(cat $T/synthetic_events)"
	try 'sqlhist, a run beside them' 0 "$FTR" sqlhist -n late "$SQL" -- sleep 0.01
	try 'synth add without times' 0 "$FTR" synth add late --from $FROM --to $TO --on common_pid \
		--field pid=from.common_pid
	same "$K: synth add without times: the record is there" 1 "$(grep -c 'write: mine' $T/trace)"
	try 'synth del' 0 "$FTR" synth del late
	try 'synth add --force' 0 "$FTR" synth add --force late --from $FROM --to $TO --on common_pid --latency
	same "$K: synth add --force: the kernel emptied it" 0 "$(grep -c 'write: mine' $T/trace)"
	reset_all 'synth add --force, reset'
	echo mine > $T/trace_marker
	try 'sqlhist -x --force' 0 "$FTR" sqlhist --force -n late -x "$SQL"
	same "$K: sqlhist -x --force: the kernel emptied it" 0 "$(grep -c 'write: mine' $T/trace)"
	reset_all 'sqlhist -x --force, reset'
}

# Both triggers are on one event: from the end of a sleep to that of the next.
one_event() {
	try 'synth add on one event' 0 "$FTR" synth add again --from $TO --to $TO --on common_cpu --latency
	has "$K: both triggers are there" "$(grep -c '^hist' $T/events/${TO/:/\/}/trigger)" '^2$'
	reset_all 'synth add on one event, reset'
}

# The first trigger of one event serves the second of another, somebody else's by hand: it stays.
shared() {
	try 'synth add, to be shared' 0 "$FTR" synth add mine --from $FROM --to $TO --on common_pid --latency
	echo 'theirs u64 lat' >> $T/synthetic_events
	echo "hist:keys=common_pid:their_lat=common_timestamp.usecs-\$mine_ts:onmatch(${FROM/:/.})\
.trace(theirs,\$their_lat)" >> $T/events/${TO/:/\/}/trigger
	try 'synth del of one of two' 0 "$FTR" synth del mine
	same "$K: what the other uses stays" 'theirs	u64 lat' "$(cat $T/synthetic_events)"
	has "$K: with its trigger" "$(cat $T/events/${TO/:/\/}/trigger)" 'trace\(theirs,'
	has "$K: and the one that has its variable" "$(cat $T/events/${FROM/:/\/}/trigger)" 'mine_ts='
	same "$K: nothing fires the one that is gone" 0 "$(grep -c 'trace(mine' $T/events/${TO/:/\/}/trigger)"
	try 'synth del of the other' 0 "$FTR" synth del theirs
	same "$K: no trigger is left" '' "$(cat $T/events/syscalls/sys_*_clock_nanosleep/trigger | grep -v '^#')"
	# theirs was there before ftr removed it
	"$FTR" reset > stdout 2> err || fail "$K: reset" "$(cat err)"
	same "$K: reset brings the other's event back" 'theirs	u64 lat' "$(cat $T/synthetic_events)"
	echo '!theirs' >> $T/synthetic_events
	reset_all 'shared variables'
}

# A file that was noted before for something else: the order of notes is not the order of removal.
mixed_order() {
	try 'synth add, first' 0 "$FTR" synth add one --from $TO --to sched:sched_switch --on common_pid=prev_pid \
		--latency
	try 'synth add, second, the other way' 0 "$FTR" synth add two --from sched:sched_switch --to $TO \
		--on prev_pid=common_pid --latency
	reset_all 'two events that use each other, reset'
}

raw() {
	try 'synth add of a definition' 0 "$FTR" synth add 'mine u64 lat; pid_t pid; char comm[16]; char text[]'
	has "$K: its format" "$(cat $T/events/synthetic/mine/format)" 'field:pid_t pid;'
	try 'synth del and reset bring it back and away' 0 "$FTR" synth del mine
	reset_all 'a definition'
	# Somebody else's event is brought back as it was.
	echo 'theirs u64 a; char b[8]; char c[]' >> $T/synthetic_events
	cat $T/synthetic_events > theirs.txt
	try "synth del of another's event" 0 "$FTR" synth del theirs
	same "$K: it is gone" '' "$(cat $T/synthetic_events)"
	"$FTR" reset > stdout 2> err || fail "$K: reset" "$(cat err)"
	same "$K: reset brings it back" "$(cat theirs.txt)" "$(cat $T/synthetic_events)"
	echo '!theirs' >> $T/synthetic_events
	feature "$K" 'ftr synth add of a definition' works
}

sql_stands() {
	try 'sqlhist -x' 0 "$FTR" sqlhist -n snooze -x -e "$SQL"
	same "$K: sqlhist -x: the event" 'snooze	s32 pid; u64 lat' "$(cat $T/synthetic_events)"
	trace_both 'sqlhist -x' snooze
	reset_all 'sqlhist -x, reset'
	feature "$K" 'ftr sqlhist -x' works
}

sql_runs() {
	try 'sqlhist with a command' 0 "$FTR" sqlhist -e "$SQL" -- bash -c \
		'a=${EPOCHREALTIME/./}; sleep 0.03; b=${EPOCHREALTIME/./}; sleep 0.06
		echo $((b - a)) $((${EPOCHREALTIME/./} - b)) > slept'
	check "$K: sqlhist with a command: its two sleeps, 30 and 60 ms: $(latencies stdout | xargs), of $(cat slept)" \
		awk 'NR == 1 { most[1] = $1; most[2] = $2; next }
			$2 >= 27000 { n++; if ($2 < n * 30000 - 3000 || $2 > most[n] + 3000) wrong = 1 }
			END { exit wrong || n != 2 }' slept <(latencies stdout)
	try "sqlhist: the command's status" 7 "$FTR" sqlhist -e "$SQL" -- bash -c 'exit 7'
	try 'sqlhist with a command that is not there' 127 "$FTR" sqlhist -e "$SQL" -- nonesuch
	: > err
	"$FTR" sqlhist -e "$SQL" --run > stdout 2> err &
	local pid=$!
	wait_for running err
	sleep 0.04
	kill -INT $pid
	wait $pid
	same "$K: sqlhist --run ends with SIGINT" 0 $?
	has "$K: and shows what came" "$(cat stdout)" 'Anonymous: pid='
	state_dump now.state
	check "$K: sqlhist runs: the state is that of before" state_equal first.state now.state
	: > err
	"$FTR" sqlhist -e "$SQL" --run > stdout 2> err &
	pid=$!
	wait_for running err
	kill -KILL $pid
	wait $pid 2> /dev/null
	has "$K: killed: its event is left" "$(cat $T/synthetic_events)" '^Anonymous'
	try 'killed: reset --recover' 0 "$FTR" reset --recover
	state_dump now.state
	check "$K: killed and recovered: the state is that of before" state_equal first.state now.state
	feature "$K" 'ftr sqlhist -d, --run, -- COMMAND' works
}

# The histogram of a command's writes: the command itself knows how many and how long they are.
sql_hist() {
	local writes='SELECT CAST(common_pid AS comm), CAST(ret AS _COUNTER_) FROM sys_exit_write WHERE ret = 7777'
	try 'sqlhist of a histogram' 0 "$FTR" sqlhist "$writes" -- dd if=/dev/zero of=/dev/null bs=7777 count=123
	has "$K: the histogram: its head" "$(head -n 1 stdout)" '^common_pid +hitcount +ret +% +cum%$'
	has "$K: the histogram: hits and sum of dd's writes, all there is" "$(sed -n 2p stdout)" \
		"^dd-[0-9]+ +123 +$((123 * 7777)) +100.00 +100.00 +[^ ]+\$"
	has "$K: and the totals" "$(tail -n 1 stdout)" '^Totals: 123 hits, 1 entries, 0 dropped$'
	try 'sqlhist of a histogram, raw' 0 "$FTR" sqlhist --raw "$writes" -- dd if=/dev/zero of=/dev/null \
		bs=7777 count=12
	same "$K: the kernel's text: hits and sum of dd's writes" "12 $((12 * 7777))" \
		"$(sed -nE 's/.*common_pid: dd .*hitcount: +([0-9]+) +ret: +([0-9]+).*/\1 \2/p' stdout)"
	has "$K: the kernel's text: its head" "$(cat stdout)" '^# trigger info: hist:keys=common_pid'
	try 'sqlhist of a histogram, as JSON' 0 "$FTR" sqlhist --json \
		'SELECT CAST(common_pid AS comm) FROM sys_exit_write WHERE ret = 7777' \
		-- dd if=/dev/zero of=/dev/null bs=7777 count=5
	same "$K: the same as JSON" "['common_pid'] ['hitcount'] dd [5] 5 0 0 syscalls:sys_exit_write" "$(python3 -c '
import json
o = json.load(open("stdout"))
h = o["hist"]
row, = h["rows"]
print([c["name"] for c in h["keys"]], [c["name"] for c in h["values"]], row["keys"][0]["comm"], row["values"],
      h["hits"], h["dropped"], o["lost"], h["event"])')"
	feature "$K" 'ftr sqlhist: histogram' works
}

# Of sleeps of one task in one shell, only those that are longer than all before.
handlers() {
	local maxima load='import time, sys
for s in (0.02, 0.05, 0.03, 0.08, 0.01, 0.08): time.sleep(s)'
	# a busy machine makes other maxima of these: one of three times
	for _ in 1 2 3; do
		try 'onmax' 0 "$FTR" sqlhist -m lat -e "$SQL" -- python3 -c "$load"
		latencies stdout | awk '{ print $2 }' > max.txt
		maxima=$(awk 'NR > 1 && $1 <= last { bad = "no maximum: " $1 }
			{ last = $1; all = all " " $1 } END { print NR, bad, all }' max.txt)
		case $maxima in [34]'  '* | *maximum*) break ;; esac
	done
	has "$K: onmax fires at new maxima only" "$maxima" '^[34]  '
	try 'onmax save, as JSON' 0 "$FTR" sqlhist --json -m lat -S ret -e "$SQL" -- python3 -c "$load"
	has "$K: onmax save, as JSON" \
		"$(python3 -c 'import json; print([r["saved"] for r in json.load(open("stdout"))["hist"]["rows"]])')" \
		'max: +(7[5-9]|[89][0-9]|[1-9][0-9]{2,})[0-9]{3} +ret: +0'
	try 'onmax save' 0 "$FTR" sqlhist -m lat -S ret,common_cpu -e "$SQL" -- python3 -c "$load"
	same "$K: onmax save alone fires no event" 0 "$(latencies stdout | wc -l)"
	has "$K: onmax save: the longest, 80 ms, and what was saved" "$(tr '\n' ' ' < stdout)" \
		'max: +(7[5-9]|[89][0-9]|[1-9][0-9]{2,})[0-9]{3} +ret: +0 +common_cpu: +[01]'
	try 'onmax save and trace' 0 "$FTR" sqlhist -m lat -S ret -T -e "$SQL" -- python3 -c "$load"
	has "$K: onmax save and trace: both" "$(cat stdout)" 'Anonymous: pid='
	has "$K: onmax save and trace: both" "$(cat stdout)" 'max: +[0-9]+ +ret:'
	try 'onmax snapshot' 0 "$FTR" sqlhist -m lat -s -T -e "$SQL" -- python3 -c "$load"
	has "$K: onmax snapshot holds events" "$(cat stdout)" 'Anonymous: pid='
	# What was before the first is 0.
	try 'onchange' 0 "$FTR" sqlhist -c ret -e "SELECT start.common_pid AS pid, end.ret, \
		(end.TIMESTAMP_USECS - start.TIMESTAMP_USECS) AS lat FROM sys_enter_clock_nanosleep AS start \
		JOIN sys_exit_clock_nanosleep AS end ON start.common_pid = end.common_pid" -- python3 -c "$load"
	same "$K: onchange: ret is 0 each time, no event" 0 "$(grep -c 'Anonymous: pid=' stdout)"
	try 'onchange, of what changes' 0 "$FTR" sqlhist -c lat -e "$SQL" -- python3 -c "$load"
	same "$K: onchange: lat is another each time, six events" 6 "$(latencies stdout | wc -l)"
	try 'synth add with onmax save' 0 "$FTR" synth add longest --from $FROM --to $TO --on common_pid --latency \
		-m lat -S ret
	python3 -c "$load"
	has "$K: its hist file: the longest" "$(tr '\n' ' ' < $T/events/${TO/:/\/}/hist)" 'max: +[0-9]{5,} +ret: +0'
	reset_all 'onmax and onchange'
	feature "$K" 'onmax and onchange: trace, save, snapshot' works
}

refused() {
	try 'a type that the kernel does not know' 1 "$FTR" synth add 'bad nosuch a'
	has "$K: the kernel's words" "$(cat err)" 'Invalid type|Invalid argument'
	try 'a filter on a field that is not there' 1 "$FTR" synth add bad --from $FROM --to $TO --on common_pid \
		--latency --to-if 'nofield == 5'
	has "$K: the kernel's words" "$(cat err)" 'Field not found|Invalid argument'
	state_dump now.state
	check "$K: nothing of it stays" state_equal first.state now.state
}

"$FTR" record -o warm.dat -e sched:sched_process_exec -- true > /dev/null 2>&1	# buffers have their size
state_dump first.state
joined
emptied
one_event
mixed_order
shared
raw
sql_stands
sql_runs
sql_hist
handlers
refused
state_dump now.state
check "$K: at the end the state is that of before" state_equal first.state now.state
same "$K: no journal is left" '' "$(ls "$FTR_JOURNAL_DIR" | grep journal)"
pass "$K: the end is reached"
finish
