#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr start, set, stop, restart, clear, reset: what is refused before tracefs is looked at; journals without a kernel.

. "$(dirname "$0")/../lib.sh"

# No tracefs here: whatever gets past the checks of usage fails for that reason.
export FTR_TRACEFS=$TMP/none FTR_JOURNAL_DIR=$TMP/journals
mkdir -m 700 "$FTR_JOURNAL_DIR"
cd "$TMP" || exit 1

ftr_refuses 'start: nothing' 2 'nothing to trace: no tracer and no event' start
ftr_refuses 'start: nothing: hint' 2 "^hint: -p function_graph -l 'vfs_\*', or -e sched$" start
for setting in '-C mono' '-b 4M' '-O sym-offset' '-B net -b 4M' '--buffer-percent 50'; do
	# shellcheck disable=SC2086
	ftr_refuses "start $setting alone: hint" 2 \
		"^hint: 'ftr set' changes settings alone; -e sched or -p function_graph traces" start $setting
done
ftr_refuses 'start -C -- CMD: hint' 2 "^hint: -p function_graph" start -C mono -- true
ftr_refuses 'record -C alone: hint' 2 "^hint: -p function_graph" record -C mono -- true
ftr_refuses 'start -K: something may be there' 1 "$TMP/none" start -K
ftr_refuses 'start: -F without a command' 2 '-F traces only the command' start -F -e sched
ftr_refuses 'start: --fork without a command' 2 '--fork does not wait' start --fork -e sched
ftr_refuses 'start: -o is for record' 2 "-o" start -o x.dat -e sched
ftr_refuses 'start: -l without tracer' 2 'needs a tracer' start -e sched -l 'vfs_*'
ftr_refuses 'start: -l of "!"' 2 "^ftr: -l '!kfree' would take functions off a list that is empty" \
	start -p function -l '!kfree'
ftr_refuses 'start: -l of "!": hint' 2 "^hint: -n 'kfree' leaves them out" start -p function -l 'vfs_*' -l '!kfree'
ftr_refuses 'start: -n of "!"' 2 "^ftr: -n '!kfree' would take" start -p function -n '!kfree'
ftr_refuses 'start: -g of "!"' 2 "^ftr: -g '!kfree' would take" start -p function_graph -g '!kfree'
ftr_refuses 'record: -l of a trigger' 2 "^ftr: -l 'kfree:traceoff:3': that is a trigger, not a function" \
	record -p function -l kfree:traceoff:3 -- true
ftr_refuses 'record: -l of a trigger: hint' 2 "^hint: ftr trigger add --func kfree traceoff:3$" \
	record -p function -l kfree:traceoff:3 -- true
ftr_refuses 'set: -n of a trigger' 2 "^ftr: -n 'kfree:dump': that is a trigger" set -n kfree:dump
ftr_refuses 'stack: -l of "!"' 2 "^ftr: -l takes functions, not '!kfree'" stack -l '!kfree'
ftr_refuses 'start: -l of a module' 1 "$TMP/none" start -p function -l ':mod:9p'
ftr_refuses 'start: --func-stack without function' 2 '--func-stack acts on the function tracer' \
	start -e sched --func-stack
ftr_refuses 'start: --func-stack with function_graph' 2 '--func-stack acts' start -p function_graph --func-stack
ftr_refuses 'start: -D and functions' 2 '-D stops all tracing of functions, which -p function_graph needs' \
	start -D -p function_graph
ftr_refuses 'start: -v -B' 2 "^ftr: -v before -B 'x'" start -v -B x
ftr_refuses 'start: -v -B: hint' 2 "^hint: 'ftr reset -B x'" start -v -B x
for size in 0 x 4X '' 99999999999999999999; do
	ftr_refuses "start: --subbuf-size '$size'" 2 '--subbuf-size takes a size' start --subbuf-size "$size" -e sched
done
ftr_refuses 'record: --func-stack without function' 2 '--func-stack acts' record --func-stack -e sched -- true
ftr_refuses 'record: --rotate without --max-size' 2 '--rotate begins a new file at --max-size' record --rotate 3 \
	-e sched -- true
ftr_refuses 'record: --rotate and -m' 2 '-m and --rotate' record --rotate 3 --max-size 1M -m 1M -e sched -- true
ftr_refuses 'record: --rotate and standard output' 2 '--rotate makes files' record --rotate 3 --max-size 1M \
	-o - -e sched -- true
ftr_refuses 'record: -m and --flight' 2 '-m bounds the written data' record -m 1M --flight 1M -e sched -- true
ftr_refuses 'record: -m of nothing' 2 '-m takes a size a CPU' record -m 0 -e sched -- true
ftr_refuses 'record: --sync of nonsense' 2 '--sync takes a time' record --sync often -e sched -- true
ftr_refuses 'record: nothing' 2 'nothing to record' record -k -- true
ftr_refuses 'set: nothing' 2 'nothing to set' set
ftr_refuses 'set: a command' 2 "ftr set runs no command, 'true'" set -e sched -- true
ftr_refuses 'set: a command: hint' 2 "^hint: 'ftr start -K' does" set -e sched -- true
ftr_refuses 'set: -l needs no tracer' 1 "$TMP/none" set -l 'vfs_*'
ftr_refuses 'set: -g needs no tracer' 1 "$TMP/none" set -g vfs_read
ftr_refuses 'set: only negated' 1 "$TMP/none" set -v -e sched
ftr_refuses 'set: --buffer-percent' 2 "--buffer-percent takes a percentage \(0 to 100\), not '101'" \
	set --buffer-percent 101
ftr_refuses 'set: --cpu-buffer-size without a size' 2 "--cpu-buffer-size takes CPUs of this machine" \
	set --cpu-buffer-size 1
ftr_refuses 'set: --cpu-buffer-size of nothing' 2 "--cpu-buffer-size takes CPUs of this machine" \
	set --cpu-buffer-size 0=0
ftr_refuses 'set: --cpu-buffer-size, no such CPU' 2 "--cpu-buffer-size takes CPUs of this machine" \
	set --cpu-buffer-size 8000=1M
ftr_refuses 'set: --time-filter' 2 "--time-filter takes a time \(100, 100us, 2ms; .*not '5ns'" set --time-filter 5ns
ftr_refuses 'set: --traceoff-on-warning' 2 "--traceoff-on-warning takes on or off, not 'perhaps'" \
	set --traceoff-on-warning perhaps
ftr_refuses 'set: --osnoise-cpus' 2 "--osnoise-cpus takes a list of CPUs of this machine" set --osnoise-cpus a
ftr_refuses 'set: --osnoise-option' 2 '--osnoise-option takes words' set --osnoise-option ,
ftr_refuses 'set: --hwlat-mode' 2 '--hwlat-mode takes a word' set --hwlat-mode 'per cpu'
ftr_refuses 'start: --nograph-funcs without a tracer' 2 '--nograph-funcs acts on the function_graph tracer' \
	start -p function --nograph-funcs x
ftr_refuses 'set: --nograph-funcs needs no tracer' 1 "$TMP/none" set --nograph-funcs vfs_read
for c in stop restart clear reset; do
	ftr_refuses "$c: a word" 2 "unexpected word 'x'" $c x
	ftr_refuses "$c: a bad name" 2 "-B takes the name of an instance, not 'a/b'" $c -B a/b
	ftr_refuses "$c: no tracefs" 1 "$TMP/none" $c
done
ftr_refuses 'clear: -c x' 2 "-c takes the number of a CPU, not 'x'" clear -c x
ftr_refuses 'reset: --json without -n' 2 '--json shows what -n shows' reset --json
ftr_refuses 'reset: --dynamic-events without --all' 2 '--dynamic-events goes with --all' reset --dynamic-events
ftr_refuses 'reset: --all --recover' 2 '--all includes --recover' reset --all --recover
ftr_refuses 'reset: --sysctl without --all' 2 '--sysctl goes with --all' reset --sysctl
ftr_refuses 'reset: --all -n without tracefs' 1 "$TMP/none" reset --all -n
ftr_refuses 'reset: --recover -B' 2 '--recover completes whole runs' reset --recover -B x
same 'reset -n: nothing stands' '' "$("$FTR" reset -n 2>&1)"

# A tree of plain files does for a tracefs: what stands, and journals of dead runs.
export FTR_TRACEFS=$TMP/t
mkdir -p t/events t/instances t/per_cpu/cpu0
printf '0\n' > t/tracing_on
printf 'nop\n' > t/current_tracer
boot=$(cat /proc/sys/kernel/random/boot_id)

# journal FILE BOOT RECORD...: PATH and VALUE pairs of kind set
journal() {
	local file=$1 id=$2
	shift 2
	{
		printf 'ftr journal 1\nboot 0 %d\n\n%s\npid 0 7\n\n4194305\nstart 0 1\n\n5\n' ${#id} "$id"
		printf 'command 0 3\n\nftr\ntracefs 0 %d\n\n%s\n' ${#FTR_TRACEFS} "$FTR_TRACEFS"
		while [ $# -gt 0 ]; do
			printf '%s %d %d\n%s\n%s\n' "$1" ${#2} ${#3} "$2" "$3"
			shift 3
		done
	} > "$FTR_JOURNAL_DIR/$file"
	chmod 600 "$FTR_JOURNAL_DIR/$file"
}

check 'stop: a plain tree' "$FTR" stop
same 'stop: it was off' '' "$("$FTR" reset -n)"
check 'restart: a plain tree' "$FTR" restart
same 'restart: on' 1 "$(cat t/tracing_on)"
same 'reset -n: what was before' 'tracing_on = 0' "$("$FTR" reset -n)"
has 'reset' "$("$FTR" reset 2>&1)" '^ftr: put back 1 change$'
same 'reset: off' 0 "$(cat t/tracing_on)"
has 'reset: again' "$("$FTR" reset 2>&1)" '^ftr: nothing to put back$'

# What lets the kernel record into an empty buffer says so, so that what it records goes with it.
mkdir -p t/events/a/b
printf '0\n' > t/events/a/b/enable
: > t/events/a/b/trigger
echo a:b > t/available_events
echo 'nop function' > t/available_tracers
# stands NAME WANTED ARGS...: the lines about buffers among what stands after the command
stands() {
	local name=$1 want=$2
	shift 2
	"$FTR" "$@" > out 2> err || fail "$name: status" "$(cat err)"
	same "$name" "$want" "$("$FTR" reset -n | grep 'emptied' | xargs)"
	"$FTR" reset 2> err
}
printf 'entries: 0\noverrun: 0\n' > t/per_cpu/cpu0/stats
stands 'a trigger that takes stacks' 'trace is emptied' trigger add a:b stacktrace
: > t/events/a/b/trigger
stands 'a trigger that stops tracing' '' trigger add a:b traceoff
: > t/events/a/b/trigger
stands 'an event' 'trace is emptied' set -e a:b
stands 'a tracer' 'trace is emptied' set -p function
stands 'an event and a tracer: once' 'trace is emptied' set -e a:b -p function
stands 'tracing on' '' restart
printf '0\n' > t/events/a/b/enable
"$FTR" set -e a:b 2> err
printf 'entries: 3\noverrun: 0\n' > t/per_cpu/cpu0/stats
echo records > t/trace
"$FTR" reset 2> err
same 'reset: what was recorded is gone' '' "$(cat t/trace)"
echo records > t/trace
journal 4194305.journal "$boot" empty trace '' set events/a/b/enable 0
"$FTR" reset --recover 2> err
same 'reset --recover: what was recorded is gone' '' "$(cat t/trace)"
echo records > t/trace
stands "somebody's data" '' set -e a:b
same "reset: somebody's data stays" 'records' "$(cat t/trace)"
ftr_refuses "start: somebody's data" 1 'the top level is in use: the buffer holds 3 events' start -e a:b
ftr_refuses "start: somebody's data: hint" 1 "^hint: 'ftr extract' saves the data; 'ftr clear' discards it" start -e a:b
journal 4194305.journal "$boot" set current_tracer function
ftr_refuses "start: a killed run's data: hint" 1 "^hint: .*'ftr reset --recover'" start -e a:b
rm "$FTR_JOURNAL_DIR/4194305.journal"
printf 'entries: 0\noverrun: 0\n' > t/per_cpu/cpu0/stats

# Somebody's latency tracer that was set aside begins with 0 when it is back; files do not do that by themselves.
echo 'nop function wakeup' > t/available_tracers
echo wakeup > t/current_tracer
echo 55 > t/tracing_max_latency
echo 3 > t/tracing_cpumask
: > t/set_event
check 'start --force beside a latency tracer' "$FTR" start -q --force -e a:b
same 'start --force beside a latency tracer: set aside' nop "$(cat t/current_tracer)"
echo 0 > t/tracing_max_latency
check 'start --force beside a latency tracer: reset' "$FTR" reset
same 'start --force beside a latency tracer: it is back, with what it measured' 'wakeup 55' \
	"$(cat t/current_tracer) $(cat t/tracing_max_latency)"
echo nop > t/current_tracer
rm t/tracing_max_latency

# The user's own trigger is no reason against the user's own setup; somebody else's is.
echo 'a:b' > t/set_event
echo '0*' > t/events/a/b/enable
check 'start beside a trigger of ours: trigger add' "$FTR" trigger add a:b traceoff
check 'start beside a trigger of ours' "$FTR" start -q -p function
"$FTR" reset 2> err
echo traceoff > t/events/a/b/trigger
ftr_refuses 'start beside a trigger of others' 1 "the top level is in use: event 'a:b' has a trigger" start -p function
printf '0\n' > t/events/a/b/enable
: > t/events/a/b/trigger
: > t/set_event

journal 4194305.journal "$boot" set current_tracer function
has 'reset: a dead run is told of' "$("$FTR" reset 2>&1)" "1 run died .*'ftr reset --recover'"
same 'reset: but left alone' nop "$(cat t/current_tracer)"
has 'reset -n: the dead run' "$("$FTR" reset -n)" '^dead run: .*/4194305.journal$'
has 'reset --recover' "$("$FTR" reset --recover 2>&1)" '^ftr: completed 1 dead run, put back 0 changes that stood$'
same 'reset --recover: put back' function "$(cat t/current_tracer)"
check 'reset --recover: its journal is gone' test ! -e "$FTR_JOURNAL_DIR/4194305.journal"

journal 4194305.journal 00000000-0000-0000-0000-000000000000 set current_tracer blk
has 'another boot' "$("$FTR" reset --recover 2>&1)" "^ftr: dropped '.*4194305.journal': it is from another boot"
same 'another boot: nothing is put back' function "$(cat t/current_tracer)"
check 'another boot: its journal is gone' test ! -e "$FTR_JOURNAL_DIR/4194305.journal"

# Newest first: what was covered later is uncovered first, whichever of the two it was.
echo now > t/current_tracer
journal standing "$boot" set current_tracer second
touch -d '1 hour ago' "$FTR_JOURNAL_DIR/standing"
journal 4194305.journal "$boot" set current_tracer third
"$FTR" reset --recover 2> err
same 'a run that died after what stands' second "$(cat t/current_tracer)"
journal 4194305.journal "$boot" set current_tracer first
touch -d '1 hour ago' "$FTR_JOURNAL_DIR/4194305.journal"
journal standing "$boot" set current_tracer second
"$FTR" reset --recover 2> err
same 'a run that died before what stands' first "$(cat t/current_tracer)"

# Killed after its changes had moved to what stands, before it could say so in its own journal.
journal standing "$boot" set current_tracer first set current_tracer second
touch -d '1 hour ago' "$FTR_JOURNAL_DIR/standing"
journal 4194305.journal "$boot" set current_tracer second
"$FTR" reset --recover 2> err
same 'a run that died as it came to stand' first "$(cat t/current_tracer)"

: > "$FTR_JOURNAL_DIR/4194305.journal"
has 'killed before its journal began' "$("$FTR" reset --recover 2>&1)" 'nothing to put back'
check 'killed before its journal began: gone' test ! -e "$FTR_JOURNAL_DIR/4194305.journal"
echo rubbish > "$FTR_JOURNAL_DIR/4194305.journal"
chmod 600 "$FTR_JOURNAL_DIR/4194305.journal"
has 'not a journal' "$("$FTR" reset --recover 2>&1)" "^ftr: warning: .*is not a journal of this version"
check 'not a journal: left' test -e "$FTR_JOURNAL_DIR/4194305.journal"
rm "$FTR_JOURNAL_DIR/4194305.journal"
for path in /etc/passwd ../x a/../../x; do
	journal 4194305.journal "$boot" set $path x
	has "a path out of tracefs: $path" "$("$FTR" reset --recover 2>&1)" 'unknown record'
done
journal 4194305.journal "$boot" sysctl kernel.core_pattern x
has 'a sysctl that is none of ours' "$("$FTR" reset --recover 2>&1)" 'unknown record'

finish
