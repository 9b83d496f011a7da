#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr hist: its sums are those of the events themselves, its bounds the kernel's, and nothing of it is left.
. "$(dirname "$0")/lib/inside.sh" 900

LOAD=$FTR_BUILD/tests/guest/load/hist_load
# the reads of $LOAD alone
OURS='fd == 77'
SIZES="1 2 3 4 5 8 9 16 17 64 65 128 129 1000 1000 1000"
export LC_ALL=C

# json PROGRAM: python on the object h of ./stdout
json() {
	python3 -c "import json,sys
h = json.load(open('stdout'))
$1"
}

hist() {
	"$FTR" hist "$@"
}

# ranges: of the rows of h, "FROM-TO:COUNT" each
ranges() {
	json 'print(*["%d-%d:%d" % (r["keys"][0]["from"], r["keys"][0]["to"], r["values"][0]) for r in h["rows"]])'
}

# refusal NAME PATTERN ARGS...: says so, and names it in the table of features
refusal() {
	local name=$1 pattern=$2
	shift 2
	try "refused: $name" 125 hist "$@" -- touch ran
	said "refused: $name: words" "$pattern"
}

# caret NAME COLUMN ARGS...: the caret stands under that character of the kernel's line
caret() {
	local name=$1 want=$2 at
	shift 2
	try "refused: $name" 125 hist "$@" -- touch ran
	at=$(grep -m 1 '^ *\^' err)
	same "$K: refused: $name: the caret's column" "$want" $((${#at} - 1 - 11))
}

distributions() {
	try log2 0 hist syscalls:sys_enter_read count.log2 -f "$OURS" --json -- "$LOAD" $SIZES
	same "$K: log2: the kernel's bounds" \
		"0-1:1 2-2:1 3-4:2 5-8:2 9-16:2 17-32:1 33-64:1 65-128:2 129-256:1 513-1024:3" \
		"$(ranges)"
	same "$K: log2: totals" "16 10 0 0" "$(json 'print(h["hits"], h["entries"], h["dropped"], h["unread"])')"
	try 'log2, drawn' 0 hist sys_enter_read count.log2 -f "$OURS" -- "$LOAD" 3 4 8 8
	same "$K: log2, drawn: lines" '3..4 2 50.00 50.00|5..8 2 50.00 100.00|' \
		"$(awk '/\.\./ { printf "%s %s %s %s|", $1, $2, $3, $4 }' stdout)"
	same "$K: log2, drawn: totals" 'Totals: 4 hits, 2 entries, 0 dropped' "$(tail -n 1 stdout)"
	feature "$K" 'ftr hist .log2' works
	try buckets 0 hist syscalls:sys_enter_read count.buckets=64 -f "$OURS" --json -- "$LOAD" $SIZES
	same "$K: buckets: the kernel's bounds" "0-63:9 64-127:2 128-191:2 960-1023:3" \
		"$(ranges)"
	feature "$K" 'ftr hist .buckets' works
	try 'negative numbers' 0 hist syscalls:sys_exit_read ret -F --sort ret --json -- "$LOAD" -1 -1 5000 4999
	same "$K: negative numbers: -EBADF" "-9:2" \
		"$(json 'print("%d:%d" % (h["rows"][0]["keys"][0], h["rows"][0]["values"][0]))')"
	has "$K: negative numbers: the others behind it" "$(json 'print(*[r["keys"][0] for r in h["rows"]])')" \
		'^-9 .* 4999 5000'
}

sums() {
	local sum
	sum=$(($(tr ' ' + <<< "$SIZES")))
	try sums 0 hist syscalls:sys_enter_read "fd,count:count" -f "$OURS" --sort count:desc --json -- "$LOAD" $SIZES
	same "$K: sums: of a value" "$sum" "$(json 'print(sum(r["values"][1] for r in h["rows"]))')"
	same "$K: sums: of events" 16 "$(json 'print(sum(r["values"][0] for r in h["rows"]))')"
	same "$K: sort: descending" "1000 129 128 65 64 17 16 9 8 5 4 3 2 1" \
		"$(json 'print(*[r["keys"][1] for r in h["rows"]])')"
	try 'two orders' 0 hist syscalls:sys_enter_read count --sort hitcount:desc,count:desc -f "$OURS" --json -- \
		"$LOAD" 1 2 3 3 4
	same "$K: sort: by two" "3 4 2 1" "$(json 'print(*[r["keys"][0] for r in h["rows"]])')"
	try 'percent' 0 hist syscalls:sys_enter_read count -f "$OURS" -- "$LOAD" 5 5 5 7
	same "$K: percent and cumulative percent" '5 3 75.00 75.00|7 1 25.00 100.00|' \
		"$(awk '$1 + 0 > 0 { printf "%s %s %s %s|", $1, $2, $3, $4 }' stdout)"
	try top 0 hist syscalls:sys_enter_read count -f "$OURS" --top 1 -- "$LOAD" 5 5 5 7
	has "$K: top: says how many more" "$(cat stdout)" '^\(1 more rows\)$'
	try 'a filter in the words' 0 hist syscalls:sys_enter_read "count if $OURS && count > 4" --json -- \
		"$LOAD" 3 4 5 6
	same "$K: filter: drops what it should" "5 6" "$(json 'print(*[r["keys"][0] for r in h["rows"]])')"
	feature "$K" 'ftr hist --sort, --filter, values' works
}

# Any event, of all tasks: counted from the kernel's text of the same moment in an instance of its own.
independent() {
	local i=$T/instances/count_apart
	mkdir $i
	echo 'prev_comm ~ "hist_*"' > $i/events/sched/sched_switch/filter
	echo 1 > $i/events/sched/sched_switch/enable
	try 'beside a trace' 0 hist sched_switch prev_comm,prev_pid -f 'prev_comm ~ "hist_*"' --json -- \
		bash -c "for n in 1 2 3 4; do $LOAD \$(seq 400) & done; wait"
	echo 0 > $i/events/sched/sched_switch/enable
	awk '/sched_switch:/ {
			for (f = 1; f <= NF; f++) {
				if ($f ~ /^prev_comm=/) c = substr($f, 11)
				if ($f ~ /^prev_pid=/) p = substr($f, 10)
			}
			n[c " " p]++
		}
		END { for (k in n) print k, n[k] }' $i/trace | sort > wanted
	json 'for r in h["rows"]: print(*r["keys"], r["values"][0])' | sort > got
	check "$K: beside a trace: there is something" test -s wanted
	same_files "$K: beside a trace: the same counts" wanted got
	rmdir $i
}

names() {
	local read_id=0
	try names 0 hist raw_syscalls:sys_enter common_pid.execname,id.syscall -F --json -- "$LOAD" 1 2 3
	same "$K: execname, syscall: names" "hist_load sys_read True" \
		"$(json "r = [r for r in h['rows']
	if r['keys'][0]['comm'] == 'hist_load' and r['keys'][1]['id'] == $read_id][0]
print(r['keys'][0]['comm'], r['keys'][1]['name'], r['values'][0] >= 3)")"
	feature "$K" 'ftr hist .execname, .syscall' works
	try hex 0 hist sys_enter_read count.hex -f "$OURS" -- "$LOAD" 255
	has "$K: hex: drawn" "$(cat stdout)" '^ *0xff +1 '
	try symbols 0 hist kmem:kmalloc call_site.sym,call_site.sym-offset:bytes_req,bytes_alloc --json -- \
		sh -c 'ls / > ls.out'
	awk '{ print $1, $3 }' /proc/kallsyms > kallsyms
	same "$K: sym: as in kallsyms" "enough" "$(json "
if len(h['rows']) > 5: print('enough')
import bisect
t = sorted((int(a, 16), n) for a, n in (l.split() for l in open('kallsyms')))
for r in h['rows']:
    a, s = int(r['keys'][0]['address'], 16), r['keys'][0]['symbol'].split(' ')[0]
    at = t[bisect.bisect(t, (a, '~')) - 1][0]
    if s not in [n for b, n in t if b == at]: print(a, s)
    if '+' not in r['keys'][1]['symbol']: print(r['keys'][1])")"
	check "$K: sym: values" test "$(json 'print(all(r["values"][2] >= r["values"][1] for r in h["rows"]))')" = True
	feature "$K" 'ftr hist .sym, .sym-offset, .hex' works
	try stacks 0 hist syscalls:sys_enter_read common_stacktrace,count -f "$OURS" --json -- "$LOAD" 5 5 6
	same "$K: stacks: counts" "5:2 6:1" \
		"$(json 'print(*["%d:%d" % (r["keys"][1], r["values"][0]) for r in h["rows"]])')"
	has "$K: stacks: frames" "$(json 'print(*h["rows"][0]["keys"][0])')" '(do_syscall_64|syscall_trace_enter)\+0x'
	try 'stacks, drawn' 0 hist syscalls:sys_enter_read stacktrace -f "$OURS" -- "$LOAD" 5 5 6
	has "$K: stacks, drawn: a frame a line" "$(cat stdout)" '^      [a-z_0-9]+\+0x'
	feature "$K" 'ftr hist common_stacktrace' works
	try 'strings' 0 hist sched_switch 'common_cpu,prev_comm' --json -- "$LOAD" 1
	has "$K: strings" "$(json 'print(*[r["keys"][1] for r in h["rows"]])')" '(^| )swapper/[01]( |$)'
	try 'a hostile name' 0 hist sys_enter_read common_pid.execname -f 'count == 4711' --json -- \
		python3 -c 'import ctypes, os
ctypes.CDLL(None).prctl(15, b"x\n} hit: [3]\x1b")
os.read(os.open("/dev/zero", 0), 4711)'
	same "$K: a hostile name: is read, and harmless" '1 x\x0a} hit: [3]\x1b' \
		"$(json 'print(h["rows"][0]["values"][0], h["rows"][0]["keys"][0]["comm"])')"
}

variables() {
	try variables 0 hist sys_enter_read 'common_pid:m=count:ts0=common_timestamp.usecs:onmax($m).save(count)' \
		-f "$OURS" --json -- "$LOAD" 5 9 7
	same "$K: variables: onmax().save()" "3 max: 9 count: 9" \
		"$(json 'print(h["rows"][0]["values"][0], *h["rows"][0]["saved"].split())')"
	feature "$K" 'ftr hist variables, onmax().save()' works
	try 'the kernel form' 0 hist sys_enter_read \
		"hist:keys=count:vals=count:sort=count.descending:size=256 if $OURS" --raw -- "$LOAD" 5 9
	has "$K: raw: the kernel's text" "$(cat stdout)" \
		'^# trigger info: hist:keys=count:vals=hitcount,count:sort=count.descending:size=256 if fd == 77 \['
	has "$K: raw: rows" "$(cat stdout)" '^\{ count: +9 \} hitcount: +1  count: +9$'
	try 'timestamps' 0 hist sys_enter_read common_timestamp.usecs -f "$OURS" --json -- "$LOAD" 5 9
	same "$K: timestamps: both reads" 2 "$(json 'print(sum(r["values"][0] for r in h["rows"]))')"
}

# word NAME PATTERN ARGS...: works, or is refused by its name
word() {
	local name=$1
	shift
	if hist "$@" --json -- "$LOAD" 5 6 > stdout 2> err; then
		pass "$K: $name: works"
		feature "$K" "ftr hist $name" works
	else
		said "$name: is refused by name" "this kernel's histograms have no '$name'"
		feature "$K" "ftr hist $name" "$(sed -n '1s/^ftr: //p' err)"
	fi
}

newer() {
	word nohitcount sys_enter_read count:count:nohitcount -f "$OURS"
	word common_comm sys_enter_read common_comm -f "$OURS"
	word .percent sys_enter_read count:count.percent -f "$OURS"
	word .graph sys_enter_read count:count.graph -f "$OURS"
	word hitcount.percent sys_enter_read count:hitcount.percent -f "$OURS"
	[ "$K" = 6.1 ] || same "$K: hitcount.percent: of the kernel" "50.0 50.0" \
		"$(json 'print(*[r["values"][1] for r in h["rows"]])')"
}

dropped() {
	try dropped 0 hist sys_enter_read count --size 128 -f "$OURS" -- "$LOAD" $(seq 1 900)
	has "$K: dropped: counted" "$(tail -n 1 stdout)" 'Totals: [0-9]+ hits, [0-9]+ entries, [1-9][0-9]* dropped'
	same "$K: dropped: hits and dropped are all" 900 "$(tail -n 1 stdout | awk '{ print $2 + $6 }')"
	said 'dropped: advice' '^hint: --size 1024 '
	try 'room enough' 0 hist sys_enter_read count --size 4096 -f "$OURS" -- "$LOAD" $(seq 1 900)
	same "$K: room enough: all" 'Totals: 900 hits, 900 entries, 0 dropped' "$(tail -n 1 stdout)"
}

refusals() {
	refusal 'an event' "did you mean '(sched:)?sched_switch'" sched_swich prev_comm
	refusal 'a system' "'sched' names [0-9]+ events: sched:" sched prev_comm
	refusal "an event of ftrace's own" "no event matches 'ftrace:function'" ftrace:function ip
	caret 'a field' 10 sched_switch prev_coom
	said 'a field: hint' "^hint: did you mean 'prev_comm'\\?"
	caret 'a second field' 20 sched_switch prev_comm,nope_nope_nope
	said 'a second field: hint' '^hint: there are: .*prev_comm'
	caret 'a modifier' 28 sched_switch prev_pid,next_pid.foo
	caret 'an order' 25 sched_switch prev_comm --sort foo
	caret 'a filter' 0 sched_switch prev_pid -f 'nope == 1'
	try 'refused: no such command' 127 hist sched_switch prev_pid -- ftr-no-such
	same "$K: refused: nothing ran" '' "$(ls ran 2> /dev/null)"
}

ends() {
	local pid d
	# on a slow machine an output takes longer than an interval
	for d in 3.5 15; do
		try interval 0 hist sched_switch prev_comm -i 1 -d $d --json
		[ "$(wc -l < stdout)" -lt 3 ] || break
	done
	check "$K: interval: an object a line, and a last one" test "$(wc -l < stdout)" -ge 3
	check "$K: interval: they grow" python3 -c 'import json
h = [json.loads(l)["hits"] for l in open("stdout")]
assert h == sorted(h) and h[-1] > 0, h'
	# whichever interval dd's writes fall into, they are shown as new once
	for d in 5 20; do
		try 'interval, drawn' 0 hist syscalls:sys_enter_write count -f 'count == 7777' -i 2 -- \
			sh -c "dd if=/dev/zero of=/dev/null bs=7777 count=25; sleep $d"
		[ "$(grep -c '^== ' stdout)" -lt 3 ] || break
	done
	same "$K: interval, drawn: the total, the new ones of all outputs and of the last" '25 25 0' \
		"$(awk '$1 == 7777 { total = $2; new += $3; last = $3 } END { print total, new, last }' stdout)"
	has "$K: interval, drawn: the head" "$(sed -n 2p stdout)" '^count  hitcount  \+hitcount  '
	check "$K: interval, drawn: several outputs" test "$(grep -c '^== ' stdout)" -ge 3
	try 'interval into head' 0 bash -c "'$FTR' hist sched_switch prev_comm -i 0.5 -d 100 | head -n 1"
	try 'a status' 3 hist sched_switch prev_comm -- sh -c 'exit 3'
	# a shell's background jobs ignore SIGINT
	: > err
	env --default-signal=INT "$FTR" hist sched_switch prev_comm > stdout 2> err &
	pid=$!
	wait_for Ctrl-C err
	kill -INT $pid
	wait $pid
	same "$K: Ctrl-C: status" 0 $?
	has "$K: Ctrl-C: what was counted" "$(tail -n 1 stdout)" '^Totals: [1-9]'
	: > err
	"$FTR" hist sched_switch prev_comm > stdout 2> err &
	pid=$!
	wait_for Ctrl-C err
	kill -TERM $pid
	wait $pid
	same "$K: SIGTERM: status" 143 $?
	has "$K: SIGTERM: what was counted" "$(tail -n 1 stdout)" '^Totals: [1-9]'
}

# Killed while a histogram with variables holds its instance.
killed() {
	local pid
	: > err
	"$FTR" hist sched_switch 'prev_pid:ts0=common_timestamp.usecs' > stdout 2> err &
	pid=$!
	wait_for Ctrl-C err
	kill -KILL $pid
	wait $pid 2> /dev/null
	check "$K: SIGKILL: the instance is left" test -d $T/instances/ftr-hist-$pid
	check "$K: SIGKILL: recovered" "$FTR" reset --recover
}

state_dump before
distributions
sums
independent
names
variables
newer
dropped
refusals
ends
killed
state_dump after
check "$K: tracefs is as before" state_equal before after
same "$K: no instance is left" '' "$(ls $T/instances)"
same "$K: no journal is left" '' "$(ls /run/ftr 2> /dev/null | grep journal)"
pass "$K: the end is reached"
