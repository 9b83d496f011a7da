#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Bounded recordings: the file keeps the last data of each CPU (-m), has no more than so much (--max-size), numbered
# files follow each other (--rotate), also if ftr record is killed; what the recorder itself costs when nothing comes,
# and whether it records itself.
. "$(dirname "$0")/lib/inside.sh" 900
. "$FTR_TOP/tests/guest/lib/record-lib.sh"
FTR_BOUNDS_PARTS=$(echo $(sample 5 keep_disk keep_tmpfs max_size rotation rotation_killed own_writing idle))
echo "# parts:" $FTR_BOUNDS_PARTS

MARKS=$FTR_BUILD/tests/guest/load/marks
MARKER_BYTES=88			# of the record of a marker of marks, at least

loop_disk /mnt 200M

# numbers FILE...: of the markers, in the order of their times
numbers() {
	"$FTR" report "$@" 2> report.err | sed -nE 's/.*: mark a ([0-9]+) x+.*/\1/p'
}

# kept NAME FILE TIMES: the last of $MARKERS markers are there without a gap, as many as $KEEP KiB have place for,
# so many times at most
kept() {
	local first n
	numbers "$2" > got
	first=$(head -n 1 got)
	n=$(wc -l < got)
	check "$K: $1: the last markers without a gap" cmp got <(seq "${first:-0}" $MARKERS)
	# the bound of a file that was killed is that of a moment later
	if [ $n -le $(($3 * KEEP * 1024 / MARKER_BYTES)) ] && [ $((n * 2 * MARKER_BYTES)) -gt $((KEEP * 1024)) ]; then
		pass "$K: $1: $n markers in $KEEP KiB"
	else
		fail "$K: $1: $n markers in $KEEP KiB" "first: $first"
	fi
}

# finished NAME FOLDER: a recording comes to its end
finished() {
	cd "$2" || return
	"$FTR" record -m $KEEP -b 512 -e sched:sched_process_exec -o t.dat -- "$MARKS" 0 1 $MARKERS a > stdout 2> err
	same "$K: $1: status" 0 $?
	said "$1: what was dropped is said" \
		'^ftr: [0-9.]+ [KM]iB of older data were dropped: -m keeps [0-9.]+ [KM]iB of each CPU'
	said "$1: nothing is lost" ', 0 lost, '
	kept "$1" t.dat 1
	check "$K: $1: the file is whole" "$FTR" info t.dat
	has "$K: $1: trace-cmd reads it" "$(trace-cmd report -i t.dat 2> /dev/null | grep -am1 "mark a $MARKERS")" \
		"mark a $MARKERS"
	rm -f t.dat*
	cd /
}

has_room_back() {
	[ $(($(stat -c %b "$(file_of .)") * 512)) -lt $((24 << 20)) ]
}

# killed NAME FOLDER: it does not
killed() {
	local pid
	cd "$2" || return
	"$FTR" record -m $KEEP -b 512 -e sched:sched_process_exec -o t.dat \
		-- sh -c "$MARKS 0 1 $MARKERS a; sleep 1; echo > done; exec sleep 1000" 2> err &
	pid=$!
	wait_until 120 test -e done
	wait_until 20 has_room_back && pass "$K: $1: the disk has the room back" ||
		fail "$K: $1: the disk has the room back" "$(stat -c %b "$(file_of .)") blocks"
	kill_recording $pid
	pkill -KILL -x sleep
	# also where holes can not be cut out
	has "$K: $1, killed: its guardian tells what it takes" "$(cat err)" \
		"^ftr: killed: the recorded data is in '.*t\.dat', [0-9.]+ [KM]iB\$"
	kept "$1, killed" "$(file_of .)" 3
	has "$K: $1, killed: the note" "$("$FTR" info "$(file_of .)" 2>&1)" 'not finished'
	same "$K: $1, killed: nothing else is said of the data" '' \
		"$("$FTR" report "$(file_of .)" 2>&1 > /dev/null | grep -i 'never written')"
	check "$K: $1, killed: ftr recover" "$FTR" recover -o r.dat "$(file_of .)"
	kept "$1, recovered" r.dat 3
	check "$K: $1, recovered: the file is whole" "$FTR" info r.dat
	rm -f t.dat* r.dat done
	cd /
}

keep_disk() {
	KEEP=1024 MARKERS=20000
	finished 'ext4' /mnt/d
	[ "${FTR_LONG:-}" != 1 ] || killed 'ext4' /mnt/d
}

keep_tmpfs() {
	KEEP=128 MARKERS=6000
	[ "${FTR_LONG:-}" != 1 ] || finished 'tmpfs' /tmp/d
	killed 'tmpfs' /tmp/d
}

# All files of a rotation, in the order of their numbers; of what was killed by whichever name.
files() {
	ls r.dat.* 2> /dev/null | LC_ALL=C sort
}

# once NAME FROM TO: these markers are in all files together, each once
once() {
	numbers $(files) > got
	check "$K: $1: each marker once, from $2 to $3" cmp got <(seq "$2" "$3")
}

# rotate FOLDER MARKERS N: r.dat.*, below $FOLDER
rotate() {
	cd "$1" || return
	rm -f r.dat*
	"$FTR" record --rotate "$3" --max-size 200K -b 512 -e sched:sched_process_exec -o r.dat -- "$MARKS" 0 1 "$2" \
		a 50000 2> err
	same "$K: rotation in $1: status" 0 $?
}

rotation() {
	local n f
	rotate /mnt/d 12000 100
	n=$(files | wc -l)
	[ "$n" -gt 2 ] && pass "$K: rotation: $n files" ||
		fail "$K: rotation: more than two files" "$(files)" "$(cat err)"
	same "$K: rotation: names" "$(seq -f 'r.dat.%04g' "$n")" "$(files)"
	said 'rotation: a line for each' "^ftr: r.dat.0001: 2 CPUs, [0-9,]+ events, [0-9.]+ [KM]iB, 0 lost"
	once 'rotation' 1 12000
	check "$K: rotation: the first file is whole" "$FTR" info "$(files | head -n 1)"
	f=$(files | tail -n 1)
	check "$K: rotation: the last file is whole" "$FTR" info "$f"
	has "$K: rotation: a task's name in the last file" "$("$FTR" report "$f" | tail -n 1)" ' marks-[0-9]+ '
	has "$K: rotation: trace-cmd reads the last file" "$(trace-cmd report -i "$f" 2> /dev/null | tail -n 1)" \
		'mark a 12000'
	rotate /tmp/d 12000 2
	same "$K: rotation: no more than 2 files" 2 "$(files | wc -l)"
	numbers $(files) > got
	n=$(head -n 1 got)
	once 'rotation with the last 2' "${n:-0}" 12000
	[ "${n:-0}" -gt 1 ] && pass "$K: rotation with the last 2: the oldest are gone" ||
		fail "$K: rotation with the last 2: the oldest are gone" "$(files)"
	f=$(files | tail -n 1)
	"$FTR" record -q --rotate 2 --max-size 400K --compression zstd -e sched:sched_process_exec -o r.dat true
	same "$K: rotation: a second one goes on behind the first's numbers" \
		"$(printf 'r.dat.%04d' $((10#${f##*.} + 1)))" \
		"$(files | tail -n 1)"
	has "$K: rotation: compressed" "$("$FTR" info --quick "$(files | tail -n 1)")" '^format: .*compression zstd'
	cd /
}

three_files() {
	[ "$(files | wc -l)" -ge 3 ]
}

# Killed in any moment; the guardian is not.
rotation_killed() {
	local pid n
	cd /mnt/d || return
	rm -f r.dat*
	"$FTR" record --rotate 100 --max-size 200K -b 512 -e sched:sched_process_exec -o r.dat -- "$MARKS" 0 1 100000 \
		a 50000 2> err &
	pid=$!
	wait_until 60 three_files
	sleep "0.$((RANDOM % 1000 + 1000))"
	kill_recording $pid
	pkill -KILL -x marks
	numbers $(files) > got
	once 'rotation, killed' 1 "$(tail -n 1 got)"
	n=0
	for f in $(files); do
		"$FTR" info "$f" > /dev/null 2>&1 || n=$((n + 1))
	done
	[ $n -le 2 ] && pass "$K: rotation, killed: $n of $(files | wc -l) files are not finished" ||
		fail "$K: rotation, killed: $n files are not finished" "$(ls -l)"
	same "$K: rotation, killed: nothing has another name" '' "$(files | grep -v '^r\.dat\.[0-9]\{4\}$')"
	cd /
}

# data FILE: bytes of data in it
data() {
	"$FTR" info --quick "$1" | sed -nE 's/^  data: .*\(([0-9]+) bytes\).*/\1/p' |
		awk '{ n += $1 } END { print n + 0 }'
}

# within NAME FILE LEAST MOST: so many KiB of data; what else there is in the file is no more than in one of nothing,
# but for names
within() {
	local is size
	is=$(data "$2")
	size=$(stat -c %s "$2")
	[ "$is" -ge $(($3 * 1024)) ] && [ "$is" -le $(($4 * 1024)) ] && pass "$K: $1: $is bytes of data" ||
		fail "$K: $1: $3 to $4 KiB of data" "$is bytes" "$(cat err)"
	[ $((size - is)) -le $((EMPTY + 65536)) ] && pass "$K: $1: $((size - is)) other bytes" ||
		fail "$K: $1: other bytes" "$((size - is)), in a file of nothing $EMPTY"
}

# Much more than 300 KiB comes between two looks, and the kernel's buffers have room for more.
max_size() {
	local f
	cd /mnt/d || return
	rm -f r.dat*
	"$FTR" record -q -e sched:sched_process_exec -o e.dat true 2> err
	EMPTY=$(($(stat -c %s e.dat) - $(data e.dat)))
	"$FTR" record --max-size 300K -b 8M -e sched:sched_process_exec -e raw_syscalls -B foo \
		-e raw_syscalls -o r.dat -- sh -c "$MARKS 0 1 20000 a & $MARKS 1 1 20000 b & wait" 2> err
	same "$K: max-size: status" 0 $?
	within 'max-size' r.dat 292 300
	said 'max-size: what is left out is said' \
		'^ftr: the last [0-9.]+ [KM]iB are not in the file: --max-size was reached$'
	said 'max-size: that is not lost' ', 0 lost, '
	check "$K: max-size: the file is whole" "$FTR" info r.dat
	rm -f r.dat*
	"$FTR" record --max-size 1 -e raw_syscalls -o r.dat -- "$MARKS" 0 1 20000 a 2> err
	within 'max-size 1K' r.dat 4 8
	rm -f r.dat*
	"$FTR" record --max-size 300K -b 8M -e sched:sched_process_exec -o r.dat -- "$MARKS" 0 1 2000 a 2> err
	numbers r.dat > got
	check "$K: a bound that is not reached: all is there" cmp got <(seq 2000)
	"$FTR" record --rotate 100 --max-size 300K -b 8M -e sched:sched_process_exec -o r.dat -- "$MARKS" 0 1 12000 \
		a 50000 2> err
	for f in $(files | grep -v '^r.dat$' | head -n -1); do
		within "max-size, $f" "$f" 292 300
	done
	within 'max-size, the last file' "$(files | tail -n 1)" 0 $((300 + 2 * 8192))
	once 'max-size, rotation' 1 12000
	rm -f r.dat* e.dat
	cd /
}

# What recording itself writes to the disk is told when it is traced.
own_writing() {
	local words='also come from writing the recording, which is on'
	cd /mnt/d || return
	"$FTR" record -e jbd2 -o w.dat true 2> err
	said 'own writing: events of the journal' "^ftr: warning: events of jbd2 $words ext4"
	"$FTR" record -e block:block_rq_issue -o w.dat true 2> err
	said 'own writing: events of disks' "^ftr: warning: events of block $words ext4"
	"$FTR" record -p function -l 'ext4_sync_*' -o w.dat true 2> err
	said 'own writing: functions' "^ftr: warning: functions of ext4 $words ext4"
	"$FTR" record -F -e jbd2 -o w.dat true 2> err
	same "$K: own writing: not with -F" 0 "$(grep -c "$words" err)"
	"$FTR" record -e jbd2 -o /tmp/w.dat true 2> err
	same "$K: own writing: not on another file system" 0 "$(grep -c "$words" err)"
	rm -f w.dat* /tmp/w.dat*
	cd /
}

# Context switches and CPU time (ns) of all threads of $1.
cost() {
	cat /proc/"$1"/task/*/status | awk '/_ctxt_switches/ { s += $2 } END { printf "%d ", s }'
	cat /proc/"$1"/task/*/schedstat | awk '{ s += $1 } END { printf "%.0f\n", s }'
}

# Nothing comes: next to nothing is done. Measured up to five times: symbols may still be read, or others be at work.
idle() {
	local pid n0 n1 t0 t1 a_second cpu
	cd /mnt/d || return
	: > err
	"$FTR" record -e module:module_load -o i.dat 2> err &
	pid=$!
	wait_for 'recording' err
	sleep 8		# symbols are read by then
	for _ in 1 2 3 4 5; do
		read -r n0 t0 <<< "$(cost $pid)"
		sleep 5
		read -r n1 t1 <<< "$(cost $pid)"
		a_second=$(((n1 - n0) / 5))
		cpu=$((t1 - t0))
		echo "# $K: idle: $a_second context switches and $((cpu / 5000000)) ms a second"
		# emulated: some 50 times slower
		[ $a_second -gt $((16 * $(nproc))) ] || [ $cpu -gt 500000000 ] || break
	done
	kill -INT $pid
	wait $pid
	[ $a_second -le $((16 * $(nproc))) ] && pass "$K: idle: few wake-ups" ||
		fail "$K: idle: few wake-ups" "$a_second a second"
	[ $cpu -le 500000000 ] && pass "$K: idle: CPU time" || fail "$K: idle: CPU time" "$cpu ns in 5 s"
	rm -f i.dat*
	cd /
}

mkdir -p /mnt/d /tmp/d
run_parts ${FTR_BOUNDS_PARTS:-keep_disk keep_tmpfs max_size rotation rotation_killed own_writing idle}
