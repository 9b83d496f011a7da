#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr trigger: each trigger of an event and each command of a function fires as often as it should, and is undone.
. "$(dirname "$0")/../lib.sh"

one_kernel() {
	guest_checks 900 trigger-checks.sh
}

for_a_kernel one_kernel
finish
