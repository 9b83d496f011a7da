#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Files that trace-cmd makes in a guest: as many raw records as a decoder of its own counts.
. "$(dirname "$0")/../lib.sh"

in_guest() {
	cat <<-'EOS'
	cd "$OUT"
	tc() {
		name=$1; shift
		trace-cmd record -q -o "$name.dat" "$@" > "$name.log" 2>&1 || { cat "$name.log" >&2; exit 1; }
	}
	load='ls -l /usr/share/doc'
	tc v6 --file-version 6 -e sched -e irq $load
	tc v7-none --compression none -e sched -e irq $load
	! trace-cmd list -c | grep -q zlib || tc v7-zlib --compression zlib -e sched -e irq $load
	tc v7-zstd --compression zstd -e sched -e irq $load
	tc v6-two --file-version 6 -e sched -B one -e irq -e timer -B two -p function -l 'vfs_*' $load
	tc v7-two --compression zstd -e sched -B one -e irq -e timer -B two -p function -l 'vfs_*' $load
	tc function -p function -l 'vfs_*' -l 'ksys_*' $load
	tc all -e all ls /usr
	EOS
}

one_kernel() {
	local name want
	in_guest > "$OUTDIR/run.sh"
	guest --timeout 600 -- sh "$OUTDIR/run.sh" > "$OUTDIR/out"
	same "$V: trace-cmd records" 0 $?
	for name in v6 v7-none v7-zlib v7-zstd v6-two v7-two function all; do
		if [ ! -e "$OUTDIR/$name.dat" ] && [ "$name" = v7-zlib ]; then
			skip "$V: $name.dat" "this trace-cmd was built without zlib"
			continue
		fi
		want=$("$ORACLE/rawdecode.py" "$OUTDIR/$name.dat" | total records)
		if [ "${want:-0}" -gt 50 ]; then
			same "$V: $name.dat: $want raw records" "$want" \
				"$("$FTR" report --raw "$OUTDIR/$name.dat" 2> "$TMP/err" | wc -l)"
			same "$V: $name.dat: no complaint" "" "$(cat "$TMP/err")"
		else
			fail "$V: $name.dat: the decoder finds records" "found: $want"
		fi
	done
}

for_a_kernel one_kernel
finish
