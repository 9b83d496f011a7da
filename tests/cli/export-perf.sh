#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr export --to text:perf: lines and stacks by hand, by the format strings of perf's builtin-script.c; read back by
# ftr import; the rules by which stackcollapse-perf.pl and speedscope find the stacks.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"
cd "$TMP" || exit 1

case_file made <<'END'
0 1000001100 100 . demo_start tag=1 len=10
0 1000001110 100 . kernel_stack caller=vfs_read+8,0x1234
1 1000002115 0 . demo_start tag=2 len=1000
lost 0 3
0 1000003120 200 . demo_start tag=3 len=32
0 1000004120 100 . demo_start tag=4 len=7
0 1000004130 100 . kernel_stack caller=ksys_read+16
0 1000004140 100 . user_stack tgid=100 caller=0x400000
# Of another task: it is no stack of the record before.
0 1000005120 100 . demo_start tag=5 len=8
0 1000005130 200 . kernel_stack caller=ksys_read
END

by_hand() {
	"$FTR" export --to text:perf made0.dat > got 2> err
	same 'status, words' '0 ftr: 3 events were lost in the recording' "$? $(cat err)"
	sed 's/^>/\t/' > want <<-'END'
		:100   100 [000]     1.000001: demo:demo_start: tag=1 len=10
		>ffffffff81001008 vfs_read+0x8 ([kernel.kallsyms])
		>            1234 [unknown] ([kernel.kallsyms])

		swapper     0 [001]     1.000002: demo:demo_start: tag=2 len=1000
		:200   200 [000]     1.000003: demo:demo_start: tag=3 len=32

		:100   100 [000]     1.000004: demo:demo_start: tag=4 len=7
		>ffffffff81005010 ksys_read+0x10 ([kernel.kallsyms])
		>          400000 [unknown] ([unknown])

		:100   100 [000]     1.000005: demo:demo_start: tag=5 len=8

		:200   200 [000]     1.000005: ftrace:kernel_stack:
		>ffffffff81005000 ksys_read+0x0 ([kernel.kallsyms])

	END
	same_files 'lines and stacks' want got
	"$FTR" export --to text:perf --event demo_start --cpu 1 made0.dat > got 2> err
	same 'selected' 'swapper     0 [001]     1.000002: demo:demo_start: tag=2 len=1000' "$(cat got)"
}

# The expressions are those of FlameGraph's stackcollapse-perf.pl and of speedscope's linux-tools-perf.ts.
readers() {
	"$FTR" export --to text:perf made0.dat > got 2> err
	python3 - > folded <<-'END'
		import collections, re
		comm, stack, out = None, [], collections.Counter()
		for line in open("got"):
		    line = line.rstrip("\n")
		    head = re.match(r"^(\S.+?)\s+(\d+)/*(\d+)*\s+", line)
		    frame = re.match(r"^\s*(\w+)\s*(.+) \((\S*)\)", line)
		    if not line:
		        if comm and stack:
		            out[";".join([comm] + stack)] += 1
		        comm, stack = None, []
		    elif head:
		        comm = head[1].replace(" ", "_")
		    elif frame:
		        stack.insert(0, re.sub(r"\+0x[\da-f]+$", "", frame[2]))
		for path, n in sorted(out.items()):
		    print(path, n)
	END
	cat > want <<-'END'
		:100;[unknown];ksys_read 1
		:100;[unknown];vfs_read 1
		:200;ksys_read 1
	END
	same_files 'stacks as stackcollapse-perf.pl has them' want folded
}

read_back() {
	"$FTR" export --to text:perf made0.dat > trace.txt 2> err
	"$FTR" import trace.txt -o back.dat 2> err
	same 'import: status' 0 $?
	"$FTR" report --fields pid,cpu,event,text --event demo_start made0.dat 2> err | grep -v DROPPED > want
	"$FTR" report --fields pid,cpu,event,text --event demo_start back.dat > got 2> err
	same_files 'read back: events' want got
	same 'read back: stacks' '3' \
		"$("$FTR" report --event kernel_stack back.dat 2> err | grep -cE '=> (vfs|ksys)_read')"
}

clocks() {
	python3 "$FTR_TOP/tests/oracle/mkdat.py" counter.dat --records 20 --cpus 1 --lost 0 --clock counter
	ftr_refuses 'a clock without time' 1 "^ftr: the clock of 'counter.dat' does not count nanoseconds" \
		export --to text:perf counter.dat
}

# A name with blanks is in the first column, as it is.
names() {
	printf '%s\n' '# tracer: nop' \
		'         a task-41      [000] d..2.    10.000199: sched_waking: comm=x pid=7 prio=120 target_cpu=000' \
		> in.txt
	"$FTR" import in.txt -o in.dat 2> err
	same 'the name of a task' \
		'a task    41 [000]    10.000199: sched:sched_waking: comm=x pid=7 prio=120 target_cpu=000' \
		"$("$FTR" export --to text:perf in.dat 2> err)"
}

by_hand
readers
read_back
names
clocks
finish
