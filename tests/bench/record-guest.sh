#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest, started by tests/bench/recorder.py: record-guest.sh recorder|gib|oops ROUNDS CALLS. ftr record and
# trace-cmd record in turn, with the same events, buffers and load. A line to $OUT/runs for each: "TOOL WHAT=NUMBER...".
# Of oops the tools are "armed" and "unarmed".
WHAT=$1
ROUNDS=$2
SIZE=$3
T=/sys/kernel/tracing
CPU_OF=$FTR_BUILD/tests/tools/cpu_of
mkdir -p /tmp/bench
cd /tmp/bench || exit 1

disk() {
	modprobe loop
	modprobe ext4
	mkdir /tmp/image
	mount -t tmpfs -o size=5g none /tmp/image
	truncate -s "$1" /tmp/image/disk
	mkfs.ext4 -qF -E lazy_itable_init=0,lazy_journal_init=0 /tmp/image/disk
	mount -o loop /tmp/image/disk /mnt && cd /mnt
}

# By the kernel's counters, which go on from one recording to the next.
lost() {
	awk '/^(overrun|commit overrun|dropped events): / { n += $NF } END { print n }' $T/per_cpu/cpu*/stats
}

dirty() {
	awk '/^(Dirty|Writeback):/ { n += $2 } END { print n }' /proc/meminfo
}

# Both CPUs at once. What the kernel has lost, and what is not on the disk yet, is noted before the recorder ends.
load_calls() {
	lost > lost.before
	"$FTR_BUILD/tests/guest/load/many_load" calls "$1" &
	taskset -c 1 "$FTR_BUILD/tests/guest/load/many_load" calls "$1"
	wait
	lost > lost
}

load_text() {
	local c
	lost > lost.before
	for c in 0 1; do
		taskset -c $c dd if=/dev/zero of=$T/trace_marker bs=1000 count="$1" 2> /dev/null &
	done
	wait
	lost > lost
	dirty > dirty
}
export -f load_calls load_text lost dirty
export T

# run TOOL LOAD OPTION...
run() {
	local tool=$1 load=$2
	shift 2
	rm -f t.dat* inner outer lost
	case $tool in
	ftr) set -- "$FTR" record -q -o t.dat "$@" -- ;;
	trace-cmd) set -- trace-cmd record -q --compression none -o t.dat "$@" ;;
	esac
	"$CPU_OF" outer "$@" "$CPU_OF" inner bash -c "$load" > said 2>&1 || cat said >&2
}

# What the buffers gave, of all CPUs.
data_bytes() {
	"$FTR" info t.dat 2> info.err | sed -nE 's/^  data: .*\(([0-9]+) bytes\).*/\1/p' |
		awk '{ n += $1 } END { print n + 0 }'
}

# noted TOOL: of the last run; what cpu_of wrote of the recorder and of the command
noted() {
	echo "$1 bytes=$(stat -c %s t.dat) data=$(data_bytes)" \
		"lost=$(($(cat lost) - $(cat lost.before))) dirty=$(cat dirty 2> /dev/null || echo 0)" \
		"outer=$(tr ' ' , < outer) inner=$(tr ' ' , < inner)"
}

# System calls by task, while the last run is repeated.
count_calls() {
	local c=$T/instances/count/events/raw_syscalls/sys_enter/trigger
	mkdir -p $T/instances/count
	echo 'hist:keys=common_pid.execname,id:size=8192' > "$c"
	"$@"
	cat ${c%trigger}hist > hist
	echo '!hist:keys=common_pid.execname,id:size=8192' > "$c"
	rmdir $T/instances/count
}

# calls TOOL: of the recorder, not of the command
calls() {
	local inner
	inner=$(cut -d' ' -f6 inner)
	awk -v tool="$1" -v inner="$inner" -v outer="$(cut -d' ' -f6 outer)" '
		/^\{ common_pid:/ {
			pid = $0; sub(/\].*/, "", pid); sub(/.*\[ */, "", pid)
			id = $0; sub(/.*id: */, "", id); id += 0
			name = $3
			if (pid == inner || pid == outer || name !~ /^(ftr|trace-cmd)/)
				next
			n += $NF
			splices += id == 275 ? $NF : 0
		}
		END { print tool " calls=" n + 0 " splices=" splices + 0 }' hist
	sed -nE 's/.*Dropped: ([1-9][0-9]*)/not counted: \1/p' hist >&2
}

recorder() {
	local i tool
	disk 3g
	for i in $(seq "$ROUNDS"); do
		for tool in ftr trace-cmd; do
			run $tool "load_calls $SIZE" -e raw_syscalls
			noted $tool
		done
	done
	for tool in ftr trace-cmd; do
		count_calls run $tool "load_calls $SIZE" -e raw_syscalls
		echo "$(noted $tool) $(calls $tool | cut -d' ' -f2-)"
	done
}

# What a sync of as much as was not on the disk yet takes, as cpu_of has it: the median of three.
bare_sync() {
	local i
	for i in 1 2 3; do
		sync
		head -c $(($1 * 1024)) /dev/zero > bare
		"$CPU_OF" bare.took sync bare
		awk '{ print $2 - $1, $0 }' bare.took
		rm bare
	done | sort -n | sed -n '2s/^[^ ]* //p' | tr ' ' ,
}

gib() {
	local i tool loop was
	disk 4g
	loop=$(findmnt -no SOURCE /mnt)
	for i in $(seq "$ROUNDS"); do
		for tool in ftr trace-cmd; do
			rm -f t.dat*
			sync
			was=$(awk '{ print $7 }' "/sys/block/${loop#/dev/}/stat")
			run $tool "load_text $SIZE" -e sched:sched_process_hang -b 8192
			cp said "$OUT/said.$tool"
			sync
			line=$(noted $tool)
			echo "$line sectors=$(($(awk '{ print $7 }' \
				"/sys/block/${loop#/dev/}/stat") - was)) bare=$(bare_sync "$(cat dirty)")"
		done
	done
}

# Two tasks that wake each other; a first run is not counted: the buffers fill, and wrap.
pipe() {
	perf bench -f simple sched pipe -l $((SIZE / 4)) > /dev/null
	echo "$1 seconds=$(perf bench -f simple sched pipe -l "$SIZE")"
}

oops() {
	local i
	for i in $(seq "$ROUNDS"); do
		pipe unarmed
		"$FTR" oops arm -q || return
		pipe armed
		"$FTR" oops disarm -q || return
	done
}

$WHAT > "$OUT/runs"
