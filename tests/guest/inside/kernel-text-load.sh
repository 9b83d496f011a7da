# SPDX-License-Identifier: GPL-2.0-or-later
# Loads of kernel-text-record.sh that reach many kinds of events; sourced by it. What a kernel lacks fails by itself.

# Addresses, routes, neighbours, a bridge between two ends of a cable, queues; TCP, UDP, ICMP, over IPv4 and IPv6.
wide_net() {
	echo 'a page' > "$WORK/page"
	busybox httpd -p 8080 -h "$WORK"
	busybox wget -q -O /dev/null http://127.0.0.1:8080/page
	busybox wget -q -O /dev/null http://127.0.0.1:8080/none
	busybox wget -q -O /dev/null http://[::1]:8080/page
	busybox wget -q -O /dev/null http://127.0.0.1:9/
	busybox ping -c 2 -i 0.1 127.0.0.1
	busybox ping -c 1 ::1
	echo datagram | busybox nc -u -w 1 127.0.0.1 4
	ip link add ka type veth peer name kb
	ip link add kbr type bridge
	ip link set ka master kbr
	ip addr add 10.9.0.1/24 dev kbr
	ip link set kbr up
	ip link set ka up
	ip link set kb up
	ip addr add 10.9.0.2/24 dev kb
	tc qdisc add dev kb root netem delay 1ms loss 50%
	busybox ping -c 3 -i 0.1 -W 1 -I kb 10.9.0.77
	busybox arping -c 1 -I kb 10.9.0.1
	ip route add 10.10.0.0/16 via 10.9.0.9
	ip neigh add 10.9.0.5 lladdr 02:00:00:00:00:05 dev kbr
	ip neigh flush dev kbr
	ip route del 10.10.0.0/16
	ip link del ka
	ip link del kbr
}

# Disks of several drivers, a swap area, a page cache that is dropped.
wide_disks() {
	modprobe scsi_debug dev_size_mb=8
	modprobe null_blk gb=1
	modprobe zram
	modprobe dm_mod
	busybox usleep 300000
	for d in /sys/bus/pseudo/drivers/scsi_debug/adapter*/host*/target*/*/block/*; do
		dd if=/dev/zero of="/dev/${d##*/}" bs=64k count=4 oflag=direct
		blkdiscard "/dev/${d##*/}"
	done
	dd if=/dev/zero of=/dev/nullb0 bs=64k count=4 oflag=direct
	echo 0 65536 linear /dev/nullb0 0 | dmsetup create kt
	dd if=/dev/zero of=/dev/mapper/kt bs=64k count=4 oflag=direct
	dmsetup remove kt
	echo 16M > /sys/block/zram0/disksize
	mkswap /dev/zram0
	swapon /dev/zram0
	swapoff /dev/zram0
	modprobe -r null_blk scsi_debug zram
}

# An out-of-memory kill within a control group, compaction, huge pages.
wide_memory() {
	mkdir -p "$WORK/cg"
	mount -t cgroup2 none "$WORK/cg"
	echo +memory > "$WORK/cg/cgroup.subtree_control"
	mkdir "$WORK/cg/kt"
	echo 8M > "$WORK/cg/kt/memory.max"
	sh -c "echo \$\$ > $WORK/cg/kt/cgroup.procs
		exec busybox awk 'BEGIN { for (;;) a[i++] = \"some bytes of memory\" i }'"
	echo 1 > "$WORK/cg/kt/cgroup.freeze"
	rmdir "$WORK/cg/kt"
	umount "$WORK/cg"
	echo 1 > /proc/sys/vm/compact_memory
	echo 3 > /proc/sys/vm/drop_caches
	echo 4 > /proc/sys/vm/nr_hugepages
	echo 0 > /proc/sys/vm/nr_hugepages
}

# Devices and what belongs to the machine itself.
wide_devices() {
	modprobe i2c-dev
	modprobe i2c-stub chip_addr=0x20
	busybox i2cset -y 0 0x20 1 0x55
	busybox i2cget -y 0 0x20 1
	busybox i2cget -y 0 0x20 1 w
	modprobe mac80211_hwsim radios=2
	ip link set wlan0 up
	ip link set wlan0 down
	modprobe snd-dummy
	modprobe msr
	busybox dd if=/dev/cpu/0/msr bs=8 count=1 skip=2 > /dev/null
	busybox hwclock -r
	echo "said by a test" > /dev/kmsg
	modprobe -r mac80211_hwsim snd-dummy i2c-stub
	echo freezer > /sys/power/pm_test
	echo freeze > /sys/power/state
	echo none > /sys/power/pm_test
	echo 0 > /sys/devices/system/cpu/cpu1/online
	echo 1 > /sys/devices/system/cpu/cpu1/online
}

# NFS over loopback; the server stays.
wide_nfs() {
	mkdir -p /srv/x "$WORK/nfs"
	mount -t tmpfs x /srv/x
	mount -t tmpfs x /var/lib/nfs
	mkdir -p /var/lib/nfs/v4recovery /var/lib/nfs/rpc_pipefs
	: > /var/lib/nfs/etab
	: > /var/lib/nfs/rmtab
	modprobe nfsd
	mountpoint -q /proc/fs/nfsd || mount -t nfsd nfsd /proc/fs/nfsd
	mount -t rpc_pipefs p /var/lib/nfs/rpc_pipefs
	hostname guest
	exportfs -o rw,no_root_squash,insecure,fsid=0 127.0.0.1:/srv/x
	rpc.mountd -N 2 -N 3
	rpc.nfsd -N 3 2
	modprobe nfsv4
}

wide_nfs_use() {
	mount -t nfs4 127.0.0.1:/ "$WORK/nfs" || return
	echo text > "$WORK/nfs/file"
	cat "$WORK/nfs/file"
	ls -l "$WORK/nfs"
	mv "$WORK/nfs/file" "$WORK/nfs/other"
	rm "$WORK/nfs/other"
	flock "$WORK/nfs" true
	umount "$WORK/nfs"
}

# For some seconds at most, until the command succeeds.
soon() {
	local i
	for i in {1..60}; do
		"$@" && return
		busybox usleep 200000
	done
}

usb_seen() {
	[ "$(find /sys/bus/usb/devices/ -name '[0-9]*-*:*' | wc -l)" -ge "$1" ] &&
		ls /sys/block/sd* > /dev/null 2>&1
}

# Drivers of an xHCI and of what may hang there: keyboard, hub, disks (by bulk transfers and by streams), a sound card.
usb_up() {
	local m
	for m in xhci_pci usbhid usb_storage uas sd_mod snd_usb_audio snd_pcm_oss; do
		modprobe "$m"
	done
	soon usb_seen 5
}

# Reads disks, asks for what a device has not, plays silence.
usb_use() {
	local d
	soon test -e /dev/dsp
	[ ! -e /dev/dsp ] || timeout 1 dd if=/dev/zero of=/dev/dsp bs=4k count=4
	for d in /sys/block/sd*; do
		dd if="/dev/${d##*/}" of=/dev/null bs=64k count=16
	done
}

usb_down() {
	local d
	for d in /sys/bus/pci/drivers/xhci_hcd/0000:*; do
		echo "${d##*/}" > "${d%/*}/unbind"
	done
}

# nvme_disk none|host-managed: the disk with such zones; 7.2 scans two namespaces at once, so either may be the first
nvme_disk() {
	local d
	for d in /sys/block/nvme0n*; do
		[ "$(< "$d/queue/zoned")" != "$1" ] || echo "/dev/${d##*/}"
	done
}

# Both are there, and what they can do is known: the kernel asks them one after the other.
nvme_seen() {
	local plain zoned
	plain=$(nvme_disk none) zoned=$(nvme_disk host-managed)
	[ -b "$plain" ] && [ -b "$zoned" ] &&
		[ "$(cat "/sys/block/${plain#/dev/}/queue/write_zeroes_max_bytes")" -gt 0 ] &&
		[ "$(cat "/sys/block/${zoned#/dev/}/queue/nr_zones")" -gt 0 ]
}

# A namespace of blocks and one of zones: what disks are for, and commands that they do not know.
nvme_use() {
	local d plain zoned
	modprobe nvme
	soon nvme_seen
	plain=$(nvme_disk none)
	zoned=$(nvme_disk host-managed)
	dd if=/dev/zero of="$plain" bs=64k count=4 oflag=direct
	dd if="$plain" of=/dev/null bs=4k count=4 skip=7 iflag=direct
	blkdiscard -o 65536 -l 65536 "$plain"
	blkdiscard -z -o 0 -l 65536 "$plain"
	for d in report open close finish reset; do
		blkzone "$d" -c 1 "$zoned"
	done
	python3 "${SELF%/*}/nvme-commands.py" /dev/nvme0 "$plain" "$RANDOM"
	for d in /sys/bus/pci/drivers/nvme/0000:*; do
		echo "${d##*/}" > "${d%/*}/unbind"
	done
}
