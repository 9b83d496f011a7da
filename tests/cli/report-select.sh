#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr report's selection: filter expressions and times, against what was written into the file and trace-cmd's choice.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"

# shown ARG...: event records in the raw report
shown() {
	"$FTR" report -R "$@" "$TMP/a.dat" 2> "$TMP/err" | grep -v DROPPED
}

# lines PATTERN: of all records, those that match
lines() {
	grep -E -- "$1" "$TMP/all"
}

# selects NAME PATTERN ARG...: the report with ARG has just the lines that match
selects() {
	local name=$1 pattern=$2 want
	shift 2
	want=$(lines "$pattern")
	if [ -z "$want" ]; then fail "$name" "no record matches $pattern"; return; fi
	same "$name" "$want" "$(shown "$@")"
}

kernel_grammar() {
	selects "number" ': sched_waking: .*pid=1234 ' -F 'sched_waking: pid == 1234'
	selects "system:event" ': sched_waking: .*pid=1234 ' -F 'sched:sched_waking: pid == 0x4d2'
	selects "a system and a glob" ': sched_(switch|waking):' -F 'sched:*'
	selects "no event named: those with the field" ': sched_switch: .*next_pid=1234 ' -F 'next_pid == 1234'
	selects "two fields" ': sched_waking: +comm=ls ' -F 'comm == "ls" && target_cpu >= 0'
	selects "text, single quotes" ': sched_waking: +comm=ls ' -F "sched_waking: comm == 'ls'"
	selects "text without quotes" ': sched_waking: +comm=ls ' -F "sched_waking: comm == ls"
	selects "glob" ': sched_switch: .*next_comm=(kworker|bash)' \
		-F 'next_comm ~ "kw*" || next_comm ~ "*[b]ash"'
	selects "glob turned" ': sched_switch: .*next_comm=[^k]' -F 'next_comm ~ "!k*"'
	selects "the task's name where no field is called so" '^ *(one: +)?(.*) a b-1 c-777 .*: sched_switch:' \
		-F 'sched_switch: comm == "a b-1 c"'
	selects "the task's number" '-1234 .*: ' -F 'common_pid == 1234'
	selects "CPU" ' \[00[12]\] ' -F 'cpu & CPUS{1-2}'
	selects "a function's name" ': function: +ip=0xffffffff8100100[0-9a-f] ' -F 'function: ip == "vfs_read"'
	selects "a function by an address inside" ': function: +ip=0xffffffff8100100[0-9a-f] ' \
		-F 'function: ip.function == 0xffffffff81001010'
	selects "a function's name without quotes" ': function: +ip=0xffffffff8100100[0-9a-f] ' \
		-F 'function: ip == vfs_read'
	selects "the same of any event" 'parent_ip=0xffffffff81001020' -F 'parent_ip == vfs_read'
	selects "a function by glob" ': function: +ip=0xffffffff8100[123]00[0-9a-f] ' -F 'function: ip ~ "vfs_*"'
	selects "a format of trace_printk()" ': bprint: .* fmt=0xffffffff81800020 ' -F 'bprint: fmt ~ "enter*"'
	selects "negative numbers" ': demo_path: .*ret=-' -F 'ret < 0'
	selects "not" ': (demo_path: .*ret=[^-]|sched_waking:)' -F 'demo_path: !(ret < 0)' -F 'sched_waking'
	selects "what -v leaves out" ': sched_switch: .*next_pid=([^1]|1[^ ])' -F sched_switch -v -F 'next_pid == 1'
	for event in sched sched: 's*d' 's*d:'; do
		selects "--event $event: a system" ': sched_(switch|waking): ' --event "$event"
	done
	selects "--event :sched_waking: of any system" ': sched_waking: ' --event :sched_waking
	selects "--event and -F" ': sched_switch: .*next_pid=1 ' --event 'sched_*' \
		-F 'next_pid == 1'
}

# trace-cmd's grammar is its own: the same records, by the same filter.
like_trace_cmd() {
	local f
	command -v trace-cmd > /dev/null || { skip "filters as trace-cmd's" "no trace-cmd"; return; }
	python3 "$ORACLE/mkdat.py" "$TMP/t.dat" --cpus 2 --records 400 --lost 0
	for f in 'sched_switch: next_prio > 100' 'sched: common_pid == 512 || pid == 1' 'sched/sched_waking: pid & 1' \
		'sched_switch: next_pid == 1 || prev_state == 2' 'function: ip == "vfs_read"' \
		'sched_switch: next_comm =~ "^k" && CPU == 1' '.*:COMM != "bash"' 'sched_switch: next_pid >= 512' \
		'demo_path: path =~ "dir/dir" && ino > 1000' 'sched_switch,sched_waking: !(common_pid == 1)'; do
		# it shows the stacks behind what it shows
		trace-cmd report -R -t -F "$f" "$TMP/t.dat" 2> /dev/null | grep -oE '[0-9]+\.[0-9]{9}: +[a-z_]+:' |
			tr -s ' ' | grep -v kernel_stack > "$TMP/want"
		"$FTR" report -R -t -F "$f" "$TMP/t.dat" > "$TMP/plain"
		"$FTR" report -R -t --stacks -F "$f" "$TMP/t.dat" | grep -v kernel_stack > "$TMP/less"
		grep -v kernel_stack "$TMP/plain" > "$TMP/apart"
		same_files "--stacks adds but stacks: $f" "$TMP/apart" "$TMP/less"
		cat "$TMP/plain" | grep -oE '[0-9]+\.[0-9]{9}: +[a-z_]+:' | tr -s ' ' |
			grep -v kernel_stack > "$TMP/got"
		check "some records: $f" test -s "$TMP/want"
		same_files "as trace-cmd: $f" "$TMP/want" "$TMP/got"
	done
}

# The stacks that are shown with a selection, against which records of the raw report stand before them.
selected_stacks() {
	"$FTR" report -R "$TMP/t.dat" | grep -v DROPPED | awk '
		{ match($0, /\[[0-9]+\]/); cpu = substr($0, RSTART, RLENGTH) }
		/: kernel_stack:/ { if (shown[cpu]) print; next }
		{ shown[cpu] = /: sched_switch:/ }
		shown[cpu]' > "$TMP/want"
	"$FTR" report -R --stacks -F sched_switch "$TMP/t.dat" > "$TMP/got"
	check "--stacks: there are such" grep -q kernel_stack "$TMP/want"
	same_files "--stacks: those behind what is shown" "$TMP/want" "$TMP/got"
	same "--stacks without a selection changes nothing" "$("$FTR" report "$TMP/t.dat")" \
		"$("$FTR" report --stacks "$TMP/t.dat")"
}

# The output does not depend on the number of threads.
threads() {
	local o j
	set -f
	python3 "$ORACLE/mkdat.py" "$TMP/many.dat" --records 12000
	for o in "-F next_pid==1" "-v -F function --since +1s --until -2s" "--comm b*" "--fields pid,event -F pid>1" \
		"--fields time,delta" "--ts-diff" "--stacks -F sched_switch"; do
		"$FTR" report -j1 $o "$TMP/many.dat" > "$TMP/want"
		for j in 2 8; do
			"$FTR" report -j$j $o "$TMP/many.dat" > "$TMP/got"
			same_files "-j$j: $o" "$TMP/want" "$TMP/got"
		done
		check "there are lines: $o" test -s "$TMP/want"
	done
	set +f
}

# times PYTHON: those of the records in a.json for which the expression in t, first, last is true, as -t shows them
times() {
	python3 - "$TMP/a.json" "$1" <<- 'E'
		import json, sys
		rows = [r["ts"] for r in json.load(open(sys.argv[1]))["records"]]
		first, last = min(rows), max(rows)
		for t in sorted(rows):
		    if eval(sys.argv[2]):
		        print("%d.%09d:" % (t // 10**9, t % 10**9))
	E
}

# within NAME PYTHON ARG...
within() {
	local name=$1 want
	want=$(times "$2")
	shift 2
	if [ -z "$want" ]; then fail "$name" "no record is wanted"; return; fi
	same "$name" "$want" "$(shown -t "$@" | grep -oE '[0-9]+\.[0-9]{9}:')"
}

time_range() {
	local mid micro
	within "no time" True
	mid=$(times True | sed -n '150{s/://;p}')
	within "--since a time is inclusive" "t >= ${mid/./}" --since "$mid"
	within "--until a time is inclusive" "t <= ${mid/./}" --until "$mid"
	within "one instant" "t == ${mid/./}" --since "$mid" --until "$mid"
	micro=$(grep -oE '[0-9]+\.[0-9]{6}:' "$TMP/all" | sed -n '150{s/://;p}')
	within "a time as it is shown" "${micro/./}000 - 500 <= t < ${micro/./}000 + 500" \
		--since "$micro" --until "$micro"
	within "from the first" "first + 2000 <= t <= first + 50000" --since +2us --until +50us
	within "from the last" "last - 100000 <= t <= last - 3000" --since -100us --until -3us
	python3 "$ORACLE/mkdat.py" "$TMP/date.dat" --records 300 --instances one --date 0x5f5e100
	same "in the kernel's format times are without the date" \
		"$("$FTR" report --format=kernel --since "$mid" --until +5s "$TMP/a.dat")" \
		"$("$FTR" report --format=kernel --since "$mid" --until +5s "$TMP/date.dat")"
	within "and other selections" "t <= first + 500000 and True" --until +0.0005 --cpu 0-2
	"$FTR" report --since 1 --until 0.5 "$TMP/a.dat" > "$TMP/out" 2> "$TMP/err"
	same "since behind until is wrong usage" "2 0" "$? $(wc -c < "$TMP/out")"
	"$FTR" report --since soon "$TMP/a.dat" > "$TMP/out" 2> "$TMP/err"
	same "what is no time is wrong usage" "2 0" "$? $(wc -c < "$TMP/out")"
	python3 "$ORACLE/mkdat.py" "$TMP/c.dat" --clock counter --records 60
	same "a clock that is no time takes whole numbers" \
		"$("$FTR" report -R "$TMP/c.dat" | grep -v DROPPED | tail -n +3 | head -n 20)" \
		"$("$FTR" report -R --since "$("$FTR" report -R "$TMP/c.dat" | grep -v DROPPED | sed -n 3p |
			grep -oE ' [0-9]{13}:' | tr -d ' :')" "$TMP/c.dat" | grep -v DROPPED | head -n 20)"
	"$FTR" report --since 1.5 "$TMP/c.dat" > "$TMP/out" 2> "$TMP/err"
	same "and no fractions" "2 0" "$? $(wc -c < "$TMP/out")"
}

context() {
	local all=$TMP/latency
	shown -l > "$all"
	same "-I leaves out hard interrupts" "$(grep -cvE '[0-9][.dDbB][.a-zA-Z][hHzZ]' "$all")" "$(shown -I | wc -l)"
	same "-S leaves out soft interrupts" "$(grep -cvE '[0-9][.dDbB][.a-zA-Z][sH]' "$all")" "$(shown -S | wc -l)"
}

# refused NAME FILTER PATTERN...: status 2, no output, and all patterns in the message
refused() {
	local name=$1 filter=$2 status
	shift 2
	"$FTR" report -F "$filter" "$TMP/a.dat" > "$TMP/out" 2> "$TMP/err"
	status=$?
	same "$name: status 2, no output" "2 0" "$status $(wc -c < "$TMP/out")"
	for p; do has "$name: says $p" "$(cat "$TMP/err")" "$p"; done
}

errors() {
	refused "unknown field" 'sched_switch: nxt_prio < 100' "'nxt_prio'" '^ {16}\^~{7}$' \
		"hint: did you mean 'next_prio'"
	refused "unknown event" 'sched_swich: next_prio < 100' "'sched_swich'" '^  \^~{10}$' \
		"hint: did you mean 'sched_switch'"
	refused "unknown field without an event" 'nxt_prio < 100' "did you mean 'next_prio'"
	refused "fields of different events" 'next_prio < 100 && target_cpu == 1' 'no event has all'
	refused "an operator too much" 'sched_switch: next_prio < < 100' '^ {28}\^$'
	refused "an open quote" "sched_switch: next_comm == 'a" 'quote'
	refused "a text field with a number" 'sched_switch: next_comm == 5' 'text' 'sched:sched_switch'
	refused "a user's text" 'demo_path: path.ustring == "x"' "memory"
	refused "an unknown function" 'function: ip.function == no_such' 'no such function'
	refused "a long filter" "$(printf 'sched_switch: %5000s' x)" '4096'
	refused "a deep filter" "sched_switch: $(printf '(%.0s' {1..100})" 'too deep'
	refused "a filter in a long one, cut" \
		"sched_switch: $(printf 'next_prio < 1 && %.0s' {1..50}) nxt == 1 \
$(printf '|| next_prio < 1 %.0s' {1..50})" '^  \.\.\..*nxt == 1.*\.\.\.$'
	"$FTR" report --event no_such "$TMP/a.dat" > "$TMP/out" 2> "$TMP/err"
	same "--event without an event: status 2, no output" "2 0" "$? $(wc -c < "$TMP/out")"
}

# none NAME OPTION HAS ARG...: no line, status 0, and one line on stderr, for any number of threads: which option
# matches nothing, and what there is (which tasks is the business of nothing-selected.sh)
none() {
	local name=$1 option=$2 what=$3 j
	shift 3
	for j in 1 3; do
		"$FTR" report -j$j "$@" > "$TMP/out" 2> "$TMP/err"
		same "nothing matches: $name, -j$j: status 0" 0 $?
		same "nothing matches: $name, -j$j: one line" "ftr: no record matches${option:+ $option}; $what" \
			"$(sed 's/; tasks: .*//' "$TMP/err")"
		check "nothing matches: $name, -j$j: no output" test ! -s "$TMP/out"
	done
}

nothing_matches() {
	local n first last last_ino has twice big=$TMP/big.dat
	python3 "$ORACLE/mkdat.py" "$big" --cpus 3 --records 4000 --lost 0 --expect "$TMP/big.json"
	n=$(python3 -c 'import json, sys; print("{:,}".format(len(json.load(open(sys.argv[1]))["records"])))' \
		"$TMP/big.json")
	first=$("$FTR" report -R "$big" | head -n 1 | grep -oE '[0-9]+\.[0-9]{6}:')
	last=$("$FTR" report -R "$big" | tail -n 1 | grep -oE '[0-9]+\.[0-9]{6}:')
	has="$n records from ${first%:} to ${last%:} on CPUs 0-2"
	none --cpu "--cpu 9" "'$big' has $has" --cpu 9 "$big"
	none --since "--since" "'$big' has $has" --since +99999s "$big"
	none --until "--until" "'$big' has $has" --until 0.1 "$big"
	none --pid "--pid 99999" "'$big' has $has" --pid 99999 "$big"
	none --comm "--comm 'no-such*'" "'$big' has $has" --comm 'no-such*' "$big"
	none --event "--pid 99999" "'$big' has $has" --event demo_path --pid 99999 "$big"
	none -F "-F" "'$big' has $has" -F 'next_pid == 99999' "$big"
	none --fields "--pid 99999" "'$big' has $has" --fields pid,time --pid 99999 "$big"
	none --format "--pid 99999" "'$big' has $has" --format=kernel --pid 99999 "$big"
	cp "$big" "$TMP/copy.dat"
	twice=$(python3 -c 'import sys; print("{:,}".format(2 * int(sys.argv[1].replace(",", ""))))' "$n")
	none "two files" "--pid 99999" "the 2 files have $twice${has#"$n"}" --pid 99999 "$big" "$TMP/copy.dat"
	python3 "$ORACLE/mkdat.py" "$TMP/none.dat" --cpus 1 --records 0
	none "a file without records" "" "'$TMP/none.dat' has no records" --cpu 0 "$TMP/none.dat"
	"$FTR" report "$TMP/none.dat" > "$TMP/out" 2> "$TMP/err"
	same "no selection: nothing is said" "0 0" "$? $(wc -c < "$TMP/err")"
	"$FTR" report -q --cpu 9 "$big" > "$TMP/out" 2> "$TMP/err"
	same "nothing matches: -q" "0 0" "$? $(wc -c < "$TMP/err")"
	last_ino=$("$FTR" report -R "$big" | grep -oE 'demo_path: .* ino=0x[0-9a-f]+' | tail -n 1 | grep -oE '0x.*')
	for n in 1 3; do
		"$FTR" report -j$n -F "demo_path: ino == $last_ino" "$big" > "$TMP/out" 2> "$TMP/err"
		same "a late record matches: nothing is said, -j$n" "1 0" "$(wc -l < "$TMP/out") $(wc -c < "$TMP/err")"
		"$FTR" report -j$n --since "${last%:}" "$big" > "$TMP/out" 2> "$TMP/err"
		same "one record matches: nothing is said, -j$n" "0 0" "$? $(wc -c < "$TMP/err")"
		check "it is shown, -j$n" test -s "$TMP/out"
	done
}

# An event need be in one of several files only; ids may differ between them.
several() {
	"$FTR" report -R -F 'sched_switch: next_pid == 1' "$TMP/a.dat" "$TMP/t.dat" 2> "$TMP/err" |
		grep -v DROPPED > "$TMP/both"
	same "two files, one filter" "$(($(shown -F 'sched_switch: next_pid == 1' | wc -l) +
		$("$FTR" report -R -F 'sched_switch: next_pid == 1' "$TMP/t.dat" |
			grep -cv DROPPED)))" "$(wc -l < "$TMP/both")"
}

# A file may be given by any name.
same_file() {
	local w="ftr: warning:" c=": its records come more than once"
	ln "$TMP/t.dat" "$TMP/hard.dat"
	ln -s t.dat "$TMP/soft.dat"
	cp "$TMP/t.dat" "$TMP/equal.dat"
	(cd "$TMP" && "$FTR" report a.dat t.dat a.dat > out 2> err)
	same "a file twice: said, status 0" "0 $w 'a.dat' is the same file as 'a.dat'$c" "$? $(cat "$TMP/err")"
	(cd "$TMP" && "$FTR" report t.dat hard.dat a.dat soft.dat ./a.dat > out 2> err)
	same "by other names, in one line" \
		"0 $w 'hard.dat' is the same file as 't.dat', 'soft.dat' is the same file as 't.dat', \
'./a.dat' is the same file as 'a.dat'$c" \
		"$? $(cat "$TMP/err")"
	(cd "$TMP" && "$FTR" report t.dat equal.dat a.dat > out 2> err)
	same "files of one content are two" "0 " "$? $(cat "$TMP/err")"
}

python3 "$ORACLE/mkdat.py" "$TMP/a.dat" --expect "$TMP/a.json" --records 300 --instances one
python3 "$ORACLE/mkdat.py" "$TMP/t.dat" --cpus 2 --records 400 --lost 0 --endian be --long 4
shown > "$TMP/all"
kernel_grammar
several
same_file
nothing_matches
like_trace_cmd
selected_stacks
threads
time_range
context
errors
finish
