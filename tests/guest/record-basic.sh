#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr record on each kernel: what lands in the file, statuses, words, and tracefs as it was. One boot a kernel.
. "$(dirname "$0")/lib/inside.sh" 800 --own	# whose buffers nobody has used
FTR_RECORD_PARTS=$(echo grown \
	$(sample 6 graph_of_ls statuses misspelt tasks events settings ends two_at_once dirty \
	instances module_filters module_events modules closing arguments))
echo "# parts:" $FTR_RECORD_PARTS

EV=sched:sched_process_exec	# cheap to enable, one a command

# record NAME STATUS ARGS...: stdout in ./stdout, stderr in ./err
record() {
	local name=$1 want=$2
	shift 2
	"$FTR" record "$@" > stdout 2> err
	same "$K: $name: status" "$want" "$?"
}

# Everything that a recording may change; sizes as "expanded" or not are the same.
state() {
	(cd $T && grep -H '' current_tracer set_event tracing_on trace_clock tracing_cpumask set_ftrace_filter \
		set_ftrace_notrace set_graph_function set_graph_notrace max_graph_depth set_event_pid \
		set_ftrace_pid saved_cmdlines_size trace_options events/sched/*/filter \
		events/sched/*/trigger; ls instances)
}

# unchanged NAME: against ./state
unchanged() {
	state > now
	same_files "$K: $1: tracefs is as before" state now
}

# The number before " events" in the last line.
summed() {
	tail -n 1 err | sed -E 's/.* ([0-9,]+) events?,.*/\1/; s/,//g'
}

report() {
	trace-cmd report -i "$@" 2> report.err
}

# The pids of the records of a file.
pids() {
	report "$1" | sed -nE 's/^ *.{1,16}-([0-9]+) +\[[0-9]+\].*/\1/p' | sort -u
}

graph_of_ls() {
	local functions
	functions=$(grep -c '^vfs_' $T/available_filter_functions)
	state > state
	record 'function_graph' 0 -p function_graph -l 'vfs_*' -o a.dat -- ls /usr/share/doc
	same_files "$K: the command's output is its own" <(ls /usr/share/doc) stdout
	said 'the summary' \
		"^a.dat: 2 CPUs, [0-9,]+ events, [0-9.]+ [KM]iB, 0 lost, [0-9.]+s; \
-l 'vfs_\*' matched $functions functions$"
	same "$K: one line on stderr" 1 "$(wc -l < err)"
	same "$K: mode of the file" 600 "$(stat -c %a a.dat)"
	same "$K: records of the summary and of the raw pages" "$(count_records a.dat)" "$(summed)"
	same "$K: records of trace-cmd" "$(count_records a.dat)" "$(report a.dat -R | grep -c ': funcgraph_e')"
	has "$K: a call in trace-cmd's report" "$(report a.dat | grep -m1 ' ls-')" 'funcgraph_entry: .*vfs_[a-z]+\('
	check "$K: some hundred records" test "$(count_records a.dat)" -gt 100
	unchanged function_graph
}

statuses() {
	echo older > a.dat
	cp a.dat kept
	record "the command's status" 7 -e $EV -o a.dat -- sh -c 'exit 7'
	same_files "$K: the older file is kept" kept a.dat.old
	record 'a signal' 143 -q -e $EV -o b.dat -- sh -c 'kill -TERM $$'
	same "$K: -q says nothing" '' "$(cat err)"
	record 'not found' 127 -e $EV -o b.dat -- ftr-no-such
	: > plain
	record 'not executable' 126 -e $EV -o b.dat -- ./plain
	mkdir -p ro && mount -t tmpfs -o ro none ro
	record 'a read-only folder' 125 -e $EV -o ro/x.dat -- touch ran
	said 'a read-only folder: words' "cannot create 'ro/x.dat': Read-only file system"
	umount ro
	mkdir -p small && mount -t tmpfs -o size=256k none small
	record 'a full disk' 3 -e $EV -p function -l 'vfs_*' -o small/x.dat -- ls -lR /usr/share/doc
	said 'a full disk: words' 'No space left on device'
	umount -l small
	unchanged statuses
}

misspelt() {
	echo older > a.dat
	cp a.dat kept
	set -- 'an event' "-e sched:sched_swich" "did you mean 'sched:sched_switch'" \
		'a tracer' '-p function_grph' "did you mean 'function_graph'" \
		'a function' '-p function -l vfs_raed' "did you mean 'vfs_read'" \
		'a function not to trace' '-p function -n vfs_raed' "did you mean 'vfs_read'" \
		'a clock' "-e $EV -C mno" "did you mean 'mono'" \
		'a clock, in full' "-e $EV -C monotonic" "did you mean 'mono'" \
		'an option' "-e $EV -O nooverwrit" "did you mean 'nooverwrite'" \
		'a function of -g' '-p function_graph -l vfs_read -g vfs_raed' "did you mean 'vfs_read'" \
		'a trigger' "-e sched:sched_process_exit -R stacktrce" "did you mean 'stacktrace'" \
		'a key' "-e sched:sched_process_exit -R hist:keys=prioo" "did you mean 'prio'" \
		'a field' "-e sched:sched_process_exit -f prioo==3" "did you mean 'prio'" \
		'a field, nothing alike' "-e sched:sched_process_exit -f qqqq==3" 'there are: comm, pid, prio' \
		'a clock, nothing alike' "-e sched:sched_process_exit -C qqqq" 'there are: .*mono,' \
		'a mask' "-e sched:sched_process_exit -M ff00" 'it can have 0-1' \
		'a size' "-e sched:sched_process_exit -b 4000G" 'a smaller -b'
	while [ $# -gt 0 ]; do
		# shellcheck disable=SC2086
		record "misspelt: $1" 125 $2 -o a.dat -- touch ran
		said "misspelt: $1: hint" "^hint: $3"
		shift 3
	done
	said 'misspelt: a size: words' "^ftr: no memory for buffers of 4194304000 KiB a CPU"
	record "misspelt: a trigger's field" 125 -e sched:sched_process_exit -R 'stacktrace if prioo == 3' \
		-o a.dat -- touch ran
	said "misspelt: a trigger's field: the kernel" 'error: Field not found'
	said "misspelt: a trigger's field: hint" "^hint: did you mean 'prio'"
	record 'a second event that is misspelt' 125 -e $EV -B x -e sched:sched_swich -o a.dat -- touch ran
	record 'a refused filter' 125 -e sched:sched_switch -f 'prev_pid == 1 && prev_pdi == 1' -o a.dat -- touch ran
	said 'a refused filter: the kernel explains' 'parse_error|[Ff]ield not found'
	said 'a refused filter: the caret' '^ *\^'
	same "$K: after errors: no command ran, nothing is left" '' "$(ls ran ./*.part* ./*.cpu* 2> /dev/null)"
	same_files "$K: after errors: the file is the older one" kept a.dat
	record '-i' 0 -i -e sched:sched_swich -e $EV -p function -l vfs_raed -l vfs_open -o b.dat -- true
	said '-i: remark' "no event matches 'sched:sched_swich'"
	unchanged misspelt
}

# The kernel takes a name that begins with a digit for the number of a function. 9p is loaded: it has this script.
module_filters() {
	local functions pair
	functions=$(grep -c '\[9p\]$' $T/available_filter_functions)
	record 'a module that begins with a digit' 0 -p function -l ':mod:9p' -n 'v9fs_[a-f]*:mod:9p' -o b.dat -- \
		sh -c "cat $T/set_ftrace_filter | wc -l; cat $T/set_ftrace_notrace"
	same "$K: a module that begins with a digit: its functions" "$functions" "$(head -n 1 stdout)"
	same "$K: a module that begins with a digit: those not traced" \
		"$(awk '$2 == "[9p]" && $1 ~ /^v9fs_[a-f]/ { print $1, $2 }' $T/available_filter_functions | sort)" \
		"$(tail -n +2 stdout | sort)"
	said 'a module that begins with a digit: matched' "-l ':mod:9p' matched $functions functions$"
	record 'nothing of a module' 125 -p function -l 'nosuch*:mod:9p' -o b.dat -- touch ran
	said 'nothing of a module: words' "^ftr: module '9p' has no traceable function that matches 'nosuch\*'"
	record 'nothing of a module of a letter' 125 -p function -l 'nosuch*:mod:overlay' -o b.dat -- touch ran
	said 'nothing of a module of a letter: words' \
		"^ftr: module 'overlay' has no traceable function that matches 'nosuch\*'"
	record 'a module that is not there' 125 -p function -l 'x*:mod:8nosuch' -o b.dat -- touch ran
	said 'a module that is not there: words' "^ftr: 'x\*:mod:8nosuch': module '8nosuch' is not loaded"
	same "$K: nothing of a module: no command ran" '' "$(ls ran 2> /dev/null)"
	record '--module with a glob' 0 -p function -l '*_[a-f]*' --module '9?,over*' -o b.dat \
		-- cat $T/set_ftrace_filter
	same "$K: --module with a glob: the functions" \
		"$(awk '($2 == "[9p]" || $2 ~ /^\[over/) && $1 ~ /_[a-f]/ { print $1, $2 }' \
			$T/available_filter_functions | sort)" \
		"$(sort stdout)"
	record 'a glob of modules' 0 -p function -l ':mod:9?' -o b.dat -- true
	said 'a glob of modules: matched' "-l ':mod:9\?' matched $functions functions$"
	for pair in 9p,overlay overlay,9p; do
		record "--module $pair, functions of one" 0 -p function -l 'v9fs_[a-f]*' --module $pair -o b.dat \
			-- cat $T/set_ftrace_filter
		same "$K: --module $pair, functions of one" \
			"$(awk '$2 == "[9p]" && $1 ~ /^v9fs_[a-f]/ { print $1, $2 }' \
				$T/available_filter_functions | sort)" \
			"$(sort stdout)"
		record "--module $pair, functions of none" 125 -p function -l 'nosuch*' --module $pair -o b.dat \
			-- touch ran
		said "--module $pair, functions of none: words" \
			"^ftr: module '${pair#*,}' has no traceable function that matches 'nosuch\*'"
	done
	record '--module with a glob of no module' 125 -p function --module 'nosuch*' -o b.dat -- touch ran
	said '--module with a glob of no module: words' "^ftr: no loaded module matches 'nosuch\*'"
	"$FTR" set -q -l 'v9fs_[a-f]*' --module '[0-9]p' > stdout 2> err
	same "$K: ftr set --module with a glob" \
		"$(awk '$2 == "[9p]" && $1 ~ /^v9fs_[a-f]/ { print $1, $2 }' $T/available_filter_functions | sort)" \
		"$(sort $T/set_ftrace_filter)"
	"$FTR" reset > stdout 2>&1
	record 'a module to come' 0 -p function -l 'x*:mod:nosuch_mod' -o b.dat -- true
	said 'a module to come: at the start' "matched 0 functions at the start$"
	unchanged module_filters
}

# -e all with --module: nbd's events are those of its system, which comes with it.
all_of_module() {
	local name
	modprobe nbd
	for name in nbd 'nb[d]' dummy,nbd; do
		[ $name != dummy,nbd ] || modprobe dummy
		"$FTR" set -q -e all --module "$name" 2> err
		same "$K: set -e all --module $name: its events" "$(ls $T/events/nbd | grep -v -e enable -e filter)" \
			"$(sed -n 's/^nbd://p' $T/set_event | sort)"
		same "$K: set -e all --module $name: no other" 0 "$(grep -vc ^nbd: $T/set_event)"
		"$FTR" reset 2> err
	done
	"$FTR" set -e all --module dummy > stdout 2> err
	same "$K: set -e all --module dummy: status" 1 $?
	has "$K: set -e all --module dummy: words" "$(cat err)" "^ftr: no event belongs to module 'dummy'"
	modprobe -r dummy nbd
	"$FTR" set -q -e all --module nbd > stdout 2> err
	if grep -q 'module events via: :mod:' $T/README; then
		same "$K: set -e all --module, not loaded: the kernel waits" '*:*:mod:nbd' "$(cat $T/set_event)"
	else
		has "$K: set -e all --module, not loaded: words" "$(cat err)" \
			"^ftr: ':mod:nbd': this kernel cannot select events of modules that are not loaded"
	fi
	"$FTR" reset 2> err
	unchanged 'set -e all --module'
}

# Of a module that has them; 'dummy' has none, what waits for it stays.
module_events() {
	local set="$T/set_event"
	all_of_module
	if ! grep -q 'module events via: :mod:' $T/README; then
		record 'events of a module to come' 125 -e :mod:ext4 -o b.dat -- touch ran
		said 'events of a module to come: words' \
			"^ftr: ':mod:ext4': this kernel cannot select events of modules that are not loaded"
		said 'events of a module to come: hint' "^hint: Linux 6.14 can; until then: load module 'ext4' first"
		same "$K: events of a module to come: no command ran" '' "$(ls ran 2> /dev/null)"
		return
	fi
	truncate -s 2M disk && mkfs.ext4 -qF disk && mkdir -p at
	cat > load <<-X
	grep :mod: $set
	modprobe -a ext4 loop
	mount -o loop disk at && umount at
	X
	for m in ext4 dummy; do
		! grep -q "^$m " /proc/modules || modprobe -r $m
	done
	record 'events of a module to come' 0 -e :mod:ext4 -o b.dat -- sh load
	same "$K: events of a module to come: the kernel waits" '*:*:mod:ext4' "$(cat stdout)"
	has "$K: events of a module to come: they are recorded" "$(report b.dat)" ' ext4_[a-z_]*: '
	unchanged 'events of a module to come'
	record 'one event of a module that is there' 0 -e ext4:ext4_read_block_bitmap_load:mod:ext4 \
		-e ext4:ext4_load_inode:mod:ext4 -o b.dat -- sh load
	same "$K: one event of a module that is there: it alone" ext4_load_inode: \
		"$(report b.dat | grep -o ' ext4_[a-z_]*:' | sort -u | grep -v read_block_bitmap_load | tr -d ' ')"
	echo 1 > $T/events/ext4/ext4_load_inode/enable
	"$FTR" set -q -e :mod:ext4 > stdout 2> err
	same "$K: events of a module of which one is on: all are on" 1 "$(cat $T/events/ext4/enable)"
	"$FTR" reset > stdout 2>&1
	same "$K: events of a module of which one is on: it alone is on afterwards" ext4_load_inode \
		"$(grep -l '^1' $T/events/ext4/*/enable | cut -d / -f 7)"
	echo 0 > $T/events/ext4/ext4_load_inode/enable
	record 'no event of a module that is there' 125 -e nosuch:nosuch:mod:ext4 -o b.dat -- touch ran
	said 'no event of a module that is there: words' "^ftr: no event matches 'nosuch:nosuch:mod:ext4'"
	record 'a filter of events of a module' 125 -e :mod:ext4 -f 'vid == 0' -o b.dat -- touch ran
	said 'a filter of events of a module: words' \
		"^ftr: ':mod:ext4': events of modules take no filter and no trigger"
	record 'a module: no name' 125 -e :mod: -o b.dat -- touch ran
	same "$K: events of modules: no command ran" '' "$(ls ran 2> /dev/null)"
	modprobe -r ext4
	unchanged 'events of modules'
	record 'a module without events' 0 -e $EV -e :mod:dummy -o b.dat -- modprobe dummy
	modprobe -r dummy
	unchanged 'a module without events'
	"$FTR" start -e :mod:nosuch_module > stdout 2> err
	has "$K: ftr start: says so" "$(cat err)" 'events :mod:nosuch_module'
	has "$K: ftr start: the kernel waits" "$(cat $set)" ':mod:nosuch_module$'
	"$FTR" reset > stdout 2>&1
	unchanged 'ftr start -e :mod:'
}

tasks() {
	local pid
	record '-F' 0 -F -e raw_syscalls:sys_enter -o b.dat -- sh -c 'cat /dev/null; cat /dev/null; :'
	same "$K: -F: one task" 1 "$(pids b.dat | wc -l)"
	record '-F -c' 0 -F -c -e raw_syscalls:sys_enter -p function -l vfs_open -o b.dat -- \
		sh -c 'cat /dev/null; cat /dev/null; :'
	same "$K: -F -c: three tasks" 3 "$(pids b.dat | wc -l)"
	has "$K: -F -c: functions of a child" "$(report b.dat)" ' cat-.*function: +vfs_open'
	sh -c 'while :; do : < /dev/null; done' &
	pid=$!
	record '-P' 0 -P "$pid" -e raw_syscalls:sys_enter -o b.dat -- sleep 0.3
	kill "$pid"
	same "$K: -P: that task" "$pid" "$(pids b.dat)"
	same "$K: comms are known" 0 "$(report b.dat | grep -c '<\.\.\.>')"
	unchanged tasks
}

events() {
	record 'filter, trigger, negation' 0 -e sched:sched_process_exit -f 'comm == "cat"' \
		-e sched:sched_process_exec -R stacktrace -o b.dat -- sh -c 'cat /dev/null; ls / > /dev/null'
	report b.dat > text
	same "$K: filter: one exit" 1 "$(grep -c sched_process_exit: text)"
	check "$K: trigger: stacks" test "$(grep -c kernel_stack: text)" -ge 2
	record 'a system without some' 0 -e sched -v -e 'sched:sched_stat*' -v -e sched_switch -o b.dat -- \
		sh -c "cat $T/events/sched/sched_switch/enable $T/events/sched/sched_wakeup/enable"
	same "$K: -v: disabled, the rest enabled" '0 1' "$(echo $(cat stdout))"
	record 'a whole system' 0 -e irq -o b.dat -- cat $T/events/irq/enable
	same "$K: a system: enabled" 1 "$(cat stdout)"
	record 'a filter for some of a system' 0 -e sched -f 'prev_pid == 1' -o b.dat -- true
	said 'a filter for some of a system: remark' 'does not fit [0-9]+ of the [0-9]+ events'
	unchanged events
}

settings() {
	record 'many settings' 0 -p function_graph -l vfs_read -g vfs_read --max-graph-depth 3 -b 2M --cpu 1 -C mono \
		-T -O nooverwrite --cmdlines-size 4096 -s 1000 -r 5 --nosplice -o b.dat -- \
		cat $T/max_graph_depth $T/tracing_cpumask $T/options/stacktrace $T/options/overwrite \
		$T/set_graph_function $T/set_ftrace_filter $T/saved_cmdlines_size $T/trace_clock
	same "$K: settings as given" "3 2 1 0 vfs_read vfs_read" "$(head -n 6 stdout | paste -sd ' ')"
	check "$K: room for names" test "$(sed -n 7p stdout)" -ge 4096
	has "$K: clock as given" "$(cat stdout)" '\[mono\]'
	record 'buffer size' 0 -e $EV -b 2M -o b.dat -- cat $T/buffer_size_kb
	check "$K: 2 MiB a CPU" test "$(cat stdout)" -ge 2048 -a "$(cat stdout)" -le 2064
	local shown now before
	before=$(date +%s)
	record '--date' 0 --date -e $EV -o b.dat -- true
	shown=$(report b.dat | sed -nE 's/.* ([0-9]+)\.[0-9]+: sched.*/\1/p' | head -n 1)
	now=$(date +%s)
	check "$K: --date: time of day ($before, $shown, $now)" test "${shown:-0}" -ge $((before - 1)) -a \
		"${shown:-0}" -le "$now"
	unchanged settings
}

# signal_when_it_runs SIGNAL: to the program of ./err
signal_when_it_runs() {
	wait_for Ctrl-C err
	# not its guardian, of the same program and another name
	kill "-$1" "$(pgrep -x ftr)"
}

ends() {
	record '--duration' 0 --duration 300ms -e $EV -o b.dat
	record '--duration with a command' 9 --duration 300ms -e $EV -o b.dat -- sh -c 'sleep 5; exit 9'
	said '--duration: recorded less' ', (0\.[3-9]|[1-4]\.)[0-9]*s$'
	for sig in INT TERM HUP; do
		: > err
		signal_when_it_runs $sig &
		record "SIG$sig without a command" 0 -e $EV -o b.dat
		wait
		said "SIG$sig without a command: when it began" '^ftr: recording; Ctrl-C ends it$'
		said "SIG$sig without a command: file" '^b.dat: [0-9] CPU'
		# the command runs: so does the recording
		record "SIG$sig is passed on to the command" 5 -e $EV -o b.dat -- \
			sh -c "trap 'exit 5' $sig; kill -$sig \$PPID; while :; do sleep 0.1; done"
		said "SIG$sig with a command: file" '^b.dat: [0-9] CPU'
	done
	unchanged ends
	record '-k' 0 -k -e $EV -b 3M -o b.dat -- true
	same "$K: -k: stays enabled" 1 "$(cat $T/events/sched/sched_process_exec/enable)"
	echo 0 > $T/events/enable
	echo 128 > $T/saved_cmdlines_size
	echo > $T/trace
	echo 1408 > $T/buffer_size_kb
	unchanged 'after -k and cleaning up'
}

two_at_once() {
	"$FTR" record -p function_graph -l vfs_read -o one.dat \
		-- sh -c 'until [ -e over ]; do sleep 0.2; done' 2> one.err &
	local first=$!
	wait_for function_graph $T/current_tracer
	wait_for 1 $T/tracing_on
	record 'a second one for what exists once' 125 -p function_graph -l vfs_read -g vfs_read -o b.dat -- true
	said 'a second one: who holds it' "pid $first"
	record 'a second one for events' 0 -e $EV -o b.dat -- true
	said 'a second one: its own instance' "instance 'ftr-[0-9]+': the top level is in use"
	check "$K: a second one: its records" test "$(count_records b.dat)" -ge 1
	touch over
	wait "$first"
	same "$K: the first one: status" 0 $?
	unchanged 'two at once'
}

# Before anything else has used tracing: the markers of the top level beside an instance have the room that a buffer
# gets by its first use.
grown() {
	local n=3000
	has "$K: a fresh buffer waits for its size" "$(cat $T/buffer_size_kb)" '^7 \(expanded: 1408\)$'
	record '-B alone' 0 -B ours -e $EV -o b.dat -- sh -c "cat $T/per_cpu/cpu0/buffer_size_kb > size
		i=0; while [ \$i -lt $n ]; do i=\$((i + 1)); echo grown-\$i-; done > $T/trace_marker"
	check "$K: -B alone: the top level's buffer is of its size ($(cat size) KiB)" test "$(cat size)" -ge 1408
	said '-B alone: nothing is lost' ', 0 lost,'
	same "$K: -B alone: every marker" $n "$(report b.dat | grep -aoE 'grown-[0-9]+-' | sort -u | wc -l)"
	has "$K: -B alone: the size afterwards" "$(cat $T/buffer_size_kb)" '^14[01][0-9]$'
}

# A top level with settings but without data; then one with data.
dirty() {
	local event=$T/events/sched/sched_process_hang
	echo stacktrace > $event/trigger
	record 'beside a trigger' 0 -e $EV -o b.dat -- true
	said 'beside a trigger: the reason' "instance 'ftr-[0-9]+'.*event 'sched:sched_process_hang' has a trigger"
	echo '!stacktrace' > $event/trigger
	echo 'pid == 1' > $event/filter
	echo 1 > $event/enable
	state > state
	record 'beside settings' 0 -e $EV -o b.dat -- sh -c "echo hello-marker > $T/trace_marker"
	said 'beside settings: the instance' "instance 'ftr-[0-9]+'.*event 'sched:sched_process_hang' is enabled"
	has "$K: beside settings: the marker" "$(report b.dat)" 'hello-marker'
	has "$K: beside settings: the event" "$(report b.dat)" 'sched_process_exec'
	unchanged 'beside settings'
	record 'graph beside settings' "$([ "$K" = 6.1 ] && echo 125 || echo 0)" \
		-p function_graph -l vfs_open -o b.dat -- cat /dev/null
	[ "$K" = 6.1 ] && said 'graph beside settings: hint' '^hint: --force sets it aside'
	[ "$K" = 6.1 ] || has "$K: graph in an instance" "$(report b.dat)" ' cat-.*vfs_open\('
	record 'graph with --force' 0 --force -p function_graph -l vfs_open -o b.dat -- cat /dev/null
	has "$K: graph with --force" "$(report b.dat)" ' cat-.*vfs_open\('
	unchanged 'graph beside settings'
	echo their-data > $T/trace_marker
	record 'beside data' 0 -e $EV -o b.dat -- sh -c "echo hello-marker > $T/trace_marker"
	if [ "$K" = 7.2 ]; then
		has "$K: beside data: the marker" "$(report b.dat)" 'hello-marker'
	else
		said 'beside data: no marker' 'of the top level will be missing'
	fi
	has "$K: beside data: it is still there" "$(cat $T/trace)" 'their-data'
	unchanged 'beside data'
	echo 0 > $event/enable
	echo 0 > $event/filter
	echo > $T/trace
	state > state
	record 'a marker at the top level' 0 -e $EV -o b.dat -- sh -c "echo hello-marker > $T/trace_marker"
	has "$K: the marker" "$(report b.dat)" 'print: .*hello-marker'
}

instances() {
	mkdir $T/instances/theirs
	echo data > $T/instances/theirs/trace_marker
	state > state
	record 'an instance with data' 125 -B theirs -e $EV -o b.dat -- true
	said 'an instance with data: hint' '^hint: --force discards it'
	has "$K: an instance with data: still there" "$(cat $T/instances/theirs/trace)" data
	echo > $T/instances/theirs/trace
	record 'two instances' 0 -e sched:sched_process_fork -B theirs -e sched:sched_process_exec \
		-B ours -e sched:sched_process_exit -o b.dat -- cat /dev/null
	report b.dat > text
	has "$K: the first instance" "$(cat text)" 'theirs:.*sched_process_exec'
	has "$K: the second instance" "$(cat text)" 'ours:.*sched_process_exit'
	record 'an instance alone' 0 -B ours -e $EV -o b.dat -- \
		sh -c "cat $T/saved_cmdlines_size > during; echo hello-marker > $T/trace_marker"
	has "$K: an instance alone: its events" "$(report b.dat)" "ours:.*${EV#*:}"
	has "$K: an instance alone: the marker at the top level" "$(report b.dat)" 'print: .*hello-marker'
	same "$K: an instance alone: nothing global is set" "$(cat $T/saved_cmdlines_size)" "$(cat during)"
	record 'an instance, the command' 0 -B ours -F -e $EV -o b.dat -- \
		sh -c "cat $T/set_event_pid > during; echo not-in-ours > $T/trace_marker; exec true"
	same "$K: an instance, the command: its buffer is the only one" ours \
		"$("$FTR" info b.dat | sed -n 's/^buffer: *//p')"
	same "$K: an instance, the command: nothing is set at the top level" "$(cat $T/set_event_pid)" "$(cat during)"
	has "$K: an instance, the command: the top level is left alone" "$(cat $T/trace)" not-in-ours
	echo > $T/trace
	unchanged instances
	rmdir $T/instances/theirs
	state > state
}

modules() {
	record 'a module that the pattern means' 0 -p function -l 'dummy_*' -o b.dat -- \
		sh -c 'modprobe dummy; ip link add dummy9 type dummy'
	said 'a module that the pattern means: remark' "'dummy_\*' also waits for .*\bdummy\b"
	has "$K: functions of the module that came" "$(report b.dat)" 'dummy_'
	modprobe -r dummy
	record '--module' 0 -p function_graph -l '*' --module dummy -o b.dat -- \
		sh -c 'modprobe dummy; ip link add dummy9 type dummy'
	has "$K: --module: its functions" "$(report b.dat)" 'dummy_'
	same "$K: --module: no others" 0 "$(report b.dat | grep -c vfs_)"
	record '--module, loaded' 0 -p function_graph -l '*' --module dummy -o b.dat -- \
		ip link del dummy9
	said '--module, loaded: matched' "matched ([2-9]|[1-9][0-9]+) functions"
	modprobe -r dummy
	unchanged modules
}

# Seconds after which a module has been noticed: its symbols are read when those of the kernel are.
notice() {
	local start=$SECONDS
	cat /proc/kallsyms > /dev/null
	echo $((3 + 3 * (SECONDS - start)))
}

# Names of arguments come from BTF, which a module takes with it when it goes.
arguments() {
	[ -e $T/options/func-args ] || return 0
	record 'func-args' 0 -p function -O func-args -l 'dummy_*' -l vfs_read -o b.dat -- \
		sh -c "modprobe dummy; ip link add dummy9 type dummy; sleep $(notice); modprobe -r dummy"
	"$FTR" report b.dat > text
	has "$K: func-args: names of the kernel" "$(cat text)" \
		'vfs_read\(file=0x[0-9a-f]+, buf=0x[0-9a-f]+, count=0x[0-9a-f]+, pos=0x[0-9a-f]+\) <-ksys_read'
	has "$K: func-args: names of a module that is gone" "$(cat text)" 'dummy_setup\(dev=0x[0-9a-f]+\) <-'
	has "$K: func-args: trace-cmd reads the file" "$(report b.dat)" 'dummy_setup'
	unchanged func-args
	record 'funcgraph-args' 0 -B ours -p function_graph -O funcgraph-args -l vfs_read -o b.dat -- cat /dev/null
	has "$K: funcgraph-args in an instance" "$("$FTR" report b.dat)" 'vfs_read\(file=0x[0-9a-f]+, buf=.*\)[;{]'
	record 'no arguments' 0 -p function -l vfs_read -o b.dat -- cat /dev/null
	same "$K: without func-args the file has no prototypes" 0 "$(grep -ac 'vfs_read file:p' b.dat)"
}

# unregistered BY: callbacks of tracepoints, by threads of that name
unregistered() {
	grep -cE "^ *$1.*: tracepoint_probe_unregister" $T/instances/watch/trace
}

# The kernel waits for grace periods when the last of an event is closed: not in a thread that we wait for.
closing() {
	local w=$T/instances/watch
	mkdir $w
	echo tracepoint_probe_unregister > $w/set_ftrace_filter
	echo function > $w/current_tracer
	record 'a short command' 0 -B ours -e $EV -o b.dat -- true
	wait_until 60 eval '[ "$(unregistered kworker)" = 2 ]'
	same "$K: the kernel closes the events that tell of modules, once both are unneeded" "2 0" \
		"$(unregistered kworker) $(unregistered ftr-modules)"
	echo nop > $w/current_tracer
	rmdir $w
}

state > state
[ -x "$FTR" ] || { fail "$K: '$FTR' is there"; finish; }
run_parts ${FTR_RECORD_PARTS:-grown graph_of_ls statuses misspelt tasks events settings ends two_at_once dirty instances
	module_filters module_events modules closing arguments}
