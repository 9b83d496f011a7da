#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Recordings that are read while they are made, and after their recorder was killed;
# ftr recover beside trace-cmd restore.
. "$(dirname "$0")/lib/inside.sh" 600
. "$FTR_TOP/tests/guest/lib/trigger-lib.sh"

MARKS=$FTR_BUILD/tests/guest/load/marks
mkdir -p /dev/shm/r
cd /dev/shm/r || exit 1

# numbers FILE WHO: of the markers, in the order of the file
numbers() {
	"$FTR" report "$1" 2> report.err | sed -nE "s/.*: mark $2 ([0-9]+) x+.*/\\1/p"
}

# run_of FILE WHO LEAST: 1, 2, ... without a gap, at least so many
run_of() {
	numbers "$1" "$2" > got
	awk -v least="$3" 'NR != $1 { print "number", NR, "is", $1; bad = 1; exit }
		END { if (NR < least) { print NR, "of", least; bad = 1 }; exit bad }' got
}

children() {
	cat /proc/$1/task/*/children 2> /dev/null
}

nobody_left() {
	! pgrep -x 'ftr|ftr-guardian' > /dev/null
}

# --- ftr is killed while it records

"$FTR" record -e sched:sched_process_exec -o k.dat -b 8M > stdout 2> err &
PID=$!
wait_for 'ftr: recording;' err
"$MARKS" 0 1 1000 a
"$MARKS" 1 1 1000 b
PART=
all_there() {
	PART=$(ls k.dat* 2> /dev/null | head -n 1)
	[ -n "$PART" ] && run_of "$PART" a 900 > /dev/null && run_of "$PART" b 900 > /dev/null
}
wait_until 60 all_there
note "recorded into '$PART'"
check "$K: while it is recorded: markers of CPU 0" run_of "$PART" a 900
check "$K: while it is recorded: markers of CPU 1" run_of "$PART" b 900
try_ftr "while it is recorded: info" 3 info "$PART"
said "while it is recorded: info" 'the recording was not finished; missing: '
try_ftr "while it is recorded: recover" 1 recover "$PART"
said "while it is recorded: recover" 'is still being recorded'
# its guardian too, which would finish the file
kill -KILL $(children $PID) $PID
wait $PID 2> /dev/null
wait_until 60 nobody_left
PART=$(ls k.dat* | head -n 1)
note "left: $(ls k.dat*)"
"$FTR" report "$PART" > /dev/null 2> err
STATUS=$?
check "$K: killed: markers of CPU 0" run_of "$PART" a 900
check "$K: killed: markers of CPU 1" run_of "$PART" b 900
cp --sparse=always "$PART" cut.dat
if [ $STATUS = 3 ]; then
	said "killed: report" 'the recording was not finished'
	said "killed: hint" "hint: 'ftr recover $PART' finishes it"
	try_ftr "killed: recover" 0 recover "$PART" -o whole.dat
	said "killed: what is missing" 'lost; without statistics$'
	try_ftr "recovered: info" 0 info whole.dat
	has "$K: recovered: symbols" "$(cat stdout)" '^symbols: +[1-9.]+ [MK]iB'
	has "$K: recovered: nothing else is missing" "$(cat stdout)" '^missing: +nothing$'
	check "$K: recovered: markers of CPU 0" run_of whole.dat a 900
	check "$K: recovered: markers of CPU 1" run_of whole.dat b 900
	same "$K: recovered: tasks have names" 0 "$("$FTR" report whole.dat | grep -c '<\.\.\.>')"
	same "$K: recovered: trace-cmd reads as much" "$("$FTR" report whole.dat | grep -c ': mark ')" \
		"$(trace-cmd report whole.dat 2> /dev/null | grep -c ': mark ')"
else
	skip "$K: killed: recover" "the file is finished: status $STATUS"
fi
echo 0 > "$T/tracing_on"
"$FTR" reset --recover > /dev/null 2>&1
echo 0 > "$T/events/enable"
echo > "$T/trace"
echo 1 > "$T/tracing_on"

# --- trace-cmd is killed

# small buffers: it reads whole sub-buffers, once half of them are full
trace-cmd record -e sched:sched_process_exec -b 64 -o t.dat sleep 1000 > tc.out 2>&1 &
PID=$!
# it runs the command when all is set up
wait_until 120 pgrep -x -P $PID sleep > /dev/null
"$MARKS" 0 1 1000 a
"$MARKS" 1 1 1000 b
# what does not fill half a buffer stays in it
enough_there() {
	[ "$(cat t.dat.cpu[01] 2> /dev/null | grep -ao 'mark [ab] [0-9]* x' | wc -l)" -gt 1000 ]
}
wait_until 60 enough_there
sleep 1
kill -KILL $(children $PID) $PID
wait $PID 2> /dev/null
note "trace-cmd left: $(ls t.dat*)"
trace-cmd restore -o r.dat t.dat.cpu0 t.dat.cpu1 > restore.out 2>&1
try_ftr "trace-cmd's raw data: recover" 0 recover t.dat
said "trace-cmd's raw data: said" 'taken for data of this boot'
"$FTR" report t.dat 2> err > t.txt
said "trace-cmd's raw data: sound" '^$'
check "$K: trace-cmd's raw data: markers" test "$(grep -c ': mark ' t.txt)" -gt 1000
if [ -s r.dat ]; then
	# fields of time, CPU, pid and event; restore knows fewer names
	for f in r t; do
		trace-cmd report $f.dat 2> /dev/null | sed -nE 's/^.*-([0-9]+) +(\[[0-9]+\].*)/\1 \2/p' > $f.lines
	done
	check "$K: trace-cmd's raw data: lines: $(wc -l < t.lines)" test "$(wc -l < t.lines)" -gt 1000
	same_files "$K: trace-cmd's raw data: as trace-cmd restore has it" r.lines t.lines
else
	skip "$K: as trace-cmd restore has it" "$(tail -n 1 restore.out)"
fi
undirty
pass "$K: the end is reached"
