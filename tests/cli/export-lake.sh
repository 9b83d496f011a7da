#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Rows of ftr export in ClickHouse and DuckDB: the statements of Documentation/fleet.md, and ten questions whose answers
# are those of ftr sql. The engines are npm packages, chdb and @duckdb/node-api, of $FTR_LAKE_MODULES, or node_modules
# in the source tree: nothing is downloaded here. FTR_LAKE_FILES are recordings of several hosts, whose names are asked
# for, too (tests/guest/fleet-demo.sh); else one file of the fixtures is asked.
# builds: plain
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 1
MODULES=${FTR_LAKE_MODULES:-$FTR_TOP/node_modules}
FIXTURE=${FTR_FIXTURES_DIR:-$FTR_TOP/../shared/fixtures}/lisa-sched-load-64le.dat.xz

# TIME is the time of the trace clock. The words are those of SQLite, ClickHouse and DuckDB alike.
QUESTIONS='SELECT count(*) FROM switches;
SELECT sum(next_pid), sum(prev_prio), sum(prev_state) FROM switches;
SELECT min(TIME), max(TIME) FROM switches;
SELECT count(DISTINCT next_comm), count(DISTINCT prev_pid) FROM switches;
SELECT HOST cpu, count(*) AS n FROM switches GROUP BY HOST cpu ORDER BY HOST cpu;
SELECT next_comm, count(*) AS n FROM switches GROUP BY next_comm ORDER BY n DESC, next_comm LIMIT 5;
SELECT TIME, tid, comm, prev_comm FROM switches WHERE next_pid = 0 ORDER BY TIME LIMIT 5;
SELECT prev_state, max(prev_prio) FROM switches WHERE cpu IN (0, 1) GROUP BY prev_state ORDER BY prev_state;
SELECT a.cpu, count(*) AS n FROM switches a JOIN switches b ON a.next_pid = b.prev_pid AND a.cpu = b.cpu
	WHERE a.next_pid IN (SELECT next_pid FROM switches GROUP BY next_pid HAVING count(*) < 50)
	GROUP BY a.cpu ORDER BY a.cpu;
SELECT count(*) FROM switches WHERE next_comm LIKE '"'%u%'"' AND prev_prio < 120;'

# statements ENGINE: those of the page
statements() {
	sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/{/^\`\`\`/d;p}" "$FTR_TOP/Documentation/fleet.md"
}

# lake ENGINE: runs the statements on standard input
lake() {
	timeout 120 node "$FTR_TOP/tests/tools/lake.js" "$1" "$MODULES" 2> err
}

# in_engine ENGINE TABLE: the page's statements, then the questions of TABLE
in_engine() {
	local engine=$1 table=$2 rows=$3 above=$((${#FILES[@]} + 3))
	if ! lake "$engine" <<< 'SELECT 1;' > out; then
		skip "$engine" "$(cat out err | head -n 1)"
		return
	fi
	{
		statements "$engine"
		sed "s/switches\\b/$table/g; s/TIME/trace_ts/g; $SED_HOST" <<< "$QUESTIONS"
	} | lake "$engine" > got
	same "$engine: status, words" '0 ' "$? $(cat err)"
	# the hosts, three rows of tasks, and the rows of Parquet files, then the questions
	same "$engine: the page" "$(for n in $(seq "$rows"); do head -n 1 want; done)" \
		"$(sed -n "$((above + 1)),$((above + rows))p" got)"
	sed "1,$((above + rows))d" got > answers
	same_files "$engine: ten questions" want answers
}

if ! command -v node > out; then
	skip 'engines' 'node is not installed'
	finish
fi
FILES=(${FTR_LAKE_FILES:-})
SED_HOST='s/HOST/host,/g'
if [ ${#FILES[@]} = 0 ]; then
	FILES=(a.dat)
	SED_HOST='s/HOST//g'
	if ! xz -dc "$FIXTURE" > a.dat 2> err; then
		skip 'engines' "$(head -n 1 err)"
		finish
	fi
fi
for to in rowbinary:bin jsonl:jsonl; do
	"$FTR" export --to ${to%:*} --table sched_switch "${FILES[@]}" > switches.${to#*:} 2> err
	same "${to%:*}: status" 0 $?
done
sed 's/switches\b/sched_switch/g; s/TIME/ts/g; '"$SED_HOST" <<< "$QUESTIONS" > questions.sql
# the trace clocks of hosts are not moved
for f in "${FILES[@]}"; do
	RAW+=(-i "$f" --ts-offset 0)
done
"$FTR" sql --csv --no-header -f questions.sql "${RAW[@]}" > want 2> err
same "ftr sql: status, words" '0 ' "$? $(cat err)"
in_engine clickhouse fleet.switches 1
in_engine duckdb switches 2
finish
