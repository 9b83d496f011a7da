#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr record where conditions are bad: no tracefs, no rights, names that do not exist, no room, others at work.
# One boot a kernel.
FTR_SAN=${FTR_SAN:-$FTR_BUILD-san}
export FTR_SAN
. "$(dirname "$0")/lib/inside.sh" 600

export LSAN_OPTIONS=print_suppressions=0:suppressions=$FTR_TOP/tests/lsan.supp
EV=sched:sched_process_exec	# cheap to enable, one a command
U=1000				# somebody who is not root, in a group of that number alone
HOME_U=$TMP/user
chmod 755 "$TMP"
mkdir -p "$HOME_U/run"
chown -R $U:$U "$HOME_U"
chmod 700 "$HOME_U/run"
cd "$HOME_U" || exit 1

as_user() {
	XDG_RUNTIME_DIR=$HOME_U/run setpriv --reuid $U --regid $U --clear-groups "$@"
}

# What a recording may change. @1: by root, who can read all of it.
state() {
	(cd $T && grep -H '' current_tracer set_event tracing_on trace_clock tracing_cpumask set_ftrace_filter \
		set_ftrace_notrace max_graph_depth set_event_pid saved_cmdlines_size trace_options \
		buffer_size_kb events/sched/*/filter events/sched/*/enable; ls instances) |
		sed 's/ (expanded: .*)//'
}

unchanged() {
	state > now
	same_files "$K: $1: tracefs is as before" state now
	same "$K: $1: no journal is left" '' "$(ls /run/ftr "$HOME_U/run/ftr" 2> /dev/null | grep journal)"
}

unmount_all() {
	local at
	while read -r at; do
		umount "$at" 2> /dev/null || umount -l "$at"
	done < <(awk '$3 == "tracefs" || $3 == "debugfs" { print $2 }' /proc/mounts | sort -r)
	grep -Ecw 'tracefs|debugfs' /proc/mounts
}

no_tracefs() {
	same "$K: nothing of tracefs is mounted" 0 "$(unmount_all)"
	try 'not mounted, a user' 125 as_user "$FTR" record -e $EV -o u.dat -- touch ran
	said 'not mounted, a user: words' '^ftr: tracefs is not mounted$'
	said 'not mounted, a user: hint' "^hint: as root: mount -t tracefs [a-z]+ $T$"
	same "$K: not mounted, a user: nothing ran, nothing is left" '' "$(ls ran u.dat* 2> /dev/null)"
	try 'not mounted, without a command' 1 as_user "$FTR" record -e $EV -o u.dat
	try 'not mounted, root' 125 "$FTR" record -e $EV -o r.dat -- touch ran
	said 'not mounted, root: words' '^ftr: tracefs is not mounted$'
	for c in 'start -e sched' 'set -e sched' stop clear reset stat options set-pid 'show current_tracer' \
		'trigger add x y' 'probe list' 'mark x' 'list tracers' stack; do
		# shellcheck disable=SC2086
		try "not mounted: $c" 1 "$FTR" $c
		said "not mounted: $c: hint" "^hint: as root: mount -t tracefs [a-z]+ $T$"
	done
	same "$K: nothing was mounted, nothing ran" 0 "$(grep -c tracefs /proc/mounts)$(ls ran 2> /dev/null)"
	# what the hint says
	check "$K: the hint's command" sh -c "$(sed -n 's/^hint: as root: //p' err | head -n 1)"
	try 'mounted by then' 0 "$FTR" record -e $EV -o r.dat -- true
	same "$K: mounted by then: only the summary" 1 "$(wc -l < err)"
	check "$K: mounted by then: records" test "$(count_records r.dat)" -ge 1
	mkdir -p elsewhere
	umount $T
	mount -t tracefs nodev elsewhere
	try 'mounted elsewhere' 0 "$FTR" record -e $EV -o r.dat -- true
	same "$K: mounted elsewhere: only the summary" 1 "$(wc -l < err)"
	umount elsewhere
	mount -t tracefs nodev $T
	state > state
}

no_rights() {
	try 'no rights' 125 as_user "$FTR" record -e $EV -o u.dat -- touch ran
	said 'no rights: words' "^ftr: cannot use tracefs at '$T': Permission denied$"
	said 'no rights: hint' "^hint: run it as root, or .*gid="
	same "$K: no rights: nothing ran, nothing is left" '' "$(ls ran u.dat* 2> /dev/null)"
	# the folder and what is only read is the group's, what has to be written is not
	mount -o remount,gid=$U,mode=0750 $T
	try 'rights to read only' 125 as_user "$FTR" record -e $EV -o u.dat -- touch ran
	said 'rights to read only: words' "^ftr: cannot .*Permission denied$"
	said 'rights to read only: hint' "^hint: .*root.*group"
	same "$K: rights to read only: nothing ran, nothing is left" '' "$(ls ran u.dat* 2> /dev/null)"
	unchanged 'no rights'
}

# Opens all of tracefs to the group: the mount options set the owner, the files' own modes lack the group's write.
by_group() {
	mount -o remount,gid=$U,mode=0770 $T
	chgrp -R $U $T 2> /dev/null
	chmod -R g+rwX $T 2> /dev/null
	state > state
	try 'by the group' 0 as_user "$FTR" record -e $EV -o u.dat -- true
	said 'by the group: the summary' '^u.dat: [0-9] CPUs?, [0-9,]+ events?'
	said 'by the group: no addresses' 'no kernel symbols: .*kallsyms'
	check "$K: by the group: records" test "$(count_records u.dat)" -ge 1
	has "$K: by the group: the report" "$("$FTR" report u.dat)" 'sched_process_exec: +filename='
	has "$K: by the group: info says what is missing" "$("$FTR" info u.dat)" 'kernel symbols'
	same "$K: by the group: the file is the user's" "$U 600" "$(stat -c '%u %a' u.dat)"
	# shellcheck disable=SC2016
	try 'by the group: the journal' 0 as_user "$FTR" record -q -e $EV -o u.dat -- \
		sh -c 'stat -c "%a %u" "$XDG_RUNTIME_DIR"/ftr/*.journal'
	same "$K: by the group: the journal is in the runtime folder, and private" "600 $U" "$(cat stdout)"
	try 'by the group: a tracer' 0 as_user "$FTR" record -p function -l vfs_open -o u.dat -- cat /dev/null
	check "$K: by the group: functions" test "$(count_records u.dat)" -ge 1
	unchanged 'by the group'
	chmod -R g-w $T 2> /dev/null
	mount -o remount,gid=0,mode=0700 $T
	state > state
}

# Beyond what record-basic.sh misspells: instances, options of a tracer, systems, modules, CPUs, files of the kernel.
names() {
	mkdir $T/instances/keepers
	state > state
	set -- 'a system' 125 "-e shed:sched_switch" "^hint: did you mean 'sched:sched_switch'" \
		'nothing alike' 125 "-e zzz:qqqqqqqqqqq" "no event matches 'zzz:qqqqqqqqqqq'" \
		'nothing alike: hint' 125 "-e zzz:qqqqqqqqqqq" '^hint: ' \
		'a tracer, nothing alike' 125 '-p qqqqqqqqqqqqqqq' '^hint: ' \
		'a clock, nothing alike' 125 "-e $EV -C qqqqqqqqqqq" '^hint: ' \
		'an option, nothing alike' 125 "-e $EV -O qqqqqqqqqqqqqq" '^hint: ' \
		'a function pattern' 125 '-p function -l qqqqqq*' "no traceable function matches 'qqqqqq\*'" \
		'an option of a tracer that is not set' 125 "-e $EV -O funcgraph-abstim" '^hint: ' \
		'an event in an instance' 125 "-B keepers -e sched:sched_swich" "did you mean 'sched:sched_switch'" \
		'a name that no instance can have' 2 "-B a/b -e $EV" "'a/b'" \
		'a CPU that is not there' 125 "-e $EV -M f000" 'f000' \
		'a trigger' 125 "-e $EV -R stacktrac" 'stacktrac'
	while [ $# -gt 0 ]; do
		# shellcheck disable=SC2086
		try "unknown: $1" $2 "$FTR" record $3 -o n.dat -- touch ran
		said "unknown: $1: words" "$4"
		shift 4
	done
	same "$K: unknown: nothing ran, nothing is left" '' "$(ls ran n.dat* 2> /dev/null)"
	unchanged 'unknown names'
	rmdir $T/instances/keepers
	state > state
}

# caret NAME FILTER COLUMNS: the caret stands under that character (from 0) of the filter, or one of several
caret() {
	local at line
	try "filter: $1" 125 "$FTR" record -e sched:sched_switch -f "$2" -o n.dat -- touch ran
	said "filter: $1: the event" 'sched.sched_switch'
	line=$(grep -B 1 -m 1 '^ *\^' err | head -n 1)
	at=$(grep -m 1 '^ *\^' err)
	line=${line%%"$2"*}
	has "$K: filter: $1: the caret's column" $((${#at} - 1 - ${#line})) "^($3)\$"
}

filters() {
	caret 'a field' 'prev_pid == 1 && prev_pdi == 1' 17
	caret 'the last field' 'prev_pid == 1 && prev_pdi' 17
	caret 'a field without blanks' 'prev_pdi<1' 0
	caret 'an operator' 'prev_pid =! 1' '9|10'
	caret 'a value' 'prev_pid == foo' '12|13|14'
	caret 'a parenthesis' '(prev_pid == 1' 0
	unchanged filters
}

folders() {
	mkdir -p locked
	chmod 555 locked
	mount -t tmpfs -o ro none locked
	try 'a read-only folder' 125 "$FTR" record -e $EV -o locked/x.dat -- touch ran
	said 'a read-only folder: words' "^ftr: cannot create 'locked/x.dat': Read-only file system$"
	said 'a read-only folder: hint' '^hint: -o '
	umount locked
	try 'a missing folder' 125 "$FTR" record -e $EV -o none/x.dat -- touch ran
	said 'a missing folder: words' "^ftr: cannot create 'none/x.dat': No such file or directory$"
	said 'a missing folder: hint' '^hint: '
	try 'a folder instead of a file' 125 "$FTR" record -e $EV -o locked -- touch ran
	said 'a folder instead of a file: words' "^ftr: 'locked' is a directory$"
	try 'a device' 125 "$FTR" record -e $EV -o /dev/zero -- touch ran
	said 'a device: words' "^ftr: '/dev/zero' is not a regular file$"
	try "somebody else's folder" 125 as_user "$FTR" record -e $EV -o /usr/x.dat -- touch ran
	said "somebody else's folder: words" "Permission denied"
	same "$K: nothing ran" '' "$(ls ran 2> /dev/null)"
	unchanged folders
}

full_disk() {
	mkdir -p small
	mount -t tmpfs -o size=1m none small
	# less than the kernel's symbols take: those that fit are in the file (disk-full.sh has more room)
	try 'a full disk' 3 "$FTR" record -p function -l 'vfs_*' -o small/x.dat -- ls -lR /usr/share/doc/libc6
	said 'a full disk: words' \
		"^ftr: 'small/x.dat' lacks [0-9]* of [0-9]* bytes of kernel symbols: No space left on device$"
	same "$K: a full disk: the file is finished" '' "$("$FTR" report small/x.dat 2>&1 > /dev/null)"
	check "$K: a full disk: it is there" test "$("$FTR" report --raw small/x.dat 2> /dev/null | wc -l)" -gt 100
	same "$K: a full disk: nothing else is left" small/x.dat "$(ls -d small/x.dat*)"
	unchanged 'a full disk'
	umount -l small
}

two_at_once() {
	local first
	"$FTR" record -e $EV -p function -l vfs_open --cmdlines-size 2048 -o one.dat -- \
		sh -c 'until [ -e over ]; do sleep 0.2; done' 2> one.err &
	first=$!
	wait_for '^function$' $T/current_tracer
	try 'two at once: threshold and depth' 125 "$FTR" record -p function_graph -l vfs_open --max-graph-depth 2 \
		-o two.dat -- true
	said 'two at once: the holder' "^ftr: .*pid $first, '.*record -e $EV.*'"
	said 'two at once: hint' '^hint: '
	try 'two at once: comms' 125 "$FTR" record -e $EV --cmdlines-size 4096 -o two.dat -- true
	said 'two at once: comms: the holder' "pid $first"
	touch over
	wait $first
	same "$K: two at once: the first one ends well" 0 $?
	unchanged 'two at once'
}

# Somebody's data, without any setting that tells of them.
their_data() {
	echo their-data > $T/trace_marker
	state > state
	try 'data at the top' 0 "$FTR" record -q -e $EV -o d.dat -- true
	has "$K: data at the top: still there" "$(cat $T/trace)" 'their-data'
	if grep -q function_graph $T/available_tracers && [ "$K" = 6.1 ]; then
		try 'data at the top, function_graph' 125 "$FTR" record -p function_graph -l vfs_open -o d.dat -- true
		said 'data at the top, function_graph: hint' '^hint: --force .*discards the data'
		has "$K: data at the top, function_graph: still there" "$(cat $T/trace)" 'their-data'
	fi
	try 'data at the top, what exists once' 125 "$FTR" record -p blk -o d.dat -- true
	said 'data at the top, what exists once: hint' '^hint: --force .*discards the data'
	has "$K: data at the top, what exists once: still there" "$(cat $T/trace)" 'their-data'
	try 'data at the top, --force' 0 "$FTR" record --force -p blk -o d.dat -- true
	same "$K: data at the top, --force: it is gone" 0 "$(grep -c their-data $T/trace)"
	unchanged 'their data'
}

# One recording by the sanitized build, which reports what it finds on stderr and by its status.
sanitized() {
	[ -x "$FTR_SAN/ftr" ] || { skip "$K: a sanitized build" "there is none in '$FTR_SAN'"; return; }
	try 'the sanitized build' 0 "$FTR_SAN/ftr" record -p function -l vfs_open -e $EV -B more -e irq -o s.dat -- true
	same "$K: the sanitized build finds nothing" 0 "$(grep -cE 'Sanitizer|runtime error' err)"
	try 'the sanitized build, refused' 125 "$FTR_SAN/ftr" record -e $EV -e sched:sched_swich -o s.dat -- true
	same "$K: the sanitized build finds nothing after a refusal" 0 "$(grep -cE 'Sanitizer|runtime error' err)"
	unchanged 'the sanitized build'
}

state > state
run_parts ${FTR_CONDITION_PARTS:-no_tracefs no_rights by_group names filters folders full_disk two_at_once sanitized
	their_data}
