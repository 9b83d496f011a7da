#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Tracers that only a real-time kernel has: what ftr record makes of them.
. "$(dirname "$0")/../lib.sh"

one_kernel() {
	guest_checks 600 realtime.sh
	guest_checks 1800 latency.sh
}

if [ "${FTR_LONG:-}" = 1 ]; then
	FTR_KERNELS=6.12-rt for_kernels one_kernel
else
	skip "tracers of a real-time kernel" "FTR_LONG=1 tries them"
fi
finish
