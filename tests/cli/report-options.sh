#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr report's columns, times and lists, beside what was written into the file and what trace-cmd's report prints.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"
HAVE_TC=$(command -v trace-cmd)

# ours and theirs: the same options; the flags column and trace-cmd's heading aside
ours() {
	"$FTR" report "$@" 2> "$TMP/err" | sed -E 's/\] .{5} ( *[0-9]+\.[0-9]+:)/] \1/'
}

theirs() {
	trace-cmd report "$@" 2> /dev/null | grep -v '^cpus='
}

# like_trace_cmd NAME SED FILE OPTION...: both reports are the same after the sed script
like_trace_cmd() {
	local name=$1 script=$2 f=$3
	shift 3
	[ -n "$HAVE_TC" ] || { skip "$name" "no trace-cmd"; return; }
	theirs "$@" "$f" | sed -E "$script" > "$TMP/want"
	ours "$@" "$f" | sed -E "$script" > "$TMP/got"
	check "$name: there is something" test -s "$TMP/want"
	same_files "$name" "$TMP/want" "$TMP/got"
}

# The part of a line up to the event's name. One CPU only and no graph: what is a leaf call there is one line in both.
HEAD='s/^([^:]*[0-9]:[^:]*:).*/\1/'

time_stamps() {
	local f=$TMP/plain.dat
	like_trace_cmd "--ts-diff" "$HEAD" "$f" --ts-diff -R
	like_trace_cmd "--ts-diff -t" "$HEAD" "$f" --ts-diff -t -R
	like_trace_cmd "--align-ts" "$HEAD" "$f" --align-ts -R
	like_trace_cmd "--boundary" "$HEAD" "$TMP/lost.dat" --boundary -R
	like_trace_cmd "--nodate" "$HEAD" "$TMP/date.dat" --nodate -t -R
	like_trace_cmd "a date" "$HEAD" "$TMP/date.dat" -t -R
	same "--nodate keeps the offset" "$("$FTR" report -R -t --ts-offset 77 "$f")" \
		"$("$FTR" report -R -t --nodate "$TMP/date.dat")"
	same "--raw-ts takes nothing into account" \
		"$("$FTR" report -R -t "$f" | grep -oE '[0-9]+\.[0-9]{9}:' | tr -d .)" \
		"$("$FTR" report -R --raw-ts "$TMP/date.dat" | grep -oE ' [0-9]{13}:' | tr -d ' ')"
	same "--align-ts of several files counts from the first of all" 0.000000: \
		"$("$FTR" report --align-ts "$TMP/later.dat" "$f" | grep -oE '[0-9]+\.[0-9]{6}:' | head -n 1)"
	has "and the other file is later by as much as it was" \
		"$("$FTR" report --align-ts "$TMP/later.dat" "$f" | grep "later.dat: " | head -n 1)" ' 50\.0[0-9]{5}:'
	same "--since counts as --align-ts shows" "$("$FTR" report -R --since +0.1 "$f" | wc -l)" \
		"$("$FTR" report -R --align-ts --since 0.1 "$f" | wc -l)"
	same "--ts-offset behind -i is for that file" \
		"$("$FTR" report -R -t --ts-offset 1000 "$f" | grep -oE '[0-9.]+:' )" \
		"$("$FTR" report -R -t -i "$f" --ts-offset 1000 -i "$TMP/later.dat" | grep "plain.dat: " |
			sed 's/.*plain.dat: //' |
			grep -oE '[0-9.]+:')"
	same "and the other keeps its times" "$("$FTR" report -R -t "$TMP/later.dat" | grep -oE '[0-9]+\.[0-9]{9}:' )" \
		"$("$FTR" report -R -t -i "$f" --ts-offset 1000 -i "$TMP/later.dat" | grep "later.dat: " |
			grep -oE '[0-9]+\.[0-9]{9}:')"
}

wakeups() {
	local f=$TMP/wakeup.dat
	like_trace_cmd "-w: each latency" '/Latency:.*usecs$/!d; s/.*( Latency: )/\1/' "$f" -w
	like_trace_cmd "-w: the summary" '1,/^Average/{/^Average/!d}' "$f" -w
	has "-w: realtime tasks" "$("$FTR" report -w "$f" | tail -n 6)" '^RT task timings:'
	same "-w adds nothing where nobody is woken" "$("$FTR" report "$TMP/lost.dat")" \
		"$("$FTR" report -w "$TMP/lost.dat")"
}

lists() {
	local f=$TMP/lost.dat
	like_trace_cmd "-f" "" "$f" -f
	like_trace_cmd "-P" "" "$f" -P
	like_trace_cmd "-E" "" "$f" -E
	like_trace_cmd "--uname" '/^Linux/!d' "$f" --uname
	like_trace_cmd "--version" "" "$f" --version
	like_trace_cmd "--first-event" '/^[^ ]/d' "$f" --first-event
	like_trace_cmd "--first-event --last-event -t" '/^[^ ]/d' "$f" --first-event --last-event -t
	like_trace_cmd "--cpus" '/^[^ ]/d' "$TMP/sparse.dat" --cpus
	like_trace_cmd "--stat" '/^(CPU|[a-z]+ ?[a-z]* ?[a-z]*): /!d' "$f" --stat
	same "--stat of instances" 2 \
		"$("$FTR" report --stat "$TMP/instances.dat" | grep -c '^Instance one:\|^Instance two:')"
	same "--first-event of instances" 3 \
		"$("$FTR" report --first-event "$TMP/instances.dat" | grep -c '^CPUs with data')"
	same "--first-event of one CPU" 1 "$("$FTR" report --first-event --cpu 1 "$f" | grep -c 'First')"
	same "--events: all formats" "$("$FTR" report -E "$f" | wc -l)" \
		"$("$FTR" report --events "$f" | grep -c '^print fmt: ')"
	same "first and last are those of the records" \
		"$(python3 -c "
import json
rows = [r for r in json.load(open('$TMP/instances.json'))['records'] if not r['buffer'] and r['cpu'] == 1]
for t in (min(r['ts'] for r in rows), max(r['ts'] for r in rows)):
    print('%d.%09d' % (t // 10**9, t % 10**9))")" \
		"$("$FTR" report --first-event --last-event -t "$TMP/instances.dat" | sed -n 3p |
			grep -oE '[0-9]+\.[0-9]{9}')"
}

# fields LIST: the chosen columns of all records, blanks made one
fields() {
	"$FTR" report -t --fields "$1" "$TMP/instances.dat" --event 'sched_*' 2> "$TMP/err" |
		sed -E 's/^ *(one: |two: )? *//; s/ +/ /g'
}

columns() {
	local raw
	raw=$("$FTR" report -R -t --event 'sched_*' "$TMP/instances.dat" | sed -E 's/^ *(one: |two: )? *//')
	same "--fields pid,cpu,time,event" \
		"$(sed -E 's/^.*-([0-9]+) +(\[[0-9]+\]) .{5} +([0-9.]+): ([a-z_]+):.*/\1 \2 \3 \4/' <<< "$raw")" \
		"$(fields pid,cpu,time,event)"
	same "--fields with a field of some events" \
		"$(sed -E 's/.*next_pid=([0-9]+) .*/\1 x/; t; s/.*/- x/' <<< "$raw")" \
		"$(fields next_pid,cpu | sed 's/ .*/ x/')"
	same "--fields with a common field and system" "$(grep -c . <<< "$raw")" \
		"$(fields system,common_type | grep -cE '^sched 31[68]$')"
	same "--fields text is what stands in the default line" \
		"$("$FTR" report --event 'sched_*' "$TMP/instances.dat" | sed -E 's/.*: sched_[a-z]+: +//')" \
		"$("$FTR" report --event 'sched_*' --fields text "$TMP/instances.dat" |
			sed -E 's/^ *(one: |two: )? *//')"
	same "--fields delta adds up" \
		"$("$FTR" report --first-event --last-event -t "$TMP/plain.dat" | awk -F'[ \t]+' '/First/ {
			split($5, a, "."); split($8, b, "."); print (b[1] - a[1]) * 1000000000 + b[2] - a[2] }')" \
		"$("$FTR" report -R -t --fields delta "$TMP/plain.dat" |
			awk '$1 != "-" { n += $1 } END { print n + 0 }')"
	same "--fields task,flags" "$(sed -E 's/^(.*-[0-9]+) +\[[0-9]+\] (.{5}) .*/\1 \2/' <<< "$raw")" \
		"$(fields task,flags)"
	same "--fields tgid: not known here" "-" "$(fields tgid | sort -u)"
	same "--fields tgid: those that the file has" \
		"$("$FTR" report --fields pid "$TMP/tgid.dat" 2> "$TMP/err" | tr -d ' ' |
		sed -E 's/^(1234|4001)$/1200/; t; s/.*/-/')" \
		"$("$FTR" report --fields tgid "$TMP/tgid.dat" 2> "$TMP/err" | tr -d ' ')"
	has "instances are named" "$("$FTR" report --fields pid "$TMP/instances.dat")" '^one: +[0-9]+$'
}

# usage NAME PATTERN ARG...: wrong usage, said
usage() {
	local name=$1 pattern=$2 status
	shift 2
	"$FTR" report "$@" "$TMP/plain.dat" > "$TMP/out" 2> "$TMP/err"
	status=$?
	same "$name: status 2, no output" "2 0" "$status $(wc -c < "$TMP/out")"
	has "$name: said" "$(cat "$TMP/err")" "$pattern"
}

errors() {
	usage "an unknown column" "did you mean 'next_pid'" --fields pid,nxt_pid
	usage "no column" "comm,pid" --fields ,
	usage "too many columns" "64" --fields "$(printf 'pid,%.0s' {1..65})"
	usage "columns in the kernel's format" "format=kernel" --format=kernel --ts-diff
	usage "no offset" "ts-offset" --ts-offset soon
}

mk() {
	python3 "$ORACLE/mkdat.py" "$TMP/$1.dat" --expect "$TMP/$1.json" "${@:2}"
}
mk plain --cpus 1 --records 300 --lost 0
mk date --cpus 1 --records 300 --lost 0 --date 0x5f5e100 --ts-offset 77
mk later --cpus 1 --records 300 --lost 0 --start-ts 1050000000000
mk lost --cpus 2 --records 300
mk sparse --cpus 4 --records 100 --empty-cpu
mk tgid --records 200 --lost 0 --meta 'saved_tgids=1234 1200;4001 1200'
mk wakeup --cpus 2 --records 800 --lost 0 --wakeup
mk instances --records 200 --lost 0 --instances one,two
time_stamps
wakeups
lists
columns
errors
finish
