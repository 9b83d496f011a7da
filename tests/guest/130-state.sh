#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr record leaves tracefs as it found it: from a fresh and from a dirty one, however it ends.
. "$(dirname "$0")/../lib.sh"

one_kernel() {
	# each way to end from a fresh tracefs; a sample of them from a dirty one
	FTR_STATE_ENDS=$(echo $(sample 2 normal int term filter event nocommand))
	export FTR_STATE_ENDS
	echo "# $V: seed $FTR_SEED, from a dirty tracefs:" $FTR_STATE_ENDS
	guest_checks 850 state-checks.sh
}

for_a_kernel one_kernel
finish
