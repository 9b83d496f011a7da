#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Recordings that are read while they are made, and after their recorder was killed;
# ftr recover beside trace-cmd restore.
. "$(dirname "$0")/../lib.sh"

one_kernel() {
	guest_checks 600 recover-checks.sh
}

for_a_kernel one_kernel
finish
