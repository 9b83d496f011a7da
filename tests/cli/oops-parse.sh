#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr oops parse: dumps of the trace in logs become files. What is expected is read off the logs by awk.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 1
LOGS=$FTR_TOP/tests/cases/oops
FORMATS=$LOGS/formats.txt

# parse LOG [OUT]: the status in $STATUS, what is said in err
parse() {
	rm -f "${2:-a.dat}"*
	"$FTR" oops parse "$1" -o "${2:-a.dat}" --formats "$FORMATS" > out 2> err
	STATUS=$?
}

# The records of a log in the latency format: CPU, pid, flags, microseconds behind the first, event.
awk_records() {
	awk '{ sub(/^\[[^]]*\] /, "") }
		match($0, /-[0-9]+ +[0-9]+[^ ]+ +[0-9]+us[^0-9]: /) {
			ctx = substr($0, RSTART + 1, RLENGTH - 1)
			text = substr($0, RSTART + RLENGTH)
			split(ctx, part, " ")
			cpu = part[2]; flags = substr(cpu, length(cpu) - 4); cpu = substr(cpu, 1, length(cpu) - 5)
			us = part[3]; sub(/us.*/, "", us)
			if (n++ == 0) first = us
			event = text
			if (text ~ /^<stack trace>/) event = "kernel_stack"
			else if (text ~ /^sys_[a-z0-9_]+\(/) {
				sub(/\(.*/, "", event); sub(/^sys_/, "sys_enter_", event)
			}
			else if (text ~ /^sys_[a-z0-9_]+ -> /) {
				sub(/ -> .*/, "", event); sub(/^sys_/, "sys_exit_", event)
			}
			else if (text ~ / <-/) event = "function"
			else sub(/:.*/, "", event)
			gsub(/n/, "N", flags)
			print cpu, part[1], flags, us - first, event
		}' "$1"
}

# The same of a file.
dat_records() {
	"$FTR" report "$1" 2>> err | awk 'match($0, /-[0-9]+ +\[[0-9]+\] [^ ]+ +[0-9]+\.[0-9]+: /) {
			ctx = substr($0, RSTART + 1, RLENGTH - 1)
			split(ctx, part, " ")
			us = part[4]; sub(/:/, "", us); sub(/\./, "", us)
			if (n++ == 0) first = us
			event = substr($0, RSTART + RLENGTH); sub(/:.*/, "", event)
			print substr(part[2], 2) + 0, part[1], part[3], us - first, event
		}'
}

# Texts of records behind their contexts, without frames of stacks.
awk_texts() {
	sed -nE 's/^.*us[ $@*#!+]: ([a-z_0-9]+): (.*)/\1 \2/p' "$1"
}
dat_texts() {
	"$FTR" report "$1" 2>> err | sed -nE 's/^.*\] [^ ]{5} +[0-9]+\.[0-9]+: ([a-z_0-9]+): +(.*)/\1 \2/p'
}

one_log() {
	parse "$LOGS/$1.log"
	same "$1: all lines are taken" 0 "$STATUS"
	awk_records "$LOGS/$1.log" > want
	dat_records a.dat > got
	[ -s want ] || fail "$1: awk finds records"
	same_files "$1: CPU, pid, flags, time, event of each record" want got
}

records_of_logs() {
	local name
	for name in events sys sys72 stacks function; do
		one_log $name
	done
	parse "$LOGS/events.log"
	awk_texts "$LOGS/events.log" > want
	dat_texts a.dat > got
	same_files "texts of events are rendered again" want got
	has "all have fields" "$(cat err)" '110 records, 110 of 110 events with fields'
	parse "$LOGS/function.log"
	sed -nE 's/^.*us[ $@*#!+]: (.* <-.*)/\1/p' "$LOGS/function.log" > want
	"$FTR" report a.dat 2> /dev/null | sed -nE 's/^.*: function: +//p' > got
	same_files "functions and their callers" want got
	parse "$LOGS/stacks.log"
	sed -nE 's/^\[[^]]*\] +=> //p' "$LOGS/stacks.log" > want
	"$FTR" report a.dat 2> /dev/null | sed -nE 's/^ => //p' > got
	same_files "frames of stacks" want got
}

# Numbers of fields, by the words of the text; a task's state by the bits that the kernel names.
fields() {
	parse "$LOGS/events.log"
	sed -nE 's/^.*sched_waking: comm=(.*) pid=([0-9]+) prio=([0-9]+) target_cpu=0*([0-9]+)$/\1 \2 \3 \4/p' \
		"$LOGS/events.log" > want
	"$FTR" report --raw a.dat 2> /dev/null |
		sed -nE 's/^.*sched_waking: +comm=(.*) pid=([0-9]+) prio=([0-9]+) target_cpu=([0-9]+)$/\1 \2 \3 \4/p' \
		> got
	same_files "fields of sched_waking" want got
	sed -nE 's/^.*sched_switch:.* prev_state=([^ ]*) .*/\1/p' "$LOGS/events.log" |
		sed 's/^R+$/256/; s/^R$/0/; s/^S$/1/; s/^D$/2/; s/^I$/128/; s/^X$/16/; s/^Z$/32/' > want
	"$FTR" report --raw a.dat 2> /dev/null | sed -nE 's/^.*sched_switch:.* prev_state=([0-9a-fx]+).*/\1/p' |
		while read -r n; do echo $((n)); done > got
	same_files "states of tasks as bits" want got
	"$FTR" oops parse "$LOGS/events.log" -o b.dat --formats <(:) > /dev/null 2> err
	same "formats that are none" 1 $?
	mkdir -p f/sched/sched_waking
	awk '/^@@FILE/ { p = /sched_waking/; next } p' "$FORMATS" > f/sched/sched_waking/format
	"$FTR" oops parse "$LOGS/events.log" -o b.dat --formats f 2> err
	has "a folder of formats: one event has fields" "$(cat err)" \
		"$(grep -c 'sched_waking:' "$LOGS/events.log") of 110 events with fields"
	"$FTR" report b.dat 2> /dev/null > got
	"$FTR" report a.dat 2> /dev/null > want
	same_files "without fields the text is the same" want got
	"$FTR" oops parse "$LOGS/events.log" -o c.dat --formats a.dat 2> err
	has "formats of a trace file" "$(cat err)" '110 of 110 events with fields'
}

# A directory with the formats of several kernels: the text says which one it is of.
formats_by_release() {
	local line got
	mkdir -p kernels/6.1.0-56-amd64/sched/sched_waking
	cp f/sched/sched_waking/format kernels/6.1.0-56-amd64/sched/sched_waking/
	cp "$FORMATS" kernels/6.12.117+deb12-amd64.fmt
	cp a.dat kernels/5.10.0.dat
	while IFS='|' read -r got line; do
		{ echo "$line"; cat "$LOGS/events.log"; } > boot.log
		"$FTR" oops parse boot.log -o b.dat --formats kernels > /dev/null 2> err
		has "formats of the kernel in '$line'" "$(cat err)" "$got of 110 events with fields"
	done <<-END
		$(grep -c 'sched_waking:' "$LOGS/events.log")|[    0.000000] Linux version 6.1.0-56-amd64/../x (gcc-12)
		110|[    6.1] CPU: 1 PID: 9 Comm: sh Not tainted 6.12.117+deb12-amd64 #1
		110|[    6.1] CPU: 1 PID: 9 Comm: sh Tainted: G      D W  OE      5.10.0 #1
	END
	has "it is said" "$(cat err)" "'boot.log' is of Linux 5.10.0: its formats are those of '.*5.10.0.dat'"
	for line in 6.99.0 .. 6 6.1.; do
		{ echo "Linux version $line x"; cat "$LOGS/events.log"; } > boot.log
		"$FTR" oops parse boot.log -o b.dat --formats kernels > /dev/null 2> err
		same "there are no formats of '$line'" 1 $?
	done
	has "a hint names what is missing" "$(cat err)" '^hint: the text is of Linux 6\.1\.'
}

# Since 6.19 a call's text has what user memory had behind the numbers, and names of openat()'s flags.
calls() {
	local line
	parse "$LOGS/sys72.log"
	has "calls of 7.2: all have fields" "$(cat err)" '41 records, 41 of 41 events with fields'
	# numbers of a call without user memory have no 0x where the kernel is not known
	sed -nE 's/^.*us[ $@*#!+]: (sys_.*)/\1/p' "$LOGS/sys72.log" | sed '/^sys_clock_gettime/s/0x//' > want
	"$FTR" report --format=kernel a.dat 2> /dev/null | sed -nE 's/^.*: (sys_.*)/\1/p' > got
	same_files "calls of 7.2: rendered again" want got
	# of those with a user's file name: what is in the quotes; numbers of flags by the kernel's names of them
	"$FTR" report --raw a.dat 2> /dev/null > raw
	sed -nE 's/^.*sys_openat\(.*filename: [0-9]+ "(.*)", flags.*/\1/p' "$LOGS/sys72.log" > want
	sed -nE 's/^.*sys_enter_openat:.* __filename_val=(.*)/\1/p' raw > got
	same_files "calls of 7.2: names of files" want got
	sed -nE 's/^.*sys_openat\(.*", flags: ([^,)]*).*/\1/p' "$LOGS/sys72.log" | sed 's/|/ | /g
		s/O_RDONLY/0/; s/O_WRONLY/1/; s/O_RDWR/2/; s/O_CREAT/64/; s/O_NONBLOCK/2048/; s/O_DIRECTORY/65536/
		s/O_CLOEXEC/524288/; s/O_TMPFILE/4259840/' |
		while read -r line; do printf '0x%x\n' $((line)); done > want
	sed -nE 's/^.*sys_enter_openat:.* flags=(0x[0-9a-f]+|0) .*/\1/p' raw > got
	same_files "calls of 7.2: openat's flags" want got
	sed -nE 's/^.*sys_write\(.* \(([0-9a-f:]*)(, \.\.\.)?\).*count: (0x)?([0-9a-f]+)\)/\1 \4/p' \
		"$LOGS/sys72.log" > want
	"$FTR" report a.dat 2> /dev/null |
		sed -nE 's/^.*sys_enter_write:.* \((\{(.*)\}|)\), count: 0x0*([0-9a-f]+)$/\2 \3/p' |
		sed -E 's/0x([0-9a-f])([, ])/0x0\1\2/g; s/0x//g; s/,/:/g' > got
	# a number without its 0x is two digits where it is a byte
	sed -i 's/ 0*\([0-9a-f]*\)$/ \1/' want
	sed -i 's/ 0*\([0-9a-f]*\)$/ \1/' got
	same_files "calls of 7.2: bytes that are written" want got
	# of a call that fits its first record no more only the text is left
	sed 's/sys_access(filename: 0xa5dac8 "", mode: 0)/sys_access(filename: 0xa5dac8, mode: 0)/' \
		"$LOGS/sys72.log" > other.log
	parse other.log
	has "a call without its string: is text" "$STATUS $(cat err)" '^0 .*41 records, 40 of 41 events with fields'
	# a name may have all that ends a name
	sed 's/"y, z: 0x1", flags/", flags: O_RDWR, mode: 01", flags/' "$LOGS/sys72.log" > other.log
	parse other.log
	has "a name like the rest of a call" "$STATUS $(cat err)" '^0 .*41 records, 41 of 41 events with fields'
	"$FTR" report --raw a.dat 2> /dev/null > raw
	has "a name like the rest of a call: is the name" "$(cat raw)" \
		'__filename_val=/tmp/x", flags: O_RDWR, mode: 01$'
}

# A leaf is an entry and an exit. Durations as the text has them, in the order of the text.
graphs() {
	local name
	for name in graph graphabs; do
		parse "$LOGS/$name.log"
		same "$name: all lines are taken" 0 "$STATUS"
		has "$name: records" "$(cat err)" \
			": $(awk '/\(\);$/ { n += 2 } / \{$|\} ?(\/\*.*)?$/ { n++ } /\/\* [a-z_]+: / { n++ }
			END { print n }' "$LOGS/$name.log") record"
		sed -nE 's/^\[[^]]*\] .*\) .* us +\|  ( *)(\}|[^ }].*\(\);).*/\1\2/p' "$LOGS/$name.log" > want
		"$FTR" report a.dat 2> /dev/null |
			sed -nE 's/^.*funcgraph_[a-z]+: .* us +\|  ( *)(\}|[^ }].*\(\);).*/\1\2/p' > got
		same_files "$name: calls and their depth" want got
		sed -nE 's/^\[[^]]*\] .* ([0-9.]+) us +\| .*/\1/p' "$LOGS/$name.log" > want
		"$FTR" report a.dat 2> /dev/null | sed -nE 's/^.*funcgraph_[a-z]+: .* ([0-9.]+) us +\| .*/\1/p' > got
		same_files "$name: durations" want got
		"$FTR" report a.dat 2> /dev/null | sed -nE 's/^.*\]  +([0-9.]+): .*/\1/p' > times
		sort -n times | cmp -s - times || fail "$name: times go forward"
		pass "$name: times go forward"
	done
	sed -nE 's/^\[[^]]*\] +([0-9]+\.[0-9]+) \|.*(\(\);|\{|\}|\*\/)$/\1/p' "$LOGS/graphabs.log" > want
	same_files "graphabs: times of the text" want times
	# Linux 7.2 had such lines: a call in one line lasts longer than the next line says
	printf '[    9.0] %s\n' 'Dumping ftrace buffer:' --------------------------------- \
		'  216.891664 |   0)    bash-242    | # 2507.863 us |  vfs_open();' \
		'  216.891940 |   0)    bash-242    |               |  vfs_open() {' \
		'  216.891981 |   0)    bash-242    | # 2716.024 us |    vfs_open();' \
		'  216.894715 |   0)    bash-242    | # 2777.047 us |  }' --------------------------------- > long.log
	parse long.log
	same "a call that lasts longer than to the next time: times, durations as told" \
		"216.891664 2507.863 216.891940 { 216.891981 2716.024 216.894715 2777.047" \
		"$("$FTR" report a.dat 2> /dev/null |
			sed -nE 's/^.*\]  +([0-9.]+): funcgraph_[a-z]+: ( *# ([0-9.]+) us)?.*(\{)?$/\1 \3\4/p' |
			sed 's/ $/ {/' | paste -sd ' ')"
	has "made-up times are said" "$("$FTR" oops parse "$LOGS/graph.log" -o a.dat -q; "$FTR" info a.dat)" \
		'times=made up, in the order'
	has "made-up addresses, too" "$("$FTR" info a.dat)" 'addresses=made up'
}

# dmesg indents the further lines of a message.
indented() {
	parse "$LOGS/stacks.log"
	"$FTR" report a.dat > want 2> /dev/null
	sed -E 's/^\[ +[0-9.]+\] ( =>)/               \1/' "$LOGS/stacks.log" > dmesg.log
	parse dmesg.log
	"$FTR" report a.dat > got 2> /dev/null
	same_files "lines that dmesg indents" want got
}

two_dumps() {
	{ cat "$LOGS/events.log"; echo '[   99.000000] Oops: something else'; cat "$LOGS/function.log"; } > two.log
	sed -i '/Dumping ftrace buffer/{x;s/^/x/;/^xx$/{x;s/ftrace buffer/ftrace instance foo buffer/;x};x}' two.log
	parse two.log two.dat
	same "two dumps: status" 0 "$STATUS"
	same "two dumps: two files" "two.dat two.dat.2" "$(echo two.dat*)"
	awk_records "$LOGS/events.log" > want
	dat_records two.dat > got
	same_files "two dumps: the first" want got
	awk_records "$LOGS/function.log" > want
	dat_records two.dat.2 > got
	same_files "two dumps: the second" want got
	has "two dumps: the instance is told" "$("$FTR" info two.dat.2)" 'dumped_instance=foo'
	has "two dumps: the kernel's other lines" "$("$FTR" info --quick two.dat)" '^oops: +sysrq: Dump ftrace buffer'
}

# What stands before a dump counts from the line on that begins an oops:
# the one table of such lines that ftr oops show has, too.
before() {
	local head
	while IFS= read -r head; do
		{ echo '[    8.1] usb 1-1: new device'; echo "[    8.2] $head"
			tail -n +2 "$LOGS/events.log"; } > head.log
		parse head.log
		has "a text begins with '$head'" "$("$FTR" oops show --text a.dat 2>&1 | head -n 1)" \
			"^$(sed 's/[][()*.]/\\&/g' <<< "$head")\$"
	done <<- 'EOF'
		BUG: kernel NULL pointer dereference, address: 0000000000000000
		divide error: 0000 [#1] PREEMPT SMP
		PANIC: double fault, error_code: 0x0
		rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:
		------------[ cut here ]------------
		INFO: task insmod:136 blocked for more than 2 seconds.
		sysrq: Dump ftrace buffer
		Kernel panic - not syncing: Fatal exception
	EOF
}

# forms PART...: what takes hundreds of logs, in one process
forms() {
	"$FTR_TOP/tests/tools/oops_forms.py" "$LOGS" "$FORMATS" "$@" || FAILED=1
}

# The kernel's log has pushed out the beginning of a dump that is longer than it: what is left is a dump,
# up to where none is.
lost_heads() {
	forms heads
	has "the beginning is lost: of when the times are" "$("$FTR" info a.dat)" \
		'the last record at the time of the first line that is left'
	{ tail -n +5 "$LOGS/events.log"; cat "$LOGS/events.log"; } > both.log
	parse both.log
	same "a dump behind one whose beginning is lost" "0 2" "$STATUS $(ls a.dat* | wc -l)"
	awk_records "$LOGS/events.log" > want
	dat_records a.dat.2 > got
	same_files "a dump behind one whose beginning is lost: its records" want got
	{ echo '[    1.0] a table'; echo '[    1.0] ---------------------------------'
		cat "$LOGS/events.log"; } > table.log
	parse table.log
	same "a row of dashes in another text" "0 1" "$STATUS $(ls a.dat* | wc -l)"
}

# many_dumps N: of which each has one record, whose text is its number
many_dumps() {
	awk -v n="$1" 'BEGIN {
		dashes = "---------------------------------"
		for (i = 1; i <= n; i++)
			printf "[   %d.000000] Dumping ftrace buffer:\n[   %d.000000] %s\n" \
				"[   %d.000000]   <idle>-0         1d.h5. 100us : tick: nr=%d\n[   %d.000000] %s\n",
				i, i, dashes, i, i, i, dashes
	}'
}

# of_lines LINE...: a dump of these
of_lines() {
	local line dashes=---------------------------------
	printf '[    9.000000] %s\n' 'Dumping ftrace buffer:' $dashes
	for line; do
		case $line in
		'** '*) echo "$line";;
		*) echo "[    9.000000] $line";;
		esac
	done
	echo "[    9.000000] $dashes"
}

# names_of LINE...: tasks of the records of a dump
names_of() {
	of_lines "$@" > x.log
	parse x.log
	"$FTR" report a.dat 2> /dev/null | sed -E 's/^ +//; s/ +\[.*//' | paste -sd ' '
}

# The kernel prints the name that a pid has when it writes the dump, and cuts it to eight characters; what the texts of
# events say may be of another time.
names() {
	local fork='1d.h5. 1us : sched_process_fork: comm=bash pid=100 child_comm=bash child_pid=155'
	local waking='1..... 1us : sched_waking: comm'
	same "a name beside a record counts more than one in a text" 'bash-100 insmod-155' \
		"$(names_of "    bash-100       $fork" '  insmod-155       1..... 2us : e: x')"
	same "a name beside a record, before the text" 'insmod-155 bash-100' \
		"$(names_of '  insmod-155       1..... 1us : e: x' "    bash-100       ${fork/1us/2us}")"
	same "a name that is cut: the text has the whole" 'kworker/0:1-ev-55' \
		"$(names_of "kworker/-55        $waking=kworker/0:1-ev pid=55 prio=120 target_cpu=001")"
	same "a name that is cut: not the text's, which begins otherwise" 'kworker/-55' \
		"$(names_of "kworker/-55        $waking=kthreadd pid=55 prio=120 target_cpu=001")"
	same "a name of seven characters is whole" 'kworker-55' \
		"$(names_of " kworker-55        $waking=kworker/0:1-ev pid=55 prio=120 target_cpu=001")"
	same "no name beside the record: that of the text" 'kworker/0:1-ev-55' \
		"$(names_of "   <...>-55        $waking=kworker/0:1-ev pid=55 prio=120 target_cpu=001")"
}

# Something between the kernel and the file has changed the order of lines, or dropped some.
orders() {
	of_lines '  <idle>-0         0..s1. 1000us : e: a' '  <idle>-0         1..s1. 5000us : e: b' \
		'  <idle>-0         0..s1. 3000us : e: c' '  <idle>-0         0..s1. 2000us : e: d' > x.log
	parse x.log
	same "records out of order: each CPU's by time" '0 a d c b' \
		"$STATUS $("$FTR" report a.dat | sed 's/.* //' | paste -sd ' ')"
	has "records out of order: it is said" "$(cat err)" "1 record of a dump after later ones of the same CPU"
	of_lines '  <idle>-0         0..s1. 1000us : e: a' '  <idle>-0         1..s1. 5000us : e: b' > x.log
	parse x.log
	same "CPUs may be behind each other" '0 0' "$STATUS $(grep -c behind err)"
	of_lines '  <idle>-0         0..s1. 1000us : e: a' '  <idle>-0         1..s1. 1000us : e: b' \
		'** 7 printk messages dropped **' '** 3 printk messages dropped **' \
		'  <idle>-0         0..s1. 2000us : e: c' '  <idle>-0         1..s1. 2000us : e: d' \
		'  <idle>-0         0..s1. 3000us : e: f' > x.log
	parse x.log
	has "lines that the log dropped: status, and how many" "$STATUS $(tail -n 1 err)" \
		'^3 .*has dropped 10 lines of a dump'
	same "lines that the log dropped: a loss of unknown number on each CPU" 'a b LOST c LOST d f' \
		"$("$FTR" report a.dat | sed 's/.*EVENTS DROPPED.*/LOST/; s/.* //' | paste -sd ' ')"
	{ of_lines '  <idle>-0         0..s1. 1000us : e: a'
		printf '[    9.000000] %s\n' 'Dumping ftrace buffer:' '   (ftrace buffer empty)'; } > x.log
	parse x.log
	same "an empty dump behind another makes no file" '0 a.dat' "$STATUS $(echo a.dat*)"
	has "an empty dump behind another: it is said" "$(cat err)" '1 more dump without records'
	{ printf 'Booting from ROM..'
		of_lines '  <idle>-0         0..s1. 1000us : e: a' | sed '2s/^/[  OK  ] Started it./'; } > x.log
	parse x.log
	same "lines behind those of others, which have no end" '0 a' \
		"$STATUS $("$FTR" report a.dat | sed 's/.* //' | paste -sd ' ')"
}

# The rows of dashes stand elsewhere, or are lost: MOVED has the lines of a log in another order.
dashes() {
	local name moved
	of_lines 'CPU:0 [LOST 7 EVENTS]' '  <idle>-0         0..s1. 1000us : e: a' \
		'  <idle>-0         0..s1. 2000us : e: b' > lines
	echo '[    9.000000] RIP: 0010:f+0x1/0x2' >> lines
	while IFS='|' read -r name moved; do
		for line in $moved; do sed -n "${line}p" lines; done > x.log
		parse x.log
		same "dashes: $name" "0 a b RIP: 0010:f+0x1/0x2" \
			"$STATUS $("$FTR" report a.dat | sed '/EVENTS DROPPED/d; s/.* //' | paste -sd ' ') $(
				"$FTR" oops show --text a.dat 2> /dev/null | tail -n 1)"
	done <<- 'EOF'
		as the kernel has it|1 2 3 4 5 6 7
		the first behind a loss|1 3 2 4 5 6 7
		the first behind a record|1 4 3 2 5 6 7
		the first before the head|2 1 3 4 5 6 7
		the first is lost|1 3 4 5 6 7
	EOF
}

# The last moments count: of many dumps the last ones.
many() {
	many_dumps 64 > many.log
	parse many.log
	same "64 dumps: all" "0 64" "$STATUS $(ls a.dat* | wc -l)"
	many_dumps 100 > many.log
	parse many.log
	same "100 dumps: 64 of them" "3 64" "$STATUS $(ls a.dat* | wc -l)"
	has "100 dumps: it is said" "$(cat err)" "'many.log' has 100 dumps: the first 36 are left out"
	same "100 dumps: the last ones" "nr=37 nr=100" \
		"$(for f in a.dat a.dat.64; do "$FTR" report "$f"; done | grep -o 'nr=.*' | xargs)"
}

# A file can have 65,436 types of events besides ftrace's: those beyond 16,384 names share one.
many_events() {
	local n=${1:-17000}
	awk -v n="$n" 'BEGIN {
		dashes = "---------------------------------"
		print "[    9.000000] Dumping ftrace buffer:\n[    9.000000] " dashes
		for (i = 0; i < n; i++)
			printf "[    9.000000]   <idle>-0         1d.h5. %dus : e%d: nr=%d\n", i + 1, i, i
		print "[    9.000000] " dashes
	}' > events.log
	python3 -c '
import resource, subprocess, sys
print(subprocess.run(sys.argv[1:]).returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
	' "$FTR" oops parse events.log -o a.dat --formats "$FORMATS" > out 2> err
	same "$n events: status" 0 "$(cut -d' ' -f1 out)"
	has "$n events: it is said" "$(cat err)" "$((n - 16384)) of too many events: 'other_event'"
	"$FTR" report a.dat | sed -E 's/^.*\] [^ ]+ +[0-9.]+: //; s/other_event: *//; s/: +/: /' > got
	awk -v n="$n" 'BEGIN { for (i = 0; i < n; i++) print "e" i ": nr=" i }' > want
	same_files "$n events: all records, with their names" want got
	[ "${FTR_IS_SAN:-}" = 1 ] ||
		check "$n events: at most 100 MiB: $(cut -d' ' -f2 out) KiB" test "$(cut -d' ' -f2 out)" -lt 102400
}

damage() {
	sed '20s/us/xx/; 30s/.*/[    6.5] something else/' "$LOGS/events.log" > bad.log
	parse bad.log
	same "lines that fit nothing: status" 3 "$STATUS"
	has "lines that fit nothing: counted, and the first is named" "$(cat err)" \
		"2 lines of a dump are not understood, the first is line 20"
	has "the others are there" "$(cat err)" '108 records'
	: > empty.log
	parse empty.log
	same "a log without a dump" "1 ftr: 'empty.log' has no trace" "$STATUS $(head -n 1 err | cut -d: -f1,2)"
	parse nowhere.log
	same "no log" "1 ftr: cannot open 'nowhere.log': No such file or directory" "$STATUS $(head -n 1 err)"
	"$FTR" oops parse "$LOGS/events.log" > out 2> err
	same "no -o" 2 $?
	"$FTR" oops parse - -o a.dat --formats "$FORMATS" < "$LOGS/events.log" 2> err
	has "standard input" "$(cat err)" '110 records'
	printf '[    1.0] Dumping ftrace buffer:\n[    1.0]    (ftrace buffer empty)\n' > none.log
	parse none.log
	has "an empty dump" "$STATUS $(cat err)" '^0 .* 0 records'
	sed 's/sched_waking: /sched_waking: \x1b[31m\xff /' "$LOGS/events.log" > evil.log
	parse evil.log
	"$FTR" report a.dat 2> /dev/null | LC_ALL=C grep -q $'\x1b' && fail "escapes do not get to the terminal"
	pass "escapes do not get to the terminal"
	dat_texts a.dat | grep -c 'sched_waking .x1b\[31m.xff comm=' > got
	grep -c 'sched_waking:' "$LOGS/events.log" > want
	same_files "they are in the text of the event" want got
}

# flags COLUMNS WANTED: those that a line with these columns has
flags() {
	printf '%s\n' 'Dumping ftrace buffer:' '---------------------------------' \
		"    bash-1234    0$1 14000001us : sched_waking: comm=a pid=7 prio=120 target_cpu=000" \
		"    bash-1234    0${3:-$1} 14000002us : sched_waking: comm=a pid=7 prio=120 target_cpu=000" \
		'---------------------------------' > flags.log
	parse flags.log
	same "columns of flags: $1" "0 $2" "$STATUS $("$FTR" report a.dat | awk '/000001:/ { print $3 }')"
}

# Before 5.15 there is no column for migration, and a depth may have two digits where all have four; kernels for real
# time have one for lazy preemption after need-resched, and one for its depth.
columns_of_flags() {
	flags d..2 d..2.
	flags dNh. dNh..
	flags ..sf ..sf.
	flags ..s1f ..sf1 ..s.
	flags d..2. d..2.
	flags dLh.1 dLh.1
	flags d..h1.. d.h1.
	flags dNLh3.. dBh3.
	flags d.L.2.1 dl.21
	flags dN.s11 dNs11
	flags d..h21. d.h2.
	printf '%s\n' 'Dumping ftrace buffer:' '---------------------------------' \
		'    bash-1234    0dNL.2 14000001us : x: a' '---------------------------------' > wrong.log
	parse wrong.log
	has 'five columns have none of lazy preemption' "$STATUS $(grep -c records err)" '^3 1'
	has 'its line is named' "$(cat err)" '1 line of a dump is not understood, the first is line 3'
	parse flags.log
	has 'a depth of lazy preemption is said' "$(cat err)" "'flags.log': 2 records have a preempt-lazy-depth"
}

records_of_logs
columns_of_flags
fields
formats_by_release
calls
graphs
forms prefixes
indented
two_dumps
before
forms cuts
lost_heads
names
orders
dashes
many
many_events
damage
finish
