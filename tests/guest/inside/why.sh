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

# record FILE COMMAND: with the stacks of sleepers and of who wakes them. In an instance: what is written to the top
# level's trace_marker does not come into another one before 6.16.
record() {
	export -f "$2"
	"$FTR" record -B named --for why -e sched:sched_switch -R stacktrace -e sched:sched_waking -R stacktrace \
		--no-filter -b 32M -o "$1.dat" -- bash -c "$2" > "$1.out" 2> "$1.err"
	same "$K: $1: recorded" 0 $?
	has "$K: $1: nothing is lost" "$(< "$1.err")" ' 0 lost'
}

named() {
	modprobe -a loop ext4
	truncate -s 64M /tmp/disk && mkfs.ext4 -q /tmp/disk && mkdir -p /tmp/mnt && mount -o loop /tmp/disk /tmp/mnt
	same "$K: an ext4 on a loop device" 0 $?
	record named load
	umount /tmp/mnt
}

# A mount of NFS, which is written to and read from.
nfs_load() {
	mount -t nfs4 127.0.0.1:/ /tmp/nfs || exit 1
	cp -r /usr/share/doc/bash /tmp/nfs
	sync -f /tmp/nfs
	cat /tmp/nfs/bash/*
	ls -lR /tmp/nfs
	umount /tmp/nfs
}

modules() {
	cut -d' ' -f1 /proc/modules | sort
}

nfs_unloaded() {
	local those
	those=$(comm -13 modules <(modules))
	# shellcheck disable=SC2086
	[ -z "$those" ] || modprobe -qra $those || return 1
}

# nfs and nfsd over loopback; what is loaded and started for it goes with it.
nfs() {
	modules > modules
	# the program that keeps the clients of a server for its next start, and has no part in this one
	modprobe nfsd cltrack_prog=/bin/true
	modprobe nfsv4
	mkdir -p /tmp/export /tmp/nfs
	mount -t tmpfs x /tmp/export
	mount -t tmpfs x /var/lib/nfs
	mkdir -p /var/lib/nfs/v4recovery /var/lib/nfs/rpc_pipefs
	: > /var/lib/nfs/etab
	: > /var/lib/nfs/rmtab
	mountpoint -q /proc/fs/nfsd || mount -t nfsd nfsd /proc/fs/nfsd
	mount -t rpc_pipefs p /var/lib/nfs/rpc_pipefs
	exportfs -o rw,no_root_squash,insecure,fsid=0 127.0.0.1:/tmp/export
	rpc.mountd -F -N 2 -N 3 &
	# for 90 s a server waits for what its former clients reclaim; 10 s is the least, for 7.2, which does not end it
	echo 10 > /proc/fs/nfsd/nfsv4gracetime
	rpc.nfsd -N 3 2
	same "$K: an NFS server" 0 $?
	echo Y > /proc/fs/nfsd/v4_end_grace
	check "$K: it serves" wait_until 60 grep -q Y /proc/fs/nfsd/v4_end_grace
	record nfs nfs_load
	check "$K: nfs: all was read" test "$(wc -c < nfs.out)" -gt "$(cat /usr/share/doc/bash/* | wc -c)"
	rpc.nfsd 0
	kill $!
	wait $!
	umount /proc/fs/nfsd /var/lib/nfs/rpc_pipefs /var/lib/nfs /tmp/export
	rm -f /run/mount/utab*
	check "$K: nfs is unloaded" wait_until 60 nfs_unloaded
}

run_parts known named nfs
