#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr stream: every record once, in order, as it happens; losses where they were; tracefs as before.

. "$(dirname "$0")/../lib.sh"

one_kernel() {
	guest_checks 900 stream-checks.sh
}

for_a_kernel one_kernel
finish
