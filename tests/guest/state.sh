#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr record leaves tracefs as it found it: from a fresh and from a dirty one, however it ends.
. "$(dirname "$0")/lib/inside.sh" 850
FTR_STATE_ENDS=$(echo $(sample 2 normal int term filter event nocommand))
echo "# parts:" $FTR_STATE_ENDS

GRAPH=(-p function_graph -l 'vfs_*' -n 'vfs_fsync*' -g ksys_read --max-graph-depth 3 -O sym-offset -O nofuncgraph-irqs
	--nograph-funcs vfs_statx --time-filter 1us)
CALLS=(-p function -l 'vfs_*' -n 'vfs_fsync*' -O nosym-offset)
EVENTS=(-C mono -b 512 -M 1 -e sched:sched_switch -f 'prev_pid > 0' -R stacktrace -e irq -e timer:timer_init
	-R stacktrace:3 --cmdlines-size 4000 --buffer-percent 20 --cpu-buffer-size 0-1=700K --cpu-buffer-size 1=600
	--dump-on-oops 1 --traceoff-on-warning on)
# A command that is held for its signals, and says when it runs.
HELD=(sh -c 'echo runs > runs; exec sleep 100')

# around NAME STATUS COMMAND...
around() {
	local name=$1 want=$2 status
	shift 2
	rm -f runs
	state_dump before
	"$@" > out 2> err
	status=$?
	same "$K: $name: status" "$want" "$status"
	[ "$status" = "$want" ] || sed 's/^/# /' err
	state_dump after
	check "$K: $name: tracefs is as before" state_equal before after
}

# signalled SIGNAL ARGS...: sends it once the command runs
signalled() {
	local sig=$1 pid
	shift
	# a shell's background jobs ignore SIGINT
	env --default-signal=INT "$FTR" record "$@" -o t.dat -- "${HELD[@]}" &
	pid=$!
	wait_or_gone $pid test -e runs
	kill -"$sig" $pid
	wait $pid
}

ALL="normal int term filter event nocommand"

# ends FROM "WAYS" ARGS...
ends() {
	local from=$1 ways=$2 way
	shift 2
	for way in $ways; do
		end_$way "$from" "$@"
	done
}

end_normal() {
	local from=$1
	shift
	# on the CPU that -M selects
	around "$from, a normal end" 0 "$FTR" record "$@" -o t.dat -- taskset 1 ls /usr
	check "$K: $from: the recording has records" test "$("$FTR" report --raw t.dat | wc -l)" -gt 20
}

end_int() {
	local from=$1
	shift
	around "$from, SIGINT" 130 signalled INT "$@"
}

end_term() {
	local from=$1
	shift
	around "$from, SIGTERM" 143 signalled TERM "$@"
}

end_filter() {
	local from=$1
	shift
	around "$from, a filter that the kernel refuses in mid-plan" 125 "$FTR" record "$@" -e sched:sched_waking \
		-f 'nonsense == 1' -o t.dat -- ls
}

end_event() {
	local from=$1
	shift
	around "$from, an unknown event in mid-plan" 125 "$FTR" record "$@" -e sched:no_such_event -e irq -o t.dat -- ls
}

end_nocommand() {
	local from=$1
	shift
	around "$from, a command that does not exist" 127 "$FTR" record "$@" -o t.dat -- ftr-no-such-command
}

# As a script does it: the shell ignores SIGINT in both, so it is ours alone, and the command goes on.
in_background() {
	local pid
	"$FTR" record -e irq -o t.dat -- "${HELD[@]}" &
	pid=$!
	wait_or_gone $pid test -e runs
	kill -INT $pid
	wait $pid
}

around "SIGINT to a job that a shell started in the background" 130 in_background
ends fresh "$ALL" "${GRAPH[@]}" "${EVENTS[@]}"
make_dirty
ends dirty "${FTR_STATE_ENDS:-$ALL}" "${CALLS[@]}" "${EVENTS[@]}"
has "$K: dirty: the recording was in an instance" "$("$FTR" record -e irq -o t.dat -- true 2>&1)" "instance 'ftr-"
ends 'dirty, --force' "${FTR_STATE_ENDS:-$ALL}" --force "${GRAPH[@]}" "${EVENTS[@]}"
pkill -x sleep
undirty
pass "$K: the end is reached"
finish
