#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr options, set-pid and stack: set, seen in records, read back, undone. One boot a kernel.
. "$(dirname "$0")/../lib.sh"

one_kernel() {
	guest_checks 800 small-checks.sh
}

for_a_kernel one_kernel
finish
