#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What ends a recording and what is said of it: --stop-on, --flight, --max-size, --max-rate, --dry-run, --strict, the
# live line, and that a recording has no events, or none of its tracer.
. "$(dirname "$0")/lib/inside.sh" 900
. "$FTR_TOP/tests/guest/lib/trigger-lib.sh"

MARKS=$FTR_BUILD/tests/guest/load/marks

# marks FROM TO [WHO [CPU]]: numbered markers
marks() {
	"$MARKS" "${4:-1}" "$1" "$2" "${3:-a}"
}

# They go on when the recording has ended, and what they write stands in a way.
stop_marks() {
	kill "$1" 2> /dev/null
	wait "$1" 2> /dev/null
	empty
}

# numbers FILE [WHO]: of the markers, in the order of the file
numbers() {
	"$FTR" report "$1" 2> report.err | sed -nE "s/.*: mark ${2:-a} ([0-9]+) x+.*/\\1/p"
}

# Without a fork, which takes long in an emulated guest.
exec 9<> <(:)
nap() {
	read -rt 0.05 -u 9
}

# begin ARGS...: without a command, in the background
begin() {
	rm -f b.dat
	: > err
	"$FTR" record -o b.dat "$@" > stdout 2> err &
	PID=$!
	for _ in {1..1200}; do
		[[ $(< err) == *'ftr: recording;'* ]] && return
		nap
	done
}

# Has $PID ended? Its status may be waited for yet.
gone() {
	local stat=
	{ read -r stat < "/proc/$PID/stat"; } 2> /dev/null
	[[ -z $stat || $stat == *') Z '* ]]
}

# ended NAME STATUS: by itself
ended() {
	local status
	for _ in {1..1200}; do
		gone && break
		nap
	done
	if gone; then
		pass "$K: $1: ends by itself"
	else
		fail "$K: $1: ends by itself" "$(cat err)"
		kill -INT $PID
	fi
	wait $PID
	status=$?
	if [ $status = "$2" ]; then
		pass "$K: $1: status $2"
	else
		fail "$K: $1: status $2" "got: $status" "$(cat err)"
	fi
}

last_event() {
	"$FTR" report b.dat 2> report.err | tail -n 1
}

dry() {
	note dry-run
	sh -c 'while :; do : < /dev/null; done' &
	local load=$!
	try_ftr 'dry-run' 0 record --dry-run -o dry.dat -e raw_syscalls:sys_enter -e sched:sched_switch \
		-b 64 -- touch ran
	has "$K: dry-run: the buffer's line" "$(cat stdout)" \
		'^trace: [0-9,]+ events/s, about [0-9.]+ MB/s, 2 CPUs, [0-9]+% on CPU [01]$'
	has "$K: dry-run: the event that comes most" "$(sed -n 2p stdout)" \
		'^ +[0-9,]+ +[0-9]+%  raw_syscalls:sys_enter$'
	has "$K: dry-run: more than a hundred a second" "$(cat stdout)" '^trace: ([0-9]{3}|[0-9]+,[0-9,]+) events/s'
	try_ftr 'dry-run of an instance' 0 record --dry-run --duration 300ms -o dry.dat -e sched:sched_switch -B mine \
		-e raw_syscalls:sys_enter
	has "$K: dry-run of an instance: its line" "$(cat stdout)" '^mine: [0-9,]+ events/s'
	has "$K: dry-run of an instance: the sum" "$(cat stdout)" '^all: [0-9]+ events/s'
	kill $load
	wait $load 2> /dev/null
	same "$K: dry-run: no file, and no command" '' "$(ls dry.dat* ran 2> /dev/null)"
	try_ftr 'dry-run of an event that is not there' 1 record --dry-run -e sched:sched_swich
	state_dump after-dry
	check "$K: dry-run: tracefs is as before" state_equal before after-dry
	feature "$K" 'ftr record --dry-run' works
}

stop_event() {
	note stop-on
	begin -e $EXEC --stop-on "$EXEC if $FILTER"
	marks 1 50
	probe 1
	marks 51 100
	ended 'stop-on with a filter' 0
	said 'stop-on with a filter: words' "^ftr: stopped by event '$EXEC if filename ~ \"\*ftrprobe\"'$"
	same "$K: stop-on with a filter: the markers before it" "$(seq 50)" "$(numbers b.dat)"
	has "$K: stop-on with a filter: its record is the last" "$(last_event)" 'sched_process_exec.*ftrprobe'
	begin -e sched:sched_process_fork --stop-on "sched:sched_process_ex*" --stop-on-func vfs_rename
	marks 1 5 # an exec, at once
	ended 'stop-on with a glob' 0
	said 'stop-on with a glob: words' "^ftr: stopped by event 'sched:sched_process_ex(ec|it)'$"
	same "$K: stop-on with a glob: nothing after it" '' "$(numbers b.dat)"
	begin -e $EXEC -B mine -e sched:sched_process_exit --stop-on "$EXEC if $FILTER"
	probe 1
	ended 'stop-on with an instance' 0
	has "$K: stop-on with an instance: the last of all" "$("$FTR" report b.dat | grep ftrprobe)" \
		'sched_process_exec.*ftrprobe'
	same "$K: stop-on with an instance: it is stopped too" 0 \
		"$("$FTR" report b.dat | grep -c 'sched_process_exit.*ftrprobe')"
	try_ftr "stop-on and a command" 7 record -e $EXEC -o b.dat --stop-on "$EXEC if $FILTER" -- \
		sh -c './ftrprobe; sleep 0.5; ls > /dev/null; exit 7'
	same "$K: stop-on and a command: nothing after it" 0 "$("$FTR" report b.dat | grep -c 'filename=[^ ]*/ls')"
	try_ftr 'stop-on with -F, of a task that is not traced' 0 record -F -e $EXEC -o b.dat \
		--stop-on sched:sched_process_exit -- sh -c 'cat /dev/null; :'
	said 'stop-on with -F: words' "^ftr: stopped by event 'sched:sched_process_exit'$"
	try_ftr 'a misspelt event' 125 record -e $EXEC --stop-on sched:sched_swich -- touch ran
	said 'a misspelt event: hint' "^hint: did you mean 'sched:sched_switch'"
	try_ftr 'a field that is not there' 125 record -e $EXEC --stop-on "$EXEC if nonsense == 1" -- touch ran
	said 'a field that is not there: words' 'nonsense'
	try_ftr 'a trigger of the same kind' 125 record -e $EXEC -R traceoff --stop-on $EXEC -- touch ran
	said 'a trigger of the same kind: words' "'$EXEC' has the trigger 'traceoff"
	same "$K: after refusals no command has run" '' "$(ls ran 2> /dev/null)"
	# Somebody else's traceoff is not ours.
	try_ftr "another's traceoff" 0 record -e $EXEC -o b.dat --stop-on "$EXEC if $FILTER" -- \
		sh -c "echo 0 > $T/tracing_on; sleep 0.3; echo 1 > $T/tracing_on; ls > /dev/null"
	has "$K: another's traceoff: it went on" "$("$FTR" report b.dat)" 'filename=[^ ]*/ls'
	feature "$K" 'ftr record --stop-on' works
}

stop_func() {
	note stop-on-func
	begin -e $EXEC --stop-on-func vfs_symlink
	marks 1 30
	ln -s none $D
	marks 31 60
	rm $D
	ended 'stop-on-func' 0
	said 'stop-on-func: words' "^ftr: stopped by function 'vfs_symlink'$"
	same "$K: stop-on-func: the markers before it" "$(seq 30)" "$(numbers b.dat)"
	same "$K: stop-on-func: nothing is left" '' "$(commands)"
	begin -p function -l 'vfs_*' --stop-on-func vfs_symlink
	ln -s none $D
	rm $D
	ended 'stop-on-func beside -l' 0
	same "$K: stop-on-func beside -l: none behind it" 0 "$("$FTR" report b.dat | grep -c vfs_unlink)"
	try_ftr 'a misspelt function' 125 record -e $EXEC --stop-on-func vfs_mkdri -- touch ran
	said 'a misspelt function: hint' "^hint: did you mean 'vfs_mkdir'"
	feature "$K" 'ftr record --stop-on-func' works
}

# no_gap NAME LAST: the markers of both CPUs are the last ones, one after the other, and not all
no_gap() {
	local name=$1 last=$2 who got first
	for who in a b; do
		got=$(numbers b.dat $who)
		first=$(head -n 1 <<< "$got")
		same "$K: $name: $who: up to the last, without a gap" "$(seq "${first:-1}" "$last")" "$got"
		check "$K: $name: $who: those before were overwritten ($first)" test "${first:-0}" -gt 1
	done
}

flight() {
	local all
	note flight
	begin --flight 64K -e $EXEC --strict
	marks 1 4000 a 0 &
	marks 1 4000 b 1
	wait $!
	kill -INT $PID
	ended 'flight, by a signal' 0
	no_gap 'flight, by a signal' 4000
	said 'flight: how much is kept' \
		'^b.dat: .* 0 lost, [0-9,]+ overwritten, [0-9.]+s of which the last [0-9.]+s are kept$'
	"$FTR" info b.dat > out
	has "$K: flight: info: overwritten, as the summary" "$(cat out)" \
		"^  lost: +0, overwritten $(sed -n 's/.* \([0-9,]*\) overwritten,.*/\1/p' err | tr -d ,)\$"
	# 8,000 markers, and some programs that began
	all=$(awk '$1 == "events:" { n += $2 } $1 == "lost:" { n += $4 } END { print n }' out)
	check "$K: flight: kept and overwritten are all ($all)" test "$all" -ge 8000 -a "$all" -lt 8100
	same "$K: flight: no advice" 0 "$(grep -c '^hint' err)"
	check "$K: flight: no more than the buffers" test "$(stat -c %s b.dat)" -lt 30000000
	begin --flight 64K -e $EXEC --stop-on "$EXEC if $FILTER"
	marks 1 2000 a 0
	marks 1 2000 b 1
	probe 1
	marks 2001 2500 a 0
	ended 'flight, by an event' 0
	no_gap 'flight, by an event' 2000
	has "$K: flight, by an event: its record is the last" "$(last_event)" 'sched_process_exec.*ftrprobe'
	try_ftr 'flight, with a command' 5 record --flight 64K -O overwrite -e $EXEC -o b.dat \
		-- sh -c "$MARKS 0 1 2000 a; $MARKS 1 1 2000 b; exit 5"
	no_gap 'flight, with a command' 2000
	try_ftr 'flight that is large enough' 0 record --flight 2M -e $EXEC -o b.dat -- "$MARKS" 0 1 500 a
	same "$K: flight that is large enough: all of it" "$(seq 500)" "$(numbers b.dat)"
	said 'flight that is large enough: words' ' 0 lost, [0-9.]+s$'
	feature "$K" 'ftr record --flight' works
}

bounds() {
	note bounds
	begin -e $EXEC -b 1M --max-size 2M
	"$MARKS" 1 1 200000 a 10000 &
	ended 'max-size' 0
	stop_marks $!
	said 'max-size: words' '^ftr: stopped: --max-size, the data came to [0-9.]+ MiB'
	has "$K: max-size: no less and not much more" "$(cat err)" '^b.dat: .* (2|2\.[0-9]) MiB'
	echo "# max-size: $(tail -n 1 err)"
	begin -e $EXEC --max-rate 1K
	"$MARKS" 1 1 200000 a 10000 &
	ended 'max-rate' 0
	stop_marks $!
	said 'max-rate: words' '^ftr: warning: stopped: --max-rate, there came [0-9.]+ [KM]iB/s, [0-9,]+ events/s'
	try_ftr 'a bound that is not reached' 0 record -e $EXEC --max-rate 1G --max-size 1G --duration 1500ms -o b.dat
	same "$K: a bound that is not reached: no word of it" 0 "$(grep -c stopped err)"
	feature "$K" 'ftr record --max-size, --max-rate' works
}

strict() {
	note strict
	try_ftr 'lost events' 0 record -b 4 -e $EXEC -o b.dat -- "$MARKS" 1 1 20000 a
	said 'lost events: which CPU' '^hint: events were lost on CPU 1 \([0-9,]+\).*: try a larger buffer, -b 4M$'
	try_ftr 'strict' 3 record --strict -b 4 -e $EXEC -o b.dat -- "$MARKS" 1 1 20000 a
	said 'strict: words' '^ftr: events were lost on CPU 1 \([0-9,]+\)'
	check "$K: strict: the file is there" test -s b.dat
	try_ftr 'strict, nothing lost' 4 record --strict -b 8M -e $EXEC -o b.dat -- sh -c 'exit 4'
	mkdir small
	mount -t tmpfs -o size=256k none small
	try_ftr 'a full disk, whatever the command says' 3 record -e $EXEC -o small/x.dat -- \
		sh -c "$MARKS 1 1 20000 a; exit 7"
	said 'a full disk: words' 'No space left on device'
	umount -l small
	feature "$K" 'ftr record --strict' works
}

# Each says that there is nothing in the file, and why; the status is what it would be otherwise.
nothing() {
	local never=sched:sched_process_hang none="^ftr: warning: 'b.dat' has no events"
	note recordings without events
	try_ftr 'nothing came' 0 record -e $never -o b.dat -- true
	said 'nothing came: words' "$none: none of the requested events came\$"
	check "$K: nothing came: the file is there" test -s b.dat
	try_ftr 'nothing came, -q' 4 record -q -e $never -o b.dat -- sh -c 'exit 4'
	said 'nothing came, -q: words' "$none"
	try_ftr 'nothing came, strict' 3 record --strict -e $never -o b.dat -- sh -c 'exit 4'
	said 'nothing came, strict: words' "^ftr: 'b.dat' has no events: none of the requested events came"

	sysctl -q kernel.ftrace_enabled=0
	try_ftr 'ftrace_enabled=0' 0 record -p function -l vfs_open -o b.dat -- cat /dev/null
	said 'ftrace_enabled=0: words' "$none: the function tracers are off \\(sysctl kernel.ftrace_enabled is 0\\)\$"
	sysctl -q kernel.ftrace_enabled=1

	echo '__x64_sys_execve:traceoff' > $T/set_ftrace_filter
	try_ftr "another's traceoff" 0 record -e $EXEC -o b.dat -- true
	said "another's traceoff: words" \
		"$none: tracing was turned off during the recording, by the traceoff trigger"\
" of function '__x64_sys_execve'\$"
	echo '!__x64_sys_execve:traceoff' > $T/set_ftrace_filter

	echo p:kprobes/nothing do_sys_openat2 > $T/kprobe_events
	echo 0 > /sys/kernel/debug/kprobes/enabled
	try_ftr 'kprobes off' 0 record -e kprobes:nothing -o b.dat -- cat /dev/null
	said 'kprobes off: words' "$none: kprobes are off \\(/sys/kernel/debug/kprobes/enabled is 0\\)\$"
	echo 1 > /sys/kernel/debug/kprobes/enabled
	try_ftr 'kprobes on' 0 record -e kprobes:nothing -o b.dat -- cat /dev/null
	same "$K: kprobes on: no words" 0 "$(grep -cE 'no events|off' err)"
	echo > $T/kprobe_events

	# a shell forks for all but its last command
	local follows='-F follows the command alone' silent="^ftr: warning: the tracer '.*' recorded nothing"
	mkdir d
	try_ftr '-F, children' 0 record -F -p function_graph -l vfs_rmdir -e $EXEC -o b.dat -- \
		sh -c 'rmdir d; exit 0'
	said '-F, children: words' "$silent: $follows, which had children: -c follows them, too\$"
	mkdir d
	try_ftr '-F, children, no event' 0 record -F -p function -l vfs_rmdir -o b.dat -- sh -c 'rmdir d; exit 0'
	said '-F, children, no event: words' "$none: none of the requested events came; $follows, which had children"
	mkdir d
	try_ftr '-F -c, children' 0 record -F -c -p function_graph -l vfs_rmdir -e $EXEC -o b.dat -- \
		sh -c 'rmdir d; exit 0'
	same "$K: -F -c, children: no words" 0 "$(grep -c 'recorded nothing' err)"
	try_ftr 'no function was called' 0 record -p function -l vfs_rmdir -e $EXEC -o b.dat -- true
	said 'no function was called: words' "$silent: nothing that is traced called a function that -l matched\$"
	try_ftr 'a function was called' 0 record -p function -l vfs_open -e $EXEC -o b.dat -- cat /dev/null
	same "$K: a function was called: no words" 0 "$(grep -c 'recorded nothing' err)"

	try_ftr 'off in between' 0 record -e $EXEC -o b.dat -- sh -c "/bin/true; echo 0 > $T/tracing_on"
	said 'off in between: words' '^ftr: tracing was turned off during the recording, by others$'
	same "$K: off in between: it has events" 0 "$(grep -c 'no events' err)"
	echo 1 > $T/tracing_on
}

# on_terminal ARGS...: what ftr record writes to a terminal of its own, in ./tty
on_terminal() {
	script -qec "stty cols 200; $FTR record -o b.dat $*" tty > /dev/null 2>&1 < /dev/null
}

live() {
	local lines d
	note the live line
	# now and then on a slow machine
	for d in 3 12; do
		on_terminal -e $EXEC --duration $d
		lines=$(tr '\r' '\n' < tty |
			grep -cE '^[0-9.]+s  [0-9.KMG]+ events/s  [0-9.]+ MB/s  file .*  lost 0  buffer [0-9]+%')
		[ "$lines" -lt 2 ] || break
	done
	check "$K: the live line: a few times a second ($lines in $d s)" test "$lines" -ge 2 -a "$lines" \
		-le $((4 * d + 1))
	# that there were no events, or the summary
	has "$K: the live line: it goes before what comes next" \
		"$(tr '\r' '@' < tty | grep -aE 'no events|b\.dat: 2 CPUs' | head -n 1)" \
		'@ {40,}@(ftr: .*no events|b\.dat: 2 CPUs)'
	on_terminal -e $EXEC --flight 64K --duration 1
	has "$K: the live line: of a flight" "$(cat tty)" 'events/s .* kept [0-9.]+ [KM]iB|kept [0-9]+ bytes'
	on_terminal -q -e $EXEC --duration 1
	same "$K: the live line: not with -q" 0 "$(grep -c events/s tty)"
	on_terminal -e $EXEC -- sleep 1
	same "$K: the live line: not beside a command on the terminal" 0 "$(grep -c events/s tty)"
	on_terminal -e $EXEC -- sleep 1 '> /dev/null'
	check "$K: the live line: with a command that writes elsewhere" grep -q events/s tty
	try_ftr 'no terminal' 0 record -e sched:sched_switch -o b.dat --duration 1
	same "$K: the live line: not without a terminal" 2 "$(wc -l < err)"
	feature "$K" 'ftr record: the live line' works
}

state_dump before
for part in ${FTR_WATCH_PARTS:-dry stop_event stop_func flight bounds strict nothing live}; do
	$part
done
state_dump after
check "$K: tracefs is as before" state_equal before after
pass "$K: the end is reached"
finish
