#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr record where conditions are bad: no tracefs, no rights, names that do not exist, no room, others at work.
# One boot a kernel.

. "$(dirname "$0")/../lib.sh"
FTR_SAN=${FTR_SAN:-$FTR_BUILD-san}
export FTR_SAN

conditions() {
	guest_checks 600 conditions.sh
}

for_a_kernel conditions
finish
