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
	small)
		modprobe loop && modprobe ext4 && truncate -s 8M /tmp/disk.img && mkfs.ext4 -q -F /tmp/disk.img &&
			mount -o loop /tmp/disk.img /mnt
		;;
	esac && cd /mnt || exit 9
	df -k . > "$OUT/before"
	"$FTR" record -b 4M -p function -o trace.dat -- sh -c 'ls -lR /usr/share/doc /usr/lib/python3' \
		> /dev/null 2> "$OUT/said"
	echo "$?" > "$OUT/status"
	ls -la > "$OUT/ls"
	df -k . >> "$OUT/ls"
	cp trace.dat* "$OUT"/
}

disk_full() {
	for FS in $(sample 1 tmpfs ext4) small; do
		full_of "$FS"
	done
	few_symbols
	no_inodes
}

# A disk with room for some of the symbols only, which nothing else fills: no name is a wrong one.
few_symbols() {
	guest --timeout 400 -- bash "$0" few
	same "$V: few symbols: status 3" 3 "$(cat "$OUTDIR/status")"
	has "$V: few symbols: it is said" "$(cat "$OUTDIR/said")" \
		'lacks [0-9]* of [0-9]* bytes of kernel symbols: No space'
	sed 's/^/# /' "$OUTDIR/said"
	"$FTR" report "$OUTDIR/trace.dat" 2> "$TMP/err" | grep -oE 'function: +[^ ]+' > "$TMP/names"
	same "$V: few symbols: the file is sound" '' "$(cat "$TMP/err")"
	check "$V: few symbols: there are records" [ -s "$TMP/names" ]
	same "$V: few symbols: names are right, or missing" '' \
		"$(grep -vE ' (vfs_read[a-z_]*|symbols_missing)$' "$TMP/names")"
	same "$V: few symbols: trace-cmd names as many" "$(grep -c vfs_read "$TMP/names")" \
		"$(trace-cmd report -i "$OUTDIR/trace.dat" 2> /dev/null | grep -c 'function: *vfs_read')"
}

few() {
	modprobe loop && modprobe ext4 && truncate -s 8M /tmp/disk.img && mkfs.ext4 -q -F -m 0 /tmp/disk.img &&
		mount -o loop /tmp/disk.img /mnt && cd /mnt || exit 9
	fallocate -l $(($(stat -f -c %a .) * $(stat -f -c %S .) - (900 << 10))) filler
	"$FTR" record -p function -l 'vfs_read*' -o trace.dat -- cat /proc/version > /dev/null 2> "$OUT/said"
	echo "$?" > "$OUT/status"
	cp trace.dat "$OUT"/
}

# The part file takes the last inode: there is none for a copy, which a tmpfs needs.
no_inodes() {
	guest --timeout 400 -- bash "$0" inodes
	same "$V: no inodes: status 3, not the command's" 3 "$(cat "$OUTDIR/status")"
	has "$V: no inodes: the reason" "$(cat "$OUTDIR/said")" 'No space left on device'
	"$FTR" report "$OUTDIR/trace.dat" 2> /dev/null | grep -c sched_ > "$TMP/n"
	[ "$(cat "$TMP/n")" -gt 10 ] && pass "$V: no inodes: the data is there" ||
		fail "$V: no inodes: data" "$(cat "$OUTDIR/said")"
}

inodes() {
	mount -t tmpfs -o size=36m,nr_inodes=2 none /mnt && cd /mnt || exit 9
	"$FTR" record -e sched -o trace.dat -- sh -c 'sleep 0.3; exit 7' 2> "$OUT/said"
	echo "$?" > "$OUT/status"
	cp trace.dat "$OUT"/
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
elif [ "${1:-}" = few ]; then
	trap - EXIT
	few
	exit
elif [ "${1:-}" = inodes ]; then
	trap - EXIT
	inodes
	exit
fi
for_a_kernel disk_full
finish
