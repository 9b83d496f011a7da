#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# turns: 3
# Options that stand for one control file each, in ftr record, start and set: written, acting, put back. The tracers
# osnoise, timerlat, hwlat and wakeup_rt are those of a real-time kernel.
. "$(dirname "$0")/../lib.sh"

one_kernel() {
	guest_checks 600 settings.sh
}

for_a_kernel one_kernel
FTR_KERNELS=6.12-rt for_kernels one_kernel
finish
