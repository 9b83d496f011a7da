#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Lanes out of the pyramid (src/model/index/lod_index.h) are those of one pass over all records, cut to any range:
# states, tasks, losses and sums, where whole leaves are taken and where records are read from the begin of a leaf on.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"
cd "$TMP" || exit 1
CHECK=$FTR_BUILD/tests/tools/lanes_check
RANGES=100
[ "${FTR_LONG:-}" != 1 ] || RANGES=1000
echo "# seed $FTR_SEED"

# compared NAME SHIFTS FILE...: with leaves of so many units of time, as powers of two
compared() {
	local name=$1 shifts=$2 shift out wrong=
	shift 2
	for shift in $shifts; do
		out=$("$CHECK" --seed "$FTR_SEED" --ranges $RANGES --shift "$shift" "$@" 2>&1) ||
			wrong+="--shift $shift: $out
"
	done
	[ -z "$wrong" ] && pass "$name: $out" || fail "$name" "$wrong"
}

cases() {
	local path name
	for path in "$FTR_TOP"/tests/cases/spans/*.txt; do
		name=${path##*/}
		name=${name%.txt}
		case_file "$name" < "$path"
		[ ! -e "${name}0.dat" ] || compared "$name" "3 8" "$name"[0-9].dat
	done
}

random_pasts() {
	local i
	for i in 1 2 3 4; do
		python3 "$ORACLE/mkspans.py" $((FTR_SEED + i)) 1500 | case_file "random$i"
		compared "random $i" "4 9 14 18" "random${i}0.dat"
	done
}

made_files() {
	"$ORACLE/mkdat.py" --seed "$FTR_SEED" a.dat --records 3000
	"$ORACLE/mkdat.py" --seed "$FTR_SEED" b.dat --records 3000 --version 7 --compress zstd --lost 0.3 \
		--instances x,y
	compared "made" "12 24 30 40" a.dat
	compared "made, with losses" "12 24 30" b.dat
	compared "two files" "12 24 30" a.dat b.dat
	# a gap that begins in a leaf at a column's edge, of a CPU of which others tell before it ends
	"$ORACLE/mkdat.py" --seed 35103034 gap.dat --version 7 --compress zstd --records 3000 --cpus 4
	FTR_SEED=1 compared "a gap at the end of a leaf" "14 24 26" gap.dat
}

fixtures() {
	local name
	for name in lisa-sched-load-64le trappy-trace-32le; do
		[ -e "$FTR_FIXTURES_DIR/$name.dat.xz" ] || { skip "$name" "no folder $FTR_FIXTURES_DIR"; continue; }
		xz -dc "$FTR_FIXTURES_DIR/$name.dat.xz" > "$name.dat"
		compared "$name" "13 20 26" "$name.dat"
	done
}

cases
random_pasts
made_files
fixtures
finish
