#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# turns: 3
# The arguments that 'ftr oops cmdline' prints keep a trace and the text of the oops over a crash.
. "$(dirname "$0")/../lib.sh"

in_guest() {
	cat <<-'EOS'
	T=/sys/kernel/tracing/instances
	modprobe ramoops 2> /dev/null
	if [ "$GUEST_BOOT" = 1 ]; then
		dmesg > "$OUT/dmesg"
		"$FTR" oops cmdline > "$OUT/cmdline"
		if [ -d $T/ftr-oops ]; then
			cat $T/ftr-oops/buffer_size_kb > "$OUT/size"
			cat $T/ftr-oops/tracing_on > "$OUT/on"
			echo 1 > $T/ftr-oops/tracing_on
			echo the last words > $T/ftr-oops/trace_marker
		fi
		echo 1 > /proc/sys/kernel/sysrq
		sync
		echo c > /proc/sysrq-trigger
		sleep 60
	fi
	mountpoint -q /sys/fs/pstore || mount -t pstore pstore /sys/fs/pstore
	cat $T/ftr-oops/trace > "$OUT/trace" 2> /dev/null
	cat $T/ftr-backup/trace > "$OUT/backup" 2> /dev/null
	cat /sys/fs/pstore/dmesg-ramoops-* > "$OUT/oops" 2> /dev/null
	exit 0
	EOS
}

# What the kernel says of its log, and of each argument that it was booted with.
small_kernel() {
	has "$V: the log's size" "$(cat "$OUTDIR/dmesg")" 'log_buf_len: 1048576 bytes'
	same "$V: no memory is promised" '' "$(grep -o 'reserve_mem\|trace_instance' <<< "$LINE")"
}

kept_over_the_crash() {
	check "$V: 1024 KiB a CPU" test "$(grep -o '^[0-9]*' "$OUTDIR/size")" -ge 1024
	same "$V: off after a boot" 0 "$(cat "$OUTDIR/on")"
	has "$V: the trace is kept" "$(cat "$OUTDIR/trace")" 'the last words'
	has "$V: so is the text of the oops" "$(cat "$OUTDIR/oops")" 'sysrq: Trigger a crash'
	case $LINE in
	*ftr-backup*) has "$V: the copy has it" "$(cat "$OUTDIR/backup")" 'the last words' ;;
	*) same "$V: no copy" '' "$(cat "$OUTDIR/backup")" ;;
	esac
}

one_kernel() {
	LINE=$("$FTR" oops cmdline -1 --kernel "$V" --cpus 2 --memory 2G)
	echo "# $V: $LINE"
	in_guest > "$OUTDIR/run.sh"
	guest --timeout 400 --reboot --append "nokaslr $LINE" -- sh "$OUTDIR/run.sh"
	same "$V: the guest" 0 $?
	same "$V: each is known as one of this boot" "$(grep -c '^[^ #]' "$OUTDIR/cmdline")" \
		"$(grep -c 'This boot already has it' "$OUTDIR/cmdline")"
	case $V in
	6.1.*) small_kernel ;;
	*) kept_over_the_crash ;;
	esac
	feature "$V" 'oops cmdline: what it prints keeps what the kernel can' works
}

for_a_kernel one_kernel
finish
