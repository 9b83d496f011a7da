#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr probe on each kernel: every kind shows the values that a program passed; list, del, carrying definitions over;
# what is refused; and tracefs as it was.
. "$(dirname "$0")/lib/inside.sh" 900

cp "$FTR_BUILD/tests/guest/load/probe_target" target
TARGET=$TMP/target
KNOWN=$TMP/known-file

# The kernel's own words say what it has.
new_kernel() {
	grep -q '<argname>\[->field' $T/README
}

# add WORD...: adds a probe; a failure is shown
add() {
	"$FTR" probe add "$@" 2> err || fail "$K: probe add $*" "$(cat err)"
}

# run EVENT...: what the kernel's own text has of these events while the target runs
run() {
	local e
	mkdir $T/instances/watch
	for e in "$@"; do
		echo 1 > "$T/instances/watch/events/$e/enable"
	done
	"$TARGET" "$KNOWN" || echo "# the target failed"
	grep -v '^#' $T/instances/watch/trace | grep -E 'target|bash' > trace
	rmdir $T/instances/watch
}

# shows FEATURE EVENT PATTERN: in a line of that event
shows() {
	if grep -E "[ :]${2##*/}: " trace | grep -Eq -e "$3"; then
		pass "$K: $1: $3"
		feature "$K" "probe: $1" works
	else
		fail "$K: $1: $3" "$(grep -E "${2##*/}: " trace | head -n 5)" "$(grep -F "$2" $T/dynamic_events)"
	fi
}

# refuse NAME COLUMN WORDS WORD...: the words on stderr, and the caret's column in the user's text (- for none)
refuse() {
	local name=$1 column=$2 words=$3 caret
	shift 3
	cp $T/dynamic_events before.defs
	"$FTR" probe add "$@" 2> err
	same "$K: refused: $name: status" 1 $?
	has "$K: refused: $name: words" "$(cat err)" "$words"
	if [ "$column" != - ]; then
		caret=$(grep -m 1 '^ *^$' err)
		same "$K: refused: $name: the caret" "$column" $((${#caret} - 3))
	fi
	same_files "$K: refused: $name: nothing was added" before.defs $T/dynamic_events
}

events() {
	awk '{ sub(/^[a-z0-9]*:/, "", $1); print $1 }' $T/dynamic_events
}

state_dump "$TMP/state.before"

# --- values

start=$SECONDS
add 'vfs_write file->f_path.dentry->d_name.name:string count'
echo "# $K: adding the first one took $((SECONDS - start)) s"
add --name all/args 'vfs_write $arg*'
add --name regs/vfs_write --registers 'vfs_write count file->f_path.dentry->d_name.name:string'
add 'vfs_write%return $retval'
add --name my/openat 'do_sys_openat2 dfd filename:ustring how->flags:x64'
add 'vm_mmap_pgoff len:x64 prot pgoff'
add 'wake_up_new_task p->comm p->in_execve mine=p->real_parent->comm'
add --max-active 7 --name my/ret 'vfs_write%return ret=$retval:s32 $comm'
add -x "$TARGET" 'known_function $arg1:s32 text=$arg2:string second=+4(%dx):s32 inner=+0(+8(%dx)):string'
add -x "$TARGET" 'known_function%return $retval:s32'
add -e syscalls/sys_enter_write fd count
add -e syscalls:sys_enter_openat --name ev/named filename:ustring 'if flags == 0x241'
add --name cast/fork -e sched/sched_process_fork child_comm child_pid
"$FTR" probe add --name mid/insn 'vfs_write+9 count=%dx:u64' 2> err ||
	"$FTR" probe add --name mid/insn 'vfs_write+5 count=%dx:u64' 2> err || cat err
add 'p:raw/write vfs_write count=%dx:u64'
add --name mod/open 'overlay:ovl_open file->f_path.dentry->d_name.name:string inode->i_ino'
if new_kernel; then
	add --fprobe 'vfs_write count'
	add --fprobe 'vfs_write%return $retval count'
	add --tprobe 'sched_process_exec bprm->filename:string'
	add --name both/ret 'vfs_write%return $retval count'
fi
same "$K: each has its line" "$(events | wc -l)" "$(wc -l < $T/dynamic_events)"
cat $T/dynamic_events | sed 's/^/# /'
run $(events)
shows 'kprobe, string behind pointers' kprobes/vfs_write 'name="known-file"'
shows 'kprobe, argument by name' kprobes/vfs_write ' count=4711( |$)'
shows 'kprobe, all arguments' all/args ' count=4711( |$)'
shows 'kprobe, by registers and offsets' regs/vfs_write 'count=4711 name="known-file"'
shows 'kretprobe' kprobes/vfs_write__return ' retval=4711$'
shows 'kprobe, string of the program' my/openat 'dfd=-100 filename="[^"]*/known-file" flags=0x8241$'
shows 'kprobe, six arguments' kprobes/vm_mmap_pgoff 'len=0x5000 prot=1 pgoff=3$'
shows 'kprobe, array of characters' kprobes/wake_up_new_task 'comm="target" in_execve=0 mine="target"$'
shows 'kretprobe, maxactive' my/ret 'ret=4711 comm="target"$'
shows 'kprobe, instruction' mid/insn 'count=4711$'
shows 'uprobe' uprobes/known_function 'arg1=1234 text="known text" second=4242 inner="inner"$'
shows 'uretprobe' uprobes/known_function__return 'retval=6711$'
shows 'eprobe' eprobes/sys_enter_write 'count=4711$'
shows 'eprobe, string' ev/named 'filename="[^"]*/known-file"$'
shows 'eprobe, of the scheduler' cast/fork 'child_comm="target" child_pid=[1-9]'
shows 'kprobe, arguments of a module' mod/open ' name="ld.so.cache" i_ino=[1-9]'
shows 'raw definition' raw/write 'count=4711$'
same "$K: the filter of an eprobe" 0 "$(grep ' target-.* named: ' trace | grep -vc known-file)"
if new_kernel; then
	shows 'fprobe' fprobes/vfs_write 'count=4711$'
	shows 'fprobe, return' fprobes/vfs_write__return 'retval=4711 count=4711$'
	shows 'tprobe' tracepoints/sched_process_exec 'filename="[^"]*/target"$'
	shows 'kretprobe, arguments' both/ret 'retval=4711 count=4711$'
else
	refuse 'fprobe' - 'no function probes \(CONFIG_FPROBE_EVENTS' --fprobe vfs_write
	feature "$K" "probe: fprobe" "$(sed -n 's/^ftr: //p' err)"
	refuse 'tprobe' - 'no tracepoint probes \(CONFIG_FPROBE_EVENTS' --tprobe sched_process_exec
	feature "$K" "probe: tprobe" "$(sed -n 's/^ftr: //p' err)"
	refuse 'arguments at the return' 17 'does not keep arguments for the return' 'vfs_write%return count'
	feature "$K" "probe: kretprobe, arguments" "$(sed -n '1s/^ftr: //p' err)"
fi

# --- refusals

refuse 'a module that is not there' - "^ftr: this kernel has no module 'nosuchmod'" 'p:kmod nosuchmod:foo'
refuse 'a module that is misspelt' - "^hint: did you mean 'overlay'" 'overlya:ovl_open'
refuse 'an offset beyond the file' - "^ftr: offset 0x7fffffff is beyond the end of '$TARGET'" -x "$TARGET" 0x7fffffff
refuse 'an offset beyond the file, raw' - "^hint: it has 0x[0-9a-f]+ bytes" "p:beyond $TARGET:0x7fffffff"
if new_kernel; then
	refuse 'a tracepoint that is not there' - "^ftr: this kernel has no tracepoint 'nosuch_tp'" --tprobe nosuch_tp
	refuse 'a tracepoint that is misspelt' - "^hint: did you mean 'sched_switch'" --tprobe sched_swich
fi
add --name later/mod 'ext4:ext4_sync_fs %di'
same "$K: a module to come is waited for" 'ext4:ext4_sync_fs' "$(awk '/later\/mod/ { print $2 }' $T/dynamic_events)"
"$FTR" probe del later/mod 2> err

refuse 'a register' 10 'Invalid register name' 'vfs_write %zz'
refuse 'a function' 0 'Invalid probed address or symbol' 'vfs_wriite'
refuse 'a member' 16 'member|field is not found' 'vfs_write file->f_nosuch'
refuse 'an argument' 10 "no argument 'cuont'|not found at this probe point" 'vfs_write cuont'
# Of a command of more than 120 bytes the kernel's message shows a part.
refuse 'the last of many' 43 'Invalid .*variable' 'vfs_write+0x10 %di:u64 %si:u64 %dx:u64 %cx $current'
refuse 'a field in the filter of an event probe' 12 'Field not found' -e sched/sched_switch prev_pid 'if next_pd > 3'
blacklisted=$(awk '$2 ~ /^do_/ { print $2; exit }' /sys/kernel/debug/kprobes/blacklist)
refuse 'a function that takes no probe' 0 "Failed to register" "$blacklisted"
has "$K: refused: a function that takes no probe: hint" "$(cat err)" \
	"^hint: '$blacklisted' is on the blacklist of kprobes"
refuse 'an event' - "no event matches 'sched:sched_swich'" -e sched/sched_swich prev_comm
refuse 'a name that is taken' - "event 'kprobes/vfs_write' exists" --name kprobes/vfs_write vfs_read
refuse 'raw' - 'Invalid register name' 'p:raw/x vfs_write a=%zz'

# --- list

"$FTR" probe list > list
has "$K: list: a line" "$(cat list)" '^kprobes/vfs_write +kprobe +[0-9]+ +0 +no +vfs_write '
"$FTR" probe list --json > list.json
python3 - list.json $T <<'PY' > list.out
import json, sys
T = sys.argv[2]
got = json.load(open(sys.argv[1]))
filters = {p['event']: p['filter'] for p in got if p['kind'] == 'eprobe'}
assert filters == {'eprobes/sys_enter_write': None, 'ev/named': 'flags == 0x241', 'cast/fork': None}, filters
shown = [p['definition'].replace(' if flags == 0x241', '') for p in got]
assert shown == open(T + '/dynamic_events').read().splitlines(), 'definitions'
hits = [line.split()[-2] for line in open(T + '/kprobe_profile')]
uhits = [line.split()[-1] for line in open(T + '/uprobe_profile')]
kinds = {'kprobe', 'kretprobe'}
shown = [p for p in got if p['kind'] in kinds]
assert len(shown) == len(hits) and all(s['hits'] <= int(h) for s, h in zip(shown, hits)), 'hits'
assert [str(p['hits']) for p in got if p['kind'].startswith('ur') or p['kind'] == 'uprobe'] == uhits, 'uprobe hits'
assert all(h == '1' for h in uhits), uhits
assert any(p['hits'] > 0 for p in shown), 'no hits'
print('fine')
PY
same "$K: list --json: as the kernel's files" fine "$(cat list.out)"

# --- carrying over, del

"$FTR" probe list --print-def > defs
# the kernel shows no filter
sed '/:ev\/named/s/$/ if flags == 0x241/' $T/dynamic_events > want
same_files "$K: --print-def: as dynamic_events, with the filter" want defs
# an event that is enabled, filtered, in an instance too
mkdir $T/instances/other
echo 1 > $T/instances/other/events/kprobes/vfs_write/enable
echo 1 > $T/events/my/openat/enable
echo 'dfd == 1' > $T/events/my/openat/filter
check "$K: del: a glob" "$FTR" probe del 'my/*'
same "$K: del: they are gone" 0 "$(grep -c ':my/' $T/dynamic_events)"
"$FTR" probe del nothing 2> err
same "$K: del: none: status" 1 $?
has "$K: del: none: words" "$(cat err)" "no probe matches 'nothing'"
check "$K: del --all" "$FTR" probe del --all
same "$K: del --all: none is left" '' "$(cat $T/dynamic_events)"
rmdir $T/instances/other
sed 's/^/# /; 1i\
' defs > commented
{ echo '# carried over'; cat defs; } > carried
check "$K: load" "$FTR" probe load carried
sed 's/ if flags == 0x241//' defs > want
same_files "$K: load: the same definitions" want $T/dynamic_events
same "$K: load: the filter is known again" 1 "$("$FTR" probe --print-def | grep -c ':ev/named .* if flags == 0x241$')"
run kprobes/vfs_write uprobes/known_function my/openat eprobes/sys_enter_write ev/named
shows 'eprobe, carried over' ev/named 'filename="[^"]*/known-file"$'
same "$K: the filter of an eprobe is carried over" 0 "$(grep ' target-.* named: ' trace | grep -vc known-file)"
shows 'definitions carried over' kprobes/vfs_write 'name="known-file" count=4711$'
shows 'definitions carried over, uprobe' uprobes/known_function 'arg1=1234 '
"$FTR" probe --from-def carried 2> err
same "$K: load again: status" 1 $?
same_files "$K: load again: nothing was changed" want $T/dynamic_events
{ echo 'p:half/one vfs_read'; echo 'p:half/two vfs_read a=%zz'; } | "$FTR" probe load - 2> err
same "$K: load: all or nothing: status" 1 $?
same_files "$K: load: all or nothing" want $T/dynamic_events

# --- what was added and removed is nothing to put back

"$FTR" probe del --all 2> err
"$FTR" reset 2> err
: > $T/dynamic_events
modprobe nbd
add 'p:gone/k nbd:nbd_open'
add 'r:gone/r nbd_open'
if new_kernel; then
	add 'f:gone/f nbd_open'
fi
"$FTR" start -q -e 'gone:*'
check "$K: a module that goes: del" "$FTR" probe del 'gone/*'
modprobe -r nbd
check "$K: a module that goes: reset" "$FTR" reset
"$FTR" reset 2> err
has "$K: a module that goes: nothing stands" "$(cat err)" '^ftr: nothing to put back$'

# --- an event of several places

# several TYPE EVENT PLACE PLACE PLACE: the third is that of somebody else
several() {
	local kind=$1 event=$2 one=$3 two=$4 three=$5
	add "$kind:$event $one"
	add "$kind:$event $two"
	same "$K: places of $event: added" 2 "$(events | grep -cx "$event")"
	"$FTR" probe add "$kind:$event $two" 2> err
	same "$K: places of $event: the same place again" 1 $?
	check "$K: places of $event: del" "$FTR" probe del $event
	check "$K: places of $event: del: all gone" test ! -s $T/dynamic_events
	"$FTR" reset 2> err
	has "$K: places of $event: nothing to put back" "$(cat err)" '^ftr: nothing to put back$'
	# one of somebody else, added after ours, in between or before
	for order in $(sample 2 ours,theirs ours,theirs,ours2 theirs,ours theirs,ours,ours2); do
		for away in "probe del $event" reset; do
			for who in ${order//,/ }; do
				case $who in
				ours) add "$kind:$event $one" ;;
				ours2) add "$kind:$event $two" ;;
				theirs) echo "$kind:$event $three" >> $T/dynamic_events ;;
				esac
			done
			echo "$kind:$event $three" > alone
			echo 1 > $T/events/$event/enable
			check "$K: places of $event, $order: $away" "$FTR" $away
			same "$K: places of $event, $order: $away: theirs is left" 1 "$(wc -l < $T/dynamic_events)"
			case $away in
			probe*)
				same "$K: places of $event, $order: $away: it stays enabled" 1 \
					"$(cat $T/events/$event/enable)"
				"$FTR" reset 2> err
				same "$K: places of $event, $order: reset after it: theirs is left" 1 \
					"$(wc -l < $T/dynamic_events)" ;;
			esac
			cp $T/dynamic_events left
			echo 0 > $T/events/$event/enable
			: > $T/dynamic_events
			echo "$kind:$event $three" >> $T/dynamic_events
			same_files "$K: places of $event, $order: $away: it is theirs" $T/dynamic_events left
			: > $T/dynamic_events
		done
	done
	# what somebody else defined and we removed, comes back
	echo "$kind:$event $three" >> $T/dynamic_events
	echo "$kind:$event $one" >> $T/dynamic_events
	cp $T/dynamic_events want
	check "$K: places of $event: del, theirs" "$FTR" probe del $event
	check "$K: places of $event: del, theirs: gone" test ! -s $T/dynamic_events
	check "$K: places of $event: del, theirs: reset" "$FTR" reset
	sort want > want.sorted
	sort $T/dynamic_events > now.sorted
	same_files "$K: places of $event: del, theirs: they are back" want.sorted now.sorted
	: > $T/dynamic_events
}

several p several/k vfs_read vfs_write+0x9 vfs_open
several r several/r vfs_read vfs_write vfs_open
# Linux 7.2 oopses if a place of a uprobe that is on is taken away: ftr turns it off meanwhile.
several p several/u $(for f in known_function main _start; do
	"$FTR" probe add --dry-run -x "$TARGET" $f | sed 's/^[^ ]* //; s/ .*//'
done)
if new_kernel; then
	several f several/f vfs_read vfs_write vfs_open
	several f several/fr vfs_read%return vfs_write%return vfs_open%return
	several t several/t sched_switch sched_waking sched_wakeup
fi
refuse 'a place of what is no probe' - "event 'sched/sched_switch' exists" 'p:sched/sched_switch vfs_read'
check "$K: load, for what follows" "$FTR" probe load carried

# --- programs that another mount namespace has

mkdir here
cp target here/both
unshare -m sh -c 'mount -t tmpfs t "$1" && cp "$2" "$1/both" && cp "$2" "$1/alone" && : > ready; exec sleep 1000' \
	sh "$TMP/here" "$TARGET" &
far=$!
wait_until 60 test -e ready
ln -s target link
same "$K: a link is resolved" "$TARGET" \
	"$("$FTR" probe add --dry-run -x link known_function | sed 's/^[^ ]* //; s/:0x.*//')"
same "$K: a relative path there" "/proc/$far/root/.$TMP/here/alone" \
	"$(cd "/proc/$far/root" && "$FTR" probe add --dry-run -x ".$TMP/here/alone" known_function |
		sed 's/^[^ ]* //; s/:0x.*//')"
for f in both alone; do
	add --name far/$f -x "/proc/$far/root$TMP/here/$f" known_function
	has "$K: $f: the kernel is told the path as given" "$(cat $T/uprobe_events)" \
		":far/$f /proc/$far/root$TMP/here/$f:0x"
	echo 1 > $T/events/far/$f/enable
	nsenter -t "$far" -m "$TMP/here/$f" "$KNOWN"
	same "$K: $f: it is the file over there" 1 "$(awk -v e=$f '$2 == e { print $3 }' $T/uprobe_profile)"
	echo 0 > $T/events/far/$f/enable
done
check "$K: del far" "$FTR" probe del 'far/*'
kill "$far"
wait "$far" 2> /dev/null

# --- switched off

add --name off/kprobe vfs_write
add --name off/uprobe -x "$TARGET" known_function
for on in 0 1; do
	echo $on > /sys/kernel/debug/kprobes/enabled
	run off/kprobe off/uprobe
	for kind in kprobe uprobe; do
		same "$K: ftr check ${kind}s, kprobes/enabled is $on: as the events that come" \
			"$(grep -q " $kind: " trace; echo $?)" "$("$FTR" check ${kind}s > out; echo $?)"
	done
	"$FTR" check kprobes-enabled kprobes > out
	same "$K: ftr check, kprobes/enabled is $on: words" "$((2 - 2 * on))" \
		"$(grep -c ' no  *all kprobes are switched off' out)"
done
check "$K: del off" "$FTR" probe del 'off/*'

# --- recording, and back

"$FTR" record -q -e kprobes:vfs_write -e uprobes:known_function -o r.dat -- "$TARGET" "$KNOWN" 2> err
has "$K: ftr record and report" "$("$FTR" report r.dat 2>&1)" 'vfs_write: .* count=4711'
has "$K: ftr record and report, uprobe" "$("$FTR" report r.dat 2>&1)" 'known_function: .* arg1=1234 text="?known text'
if "$FTR" help | grep -q '^  reset '; then
	echo 1 > $T/events/kprobes/vfs_write/enable
	check "$K: reset" "$FTR" reset
	feature "$K" "probe: ftr reset" works
else
	check "$K: del --all, again" "$FTR" probe del --all
fi
same "$K: no probe is left" '' "$(cat $T/dynamic_events)"
rm -f "$KNOWN"
state_dump "$TMP/state.after"
out=$(state_equal "$TMP/state.before" "$TMP/state.after")
same "$K: tracefs is as it was" "0 " "$? $out"
pass "$K: the end is reached"
finish
