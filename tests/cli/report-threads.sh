#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr report -j: the output, what is said of damage, and the status are the same for 1, 2 and 8 threads.
. "$(dirname "$0")/../lib.sh"

# same_for_all NAME ARG...: ftr report ARG with each number of threads
same_for_all() {
	local name=$1 j want
	shift
	for j in 1 2 8; do
		"$FTR" report -j$j "$@" > "$TMP/out.$j" 2> "$TMP/err.$j"
		echo "status $?" >> "$TMP/err.$j"
	done
	want=$(cat "$TMP/err.1")
	check "$name: output of 2 threads" cmp "$TMP/out.1" "$TMP/out.2"
	check "$name: output of 8 threads" cmp "$TMP/out.1" "$TMP/out.8"
	same "$name: remarks of 2 threads" "$want" "$(cat "$TMP/err.2")"
	same "$name: remarks of 8 threads" "$want" "$(cat "$TMP/err.8")"
}

fixtures() {
	local f name
	for f in "$FTR_FIXTURES_DIR"/*.dat.xz; do
		[ -e "$f" ] || { skip "fixtures" "none in '$FTR_FIXTURES_DIR'"; return; }
		name=$(basename "$f" .dat.xz)
		xz -dc "$f" > "$TMP/$name.dat"
		same_for_all "$name" "$TMP/$name.dat"
	done
	same_for_all "$name, fields" --raw -t "$TMP/$name.dat"
	same_for_all "$name, filtered" --event 'sched_*' --cpu 0 "$TMP/$name.dat"
	same_for_all "$name, in a range" --since +50ms --until -50ms "$TMP/$name.dat"
}

# odd_times FILE TO: a copy in which some sub-buffers have other time stamps and data.
odd_times() {
	python3 -c '
import sys
data = bytearray(open(sys.argv[1], "rb").read())
for at in range(len(data) // 3 & ~4095, len(data) - 4096, 40 * 4096):
    data[at + 3] ^= 0x40
    data[at + 600] ^= 0x11
open(sys.argv[2], "wb").write(data)' "$1" "$2"
}

# Three files whose CPUs have the same time stamps, instances, losses, calls whose exit is in another slice.
synthetic() {
	python3 "$ORACLE/mkdat.py" "$TMP/a.dat" --records 6000 --cpus 3 --instances one,two --lost 0.2
	python3 "$ORACLE/mkdat.py" "$TMP/z.dat" --records 6000 --cpus 3 --compress zlib --seed 5
	same_for_all "instances" "$TMP/a.dat"
	same_for_all "compressed" "$TMP/z.dat"
	same_for_all "several files" "$TMP/a.dat" "$TMP/z.dat" "$TMP/a.dat"
	head -c 500000 "$TMP/a.dat" > "$TMP/cut.dat"
	same_for_all "cut off" "$TMP/cut.dat"
	odd_times "$TMP/a.dat" "$TMP/odd.dat"
	same_for_all "damaged times" "$TMP/odd.dat"
	has "damage is said" "$(cat "$TMP/err.8")" "time stamps go back"
}

# The reader goes away, the disk is full: all threads end, quietly or not.
ends() {
	local j
	for j in 1 2 8; do
		"$FTR" report -j$j "$TMP/a.dat" 2> "$TMP/err" | head -n 3 > "$TMP/out"
		same "-j$j into head: status, lines, remarks" "0 3 0" \
			"${PIPESTATUS[0]} $(wc -l < "$TMP/out") $(wc -c < "$TMP/err")"
		"$FTR" report -j$j "$TMP/a.dat" > /dev/full 2> "$TMP/err"
		same "-j$j to a full disk: status" 3 $?
		has "-j$j to a full disk: it is said" "$(cat "$TMP/err")" "cannot write"
	done
	"$FTR" report -j 0 "$TMP/a.dat" > "$TMP/out" 2>&1
	same "-j 0 is wrong usage" 2 $?
}

fixtures
synthetic
ends
finish
