#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs inside a guest that was booted with no_hash_pointers: recordings, each with the kernel's own text of the same
# moment. kernel-text-record.sh TAKE LOAD MODULE [CASE...]
#
# A case sets tracefs up, runs something and stops tracing; then there are in $OUT
#	CASE.trace	the file 'trace' (reading it consumes nothing)
#	CASE.dat	the raw buffers, taken by TAKE; none for the cases of kernel-text-only.sh
#	CASE.state	tracer, clock, options, tasks' names: to read when the two differ
#	CASE.err	what was refused: kernels lack this or that
# and tracefs is put back to what it was.

TAKE=$1
LOAD=$2
MODULE=$3
shift 3
T=/sys/kernel/tracing
WORK=/tmp/kernel-text

SELF=$(readlink -f "$0")
. "${SELF%/*}/kernel-text-load.sh"
. "${SELF%/*}/kernel-text-only.sh"
cd "$OUT" || exit 1

# put VALUE FILE: what a kernel does not have is said in CASE.err, the case goes on
put() {
	echo "$1" > "$T/$2" || echo "refused: $1 > $2" >&2
}

# append VALUE FILE
append() {
	echo "$1" >> "$T/$2" || echo "refused: $1 >> $2" >&2
}

# opts NAME...: trace_options; "noNAME" turns one off
opts() {
	local o
	for o; do
		put "$o" trace_options
	done
}

# events GLOB...: system or system/event
events() {
	local e
	for e; do
		[ ! -e "$T/events/$e" ] || put 1 "events/$e/enable"
	done
}

# filter [FUNCTION...]: the functions to trace, all without one. Slow to set: it stays from case to case.
filter() {
	[ "$*" != "$FILTER" ] || return
	FILTER=$*
	put "$*" set_ftrace_filter
}

on() {
	: > "$T/trace"
	put 1 tracing_on
}

off() {
	put 0 tracing_on
}

# ---- loads

# both COMMAND...: on each of two CPUs at once
both() {
	busybox taskset 1 "$@" &
	busybox taskset 2 "$@"
	wait $!
}

little() {
	both busybox ls / > /dev/null
	busybox usleep 1000
}

load() {
	(cd "$WORK" && "$LOAD")
}

# A file system on a loop device.
disk_up() {
	modprobe loop
	modprobe ext4
	truncate -s 24M "$WORK/disk.img"
	mkfs.ext4 -q -F "$WORK/disk.img"
	LOOP=$(losetup -f --show "$WORK/disk.img")
	mkdir -p "$WORK/mnt"
	mount "$LOOP" "$WORK/mnt"
}

disk_down() {
	umount "$WORK/mnt"
	losetup -d "$LOOP"
}

disk() {
	dd if=/dev/zero of="$WORK/mnt/file" bs=64k count="${1:-8}" conv=fsync 2> /dev/null
	ln -s file "$WORK/mnt/link"
	mv "$WORK/mnt/file" "$WORK/mnt/other"
	sync
	echo 1 > /proc/sys/vm/drop_caches
	/bin/cat "$WORK/mnt/other" > /dev/null
	rm -f "$WORK/mnt/other" "$WORK/mnt/link"
	fstrim "$WORK/mnt"
}

# ---- the moment

# shot NAME: what is in the buffers now, as text and as records
shot() {
	off
	cat "$T/trace" > "$1.trace"
	(cd "$T" && exec tail -n +1 current_tracer trace_clock saved_cmdlines_size trace_options saved_cmdlines \
		saved_tgids dynamic_events per_cpu/*/stats) > "$1.state"
	echo "$1.dat" >&"${TAKER[1]}"
	read -r line <&"${TAKER[0]}"
	echo "$line" > "$1.take"
}

defaults() {
	local o now
	now=" $(< $T/trace_options) "
	now=${now//$'\n'/ }
	for o in $DEFAULTS; do
		[[ $now == *" $o "* ]] || put "$o" trace_options
	done
}

# Tracer options are listed, and can be set, while their tracer is on only.
reset() {
	off
	put nop current_tracer
	put 0 events/enable
	: > "$T/set_graph_function"
	put 0 max_graph_depth
	put 0 tracing_thresh
	put local trace_clock
	defaults
	put 1408 buffer_size_kb
	put 128 saved_cmdlines_size
	: > "$T/synthetic_events"
	: > "$T/dynamic_events"
	: > "$T/trace"
}

# tracer NAME OPTION...: switches to it with its own options, all back to the default first
tracer() {
	put "$1" current_tracer
	shift
	opts "$@"
}

graph() {
	filter 'vfs_*' 'do_sys_open*' 'ksys_*' 'kmem_cache_alloc*' 'getname*' 'schedule*' 'path_open*' 'do_filp_*' \
		'*wake_up*' 'mutex_*'
	tracer function_graph "$@"
}

# The options that change columns; left as they are found.
GRAPH_DEFAULTS="nofuncgraph-overrun funcgraph-cpu funcgraph-overhead nofuncgraph-proc funcgraph-duration
	nofuncgraph-abstime funcgraph-irqs nofuncgraph-tail sleep-time"

# graph_case NAME [OPTION...]
graph_case() {
	local name=$1
	shift
	graph "$@"
	on
	little
	shot "$name"
	# shellcheck disable=SC2086
	opts $GRAPH_DEFAULTS
	for o in retval retval-hex args retaddr; do
		[ ! -e "$T/options/funcgraph-$o" ] || opts "nofuncgraph-$o"
	done
}

graph_events() {
	events sched/sched_switch sched/sched_waking irq raw_syscalls syscalls/sys_enter_openat timer
	graph_case "$@"
}

# option_case NAME OPTION...: the same events under other options
option_case() {
	local name=$1
	shift
	opts "$@"
	events sched irq timer syscalls/sys_enter_openat syscalls/sys_exit_openat raw_syscalls/sys_exit signal \
		kmem/kmalloc kmem/mm_page_alloc exceptions task
	on
	little
	echo "a marker" > "$T/trace_marker"
	shot "$name"
}

# ---- cases

case_events() {
	put 8192 buffer_size_kb
	events enable 2> /dev/null
	put 1 events/enable
	on
	little
	shot "$1"
}

case_load() {
	put 32768 buffer_size_kb
	put 4096 saved_cmdlines_size
	disk_up
	put 1 events/enable
	on
	load
	disk
	shot "$1"
	put 0 events/enable
	disk_down
}

case_disk() {
	put 8192 buffer_size_kb
	disk_up
	events block ext4 jbd2 writeback filemap wbt
	on
	disk 2
	umount "$WORK/mnt"
	mount "$LOOP" "$WORK/mnt"
	shot "$1"
	put 0 events/enable
	disk_down
}

case_net() {
	put 4096 buffer_size_kb
	events net skb sock tcp udp napi qdisc fib fib6 neigh icmp netlink bridge rtnl
	on
	load
	wide_net > /dev/null
	shot "$1"
}

# What the wide loads are after; the frequent ones have cases of their own.
wide_events() {
	put 16384 buffer_size_kb
	put 4096 saved_cmdlines_size
	put 1 events/enable
	for s in kmem maple_tree exceptions raw_syscalls syscalls rcu sched timer irq irq_vectors tlb workqueue \
		vmalloc percpu x86_fpu context_tracking lock page_isolation pagemap filemap mmap mmap_lock rseq; do
		[ ! -e "$T/events/$s" ] || put 0 "events/$s/enable"
	done
	on
}

case_wide_disks() { wide_events; wide_disks > /dev/null; shot "$1"; }
case_wide_memory() { wide_events; wide_memory > /dev/null; shot "$1"; }
case_wide_devices() { wide_events; wide_devices > /dev/null; shot "$1"; }

# A controller and its devices come and go; usb-text.sh plugs them in.
case_usb() {
	put 16384 buffer_size_kb
	put 4096 saved_cmdlines_size
	modprobe xhci_hcd
	events xhci-hcd
	on
	usb_up > /dev/null
	usb_use > /dev/null
	usb_down
	shot "$1"
	put 0 events/enable
}

# An NVMe controller comes, works and goes; nvme-text.sh plugs it in.
case_nvme() {
	put 16384 buffer_size_kb
	modprobe nvme_core
	events nvme
	on
	nvme_use > /dev/null
	shot "$1"
	put 0 events/enable
}

case_wide_nfs() {
	wide_nfs
	wide_events
	wide_nfs_use > /dev/null
	shot "$1"
}

case_overrun() {
	put 16 buffer_size_kb
	events sched irq timer raw_syscalls
	on
	little
	shot "$1"
}

case_overrun_all() {
	put 64 buffer_size_kb
	put 1 events/enable
	on
	little
	shot "$1"
}

case_overrun_noannotate() {
	put 16 buffer_size_kb
	opts noannotate
	events sched irq timer raw_syscalls
	on
	little
	shot "$1"
}

case_overrun_graph() {
	put 16 buffer_size_kb
	graph_events "$1"
}

# The oldest stay: what comes later is lost.
case_nooverwrite() {
	put 16 buffer_size_kb
	opts nooverwrite
	events sched irq raw_syscalls
	on
	little
	shot "$1"
}

# The kernel keeps at least 6552 names, but one only of pids that are 32768 apart: these tasks share their places.
many_tasks() {
	local i last round
	put 4 saved_cmdlines_size
	echo 4194304 > /proc/sys/kernel/pid_max
	last=$(< /proc/sys/kernel/ns_last_pid)
	on
	for round in 1 2; do
		for i in 1 2 3 4 5; do
			both busybox true
		done
		echo $((last + 32768)) > /proc/sys/kernel/ns_last_pid
	done
	shot "$1"
	echo $((last + 200)) > /proc/sys/kernel/ns_last_pid
}

case_few_names() {
	events sched signal
	many_tasks "$1"
}

case_few_names_graph() {
	events sched/sched_switch
	filter 'vfs_*' 'do_sys_open*'
	tracer function_graph funcgraph-proc
	many_tasks "$1"
	# shellcheck disable=SC2086
	opts $GRAPH_DEFAULTS
}

case_few_names_latency() {
	opts latency-format
	events sched signal
	many_tasks "$1"
}

case_markers() {
	local i
	on
	load
	for i in 1 3 8 40; do
		printf '\001\002\003\004%s' "$(head -c "$i" /dev/zero | tr '\0' 'x')" > "$T/trace_marker_raw"
	done
	printf '\377\377\377\377\000\001\002\200\377' > "$T/trace_marker_raw"
	head -c 900 /dev/zero | tr '\0' 'm' > "$T/trace_marker"
	head -c 4000 /dev/zero | tr '\0' 'n' > "$T/trace_marker"
	printf '' > "$T/trace_marker"
	printf '\n' > "$T/trace_marker"
	printf '\n\n' > "$T/trace_marker"
	printf '\303\244 \377\200 bytes\n' > "$T/trace_marker"
	shot "$1"
}

case_function() {
	put 2048 buffer_size_kb
	filter
	tracer function
	on
	/bin/true
	shot "$1"
}

case_function_events() {
	filter 'vfs_*' 'ksys_*' 'schedule*' '*wake_up*' 'kmem_cache_*'
	events sched/sched_switch raw_syscalls irq
	tracer function
	on
	little
	shot "$1"
}

case_function_stack() {
	filter vfs_read vfs_open vfs_statx 'do_sys_open*' 'schedule'
	tracer function func_stack_trace
	on
	little
	shot "$1"
	opts nofunc_stack_trace
}

case_function_repeats() {
	filter 'kmem_cache_alloc*' 'kmem_cache_free' 'vfs_*' '*unlock*'
	tracer function func-no-repeats
	on
	little
	shot "$1"
	opts nofunc-no-repeats
}

# Among them enumerations, structures by value, variable arguments, more than six of them, and functions that BTF does
# not know ("*.*").
case_function_args() {
	filter 'vfs_*' 'ksys_*' 'kmem_cache_*' 'do_sys*' 'wake_up*' 'enqueue_hrtimer' 'mod_node_page_state' \
		'task_work_add' 'make_vfs*' 'ptep_set_access_flags' 'do_mmap' 'vring_map_one_sg' 'p9_client_rpc' \
		'p9pdu_*' '*.*' 'make_k*'
	tracer function func-args
	on
	little
	shot "$1"
	opts nofunc-args
}

# Whatever runs in a moment: structures by value, more than six arguments, functions that BTF does not know.
case_function_args_all() {
	put 8192 buffer_size_kb
	filter
	tracer function func-args
	on
	/bin/true
	(cd "$WORK" && echo "a line" > args && chmod 600 args && rm args)
	shot "$1"
	opts nofunc-args
}

# Functions of modules: with BTF of their own, of names that other modules have too, and without.
case_function_args_modules() {
	put 8192 buffer_size_kb
	disk_up
	filter
	for m in ext4 jbd2 loop overlay '[9]p' ftrmod; do
		append "*:mod:$m" set_ftrace_filter
	done
	FILTER=modules
	tracer function func-args
	on
	disk 1
	insmod -f "$MODULE"
	shot "$1"
	opts nofunc-args
	put nop current_tracer
	rmmod ftrmod
	disk_down
}

case_function_noparent() {
	filter 'vfs_*' 'ksys_*'
	opts noprint-parent
	tracer function
	on
	little
	shot "$1"
}

case_function_sym_offset() {
	filter 'vfs_*' 'ksys_*'
	opts sym-offset sym-addr
	tracer function
	on
	little
	shot "$1"
}

case_function_latency() {
	filter 'vfs_*' 'ksys_*' 'schedule'
	events sched/sched_switch irq
	opts latency-format
	tracer function
	on
	little
	shot "$1"
}

case_function_module() {
	filter 'vfs_*'
	append '*:mod:ftrmod' set_ftrace_filter
	tracer function
	on
	insmod -f "$MODULE"
	shot "$1"
	rmmod ftrmod
}

case_printk() {
	events module sched/sched_switch
	on
	insmod -f "$MODULE"
	shot "$1"
	rmmod ftrmod
}

case_printk_msg_only() {
	opts printk-msg-only
	events module
	on
	insmod -f "$MODULE"
	echo "a marker" > "$T/trace_marker"
	shot "$1"
	rmmod ftrmod
}

case_printk_graph() {
	filter 'vfs_*' 'load_module'
	append '*:mod:ftrmod' set_ftrace_filter
	events module sched/sched_switch
	tracer function_graph
	on
	insmod -f "$MODULE"
	echo "a marker" > "$T/trace_marker"
	shot "$1"
	rmmod ftrmod
}

case_stacktrace() {
	opts stacktrace
	events sched/sched_switch sched/sched_waking kmem/mm_page_alloc timer/timer_expire_entry
	on
	little
	shot "$1"
}

case_stacktrace_offsets() {
	opts stacktrace sym-offset
	events sched/sched_switch sched/sched_waking
	on
	little
	shot "$1"
	opts nosym-offset sym-addr
	on
	little
	shot "$1_addr"
}

# Stacks of chosen events only.
case_stack_trigger() {
	events sched/sched_switch sched/sched_waking
	append stacktrace:4 events/sched/sched_waking/trigger
	on
	little
	shot "$1"
	append '!stacktrace:4' events/sched/sched_waking/trigger
}

# Arguments and results of all system calls, and deferred work.
case_syscalls() {
	put 4096 buffer_size_kb
	events syscalls workqueue
	on
	little
	shot "$1"
}

# The task that is still there has its objects' names, the others have not.
case_userstack() {
	opts userstacktrace
	events syscalls/sys_enter_openat syscalls/sys_enter_write syscalls/sys_enter_nanosleep
	on
	echo "from the shell" > /dev/null
	little
	shot "$1"
	opts sym-userobj
	on
	echo "from the shell" > /dev/null
	little
	shot "$1_obj"
}

case_graph() { graph_case "$1"; }
case_graph_events() { graph_events "$1"; }
case_graph_proc() { graph_events "$1" funcgraph-proc; }
case_graph_abstime() { events irq_vectors; graph_events "$1" funcgraph-abstime; }
case_graph_tail() { graph_events "$1" funcgraph-tail; }
case_graph_noirqs() { graph_events "$1" nofuncgraph-irqs; }
case_graph_nocpu() { graph_events "$1" nofuncgraph-cpu; }
case_graph_nooverhead() { graph_events "$1" nofuncgraph-overhead; }
case_graph_noduration() { graph_events "$1" nofuncgraph-duration; }
case_graph_overrun() { graph_events "$1" funcgraph-overrun; }
case_graph_bare() { graph_events "$1" nofuncgraph-cpu nofuncgraph-duration nofuncgraph-overhead nofuncgraph-irqs; }
case_graph_full() { graph_events "$1" funcgraph-proc funcgraph-abstime funcgraph-tail funcgraph-overrun; }
case_graph_nosleep() { graph_events "$1" nosleep-time; }
case_graph_latency() { opts latency-format; graph_events "$1"; }
case_graph_latency_proc() { opts latency-format; graph_events "$1" funcgraph-proc funcgraph-abstime; }
case_graph_noirqinfo() { opts noirq-info; graph_events "$1"; }
case_graph_stack() { opts stacktrace; events sched/sched_switch; graph_case "$1"; }
case_graph_nocontext() { opts nocontext-info; graph_events "$1"; }
case_graph_tgid() { opts record-tgid; graph_events "$1" funcgraph-proc; }
case_graph_symoffset() { opts sym-offset; graph_events "$1"; }
case_graph_mono() { put mono trace_clock; graph_events "$1" funcgraph-abstime; }
case_graph_args() { graph_events "$1" funcgraph-args; }
case_graph_args_retval() { graph_events "$1" funcgraph-args funcgraph-retval; }

case_graph_args_all() {
	put 8192 buffer_size_kb
	filter
	tracer function_graph funcgraph-args
	on
	/bin/true
	shot "$1"
	opts nofuncgraph-args
}

case_graph_args_tail() { graph_events "$1" funcgraph-args funcgraph-tail; }
case_graph_retval() { graph_events "$1" funcgraph-retval; }
case_graph_retaddr() { graph_events "$1" funcgraph-retaddr; }
case_graph_depth() { put 2 max_graph_depth; graph_events "$1"; }
case_graph_function() { append vfs_open set_graph_function; append vfs_read set_graph_function; graph_events "$1"; }
case_graph_thresh() { put 100 tracing_thresh; graph_case "$1"; }

# Interrupts too: all functions, for a moment.
case_graph_all() {
	put 2048 buffer_size_kb
	filter
	tracer function_graph
	on
	/bin/true
	shot "$1"
}

case_probes() {
	append 'p:k1 vfs_read file=%di size=%dx:u64 neg=%dx:s16 hex=%dx:x8 ch=%dx:char bits=%dx:b4@2/32 comm=$comm' \
		dynamic_events
	append "p:k2 do_sys_openat2 dfd=%di:s32 name=+0(%si):ustring top=\$stack0 sym=\$stack0:symbol imm=\\42 \
text=\\\"fixed\"" dynamic_events
	append 'p:k3 vfs_write ar=+0(%si):u8[4] stack=$stack words=+0($stack):x64[3] chars=+0(%si):char[2]' \
		dynamic_events
	append 'p:k4 kfree' dynamic_events
	append 'p:k5 do_filp_open n=+0(+0(%si)):string bad=+0(%dx):string' dynamic_events
	append 'r:r1 vfs_read ret=$retval:s64' dynamic_events
	append 'r:r2 do_sys_openat2 $retval' dynamic_events
	append 'r8:grp/r3 vfs_open ret=$retval:x32' dynamic_events
	append "p:u1 /bin/ls:$(entry /bin/ls) %ip %sp:u64 s=+0(%sp):x64" dynamic_events
	append "r:u2 $(libc):$(symbol "$(libc)" malloc) ret=\$retval" dynamic_events
	append "p:u3 $(libc):$(symbol "$(libc)" malloc) size=%di:u64" dynamic_events
	append "p:u4 $(libc):$(symbol "$(libc)" opendir) name=+0(%di):string" dynamic_events
	append 'e:e1 syscalls/sys_enter_openat name=+0($filename):ustring flags=$flags:x32' dynamic_events
	append 'e:e2 sched/sched_switch c=$next_comm:string p=$prev_pid:s32 prio=$next_prio:u8' dynamic_events
	append 'f:f1 vfs_statx name=$arg2' dynamic_events
	append 'f:f2 vfs_statx%return r=$retval' dynamic_events
	append 't:t1 sched_switch preempt=$arg1' dynamic_events
	append 'p:k6 vfs_fstat fd stat' dynamic_events
	append 's:woken u64 lat; pid_t pid; char comm[16]' dynamic_events
	append 's:opened char[] name; long ret; u8 small; u64 big' dynamic_events
	append 's:blocked long[] stack; u64 delta' dynamic_events
	append 'hist:keys=pid:ts=common_timestamp.usecs' events/sched/sched_waking/trigger
	append "hist:keys=next_pid:lat=common_timestamp.usecs-\$ts:onmatch(sched.sched_waking)\
.woken(\$lat,next_pid,next_comm)" events/sched/sched_switch/trigger
	append 'hist:keys=common_pid:n=filename' events/syscalls/sys_enter_openat/trigger
	append 'hist:keys=prev_pid:t2=common_timestamp.usecs,st=common_stacktrace if prev_state > 0' \
		events/sched/sched_switch/trigger
	append 'hist:keys=next_pid:d=common_timestamp.usecs-$t2,s2=$st:onmatch(sched.sched_switch).blocked($s2,$d)' \
		events/sched/sched_switch/trigger
	events kprobes uprobes grp eprobes synthetic fprobes tracepoints syscalls/sys_enter_openat
	on
	little
	/bin/ls / > /dev/null
	shot "$1"
	put 0 events/enable
	for e in sched/sched_switch sched/sched_waking syscalls/sys_enter_openat; do
		while read -r trigger; do
			case $trigger in
			'#'*) ;;
			*) put "!${trigger% \[*}" "events/$e/trigger" ;;
			esac
		done < <(tac "$T/events/$e/trigger")
	done
}

libc() {
	ldd /bin/ls | awk '/libc\.so/ { print $3 }'
}

# symbol FILE NAME: its offset in the file
symbol() {
	python3 "$HERE/elfsym.py" "$1" "$2"
}

entry() {
	python3 "$HERE/elfsym.py" "$1"
}

case_options_latency() { option_case "$1" latency-format; }
case_options_verbose() { option_case "$1" latency-format verbose; }
case_options_noirqinfo() { option_case "$1" noirq-info; }
case_options_tgid() { option_case "$1" record-tgid; }
case_options_tgid_noirqinfo() { option_case "$1" record-tgid noirq-info; }
case_options_nocontext() { option_case "$1" nocontext-info; }
case_options_latency_nocontext() { option_case "$1" latency-format nocontext-info; }
case_options_raw() { option_case "$1" raw; }
case_options_hex() { option_case "$1" hex; }
case_options_bin() { option_case "$1" bin; }
case_options_fields() { option_case "$1" fields; }
case_options_bitmask() { option_case "$1" bitmask-list; }
case_options_stacktrace_latency() { opts stacktrace; option_case "$1" latency-format; }
case_clock_counter() { put counter trace_clock; option_case "$1"; }
case_clock_counter_latency() { put counter trace_clock; option_case "$1" latency-format; }
case_clock_mono() { put mono trace_clock; option_case "$1"; }
case_clock_global() { put global trace_clock; option_case "$1"; }
case_clock_tsc() { put x86-tsc trace_clock; option_case "$1"; }
case_clock_uptime() { put uptime trace_clock; option_case "$1"; }
case_clock_boot() { put boot trace_clock; option_case "$1"; }

blk_case() {
	local name=$1
	shift
	disk_up
	tracer blk "$@"
	echo 1 > "/sys/block/${LOOP#/dev/}/trace/enable"
	on
	disk 1
	shot "$name"
	echo 0 > "/sys/block/${LOOP#/dev/}/trace/enable"
	opts noblk_classic noblk_cgroup noblk_cgname
	put nop current_tracer
	disk_down
}

case_blk() { blk_case "$1"; }
case_blk_classic() { blk_case "$1" blk_classic; }
case_blk_cgroup() { blk_case "$1" blk_cgroup; }
case_blk_latency() { opts latency-format; blk_case "$1"; }

case_hwlat() { put 1 tracing_thresh; tracer hwlat; on; sleep 3; shot "$1"; }
case_osnoise() { tracer osnoise; on; sleep 3; shot "$1"; }
case_osnoise_events() { events osnoise irq sched/sched_switch; tracer osnoise; on; sleep 2; shot "$1"; }
case_timerlat() { put 50000 osnoise/timerlat_period_us; tracer timerlat; on; sleep 2; shot "$1"; }
case_timerlat_events() {
	events osnoise
	put 50000 osnoise/timerlat_period_us
	tracer timerlat
	on
	sleep 1
	shot "$1"
}

# In the order of the file, but for the large one, which is last.
cases() {
	sed -n 's/^case_\([a-z_0-9]*\)() *{.*/\1/p' "$SELF" | grep -vx load
	echo load
}

# Nothing to do for a tracer or an option that this kernel has not.
possible() {
	case $1 in
	wakeup*) grep -qw "$(grep -o "^wakeup\(_rt\)*" <<< "$1")" $T/available_tracers ;;
	hwlat* | osnoise* | timerlat*)
		grep -qw "${1%%_*}" $T/available_tracers ;;
	options_fields) [ -e $T/options/fields ] ;;
	options_bitmask) [ -e $T/options/bitmask-list ] ;;
	graph_args_retval) [ -e $T/options/funcgraph-args ] && [ -e $T/options/funcgraph-retval ] ;;
	graph_args*) [ -e $T/options/funcgraph-args ] ;;
	graph_retval) [ -e $T/options/funcgraph-retval ] ;;
	graph_retaddr) [ -e $T/options/funcgraph-retaddr ] ;;
	function_args*) [ -e $T/options/func-args ] ;;
	nvme) grep -qs 0x010802 /sys/bus/pci/devices/*/class ;;
	usb) grep -qs 0x0c0330 /sys/bus/pci/devices/*/class ;;
	esac
}

HERE=${SELF%/*}
DEFAULTS=$(cat $T/trace_options)
FILTER=
mkdir -p "$WORK"
coproc TAKER { exec "$TAKE"; }
[ $# -gt 0 ] || set -- $(cases)
for name; do
	possible "$name" || continue
	start=${EPOCHREALTIME/./}
	reset 2> "$name.err"
	if declare -F "text_$name" > /dev/null; then
		"text_$name" "$name" 2>> "$name.err"
	else
		"case_$name" "$name" 2>> "$name.err"
	fi
	echo "$(((${EPOCHREALTIME/./} - start) / 1000)) ms: $(cat "$name.take" 2> /dev/null)"
done
reset 2> /dev/null
: > done
