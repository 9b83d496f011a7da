#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Commands that change tracing, ended at random moments by SIGINT, SIGTERM and SIGKILL: tracefs is as before, or the
# change stands in full and ftr reset puts it back. From a fresh and from a dirty tracefs.
. "$(dirname "$0")/../lib.sh"

# How many moments a kernel: a sample, or one for each command and signal, which is a hundred.
FTR_MOMENTS=${FTR_MOMENTS:-8}
[ "${FTR_LONG:-}" != 1 ] || FTR_MOMENTS=105
export FTR_MOMENTS

one_kernel() {
	echo "# $V: seed $FTR_SEED, $FTR_MOMENTS moments"
	guest_checks $((600 + FTR_MOMENTS * 30)) control-checks.sh
}

for_a_kernel one_kernel
finish
