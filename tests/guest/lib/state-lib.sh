# SPDX-License-Identifier: GPL-2.0-or-later
# The state of tracefs in a guest: dump, compare, make dirty. Sourced, in the guest; needs $FTR_BUILD and $FTR_TOP.

TRACEFS=${TRACEFS:-/sys/kernel/tracing}

# state_dump FILE
state_dump() {
	"$FTR_BUILD/tests/guest/load/statedump" "$FTR_TOP/tests/guest/lib/state.list" "$TRACEFS" > "$1"
}

# state_equal A B: the difference is printed, the lines of a value each by itself.
state_equal() {
	local a b
	if cmp -s "$1" "$2"; then
		# An empty dump would equal an empty dump, and what cannot be read what cannot be read.
		[ "$(wc -l < "$1")" -gt 1000 ] && ! grep '^/proc/sys/.*: !' "$1"
		return
	fi
	sed 's/\\n/\n    /g' "$1" > "$1.lines"
	sed 's/\\n/\n    /g' "$2" > "$2.lines"
	diff "$1.lines" "$2.lines"
	return 1
}

# state_put FILE TEXT, state_add FILE TEXT: below tracefs.
state_put() {
	printf '%s\n' "$2" > "$TRACEFS/$1" || echo "# make_dirty: cannot write '$2' to '$1'"
}

state_add() {
	printf '%s\n' "$2" >> "$TRACEFS/$1" || echo "# make_dirty: cannot add '$2' to '$1'"
}

# One user's unfinished work: the state that a run must give back. Only what does not change by itself.
make_dirty() {
	local i
	state_put set_ftrace_filter vfs_fsync
	state_add set_ftrace_filter 'ksys_*'
	state_add set_ftrace_filter 'do_sys_open*:stacktrace'
	state_add set_ftrace_filter 'nothing_*:mod:nothing'
	state_put set_ftrace_notrace vfs_statx
	state_add set_graph_function vfs_unlink
	state_add set_graph_notrace vfs_rmdir
	state_put max_graph_depth 7
	state_put tracing_thresh 3
	state_put buffer_percent 30
	state_put trace_clock global
	state_put tracing_cpumask 1
	state_put buffer_size_kb 2000
	state_put per_cpu/cpu1/buffer_size_kb 500
	state_put options/sym-offset 1
	state_put options/func_stack_trace 0
	state_put set_ftrace_pid 1
	state_put set_event_notrace_pid 2
	state_put events/sched/sched_switch/filter 'prev_pid == 99999 && next_comm ~ "x*"'
	state_put events/sched/sched_switch/enable 1
	state_put events/irq/enable 1
	state_add events/sched/sched_wakeup/trigger stacktrace
	state_add events/sched/sched_process_exit/trigger 'hist:keys=common_pid if pid == 5000000'
	# no pid is as high
	state_add events/sched/sched_process_fork/trigger 'enable_event:timer:timer_init if child_pid == 5000000'
	printf 'nonsense == 1\n' > "$TRACEFS/events/sched/sched_wakeup_new/filter" 2> /dev/null
	state_put current_tracer function
	for i in 0 1 2; do
		mkdir "$TRACEFS/instances/dirty$i"
	done
	state_put instances/dirty0/current_tracer function
	state_put instances/dirty0/set_ftrace_filter vfs_fsync
	state_put instances/dirty0/buffer_size_kb 300
	state_put instances/dirty1/events/timer/timer_init/enable 1
	state_put instances/dirty1/events/timer/timer_init/filter 'timer == 1'
	state_put instances/dirty1/trace_clock mono
	state_put instances/dirty1/tracing_on 0
	state_put instances/dirty1/buffer_percent 70
	state_put instances/dirty2/tracing_cpumask 2
	state_put instances/dirty2/options/overwrite 0
	state_put instances/dirty2/set_event_pid '1 2'
}

# undirty: as after a boot, which the checks of ftr reset --all hold it to; for whoever has the guest next
undirty() {
	"$FTR" reset --all --dynamic-events > /dev/null 2> "$TMP/undirty" || echo "# undirty: $(cat "$TMP/undirty")"
	"$FTR" reset > /dev/null 2>&1		# its journal still has the instances that went
}
