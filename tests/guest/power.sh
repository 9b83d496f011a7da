#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# turns: 3
# ftr record --sync: the power fails while it records to a disk. What had come up to one interval before is in the file
# after the next boot.
. "$(dirname "$0")/../lib.sh"

# empty_disk FILE: a qcow2 image of 1 GiB. QEMU keeps in its memory where new clusters are until the guest asks for a
# flush: what was not flushed is lost when QEMU is killed, as with a disk's own cache.
empty_disk() {
	python3 - "$1" << 'EOF'
import struct, sys
CLUSTER, SIZE = 1 << 16, 1 << 30
header = struct.pack('>4sIQIIQIIQQIIQ', b'QFI\xfb', 2, 0, 0, 16, SIZE, 0, 2, 3 * CLUSTER, CLUSTER, 1, 0, 0)
refcount_table = struct.pack('>Q', 2 * CLUSTER)
refcounts = struct.pack('>4H', 1, 1, 1, 1)      # header, table, counts, the two entries of level 1
with open(sys.argv[1], 'wb') as f:
    for part in header, refcount_table, refcounts, b'':
        f.write(part.ljust(CLUSTER, b'\0'))
EOF
}

# boot PART: inside/power.sh with the disk
boot() {
	guest --timeout 800 \
		--qemu "-drive if=virtio,format=qcow2,cache=writeback,file=$OUTDIR/disk -pidfile $OUTDIR/pid" \
		-- bash "$FTR_TOP/tests/guest/inside/power.sh" "$K" "$@" > "$OUTDIR/$1"
}

# Kills QEMU once the guest has said what it says.
power_fails() {
	local pid
	for _ in $(seq 6000); do
		grep -q '^the power may' "$OUTDIR/write" && break
		sleep 0.1
	done
	pid=$(cat "$OUTDIR/pid") && [ "$(cat "/proc/$pid/comm")" = qemu-system-x86 ] && kill -KILL "$pid"
}

one_kernel() {
	empty_disk "$OUTDIR/disk"
	: > "$OUTDIR/write"
	boot write &
	power_fails || fail "$V: the power fails" "$(cat "$OUTDIR/write" "$OUTDIR/err")"
	wait
	cp "$OUTDIR/write" "$OUTDIR/known"
	boot read "$OUTDIR/known"
	sed -E "s/^(ok|not ok|skip) - $K: /\\1 - $V: /" "$OUTDIR/read"
	grep -q '^not ok' "$OUTDIR/read" && FAILED=1
	grep -q '^ok - .*: the end is reached' "$OUTDIR/read" ||
		fail "$V: the checks ran to their end" "$(tail -n 20 "$OUTDIR/err")"
}

for_a_kernel one_kernel
finish
