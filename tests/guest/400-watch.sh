#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What ends a recording and what is said of it: --stop-on, --flight, --max-size, --max-rate, --dry-run, --strict, the
# live line, and that a recording has no events.
. "$(dirname "$0")/../lib.sh"

one_kernel() {
	guest_checks 900 watch-checks.sh
}

for_a_kernel one_kernel
finish
