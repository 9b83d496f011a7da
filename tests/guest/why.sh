#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr why: a load prints each of its waits, and the account of each has the cause that it knows.
. "$(dirname "$0")/../lib.sh"

one_kernel() {
	guest_checks 600 why.sh
	check "$V: each wait has its cause, and adds up" python3 "$ORACLE/why_load.py" "$FTR" "$OUTDIR/known.dat" \
		"$OUTDIR/known.txt"
	check "$V: the rows add up, and are the states of the oracle" python3 "$FTR_TOP/tests/tools/why-check.py" \
		"$OUTDIR/known.dat"
	[ -z "${KEEPDIR:-}" ] || { mkdir -p "$KEEPDIR"; cp "$OUTDIR"/known* "$KEEPDIR"; }
}

for_a_kernel one_kernel
finish
