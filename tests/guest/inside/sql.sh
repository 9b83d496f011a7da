# SPDX-License-Identifier: GPL-2.0-or-later
# Run in the guest by sql.sh, which reads the file: sql.sh KERNEL-SERIES
. "$FTR_TOP/tests/guest/lib/checks-lib.sh"
PROBES=$(cat "$T/kprobe_events")

# System calls, timers, signals, memory and a few processes; requests to a disk; texts that are no UTF-8.
load() {
	(cd /tmp && "$FTR_BUILD/tests/guest/load/agree_load")
	dd if=/dev/zero of=/mnt/file bs=64k count=8 conv=fsync 2> /dev/null
	dd if=/mnt/file of=/dev/null iflag=direct 2> /dev/null
	rm /mnt/file
	: > $'/tmp/caf\351 \303\251'
	printf 't\344sk \303\251' > /proc/$BASHPID/comm
}
export -f load

# Arrays of numbers of several sizes, with and without a sign, and a text.
probes() {
	echo 'p:sqltest/arrays vfs_write bytes=@linux_banner:u8[4] words=$stack0:x64 halves=+0(%si):s16[3]' \
		'ints=+0(%si):s32[2] longs=+0($stack):x64[3] small=%dx:s8 comm=$comm' > "$T/kprobe_events"
	echo 'p:sqltest/texts do_sys_openat2 name=+0(%si):ustring none=+0(\16):string dfd=%di:s32' >> "$T/kprobe_events"
}

# Arrays, bitmasks and stacks come from raw_syscalls, ipi and the trigger; probes are arrays of all types.
recorded() {
	local name events=()
	for name in sched syscalls irq timer block workqueue signal kmem raw_syscalls ipi sqltest; do
		[ ! -d "$T/events/$name" ] || events+=(-e "$name")
	done
	same "$K: the systems are there" 10 "$(printf '%s\n' "${events[@]}" | grep -vcxE -- '-e|ipi')"
	ran 'recorded' 0 record --no-filter -b 24M -o "$OUT/sql.dat" "${events[@]}" \
		-e sched:sched_process_exec -R stacktrace -- bash -c load
	has "$K: nothing is lost" "$(cat err)" ' 0 lost'
}

cleared() {
	umount /mnt
	echo "$PROBES" > "$T/kprobe_events"
}

loop_disk /mnt 24M
run_parts probes recorded cleared
