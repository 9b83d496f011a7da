#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What a recording has beside the data: address maps, build-ids, modules, BTF, the time of day; and children that are
# followed.
. "$(dirname "$0")/lib/inside.sh" 900
. "$FTR_TOP/tests/guest/lib/trigger-lib.sh"
FTR_WHOLE_PARTS=$(echo $(sample 2 maps user_stacks btf modules wall children others))
echo "# parts:" $FTR_WHOLE_PARTS

LOAD=$FTR_BUILD/tests/guest/load/many_load
CALL=syscalls:sys_enter_getpgid

# ftr_value FILE KEY: one of ftr's own values in a file, its line ends as such
ftr_value() {
	grep -ao "^$2=.*" "$1" | head -n 1 | sed "s/^$2=//; s/\\\\n/\\n/g"
}

# read_silently NAME FILE: trace-cmd has nothing to say of the file, and no trouble with it
read_silently() {
	trace-cmd report -i "$2" > tc.out 2> tc.err
	same "$K: $1: trace-cmd reads it: status, words" "0 " "$? $(head -n 3 tc.err)"
	trace-cmd dump --options -i "$2" > tc.options 2> tc.err
	same "$K: $1: trace-cmd reads the options" "0 " "$? $(head -n 3 tc.err)"
}

# maps_of PID < options as trace-cmd dumps them: "START END PATH"
maps_of() {
	awk -v pid="$(printf %x "$1")" '
		/Option PROCMAPS/ { getline; on = $1 == pid; next }
		/^$/ || /Option/ { on = 0 }
		on'
}

# kernels_maps: of /proc/PID/maps, as it stands in a PROCMAPS option
kernels_maps() {
	awk 'NF > 5 { split($1, a, "-"); sub(/^0*/, "", a[1]); sub(/^0*/, "", a[2]);
		path = $0; for (i = 0; i < 5; i++) sub(/^[^ ]+ +/, "", path); print a[1], a[2], path }'
}

build_id() {
	readelf -n "$1" 2> /dev/null | sed -n 's/ *Build ID: //p' | head -n 1
}

# with_build_ids FILE: the kernel's maps of its programs, with the ids that readelf knows
with_build_ids() {
	awk '$2 ~ /x/ && $6 ~ /^\// { print $6 }' "$1" | sort -u | while read -r path; do
		echo "$(build_id "$path") $path"
	done | grep '^[0-9a-f]' | sort
}

maps() {
	note maps
	try_ftr 'maps of a command' 0 record --proc-map -F -e $CALL -o a.dat -- bash -c '
		sleep 0.5; while read -r l; do echo "$l"; done < /proc/$$/maps > maps; echo $$ > pid; exec 9<&1'
	read_silently 'maps of a command' a.dat
	same_files "$K: maps of a command: the kernel's" <(kernels_maps < maps) <(maps_of "$(cat pid)" < tc.options)
	same_files "$K: build-ids: those of readelf" <(with_build_ids maps) <(ftr_value a.dat build_ids | sort)
	has "$K: maps: ftr info tells" "$("$FTR" info --quick a.dat)" '^address maps: +1 process$'
	sh -c 'while :; do sleep 0.4; done' &
	local pid=$!
	try_ftr 'maps with children' 0 record --proc-map -c -P $pid --duration 1 -e $CALL -o b.dat
	kernels_maps < /proc/$pid/maps > maps
	kill $pid
	read_silently 'maps with children' b.dat
	same_files "$K: maps of -P: the kernel's" maps <(maps_of $pid < tc.options)
	check "$K: maps of -P -c: a child's too" grep -q '^[0-9a-f]* [0-9a-f]* .*/sleep$' tc.options
}

# The kernel resolves the addresses of processes that live: in an instance of its own, beside ftr's.
user_stacks() {
	note user stacks
	mkdir $T/instances/own
	echo 1 > $T/instances/own/options/userstacktrace
	echo 1 > $T/instances/own/options/sym-userobj
	echo 1 > $T/instances/own/events/syscalls/sys_enter_getpgid/enable
	rm -f called
	(sleep 1; echo; wait_until 60 test -s called; cat $T/instances/own/trace > kernel.txt) |
		"$FTR" record -F -c -e $CALL -O userstacktrace -o a.dat -- "$LOAD" tree 1 > called 2> err
	echo 0 > $T/instances/own/events/enable
	rmdir $T/instances/own
	"$FTR" report a.dat > text
	has "$K: user stacks: the kernel names files" "$(cat kernel.txt)" '^ => /.*/libc[.a-z0-9-]*\[\+0x[0-9a-f]+\]$'
	same "$K: user stacks: files and offsets as the kernel has them" '' \
		"$(comm -23 <(grep '^ => /' kernel.txt | sort -u) <(grep '^ => /' text | sort -u))"
}

btf() {
	note btf
	[ -e /sys/kernel/btf/vmlinux ] || { skip "$K: BTF" 'the kernel has none'; return; }
	try_ftr 'BTF' 0 record --btf -e $EXEC -o a.dat -- true
	read_silently BTF a.dat
	check "$K: BTF: all of it is there" python3 -c '
import sys
sys.path.append(sys.argv[1])
import rawdecode
BTF = 23
kernels = open("/sys/kernel/btf/vmlinux", "rb").read()
file = rawdecode.load("a.dat")
bodies = [file.body(s) for s in file.sections if s.id == BTF]
sys.exit([b.take(b.left(), "BTF")[-len(kernels):] for b in bodies] != [kernels])' "$ORACLE"
	try_ftr 'BTF: ftr info' 0 info a.dat
	has "$K: BTF: ftr info tells its size" "$(cat stdout)" "^BTF: .*\($(stat -c %s /sys/kernel/btf/vmlinux) bytes\)"
}

modules() {
	note modules
	try_ftr 'modules' 0 record -e $EXEC -o a.dat -- sh -c \
		'modprobe dummy; start=$(date +%s); cat /proc/kallsyms > /dev/null
		sleep $((3 + 3 * ($(date +%s) - start))); grep ^dummy /proc/modules > line; modprobe -r dummy'
	same "$K: modules: one that came and went" "$(awk '{ print $1, $2, $6 }' line)" \
		"$(ftr_value a.dat modules | grep ^dummy)"
	same_files "$K: modules: those that stay" <(awk '{ print $1, $2, $6 }' /proc/modules | sort) \
		<(ftr_value a.dat modules | grep -v ^dummy | sort)
}

# Each marker says when it was written: the time that is shown is a little later.
wall() {
	local clock
	note wall
	for clock in $(sample 2 local mono boot tsc2nsec); do
		[ $clock != tsc2nsec ] || grep -q x86-tsc $T/trace_clock || continue
		"$FTR" record -C $clock -e sched:sched_process_hang -o a.dat -- \
			bash -c "for i in 1 2 3 4 5 6 7 8; do echo now \$EPOCHREALTIME > $T/trace_marker; done" \
			2> err ||
			{ skip "$K: time of day by $clock" "$(head -n 1 err)"; continue; }
		"$FTR" report --date a.dat 2> err |
			sed -nE 's/.* ([0-9]+\.[0-9]+): print:.* now ([0-9.]+).*/\1 \2/p' > times
		check "$K: time of day by $clock" awk '
			{ d = $1 - $2; if (NR == 1 || d < least) least = d; if (d < -0.001) wrong = 1 }
			END { print NR, least; exit wrong || NR != 8 || least > 0.02 }' times
	done
	"$FTR" record --date -e $EXEC -o a.dat -- true 2> err
	same_files "$K: --date of a file that has it" <("$FTR" report a.dat) <("$FTR" report --date a.dat)
	"$FTR" record -C counter -e $EXEC -o a.dat -- true 2> err
	try_ftr '--date of a clock that is none' 0 report --date a.dat
	said '--date of a clock that is none: words' 'has no time of day, so --date changes nothing'
}

# numbers FILE: what getpgid() was called with
numbers() {
	trace-cmd report -i "$1" 2> /dev/null | sed -nE 's/.*sys_enter_getpgid: +pid: 0x0*([1-9a-f]).*/\1/p' | sort |
		xargs
}

functions() {
	trace-cmd report -i "$1" 2> /dev/null | grep -c 'function: *__x64_sys_getpgid'
}

children() {
	note children
	local pid
	state_dump before
	try_ftr '-F' 0 record -F -e $CALL -p function -l __x64_sys_getpgid -o a.dat -- "$LOAD" tree 0
	same "$K: -F: the command's first thread alone" '1: 1' "$(numbers a.dat): $(functions a.dat)"
	try_ftr '-F -c' 0 record -F -c -e $CALL -p function -l __x64_sys_getpgid -o a.dat -- "$LOAD" tree 0
	same "$K: -F -c: threads and children: events, functions" '1 2 3 4 5: 5' "$(numbers a.dat): $(functions a.dat)"
	mkfifo go
	rm -f called
	"$LOAD" tree 1 < go > called &
	pid=$!
	exec 8> go
	try_ftr '-P -c' 0 record -P $pid -c -e $CALL -p function -l __x64_sys_getpgid -B own -e $CALL -o a.dat -- \
		sh -c 'echo >&8; for i in $(seq 600); do [ -s called ] && break; sleep 0.1; done'
	exec 8>&-
	wait $pid
	same "$K: -P -c: the program ended well" 0 $?
	same "$K: -P -c: threads and children: events of both buffers, functions" '1 1 2 2 3 3 4 4 5 5: 5' \
		"$(numbers a.dat): $(functions a.dat)"
	state_dump after
	check "$K: children: tracefs is as before" state_equal before after
}

# An event that nobody asked ftr for: its records are in the buffer all the same.
others() {
	local on="$T/events/raw_syscalls/sys_exit/enable"
	state_dump before
	try_ftr 'an event of somebody else' 0 record -e $CALL -o a.dat -- sh -c "echo 1 > $on; sleep 0.1; echo 0 > $on"
	check "$K: an event of somebody else: its format is there" \
		[ "$("$FTR" report a.dat | grep -ac ' sys_exit: *NR [0-9]')" -gt 0 ]
	try_ftr 'only what was asked for' 0 record -e $CALL -o a.dat -- true
	has "$K: only what was asked for: formats" "$("$FTR" info --quick a.dat)" '^formats: +[0-9]{2} events'
	state_dump after
	check "$K: an event of somebody else: tracefs is as before" state_equal before after
}

empty
run_parts ${FTR_WHOLE_PARTS:-maps user_stacks btf modules wall children others}
