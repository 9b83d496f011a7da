#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# builds: plain
# ftr merge: the new file prints what ftr report prints of its sources together.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 1
HAVE_TC=$(command -v trace-cmd)
MKDAT="python3 $ORACLE/mkdat.py"

# bare: without the names of files and instances in front of lines
bare() {
	sed -E 's/^ *([a-z]+\.dat: *)?([a-z][a-z0-9.-]*: +)?//'
}

# merges NAME ARGS...: of a.dat and b.dat to new.dat
merges() {
	local name=$1
	shift
	run_ftr merge -q "$@" -o new.dat
	same "$name: status" "0 " "$ST $ERR"
	same_files "$name: the report of all" <("$FTR" report --raw "$@" 2>&1 | bare) \
		<("$FTR" report --raw "${DATE[@]}" new.dat 2>&1 | bare)
	has "$name: checksums" "$("$FTR" info new.dat)" '^checksums: .* all correct'
}
DATE=()

$MKDAT a.dat --records 150 --instances one
$MKDAT b.dat --records 150 --seed 2 --instances two --start-ts 1000000003000
merges "two files" a.dat b.dat
same "the second file's buffers are instances" "top level, one, b, b.two" \
	"$("$FTR" info new.dat | sed -n 's/^instances: *//p')"
if [ -n "$HAVE_TC" ]; then
	# the time of a discarded event is lost to trace-cmd: files without them
	$MKDAT c.dat --records 100 --discards 0 --absolute 0
	$MKDAT d.dat --records 100 --discards 0 --absolute 0 --seed 3
	merges "two files without discarded events" c.dat d.dat
	for f in c.dat d.dat; do trace-cmd report -R -t $f; done 2> /dev/null | grep -v ^cpus= | bare | sort > want
	same_files "trace-cmd's reports" want \
		 <(trace-cmd report -R -t new.dat 2> /dev/null | grep -v ^cpus= | bare | sort)
fi
merges "an offset" -i a.dat -i b.dat --ts-offset 123456
merges "an offset back" -i a.dat -i b.dat --ts-offset -2999
$MKDAT a.dat --records 100 --absolute 0.4 --ts-offset 1000
$MKDAT b.dat --records 100 --absolute 0.4 --ts-offset -77 --compress zstd --seed 5
merges "times with offsets in the files, absolute stamps, compression" a.dat b.dat
$MKDAT a.dat --records 100 --tsc 134217728,27
$MKDAT b.dat --records 100 --tsc 134217728,27 --seed 4 --start-ts 1000000009000
merges "the TSC" -i a.dat -i b.dat --ts-offset 500
$MKDAT c.dat --records 20
ftr_refuses "two units of time" 1 "count different units" merge a.dat c.dat -o x.dat

# two machines, whose clocks started at other times
$MKDAT raw.dat --records 100 --meta 'wall_begin=1000000000000 1700000000000000000 1'
"$FTR" convert -q raw.dat a.dat 2> /dev/null
$MKDAT raw.dat --records 100 --seed 6 --start-ts 5000000000000 \
	--meta 'wall_begin=5000000000000 1700000000000000500 1'
"$FTR" convert -q raw.dat b.dat 2> /dev/null
DATE=(--date)
merges "by the time of day" --date a.dat b.dat 2> /dev/null
DATE=()

# --- names

mkdir sub
$MKDAT a.dat --records 20
cp a.dat sub/b.dat
cp a.dat b.dat
run_ftr merge a.dat b.dat sub/b.dat -o new.dat
same "names of files, once each" "top level, b, b-2" "$("$FTR" info new.dat | sed -n 's/^instances: *//p')"
has "they are said" "$ERR" "^ftr: sub/b.dat: the instance 'b-2'"

# --- what one file cannot have

sed 's/ T vfs_read/ T vfs_raed/' a.dat > symbols.dat
ftr_refuses "other symbols" 1 "addresses have other symbols in another file" merge a.dat symbols.dat -o x.dat
run_ftr merge -q --drop symbols a.dat symbols.dat -o new.dat
same "they can be dropped" "0" "$ST"
sed 's/^512 bash$/512 dash/' a.dat > names.dat
run_ftr merge a.dat names.dat -o new.dat
has "other names of tasks are said" "$ERR" "^ftr: warning: 1 task has another name in another file"
sed 's/field:int prev_prio/field:int prev_prix/' a.dat > formats.dat
ftr_refuses "other formats" 1 "different formats with the ID 316, as of sched:sched_switch" \
	merge a.dat formats.dat -o x.dat
$MKDAT long.dat --records 20 --long 4
ftr_refuses "other longs" 1 "sub-buffers of different layouts" merge a.dat long.dat -o x.dat
ftr_refuses "one file" 2 "no two files" merge a.dat -o x.dat
ftr_refuses "no name" 2 "the new file has no name" merge a.dat b.dat
ftr_refuses "a source" 2 "'b.dat' is the source" merge a.dat b.dat -o b.dat
same "nothing was written" "" "$(ls x.dat* 2> /dev/null)"

finish
