#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the kernel refuses is shown in its words, with the caret where it belongs: the cases of error-cases.txt. Other
# refusals have the reason that they have; tracers that exclude each other are those of a real-time kernel.
. "$(dirname "$0")/../lib.sh"

one_kernel() {
	guest_checks 900 errors.sh
}

for_a_kernel one_kernel
if [ "${FTR_LONG:-}" = 1 ]; then
	FTR_KERNELS=6.12-rt for_kernels one_kernel
else
	skip "tracers that exclude each other" "FTR_LONG=1 tries them"
fi
finish
