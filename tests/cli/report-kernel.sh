#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr report --format=kernel on chosen records: lines worked out by hand from the kernel's formats.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"
MAKE=$FTR_TOP/tests/oracle/mkkernel.py

# text SCENE [KEY=VALUE...]: a file of these records, as the kernel's lines
text() {
	python3 "$MAKE" "$TMP/a.dat" "$@" && "$FTR" report -q --format=kernel "$TMP/a.dat" 2> /dev/null
}

# lines NAME SCENE [KEY=VALUE...]: the wanted text is on stdin
lines() {
	local name=$1
	shift
	cat > "$TMP/want"
	text "$@" > "$TMP/got"
	same_files "$name" "$TMP/want" "$TMP/got"
}

# piece NAME WANTED LINES SCENE [KEY=VALUE...]: only some lines of it, as sed names them
piece() {
	local name=$1 want=$2 which=$3
	shift 3
	same "$name" "$want" "$(text "$@" | sed -n "${which}p")"
}

plain() {
	local esc=$'\033' waking='sched_waking: comm=ls pid=4001 prio=120 target_cpu=001'
	lines "nop: padding, flags, rounded time, stack, markers" plain <<-EOT
	            bash-512     [000] .....  1234.000000: $waking
	          <idle>-0       [001] d..2.  1234.000001: $waking
	       mount.nfs-1234    [000] .nh.1  1234.000002: $waking
	           <...>-99999   [001] .NH..  1234.000002: $waking
	        last-pid-4194303 [000] .....  1234.000012: vfs_open <-ksys_read
	            bash-512     [000] .....  1234.000013: <stack trace>
	 => vfs_open
	 => ksys_read
	         a b-1 c-777     [000] .....  1234.000014: vfs_read: line
	         a b-1 c-777     [000] .....  1234.000015: vfs_read: no end\
         a b-1 c-777     [000] .....  1234.000016: vfs_read: a${esc}b
	            bash-512     [002] D..f3  1234.002000: $waking
	EOT
	piece "nocontext-info" "$waking" 1 plain trace_options=nocontext-info
	piece "noirq-info" "            bash-512     [000]   1234.000000: $waking" 1 \
		plain trace_options=noirq-info
	piece "record-tgid, known" \
		"            bash-512     (    511) [000] .....  1234.000000: $waking" 1 \
		plain trace_options=record-tgid 'saved_tgids=512 511;1 1'
	piece "record-tgid, unknown" \
		"            bash-512     (-------) [000] .....  1234.000000: $waking" 1 \
		plain trace_options=record-tgid
	piece "noprint-parent" "        last-pid-4194303 [000] .....  1234.000012: vfs_open" 5 \
		plain trace_options=noprint-parent
	piece "sym-addr" " => vfs_open <ffffffff81003010>" 7 plain trace_options=sym-addr
	piece "printk-msg-only" "line" 9 plain trace_options=printk-msg-only
	piece "a clock that counts" "            bash-512     [000] ..... 1234000000000: $waking" 1 \
		plain -clock=counter
	piece "the kernel's time, without --date's" \
		"            bash-512     [000] .....  1234.000000: $waking" 1 plain -date=1700000000
}

# columns NAME WANTED SCENE [KEY=VALUE...]: the flags of each line
columns() {
	local name=$1 want=$2
	shift 2
	same "$name" "$want" "$(echo $(text "$@" | sed -nE 's/^[^[]*\[000\] ([^ ]+) .*/\1/p'))"
}

# trace_print_lat_fmt() of the kernels that are named. The letters of PREEMPT_RT are irqs, need-resched, -lazy,
# hardirq, preempt-depth, preempt-lazy-depth, migrate-disable.
preempt_rt() {
	columns "PREEMPT_RT 5.10: lazy is 0x80" 'd...231 .nL.... Xp..10.. dN.h21a01f' rt -release=5.10.0-8-rt-amd64
	columns "so of a kernel that is not known" 'd...231 .nL.... Xp..10.. dN.h21a01f' rt -release=
	columns "5.15: migration in the count" 'd...23. .nL.... Xp....1 dN.h1a02' rt_lazy -release=5.15.10-rt24
	columns "6.6: lazy is 0x20" 'd...23. bn..... X.L...1 dnLh1a02' rt_lazy -release=6.6.0-rt15
	columns "RHEL 9, not PREEMPT_RT" 'd...23. bn..... Xp....1 dN.h1a02' rt_lazy -release=5.14.0-427.el9
	same "5.12, without lazy" 'd..21 dNh211f' "$(text rt_migrate -release=5.12.0 |
		sed -nE '2,3d; s/.*\[000\] ([^ ]+) .*/\1/p' | tr '\n' ' ' | sed 's/ $//')"
	columns "5.10: no migrate-disable" '.... .nh10 .... .... .... ....' plain -release=5.10.0
	piece "latency-format has them, too" \
		"    bash-512       0d...231    0us : sched_waking: comm=ls pid=4001 prio=120 target_cpu=001" 1 \
		rt -release=5.10.0-8-rt-amd64 trace_options=latency-format
	same "-R has the fields" 'common_migrate_disable=1 common_preempt_lazy_count=3 comm=ls' \
		"$("$FTR" report -q -R "$TMP/a.dat" 2> /dev/null | sed -nE '1s/.*: *(common.*) pid=.*/\1/p')"
	same "JSON has the fields" '{"common_migrate_disable":1,"common_preempt_lazy_count":3,"comm":"ls",' \
		"$("$FTR" report -q --json "$TMP/a.dat" 2> /dev/null | sed -nE '1s/.*"fields":(.*)"pid".*/\1/p')"
	same "our own columns say lazy and migration" 'd..21 .b... .p.f. dNhff ' \
		"$("$FTR" report -q --fields=flags "$TMP/a.dat" 2> /dev/null | tr '\n' ' ')"
	same "and so do lines" 'd..21 .b... .p.f. dNhff ' \
		"$("$FTR" report -q "$TMP/a.dat" 2> /dev/null | sed -nE 's/.*\[000\] (.....) .*/\1/p' |
			tr '\n' ' ')"
	same "and JSON" 'd..21 .b... .p.f. dNhff ' \
		"$("$FTR" report -q --json "$TMP/a.dat" 2> /dev/null |
			sed -nE 's/.*"flags":"(.....)".*/\1/p' | tr '\n' ' ')"
}

latency() {
	local waking='sched_waking: comm=ls pid=4001 prio=120 target_cpu=001'
	piece "latency-format: marks for what follows" \
		"    bash-512       0.....    0us : $waking
  <idle>-0         1d..2.    1us : $waking
mount.nf-1234      0.nh.1    2us : $waking
   <...>-99999     1.NH..    2us : $waking
last-pid-4194303   0.....   12us : vfs_open <-ksys_read" 1,5 \
		plain trace_options=latency-format
	# 1984 us to the next record, of another CPU; the last one has none
	same "latency-format: a mark, and the last line" " 16us# 2000us " \
		"$(text plain trace_options=latency-format | grep -aoE ' (16|2000)us.' | tr -d '\n')"
	piece "latency-format, verbose" \
		"            bash     512   0 0 00000000 00000000 [498d5880] 0.000ms (+0.001ms): $waking
          <idle>       0   1 1 00000002 00000001 [498d5881] 0.001ms (+0.000ms): $waking" 1,2 \
		plain 'trace_options=latency-format verbose'
	piece "latency-format, a clock that counts" "    bash-512       0.....    0: $waking" 1 \
		plain trace_options=latency-format -clock=counter
}

# Lost before the first record: no line, but where the other CPUs begin. Later: a line.
losses() {
	local waking='sched_waking: comm=ls pid=4001 prio=120 target_cpu=001'
	same "overwritten records: where a CPU begins, but for the first two records" \
		"##### CPU 2 buffer started ####" \
		"$(text plain -lost=1:7 | grep -aE '#####|LOST')"
	piece "and before its first line" "##### CPU 2 buffer started ####
            bash-512     [002] D..f3  1234.002000: $waking" 11,12 plain -lost=1:7
	same "noannotate" "" "$(text plain -lost=1:7 trace_options=noannotate | grep -aE '#####|LOST')"
	same "a loss between records" "CPU:0 [LOST 9 EVENTS]" \
		"$(text plain -lost=0:9 -split=2 | grep -aE '#####|LOST')"
	same "a loss of an unknown number" "CPU:0 [LOST EVENTS]" \
		"$(text plain -lost=0:-1 -split=2 | grep -aE '#####|LOST')"
	piece "stands before the next record of the CPU" "CPU:0 [LOST 9 EVENTS]
        last-pid-4194303 [000] .....  1234.000012: vfs_open <-ksys_read" 5,6 \
		plain -lost=0:9 -split=2
}

graph() {
	local waking='/* sched_waking: comm=ls pid=4001 prio=120 target_cpu=001 */'
	cat > "$TMP/graph" <<-EOT
	 0)               |  vfs_read() {
	 0)   0.987 us    |    kfree();
	 0)               |  /* here */
	 0)               |  $waking
	            bash-512     [000] .....  1234.000000: <stack trace>
	 => vfs_open
	 0) + 10.001 us   |  }
	 ------------------------------------------
	 0)    bash-512    =>    ls-4001    
	 ------------------------------------------

	 0) @ 123456.7 us |  vfs_write();
	 1) \$ 2000000 us  |      } /* schedule */
	 1)               |      $waking
	 0)               |  $waking
	EOT
	lines "function_graph" graph tracer=function_graph < "$TMP/graph"
	lines "function_graph, by the records" graph < "$TMP/graph"
	piece "funcgraph-tail" " 0) + 10.001 us   |  } /* vfs_read */" 7 \
		graph tracer=function_graph trace_options=funcgraph-tail
	piece "funcgraph-overrun" " 0) + 10.001 us   |  }
 (Overruns: 3)" 7,8 graph tracer=function_graph trace_options=funcgraph-overrun
	piece "funcgraph-proc and -abstime, no CPU, no mark" \
		" 1234.000000 |     bash-512    |   0.987 us    |    kfree();" 2 graph \
		tracer=function_graph \
		'trace_options=funcgraph-proc funcgraph-abstime nofuncgraph-cpu nofuncgraph-overhead'
	piece "nofuncgraph-duration" " 0)   kfree();" 2 graph tracer=function_graph \
		trace_options=nofuncgraph-duration
	piece "nocontext-info" "vfs_read() {" 1 graph tracer=function_graph \
		trace_options=nocontext-info
	piece "latency-format" " 0)  ..... |   0.987 us    |    kfree();" 2 graph \
		tracer=function_graph trace_options=latency-format
	piece "a latency tracer with display-graph" \
		"        0 us |   0)    bash-512    |   0.987 us    |    kfree();" 2 graph \
		tracer=irqsoff trace_options=display-graph
}

# tails SCENE [KEY=VALUE...]: what the default text of calls has behind the bar
tails() {
	python3 "$MAKE" "$TMP/a.dat" "$@" && "$FTR" report -q "$TMP/a.dat" 2> /dev/null |
		sed -n 's/.*funcgraph_.*|  *//p'
}

# The default text names the same ends as the kernel's.
default_graph() {
	local retval='vfs_read() {
kfree(); /* ret=0x7 */
} /* vfs_read ret=-22 */
} /* schedule ret=0x1 */' options
	same "the default text: an end without its entry" 'vfs_read() {
kfree();
}
vfs_write();
} /* schedule */' "$(tails graph tracer=function_graph)"
	same "the default text: funcgraph-tail" 'vfs_read() {
kfree();
} /* vfs_read */
vfs_write();
} /* schedule */' "$(tails graph tracer=function_graph trace_options=funcgraph-tail)"
	same "the default text: nofuncgraph-tail" 1 \
		"$(tails graph tracer=function_graph trace_options=nofuncgraph-tail | grep -c '} /')"
	for options in funcgraph-retval 'funcgraph-retval funcgraph-tail'; do
		options="trace_options=nofuncgraph-retval-hex $options"
		same "the default text: $options" "$retval" \
			"$(tails graph_retval tracer=function_graph -release=6.18.0 "$options")"
		same "the kernel's text: $options" "$retval" \
			"$(text graph_retval tracer=function_graph -release=6.18.0 "$options" | sed -n 's/.*|  *//p')"
	done
}

# Every record is a line or part of one, whatever the file says of itself.
numbers() {
	piece "raw" "512 0 1234000000000 type: 318" 1 plain trace_options=raw
	piece "raw: function" "4194303 0 1234000012000 ffffffff81003004 ffffffff81005020" 5 \
		plain trace_options=raw
	piece "hex" "00000200 00000000 0000011f5021b400 type: 318" 1 plain trace_options=hex
	same "bin: pid, CPU, time" "000200000000000000b421501f010000" \
		"$(text plain trace_options=bin | od -An -tx1 -N 16 | tr -d ' \n')"
	has "bin: type" "$(text plain trace_options=bin | tail -c +17 | head -n 1)" '^type: 318$'
	piece "fields" \
		"            bash-512     [000] .....  1234.000000: sched_waking: \
comm=ls pid=0xfa1 (4001) prio=0x78 (120) target_cpu=0x1 (1)" \
		1 plain trace_options=fields
}

tracers() {
	lines "mmiotrace: lines of its own, markers, nothing else" mmio tracer=mmiotrace <<-EOT
	MAP 1234.000000 1 0xfebc0000 0xffffc90000010000 0x1000 0x0 0
	R 4 1234.000001 1 0xfebc0000 0xa1b2 0xffffffff81001004 0
	MARK 1234.000004 here
	UNKNOWN 1234.000004 1 0xfebc0000 a1,b2,c3 0xffffffff81001004 0
	UNMAP 1234.000005 1 0x0 0
	EOT
}

instances() {
	python3 "$ORACLE/mkdat.py" "$TMP/i.dat" --instances one,two --records 20 --cpus 2 --lost 0
	same "instances: each record's line says which" "40 40" \
		"$("$FTR" report -R "$TMP/i.dat" | grep -c '^one: ') $("$FTR" report -R "$TMP/i.dat" |
			grep -c '^two: ')"
	check "instances: and in the kernel's format" test \
		"$("$FTR" report --format=kernel "$TMP/i.dat" | grep -cE '^(one|two): ')" -gt 50
}

# A terminal gets no control bytes: script(1) gives it one.
terminal() {
	command -v script > /dev/null || { skip "output to a terminal" "no script(1)"; return; }
	python3 "$MAKE" "$TMP/a.dat" plain
	same "to a terminal control bytes are escaped" 1 \
		"$(script -qec "'$FTR' report -q --format=kernel '$TMP/a.dat'" /dev/null < /dev/null |
		grep -ac 'a\\x1bb')"
}

damaged() {
	local f status bad=""
	python3 "$ORACLE/mkdat.py" "$TMP/d.dat" --records 300
	mkdir -p "$TMP/cut" "$TMP/flip"
	python3 "$ORACLE/damage.py" truncate "$TMP/d.dat" "$TMP/cut" -n 20 > /dev/null
	for f in length offset id count pagehdr header event text; do
		python3 "$ORACLE/damage.py" flip "$TMP/d.dat" "$TMP/flip" -n 5 --kind $f > /dev/null
	done
	for f in "$TMP"/cut/* "$TMP"/flip/*; do
		"$FTR" report -q --format=kernel "$f" > "$TMP/out" 2> "$TMP/err"
		status=$?
		[ $status -le 3 ] && ! grep -q -e Sanitizer -e 'runtime error' "$TMP/err" ||
			bad="$bad ${f##*/}:$status"
	done
	same "damaged files: no crash" "" "$bad"
}

# What prototypes make of registers, from ftr's own section and from the BTF that trace-cmd keeps.
arguments() {
	local at='            bash-512     [000] .....  1234.00000' values section with
	values='file=0xffff888004be2c00, kind=-2 [MINUS], pair=(STRUCT)[0x3:0x8000000000000000], n=5, =?0x6'
	for section in protos btf; do
		with="-section=$section -release=7.2.0"
		# shellcheck disable=SC2086
		lines "arguments by $section" args $with <<-EOT
		${at}0: vfs_read($values) <-ksys_read
		${at}1: kfree() <-ksys_read
		${at}2: schedule()
		${at}3: vfs_read
		${at}4: vfs_read
		EOT
		lines "arguments of calls by $section" args_graph tracer=function_graph $with <<-EOT
		 0)               |  vfs_read($values) {
		 0)   0.987 us    |    kfree();
		 0)   0.050 us    |    schedule();
		 0) + 10.001 us   |  }
		EOT
		same "the default layout has them, too ($section)" "vfs_read($values) <-ksys_read" \
			"$(python3 "$MAKE" "$TMP/a.dat" args $with &&
				"$FTR" report -q "$TMP/a.dat" 2> /dev/null | sed -n 's/.*function: *//;1p')"
	done
	piece "before 7.1 without constants' names" \
		"${at}0: vfs_read(${values/ \[MINUS]/}) <-ksys_read" 1 args -section=protos -release=7.0.3
	piece "a file without prototypes" \
		"${at}0: vfs_read(0xffff888004be2c00, 0xfffffffffffffffe, 0x3, 0x8000000000000000, 0x5, 0x6)\
 <-ksys_read" \
		1 args
	piece "prototypes that are cut" "${at}0: vfs_read($values) <-ksys_read" 1 args -section=cut -release=7.2.0
	for section in cut rubbish; do
		python3 "$MAKE" "$TMP/a.dat" args -section=$section
		"$FTR" report -q "$TMP/a.dat" > "$TMP/out" 2> "$TMP/err"
		same "damaged prototypes are told ($section)" 3 $?
	done
}

plain
preempt_rt
latency
losses
arguments
graph
default_graph
numbers
tracers
instances
terminal
damaged
same "an unknown format is wrong usage" 2 "$("$FTR" report --format=xml "$TMP/a.dat" \
	> "$TMP/out" 2> "$TMP/err"; echo $?)"
has "and says which there are" "$(cat "$TMP/err")" 'text, kernel'
exit $FAILED
