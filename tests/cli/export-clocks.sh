#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr export --to perfetto: of each clock that counts nanoseconds the times are those of ftr report, to Perfetto's own
# trace processor too; others are refused by name.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"
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
		"SELECT name, value FROM stats WHERE severity = 'error' AND value > 0
			AND name != 'mismatched_sched_switch_tids'")"
}

refused() {
	"$FTR" export --to perfetto a.dat -o refused > out 2> err
	same "$1: refused: status" 1 $?
	has "$1: by its name" "$(head -n 1 err)" "its clock '$1' does not count nanoseconds"
	check "$1: nothing is written" test ! -e refused
	"$FTR" export -q --to json a.dat > /dev/null
	same "$1: JSON takes it" 0 $?
}

# Two files with times of day: each is a machine, whose times are its own.
several() {
	local n wanted=
	for n in 1 2; do
		python3 "$ORACLE/mkdat.py" --seed $n --records 200 --cpus 2 --lost 0 \
			--meta "wall_begin=10000$n 170000000$n 5" a.dat
		wanted+=${wanted:+ }"$((n - 1)) $(bounds)"
		mv a.dat $n.dat
	done
	"$FTR" export -q --to perfetto 1.dat 2.dat -o a.pftrace 2> err
	check "two files: packets" python3 "$WALK" a.pftrace
	if [ -z "$LIB" ]; then
		skip "two files: times" "no trace processor here"
		return
	fi
	same "two files: machine, first and last time, events" "$wanted" \
		"$(python3 "$ORACLE/perfetto.py" --lib "$LIB" a.pftrace \
		'SELECT m.raw_id, MIN(ts), MAX(ts), COUNT(*) FROM ftrace_event JOIN cpu c USING (ucpu)
			JOIN machine m ON m.id = c.machine_id GROUP BY 1 ORDER BY 1' | xargs)"
	same "two files: the first one's time of day" 1 "$(python3 "$ORACLE/perfetto.py" --lib "$LIB" a.pftrace \
		'SELECT COUNT(*) FROM clock_snapshot WHERE clock_id = 1' | xargs)"
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
several
finish
