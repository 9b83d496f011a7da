# SPDX-License-Identifier: GPL-2.0-or-later
# Run in the guest by settings.sh: options of one control file each, looked at in the kernel's files.

. "$FTR_TOP/tests/guest/lib/checks-lib.sh"
EV=sched:sched_process_exec
SYSCTL=/proc/sys/kernel

# What each option writes, by lines: arguments | file | what it reads then (an expression). The second list is of
# tracers that not every kernel has.
SETTINGS="
--buffer-percent 20 | buffer_percent | 20
--cpu-buffer-size 1=3M | per_cpu/cpu1/buffer_size_kb | 30(7|8)[0-9]
--time-filter 150us | tracing_thresh | 150
--dump-on-oops 1 | $SYSCTL/ftrace_dump_on_oops | 1
--traceoff-on-warning on | $SYSCTL/traceoff_on_warning | 1
-B net --buffer-percent 30 | instances/net/buffer_percent | 30
--cpu-buffer-size 0-1=600K | instances/net/per_cpu/cpu0/buffer_size_kb | 60[0-9]
--cpu-buffer-size 0=700 | instances/net/per_cpu/cpu0/buffer_size_kb | 70[0-9]"
OF_TRACERS="
--osnoise-period 2000 | osnoise/period_us | 2000
--osnoise-runtime 1500us | osnoise/runtime_us | 1500
--osnoise-stop 5ms | osnoise/stop_tracing_us | 5000
--osnoise-stop-total 6s | osnoise/stop_tracing_total_us | 6000000
--osnoise-cpus 1 | osnoise/cpus | 1
--osnoise-option PANIC_ON_STOP,NO_OSNOISE_WORKLOAD | osnoise/options | NO_DEFAULTS NO_OSNOISE_WORKLOAD PANIC_ON_STOP .*
--timerlat-stack 70 | osnoise/print_stack | 70
--timerlat-period 3ms | osnoise/timerlat_period_us | 3000
--hwlat-window 90000 | hwlat_detector/window | 90000
--hwlat-width 40ms | hwlat_detector/width | 40000
--hwlat-mode per-cpu | hwlat_detector/mode | none round-robin \\[per-cpu\\]"
TRACERS=false
[ ! -d $T/osnoise ] || TRACERS=true
! $TRACERS || SETTINGS="$OF_TRACERS$SETTINGS"

# options: all of them, in one line
options() {
	awk -F ' [|] ' 'NF { printf "%s ", $1 }' <<< "$SETTINGS"
}

path() {
	case $1 in
	/*) echo "$1" ;;
	*) echo "$T/$1" ;;
	esac
}

# hold NAME: all that the lines say; where one file is in two lines the last counts
hold() {
	local args file want
	while IFS='|' read -r args file want; do
		[ -n "$file" ] || continue
		file=${file// /}
		[ "$args" = "$(grep -F "| $file |" <<< "$SETTINGS" | tail -n 1 | cut -d '|' -f 1)" ] || continue
		has "$K: $1: $file" "$(cat "$(path $file)")" "^${want# }\s*\$"
	done <<< "$SETTINGS"
}

back() {
	ran "$1: reset" 0 reset
	state_dump after
	check "$K: $1: put back" state_equal before after
	same "$K: $1: nothing stands" '' "$("$FTR" reset -n)"
}

verbs() {
	# shellcheck disable=SC2046
	ran 'start' 0 start -e $EV $(options)
	hold start
	# the others are not left with the few KiB of a buffer that was never used
	check "$K: start: the other CPU's buffer" test "$(cat $T/per_cpu/cpu0/buffer_size_kb)" -ge 1400
	back start
	# shellcheck disable=SC2046
	ran 'set' 0 set $(options)
	hold set
	check "$K: set: the other CPU's buffer" test "$(cat $T/per_cpu/cpu0/buffer_size_kb)" -ge 1400
	back set
	# shellcheck disable=SC2046
	ran 'record' 0 record -q -e $EV -o r.dat $(options) -- sh -c 'for f; do echo "$f: $(cat $f)"; done' sh \
		$(awk -F ' [|] ' 'NF { print $2 }' <<< "$SETTINGS" | while read -r f; do path "$f"; done)
	mv out during
	has "$K: record: a file of the top level" "$(cat during)" '/tracing/buffer_percent: 20$'
	has "$K: record: an instance's" "$(cat during)" 'net/buffer_percent: 30$'
	has "$K: record: of the kernel" "$(cat during)" 'tracing_thresh: 150$'
	has "$K: record: a sysctl" "$(cat during)" 'traceoff_on_warning: 1$'
	state_dump after
	check "$K: record: put back" state_equal before after
	# the list of features has no column for a real-time kernel
	$TRACERS || feature "$(uname -r)" 'options of one control file' works
}

calls() {
	local n
	ran 'nograph-funcs' 0 start -p function_graph -g ksys_read --nograph-funcs vfs_read
	has "$K: nograph-funcs: the file" "$(cat $T/set_graph_notrace)" '^vfs_read( |$)'
	/bin/cat /proc/version > version
	ran stop 0 stop
	check "$K: nograph-funcs: calls are traced" test "$(grep -c 'ksys_read()' $T/trace)" -gt 0
	same "$K: nograph-funcs: not that one" 0 "$(grep -c 'vfs_read()' $T/trace)"
	back nograph-funcs
	ran 'time-filter' 0 start -p function_graph -l 'vfs_*' -l ksys_read -l do_sys_openat2 --time-filter 50us
	ls -lR /usr/share/doc/a* > ls.out
	ran stop 0 stop
	n=$(grep -Ec ' us +\|' $T/trace)
	check "$K: time-filter: long calls are traced" test "$n" -gt 0
	same "$K: time-filter: no shorter ones" 0 \
		"$(awk '/ us +\|/ { sub(/ us +\|.*/, ""); if ($NF < 50) n++ } END { print n + 0 }' $T/trace)"
	back time-filter
	# what others left would hide calls
	echo 100000 > $T/tracing_thresh
	state_dump thresh
	ran 'others' 0 start -p function_graph -l 'vfs_*'
	same "$K: what others left of it is out of the way" 0 "$(cat $T/tracing_thresh)"
	ran 'others: reset' 0 reset
	state_dump after
	check "$K: and comes back" state_equal thresh after
	echo 0 > $T/tracing_thresh
}

refusals() {
	if $TRACERS; then
		ran 'a runtime longer than the period' 1 set --osnoise-period 1ms --osnoise-runtime 2ms
		has "$K: a runtime longer than the period: hint" "$(cat err)" \
			"^hint: 'osnoise/.*' must not be more than 'osnoise/period_us'"
		ran 'a mode' 1 set --hwlat-mode sideways
	else
		ran 'osnoise' 1 set --osnoise-period 1ms
		has "$K: osnoise: that it is not there" "$(cat err)" \
			"^ftr: this kernel has no 'osnoise/period_us', so --osnoise-period does not work"
		has "$K: osnoise: hint" "$(cat err)" '^hint: it needs CONFIG_OSNOISE_TRACER'
	fi
	ran 'refused in the middle' 1 set --buffer-percent 77 --traceoff-on-warning on -O no_such_option
	state_dump after
	check "$K: refused: nothing changes" state_equal before after
}

marks() {
	local long
	ran 'mark' 0 mark the test begins
	has "$K: mark: the kernel's text" "$(cat $T/trace)" ' tracing_mark_write: the test begins$'
	mkdir $T/instances/net
	ran 'mark -B' 0 mark -B net 'link is down'
	has "$K: mark -B: there" "$(cat $T/instances/net/trace)" ' tracing_mark_write: link is down$'
	same "$K: mark -B: there alone" 0 "$(grep -c 'link is down' $T/trace)"
	ran 'mark --raw' 0 mark -B net --raw 0x2a abcd
	has "$K: mark --raw: the kernel's text" "$(cat $T/instances/net/trace)" ' # 2a buf: 61 62 63 64'
	rmdir $T/instances/net
	same "$K: mark: nothing stands" '' "$("$FTR" reset -n)"
	long=$(printf '%6000s' | tr ' ' x)
	ran 'mark, a long text' 0 mark "$long"
	same "$K: mark, a long text: nothing is said" '' "$(cat err)"
	same "$K: mark, a long text: all of it is there" 6000 "$(grep -v '^#' $T/trace | tr -cd x | wc -c)"
	ran 'mark, too long bytes' 1 mark --raw 1 "$long$long"
	"$FTR" stop 2> err
	ran 'mark, stopped' 1 mark x
	has "$K: mark, stopped: why" "$(cat err)" 'nothing is recorded: tracing_on is 0'
	has "$K: mark, stopped: hint" "$(cat err)" "^hint: 'ftr restart' "
	"$FTR" restart 2> err
	"$FTR" options markers=off 2> err
	ran 'mark, no markers' 1 mark x
	has "$K: mark, no markers: why" "$(cat err)" 'the trace option markers is off'
	"$FTR" reset 2> err
	"$FTR" clear 2> err
	$TRACERS || feature "$(uname -r)" 'mark' works
}

# A latency tracer leaves its longest latency behind.
latency() {
	$TRACERS || return
	for i in 'wakeup_rt' timerlat; do
		ran "start -p $i" 0 start -p $i
		sleep 1
		check "$K: $i: there is a latency" test "$(cat $T/tracing_max_latency)" -gt 0
		back "start -p $i"
		ran "record -p $i" 0 record -q -p $i -o l.dat -- sleep 1
		state_dump after
		check "$K: record -p $i: put back" state_equal before after
	done
}

# What ftr stat and ftr reset --all know, set by hand: file, value.
BY_HAND='buffer_percent 30
tracing_thresh 7
set_graph_notrace vfs_read
stack_max_size 77'
HANDS_OF_TRACERS='osnoise/cpus 1
osnoise/options PANIC_ON_STOP
osnoise/period_us 5000000
osnoise/runtime_us 3000000
osnoise/stop_tracing_us 9
osnoise/stop_tracing_total_us 9
osnoise/print_stack 9
osnoise/timerlat_period_us 900
hwlat_detector/window 3000000
hwlat_detector/width 2000000
hwlat_detector/mode none'

fresh() {
	local file value all
	all=$BY_HAND
	! $TRACERS || all+=$'\n'$HANDS_OF_TRACERS
	same "$K: stat: nothing yet" 'nothing differs from a fresh kernel' "$("$FTR" stat)"
	while read -r file value; do echo "$value" > "$T/$file"; done <<< "$all"
	[ ! -e $T/tracing_max_latency ] || echo 77 > $T/tracing_max_latency
	echo 1 > $SYSCTL/traceoff_on_warning
	mkdir $T/instances/net
	echo 40 > $T/instances/net/buffer_percent
	state_dump dirty
	"$FTR" stat --json > stat.json
	"$FTR" reset --all -n > plan 2> plan.err
	state_dump after
	check "$K: reset --all -n changes nothing" state_equal dirty after
	while read -r file value; do
		has "$K: stat: $file" "$(cat stat.json)" "\"$file\":"
		has "$K: reset --all -n: $file" "$(cat plan)" "^$file: .*\\(now "
	done <<< "$all"
	has "$K: reset --all -n: an instance" "$(cat plan)" '^instances/net: removed$'
	has "$K: reset --all -n: the value to come" "$(cat plan)" '^tracing_thresh: 0 \(now 7\)$'
	has "$K: reset --all -n: the sysctl" "$(cat plan.err)" \
		"sysctl 'kernel.traceoff_on_warning' is '1', not '0', .*--sysctl"
	same "$K: reset --all -n: not in the plan" 0 "$(grep -c traceoff_on_warning plan)"
	check "$K: reset --all -n --json" python3 -c '
import json, sys
d = {s["file"]: s for s in json.load(sys.stdin)["all"]}
assert d["tracing_thresh"]["now"] == ["7"] and d["tracing_thresh"]["then"] == "0", d' \
		< <("$FTR" reset --all -n --json 2> err)
	ran 'reset --all' 0 reset --all
	has "$K: reset --all: the sysctl" "$(cat err)" "sysctl 'kernel.traceoff_on_warning' is '1', not '0', .*--sysctl"
	same "$K: reset --all: it is left" 1 "$(cat $SYSCTL/traceoff_on_warning)"
	ran 'reset --all --sysctl' 0 reset --all --sysctl
	state_dump after
	check "$K: reset --all --sysctl: as before" state_equal before after
	same "$K: stat: nothing again" 'nothing differs from a fresh kernel' "$("$FTR" stat)"
	$TRACERS || feature "$(uname -r)" 'reset --all -n, --sysctl' works
}

# No kernel of Debian has the profiler of functions: a made folder stands for a tracefs that does.
profiler() {
	mkdir -p made/events made/instances made/options made/per_cpu/cpu0
	echo nop > made/current_tracer
	echo 1 > made/tracing_on
	echo 1 > made/function_profile_enabled
	export FTR_TRACEFS=$TMP/made FTR_JOURNAL_DIR=$TMP/journal
	has "$K: stat: the profiler" "$("$FTR" stat)" '^function_profile_enabled +1$'
	ran 'reset --all, the profiler' 0 reset --all
	same "$K: reset --all: the profiler is off" 0 "$(cat made/function_profile_enabled)"
	unset FTR_TRACEFS FTR_JOURNAL_DIR
}

# What ftr set would empty is asked for.
emptied() {
	echo mine > $T/trace_marker
	ran 'set -C' 1 set -C mono
	has "$K: set -C: why" "$(cat err)" '^ftr: -C would empty the buffer of the top level, which holds records$'
	has "$K: set -C: hint" "$(cat err)" "^hint: 'ftr extract' saves them; --force"
	same "$K: set -C: the record is there" 1 "$(grep -c 'write: mine' $T/trace)"
	ran 'start -K -C' 1 start -K -C mono -e $EV
	ran 'record -K -C' 125 record -q -K -C mono -e $EV -o r.dat -- true
	ran 'set -C, the clock that it is' 0 set -C "$(sed 's/.*\[\(.*\)\].*/\1/' $T/trace_clock)" -O sym-userobj
	same "$K: set -C, the clock that it is: the record is there" 1 "$(grep -c 'write: mine' $T/trace)"
	if [ -e $T/buffer_subbuf_size_kb ]; then
		ran 'set --subbuf-size' 1 set --subbuf-size 16K
		has "$K: set --subbuf-size: why" "$(cat err)" '^ftr: --subbuf-size would empty the buffer'
	fi
	ran 'set -C --force' 0 set -C mono --force
	has "$K: set -C --force: a word" "$(cat err)" '^ftr: -C empties the buffer of the top level$'
	has "$K: set -C --force: the clock" "$(cat $T/trace_clock)" '\[mono\]'
	ran 'reset' 0 reset
	echo mine > $T/trace_marker
	echo 1 > $T/snapshot
	"$FTR" clear 2> err
	ran 'set -C, a snapshot' 1 set -C mono
	has "$K: set -C, a snapshot: why" "$(cat err)" '^ftr: -C would empty the snapshot of the top level'
	same "$K: set -C, a snapshot: it is there" 1 "$(grep -c 'write: mine' $T/snapshot)"
	echo 0 > $T/snapshot
	mkdir $T/instances/net
	echo mine > $T/instances/net/trace_marker
	ran 'set -B -C' 1 set -B net -C mono
	has "$K: set -B -C: why" "$(cat err)" "-C would empty the buffer of instance 'net'"
	rmdir $T/instances/net
	state_dump after
	check "$K: set -C: all is as before" state_equal before after
	$TRACERS || feature "$(uname -r)" 'set -C --force' works
}

# What others changed since is theirs.
others() {
	local filter=events/sched/sched_process_exec/filter
	ran 'others: start' 0 start -e $EV -f 'filename ~ "*x"' -B net -e $EV -B mine -e $EV
	echo 'pid > 5' > $T/$filter
	echo 1 > $T/instances/net/events/sched/sched_process_exit/enable
	ran 'others: reset' 0 reset
	same "$K: others: their filter stays" 'pid > 5' "$(cat $T/$filter)"
	has "$K: others: their filter: said" "$(cat err)" "^ftr: '$filter' is left as it is: somebody changed it since"
	has "$K: others: the instance: said" "$(cat err)" \
		"^ftr: 'instances/net' stays: somebody set 'sched:sched_process_exit' in it"
	same "$K: others: their event stays on" 1 "$(cat $T/instances/net/events/sched/sched_process_exit/enable)"
	same "$K: others: ours is off" 0 "$(cat $T/instances/net/events/sched/sched_process_exec/enable)"
	check "$K: others: the other instance is gone" test ! -e $T/instances/mine
	same "$K: others: nothing stands" '' "$("$FTR" reset -n)"
	echo 0 > $T/$filter
	rmdir $T/instances/net
	state_dump after
	check "$K: others: the rest is as before" state_equal before after
	ran 'others: nobody' 0 start -e $EV -f 'filename ~ "*x"' -B net -e $EV
	ran 'others: set' 0 set -e $EV -f 'filename ~ "*y"' -B net -e irq
	back 'others: nobody'
	same "$K: others: nobody: nothing is said of it" 0 "$(grep -c somebody err)"
	$TRACERS || feature "$(uname -r)" 'reset: what others changed since' works
}

state_dump before
run_parts ${FTR_PARTS:-verbs calls refusals marks latency fresh profiler emptied others}
