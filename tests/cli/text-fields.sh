#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Fields of events in texts, without the formats of their kernel: what ftr and trace-cmd print of recordings is read
# back, and has the recordings' fields; single texts by hand.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"
. "$FTR_TOP/tests/tools/trace_cmd.sh"
cd "$TMP" || exit 1
# no kernel whose formats would be read
mkdir tracefs
export FTR_TRACEFS=$TMP/tracefs

cat > same_fields.py << 'E'
import json
import sys
from collections import Counter


def records(path):
    return [json.loads(line) for line in open(path, errors='surrogateescape')]


a, b = records(sys.argv[1]), records(sys.argv[2])
names = {}
for r in b:
    names.setdefault(r['event'], set(r['fields'])).intersection_update(r['fields'])


# what a text does not show: the bit of "R+", which differs from kernel to kernel, or that there is one
plus = int(sys.argv[3])


def value(name, x):
    return plus if name == 'prev_state' and int(x) >= 256 else x


def keys(v):
    return Counter((r['event'], r['cpu'], r['pid'],
                    tuple(sorted((k, value(k, x)) for k, x in r['fields'].items() if k in names[r['event']])))
                   for r in v if r['event'] in names)


x, y = keys(a), keys(b)
for k in list((x - y).elements())[:3] + list((y - x).elements())[:2]:
    print(k)
E

# read_text NAME TEXT: makes b.dat of the text
read_text() {
	rm -f b.dat
	"$FTR" oops parse "$2" -o b.dat 2> err
	check "$1: a file" test -s b.dat
}

# compare_fields NAME PLUS FILE OPTION...: the fields of b.dat's records are those of the recording
compare_fields() {
	"$FTR" report -q --json "${@:4}" "$3" > a.json 2> /dev/null
	"$FTR" report -q --json "${@:4}" b.dat > b.json 2> /dev/null
	same "$1: the same fields" '' "$(python3 same_fields.py a.json b.json "$2")"
}

# kernel_text NAME FILE: the text as the kernel prints it
kernel_text() {
	"$FTR" report -q --format=kernel "$2" > text 2> /dev/null
	read_text "$1" text
	compare_fields "$1" 256 "$2" --event='sched_[swmp]*' --event='cpu_*'
	same "$1: known events have fields" '' "$("$FTR" report -q --raw b.dat 2> /dev/null |
		grep -aE ': (sched_(switch|wakeup|waking|stat|process|migrate)|cpu_|irq_)[a-z_]*: +text=' | head -n 3)"
}

# tracecmd_text NAME FILE OPTION...: the text of trace-cmd report, in the columns of the kernel
tracecmd_text() {
	trace_cmd_report "${@:3}" "$2" | grep -a '\] .*: sched_switch: ' |
		sed -E 's/^(.*\]) +([0-9.]+: [a-z_0-9]+:) +/\1 d..1. \2 /' > text
	read_text "$1" text
	compare_fields "$1" 0 "$2" --event=sched_switch
	same "$1: all have fields" 0 "$(grep -c '"text":' b.json)"
}

fixtures() {
	local f
	for f in lisa-sched-load-64le trappy-52k-32le trappy-raw-64le; do
		[ -e "$FTR_FIXTURES_DIR/$f.dat.xz" ] || { skip "$f" "no directory $FTR_FIXTURES_DIR"; continue; }
		xz -dc "$FTR_FIXTURES_DIR/$f.dat.xz" > f.dat
		kernel_text "$f" f.dat
		command -v trace-cmd > /dev/null || { skip "$f: trace-cmd" "no trace-cmd"; continue; }
		tracecmd_text "$f, trace-cmd report" f.dat
		tracecmd_text "$f, trace-cmd report -R" f.dat -R
	done
}

# single NAME: reads lines "EVENT: TEXT|FIELDS", with the fields that ftr report --raw prints of the text; "=" are those
# of the text.
single() {
	local text fields n=0
	: > lines
	: > wanted
	while IFS='|' read -r text fields; do
		n=$((n + 1))
		printf '  bash-12  [000] d..2.  1.%06d: %s\n' $n "$text" >> lines
		[ "$fields" = = ] && fields=${text#*: }
		printf '%s %s\n' "${text%%: *}" "$fields" >> wanted
	done
	read_text "$1" lines
	"$FTR" report -q --raw b.dat 2> /dev/null |
		sed -E 's/^.*\.[0-9]+: +([a-z_0-9]+): +/\1 /; s/=0xffffffff81[0-9a-f]{6}/=SYM/g' > got
	same_files "$1: $n texts" wanted got
}

# What trace-cmd's plugins and its report -R print.
plugins() {
	single plugins <<- 'E'
		sched_wakeup: kworker/2:1:2923 [120] CPU:003|comm=kworker/2:1 pid=2923 prio=120 target_cpu=3
		sched_waking: a b:7 [120] success=1 CPU:003|comm=a b pid=7 prio=120 success=1 target_cpu=3
		kfree: (skb_free+0x15e) call_site=skb_free+0x15e ptr=0xff88004be6600|call_site=SYM ptr=0xff88004be6600
		kfree: (skb_free+0x10) call_site=skb_free+0x10 ptr=(nil)|call_site=SYM ptr=0x0
		kfree: (skb+0x1) call_site=skb+0x2 ptr=(nil)|text=(skb+0x1) call_site=skb+0x2 ptr=(nil)
		hrtimer_expire_entry: hrtimer=0xff88 now=12 function=tick/0x0|hrtimer=0xff88 now=12 function=SYM
		kvm_entry: vcpu 1 rip 0xff00|vcpu_id=1 rip=0xff00
		kvm_exit: reason HLT rip 0xff00 info 0 1f|exit_reason=HLT guest_rip=0xff00 info1=0 info2=31
		sys_enter_close: fd: 0x00000003|__syscall_nr=-1 fd=0x3
		sys_enter_close: __syscall_nr=3 fd=0x00000004|__syscall_nr=3 fd=0x4
		sys_exit_close: __syscall_nr=3 ret=0x0|__syscall_nr=3 ret=0
	E
}

# State letters of kernels, and of plugins: the text that the file shows.
states() {
	local line=0 want='' text shown
	: > lines
	while IFS='|' read -r text shown; do
		line=$((line + 1))
		printf '  bash-12  [000] d..2.  1.%06d: sched_switch: %s\n' $line "$text" >> lines
		want+="$shown "
	done <<- 'E'
		prev_comm=a prev_pid=1 prev_prio=2 prev_state=R+ ==> next_comm=b next_pid=3 next_prio=4|1 R+ 3
		prev_comm=a prev_pid=1 prev_prio=2 prev_state=I ==> next_comm=b next_pid=3 next_prio=4|1 I 3
		prev_comm=a prev_pid=1 prev_prio=2 prev_state=D,K ==> next_comm=b next_pid=3 next_prio=4|1 D,K 3
		prev_comm=a prev_pid=1 prev_prio=2 prev_state=x ==> next_comm=b next_pid=3 next_prio=4|1 x 3
		a:1 [2] Z ==> b:3 [4]|1 Z 3
		a:1 [2] W ==> b:3 [4]|1 I 3
		a:1 [2] D,W ==> b:3 [4]|1 D,K 3
		a:1 [2] R+ ==> b:3 [4]|1 R+ 3
	E
	sed -i 's/,/|/' lines
	read_text states lines
	same 'states: the letters' "${want//,/|}" "$("$FTR" report -q b.dat |
		sed -E 's/.*prev_pid=([0-9]+) .*prev_state=([^ ]+) .*next_pid=([0-9]+) .*/\1 \2 \3/' | tr '\n' ' ')"
}

# Events that no table has.
values() {
	single values <<- 'E'
		one: a=1 b=0xff c=foo d="x y" t=5 [ns]|a=1 b=255 c=foo d=x y t=5
		one: a=-12 b=0x0 c=bar baz d="" t=7 [ns]|a=-12 b=0 c=bar baz d= t=7
		two: x=1, y-z=007, z=a\b%d"|x=1 y_z=007 z=a\b%d"
		three: pid=7 comm=a rss:5kB swap=3kB|text=pid=7 comm=a rss:5kB swap=3kB
		four: a=1 a=2|text=a=1 a=2
		five: waiting for x=1|text=waiting for x=1
		seven: a=0x10 b=5kB c=3 [ns] d=1-2 e=12ab|a=16 b=5 c=3 d=1-2 e=12ab
		six: p=18446744073709551615 q=-0 r=99999999999999999999|=
	E
}

# Numbers in hexadecimal: with zeros before them, as %p prints them, in capitals. A value that is none in one of
# the texts, or has another base, is a string.
hexadecimal() {
	single hexadecimal <<- 'E'
		tcp_probe: sock_cookie=1002 mark=0x0800|sock_cookie=4098 mark=2048
		tcp_probe: sock_cookie=a mark=0x86dd|sock_cookie=10 mark=34525
		one: sk=ffff888005426880 p=0000000000041198|sk=18446612682158270592 p=266648
		one: sk=0000000000000000 p=ffffffff83f57a80|sk=0 p=18446744071628487296
		two: snd=0x0 mask=0xF0 a=12 b=0012|snd=0 mask=240 a=12 b=0012
		two: snd=0x1f mask=0x10 a=1f b=12|snd=31 mask=16 a=1f b=12
		three: p=(____ptrval____) q=00000000c0de1234 r=0x1F s=0xF|p=(____ptrval____) q=3235779124 r=31 s=0xF
		three: p=ffff888005426880 q=0000000000000010 r=0x2F s=0xf|p=ffff888005426880 q=16 r=47 s=0xf
		new_event: sock_cookie=1002 n=3|sock_cookie=1002 n=3
		scan: vm_start=7F00 n=1|vm_start=7F00 n=1
		sched_skip_vma_numa: vm_start=7F00 n=1|vm_start=32512 n=1
		fscache_active: c=10 n=1|c=10 n=1
	E
	same 'a value of unknown base is a string' '"sock_cookie":"1002"' \
		"$("$FTR" report -q --json --event=new_event b.dat | grep -o '"sock_cookie":[^,]*')"
	same 'and one of two bases' '"c":"10"' \
		"$("$FTR" report -q --json --event=fscache_active b.dat | grep -o '"c":[^,]*')"
}

# The option fields: numbers in both bases; one byte alone.
option_fields() {
	local openat='__syscall_nr=257 file=0x7ffd0000000a flags=0x10'
	local kernel='__syscall_nr=0x101 (257) file=(0xffff88800646801c) flags=0x10 (16)'

	single option_fields <<- E
		one: pid=0x1f (31) ok=(0) name=a b ret=0xfffffffe (-2)|pid=31 ok=0 name=a b ret=-2
		one: pid=0x20 (32) ok=(7) name=c ret=0x1 (1)|pid=32 ok=7 name=c ret=1
		three: at=0xffffffff811cac00 (-2128827392)|at=18446744071580724224
		two: pid=0x1f (30) b=0xfffffffffffffffe (-2)|pid=0x1f (30) b=-2
		sys_enter_openat: __syscall_nr=0x101 (257) file=(0x00007ffd0000000a) flags=0x10 (16)|$openat
		sys_enter_openat: __syscall_nr=0x101 (257) file=(0xffff88800646801c) flags=0x10 (16)|text=$kernel
		sys_exit_openat: __syscall_nr=0x101 (257) ret=0xfffffffffffffffe (-2)|__syscall_nr=257 ret=-2
	E
	given_option_fields
	printf '  app-12  [000] d..2.  1.000001: sched_switch: %s\n' \
		"$(echo prev_comm=a 'prev_pid=0xc (12) prev_prio=0x78 (120) prev_state=0x2 (2)' \
			'next_comm=b c next_pid=0x0 (0) next_prio=0x78 (120)')" > lines
	read_text 'option fields of a known event' lines
	has 'option fields of a known event: its usual text' "$("$FTR" report -q b.dat)" \
		'prev_comm=a prev_pid=12 prev_prio=120 prev_state=D ==> next_comm=b c next_pid=0 next_prio=120$'
}

# The numbers have the types of the format that is given.
given_option_fields() {
	cat > bundle <<- 'E'
		@@FILE ./sched/sched_new/format
		name: sched_new
		ID: 300
		format:
			field:unsigned short common_type;	offset:0;	size:2;	signed:0;
			field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
			field:unsigned char common_preempt_count;	offset:3;	size:1;	signed:0;
			field:int common_pid;	offset:4;	size:4;	signed:1;

			field:char comm[16];	offset:8;	size:16;	signed:0;
			field:short adj;	offset:24;	size:2;	signed:1;
			field:u32 mask;	offset:28;	size:4;	signed:0;
			field:bool idle;	offset:32;	size:1;	signed:0;
			field:long state;	offset:40;	size:8;	signed:1;

		print fmt: "comm=%s adj=%d mask=%s", REC->comm, REC->adj, __print_flags(REC->mask, "|", { 1, "A" })
	E
	printf '  app-12  [000] d..2.  1.000001: %s\n' \
		'sched_new: comm=a b adj=0xfff0 (65520) mask=0xffffffff (-1) idle=(1) state=0x400 (1024)' > lines
	"$FTR" import lines -o b.dat --formats bundle > out 2>&1
	same 'option fields of a given format' '"comm":"a b","adj":-16,"mask":4294967295,"idle":1,"state":1024' \
		"$("$FTR" report -q --json b.dat | sed 's/.*"fields":{\(.*\)}}/\1/')"
}

# The print fmt has an array that can't be solved, but shows the bases of the other values.
given_bases() {
	cat > bundle <<- 'E'
		@@FILE ./net/new_probe/format
		name: new_probe
		ID: 300
		format:
			field:unsigned short common_type;	offset:0;	size:2;	signed:0;
			field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
			field:unsigned char common_preempt_count;	offset:3;	size:1;	signed:0;
			field:int common_pid;	offset:4;	size:4;	signed:1;

			field:__u8 saddr[4];	offset:8;	size:4;	signed:0;
			field:u32 cookie;	offset:12;	size:4;	signed:0;
			field:u32 mark;	offset:16;	size:4;	signed:0;
			field:u32 len;	offset:20;	size:4;	signed:0;

		print fmt: "src=%pI4 cookie=%x mark=%#x len=%d s=%s", REC->saddr, REC->cookie, REC->mark, REC->len, ""
	E
	cat > lines <<- 'E'
		  app-12  [000] d..2.  1.000001: new_probe: src=127.0.0.1 cookie=10 mark=0x0 len=10 s=10
		  app-12  [000] d..2.  1.000002: new_probe: src=127.0.0.1 cookie=11 mark=0x1f len=11 s=11
	E
	"$FTR" import lines -o b.dat --formats bundle > out 2>&1
	same 'bases of a print fmt' '"cookie":16,"mark":0,"len":10,"s":"10" "cookie":17,"mark":31,"len":11,"s":"11"' \
		"$("$FTR" report -q --json b.dat | grep -o '"cookie.*"s":"[0-9]*"' | xargs -d '\n')"
}

# format EVENT FIELD... PRINT: a format with these fields of 4 bytes
format() {
	local at=8
	printf 'name: %s\nID: 300\nformat:\n' "$1"
	printf '\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n'
	printf '\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n'
	printf '\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n'
	printf '\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n'
	while shift && [ $# -gt 1 ]; do
		printf '\tfield:%s;\toffset:%d;\tsize:4;\tsigned:1;\n' "$1" $at
		at=$((at + 4))
	done
	printf '\nprint fmt: %s\n' "$1"
}

# given EVENT TEXT...: what ftr reads of the texts with the formats in "bundle"
given() {
	local event=$1 n=0
	shift
	: > lines
	for text; do
		n=$((n + 1))
		printf '  app-12  [000] d..2.  1.%06d: %s: %s\n' $n "$event" "$text" >> lines
	done
	"$FTR" import -q lines -o b.dat --formats bundle > out 2>&1
	"$FTR" report -q --json b.dat | sed 's/.*"fields":{\(.*\)}}/\1/' | paste -sd'|'
}

# A number under a condition: the one that is printed is the number; a 0 that may hide another one is none.
conditions() {
	local length='!(REC->flags & 2) ? (REC->ret > 0 ? REC->ret : 0) : 0' error='REC->ret < 0 ? REC->ret : 0'

	echo '@@FILE ./sock/sock_length/format' > bundle
	format sock_length 'int ret' 'int flags' \
		"\"length = %d, error = %d, flags = 0x%x\", $length, $error, REC->flags" >> bundle
	same 'numbers under conditions' '"ret":36,"flags":0|"ret":-11,"flags":34|"ret":0,"flags":0|"ret":-5,"flags":0' \
		"$(given sock_length 'length = 36, error = 0, flags = 0x0' 'length = 0, error = -11, flags = 0x22' \
		'length = 0, error = 0, flags = 0x0' 'length = 0, error = -5, flags = 0x0')"
	same 'a number that is hidden: the text alone' '"text":"length = 0, error = 0, flags = 0x22"' \
		"$(given sock_length 'length = 0, error = 0, flags = 0x22')"
}

# Probes as the kernel prints them, without their formats and with them: the place, then the values.
probes() {
	local big='__probe_func=SYM __probe_ret_ip=SYM n=18446744073709551615'

	single probes <<- E
		k1: (vfs_read+0x4/0x370) file=0x10 size=832 comm="l s"|__probe_ip=SYM file=16 size=832 comm=l s
		k2: (kfree+0x4/0x370 [mod])|__probe_ip=SYM
		r1: (ksys_read+0x6f/0xf0 <- vfs_read) n=1|__probe_func=SYM __probe_ret_ip=SYM n=1
		r1: (ksys_read+0x6f/0xf0 <- vfs_read) n=18446744073709551615|$big
		u1: (0x5617296481d0) s=0x2|__probe_ip=0x5617296481d0 s=2
		u2: (0x7f39621fb <- 0x7f3984930) r=-1|__probe_func=0x7f3984930 __probe_ret_ip=0x7f39621fb r=-1
		e1: (sched.sched_switch) c="a" p=12|c=a p=12
		none: (some words) c=1|text=(some words) c=1
	E
	{
		echo '@@FILE ./kprobes/r1/format'
		format r1 'unsigned int __probe_func' 'unsigned int __probe_ret_ip' 'int ret' \
			'"(%lx <- %lx) ret=%d", REC->__probe_func, REC->__probe_ret_ip, REC->ret' |
			sed 's/unsigned int/unsigned long/; s/size:4;\tsigned:1/size:8;\tsigned:0/
				s/offset:16/offset:24/; s/offset:12/offset:16/'
		echo '@@FILE ./eprobes/e1/format'
		format e1 'int p' '" p=%d", REC->p'
	} > bundle
	same 'a return probe of a given format' 'ksys_read+0x6f/0xf0 <- vfs_read' \
		"$(given r1 '(ksys_read+0x6f/0xf0 <- vfs_read) ret=12' > /dev/null; "$FTR" report -q b.dat |
			sed -n 's/.*(\(.*\)) ret=12$/\1/p')"
	same 'an event probe of a given format' '"p":7' "$(given e1 '(sched.sched_switch) p=7')"
}

# names_of LINE...: the values of name= in texts of the event k4, or "text" for one without
names_of() {
	local text
	for text; do
		printf '  app-12  [000] d..2.  1.000001: k4: (vfs_read+0x4/0x370) n=1 %s\n' "$text"
	done > one.txt
	"$FTR" oops parse -q one.txt -o b.dat
	"$FTR" report -q --json b.dat 2> /dev/null | jq -c '.fields.name' | xargs -d '\n'
}

# A probe prints its strings in quotes, but not what it could not fetch, which has no bytes in the kernel's record.
faults() {
	same 'strings that could not be fetched' '"/a" "" "/b" "(fault)"' \
		"$(names_of 'name="/a"' 'name=(fault)' 'name="/b"' 'name="(fault)"')"
	same 'the kernel prints them so' 'name="/a" name=(fault) name="/b" name="(fault)"' \
		"$("$FTR" report -q --format=kernel b.dat 2> /dev/null | grep -o 'name=.*' | xargs -d '\n')"
	same 'the first text has one' '"" "/b"' "$(names_of 'name=(fault)' 'name="/b"')"
	same 'other strings are as they stand' '"(fault)" "x"' "$(names_of 'name=(fault)' 'name=x')"
}

# Texts of several lines: a stack of a synthetic event, and its next field; bytes; a character of a probe.
lines() {
	printf '%s\n' '# tracer: nop' '  app-12  [000] d..2.  1.000001: blocked: stack=STACK:' \
		'=> f+0x1/0x2' '=> g+0x4/0x12 [mod]' 'delta=7' \
		'  app-12  [000] d..2.  1.000002: 9p_protocol_dump: clnt 1 P9_TWALK(tag = 0)' '11 00 0a 6e' '' \
		"  app-12  [000] d..2.  1.000003: k3: (f+0x1/0x2) c='" "'" \
		'  app-12  [000] d..2.  1.000004: x: a=1' > lines
	read_text 'texts of several lines' lines
	same 'texts of several lines: all are understood' 0 "$(grep -c 'not understood' err)"
	same 'the fields of a stack' 'f+0x1|g+0x4 [mod]|delta=7' \
		"$("$FTR" report -q --event=blocked b.dat | sed 's/^=> //; 1d' | paste -sd'|')"
	same 'the other events' '9p_protocol_dump k3 x' \
		"$("$FTR" report -q --json b.dat | sed 1d | jq -r .event | xargs)"
	has 'bytes are in the text' "$("$FTR" report -q b.dat)" 'tag = 0\).x0a11 00 0a 6e$'
}

# The blanks of a column are no part of a name.
columns() {
	echo '@@FILE ./osnoise/noise/format' > bundle
	format noise 'int pid' 'char name[4]' '"%8s:%d", REC->name, REC->pid' >> bundle
	same 'the blanks of a column' '"pid":12,"name":"abc"|"pid":13,"name":"a b"' \
		"$(given noise '     abc:12' '     a b:13')"
}

# Formats of the running kernel: their numbers of names may be other ones.
running_formats() {
	local names='{ 2, "NOT_SPECIFIED" }, { 3, "NO_SOCKET" }'

	mkdir -p tracefs/events/skb/new_drop
	echo nop > tracefs/current_tracer
	format new_drop 'int skb' 'enum drop reason' 'int last' \
		"\"skb=%d reason: %s last=%d\", REC->skb, __print_symbolic(REC->reason, $names), REC->last" \
		> tracefs/events/skb/new_drop/format
	printf '  app-12  [000] d..2.  1.00000%d: new_drop: skb=1 reason: %s last=4\n' 1 NO_SOCKET 2 OTHER > lines
	"$FTR" import -q lines -o b.dat > out 2>&1
	same 'names are texts with formats of the running kernel' \
		'"reason":"NO_SOCKET","last":4 "reason":"OTHER","last":4' \
		"$("$FTR" report -q --json b.dat | grep -o '"reason.*"last":[0-9]*' | xargs -d '\n')"
	same 'and are printed' 'skb=1 reason: OTHER last=4' "$("$FTR" report -q b.dat | tail -n 1 | grep -o 'skb.*')"
	printf '  app-12  [000] d..2.  1.000003: new_drop: skb=1 reason: 7 last=4\n' > lines.7
	"$FTR" import -q lines.7 -o c.dat > out 2>&1
	same 'a number in the place of a name is not of that format' '"text":"skb=1 reason: 7 last=4"' \
		"$("$FTR" report -q --json c.dat | grep -o '"text":"[^"]*"')"
	"$FTR" import -q lines -o b.dat --formats tracefs/events > out 2>&1
	has 'with given formats they are numbers' "$("$FTR" report -q --json b.dat)" '"reason":3,"last":4'
	rm -r tracefs/*
}

# Marks of user space and of trace_printk(), as kernels and reports print them.
marks() {
	cat > lines <<- 'E'
		  app-12  [000] d..2.  1.000001: tracing_mark_write: B|12|draw
		  app-12  [000] d..2.  1.000002: 0: E
		  app-12  [000] d..2.  1.000003: print: tracing_mark_write: C|12|frames|3
		  app-12  [000] d..2.  1.000004: bprint: my_func: count 3
		  app-12  [000] d..2.  1.000005: bprint: no function
	E
	read_text marks lines
	same 'marks: the records' \
		'tracing_mark_write: B|12|draw;0: E;tracing_mark_write: C|12|frames|3;my_func: count 3' \
		"$("$FTR" report -q --event=print b.dat | sed -E 's/.*: print: +//' | paste -sd';')"
	same 'marks: all lines' 5 "$("$FTR" report -q b.dat | wc -l)"
}

# Addresses of 32 bits.
narrow() {
	single narrow <<- 'E'
		timer_expire_entry: timer=c0de1234 function=tick now=12|timer=0xc0de1234 now=0xc function=SYM
		workqueue_execute_end: work struct c0de1234|work=0xc0de1234
	E
}

# The print fmt asks for HZ, which another event's format may have: here is none.
hz() {
	cat > bundle <<- 'E'
		@@FILE ./wbt/wbt_wait/format
		name: wbt_wait
		ID: 300
		format:
			field:unsigned short common_type;	offset:0;	size:2;	signed:0;
			field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
			field:unsigned char common_preempt_count;	offset:3;	size:1;	signed:0;
			field:int common_pid;	offset:4;	size:4;	signed:1;

			field:unsigned long wait;	offset:8;	size:8;	signed:0;

		print fmt: "wait=%u ms", jiffies_to_msecs(REC->wait)
	E
	printf '  app-12  [000] d..2.  1.00000%s: wbt_wait: wait=%s ms\n' 1 4 2 8 > lines
	"$FTR" import lines -o b.dat --formats bundle > out 2>&1
	same 'a print fmt that needs HZ: status' 0 $?
	same 'its texts' 'wait=4 ms;wait=8 ms' "$("$FTR" report -q b.dat | sed -E 's/.*: +//' | paste -sd';')"
}

hz
fixtures
plugins
states
values
hexadecimal
option_fields
given_bases
conditions
probes
faults
lines
columns
running_formats
marks
narrow
finish
