#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr record where conditions are bad: no tracefs, no rights, names that do not exist, no room, others at work.
# One boot a kernel.

. "$(dirname "$0")/../lib.sh"
FTR_SAN=${FTR_SAN:-$FTR_BUILD-san}
export FTR_SAN

conditions() {
	guest --timeout 600 -- bash "$FTR_TOP/tests/guest/conditions.sh" "$K" > "$OUTDIR/tap"
	local status=$?
	cat "$OUTDIR/tap"
	grep -q '^not ok' "$OUTDIR/tap" && FAILED=1
	grep -q '^ok - .*: the end is reached' "$OUTDIR/tap" ||
		fail "$K: the checks ran to their end (status $status)" "$(tail -n 20 "$OUTDIR/err")"
}

for_kernels conditions
finish
