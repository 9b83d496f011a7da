#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Files that are no trace, cut, or flipped: said with file and place, and everything else is still printed.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/ftr_batch.sh"
FLIPS=4
SEED=${FTR_SEED:-1}
[ "${FTR_LONG:-}" = 1 ] && FLIPS=40
echo "# seed $SEED"
batch_start

# refused NAME PATTERN ARG...: ftr ARG fails with status 1, no output, and a message that has the pattern
refused() {
	local name=$1 pattern=$2 status
	shift 2
	"$FTR" "$@" > "$TMP/out" 2> "$TMP/err"
	status=$?
	same "$name: status 1 and no output" "1 0" "$status $(wc -c < "$TMP/out")"
	has "$name: the message" "$(cat "$TMP/err")" "$pattern"
}

no_traces() {
	local c
	: > "$TMP/empty.dat"
	head -c 5000 /dev/zero > "$TMP/zero.dat"
	for c in report info; do
		refused "$c of a missing file" "^ftr: .*'$TMP/none.dat'.*No such file" $c "$TMP/none.dat"
		refused "$c of an empty file" "^ftr: .*'$TMP/empty.dat'" $c "$TMP/empty.dat"
		refused "$c of a text" "^ftr: '/etc/passwd' has no trace" $c /etc/passwd
		refused "$c of zeroes" "^ftr: '$TMP/zero.dat'" $c "$TMP/zero.dat"
		refused "$c of a folder" "^ftr: .*'$TMP'" $c "$TMP"
	done
	has "a missing file comes with a hint" \
		"$(cd "$TMP" && "$FTR" report 2>&1)" "^hint: "
}

# foreign NAME WHAT COMMAND: a file of another kind is named, and the command that reads it
foreign() {
	local c
	for c in ${COMMANDS:-report info recover}; do
		refused "$c of $1" "^ftr: '$TMP/foreign' is not a trace file: it is $2" $c "$TMP/foreign"
		has "$c of $1: the hint" "$(cat "$TMP/err")" "^hint: .*$3"
	done
}

# A text, packed or not, in which there is no trace: the commands that read texts say so.
no_text() {
	local c
	for c in report info; do
		refused "$c of $1" "^ftr: '$TMP/foreign' has no trace: " $c "$TMP/foreign"
		has "$c of $1: the hint" "$(cat "$TMP/err")" "^hint: "
	done
}

# As their programs make them, where they are here; else their first bytes, of the formats' own descriptions.
foreigners() {
	local tool
	for tool in gzip xz zstd; do
		if command -v $tool > /dev/null; then
			$tool -c < /etc/passwd > "$TMP/foreign"
			no_text "a text that $tool packed"
			COMMANDS=recover foreign "what $tool makes" "compressed with $tool" \
				"$tool -dc '$TMP/foreign' > trace.dat"
		else
			skip "what $tool makes" "no $tool"
		fi
	done
	if command -v bzip2 > /dev/null; then
		bzip2 -c < /etc/passwd > "$TMP/foreign"
		foreign "what bzip2 makes" "compressed with bzip2" "bzip2 -dc '$TMP/foreign' > trace.dat"
	else
		skip "what bzip2 makes" "no bzip2"
	fi
	printf '\x04\x22\x4d\x18data of lz4' > "$TMP/foreign"
	foreign 'what lz4 makes' 'compressed with lz4' "lz4 -dc"
	printf 'PERFILE2\x68\0\0\0\0\0\0\0' > "$TMP/foreign"
	foreign 'what perf makes' 'data of perf' 'perf script -i'
	cp /bin/true "$TMP/foreign"
	foreign 'an ELF file' 'an ELF file' 'crash VMLINUX'
	printf '# tracer: nop\n#\n' > "$TMP/foreign"
	COMMANDS=recover foreign "the kernel's text" 'a trace as the kernel prints it' 'less'
	cp /etc/passwd "$TMP/foreign"
	no_text 'a text'
}

# What tells more than one file apart: the damaged one is named, the other is printed in full.
beside_a_good_one() {
	local good=$TMP/v7.dat bad=$TMP/bad.dat want
	head -c 30000 "$TMP/v6.dat" > "$bad"
	want=$("$FTR" report -R "$good" | wc -l)
	"$FTR" report -R "$good" "$bad" > "$TMP/out" 2> "$TMP/err"
	check "a damaged file beside a good one: status 1 or 3" test $? = 3 -o $? = 1
	has "it is named" "$(cat "$TMP/err")" "'$bad'"
	"$FTR" info "$good" "$bad" > "$TMP/out" 2> "$TMP/err"
	has "info of both shows the good one" "$(cat "$TMP/out")" "^  events: *$((want / 2 > 0))?"
}

# flipped FILE OFFSET COPY: a copy with another letter at OFFSET
flipped() {
	cp "$1" "$3"
	printf '~' | dd of="$3" bs=1 seek="$2" conv=notrunc status=none
}

# Version 6 has nothing but tags between its parts: one damaged byte hides none of them.
tags_of_version_6() {
	local whole=$TMP/v6.dat copy=$TMP/tag.dat tag at i lost=''
	"$FTR" report -R "$whole" > "$TMP/whole"
	for tag in 'options  ' flyrecord; do
		at=$(grep -abom1 "$tag" "$whole" | cut -d: -f1)
		for i in 0 4 8 9; do
			flipped "$whole" $((at + i)) "$copy"
			batch_run "$TMP/out" "$TMP/err" report -R "$copy"
			[ "$ST" = 3 ] && cmp -s "$TMP/whole" "$TMP/out" &&
				grep -q "'$copy': tag damaged at offset 0x$(printf %x "$at"), '$tag'" "$TMP/err" ||
				lost+=" '$tag'+$i"
		done
	done
	same "v6: a damaged byte in a tag hides nothing" '' "$lost"
}

# The table of CPUs of version 6 has no end of its own: a wrong count makes it reach into the first CPU's data.
cpu_count_of_version_6() {
	local whole=$TMP/v6.dat copy=$TMP/count.dat at byte value lost=''
	"$FTR" report -R "$whole" > "$TMP/whole"
	at=$(($(grep -abom1 'options  ' "$whole" | cut -d: -f1) - 4))
	for byte in 0 1 2 3; do
		for value in 0 1 3 5 40 111 145 255; do
			cp "$whole" "$copy"
			printf "\\x$(printf %x "$value")" |
				dd of="$copy" bs=1 seek=$((at + byte)) conv=notrunc status=none
			cmp -s "$whole" "$copy" && continue
			batch_run "$TMP/out" "$TMP/err" report -R "$copy"
			[ "$ST" = 3 ] && cmp -s "$TMP/whole" "$TMP/out" && grep -q "'$copy': .*offset 0x" "$TMP/err" ||
				lost+=" byte $byte: $value"
		done
	done
	same "v6: no count of CPUs hides a record" '' "$lost"
}

# The page size may look right in either byte order: what follows tells which it is.
byte_order() {
	local copy=$TMP/order.dat f byte lost=''
	python3 "$ORACLE/mkdat.py" "$TMP/be6.dat" --records 120 --cpus 2 --version 6 --endian be
	python3 "$ORACLE/mkspool.py" "$TMP/open.dat" --instances second --stride $((1 << 20))
	python3 "$ORACLE/mkspool.py" "$TMP/open-be.dat" --endian be --long 4 --stride $((1 << 20))
	for f in v6 be6 v7 be32 open open-be; do
		"$FTR" report -R "$TMP/$f.dat" > "$TMP/whole" 2> "$TMP/err"
		[ -s "$TMP/whole" ] || lost+=" $f has nothing"
		for byte in 0 1 2 200; do
			cp "$TMP/$f.dat" "$copy"
			printf "\\x$(printf %x "$byte")" | dd of="$copy" bs=1 seek=12 conv=notrunc status=none
			cmp -s "$TMP/$f.dat" "$copy" && continue
			batch_run "$TMP/out" "$TMP/err" report -R "$copy"
			[ "$ST" = 3 ] && cmp -s "$TMP/whole" "$TMP/out" &&
				grep -q "'$copy': initial header damaged at offset 0xc, " "$TMP/err" ||
				lost+=" $f: $byte"
		done
	done
	same "no byte order hides a record" '' "$lost"
}

# The size of long in the initial header is the program's that wrote it; the header page has the kernel's.
size_of_long() {
	local f
	for f in v6:4 v7:4 zlib:4 be32:8; do
		"$FTR" report "$TMP/${f%:*}.dat" > "$TMP/whole"
		cp "$TMP/${f%:*}.dat" "$TMP/long.dat"
		printf "\\x${f#*:}" | dd of="$TMP/long.dat" bs=1 seek=13 conv=notrunc status=none
		"$FTR" report "$TMP/long.dat" > "$TMP/out" 2> "$TMP/err"
		same "$f: a program with a long of another size wrote it: status, messages, text" "0 0 same" \
			"$? $(wc -l < "$TMP/err") $(cmp -s "$TMP/whole" "$TMP/out" && echo same)"
	done
}

# A ring buffer gives no sub-buffer without data, so one before others was lost: by a disk, a copy that stopped and went
# on, a hole of a sparse copy. At the end of a CPU it may be padding.
blanks() {
	local f=$TMP/blank.dat how want st=0
	for how in "--version 6" "--version 7" "--compress zstd" "--endian be --long 4 --page-size 16384"; do
		python3 "$ORACLE/mkdat.py" $how --records 3000 --cpus 2 --lost 0 --blank 3:2 "$f"
		"$FTR" report "$f" > "$TMP/out" 2> "$TMP/err"
		same "$how: zeroes within: status, losses, their CPU" "3 1 CPU:0 [EVENTS DROPPED]" \
			"$? $(grep -c DROPPED "$TMP/out") $(grep DROPPED "$TMP/out")"
		has "$how: said with the place" "$(cat "$TMP/err")" \
			'sub-buffers without data before others at offset .*CPU 0.*, 2 of them$'
		want=$(python3 "$ORACLE/rawdecode.py" "$f" 2> /dev/null | awk '/^buffer/ { print $6, $12 }')
		"$FTR" info "$f" 2> /dev/null |
			sed -nE 's/^ +CPU [01]: +([0-9]+) events, lost (.*), .*/\1 \2/p' > "$TMP/out"
		same "$how: info: events and losses of each CPU" \
			"$(sed 's/ 1$/ 0 and an unknown number/' <<< "$want")" "$(cat "$TMP/out")"
	done
	python3 "$ORACLE/mkdat.py" --records 3000 --lost 0 --blank 0:1 "$f"
	"$FTR" report "$f" > "$TMP/out" 2> "$TMP/err" || st=$?
	same "zeroes at the begin" "3 1" "$st $(grep -c DROPPED "$TMP/out")"
	python3 "$ORACLE/mkdat.py" --records 3000 --lost 0 --cpus 1 --expect "$TMP/json" "$f"
	want=$(grep -o '"pages": [0-9]*' "$TMP/json" | sed 's/.* //;q')
	python3 "$ORACLE/mkdat.py" --records 3000 --lost 0 --cpus 1 --blank $((want - 2)):2 "$f"
	"$FTR" report "$f" > "$TMP/out" 2> "$TMP/err" && st=0
	same "zeroes at the end are none" "0 0 " "$st $(grep -c DROPPED "$TMP/out") $(cat "$TMP/err")"
}

# No byte of a file may command the terminal.
control_bytes() {
	python3 - "$TMP/v7.dat" "$TMP/evil.dat" <<- 'E'
		import sys
		data = open(sys.argv[1], "rb").read()
		assert b"mount.nfs\n" in data and b"marker" in data
		data = data.replace(b"1234 mount.nfs\n", b"1234 \x1b[2J\x07.nfs\n").replace(b"marker", b"\x1b[31mx")
		open(sys.argv[2], "wb").write(data)
	E
	"$FTR" report "$TMP/evil.dat" > "$TMP/out" 2> /dev/null
	"$FTR" report -R "$TMP/evil.dat" >> "$TMP/out" 2> /dev/null
	"$FTR" info "$TMP/evil.dat" >> "$TMP/out" 2> /dev/null
	same "escape sequences do not reach the output" 0 "$(grep -c $'[\x01-\x08\x0b-\x1f\x7f]' "$TMP/out")"
	has "they are shown" "$(cat "$TMP/out")" '\\x1b\[2J\\x07\.nfs-1234'
}

python3 "$ORACLE/mkdat.py" "$TMP/v7.dat" --records 120 --cpus 2 --instances second
python3 "$ORACLE/mkdat.py" "$TMP/v6.dat" --records 120 --cpus 2 --instances second --version 6
python3 "$ORACLE/mkdat.py" "$TMP/zlib.dat" --records 120 --cpus 2 --compress zlib
python3 "$ORACLE/mkdat.py" "$TMP/be32.dat" --records 120 --cpus 2 --endian be --long 4
no_traces
foreigners
control_bytes
blanks
beside_a_good_one
tags_of_version_6
cpu_count_of_version_6
byte_order
size_of_long
[ "${FTR_LONG:-}" = 1 ] && LONGER=$TMP/be32.dat
"$FTR_TOP/tests/tools/damaged.py" "$SEED" $FLIPS "$TMP"/{v7,v6,zlib}.dat $LONGER || FAILED=1
batch_stop
finish
