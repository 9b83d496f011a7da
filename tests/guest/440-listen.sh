#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr record that sends: to a pipe, to ftr listen. Every marker arrives, whatever becomes of the connection.
. "$(dirname "$0")/../lib.sh"

FTR_CUTS=${FTR_CUTS:-5}
[ "${FTR_LONG:-}" != 1 ] || FTR_CUTS=20
export FTR_CUTS

one_kernel() {
	guest_checks 900 listen-checks.sh
}

for_a_kernel one_kernel
finish
