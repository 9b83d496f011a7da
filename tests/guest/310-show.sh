#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr stat, show and extract against the control files and the kernel's own text of the same moment.

. "$(dirname "$0")/../lib.sh"

one_kernel() {
	guest_checks 900 show-checks.sh
}

for_a_kernel one_kernel
finish
