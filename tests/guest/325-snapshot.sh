#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr snapshot: what it holds, when it is taken, and that it is freed.
. "$(dirname "$0")/../lib.sh"

one_kernel() {
	guest_checks 900 snapshot-checks.sh
}

for_a_kernel one_kernel
finish
