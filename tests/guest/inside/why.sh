# SPDX-License-Identifier: GPL-2.0-or-later
# Run in the guest by why.sh, which reads the files: why.sh KERNEL-SERIES
. "$FTR_TOP/tests/lib.sh"
K=$1
LOAD=$FTR_BUILD/tests/guest/load/why_load
cd "$OUT" || exit 1
# A disk whose requests take 25 ms: an emulated one is done before its reader sleeps.
modprobe null_blk irqmode=2 completion_nsec=25000000 gb=1

# accounting 0|1 FEATURE FEATURE: the kernel's accounts of delays off or on, and the second feature of the scheduler
# instead of the first. With delayed dequeue (6.12 and later) a task may leave the queue while another one is on the
# CPU, for which the kernel starts the delay then, so that both accounts are wrong: where they are compared, on one CPU,
# it is off.
FEATURES=/sys/kernel/debug/sched/features
accounting() {
	echo "$1" > /proc/sys/kernel/task_delayacct
	[ "$(nproc)" = 1 ] && grep -qw "$2" $FEATURES || return 0
	echo "$3" > $FEATURES
}

# Waits whose causes are known. ftr's own threads are in the recording: an interrupt that hits a hidden one is not.
known() {
	insmod -f ftrmod.ko waits=1
	same "$K: the module is loaded" 0 $?
	accounting 1 DELAY_DEQUEUE NO_DELAY_DEQUEUE
	"$FTR" record --for why --no-filter -C mono -b 16M -o known.dat -- "$LOAD" /dev/nullb0 > known.txt 2> known.err
	same "$K: recorded" 0 $?
	has "$K: nothing is lost" "$(< known.err)" ' 0 lost'
	accounting 0 NO_DELAY_DEQUEUE DELAY_DEQUEUE
	rmmod ftrmod
	modprobe -r null_blk
	same "$K: the load came to its end" 60 "$(grep -vc ^kernel known.txt)"
}

# What a build does: processes that come and go, pipes, many small files; then tar to an ext4 on a loop device.
load() {
	ls -lR /usr/share/doc/[a-c]* | sort | head -n 2000 | wc -l
	find /usr/share/doc/[a-b]* -type f | head -n 100 | xargs cat | gzip -1 | wc -c
	for _ in $(seq 10); do sh -c 'cat /proc/self/maps | wc -l'; done
	"$FTR" mark -B named 'begin of tar'
	tar cf /tmp/mnt/x.tar -C /usr/share/doc adduser apt base-files base-passwd bash
	sync -f /tmp/mnt
	"$FTR" mark -B named 'end of tar'
}

named() {
	modprobe -a loop ext4
	truncate -s 64M /tmp/disk && mkfs.ext4 -q /tmp/disk && mkdir -p /tmp/mnt && mount -o loop /tmp/disk /tmp/mnt
	same "$K: an ext4 on a loop device" 0 $?
	export -f load
	# in an instance: what is written to the top level's trace_marker does not come into another one before 6.16
	"$FTR" record -B named --for why --no-filter -b 16M -o named.dat -- bash -c load > /dev/null 2> named.err
	same "$K: recorded" 0 $?
	has "$K: nothing is lost" "$(< named.err)" ' 0 lost'
	umount /tmp/mnt
}

run_parts known named
