#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Whatever becomes of a recording or a log: commands that read it end soon with 0 to 3, and write what they are to.
# So many inputs by the seed; ten minutes of each part with FTR_LONG=1, and those that could race (ThreadSanitizer).
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 1
SEED=$((FTR_SEED % 1000000000))
TSAN=${FTR_TSAN:-$FTR_BUILD-tsan}
echo "# seed $SEED"

# part NAME WORD...: of tests/tools/mutate-run.py; its numbers are said in any case
part() {
	local name=$1 out
	shift
	if out=$(python3 "$FTR_TOP/tests/tools/mutate-run.py" --seed "$SEED" --folder "$TMP" "$@" 2>&1); then
		pass "$name"
	else
		fail "$name" "$(grep -v '^# ' <<< "$out")"
	fi
	grep '^# ' <<< "$out"
}

races() {
	if [ ! -x "$TSAN/tests/tools/ftr_batch" ]; then
		skip "no race on mutated files" "no $TSAN/tests/tools/ftr_batch: 'make SAN=thread' builds it"
		return
	fi
	FTR_BUILD=$TSAN part "no race on mutated files" --keep "$FTR_BUILD/mutated" --seconds 600 races
}

HOW='--count 300' LOGS='--count 100 --grow 100'
[ "${FTR_LONG:-}" != 1 ] || { HOW='--seconds 600' LOGS=$HOW; }
part "a finding is found" own
if [ "${FTR_IS_SAN:-}" = 1 ]; then
	part "mutated recordings" $HOW files
	part "mutated logs" $LOGS logs
else
	part "mutated recordings" --count 300 files
	part "mutated logs" --count 100 logs
	[ "${FTR_LONG:-}" != 1 ] || { part "rows of words are understood" rows; races; }
fi
finish
