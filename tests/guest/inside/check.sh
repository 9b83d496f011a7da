#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs inside a guest with lockdown=integrity, started by check.sh: check.sh KERNEL-SERIES

. "$FTR_TOP/tests/guest/lib/checks-lib.sh"
export LC_ALL=C
chmod 755 "$TMP"

# Words of a feature on one line: wrapped ones are joined.
joined() {
	tr -s ' \n' ' ' < out
}

# is NAME STATE PATTERN FEATURE [COMMAND...]: what ftr check says of that feature, and by its status
is() {
	local name=$1 state=$2 pattern=$3 feature=$4 status
	shift 4
	"$@" "$FTR" check "$feature" > out 2> err
	status=$?
	same "$K: $name: status" "$([ "$state" = works ] && echo 0 || echo 1)" "$status"
	has "$K: $name" "$(joined)" " $feature $state $pattern"
}

# Provoked and gone again: told while it lasts.
provoked() {
	local name=$1
	shift
	is "$name" "$@"
	feature "$K" "check: $name" "works"
}

undisturbed() {
	state_dump before
	"$FTR" check > all 2> err
	same "$K: all of it: status" 1 $?
	"$FTR" check --json > json 2> err
	"$FTR" check --missing > missing 2> err
	state_dump after
	check "$K: nothing is changed" state_equal before after
	same "$K: no journal folder is made" '' "$(ls /run/ftr 2>&1 | grep -v 'No such file')"
	check "$K: no line is wider than 80 columns" test "$(awk 'length > 80' all | wc -l)" = 0
	same "$K: JSON has what the text has" "$(grep -c '^  [a-z]' all)" \
		"$(python3 -c 'import json; print(len(json.load(open("json"))["features"]))')"
	same "$K: --missing has what does not work" "$(grep -Ec '^  [a-z_-]+ +(no|unknown)' all)" \
		"$(grep -Ec '^  [a-z]' missing)"
	check "$K: each that is missing has a reason" test "$(grep -Ec '^  [a-z_-]+ +(no|unknown) *$' all)" = 0
}

# there FEATURE: exit status of its witness, by the shell
witness() {
	case $1 in
	func-args|funcgraph-args|funcgraph-retval|funcgraph-retaddr|copy_trace_marker|trace_printk_dest)
		test -e $T/options/$1 ;;
	function-filters) test -e $T/set_ftrace_filter ;;
	function-addresses) test -e $T/available_filter_functions_addrs ;;
	function-profiler) test -e $T/function_profile_enabled ;;
	stack-tracer) sysctl -n kernel.stack_tracer_enabled > w 2>&1 ;;
	syscalls) test -d $T/events/syscalls ;;
	hist) test -e $T/events/sched/sched_switch/hist ;;
	synthetic-events) echo 's:w int a' 2> w >> $T/dynamic_events && echo '-:w' >> $T/dynamic_events ;;
	kprobes) echo 'p:w/w vfs_read' 2> w >> $T/dynamic_events && echo '-:w/w' >> $T/dynamic_events ;;
	uprobes) echo 'p:w/w /bin/true:0x1000' 2> w >> $T/dynamic_events && echo '-:w/w' >> $T/dynamic_events ;;
	eprobes) echo 'e:w/w sched.sched_switch' 2> w >> $T/dynamic_events && echo '-:w/w' >> $T/dynamic_events ;;
	fprobes) echo 'f:w/w vfs_read' 2> w >> $T/dynamic_events && echo '-:w/w' >> $T/dynamic_events ;;
	tprobes) echo 't:w/w sched_switch' 2> w >> $T/dynamic_events && echo '-:w/w' >> $T/dynamic_events ;;
	btf-args) echo 'p:w/w vfs_read count' 2> w >> $T/dynamic_events && echo '-:w/w' >> $T/dynamic_events ;;
	user-events) test -e $T/user_events_data ;;
	btf) test -e /sys/kernel/btf/vmlinux ;;
	subbuf-size) test -e $T/buffer_subbuf_size_kb ;;
	snapshot) test -e $T/snapshot ;;
	snapshot-cpu) echo 1 2> w > $T/per_cpu/cpu0/snapshot ;;
	module-filters) echo 'nothing_*:mod:nothing' 2> w >> $T/set_ftrace_filter && : > $T/set_ftrace_filter ;;
	module-events) echo ':mod:nothing' 2> w > $T/set_event && : > $T/set_event ;;
	graph-instances) mkdir $T/instances/w && echo vfs_open > $T/instances/w/set_ftrace_filter &&
		echo function_graph 2> w > $T/instances/w/current_tracer ;;
	esac
}

# By trying what the command only looks for.
by_trying() {
	local f want
	for f in func-args funcgraph-args funcgraph-retval funcgraph-retaddr copy_trace_marker trace_printk_dest \
		function-filters function-addresses function-profiler stack-tracer syscalls hist synthetic-events \
		kprobes uprobes eprobes fprobes tprobes btf-args user-events btf subbuf-size snapshot snapshot-cpu \
		module-filters module-events graph-instances; do
		want=no
		witness $f 2> w && want=works
		same "$K: $f, tried" "$want" "$(awk -v f=$f '$1 == f { print $2 }' all)"
		feature "$K" "$f" \
			"$([ $want = works ] && echo works ||
				awk -v f=$f '$1 == f { $1 = $2 = ""; print substr($0, 3) }' all)"
	done
	is 'function_graph in instances, seen at an instance' "$(awk '$1 == "graph-instances" { print $2 }' all)" '' \
		graph-instances
	echo nop > $T/instances/w/current_tracer
	rmdir $T/instances/w
	for f in function function_graph irqsoff preemptoff preemptirqsoff wakeup wakeup_rt wakeup_dl blk mmiotrace \
		hwlat osnoise timerlat; do
		want=no
		grep -qw $f $T/available_tracers && want=works
		same "$K: tracer $f" "$want" "$(awk -v f=$f '$1 == f { print $2 }' all)"
	done
}

lacking() {
	is 'a tracer that the kernel lacks' no "this kernel has no tracer 'hwlat'.* hint: .*" hwlat
	mkdir -p /boot
	cp "$(dirname "$(dirname "$(dirname "$(readlink -f "/lib/modules/$(uname -r)")")")")/config" \
		"/boot/config-$(uname -r)" 2> w ||
		cp "${XDG_CACHE_HOME:-$HOME/.cache}/ftr/guest/kernels/$GUEST_KERNEL/config" "/boot/config-$(uname -r)"
	is 'a tracer that the kernel is built without' no ".*it is built without CONFIG_HWLAT_TRACER" hwlat
	is 'a configuration that the kernel lacks' no ".*it is built without CONFIG_FUNCTION_PROFILER" function-profiler
	# what the configuration says is known, why the file is missing all the same is not
	echo 'CONFIG_X=y
CONFIG_FUNCTION_PROFILER=y
# CONFIG_HWLAT_TRACER is not set
CONFIG_USER_EVENTS=y' > "/boot/config-$(uname -r)"
	is 'a configuration that has it' no \
		"this kernel has CONFIG_FUNCTION_PROFILER, but no 'function_profile_enabled' ?\$" \
		function-profiler
	has "$K: a configuration that has it, and a newer kernel, too" "$("$FTR" check user-events)" \
		'hint: Linux 6.12 has it'
	is 'a configuration that says no' no ".*it is built without CONFIG_HWLAT_TRACER hint: " hwlat
	if [ "$(awk '$1 == "func-args" { print $2 }' all)" = no ]; then
		is 'a configuration that says nothing' no \
			"this kernel has no 'options/func-args': it is built without CONFIG_FUNCTION_TRACE_ARGS \
hint: .*; Linux 7.2 knows that" \
			func-args
	fi
	rm "/boot/config-$(uname -r)"
}

# having FEATURE...: those that worked before anything was switched
having() {
	awk -v asked=" $* " '$2 == "works" && index(asked, " " $1 " ") { print $1 }' all
}

# seen_as_off NAME PATTERN FEATURE..., seen_as_on NAME FEATURE...
seen_as_off() {
	local name=$1 pattern=$2 f
	shift 2
	for f; do
		is "$name: $f" no "$pattern" "$f"
	done
}

seen_as_on() {
	local name=$1 f
	shift
	for f; do
		is "$name: $f" works '' "$f"
	done
}

# Events at calls of functions come while they are said to work.
calls() {
	local probe at
	for probe in 'p:w/kprobes vfs_open' 'f:w/fprobes vfs_open' 't:w/tprobes sched_process_exec'; do
		at=${probe%% *}
		at=${at#*/}
		echo "$probe" 2> w >> $T/dynamic_events || continue
		echo 1 > $T/events/w/$at/enable
		for f in 0 1; do
			sysctl -q kernel.ftrace_enabled=$f
			echo > $T/trace
			/bin/true
			same "$K: $at, ftrace_enabled=$f: as the events that come" \
				"$(grep -q " $at: " $T/trace && echo 0 || echo 1)" "$("$FTR" check $at > out; echo $?)"
		done
		echo 0 > $T/events/w/$at/enable
		echo "-:w/$at" >> $T/dynamic_events
	done
	echo > $T/trace
}

switches() {
	mount -t securityfs s /sys/kernel/security
	provoked 'lockdown=integrity' works 'lockdown=integrity does not forbid tracing' lockdown
	sysctl -q kernel.kptr_restrict=2
	provoked 'kptr_restrict=2' no '.*kptr_restrict is 2 hint: as root: sysctl kernel.kptr_restrict=1' symbols
	sysctl -q kernel.kptr_restrict=1
	is 'kptr_restrict=1, root' works 'kptr_restrict is 1' symbols
	sysctl -q kernel.kptr_restrict=0
	sysctl -q kernel.ftrace_enabled=0
	provoked 'ftrace_enabled=0' no '.*ftrace_enabled is 0.* hint: as root: sysctl kernel.ftrace_enabled=1' \
		ftrace-enabled
	seen_as_off 'ftrace_enabled=0' \
		"sysctl kernel.ftrace_enabled is 0: calls of functions are not seen \
hint: as root: sysctl kernel.ftrace_enabled=1" \
		$(having function function_graph function-profiler stack-tracer kprobes fprobes tprobes)
	is 'ftrace_enabled=0, what does without' works '' uprobes
	sysctl -q kernel.ftrace_enabled=1
	is 'ftrace_enabled=1' works '' ftrace-enabled
	seen_as_on 'ftrace_enabled=1' $(having function function_graph stack-tracer kprobes fprobes tprobes)
	echo 0 > $T/tracing_on
	is 'tracing_on=0' no ".*tracing_on is 0 hint: ftr restart" tracing-on
	echo 1 > $T/tracing_on
}

others() {
	local pid
	echo vfs_fsync > $T/set_ftrace_filter	# all functions would slow everything down
	echo function > $T/current_tracer
	provoked 'a tracer is set' no "the top level is in use: tracer 'function' is set hint: " idle
	echo nop > $T/current_tracer
	echo > $T/set_ftrace_filter
	echo > $T/trace
	cat $T/trace_pipe > piped &
	pid=$!
	wait_until 60 has_open $pid $T/trace_pipe
	provoked 'a reader of trace_pipe' no "the top level is in use: 'cat' \(pid $pid\) reads trace_pipe" idle
	kill $pid
	wait $pid 2> w
	is 'nobody' works '' idle
	flock -x $T sleep 1000 &
	pid=$!
	# it starts the command when it has the lock
	wait_until 60 pgrep -x -P $pid sleep > /dev/null
	provoked 'the lock is held' no "tracing of the whole kernel is in use by pid [0-9]+, '(flock|sleep) .*'" lock
	pkill -P $pid
	wait $pid 2> w
	is 'the lock is free' works '' lock
}

left_behind() {
	local pid
	"$FTR" record -q -e sched:sched_process_exec -o r.dat -- sh -c 'echo > runs; exec sleep 1000' &
	pid=$!
	wait_or_gone $pid test -e runs
	is 'a run that lives' works '' journals
	kill -KILL $pid
	wait $pid 2> w
	provoked "a dead run's journal" no \
		"1 run of ftr ended without putting tracefs back: '/run/ftr/$pid.journal' hint: ftr reset --recover" \
		journals
	"$FTR" reset --recover > out 2>&1
	is 'recovered' works '' journals
	# what the reader and the tracer above left: ftr start takes nobody's records away
	"$FTR" clear > out 2>&1
	"$FTR" start -e sched:sched_process_exec 2> err
	provoked 'changes that stand' no \
		"[0-9]+ changes? of ftr stands?, the first by '.*ftr start -e sched:sched_process_exec' \
hint: ftr reset" \
		standing
	"$FTR" reset > out 2>&1
	is 'put back' works '' standing
}

memory() {
	is 'buffer memory' works 'the buffers of all CPUs and instances take .* are free' buffer-memory
	echo 550000 > $T/buffer_size_kb
	provoked 'a huge buffer' no 'the buffers of all CPUs and instances take .* hint: smaller ones' buffer-memory
	is 'a huge buffer, and a snapshot' no 'a snapshot takes as much as the buffer' snapshot-memory
	echo 1408 > $T/buffer_size_kb
	is 'a small buffer again' works '' buffer-memory
}

no_rights() {
	local user="setpriv --reuid 1000 --regid 1000 --clear-groups"
	provoked 'uid 1000' no "cannot use tracefs at '$T': Permission denied hint: run it as root, or let a group in" \
		rights $user
	is 'uid 1000: tracefs' works 'mounted' tracefs $user
	is 'uid 1000: kprobes-enabled' unknown "cannot read '/sys/kernel/debug/kprobes/enabled': Permission denied" \
		kprobes-enabled $user
	"$FTR" start -e sched:sched_process_exec 2> err
	is 'uid 1000: what of root stands' unknown \
		"cannot look into '/run/ftr': Permission denied hint: run it as root" \
		standing $user
	is 'uid 1000: runs of root' unknown "cannot look into '/run/ftr': Permission denied" journals $user
	"$FTR" reset > out 2>&1
	mkdir -m 700 own
	chown 1000 own
	is 'uid 1000, a folder that is named' works '' standing env FTR_JOURNAL_DIR="$TMP/own" $user
	mv /run/ftr /run/ftr.away
	is 'uid 1000, root has changed nothing' works '' standing $user
	mv /run/ftr.away /run/ftr
	is 'uid 1000: what is below' unknown 'cannot use tracefs.*Permission denied' hist $user
	sysctl -q kernel.kptr_restrict=1
	is 'uid 1000: addresses' no 'no addresses of functions for this user hint: .*CAP_SYSLOG' symbols $user
	sysctl -q kernel.kptr_restrict=0
	mount -o remount,gid=1000,mode=0750 $T
	is 'uid 1000 that may only read' no "(cannot write|cannot use).*Permission denied" rights $user
	mount -o remount,gid=0,mode=0700 $T
}

not_mounted() {
	local at
	while read -r at; do
		umount "$at" 2> w || umount -l "$at"
	done < <(awk '$3 == "tracefs" || $3 == "debugfs" { print $2 }' /proc/mounts | sort -r)
	provoked 'nothing mounted' no "tracefs is not mounted hint: as root: mount -t tracefs nodev $T" tracefs
	is 'nothing mounted: a feature' unknown 'tracefs is not mounted' kprobes
	"$FTR" check > out 2> err
	same "$K: nothing mounted: status of all" 1 $?
	same "$K: it stays so" 0 "$(grep -c ' tracefs ' /proc/mounts)"
	mount -t tracefs nodev $T
}

"$FTR" check conditions > conditions 2>&1
same "$K: a fresh system: all conditions are good" 0 $?
"$FTR" check function hist kprobes > out 2> err
same "$K: chosen features" "0 ftr: 3 of 3 work" "$? $(cat err)"
undisturbed
by_trying
echo > $T/trace
echo 0 > $T/snapshot
lacking
switches
calls
others
left_behind
memory
no_rights
not_mounted
"$FTR" clear > out 2>&1
"$FTR" check conditions > conditions2 2>&1
same "$K: at the end, all conditions are good again" 0 $?
[ "$(cat conditions2 | grep -c ' no ')" = 0 ] || sed 's/^/# /' conditions2
pass "$K: check: the end is reached"
exit "$FAILED"
