#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr record, killed at random moments: the file has every marker that was written before, tracefs is as it was within
# two seconds, the command goes on.
. "$(dirname "$0")/../lib.sh"

FTR_MOMENTS=${FTR_MOMENTS:-6}
[ "${FTR_LONG:-}" != 1 ] || FTR_MOMENTS=100
export FTR_MOMENTS

one_kernel() {
	echo "# $V: seed $FTR_SEED, $FTR_MOMENTS moments"
	guest_checks $((600 + FTR_MOMENTS * 60)) kill-checks.sh
}

for_a_kernel one_kernel
finish
