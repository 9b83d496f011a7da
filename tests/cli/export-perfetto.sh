#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr export --to perfetto: what Perfetto's own trace processor finds in it is what a decoder of our own finds in the
# file. Where the trace processor cannot be had, tests/oracle/protowalk.py alone looks at the bytes.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"
cd "$TMP" || exit 1
. "$ORACLE/exported.sh"

# walks NAME STATUS PATTERN FILE: what protowalk.py makes of it
walks() {
	local out
	out=$("$ORACLE/protowalk.py" "$4" 2>&1)
	same "protowalk: $1: status" "$2" $?
	has "protowalk: $1" "$out" "$3"
}

# made PYTHON: the trace of an expression
made() {
	PYTHONPATH=$ORACLE python3 -c 'import sys
from perfetto import field, event, trace, own_trace
one = field(2, [field(1, "a"), field(3, 1), field(5, 5)])
describe = field(11, [field(1, 65536), field(2, [field(1, "mine"), one])])
bundle = lambda *fields: trace([field(10, 1), field(1, [field(1, 0), *fields])])
symbol = field(12, [field(26, [field(1, 1), field(2, "f")])])
sys.stdout.buffer.write(eval(sys.argv[1]))' "$1" > made
}

# cuts: at how many places ./made can be cut and is sound
cuts() {
	PYTHONPATH=$ORACLE python3 -c 'import protowalk
data, sound = open("made", "rb").read(), 0
for n in range(1, len(data)):
    try:
        protowalk.Walk(data[:n]).walk()
        sound += 1
    except protowalk.Bad:
        pass
print(sound)'
}

# Our own witness finds what is wrong, before it says of anything that it is not.
walker() {
	made 'own_trace()'
	walks "a sound trace" 0 '^event 4 sched_switch 3$' made
	same "protowalk: of what is cut, only that behind the first packet is sound" 1 "$(cuts)"
	made 'bundle(describe, event(1, 7, 65536, -5))'
	walks "a described event" 0 '^generic 65536 mine 1$' made
	made 'bundle(event(1, 7, 65536, -5)) + bundle(describe)'
	walks "described later" 0 '^generic 65536 mine 1$' made
	made 'bundle(event(1, 7, 65536, -5))'
	walks "described nowhere" 1 'offset 18: event 65536 is described nowhere' made
	made 'bundle(describe, event(1, 7, 65536, "text"))'
	walks "not as described" 1 'a of mine is no number' made
	made 'bundle(describe, event(1, 7, 65536, 5, 6))'
	walks "more than described" 1 'field 2 of mine' made
	made 'bundle(describe.replace(b"\x18\1", b"\x18\x20"))'
	walks "a description that Perfetto refuses" 1 'field 32 of event 65536' made
	made 'trace([field(1, [event(1, 7, 25, 3)])])'
	walks "no CPU" 1 'a bundle without a CPU' made
	made 'trace([field(1, [field(1, 1024), event(1, 7, 25, 3)])])'
	walks "a CPU that Perfetto refuses" 1 'CPU 1024' made
	made 'bundle(event(1, 7, 25, "text"))'
	walks "another type" 1 'offset 1[0-9]: vec of softirq_exit is no number' made
	made 'bundle(field(2, [field(1, 5), field(25, [field(1, 1)])]))'
	walks "no task" 1 'without a time, a task or a payload' made
	made 'bundle(event(1, 7, 437, 0, 1))'
	walks "a function without a name" 1 'a function 1 without a name' made
	made 'trace([field(10, 1), symbol]) + bundle(event(1, 7, 437, 0, 1))'
	walks "a function" 0 '^symbols 1$' made
	made 'trace([field(10, 2), symbol]) + bundle(event(1, 7, 437, 0, 1))'
	walks "a function of another sequence" 1 'a function 1 without a name' made
	made 'field(2, b"")'
	walks "something else" 1 'offset 0: field 2 of Trace' made
}

numbers() {
	local out
	if [ -n "$NO_PERFETTO" ]; then
		skip "numbers of events are those of Perfetto" "$NO_PERFETTO"
		return
	fi
	out=$("$ORACLE/perfetto-numbers.py" 2> /dev/null)
	same "numbers of events are those of Perfetto: status" 0 $?
	has "numbers of events are those of Perfetto" "$out" '^3[0-9][0-9] events, 0 wrong$'
}

# report_counts FILE TRACE: as many of each event as ftr report has lines
report_counts() {
	[ -z "$NO_PERFETTO" ] || return
	"$FTR" report -q --fields=event "$1" 2> /dev/null | sed 's/^ *//; s/[: ].*//' | sort | uniq -c |
		awk '{ print $2, $1 }' > wanted
	"$ORACLE/perfetto.py" "$2" 'select name, count(*) from ftrace_event group by 1' 2> /dev/null |
		tr '\t' ' ' | sort > got
	same_files "$NAME: Perfetto has as many of each event as ftr report has lines" wanted got
}

fixtures() {
	local packed
	if [ ! -e "$FTR_FIXTURES_DIR/README.md" ]; then
		skip "fixtures" "no folder $FTR_FIXTURES_DIR"
		return
	fi
	for packed in "$FTR_FIXTURES_DIR"/*.dat.xz; do
		NAME=$(basename "$packed" .dat.xz)
		xz -dc "$packed" > a.dat
		exported a.dat
		report_counts a.dat a.dat.pftrace
	done
}

# what: options of mkdat.py
synthetic() {
	local what
	while read -r NAME what; do
		"$ORACLE/mkdat.py" --seed "$FTR_SEED" a.dat $what 2> err ||
			{ fail "$NAME: made" "$(cat err)"; continue; }
		exported a.dat
	done <<-'EOS'
	v6 --records 3000
	v7 --version 7 --compress zstd --records 3000 --clock mono
	big-endian --endian be --long 4 --version 7 --ts-offset 5000
	losses --lost 0.3 --version 7 --page-size 8192
	instances --version 7 --instances a,b --lost 0
	stamps --start-ts 600000000000000000 --absolute 0.2 --clock global
	wakeups --wakeup --renamed --empty-cpu --discards 0.1
	EOS
	"$ORACLE/mkdat.py" a.dat --clock x86-tsc
	ftr_refuses "a clock that counts no nanoseconds" 1 "'x86-tsc' does not count nanoseconds" \
		export --to perfetto a.dat -o x
}

cases() {
	local file always='state-woken-preempted.txt state-woken-at-once.txt'

	# the first two are what a kernel does once in a hundred recordings
	for NAME in $always $(sample 10 $(cd "$FTR_TOP/tests/cases/spans" && ls *.txt)); do
		# some are about clocks that Perfetto has no use for, and one has nothing of a CPU
		! grep -qE '^FILE .*(counter|uptime|x86-tsc|mask=)' "$FTR_TOP/tests/cases/spans/$NAME" || continue
		# marks of other events are prints there: see texts()
		! grep -qE ' (bputs|bprint) ' "$FTR_TOP/tests/cases/spans/$NAME" || continue
		case_file case < "$FTR_TOP/tests/cases/spans/$NAME" 2> err
		for file in case*.dat; do
			[ ! -e "$file" ] || exported "$file"
		done
		rm -f case*
	done
}

# asked SQL: what Perfetto says of made0.dat
asked() {
	"$ORACLE/perfetto.py" made0.dat.pftrace "$1" 2> err | sort | tr '\t\n' '  '
}

# Perfetto has no place for some fields of events that it only lists. These are described, with all they have; where
# nothing would be lost, they have its numbers. Its own events of system calls are those of raw_syscalls alone.
whole_fields() {
	local keys="select e.name, a.key, coalesce(a.string_value, a.int_value)
		from ftrace_event e join args a using (arg_set_id)"
	NAME="events that are listed"
	case_file made <<-'EOS'
	0 1000 100 . kmem_cache_alloc ptr=5 bytes_req=6 bytes_alloc=7 gfp_flags=8 node=-1 accounted=1
	0 2000 100 . kmem_cache_free ptr=5 name=dentry
	0 3000 100 . kfree ptr=9
	0 4000 100 . sys_enter_read __syscall_nr=0 fd=3
	0 5000 100 . sys_exit_read __syscall_nr=0 ret=1
	EOS
	exported made0.dat
	same "$NAME: of which one has Perfetto's number" "event 298 kfree 1" \
		"$("$ORACLE/protowalk.py" made0.dat.pftrace | grep '^event ')"
	[ -z "$NO_PERFETTO" ] || return
	same "$NAME: fields of which it has none" \
		"kmem_cache_alloc accounted 1 kmem_cache_alloc node -1 kmem_cache_free name dentry " \
		"$(asked "$keys where a.key in ('node', 'accounted', 'name')")"
	same "$NAME: syscalls:* are no slices, as ftr-export(1) says" "" "$(asked 'select name from slice')"
}

# Perfetto makes slices and counters of the marks of drivers that it knows, and those of others are prints to it. Texts
# that it would count as errors stay the events that they are.
marks() {
	local name=tracing_mark_write
	NAME="marks of drivers"
	case_file made < "$FTR_TOP/tests/cases/spans/marker-drivers.txt"
	exported made0.dat
	NAME="marks that are texts"
	case_file made < "$FTR_TOP/tests/cases/spans/marker-texts.txt"
	"$FTR" export -q --to perfetto made0.dat -o made0.dat.pftrace
	same "$NAME: those that are prints" "event 3 print 8 event 484 samsung_$name 4" \
		"$("$ORACLE/protowalk.py" made0.dat.pftrace | grep '^event ' | xargs)"
	[ -z "$NO_PERFETTO" ] || return
	same "$NAME: slices" "fence 4 printk 20 puts 40 sentence 60 vote 110 " "$(asked 'select name, dur from slice')"
	same "$NAME: other texts" "bputs hello $name hello " "$(asked "select e.name, a.string_value from ftrace_event e
		join args a using (arg_set_id) where a.string_value = 'hello'")"
}

# The letters of states are those of the format, whatever bits Perfetto takes for them in a kernel of that version.
old_states() {
	local release
	for release in 3.10.0 4.4.0 4.9.0 4.13.0 4.14.0; do
		NAME="states of $release"
		sed "s/RELEASE/$release/" <<-'EOS' | case_file made
		FILE release=RELEASE
		0 1000 0 . sched_switch prev_state=R next_pid=1
		0 2000 1 . sched_switch prev_state=R+ next_pid=2
		0 3000 2 . sched_switch prev_state=P next_pid=3
		0 4000 3 . sched_switch prev_state=I next_pid=4
		0 5000 4 . sched_switch prev_state=Z next_pid=5
		0 6000 5 . sched_switch prev_state=X next_pid=6
		0 7000 6 . sched_switch prev_state=R next_pid=7
		0 8000 7 . sched_switch prev_state=S|D next_pid=0
		EOS
		exported made0.dat
		[ -z "$NO_PERFETTO" ] || continue
		same "$NAME: as the format has them" 'I P R R+ SD X Z ' \
			"$(asked 'select end_state from sched_slice where end_state not null')"
	done
}

# A trace that lacks something is found to.
found() {
	local out
	"$ORACLE/mkdat.py" --seed "$FTR_SEED" a.dat 2> err
	"$FTR" export -q --to perfetto --cpu 0 -o a.pftrace a.dat 2> err
	out=$("$ORACLE/perfetto-check.py" ${NO_PERFETTO:+--walk-only} a.dat a.pftrace 2> /dev/null)
	same "a trace of one CPU is found not to be of all: status" 1 $?
	has "it is told" "$out" '^not ok - export: protowalk: as many events of each name'
	[ -n "$NO_PERFETTO" ] ||
		has "by the trace processor as well" "$out" '^not ok - export: Perfetto: as many events of each name'
}

run_part() {
	local start=$SECONDS
	$1
	echo "# $1 took $((SECONDS - start)) s"
}

for part in walker numbers found whole_fields marks old_states fixtures synthetic cases; do
	run_part $part
done
finish
