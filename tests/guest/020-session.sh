# SPDX-License-Identifier: GPL-2.0-or-later
# The session on each kernel: what it changes it puts back, from a fresh and from a dirty tracefs, at any end.

. "$(dirname "$0")/../lib.sh"

session_checks() {
	guest --timeout 900 -- bash "$FTR_TOP/tests/guest/session-checks.sh" "$K" > "$OUTDIR/tap"
	local status=$?
	cat "$OUTDIR/tap"
	grep -q '^not ok' "$OUTDIR/tap" && FAILED=1
	grep -q '^ok - .*: the end is reached' "$OUTDIR/tap" ||
		fail "$K: the checks ran to their end (status $status)" "$(tail -n 20 "$OUTDIR/err")"
}

# One kernel a day: 130-state.sh has the session on all of them.
FTR_KERNELS=$(echo $(sample 1 $FTR_KERNELS))
echo "# seed $FTR_SEED: $FTR_KERNELS"
for_kernels session_checks
finish
