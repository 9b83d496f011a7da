#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr export: where it writes, what it refuses, how it ends. What the formats have is in the tests of each.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"

cd "$TMP" || exit 1
DAT=a.dat
python3 "$FTR_TOP/tests/oracle/mkdat.py" --seed "$FTR_SEED" --records 20000 $DAT 2> mk.log ||
	{ fail "a file is made" "$(cat mk.log)"; exit 1; }
WALK=$FTR_TOP/tests/oracle/protowalk.py

# status_of ARG...: of ftr export, and the first line of what it says
status_of() {
	"$FTR" export "$@" > out 2> err
	echo "$? $(head -n 1 err)"
}

usage() {
	same "no format" "2 ftr: no format to export to was given" "$(status_of "$DAT")"
	has "another format" "$(status_of --to svg "$DAT")" "^2 ftr: .*'svg'"
	same "no file" "1 ftr: cannot open 'none.dat': No such file or directory" \
		"$(status_of --to perfetto none.dat -o x)"
	same "a terminal" \
		"ftr: 'perfetto' is a binary format, which is not written to a terminal hint: '-o FILE' writes it to"\
" a file status 2" \
		"$(NO_COLOR=1 script -qec "'$FTR' export --to perfetto '$DAT'; echo status \$?" /dev/null < /dev/null |
			tr -d '\r' | tr '\n' ' ' | sed 's/ $//')"
	check "nothing was made" test ! -e x
}

outputs() {
	"$FTR" export -q --to perfetto "$DAT" > first
	same "standard output: status" 0 $?
	check "standard output: packets" python3 "$WALK" first
	for to in - /dev/stdout; do
		"$FTR" export -q --to perfetto "$DAT" -o $to > second
		same_files "-o $to" first second
	done
	(umask 027; "$FTR" export -q --to perfetto "$DAT" -o new)
	same_files "-o: the same" first new
	same "-o: the mode of the user's other files" 640 "$(stat -c %a new)"
	mkfifo pipe
	timeout 60 cat pipe > piped &
	"$FTR" export -q --to perfetto "$DAT" -o pipe
	: <> pipe			# where ftr has not opened it, the reader waits for one that does
	wait $!
	same_files "a pipe is written to" first piped
	check "and stays a pipe" test -p pipe
	"$FTR" export -q --to perfetto "$DAT" -o /dev/null
	same "/dev/null: status" 0 $?
	check "/dev/null is a device still" test -c /dev/null
}

failures() {
	echo old > kept
	"$FTR" export -q --to perfetto "$DAT" > /dev/full 2> err
	same "a full disk: status" 3 $?
	has "a full disk: why" "$(cat err)" 'No space left on device'
	"$FTR" export -q --to perfetto "$DAT" -o /dev/full 2> err
	same "a full device by its name: status" 3 $?
	(ulimit -f 1; "$FTR" export -q --to perfetto "$DAT" -o kept 2> err)
	same "a file that may not grow: status" 3 $?
	same "what was there stays" old "$(cat kept)"
	same "nothing lies beside it" '' "$(ls -A | grep -F part)"
	"$FTR" export -q --to perfetto "$DAT" 2> err | head -c 100 > head
	same "a reader that goes away: status, words" "0 " "${PIPESTATUS[0]} $(cat err)"
	"$FTR" export -q --to perfetto "$DAT" -o "$TMP" 2> err
	same "a folder: status" 1 $?
	cp "$DAT" both.dat
	"$FTR" export -q --to json both.dat -o both.dat 2> err
	same "what is read: status" 1 $?
	same "what is read is as it was" 0 "$(cmp "$DAT" both.dat > cmp; echo $?)"
	"$FTR" export -q --to perfetto "$DAT" -o none/x 2> err
	same "no folder: status" 1 $?
}

# Ended while it writes: neither a half file under the name nor anything beside it.
ended() {
	local sig pid
	mkfifo slow
	for sig in INT TERM HUP; do
		echo old > kept
		# it reads from a pipe that nobody writes to on; more than a pipe holds goes in when it has read some
		env --default-signal=INT,TERM,HUP "$FTR" export -q --to perfetto - -o kept < slow 2> err &
		pid=$!
		exec 3> slow
		timeout 60 head -c 300000 "$DAT" >&3
		kill -$sig $pid
		exec 3>&-
		wait $pid 2> /dev/null
		same "SIG$sig: what was there stays" old "$(cat kept)"
		same "SIG$sig: nothing lies beside it" '' "$(ls -A | grep -F part)"
	done
}

selection() {
	local all some
	all=$("$FTR" report -q "$DAT" | grep -c .)
	some=$("$FTR" report -q --cpu 0 "$DAT" | grep -c .)
	check "one CPU has fewer lines" test "$some" -lt "$all"
	"$FTR" export -q --to perfetto --cpu 0 "$DAT" -o cpu0
	same "--cpu: that CPU alone" 'cpu 0' "$(python3 "$WALK" cpu0 | grep -o '^cpu [0-9]*' | sort -u)"
	status_of -q --to perfetto --pid 4999999 "$DAT" -o none > status
	same "nothing fits: status" 0 "$(cut -d ' ' -f 1 status)"
	has "nothing fits: words" "$("$FTR" export --to perfetto --pid 4999999 "$DAT" -o none 2>&1)" \
		'^ftr: no record matches --pid 4999999; '
	check "nothing fits: a trace without events" python3 "$WALK" none
}


# The one implementation of each.
same_as_report() {
	for how in '' --json-safe --text '--event sched*'; do
		"$FTR" report -q --json $how "$DAT" > wanted
		"$FTR" export -q --to json $how "$DAT" -o got
		same_files "json${how:+ $how}: what ftr report --json prints" wanted got
	done
	for how in '' '--fields time,cpu,next_pid'; do
		"$FTR" report -q --csv $how "$DAT" > wanted
		"$FTR" export -q --to csv $how "$DAT" -o got
		same_files "csv${how:+ $how}: what ftr report --csv prints" wanted got
	done
	same "losses are said where the format has no place for them" \
		"$("$FTR" report --csv "$DAT" 2>&1 > out | grep lost)" \
		"$("$FTR" export --to perfetto "$DAT" 2>&1 > out | grep lost)"
	same "and not where it has" '' "$("$FTR" export --to json "$DAT" 2>&1 > out | grep lost)"
}

usage
outputs
same_as_report
failures
ended
selection
finish
