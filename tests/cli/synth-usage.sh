#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr sqlhist and ftr synth without a kernel: the texts that they would write, wrong SQL and wrong arguments. The
# formats and the texts are written by hand.
. "$(dirname "$0")/../lib.sh"

# libtracefs' tracefs_synth_echo_cmd() prints nothing where no tracefs is mounted, whatever folder it was told.
if ! grep -q ' tracefs ' /proc/mounts; then
	[ "${FTR_MOUNTED:-}" != 1 ] && unshare -m true 2> /dev/null &&
		FTR_MOUNTED=1 exec unshare -m sh -c 'mount -t tracefs tracefs /sys/kernel/tracing; exec bash "$0"' "$0"
	skip "synth and sqlhist: usage" "tracefs is not mounted, and cannot be here"
	exit 0
fi

FTR_TRACEFS=$TMP/tracing
export FTR_TRACEFS
FTR_IS_SAN=${FTR_IS_SAN:-}
# libtracefs 1.6.4 loses memory when it refuses a statement.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
TR=$FTR_TRACEFS

# event SYSTEM NAME ID "TYPE NAME:OFFSET:SIZE:SIGNED"...
event() {
	local dir=$TR/events/$1/$2 f decl
	mkdir -p "$dir"
	echo "$1:$2" >> "$TR/available_events"
	{
		printf 'name: %s\nID: %s\nformat:\n' "$2" "$3"
		printf '\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n'
		printf '\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n'
		printf '\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n'
		printf '\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n'
		shift 3
		for f; do
			IFS=: read -r decl off size signed <<< "$f"
			printf '\tfield:%s;\toffset:%s;\tsize:%s;\tsigned:%s;\n' "$decl" "$off" "$size" "$signed"
		done
		printf '\nprint fmt: "x"\n'
	} > "$dir/format"
}

mkdir -p "$TR/instances"
touch "$TR/current_tracer"
event sched sched_waking 10 'char comm[16]:8:16:0' 'pid_t pid:24:4:1' 'int prio:28:4:1'
event sched sched_switch 11 'char prev_comm[16]:8:16:0' 'pid_t prev_pid:24:4:1' 'int prev_prio:28:4:1' \
	'long prev_state:32:8:1' 'char next_comm[16]:40:16:0' 'pid_t next_pid:56:4:1' 'int next_prio:60:4:1'
event raw_syscalls sys_enter 12 'long id:8:8:1' 'unsigned long args[6]:16:48:0'
event raw_syscalls sys_exit 13 'long id:8:8:1' 'long ret:16:8:1'
event other sys_exit 14 'u64 ret:8:8:0' '__data_loc char[] name:16:4:0'

# shows NAME WANTED ARGS...: what is printed, with status 0
shows() {
	local name=$1 wanted=$2 got
	shift 2
	got=$("$FTR" "$@" 2>&1)
	same "$name: status 0" 0 $?
	same "$name" "$wanted" "$got"
}

# refuses NAME STATUS WANTED ARGS...
refuses() {
	local name=$1 status=$2 wanted=$3 got
	shift 3
	got=$("$FTR" "$@" 2>&1)
	same "$name: status $status" "$status" $?
	same "$name" "$wanted" "$got"
}

J='FROM sched_waking AS start JOIN sched_switch AS end ON start.pid = end.next_pid'
LAT='(end.TIMESTAMP_USECS - start.TIMESTAMP_USECS) AS lat'

shows 'a join' "echo 'wl pid_t pid; u64 lat' >> $TR/synthetic_events
echo 'hist:keys=pid:__arg_wl_2=common_timestamp.usecs' >> $TR/events/sched/sched_waking/trigger
echo 'hist:keys=next_pid:__pid_wl_1=next_pid,__lat_wl_3=common_timestamp.usecs-\$__arg_wl_2\
:onmatch(sched.sched_waking).trace(wl,\$__pid_wl_1,\$__lat_wl_3)' >> $TR/events/sched/sched_switch/trigger" \
	sqlhist -n wl -e "SELECT end.next_pid AS pid, $LAT $J"
shows 'a join with filters, in an instance' "echo 'Anonymous u64 lat' >> $TR/synthetic_events
echo 'hist:keys=pid:__arg_Anonymous_1=common_timestamp.usecs if prio < 100' \
>> $TR/instances/i/events/sched/sched_waking/trigger
echo 'hist:keys=next_pid:__lat_Anonymous_2=common_timestamp.usecs-\$__arg_Anonymous_1\
:onmatch(sched.sched_waking).trace(Anonymous,\$__lat_Anonymous_2) if next_comm~\"it'\\''s*\"' \
>> $TR/instances/i/events/sched/sched_switch/trigger" \
	sqlhist -B i "SELECT $LAT $J WHERE start.prio < 100 && end.next_comm ~ \"it's*\""
shows 'a field of the first event' "echo 'p pid_t pid; char comm[16]' >> $TR/synthetic_events
echo 'hist:keys=pid:__arg_p_2=pid,__arg_p_4=comm' >> $TR/events/sched/sched_waking/trigger
echo 'hist:keys=next_pid:__pid_p_1=\$__arg_p_2,__comm_p_3=\$__arg_p_4\
:onmatch(sched.sched_waking).trace(p,\$__pid_p_1,\$__comm_p_3)' >> $TR/events/sched/sched_switch/trigger" \
	sqlhist -n p "SELECT start.pid, start.comm $J"

# end OPTIONS...: the trigger of the second event
end() {
	"$FTR" sqlhist -n wl "SELECT end.next_pid AS pid, $LAT $J" "$@" 2>&1 |
		sed -n "3s/.*-.__arg_wl_2:\\(.*\\)' >> .*/\\1/p"
}
same 'onmax alone fires the event' 'onmax($__lat_wl_3).trace(wl,$__pid_wl_1,$__lat_wl_3)' "$(end -m lat)"
same 'onmax save' 'onmax($__lat_wl_3).save(next_comm,next_prio)' "$(end -m lat -S next_comm,next_prio)"
same 'onmax snapshot' 'onmax($__lat_wl_3).snapshot()' "$(end -m lat -s)"
same 'onchange trace and save' \
	'onchange($__pid_wl_1).trace(wl,$__pid_wl_1,$__lat_wl_3):onchange($__pid_wl_1).save(prev_pid)' \
	"$(end -c pid -T -S prev_pid)"
same 'onmax with everything' \
	"onmax(\$__lat_wl_3).trace(wl,\$__pid_wl_1,\$__lat_wl_3):onmax(\$__lat_wl_3).save(prev_pid)\
:onmax(\$__lat_wl_3).snapshot()" \
	"$(end -m lat -T -S prev_pid -s)"

shows 'a histogram' "echo 'hist:keys=common_pid.execname,id.syscall' >> $TR/events/raw_syscalls/sys_enter/trigger" \
	sqlhist 'SELECT CAST(common_pid AS comm), CAST(id AS syscall) FROM sys_enter'
shows 'a histogram with a value, by system and lower case' \
	"echo 'hist:keys=id:vals=ret if ret < 0' >> $TR/events/raw_syscalls/sys_exit/trigger" \
	sqlhist 'select id, cast(ret as _COUNTER_) from raw_syscalls.sys_exit where ret < 0'
shows 'a string that looks like the end of a command' \
	"echo 'hist:keys=pid if comm~\"a'\\'' > /x\"' >> $TR/events/sched/sched_waking/trigger" \
	sqlhist "SELECT pid FROM sched_waking WHERE comm ~ \"a' > /x\""
echo 'SELECT pid
FROM sched_waking' > "$TMP/q.sql"
shows 'a statement from a file' "echo 'hist:keys=pid' >> $TR/events/sched/sched_waking/trigger" sqlhist -f "$TMP/q.sql"
same 'a statement from stdin' "echo 'hist:keys=pid' >> $TR/events/sched/sched_waking/trigger" \
	"$("$FTR" sqlhist -f - < "$TMP/q.sql")"
same 'as JSON' \
	"wl pid_t pid; u64 lat|sched/sched_waking|hist:keys=pid:__arg_wl_2=common_timestamp.usecs\
|sched/sched_switch|True" \
	"$("$FTR" sqlhist -n wl "SELECT end.next_pid AS pid, $LAT $J" --json | python3 -c '
import json, sys
o = json.load(sys.stdin)
print("|".join([o["event"], o["start_event"], o["start_trigger"], o["end_event"],
                str(o["end_trigger"].startswith("hist:keys=next_pid:"))]))')"

refuses 'an unknown event' 2 "ftr: wrong SQL: event not found: 'nonesuch'
  SELECT pid FROM nonesuch
                  ^
hint: available_events lists them; a module's come with it" sqlhist 'SELECT pid FROM nonesuch'
refuses 'an unknown field, of which libtracefs says nothing' 2 "ftr: wrong SQL: unknown name: 'bytes'
  SELECT common_pid, bytes FROM sched_switch
                     ^" sqlhist 'SELECT common_pid, bytes FROM sched_switch'
refuses 'an unknown field of a join' 2 "ftr: wrong SQL: Field 'nope' not part of event sched_switch: 'end.nope'
  SELECT end.nope FROM sched_waking AS start JOIN sched_switch AS end ON start.pid = end.next_pid
         ^" sqlhist "SELECT end.nope $J"
refuses 'a wrong word, behind tabs, in the second line' 2 "ftr: wrong SQL: syntax error: 'sched_waking'
    comm FRM sched_waking x
             ^" sqlhist $'SELECT pid,\n\t\tcomm FRM sched_waking x'
refuses 'an end too early' 2 "ftr: wrong SQL: it ends too early
  SELECT start.pid FROM sched_waking AS start JOIN
                                                  ^" sqlhist 'SELECT start.pid FROM sched_waking AS start JOIN'
refuses 'an unknown type' 2 "ftr: wrong SQL: Cast of 'pid' to unknown type 'nope': 'pid'
  SELECT CAST(pid AS nope) FROM sched_waking
              ^" sqlhist 'SELECT CAST(pid AS nope) FROM sched_waking'
refuses 'an || of two events' 2 "ftr: wrong SQL: what || and () join must be of one event: 'b.prev_pid'
  SELECT a.pid FROM sched_waking AS a JOIN sched_switch AS b ON a.pid = b.next_pid WHERE a.prio < 5 || b.prev_pid = 5
                                                                                                       ^" \
	sqlhist "SELECT a.pid FROM sched_waking AS a JOIN sched_switch AS b ON a.pid = b.next_pid \
WHERE a.prio < 5 || b.prev_pid = 5"
refuses 'a watched field that is none' 2 "ftr: 'late' is not a field of 'wl'
hint: it has: pid, lat" sqlhist -n wl -m late "SELECT end.next_pid AS pid, $LAT $J"
refuses 'a watched field of a histogram' 2 "ftr: 'pid' cannot be watched without a second event" \
	sqlhist -m pid 'SELECT pid FROM sched_waking'
long="SELECT end.next_pid AS a_name_that_is_rather_long, end.prev_comm AS another_name_that_is_no_shorter, end.nope $J"
got=$("$FTR" sqlhist "$long" 2>&1)
at=$(sed -n 2p <<< "$got")
caret=$(sed -n 3p <<< "$got")
caret=${caret%^}
same 'of a long statement what is around the caret is shown' 'end.nope ...' "${at:${#caret}:8} ${at: -3}"

# What the arguments alone tell.
wrong() {
	local name=$1 pattern=$2
	shift 2
	refused=$("$FTR" "$@" 2>&1)
	same "$name: status 2" 2 $?
	has "$name" "$refused" "$pattern"
}
wrong 'no statement' 'no SQL statement' sqlhist
wrong 'two statements' 'not both' sqlhist -f "$TMP/q.sql" -e 'SELECT'
wrong 'actions without a handler' '-s, -S and -T need -m FIELD or -c FIELD' sqlhist -s 'SELECT pid FROM sched_waking'
wrong 'two handlers' 'exclude each other' sqlhist -m a -c b 'SELECT pid FROM sched_waking'
wrong 'made and run' '-x keeps the event, a run removes it' sqlhist -x -d 1 'SELECT pid FROM sched_waking'
wrong 'no time' "'soon' is not a time" sqlhist -d soon 'SELECT pid FROM sched_waking'
wrong 'two outputs' '--raw and --json exclude each other' sqlhist --raw --json -d 1 'SELECT pid FROM sched_waking'
wrong 'the text of no run' '--raw prints the events of a run' sqlhist --raw 'SELECT pid FROM sched_waking'
wrong 'no verb' 'needs a verb|Verbs:|verb' synth
wrong 'an unknown verb' "'ad'" synth ad
wrong 'an event without its name' 'needs a name or a definition' synth add
wrong 'two definitions' "'b u32 c' is one word too many" synth add 'a u64 b' 'b u32 c'
wrong 'half a join' 'needs both --from EVENT and --to EVENT' synth add x --from sched_waking
wrong 'no key' 'takes one to 3 --on KEY, not 0' synth add x --from sched_waking --to sched_switch --latency --print
wrong 'no field' "'x' would have no field" synth add x --from sched_waking --to sched_switch --on pid=next_pid --print
wrong 'an ambiguous event' "'sys_exit' names 2 events" \
	synth add x --from sys_enter --to sys_exit --on common_pid --latency --print
wrong 'a field that is near' "did you mean 'next_pid'" \
	synth add x --from sched_waking --to sched_switch --on pid=next_pd --latency --print
wrong 'keys that differ in kind' "'comm' and 'next_pid' cannot be compared" \
	synth add x --from sched_waking --to sched_switch --on comm=next_pid --latency --print
wrong 'an array' "'args' is neither a number nor a string: 'unsigned long args\[6\]'" \
	synth add x --from sys_exit --to sys_enter --on common_pid --from raw_syscalls:sys_exit --field args --print
wrong 'nothing to remove' 'needs the name of an event' synth del
wrong 'nothing to remove, by another word' "ftr synth del needs the name of an event" synth remove

shows 'synth: a join with everything' \
	"echo 'w s32 prio; s64 prev_state; char who[16]; u32 common_cpu; u64 lat' >> $TR/synthetic_events
echo 'hist:keys=pid,prio:w_prio=prio,w_ts=common_timestamp if prio < 5' >> $TR/events/sched/sched_waking/trigger
echo 'hist:keys=next_pid,next_prio:w_prio_=\$w_prio,w_prev_state_=prev_state,w_common_cpu_=common_cpu,\
w_lat_=common_timestamp-\$w_ts:onmatch(sched.sched_waking)\
.trace(w,\$w_prio_,\$w_prev_state_,next_comm,\$w_common_cpu_,\$w_lat_) if next_pid != 0' \
>> $TR/events/sched/sched_switch/trigger" \
	synth add w --from sched:sched_waking --to sched_switch --on pid=next_pid --on prio=next_prio \
	--field from.prio --field prev_state --field who=to.next_comm --field common_cpu --latency --nsecs \
	--from-if 'prio < 5' --to-if 'next_pid != 0' --print
shows 'synth: onmax' "echo 'n char name[]; u64 lat' >> $TR/synthetic_events
echo 'hist:keys=common_pid:n_ts=common_timestamp.usecs' >> $TR/events/raw_syscalls/sys_enter/trigger
echo 'hist:keys=common_pid:n_lat_=common_timestamp.usecs-\$n_ts\
:onmax(\$n_lat_).trace(n,name,\$n_lat_):onmax(\$n_lat_).save(ret)' >> $TR/events/other/sys_exit/trigger" \
	synth add n --from sys_enter --to other:sys_exit --on common_pid --field name --latency -m lat -S ret \
	--trace --print
shows 'synth: a definition' "echo 'a u64 b; char c[]' >> $TR/synthetic_events" synth add 'a u64 b; char c[]' --print
wrong 'synth: a string cannot be watched' "'who' is a field of the second event, not a variable" \
	synth add w --from sched:sched_waking --to sched_switch --on pid=next_pid --field who=next_comm -m who --print

# The inputs of the error cases and the page that names them.
same 'Documentation/made/error-cases.md names the cases that are tried' \
	"$(awk '!/^[#!]/ { print $1, $2 }' "$FTR_TOP/tests/guest/lib/error-cases.txt" | sort)" \
	"$(awk '/^## Where/ { exit } /^## / { family = $2; next } family { n = split($0, w, ", *")
		for (i = 1; i <= n; i++) if (w[i] != "") print family, w[i] }' \
		"$FTR_TOP/Documentation/made/error-cases.md" |
		sort)"

finish
