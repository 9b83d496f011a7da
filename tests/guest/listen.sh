#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr record that sends: to a pipe, to ftr listen. Every marker arrives, whatever becomes of the connection.
FTR_CUTS=${FTR_CUTS:-5}
[ "${FTR_LONG:-}" != 1 ] || FTR_CUTS=20
export FTR_CUTS
. "$(dirname "$0")/lib/inside.sh" 900
. "$FTR_TOP/tests/guest/lib/record-lib.sh"

mkdir -p /tmp/n /tmp/w
cp "$FTR_BUILD/tests/guest/load/marker_load" /tmp/load
cd /tmp/w || exit 1

# both FILE: of CPUs 0 and 1 the last marker and how many are missing before it
both() {
	markers "$1" 0 1 | awk '{ printf "%d %d;", $1, $2 }'
}

tracefs_as_before() {
	state_dump /tmp/after
	check "$K: $1: tracefs is as it was" state_equal /tmp/before /tmp/after
}

to_a_pipe() {
	rm -f /tmp/n/*
	"$FTR" record -e sched:sched_switch -o - -- sh -c 'echo words; /tmp/load /tmp/n 400 300' 2> err | cat > p.dat
	same "$K: a pipe: status" "0 0" "${PIPESTATUS[*]}"
	same "$K: a pipe: every marker" "400 0;400 0;" "$(both p.dat)"
	has "$K: a pipe: the command's words" "$(cat err)" '^words$'
	has "$K: a pipe: summary" "$(cat err)" '^standard output: 2 CPUs, .* 0 lost'
	same "$K: a pipe: nothing is missing" "0 " "$("$FTR" info p.dat > /dev/null 2> err; echo "$? $(cat err)")"
	"$FTR" report p.dat > before.txt
	"$FTR" recover -q p.dat
	same "$K: a pipe: ftr recover" 0 $?
	"$FTR" report p.dat > after.txt
	same_files "$K: a pipe: ftr recover: the same text" before.txt after.txt
	if command -v trace-cmd > /dev/null; then
		same "$K: a pipe: trace-cmd reads as many markers" 800 \
			"$(trace-cmd report p.dat 2> /dev/null | grep -ac 'load [01] [0-9]')"
	fi
	tracefs_as_before "a pipe"
}

# A reader that takes some KB/s at first: nothing is lost.
slow_reader() {
	rm -f /tmp/n/*
	"$FTR" record -b 256K -e sched -o - -- /tmp/load /tmp/n 800 300 2> err |
		python3 -c 'import os, time
n = 0
data = os.read(0, 2000)
while data:
    os.write(1, data)
    n += len(data)
    time.sleep(0.05 if n < 100000 else 0)
    data = os.read(0, 2000 if n < 100000 else 65536)' > s.dat
	has "$K: a slow reader: nothing lost" "$(cat err)" ' 0 lost'
	same "$K: a slow reader: every marker" "800 0;800 0;" "$(both s.dat)"
}

# One that goes away: the recording ends, the command does not.
no_reader() {
	rm -f /tmp/n/*
	"$FTR" record -e sched -o - -- sh -c '/tmp/load /tmp/n 1500 300; echo end > end' 2> err | head -c 100000 > h.dat
	same "$K: a reader goes away: status" "3 0" "${PIPESTATUS[*]}"
	has "$K: a reader goes away: words" "$(cat err)" 'ftr: cannot write to standard output: Broken pipe'
	wait_until 60 test -s end
	same "$K: a reader goes away: the command went on" end "$(cat end)"
	"$FTR" report h.dat > /dev/null 2> err
	same "$K: what it took is readable" "3 1" "$? $(grep -c 'the recording was not finished' err)"
	tracefs_as_before "a reader goes away"
	# what the command wrote since
	echo 0 > "$TRACEFS/trace"
}

# Cut anywhere: a prefix of the markers, and it is said.
cut_pipe() {
	local size n i last=0 got why=
	"$FTR" record -e sched:sched_switch -o - -- /tmp/load /tmp/n 700 300 2> err > c.dat
	size=$(stat -c %s c.dat)
	# the last 7 MB are symbols
	for i in 1 2 3 4 5; do
		head -c $((size * i / 100)) c.dat > d.dat
		"$FTR" report d.dat > d.txt 2> d.err
		[ $? = 3 ] && grep -q 'not finished' d.err || why="$why; cut at $i/100: $(cat d.err)"
		got=$(both d.dat)
		case $got in *" 0;"*" 0;") ;; *) why="$why; cut at $i/100: $got" ;; esac
		n=$(wc -l < d.txt)
		[ "$n" -ge "$last" ] || why="$why; cut at $i/100: $n lines after $last"
		last=$n
	done
	same "$K: cut at 5 places: whole up to there" "" "$why"
}

# came FILE: markers of both CPUs
came() {
	grep -aq 'load 0 [0-9]' "$1" && grep -aq 'load 1 [0-9]' "$1"
}

# Killed: the stream ends, tracefs is put back.
killed() {
	local ftr known
	rm -f /tmp/n/*
	"$FTR" record -q -e sched -o - -- /tmp/load /tmp/n 0 2000 2> err > k.dat &
	ftr=$!
	wait_until 60 came k.dat
	wait_until 60 wrote 0 700
	kill_recording $ftr
	check "$K: killed: no guardian is left" no_guardian
	tracefs_as_before "killed"
	known=$(both k.dat)
	has "$K: killed: what came is without a gap" "$known" '^[1-9][0-9]* 0;[1-9][0-9]* 0;$'
	pkill -KILL -x load
	wait_until 60 load_ended
	# what the load wrote since: what holds records is not idle
	echo 0 > "$TRACEFS/trace"
}

# ---- ftr listen

# listener OPTION...: one at 127.0.0.1:7000, which writes to got; $LISTENER
listener() {
	mkdir -p got
	start_listener "$FTR" listen -d got "$@"
}

finished() {
	[ "$(ls got/*.dat 2> /dev/null | wc -l)" = "$1" ] && [ -z "$(ls got/*.part* 2> /dev/null)" ]
}

# got NUMBER: so many files are finished
got() {
	wait_until 60 finished "$1" && return
	ls -l got
	cat said
	return 1
}

to_a_listener() {
	local f
	rm -rf got n2
	ip link set lo up
	listener -p 7000 "$PWD/sock"
	rm -f /tmp/n/*
	"$FTR" record -N 127.0.0.1:7000 -e sched:sched_switch -o l.dat -- /tmp/load /tmp/n 400 300 2> err
	same "$K: TCP: status" 0 $?
	has "$K: TCP: words" "$(cat err)" '^127.0.0.1:7000: 2 CPUs, .* 0 lost'
	check "$K: TCP: a file there" got 1
	check "$K: TCP: none here" test ! -e l.dat -a -z "$(ls l.dat* 2> /dev/null)"
	same "$K: TCP: every marker" "400 0;400 0;" "$(both got/*.dat)"
	has "$K: TCP: a regular file" "$("$FTR" info --quick got/*.dat)" '^options:.* BUFFER'
	rm -f got/* /tmp/n/*
	"$FTR" record -q -N "$PWD/sock" -e sched:sched_switch -o m.dat -- /tmp/load /tmp/n 600 300 2> err &
	# it has the top level, where markers go
	wait_until 60 wrote 0 0
	"$FTR" record -q -N 127.0.0.1:7000 -e sched:sched_waking -o n.dat -- sleep 1 2> err2
	same "$K: two at once: status" "0 " "$? $(cat err2)"
	wait $!
	same "$K: a Unix socket: status" "0 " "$? $(cat err)"
	check "$K: two at once: two files" got 2
	f=$(ls got/*uid-0*)
	same "$K: a Unix socket: every marker" "600 0;600 0;" "$(both "$f")"
	stop_listener
	tracefs_as_before "a listener"
}

# CID 1 is this very machine, as a host's is 2.
vsock() {
	rm -rf got
	[ -d /sys/module/vsock_loopback ] || { skip "$K: vsock" "$(cat /tmp/vsock)"; return; }
	listener vsock:any:7000
	has "$K: vsock: where it listens" "$(cat said)" "^ftr: listening at 'vsock:any:7000'"
	rm -f /tmp/n/*
	"$FTR" record -q -N vsock:1:7000 -e sched:sched_switch -o v.dat -- /tmp/load /tmp/n 400 300 2> err
	same "$K: vsock: status and words" "0 " "$? $(cat err)"
	check "$K: vsock: a file there" got 1
	check "$K: vsock: named by its CID" test -n "$(ls got/*vsock-1*)"
	same "$K: vsock: every marker" "400 0;400 0;" "$(both got/*.dat)"
	stop_listener
	same "$K: vsock: nobody listens" 1 \
		"$("$FTR" record -q -N vsock:1:7001 -e sched:sched_switch -o w.dat true 2>&1 |
			grep -c "cannot reach 'vsock:1:7001'")"
	tracefs_as_before vsock
}

# Nobody is there: all stays here, and nothing is lost. On a disk whose files are joined in place.
no_listener() {
	rm -rf got
	loop_disk /mnt 400M
	"$FTR" record -N 127.0.0.1:7009 -e sched:sched_switch -o /mnt/o.dat -- /tmp/load /tmp/n 300 300 2> err
	same "$K: no listener: status" 0 $?
	has "$K: no listener: words" "$(cat err)" \
		"warning: cannot reach '127.0.0.1:7009': Connection refused: the recording stays here"
	same "$K: no listener: every marker" "300 0;300 0;" "$(both /mnt/o.dat)"
	has "$K: no listener: a regular file" "$("$FTR" info /mnt/o.dat)" '^checksums: +[0-9]+ ranges, all correct'
}

part_came() {
	[ -s "$(ls got/*.part 2> /dev/null)" ]
}

# Connections that are cut, and a listener that is killed in between.
cuts() {
	local proxy record
	rm -rf got
	listener -p 7000
	python3 "$FTR_TOP/tests/tools/cut_proxy.py" 7001 7000 "$FTR_CUTS" 300000 "$FTR_SEED" > cuts &
	proxy=$!
	wait_for listening cuts
	"$FTR" record -q -N 127.0.0.1:7001 -e sched -o q.dat -- /tmp/load /tmp/n $((FTR_CUTS * 300)) 300 2> err
	same "$K: cut at $FTR_CUTS points: status and words" "0 " "$? $(cat err)"
	check "$K: $(tail -n 1 cuts) connections" test "$(tail -n 1 cuts)" -gt "$FTR_CUTS"
	check "$K: cut at $FTR_CUTS points: one file" got 1
	same "$K: cut at $FTR_CUTS points: every marker" "$((FTR_CUTS * 300)) 0;$((FTR_CUTS * 300)) 0;" \
		"$(both got/*.dat)"
	kill $proxy
	rm -f got/*
	"$FTR" record -q -N 127.0.0.1:7000 -e sched:sched_switch -o r.dat -- /tmp/load /tmp/n 1000 300 2> err &
	record=$!
	wait_until 60 part_came
	kill -KILL "$LISTENER"
	wait "$LISTENER" 2> /dev/null
	mkdir -p before
	mv got/* before/
	listener -p 7000
	wait $record
	same "$K: a listener that comes again: status and words" "0 " "$? $(cat err)"
	check "$K: a listener that comes again: one file" got 1
	same "$K: a listener that comes again: every marker" "1000 0;1000 0;" "$(both got/*.dat)"
	stop_listener
}

unload() {
	modprobe -qra vsock_loopback vsock
}

# it brings events along
modprobe vsock_loopback 2> /tmp/vsock
state_dump /tmp/before
PARTS="to_a_pipe slow_reader no_reader killed to_a_listener vsock no_listener cuts"
[ "$FTR_CUTS" -lt 20 ] || PARTS="$PARTS cut_pipe"
run_parts $PARTS unload
