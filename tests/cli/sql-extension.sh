#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# builds: both
# libftr_sqlite.so in processes that are not ftr's: its rows in sqlite3 and in Python are those of ftr sql; it exports
# one function, changes no signal, loads no plugin, ends no process, and works in two threads.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 1

LIB=$FTR_BUILD/libftr_sqlite
DRIVE=$FTR_TOP/tests/tools/sql-extension.py
# A Python without extensions, such as that of some distributions, cannot load it.
PYTHON=/usr/bin/python3
# ftr sql has no plugin, as the extension: one changes the text of an event.
cp "$FTR" ./ftr
FTR=$TMP/ftr
SANITIZED=
if nm -D "$LIB.so" | grep -q ' U __asan_init'; then
	# a program that is not sanitized needs the runtime before all else
	SANITIZED=$(ldd "$LIB.so" | awk '/lib(a|ub)san/ { print $3 }' | xargs | tr ' ' :)
fi

# in_shell [FILE...]: the statements on standard input with the extension, after ftr_open() of the files
in_shell() {
	{
		printf '.load %s\n.mode json\n' "$LIB"
		[ $# = 0 ] || printf ".output /dev/null\n"
		[ $# = 0 ] || printf "SELECT ftr_open('%s');\n" "$@"
		printf '.output\n'
		cat
	} | LD_PRELOAD=$SANITIZED sqlite3 :memory:
}

# in_python CHECK FILE...: the word of the driver. Python leaks what it keeps to its end.
in_python() {
	LD_PRELOAD=$SANITIZED ASAN_OPTIONS=detect_leaks=0 timeout 300 "$PYTHON" -B "$DRIVE" "$LIB" "$FTR" "$@" 2>&1 |
		tail -n 5
}

files() {
	"$FTR" import "$FTR_TOP/tests/cases/sql/tables.txt" -o small.dat 2> err
	python3 "$ORACLE/mkdat.py" made.dat --expect made.json --records 3000 --lost 2 --instances one ||
		fail 'written: made.dat'
	BOTH='small.dat made.dat'
	if [ -e "$FTR_FIXTURES_DIR/lisa-sched-load-64le.dat.xz" ]; then
		xz -dc "$FTR_FIXTURES_DIR/lisa-sched-load-64le.dat.xz" > lisa.dat
		BOTH='small.dat lisa.dat'
	else
		skip 'a recording of others' "no $FTR_FIXTURES_DIR"
	fi
}

exports() {
	[ -n "$SANITIZED" ] ||
		same 'it exports the function that SQLite calls, and no other' 'T sqlite3_ftrsqlite_init' \
			"$(nm -D --defined-only "$LIB.so" | cut -d ' ' -f 2-)"
	same 'it calls SQLite by its table' '' "$(nm -D --undefined-only "$LIB.so" | grep -i sqlite)"
}

shell() {
	local query
	for query in 'SELECT ts, name, value FROM counter' 'SELECT name, count(*) AS n FROM ftrace_event GROUP BY 1' \
		'SELECT ts, dur, category, name FROM slice ORDER BY ts, name' 'SELECT * FROM thread' \
		"SELECT dev, dur FROM block_io" "SELECT * FROM pair('sched_waking', 'sched_switch', 'pid=next_pid')"; do
		in_shell small.dat <<< "$query;" | jq -S . > got
		"$FTR" sql --json -i small.dat "$query" | jq -S . > want
		same_files "sqlite3: $query" want got
		[ -s got ] || fail "no rows: $query"
	done
	same 'load_extension() by its own name, and ftr_open()' '1|2' \
		"$(cp "$LIB.so" ftr_sqlite.so; printf '%s\n' "SELECT load_extension('./ftr_sqlite');" \
			"SELECT ftr_open('small.dat') || '|' || ftr_open('made.dat');" |
			LD_PRELOAD=$SANITIZED sqlite3 :memory: | grep .)"
}

refusals() {
	local text
	printf 'a text\n' > text
	text=$(in_shell 2>&1 <<-'END'
		SELECT ftr_open('none.dat');
		SELECT ftr_open('text');
		SELECT ftr_open('-');
		SELECT ftr_open(NULL);
		SELECT count(*) FROM thread;
		SELECT ftr_open('small.dat') AS n;
		SELECT count(*) > 0 AS n FROM thread;
		SELECT ftr_open('made.dat');
		SELECT * FROM symbol;
		SELECT ts FROM overlap('thread', 'thread', '');
		SELECT count(*) AS n FROM sched_switch;
	END
	)
	has 'no file: the words of ftr' "$text" "cannot open 'none.dat': No such file or directory"
	has 'a text: what makes a trace file of it' "$text" "'ftr import' makes a trace file of a text"
	has 'standard input is not read' "$text" 'line 6: ftr_open\(\) takes the name of a trace file'
	has 'NULL' "$text" 'line 7: ftr_open\(\) takes the name of a trace file'
	has 'no tables before a file is open' "$text" 'no such table: thread'
	has 'another file after a query' "$text" "cannot add 'made.dat': the tables are in use"
	has 'a table that needs an argument' "$text" 'symbol: it needs an address'
	has 'an error of an inner query' "$text" 'overlap\(\): both need the columns ts and dur'
	has 'the next query is answered' "$text" '^\[\{"n":6\}\]$'
}

# A line of damage is a row; the rows of all else are there.
damage() {
	python3 - made.dat > damaged.dat <<-'END'
		import sys
		data = bytearray(open(sys.argv[1], 'rb').read())
		for i in range(len(data) * 3 // 4, len(data), 9001):
		    data[i] ^= 0xff
		sys.stdout.buffer.write(data)
	END
	in_shell damaged.dat <<-'END' > got
		SELECT count(*) AS n, count(text) AS t FROM ftrace_event;
		.mode list
		SELECT 'ftr: damaged: ' || text FROM damage;
	END
	"$FTR" sql --json -i damaged.dat 'SELECT count(*) AS n, count(text) AS t FROM ftrace_event' 2> err |
		tr -d '\n ' > want
	{ echo; grep '^ftr: damaged: ' err; } >> want
	same_files 'damage: the rows and the lines of ftr sql' want got
	[ -s err ] || fail 'the file is damaged'
}

python() {
	local check got
	if ! "$PYTHON" -c 'import sqlite3; sqlite3.connect(":memory:").enable_load_extension(True)' 2> err; then
		skip 'Python' "$PYTHON loads no extensions: $(tail -n 1 err)"
		return
	fi
	for check in same_rows two_threads; do
		same "python: $check" 'the same' "$(in_python "$check" $BOTH)"
	done
	same 'python: one file' 'the same' "$(in_python same_rows "${BOTH#* }")"
	same 'python: no signal handler' 'unchanged' "$(in_python handlers $BOTH)"
	same 'python: no plugin' 'none' "$(in_python plugins $BOTH)"
	same 'python: an interrupt' 'interrupted, then the same' "$(in_python interrupt $BOTH)"
	same 'python: a function of the connection stays' 'mine ENOENT 1' "$(in_python own_function small.dat)"
	same 'python: the same file again' '(2, 2) (2,)' "$(in_python twice $BOTH)"
	got=$(in_python schema small.dat)
	same 'python: a view of an untrusted schema reads, and opens nothing' "(1, '1 ns'); unsafe use of ftr_open(); \
unsafe use of virtual table \"overlap\"; (1,); table thread may not be modified" "$got"
	cp made.dat cut.dat
	has 'python: a file that was cut short' "$(in_python cut cut.dat)" "'cut.dat' was cut short after ftr_open\(\)"
}

# Names of events that SQLite has for itself. The text of an event without a format is kept.
names() {
	{
		echo '# tracer: nop'
		printf '%16s [000] d..2. 10.000%03d: %s: a=%d\n' one-41 100 json_each 1 one-41 200 pragma_table_info 2 \
			one-41 300 thread 3
	} > names.txt
	"$FTR" import names.txt -o names.dat 2> err
	same 'events with names that SQLite has' '1,2 x' "$(in_shell names.dat <<-'END' | tail -n 1
		.mode list
		CREATE TABLE t (x);
		SELECT group_concat(value) || ' ' || (SELECT name FROM pragma_table_info('t'))
			FROM (SELECT value FROM json_each('[1,2]'));
	END
	)"
}

# One allocation fails, or all from one on: each query has its rows or an error, and the process ends as it is to.
memory() {
	local at total rest got seen=0
	if [ -n "$SANITIZED" ]; then
		skip 'no memory' 'the allocator is that of the sanitizer'
		return
	fi
	cat > queries <<-'END'
		SELECT count(*) AS n FROM overlap('SELECT ts, dur, utid FROM slice', 'thread_state', 'utid');
		SELECT count(*) AS n FROM counter;
		SELECT count(text) AS n FROM ftrace_event;
		SELECT hist(dur) AS n FROM thread_state;
		SELECT count(*) AS n FROM damage;
	END
	in_shell small.dat < queries > want
	export ALLOC_FAIL_LIBRARY=libftr_sqlite
	limited() {
		LD_PRELOAD=$FTR_BUILD/tests/preload/alloc_fail.so ALLOC_FAIL=$1 ALLOC_FAIL_REST=$2 \
			timeout 60 sqlite3 :memory:
	}
	total=$({ printf '.load %s\n' "$LIB"; echo "SELECT ftr_open('small.dat');"; cat queries; } |
		limited 0 0 2>&1 | sed -n 's/^allocations: //p')
	has 'allocations are counted' "$total" '^[0-9]{3,}$'
	for at in $(sample 60 $(seq 1 "$total")); do
		rest=$((at % 2))
		{
			printf '.load %s\n.mode json\n.output /dev/null\n' "$LIB"
			printf "SELECT ftr_open('small.dat');\n.output\n"
			cat queries
		} | limited "$at" "$rest" > got 2> err
		got=$?
		if [ "$got" != 1 ] || ! grep -q 'out of memory' err || grep -q sqlite3_close err ||
			grep -vxFf want got | grep -q .; then
			fail "allocation $at of $total fails, and $rest" "status $got" "$(cat got err)"
			return
		fi
		seen=$((seen + 1))
	done
	pass "an allocation fails: an error, and no end of the process ($seen of $total)"
	got=$(ulimit -v 60000; in_shell "${BOTH#* }" 2>&1 <<< "SELECT count(*) AS n FROM thread_state;
		SELECT count(*) AS n FROM slice a, ftrace_event b WHERE a.ts = b.ts; SELECT 'alive' AS n;" | tail -n 1)
	same 'little memory for the process: it goes on' '[{"n":"alive"}]' "$got"
}

if [ ! -e "$LIB.so" ]; then
	skip 'the extension of SQLite' "no $LIB.so: built with WITHOUT_SQLITE=1"
elif ! command -v sqlite3 > /dev/null; then
	skip 'the extension of SQLite' 'no sqlite3'
else
	files
	exports
	shell
	refusals
	damage
	python
	names
	memory
fi
finish
