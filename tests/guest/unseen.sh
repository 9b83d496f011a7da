#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# turns: 3
# Recordings that are limited: to a command, to processes, to a CPU, by small buffers, by ftr's own threads that are
# left out, by a CPU that goes. Each beside an instance that has all: no number is above what that one has.
. "$(dirname "$0")/../lib.sh"

# beside NAME PERCENT [LINE]: what is said of NAME.dat, and that the last lines have LINE
beside() {
	local name=$1 pids
	pids=$(cat "$OUTDIR/$name.pids" 2> /dev/null)
	[ -s "$OUTDIR/$name.dat" ] || { fail "$V: $name: recorded"; return; }
	check "$V: $name: no number is above the true one" python3 "$FTR_TOP/tests/tools/beside.py" "$FTR" \
		"$OUTDIR/$name.dat" "$OUTDIR/$name.true.dat" "$2" $pids
	[ -z "${3:-}" ] || has "$V: $name: it is said" "$("$FTR" sched states "$OUTDIR/$name.dat")" "$3"
	# a CPU that goes records nothing of its last switches
	[ "$name" = losses ] || [ "$name" = hotplug ] || same "$V: $name: no contradiction" '' \
		"$("$FTR" sched states "$OUTDIR/$name.dat" | grep 'switches are missing')"
}

unseen() {
	guest_checks 600 unseen.sh
	beside default 99 '^# not recorded: [0-9]+ tasks \(set_event_notrace_pid\)'
	beside command 95 '^# recorded: only 1 task \(set_event_pid\)'
	beside children 95 '^# recorded: only 1 task and children \(set_event_pid\)'
	beside pid 95 '^# recorded: only 1 task \(set_event_pid\)'
	beside cpu 0 '^# recorded: only CPUs of the mask 1;'
	beside losses 0 '^# records are lost in [0-9]+ places:'
	beside hotplug 99
}

for_a_kernel unseen
finish
