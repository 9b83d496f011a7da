# SPDX-License-Identifier: GPL-2.0-or-later
# Ten set-ups of another user, written as a shell does it, and how she takes them away again. Sourced, in the guest,
# after state-lib.sh. Where a set-up has content that is compared,
# nothing of it comes from what the machine does meanwhile.

# A task of hers that does nothing, and a program of hers that nobody else runs.
HERS=$TMP/hers
cp /bin/true "$HERS"
sleep 100000 &
HER_PID=$!

setup_kprobe() {
	state_add kprobe_events 'p:hers/opened do_sys_openat2 dfd=%di'
	state_put events/hers/opened/filter 'dfd != 4711'
	state_put events/hers/opened/enable 1
}

setup_hist() {
	local i
	state_add synthetic_events 'herlat u64 lat; pid_t pid'
	state_add events/sched/sched_waking/trigger "hist:keys=pid:ts0=common_timestamp.usecs if pid == $HER_PID"
	state_add events/sched/sched_switch/trigger \
		"hist:keys=next_pid:lat=common_timestamp.usecs-\$ts0:onmatch(sched.sched_waking)\
.herlat(\$lat,next_pid) if next_pid == $HER_PID"
	state_add events/synthetic/herlat/trigger 'hist:keys=pid:vals=lat'
	state_add events/sched/sched_process_exec/trigger 'hist:keys=filename if filename ~ "*/hers"'
	state_add events/sched/sched_process_exec/trigger 'traceoff:3 if filename ~ "*/hers"'
	state_add set_ftrace_filter 'vfs_mknod:traceoff:5'
	for i in 1 2; do "$HERS"; done
	state_put tracing_on 1
}

setup_instance() {
	mkdir "$TRACEFS/instances/hers"
	state_put instances/hers/set_ftrace_filter vfs_open
	state_put instances/hers/current_tracer function
	state_put instances/hers/events/sched/sched_process_exec/enable 1
	state_put instances/hers/events/sched/sched_process_exit/filter 'pid > 2'
	state_add instances/hers/events/sched/sched_process_exit/trigger 'stacktrace if pid == 4711'
	state_put instances/hers/buffer_size_kb 300
	state_put instances/hers/trace_clock mono
	state_put instances/hers/options/overwrite 0
	state_put instances/hers/set_event_pid "1 $HER_PID"
	mkdir "$TRACEFS/instances/hers2"
	taskset 1 sh -c 'echo one' > "$TRACEFS/instances/hers2/trace_marker"
	state_put instances/hers2/tracing_cpumask 2
}

setup_graph() {
	state_put set_ftrace_filter 'vfs_open vfs_read'
	state_put set_ftrace_notrace vfs_statx
	state_put set_graph_function vfs_open
	state_put set_graph_notrace vfs_fsync
	state_put max_graph_depth 3
	state_put tracing_thresh 10
	state_put current_tracer function_graph
	state_put options/funcgraph-irqs 0
}

setup_idle() {
	state_put events/timer/timer_init/filter 'timer == 1'
	state_put events/timer/timer_init/enable 1
	state_put events/irq/irq_handler_entry/filter 'irq == 4711'
	state_add events/sched/sched_wakeup/trigger 'stacktrace if pid == 4711'
	state_add events/sched/sched_process_exit/trigger 'hist:keys=common_pid if pid == 4711'
	state_add events/sched/sched_process_fork/trigger 'enable_event:timer:timer_start if child_pid == 4711'
	printf 'nonsense == 1\n' > "$TRACEFS/events/sched/sched_wakeup_new/filter" 2> refused
	state_put options/stacktrace 1
	state_put options/sym-offset 1
	state_put options/overwrite 0
	state_put buffer_percent 30
	state_put buffer_size_kb 2000
	state_put per_cpu/cpu1/buffer_size_kb 500
	state_put saved_cmdlines_size 500
}

setup_probes() {
	state_add dynamic_events 'e:hers/execed sched/sched_process_exec pid=$pid'
	state_add dynamic_events \
		"p:hers/ran $HERS:0x$(printf %x "$(python3 "$FTR_TOP/tests/guest/inside/elfsym.py" "$HERS")")"
	state_add dynamic_events 'r:hers/closed filp_close ret=$retval'
	if grep -q 'f\[:' "$TRACEFS/README"; then
		state_add dynamic_events 'f:hers/made vfs_mkdir'
		state_put events/hers/made/enable 1
	fi
	state_put events/hers/ran/enable 1
	state_put events/hers/execed/enable 1
	state_add events/hers/ran/trigger stacktrace:100
}

setup_trace_cmd() {
	trace-cmd start -p function -l vfs_open -e sched:sched_process_exec -b 700 > trace-cmd.out 2>&1 ||
		fail "$K: trace-cmd start" "$(cat trace-cmd.out)"
}

setup_pids() {
	state_put set_ftrace_pid "$HER_PID"
	state_put set_ftrace_notrace_pid 2
	state_put set_event_pid "$HER_PID"
	state_add set_event_pid 1
	state_put set_event_notrace_pid 2
	state_put set_ftrace_filter 'vfs_open'
	state_put events/sched/sched_switch/filter 'prev_pid == 99999 && next_comm ~ "x*"'
	state_put events/sched/sched_switch/enable 1
	state_put tracing_cpumask 1
	state_put trace_clock global
	state_put current_tracer function
	state_put tracing_on 0
}

setup_data() {
	local i
	for i in 1 2 1 2 1; do taskset $i sh -c "echo before $i" > "$TRACEFS/trace_marker"; done
	state_put events/sched/sched_process_exec/enable 1
	for i in 1 2 3; do "$HERS"; done
	state_put events/sched/sched_process_exec/enable 0
	state_put snapshot 1
	for i in 2 1 2; do taskset $i sh -c "echo after $i" > "$TRACEFS/trace_marker"; done
}

# What she does after our start, and takes back: in files that no verb here writes, but for max_graph_depth, where ftr
# tells that another wrote it. A new instance is born with the options of the top level, which we may have set: she
# gives it those that it had the first time.
setup_later() {
	local word
	mkdir "$TRACEFS/instances/hers"
	[ -e her-options ] || cat "$TRACEFS/instances/hers/trace_options" > her-options
	grep -vxFf "$TRACEFS/instances/hers/trace_options" her-options | while read -r word; do
		state_put instances/hers/trace_options "$word"
	done
	state_put instances/hers/events/sched/sched_process_exec/enable 1
	state_put events/timer/timer_init/filter 'timer == 1'
	state_put events/timer/timer_init/enable 1
	state_add events/sched/sched_process_fork/trigger 'stacktrace if child_pid == 4711'
	state_add kprobe_events 'p:hers/opened do_sys_openat2 dfd=%di'
	state_put events/hers/opened/enable 1
	state_put options/sym-userobj 1
	state_put saved_cmdlines_size 600
	state_put max_graph_depth 9
}

undo_later() {
	rmdir "$TRACEFS/instances/hers"
	state_put events/timer/timer_init/enable 0
	state_put events/timer/timer_init/filter 0
	state_add events/sched/sched_process_fork/trigger '!stacktrace'
	state_put events/hers/opened/enable 0
	state_add kprobe_events '-:hers/opened'
	state_put options/sym-userobj 0
	state_put saved_cmdlines_size 128
	state_put max_graph_depth 0
}
