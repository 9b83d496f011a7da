#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr export --sql: the rows of a query in each format, read off a small trace by hand; files and times as for records;
# refused options; failures keep an older file.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 1

# Two switches on one CPU.
{
	echo '# tracer: nop'
	for row in '10.000100 one 41 two 42' '10.000300 two 42 one 41'; do
		set -- $row
		printf '%16s [000] d..2. %12s: sched_switch: prev_comm=%s prev_pid=%s prev_prio=120 prev_state=S ==> ' \
			"$2-$3" "$1" "$2" "$3"
		printf 'next_comm=%s next_pid=%s next_prio=120\n' "$4" "$5"
	done
} > trace.txt
"$FTR" import trace.txt -o trace.dat 2> err
QUERY='SELECT ts, comm AS "who, when" FROM sched_switch ORDER BY ts'

# rows NAME FORMAT: the rows on standard output and in a file are those of standard input
rows() {
	cat > want
	"$FTR" export --to "$2" --sql "$QUERY" > got 2> err
	same "$1: status, words" '0 ' "$? $(cat err)"
	same_files "$1" want got
	"$FTR" export --to "$2" --sql "$QUERY" -i trace.dat -o file 2> err
	same_files "$1: -o" want file
}

formats() {
	rows csv csv <<-'END'
		ts,"who, when"
		10000100000,one
		10000300000,two
	END
	rows json json <<-'END'
		[
		 {"ts":10000100000,"who, when":"one"},
		 {"ts":10000300000,"who, when":"two"}
		]
	END
	rows jsonl jsonl <<-'END'
		{"ts":10000100000,"who, when":"one"}
		{"ts":10000300000,"who, when":"two"}
	END
	rows markdown markdown <<-'END'
		| ts | who, when |
		| --- | --- |
		| 10000100000 | one |
		| 10000300000 | two |
	END
}

# answer ARG...: what is exported as JSON lines, and the status; messages are in err
answer() {
	"$FTR" export --to jsonl "$@" 2> err
	echo "status $?"
}

files_and_times() {
	same '--ts-offset' '{"t":10000100005}' "$(answer --ts-offset 5 --sql 'SELECT min(ts) AS t FROM sched_switch' |
		head -n 1)"
	same 'two files, one of them shifted' '{"a":10000100000,"z":10000300007,"n":4}' \
		"$(answer -i trace.dat -i trace.dat --ts-offset 7 \
			--sql 'SELECT min(ts) AS a, max(ts) AS z, count(*) AS n FROM sched_switch' | head -n 1)"
	same 'no file: status, words' "status 1 ftr: cannot open 'none.dat': No such file or directory" \
		"$(answer none.dat --sql 'SELECT 1') $(head -n 1 err)"
	same 'no row' 'status 0' "$(answer --sql 'SELECT 1 WHERE 0')"
	same 'two statements' '{"a":1} {"b":2} status 0' \
		"$(answer --sql 'SELECT 1 AS a; SELECT 2 AS b' | xargs -d '\n')"
}

refusals() {
	local option
	while read -r option; do
		ftr_refuses "$option" 2 '^ftr: options that select records do not work with --sql' \
			export --to csv --sql "$QUERY" $option
		has "$option: the way" "$ERR" '^hint: use WHERE in the query'
	done <<-'END'
		-F sched_switch
		-v
		--event sched*
		--cpu 0
		--pid 41
		--comm one
		--since 10
		--until 11
		-I
		-S
	END
	for option in --schema --raw --text --json-safe '--fields time' '-j 2'; do
		ftr_refuses "$option" 2 "^ftr: ${option%% *} does not work with --sql" \
			export --to json --sql "$QUERY" $option
	done
	for option in perfetto folded chrome; do
		ftr_refuses "--to $option" 2 "^ftr: '$option' does not export the rows of a query" \
			export --to $option --sql "$QUERY"
		has "--to $option: the others" "$ERR" '^hint: --to csv, json, jsonl, markdown and rowbinary do'
	done
	for option in jsonl markdown; do
		ftr_refuses "--to $option alone" 2 "^ftr: '$option' is a format for the rows of a query" \
			export --to $option
	done
	ftr_refuses 'no format' 2 '^ftr: no format to export to' export --sql "$QUERY"
	ftr_refuses '--kind' 2 "^ftr: 'csv' does not export kinds of spans" \
		export --to csv --sql "$QUERY" --kind syscall
	ftr_refuses 'writing' 1 'it does more than read' export --to csv --sql 'CREATE TABLE t(a)'
}

failures() {
	echo old > kept
	"$FTR" export --to csv -o kept --sql 'SELECT nothing FROM sched_switch' 2> err
	same 'an unknown column: status' 1 $?
	same 'the place has a caret' '         ^' "$(sed -n 3p err)"
	same 'what was there stays, and nothing lies beside it' 'old 0' "$(cat kept) $(ls -A | grep -c part)"
	"$FTR" export --to csv --sql 'SELECT cmm FROM sched_switch' 2> err
	has 'the nearest name' "$(cat err)" "^hint: did you mean 'comm'"
	# the second statement fails when the first has written
	"$FTR" export --to csv -o kept --sql 'SELECT 1; SELECT nothing' 2> err
	same 'a later error: what was there stays' '1 old' "$? $(cat kept)"
	"$FTR" export --to csv --sql "$QUERY" > /dev/full 2> err
	same 'a full disk: status, words' \
		'3 ftr: cannot write to standard output: No space left on device' "$? $(cat err)"
	"$FTR" export --to csv --sql "$QUERY" -o /dev/full 2> err
	same 'a full device by its name: status, words' \
		"3 ftr: cannot write '/dev/full': No space left on device" "$? $(cat err)"
	cp trace.dat both.dat
	"$FTR" export --to csv --sql "$QUERY" both.dat -o both.dat 2> err
	same 'an input file is not replaced' '1 0' "$? $(cmp trace.dat both.dat > cmp; echo $?)"
	# endless rows: it ends when nobody reads them
	timeout 60 "$FTR" export --to csv --sql \
		'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c' 2> err |
		head -n 2 > head
	same 'a reader that goes away: status, words' '0 ' "${PIPESTATUS[0]} $(cat err)"
	head -c $(($(stat -c %s trace.dat) - 2000)) trace.dat > bad.dat
	"$FTR" export --to csv --sql 'SELECT count(*) FROM ftrace_event' bad.dat > out 2> err
	check 'a damaged file: status 3, or 1 if nothing can be read' test $? -eq 3 -o $? -eq 1
}

if ! "$FTR" sql 'SELECT 1' trace.dat > out 2> err; then
	skip 'rows of queries' "$(head -n 1 err)"
	ftr_refuses 'without SQLite' 1 '^ftr: this ftr was built without SQLite' \
		export --to csv --sql 'SELECT 1'
	finish
fi
formats
files_and_times
refusals
failures
finish
