#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# builds: plain
# Kinds of texts with records of a trace: the kernel's with all options, trace-cmd report, ftr report, perf script. What
# is read of a text is compared with the file that it shows, or by regular expressions with the text itself.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"
. "$FTR_TOP/tests/tools/trace_cmd.sh"
cd "$TMP" || exit 1
TEXTS=$FTR_TOP/tests/cases/texts
COMPARE=$FTR_TOP/tests/oracle/text_records.py

# read_text TEXT: reads it into b.dat, and its records into b.json; what is said is in err
read_text() {
	rm -f b.dat*
	"$FTR" oops parse "$1" -o b.dat > out 2> err
	STATUS=$?
	"$FTR" report -q --json b.dat > b.json 2> /dev/null
}

# same_records NAME DIGITS: the records of the text r.txt are those of a.json
same_records() {
	read_text r.txt
	same "$1: as many records" "$(wc -l < a.json)" "$(sed -nE "s/^ftr: 'b.dat': ([0-9]+) records?.*/\1/p" err)"
	same "$1: CPU, pid, event and time of each" "$(wc -l < a.json) records are the same" \
		"$(python3 "$COMPARE" files a.json b.json "$2")"
}

# of_fixture NAME: the texts of a file that others recorded
of_fixture() {
	local how digits
	xz -dc "$FTR_FIXTURES_DIR/$1.dat.xz" > f.dat
	"$FTR" report -q --json f.dat > a.json 2> /dev/null
	"$FTR" report -q f.dat > r.txt 2> /dev/null
	python3 "$COMPARE" perf a.json r.txt > perf.txt
	same_records "$1, ftr report" 6
	mv perf.txt r.txt
	same_records "$1, perf script" 9
	command -v trace-cmd > /dev/null || { skip "$1, trace-cmd report" 'no trace-cmd'; return; }
	for how in '' -l -R -t; do
		[ "$how" = -t ] && digits=9 || digits=6
		# shellcheck disable=SC2086
		trace_cmd_report -i f.dat $how > r.txt
		same_records "$1, trace-cmd report $how" $digits
	done
}

fixtures() {
	local f
	for f in lisa-sched-load-64le trappy-raw-64le trappy-trace-32le trappy-extends-32le trappy-u32-array-32le; do
		[ -e "$FTR_FIXTURES_DIR/$f.dat.xz" ] || { skip "$f" "no folder $FTR_FIXTURES_DIR"; continue; }
		of_fixture $f
	done
}

# Lines of several files become one file each.
two_files() {
	local f=lisa-sched-load-64le g=trappy-raw-64le
	[ -d "$FTR_FIXTURES_DIR" ] || { skip 'two files' "no folder $FTR_FIXTURES_DIR"; return; }
	command -v trace-cmd > /dev/null || { skip 'two files' 'no trace-cmd'; return; }
	xz -dc "$FTR_FIXTURES_DIR/$f.dat.xz" > one.dat
	xz -dc "$FTR_FIXTURES_DIR/$g.dat.xz" > another.dat
	trace_cmd_report -i one.dat -i another.dat > r.txt
	read_text r.txt
	same 'two files in one text: the records of each' '3724 757' \
		"$(for f in b.dat b.dat.2; do "$FTR" report -q --raw $f 2> /dev/null | wc -l; done | xargs)"
}

# Frames of a stack have no name of a file before them.
two_files_with_stacks() {
	printf '%s\n' 'a.dat: cpus=1' ' long: cpus=1' \
		'a.dat:             bash-12    [000]     2.000001: kernel_stack:         <stack trace >' \
		'=> vfs_read (ffffffff81000000)' '=> ksys_read (ffffffff81000100)' \
		' long:             bash-13    [000]     2.000002: function:             vfs_open <-- do_open' > r.txt
	read_text r.txt
	same 'two files, one with a stack: status' 0 $STATUS
	same 'its frames' ' => vfs_read => ksys_read' "$("$FTR" report -q b.dat | grep '^ => ' | tr -d '\n')"
	has 'and the record of the other' "$("$FTR" report -q b.dat.2)" 'function: +vfs_open <-do_open$'
}

# The kernel's file trace, by options and tracers.
kernels() {
	local kernel name
	for kernel in 6.1 6.12-rt 7.2; do
		rm -rf parts
		mkdir parts
		awk '/^@@FILE / { f = "parts/" $2; next } { print > f }' "$TEXTS/$kernel.txt"
		for name in parts/*; do
			read_text "$name"
			python3 "$COMPARE" text "$name" b.json > got
			case $name in
			*/raw | */hex | */nocontext)
				same "$kernel, ${name#*/}: nothing is understood" 3 $STATUS
				has "$kernel, ${name#*/}: it says so" "$(cat err)" 'of a dump are not understood'
				;;
			*)
				has "$kernel, ${name#*/}: CPU, pid, event, flags, time of each record" "$(cat got)" \
					'^[1-9][0-9]* records are the same$'
				;;
			esac
			case $name in
			*/raw | */hex | */nocontext) ;;
			*) same "$kernel, ${name#*/}: all lines are understood" 0 "$(grep -c 'not understood' err)" ;;
			esac
		done
	done
}

# Columns that are off: what is missing is said.
missing_columns() {
	awk '/^@@FILE / { f = "col." $2; next } { print > f }' "$TEXTS/7.2.txt"
	read_text col.fg-nocpu
	has 'without the column of CPUs it is said' "$(cat err)" 'records have no CPU, and all of them are on CPU 0'
	has 'and that they have no task' "$(cat err)" 'records have no task'
	same 'its pid is none of a kernel' 4194305 "$(jq -r .pid b.json | sort -u | xargs)"
	read_text col.fg-nodur
	has 'without the column of durations it is said' "$(cat err)" 'calls have no duration: 0 stands for it'
	read_text col.noirq
	has 'without irq-info it is said' "$(cat err)" 'records have no flags'
	read_text col.fg-args
	same 'arguments of calls are known' 0 "$(grep -c 'have arguments' err)"
	"$FTR" report -q b.dat > report 2> /dev/null
	has 'a call has them' "$(cat report)" '\|  kmem_cache_free\(s=0xffff888004844d00, x=0xffff888006489620\) \{'
	read_text col.func-offset
	has 'a function without its address' "$("$FTR" report -q b.dat)" 'function: +kmem_cache_free <-__fput'
}

# A mark of several lines, in a graph a comment.
marks() {
	printf '%s\n' '# tracer: nop' \
		'    bash-12      [000] ...1.     1.000001: tracing_mark_write: one' 'two' '  three: x' \
		'    bash-12      [000] ...1.     1.000002: x: a' > r.txt
	read_text r.txt
	same 'a mark of three lines is one record: status' 0 $STATUS
	has 'and has its lines' "$("$FTR" report -q b.dat)" 'one.x0atwo.x0a  three: x$'
	printf '%s\n' '# tracer: function_graph' ' 0)               |  vfs_write() {' \
		' 0)               |    /* one' 'two */' ' 0)   1.000 us    |  }' > r.txt
	read_text r.txt
	same 'a mark in a graph: status' 0 $STATUS
	has 'it has its lines' "$("$FTR" report -q b.dat)" 'one.x0atwo$'
}

# perf RECORD TEXT...: the first record of lines of perf script
perf_as() {
	local wanted=$1
	shift
	printf '%s\n' "$@" > r.txt
	read_text r.txt
	same "perf: $1" "$wanted" \
		"$("$FTR" report -q -t b.dat | head -n 1 | sed -E 's/^ +//; s/ +/ /g; s/ $//')"
}

perf_texts() {
	local f body='comm=a pid=7 prio=120 target_cpu=002'
	for f in perf perf-ns perf-no-cpu; do
		read_text "$TEXTS/$f.txt"
		awk '{ sub(/ prev_comm=.*/, ""); sub(/ +1 sched:/, " sched:"); print $(NF - 1) }' "$TEXTS/$f.txt" |
			tr -d .: | sed -E 's/^([0-9]{11})$/\1000/' > want
		jq -r .ts b.json | sed -E "$([ $f = perf-ns ] || echo 's/...$/000/')" > got
		same_files "$f: times" want got
		sed -nE 's/^ +(\S+) +([0-9]+).*/\2/p' "$TEXTS/$f.txt" | sed 's/[^0-9]//g' > want
		jq -r .pid b.json > got
		same_files "$f: tasks" want got
	done
	has 'without a CPU it is said' "$(cat err)" '6 records have no CPU, and all of them are on CPU 0'
	has 'flags are not in such a text' "$(cat err)" '6 records have no flags'
	read_text "$TEXTS/perf-stack.txt"
	same 'a stack of perf is one of the kernel and one of the program' 'sched_switch kernel_stack user_stack' \
		"$(jq -r .event b.json | xargs)"
	same 'its frames' "$(grep -c '^.ffff' "$TEXTS/perf-stack.txt")" "$("$FTR" report -q b.dat | grep -c '^ => ')"
	perf_as "a b 3-7871 [001] 5.000001002: sched_waking: $body" \
		"           a b 3  7870/7871  [001]     5.000001002:          1 sched:sched_waking: $body"
	perf_as 'bash-12 [001] 5.000001000: cpu_clock:' \
		'            bash    12 [001]     5.000001:     250000 cpu-clock:ppp: ' \
		'	ffffffff81000000 f+0x1 ([kernel.kallsyms])'
	perf_as 'bash-12 [001] 5.000001000: readline: (55aa)' \
		'            bash    12 [001]     5.000001: probe_bash:readline: (55aa)'
}

# flags LINE... -- FLAGS...: what the last lines of the text have for flags, as report prints them
flags() {
	local lines=()
	while [ "$1" != -- ]; do
		lines+=("$1")
		shift
	done
	shift
	printf '%s\n' "${lines[@]}" > r.txt
	read_text r.txt
	same "flags: ${lines[-1]}" "$*" "$(jq -r .flags b.json | xargs)"
}

# header WORD...: the lines of a header that name these columns
header() {
	local word
	echo '# tracer: nop'
	echo '#'
	for word in "$@"; do
		echo "#                              ||| _---=> $word"
	done
	echo '#           TASK-PID   CPU#  ||||    TIMESTAMP  FUNCTION'
}

at() { # at FLAGS: a line with them
	echo "            bash-12    [002] $1 2.000001: sched_waking: comm=a pid=7 prio=120 target_cpu=002"
}

flag_columns() {
	local old=(irqs-off need-resched hardirq/softirq preempt-depth)
	local rt=(irqs-off need-resched need-resched_lazy hardirq/softirq preempt-depth preempt-lazy-depth)
	# 3.18 to 5.14: a depth over 15 has two digits
	flags "$(header "${old[@]}")" "$(at dNh2)" "$(at ...1f)" "$(at ....)" -- dNh2. ...f1 .....
	flags "$(header "${old[@]}")" "$(at dNh2)" "$(at ..s1f)" -- dNh2. ..sf1
	# 5.15 and later
	flags "$(header irqs-off/BH-disabled "${old[@]:1}" migrate-disable)" "$(at bNh21)" "$(at ....1)" -- bNh21 ....1
	# the patches for real time, 3.12 to 5.x, and to 6.x
	flags "$(header "${rt[@]}" migrate-disable)" "$(at dN.h2.1)" "$(at ..L.1..)" -- dNh21 .l.1.
	flags "$(header "${rt[@]:0:5}" migrate-disable)" "$(at dN.h21)" -- dNh21
	flags "$(header "${rt[@]:0:5}")" "$(at dNLh2)" -- dBh2.
	# a header of osnoise names more columns than there are
	flags "$(header "${rt[@]}" migrate-disable)" "$(at dNh21)" -- dNh21
	# without a header: by what fits all lines
	flags "$(at ...21)" "$(at ....1)" -- ...21 ....1
	flags "$(at dNh1)" "$(at ...1f)" -- dNh1. ...f1
	flags "$(at dN.h1)" "$(at .....)" -- dNh1. .....
	flags "$(at ....1)" "$(at d....)" -- null null
	has 'two readings: no flags are taken, and it is said' "$(cat err)" \
		"2 records have no flags: the last of five columns .* preempt-depth or migrate-disable"
	flags "$(at ..h.1)" "$(at ...h1)" -- null null
	has 'two orders: no flags are taken, and it is said' "$(cat err)" 'five columns of flags in two orders'
	flags "$(at .....)" "$(at d....)" -- ..... d....
	same 'nothing is said where both readings are the same' 0 "$(grep -c 'no flags' err)"
	flags "$(at X..1.)" -- null
	has 'the state of interrupts may be unknown' "$(cat err)" '1 record has no flags'
}

# The version in the lines of a log decides.
flag_versions() {
	local version
	for version in 5.10.0 6.1.0; do
		printf '[    1.000000] %s\n' "CPU: 2 PID: 12 Comm: bash Not tainted $version #1" \
			'Dumping ftrace buffer:' \
			--------------------------------- '    bash-12      2....1   14000us : x: a' \
			--------------------------------- > r.txt
		read_text r.txt
		[ $version = 5.10.0 ] && same '5.10: its flags are no other kernel'"'"'s' '3' $STATUS ||
			same '6.1: the last of five columns is migrate-disable' ....1 "$(jq -r .flags b.json)"
	done
}

# lost WANTED LINE...: what report prints of the losses of a text
lost() {
	local wanted=$1
	shift
	printf '%s\n' "$@" > r.txt
	read_text r.txt
	same "losses: $2" "$wanted" "$("$FTR" report -q b.dat 2> /dev/null | grep '^CPU')"
	same "losses: $2: status" 0 $STATUS
}

losses() {
	local one='            bash-12    [001] d..2. 2.000001: x: a'
	local more='            bash-12    [001] d..2. 2.000002: x: b'
	lost 'CPU:1 [7951 EVENTS DROPPED]' "$one" 'CPU:1 [LOST 7951 EVENTS]' "$more"
	lost 'CPU:1 [EVENTS DROPPED]' "$one" 'CPU:1 [LOST EVENTS]' "$more"
	lost 'CPU:1 [7951 EVENTS DROPPED]' 'cpus=2' 'CPU 0 is empty' "$one" 'CPU:1 [7951 EVENTS DROPPED]' "$more"
	lost 'CPU:1 [EVENTS DROPPED]' 'cpus=2' "$one" 'CPU:1 [EVENTS DROPPED]' "$more"
	lost '' "$one" '##### CPU 1 buffer started ####' "$more"
}

# More records of one microsecond than it has nanoseconds stay in their order.
crowded() {
	awk 'BEGIN { for (i = 0; i < 2500; i++) print "            bash-12    [001] d..2. 2.000001: x: n" i }' > r.txt
	read_text r.txt
	"$FTR" report -q b.dat | grep -o 'n[0-9]*$' > got
	grep -o 'n[0-9]*$' r.txt > want
	same_files '2,500 records of one microsecond stay in their order' want got
	same 'and none is later than that' 1 "$(jq -r '.ts / 1000 | floor' b.json | sort -u | wc -l)"
}

# The option blk_classic of the tracer blk has other columns. "802 " starts the names of tasks, and compressed data.
classic() {
	printf '%s\n' '# tracer: blk' '#' '# DEV   CPU TIMESTAMP     PID ACT FLG' \
		'  7,0    0    78.996036404   802  Q  RM 3472 + 2 [dd]' \
		'  7,0    1    78.996407317    27  C  RM 3472 + 2 [0]' \
		'259,123  0    79.002320000   802 UT   N [kworker/u8:0-e] 2' > r.txt
	read_text r.txt
	same 'blk_classic: status' 0 $STATUS
	cat > want <<- 'END'
		78996036404 0 802 kworker/u8:0-e blktrace 7,0    Q  RM 3472 + 2 [dd]
		78996407317 1 27 <...> blktrace 7,0    C  RM 3472 + 2 [0]
		79002320000 0 802 kworker/u8:0-e blktrace 259,123 UT   N [kworker/u8:0-e] 2
	END
	jq -r '"\(.ts) \(.cpu) \(.pid) \(.comm) \(.event) \(.fields.text)"' b.json > got
	same_files 'blk_classic: time, CPU, pid, name, text' want got
	sed 1,3d r.txt > pipe.txt
	read_text pipe.txt
	same 'blk_classic without a header' 3 "$(wc -l < b.json)"
}

# A text that is parsed by several threads has the records of its parts.
long_text() {
	awk 'BEGIN { for (i = 0; i < 40000; i++)
		printf "%16s-%-7d [%03d] d..2. %5d.%06d: sched_waking: comm=t%d pid=%d prio=120 target_cpu=%03d\n",
			"w" i % 300, i % 300 + 1, i % 4, 100 + i / 1000, i % 1000 * 1000, i % 77, i % 77 + 400,
			i % 4 }' > r.txt
	read_text r.txt
	same 'a long text: as many records' 40000 "$(wc -l < b.json)"
	has 'CPU, pid, event, flags, time of each' "$(python3 "$COMPARE" text r.txt b.json)" \
		'^40000 records are the same$'
	cp b.dat many.dat
	rm b.dat
	taskset -c "$(taskset -pc $$ | sed -E 's/.*: ([0-9]+).*/\1/')" "$FTR" oops parse r.txt -o b.dat 2> err
	"$FTR" report -q b.dat > want
	"$FTR" report -q many.dat > got
	same_files 'one CPU makes the same file' want got
}

# A text without a trace: the line that comes nearest is named.
nearest() {
	printf '%s\n' one two 'the log has Dumping ftrace but no more' three > prose
	"$FTR" oops parse prose -o p.dat 2> err
	same 'prose: status' 1 $?
	has 'the nearest line' "$(cat err)" 'line 3 is like the head of a dump'
	printf '%s\n' one 'Nov 28 host prog: bash-12 [001] d..2. 2.000001: x: a' three four five > prose
	"$FTR" oops parse prose -o p.dat 2> err
	has 'a line that is like a record' "$(cat err)" 'line 2 is like a record'
}

# Other places of a trace: after what atrace prints, in kdb.
places() {
	printf '%s\n' 'capturing trace... done' 'TRACE:' '# tracer: nop' '#' \
		'          <idle>-0     (-----) [002] .n.1 223230.807255: cpu_idle: state=4294967295 cpu_id=2' \
		'    RenderThread-2741  ( 2689) [004] ...1 223230.807300: tracing_mark_write: B|2689|DrawFrame' > r.txt
	read_text r.txt
	same 'atrace: status' 0 $STATUS
	same 'atrace: records' '2 0 .N.1. 4 2741 ...1.' "$(jq -r '"\(.cpu) \(.pid) \(.flags)"' b.json | xargs)"
	printf '%s\n' '[1]kdb> ftdump 1' 'Dumping ftrace buffer:' '(skipping 1 entries)' \
		--------------------------------- '    bash-12      2d..1.   14000us : sched_waking: comm=a pid=7' \
		--------------------------------- '[1]kdb> ' > r.txt
	read_text r.txt
	same 'ftdump of kdb: status' 0 $STATUS
	same 'ftdump of kdb: the record' '2 12 d..1. sched_waking' \
		"$(jq -r '"\(.cpu) \(.pid) \(.flags) \(.event)"' b.json)"
}

fixtures
two_files
two_files_with_stacks
losses
crowded
classic
long_text
nearest
kernels
missing_columns
marks
perf_texts
flag_columns
flag_versions
places
finish
