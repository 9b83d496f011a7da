#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr hist: its sums are those of the events themselves, its bounds the kernel's, and nothing of it is left.
. "$(dirname "$0")/../lib.sh"

hist() {
	guest_checks 900 hist-checks.sh
}

for_a_kernel hist
finish
