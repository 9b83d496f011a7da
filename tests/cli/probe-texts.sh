#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr probe add: the inputs of its man page become the texts that stand there, on both kinds of kernel; what can't
# be translated is pointed at. Types come from a BTF file and offsets from a program that are made here.
. "$(dirname "$0")/../lib.sh"

if ! python3 "$ORACLE/mkbtf.py" "$TMP/btf"; then
	skip "probe texts" "no python3"
	exit 0
fi

# What README says on 6.1 ("old") and on 6.12 ("new"), as far as it matters here.
for kind in old new; do
	mkdir -p "$TMP/$kind/events/sched/sched_switch" "$TMP/$kind/events/syscalls/sys_enter_openat"
	echo nop > "$TMP/$kind/current_tracer"
	printf 'sched:sched_switch\nsched:sched_wakeup\nsyscalls:sys_enter_openat\n' > "$TMP/$kind/available_events"
	cat > "$TMP/$kind/README" <<-'README'
		   Format: p[:[<group>/][<event>]] <place> [<args>]
		           r[maxactive][:[<group>/][<event>]] <place> [<args>]
		           e[:[<group>/][<event>]] <attached-group>.<attached-event> [<args>] [if <filter>]
		    place: [<module>:]<symbol>[+<offset>]|<memaddr>
		   place (uprobe): <path>:<offset>[%return][(ref_ctr_offset)]
	README
	printf '\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n%s\n%s\n%s\n%s\n' \
		$'\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;' \
		$'\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;' \
		$'\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;' \
		$'\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;' \
		> "$TMP/$kind/events/sched/sched_switch/format"
	printf '\tfield:int dfd;\toffset:16;\tsize:8;\tsigned:0;\n%s\n' \
		$'\tfield:const char * filename;\toffset:24;\tsize:8;\tsigned:0;' \
		> "$TMP/$kind/events/syscalls/sys_enter_openat/format"
done
cat >> "$TMP/new/README" <<-'README'
	           f[:[<group>/][<event>]] <func-name>[%return] [<args>]
	           t[:[<group>/][<event>]] <tracepoint> [<args>]
	           <argname>[->field[->field|.field...]],
	     kernel return probes support: $retval, $arg<N>, $comm
README

# greet at 0x40 of a section that begins a page: at 0x1040 of the file.
cat > "$TMP/demo.s" <<'ASM'
	.text
	.globl	_start
	.type	_start, @function
_start:	hlt
	.org	0x40
	.globl	greet
	.type	greet, @function
greet:	nop; nop; nop; nop
	ret
	.size	greet, .-greet
	.type	twice, @function
twice:	ret
	.section .note.GNU-stack,"",@progbits
ASM
printf '\t.text\n\t.type\ttwice, @function\ntwice:\tret\n\t.section .note.GNU-stack,"",@progbits\n' > "$TMP/other.s"
gcc -nostdlib -static -no-pie -Wl,-Ttext=0x401000 -Wl,--build-id=none -Wl,-z,max-page-size=4096 -o "$TMP/demo" \
	"$TMP/demo.s" "$TMP/other.s"

# probe_text KIND ARGUMENT...: stdout and stderr
probe_text() {
	local kind=$1
	shift
	FTR_TRACEFS=$TMP/$kind "$FTR" probe add --dry-run --btf "$TMP/btf" "$@" 2>&1
}

# --- the man page

sed -n '/^\.\\" BEGIN/,/^\.\\" END/p' "$FTR_TOP/Documentation/man/ftr-probe.1" |
	grep -v '^\.' | sed 's/^\\&//; s/\\-/-/g; s/\\e/\\/g' > "$TMP/inputs"
n=0
while IFS= read -r line; do
	case $line in
	"  both: "*) kinds="old new" want=${line#"  both: "} ;;
	"  new: "*) kinds=new want=${line#"  new: "} ;;
	"  old: "*) kinds=old want=${line#"  old: "} ;;
	*)
		input=$line
		n=$((n + 1))
		eval "set -- $line"
		continue ;;
	esac
	for kind in $kinds; do
		got=$(probe_text "$kind" "${@//\/usr\/bin\/demo/$TMP/demo}")
		got=${got//"$TMP/demo"//usr/bin/demo}
		case $want in
		"refused: "*) same "$kind: $input" "ftr: ${want#refused: }" "$(head -n 1 <<< "$got")" ;;
		*) same "$kind: $input" "$want" "$got" ;;
		esac
	done
done < "$TMP/inputs"
check "the man page has 20 inputs ($n)" test "$n" -ge 20

# --- what is refused, and where the caret stands: column of the user's text from 0

# refused NAME KIND COLUMN WORDS ARGUMENT...
refused() {
	local name=$1 kind=$2 column=$3 words=$4 got status line
	shift 4
	got=$(probe_text "$kind" "$@")
	status=$?
	check "refused: $name: a status" test $status = 1 -o $status = 2
	has "refused: $name: words" "$got" "$words"
	[ "$column" = - ] && return
	line=$(grep -m 1 '^ *^$' <<< "$got")
	same "refused: $name: the caret" "$column" $((${#line} - 3))
}

refused "an argument that is none" old 9 "'vfs_read' has no argument 'cuont'" 'vfs_read cuont'
refused "its hint" old - '^hint: its arguments are: file, buf, count, pos$' 'vfs_read cuont'
refused "a member that is none" old 15 "structure 'file' has no member 'f_pth'" 'vfs_read file->f_pth.mnt'
refused "the second member" old 30 "structure 'dentry' has no member 'x'" 'vfs_read file->f_path.dentry->x'
refused "a minus for an arrow" old 13 "'-f_mode' does not lead to a member" 'vfs_read file-f_mode'
refused "a dot for an arrow" old 14 "is a pointer: write '->f_mode'" 'vfs_read file.f_mode'
refused "an arrow for a dot" old 29 "is a structure: write '.skc_state'" 'tcp_sendmsg sk->__sk_common->skc_state'
refused "a number as string" old 9 "'count' is a number, not a string" 'vfs_read count:string'
refused "a structure" old 9 "is a structure or an array" 'vfs_read file->f_path'
refused "a type that is none" old 15 "unknown type 'u36'" 'vfs_read count:u36'
refused "an argument on the stack" old 6 "argument 7 of 'seven' is on the stack" 'seven g'
refused "behind a structure by value" old 9 "passed by value" 'by_value after'
refused "a function that is none" old 8 "BTF has no function 'nothing'" 'nothing a'
refused "an argument at the return" old 16 'does not keep arguments for the return' 'vfs_read%return count'
refused "an argument within" old 11 'places of arguments are known at the entry of a function only' 'vfs_read+8 count'
refused "nothing returned" old 24 "'wake_up_new_task' returns nothing" 'wake_up_new_task%return $retval->x'
refused "\$retval at the entry" new 9 'known at the return only' 'vfs_read $retval'
refused "a tracepoint's return" new 0 'it is a tracepoint' --tprobe 'sched_switch%return'
refused "--max-active at the entry" new - 'for the returns of kprobes' --max-active 9 vfs_read
refused "--max-active 0" new - 'is not a number from 1 to 4096' --max-active 0 vfs_read
refused "a name" new - 'is not a name of an event' --name 'a b' vfs_read
refused "two kinds" new - 'exclude each other' --fprobe --tprobe vfs_read
refused "no place" new - 'nothing to probe was named'
refused "a field" new 0 "event 'sched:sched_switch' has no field 'prev_com'" -e sched:sched_switch prev_com
refused "an event" new - "did you mean 'sched:sched_switch'" -e sched:sched_swich prev_comm
refused "a name in a program" new 6 'not known for programs' -x "$TMP/demo" 'greet who'
refused "the seventh argument" new 6 'is not in a register' -x "$TMP/demo" 'greet $arg7'
refused "a function of the program" new - "did you mean 'greet'" -x "$TMP/demo" 'gret'
refused "two functions of one name" new - "several functions 'twice'" -x "$TMP/demo" 'twice'
refused "no program" new - 'is neither a program nor a library' -x "$TMP/btf" 'greet'
refused "no file" new - 'No such file or directory' -x "$TMP/none" 'greet'
refused "no BTF" old - "cannot read '$TMP/none'" --btf "$TMP/none" 'vfs_read count'
refused "something else than BTF" old - 'no BTF' --btf "$TMP/demo" 'vfs_read count'
head -c 700 "$TMP/btf" > "$TMP/cut"
refused "a cut BTF" old - 'its header claims more than there is' --btf "$TMP/cut" 'vfs_read count'

# --- programs, beside readelf

cat > "$TMP/pie.c" <<'C'
int greet(const char *name, int n) { return name[n]; }
static int __attribute__((noinline, used)) local_one(int n) { return n * 3; }
int main(int argc, char **argv) { return greet(argv[0], 0) + local_one(argc); }
C
gcc -O1 -pie -fPIE -rdynamic -o "$TMP/pie" "$TMP/pie.c"
# where FUNCTION FILE: its offset after readelf, which knows the section's address and offset
where() {
	local addr=0x$(readelf -sW "$2" | awk -v f="$1" '$8 == f && $4 == "FUNC" { print $2; exit }')
	local section
	section=$(readelf -SW "$2" | sed 's/\[ */[/' | awk '$2 == ".text" { print "0x" $4, "0x" $5 }')
	printf '0x%x\n' $((addr - ${section% *} + ${section#* }))
}
for f in greet local_one main; do
	same "a PIE: $f" "p:uprobes/$f $TMP/pie:$(where $f "$TMP/pie")" "$(probe_text new -x "$TMP/pie" $f)"
done
want="p:uprobes/greet $TMP/stripped:$(where greet "$TMP/pie")"
strip -o "$TMP/stripped" "$TMP/pie"
same "stripped: an exported function" "$want" "$(probe_text new -x "$TMP/stripped" greet)"
refused "stripped: a static function" new - "is stripped, and does not export a function 'local_one'" \
	-x "$TMP/stripped" local_one
printf 'V1 { global: ver; };\nV2 { } V1;\n' > "$TMP/map"
cat > "$TMP/ver.c" <<'C'
__asm__(".symver ver_old, ver@V1\n.symver ver_new, ver@@V2");
int ver_old(int n) { return n + 1; }
int ver_new(int n) { return n * 2; }
C
if gcc -O1 -shared -fPIC -Wl,--version-script="$TMP/map" -o "$TMP/ver.so" "$TMP/ver.c" 2> "$TMP/err"; then
	old=$(where ver_old "$TMP/ver.so")
	new=$(where ver_new "$TMP/ver.so")
	same "versions: the default one" "p:uprobes/ver $TMP/ver.so:$new" "$(probe_text new -x "$TMP/ver.so" ver)"
	same "versions: the old one" "p:uprobes/ver $TMP/ver.so:$old" "$(probe_text new -x "$TMP/ver.so" ver@V1)"
	strip -o "$TMP/ver2.so" "$TMP/ver.so"
	same "versions, stripped: the default one" "p:uprobes/ver $TMP/ver2.so:$new" \
		"$(probe_text new -x "$TMP/ver2.so" ver)"
	same "versions, stripped: the old one" "p:uprobes/ver $TMP/ver2.so:$old" \
		"$(probe_text new -x "$TMP/ver2.so" ver@V1)"
	refused "a version that is none" new - "no function 'ver' of version 'V3'" -x "$TMP/ver.so" ver@V3
else
	fail "a library with versions can be built" "$(cat "$TMP/err")"
fi

# --- definitions

printf '# a comment\n\np:a/b vfs_read c=%%di\nr:a/c vfs_read\n' > "$TMP/defs"
same "--from-def: what it holds" $'p:a/b vfs_read c=%di\nr:a/c vfs_read' \
	"$(FTR_TRACEFS=$TMP/old "$FTR" probe --dry-run --from-def "$TMP/defs")"
same "load -: the same" $'p:a/b vfs_read c=%di\nr:a/c vfs_read' \
	"$(FTR_TRACEFS=$TMP/old "$FTR" probe load --dry-run - < "$TMP/defs")"
got=$(echo 'vfs_read count' | FTR_TRACEFS=$TMP/old "$FTR" probe load --dry-run - 2>&1)
has "load: only the kernel's text" "$got" "'vfs_read count' is not a definition of a probe"
FTR_TRACEFS=$TMP/old "$FTR" probe frob 2> "$TMP/err"
same "an unknown verb: status" 2 $?
FTR_TRACEFS=$TMP/old "$FTR" probe del 2> "$TMP/err"
same "del without a name: status" 2 $?
same "remove is del, delete, too: one help" "$("$FTR" probe del -h | md5sum)$("$FTR" probe del -h | md5sum)" \
	"$("$FTR" probe remove -h | md5sum)$("$FTR" probe delete -h | md5sum)"
printf 'p:kprobes/a vfs_read a=%%di\nr4:kprobes/b vfs_write\ns:syn int x\np:uprobes/c /bin/x:0x10\n' \
	> "$TMP/old/dynamic_events"
printf '  a   12   3\n  b   4   0\n' > "$TMP/old/kprobe_profile"
printf '  /bin/x c   7\n' > "$TMP/old/uprobe_profile"
got=$(FTR_TRACEFS=$TMP/old "$FTR" probe list --json | python3 -c '
import json, sys
for p in json.load(sys.stdin):
    print(p["event"], p["kind"], p["place"], p["args"], p.get("hits"), p.get("misses"), p["enabled"])')
same "list --json" "kprobes/a kprobe vfs_read ['a=%di'] 12 3 False
kprobes/b kretprobe vfs_write [] 4 0 False
uprobes/c uprobe /bin/x:0x10 [] 7 None False" "$got"
same "list --print-def, of one" 'r4:kprobes/b vfs_write' "$(FTR_TRACEFS=$TMP/old "$FTR" probe list --print-def 'b*')"
same "--print-def, of all" "$(grep -v '^s:' "$TMP/old/dynamic_events")" \
	"$(FTR_TRACEFS=$TMP/old "$FTR" probe --print-def)"
FTR_TRACEFS=$TMP/old "$FTR" probe list nosuch > "$TMP/out" 2> "$TMP/err"
same "list of what is not there: status" 1 $?
has "list of what is not there: words" "$(cat "$TMP/err")" "no probe matches 'nosuch'"
: > "$TMP/old/dynamic_events"
same "an empty list" 'ftr: no probe is defined' "$(FTR_TRACEFS=$TMP/old "$FTR" probe list 2>&1)"
same "an empty list as JSON" '[]' "$(FTR_TRACEFS=$TMP/old "$FTR" probe list --json 2>&1)"

# The filter of an event probe, which the kernel never shows: what follows in dynamic_events is what it makes of it.
export FTR_JOURNAL_DIR=$TMP/journals
mkdir -m 700 "$FTR_JOURNAL_DIR"
kernel_shows() {
	printf '%s\n' "$@" > "$TMP/old/dynamic_events"
}
print_def() {
	FTR_TRACEFS=$TMP/old "$FTR" probe --print-def 2> "$TMP/err"
}
filtered='e:ev/named sched.sched_switch pid=$next_pid:s32 if next_pid == 1 && prev_comm ~ "if *"'
FTR_TRACEFS=$TMP/old "$FTR" probe add -e sched/sched_switch --name ev/named pid=next_pid \
	'if next_pid == 1 && prev_comm ~ "if *"' 2> "$TMP/err"
same "a filter: added" "${filtered/./\/}" "$(cat "$TMP/old/dynamic_events")"
kernel_shows "${filtered%% if*}" 'e:ev/theirs sched.sched_switch pid=$next_pid'
same "a filter: --print-def knows it" "$filtered" "$(print_def | grep named)"
same "a filter that may be is warned of" \
	"ftr: warning: 'ev/theirs' may have a filter: the kernel does not show filters, and ftr did not add this"\
" probe" \
	"$(cat "$TMP/err")"
same "a filter: list --json" "${filtered#* if } None" "$(FTR_TRACEFS=$TMP/old "$FTR" probe list --json | python3 -c '
import json, sys
ours, theirs = json.load(sys.stdin)
print(ours["filter"], theirs.get("filter"))')"
has "a filter: list" "$(FTR_TRACEFS=$TMP/old "$FTR" probe list)" \
	'sched.sched_switch pid=\$next_pid:s32 if next_pid == 1 && prev_comm ~ "if \*"$'
print_def | grep named > "$TMP/defs"
same "a filter: --from-def" "$filtered" "$(FTR_TRACEFS=$TMP/new "$FTR" probe --dry-run --from-def "$TMP/defs")"
kernel_shows 'e:ev/named sched.sched_switch comm=$prev_comm pid=$next_pid'
same "somebody's probe of the same name: no filter" "$(cat "$TMP/old/dynamic_events")" "$(print_def)"
has "somebody's probe of the same name: a warning" "$(cat "$TMP/err")" "'ev/named' may have a filter"
kernel_shows "${filtered%% if*}"
FTR_TRACEFS=$TMP/old "$FTR" probe del ev/named 2> "$TMP/err"
kernel_shows "${filtered%% if*}"
same "added by somebody after our del: no filter" "${filtered%% if*}" "$(print_def)"
: > "$TMP/old/dynamic_events"
FTR_TRACEFS=$TMP/old "$FTR" reset 2> "$TMP/err"
same "reset: what was added and removed is nothing to put back" '' "$(cat "$TMP/old/dynamic_events")"
FTR_TRACEFS=$TMP/old "$FTR" probe add -e sched/sched_switch --name ev/named pid=next_pid \
	'if next_pid == 1 && prev_comm ~ "if *"' 2> "$TMP/err"
kernel_shows "${filtered%% if*}"
FTR_TRACEFS=$TMP/old "$FTR" reset 2> "$TMP/err"
same "reset: what removes it is all that is written" "${filtered%% if*}"$'\n-:ev/named' \
	"$(cat "$TMP/old/dynamic_events")"
: > "$TMP/old/dynamic_events"
FTR_TRACEFS=$TMP/old "$FTR" probe add -e sched/sched_switch --name ev/named pid=next_pid 2> "$TMP/err"
kernel_shows "${filtered%% if*}"
same "one without a filter is known as such" "${filtered%% if*} " "$(print_def) $(cat "$TMP/err")"
# The kernel finds no types of a function that is named with its module.
for kind in old new; do
	same "$kind: names of arguments of a module's function" 'p:kprobes/vfs_read nfs:vfs_read count=%dx:u64' \
		"$(probe_text $kind 'nfs:vfs_read count')"
	same "$kind: all arguments of a module's function" \
		'p:kprobes/vfs_read nfs:vfs_read file=%di:x64 buf=%si:x64 count=%dx:u64 pos=%cx:x64' \
		"$(probe_text $kind 'nfs:vfs_read $arg*')"
	same "$kind: what a module's function returns" 'r:kprobes/vfs_read__return nfs:vfs_read retval=$retval:s64' \
		"$(probe_text $kind 'nfs:vfs_read%return $retval')"
done
finish
