# SPDX-License-Identifier: GPL-2.0-or-later
# Run in the guest by oops-arm.sh: what arm sets, what its front has, an oops in a task, and all put back.

. "$FTR_TOP/tests/guest/lib/checks-lib.sh"
S=/proc/sys/kernel
DIR=/var/lib/ftr/oops
I=$T/instances/ftr-oops
ID=$(cat $S/random/boot_id)
INST=instances/ftr-oops/
[ "$K" = 6.1 ] && INST=

put_back() {
	ran "$1: disarm" 0 oops disarm
	said "$1: disarm: says how many" '^ftr: put back [1-9][0-9]* changes$'
	state_dump after
	check "$K: $1: disarm puts all back" state_equal before after
	same "$K: $1: nothing stands" '' "$("$FTR" reset -n)"
}

sysctls() {
	echo $(cd $S &&
		cat ftrace_dump_on_oops panic_on_oops panic softlockup_panic hung_task_panic traceoff_on_warning)
}

defaults() {
	local was size
	was=$(sysctls)
	ran 'check: nothing would survive' 1 check crash
	has "$K: check: says how" "$(tr -s ' \n' ' ' < out)" \
		'nothing of a trace would survive a crash hint: ftr oops arm --dump=all prints it;'
	# nothing makes an oops a panic here
	ran 'arm' 0 oops arm
	said 'arm: says what becomes of it' "^ftr: an oops stops it, and 'ftr oops collect' takes it; a panic erases it"
	same "$K: arm: in the instance" 1 "$(cat $T/instances/ftr-oops/tracing_on)"
	same "$K: arm: an oops dumps nothing" 0 "$(cat $S/ftrace_dump_on_oops)"
	check "$K: arm: 1 MiB" test "$(cat $T/instances/ftr-oops/buffer_size_kb)" -ge 1024
	put_back 'no dump'
	was=$(sysctls)
	echo 1 > $S/panic_on_oops
	ran 'arm, panic_on_oops' 0 oops arm
	echo 0 > $S/panic_on_oops
	said 'arm: says where' \
		"^ftr: armed $([ "$INST" ] && echo "instance 'ftr-oops'" || echo 'the top level'): 17 events$"
	same "$K: arm: it records" 1 "$(cat $T/${INST}tracing_on)"
	# a log of 128 KiB, two CPUs
	size=$(cat "$T/${INST}buffer_size_kb")
	check "$K: arm: what fits the log with a dump" test "$size" -ge 8 -a "$size" -lt 32
	same "$K: arm: an oops dumps it" "$([ "$INST" ] && echo ftr-oops || echo 1)" "$(cat $S/ftrace_dump_on_oops)"
	same "$K: arm: 17 events are on" 17 \
		"$(cat $T/${INST}events/{sched,irq,workqueue,block,module,signal}/*/enable | grep -c 1)"
	same "$K: arm: no other sysctl" "${was#* }" "$(s=$(sysctls); echo "${s#* }")"
	same "$K: front: modes" '700 600 600' "$(echo $(stat -c %a $DIR $DIR/"$ID".front $DIR/"$ID".armed))"
	ran 'front: info, as not finished' 3 info $DIR/"$ID".front
	has "$K: front: symbols" "$(cat out)" "^symbols: .*\($(wc -c < /proc/kallsyms) bytes\)$"
	has "$K: front: modules" "$(cat out)" "^modules: +$(wc -l < /proc/modules)$"
	has "$K: front: clock" "$(cat out)" "^clock: +$(sed 's/.*\[\(.*\)\].*/\1/' $T/${INST}trace_clock)$"
	has "$K: front: instance" "$(cat out)" "oops_instance=$([ "$INST" ] && echo ftr-oops)$"
	ran 'front: recover' 0 recover -o front.dat $DIR/"$ID".front
	ran 'front: its formats' 0 check-events front.dat
	ran 'check: a dump' 0 check crash
	has "$K: check: a dump" "$(tr -s ' \n' ' ' < out)" "an oops prints the buffer; see 'ftr oops status'"
	ran 'armed already' 1 oops arm
	said 'armed already' '^ftr: this boot is armed already$'
	ran 'status' 0 oops status
	has "$K: status: armed" "$(cat out)" "^armed: $([ "$INST" ] && echo ftr-oops || echo 'top level')$"
	has "$K: status: dump" "$(cat out)" \
		'^  console dump +yes: ftrace_dump_on_oops is .* lines, .* s at 115200 baud$'
	put_back 'defaults'
	same "$K: disarm: sysctls" "$was" "$(sysctls)"
	has "$K: disarm: the boot ended in order" "$(cat $DIR/"$ID".armed)" '^ended=1$'
	ran 'disarm again' 0 oops disarm
	said 'disarm again' '^ftr: nothing is armed$'
}

asked() {
	local was
	was=$(sysctls)
	ran 'sysctls' 0 oops arm --dump=no --panic-on-oops --panic-timeout 7 --softlockup-panic --hung-task-panic \
		--traceoff-on-warning
	same "$K: sysctls: as asked" '0 1 7 1 1 1' "$(sysctls)"
	same "$K: --dump=no: in the instance, whatever the kernel dumps" 1 "$(cat $T/instances/ftr-oops/tracing_on)"
	check "$K: --dump=no: 1 MiB" test "$(cat $T/instances/ftr-oops/buffer_size_kb)" -ge 1024
	put_back 'sysctls'
	same "$K: sysctls: as before" "$was" "$(sysctls)"
}

# The main buffer is the file's, the others keep their names.
another() {
	ran 'another instance' 0 oops arm --dump=no -b 200 -B other -e timer:timer_start -b 100
	ran 'another instance: info' 3 info $DIR/"$ID".front
	has "$K: another instance: whose the main buffer is" "$(cat out)" 'oops_instance=ftr-oops$'
	same "$K: another instance: buffers" 'top level;other;' \
		"$(sed -n 's/^buffer: *//p' out | sort -r | tr '\n' ';')"
	check "$K: another instance: sizes" test "$(cat $T/instances/ftr-oops/buffer_size_kb)" -ge 200 \
		-a "$(cat $T/instances/other/buffer_size_kb)" -lt 120
	put_back 'another instance'
}

# What somebody else set up stays.
beside() {
	ran 'beside: start' 0 start -e sched:sched_process_fork -C mono
	state_dump before
	ran 'beside: arm' 0 oops arm --dump=no --panic-timeout 9
	ran 'beside: disarm' 0 oops disarm
	state_dump after
	check "$K: beside: what ftr start set up stays" state_equal before after
	same "$K: beside: the sysctl is back" "$PANIC" "$(cat $S/panic)"
	ran 'beside: reset' 0 reset
	cp first before
}

# A module that comes is in the front soon after, and stays there when it goes.
watch() {
	"$FTR" oops arm --dump=no --watch 2> err.watch &
	wait_for 'watching modules' err.watch
	modprobe dummy
	sleep 3
	rmmod dummy
	sleep 3
	kill -INT $!
	wait $!
	same "$K: watch: the end" 0 $?
	same "$K: watch: it is still armed" 1 "$(cat $T/instances/ftr-oops/tracing_on)"
	ran 'watch: recover' 0 recover -o watch.dat $DIR/"$ID".front
	check "$K: watch: functions of a module that has gone" \
		test "$("$FTR" report -f watch.dat | grep -c '\[dummy\]')" -gt 3
	put_back 'watch'
	disarm_beside_watch
}

# A front that is being written keeps the instance busy: disarm waits, and what watches ends.
disarm_beside_watch() {
	local n=0 bad=0
	for n in 1 2 3; do
		# the words of the last one are not waited for
		rm -f err.watch
		"$FTR" oops arm --dump=no --watch 2> err.watch &
		wait_for 'watching modules' err.watch
		modprobe dummy
		sleep 0.$((n * 2 + 3))
		"$FTR" oops disarm -q || bad=1
		wait $! || bad=1
		rmmod dummy
	done
	same "$K: disarm beside watch: both end well" "0 3" "$bad $n"
	state_dump after
	check "$K: disarm beside watch: all is put back" state_equal before after
}

# made_boots AGE...: armed boots that began so many seconds before this one, and did not end in order
made_boots() {
	local age began i=0
	began=$(($(date +%s) - $(cut -d. -f1 /proc/uptime)))
	rm -f $DIR/*
	for age; do
		echo "began=$((began - age))" > "$DIR/0000000$((i++))-0000-0000-0000-000000000000.armed"
	done
}

short_boots() {
	made_boots 500 900 1300
	ran 'three short boots' 1 oops arm
	said 'three short boots: why' '^ftr: not armed: the last 3 armed boots lasted under ten minutes each'
	state_dump after
	check "$K: three short boots: nothing is changed" state_equal before after
	ran '--again' 0 oops arm --again
	put_back '--again'
	made_boots 500 900 1700
	ran 'one of them longer' 0 oops arm
	put_back 'one of them longer'
	made_boots 500 900 1300
	echo ended=1 >> $DIR/00000001-0000-0000-0000-000000000000.armed
	ran 'one of them in order' 0 oops arm
	put_back 'one of them in order'
}

# More than a buffer of 64 KiB holds.
overwrite() {
	local c
	for c in 0 1; do
		seq 20000 | taskset -c $c dd bs=1000 of=$I/trace_marker 2> /dev/null
	done
}

# stopped NAME: what was written before is there after a load, which would overwrite it otherwise
stopped() {
	same "$K: $1: the instance is off" 0 "$(cat $I/tracing_on)"
	overwrite
	ran "$1: collect" 0 oops collect
	"$FTR" report "$(cat out)" > report
	has "$K: $1: collect has the marker" "$(cat report)" 'just before it'
	has "$K: $1: collect has the module" "$(cat report)" 'module_load: .*ftrmod'
}

# not_on_top: each oops turns the top level off, whoever uses it (oops_enter()), each warning where that was asked for
not_on_top() {
	ran "$1: disarm" 0 oops disarm
	echo 1 > $T/tracing_on
	state_dump after
	check "$K: $1: disarm puts all back" state_equal before after
}

warning() {
	ran 'warning: arm' 0 oops arm --dump=no --traceoff-on-warning -b 64 -e module
	echo 'just before it' > $I/trace_marker
	taskset -c 0 insmod -f "$OUT/ftrmod.ko" crash=warn > /dev/null 2>&1
	has "$K: warning: it happened" "$(dmesg)" 'WARNING: .*ftrmod_warn'
	stopped warning
	rmmod ftrmod
	not_on_top warning
	feature "$K" 'oops arm: a warning stops the instance' works
}

# A task that takes more memory than its group may have.
oom() {
	local group=$TMP/cgroup/ftr pid
	mkdir "$TMP/cgroup"
	mount -t cgroup2 none "$TMP/cgroup"
	echo +memory > "$TMP/cgroup/cgroup.subtree_control"
	mkdir "$group"
	echo 16M > "$group/memory.max"
	ran 'oom: arm' 0 oops arm --oom -b 64 -e sched:sched_process_exit
	overwrite
	echo 'just before it' > $I/trace_marker
	sh -c 'echo $$ > pid; echo $$ > "$1/cgroup.procs"; exec tail /dev/zero' sh "$group"
	pid=$(cat pid)
	has "$K: oom: it happened" "$(dmesg)" "Memory cgroup out of memory: Killed process $pid \(tail\)"
	same "$K: oom: the instance is off" 0 "$(cat $I/tracing_on)"
	overwrite
	ran 'oom: collect' 0 oops collect
	"$FTR" report "$(cat out)" > report
	has "$K: oom: collect has the marker" "$(cat report)" 'just before it'
	has "$K: oom: collect has the victim" "$(tail -n 1 report)" "mark_victim: +pid=$pid"
	ran 'oom: show' 0 oops show "$(cat out)"
	has "$K: oom: show: what happened" "$(head -n 1 out)" \
		"^oops: +Memory cgroup out of memory: Killed process $pid \(tail\)"
	has "$K: oom: show: the task" "$(cat out)" "^task: +tail-$pid"
	put_back oom
	rmdir "$group"
	umount "$TMP/cgroup"
	feature "$K" 'oops arm: an OOM kill stops the instance' works
}

# Without a dump, which would take the records out of the buffer.
oops_in_a_task() {
	ran 'oops: arm' 0 oops arm -b 64 -e module -e signal -e sched:sched_process_exit
	ran 'oops: status' 0 oops status
	same "$K: oops: status: it stops the instance" '' "$(grep 'does not stop' out)"
	echo 'just before all' > $I/trace_marker
	overwrite
	same "$K: oops: the load overwrites" 0 "$(grep -c 'just before all' $I/trace)"
	echo 'just before it' > $I/trace_marker
	taskset -c 0 insmod -f "$OUT/ftrmod.ko" crash=null > /dev/null 2>&1
	has "$K: oops: it happened" "$(dmesg)" 'BUG: kernel NULL pointer dereference'
	same "$K: oops: no dump" 0 "$(dmesg | grep -c 'Dumping ftrace')"
	stopped oops
	not_on_top oops
	feature "$K" 'oops arm: an oops in a task stops the instance' works
	ran 'oops: functions can not stop it' 0 oops arm --dump=no
	echo 0 > $S/ftrace_enabled
	ran 'oops: functions can not stop it: status' 0 oops status
	has "$K: oops: functions can not stop it: status" "$(cat out)" \
		'^an oops in a task does not stop recording in: ftr-oops$'
	echo 1 > $S/ftrace_enabled
	put_back 'oops: functions can not stop it'
}

PANIC=$(cat $S/panic)
state_dump before
cp before first
defaults
asked
another
beside
watch
short_boots
oom
warning
oops_in_a_task
pass "$K: the end is reached"
