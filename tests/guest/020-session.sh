# SPDX-License-Identifier: GPL-2.0-or-later
# The session on each kernel: what it changes it puts back, from a fresh and from a dirty tracefs, at any end.

. "$(dirname "$0")/../lib.sh"

session_checks() {
	guest_checks 900 session-checks.sh
}

# One kernel a day: 130-state.sh has the session on all of them.
FTR_KERNELS=$(echo $(sample 1 $FTR_KERNELS))
echo "# seed $FTR_SEED: $FTR_KERNELS"
for_kernels session_checks
finish
