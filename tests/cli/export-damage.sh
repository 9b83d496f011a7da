#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr export of damaged files: it ends as ftr report does, and what it wrote is well-formed to its end.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"
cd "$TMP" || exit 1
CUTS=10 FLIPS=2
[ "${FTR_LONG:-}" != 1 ] || { CUTS=60; FLIPS=12; }
echo "# seed $FTR_SEED"

# damaged FILE FORMATS
damaged() {
	local f=$1 out commands=
	shift
	for to; do
		commands+=${commands:+,}"export -q --to $to"
	done
	if out=$(python3 "$FTR_TOP/tests/tools/damage-run.py" --seed "$FTR_SEED" --cuts $CUTS --flips $FLIPS --forms \
			--as-report "$commands" theirs "$f" 2>&1); then
		pass "damage of $f: $*"
	else
		fail "damage of $f: $*" "$out"
	fi
	tail -n 1 <<< "$out"
}

python3 "$ORACLE/mkdat.py" --seed "$FTR_SEED" --records 3000 --cpus 3 --lost 0 a.dat
damaged a.dat perfetto json csv
python3 "$ORACLE/mkspans.py" "$FTR_SEED" 1500 | grep -v '^lost' > records.txt
python3 "$FTR_TOP/tests/tools/span_cases.py" --keep f "$FTR_BUILD/tests/tools/span_dump" records.txt > /dev/null
damaged f0.dat chrome folded 'folded --kind syscall'
finish
