#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# builds: plain
# Check the oracle itself: its decoder, writer and damage tool against trace-cmd and libtracecmd.
#
# Prints TAP lines.  Fixtures come from $FTR_FIXTURES_DIR, else ../shared/fixtures beside the
# checkout.  Exit 1 when something failed.

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../tools/python.sh"
export PYTHONDONTWRITEBYTECODE=1

have_trace_cmd()
{
	command -v trace-cmd >/dev/null
}

# Lines of records only: no "cpus=", no losses, no second lines of multi-line text.  Of a file whose
# clock has no bytes trace-cmd 3.1.6 reads the clock's name behind its allocation; where a "[" stands
# there, some four times in a thousand, times are printed in nanoseconds and without a blank.
count_trace_cmd()
{
	trace-cmd report -R -N "$1" 2>/dev/null |
		grep -acE -- '-[0-9]+ +\[[0-9]+\] *[0-9]+(\.[0-9]+)?: '
}

# raw_total FILE KEY
raw_total()
{
	"$ORACLE/rawdecode.py" "$1" 2>/dev/null | sed -n "s/^total $2 //p"
}

build_tcmd_count()
{
	local flags

	flags=$(pkg-config --cflags --libs libtracecmd 2>/dev/null) || return 1
	# shellcheck disable=SC2086
	${CC:-cc} -Wall -Wextra -o "$TMP/tcmd_count" "$ORACLE/tcmd_count.c" $flags
}

# both_agree NAME FILE EXPECTED: trace-cmd and libtracecmd count the same
both_agree()
{
	if have_trace_cmd; then
		same "$1: trace-cmd report -R" "$3" "$(count_trace_cmd "$2")"
	else
		skip "$1: trace-cmd report -R" "no trace-cmd"
	fi
	if [ -x "$TMP/tcmd_count" ]; then
		same "$1: libtracecmd" "$3" \
			"$("$TMP/tcmd_count" "$2" 2>/dev/null | sed -n 's/^total records //p')"
	else
		skip "$1: libtracecmd" "no libtracecmd"
	fi
}

# check_convert NAME FILE RECORDS COMPRESSION
check_convert()
{
	local out="$TMP/converted.dat"

	rm -f "$out"
	if ! have_trace_cmd; then
		skip "$1 as v7 $4" "no trace-cmd"
		return
	fi
	if [ "$4" != none ] && ! trace-cmd list -c 2>/dev/null | grep -q "$4"; then
		skip "$1 as v7 $4" "this trace-cmd is built without $4"
		return
	fi
	trace-cmd convert -i "$2" -o "$out" --file-version 7 --compression "$4" >/dev/null 2>&1
	same "$1 as v7 $4" "$3" "$(raw_total "$out" records)"
	if cmp -s <("$ORACLE/rawdecode.py" --records "$2" 2>/dev/null) \
		  <("$ORACLE/rawdecode.py" --records "$out" 2>/dev/null); then
		pass "$1 as v7 $4: same records"
	else
		fail "$1 as v7 $4: same records"
	fi
}

check_fixtures()
{
	local packed name file records compression

	if [ ! -e "$FTR_FIXTURES_DIR/README.md" ]; then
		skip "fixtures" "no folder $FTR_FIXTURES_DIR"
		return
	fi
	for packed in "$FTR_FIXTURES_DIR"/*.dat.xz; do
		name=$(basename "$packed" .dat.xz)
		file=$TMP/$name.dat
		xz -dc "$packed" >"$file" || { fail "$name unpacks"; continue; }
		records=$(sed -n "s/^| $name | \([0-9,]*\) .*/\1/p" "$FTR_FIXTURES_DIR/README.md" | tr -d ,)
		same "$name: rawdecode" "$records" "$(raw_total "$file" records)"
		both_agree "$name" "$file" "$records"
		for compression in none zlib zstd; do
			check_convert "$name" "$file" "$records" "$compression"
		done
		rm -f "$file"
	done
}

# check_made NAME READERS MKDAT-OPTIONS...
# READERS: all, count (times or losses known to differ), none (trace-cmd lacks zlib)
check_made()
{
	local name="mkdat $1" readers=$2 file="$TMP/made.dat" expect="$TMP/made.json" diff records

	shift 2
	if ! "$ORACLE/mkdat.py" "$file" --expect "$expect" "$@" 2>"$TMP/err"; then
		fail "$name" "$(cat "$TMP/err")"
		return
	fi
	if diff=$("$ORACLE/expect.py" "$expect" raw "$file" 2>&1); then
		pass "$name: rawdecode finds what was written"
	else
		fail "$name: rawdecode finds what was written" "$diff"
	fi
	[ "$readers" != none ] || return
	records=$(python3 -c 'import json, sys
print(json.load(open(sys.argv[1]))["totals"]["records"])' "$expect")
	both_agree "$name" "$file" "$records"
	if [ "$readers" = all ] && [ -x "$TMP/tcmd_count" ]; then
		check_listing "$name" "$file" "$expect"
	fi
}

check_listing()
{
	local diff

	"$TMP/tcmd_count" --list "$2" >"$TMP/listing" 2>/dev/null
	if diff=$("$ORACLE/expect.py" "$3" list "$TMP/listing" 2>&1); then
		pass "$1: libtracecmd gives the same cpu, time, event, pid, comm"
	else
		fail "$1: libtracecmd gives the same cpu, time, event, pid, comm" "$diff"
	fi
	same "$1: libtracecmd's losses" \
		"$(raw_total "$2" lost) $(raw_total "$2" lost_unknown)" \
		"$("$TMP/tcmd_count" "$2" 2>/dev/null |
			awk '/^instance/ { l += $(NF-2); u += $NF } END { print l+0, u+0 }')"
}

check_all_made()
{
	local endian long version size

	for endian in le be; do
		for long in 4 8; do
			for version in 6 7; do
				check_made "v$version $endian long $long" all --version $version \
					--endian $endian --long $long --instances foo,bar \
					--seed $((version * 100 + long))
			done
			check_made "v7 $endian long $long zstd" all --compress zstd \
				--endian $endian --long $long --instances foo --seed $long
			check_made "v7 $endian long $long zlib" none --compress zlib \
				--endian $endian --long $long --instances foo --seed $long
		done
	done
	for size in 8192 16384 32768 65536; do
		check_made "page $size" all --page-size $size --records 2000 --seed $size
	done
	check_made "v6 page 16384" all --version 6 --page-size 16384 --records 2000
	check_made "two page sizes" all --instances x --instance-page-size 16384 --records 1500
	check_made "top bits of time" all --start-ts 0x1800000000001234 --absolute 0.3
	# libtraceevent 1.7.1 puts stamps back by 1<<59 behind the roll-over; the kernel does not
	check_made "top bits roll over" count --start-ts 0x1ffffffffff00000 --absolute 0.3
	check_made "empty cpu" all --empty-cpu --instances a
	check_made "v6 empty cpu" all --empty-cpu --version 6
	check_made "OFFSET" all --ts-offset -5000
	check_made "DATE" all --date 1700000000000000
	check_made "unknown options" all --unknown-options 3
	check_made "trace-cmd's short sizes" all --compress zstd --short-sizes
	# libtraceevent 1.7.1 adds the delta of a discarded event even when it is the mark "no time",
	# and forgets a loss when the page opens with a time extend
	check_made "discarded events of delta 1" count --discard-delta1
	check_made "loss before a time extend" count --lost-behind-stamp --lost 0.8
	check_made "no records" all --records 0
}

check_determinism()
{
	"$ORACLE/mkdat.py" "$TMP/one.dat" --seed 7 --instances a --compress zlib
	"$ORACLE/mkdat.py" "$TMP/two.dat" --seed 7 --instances a --compress zlib
	if cmp -s "$TMP/one.dat" "$TMP/two.dat"; then
		pass "mkdat writes the same file for the same seed"
	else
		fail "mkdat writes the same file for the same seed"
	fi
}

# decode_statuses DIR: what rawdecode would exit with over the copies, sorted, unique
decode_statuses()
{
	PYTHONPATH=$ORACLE timeout 300 python3 - "$1" <<'EOF'
import glob, sys
import rawdecode

statuses = set()
for name in glob.glob(sys.argv[1] + "/*.dat"):
    try:
        statuses.add(3 if rawdecode.load(name).problems else 0)
    except Exception as error:
        statuses.add("%s:%s" % (name, error))
print(*sorted(statuses, key=str))
EOF
}

check_damage()
{
	local version kind

	for version in 6 7; do
		"$ORACLE/mkdat.py" "$TMP/whole.dat" --version $version --instances foo --records 200
		rm -rf "$TMP/cuts"
		same "v$version: 50 cut copies" "50 copies" \
			"$("$ORACLE/damage.py" truncate "$TMP/whole.dat" "$TMP/cuts")"
		same "v$version: every cut is noticed" 3 "$(decode_statuses "$TMP/cuts")"
		for kind in header offset; do
			rm -rf "$TMP/flips"
			"$ORACLE/damage.py" flip "$TMP/whole.dat" "$TMP/flips" --kind $kind -n 10 >/dev/null
			same "v$version: every flip of kind $kind is noticed" 3 \
				"$(decode_statuses "$TMP/flips")"
		done
		check_flips_survived $version
	done
}

# Flips that structure alone cannot show must at least not trip the decoder.
check_flips_survived()
{
	local kind status bad=""

	for kind in length id count pagehdr event text other; do
		rm -rf "$TMP/flips"
		"$ORACLE/damage.py" flip "$TMP/whole.dat" "$TMP/flips" --kind $kind -n 5 >/dev/null
		for status in $(decode_statuses "$TMP/flips"); do
			[ "$status" = 0 ] || [ "$status" = 3 ] || bad="$bad $kind:$status"
		done
	done
	same "v$1: flips end with 0 or 3" "" "$bad"
}

check_speed()
{
	local start stop

	"$ORACLE/mkdat.py" "$TMP/big.dat" --records 25000 --cpus 4
	start=$(date +%s%N)
	same "100000 records are counted" 100000 "$(raw_total "$TMP/big.dat" records)"
	stop=$(date +%s%N)
	echo "# 100000 records in $(((stop - start) / 1000000)) ms"
}

build_tcmd_count || rm -f "$TMP/tcmd_count"
check_fixtures
check_all_made
check_determinism
check_damage
check_speed
finish
