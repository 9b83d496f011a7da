#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr options, set-pid and stack: set, seen in records, read back, undone. One boot a kernel.
. "$(dirname "$0")/lib/inside.sh" 800

# ok NAME COMMAND...: status 0; stdout in ./out, stderr in ./err
ok() {
	local name=$1
	shift
	"$@" > out 2> err
	same "$K: $name: status" 0 $?
	sed 's/^/# /' err
}

# refused NAME STATUS PATTERN COMMAND...
refused() {
	local name=$1 want=$2 pattern=$3
	shift 3
	"$@" > out 2> err
	same "$K: $name: status" "$want" $?
	has "$K: $name: words" "$(cat err)" "$pattern"
}

can_reset() {
	"$FTR" reset -h > reset.help 2>&1
}

# undone NAME: 'ftr reset' brings back what ./before has
undone() {
	can_reset || { skip "$K: $1: undone" "no 'ftr reset' yet"; return; }
	ok "$1: ftr reset" "$FTR" reset
	state_dump after
	check "$K: $1: tracefs is as before" state_equal before after
}

json() {
	python3 -c "import json,sys; d = json.load(open('out')); print($1)"
}

# --- options

# Every option's value by the files of tracefs: "NAME 0|1", sorted.
option_files() {
	(cd "$1" && {
		sed -E 's/^no(.*)/\1 0/; t; s/$/ 1/' trace_options
		grep -H '' options/* | sed 's/^options\///; s/:/ /'
	}) | LC_ALL=C sort -u
}

listed() {
	json "'\n'.join('%s %d' % (o['name'], o['value']) for o in sorted(d, key=lambda o: o['name']))"
}

test_options() {
	ok 'options' "$FTR" options --json
	same "$K: options: names and values are those of the files" "$(option_files $T)" "$(listed)"
	# a fresh kernel
	same "$K: options: every default is known, and is the value" '' \
		"$(json "' '.join(o['name'] for o in d if o['value'] != o['default'])")"
	mkdir $T/instances/i
	ok 'options of an instance' "$FTR" options -B i --json
	same "$K: options of an instance: defaults" '' \
		"$(json "' '.join(o['name'] for o in d if o['value'] != o['default'])")"
	same "$K: options of an instance: as the files" "$(option_files $T/instances/i)" "$(listed)"
	state_dump before

	ok 'options, set' "$FTR" options --set stacktrace sym-offset=on nomarkers
	same "$K: options: the files" '1 1 0' \
		"$(cat $T/options/{stacktrace,sym-offset,markers} | xargs)"
	if echo text > $T/trace_marker; then s=taken; else s=refused; fi 2> marker.err
	same "$K: options: nomarkers refuses markers" refused $s
	echo 1 > $T/events/sched/sched_process_exec/enable
	/bin/true
	echo 0 > $T/events/sched/sched_process_exec/enable
	has "$K: options: stacktrace with offsets is in the trace" "$(cat $T/trace)" '=> [a-z_]+\+0x[0-9a-f]+/0x'
	ok 'options --changed' "$FTR" options --changed
	same "$K: options --changed" 'markers off on stacktrace on off sym-offset on off' \
		"$(sed 1d out | xargs)"
	ok 'options off' "$FTR" options --set nostacktrace sym-offset=0 markers=yes
	ok 'options --changed again' "$FTR" options --changed --json
	same "$K: options --changed again" '[]' "$(json d)"
	echo > $T/trace
	feature "$K" 'options: top' works

	# An option of a tracer, seen in its text: } /* vfs_... */
	echo vfs_read > $T/set_graph_function
	echo 'vfs_read' > $T/set_ftrace_filter
	echo 'rw_verify_area' >> $T/set_ftrace_filter
	ok 'an option of function_graph' "$FTR" options funcgraph-tail=on
	echo function_graph > $T/current_tracer
	/bin/cat /proc/version > version
	echo nop > $T/tracing_on
	echo 0 > $T/tracing_on
	has "$K: an option of function_graph: in the trace" "$(cat $T/trace)" '} /\* vfs_read'
	echo 1 > $T/tracing_on
	echo nop > $T/current_tracer
	echo > $T/set_graph_function
	echo > $T/set_ftrace_filter
	feature "$K" 'options: of a tracer' works

	ok 'an option of an instance' "$FTR" options -B i annotate=off overwrite=off
	same "$K: an option of an instance" '0 0 1 1' \
		"$(cat $T/instances/i/options/{annotate,overwrite} $T/options/{annotate,overwrite} | xargs)"
	feature "$K" 'options: of an instance' works
	undone options
	refused 'an unknown option' 1 "did you mean 'sym-offset'" "$FTR" options sym-offsett=on
	refused 'an unknown option after a known one' 1 "no option 'zzzzzz'" "$FTR" options --set sym-addr zzzzzz
	same "$K: an unknown option after a known one: nothing is changed" 0 "$(cat $T/options/sym-addr)"
	refused 'an unknown instance' 1 "no instance 'j'" "$FTR" options -B j
	rmdir $T/instances/i
}

# --- set-pid

# A task that waits for ./go, then runs a child that leaves its pid, and then works itself.
waiting_task() {
	rm -f go child
	bash -c 'while [ ! -e go ]; do sleep 0.2; done
		bash -c "echo \$\$ > child; cat /proc/version > child.out"
		read -r line < /proc/version; echo "$line" > own.out' &
	P=$!
}

# pids_in TRACE-FILE PATTERN: the pids of its lines, each once
pids_in() {
	grep -v '^#' "$1" | grep -E -- "$2" | sed -E 's/^ *.{16}-([0-9]+) .*/\1/' | sort -un | xargs
}

# works: the task and others run, with recording on
works() {
	echo > $T/trace
	echo 1 > $T/tracing_on
	touch go
	/bin/cat /proc/version > others.out
	wait $P
	/bin/cat /proc/version > others.out
	echo 0 > $T/tracing_on
	cat $T/trace > text
}

test_set_pid() {
	local E=events/syscalls/sys_enter_read/enable
	ok 'set-pid' "$FTR" set-pid
	has "$K: set-pid: all tasks" "$(cat out)" '^events of +all tasks$'
	same "$K: set-pid: four lists" 4 "$(wc -l < out)"
	state_dump before
	echo 1 > $T/$E
	waiting_task
	ok 'set-pid --event' "$FTR" set-pid --event $P
	same "$K: set-pid --event: the files" "$P no pid" "$(cat $T/set_event_pid $T/set_ftrace_pid | xargs)"
	works
	same "$K: set-pid --event: events of that task only" "$P" "$(pids_in text sys_read)"
	feature "$K" 'set-pid: events' works

	waiting_task
	ok 'set-pid --event --children' "$FTR" set-pid --event --children $P
	works
	same "$K: set-pid --children: events of the child too" 1 \
		"$(pids_in text sys_read | tr ' ' '\n' | grep -cx "$(cat child)")"
	# the children of the task are its descendants: nobody else
	same "$K: set-pid --children: none of others" '' "$(pids_in text sys_read | tr ' ' '\n' | awk -v p=$P '$1 < p')"
	same "$K: set-pid --children: who ended is off the list" '' "$(cat $T/set_event_pid)"
	feature "$K" 'set-pid: events of children' works

	echo 0 > $T/options/event-fork
	waiting_task
	ok 'set-pid --notrace' "$FTR" set-pid --event --notrace $P
	"$FTR" set-pid --event --clear
	works
	same "$K: set-pid --notrace: none of that task" 0 "$(pids_in text sys_read | tr ' ' '\n' | grep -cx $P)"
	same "$K: set-pid --notrace: its child is another" 1 \
		"$(pids_in text sys_read | tr ' ' '\n' | grep -cx "$(cat child)")"
	feature "$K" 'set-pid: events, notrace' works

	echo 0 > $T/$E
	echo vfs_read > $T/set_ftrace_filter
	echo function > $T/current_tracer
	waiting_task
	ok 'set-pid --function --children' "$FTR" set-pid --function -c $P
	same "$K: set-pid --function: the option" 1 "$(cat $T/options/function-fork)"
	works
	same "$K: set-pid --function --children: the task and its child" "$P 1" \
		"$(pids_in text vfs_read | cut -d ' ' -f 1) $(pids_in text vfs_read | tr ' ' '\n' |
			grep -cx "$(cat child)")"
	feature "$K" 'set-pid: functions of children' works
	echo 0 > $T/options/function-fork
	waiting_task
	ok 'set-pid --function --notrace' "$FTR" set-pid --function --notrace $P
	ok 'set-pid --function --clear' "$FTR" set-pid --function --clear
	works
	same "$K: set-pid --function --notrace: none of that task, one of its child" '0 1' \
		"$(pids_in text vfs_read | tr ' ' '\n' | grep -cx $P) $(pids_in text vfs_read | tr ' ' '\n' |
			grep -cx "$(cat child)")"
	feature "$K" 'set-pid: functions, notrace' works
	echo nop > $T/current_tracer
	echo > $T/set_ftrace_filter
	echo > $T/trace
	echo 1 > $T/tracing_on

	ok 'set-pid, two' "$FTR" set-pid 1,2
	ok 'set-pid --add' "$FTR" set-pid --add 3
	same "$K: set-pid --add" '1 2 3 1 2 3' "$(cat $T/set_event_pid $T/set_ftrace_pid | xargs)"
	ok 'set-pid --remove --json' "$FTR" set-pid --event --remove 2 --json
	same "$K: set-pid --remove" '1 3 / 1 2 3' "$(xargs < $T/set_event_pid) / $(xargs < $T/set_ftrace_pid)"
	same "$K: set-pid --json" '[1, 3] [1, 2, 3] False' \
		"$(json "d['event'], d['function'], d['event_fork']" | tr -d '()' |
		sed 's/\], \[/] [/; s/, F/ F/')"
	ok 'set-pid, show' "$FTR" set-pid
	has "$K: set-pid, show" "$(cat out)" '^functions of +1 2 3$'
	feature "$K" 'set-pid: add, remove, clear' works
	mkdir $T/instances/i
	ok 'set-pid of an instance' "$FTR" set-pid -B i 7
	same "$K: set-pid of an instance" '7 7 1 3' \
		"$(cat $T/instances/i/set_event_pid $T/instances/i/set_ftrace_pid $T/set_event_pid | xargs)"
	can_reset && ok 'ftr reset of an instance' "$FTR" reset -B i
	rmdir $T/instances/i
	undone set-pid
	refused 'set-pid, a word' 2 "'x' is not a process id" "$FTR" set-pid 1 x
	refused 'set-pid, an unknown instance' 1 "no instance 'j'" "$FTR" set-pid -B j 1
}

# --- stack

# The kernel's own table, taken apart by sed: depth size location
kernel_stack() {
	sed -nE 's/^ *[0-9]+\) +([0-9]+) +([0-9]+) +/\1 \2 /p' $T/stack_trace
}

test_stack() {
	local S=/proc/sys/kernel/stack_tracer_enabled
	state_dump before
	ok 'stack, off' "$FTR" stack
	has "$K: stack, off" "$(cat out)" '^stack tracer: off$'
	has "$K: stack, off: nothing seen" "$(cat out)" '^no stack seen'
	ok 'stack --start' "$FTR" stack -l 'vfs_*' --start
	same "$K: stack --start: the switch" 1 "$(cat $S)"
	same "$K: stack -l: the filter" '' "$(grep -v '^vfs_' $T/stack_trace_filter)"
	ls -lR /usr/share/doc/libc6 > ls.out
	ok 'stack --stop' "$FTR" stack --stop
	same "$K: stack --stop: the switch" 0 "$(cat $S)"
	kernel_stack > kernel
	ok 'stack --json' "$FTR" stack --json
	same "$K: stack: as the kernel has it" "$(cat kernel)" \
		"$(json "'\n'.join('%d %d %s' % (f['depth'], f['size'], f['location']) for f in d['stack'])")"
	check "$K: stack: some functions" test "$(wc -l < kernel)" -gt 4
	same "$K: stack: the deepest is the maximum" "$(head -n 1 kernel | cut -d ' ' -f 1)" "$(json "d['max_size']")"
	same "$K: stack: the filter's functions" "$(cut -d ' ' -f 1 $T/stack_trace_filter)" \
		"$(json "'\n'.join(d['filter'])")"
	has "$K: stack: the filtered function is there" "$(cat kernel)" ' vfs_'
	ok 'stack, the table' "$FTR" stack
	same "$K: stack, the table" "$(cat kernel)" "$(awk '$1 ~ /^[0-9]+\)$/ { $1 = ""; print substr($0, 2) }' out)"
	ok 'stack --reset' "$FTR" stack --reset
	same "$K: stack --reset" 0 "$(cat $T/stack_max_size)"
	feature "$K" 'stack: on, off, reset, filter' works
	if [ "${FTR_LONG:-}" = 1 ]; then
		ok 'stack of all functions' "$FTR" stack --all-functions --start
		has "$K: stack of all functions" "$(head -n 1 $T/stack_trace_filter)" 'all functions'
		ls -lR /usr/share/doc/libc6 > ls.out
		ok 'stack of all functions, stopped' "$FTR" stack --stop
		check "$K: stack of all functions: seen" test "$(kernel_stack | wc -l)" -gt 10
	fi
	ok 'stack --start, left on' "$FTR" stack --start
	undone stack
	can_reset && same "$K: ftr reset switches it off" 0 "$(cat $S)"
	has "$K: ftr reset forgets the deepest stack" "$("$FTR" stack)" '^no stack seen'
	echo 0 > $S
	echo > $T/stack_trace_filter
	refused 'stack, an unknown function' 1 "no function matches 'qqqqq" "$FTR" stack -l 'qqqqq*'
	refused 'stack, a command' 2 "not 'vfs_read:traceoff'" "$FTR" stack -l vfs_read:traceoff
	same "$K: stack, refused: nothing is left" '0 #### all functions enabled ####' \
		"$(cat $S) $(cat $T/stack_trace_filter)"
}

# the journal of what stands is empty then
forget() {
	"$FTR" reset > /dev/null 2>&1
}

run_parts ${FTR_SMALL_PARTS:-test_options test_set_pid test_stack} forget
