#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs inside a guest, started by list.sh: list.sh KERNEL-SERIES

. "$FTR_TOP/tests/guest/lib/checks-lib.sh"
export LC_ALL=C

# like NAME WANTED-FILE ARGS...: the list's words, one blank between two, are those of the file
like() {
	local name=$1 want=$2
	shift 2
	"$FTR" list "$@" 2> err | sed -E 's/ +/ /g' > got
	same_files "$K: $name" "$want" got
	check "$K: $name: is not empty" test -s got
}

setup() {
	mkdir $T/instances/work $T/instances/play
	echo vfs_fsync > $T/instances/play/set_ftrace_filter	# all functions would slow everything down
	echo function > $T/instances/play/current_tracer
	echo 0 > $T/instances/work/tracing_on
	echo mono > $T/instances/work/trace_clock
	echo 1 > $T/instances/work/options/sym-offset
	echo 'prev_pid > 1' > $T/events/sched/sched_switch/filter
	echo 'pid == 7' > $T/instances/work/events/sched/sched_wakeup/filter
	echo stacktrace >> $T/events/sched/sched_wakeup/trigger
	echo 'traceoff:3 if pid == 4711' >> $T/events/sched/sched_wakeup/trigger
	echo 's:lat u64 x; int pid' >> $T/dynamic_events
	echo 'p:mine/k vfs_read' >> $T/dynamic_events
	echo 'r:mine/r vfs_read $retval' >> $T/dynamic_events
	echo 'e:mine/e sched.sched_switch p=$prev_pid' >> $T/dynamic_events
}

setup
state_dump before

sort $T/available_events > want
like events want events
awk -F: '/^sched:/' want > sched
like 'events of a system' sched -e 'sched:'
grep -E '_wake[a-z]*$' want > wake
like 'events by an expression' wake events '/_wake[a-z]*$/'
awk -F: '{ n[$1]++ } END { for (s in n) print s, n[s], "events" }' want | sort > systems
like systems systems systems
tr ' ' '\n' < $T/available_tracers | grep . | sort > want
"$FTR" list tracers | awk '{ print $1 }' > got
same_files "$K: tracers" want got
same "$K: tracers: the current one" "$(cat $T/current_tracer)" \
	"$("$FTR" list tracers | awk '$2 == "current" { print $1 }')"
same "$K: tracers: an instance's" function "$("$FTR" list -t -B play | awk '$2 == "current" { print $1 }')"
tr ' ' '\n' < $T/trace_clock | tr -d '[]' | grep . | sort > want
"$FTR" list clocks | awk '{ print $1 }' > got
same_files "$K: clocks" want got
same "$K: clocks: the current one" "$(grep -o '\[.*\]' $T/trace_clock | tr -d '[]')" \
	"$("$FTR" list -C | awk '$2 == "current" { print $1 }')"
same "$K: clocks: an instance's" mono "$("$FTR" list -C -B work | awk '$2 == "current" { print $1 }')"

# all that have a file, on or off as it says
for at in "" instances/work; do
	(cd "$T/$at/options" && grep -H '' -- *) | awk -F: '{ print $1, $2 ? "on" : "off" }' | sort > want
	"$FTR" list options ${at:+-B work} | awk '{ print $1, $2 }' > got
	same_files "$K: options${at:+ of an instance}" want got
done
echo vfs_fsync > $T/instances/work/set_ftrace_filter
echo function > $T/instances/work/current_tracer
# what trace_options shows only while the tracer is set, is the tracer's
grep -hvxFf <(sed 's/^no//' $T/trace_options) <(sed 's/^no//' $T/instances/work/trace_options) | sort > want
echo nop > $T/instances/work/current_tracer
: > $T/instances/work/set_ftrace_filter
"$FTR" list options | awk '$3 == "function" { print $1 }' > got
same_files "$K: options of the function tracer" want got
(cd $T/instances && for i in *; do
	echo "$i $(cat "$i/current_tracer") $([ "$(cat "$i/tracing_on")" = 1 ] && echo on || echo off)"
done) > want
"$FTR" list instances | awk '{ print $1, $2, $3 }' > got
same_files "$K: instances" want got

awk '{ gsub(/[][]/, "", $2); print $1 ($2 == "" ? "" : " " $2) }' $T/available_filter_functions | sort > want
"$FTR" list functions 2> err | awk '{ print $1 (NF > 1 ? " " $2 : "") }' | sort > got
same_files "$K: functions and their modules" want got
check "$K: functions: some 30,000" test "$(wc -l < want)" -gt 30000
grep '^vfs_re' want > vfs
"$FTR" list functions 'vfs_re*' 2> err | awk '{ print $1 }' > got
same_files "$K: functions by a glob" vfs got
same "$K: functions: how many of how many" "ftr: $(wc -l < vfs) of $(wc -l < want) functions" "$(cat err)"
awk '$2 == "9p" { print $1 }' want > mod
"$FTR" list functions ':mod:9p' 2> err | awk '{ print $1 }' > got
same_files "$K: functions of a module" mod got
if [ -e $T/available_filter_functions_addrs ]; then
	awk '$2 ~ /^vfs_re/ { print $2, $1 }' $T/available_filter_functions_addrs | sort > want
	"$FTR" list functions --address 'vfs_re*' 2> err | awk '{ print $1, $2 }' > got
	same_files "$K: functions: addresses" want got
	feature "$K" 'list functions --address' works
else
	"$FTR" list functions --address > got 2> err
	same "$K: functions: no addresses: status" 1 $?
	has "$K: functions: no addresses" "$(cat err)" '^ftr: this kernel does not list addresses of functions$'
	feature "$K" 'list functions --address' "refused: no available_filter_functions_addrs"
fi

# prototypes: list.sh holds them all against the kernel's BTF as another decoder reads it
"$FTR" list functions --proto --json > "$OUT/proto.json" 2> err
same "$K: functions --proto: status" 0 $?
cp -r /sys/kernel/btf "$OUT/btf"
same "$K: functions --proto: a prototype" 'ssize_t vfs_read(struct file *file, char *buf, size_t count, loff_t *pos)' \
	"$("$FTR" list --proto vfs_read 2> err | sed -E 's/^vfs_read +//')"
mount --bind "$TMP" /sys/kernel/btf
"$FTR" list --proto vfs_read > out 2> err
same "$K: functions --proto without BTF: status" 1 $?
has "$K: functions --proto without BTF" "$(cat err)" "hint: it needs a kernel built with CONFIG_DEBUG_INFO_BTF"
umount /sys/kernel/btf
feature "$K" 'list functions --proto' works

# fields: the kernel's own declarations, offsets and sizes
for e in sched/sched_switch syscalls/sys_enter_openat irq/softirq_entry; do
	awk -F'[:;]' -v e="${e/\//:}" 'BEGIN { print e }
		/^$/ { n++ } /field:/ && n > 0 { print " " $2 " offset " $4 " size " $6 ($8 == 1 ? " signed" : "") }' \
		$T/events/$e/format | sed -E 's/[ \t]+/ /g' > want
	like "fields of $e" want -F "$e"
done
printf 'sched:sched_switch\n filter: prev_pid > 1\n' > want
like 'filters' want -l
printf 'sched:sched_wakeup\n filter: pid == 7\n' > want
like "an instance's filters" want -l -B work
{ echo sched:sched_wakeup; grep -v '^#' $T/events/sched/sched_wakeup/trigger | sed 's/^/ trigger: /'; } > want
like triggers want -R
awk '{ split($1, a, /[:\/]/); t = substr($1, 1, 1)
	name = t == "p" ? "kprobe" : t == "r" ? "kretprobe" : t == "e" ? "eprobe" : "synthetic"
	rest = $0; sub(/^[^ \t]+[ \t]+/, "", rest); print a[2] ":" a[3], name, rest }' $T/dynamic_events | sort > want
like probes want probes

"$FTR" list --json events > json 2> err
same "$K: events as JSON" "$(wc -l < $T/available_events)" \
	"$(python3 -c 'import json; print(len(json.load(open("json"))["items"]))')"
"$FTR" list -e sched_swich > out 2> err
same "$K: an event misspelt: status" 1 $?
has "$K: an event misspelt" "$(cat err)" "did you mean 'sched_switch'"

# the time, beside trace-cmd's and a bare copy; said, not judged: reading is the most of it
times() {
	local i
	TIMEFORMAT='%R s, of which %U in user space'
	for i in 1 2 3; do
		{ time "$@" > functions.out 2> functions.err; } 2>&1
	done | sort -n | sed -n 2p
}
for f in $T/available_filter_functions $T/available_filter_functions_addrs; do
	[ ! -e "$f" ] || echo "# $K: cat ${f##*/}: $(times cat "$f")"
done
echo "# $K: trace-cmd list -f: $(times trace-cmd list -f)"
echo "# $K: ftr list -f: $(times "$FTR" list -f)"
echo "# $K: ftr list -f --json: $(times "$FTR" list -f --json)"
echo "# $K: trace-cmd list -f ^vfs_: $(times trace-cmd list -f '^vfs_')"
echo "# $K: ftr list -f vfs_*: $(times "$FTR" list -f 'vfs_*')"
echo "# $K: ftr list -f --proto: $(times "$FTR" list -f --proto)"
state_dump after
check "$K: lists change nothing" state_equal before after
for f in events systems tracers clocks options instances functions probes; do
	feature "$K" "list $f" works
done
undirty
pass "$K: lists: the end is reached"
exit "$FAILED"
