#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# builds: plain
# ftr merge: the new file prints what ftr report prints of its sources together.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/recordings.sh"
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
	has "$name: checksums" "$("$FTR" info new.dat)" '^checksums: +(.* all correct|none)'
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
	same_files "trace-cmd's reports" <(trace_cmd_records c.dat d.dat | bare | sort) \
		<(trace_cmd_records new.dat | bare | sort)
fi

# a recording that others made, and the same some time later
fixtures() {
	local path name
	[ -d "$FTR_FIXTURES_DIR" ] || { skip "fixtures" "no directory $FTR_FIXTURES_DIR"; return; }
	for path in $(sample 2 $(recordings)); do
		name=$(recording_name "$path")
		unpack "$path" c.dat
		cp c.dat d.dat
		merges "$name and itself" c.dat d.dat
		[ -z "$HAVE_TC" ] || same_files "$name and itself: trace-cmd's reports" \
			<(trace_cmd_records c.dat d.dat | bare | sort) <(trace_cmd_records new.dat | bare | sort)
		merges "$name and itself later" -i c.dat -i d.dat --ts-offset 1234567
		run_ftr merge -q --drop symbols,formats,btf c.dat d.dat -o new.dat
		same_files "$name: without symbols" <("$FTR" report --raw c.dat d.dat | bare) \
			<("$FTR" report --raw new.dat | bare)
	done
}

fixtures
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

# --- guests, whose clocks trace-cmd has compared with that of the host: times are those of the host

# events: CPU, time and event of each line, in order
events() {
	grep -oE '\[[0-9]+\] +([^ ]+ +)?[0-9]+\.[0-9]+: +[a-z_]+' |
		sed -E 's/\] +([^ ]+ +)?([0-9]+\.[0-9]+: )/] \2/; s/ +/ /g' | sort
}

# like_trace_cmd NAME FILE...: ftr report prints the times that trace-cmd prints
like_trace_cmd() {
	local name=$1 file inputs=()
	shift
	[ -n "$HAVE_TC" ] || { skip "$name: trace-cmd's times" "no trace-cmd"; return; }
	for file in "$@"; do inputs+=(-i "$file"); done
	trace_cmd_report -R -t "${inputs[@]}" | events > theirs
	same_files "$name: trace-cmd's times" theirs <("$FTR" report --raw -t "$@" 2>&1 | events)
}

PLAIN="--cpus 3 --records 100 --discards 0 --absolute 0 --lost 0"
$MKDAT host.dat $PLAIN --seed 9
while IFS='|' read -r name shift more; do
	$MKDAT guest.dat $PLAIN --time-shift "$shift" $more
	like_trace_cmd "guest: $name" guest.dat
	like_trace_cmd "guest and host: $name" host.dat guest.dat
	[ -z "$more" ] || cp guest.dat host.dat
	merges "host and guest: $name" host.dat guest.dat
	like_trace_cmd "merged: $name" new.dat
	[ -z "$HAVE_TC" ] || same_files "merged: $name: trace-cmd's times of both" \
		<(trace_cmd_report -R -t -i host.dat -i guest.dat | events) theirs
	merges "guest and host: $name" guest.dat host.dat
	lacks=$("$FTR" info new.dat | grep -a ^options | grep -c TIME_SHIFT)
	same "guest and host: $name: no samples are left" 0 "$lacks"
done << EOS
one sample of each CPU|0 0,500 0,-700 0,5|
a CPU without samples|1 1000000000000,1000/1001000000000,5000|
evenly|1 1000000000000,1000/1001000000000,5000 1000000000000,1000/1000000500000,9/1000005000000,-500/1000010000000,5|
in steps|0 0,1/2,7 1000000000000,1000/1000000500000,9000/1000010000000,500000/1000020000000,5 5,6/5,7|
scaled|0 0,0,3,1/5,6,3,1 0,7,3,1 0,7,5,2/4,7,5,2|
the far past|1 999000000000,-800000000000/999100000000,-800000009000|
TSC|0 0,-1234567,7,2/5,-1234568,7,2|--tsc 134217728,27 --ts-offset 77
EOS
"$FTR" report --raw --raw-ts guest.dat 2> /dev/null | events > raw
$MKDAT guest.dat $PLAIN --tsc 134217728,27
same_files "a guest: --raw-ts" <("$FTR" report --raw --raw-ts guest.dat 2> /dev/null | events) raw
# steps back: records keep their order
$MKDAT host.dat $PLAIN --seed 9
$MKDAT guest.dat $PLAIN --time-shift "0 1,9000000/1000001000000,-9000000/1000002000000,9000000/1000009000000,5"
run_ftr merge -q host.dat guest.dat -o new.dat
same "samples that step back: no damage" "0 0" "$ST $("$FTR" report new.dat > /dev/null 2>&1; echo $?)"
same "samples that step back: all records" 600 "$("$FTR" report --raw new.dat | wc -l)"
# a count of samples beyond the option
$MKDAT guest.dat $PLAIN --time-shift "0 0,5"
python3 - << 'EOF'
b = bytearray(open("guest.dat", "rb").read())
at = b.index(bytes.fromhex("1122334455667788")) + 16
b[at:at + 4] = b"\xff\xff\xff\x7f"
open("guest.dat", "wb").write(b)
EOF
ftr_refuses "samples beyond their option" 3 "option that makes no sense at .*TIME_SHIFT" report guest.dat

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
