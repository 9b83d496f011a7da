#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# FTR_OOPS of a trace.dat: what the kernel's log said of a crash is kept by all that writes files,
# and its first line shown.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"
cd "$TMP" || exit 1
REPLICATE=$FTR_BUILD/tests/tools/replicate

printf 'BUG: kernel NULL pointer dereference, address: 0000000000000000\nRIP: 0010:f+0x1/0x2\n' > plain.txt
printf 'evil \033[31m\233 \xe2\x80\xae \000 end\nnext\n' > evil.txt
HEAD="oops:           $(head -n 1 plain.txt)"

# line FILE: that of ftr info
line() {
	"$FTR" info --quick "$1" 2> err | grep '^oops:'
}

# body FILE: what is in the section, found by its header: id, flags, description, u64 size; u32 size
body() {
	python3 - "$1" <<- 'EOF'
		import struct, sys
		d, found, at = open(sys.argv[1], 'rb').read(), b'', 0
		while (at := d.find(b'\x08\xf7\x00\x00', at)) >= 0:
		    size, n = struct.unpack_from('<QI', d, at + 8)
		    if size == n + 4:
		        found = d[at + 20:at + 20 + n]
		    at += 1
		sys.stdout.buffer.write(found)
	EOF
}

whole() {
	local endian compress
	for endian in le be; do
		for compress in none zlib zstd; do
			python3 "$ORACLE/mkdat.py" a.dat --records 20 --endian $endian --compress $compress \
				--oops plain.txt
			same "$endian, $compress: the first line" "$HEAD" "$(line a.dat)"
			same "$endian, $compress: nothing is said" "" "$(cat err)"
		done
	done
	python3 "$ORACLE/mkdat.py" a.dat --records 20
	same "without a text there is no line" "" "$(line a.dat)"
}

# The header of the section is 16 bytes, the body begins with its size.
copied() {
	local how
	python3 "$ORACLE/mkdat.py" a.dat --records 20 --oops plain.txt
	body a.dat > got
	same_files "the section of a file" plain.txt got
	"$REPLICATE" a.dat b.dat > /dev/null
	body b.dat > got
	same_files "a copy has all of it" plain.txt got
	"$REPLICATE" -z a.dat b.dat > /dev/null
	same "so has a compressed one" "$HEAD" "$(line b.dat)"
	for how in "" "--sealed 0" "--sealed 6" "--stream 1" "--packed zstd --first zstd"; do
		# shellcheck disable=SC2086
		python3 "$ORACLE/mkspool.py" a.dat --like like.dat --oops plain.txt --text tracer=nop $how
		same "unfinished ($how): the first line" "$HEAD" "$(line a.dat)"
		FTR_TRACEFS=$TMP/none "$FTR" recover -o r.dat a.dat > out 2>&1
		same "recovered ($how): the first line" "$HEAD" "$(line r.dat)"
		rm -f r.dat
	done
}

# Of 100,000 lines of 10 bytes 6,553 are in 64 KiB.
bounded() {
	yes 'line of 10' | head -n 100000 | cut -c 1-9 > long.txt
	python3 "$ORACLE/mkdat.py" a.dat --records 20 --oops long.txt
	"$REPLICATE" a.dat b.dat > /dev/null
	body b.dat > got
	head -n 6553 long.txt > want
	same_files "64 KiB are written, in whole lines" want got
	tr -d '\n' < long.txt > one.txt
	python3 "$ORACLE/mkdat.py" a.dat --records 20 --oops one.txt
	same "1 KiB of a line is shown" $((16 + 1024)) "$(line a.dat | tr -d '\n' | wc -c)"
	"$REPLICATE" a.dat b.dat > /dev/null
	same "64 KiB of a line are written" 65536 "$(body b.dat | wc -c)"
	head -c 3000000 /dev/zero | tr '\0' 'x' > big.txt
	python3 "$ORACLE/mkdat.py" a.dat --records 20 --compress zstd --oops big.txt
	"$FTR" report a.dat > got 2> err
	has "a text beyond 1 MiB: status $?" "$(cat err)" "too large.*FTR_OOPS"
}

hostile() {
	python3 "$ORACLE/mkdat.py" a.dat --records 20 --oops evil.txt
	same "what a terminal would act on is escaped" 'oops:           evil \x1b[31m\x9b \xe2\x80\xae \x00 end' \
		"$(line a.dat)"
	: > empty.txt
	python3 "$ORACLE/mkdat.py" a.dat --records 20 --oops empty.txt
	same "a section without text" "" "$(line a.dat)$(cat err)"
	python3 "$ORACLE/mkdat.py" a.dat --records 20 --oops plain.txt
	python3 - a.dat <<- 'EOF'
		import sys
		d = bytearray(open(sys.argv[1], 'rb').read())
		at = d.index(b'BUG: kernel') - 4
		d[at:at + 4] = b'\xff\xff\xff\x7f'
		open(sys.argv[1], 'wb').write(d)
	EOF
	"$FTR" report a.dat > got 2> err
	same "a size beyond the section: status, records" "3 1" "$? $((0 < $(grep -c . got)))"
	has "it is said" "$(cat err)" "metadata does not fit its place at offset 0x[0-9a-f]*, 'FTR_OOPS'"
	same "what there is is shown" "$HEAD" "$(line a.dat)"
}

foreign() {
	command -v trace-cmd > /dev/null || { skip "trace-cmd reads it" "no trace-cmd"; return; }
	python3 "$ORACLE/mkdat.py" a.dat --records 20
	trace-cmd report a.dat > want 2> wanterr
	python3 "$ORACLE/mkdat.py" a.dat --records 20 --oops plain.txt
	trace-cmd report a.dat > got 2> err
	same_files "trace-cmd reads the same records" want got
	same_files "and says nothing else" wanterr err
}

whole
copied
bounded
hostile
foreign
finish
