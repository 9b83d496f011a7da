#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr trigger: each trigger of an event and each command of a function fires as often as it should, and is undone.
. "$(dirname "$0")/lib/inside.sh" 900
. "$FTR_TOP/tests/guest/lib/trigger-lib.sh"

# field N of what 'ftr trigger list' says of a trigger
listed() {
	"$FTR" trigger list "${@:3}" | awk -v n="$1" -v what="$2" '$5 == what { print $n }'
}

on_off() {
	note traceon, traceoff
	try_ftr 'traceoff:2' 0 trigger add $EXEC traceoff:2 if "$FILTER"
	same "$K: traceoff:2: in the kernel" "traceoff:count=2 if $FILTER" "$(kernel_triggers sched/sched_process_exec)"
	probe 1
	same "$K: traceoff:2: the first stops" 0 "$(cat $T/tracing_on)"
	same "$K: traceoff:2: one is left" '1 active ftr' \
		"$(echo $("$FTR" trigger list $EXEC | awk 'NR == 2 { print $2, $3, $4 }'))"
	echo 1 > $T/tracing_on
	probe 1
	same "$K: traceoff:2: the second stops" 0 "$(cat $T/tracing_on)"
	echo 1 > $T/tracing_on
	probe 2
	same "$K: traceoff:2: the third and fourth do not" 1 "$(cat $T/tracing_on)"
	same "$K: traceoff:2: spent" spent "$("$FTR" trigger list $EXEC | awk 'NR == 2 { print $3 }')"
	try_ftr 'traceon beside traceoff' 1 trigger add $EXEC traceon
	said 'traceon beside traceoff: words' "^ftr: '$EXEC' has the trigger 'traceoff:count=0 if .*' already"
	try_ftr 'remove traceoff' 0 trigger remove $EXEC traceoff
	same "$K: remove traceoff: none is left" '' "$(kernel_triggers sched/sched_process_exec)"
	echo 0 > $T/tracing_on
	try_ftr 'traceon' 0 trigger add $EXEC traceon if "$FILTER"
	true
	same "$K: traceon: not by other tasks" 0 "$(cat $T/tracing_on)"
	probe 1
	same "$K: traceon: by this one" 1 "$(cat $T/tracing_on)"
	try_ftr 'remove traceon' 0 trigger remove $EXEC traceon if "$FILTER"
	feature "$K" 'ftr trigger: traceon, traceoff' works
}

stack() {
	note stacktrace
	empty
	try_ftr 'stacktrace:3' 0 trigger add $EXEC stacktrace:3 if "$FILTER"
	probe 5
	same "$K: stacktrace:3: three stacks of five" 3 "$(stacks)"
	same "$K: stacktrace:3: the event itself is not recorded" 0 "$(grep -c 'sched_process_exec:' $T/trace)"
	try_ftr 'remove stacktrace' 0 trigger remove $EXEC "stacktrace:3 if $FILTER"
	feature "$K" 'ftr trigger: stacktrace' works
}

switch() {
	local enable=$T/events/sched/sched_process_exit/enable
	note enable_event, disable_event
	empty
	try_ftr 'enable_event:1' 0 trigger add $EXEC enable_event:sched:sched_process_exit:1 if "$FILTER"
	same "$K: enable_event: not yet" '0*' "$(cat $enable)"
	probe 1
	has "$K: enable_event: enabled" "$(cat $enable)" '^1'
	check "$K: enable_event: records" grep -q 'sched_process_exit: comm=ftrprobe' $T/trace
	try_ftr 'disable_event beside it' 1 trigger add $EXEC disable_event:sched:sched_process_exit
	said 'disable_event beside it: words' "has the trigger 'enable_event:sched:sched_process_exit:count=0"
	try_ftr 'remove enable_event' 0 trigger remove $EXEC enable_event:sched:sched_process_exit
	same "$K: enable_event: removed, the event stays on" 1 "$(cat $enable)"
	try_ftr 'disable_event' 0 trigger add $EXEC disable_event:sched:sched_process_exit if "$FILTER"
	probe 1
	has "$K: disable_event: disabled" "$(cat $enable)" '^0'
	try_ftr 'remove --all' 0 trigger remove --all $EXEC
	same "$K: remove --all: none is left" '' "$(kernel_triggers sched/sched_process_exec)"
	feature "$K" 'ftr trigger: enable_event, disable_event' works
}

hits() {
	awk '/Hits:/ { print $2 }' "$EXEC_DIR/hist"
}

# modified EVENT KEY...: keys with modifiers, by which the table is sorted, go in each way in which triggers go
modified() {
	local event=$1 key text field
	shift
	for key; do
		field=${key%%.*}
		for text in "hist:keys=$key:sort=$field" \
			"hist:keys=$key:vals=hitcount:sort=$field.descending:size=1000"; do
			try_ftr "$text" 0 trigger add "$event" "$text"
			try_ftr "$text: reset" 0 reset
			same "$K: $text: reset: none is left" '' "$(kernel_triggers "${event/://}")"
			try_ftr "$text: once more" 0 trigger add "$event" "$text"
			try_ftr "$text: remove as it was added" 0 trigger remove "$event" "$text"
			same "$K: $text: remove: none is left" '' "$(kernel_triggers "${event/://}")"
			try_ftr "$text: and again" 0 trigger add "$event" "$text"
			try_ftr "$text: remove --all" 0 trigger remove --all
			same "$K: $text: remove --all: none is left" '' "$(kernel_triggers "${event/://}")"
		done
	done
	# another's, put back by reset
	try_ftr 'nothing stands' 0 reset
	echo "hist:keys=$key:sort=$field" >> "$T/events/${event/://}/trigger"
	kernel_triggers "${event/://}" > mine
	try_ftr "$key of another: remove" 0 trigger remove "$event" hist
	try_ftr "$key of another: reset" 0 reset
	same "$K: $key of another: it is back" "$(cat mine)" "$(kernel_triggers "${event/://}")"
	echo "!hist:keys=$key:sort=$field" >> "$T/events/${event/://}/trigger"
}

modifiers() {
	note modifiers
	modified kmem:kmalloc bytes_req.log2 bytes_req.buckets=32 bytes_req.hex call_site.sym call_site.sym-offset
	modified raw_syscalls:sys_enter id.syscall common_pid.execname
	try_ftr 'values as they were added' 0 trigger add kmem:kmalloc 'hist:keys=call_site:vals=bytes_req'
	try_ftr 'values as they were added: remove' 0 trigger remove kmem:kmalloc 'hist:keys=call_site:vals=bytes_req'
	same "$K: values as they were added: none is left" '' "$(kernel_triggers kmem/kmalloc)"
}

histogram() {
	note hist
	try_ftr 'hist' 0 trigger add $EXEC hist:keys=pid:pause if "$FILTER"
	same "$K: hist: paused" paused "$("$FTR" trigger list $EXEC | awk 'NR == 2 { print $3 }')"
	probe 2
	same "$K: hist: a paused one counts nothing" 0 "$(hits)"
	try_ftr 'enable_hist' 0 trigger add sched:sched_process_fork enable_hist:$EXEC:1
	probe 4
	same "$K: enable_hist: it counts from the first fork on" 4 "$(hits)"
	same "$K: enable_hist: active" active "$("$FTR" trigger list $EXEC | awk 'NR == 2 { print $3 }')"
	try_ftr 'remove enable_hist' 0 trigger remove sched:sched_process_fork enable_hist:$EXEC
	try_ftr 'remove hist' 0 trigger remove $EXEC hist:keys=pid
	same "$K: remove hist: none is left" '' "$(kernel_triggers sched/sched_process_exec)"
	# the second reads a variable of the first, which can't go before it
	empty
	try_ftr 'hist with a variable' 0 trigger add sched:sched_waking 'hist:keys=pid:t0=common_timestamp'
	try_ftr 'hist that reads it' 0 trigger add sched:sched_switch 'hist:keys=next_pid:d=common_timestamp-$t0'
	try_ftr 'remove --all of both' 0 trigger remove --all 'sched:sched_[sw]*'
	same "$K: remove --all of both: none is left" '' \
		"$(kernel_triggers sched/sched_waking)$(kernel_triggers sched/sched_switch)"
	feature "$K" 'ftr trigger: hist, enable_hist' works
}

globs() {
	local n
	note globs, instances
	n=$(grep -c '^irq:softirq_' $T/available_events)
	try_ftr 'a glob' 0 trigger add 'irq:softirq_*' stacktrace:1
	said 'a glob: how many' "added 'stacktrace:1': $n events"
	same "$K: a glob: in the kernel" "$n" "$(grep -l '^stacktrace' $T/events/irq/*/trigger | wc -l)"
	same "$K: a glob: listed" "$n" \
		"$("$FTR" trigger list irq --json | python3 -c 'import json,sys; print(len(json.load(sys.stdin)))')"
	try_ftr 'remove a glob' 0 trigger remove 'irq:softirq_*' stacktrace
	same "$K: remove a glob" '' "$(grep -l '^stacktrace' $T/events/irq/*/trigger)"
	mkdir $T/instances/own
	try_ftr 'in an instance' 0 trigger add -B own $EXEC stacktrace:2 if "$FILTER"
	probe 3
	same "$K: in an instance: two stacks there" 2 "$(stacks own)"
	same "$K: in an instance: listed" own/$EXEC "$("$FTR" trigger list | awk 'NR == 2 { print $1 }')"
	try_ftr 'reset -B' 0 reset -B own
	same "$K: reset -B: gone" '' "$(kernel_triggers sched/sched_process_exec own)"
	rmdir $T/instances/own
}

# Somebody else's: taken away, and brought back by ftr reset.
others() {
	note others
	echo 'stacktrace:7 if pid > 99' >> $EXEC_DIR/trigger
	same "$K: somebody else's: by nobody of ours" - "$("$FTR" trigger list $EXEC | awk 'NR == 2 { print $4 }')"
	try_ftr "remove somebody else's" 0 trigger remove $EXEC stacktrace
	same "$K: remove somebody else's: gone" '' "$(kernel_triggers sched/sched_process_exec)"
	try_ftr 'reset' 0 reset
	has "$K: reset: it is back" "$(kernel_triggers sched/sched_process_exec)" '^stacktrace:count=[0-7] if pid > 99$'
	echo '!stacktrace' >> $EXEC_DIR/trigger
}

func_commands() {
	note functions
	empty
	try_ftr 'func stacktrace:3' 0 trigger add --func vfs_mkdir stacktrace:3
	dirs 5
	same "$K: func stacktrace:3: three stacks of five" 3 "$(stacks)"
	same "$K: func stacktrace:3: in the kernel" vfs_mkdir:stacktrace:count=0 "$(commands)"
	try_ftr 'func stacktrace again' 1 trigger add --func vfs_mkdir stacktrace:9
	said 'func stacktrace again: words' "^ftr: 'vfs_mkdir' has the command 'stacktrace:count=0' already"
	try_ftr 'func traceoff:1' 0 trigger add --func vfs_mkdir traceoff:1
	try_ftr 'func traceon' 0 trigger add --func vfs_rmdir traceon
	mkdir $D
	same "$K: func traceoff: off" 0 "$(cat $T/tracing_on)"
	rmdir $D
	same "$K: func traceon: on" 1 "$(cat $T/tracing_on)"
	mkdir $D
	same "$K: func traceoff:1: once" 1 "$(cat $T/tracing_on)"
	rmdir $D
	same "$K: func: listed, by us" 'vfs_mkdir() 0 spent ftr stacktrace
vfs_mkdir() 0 spent ftr traceoff
vfs_rmdir() - active ftr traceon' "$("$FTR" trigger list --func | awk 'NR > 1 { print $1, $2, $3, $4, $5 }' | sort)"
	try_ftr 'remove func' 0 trigger remove --func 'vfs_*dir' traceon
	same "$K: remove func: that one" 'vfs_mkdir:stacktrace:count=0 vfs_mkdir:traceoff:count=0' \
		"$(echo $(commands | sort))"
	try_ftr 'remove --func --all' 0 trigger remove --func --all
	same "$K: remove --func --all" '' "$(commands)"
	feature "$K" 'ftr trigger --func: traceon, traceoff, stacktrace' works
}

func_events() {
	local enable=$T/events/sched/sched_process_exit/enable
	note functions that switch events
	try_ftr 'func enable_event' 0 trigger add --func vfs_mkdir enable_event:sched:sched_process_exit:1
	try_ftr 'func disable_event' 0 trigger add --func vfs_rmdir disable_event:sched:sched_process_exit
	mkdir $D
	has "$K: func enable_event: on" "$(cat $enable)" '^1'
	rmdir $D
	has "$K: func disable_event: off" "$(cat $enable)" '^0'
	dirs 1
	try_ftr 'reset of both' 0 reset
	same "$K: reset of both: gone" '' "$(commands)"
	feature "$K" 'ftr trigger --func: enable_event, disable_event' works
}

dumps() {
	note dump
	echo 'before the dump' > $T/trace_marker
	dmesg -c > /dev/null
	try_ftr 'func dump' 0 trigger add --func vfs_mkdir dump
	dirs 2
	same "$K: func dump: one dump of two calls" 1 "$(dmesg | grep -c 'Dumping ftrace buffer')"
	has "$K: func dump: with what was there" "$(dmesg)" 'before the dump'
	try_ftr 'func dump: a count' 1 trigger add --func vfs_rmdir dump:3
	said 'func dump: a count: words' "'dump' takes no count"
	dmesg -c > /dev/null
	echo 1 > $T/tracing_on
	echo 'before the second dump' > $T/trace_marker
	try_ftr 'func cpudump' 0 trigger add --func vfs_rmdir cpudump
	dirs 1
	has "$K: func cpudump" "$(dmesg)" 'Dumping ftrace buffer'
	echo 1 > $T/tracing_on
	try_ftr 'remove the dumps' 0 trigger remove --func --all
	same "$K: remove the dumps" '' "$(commands)"
	feature "$K" 'ftr trigger --func: dump, cpudump' works
}

# trace_marker records it: the one event that takes triggers and is not in available_events.
print_event() {
	note a hist of ftrace:print
	try_ftr 'hist of ftrace:print' 0 trigger add ftrace:print 'hist:keys=common_pid if buf == "begin"'
	has "$K: hist of ftrace:print: in the kernel" "$(kernel_triggers ftrace/print)" \
		'^hist:keys=common_pid:.* if buf == "begin"'
	# a line's end would belong to buf
	printf begin > $T/trace_marker
	printf other > $T/trace_marker
	has "$K: hist of ftrace:print: it counts" "$(cat $T/events/ftrace/print/hist)" 'hitcount: +1$'
	has "$K: hist of ftrace:print: listed" "$("$FTR" trigger list)" 'ftrace:print .*hist:keys=common_pid'
	has "$K: hist of ftrace:print: in stat" "$("$FTR" stat)" 'ftrace:print: hist:keys=common_pid'
	try_ftr 'remove of ftrace:print' 0 trigger remove ftrace:print 'hist:keys=common_pid if buf == "begin"'
	same "$K: remove of ftrace:print: none is left" '' "$(kernel_triggers ftrace/print)"
	"$FTR" trigger add ftrace:print 'hist:keys=common_pid' > /dev/null
	try_ftr 'reset' 0 reset
	same "$K: reset of ftrace:print: none is left" '' "$(kernel_triggers ftrace/print)"
	feature "$K" 'ftr trigger: ftrace:print' works
}

refusals() {
	note refusals
	try_ftr 'an unknown trigger' 1 trigger add $EXEC stacktrce:3
	said 'an unknown trigger: words' "^ftr: this kernel has no trigger 'stacktrce'"
	said 'an unknown trigger: hint' "^hint: did you mean 'stacktrace'"
	try_ftr 'a wrong count' 1 trigger add $EXEC stacktrace:x
	said 'a wrong count: words' "'stacktrace:x' has no number"
	try_ftr 'an unknown event' 1 trigger add sched:sched_proces_exec stacktrace
	said 'an unknown event: hint' "^hint: did you mean '$EXEC'"
	try_ftr 'an unknown event to enable' 1 trigger add $EXEC enable_event:sched:sched_swich
	said 'an unknown event to enable: hint' "^hint: did you mean 'sched:sched_switch'"
	try_ftr 'no event to enable' 1 trigger add $EXEC enable_event
	said 'no event to enable: words' "'enable_event' of 'enable_event' needs an event"
	try_ftr 'an unknown field' 1 trigger add $EXEC traceoff if 'pid > 1 && filname == "x"'
	said 'an unknown field: the kernel' 'Field not found'
	# the caret stands below the first letter of the user's word
	same "$K: an unknown field: the caret" filname \
		"$(awk '/\^/ { print substr(last, index($0, "^"), 7) } { last = $0 }' err)"
	said 'an unknown field: hint' "^hint: did you mean 'filename'"
	try_ftr 'a wrong key' 1 trigger add $EXEC hist:keys=pdi
	said 'a wrong key: the kernel' "Couldn't find field"
	same "$K: a wrong key: the caret" pdi \
		"$(awk '/\^/ { print substr(last, index($0, "^"), 3) } { last = $0 }' err)"
	try_ftr 'an unknown command of functions' 1 trigger add --func vfs_mkdir stacktrce
	said 'an unknown command of functions: hint' "^hint: did you mean 'stacktrace'"
	try_ftr 'an unknown function' 1 trigger add --func vfs_mkdri traceoff
	said 'an unknown function: hint' "^hint: did you mean 'vfs_mkdir'"
	# the second of two events lacks the field: the first has no trigger then either
	try_ftr 'a field that one of two events lacks' 1 trigger add 'sched:sched_process_e*' \
		stacktrace if 'old_pid > 1'
	same "$K: a field that one of two events lacks: none is left" '' "$(kernel_triggers sched/sched_process_exec)"
	same "$K: after refusals: no commands are left" '' "$(commands)"
	feature "$K" "ftr trigger: the kernel's refusals explained" works
}

# What the kernel refuses with EINVAL alone.
bare() {
	note bare refusals
	while read -r text words; do
		try_ftr "$text" 1 trigger add $EXEC "$text"
		said "$text: words" "$words"
	done <<-'X'
	hist:vals=pid ^ftr: a histogram needs keys: 'hist:vals=pid'
	hist:size=128 ^ftr: a histogram needs keys: 'hist:size=128'
	hist ^ftr: a histogram needs keys: 'hist'
	hist:foo ^ftr: histograms have no 'foo'
	hist:keys=pid:siez ^ftr: histograms have no 'siez'
	hist:keys=pid:paus ^hint: did you mean 'pause'
	hist:keys=pid:sort ^hint: it takes a value: 'sort=...'
	hist:keys=pid:size=7 ^ftr: '7' is not a size of a histogram
	hist:keys=pid:size=many ^ftr: 'many' is not a size of a histogram
	hist:keys=pidd ^hint: did you mean 'pid'
	X
	try_ftr 'a field of a filter' 1 trigger add $EXEC 'stacktrace if piid == 3'
	said 'a field of a filter: the kernel' 'error: Field not found'
	said 'a field of a filter: hint' "^hint: did you mean 'pid'"
	try_ftr 'an operator of a filter' 1 trigger add $EXEC 'traceoff:3 if pid = 3 && filename ~ "a:b"'
	said 'an operator of a filter: the kernel' 'error: Invalid operator'
	try_ftr 'a filter of a histogram' 1 trigger add $EXEC 'hist:keys=pid if old_pdi == 3'
	said 'a filter of a histogram: hint' "^hint: did you mean 'old_pid'"
	same "$K: bare refusals: none is left" '' "$(kernel_triggers sched/sched_process_exec)$(ls $T/instances)"
	empty
	try_ftr 'a variable' 0 trigger add sched:sched_waking hist:keys=pid:ftr0=common_timestamp.usecs
	try_ftr 'who reads it' 0 trigger add $EXEC 'hist:keys=pid:late=common_timestamp.usecs-$ftr0'
	try_ftr 'a variable that is read' 1 trigger remove sched:sched_waking hist
	said 'a variable that is read: who' \
		"^ftr: '$EXEC' reads the variable 'ftr0' of the trigger of 'sched:sched_waking'"
	said 'a variable that is read: hint' "^hint: remove that first: ftr trigger remove $EXEC 'hist:keys=pid"
	try_ftr 'both' 0 trigger remove --all
	# the kernel lists variables of one clause, and of several, with commas between them
	for late in old_pid-first common_timestamp.usecs-second; do
		var=${late#*-}
		try_ftr "two variables, $var" 0 trigger add sched:sched_waking \
			'hist:keys=pid:first=pid:second=common_timestamp.usecs'
		try_ftr "two variables, $var: who reads it" 0 trigger add $EXEC "hist:keys=pid:late=${late%-*}-\$$var"
		try_ftr "two variables, $var: read" 1 trigger remove sched:sched_waking --all
		said "two variables, $var: who" \
			"^ftr: '$EXEC' reads the variable '$var' of the trigger of 'sched:sched_waking'"
		try_ftr "two variables, $var: both" 0 trigger remove --all
	done
}

# A table of times lets the kernel set the clock, and empty the buffer and the snapshot.
empties() {
	local times='hist:keys=common_pid:ts0=common_timestamp'
	empty
	echo mine > $T/trace_marker
	try_ftr 'times, records in the buffer' 1 trigger add $EXEC "$times"
	said 'times, records in the buffer: words' \
		'^ftr: a histogram with common_timestamp would empty the buffer of the top level, which holds records$'
	said 'times, records in the buffer: hint' "^hint: 'ftr extract' saves them; --force discards them$"
	same "$K: times, records in the buffer: all is as it was" '1 ' \
		"$(grep -c 'write: mine' $T/trace) $(kernel_triggers sched/sched_process_exec)"
	try_ftr 'no times, records in the buffer' 0 trigger add $EXEC hist:keys=common_pid
	same "$K: no times: the record is there" 1 "$(grep -c 'write: mine' $T/trace)"
	try_ftr 'start -K -R with times' 1 start -K -e $EXEC -R "$times"
	said 'start -K -R with times: words' '^ftr: -R would empty the buffer of the top level'
	try_ftr 'times, --force' 0 trigger add --force $EXEC "${times/pid/cpu}"
	same "$K: times, --force: the kernel emptied it" 0 "$(grep -c 'write: mine' $T/trace)"
	try_ftr 'both away' 0 trigger remove --all
	echo mine > $T/trace_marker
	echo 1 > $T/snapshot
	empty
	try_ftr 'times, records in the snapshot' 1 trigger add $EXEC "$times"
	said 'times, records in the snapshot: words' 'would empty the snapshot of the top level'
	same "$K: times, records in the snapshot: they stay" 1 "$(grep -c 'write: mine' $T/snapshot)"
	echo 0 > $T/snapshot
	mkdir $T/instances/net
	echo mine > $T/instances/net/trace_marker
	try_ftr 'times, an instance' 1 trigger add -B net $EXEC "$times"
	said 'times, an instance: words' "would empty the buffer of instance 'net'"
	rmdir $T/instances/net
}

state_dump before
on_off
bare
stack
switch
histogram
modifiers
globs
func_commands
func_events
others
empties
print_event
refusals
dumps
try_ftr 'the last reset' 0 reset
try_ftr 'nothing is listed' 0 trigger list
said 'nothing is listed: words' 'there are no triggers'
echo 1 > $T/tracing_on
state_dump after
check "$K: tracefs is as before" state_equal before after
pass "$K: the end is reached"
finish
