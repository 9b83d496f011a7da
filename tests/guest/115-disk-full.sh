#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr record until the disk is full: status 3, and a file that is sound and can be read.
. "$(dirname "$0")/../lib.sh"

# In the guest: a small disk, much more data than that. On ext4 the file that is recorded into is the one that is left.
work() {
	case $1 in
	tmpfs)
		mount -t tmpfs -o size=36m none /mnt
		;;
	ext4)
		modprobe loop && modprobe ext4 && truncate -s 48M /tmp/disk.img && mkfs.ext4 -q -F /tmp/disk.img &&
			mount -o loop /tmp/disk.img /mnt
		;;
	esac && cd /mnt || exit 9
	"$FTR" record -b 4M -p function -o trace.dat -- sh -c 'ls -lR /usr/share/doc /usr/lib/python3' \
		> /dev/null 2> "$OUT/said"
	echo "$?" > "$OUT/status"
	ls -la > "$OUT/ls"
	df -k . >> "$OUT/ls"
	cp trace.dat* "$OUT"/
}

disk_full() {
	for FS in $(sample 1 tmpfs ext4); do
		full_of "$FS"
	done
}

full_of() {
	echo "# $V: $1"
	guest --timeout 800 -- bash "$0" work "$1"
	same "$V: status 3" 3 "$(cat "$OUTDIR/status")"
	has "$V: the reason" "$(cat "$OUTDIR/said")" "No space left on device"
	same "$V: one file is left" trace.dat "$(cd "$OUTDIR" && echo trace.dat*)"
	check "$V: it is sound" "$FTR_BUILD/tests/tools/datwalk" "$OUTDIR/trace.dat"
	local want got
	want=$(python3 "$ORACLE/rawdecode.py" "$OUTDIR/trace.dat" | total records)
	got=$("$FTR_BUILD/tests/oracle/tcmd_count" "$OUTDIR/trace.dat" 2> "$OUTDIR/tcmd.err" | total records)
	same "$V: libtracecmd reads all its records" "$want" "$got"
	same "$V: and says nothing" "" "$(cat "$OUTDIR/tcmd.err")"
	[ "$want" -gt 100000 ] && pass "$V: $want records" || fail "$V: records" "$want" "$(cat "$OUTDIR/ls")"
	has "$V: symbols are there" "$("$FTR" info "$OUTDIR/trace.dat")" "session:"
	sed 's/^/# /' "$OUTDIR/said"
}

if [ "${1:-}" = work ]; then
	trap - EXIT
	work "$2"
	exit
fi
for_a_kernel disk_full
finish
