#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr sql: why() has the rows of ftr why --json, which why.sh compares with cases by hand and with two other programs.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"
cd "$TMP" || exit 1

DUMP=$FTR_BUILD/tests/tools/span_dump

# Each row before those inside of it, as an array.
cat > rows.jq <<'END'
def walk(a; d): .[] | [a.task, a.pid, d, .what, .in, .cause, .time, .count, .longest, .longest_at, .worker,
	.longest_sector, .longest_nr_sector, a.from, a.to], (.rows | walk(a; d + 1));
.[] as $a | $a.rows | walk($a; 0)
END
COLUMNS_OF_WHY='task, pid, depth, what, "in", cause, time, count, longest, longest_at, worker, longest_sector,
	longest_nr_sector, "from", "to"'

# same_why NAME FILE CALL [OPTION]... TASK: the table CALL has the rows of ftr why OPTION... TASK
same_why() {
	local name=$1 file=$2 call=$3
	shift 3
	"$FTR" why -q --json "$@" "$file" > json 2> err
	jq -c -f rows.jq json > want
	"$FTR" sql --json -i "$file" "SELECT $COLUMNS_OF_WHY FROM $call" 2>> err | jq -c '.[] | [.[]]' > got
	same_files "$name" want got
}

cases() {
	local file f
	for file in $(sample 12 $(cd "$FTR_TOP/tests/cases/why" && echo *.txt)); do
		python3 "$FTR_TOP/tests/tools/span_cases.py" --keep case- "$DUMP" "$FTR_TOP/tests/cases/why/$file" \
			> keep.txt
		for f in case-*.dat; do
			same_why "${file%.txt}" "$f" why "*"
		done
		rm -f case-*.dat
	done
}

random() {
	python3 "$ORACLE/mkspans.py" "$FTR_SEED" 600 > records.txt
	python3 "$FTR_TOP/tests/tools/span_cases.py" --keep f "$DUMP" records.txt > keep.txt
	mv f0.dat trace.dat
	check 'the random file has many rows' test "$("$FTR" sql --csv --no-header 'SELECT count(*) FROM why')" -gt 20
	same_why "seed $FTR_SEED" trace.dat why "*"
	same_why "seed $FTR_SEED: many wakers" trace.dat "why('*', NULL, NULL, 16)" --tree "*"
	same_why "seed $FTR_SEED: no waker" trace.dat "why('*', NULL, NULL, 0)" --depth 0 "*"
}

# The arguments, on two tasks and a file without a clock of nanoseconds.
arguments() {
	local pid name from to
	IFS=, read -r pid name from to < <("$FTR" sql --csv --no-header 'SELECT pid, task, "from" + ("to" - "from") / 3,
		"from" + ("to" - "from") / 3 * 2 FROM why WHERE depth = 0 ORDER BY time DESC LIMIT 1')
	same_why 'a pid as a number' trace.dat "why($pid)" "$pid"
	same_why 'a pid as a text' trace.dat "why('$pid')" "$pid"
	same_why 'NAME-PID' trace.dat "why('$name')" "$name"
	same_why 'a glob' trace.dat "why('${name:0:1}*')" "${name:0:1}*"
	same_why 'a name that no task has' trace.dat "why('nosuch*')" 'nosuch*'
	# --until is the last moment, the argument is the first one that is no part
	same_why 'two times' trace.dat "why($pid, $from, $to + 1)" \
		--since "$(seconds "$from")" --until "$(seconds "$to")" "$pid"
	sql_rows 'the rows add up to the time asked for' "SELECT sum(time) <= $to - $from AND sum(time) > 0
		FROM why($pid, $from, $to) WHERE depth = 0" <<< 1
	sql_rows 'a time before the file' "SELECT count(*) FROM why('*', 0, -1)" <<< 0
	sql_rows 'rows inside of a row add up to it' 'SELECT count(*) FROM why w WHERE EXISTS (SELECT 1 FROM why i
		WHERE i.parent_id = w.id) AND time <> (SELECT sum(time) FROM why i WHERE i.parent_id = w.id)' <<< 0
	sql_rows 'the tasks of the table thread' 'SELECT count(*) > 0, sum(w.pid <> t.tid)
		FROM (SELECT DISTINCT pid, utid FROM why) w LEFT JOIN thread t USING (utid)' <<< 1,0
	ftr_refuses 'a time that is a word' 1 'why\(\): it takes a task and two times' \
		sql -i trace.dat "SELECT * FROM why('x', 'now')"
	ftr_refuses 'too many wakers' 1 'why\(\): the number of wakers is 0 to 16' \
		sql -i trace.dat "SELECT * FROM why('*', NULL, NULL, 17)"
	printf '%s\n' '# tracer: nop' > other.txt
	echo '    one-41 [000] ..... 10.000100: sched_waking: comm=two pid=42 prio=120 target_cpu=000' >> other.txt
	"$FTR" import other.txt -o other.dat 2> err
	ftr_refuses 'a file without switches' 1 'why\(\): the files have no sched_switch' \
		sql -i other.dat 'SELECT * FROM why'
}

seconds() {
	printf '%d.%09d' $(($1 / 1000000000)) $(($1 % 1000000000))
}

fixtures() {
	local name
	for name in lisa-sched-load-64le trappy-52k-32le; do
		if [ ! -e "$FTR_FIXTURES_DIR/$name.dat.xz" ]; then
			skip "the accounts of $name" "no $FTR_FIXTURES_DIR"
			continue
		fi
		xz -dc "$FTR_FIXTURES_DIR/$name.dat.xz" > fixture.dat
		same_why "$name" fixture.dat why '*'
	done
}

cases
random
arguments
fixtures
finish
