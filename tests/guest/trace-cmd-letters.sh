#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# turns: 3
# The options of trace-cmd's record, start, set, stream, snapshot, stack and profile: what the control files are with
# trace-cmd and with ftr, by the rows of lib/trace-cmd-letters.table. A run takes some of the rows, a long one all.
. "$(dirname "$0")/../lib.sh"

ROWS=$FTR_TOP/tests/tools/trace-cmd-letters.py

one_kernel() {
	python3 "$ROWS" rows $(sample "${FTR_ROWS:-8}" $(python3 "$ROWS" numbers)) > "$OUTDIR/rows"
	guest_checks 3600 trace-cmd-letters.sh
	python3 "$ROWS" judge "$OUTDIR" "$V" || FAILED=1
}

python3 "$ROWS" letters || FAILED=1
if command -v trace-cmd > /dev/null; then
	for_a_kernel one_kernel
else
	skip "the state that trace-cmd and ftr leave" "no trace-cmd"
fi
finish
