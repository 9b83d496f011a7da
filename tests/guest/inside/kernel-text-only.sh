# SPDX-License-Identifier: GPL-2.0-or-later
# Cases of kernel-text-record.sh that leave the kernel's text alone, CASE.trace, because the raw buffers of the same
# moment cannot be read; sourced by it.

# keep_text NAME FILE
keep_text() {
	off
	cat "$T/$2" > "$1.trace"
}

# latency NAME TRACER [OPTION...]: the longest latency of a task of the right class that is woken some times
latency() {
	local name=$1 tracer=$2
	shift 2
	put 0 tracing_max_latency
	filter '*wake_up*' 'schedule*' 'try_to_wake_up'
	tracer "$tracer" "$@"
	on
	for _ in 1 2 3; do
		chrt -f 5 busybox usleep 20000
		busybox usleep 20000
	done
	keep_text "$name" trace
	put nop current_tracer
}

text_wakeup() { latency "$1" wakeup nofunction-trace; }
text_wakeup_rt() { latency "$1" wakeup_rt nofunction-trace; }
text_wakeup_rt_functions() { latency "$1" wakeup_rt function-trace; }
text_wakeup_rt_graph() { latency "$1" wakeup_rt display-graph; opts nodisplay-graph; }

text_wakeup_rt_events() {
	events sched irq timer
	latency "$1" wakeup_rt nofunction-trace
}

# The buffer is smaller than what is recorded, and read when it has gone round: the text has losses.
text_pipe() {
	put 16 buffer_size_kb
	events sched irq timer raw_syscalls
	on
	little
	keep_text "$1" trace_pipe
}

text_pipe_graph() {
	put 16 buffer_size_kb
	graph funcgraph-abstime
	on
	little
	keep_text "$1" trace_pipe
	opts nofuncgraph-abstime
}

text_snapshot() {
	events sched irq timer
	on
	little
	put 1 snapshot
	keep_text "$1" snapshot
	put 0 snapshot
}
