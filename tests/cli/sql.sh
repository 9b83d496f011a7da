#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr sql: rows of small traces written here, counts as in trace-cmd's report, messages, formats, and that no query does
# more than read.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 1

# Two tasks on one CPU: times in microseconds, durations are read off by hand.
switch() {
	printf '%16s [000] d..2. %12s: sched_switch: prev_comm=%s prev_pid=%s prev_prio=120 prev_state=%s ==> ' \
		"$2-$3" "$1" "$2" "$3" "$4"
	printf 'next_comm=%s next_pid=%s next_prio=120\n' "$5" "$6"
}
{
	echo '# tracer: nop'
	switch 10.000100 one 41 S two 42
	printf '%16s [000] d..2. 10.000150: sched_waking: comm=one pid=41 prio=120 target_cpu=000\n' two-42
	switch 10.000300 two 42 R one 41
	switch 10.000700 one 41 D two 42
	switch 10.001000 two 42 S swapper/0 0
} > trace.txt
"$FTR" import trace.txt -o trace.dat 2> err

tables() {
	sql_rows 'an event with its fields' 'SELECT ts, cpu, tid, prev_comm, next_pid FROM sched_switch' <<-'END'
		10000100000,0,41,one,42
		10000300000,0,42,two,41
		10000700000,0,41,one,42
		10001000000,0,42,two,0
	END
	sql_rows 'a field with the name of a column' 'SELECT comm, arg_comm FROM sched_waking' <<< 'two,one'
	sql_rows 'the text of a record' "SELECT text FROM sched_waking" <<< 'comm=one pid=41 prio=120 target_cpu=000'
	sql_rows 'all records' 'SELECT name, count(*) FROM ftrace_event GROUP BY name' <<-'END'
		sched_switch,4
		sched_waking,1
	END
	sql_rows 'args of records' "SELECT key, int_value, string_value FROM ftrace_event JOIN args USING (arg_set_id)
		WHERE name = 'sched_waking'" <<-'END'
		comm,,one
		pid,41,
		prio,120,
		target_cpu,0,
	END
	sql_rows 'runs' 'SELECT ts, dur, tid, end_state, priority FROM sched_slice ORDER BY ts' <<-'END'
		10000100000,200000,42,R,120
		10000300000,400000,41,D,120
		10000700000,300000,42,S,120
		10001000000,,0,,120
	END
	sql_rows 'states' "SELECT ts, dur, state FROM thread_state WHERE tid = 41 ORDER BY ts" <<-'END'
		10000100000,50000,S
		10000150000,150000,R
		10000300000,400000,Running
		10000700000,300000,D
	END
	sql_rows 'waits' 'SELECT ts, dur, tid, waker FROM wakeup WHERE tid = 41' <<< '10000150000,150000,41,two-42'
	sql_rows 'tasks' 'SELECT tid, name, is_idle FROM thread ORDER BY tid' <<-'END'
		0,<idle>,1
		41,one,0
		42,two,0
	END
	sql_rows 'a join by utid' 'SELECT t.name, sum(dur) FROM sched_slice JOIN thread t USING (utid)
		GROUP BY t.name HAVING sum(dur) ORDER BY 2' <<-'END'
		one,400000
		two,500000
	END
	sql_rows 'the file' 'SELECT name, start_ts, end_ts FROM trace_file' <<< 'trace.dat,10000100000,10001000000'
	sql_rows 'losses' 'SELECT count(*) FROM lost' <<< 0
}

# A condition that a table tests must not change the rows: it is compared with the same one in an expression.
conditions() {
	local table column op value n=0 bad=
	for table in sched_switch ftrace_event sched_slice thread_state wakeup thread; do
		for column in ts cpu tid utid prev_pid; do
			"$FTR" sql -i trace.dat "SELECT $column FROM $table LIMIT 0" > /dev/null 2>&1 || continue
			for op in = '<' '<=' '>' '>='; do
				for value in 41 10000300000 10000300000.5 -1 9223372036854775807 "'10000300000'" \
					NULL 1e30; do
					echo "SELECT '$table $column $op ${value//\'/}',
						(SELECT count(*) FROM $table WHERE
						$column $op $value) = (SELECT count(*) FROM $table WHERE
						CAST($column AS INTEGER) $op $value);"
					n=$((n + 1))
				done
			done
		done
	done > conditions.sql
	"$FTR" sql --csv --no-header -i trace.dat -f conditions.sql > got 2> err
	bad=$(grep -v ',1$' got)
	same 'conditions that tables test select as SQLite does' '' "$bad"
	check 'there are many' test "$(wc -l < got)" -gt 500
}

# Conditions that a table tests keep it from reading the rest: by the number of records that were read.
reads() {
	local name=$1 want=$2 got
	got=$(printf '%s\n' '.stats' "$3;" '.stats' | "$FTR" sql -i long.dat --no-header | sed -n '$s/ records.*//p')
	check "$name: $got of 4000 records are read" test "$got" $want
}

pushed_down() {
	python3 "$ORACLE/mkdat.py" long.dat --records 2000 --cpus 2
	local from to
	IFS=, read -r from to < <("$FTR" sql --csv --no-header -i long.dat \
		'SELECT start_ts + (end_ts - start_ts) / 2, start_ts + (end_ts - start_ts) * 51 / 100
		FROM trace_file')
	reads 'no condition' '-eq 4000' 'SELECT count(*) FROM ftrace_event'
	reads 'a range of times' '-lt 400' "SELECT count(*) FROM ftrace_event WHERE ts BETWEEN $from AND $to"
	reads 'runs that start up to a time' '-lt 3500' "SELECT count(*) FROM sched_slice WHERE ts < $from"
	reads 'waits that start up to a time' '-lt 3500' "SELECT count(*) FROM wakeup WHERE ts < $from"
	reads 'a limit' '-lt 10' 'SELECT ts FROM ftrace_event LIMIT 3'
	reads 'the order of time costs nothing' '-lt 10' 'SELECT ts FROM ftrace_event ORDER BY ts LIMIT 3'
	reads 'the task of a record needs those before it' '-lt 20' 'SELECT utid FROM ftrace_event LIMIT 3'
	reads 'runs and their tasks at the end are read at once' '-eq 4000' \
		'SELECT name, sum(dur) FROM sched_slice JOIN thread USING (utid) GROUP BY name'
	reads 'the first loss' '-lt 1500' 'SELECT * FROM lost LIMIT 1'
	reads 'the tasks alone' '-eq 4000' 'SELECT count(*) FROM thread'
	reads 'a table of the file' '-eq 0' 'SELECT * FROM trace_file'
	reads 'args of a record at which a scan is' '-lt 10' \
		'SELECT key FROM ftrace_event JOIN args USING (arg_set_id) LIMIT 3'
	has 'the plan of the order of time has no sorting' \
		"$("$FTR" sql -i long.dat 'EXPLAIN QUERY PLAN SELECT ts FROM ftrace_event ORDER BY ts')" \
		'^ *[0-9]+ .*SCAN'
	same 'and of another order has' 1 "$("$FTR" sql -i long.dat \
		'EXPLAIN QUERY PLAN SELECT ts FROM ftrace_event ORDER BY cpu' | grep -c 'TEMP B-TREE')"
}

# Rows that are only counted come in groups: those of a query that sorts them are the same.
groups() {
	local columns what
	while IFS='|' read -r what columns; do
		"$FTR" sql --csv -i long.dat "SELECT $columns, count(*) AS n FROM $what GROUP BY $columns
			ORDER BY $columns" > got 2> err
		"$FTR" sql --csv -i long.dat "SELECT $columns, count(ts) AS n FROM $what GROUP BY $columns
			ORDER BY $columns" > want 2> err
		same_files "groups of $what by $columns" want got
		check "of $what by $columns there are some" test "$(wc -l < want)" -gt 1
	done <<-'END'
		ftrace_event|comm
		ftrace_event|name
		ftrace_event|name, comm
		ftrace_event|comm, cpu
		ftrace_event|cpu, tid, comm, name, system
		ftrace_event WHERE tid % 2 = 0|comm
		ftrace_event WHERE cpu = 1|name
		ftrace_event WHERE comm = 'nobody' OR name > 'a'|system, name
		sched_switch|comm
		sched_switch WHERE cpu = 0|tid
	END
	same 'different ones' "$("$FTR" sql --csv -i long.dat 'SELECT name, cpu, min(ts) AS t FROM ftrace_event
		GROUP BY name, cpu ORDER BY 1, 2' | cut -d, -f1,2)" \
		"$("$FTR" sql --csv -i long.dat 'SELECT DISTINCT name, cpu FROM ftrace_event' | (sed -u 1q; sort))"
	same 'no sorting' 0 "$("$FTR" sql -i long.dat 'EXPLAIN QUERY PLAN SELECT comm, count(*) FROM ftrace_event
		GROUP BY comm' | grep -c 'TEMP B-TREE')"
	same 'groups of two files' 'sched_switch,8' "$("$FTR" sql --csv --no-header -i trace.dat -i trace.dat \
		"SELECT name, count(*) FROM ftrace_event WHERE name LIKE '%switch' GROUP BY name")"
}

# Words are files or the query, in any order.
words() {
	local q='SELECT count(*) AS n FROM sched_switch'
	same 'a file after the query' 'n 4' "$("$FTR" sql --csv "$q" trace.dat | xargs)"
	same 'and before it' 'n 4' "$("$FTR" sql --csv trace.dat "$q" | xargs)"
	same 'a query of several words' 'n 4' "$("$FTR" sql --csv select 'count(*)' as n from sched_switch | xargs)"
	same 'a file alone: a shell' 4 "$(echo 'SELECT count(*) FROM sched_switch;' |
		"$FTR" sql --csv --no-header trace.dat)"
	ftr_refuses 'a file that is not there' 1 "^ftr: cannot open 'trace.dta': No such file" sql "$q" trace.dta
	echo "$q" > q.sql
	ftr_refuses 'nor one beside a script' 1 "^ftr: cannot open 'trace.dta'" sql -f q.sql trace.dta
}

fixtures() {
	local f name want
	for f in "$FTR_FIXTURES_DIR"/*.dat.xz; do
		if [ ! -e "$f" ]; then
			skip 'counts of the fixtures' "no $FTR_FIXTURES_DIR"
			return
		fi
		name=$(basename "$f" .xz)
		xz -dc "$f" > fixture.dat
		trace-cmd report fixture.dat 2> /dev/null |
			LC_ALL=C sed -nE 's/^[^]]*\] *[0-9.]+: ([a-z_0-9]+):.*/\1/p' | sort | uniq -c |
			awk '{ print $2 "," $1 }' > want
		"$FTR" sql --csv --no-header -i fixture.dat \
			'SELECT name, count(*) FROM ftrace_event GROUP BY name ORDER BY name' 2> err > all
		LC_ALL=C sort all > got
		LC_ALL=C sort -o want want
		same_files "$name: as many of each event as trace-cmd prints" want got
	done
}

# The rows of overlap() beside those of a join that compares each interval with each.
overlaps() {
	sql_rows 'overlap()' "SELECT ts, dur, key, a1, b1 FROM overlap('SELECT ts, dur, utid, tid FROM sched_slice',
		'SELECT ts, dur, utid, state FROM thread_state', 'utid') ORDER BY ts, key" <<-'END'
		10000100000,200000,1,42,Running
		10000300000,400000,0,41,Running
		10000700000,300000,1,42,Running
	END
	sql_rows 'overlap(): all columns, some used' "SELECT b1, a2, a1 IS NULL FROM overlap(
		'SELECT 1 AS ts, 9 AS dur, 5 AS k, ''x'' AS p, ''y'' AS q',
		'SELECT 2 AS ts, 3 AS dur, 5 AS k, 7 AS r', 'k')" \
		<<< '7,y,0'
	sql_rows 'overlap() without a key' "SELECT count(*), sum(dur) FROM overlap('SELECT 5 AS ts, 10 AS dur',
		'SELECT 0 AS ts, 7 AS dur UNION ALL SELECT 6, 2 UNION ALL SELECT 15, 1', '')" <<< '2,4'
	cat > overlap.sql <<-'END'
		CREATE TEMP TABLE x AS WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 400)
			SELECT i * 7919 % 1009 AS ts, i * 104729 % 97 AS dur, i % 5 AS k, i AS n FROM c;
		CREATE TEMP TABLE y AS WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 400)
			SELECT i * 6271 % 1013 AS ts, i * 15485863 % 89 AS dur, i % 7 AS k, i AS n FROM c;
		CREATE TEMP TABLE o AS SELECT key, a1, b1, ts, dur FROM overlap('x', 'y', 'k');
		CREATE TEMP TABLE j AS SELECT x.k AS key, x.n AS a1, y.n AS b1, max(x.ts, y.ts) AS ts,
			min(x.ts + x.dur, y.ts + y.dur) - max(x.ts, y.ts) AS dur FROM x JOIN y ON x.k = y.k
			WHERE max(x.ts, y.ts) < min(x.ts + x.dur, y.ts + y.dur);
		SELECT (SELECT count(*) FROM j) > 1000, (SELECT count(*) FROM o) = (SELECT count(*) FROM j),
			(SELECT count(*) FROM (SELECT * FROM o EXCEPT SELECT * FROM j)),
			(SELECT count(*) FROM (SELECT * FROM j EXCEPT SELECT * FROM o));
	END
	same 'overlap() has the rows of a join' '1,1,0,0' \
		"$("$FTR" sql --csv --no-header -i trace.dat -f overlap.sql 2>&1)"
	ftr_refuses 'overlap() without arguments' 1 'it takes two tables or queries' \
		sql -i trace.dat "SELECT * FROM overlap('x')"
	ftr_refuses 'overlap() of a table without dur' 1 'both need the columns ts and dur' \
		sql -i trace.dat "SELECT * FROM overlap('sched_switch', 'sched_slice', 'utid')"
}

formats() {
	local q='SELECT tid, comm FROM sched_switch ORDER BY ts LIMIT 2'
	same 'a table' 'tid comm|41 one|42 two' \
		"$("$FTR" sql -i trace.dat "$q" | tr -s ' ' | sed 's/^ //' | paste -sd'|')"
	same 'CSV' 'tid,comm|41,one|42,two' "$("$FTR" sql --csv -i trace.dat "$q" | paste -sd'|')"
	same 'JSON' '[{"tid":41,"comm":"one"},{"tid":42,"comm":"two"}]' \
		"$("$FTR" sql --json -i trace.dat "$q" | jq -c .)"
	same 'JSON lines' '{"tid":41,"comm":"one"}' "$("$FTR" sql --jsonl -i trace.dat "$q" | head -n 1)"
	same 'Markdown' '| tid | comm ||| --- | --- ||| 41 | one ||| 42 | two |' \
		"$("$FTR" sql --markdown -i trace.dat "$q" | paste -sd'|')"
	same 'an empty JSON array' '[]' "$("$FTR" sql --json -i trace.dat 'SELECT 1 WHERE 0' | jq -c .)"
	same 'CSV: quotes' '"a ""b"", c"' "$("$FTR" sql --csv --no-header -i trace.dat "SELECT 'a \"b\", c'")"
	has '--schema' "$("$FTR" sql -i trace.dat --schema)" \
		'^CREATE TABLE "sched_switch"\("ts" INTEGER, .*"prev_comm" TEXT'
	same '--schema --json' '["ts","cpu","utid","tid","comm"]' "$("$FTR" sql -i trace.dat --schema --json |
		jq -c '.tables[] | select(.name == "sched_switch") | [.columns[].name][:5]')"
	same 'what a terminal acts on is escaped' '\x1b[31m' \
		"$("$FTR" sql --no-header -i trace.dat "SELECT char(27) || '[31m'")"
}

# syscall_names FILE WANT NUMBER...
syscall_names() {
	local want=$2 file=$1
	shift 2
	same "syscall_name() of $file" "$want" "$("$FTR" sql --csv --no-header -i "$file" \
		"SELECT $(printf 'syscall_name(%s), ' "$@")NULL" | sed 's/,$//')"
}

functions() {
	sql_rows 'dur()' "SELECT dur(1), dur(1500), dur(1500000), dur(2000000000), dur(NULL)" \
		<<< '1 ns,1.500 us,1.500 ms,2.000 s,'
	sql_rows 'errno_name()' 'SELECT errno_name(2), errno_name(-13), errno_name(0), errno_name(99999)' \
		<<< 'ENOENT,EACCES,,'
	sql_rows 'percentile()' 'SELECT percentile(dur, 50) BETWEEN 300000 AND 302400, percentile(dur, 100)
		FROM sched_slice' \
		<<< '1,400000'
	sql_rows 'stddev()' 'SELECT stddev(column1) FROM (VALUES (2), (4), (4), (4), (5), (5), (7), (9))' <<< 2.0
	same 'hist()' '4 7 3|8 15 1' "$("$FTR" sql --no-header -i trace.dat \
		'SELECT hist(column1) FROM (VALUES (4), (5), (7), (8))' | awk '{ print $1, $3, $5 }' | paste -sd'|')"
	same 'hist() by powers of ten: those between are there' '0 9 2|10 99 0|100 999 1' "$("$FTR" sql --no-header \
		-i trace.dat 'SELECT hist(column1, 10) FROM (VALUES (-4), (9), (100))' |
		awk '{ print $1, $3, $5 }' | paste -sd'|')"
	same 'hist() of the largest numbers' '4611686018427387904 9223372036854775807 1|1000000000000000000
		9999999999999999999 1' "$("$FTR" sql --no-header -i trace.dat 'SELECT hist(9223372036854775807);
		SELECT hist(9223372036854775807, 10)' | awk '{ print $1, $3, $5 }' | paste -sd'|' |
		sed 's/ 9999/\n\t\t9999/')"
	ftr_refuses 'hist() with a base of 1' 1 'hist\(\) takes one base for all values, from 2 on' \
		sql -i trace.dat 'SELECT hist(1, 1)'
	sql_rows 'glob() matches as options do' "SELECT glob('[!a]*', 'bc'), glob('[!a]*', 'ac'), 'a*' GLOB 'a\*',
		'ab' GLOB 'a\*', glob('a?c', 'abc'), glob(NULL, 'a')" <<< 1,0,1,0,1,
	sql_rows 'top(): the most frequent first, then by bytes' "SELECT top(column1) FROM (VALUES ('b'), ('a'), (3),
		(NULL), ('b'), ('\"'))" <<< '"{""b"":2,""\"""":1,""3"":1,""a"":1}"'
	sql_rows 'top() in rows' "SELECT key, value FROM json_each((SELECT top(comm, 1) FROM sched_slice))" <<< 'two,2'
	sql_rows 'top() of nothing' 'SELECT top(comm), top(comm, 0) FROM sched_slice WHERE 0' <<< ,
	# every tenth of 200,000 values is z, the others occur once
	sql_rows 'top() of many values: the error is at most 1/10,000 of them' "WITH RECURSIVE c(x) AS (SELECT 1
		UNION ALL SELECT x + 1 FROM c WHERE x < 200000) SELECT value BETWEEN 19980 AND 20000 FROM json_each(
		(SELECT top(CASE WHEN x % 10 = 0 THEN 'z' ELSE x END, 1) FROM c)) WHERE key = 'z'" <<< 1
	sql_rows 'syscall_name() without an architecture' 'SELECT syscall_name(0)' <<< ''
	# numbers of the kernel's arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h
	python3 "$ORACLE/mkdat.py" x86_64.dat --records 1
	LC_ALL=C sed 's/Linux synthetic \([^ ]*\) x86_64/Linux syntheti \1 aarch64/' x86_64.dat > aarch64.dat
	syscall_names x86_64.dat 'read,openat,execve,,' 0 257 59 -1 99999
	syscall_names aarch64.dat 'io_setup,openat,execve,,' 0 56 221 -1 99999
}

# The examples are queries that can be asked, of a file that has all of their events.
examples() {
	{
		cat trace.txt
		line() { printf '%16s [000] ..... %12s: %s\n' two-42 "$1" "$2"; }
		line 10.001100 'sys_openat(dfd: ffffffffffffff9c, filename: 7ffc1000, flags: 0, mode: 0)'
		line 10.001110 "kmalloc: call_site=vfs_read+0x10/0x20 ptr=00000000a1b2c3d4 bytes_req=60 bytes_alloc=64$(
			) gfp_flags=GFP_KERNEL node=-1 accounted=false"
		line 10.001150 'sys_openat -> 0x3'
	} > all.txt
	"$FTR" import -q all.txt -o all.dat 2> err
	"$FTR" sql --examples > examples.sql
	"$FTR" sql -i all.dat -f examples.sql > out 2> err
	same 'examples: status and messages' '0 ' "$? $(cat err)"
	check 'there are twenty' test "$(grep -c ';$' examples.sql)" -ge 20
	has 'the one about openat() has its text' "$(cat out)" '50.000 us +two +dfd: '
}

# What Documentation/sql.md shows is what is printed. A line with "> " goes on with the command above.
page() {
	mkdir page
	if ! xz -dc "$FTR_FIXTURES_DIR/lisa-sched-load-64le.dat.xz" > page/trace.dat 2> err; then
		skip 'the examples of the page' "no fixtures in $FTR_FIXTURES_DIR"
		return
	fi
	(cd page && python3 - "$FTR_TOP/Documentation/sql.md" <<-'END')
		import os, re, subprocess, sys
		shown, printed = open("shown", "w"), open("printed", "w")
		for block in re.findall(r"^```text\n(.*?)^```", open(sys.argv[1]).read(), re.M | re.S):
		    lines = block.splitlines()
		    command = [lines[0]] + [line for line in lines[1:] if line.startswith("> ")]
		    text = "\n".join(line[2:] for line in command).replace("ftr", '"$FTR"', 1)
		    run = subprocess.run(["bash", "-c", text], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
		                         text=True)
		    print(*command, *lines[len(command):], sep="\n", file=shown)
		    print(*command, run.stdout, sep="\n", end="", file=printed)
	END
	check 'the page has examples' test "$(grep -c '^\$ ' page/shown)" -ge 6
	same_files 'the examples of the page' page/shown page/printed
}

messages() {
	ftr_refuses 'an unknown table: the nearest' 1 "^hint: did you mean 'sched_switch'" \
		sql -i trace.dat 'SELECT * FROM sched_swich'
	ftr_refuses 'an unknown column: the nearest' 1 "^hint: did you mean 'prev_comm'" \
		sql -i trace.dat 'SELECT prev_com FROM sched_switch'
	ftr_refuses 'a column of another table' 1 '^hint: the column is in process' \
		sql -i trace.dat 'SELECT pid FROM thread'
	ftr_refuses 'of many others' 1 '^hint: the column is in thread, sched_slice, .*, and others' \
		sql -i trace.dat 'SELECT utid FROM trace_file'
	"$FTR" sql -i trace.dat 'SELECT ts, nothing FROM sched_switch' 2> err
	same 'the place has a caret' '             ^' "$(sed -n 3p err)"
	"$FTR" sql -i trace.dat "SELECT $(printf "'äöü', %.0s" {1..40}) nothing, $(seq -s, 60)" 2> err
	same 'and the part of a long line that has it, which fits into a terminal' 'nothing True' "$(python3 -c '
lines = open("err", encoding="utf-8").read().split("\n")
at = len(lines[2]) - 1
print(lines[1][at:at + 7], len(lines[1]) <= 80)')"
	ftr_refuses 'a query that takes too long' 1 'it took longer than 0.2 s' sql -i trace.dat --max-time 200ms \
		'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c'
	ftr_refuses 'a query that needs too much memory' 1 'out of memory' sql -i trace.dat --memory-limit 8M \
		"SELECT length(zeroblob(100000000) || 'x')"
}

# Nothing but reading is allowed, whatever this build of SQLite can do.
refusals() {
	local q
	mkdir -p empty
	while read -r q; do
		"$FTR" sql -i trace.dat "$q" > out 2> err
		same "refused: $q" '1 0' "$? $(ls empty | wc -l)"
	done <<-'END'
		ATTACH 'empty/x' AS x
		CREATE TABLE t(a)
		CREATE VIRTUAL TABLE t USING sched_switch
		INSERT INTO sched_switch(ts) VALUES (1)
		DELETE FROM thread
		DROP TABLE thread
		PRAGMA temp_store_directory = 'empty'
		PRAGMA writable_schema = 1
		SELECT load_extension('x')
		SELECT writefile('empty/x', 'x')
		SELECT readfile('/etc/passwd')
		SELECT fts3_tokenizer('x')
		VACUUM INTO 'empty/x'
		SELECT * FROM sqlite_dbpage
		CREATE TRIGGER x AFTER INSERT ON thread BEGIN SELECT 1; END
	END
	sql_rows 'a temporary table is allowed' \
		'CREATE TEMP TABLE t AS SELECT tid FROM thread; SELECT count(*) FROM t' <<< 3
	sql_rows 'a temporary view is allowed' \
		'CREATE TEMP VIEW v AS SELECT tid FROM thread; SELECT count(*) FROM v' <<< 3
}

damaged() {
	head -c $(($(stat -c %s trace.dat) - 2000)) trace.dat > bad.dat
	"$FTR" sql -i bad.dat 'SELECT count(*) FROM ftrace_event' > out 2> err
	check 'a damaged file: status 3, or 1 if nothing can be read' test $? -eq 3 -o $? -eq 1
}

tables
conditions
pushed_down
groups
words
fixtures
overlaps
formats
functions
examples
page
messages
refusals
damaged
finish
