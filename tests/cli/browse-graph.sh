#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr browse: the ways of its graph are those of the text of ftr graph; M goes from one end of a span to the other, as
# the oracle has the spans. By seed; more files under FTR_LONG=1.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"
cd "$TMP" || exit 1

FILES=2
[ "${FTR_LONG:-}" != 1 ] || FILES=20
echo "# seed $FTR_SEED"

make_file() {
	python3 "$ORACLE/mkspans.py" "$1" 1200 > records.txt
	python3 "$FTR_TOP/tests/tools/span_cases.py" --keep f "$FTR_BUILD/tests/tools/span_dump" records.txt > /dev/null
}

one_file() {
	make_file "$1"
	check "seed $1: ways in the graph" python3 "$FTR_TOP/tests/tools/graph-ways.py" --seed "$1" f0.dat
	python3 "$ORACLE/spans.py" f0.dat > spans
	check "seed $1: M goes from end to end" python3 "$FTR_TOP/tests/tools/span-ends.py" --seed "$1" f0.dat spans
}

for i in $(seq $FILES); do
	one_file $((FTR_SEED % 1000000 * 100 + i))
done
finish
