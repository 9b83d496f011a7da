#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr sql: queries by a grammar over the schema, some without sense, on files of which some are damaged. Nothing
# crashes, the query after each of them is answered, and none opens or writes anything.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 1
SEED=${FTR_SEED:-1}
QUERIES=100
[ "${FTR_LONG:-}" = 1 ] && QUERIES=1000
echo "# seed $SEED, $QUERIES queries a file"

# Twelve whole files, and eight of them damaged.
make_files() {
	local f n=0
	for f in "$FTR_TOP"/tests/cases/oops/*.log; do
		"$FTR" import -q "$f" -o $n.dat 2> /dev/null && n=$((n + 1))
	done
	python3 "$ORACLE/mkdat.py" $n.dat --records 300 --cpus 3
	n=$((n + 1))
	python3 "$ORACLE/mkdat.py" $n.dat --records 120 --cpus 2 --compress zlib
	n=$((n + 1))
	python3 "$ORACLE/mkdat.py" $n.dat --records 120 --cpus 2 --endian be --long 4
	n=$((n + 1))
	while [ $n -lt 12 ]; do
		python3 "$ORACLE/mkspans.py" $((SEED + n)) $n.dat > /dev/null 2>&1 || cp 0.dat $n.dat
		n=$((n + 1))
	done
	python3 - "$SEED" <<-'END'
		import random, sys
		rng = random.Random(int(sys.argv[1]))
		for i in range(8):
		    data = bytearray(open('%d.dat' % i, 'rb').read())
		    for _ in range(rng.randrange(1, 60)):
		        data[rng.randrange(len(data))] = rng.randrange(256)
		    if i % 4 == 3:
		        del data[rng.randrange(len(data) // 2, len(data)):]
		    open('%d.dat' % (12 + i), 'wb').write(data)
	END
}

ask() {
	local f=$1
	"$FTR" sql -i $f.dat --schema --json > schema 2> /dev/null
	if [ ! -s schema ]; then
		pass "$f: the file can't be read at all"
		return
	fi
	python3 "$ORACLE/sql_random.py" $((SEED * 100 + f)) $QUERIES < schema > queries
	"$FTR" sql -i $f.dat --max-time 10s --memory-limit 500M --csv < queries > out 2> err
	check "$f: it ends by itself" test $? -lt 4
	same "$f: the last query is answered" "'the last',the last" "$(tail -n 2 out | paste -sd,)"
}

# What is opened once the files are open: nothing for writing, no other file, no program.
traced() {
	if ! command -v strace > /dev/null || [ "${FTR_IS_SAN:-}" = 1 ]; then
		skip 'what queries open' 'no strace, or sanitizers, whose own files would be seen'
		return
	fi
	"$FTR" sql -i 0.dat --schema --json > schema
	{
		echo ".help"
		python3 "$ORACLE/sql_random.py" "$SEED" $QUERIES < schema
	} > queries
	strace -f -e trace=open,openat,creat,execve,unlink,unlinkat,rename,renameat,renameat2,connect,socket -o calls \
		"$FTR" sql -i 0.dat --csv < queries > out 2> err
	same 'what queries open: nothing after the file' '' \
		"$(sed -n '/openat(.*"0\.dat"/,$p' calls | sed 1d |
			grep -v '^[0-9]* *+++\|localtime\|zoneinfo\|^[0-9]* *---' | head -n 5)"
}

# With an upper limit of times the files are read until all that has started before it is ended: the same rows come
# as those of the whole that are in the range.
limits() {
	local f=$1 table start end i a b
	IFS=, read -r start end < <("$FTR" sql -i $f.dat --csv --no-header 'SELECT start_ts, end_ts FROM trace_file')
	RANDOM=$SEED
	for table in sched_slice wakeup slice thread_state; do
		echo "CREATE TEMP TABLE y_$table AS SELECT ts AS t, * FROM $table;"
		for ((i = 0; i < 12; i++)); do
			a=$((i % 3 ? start : start + (end - start) * RANDOM / 65536))
			b=$((a + (end - a) * RANDOM / (i % 2 ? 65536 : 500000)))
			echo "SELECT * FROM y_$table WHERE t BETWEEN $a AND $b;" >&3
			echo "SELECT ts AS t, * FROM $table WHERE ts BETWEEN $a AND $b;" >&4
		done
	done > make.sql 3> all.sql 4> limited.sql
	cat make.sql all.sql > whole.sql
	"$FTR" sql -i $f.dat --csv < whole.sql > whole 2> err
	"$FTR" sql -i $f.dat --csv < limited.sql > limited 2> err
	check "limits, $f: $(wc -l < whole) lines" test "$(wc -l < whole)" -gt 60
	same_files "limits, $f: the rows of the whole" whole limited
}

make_files
python3 "$ORACLE/mkdat.py" limits.dat --seed "$SEED" --records 6000 --cpus 3 --lost 0.01
limits limits
for ((i = 0; i < 20; i++)); do
	ask $i
done
traced
finish
