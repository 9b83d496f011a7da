#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr list in guests: each list against the kernel's own files as awk reads them, and the state of tracefs unchanged.

. "$(dirname "$0")/../lib.sh"

lists() {
	guest_checks 900 list-checks.sh
}

for_a_kernel lists
finish
