#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Random records: the spans and states of the model, and what ftr profile, latency and sched states print, are the
# oracle's, and those of the model when it goes on from 100 records on, or from 100 checkpoints, with its blocks. By
# seed; more files under FTR_LONG=1.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"
cd "$TMP" || exit 1

DUMP=$FTR_BUILD/tests/tools/span_dump
FILES=6 RECORDS=1200
[ "${FTR_LONG:-}" != 1 ] || { FILES=60; RECORDS=3000; }
echo "# seed $FTR_SEED"

# one_file SEED [WITHOUT]: an event that is left out
one_file() {
	local seed=$1
	python3 "$ORACLE/mkspans.py" "$seed" $RECORDS | grep -v "${2:-^$}" > records.txt
	[ -z "${2:-}" ] || seed="$seed without $2"
	python3 "$FTR_TOP/tests/tools/span_cases.py" --keep f "$DUMP" records.txt > /dev/null
	python3 "$ORACLE/spans.py" f0.dat | sort > wanted
	"$DUMP" f0.dat | sort > got
	has "seed $seed: the oracle has spans and states" "$(grep -c '^span' wanted) $(grep -c '^state' wanted)" \
		'^[0-9]{3,} [0-9]{2,}$'
	same_files "seed $seed: spans and states" wanted got
	python3 "$ORACLE/views.py" latency f0.dat | LC_ALL=C sort > wanted
	our_latency f0.dat | LC_ALL=C sort > got
	same_files "seed $seed: latencies" wanted got
	check "seed $seed: from 100 records on" "$DUMP" --restore 100 f0.dat
	check "seed $seed: from checkpoints on, while it is read and afterwards" "$DUMP" --replay 100 f0.dat
	check "seed $seed: the same with little memory" "$DUMP" --replay 101 f0.dat
	check "seed $seed: profile and sched states" python3 "$FTR_TOP/tests/tools/sums-check.py" f0.dat
}

for i in $(seq $FILES); do
	one_file $((FTR_SEED % 1000000 * 100 + i))
done
one_file $((FTR_SEED % 1000000 * 100)) funcgraph_entry
finish
