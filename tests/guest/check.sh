#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr check in guests: each condition provoked and told by its name, features held against the kernel's files, nothing
# changed. Then a locked-down kernel, a real-time one and a cloud kernel.

. "$(dirname "$0")/../lib.sh"

conditions() {
	guest_checks 900 check.sh --append lockdown=integrity
}

# The mode that does forbid tracing: not even root opens a file, and where it is on from the start there is none.
confidential() {
	local out
	out=$(guest --timeout 600 --append lockdown=confidentiality -- sh -c '
		"$FTR" check conditions; echo "status $?"
		mount -t securityfs s /sys/kernel/security
		"$FTR" check lockdown
		"$FTR" record -e sched -o /tmp/t.dat true 2>&1')
	has "$V: lockdown=confidentiality: status" "$out" '^status 1$'
	has "$V: lockdown=confidentiality" "$out" '^  lockdown +no +lockdown=confidentiality forbids tracing'
	has "$V: lockdown=confidentiality: hint" "$out" 'hint: boot with lockdown=integrity'
	has "$V: lockdown=confidentiality, securityfs not mounted" "$out" '^  lockdown +no +tracefs is empty'
	has "$V: lockdown=confidentiality: tracefs" "$out" '^  tracefs +no +cannot use tracefs'
	has "$V: lockdown=confidentiality: rights" "$out" '^  rights +unknown +cannot use tracefs'
	has "$V: lockdown=confidentiality: record" "$out" 'ftr: cannot use tracefs at .*: the kernel is locked down$'
}

realtime() {
	local out
	out=$(guest --timeout 600 -- sh -c '"$FTR" check wakeup_rt wakeup hwlat osnoise timerlat; echo "status $?"')
	has "$V: tracers that others lack: status" "$out" '^status 0$'
	same "$V: tracers that others lack: work" 5 "$(grep -c ' works$' <<< "$out")"
	for t in wakeup_rt hwlat osnoise timerlat; do
		feature "$K" "tracer $t" works
	done
}

# Cloud kernels have no 9p to see the host's files by: the program comes in the initial RAM disk.
cloud_disk() {
	local work=$OUTDIR/initrd lib busybox
	busybox=$(command -v busybox) || return 1
	mkdir -p "$work/bin" "$work/proc" "$work/sys" "$work/dev" "$work/run" "$work/lib/modules/$V"
	cp "$busybox" "$work/bin/busybox"
	cp "$FTR" "$work/bin/ftr"
	ldd "$FTR" | grep -o '/[^ ]*' | while read -r lib; do
		mkdir -p "$work$(dirname "$lib")"
		cp -L "$lib" "$work$lib"
	done
	cp "$1/config" "$work/lib/modules/$V/config"
	cat > "$work/init" <<-'X'
	#!/bin/busybox sh
	bb=/bin/busybox
	$bb mount -t proc proc /proc
	$bb mount -t sysfs sys /sys
	$bb mount -t devtmpfs dev /dev
	/bin/ftr --color=never check tracefs
	$bb mount -t tracefs t /sys/kernel/tracing
	/bin/ftr --color=never check
	echo "status $?"
	echo "tracers: $($bb cat /sys/kernel/tracing/available_tracers)"
	$bb poweroff -f
	X
	chmod +x "$work/init"
	(cd "$work" && find . | "$busybox" cpio -o -H newc 2> "$OUTDIR/cpio.err") > "$OUTDIR/initrd.cpio"
}

cloud() {
	local dir out t image
	dir=$(dirname "$(dirname "$(dirname "$("$FTR_TOP/utils/guest" modules "$K")")")")
	cloud_disk "$dir" || { skip "$V" 'no static busybox'; return; }
	image=$dir/vmlinux
	[ -f "$image" ] || image=$dir/vmlinuz
	timeout -k 5 600 qemu-system-x86_64 -accel tcg,thread=single -cpu max -smp 2 -m 1024 -nodefaults -nographic \
		-no-reboot -kernel "$image" -initrd "$OUTDIR/initrd.cpio" -serial "file:$OUTDIR/console" \
		-append "console=ttyS0 quiet nokaslr no_timer_check panic=-1" < /dev/null > "$OUTDIR/qemu.log" 2>&1
	out=$(tr -d '\r' < "$OUTDIR/console")
	has "$V: nothing mounted" "$out" '^  tracefs +no +tracefs is not mounted'
	has "$V: status" "$out" '^status 1$'
	for t in function function_graph blk mmiotrace hwlat osnoise timerlat wakeup irqsoff; do
		if grep -q "^tracers:.*\\b$t\\b" <<< "$out"; then
			has "$V: $t" "$out" "^  $t +works"
			feature "$K" "tracer $t" works
		else
			has "$V: $t" "$out" "^  $t +no +this kernel has no tracer '$t'"
			feature "$K" "tracer $t" "this kernel has no tracer '$t'"
		fi
	done
	has "$V: what it is built without" "$(tr -s ' \n' ' ' <<< "$out")" \
		"no tracer 'hwlat': it is built without CONFIG_HWLAT_TRACER"
}

for_a_kernel conditions
if [ "${FTR_LONG:-}" = 1 ]; then
	FTR_KERNELS=$(sample 1 $FTR_KERNELS) for_kernels confidential
	FTR_KERNELS=6.12-rt for_kernels realtime
else
	skip "lockdown=confidentiality, a real-time kernel" "FTR_LONG=1 tries them"
fi
FTR_KERNELS=$(sample 1 6.12-cloud 6.1-cloud) for_kernels cloud
finish
