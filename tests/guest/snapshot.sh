#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr snapshot: what it holds, when it is taken, and that it is freed.
. "$(dirname "$0")/lib/inside.sh" 900
. "$FTR_TOP/tests/guest/lib/trigger-lib.sh"

marks() {	# marker texts in a file, in order
	grep -o 'tracing_mark_write: .*' "$1" | sed 's/.*: //' | xargs
}

mark() {
	echo "$1" > $T/trace_marker
}

freed() {
	grep -c 'Snapshot is freed' "$T/${1:+instances/$1/}snapshot"
}

by_hand() {
	note by hand
	empty
	try_ftr 'state of a fresh kernel' 0 snapshot
	same "$K: state: not allocated" 'instance the top level buffer not allocated armed no' "$(xargs < stdout)"
	try_ftr 'show without one' 1 snapshot show
	mark one
	mark two
	try_ftr 'take' 0 snapshot take
	same "$K: take: the buffer went there" 'one two' "$(marks $T/snapshot)"
	same "$K: take: and is empty" '' "$(marks $T/trace)"
	mark three
	try_ftr 'show' 0 snapshot show
	same_files "$K: show: the kernel's text" $T/snapshot stdout
	try_ftr 'show of a CPU' 0 snapshot show -c 1
	same_files "$K: show of a CPU: the kernel's text" <(grep -v '^#' $T/per_cpu/cpu1/snapshot) \
		<(grep -v '^#' stdout)
	try_ftr 'state' 0 snapshot --json
	same "$K: state: as JSON" 'True 2 []' \
		"$(python3 -c \
			'import json; o = json.load(open("stdout")); print(o["allocated"], o["entries"], o["armed"])')"
	try_ftr 'take again' 0 snapshot take
	same "$K: take again: the newer is there" 'three' "$(marks $T/snapshot)"
	same "$K: take again: the older is in the buffer again" 'one two' "$(marks $T/trace)"
	try_ftr 'clear' 0 snapshot clear
	has "$K: clear: empty, allocated" "$(cat $T/snapshot)" 'Snapshot is allocated'
	try_ftr 'free' 0 snapshot free
	same "$K: free" 1 "$(freed)"
	try_ftr 'take, for reset' 0 snapshot take
	try_ftr 'reset' 0 reset
	same "$K: reset: freed again" 1 "$(freed)"
	feature "$K" 'ftr snapshot: take, show, clear, free' works
}

nameless() {
	sed -nE 's/^ .*-([0-9]+ +\[)/\1/p' "$1"
}

# What the file has is what the kernel showed, and the snapshot is empty then.
save() {
	note save
	empty
	mkdir $T/instances/own
	mark four
	mark five
	echo six > $T/instances/own/trace_marker
	try_ftr 'save: no snapshot' 1 snapshot save -o none.dat
	check "$K: save: no snapshot: no file" test ! -e none.dat
	try_ftr 'save: take' 0 snapshot take
	try_ftr 'save: take of an instance' 0 snapshot take -B own
	grep -v '^#' $T/snapshot > kernel.txt
	try_ftr 'save' 0 snapshot save -o save.dat
	try_ftr 'save: report' 0 report --format=kernel save.dat
	# which names the kernel knows is a matter of the moment: by pid
	same_files "$K: save: the kernel's lines" <(nameless kernel.txt) <(nameless stdout)
	same "$K: save: both marks" 'four five' "$(marks stdout)"
	has "$K: save: empty, allocated" "$(cat $T/snapshot)" 'Snapshot is allocated'
	try_ftr 'save of an instance' 0 snapshot save -B own -o own.dat
	try_ftr 'save of an instance: report' 0 report own.dat
	has "$K: save of an instance: its mark alone" "$(cat stdout)" 'six'
	same "$K: save of an instance: not the top's" 0 "$(grep -c 'four\|five' stdout)"
	try_ftr 'save: reset' 0 reset
	same "$K: save: reset: freed" '1 1' "$(freed) $(freed own)"
	rmdir $T/instances/own
	rm -f save.dat own.dat
	feature "$K" 'ftr snapshot save' works
}

one_cpu() {
	note one CPU
	empty
	taskset 1 sh -c "echo on0 > $T/trace_marker"
	taskset 2 sh -c "echo on1 > $T/trace_marker"
	try_ftr 'take, all CPUs' 0 snapshot take
	try_ftr 'show -c 0' 0 snapshot show -c 0
	same "$K: show -c 0: its records only" on0 "$(marks stdout)"
	try_ftr 'clear -c 0' 0 snapshot clear -c 0
	same "$K: clear -c 0: the other's stay" on1 "$(marks $T/snapshot)"
	if "$FTR" snapshot take -c 0 2> err; then
		feature "$K" 'ftr snapshot take -c CPU' works
	else
		said 'take -c: the reason' 'cannot take a snapshot of one CPU \(CONFIG_RING_BUFFER_ALLOW_SWAP\)'
		feature "$K" 'ftr snapshot take -c CPU' \
			'this kernel cannot take a snapshot of one CPU (CONFIG_RING_BUFFER_ALLOW_SWAP)'
	fi
	same "$K: take -c: what was there stays" on1 "$(marks $T/snapshot)"
	try_ftr 'a CPU that is not there' 1 snapshot show -c 77
	said 'a CPU that is not there: words' '^ftr: no CPU 77'
	try_ftr 'reset after CPUs' 0 reset
}

armed() {
	note armed
	empty
	try_ftr '--on an event' 0 snapshot --on $EXEC --if "$FILTER"
	same "$K: --on: in the kernel" "snapshot:count=1 if $FILTER" "$(kernel_triggers sched/sched_process_exec)"
	has "$K: --on: listed" "$("$FTR" snapshot)" "^armed +$EXEC: snapshot:count=1 if"
	try_ftr 'free while armed' 1 snapshot free
	said 'free while armed: words' "'$EXEC' would still take one"
	mark early
	probe 1
	mark late
	probe 1
	same "$K: --on: the moment of the first" early "$(marks $T/snapshot)"
	same "$K: --on: the rest goes on" late "$(marks $T/trace)"
	try_ftr '--off' 0 snapshot --off
	said '--off: how many' 'disarmed: removed 1 trigger'
	same "$K: --off: none is left" '' "$(kernel_triggers sched/sched_process_exec)"
	same "$K: --off: the snapshot stays" early "$(marks $T/snapshot)"
	empty
	try_ftr 'clear, before' 0 snapshot clear
	try_ftr '--on, each time' 0 snapshot --on $EXEC --if "$FILTER" --count 0
	mark first
	probe 1
	mark second
	probe 1
	same "$K: --count 0: the moment of the last" second "$(marks $T/snapshot)"
	try_ftr 'reset of an armed one' 0 reset
	same "$K: reset of an armed one: no trigger, freed" ':1' "$(kernel_triggers sched/sched_process_exec):$(freed)"
	feature "$K" 'ftr snapshot --on EVENT' works
	empty
	try_ftr '--on a function' 0 snapshot --on vfs_mkdir --count 2
	same "$K: --on a function: in the kernel" vfs_mkdir:snapshot:count=2 "$(commands)"
	for i in 1 2 3; do
		mark before$i
		dirs 1
	done
	same "$K: --on a function: the second of three" before2 "$(marks $T/snapshot)"
	same "$K: --on a function: then no more, and the first's is in the buffer again" 'before1 before3' \
		"$(marks $T/trace)"
	try_ftr '--off of a function' 0 snapshot --off
	same "$K: --off of a function: none is left" '' "$(commands)"
	try_ftr 'reset after a function' 0 reset
	same "$K: reset after a function: freed" 1 "$(freed)"
	feature "$K" 'ftr snapshot --on FUNC' works
	try_ftr '--on nothing' 1 snapshot --on vfs_mkdri
	said '--on nothing: hint' "^hint: did you mean 'vfs_mkdir'"
	try_ftr '--on an event, a wrong filter' 1 snapshot --on $EXEC --if 'nonsense == 1'
	said '--on an event, a wrong filter: words' "Field not found|cannot write 'snapshot:1 if nonsense == 1'"
	same "$K: a wrong filter: freed" 1 "$(freed)"
}

instances() {
	note instances
	mkdir $T/instances/own
	try_ftr 'in an instance' 0 snapshot take -B own
	same "$K: in an instance: there, not at the top" '0 1' "$(freed own) $(freed)"
	try_ftr 'reset of it' 0 reset
	same "$K: reset of it: freed" 1 "$(freed own)"
	rmdir $T/instances/own
	try_ftr 'an instance that is gone' 1 snapshot take -B own
	said 'an instance that is gone: words' "^ftr: no instance 'own'"
	feature "$K" 'ftr snapshot -B INSTANCE' works
}

state_dump before
by_hand
save
one_cpu
armed
instances
try_ftr 'the last reset' 0 reset
state_dump after
check "$K: tracefs is as before" state_equal before after
pass "$K: the end is reached"
finish
