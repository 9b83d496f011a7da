#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr hist: what is refused before tracefs is looked at, each with its status and words.

. "$(dirname "$0")/../lib.sh"

# No tracefs here: whatever gets past the checks of usage fails for that reason.
export FTR_TRACEFS=$TMP/none
cd "$TMP" || exit 1

hist_refuses() {
	ftr_refuses "$1" "$2" "$3" hist "${@:4}"
}

hist_refuses 'nothing' 2 'no event to count'
hist_refuses 'only a command' 2 'no event to count' -- ls
hist_refuses 'an event alone' 2 "nothing to count 'sched_switch' by" sched_switch
hist_refuses 'a command as key' 2 "nothing to count 'sched_switch' by" sched_switch -- ls
hist_refuses 'a second list of keys' 2 "one word too many: 'b'" sched_switch a b
hist_refuses 'no keys' 2 'no keys in' sched_switch :a
hist_refuses 'four keys' 2 "4 keys in 'a,b,c,d': a histogram has at most 3" sched_switch a,b,c,d
hist_refuses 'pause' 2 "'pause' does not work here" sched_switch a:pause
hist_refuses 'a name' 2 "'name=x' does not work here" sched_switch a:name=x
hist_refuses 'two outputs' 2 '--raw and --json' sched_switch a --raw --json
hist_refuses '-F without a command' 2 '-F counts the command only' sched_switch a -F
hist_refuses 'an order' 2 "'a:up' is not a key to sort by" sched_switch a --sort a:up
hist_refuses 'three orders' 2 "more than 2 keys to sort by: 'c'" sched_switch a --sort a,b --sort c
hist_refuses 'an empty order' 2 "'' is not a key to sort by" sched_switch a --sort ''
for size in 0 -1 x 131073 ''; do
	hist_refuses "--size '$size'" 2 "wrong argument '$size' of --size" sched_switch a --size "$size"
	hist_refuses "size=$size" 2 "'$size' is not a size of a histogram" sched_switch "a:size=$size"
done
for time in 0 -1 x 5x ''; do
	hist_refuses "-d '$time'" 2 "wrong argument '$time' of --duration" sched_switch a -d "$time"
	hist_refuses "-i '$time'" 2 "wrong argument '$time' of --interval" sched_switch a -i "$time"
done
hist_refuses '--top 0' 2 "wrong argument '0' of --top" sched_switch a --top 0
hist_refuses 'an unknown option' 2 "did you mean '--sort'" sched_switch a --srot b
hist_refuses 'no tracefs' 1 'none' sched_switch a -d 1
hist_refuses 'no tracefs, with a command' 125 'none' sched_switch a -- touch ran
same 'nothing ran' '' "$(ls)"

# What trace_marker records has a histogram, but not in an instance.
export FTR_TRACEFS=$TMP/t FTR_JOURNAL_DIR=$TMP/journals
mkdir -p t/events/ftrace/print t/instances
echo sched:sched_switch > t/available_events
: > t/events/ftrace/print/trigger
echo nop > t/current_tracer
for word in ftrace:print print ftrace/print; do
	hist_refuses "$word" 1 \
		"^ftr: 'ftrace:print' is recorded where trace_marker is written, not in the instance of ftr hist$" \
			"$word" ip -d 1
	hist_refuses "$word: hint" 1 \
		"^hint: 'ftr trigger add ftrace:print hist:keys=ip' counts it there, 'ftr show --hist ftrace:print'" \
		"$word" ip -d 1
done
hist_refuses 'another event that there is not' 1 "no event matches 'printx'" printx ip -d 1

finish
