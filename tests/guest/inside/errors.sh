#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs inside a guest, started by errors.sh: errors.sh KERNEL-SERIES

. "$FTR_TOP/tests/guest/lib/checks-lib.sh"
FTR_JOURNAL_DIR=$TMP/journal
export FTR_JOURNAL_DIR
mkdir -m 700 "$FTR_JOURNAL_DIR"

# refuses NAME WORDS BEHIND ARGS...: fails, says WORDS, and its caret stands over what starts with BEHIND.
refuses() {
	local name=$1 words=$2 behind=$3 caret at
	shift 3
	if "$FTR" "$@" > stdout 2> err; then
		fail "$K: $name: refused" "$(cat stdout)"
		return
	fi
	has "$K: $name: the kernel's words" "$(cat err)" "$words"
	caret=$(grep -n '^ *^$' err | head -n 1)
	at=${caret#*:}
	at=${at%^}
	caret=$(sed -n "$((${caret%%:*} - 1))p" err)
	caret=${caret:${#at}}
	same "$K: $name: the caret" "$behind" "${caret:0:${#behind}}"
}

# reason NAME WORDS HINT ARGS...: fails for that reason, with that hint
reason() {
	local name=$1 words=$2 hint=$3
	shift 3
	"$FTR" "$@" > stdout 2> err
	same "$K: $name: status" 1 $?
	has "$K: $name: the reason" "$(cat err)" "^ftr: $words\$"
	has "$K: $name: the hint" "$(cat err)" "^hint: $hint\$"
}

# Refused before anything was changed: no journal waits for ftr reset --recover.
read_only() {
	mount -o remount,ro "$T"
	RO="it is mounted read-only; as root: mount -o remount,rw $T"
	reason 'read-only: start' ".*: Read-only file system" "$RO" start -e $E
	reason 'read-only: an instance' "cannot make the instance .*: Read-only file system" "$RO" start -B ours -e $E
	reason 'read-only: clear' ".*: Read-only file system" "$RO" clear
	reason 'read-only: set-pid' ".*: Read-only file system" "$RO" set-pid --event 1
	reason 'read-only: set' ".*: Read-only file system" "$RO" set -l vfs_open
	! grep -q 'module events via: :mod:' $T/README ||
		reason 'read-only: an event of a module' ".*: Read-only file system" "$RO" set -e :mod:nosuch
	reason 'read-only: a trigger' ".*: Read-only file system" "$RO" trigger add $E traceoff
	reason 'read-only: a command of a function' ".*: Read-only file system" "$RO" \
		trigger add --func vfs_open traceoff
	"$FTR" probe add do_sys_openat2 > stdout 2> err
	"$FTR" synth add ev 'u64 a' > stdout 2> err
	"$FTR" record -q -F -e $E -o ro.dat -- true > stdout 2> err
	"$FTR" hist $E comm -d 1 > stdout 2> err
	"$FTR" snapshot take > stdout 2> err
	same "$K: read-only: nothing waits to be put back" '' "$(ls "$FTR_JOURNAL_DIR"/*.journal 2> /dev/null)"
	same "$K: read-only: nothing stands" '' "$("$FTR" reset -n)"
	"$FTR" check rights > out 2> err
	has "$K: read-only: check rights" "$(tr -s ' \n' ' ' < out)" \
		" cannot write '$T/[a-z_]*': Read-only file system hint: $RO"
	mount -o remount,rw "$T"
	"$FTR" reset --recover > out 2>&1
}

E=sched:sched_process_exit
T=$TRACEFS
if [ "${FTR_PARTS:-}" = read_only ]; then
	read_only
	pass "$K: the end is reached"
	finish
fi
"$FTR" record -o warm.dat -e sched:sched_process_exec -- true > /dev/null 2>&1	# buffers have their size
state_dump first.state
python3 "$FTR_TOP/tests/guest/inside/error-check.py" "$K" "$FTR_TOP/tests/guest/lib/error-cases.txt" \
	"$FTR_BUILD/tests/guest/load/error_drive" > tap 2> err
cat tap
same "$K: all families were tried" 10 "$(grep -c 'errors of' tap)"
[ -s err ] && fail "$K: error-check.py" "$(cat err)"

# The same through the commands.
refuses 'record -f' 'Field not found' 'nofield == 5' record -o x.dat -e $E -f 'prio < 5 && nofield == 5' -- true
refuses 'record -f with tabs' 'Invalid value' 'word' record -o x.dat -e $E -f $'prio\t==\tword' -- true
refuses 'record -R' "Couldn't find field" 'nofield' record -o x.dat -e $E -R 'hist:keys=pid:vals=nofield' -- true
refuses 'synth add' 'Invalid type' 'wrong b' synth add $'ev\tu64 a; wrong b'
refuses 'synth add, long' 'Invalid type' 'wrong b' synth add \
	"ev $(for i in $(seq 30); do printf 'u64 field_%d; ' "$i"; done)wrong b; u32 z"

# words between two comparisons are EPERM, a matter of syntax all the same
for word in and or '&' ''; do
	"$FTR" start -e sched:sched_switch -f "prev_pid == 1 $word next_pid == 2" 2> err
	same "$K: -f with '$word': status" 1 $?
	has "$K: -f with '$word': the kernel's words" "$(cat err)" 'Too many terms'
	same "$K: -f with '$word': the hint" "hint: comparisons are joined by '&&' and '||'" "$(grep ^hint err)"
done
for word in '&&' '||'; do
	check "$K: -f with '$word' is taken" "$FTR" start -q -e sched:sched_switch \
		-f "prev_pid == 1 $word next_pid == 2"
	"$FTR" reset > out 2>&1
done

read_only

mkdir "$T/instances/read"
sleep 1000 < "$T/instances/read/trace_pipe" &
reason 'a reader of the buffer' "cannot set tracer 'function': 'sleep' \\(pid $!\\) reads trace_pipe" \
	'a tracer is changed while nobody reads its buffer' start -B read -p function -l vfs_open
kill $!
wait $! 2> stdout
# those that a kernel has: FTR_LONG=1 takes one that has all
while read -r tracer other; do
	grep -qw "$tracer" "$T/available_tracers" && grep -qw "$other" "$T/available_tracers" || continue
	echo "$other" > "$T/instances/read/current_tracer"
	reason "$tracer beside $other" "cannot set tracer '$tracer': tracer '$other' of instance 'read' excludes it" \
		"'ftr set -B read -p nop' ends that one" start -B ours -p "$tracer"
	echo nop > "$T/instances/read/current_tracer"
	echo "$other" > "$T/current_tracer"
	reason "$tracer beside $other, top level" \
		"cannot set tracer '$tracer': tracer '$other' of the top level excludes it" \
		"'ftr set -p nop' ends that one" start -B ours -p "$tracer"
	check "$K: $tracer beside $other: as the hint says" "$FTR" set -p nop
	check "$K: $tracer beside $other: then it runs" "$FTR" start -q -B ours -p "$tracer"
	"$FTR" reset > out 2>&1
	echo nop > "$T/current_tracer"
done <<'X'
timerlat osnoise
osnoise timerlat
hwlat hwlat
wakeup wakeup_rt
wakeup_rt wakeup_dl
X
rmdir "$T/instances/read"
"$FTR" clear > out 2>&1
state_dump now.state
check "$K: nothing of it stays" state_equal first.state now.state
pass "$K: the end is reached"
finish
