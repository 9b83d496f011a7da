# SPDX-License-Identifier: GPL-2.0-or-later
# Run in the guest by stream.sh.

. "$FTR_TOP/tests/guest/lib/checks-lib.sh"

# Writes COUNT markers.
cat > marks.py << 'P'
import os, sys
fd = os.open(sys.argv[1] + '/trace_marker', os.O_WRONLY)
for i in range(int(sys.argv[2])):
    os.write(fd, b'm %d' % i)
P

# The best of five runs: the time from the start to the first line, and what ending takes, in ms.
cat > first.py << 'P'
import subprocess, sys, time
lines, bad, first, end = 0, 0, [], []
for i in range(5):
    t = time.time()
    p = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE)
    lines += bool(p.stdout.readline())
    first.append(time.time() - t)
    p.stdout.close()
    t = time.time()
    bad += p.wait() != 0
    end.append(time.time() - t)
print('%d %d %d %d' % (lines, bad, min(first) * 1000, min(end) * 1000))
P

stream_head() {
	local lines bad first end base limit
	state_dump before
	read -r lines bad first end < <(python3 first.py "$FTR" stream -e sched_switch)
	state_dump after
	read -r _ _ base _ < <(python3 first.py "$FTR" --version)
	echo "# $K: first line after $first ms, the end $end ms after its reader; the start of a program $base ms"
	same "$K: stream gives a line, and ends well when nobody reads on" '5 0' "$lines $bad"
	# where the machine is busy with others, the start of any program tells how much
	limit=$((base * 20 > 1000 ? base * 20 : 1000))
	check "$K: it starts within a second" test "$first" -lt $limit
	check "$K: it ends within a second" test "$end" -lt $limit
	check "$K: after head: tracefs is as before" state_equal before after
	same "$K: after head: the buffer is empty" 0 "$(entries)"
	feature "$K" 'stream' works
}

stream_quiet_head() {
	local begin
	begin=$(date +%s)
	# nothing comes that a write could fail for
	timeout 60 "$FTR" stream -e sched:sched_process_hang | sleep 2
	check "$K: stream ends although no record comes when nobody reads" test $(($(date +%s) - begin)) -lt 30
}

stream_each() {
	local pid
	mkdir "$T/instances/ref"
	state_put instances/ref/events/syscalls/sys_enter_getppid/enable 1
	state_dump before
	"$FTR" stream -e syscalls:sys_enter_getppid -F -- python3 -c '
import os
for i in range(3000):
    os.getppid()
    if i % 1000 == 0:
        os.sched_setaffinity(0, {i // 1000 % 2})' > out.txt 2> err.txt
	same "$K: stream -- COMMAND: status" 0 $?
	state_dump after
	check "$K: after a command: tracefs is as before" state_equal before after
	state_put instances/ref/events/syscalls/sys_enter_getppid/enable 0
	pid=$(sed -n 's/^ *python3-\([0-9]*\) .*/\1/p' out.txt | head -n 1)
	same "$K: stream shows every call" "$(grep -c -- "-$pid .*sys_getppid" "$T/instances/ref/trace")" \
		"$(grep -c -- "-$pid .*sys_enter_getppid" out.txt)"
	# the kernel forgot the name when the room for names went back to its size
	sed -n 's/^.*-\([0-9]*\) *\(\[[0-9]*\]\).*sys_getppid.*/\1 \2/p' "$T/instances/ref/trace" |
		grep "^$pid " > ref.txt
	sed -n 's/^ *python3-\([0-9]*\) *\(\[[0-9]*\]\).*sys_enter_getppid.*/\1 \2/p' out.txt > got.txt
	same_files "$K: stream has the task and CPU of each" ref.txt got.txt
	same "$K: these are all the calls of the program" 3000 "$(wc -l < got.txt)"
	rmdir "$T/instances/ref"
	feature "$K" 'stream -- COMMAND' works
}

stream_order() {
	"$FTR" stream -e sched -e irq --nanoseconds --duration 2 > out.txt 2> err.txt &
	while kill -0 $! 2> kill.err; do ls -lR /usr/share/doc > ls.out 2>&1; done
	wait $!
	same "$K: stream --duration: status" 0 $?
	check "$K: records of both CPUs came" test "$(grep -c '\[000\]' out.txt)" -gt 20 \
		-a "$(grep -c '\[001\]' out.txt)" -gt 20
	# 6.1 with its unstable TSC has the clock global, others local: CPUs may be apart by microseconds
	check "$K: lines are in the order of their times" python3 - out.txt << 'P'
import re, sys
times = [float(m.group(1)) for m in re.finditer(r'^.{16,}? +\[\d+\] \S+ +(\d+\.\d+): ', open(sys.argv[1]).read(), re.M)]
bad = [(a, b) for a, b in zip(times, times[1:]) if b < a]
print(len(times), 'lines', bad[:5])
sys.exit(bool(bad) or len(times) < 100)
P
}

# Each loss is said between the markers that are still there, with the number of those that are not.
stream_lost() {
	"$FTR" stream -e sched:sched_process_hang -b 16 -s 3000000 -- taskset 1 python3 marks.py "$T" \
		6000 > out.txt 2> err.txt
	check "$K: losses are said where they were" python3 - out.txt << 'P'
import re, sys
at, gap, losses, unknown, bad = -1, 0, 0, False, []
for line in open(sys.argv[1]):
    m = re.match(r'CPU:(\d+) \[(?:(\d+) )?EVENTS DROPPED\]', line.strip())
    if m:
        losses += 1
        gap += int(m.group(2) or 0)
        unknown |= not m.group(2)
        continue
    m = re.search(r'\bm (\d+)$', line)
    if not m:
        continue
    n = int(m.group(1))
    if not unknown and n != at + gap + 1 or unknown and n <= at:
        bad.append((at, gap, n))
    at, gap, unknown = n, 0, False
print('losses', losses, 'last', at, bad[:5])
sys.exit(bool(bad) or not losses or at != 5999)
P
	"$FTR" stream -e sched:sched_process_hang -- python3 marks.py "$T" 2000 > out.txt 2> err.txt
	seq 0 1999 > want.txt
	sed -n 's/.* m \([0-9]*\)$/\1/p' out.txt > got.txt
	same_files "$K: without a loss each marker is there once, in order" want.txt got.txt
	feature "$K" 'stream: lost events' works
}

# What the kernel's own format says of a field is in the object; the text is that of the lines.
stream_json() {
	"$FTR" stream --json --text -e sched:sched_process_hang -- python3 marks.py "$T" 500 > out.txt 2> err.txt
	same "$K: stream --json: status" 0 $?
	check "$K: stream --json: each line is an object, each marker there once" python3 - out.txt << 'P'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1], encoding='utf-8')]
marks = [r for r in rows if r['event'] == 'print']
assert [r['fields']['buf'] for r in marks] == ['m %d\n' % i for i in range(500)], marks[:3]
assert all(r['text'].endswith(': m %d' % i) for i, r in enumerate(marks)), marks[:3]
assert all(a['ts'] <= b['ts'] for a, b in zip(rows, rows[1:]))
P
	"$FTR" stream --json -B js -e sched_switch --duration 1 > out.txt 2> err.txt
	same "$K: stream --json -B: the instance" '"buffer":"js"' "$(grep -o '"buffer":"[^"]*"' out.txt | sort -u)"
	"$FTR" stream --json -p function_graph -l 'vfs_*' -F -- cat /etc/passwd > out.txt 2> err.txt
	has "$K: stream --json: numbers of a call" "$(< out.txt)" \
		'"event":"funcgraph_entry",.*"fields":\{"func":[0-9]+,"depth":[0-9]+'
}

stream_graph() {
	state_dump before
	"$FTR" stream -p function_graph -l 'vfs_*' -F -- cat /etc/passwd > out.txt 2> err.txt
	same "$K: stream -p function_graph: status" 0 $?
	state_dump after
	check "$K: after function_graph: tracefs is as before" state_equal before after
	has "$K: functions have their names" "$(cat out.txt)" \
		'funcgraph_entry: .* vfs_read\(\)|funcgraph_entry: .* vfs_read'
	has "$K: leaves are one line" "$(cat out.txt)" 'us +\|.* vfs_[a-z_]+\(\);'
	feature "$K" 'stream -p function_graph' works
}

# The kernel's own text of the same calls: an instance traces them, too.
stream_args() {
	local pid
	if [ ! -e "$T/options/func-args" ]; then
		"$FTR" stream -p function -l vfs_read -O func-args > out.txt 2> err.txt
		same "$K: func-args that the kernel lacks: status" 1 $?
		feature "$K" 'stream: arguments of functions' "$(sed -n '1s/^ftr: //p' err.txt)"
		return
	fi
	mkdir "$T/instances/ref"
	state_put instances/ref/set_ftrace_filter vfs_read
	state_put instances/ref/options/func-args 1
	state_put instances/ref/current_tracer function
	"$FTR" stream -p function -l vfs_read -O func-args -F -- cat /etc/passwd > out.txt 2> err.txt
	same "$K: stream -O func-args: status" 0 $?
	state_put instances/ref/tracing_on 0
	cat "$T/instances/ref/trace" > all.txt	# a change of the tracer empties it
	state_put instances/ref/current_tracer nop
	pid=$(sed -n 's/^ *cat-\([0-9]*\) .*/\1/p' out.txt | head -n 1)
	sed -n "s/^.*-$pid .*\(vfs_read(.*)\) <-.*/\1/p" out.txt > got.txt
	# what came before the command was let go is in the instance only
	sed -n "s/^.*-$pid .*\(vfs_read(.*)\) <-.*/\1/p" all.txt | tail -n "$(wc -l < got.txt)" > ref.txt
	check "$K: stream has the calls of a program" test "$(wc -l < got.txt)" -gt 3
	same_files "$K: stream has the arguments as the kernel does" ref.txt got.txt
	has "$K: these have names" "$(cat got.txt)" \
		'^vfs_read\(file=0x[0-9a-f]+, buf=0x[0-9a-f]+, count=0x[0-9a-f]+, pos=0x[0-9a-f]+\)$'
	rmdir "$T/instances/ref"
	"$FTR" stream -p function_graph -l vfs_read -O funcgraph-args -F -- cat /etc/passwd > out.txt 2> err.txt
	has "$K: stream -O funcgraph-args" "$(cat out.txt)" 'vfs_read\(file=0x[0-9a-f]+, buf=0x[0-9a-f]+, count=0x'
	feature "$K" 'stream: arguments of functions' works
}

# The end of a call has its function's name, as the kernel prints it with that option, and a terminal has colours.
stream_tail() {
	# a call that has others in it, so that its end is a line
	"$FTR" stream -p function_graph -l vfs_read -l vfs_open -l do_sys_open* -l ksys_read \
		-F -- cat /etc/passwd > out.txt 2> err.txt
	same "$K: stream -p function_graph: ends are bare" 0 "$(grep -c '} /\* ksys_read \*/' out.txt)"
	check "$K: stream -p function_graph: there are ends" grep -qE '\| +\}$' out.txt
	"$FTR" stream -p function_graph -O funcgraph-tail -l vfs_read -l ksys_read \
		-F -- cat /etc/passwd > out.txt 2> err.txt
	check "$K: stream -O funcgraph-tail: ends have the name" grep -qE '\| +\} /\* ksys_read \*/$' out.txt
	same "$K: stream -O funcgraph-tail: all of them" 0 "$(grep -cE '\| +\}$' out.txt)"
	"$FTR" --color=always stream -p function_graph -O funcgraph-tail -l vfs_read -l ksys_read \
		-F -- cat /etc/passwd > colour.txt 2> err.txt
	check "$K: stream --color=always: the task" grep -q $'^ *\033\[36mcat-[0-9]*\033\[0m' colour.txt
	check "$K: stream --color=always: an end with its name" \
		grep -qE '\} /\* ksys_read \*/$' <(sed $'s/\033\\[[0-9;]*m//g' colour.txt)
	same "$K: stream: a pipe has no colours" 0 "$(grep -c $'\033' out.txt)"
}

# What the kernel's own clock says between two markers, beside the times of the lines. Where the TSC is no clock, ftr
# record and ftr stream say the same.
stream_tsc() {
	"$FTR" record -q -C tsc2nsec -e sched:sched_process_hang -o r.dat -- true > out.txt 2> record.err
	local status=$?
	cat > pair.py << 'P'
import os, sys, time
fd = os.open(sys.argv[1] + '/trace_marker', os.O_WRONLY)
after = 0
for i in range(3):
    os.write(fd, b'at %d after %d' % (time.monotonic_ns(), after))
    after = time.monotonic_ns()
    time.sleep(1)
P
	"$FTR" stream -C tsc2nsec --nanoseconds -e sched:sched_process_hang -- python3 pair.py "$T" > out.txt 2> err.txt
	same "$K: stream -C tsc2nsec: status as ftr record's" $status $?
	if [ $status != 0 ]; then
		same "$K: stream -C tsc2nsec: its words" "$(cat record.err)" "$(cat err.txt)"
		feature "$K" 'stream -C tsc2nsec' "$(sed -n '1s/^ftr: //p' err.txt)"
		return
	fi
	check "$K: stream -C tsc2nsec: nanoseconds" python3 - out.txt << 'P'
import re, sys
v = re.findall(r' (\d+)\.(\d{9}): .* at (\d+) after (\d+)$', open(sys.argv[1]).read(), re.M)
(a, b, m, _), (c, d, n, after), (_, _, _, end) = v
# a marker's time lies between those taken before and after it was written
shown, least, most = int(c + d) - int(a + b), int(n) - int(after), int(end) - int(m)
print(v, shown, least, most)
sys.exit(not 0.95 * least < shown < 1.05 * most)
P
	feature "$K" 'stream -C tsc2nsec' works
}

stream_signals() {
	local sig pid
	for sig in INT TERM; do
		rm -f out.txt
		state_dump before
		env --default-signal=INT "$FTR" stream -e sched_switch > out.txt 2> err.txt &
		pid=$!
		wait_or_gone $pid test -s out.txt
		kill -$sig $pid
		wait $pid
		same "$K: SIG$sig ends it" 0 $?
		state_dump after
		check "$K: SIG$sig: tracefs is as before" state_equal before after
	done
	"$FTR" stream -e sched:sched_swich > out.txt 2> err.txt
	has "$K: an unknown event" "$(cat err.txt)" "did you mean 'sched:sched_switch'"
}

if [ "${2:-}" = tsc ]; then
	stream_tsc
	pass "$K: the end is reached"
	finish
fi
# a part by itself: FTR_PARTS='stream_tail'
for part in ${FTR_PARTS:-stream_head stream_quiet_head stream_each stream_order stream_lost stream_json
	stream_graph stream_tail stream_args stream_tsc stream_signals}; do
	$part
done
pass "$K: the end is reached"
finish
