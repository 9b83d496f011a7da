#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Which files ftr oops collect removes: the oldest of its own, whatever the clock says, and none of others.
. "$(dirname "$0")/../lib.sh"

keep() {
	# a guest of its own, as its clock is set
	guest_checks 300 oops-keep.sh --append panic=1
}

for_a_kernel keep
finish
