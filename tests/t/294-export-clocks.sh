#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr export --to perfetto: of each clock that counts nanoseconds the times are those of ftr report, to Perfetto's own trace
# processor too; others are refused by name.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 1
WALK=$ORACLE/protowalk.py

# with CLOCK ARG...: a.dat
with() {
	python3 "$ORACLE/mkdat.py" --seed 3 --records 300 --cpus 3 --lost 0 --clock "$@" a.dat 2> mk.err ||
		fail "$1: a file is made" "$(cat mk.err)"
}

# The first and the last time of the report, of which each record is a line, in nanoseconds, and the number of events.
bounds() {
	"$FTR" report -q -R -t a.dat | grep -oE ' [0-9]+\.[0-9]{9}: ' | tr -d '.: ' | sed 's/^0*//' | sort -n |
		awk 'NR == 1 { print } { last = $0 } END { print last; print NR }' | xargs
}

# as_perfetto_has_it NAME
as_perfetto_has_it() {
	"$FTR" export -q --to perfetto a.dat -o a.pftrace
	same "$1: status" 0 $?
	check "$1: packets" python3 "$WALK" a.pftrace
	if [ -z "$LIB" ]; then
		skip "$1: times" "no trace processor here"
		return
	fi
	same "$1: first and last time, events" "$(bounds)" "$(python3 "$ORACLE/perfetto.py" --lib "$LIB" a.pftrace \
		'SELECT MIN(ts), MAX(ts), COUNT(*) FROM ftrace_event' | xargs)"
	same "$1: no error" '' "$(python3 "$ORACLE/perfetto.py" --lib "$LIB" a.pftrace \
		"SELECT name, value FROM stats WHERE severity = 'error' AND value > 0 AND name != 'mismatched_sched_switch_tids'")"
}

refused() {
	"$FTR" export --to perfetto a.dat -o refused > out 2> err
	same "$1: refused: status" 1 $?
	has "$1: by its name" "$(head -n 1 err)" "its clock '$1' does not count nanoseconds"
	check "$1: nothing is written" test ! -e refused
	"$FTR" export -q --to json a.dat > /dev/null
	same "$1: JSON takes it" 0 $?
}

LIB=$("$ORACLE/perfetto-lib" 2> lib.err) && python3 "$ORACLE/perfetto.py" --lib "$LIB" --check 2>> lib.err || LIB=
[ -n "$LIB" ] || sed 's/^/# /' lib.err
for clock in local global mono mono_raw boot tai perf; do
	with $clock
	as_perfetto_has_it $clock
done
with x86-tsc --tsc 2147483648,31
as_perfetto_has_it 'x86-tsc with its scale'
for clock in counter uptime x86-tsc; do
	with $clock
	refused $clock
done
finish
