# SPDX-License-Identifier: GPL-2.0-or-later
# Run in the guest by oops-keep.sh: oops-keep.sh KERNEL-SERIES
. "$FTR_TOP/tests/guest/lib/checks-lib.sh"
FOO=/sys/kernel/tracing/instances/foo
mkdir $FOO

# collect NAME DIR ARGS...: takes what a buffer has that is off; its file is $TAKEN
collect() {
	local name=$1 dir=$2
	shift 2
	echo > $FOO/trace
	echo 1 > $FOO/tracing_on
	echo "$name" > $FOO/trace_marker
	echo 0 > $FOO/tracing_on
	ran "$name" 0 oops collect -B foo --dir "$dir" "$@"
	TAKEN=$(sed -nE "s|^([^ ]*/[0-9-]+\\.dat).*|\\1|p" out)
	has "$K: $name: the file is there" "$("$FTR" report "$TAKEN")" "print: .*$name\$"
}

# Names that begin as those of collects, and one that is such a name, of a recording and of no trace file.
foreign() {
	local n
	mkdir own
	for n in 01 02 03 04 05; do
		echo mine > own/2025-11-$n-nfs.dat
	done
	echo mine > own/20240102-030405.dat
	echo mine > own/6.12-2.dat
	echo mine > own/1-2-notes.txt.part
	"$FTR" record -q -e sched:sched_process_exit -o own/20240101-000000.dat -- true
	ls own > before
	collect foreign own --keep 1
	same "$K: files of others stay" "$(cat before)" "$(ls own | grep -v "^${TAKEN##*/}\$")"
	same "$K: nothing is said of removing" '' "$(grep removed err out)"
}

# Boards without a battery begin in 1970.
behind() {
	local now=$(date +%s) first second early
	mkdir dir
	collect first dir --keep 2
	first=$TAKEN
	collect second dir --keep 2
	second=$TAKEN
	date -s '1970-01-02 03:04:05' > stdout
	collect early dir --keep 2
	early=$TAKEN
	has "$K: its name is of 1970" "$early" '/19700102-'
	same "$K: the oldest is gone" "$second $early" "$(printf '%s\n' dir/*.dat | sort -r | xargs)"
	has "$K: that is said" "$(cat err out)" "removed '$first'"
	date -s "@$((now + 100))" > stdout
	collect later dir --keep 2
	same "$K: the file of 1970 is newer than those before it" "$TAKEN $early" \
		"$(printf '%s\n' dir/*.dat | sort -r | xargs)"
}

# Characters of a pattern in the name of the folder.
folder() {
	mkdir 'f[1]'
	collect folder-1 'f[1]' --keep 1
	collect folder-2 'f[1]' --keep 1
	same "$K: a folder with brackets" "$TAKEN" "$(printf '%s\n' 'f[1]'/*.dat)"
}

# looked_for: the first lines of what is found of the boot before
looked_for() {
	PATH=$PWD/bin:$PATH "$FTR_BUILD/tests/guest/load/oops_drive" > said
	head -n "${1:-2}" said | paste -sd '|'
}

# oops_of NAME: as a log has it
oops_of() {
	printf '[   99.000000] guest kernel: BUG: kernel NULL pointer dereference, address: 0000000000000000\n'
	printf '[   99.000001] guest kernel: RIP: 0010:%s+0x1/0x2\n' "$1"
}

# Where the text of an oops may come from: nobody but root can leave one.
texts() {
	local head='BUG: kernel NULL pointer dereference, address: 0000000000000000' mib
	umount /sys/fs/pstore 2> /dev/null
	mkdir -p bin /var/crash
	same "$K: no text" '' "$(looked_for 1)"
	chmod 1777 /var/crash
	mkdir /var/crash/202501010000
	oops_of roots_own > /var/crash/202501010000/dmesg.202501010000
	same "$K: /var/crash, of root" "/var/crash|$head" "$(looked_for)"
	setpriv --reuid=65534 --regid=65534 --clear-groups mkdir /var/crash/203501010000
	oops_of of_nobody |
		setpriv --reuid=65534 --regid=65534 --clear-groups tee /var/crash/203501010000/dmesg.txt > stdout
	mkdir -m 777 /var/crash/203501010001
	oops_of of_a_folder > /var/crash/203501010001/dmesg.txt
	mkdir /var/crash/203501010002
	oops_of writable > /var/crash/203501010002/dmesg.txt
	chmod 666 /var/crash/203501010002/dmesg.txt
	mkdir /var/crash/203501010003
	mkfifo /var/crash/203501010003/dmesg.fifo
	same "$K: /var/crash, of others" "/var/crash|$head" "$(looked_for)"
	has "$K: it is root's" "$(cat said)" 'RIP: 0010:roots_own'
	oops_of of_the_journal > journal
	printf '#!/bin/sh\ncat %s\nexit 1\n' "$PWD/journal" > bin/journalctl
	chmod +x bin/journalctl
	same "$K: the journal comes before" "journalctl -k -b -1|$head" "$(looked_for)"
	for mib in $([ "${FTR_LONG:-}" = 1 ] && echo 1 10 100 || echo 5); do
		{ oops_of at_the_begin; lines_of $((mib * 1024)); } > journal
		same "$K: the journal, $mib MiB, at the begin" "journalctl -k -b -1|$head" "$(looked_for)"
		{ lines_of $((mib * 512)); oops_of in_the_middle; lines_of $((mib * 512)); } > journal
		same "$K: the journal, $mib MiB, in the middle" "journalctl -k -b -1|$head" "$(looked_for)"
		has "$K: the journal, $mib MiB, in the middle: it is that" "$(cat said)" 'RIP: 0010:in_the_middle'
		{ lines_of $((mib * 1024)); oops_of at_the_end; } > journal
		same "$K: the journal, $mib MiB, at the end" "journalctl -k -b -1|$head" "$(looked_for)"
		has "$K: the journal, $mib MiB, at the end: it is that" "$(cat said)" 'RIP: 0010:at_the_end'
	done
	rm -f journal
}

# lines_of KIB
lines_of() {
	yes '[    5.000000] guest kernel: usb 1-1: new high-speed USB device number 2 using xhci_hcd' |
		head -c "${1}K" | sed '$d'
}

run_parts foreign behind folder texts
