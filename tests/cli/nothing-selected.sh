#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A selection that matches nothing: each reading command says in one line which option it was, and what the file has.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"
. "$FTR_TOP/tests/tools/ftr_batch.sh"
cd "$TMP" || exit 1

case_file calls <<- 'END'
	0 1000000 100 . funcgraph_entry func=ksys_read depth=0
	0 1002000 100 . funcgraph_entry func=vfs_read depth=1
	0 1005000 100 . funcgraph_exit func=vfs_read depth=1 calltime=0 rettime=3000
	0 1006000 100 . funcgraph_exit func=ksys_read depth=0 calltime=0 rettime=6000
	2 1007000 200 . funcgraph_entry func=kfree depth=0
	2 1008000 200 . funcgraph_exit func=kfree depth=0 calltime=0 rettime=1000
	2 1009000 200 . sched_waking pid=300 comm=t300
END
case_file tasks <<- 'END'
	0 1000000 0 . sched_switch prev_pid=0 prev_state=R next_pid=100 next_comm=bash
	0 1010000 100 . sched_switch prev_pid=100 prev_comm=bash prev_state=S next_pid=200 next_comm=ls
	0 1030000 200 . sched_waking pid=100 comm=bash
	0 1040000 200 . sched_switch prev_pid=200 prev_comm=ls prev_state=S next_pid=100 next_comm=bash
	1 1050000 0 . sched_switch prev_pid=0 prev_state=R next_pid=300 next_comm=cat
END
python3 "$ORACLE/mkdat.py" empty0.dat --cpus 1 --records 0

# All that read.
ALL=(report "report --json" "report --csv" "export --to json" "export --to csv" "export --to chrome"
	"export --to folded"
	"export --to perfetto -o out.pf" profile "profile --by task" graph "flame --folded" "flame -o picture.svg"
	"flame --off-cpu --folded" "flame --stacks --folded" "latency wakeup" "latency function_graph" "latency irq"
	"latency vfs_read" timeline "timeline -o picture.svg" "sched latency" "sched timehist" "sched states")

# says COMMAND OPTIONS WANT: status 0, no answer, and WANT alone on standard error
says() {
	# shellcheck disable=SC2086
	batch_ftr $1 $2 "$FILE"
	same "$1 $2 $FILE" "0 ftr: $3" "$ST $ERR"
	case $1 in
	*json* | *csv* | *chrome* | *perfetto* | timeline) ;;
	*) check "$1 $2 $FILE: nothing is shown" test -z "$OUT" ;;
	esac
}

# refuses COMMAND OPTIONS WANT: the same as an error; no file is left
refuses() {
	# shellcheck disable=SC2086
	batch_ftr $1 $2 "$FILE"
	same "$1 $2 $FILE" "1 ftr: $3" "$ST $ERR"
	check "$1 $2 $FILE: no picture" test ! -e picture.svg
}

# options DOES COMMAND WHAT HAS TASKS: with each option that selects by task, CPU or time
options() {
	local does=$1 command=$2 what=$3 has="'$FILE' has $4" tasks=$5 pids=$6
	"$does" "$command" "--comm nope" "no $what matches --comm 'nope'; $has${tasks:+$tasks}"
	"$does" "$command" "--pid 99999" "no $what matches --pid 99999; $has${pids:+$pids}"
	"$does" "$command" "--cpu 7,9-11" "no $what matches --cpu 7,9-11; $has"
	"$does" "$command" "--comm nope --cpu 9" \
		"no $what matches --cpu 9, and none --comm 'nope'; $has${tasks:+$tasks}"
}

of_calls() {
	local command does spans pids records="7 records from 0.001000 to 0.001009 on CPUs 0,2"
	FILE=calls0.dat
	for command in "report" "report --json" "export --to json" "export --to csv" "export --to chrome"; do
		options says "$command" record "$records" "; tasks: <...>" "; tasks: <...>-100, <...>-200"
		# it has the states of tasks, too
		[[ $command == *chrome ]] || says "$command" "--event sched_switch" "no record matches \
--event 'sched_switch'; '$FILE' has $records; events: funcgraph_entry, funcgraph_exit, sched_waking"
		[[ $command == *chrome ]] || says "$command" "-F func==0x5" "no record matches -F; '$FILE' has $records"
		says "$command" "--since 77" "no record matches --since; '$FILE' has $records"
		says "$command" "--until 0.0001" "no record matches --until; '$FILE' has $records"
		says "$command" "--cpu 0 --pid 200" \
			"no record matches --cpu 0 and --pid 200; '$FILE' has $records"
	done
	for command in profile "profile --json" "profile --csv" graph "latency function_graph" "latency vfs_read" \
		"flame --folded" "export --to folded" "flame -o picture.svg" \
		"latency function_graph --heatmap picture.svg"; do
		does=says
		[[ $command != *picture* ]] || does=refuses
		spans="3 spans from 0.001000 to 0.001007 on CPUs 0,2" pids="; tasks: <...>-100, <...>-200"
		[[ $command != "latency vfs_read" ]] ||
			spans="1 span from 0.001002 to 0.001002 on CPU 0" pids="; tasks: <...>-100"
		options "$does" "$command" span "$spans" "; tasks: <...>" "$pids"
		"$does" "$command" "--event sched_waking" \
			"no span matches --event 'sched_waking'; '$FILE' has $spans; events: funcgraph_entry"
		"$does" "$command" "-F sched_waking" "no span matches -F; '$FILE' has $spans"
	done
}

of_tasks() {
	local command
	FILE=tasks0.dat
	for command in "sched latency" "sched latency --json" "sched states" "sched timehist" "timeline"; do
		options says "$command" task "3 tasks on CPUs 0-1" ": bash, cat, ls" ": bash-100, cat-300, ls-200"
	done
	options refuses "latency wakeup --heatmap picture.svg" wait "1 wait on CPU 0" ": bash" ": bash-100"
}

# Names of functions and of tasks, lengths of time: options that the command has besides.
of_names() {
	FILE=calls0.dat
	says "graph" "-g vfs_raed" "no function matches -g 'vfs_raed'; there are vfs_read, kfree, ksys_read"
	says "graph" "-l nfs_*" "no function matches -l 'nfs_*'; there are kfree, ksys_read, vfs_read"
	says "graph" "--callers kfre -g vfs_read" "no function matches --callers 'kfre'; there are kfree, ksys_read, \
vfs_read"
	says "graph" "--min 1s" "no span is as long as --min wants; the longest takes 6.000 us"
	says "profile" "-l schedul*" "no function matches -l 'schedul*'; there are kfree, ksys_read, vfs_read"
	says "profile" "--callers kfre" "no function matches --callers 'kfre'; there are kfree, ksys_read, vfs_read"
	says "latency vfs_read" "--slower 1s" "no span is as long as --slower wants; the longest takes 3.000 us"
	says "graph" "-g vfs_read --pid 7" "no span matches --pid 7; '$FILE' has 3 spans from 0.001000 to 0.001007 \
on CPUs 0,2; tasks: <...>-100, <...>-200"
	FILE=tasks0.dat
	says "timeline" "--tasks bahs*" "no task matches --tasks 'bahs*'; there are ls-200, bash-100, cat-300"
	refuses "timeline -o picture.svg" "--cpu 5" "no task matches --cpu 5; '$FILE' has 3 tasks on CPUs 0-1"
}

# What a file does not have at all is another matter: an error that says how to record it, and what there is.
of_others() {
	local command said
	for command in report "export --to json" "export --to csv" "export --to perfetto -o out.pf"; do
		FILE=empty0.dat
		says "$command" "--comm nope" "no record matches; '$FILE' has no records"
	done
	batch_ftr latency irq calls0.dat
	same "a kind that the file lacks: those that it has" "1 ftr: no records of irq in 'calls0.dat'
hint: there are records of function_graph; 'ftr record -e irq' records irq" "$ST $ERR"
	batch_ftr profile --since 5 calls0.dat
	same "a range without records: which there are" \
		"1 ftr: no such records between --since and --until in 'calls0.dat'
hint: there are records from 0.001000 to 0.001009" "$ST $ERR"
	batch_ftr latency syscal calls0.dat
	same "no kind, no function: both nearest" "2 ftr: 'syscal' is no kind, and no function in 'calls0.dat'
hint: did you mean 'syscall'? there are the functions kfree, ksys_read, vfs_read" "$ST $ERR"
	batch_ftr latency wakup tasks0.dat
	same "wakeup is a kind, too" "2 ftr: unknown kind 'wakup'
hint: did you mean 'wakeup'?" "$ST $ERR"
	batch_ftr flame --off-cpu --folded --comm nope tasks0.dat
	same "off the CPU: by the switches" "0 ftr: no switch matches --comm 'nope'; 'tasks0.dat' has 4 switches from \
0.001000 to 0.001050 on CPUs 0-1; tasks: <...>, <idle>" "$ST $ERR"
	batch_ftr latency syscal tasks0.dat
	same "a file without functions" "2 ftr: unknown kind 'syscal'
hint: did you mean 'syscall'?" "$ST $ERR"
	# damage is said once, as without the second look at the records
	python3 - calls0.dat damaged.dat <<- 'E'
		import struct
		import sys
		data = bytearray(open(sys.argv[1], "rb").read())
		page = data.find(struct.pack("<Q", 1000000))  # a sub-buffer begins with the time of its first record
		data[page + 8:page + 10] = b"\xff\xff"  # and how much it holds: more than it can
		open(sys.argv[2], "wb").write(data)
	E
	for command in report profile graph; do
		batch_ftr "$command" damaged.dat
		said="$ST
$(grep damaged: <<< "$ERR")"
		batch_ftr "$command" --comm nope damaged.dat
		same "$command, a damaged file: status 3, and the damage as without a selection" "$said" \
			"$ST
$(grep damaged: <<< "$ERR")"
		same "$command, a damaged file: one line besides" 1 "$(grep -c 'matches --comm' <<< "$ERR")"
		same "$command, a damaged file: it is" 3 "$ST"
	done
	for command in "${ALL[@]}"; do
		# shellcheck disable=SC2086
		batch_ftr $command --comm nope empty0.dat
		same "$command, an empty file: one line" 1 "$(grep -c ^ftr: <<< "$ERR")"
		# shellcheck disable=SC2086
		batch_ftr $command --comm nope --since 77 calls0.dat
		has "$command, a range without records: one line, and the times that there are" \
			"$(grep -c ^ftr: <<< "$ERR") $ERR" \
			'^1 ftr: no .*(--since|to be shown).*$|^hint: there are records from 0.001000 to 0.001009$'
		# shellcheck disable=SC2086
		batch_ftr $command --comm nope damaged.dat
		same "$command, a damaged file: one line besides the damage" 1 \
			"$(grep ^ftr: <<< "$ERR" | grep -vc -e damaged: -e 'lost in the recording')"
	done
	for command in "flame -o picture.svg" "latency function_graph --heatmap picture.svg"; do
		# shellcheck disable=SC2086
		batch_ftr $command --comm nope damaged.dat
		same "$command, a damaged file: status 3, no picture" "3 none" \
			"$ST $(ls picture.svg 2> /dev/null || echo none)"
	done
	batch_ftr report -q --comm nope calls0.dat
	same "-q" "0 " "$ST $ERR"
}

batch_start
of_calls
of_tasks
of_names
of_others
batch_stop
finish
