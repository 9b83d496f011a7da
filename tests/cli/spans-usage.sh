#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr graph, profile and sched: what they print of records that were written by hand, and what they refuse.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"
cd "$TMP" || exit 1

# bash reads twice; the second read sleeps and is woken by ls. Times are nanoseconds, those of calls their own clock's.
case_file calls <<- 'END'
	0 1000000 0 . sched_switch prev_pid=0 prev_state=R next_pid=100 next_comm=bash
	0 1001000 100 . funcgraph_entry func=ksys_read depth=0
	0 1002000 100 . funcgraph_entry func=vfs_read depth=1
	0 1005000 100 . funcgraph_exit func=vfs_read depth=1 calltime=0 rettime=3000
	0 1006000 100 . funcgraph_entry func=vfs_read depth=1
	0 1006500 100 h funcgraph_entry func=kfree depth=2
	0 1007500 100 h funcgraph_exit func=kfree depth=2 calltime=0 rettime=1000
	0 1008000 100 . funcgraph_exit func=vfs_read depth=1 calltime=0 rettime=2000
	0 1009000 100 . funcgraph_entry func=schedule depth=1
	0 1010000 100 . sched_switch prev_pid=100 prev_comm=bash prev_state=S next_pid=200 next_comm=ls
	0 1030000 200 . sched_waking pid=100 comm=bash
	0 1040000 200 . sched_switch prev_pid=200 prev_comm=ls prev_state=R next_pid=100 next_comm=bash
	0 1041000 100 . funcgraph_exit func=schedule depth=1 calltime=0 rettime=32000
	0 1051000 100 . funcgraph_exit func=ksys_read depth=0 calltime=0 rettime=50000
	0 1052000 100 . funcgraph_entry func=vfs_open depth=0
END
case_file exits <<- 'END'
	0 1000000 100 . funcgraph_exit func=vfs_read depth=0 calltime=0 rettime=700
	0 1001000 100 . funcgraph_entry func=kfree depth=0
END

case_file returned <<- 'END'
	FILE retval options=funcgraph-retval
	0 1000 100 . funcgraph_entry func=ksys_read depth=0
	0 1100 100 . funcgraph_entry func=vfs_read depth=1
	0 1200 100 . funcgraph_exit func=vfs_read depth=1 calltime=0 rettime=150 retval=-11
	0 1300 100 . funcgraph_exit func=ksys_read depth=0 calltime=0 rettime=250 retval=12
END

# depths: of each row of JSON its function and how deep it is
depths() {
	python3 -c 'import json, sys; print(*(w for r in json.load(sys.stdin) for w in (r["function"], r["depth"])))'
}

# Their text, and which of them the options choose.
graph() {
	cat > want <<- 'END'
	# bash-100  0.001001000
	#  CPU   DURATION       SELF |
	    0   50.000 us  13.000 us | ksys_read() {
	    0    3.000 us   3.000 us |   vfs_read();
	    0    2.000 us   1.000 us |   vfs_read() {
	    0    1.000 us   1.000 us |     kfree(); /* hardirq */
	                             |   } /* vfs_read */
	    0   32.000 us  32.000 us |   schedule(); /* off CPU 30.000 us, woken by ls-200 */
	                             | } /* ksys_read */

	# bash-100  0.001052000
	#  CPU   DURATION       SELF |
	    0        -          -    | vfs_open() { /* open at the end */
	# in no sum: 1 open at the end
	END
	"$FTR" graph -F 'funcgraph_*' calls0.dat > got 2> err
	same "status, nothing is said" "0 " "$? $(cat err)"
	same_files "calls one inside the other" want got
	"$FTR" graph calls0.dat > got
	same "other events stand in place" \
		"    0                        |     /* sched_switch: prev_comm=bash prev_pid=100" \
		"$(grep -o '.*/. sched_switch: prev_comm=bash prev_pid=100' got)"
	same "-l" "vfs_read vfs_read" "$(names -l 'vfs_r*')"
	same "-n: what it calls moves up" "ksys_read kfree schedule vfs_open" "$(names -n vfs_read)"
	same "-g" "vfs_read vfs_read kfree" "$(names -g vfs_read)"
	same "--callers" "ksys_read vfs_read kfree" "$(names --callers kfree)"
	same "--depth" "ksys_read vfs_read vfs_read schedule vfs_open" "$(names --depth 2)"
	same "--min: what is not known is shown" "ksys_read schedule vfs_open" "$(names --min 4us)"
	same "--pid" "" "$(names --pid 200)"
	same "--until cuts what is read" "ksys_read vfs_read" "$(names --until 0.001005)"
	same "a call without a begin" "    0    0.700 us       -    | } /* vfs_read */" \
		"$("$FTR" graph exits0.dat | grep vfs_read)"
	same "--retval" "ksys_read() { vfs_read(); /* = -11 */ } /* ksys_read = 12 */" \
		"$("$FTR" graph --retval returned0.dat 2> /dev/null | tail -n +3 | sed 's/.* | *//' | tr '\n' ' ' |
			sed 's/ $//')"
	has "no --retval" "$("$FTR" graph returned0.dat 2> /dev/null)" 'vfs_read\(\);$'
}

# names OPTION...: of the calls that are opened
names() {
	"$FTR" graph -F 'funcgraph_*' "$@" calls0.dat | sed -n 's/^.*| *\([a-z_]*\)().*/\1/p' |
		tr '\n' ' ' | sed 's/ $//'
}

profile() {
	cat > want <<- 'END'
	# Total (us)  Self (us)   Off (us)   Avg (us)   Max (us)      Count   Function
	      32.000     32.000     30.000     32.000     32.000          1   schedule
	      50.000     13.000     30.000     50.000     50.000          1   ksys_read
	       5.000      4.000      0.000      2.500      3.000          2   vfs_read
	       1.000      1.000      0.000      1.000      1.000          1   kfree
	       0.000      0.000      0.000      0.000      0.000          1   vfs_open
	# in no sum: 1 open at the end
	END
	"$FTR" profile calls0.dat > got 2> err
	same "status, nothing is said" "0 " "$? $(cat err)"
	same_files "the largest self time first; off, as there are switches" want got
	same "--sort total" "ksys_read schedule vfs_read kfree vfs_open" \
		"$("$FTR" profile --sort total calls0.dat | awk '!/^#/ { print $NF }' | xargs)"
	same "no switches: no column off" '# Total (us)  Self (us)   Avg (us)   Max (us)      Count   Function' \
		"$("$FTR" profile exits0.dat | head -n 1)"
	same "-l, a glob and a name" "ksys_read vfs_read" \
		"$("$FTR" profile -l 'ksys*' -l vfs_read calls0.dat | awk '!/^#/ { print $NF }' | xargs)"
	same "latency of a function: the calls that -l selects" "$("$FTR" profile --csv -l vfs_read \
		--fields count,total,max calls0.dat | sed -n 's/vfs_read,//p')" \
		"$("$FTR" latency vfs_read --json calls0.dat | python3 -c 'import json, sys
g = json.load(sys.stdin)["groups"][0]
print(g["count"], g["sum"], g["max"], sep=",")')"
	same "own columns as CSV, in nanoseconds" "function,count,self,irq,off,min,p50
ksys_read,1,13000,0,30000,50000,50000
schedule,1,32000,0,30000,32000,32000
vfs_read,2,4000,1000,0,2000,2000" "$("$FTR" profile --csv --sort total \
		--fields count,self,irq,off,min,p50 calls0.dat | head -4 |
		sed 's/20[01][0-9]$/2000/')"
	same "--on-cpu" "ksys_read,20000" \
		"$("$FTR" profile --on-cpu --csv --sort total --fields total calls0.dat | sed -n 2p)"
	same "--by task: interrupts are nobody's" "bash-100,50000 <hardirq>,1000" \
		"$("$FTR" profile --by task --csv --fields total calls0.dat | tail -n +2 | tr '\n' ' ' | sed 's/ $//')"
	same "--sort" "vfs_read" "$("$FTR" profile --csv --sort count --fields count calls0.dat | sed -n '2s/,.*//p')"
	same "--tree: the way to each" "ksys_read 0 schedule 1 vfs_read 1 kfree 0 vfs_open 0" \
		"$("$FTR" profile --tree --json calls0.dat | depths)"
	same "--callers" "vfs_read 0 ksys_read 1" "$("$FTR" profile --callers vfs_read --json calls0.dat | depths)"
	same "--pair: from event to event of a field" "slept,5,30000" "$("$FTR" profile --csv --fields count,total \
		--pair slept=sched:sched_switch,sched:sched_switch,prev_pid=next_pid calls0.dat | tail -n 1)"
}

sched() {
	"$FTR" sched latency --wide calls0.dat > got
	same "latency: runtime, switches, delay" "bash:100 | 0.022 ms | 2 | avg: 0.010 ms | max: 0.010 ms" \
		"$(grep bash got | tr -s ' ' | sed 's/^ //; s/ | max start.*//')"
	same "latency: when" "max start: 0.001030 s | max end: 0.001040 s" \
		"$(grep bash got | tr -s ' ' | grep -o 'max start.*')"
	"$FTR" sched timehist --pid 100 calls0.dat > got
	same "timehist: wait, delay, run" "0.001010 [0000] bash[100] - - 0.010 -" \
		"$(tail -n 1 got | tr -s ' ' | sed 's/^ //')"
	same "states as JSON" "22000 20000 10000" "$("$FTR" sched states --json calls0.dat | python3 -c '
import json, sys
states = [t for t in json.load(sys.stdin)["tasks"] if t["pid"] == 100][0]["states"]
print(states["running"]["time"], states["S"]["time"], states["runnable"]["time"])')"
}

refused() {
	local w='ftr: '
	same "no sched_switch" "1 ${w}no sched_switch in 'exits0.dat'" "$(complains sched states exits0.dat)"
	same "--on-cpu without it" "1 ${w}no sched_switch in 'exits0.dat'" "$(complains profile --on-cpu exits0.dat)"
	same "no such records" "1 ${w}no records of irq in 'calls0.dat'" "$(complains graph --kind irq calls0.dat)"
	same "nothing in the range" "1 ${w}no such records between --since and --until in 'calls0.dat'" \
		"$(complains graph --since 5 calls0.dat)"
	same "no kind" "2 ${w}unknown kind 'calls'" "$(complains profile --kind calls calls0.dat)"
	complains profile --kind sycall calls0.dat > /dev/null
	has "the kind that was meant" "$(cat err)" "did you mean 'syscall'?"
	same "two kinds in a graph" "2 ${w}a graph shows one kind of spans" \
		"$(complains graph --kind irq,softirq calls0.dat)"
	same "no column" "2 ${w}unknown column 'p0'" "$(complains profile --fields p0 calls0.dat)"
	same "no order of tasks" "2 ${w}--sort does not take 'min'" "$(complains sched latency --sort min calls0.dat)"
	has "the words that it takes" "$(cat err)" "there are: avg, max, runtime, switches"
	same "no rows" "2 ${w}--by does not take 'x'" "$(complains profile --by x calls0.dat)"
	python3 - "$ORACLE" <<- 'EOF' > big.dat
		import sys
		sys.path[:0] = [sys.argv[1]]
		import growth_views as views
		call = {"func": views.M.func(0), "depth": 0, "calltime": 100, "rettime": (1 << 63) + 99}
		events = [views.entry(0, 7, views.M.func(0)), (1000, "funcgraph_exit", 7, call, b"")]
		sys.stdout.buffer.write(views.file_of(events).write())
	EOF
	same "the longest duration: columns are apart" '    0 9223372036854776 us 9223372036854776 us | vfs_read();' \
		"$("$FTR" graph big.dat | tail -n 1)"
	same "no pair" "2 ${w}'x=a:b' is not a pair of events" "$(complains profile --pair x=a:b calls0.dat)"
	same "a pair of no event" "1 ${w}no event 'a:b' for --pair" "$(complains profile --pair x=a:b,c:d calls0.dat)"
	same "no instance" "1 ${w}no instance 'x' in 'calls0.dat'" "$(complains profile -B x calls0.dat)"
	same "no file" 1 "$(complains graph none.dat | cut -d' ' -f1)"
	"$FTR" graph calls0.dat 2> err > /dev/full
	same "a full disk" "3 ${w}cannot write to standard output: No space left on device" "$? $(head -n 1 err)"
	"$FTR" profile calls0.dat 2> err > /dev/full
	same "also of profile" 3 $?
	"$FTR" graph calls0.dat 2> err | head -n 1 > /dev/null
	same "a reader that stops" "0 " "${PIPESTATUS[0]} $(cat err)"
}

# Cut anywhere, all three end as report does: 0 or 3, or 1 for a file without what is asked for.
damaged() {
	local size at command bad=
	size=$(stat -c %s calls0.dat)
	for at in $(seq 200 $(((size - 200) / 12)) "$size"); do
		head -c "$at" calls0.dat > cut.dat
		for command in graph profile "sched states"; do
			# shellcheck disable=SC2086
			"$FTR" $command cut.dat > out 2> err
			case $? in 0 | 1 | 3) ;; *) bad="$bad $command:$at" ;; esac
		done
	done
	same "a file that was cut" "" "$bad"
}

graph
profile
sched
refused
damaged
finish
