#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr start, set, stop, restart, clear, reset: each option's effect in the buffer's text,
# and tracefs as it was after reset.
. "$(dirname "$0")/../lib.sh"

one_kernel() {
	guest_checks 900 start-checks.sh
}

for_a_kernel one_kernel
finish
