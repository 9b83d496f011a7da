#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr record --at: tracing and the command begin at a time of day, not before it, and the file has how far off it was;
# a signal ends the wait and leaves nothing.
. "$(dirname "$0")/../lib.sh"

one_kernel() {
	guest_checks 300 record-at.sh
}

for_a_kernel one_kernel
finish
