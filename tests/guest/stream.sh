#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr stream: every record once, in order, as it happens; losses where they were; tracefs as before.

. "$(dirname "$0")/../lib.sh"

one_kernel() {
	guest_checks 900 stream.sh
}

# The processor that is emulated has a TSC that 6.1 does not trust by itself.
trusted_tsc() {
	guest --timeout 600 --append tsc=reliable -- bash "$FTR_TOP/tests/guest/inside/stream.sh" "$K" \
		tsc > "$OUTDIR/tap"
	sed -E "s/^(ok|not ok|skip) - $K: /\\1 - $V, tsc=reliable: /" "$OUTDIR/tap"
	grep -q '^not ok' "$OUTDIR/tap" && FAILED=1
	grep -q '^ok - .*: the end is reached' "$OUTDIR/tap" ||
		fail "$V, tsc=reliable: the end" "$(tail -n 20 "$OUTDIR/err")"
}

both() {
	one_kernel
	[ "${FTR_LONG:-}" != 1 ] || trusted_tsc
}

for_a_kernel both
[ "${FTR_LONG:-}" = 1 ] || skip "a TSC that the kernel trusts" "FTR_LONG=1 tries it"
finish
