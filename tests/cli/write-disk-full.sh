#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A trace file written to a disk that is too small for it: readable up to what fitted, the rest counted.
. "$(dirname "$0")/../lib.sh"
DISK=$TMP/disk
mkdir "$DISK"
trap 'umount "$DISK" 2> /dev/null; rm -rf "$TMP"' EXIT

mount_tmpfs() { mount -t tmpfs -o size="$1"m none "$DISK"; }
mount_ext4() {
	truncate -s "$1"M "$TMP/img" && mkfs.ext4 -q -F "$TMP/img" && mount -o loop "$TMP/img" "$DISK"
}

# value NAME: from what dat_full printed
value() { awk -v n="$1" '$1 == n { print $2 }' <<< "$OUT"; }

# run FS MIB NAME WANTED_RESULT [OPTION...] SIZES: writes a file; one that has data must be sound and have all records
# but those of the missing bytes.
run() {
	local fs=$1 mib=$2 name="$1: $3" wanted=$4 missing left
	shift 4
	"mount_$fs" "$mib" || { fail "$name" "cannot mount"; return; }
	OUT=$("$FTR_BUILD/tests/tools/dat_full" "${@:1:$#-3}" "$DISK" "${@: -3}" 2> "$TMP/err")
	STATUS=$?
	if [ "$(value result)" = "$wanted" ] && [ $STATUS = $((wanted ? 3 : 0)) ]; then
		pass "$name: result $wanted"
	else
		fail "$name: result $wanted" "status $STATUS" "$OUT" "$(cat "$TMP/err")"
	fi
	missing=$(value missing)
	if [ "$wanted" = -1 ]; then
		has "$name: says why" "$(cat "$TMP/err")" "cannot write '.*': No space left on device"
	elif [ "$wanted" != 0 ]; then
		has "$name: says why" "$(cat "$TMP/err")" "No space left on device.*lacks [1-9][0-9]* bytes"
	fi
	if [ "$wanted" != -1 ]; then
		left=$((($(value pages) - missing / SUBBUF) * RECORDS))
		[ $((missing % SUBBUF)) = 0 ] || fail "$name: whole sub-buffers" "missing: $missing"
		readable "$name" "$left"
	fi
	umount "$DISK"
}

readable() {
	local name=$1 left=$2 said
	said=$(python3 "$ORACLE/rawdecode.py" "$DISK/out.dat" 2> "$TMP/err") || fail "$name: sound" "$(cat "$TMP/err")"
	same "$name: $left records are in the file" "$left" "$(total records <<< "$said")"
	said=$("$FTR" report "$DISK/out.dat" 2> "$TMP/err" | grep -c number=)
	same "$name: ftr report reads them" "$left" "$said"
	same "$name: and has no complaint" "" "$(grep -v '^$' "$TMP/err")"
	check "$name: checksums are right" "$FTR_BUILD/tests/tools/datwalk" "$DISK/out.dat"
	said=$("$FTR_BUILD/tests/oracle/tcmd_count" "$DISK/out.dat" 2>&1)
	same "$name: so does libtracecmd" "$left" "$(total records <<< "$said")"
	if command -v trace-cmd > /dev/null; then
		said=$(trace-cmd report "$DISK/out.dat" 2> "$TMP/err" | grep -c number=)
		same "$name: so does trace-cmd" "$left" "$said"
	fi
}

each() {
	SUBBUF=4096 RECORDS=204
	run "$1" 12 "twice the data would not fit" 0 -c 4000 3000 1000
	same "$1: the data files are empty then" 0 "$(value kept)"
	run "$1" 12 "nothing is free but what was set aside" 0 -c -p 512 -f 0 4000 3000 1000
	run "$1" 12 "data that must stay" 1 -f 2500 2000 3000 1000
	run "$1" 12 "data that must stay, full in the first CPU" 1 -f 1500 4000 0 1000
	run "$1" 12 "full in the instance" 1 -f 3500 1000 1000 3000
	run "$1" 12 "not even the symbols fit" -1 -c -f 100 2000 2000 2000
	[ "$(value kept)" -ge $((6000 * 1024)) ] && pass "$1: all data is left then" ||
		fail "$1: all data is left then" "$OUT"
	SUBBUF=65536 RECORDS=3276
	run "$1" 12 "sub-buffers of 64 KiB" 1 -s 64 -f 2500 2048 3008 1024
	run "$1" 12 "sub-buffers of 64 KiB, consumed" 0 -s 64 -c 4032 3008 1024
}

for fs in tmpfs ext4; do
	if ! reason=$("mount_$fs" 12 2>&1); then
		skip "disk full on $fs" "cannot mount: $(tail -n 1 <<< "$reason")"
		continue
	fi
	umount "$DISK"
	each "$fs"
done
# What other commands write, onto a disk without room: status 3, and which file that was.
others() {
	local what row
	python3 "$ORACLE/growth.py" --write functions 300 "$TMP/f.dat"
	python3 "$ORACLE/growth.py" --write tasks 300 "$TMP/t.dat"
	printf '<screen x>' > "$TMP/keys"
	mount -t tmpfs -o size=64k none "$DISK" || { fail "others: cannot mount"; return; }
	head -c 65536 /dev/zero > "$DISK/fill" 2> /dev/null
	# a kernel whose tracefs is mounted has formats for oops parse, which says so where there are none
	while IFS='|' read -r what row; do
		"$FTR" $row > /dev/null 2> "$TMP/err"
		same "$what: status and words" "3 ftr: cannot write '$DISK/x': No space left on device" \
			"$? $(grep -v 'no formats of events' "$TMP/err" | head -n 1)"
		same "$what: nothing is left" fill "$(ls -A "$DISK")"
	done <<- EOS
	perfetto|export --to perfetto $TMP/f.dat -o $DISK/x
	json|export --to json $TMP/f.dat -o $DISK/x
	csv|export --to csv $TMP/f.dat -o $DISK/x
	chrome|export --to chrome $TMP/f.dat -o $DISK/x
	rows of a query|export --to csv --sql SELECT/**/*/**/FROM/**/ftrace_event $TMP/f.dat -o $DISK/x
	folded|export --to folded $TMP/f.dat -o $DISK/x
	flame|flame $TMP/f.dat -o $DISK/x
	timeline|timeline $TMP/t.dat -o $DISK/x
	a heat map|latency function_graph $TMP/f.dat --heatmap $DISK/x
	oops parse|oops parse $FTR_TOP/tests/cases/oops/events.log -o $DISK/x
	EOS
	"$FTR" browse --keys "$TMP/keys" --dump "$DISK" "$TMP/t.dat" 2> "$TMP/err"
	same "browse --dump" "3 ftr: cannot write '$DISK/x.txt': No space left on device" "$? $(head -n 1 "$TMP/err")"
	umount "$DISK"
}

others
finish
