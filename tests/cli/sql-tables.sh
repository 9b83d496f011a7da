#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr sql: the tables of counters, tracks, requests, locks, pairs and symbols. Times and lengths are read off
# tests/cases/sql/tables.txt by hand; sql-perfetto.sh compares the tables that Perfetto has with Perfetto's.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 1

cp "$FTR_TOP/tests/cases/sql/tables.txt" trace.txt
"$FTR" import trace.txt -o trace.dat 2> err

counters() {
	sql_rows 'counters' 'SELECT ts, name, value FROM counter' <<-'END'
		10000110000,cpufreq,1800000.0
		10000120000,cpuidle,1.0
		10000130000,cpuidle,4294967295.0
		10000135000,cpufreq,900000.0
		10000140000,mem.rss.anon,4096.0
		10000141000,mem.swap,8192.0
		10000142000,queue,7.0
		10000215000,bus Frequency,5000.0
		10000220000,mem.rss.anon,8192.0
		10000242000,mem.rss.anon,12288.0
	END
	sql_rows 'counters of CPUs' 'SELECT t.name, t.type, t.cpu, max(c.value) FROM counter c JOIN cpu_counter_track t
		ON c.track_id = t.id GROUP BY t.id ORDER BY 1, 3' <<-'END'
		cpufreq,cpu_frequency,0,900000.0
		cpufreq,cpu_frequency,1,1800000.0
		cpuidle,cpu_idle,1,4294967295.0
	END
	sql_rows 'counters of processes: also the memory that another task changes' 'SELECT t.name, t.type, thread.tid,
		count(*) FROM counter c JOIN process_counter_track t ON c.track_id = t.id JOIN thread ON utid = t.upid
		GROUP BY t.id ORDER BY 1' <<-'END'
		mem.rss.anon,process_memory,42,3
		mem.swap,process_memory,42,1
		queue,atrace_counter,42,1
	END
	sql_rows 'units of counters' 'SELECT t.name, t.unit, max(c.unit IS t.unit), min(c.unit IS t.unit) FROM counter c
		JOIN counter_track t ON c.track_id = t.id GROUP BY 1, 2 ORDER BY 1' <<-'END'
		bus Frequency,Hz,1,1
		cpufreq,kHz,1,1
		cpuidle,,1,1
		mem.rss.anon,bytes,1,1
		mem.swap,bytes,1,1
		queue,,1,1
	END
	sql_rows 'each counter is a track' \
		'SELECT count(*), count(DISTINCT t.id) FROM track t JOIN counter_track USING (id)' <<< 7,7
}

states() {
	sql_rows 'the reason of a sleep' "SELECT ts, dur, state, io_wait, blocked_function FROM thread_state
		WHERE tid = 41 AND state IN ('S', 'D') ORDER BY ts" <<-'END'
		10000100000,49000,D,1,io_schedule
		10000210000,20000,S,,
		10000400000,100000,S,,
	END
	sql_rows 'a task that was switched out while it could run' "SELECT ts, dur, state FROM thread_state
		WHERE tid = 42 AND state IN ('R', 'R+') ORDER BY ts" <<-'END'
		10000200000,10000,R
		10000240000,260000,R+
	END
	sql_rows 'ts_end' 'SELECT id, ts_end - ts = dur, tid FROM sched_slice WHERE dur > 30000 ORDER BY ts' <<-'END'
		0,1,42
		3,1,41
		4,1,50
	END
	sql_rows 'the times of tasks' 'SELECT tid, start_ts, end_ts, id = utid FROM thread WHERE start_ts' \
		<<< '50,10000310000,,1'
}

slices() {
	sql_rows 'marks are slices, and an instant is one of no length' "SELECT s.ts, s.dur, s.name, s.depth, p.name
		FROM slice s LEFT JOIN slice p ON p.id = s.parent_id WHERE s.category = 'marker' ORDER BY 1" <<-'END'
		10000144000,4000,draw,0,
		10000146000,0,moment,1,draw
	END
	sql_rows 'the task of a slice by its track' "SELECT s.name, t.type, thread.tid FROM slice s JOIN thread_track t
		ON s.track_id = t.id JOIN thread USING (utid) ORDER BY s.ts" <<-'END'
		draw,thread_execution,42
		moment,thread_execution,42
		0xffff8880,thread_execution,41
	END
}

spans() {
	sql_rows 'requests' 'SELECT ts, dur, dev, sector, nr_sector, rwbs, cpu, tid, comm, end_cpu, end_tid, end_comm,
		mark FROM block_io' <<< '10000300000,200000,"254,3",2048,8,WS,0,41,one,0,0,<idle>,'
	sql_rows 'waits for locks' 'SELECT ts, dur, lock_addr, name, flags, cpu, tid, comm, waker_tid, waker_comm, ret,
		mark FROM lock_wait' <<< '10000201000,40000,4294936704,0xffff8880,32,0,41,one,42,two,0,'
	sql_rows 'pair() with two keys' "SELECT ts, dur, key, cpu, end_cpu, tid, mark FROM pair('sched_waking',
		'sched_switch', 'pid=next_pid') WHERE ts ORDER BY ts" <<-'END'
		10000149000,51000,41,0,0,42,
		10000230000,10000,41,0,0,42,
	END
	sql_rows 'pair() of one task' "SELECT ts, dur, tid FROM pair('lock:contention_begin', 'lock__contention_end')" \
		<<< '10000201000,40000,41'
	sql_rows 'an end alone' "SELECT ts, key, mark FROM pair('sched_waking', 'sched_switch', 'pid=next_pid')
		WHERE key = 0" <<< ',0,no begin'
	ftr_refuses 'pair() of an event that there is not' 1 "pair\(\): no file has an event 'block_rq_isue'" \
		sql -i trace.dat "SELECT * FROM pair('block_rq_isue', 'block_rq_complete')"
	ftr_refuses 'pair() without an end' 1 'it takes two events' \
		sql -i trace.dat "SELECT * FROM pair('sched_waking')"
	ftr_refuses 'pair() by a field that there is not' 1 "has no field 'pit'" \
		sql -i trace.dat "SELECT * FROM pair('sched_waking', 'sched_switch', 'pit')"
}

# The text has one symbol, that of the reason.
symbols() {
	sql_rows 'the symbol of an address' 'SELECT name, offset, module FROM sched_blocked_reason
		JOIN symbol ON address = caller' <<< 'io_schedule,16,'
	sql_rows 'the same as a function' 'SELECT s.name, sym(caller) FROM sched_blocked_reason, symbol(caller) s' \
		<<< 'io_schedule,io_schedule+0x10'
	sql_rows 'no symbol' 'SELECT count(*) FROM symbol(1)' <<< 0
	ftr_refuses 'all symbols' 1 'it needs an address' sql -i trace.dat 'SELECT * FROM symbol'
}

files() {
	python3 "$ORACLE/mkdat.py" info.dat --records 20 --cpus 2 --instances one,two --date 1700000000000000
	local file
	for file in trace.dat info.dat; do
		"$FTR" info --quick --json "$file" > info.json 2> err
		jq -c 'path(.. | select(type != "object" and type != "array")) as $p | [($p | map(if type == "number"
			then "[\(.)]" else ".\(.)" end) | join("") | ltrimstr(".")),
			(getpath($p) | if . == true then 1 elif . == false then 0 else . end), .file]' info.json > want
		"$FTR" sql --json -i "$file" 'SELECT key, value, file FROM info' 2> err | jq -c '.[] | [.[]]' > got
		same_files "info of $file is what ftr info prints" want got
	done
	check 'it has many rows' test "$(wc -l < want)" -gt 40
	same 'a file with three buffers' 'info.dat,local,2,synthetic,x86_64,0,3,1700000000000000000,1' \
		"$("$FTR" sql --csv --no-header -i info.dat 'SELECT name, clock, cpus, host, machine, number, buffers,
		ts_offset, is_finished FROM trace_file' 2> err)"
	same 'two files: theirs are apart' '0,info.dat,synthetic|1,trace.dat,' "$("$FTR" sql --csv --no-header \
		-i info.dat -i trace.dat 'SELECT number, name, host FROM trace_file' 2> err | paste -sd'|')"
	same 'the hosts of records' 'info.dat,synthetic|trace.dat,' "$("$FTR" sql --csv --no-header -i info.dat \
		-i trace.dat 'SELECT DISTINCT file, host FROM ftrace_event ORDER BY file' 2> err | paste -sd'|')"
	same 'the hosts of tasks' 'info.dat,synthetic|trace.dat,' "$("$FTR" sql --csv --no-header -i info.dat \
		-i trace.dat 'SELECT DISTINCT file, host FROM thread ORDER BY file' 2> err | paste -sd'|')"
}

# clocks NAME STATUS WORDS ARG...: the answer to a query of all files, or the error
clocks() {
	local name=$1 status=$2 words=$3
	shift 3
	"$FTR" sql --csv --no-header "$@" 'SELECT count(DISTINCT file), min(ts) FROM ftrace_event' > out 2> err
	same "$name: status" "$status" $?
	has "$name" "$(cat out err)" "$words"
}

several_clocks() {
	local clock
	for clock in local global mono boot counter x86-tsc; do
		python3 "$ORACLE/mkdat.py" $clock.dat --records 20 --cpus 1 --lost 0 --clock $clock
	done
	python3 "$ORACLE/mkdat.py" wall1.dat --records 20 --cpus 1 --lost 0 --clock mono \
		--meta 'wall_begin=1000000000000 1700000000000000000 5'
	python3 "$ORACLE/mkdat.py" wall2.dat --records 20 --cpus 1 --lost 0 --clock boot \
		--meta 'wall_begin=1000000000000 1700000000000000000 5'
	# status 3: a file of ftr without checksums
	clocks 'one clock' 3 '^2,1000' -i mono.dat -i wall1.dat
	clocks 'local and global are sched_clock()' 0 '^2,1000' -i local.dat -i global.dat
	clocks 'two clocks' 1 "^ftr: '.*' and 'boot.dat' have no clock in common: 'mono' and 'boot'" \
		-i mono.dat -i boot.dat
	clocks 'two clocks: the hint' 1 "^hint: '-i boot.dat --ts-offset NS' shifts one" -i mono.dat -i boot.dat
	clocks 'the offset' 0 '^2,999' -i mono.dat -i boot.dat --ts-offset=-1000000000
	clocks 'an offset of 0' 0 '^2,1000' -i mono.dat -i boot.dat --ts-offset=0
	clocks 'two clocks, with times of day' 1 '^hint: --date takes the time of day of both' -i wall1.dat -i wall2.dat
	clocks 'the time of day' 3 '^2,17[0-9]{17}$' -i wall1.dat -i wall2.dat --date
	clocks 'different units' 1 "^ftr: 'mono.dat' and 'counter.dat' count time in different units" \
		-i mono.dat -i counter.dat
	clocks 'different units, as numbers' 0 '^2,' -i mono.dat -i counter.dat --raw-ts
	clocks 'units of two kinds' 1 'have no clock in common' -i counter.dat -i x86-tsc.dat
	check 'the schema needs no common clock' "$FTR" sql --schema -i mono.dat -i boot.dat
}

# task_switch TIME PREV PID STATE NEXT PID
task_switch() {
	printf '%16s [000] d..2. %9s: sched_switch: prev_comm=%s prev_pid=%s prev_prio=120 prev_state=%s ==> ' \
		"$2-$3" "$1" "$2" "$3" "$4"
	printf 'next_comm=%s next_pid=%s next_prio=120\n' "$5" "$6"
}

# record TIME TASK-PID EVENT
record() {
	printf '%16s [000] ..... %9s: %s\n' "$2" "$1" "$3"
}

# A pid that two tasks have, a process made by a fork and renamed by an exec, its thread, and a thread that execs.
lives() {
	mv trace.dat tables.dat
	{
		echo '# tracer: nop'
		task_switch 1.000100 sh 50 S one 100
		record 1.000200 one-100 'sched_process_exit: comm=one pid=100 prio=120'
		task_switch 1.000300 one 100 Z sh 50
		record 1.000310 sh-50 'sched_process_free: comm=one pid=100 prio=120'
		record 1.000400 sh-50 'task_newtask: pid=100 comm=sh clone_flags=1200000 oom_score_adj=0'
		record 1.000401 sh-50 'sched_process_fork: comm=sh pid=50 child_comm=sh child_pid=100'
		task_switch 1.000500 sh 50 S sh 100
		record 1.000600 sh-100 'sched_process_exec: filename=/usr/bin/make pid=100 old_pid=100'
		record 1.000650 make-100 'task_newtask: pid=101 comm=make clone_flags=3d0f00 oom_score_adj=0'
		record 1.000651 make-100 'sched_process_fork: comm=make pid=100 child_comm=make child_pid=101'
		record 1.000660 make-100 'task_rename: pid=101 oldcomm=make newcomm=worker oom_score_adj=0'
		record 1.000670 make-100 'task_newtask: pid=102 comm=make clone_flags=1200000 oom_score_adj=0'
		record 1.000671 make-100 'sched_process_fork: comm=make pid=100 child_comm=make child_pid=102'
		task_switch 1.000700 make 100 S worker 101
		task_switch 1.000800 worker 101 S sh 50
		record 1.000850 sh-50 'sched_process_exec: filename=/bin/true pid=50 old_pid=51'
		task_switch 1.000900 true 50 S swapper/0 0
	} > lives.txt
	"$FTR" import lives.txt -o trace.dat 2> err
	sql_rows 'tasks: each life of a pid' 'SELECT t.tid, t.name, p.pid, t.is_main_thread, t.start_ts, t.end_ts
		FROM thread t LEFT JOIN process p USING (upid) WHERE t.tid ORDER BY t.utid' <<-'END'
		50,true,50,1,,
		100,one,,,,1000310000
		100,make,100,1,1000400000,
		101,worker,100,0,1000650000,
		102,make,102,1,1000670000,
		51,,,,,
	END
	sql_rows 'processes: by clone() and exec()' \
		'SELECT pid, name, start_ts, end_ts FROM process ORDER BY pid' <<-'END'
		50,true,,
		100,make,1000400000,
		102,make,1000670000,
	END
	sql_rows 'records of the lives of one pid' 'SELECT ts, utid = (SELECT min(utid) FROM thread WHERE tid = 100)
		FROM ftrace_event WHERE tid = 100' <<-'END'
		1000200000,1
		1000300000,1
		1000600000,0
		1000650000,0
		1000651000,0
		1000660000,0
		1000670000,0
		1000671000,0
		1000700000,0
	END
	cp trace.dat second.dat
	same 'in two files they are other tasks' 12,12 "$("$FTR" sql --csv --no-header -i trace.dat -i second.dat \
		'SELECT count(*), count(DISTINCT utid) FROM thread WHERE tid' 2> err)"
	mv tables.dat trace.dat
}

# 20,000 lives of one pid: time that grows with their square would be minutes.
many_lives() {
	{
		echo '# tracer: nop'
		seq 20000 | awk '{
			printf "           sh-50 [000] ..... 1.%06d: sched_process_fork: comm=sh pid=50 " \
				"child_comm=sh child_pid=100\n", $1 * 10
			printf "           sh-100 [000] ..... 1.%06d: sched_process_exit: comm=sh pid=100 " \
				"prio=120\n", $1 * 10 + 5
		}'
	} > many.txt
	"$FTR" import many.txt -o many.dat 2> err
	same 'many lives of a pid' 20001,20000,20000 "$(timeout 60 "$FTR" sql --csv --no-header -i many.dat \
		'SELECT count(*), (SELECT count(DISTINCT utid) FROM sched_process_exit), count(start_ts) FROM thread' \
		2> err)"
}

# A column has the same values alone as beside all others: what a query does not use is not made.
alone() {
	local table
	"$FTR" sql --schema --json > schema.json
	for table in $(jq -r '.tables[] | select(.event | not).name' schema.json | grep -vxE 'overlap|pair|symbol'); do
		jq -r --arg t "$table" '.tables[] | select(.name == $t).columns[] | select(.argument | not) |
			"\"\(.name)\""' schema.json > names
		sed "s/.*/SELECT & FROM \"$table\";/" names > one.sql
		echo "CREATE TEMP TABLE all_columns AS SELECT $(paste -sd, names) FROM \"$table\";" > all.sql
		sed 's/.*/SELECT & FROM all_columns;/' names >> all.sql
		"$FTR" sql --csv -f one.sql > one 2>&1
		"$FTR" sql --csv -f all.sql > all 2>&1
		same_files "each column of $table alone" all one
	done
}

# A join that is sorted by tasks gets the rows of one task after another, which are kept by task.
by_task() {
	local table columns plan rows query
	for table in $(jq -r '.tables[] | select(.columns | any(.name == "utid")) |
		select(any(.columns[]; .argument) | not) | select(.event | not).name' schema.json |
		grep -vxE 'thread|ftrace_event|raw|thread_track'); do
		columns=$(jq -r --arg t "$table" '[.tables[] | select(.name == $t).columns[] |
			"x.\"\(.name)\""] | join(",")' schema.json)
		"$FTR" sql --csv "CREATE TEMP TABLE y AS SELECT * FROM \"$table\";
			SELECT t.name, $columns FROM thread t CROSS JOIN \"$table\" x ON x.utid = t.utid" |
			sort > by_utid
		"$FTR" sql --csv "CREATE TEMP TABLE y AS SELECT $columns FROM \"$table\" x;
			SELECT t.name, x.* FROM y x CROSS JOIN thread t ON x.utid = t.utid" | sort > by_time
		rows=$(wc -l < by_time)
		check "$table by task: $rows lines" [ "$rows" -gt 1 ]
		same_files "$table by task" by_time by_utid
		plan=$("$FTR" sql "EXPLAIN QUERY PLAN SELECT t.name, count(*) FROM \"$table\"
			JOIN thread t USING (utid) GROUP BY t.name")
		same "no sorting of $table" 0 "$(grep -c 'TEMP B-TREE' <<< "$plan")"
		plan=$("$FTR" sql "EXPLAIN QUERY PLAN SELECT * FROM thread JOIN \"$table\" x USING (utid)" |
			grep -o 'SCAN [a-z]*' | paste -sd,)
		same "$table in the order of time" "SCAN x,SCAN thread" "$plan"
	done
	query='SELECT tid, (SELECT sum(dur) FROM y WHERE y.utid = t.utid),
		(SELECT group_concat(end_state) FROM y WHERE y.utid = t.utid AND ts < 10000230000) FROM thread t'
	same 'one task after another, with other columns each time' \
		"$("$FTR" sql --csv --no-header "CREATE TEMP TABLE y AS SELECT * FROM sched_slice; $query")" \
		"$("$FTR" sql --csv --no-header "${query//FROM y/FROM sched_slice y}")"
	same 'numbers of any type' 1,1,0,0 "$("$FTR" sql --csv --no-header "CREATE TEMP TABLE n(v);
		INSERT INTO n SELECT utid FROM thread WHERE tid = 41 LIMIT 1;
		WITH r AS (SELECT count(*) AS n FROM sched_slice WHERE utid = +(SELECT v FROM n))
		SELECT (SELECT count(*) FROM sched_slice s, n WHERE s.utid = v + 0.0) = r.n,
			(SELECT count(*) FROM sched_slice s, n WHERE s.utid = CAST(v AS TEXT)) = r.n,
			(SELECT count(*) FROM sched_slice s, n WHERE s.utid = v + 0.5),
			(SELECT count(*) FROM sched_slice s, n WHERE s.utid = nullif(v, v)) FROM r")"
}

files
lives
many_lives
alone
by_task
several_clocks
counters
states
slices
spans
symbols
finish
