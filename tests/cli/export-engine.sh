#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr export --table and typed queries: a row by hand, byte for byte; rows of files with fields of every kind and of
# other recorders beside the bytes of the file (rawfields.py) and beside ftr sql; types, messages, damage.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"
cd "$TMP" || exit 1
ORACLE=$FTR_TOP/tests/oracle

# ours FORMAT FILE ARG...: FILE has what is exported, ST the status, err the messages
ours() {
	local to=$1 file=$2
	shift 2
	"$FTR" export --to "$to" "$@" > "$file" 2> err
	ST=$?
}

# The bytes were written by hand: LEB128 lengths, little endian, by ClickHouse's page on RowBinary.
by_hand() {
	printf '%s\n' '0 1100 100 . demo_start tag=1 len=10' 'lost 0 3' '0 1120 300 . demo_start tag=-2 len=300' |
		case_file hand
	ours rowbinary got --table demo_start hand0.dat
	same 'status, words' "0 ftr: 'hand0.dat' has no time of day: rows have the time of the trace clock alone" \
		"$ST $(head -n 1 err)"
	{
		printf '\x0a\x08trace_ts\x04host\x08trace_id\x06buffer\x03cpu\x03tid\x04comm\x04lost\x03tag\x03len'
		printf '\x06UInt64\x16LowCardinality(String)\x16LowCardinality(String)\x16LowCardinality(String)'
		printf '\x05Int32\x05Int32\x16LowCardinality(String)\x10Nullable(UInt64)\x05Int32\x05Int32'
		printf '\x4c\x04\0\0\0\0\0\0\x09synthetic\x101122334455667788\0\0\0\0\0\x64\0\0\0\x05<...>'
		printf '\0\0\0\0\0\0\0\0\0\x01\0\0\0\x0a\0\0\0'
		printf '\x60\x04\0\0\0\0\0\0\x09synthetic\x101122334455667788\0\0\0\0\0\x2c\x01\0\0\x05<...>'
		printf '\0\x03\0\0\0\0\0\0\0\xfe\xff\xff\xff\x2c\x01\0\0'
	} > want
	check 'rows by hand' cmp want got
	ours jsonl got --table demo:demo_start hand0.dat
	same 'the same as JSON lines' '{"trace_ts":1120,"host":"synthetic","trace_id":"1122334455667788",'\
'"buffer":"","cpu":0,"tid":300,"comm":"<...>","lost":3,"tag":-2,"len":300}' "$(tail -n 1 got)"
	ours csv got --table demo__demo_start --cpu 0 --until 0.0000011 hand0.dat
	same 'the same as CSV, of one record' '1100,"synthetic","1122334455667788","",0,100,"<...>",0,1,10' \
		"$(sed 1d got)"
}

# as_file EVENT FILE: three formats have the same rows, which are those of the file's bytes and of ftr sql
as_file() {
	local to name="$1 of ${2##*/}"
	for to in rowbinary jsonl csv; do
		ours $to got.$to --table "$1" "$2"
	done
	check "$name: formats" python3 "$ORACLE/rowbinary.py" formats got.rowbinary got.jsonl got.csv
	check "$name: the bytes of the file" python3 "$ORACLE/rowbinary.py" beside got.rowbinary "$1" "$2"
	[ -z "${3:-}" ] || return
	"$FTR" sql --json "SELECT * FROM $1" "$2" > rows.json 2> err
	check "$name: ftr sql" python3 "$ORACLE/rowbinary.py" same got.rowbinary rows.json trace_ts=ts
}

# The time of day is that of two moments, which are 1,300 ns apart.
kinds_of_fields() {
	local order
	for order in le be; do
		python3 "$ORACLE/mkodd.py" -endian=$order -meta='wall_begin=1000000000000 1700000000123456789 5' \
			-meta='wall_end=1000009000000 1700000000132458089 9' $order.dat
		as_file bytes $order.dat no-sql
		as_file numbers $order.dat no-sql
		same "$order: what is left out" '1' "$(ours csv got --table numbers $order.dat
			grep -c "^ftr: warning: 1 records of 'numbers' are left out: they are shorter than its" err)"
	done
	ours csv got --table numbers le.dat
	same 'the time of day and its error' '"2023-11-14 22:13:20.123458889",1000000002100 1800' \
		"$(sed -n 2p got | cut -d, -f1,2) $(sed -n 2p got | cut -d, -f9)"
}

# Some numbers of the second file have other sizes.
several_files() {
	python3 "$ORACLE/mkodd.py" -long=4 -meta='wall_begin=1000000000000 1700000000123456789 5' long4.dat
	ours rowbinary got --table numbers le.dat long4.dat
	same 'the larger of two types' 'ulong UInt64' "$(python3 "$ORACLE/rowbinary.py" types got | grep ulong)"
	"$FTR" sql --json 'SELECT * FROM numbers WHERE type_2 IS NOT NULL' le.dat long4.dat > rows.json 2> err
	check 'rows of both' python3 "$ORACLE/rowbinary.py" same got rows.json trace_ts=ts
	python3 "$ORACLE/mkdat.py" a.dat --records 20 --cpus 1 --lost 0 --clock mono \
		--meta 'wall_begin=1000000000000 1700000000000000000 5'
	python3 "$ORACLE/mkdat.py" b.dat --records 20 --cpus 1 --lost 0 --long 4 --clock mono
	ours csv got --table sched_switch a.dat b.dat
	has 'a file without a time of day' "$(cat err)" "^ftr: 'b.dat' has no time of day"
	"$FTR" sql --csv --no-header 'SELECT count(*), sum(next_pid) FROM sched_switch' a.dat b.dat > want 2> err
	same 'rows and sum of both' "$(cat want)" "$(python3 -c '
import csv, sys
rows = list(csv.DictReader(open("got")))
print("%d,%d" % (len(rows), sum(int(r["next_pid"]) for r in rows)))')"
}

schemas() {
	"$FTR" export --schema=clickhouse --table numbers le.dat > got 2> err
	has 'ClickHouse: a time' "$(cat got)" '^	`ts` DateTime64\(9, .UTC.\) CODEC\(DoubleDelta, ZSTD\(3\)\),$'
	has 'ClickHouse: an array' "$(cat got)" '^	`three` Array\(Int64\) CODEC\(ZSTD\(3\)\),$'
	has 'ClickHouse: the order' "$(cat got)" '^ORDER BY \(host, trace_id, ts\);$'
	same 'it is the default' "$(cat got)" "$("$FTR" export --schema --table numbers le.dat 2> err)"
	ours rowbinary bytes --table numbers le.dat
	same 'the types are those of the rows' "$(python3 "$ORACLE/rowbinary.py" types bytes)" \
		"$(sed -n "s/^	\`\(.*\)\` \(.*\)\$/\1 \2/p" got | sed 's/ CODEC(.*//; s/,$//')"
	"$FTR" export --schema=duckdb --table numbers le.dat > got 2> err
	has 'DuckDB' "$(cat got)" '^	"u64" UBIGINT NOT NULL,$'
	has 'DuckDB: an array' "$(cat got)" '^	"three" BIGINT\[\] NOT NULL,$'
	"$FTR" export --schema=spark --table numbers le.dat > got 2> err
	has 'Spark: the next larger type' "$(cat got)" '^	`u64` DECIMAL\(20,0\) NOT NULL,$'
	same 'a name with quotes' '	`a"b\\c` UInt32,' \
		"$("$FTR" export --schema --table 'ev"il\' le.dat 2> err | grep 'a"b')"
	ftr_refuses 'an unknown engine' 2 "^ftr: --schema does not take 'x'" export --schema=x --table numbers le.dat
	ftr_refuses 'no table' 2 '^ftr: --schema of an engine needs a table' export --schema=duckdb le.dat
}

queries() {
	if ! "$FTR" sql 'SELECT 1' hand0.dat > out 2> err; then
		skip 'rows of queries' "$(head -n 1 err)"
		return
	fi
	ours rowbinary got --sql "SELECT 300 AS a, 0.5 AS b, NULL AS c, 'x' AS d UNION ALL SELECT 2, 3, 'y', x'00ff'" \
		hand0.dat
	same 'types by the first rows' 'a Nullable(Int64) b Nullable(Float64) c Nullable(String) d Nullable(String)' \
		"$(python3 "$ORACLE/rowbinary.py" types got | xargs)"
	same 'values' '{"a": 300, "b": 0.5, "c": null, "d": "x"} {"a": 2, "b": 3.0, "c": "y", "d": "00ff"}' \
		"$(python3 "$ORACLE/rowbinary.py" json got | xargs -d '\n')"
	ours rowbinary got --sql 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 1500)
		SELECT CASE WHEN x < 1400 THEN x ELSE 0.5 END AS v FROM c' hand0.dat
	same 'a value of another type: status, words' \
		"1 ftr: column 'v' has a real number in row 1400, and integers in rows before" "$ST $(head -n 1 err)"
	ours rowbinary got --sql 'SELECT 1; SELECT 2' hand0.dat
	same 'two statements: status, words' '1 ftr: the query has several statements with rows' "$ST $(head -n 1 err)"
	ours rowbinary got --sql 'SELECT tag FROM demo_start WHERE 0' hand0.dat
	same 'no row has types, too' '0 tag Nullable(Int64)' "$ST $(python3 "$ORACLE/rowbinary.py" types got)"
	same 'CREATE TABLE of a query' 'CREATE TABLE "query" ( "n" BIGINT, "m" DOUBLE );' \
		"$("$FTR" export --schema=duckdb --sql 'SELECT count(*) AS n, avg(len) AS m FROM demo_start' hand0.dat |
			tr -s '\t\n' ' ' | sed 's/ $//')"
	ours rowbinary got --table thread hand0.dat hand0.dat
	"$FTR" sql --json 'SELECT * FROM thread' hand0.dat > rows.json 2> err
	python3 -c 'import json; rows = json.load(open("rows.json")); json.dump(rows + rows, open("rows.json", "w"))'
	check 'a table of SQL, of each file' python3 "$ORACLE/rowbinary.py" same got rows.json
	python3 "$ORACLE/mkdat.py" plain.dat --records 100 --wakeup
	sed 's/name: demo_path$/name: lock_wait/' plain.dat > named.dat
	ours csv got --table lock_wait named.dat
	same_files 'an event with the name of a table: the table is written, as ftr sql reads it' \
		<("$FTR" export -q --to csv --table lock_wait plain.dat) got
	ours csv got --table demo:lock_wait named.dat
	same_files 'with its system it is the event' <("$FTR" export -q --to csv --table demo_path plain.dat) got
	ftr_refuses 'records of a table of SQL' 2 '^ftr: options that select records need the table of an event' \
		export --to csv --table thread --cpu 0 hand0.dat
	ftr_refuses 'no table' 1 '^ftr: the query failed: no such table: demo_strat' \
		export --to csv --table demo_strat hand0.dat
	has 'no table: the nearest' "$ERR" "^hint: did you mean 'demo_start'"
}

refusals() {
	ftr_refuses 'a format without tables' 2 "^ftr: 'json' does not export a table" \
		export --to json --table a hand0.dat
	ftr_refuses '--fields' 2 '^ftr: --fields does not work with --table' \
		export --to csv --table a --fields time hand0.dat
	ftr_refuses 'rowbinary alone' 2 "^ftr: 'rowbinary' is a format for the rows of a query" \
		export --to rowbinary hand0.dat
	ours csv got --table demo_start --comm nobody hand0.dat
	has 'nothing selected' "$(cat err)" 'no task matches|no record matches|matches'
	ours csv got --table sched_switch hand0.dat
	has 'no record of the event' "$(cat err)" "^ftr: no record of 'sched_switch' is in these files"
	"$FTR" export --to csv --table demo_start hand0.dat > /dev/full 2> err
	same 'a full disk: status' 3 $?
}

# Bytes of a file change: it ends with a status, whatever they say.
damage() {
	local bad
	bad=$(python3 - "$FTR" le.dat <<-'END'
		import random, subprocess, sys
		rng, data = random.Random(7), open(sys.argv[2], "rb").read()
		for i in range(12):
		    part = bytearray(data)
		    for _ in range(rng.choice((1, 4, 40))):
		        part[rng.randrange(len(part))] = rng.randrange(256)
		    open("bad.dat", "wb").write(part)
		    to, table = rng.choice(("rowbinary", "jsonl", "csv")), rng.choice(("bytes", "numbers"))
		    words = [sys.argv[1], "export", "--to", to, "--table", table, "bad.dat"]
		    done = subprocess.run(words, capture_output=True)
		    if done.returncode not in (0, 1, 3):
		        print(i, done.returncode, done.stderr[-300:])
	END
	)
	same 'damaged files' '' "$bad"
}

# fixture NAME EVENT...: events of a recording of others
fixture() {
	local name=$1 file=${FTR_FIXTURES_DIR:-$FTR_TOP/../shared/fixtures}/$1.xz
	shift
	if ! xz -dc "$file" > fixture.dat 2> err; then
		skip "rows of $name" "$(head -n 1 err)"
		return
	fi
	for event; do
		as_file "$event" fixture.dat
	done
}

by_hand
kinds_of_fields
several_files
schemas
queries
refusals
damage
fixture trappy-u32-array-32le.dat thermal_power_actor_cpu_get_dyn_power
fixture lisa-sched-load-64le.dat sched_switch
finish
