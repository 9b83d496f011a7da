#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr oops parse of the text of the files trace and trace_pipe: what ftr report --format=kernel prints of a recording is
# read back, and prints the same text; columns of older kernels and of other options by hand.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"
cd "$TMP" || exit 1

# back_and_forth NAME FILE: the lines that the text of the file and of what was read of it do not share
back_and_forth() {
	"$FTR" report -q --format=kernel "$2" > text 2> /dev/null
	check "$1: a text of $(wc -l < text) lines" test -s text
	rm -f b.dat
	"$FTR" oops parse text -o b.dat > out 2> err
	"$FTR" report -q --format=kernel b.dat > again 2> /dev/null
	# not the names of tasks: one that the file does not know may be in the text of an event
	diff <(cut -c17- text) <(cut -c17- again) | grep -a '^<' > lost
	same "$1: the same text" '' "$(head -n 5 lost)"
	same "$1: as many records as lines" "$(wc -l < text)" \
		"$(sed -nE "s/^ftr: 'b.dat': ([0-9]+) records?.*/\1/p" err)"
}

fixtures() {
	local f
	for f in lisa-sched-load-64le trappy-52k-32le trappy-trace-32le trappy-extends-32le trappy-u32-array-32le; do
		[ -e "$FTR_FIXTURES_DIR/$f.dat.xz" ] || { skip "$f" "no folder $FTR_FIXTURES_DIR"; continue; }
		xz -dc "$FTR_FIXTURES_DIR/$f.dat.xz" > f.dat
		back_and_forth $f f.dat
	done
}

# Calls in the lines of function_graph.
calls() {
	sed 's/^/ /' > text <<- 'E'
		0)               |  ksys_read() {
		0)   0.400 us    |    vfs_read();
		0)               |    kfree() {
		0)   0.200 us    |      mutex_lock();
		0)   0.900 us    |    }
		0)   4.000 us    |  }
	E
	{ printf '# tracer: function_graph\n#\n# CPU  DURATION                  FUNCTION CALLS\n'; cat text; } > graph
	"$FTR" oops parse graph -o c.dat 2> err
	"$FTR" report -q --format=kernel c.dat > again
	same_files 'function_graph: the same text' text again
	{ printf '%s\n' '# tracer: function_graph' ' 0)    <idle>-0    =>    bash-12   '; cat text; } > graph
	rm c.dat
	"$FTR" oops parse graph -o c.dat 2> err
	same 'function_graph: the durations' '4.000 ksys_read 0.400 vfs_read 0.900 kfree 0.200 mutex_lock' \
		"$("$FTR" graph -q c.dat | sed -nE 's/^ +0 +([0-9.]+) us.*\| +([a-z_]+)\(.*/\1 \2/p' | xargs)"
}

# read_as WANTED TEXT...: the first record of the lines, as report prints it
read_as() {
	local wanted=$1
	shift
	printf '%s\n' "$@" > lines
	rm -f l.dat
	"$FTR" oops parse lines -o l.dat 2> err
	same "$1 ...: the record" "$wanted" "$("$FTR" report -q l.dat | head -n 1 | sed -E 's/^ +//; s/ +/ /g')"
}

by_hand() {
	local body='sched_waking: comm=a pid=7 prio=120 target_cpu=002'
	read_as "bash-12 [002] dNs1. 223230.807255: $body" \
		'# tracer: nop' '#' '#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION' \
		"            bash-12    (-----) [002] dNs1 223230.807255: $body"
	read_as "bash-12 [002] dNs1. 223230.807255: $body" '# tracer: nop' \
		"            bash-12    ( 4711) [002] dNs1 223230.807255: $body"
	read_as "bash-12 [002] 5.000001: $body" "            bash-12      [002]     5.000001: $body"
	has 'without irq-info it is said' "$(cat err)" "'lines': 1 record has no flags"
	read_as "a b-1-12 [002] d..21 5.000001: $body" "           a b-1-12      [002] d..21     5.000001: $body"
	read_as "bash-12 [002] d.s2. 5.000001: function: vfs_read <-ksys_read" \
		"            bash-12      [002] d.s2.     5.000001: vfs_read <-ksys_read"
	printf '%s\n' '# tracer: nop' '#' "  bash-12  [000] d..2.  1.000001: a: x" '# tracer: nop' \
		"  bash-12  [000] d..2.  2.000001: b: y" > two
	"$FTR" oops parse two -o t.dat 2> err
	same 'two texts, one after the other' '1.000001 2.000001' \
		"$(for f in t.dat t.dat.2; do "$FTR" report -q $f; done | grep -oE '[12]\.000001' | xargs)"
	printf '%s\n' 'Dumping ftrace instance x buffer:' '   (ftrace buffer empty)' '# tracer: nop' \
		"  bash-12  [000] d..2.  1.000001: a: x" > after
	"$FTR" oops parse after -o a.dat 2> err
	same 'a text after a dump has no instance' '0' "$(grep -c "instance" err)"
	printf '%s\n' one two three > prose
	"$FTR" oops parse prose -o p.dat 2> err
	same 'a text that is no trace: status' 1 $?
	has 'it is said' "$(cat err)" "^ftr: 'prose' has no trace"
}

fixtures
calls
by_hand
finish
