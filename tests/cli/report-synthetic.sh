#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr report and ftr info on files that were written byte by byte, against what was put into them.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"
CHECK=$FTR_TOP/tests/tools/report-check.py

# make NAME OPTION...: $TMP/NAME.dat and what a reader must find in it
make_dat() {
	local name=$1
	shift
	python3 "$ORACLE/mkdat.py" "$TMP/$name.dat" --expect "$TMP/$name.json" --records 150 "$@"
}

# kind NAME OPTION...: all records and losses are those that were written
kind() {
	make_dat "$@" || { fail "written: $*"; return; }
	check "every record and loss in its place: $*" \
		python3 "$CHECK" expect "$TMP/$1.dat" "$TMP/$1.json"
}

# The default report joins a call and its return, unless events were lost between them.
leaves() {
	local f=$TMP/$1.dat want
	python3 "$ORACLE/rawdecode.py" "$f" > "$TMP/raw"
	want=$(($(total records < "$TMP/raw") - $(total leaf_pairs < "$TMP/raw") + \
		$(total leaf_pairs_across_loss < "$TMP/raw")))
	same "lines are records less leaf pairs: $1" "$want" \
		"$("$FTR" report "$f" | grep -Ec -- '-[0-9]+ +\[[0-9]+\] .{5} +[0-9.]+: [a-z_]+:')"
}

kinds() {
	local endian long
	for endian in le be; do
		for long in 4 8; do
			kind "v7-$endian-$long" --endian $endian --long $long --instances one,two
			kind "v6-$endian-$long" --version 6 --endian $endian --long $long --instances one
		done
	done
	kind zlib --compress zlib --instances one
	kind zstd --compress zstd --endian be
	kind short --compress zlib --short-sizes
	kind pages64k --page-size 65536 --records 1500
	kind pages-differ --instances big --instance-page-size 16384
	kind high-time --start-ts 0x0800000000000000 --absolute 0.2
	kind absolute --absolute 0.5 --lost 0.8 --lost-behind-stamp
	kind discards --discards 0.9 --discard-delta1
	kind offset --ts-offset 123456789
	kind date --date 0x5f5e100 --ts-offset 77
	kind counter --clock counter
	kind sparse --empty-cpu --cpus 4 --unknown-options 3
	for f in v7-le-8 v6-be-4 zlib absolute pages64k; do leaves $f; done
}

# The names are what a model of the kernel's loop over the same records says; calls of before --since and of entries
# that are left out are not open.
named_ends() {
	local since
	make_dat ends --cpus 3 --records 6000 --lost 0.3 --instances one,two
	for since in "" --since=+20ms --cpu=0,2 --event=funcgraph_exit \
		"-F funcgraph_exit -F funcgraph_entry:depth>0"; do
		check "names of ends: ${since:-all}" \
			python3 "$CHECK" ends "$TMP/ends.dat" -labels=one,two $since
	done
	make_dat be --cpus 2 --records 2000 --endian be --long 4
	check "names of ends: big-endian" python3 "$CHECK" ends "$TMP/be.dat"
}

# With one CPU "the next record" means the same to trace-cmd, so its text of function_graph is the wanted one; but for
# calls of 10 ms and more: there it knows the kernel's marks * and @ not, and prints more than seven digits.
graph_text() {
	local what='funcgraph_(entry|exit): .*' long='s/[#*@$] ([0-9]{5,})(\.[0-9]*)? us *\|/~ \1 |/'
	command -v trace-cmd > /dev/null || { skip "text of calls" "no trace-cmd"; return; }
	make_dat graph --cpus 1 --records 2000 --lost 0
	trace-cmd report "$TMP/graph.dat" 2> /dev/null | grep -oE "$what" | sed -E "$long" > "$TMP/want"
	# nor does it name the ends of calls whose entry is not the one above
	"$FTR" report "$TMP/graph.dat" | grep -oE "$what" | sed 's, /\* [a-z0-9_]* \*/$,,' > "$TMP/kernel-like"
	sed -E "$long" "$TMP/kernel-like" > "$TMP/got"
	check "calls are there at all" test "$(wc -l < "$TMP/want")" -gt 300
	same_files "calls: durations, marks and braces are trace-cmd's" "$TMP/want" "$TMP/got"
	same "calls: long ones have the kernel's marks and seven digits" \
		"$(grep -c '~' "$TMP/want")" \
		"$(grep -cE '(\* [0-9]{5}\.[0-9]{2}|@ [0-9]{6}\.[0-9]|\$ [0-9]{7,}) us ' "$TMP/kernel-like")"
	check "calls: there are such" grep -q '\$ ' "$TMP/kernel-like"
}

formats() {
	local f=$TMP/v7-le-8.dat
	same "-l: eight characters, CPU and flags without a gap" "$("$FTR" report -R "$f" | wc -l)" \
		"$("$FTR" report -R -l "$f" |
			grep -Ec -- '^(( *(one|two): )| {5})?.{8}-[0-9]+ +[0-9]+.{5} +[0-9]+\.[0-9]{6}: |DROPPED')"
	same "-t: nine digits" "$("$FTR" report -R "$f" | wc -l)" \
		"$("$FTR" report -R -t "$f" | grep -Ec -- '\] .{5} +[0-9]+\.[0-9]{9}: |DROPPED')"
	same "no header line" 0 "$("$FTR" report "$f" | grep -c cpus=)"
	same "--ts-offset moves every stamp" \
		"$("$FTR" report -R -t "$TMP/offset.dat" | grep -oE '[0-9]+\.[0-9]{9}:')" \
		"$(make_dat plain; "$FTR" report -R -t --ts-offset 123456789 "$TMP/plain.dat" |
			grep -oE '[0-9]+\.[0-9]{9}:')"
}

selection() {
	local f=$TMP/v7-le-8.dat all
	all=$("$FTR" report -R "$f")
	same "--cpu" "$(grep -cE ' \[00[02]\] ' <<< "$all")" \
		"$("$FTR" report -R --cpu 0,2 "$f" | grep -cv DROPPED)"
	same "--pid" "$(grep -cE -- '-(1234|4001) ' <<< "$all")" \
		"$("$FTR" report -R --pid 1234,4001 "$f" | grep -cv DROPPED)"
	same "--event" "$(grep -cE ': sched_(switch|waking):' <<< "$all")" \
		"$("$FTR" report -R --event 'sched:*' "$f" | grep -cv DROPPED)"
	same "--comm" "$(grep -cE 'kworker/0:1-ev-41 ' <<< "$all")" \
		"$("$FTR" report -R --comm 'kworker*' "$f" | grep -cv DROPPED)"
	same "-F" "$(grep -cE ': sched_waking: .*pid=1234' <<< "$all")" \
		"$("$FTR" report -R -F 'sched_waking: pid == 1234' "$f" | grep -cv DROPPED)"
	same "-F twice is either" "$(grep -cE ': (sched_switch|print):' <<< "$all")" \
		"$("$FTR" report -R -F sched_switch -F 'print: ip > 0' "$f" | grep -cv DROPPED)"
	same "-v -F leaves out" "$(grep -cvE 'DROPPED|: sched_switch:' <<< "$all")" \
		"$("$FTR" report -R -v -F sched_switch "$f" | grep -cv DROPPED)"
	"$FTR" report -F 'no_such_event: a == 1' "$f" > "$TMP/out" 2> "$TMP/err"
	check "-F with an event of no file is wrong usage" test $? = 2 -a ! -s "$TMP/out"
	has "and names it" "$(cat "$TMP/err")" no_such_event
}

several() {
	local a=$TMP/v7-le-8.dat b=$TMP/offset.dat
	"$FTR" report -R -i "$a" "$b" > "$TMP/both"
	same "two files: all records" \
		"$(($("$FTR" report -R "$a" | wc -l) + $("$FTR" report -R "$b" | wc -l)))" \
		"$(wc -l < "$TMP/both")"
	same "two files: each line says which" "$("$FTR" report -R "$b" | wc -l)" \
		"$(grep -cE "^ *$b: " "$TMP/both")"
	same "two files: instances too" "$("$FTR" report -R "$a" | grep -cE '^ *two: ')" \
		"$(grep -cE "^ *$a:two: " "$TMP/both")"
	grep -oE '[0-9]+\.[0-9]{6}: [a-z]' "$TMP/both" > "$TMP/times"
	check "two files: merged by time" sort -c -s -n "$TMP/times"
}

output() {
	local f=$TMP/pages64k.dat status
	"$FTR" report "$f" 2> "$TMP/err" | head -n 1 > "$TMP/out"
	status=${PIPESTATUS[0]}
	same "a reader that stops early is no error" "0 1 0" \
		"$status $(wc -l < "$TMP/out") $(wc -c < "$TMP/err")"
	"$FTR" report "$f" > /dev/full 2> "$TMP/err"
	same "a full output is status 3" 3 $?
	same "and said" "ftr: cannot write to standard output: No space left on device" "$(cat "$TMP/err")"
	"$FTR" info "$f" > /dev/full 2> "$TMP/err"
	same "a full output of info is status 3" 3 $?
}

# info_value FILE KEY
info_value() {
	"$FTR" info "$1" | sed -n "s/^ *$2: *//p" | head -n 1
}

info() {
	local f=$TMP/v7-be-4.dat
	"$FTR" info "$f" > "$TMP/info" 2> "$TMP/err"
	same "info: status, and nothing on stderr" "0 0" "$? $(wc -c < "$TMP/err")"
	python3 "$ORACLE/rawdecode.py" "$f" > "$TMP/raw"
	same "info: events of all buffers" "$(total records < "$TMP/raw")" \
		"$(awk '/^  events:/ { n += $2 } END { print n }' "$TMP/info")"
	same "info: counts by event add up" "$(total records < "$TMP/raw")" \
		"$(awk '/^ +[0-9]+  [a-z]/ { n += $1 } END { print n }' "$TMP/info")"
	same "info: lost with a count" "$(total lost < "$TMP/raw")" \
		"$(awk '/^  lost:/ { n += $2 } END { print n }' "$TMP/info")"
	same "info: kernel" "Linux synthetic 6.12.0-test x86_64" "$(info_value "$f" kernel)"
	same "info: version of the recorder" "3.1.6 synthetic" "$(info_value "$f" 'recorded by')"
	same "info: clock" local "$(info_value "$f" clock)"
	same "info: a clock that is no time" "counter, not in nanoseconds" \
		"$(info_value "$TMP/counter.dat" clock)"
	same "info: CPUs" 3 "$(info_value "$f" CPUs)"
	same "info: instances" "top level, one, two" "$(info_value "$f" instances)"
	same "info: nothing missing" nothing "$(info_value "$f" missing)"
	has "info: byte order and long" "$(info_value "$f" format)" "version 7, big-endian, 4-byte long"
	same "info: first time" "$(python3 -c "
import json; rows = json.load(open('$TMP/v7-be-4.json'))['records']
ts = min(r['ts'] for r in rows if not r['buffer'])
print('%d.%09d' % (ts // 10**9, ts % 10**9))")" "$(info_value "$f" first)"
}

kinds
graph_text
named_ends
formats
selection
several
output
info
finish
